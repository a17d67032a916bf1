//! Whether time depends on key or data, by statistics: dudect (Reparaz, Balasch and Verbauwhede, "Dude, is my code
//! constant time?", DATE 2017).
//!
//! Each run takes one of two classes, drawn at random: a fixed key (or text), or a random one. Welch's t-test asks
//! whether the two classes' times differ. Above 5 they do, most likely; below, nothing was found, which is less
//! than a proof. It is for the code that valgrind cannot run, and for instructions whose own time might vary.
//!
//! `control` compares its text to the fixed one and stops where they differ: it must be found.
use std::{cell::RefCell, hint::black_box, io};

use ciphertune::{Ctr, Implementation};
use dudect_bencher::{
    BenchRng, Class, CtRunner,
    ctbench::{BenchFn, BenchMetadata, BenchName, BenchOpts, run_benches_console},
    rand::{Rng, RngExt},
};

/// Bytes encrypted under each key: enough for the first round ahead to be made.
const PER_KEY: usize = 9216;

/// Bytes of each text: wide loops of every implementation, and a tail.
const TEXT: usize = 1037;

/// Runs of each test, and how many of their inputs are in memory at a time.
const BATCHES: usize = 10;
const BATCH: usize = 100_000;

macro_rules! tests {
    ($($test:ident($of:ident, $implementation:literal);)*) => {
        /// Each test, and the implementation that it needs.
        const TESTS: &[(&str, &str, BenchFn)] = &[
            $((stringify!($test), $implementation, |runner, rng| $of($implementation, runner, rng)),)*
        ];
    };
}

tests! {
    control(control, "portable");
    portable_key(key, "portable");
    portable_text(text, "portable");
    avx512_key(key, "avx512");
    avx512_text(text, "avx512");
    vaes512_key(key, "vaes512");
    vaes512_text(text, "vaes512");
    vaes512_r1_key(key, "vaes512-r1");
    vaes512_r1_text(text, "vaes512-r1");
}

fn main() -> io::Result<()> {
    let mut tests = Vec::new();
    for &(name, implementation, benchfn) in TESTS {
        if Implementation::named(implementation).is_some_and(|i| i.is_available()) {
            tests.push(BenchMetadata {
                name: BenchName(name),
                seed: None,
                benchfn,
            });
        } else {
            println!("dudect: {name}: skipped: this processor lacks what {implementation} needs");
        }
    }
    run_benches_console(BenchOpts::default(), tests)
}

/// AES-256 key expansion and a message.
fn key(implementation: &str, runner: &mut CtRunner, rng: &mut BenchRng) {
    let cipher = RefCell::new(cipher(implementation));
    let message = RefCell::new(vec![0; PER_KEY]);
    run(runner, rng, |key: &[u8; 32]| {
        let mut cipher = cipher.borrow_mut();
        cipher.rekey(key, &[0; 16]).expect("32 and 16 bytes");
        cipher.apply(&mut message.borrow_mut())
    });
}

/// A text under one key, which is long in use.
fn text(implementation: &str, runner: &mut CtRunner, rng: &mut BenchRng) {
    let cipher = RefCell::new(cipher(implementation));
    cipher
        .borrow_mut()
        .apply(&mut [0; PER_KEY])
        .expect("far from the end");
    let output = RefCell::new([0; TEXT]);
    run(runner, rng, |text: &[u8; TEXT]| {
        cipher.borrow_mut().apply_to(text, &mut *output.borrow_mut())
    });
}

fn cipher(implementation: &str) -> Ctr {
    let implementation = Implementation::named(implementation).expect("main has seen it");
    Ctr::with_implementation(implementation, &[0x5a; 32], &[0; 16])
        .expect("main has seen that it is available")
}

fn control(_: &str, runner: &mut CtRunner, rng: &mut BenchRng) {
    run(runner, rng, |text: &[u8; TEXT]| {
        black_box(text) == black_box(&[FIXED; TEXT])
    });
}

/// Every byte of the fixed class. Not 0: memory that nobody has written to yet would serve for it, and be slower.
const FIXED: u8 = 0xda;

/// Times `f` on inputs of both classes, all of a batch made beforehand and each put in the same place.
fn run<const N: usize, T>(runner: &mut CtRunner, rng: &mut BenchRng, f: impl Fn(&[u8; N]) -> T) {
    for _ in 0..BATCHES {
        let mut inputs = vec![[FIXED; N]; BATCH];
        let random: Vec<bool> = inputs.iter().map(|_| rng.random()).collect();
        for (input, _) in inputs.iter_mut().zip(&random).filter(|(_, random)| **random) {
            rng.fill_bytes(input);
        }
        let mut place;
        for (input, random) in inputs.iter().zip(random) {
            place = *black_box(input);
            let class = if random { Class::Right } else { Class::Left };
            runner.run_one(class, || f(black_box(&place)));
        }
    }
}
