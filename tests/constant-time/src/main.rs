//! Whether a branch or an address depends on a key or on data, by valgrind's memcheck or by LLVM's MemorySanitizer.
//!
//! The method is ctgrind's (Langley, 2010): key and data are marked as undefined memory. Either tool follows what is
//! computed from them, bit by bit, and reports a branch or address that depends on it. So nothing that is run here is
//! exempt, and nothing that is not run is covered.
//!
//! Run: every size of key, by each implementation; every mode, in both directions, in place and from buffer to buffer,
//! whole and in parts: [`modes`]. Key length, IV, nonce and the lengths of messages are public.
//!
//! What the caller is told is not secret: whether a tag is the right one, and whether the two keys of XTS are the same.
//! Up to two branches on each such verdict are left out ([`modes::told`]); on all else there must be none.
//!
//! The tools make up for each other:
//! - Memcheck sees the machine code that is shipped, but knows neither VAES nor AVX-512.
//! - MemorySanitizer runs whatever the processor does. It sees what the compiler made of the source, but not what the
//!   compiler's back end made of that, and without the few pieces of inline assembly that it cannot see through
//!   (`engine::WATCHED`).
//! - Neither knows of instructions whose own time depends on their operands. The kernels use none on secrets.
//!
//! The check must find what is there to be found: look-ups and branches that depend on secrets come first, and without
//! a report of each nothing else is believed. Nor is a run believed at whose end a secret counts as known.
mod modes;
mod secret;

use std::{hint::black_box, process::ExitCode, sync::atomic::Ordering};

use ciphertune::{Ecb, Error, Gcm, Implementation};
use modes::Outputs;

/// Bytes of a key of AES-128, AES-192 and AES-256.
const KEY_LENGTHS: [usize; 3] = [16, 24, 32];

/// Bytes after which every implementation does what it does only in long messages, and a tail.
const LONG: usize = 3 * 4096 + 77;

fn main() -> ExitCode {
    if !secret::is_watching() {
        eprintln!("constant-time: this runs under valgrind: `make constant-time`");
        return ExitCode::FAILURE;
    }
    for (what, leak) in LEAKS {
        let data = bytes(32);
        secret::hide(&data);
        if reports_of(|| leak(&data)).1 == 0 {
            say(&format!(
                "FAILED: {what} was not found, so this check finds nothing"
            ));
            return ExitCode::FAILURE;
        }
        say(&format!("{what}: found, as it must be"));
    }

    let (mut checked, mut passed) = (0, 0);
    let mut report = |what: &str, verdict: Result<(), String>| {
        checked += 1;
        passed += usize::from(verdict.is_ok());
        let verdict = match verdict {
            Ok(()) => "no branch and no address depends on key or data".to_owned(),
            Err(why) => format!("FAILED: {why}"),
        };
        say(&format!("{what}: {verdict}"));
    };
    for &implementation in Implementation::all() {
        let name = implementation.name();
        if !implementation.is_available() {
            let tool = secret::NAME;
            say(&format!(
                "{name}: skipped: this processor, as {tool} shows it, lacks what it needs"
            ));
            continue;
        }
        for (mode, run) in modes::MODES {
            if mode == "GCM" && implementation.gcm().is_none() {
                say(&format!("{name}: skipped: it has no GCM"));
                continue;
            }
            // XTS has no keys of 24 bytes.
            for key_length in KEY_LENGTHS.into_iter().filter(|&len| mode != "XTS" || len != 24) {
                let verdict = check(key_length, |key, data| run(implementation, key, data));
                report(&format!("{name}, AES-{}, {mode}", 8 * key_length), verdict);
            }
        }
    }
    for key_length in KEY_LENGTHS {
        let key = format!("Rijndael with a key of {key_length} bytes, blocks of");
        report(&format!("{key} 24"), check(key_length, modes::rijndael::<24>));
        report(&format!("{key} 32"), check(key_length, modes::rijndael::<32>));
    }
    say(&format!("{passed} of {checked} passed, by {}", secret::NAME));
    if checked > 0 && passed == checked {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Where the words are put, secrets may have been.
fn say(words: &str) {
    secret::reveal(words.as_bytes());
    println!("constant-time: {words}");
}

/// What it is, and what it does with 32 secret bytes.
type Leak = (&'static str, fn(&[u8]));

/// Leaks that have to be reported: an S-box look-up stands for the first, an early end for the second. The others go by
/// what a secret becomes, in AES and in GHASH alone.
const LEAKS: [Leak; 4] = [
    ("a table indexed by a secret", |secret| look_up(secret[0])),
    ("a branch on a secret", |secret| branch(secret[0])),
    ("a branch on an encrypted secret", |secret| {
        let mut data = secret.to_vec();
        let cipher = Ecb::with_implementation(widest(|_| true), &[7; 16]).expect("16 bytes are a key");
        cipher.encrypt(&mut data).expect("32 bytes are two blocks");
        branch(data[9]);
    }),
    ("a table indexed by the tag of a secret", |secret| {
        let widest = widest(|implementation| implementation.gcm().is_some());
        let mut cipher = Gcm::with_implementation(widest, &[7; 16]).expect("16 bytes are a key");
        let tag = cipher.seal_in_place(&[1; 12], secret, &mut []);
        look_up(tag.expect("a first message")[9]);
    }),
];

fn look_up(at: u8) {
    let table: [u8; 256] = black_box(std::array::from_fn(|i| (7 * i + 99) as u8));
    black_box(table[usize::from(at)]);
}

fn branch(on: u8) {
    if on & 1 == 1 {
        black_box("odd");
    }
}

fn widest(has: impl Fn(&Implementation) -> bool) -> Implementation {
    let mut all = Implementation::all().iter().copied().rev();
    all.find(|i| i.is_available() && has(i))
        .expect("there is portable code")
}

/// Runs it on bytes that are known, then on the same bytes as secrets.
fn check(key_length: usize, run: impl Fn(&[u8], &[u8]) -> Result<Outputs, Error>) -> Result<(), String> {
    let run = |key: &[u8], data: &[u8]| run(key, data).map_err(|error| error.to_string());
    let (key, data) = (bytes(key_length), bytes(LONG));
    let other: Vec<u8> = data.iter().map(|byte| !byte).collect();
    let (known, other) = (run(&key, &data)?, run(&key, &other)?);
    if known.iter().any(|output| secret::known(output).contains(&false)) {
        return Err("what is made of known bytes counts as secret".to_owned());
    }
    for &which in secret::SECRETS {
        let (key, data) = (bytes(key_length), bytes(LONG));
        which.hide(&key, &data);
        let (outputs, reports) = reports_of(|| run(&key, &data));
        if reports > 0 {
            return Err(format!("{reports} branches or addresses depend on {which}"));
        }
        for ((output, known), other) in outputs?.iter().zip(&known).zip(&other) {
            if which.is_lost(output, known != other) {
                return Err(format!("what was made of {which} counts as known"));
            }
            secret::reveal(output);
            if output != known {
                return Err("secrets become something else than the same bytes when known".to_owned());
            }
        }
    }
    Ok(())
}

/// Bytes of no particular pattern, all of them known.
fn bytes(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i * i + 151 * i + 43) as u8).collect()
}

/// What `run` answers, and how many reports there were meanwhile, verdicts left out.
fn reports_of<T>(run: impl FnOnce() -> T) -> (T, usize) {
    let reports = || secret::reports() - modes::TOLD.load(Ordering::Relaxed);
    let before = reports();
    let answer = run();
    (answer, reports() - before)
}
