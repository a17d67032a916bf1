//! Ctrl-C leaves what was finished.
mod common;

use std::{
    fs,
    process::{Child, Command, Output, Stdio},
    thread::{self, sleep},
    time::{Duration, Instant},
};

use ciphertune_results::{Run, Status};
use common::*;

/// What does not take long to load and to check.
const FEW: [&str; 2] = ["--implementations", "ciphertune/portable,tor2007/counter"];

/// Longer than it takes on this machine, as busy as it is now, to load, to check and to time something: thrice a short
/// session with these words.
fn long_enough(words: &[&str]) -> Duration {
    let begin = Instant::now();
    let done = ciphertune(&home())
        .args(["speed", "AES-128-CTR", "--lengths", "16", "--seconds", "0.005"])
        .args(words)
        .output()
        .unwrap();
    assert!(!done.stdout.is_empty(), "{done:?}");
    3 * begin.elapsed()
}

fn interrupted(command: &mut Command, wait: Duration) -> Output {
    let child = spawned(command);
    sleep(wait);
    interrupt(child)
}

fn spawned(command: &mut Command) -> Child {
    command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn interrupt(child: Child) -> Output {
    let kill = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(kill.success());
    child.wait_with_output().unwrap()
}

#[test]
fn speed_shows_and_keeps_what_was_finished() {
    let home = home();
    let path = home.path().join("run.jsonl");
    let mut speed = ciphertune(&home);
    speed
        .args([
            "speed",
            "AES-128-CTR",
            "--lengths",
            "16",
            "--seconds",
            "3600",
            "--output",
        ])
        .arg(&path)
        .args(FEW);
    let output = interrupted(&mut speed, long_enough(&FEW));
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

/// `tune` measures threads in a second session, after it has kept the run.
#[test]
fn a_second_session_is_stopped_in_good_order_too() {
    if thread::available_parallelism().unwrap().get() < 2 {
        // Nothing can help then, so there is no second session.
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
    let output = interrupt(child);
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(
        shown.contains("Threads were not measured, since it was interrupted"),
        "{shown}"
    );
    assert!(shown.contains("\nciphertune/portable "), "{shown}");
}

#[test]
fn tune_leaves_wisdom_as_it_was() {
    let home = home();
    let path = home.path().join("wisdom");
    fs::write(&path, "ciphertune-wisdom 1\nof old").unwrap();
    let mut tune = ciphertune(&home);
    tune.args(["tune", "--patience", "patient", "--wisdom"])
        .arg(&path);
    let output = interrupted(&mut tune, long_enough(&[]) / 3);
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("Interrupted: the wisdom in "), "{shown}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "ciphertune-wisdom 1\nof old");
    let left = fs::read_dir(home.path()).unwrap().count();
    assert_eq!(left, 1, "a partial file was left behind");
}
