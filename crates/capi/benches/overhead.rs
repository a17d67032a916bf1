//! What a call costs more in C than in Rust: nanoseconds a message, both timed in turn, the median of all turns.
//!
//! The functions of the C library are called by their addresses, as a program calls those of a shared library.

use std::{
    ffi::{c_int, c_void},
    hint::black_box,
    ptr,
    time::Instant,
};

use ciphertune::{Cbc, Ctr, Gcm};
// The linker finds the functions in it.
use ciphertune_capi as _;

unsafe extern "C" {
    fn ciphertune_ctr_new(
        ctx: *mut *mut c_void,
        key: *const c_void,
        key_len: usize,
        iv: *const c_void,
        iv_len: usize,
    ) -> c_int;
    fn ciphertune_ctr_apply(ctx: *mut c_void, input: *const c_void, output: *mut c_void, len: usize)
    -> c_int;
    fn ciphertune_cbc_new(ctx: *mut *mut c_void, key: *const c_void, key_len: usize) -> c_int;
    fn ciphertune_cbc_decrypt(
        ctx: *const c_void,
        iv: *mut u8,
        input: *const c_void,
        output: *mut c_void,
        len: usize,
    ) -> c_int;
    fn ciphertune_gcm_new(ctx: *mut *mut c_void, key: *const c_void, key_len: usize, tag_len: usize)
    -> c_int;
    fn ciphertune_gcm_seal(
        ctx: *mut c_void,
        nonce: *const c_void,
        nonce_len: usize,
        aad: *const c_void,
        aad_len: usize,
        input: *const c_void,
        output: *mut c_void,
        len: usize,
        tag: *mut c_void,
        tag_len: usize,
    ) -> c_int;
}

const KEY: [u8; 16] = [0x2b; 16];
const NONCE: [u8; 12] = [7; 12];
const AAD: [u8; 13] = [1; 13];

fn main() {
    println!(
        "{:32} {:>8} {:>8} {:>8}",
        "AES-128, ns a message", "Rust", "C", "more"
    );
    for len in [16, 256, 1344] {
        let mut ctr = Ctr::new(&KEY, &[0; 16]).expect("a key");
        let cbc = Cbc::new(&KEY).expect("a key");
        let mut gcm = Gcm::new(&KEY).expect("a key");
        let mut contexts = [ptr::null_mut(); 3];
        let [c_ctr, c_cbc, c_gcm] = &mut contexts;
        let key = KEY.as_ptr().cast();
        // SAFETY: each pointer has as many bytes behind it as is said, here and below.
        let codes = unsafe {
            [
                ciphertune_ctr_new(c_ctr, key, 16, key, 16),
                ciphertune_cbc_new(c_cbc, key, 16),
                ciphertune_gcm_new(c_gcm, key, 16, 16),
            ]
        };
        assert_eq!(codes, [0; 3]);
        let (c_ctr, c_cbc, c_gcm) = (*c_ctr, *c_cbc, *c_gcm);
        let (mut rust, mut c) = (vec![0; len], vec![0; len]);
        let (mut iv, mut c_iv, mut tag) = ([0; 16], [0_u8; 16], [0_u8; 16]);
        let data: *mut c_void = c.as_mut_ptr().cast();

        let apply: unsafe extern "C" fn(_, _, _, _) -> _ = black_box(ciphertune_ctr_apply);
        compare(
            &format!("CTR, {len} bytes"),
            || ctr.apply(black_box(&mut rust)).expect("no end"),
            // SAFETY: as above.
            || assert_eq!(unsafe { apply(c_ctr, data, data, len) }, 0),
        );
        let decrypt: unsafe extern "C" fn(_, _, _, _, _) -> _ = black_box(ciphertune_cbc_decrypt);
        compare(
            &format!("CBC decryption, {len} bytes"),
            || cbc.decrypt(&mut iv, black_box(&mut rust)).expect("whole blocks"),
            // SAFETY: as above.
            || assert_eq!(unsafe { decrypt(c_cbc, c_iv.as_mut_ptr(), data, data, len) }, 0),
        );
        let seal: unsafe extern "C" fn(_, _, _, _, _, _, _, _, _, _) -> _ = black_box(ciphertune_gcm_seal);
        compare(
            &format!("GCM, sealing {len} bytes"),
            || {
                black_box(
                    gcm.seal_in_place(&NONCE, &AAD, black_box(&mut rust))
                        .expect("a nonce"),
                );
            },
            || {
                let (nonce, aad) = (NONCE.as_ptr().cast(), AAD.as_ptr().cast());
                // SAFETY: as above.
                let code = unsafe {
                    seal(
                        c_gcm,
                        nonce,
                        12,
                        aad,
                        13,
                        data,
                        data,
                        len,
                        tag.as_mut_ptr().cast(),
                        16,
                    )
                };
                assert_eq!(code, 0);
            },
        );
    }
}

const TURNS: usize = 301;
const CALLS: u32 = 5_000;

/// Times both in turn and prints a line.
fn compare(what: &str, mut rust: impl FnMut(), mut c: impl FnMut()) {
    let mut turns: Vec<[f64; 2]> = (0..TURNS).map(|_| [time(&mut rust), time(&mut c)]).collect();
    let mut median = |of: fn(&[f64; 2]) -> f64| {
        turns.sort_by(|a, b| of(a).total_cmp(&of(b)));
        of(&turns[TURNS / 2])
    };
    let (rust, c, more) = (median(|t| t[0]), median(|t| t[1]), median(|t| t[1] - t[0]));
    println!("{what:32} {rust:8.1} {c:8.1} {more:8.1}");
}

/// Nanoseconds a call.
fn time(call: &mut impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..CALLS {
        call();
    }
    start.elapsed().as_nanos() as f64 / f64::from(CALLS)
}
