//! Every implementation that this processor can run, in each mode and direction under its usual contract, of many messages,
//! and of whole messages where a stream takes blocks alone: published answers, then the differential driver with every length
//! to 2100 bytes (of CFB-8, each byte of which is a block, to 131) and a sample to 64 KiB and 17, each at 64 offsets. What
//! contracts have no place for follows in [`parts`].
//!
//! Words restrict it to what has all of them in its line: `vaes512`, `gcm`, `aes-128 decrypt`.
mod parts;

use std::{env, process::ExitCode, time::Instant};

use ciphertune_catalog::{Contract, Source, Task, gate};

/// Keys, data and cases follow from it.
const SEED: u64 = 0;

fn main() -> ExitCode {
    let mut tally = Tally {
        words: env::args().skip(1).map(|word| word.to_lowercase()).collect(),
        checked: 0,
        failed: 0,
    };
    let start = Instant::now();
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
        let wanted = |task: &&Task| {
            let usual = Task::usual(task.algorithm);
            let by_blocks = usual.contract == Contract::Stream && !usual.takes(1);
            [usual.contract, Contract::Many].contains(&task.contract)
                || by_blocks && task.contract == Contract::NewIv
        };
        for &task in implementation.tasks().iter().filter(wanted) {
            let line = format!("{}, {task}", description.id);
            let prove = || gate::prove(&**implementation, task, SEED);
            tally.check(&line, || prove().map_err(|failure| failure.to_string()));
        }
    }
    for &implementation in ciphertune::Implementation::all() {
        for (mode, check) in parts::MODES {
            for key_len in [16, 24, 32] {
                if implementation.is_available() && parts::has(implementation, mode) {
                    let line = format!("ciphertune/{}, AES-{}-{mode}", implementation.name(), 8 * key_len);
                    tally.check(&line, || check(implementation, key_len, SEED));
                }
            }
        }
    }
    let (passed, seconds) = (tally.checked - tally.failed, start.elapsed().as_secs());
    println!(
        "differential: {passed} of {} passed in {seconds} s",
        tally.checked
    );
    if tally.failed == 0 && tally.checked > 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

struct Tally {
    words: Vec<String>,
    checked: usize,
    failed: usize,
}

impl Tally {
    /// Checks it where its line has all of the words.
    fn check(&mut self, line: &str, check: impl FnOnce() -> Result<(), String>) {
        let lower = line.to_lowercase();
        if !self.words.iter().all(|word| lower.contains(word)) {
            return;
        }
        self.checked += 1;
        let verdict = match check() {
            Ok(()) => "right".to_owned(),
            Err(failure) => {
                self.failed += 1;
                format!("FAILED: {failure}")
            }
        };
        println!("differential: {line}: {verdict}");
    }
}
