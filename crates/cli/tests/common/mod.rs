//! What the tests of the command line share.
#![allow(dead_code)]

pub mod provider;

use std::{
    fs,
    os::unix::{fs::MetadataExt, process::ExitStatusExt},
    path::{Path, PathBuf},
    process::Command,
    thread,
};

use assert_cmd::assert::{Assert, OutputAssertExt};
use tempfile::TempDir;

#[path = "../../../../tests/skip.rs"]
mod skip;

pub use skip::skip;

/// The command, with a home of its own and without the user's settings.
pub fn ciphertune(home: &TempDir) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ciphertune"));
    command.env_clear().env("HOME", home.path());
    command
}

pub fn home() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// `ciphertune` with these words, in a home that is gone afterwards.
pub fn run(words: &[&str]) -> Assert {
    ciphertune(&home()).args(words).assert()
}

/// `ciphertune speed` of little, with more words.
pub fn quick_speed(home: &TempDir, words: &[&str]) -> Command {
    let mut command = ciphertune(home);
    command
        .args([
            "speed",
            "AES-128-CTR",
            "--lengths",
            "16,1350",
            "--seconds",
            "0.005",
        ])
        .args(words);
    command
}

/// The command, run by somebody whom the rights of files bind: by root too, but without the capabilities that set root above
/// them. `None`, with a line on standard error, where that cannot be.
pub fn bound(command: &Command) -> Option<Command> {
    const ABOVE: &str = "-dac_override,-dac_read_search";
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let without = |words: &[&str]| {
        let mut bound = Command::new("/usr/bin/env");
        if is_root {
            bound.args(["/usr/bin/setpriv", "--inh-caps", ABOVE, "--bounding-set", ABOVE]);
        }
        bound.args(words);
        bound
    };
    if !without(&["true"])
        .output()
        .is_ok_and(|tried| tried.status.success())
    {
        eprintln!("left out: root cannot be bound by rights here");
        return None;
    }
    Some(through(without(&[]), command))
}

/// A command by way of a program that starts what its last words name, in the same folder and environment.
pub fn through(mut program: Command, command: &Command) -> Command {
    program
        .arg(command.get_program())
        .args(command.get_args())
        .env_clear();
    program.envs(
        command
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    command
        .get_current_dir()
        .map(|folder| program.current_dir(folder));
    program
}

/// Puts a program there, by a process of its own: what this one has open for writing, another test's child has open too
/// until that has started, and a program that somebody writes to cannot be run ("Text file busy").
pub fn put_program(at: &Path, contents: impl Into<Vec<u8>>) {
    assert_cmd::Command::new("install")
        .args(["-m", "755", "/dev/stdin"])
        .arg(at)
        .write_stdin(contents)
        .assert()
        .success();
}

pub fn stdout(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

pub fn stderr(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

/// The one line on standard error that holds `text`.
#[track_caller]
pub fn line(assert: &Assert, text: &str) -> String {
    let stderr = stderr(assert);
    let mut lines = stderr.lines().filter(|line| line.contains(text));
    match (lines.next(), lines.next()) {
        (Some(line), None) => line.to_owned(),
        _ => panic!("no single line with '{text}' in:\n{stderr}"),
    }
}

/// The catalog's libcrypto for tests, compiled with these flags; `None`, with a line on standard error, where
/// there is no C compiler.
pub fn libcrypto(folder: &Path, flags: &[&str]) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../catalog/tests/fixtures/libcrypto.c");
    let library = folder.join("libcrypto.so");
    let mut cc = Command::new("cc");
    cc.args(["-O2", "-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(source)
        .args(flags);
    match cc.status() {
        Ok(status) => assert!(status.success(), "{cc:?}"),
        Err(error) => {
            skip(format_args!("cc: {error}"));
            return None;
        }
    }
    Some(library)
}

/// A program that waits for another, of which the number is in that file then.
pub fn waiting(pid: &Path) -> String {
    // Whole when it is there.
    format!(
        "#!/bin/sh\n/bin/sleep 1000 &\necho $! > {0}.part\n/bin/mv {0}.part {0}\nwait\n",
        pid.display()
    )
}

/// That a command ends by this signal when it has started such a program, and that the other has ended then.
#[track_caller]
pub fn ends_with_what_it_started(command: &Command, signal: i32, pid: &Path) {
    // Whoever runs the tests may ignore it.
    let mut hears = Command::new("/usr/bin/env");
    hears.arg(format!("--default-signal={signal}"));
    let mut child = through(hears, command).spawn().unwrap();
    while !pid.exists() {
        thread::yield_now();
    }
    let kill = Command::new("kill")
        .args([format!("-{signal}"), child.id().to_string()])
        .status();
    assert!(kill.unwrap().success());
    assert_eq!(child.wait().unwrap().signal(), Some(signal));
    until_it_ended(&fs::read_to_string(pid).unwrap());
}

/// Whoever inherits a process may take it for dead later, or never.
pub fn until_it_ended(pid: &str) {
    let is_alive = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    };
    while is_alive() {
        thread::yield_now();
    }
}
