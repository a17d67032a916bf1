//! What people read is as wide as their screen.
mod common;

use std::process::{Command, Stdio};

use common::*;

/// What the command shows on a terminal of so many columns; `None`, with a line on standard error, where nothing makes one.
fn shown(width: usize, words: &str) -> Option<String> {
    let program = env!("CARGO_BIN_EXE_ciphertune");
    let line = format!("stty cols {width} rows 40; exec {program} {words}");
    let home = home();
    let output = Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .env("HOME", home.path())
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .output();
    match output {
        Ok(output) => Some(String::from_utf8_lossy(&output.stdout).replace('\r', "")),
        Err(error) => {
            skip(format_args!("script: {error}"));
            None
        }
    }
}

#[test]
fn lines_end_where_the_screen_does() {
    for words in ["tune --patience estimate", "list", "doctor sh"] {
        for width in [60, 80] {
            let Some(shown) = shown(width, words) else { return };
            assert!(!shown.is_empty(), "{words}");
            // A path may be longer than a line is.
            for line in shown.lines().filter(|line| line.trim().contains(' ')) {
                assert!(line.chars().count() <= width, "{words} on {width}: {line}");
            }
        }
    }
}
