//! Every implementation that this processor can run, in each mode and direction under its usual contract:
//! published answers, then the differential driver at each of 64 offsets, with several seeds.
//!
//! Words restrict it to what has all of them in its line: `vaes512`, `gcm`, `aes-128 decrypt`.
use std::{env, process::ExitCode, time::Instant};

use ciphertune_catalog::{Implementation, Source, Task, gate};

/// Keys, data and cases follow from them.
const SEEDS: std::ops::Range<u64> = 0..4;

fn main() -> ExitCode {
    let start = Instant::now();
    let words: Vec<String> = env::args().skip(1).map(|word| word.to_lowercase()).collect();
    let asked_for = |line: &str| words.iter().all(|word| line.to_lowercase().contains(word));
    let (mut checked, mut failed) = (0, 0);
    let loaded = Source::Builtin.load().expect("what is built in loads");
    for implementation in &loaded.implementations {
        let description = implementation.description();
        if !description.selectable {
            continue;
        }
        if let Some(why) = &description.unavailable {
            println!("differential: {}: skipped: {why}", description.id);
            continue;
        }
        let usual = |task: &&Task| task.contract == Task::usual(task.algorithm).contract;
        for &task in implementation.tasks().iter().filter(usual) {
            let line = format!("{}, {task}", description.id);
            if !asked_for(&line) {
                continue;
            }
            checked += 1;
            let verdict = match check(&**implementation, task) {
                Ok(()) => "right".to_owned(),
                Err(failure) => {
                    failed += 1;
                    format!("FAILED: {failure}")
                }
            };
            println!("differential: {line}: {verdict}");
        }
    }
    let (passed, seconds) = (checked - failed, start.elapsed().as_secs());
    println!(
        "differential: {passed} of {checked} passed, {} seeds each, in {seconds} s",
        SEEDS.end
    );
    if failed == 0 && checked > 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn check(implementation: &dyn Implementation, task: Task) -> Result<(), gate::Failure> {
    SEEDS
        .into_iter()
        .try_for_each(|seed| gate::check_exhaustively(implementation, task, seed))
}
