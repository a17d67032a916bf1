//! `ciphertune import`, and what `speed` prints for scripts.
mod common;

use std::{
    fs,
    io::Write,
    process::{Command, Stdio},
};

use assert_cmd::assert::{Assert, OutputAssertExt};
use ciphertune_results::Run;
use common::*;

const TABLE: &str = "\
OpenSSL 1.0.2a 19 Mar 2015
The 'numbers' are in 1000s of bytes per second processed.
type             16 bytes   1024 bytes
aes-128-cbc      40746.12k    38212.54k
";

#[test]
fn a_table_becomes_a_run_that_can_be_compared() {
    let home = home();
    let path = |name: &str| home.path().join(name);
    fs::write(path("old.txt"), TABLE).unwrap();
    fs::write(path("new.txt"), TABLE.replace("40746.12k", "81492.24k")).unwrap();
    for name in ["old", "new"] {
        let shown = ciphertune(&home)
            .arg("import")
            .arg(path(&format!("{name}.txt")))
            .args(["--machine", "a router", "--output"])
            .arg(path(&format!("{name}.jsonl")))
            .assert()
            .success();
        assert!(stdout(&shown).contains("\nAES-128-CBC  "), "{}", stdout(&shown));
        assert_eq!(stderr(&shown), "");
    }
    let run = Run::read(&path("old.jsonl")).unwrap();
    assert_eq!(run.machine.cpu, "a router");
    assert_eq!(run.machine.imported.unwrap().version.as_deref(), Some("1.0.2a"));

    let compared = ciphertune(&home)
        .arg("compare")
        .args([path("old.jsonl"), path("new.jsonl")])
        .assert()
        .success();
    let shown = stdout(&compared);
    assert!(
        shown.contains("\nAES-128-CBC           +100%  +0.0%  +41.4%\n"),
        "{shown}"
    );
    assert!(shown.contains("\nNo intervals: "), "{shown}");
}

/// What it makes of a text on standard input.
fn piped(text: impl AsRef<[u8]>) -> Assert {
    let mut child = ciphertune(&home())
        .args(["import", "-", "--format", "mr"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_ref()).unwrap();
    child.wait_with_output().unwrap().assert()
}

#[test]
fn standard_input_will_do_and_bad_input_is_an_error() {
    let good = piped(TABLE).success();
    assert_eq!(
        stdout(&good),
        "+I:openssl@1.0.2a/default\n+H:16:1024\n+F:0:AES-128-CBC:40746120.00:38212540.00\n"
    );
    line(&good, "nothing is kept without --output");
    let bad = piped("hello\n").code(1);
    line(&bad, "there are no figures in 'standard input'");
    assert_eq!(stdout(&bad), "");
    for (path, why) in [
        (
            "/nowhere/speed.txt",
            "No such file or directory (os error 2); name a file that is there",
        ),
        ("/tmp", "Is a directory (os error 21); name a file in it"),
    ] {
        line(
            &run(&["import", path]).code(1),
            &format!("cannot read '{path}': {why}"),
        );
    }
}

/// The first line has the version.
#[test]
fn a_byte_order_mark_costs_no_line() {
    let marked = format!("\u{feff}{TABLE}");
    let utf_16 = |unit: fn(u16) -> [u8; 2]| marked.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
    let plain = stdout(&piped(TABLE).success());
    for text in [
        marked.clone().into_bytes(),
        utf_16(u16::to_le_bytes),
        utf_16(u16::to_be_bytes),
    ] {
        assert_eq!(stdout(&piped(text).success()), plain);
    }
}

#[test]
fn what_is_read_is_not_replaced() {
    let home = home();
    let path = home.path().join("old.txt");
    fs::write(&path, TABLE).unwrap();
    std::os::unix::fs::symlink("old.txt", home.path().join("same.txt")).unwrap();
    for output in ["old.txt", "same.txt"] {
        let assert = ciphertune(&home)
            .arg("import")
            .arg(&path)
            .arg("--output")
            .arg(home.path().join(output))
            .assert()
            .code(1);
        line(
            &assert,
            "old.txt' itself, which it would replace; name another file",
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), TABLE);
        let piped = ciphertune(&home)
            .args(["import", "-", "--output"])
            .arg(home.path().join(output))
            .stdin(fs::File::open(&path).unwrap())
            .assert()
            .code(1);
        line(
            &piped,
            "--output is the file on standard input, which it would replace; name another file",
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), TABLE);
    }
}

#[test]
fn a_run_file_is_said_to_be_one() {
    let home = home();
    let path = |name: &str| home.path().join(name);
    fs::write(path("old.txt"), TABLE).unwrap();
    let import = |from: &str, to: &str| {
        let mut command = ciphertune(&home);
        command
            .arg("import")
            .arg(path(from))
            .arg("--output")
            .arg(path(to));
        command.assert()
    };
    import("old.txt", "old.jsonl").success();
    let again = import("old.jsonl", "again.jsonl").code(1);
    line(
        &again,
        "'old.jsonl' is a run file already; give it to ciphertune compare as it is",
    );
    assert!(!path("again.jsonl").exists());

    let text = fs::read_to_string(path("old.jsonl")).unwrap();
    let (machine, cells) = text.split_once('\n').unwrap();
    for text in [&text, &format!("\u{feff}\n{text}")] {
        line(
            &piped(text).code(1),
            "'standard input' is a run file already; give it to ciphertune compare",
        );
    }
    for (damaged, fault) in [
        (&text[..text.len() - 9], "line 3: the line is cut off"),
        (&text[..machine.len() - 9], "line 1: the line is cut off"),
        (
            &text.replace("\"format\":2", "\"format\":9"),
            "line 1: the run is in format 9",
        ),
        (cells, "line 1: a run file begins with a line of kind \"machine\""),
    ] {
        fs::write(path("damaged.jsonl"), damaged).unwrap();
        let beginning = format!("'damaged.jsonl' is a run file already, and cannot be read as one: {fault}");
        line(&import("damaged.jsonl", "again.jsonl").code(1), &beginning);
    }
}

#[test]
fn what_is_cut_off_is_left_out_and_named() {
    let home = home();
    let path = home.path().join("cut.txt");
    fs::write(&path, TABLE.replace("38212.54k", "3821")).unwrap();
    let import = |words: &[&str]| {
        let mut command = ciphertune(&home);
        command.arg("import").arg(&path).args(words).assert()
    };
    let assert = import(&["--decrypt", "--format", "mr"]).success();
    assert!(
        stdout(&assert).ends_with(":AES-128-CBC decrypt:40746120.00\n"),
        "{}",
        stdout(&assert)
    );
    let note = line(&assert, "left out");
    assert!(
        note.contains("1 figure left out, the first of AES-128-CBC at 1 KiB: "),
        "{note}"
    );
    fs::write(
        &path,
        format!("{TABLE}sign verify sign/s verify/s\nrsa 2048 bits 0.0002s 0.0001s 708.5 12"),
    )
    .unwrap();
    let note = line(&import(&[]).success(), "left out");
    assert!(
        note.contains("1 figure left out, the first of RSA-2048 verify: "),
        "{note}"
    );
    let own = "implementation: a/b\ntype  16 bytes\nAES-128-CBC  12.00k\n";
    fs::write(&path, format!("{own}AES CBC 12.00k\n")).unwrap();
    line(
        &import(&[]).success(),
        "1 figure left out, the first of AES CBC at 16 B: its label is none that Ciphertune prints",
    );
    fs::write(&path, own).unwrap();
    line(&import(&["--decrypt"]).code(1), "--decrypt is for what");
}

#[test]
fn the_systems_openssl_is_understood() {
    let words = ["speed", "-seconds", "1", "-bytes", "1024", "-evp", "aes-128-ctr"];
    let Ok(output) = Command::new("openssl").args(words).output() else {
        skip("no openssl");
        return;
    };
    let home = home();
    let path = home.path().join("speed.txt");
    fs::write(&path, output.stdout).unwrap();
    let shown = ciphertune(&home).arg("import").arg(&path).assert().success();
    assert!(stdout(&shown).contains("\nAES-128-CTR  "), "{}", stdout(&shown));
}

#[test]
fn speed_prints_what_scripts_read() {
    let home = home();
    let shown = quick_speed(
        &home,
        &["--implementations", "ciphertune/portable", "--format", "classic"],
    )
    .assert()
    .success();
    let shown = stdout(&shown);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[0], "implementation: ciphertune/portable");
    assert_eq!(lines[2], "type             16 bytes   1350 bytes");
    assert!(
        lines[3].starts_with("AES-128-CTR  ") && lines[3].ends_with('k'),
        "{shown}"
    );
    assert_eq!(lines.len(), 4, "{shown}");
}

#[test]
fn what_never_ends_is_refused() {
    for command in ["import", "compare"] {
        let error = stderr(&run(&[command, "/dev/zero"]).failure());
        assert!(
            error.contains("'/dev/zero': it goes on after 256 MiB; name the text of a run"),
            "{error}"
        );
    }
}
