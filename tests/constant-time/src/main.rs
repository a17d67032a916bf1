//! Whether a branch or an address depends on a key or on data, by valgrind's memcheck.
//!
//! The method is ctgrind's (Langley, 2010): key and data are marked as undefined memory. Memcheck follows what is
//! computed from them, bit by bit, and reports the first branch or address that depends on it. So nothing that is
//! run here is exempt, and nothing that is not run is covered.
//!
//! Run: every size of key, by each of [`CHECKED`]; every mode, in both directions, in place and from buffer to buffer,
//! whole and in parts: [`modes`]. Key length, IV, nonce and the lengths of messages are public.
//!
//! What the caller is told is not secret: whether a tag is the right one, and whether the two keys of XTS are the same.
//! Up to two branches on each such verdict are left out ([`modes::told`]); on all else there must be none.
//!
//! Not seen by this method:
//! - `vaes256` and `vaes512`: valgrind knows no VAES. Their modes and rounds are the source that is checked here
//!   as `aesni`, generic over the vector; what is left to `make prove` are the vectors themselves.
//! - Instructions whose own time depends on their operands. The kernels use none on secrets.
//!
//! The check must find what is there to be found: a look-up and a branch that depend on the key come first, and
//! without a report of both nothing else is believed.
mod modes;

use std::{hint::black_box, process::ExitCode, sync::atomic::Ordering};

use ciphertune::{Error, Implementation};
use crabgrind::{
    memcheck::{MemState, Memcheck},
    valgrind,
};

/// What runs under valgrind. The table of first-round outputs in `-r1` is indexed by the counter, which is
/// public.
const CHECKED: [&str; 6] = ["portable", "sse2", "ssse3", "avx2", "aesni", "aesni-r1"];

/// Bytes of a key of AES-128, AES-192 and AES-256.
const KEY_LENGTHS: [usize; 3] = [16, 24, 32];

/// Bytes after which every implementation does what it does only in long messages, and a tail.
const LONG: usize = 3 * 4096 + 77;

fn main() -> ExitCode {
    if valgrind::running_mode().is_native() {
        eprintln!("constant-time: this runs under valgrind: `make constant-time`");
        return ExitCode::FAILURE;
    }
    for (what, leak) in LEAKS {
        let key = bytes(16);
        mark(&key, MemState::Undefined);
        if reports_of(|| leak(&key)).1 == 0 {
            println!("constant-time: FAILED: {what} was not found, so this check finds nothing");
            return ExitCode::FAILURE;
        }
        println!("constant-time: {what}: found, as it must be");
    }

    let (mut checked, mut passed) = (0, 0);
    let mut report = |what: &str, verdict: Result<(), String>| {
        checked += 1;
        passed += usize::from(verdict.is_ok());
        let verdict = match verdict {
            Ok(()) => "no branch and no address depends on key or data".to_owned(),
            Err(why) => format!("FAILED: {why}"),
        };
        println!("constant-time: {what}: {verdict}");
    };
    for name in CHECKED {
        let Some(implementation) = Implementation::named(name).filter(|i| i.is_available()) else {
            println!(
                "constant-time: {name}: skipped: this processor, as valgrind shows it, lacks what it needs"
            );
            continue;
        };
        for (mode, run) in modes::MODES {
            if mode == "GCM" && implementation.gcm().is_none() {
                println!("constant-time: {name}: skipped: it has no GCM");
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
    println!("constant-time: {passed} of {checked} passed");
    if checked > 0 && passed == checked {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Leaks that memcheck has to report: an S-box look-up stands for the first, an early end for the second.
const LEAKS: [(&str, fn(&[u8])); 2] = [
    ("a table indexed by a key", |key| {
        let table: [u8; 256] = black_box(std::array::from_fn(|i| (7 * i + 99) as u8));
        black_box(table[usize::from(key[0])]);
    }),
    ("a branch on a key", |key| {
        if key[0] & 1 == 1 {
            black_box(key);
        }
    }),
];

/// Runs it on bytes that are known, then on the same bytes as secrets.
fn check(key_length: usize, run: impl Fn(&[u8], &[u8]) -> Result<Vec<u8>, Error>) -> Result<(), String> {
    let (key, data) = (bytes(key_length), bytes(LONG));
    let known = run(&key, &data).map_err(|error| error.to_string())?;

    mark(&key, MemState::Undefined);
    mark(&data, MemState::Undefined);
    let (secret, reports) = reports_of(|| run(&key, &data));
    if reports > 0 {
        return Err(format!("{reports} branches or addresses depend on key or data"));
    }
    let secret = secret.map_err(|error| error.to_string())?;
    let mut undefined = vec![0; secret.len()];
    secret.vbits(&mut undefined).expect("under valgrind");
    if undefined.contains(&0) {
        return Err(
            "memcheck lost sight of the secrets: what they were encrypted to counts as known".to_owned(),
        );
    }
    mark(&secret, MemState::Defined);
    if secret != known {
        return Err("secrets are encrypted to something else than the same bytes when known".to_owned());
    }
    Ok(())
}

/// Bytes of no particular pattern, all of them known.
fn bytes(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i * i + 151 * i + 43) as u8).collect()
}

fn mark(bytes: &[u8], state: MemState) {
    bytes.mark(state).expect("under valgrind");
}

/// What `run` answers, and how many times memcheck reported something meanwhile, verdicts left out.
fn reports_of<T>(run: impl FnOnce() -> T) -> (T, usize) {
    let reports = || valgrind::count_errors() - modes::TOLD.load(Ordering::Relaxed);
    let before = reports();
    let answer = run();
    (answer, reports() - before)
}
