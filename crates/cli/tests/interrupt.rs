//! Ctrl-C and the end of a terminal leave what was finished.
mod common;

use std::{
    fs,
    path::Path,
    process::{Child, Command, Output, Stdio},
    thread::{self, sleep},
    time::{Duration, Instant},
};

use ciphertune_results::{Run, Status};
use common::*;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use tempfile::TempDir;

/// What does not take long to load and to check.
const FEW: [&str; 2] = ["--implementations", "ciphertune/portable,tor2007/counter"];

/// Longer than it takes on this machine to load, to check and to time something, even if it becomes busier: six times a
/// short session with these words.
fn long_enough(words: &[&str]) -> Duration {
    let begin = Instant::now();
    let done = ciphertune(&home())
        .args(["speed", "AES-128-CTR", "--lengths", "16", "--seconds", "0.005"])
        .args(words)
        .output()
        .unwrap();
    assert!(!done.stdout.is_empty(), "{done:?}");
    6 * begin.elapsed()
}

fn interrupted(command: &mut Command, wait: Duration) -> Output {
    let child = spawned(command);
    sleep(wait);
    told(child, "-INT")
}

fn spawned(command: &mut Command) -> Child {
    command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What comes of a program after this signal.
fn told(child: Child, signal: &str) -> Output {
    let kill = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status()
        .unwrap();
    assert!(kill.success());
    child.wait_with_output().unwrap()
}

/// Waits until it listens for all that would end it: but for what it ignores, by whoever started it.
fn until_it_listens(child: &Child) {
    const ENDS: u64 = 1 << (SIGHUP - 1) | 1 << (SIGINT - 1) | 1 << (SIGTERM - 1);
    let mask = |name| {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix(name));
        u64::from_str_radix(mask.unwrap().trim(), 16).unwrap()
    };
    while (mask("SigCgt:") | mask("SigIgn:")) & ENDS != ENDS {
        sleep(Duration::from_millis(5));
    }
}

/// A session that takes so many seconds for each figure, which it keeps there.
fn speed(home: &TempDir, seconds: &str, path: &Path) -> Command {
    let mut speed = ciphertune(home);
    let words = ["speed", "AES-128-CTR", "--lengths", "16", "--seconds", seconds];
    speed.args(words).args(FEW).arg("--output").arg(path);
    speed
}

/// The session by way of another program, in whose place it comes.
fn by(program: &[&str], session: &Command, home: &TempDir) -> Command {
    let mut command = Command::new(program[0]);
    command.args(&program[1..]).arg(session.get_program());
    command.args(session.get_args());
    command.env_clear().env("HOME", home.path()).stdin(Stdio::null());
    command
}

#[test]
fn the_end_of_its_terminal_leaves_what_was_finished_too() {
    let home = home();
    let path = home.path().join("run.jsonl");
    // Whoever runs the tests may do without a terminal, and all that they start with them.
    let session = speed(&home, "3600", &path);
    let child = spawned(&mut by(
        &["/usr/bin/env", "--default-signal=HUP"],
        &session,
        &home,
    ));
    sleep(long_enough(&FEW));
    let output = told(child, "-HUP");
    assert_eq!(output.status.code(), Some(129), "{output:?}");
    let run = Run::read(&path).unwrap();
    assert!(run.cells.iter().any(|cell| cell.status == Status::Ok), "{run:?}");
}

#[test]
fn whoever_does_without_a_terminal_is_not_stopped_by_its_end() {
    let home = home();
    let path = home.path().join("run.jsonl");
    let session = speed(&home, "0.5", &path);
    let child = spawned(&mut by(&["/usr/bin/nohup"], &session, &home));
    until_it_listens(&child);
    let output = told(child, "-HUP");
    assert!(output.status.success(), "{output:?}");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(!errors.contains("stopped early"), "{errors}");
}

#[test]
fn speed_shows_and_keeps_what_was_finished() {
    let home = home();
    let path = home.path().join("run.jsonl");
    let output = interrupted(&mut speed(&home, "3600", &path), long_enough(&FEW));
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let run = Run::read(&path).unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    let mut finished = run
        .cells
        .iter()
        .filter(|cell| cell.status == Status::Ok)
        .peekable();
    assert!(finished.peek().is_some(), "{run:?}");
    for cell in finished {
        assert!(shown.contains(&format!("\n{} ", cell.implementation)), "{shown}");
    }
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        errors.contains("ciphertune: note: The session was stopped early"),
        "{errors}"
    );
}

/// Before anything is timed: what is checked first takes longer than to be told to stop.
#[test]
fn an_earlier_run_outlives_one_without_a_rate() {
    let home = home();
    let path = home.path().join("run.jsonl");
    for (before, what_of_it) in [
        (Some("an earlier run"), "stays as it was"),
        (None, "is not written"),
    ] {
        let _ = fs::remove_file(&path);
        before.inspect(|text| fs::write(&path, text).unwrap());
        let mut session = ciphertune(&home);
        session
            .args(["speed", "AES-128-CTR", "AES-128-GCM", "--output"])
            .arg(&path);
        let child = spawned(&mut session);
        until_it_listens(&child);
        let output = told(child, "-INT");
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), before);
        let errors = String::from_utf8(output.stderr).unwrap();
        let told = format!("no rate was measured, so {} {what_of_it}\n", path.display());
        assert!(errors.contains(&told), "{errors}");
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(!shown.contains("\nAES-") && !shown.starts_with("AES-"), "{shown}");
    }
}

/// `tune` measures threads in a second session, after it has kept the run of the first.
#[test]
fn a_second_session_is_stopped_in_good_order_too() {
    if thread::available_parallelism().unwrap().get() < 2 {
        eprintln!("left out: on one processor nothing can help, so there is no second session");
        return;
    }
    let home = home();
    let path = home.path().join("run.jsonl");
    let mut tune = ciphertune(&home);
    tune.args(["tune", "aes-128-ctr", "--output"]).arg(&path);
    let child = spawned(&mut tune);
    while !path.exists() {
        sleep(Duration::from_millis(10));
    }
    // Long enough to begin, and the second session takes several times as long.
    sleep(Duration::from_millis(500));
    let output = told(child, "-INT");
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(
        shown.contains("What threads gain cannot be told, since it was interrupted"),
        "{shown}"
    );
    assert!(shown.contains("\nciphertune/portable "), "{shown}");
    Run::read(&path).unwrap();
}

#[test]
fn tune_leaves_wisdom_as_it_was() {
    let home = home();
    let path = home.path().join("wisdom");
    fs::write(&path, "ciphertune-wisdom 1\nof old").unwrap();
    let mut tune = ciphertune(&home);
    tune.args(["tune", "--patience", "patient", "--wisdom"])
        .arg(&path);
    let output = interrupted(&mut tune, long_enough(&[]) / 6);
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("Interrupted: the wisdom in "), "{shown}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "ciphertune-wisdom 1\nof old");
    let left = fs::read_dir(home.path()).unwrap().count();
    assert_eq!(left, 1, "a partial file was left behind");

    // And where there was none.
    fs::remove_file(&path).unwrap();
    let child = spawned(&mut tune);
    until_it_listens(&child);
    let shown = String::from_utf8(told(child, "-INT").stdout).unwrap();
    assert!(shown.contains("Interrupted: no wisdom was written"), "{shown}");
    assert!(!path.exists());
}
