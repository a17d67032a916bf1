//! Whether a branch or an address depends on a key or on data, by valgrind's memcheck.
//!
//! The method is ctgrind's (Langley, 2010): key and data are marked as undefined memory. Memcheck follows what is
//! computed from them, bit by bit, and reports the first branch or address that depends on it. So nothing that is
//! run here is exempt, and nothing that is not run is covered.
//!
//! Run: every size of key, by each of [`CHECKED`]; every length up to [`EVERY_LENGTH`] bytes, in place and from
//! buffer to buffer; long messages, calls that stop within a block, seeking, another key in place of the old one,
//! and counters that carry. Key length, counter and message length are public.
//!
//! Not seen by this method:
//! - `vaes256` and `vaes512`: valgrind knows no VAES. Their modes and rounds are the source that is checked here
//!   as `aesni`, generic over the vector; what is left to `make prove` are the vectors themselves.
//! - Instructions whose own time depends on their operands. The kernels use none on secrets.
//!
//! The check must find what is there to be found: a look-up and a branch that depend on the key come first, and
//! without a report of both nothing else is believed.
use std::{hint::black_box, process::ExitCode};

use ciphertune::{Ctr, Error, Implementation};
use crabgrind::{
    memcheck::{MemState, Memcheck},
    valgrind,
};

/// What runs under valgrind. The table of first-round outputs in `-r1` is indexed by the counter, which is
/// public.
const CHECKED: [&str; 6] = ["portable", "sse2", "ssse3", "avx2", "aesni", "aesni-r1"];

/// Bytes of a key of AES-128, AES-192 and AES-256.
const KEY_LENGTHS: [usize; 3] = [16, 24, 32];

/// Past two wide loops of `aesni` (128 bytes) and every tail of the others (512 at most, by steps of 64).
const EVERY_LENGTH: usize = 272;

/// Bytes after which every implementation does what it does only in long messages, and a tail.
const LONG: usize = 3 * 4096 + 77;

/// First counter blocks: any, and three that carry soon, out of 8, 32 and 128 bits.
const IVS: [u128; 4] = [
    0x243f_6a88_85a3_08d3_1319_8a2e_0370_7344,
    0xf5,
    0xffff_fff0,
    u128::MAX - 9,
];

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
    for name in CHECKED {
        let Some(implementation) = Implementation::named(name).filter(|i| i.is_available()) else {
            println!(
                "constant-time: {name}: skipped: this processor, as valgrind shows it, lacks what it needs"
            );
            continue;
        };
        for key_length in KEY_LENGTHS {
            let verdict = check(implementation, key_length);
            checked += 1;
            passed += usize::from(verdict.is_ok());
            let verdict = match verdict {
                Ok(()) => "no branch and no address depends on key or data".to_owned(),
                Err(why) => format!("FAILED: {why}"),
            };
            println!("constant-time: {name}, AES-{}-CTR: {verdict}", 8 * key_length);
        }
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

fn check(implementation: Implementation, key_length: usize) -> Result<(), String> {
    let (key, data) = (bytes(key_length), bytes(LONG));
    let known = encrypted(implementation, &key, &data).map_err(|error| error.to_string())?;

    mark(&key, MemState::Undefined);
    mark(&data, MemState::Undefined);
    let (secret, reports) = reports_of(|| encrypted(implementation, &key, &data));
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

/// Everything that a cipher can be asked for; what it encrypted to, all in a row.
fn encrypted(implementation: Implementation, key: &[u8], data: &[u8]) -> Result<Vec<u8>, Error> {
    let mut all = Vec::new();
    for iv in IVS {
        let iv = iv.to_be_bytes();
        let mut cipher = Ctr::with_implementation(implementation, key, &iv)?;
        for length in 0..=EVERY_LENGTH {
            // From a block's start, then from wherever that ended.
            cipher.rekey(key, &iv)?;
            in_place(&mut cipher, &data[..length], &mut all)?;
            apart(&mut cipher, &data[..length], &mut all)?;
        }
        // Long enough for what `-r1` makes once a key has encrypted a while; then short calls with it.
        in_place(&mut cipher, data, &mut all)?;
        for length in 0..=EVERY_LENGTH {
            in_place(&mut cipher, &data[..length], &mut all)?;
        }
        for position in [0, 1, 15, 16, 4095, 1 << 40] {
            cipher.seek(position);
            apart(&mut cipher, data, &mut all)?;
        }
    }
    Ok(all)
}

fn in_place(cipher: &mut Ctr, data: &[u8], all: &mut Vec<u8>) -> Result<(), Error> {
    let start = all.len();
    all.extend_from_slice(data);
    cipher.apply(&mut all[start..])
}

fn apart(cipher: &mut Ctr, data: &[u8], all: &mut Vec<u8>) -> Result<(), Error> {
    let start = all.len();
    all.resize(start + data.len(), 0);
    cipher.apply_to(data, &mut all[start..])
}

/// Bytes of no particular pattern, all of them known.
fn bytes(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i * i + 151 * i + 43) as u8).collect()
}

fn mark(bytes: &[u8], state: MemState) {
    bytes.mark(state).expect("under valgrind");
}

/// What `run` answers, and how many times memcheck reported something meanwhile.
fn reports_of<T>(run: impl FnOnce() -> T) -> (T, usize) {
    let before = valgrind::count_errors();
    let answer = run();
    (answer, valgrind::count_errors() - before)
}
