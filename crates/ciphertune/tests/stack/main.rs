//! Nothing that comes of a key stays on the stack when a call is back, whatever the mode: no round key, state, keystream,
//! hash or subkey, known to this test or not.
//!
//! Each call is made three times from the same place, on a stack painted before, by three contexts: two of one key, and one
//! of another. Where the first two stacks are alike and the third differs lies what depends on the key. What the caller gets
//! anyway may be there: ciphertext, plaintext, tags. `wiped.rs` looks for what it knows in all memory; this looks for
//! anything in the stack alone.
//!
//! In builds for all processors and in those for one (`-C target-cpu=native`), which have other frames: `make wiped
//! wiped-native`. This is a promise of optimised code, as in `wiped.rs`.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod blocks;
mod ccm_ocb;
mod cmac;
#[path = "../common/mod.rs"]
mod common;
mod counter;
mod gcm;
mod painted;

use std::hint::black_box;

use common::available;
use painted::Found;

const LENGTHS: [usize; 18] = [
    0, 1, 16, 33, 64, 100, 120, 200, 257, 500, 512, 535, 777, 1350, 4096, 6000, 12_365, 40_000,
];

/// For what takes the same ways as a call that is made with all of them.
const SOME_LENGTHS: [usize; 8] = [0, 1, 16, 33, 100, 257, 777, 6000];

#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "run it on optimised code: cargo test --release -p ciphertune --test stack"
)]
fn nothing_of_a_key_stays_on_the_stack() {
    let mut planted = Found {
        key_len: 16,
        ..Found::default()
    };
    planted.look("planted", &[0], <[u8]>::to_vec, |key, _, _| leave(key));
    assert_eq!(planted.cases.len(), 1, "what is left is not found");

    let mut found = Found::default();
    for implementation in available() {
        found.by = implementation.name();
        for key_len in [16, 24, 32] {
            found.key_len = key_len;
            counter::look(&mut found, implementation);
            // With the first rounds ahead, counter mode alone is another.
            if !found.by.ends_with("-r2") {
                blocks::look(&mut found, implementation);
                cmac::look(&mut found, implementation);
                ccm_ocb::look(&mut found, implementation);
            }
            if implementation.gcm().is_some() {
                gcm::look(&mut found, implementation);
            }
        }
    }
    found.by = "portable";
    for key_len in [16, 32] {
        found.key_len = key_len;
        blocks::look_at_rijndael(&mut found);
    }
    let cases = found.cases;
    assert!(cases.is_empty(), "{} cases:\n{}", cases.len(), cases.join("\n"));
}

/// Leaves what comes of a key on the stack.
#[inline(never)]
fn leave(key: &[u8]) {
    let mut left = [0; 16];
    left.iter_mut()
        .zip(key)
        .for_each(|(left, byte)| *left = byte ^ 0x5a);
    black_box(&left);
}

/// Makes a context of a key.
macro_rules! keyed {
    ($type:ident, $implementation:expr) => {
        |key: &[u8]| $type::with_implementation($implementation, key).unwrap()
    };
}

/// A context is made, takes a new key, is cloned and dropped.
macro_rules! contexts {
    ($found:expr, $implementation:expr; $($type:ident)*) => {$(
        let (make, name) = (keyed!($type, $implementation), stringify!($type));
        let key = |key: &[u8]| (key.to_vec(), None);
        $found.look(format!("{name}, made"), &[0], key, |(key, place), _, _| *place = Some(make(key)));
        let other = |key: &[u8]| (key.to_vec(), make(&[9; 16]));
        $found.look(format!("{name}, key"), &[0], other, |(key, cipher), _, _| cipher.rekey(key).unwrap());
        let one = |key: &[u8]| (make(key), None);
        $found.look(format!("{name}, cloned"), &[0], one, |(one, place), _, _| *place = Some(one.clone()));
        $found.look(format!("{name}, dropped"), &[0], |key| Some(make(key)), |one, _, _| *one = None);
    )*};
}

use {contexts, keyed};
