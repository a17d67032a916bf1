//! Standard output: tables and data, and nothing else.
use std::io::{self, ErrorKind, Write};

use ciphertune_report::{Screen, steerless, width};

use crate::Result;

/// What standard output can show. `NO_COLOR`, `CLICOLOR_FORCE` and `TERM` are respected.
pub fn screen() -> Screen {
    let stdout = io::stdout();
    Screen {
        colour: anstream::AutoStream::choice(&stdout) != anstream::ColorChoice::Never,
        width: terminal_size::terminal_size_of(&stdout).map(|(width, _)| width.0.into()),
    }
}

/// Writes to standard output.
pub fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut text = Vec::new();
    written(write(&mut text).and_then(|()| io::stdout().write_all(&text)))
}

/// Whether what was written to standard output is there. A reader that has seen enough, as `head` has, is no error.
pub fn written(done: io::Result<()>) -> Result<()> {
    match done.and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("cannot write to standard output: {error}").into())
        }
        _ => Ok(()),
    }
}

/// Writes lines for people, as [`wrapped`] breaks them.
pub fn sentences(lines: &[impl AsRef<str>], out: &mut dyn Write) -> io::Result<()> {
    let screen = screen();
    let mut lines = lines.iter().map(|line| steerless(line.as_ref()));
    lines.try_for_each(|line| writeln!(out, "{}", wrapped(&line, screen)))
}

/// Breaks a line between words, where the screen is too narrow for it, and leaves it else as it is; what follows is indented
/// further.
fn wrapped(line: &str, screen: Screen) -> String {
    let room = screen.width.unwrap_or(usize::MAX);
    let indent = line.len() - line.trim_start().len();
    let mut text = " ".repeat(indent);
    let mut column = indent;
    let mut is_first = true;
    for word in line.trim().split(' ') {
        let width = width(word);
        if is_first {
            column += width;
        } else if word.is_empty() || column + 1 + width <= room {
            text.push(' ');
            column += 1 + width;
        } else {
            text += &format!("\n{:1$}", "", indent + INDENT);
            column = indent + INDENT + width;
        }
        text += word;
        is_first = false;
    }
    text
}

const INDENT: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words_where_they_must_be() {
        let narrow = |width| Screen {
            width: Some(width),
            colour: false,
        };
        let line = "  chosen for 16 B";
        assert_eq!(wrapped(line, Screen::default()), line);
        assert_eq!(wrapped(line, narrow(17)), line);
        assert_eq!(wrapped(line, narrow(16)), "  chosen for 16\n    B");
        assert_eq!(wrapped(line, narrow(1)), "  chosen\n    for\n    16\n    B");
        assert_eq!(wrapped("", narrow(1)), "");
        assert_eq!(wrapped("no   ssh: why", narrow(10)), "no   ssh:\n  why");
    }
}
