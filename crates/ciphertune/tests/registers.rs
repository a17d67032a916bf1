//! No round key is in a vector register when a call is back, whatever the mode. Texts may be: glibc's memcpy leaves in them
//! what it copied last.
//!
//! In builds for all processors and in those for one (`-C target-cpu=native`), which take registers that others leave
//! alone: `make wiped`. This is a promise of optimised code, as in `wiped.rs`.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;
#[allow(dead_code, reason = "this needs the schedule alone")]
mod schedule;

use std::arch::asm;

use ciphertune::{Cbc, Ccm, Ctr, Gcm, GcmStream, Implementation, Ocb, Xts};

use common::available;
use schedule::schedule;

const KEY: [u8; 16] = *b"0123456789abcdeF";

/// The vector registers, as wide and as many as this processor has them.
#[inline(never)]
fn registers() -> [[u8; 64]; 32] {
    let mut found = [[0; 64]; 32];
    let place = found.as_mut_ptr();
    macro_rules! store {
        ($instruction:literal, $register:literal, $($n:literal)*) => {
            // SAFETY: each register has 64 bytes of its own, and the processor has the instruction.
            unsafe {
                asm!($(concat!($instruction, " [{place} + 64 * ", $n, "], ", $register, $n),)* place = in(reg) place)
            }
        };
    }
    if is_x86_feature_detected!("avx512f") {
        store!("vmovdqu64", "zmm", 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
    } else if is_x86_feature_detected!("avx") {
        store!("vmovdqu", "ymm", 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    } else {
        store!("movdqu", "xmm", 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    }
    found
}

type Call = fn(Implementation, &mut [u8]) -> [[u8; 64]; 32];

/// Each answers what is in the registers after one call.
const CALLS: &[(&str, Call)] = &[
    ("CTR", |implementation, data| {
        let mut ctr = Ctr::with_implementation(implementation, &KEY, &[9; 16]).unwrap();
        ctr.apply(data).unwrap();
        registers()
    }),
    ("CBC", |implementation, data| {
        let cbc = Cbc::with_implementation(implementation, &KEY).unwrap();
        cbc.decrypt(&mut [0; 16], data).unwrap();
        registers()
    }),
    ("XTS", |implementation, data| {
        let xts = Xts::with_implementation(implementation, &[KEY, [4; 16]].concat()).unwrap();
        xts.encrypt(5, data).unwrap();
        registers()
    }),
    ("CCM", |implementation, data| {
        let ccm = Ccm::with_implementation(implementation, &KEY).unwrap();
        ccm.seal_in_place(&[9; 12], b"", data).unwrap();
        registers()
    }),
    ("OCB", |implementation, data| {
        let ocb = Ocb::with_implementation(implementation, &KEY).unwrap();
        ocb.seal_in_place(&[9; 12], b"", data).unwrap();
        registers()
    }),
    ("GCM", |implementation, data| {
        let Ok(mut gcm) = Gcm::with_implementation(implementation, &KEY) else {
            return [[0; 64]; 32];
        };
        gcm.seal_in_place(&[9; 12], b"", data).unwrap();
        registers()
    }),
    ("GCM in parts", |implementation, data| {
        let Ok(gcm) = Gcm::with_implementation(implementation, &KEY) else {
            return [[0; 64]; 32];
        };
        let mut stream = GcmStream::new(gcm);
        stream.start(&[9; 12]).unwrap();
        stream.encrypt(data).unwrap();
        registers()
    }),
];

#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "run it on optimised code: cargo test --release -p ciphertune --test registers"
)]
fn registers_hold_no_key() {
    let schedule = schedule(&KEY);
    let mut left = Vec::new();
    // The portable code has no register of its own.
    let vectors = available().filter(|&i| i != Implementation::PORTABLE);
    for implementation in vectors {
        for (mode, call) in CALLS {
            for len in [16, 96, 1024, 5008] {
                let found = call(implementation, &mut vec![0; len]);
                for (number, register) in found.iter().enumerate() {
                    let is_key = |lane: &[u8]| schedule.chunks(16).any(|key| key == lane);
                    if register.chunks(16).any(is_key) {
                        let name = implementation.name();
                        left.push(format!("{name}, {mode}, {len} bytes: {number}: {register:x?}"));
                    }
                }
            }
        }
    }
    assert!(left.is_empty(), "{}", left.join("\n"));
}
