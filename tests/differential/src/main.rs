//! Every implementation that this processor can run, with every size of key: published answers, then the
//! differential driver at each of 64 offsets, with several seeds.
use std::{process::ExitCode, time::Instant};

use ciphertune::{Ctr, Implementation};
use ciphertune_testkit::{
    Failure, Stream,
    differential::{self, Strength},
    known_answers,
};

/// Keys, data and cases follow from them.
const SEEDS: std::ops::Range<u64> = 0..4;

fn main() -> ExitCode {
    let start = Instant::now();
    let (mut checked, mut failed) = (0, 0);
    for &implementation in Implementation::all() {
        let name = implementation.name();
        if !implementation.is_available() {
            println!("differential: {name}: skipped: this processor lacks what it needs");
            continue;
        }
        for key_length in [16, 24, 32] {
            checked += 1;
            let verdict = match check(implementation, key_length) {
                Ok(()) => "right".to_owned(),
                Err(failure) => {
                    failed += 1;
                    format!("FAILED: {failure}")
                }
            };
            println!("differential: {name}, AES-{}-CTR: {verdict}", 8 * key_length);
        }
    }
    let (passed, seconds) = (checked - failed, start.elapsed().as_secs());
    println!(
        "differential: {passed} of {checked} passed, {} seeds each, in {seconds} s",
        SEEDS.end
    );
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn check(implementation: Implementation, key_length: usize) -> Result<(), Failure> {
    let new = |key: &[u8], iv: &[u8; 16]| {
        Ctr::with_implementation(implementation, key, iv)
            .map(Ours)
            .map_err(|error| error.to_string())
    };
    known_answers::check(key_length, new)?;
    for seed in SEEDS {
        differential::check(key_length, Strength::Exhaustive, seed, new)?;
    }
    Ok(())
}

struct Ours(Ctr);

impl Stream for Ours {
    fn apply(&mut self, data: &mut [u8]) -> Result<(), String> {
        self.0.apply(data).map_err(|error| error.to_string())
    }

    fn apply_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), String> {
        self.0.apply_to(input, output).map_err(|error| error.to_string())
    }

    fn in_place(&self) -> bool {
        true
    }
}
