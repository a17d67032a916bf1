//! Whether time depends on key or data, by statistics: dudect (Reparaz, Balasch and Verbauwhede, "Dude, is my code
//! constant time?", DATE 2017).
//!
//! Each run takes one of two classes, drawn at random: a fixed key (or text), or a random one. Welch's t-test asks
//! whether the two classes' times differ. Above 5 they do, most likely; below, nothing was found, which is less
//! than a proof. It is for the code that valgrind cannot run, and for instructions whose own time might vary.
//!
//! `control` compares its text to the fixed one and stops where they differ: it must be found.
//!
//! Words restrict it to tests whose names contain all of them.
use std::{cell::RefCell, env, hint::black_box, io};

use ciphertune::{
    Cbc, CbcMany, Ccm, Cfb, Cfb8, Cmac, Ctr, Ecb, Feedback, Gcm, Implementation, Message, Ocb, Ofb, Xts,
};
use dudect_bencher::{
    BenchRng, Class, CtRunner,
    ctbench::{BenchFn, BenchMetadata, BenchName, BenchOpts, run_benches_console},
    rand::{Rng, RngExt},
};

/// Bytes encrypted under each key: enough for one round ahead to be made.
const PER_KEY: usize = 9216;

/// Bytes of each text: wide loops of every implementation, and a tail.
const TEXT: usize = 1037;

/// What texts are encrypted with.
const KEY: [u8; 32] = [0x5a; 32];

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
    vaes256_text(text, "vaes256");
    vaes512_key(key, "vaes512");
    vaes512_text(text, "vaes512");
    vaes512_r2_key(key, "vaes512-r2");
    vaes512_r2_text(text, "vaes512-r2");
    avx512_gcm_key(gcm_key, "avx512");
    avx512_gcm_text(gcm_text, "avx512");
    vaes256_gcm_text(gcm_text, "vaes256");
    vaes512_gcm_key(gcm_key, "vaes512");
    vaes512_gcm_text(gcm_text, "vaes512");
    vaes512_xts_text(xts_text, "vaes512");
    vaes512_ocb_text(ocb_text, "vaes512");
    vaes512_ccm_text(ccm_text, "vaes512");
    vaes512_cbc_key(cbc_key, "vaes512");
    vaes512_cbc_text(cbc_text, "vaes512");
    vaes512_cbc_many_text(cbc_many_text, "vaes512");
    vaes512_ecb_text(ecb_text, "vaes512");
    vaes512_cfb_text(cfb_text, "vaes512");
    vaes512_cfb8_text(cfb8_text, "vaes512");
    vaes512_ofb_text(ofb_text, "vaes512");
    vaes512_cmac_text(cmac_text, "vaes512");
    vaes512_cmac_many_text(cmac_many_text, "vaes512");
    avx512_xts_text(xts_text, "avx512");
    avx512_ocb_text(ocb_text, "avx512");
    avx512_ccm_text(ccm_text, "avx512");
    avx512_cbc_text(cbc_text, "avx512");
    avx512_cbc_many_text(cbc_many_text, "avx512");
    avx512_ecb_text(ecb_text, "avx512");
    avx512_cfb_text(cfb_text, "avx512");
    avx512_cfb8_text(cfb8_text, "avx512");
    avx512_ofb_text(ofb_text, "avx512");
    avx512_cmac_text(cmac_text, "avx512");
}

fn main() -> io::Result<()> {
    let words: Vec<String> = env::args().skip(1).collect();
    let is_wanted = |name: &str| name == "control" || words.iter().all(|word| name.contains(word));
    let mut tests = Vec::new();
    for &(name, implementation, benchfn) in TESTS.iter().filter(|(name, ..)| is_wanted(name)) {
        let of_gcm = name.contains("_gcm_");
        if Implementation::named(implementation)
            .is_some_and(|i| i.is_available() && (!of_gcm || i.gcm().is_some()))
        {
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

/// A mode by the implementation of that name, under a key.
macro_rules! cipher {
    ($mode:ident, $implementation:ident, $($key:expr),+) => {
        $mode::with_implementation(Implementation::named($implementation).expect("main has seen it"), $($key),+)
            .expect("main has seen that it is available")
    };
}

/// AES-256 key expansion and a message.
fn key(implementation: &str, runner: &mut CtRunner, rng: &mut BenchRng) {
    let cipher = RefCell::new(cipher!(Ctr, implementation, &KEY, &[0; 16]));
    let message = RefCell::new(vec![0; PER_KEY]);
    run(runner, rng, |key: &[u8; 32]| {
        let mut cipher = cipher.borrow_mut();
        cipher.rekey(key, &[0; 16]).expect("32 and 16 bytes");
        cipher.apply(&mut message.borrow_mut())
    });
}

/// A text under one key, which is long in use.
fn text(implementation: &str, runner: &mut CtRunner, rng: &mut BenchRng) {
    let cipher = RefCell::new(cipher!(Ctr, implementation, &KEY, &[0; 16]));
    // Two rounds ahead.
    for _ in 0..3 {
        let lead = cipher.borrow_mut().apply(&mut [0; PER_KEY]);
        lead.expect("far from the end");
    }
    let output = RefCell::new([0; TEXT]);
    run(runner, rng, |text: &[u8; TEXT]| {
        cipher.borrow_mut().apply_to(text, &mut *output.borrow_mut())
    });
}

/// AES-256-GCM with a new key, and the powers that a message needs.
fn gcm_key(implementation: &str, runner: &mut CtRunner, rng: &mut BenchRng) {
    let gcm = RefCell::new(cipher!(Gcm, implementation, &KEY));
    run(runner, rng, |key: &[u8; 32]| {
        let mut gcm = gcm.borrow_mut();
        gcm.rekey(key).expect("32 bytes");
        gcm.seal_in_place(&[0; 12], &[], &mut [0; TEXT]).map(|_| ())
    });
}

/// A message of AES-256-GCM, sealed and opened.
fn gcm_text(implementation: &str, runner: &mut CtRunner, rng: &mut BenchRng) {
    let gcm = RefCell::new(cipher!(Gcm, implementation, &KEY));
    run(runner, rng, |text: &[u8; TEXT]| {
        let (mut gcm, mut text) = (gcm.borrow_mut(), *text);
        let tag = gcm.seal_in_place(&[0; 12], &[], &mut text).expect("short");
        gcm.open_in_place(&[0; 12], &[], &mut text, &tag)
    });
}

/// A data unit of AES-256-XTS, there and back.
fn xts_text(implementation: &str, runner: &mut CtRunner, rng: &mut BenchRng) {
    let key: [u8; 64] = std::array::from_fn(|i| i as u8);
    let xts = cipher!(Xts, implementation, &key);
    run(runner, rng, |text: &[u8; TEXT]| {
        let mut text = *text;
        xts.encrypt(1, &mut text).expect("as long as it may be");
        xts.decrypt(1, &mut text)
    });
}

/// A message of AES-256-OCB, sealed and opened.
fn ocb_text(implementation: &str, runner: &mut CtRunner, rng: &mut BenchRng) {
    let ocb = cipher!(Ocb, implementation, &KEY);
    run(runner, rng, |text: &[u8; TEXT]| {
        let mut text = *text;
        let tag = ocb.seal_in_place(&[0; 12], &[], &mut text).expect("short");
        ocb.open_in_place(&[0; 12], &[], &mut text, &tag)
    });
}

/// A message of AES-256-CCM, sealed and opened.
fn ccm_text(implementation: &str, runner: &mut CtRunner, rng: &mut BenchRng) {
    let ccm = cipher!(Ccm, implementation, &KEY);
    run(runner, rng, |text: &[u8; TEXT]| {
        let mut text = *text;
        let tag = ccm.seal_in_place(&[0; 12], &[], &mut text).expect("short");
        ccm.open_in_place(&[0; 12], &[], &mut text, &tag)
    });
}

/// AES-256 key expansion for both directions, and a message back.
fn cbc_key(implementation: &str, runner: &mut CtRunner, rng: &mut BenchRng) {
    let cbc = RefCell::new(cipher!(Cbc, implementation, &KEY));
    run(runner, rng, |key: &[u8; 32]| {
        let mut cbc = cbc.borrow_mut();
        cbc.rekey(key).expect("32 bytes");
        cbc.decrypt(&mut [0; 16], &mut [0; TEXT / 16 * 16])
    });
}

/// A message of AES-256-CBC, there and back.
fn cbc_text(implementation: &str, runner: &mut CtRunner, rng: &mut BenchRng) {
    let cbc = cipher!(Cbc, implementation, &KEY);
    run(runner, rng, |text: &[u8; TEXT / 16 * 16]| {
        let mut text = *text;
        cbc.encrypt(&mut [0; 16], &mut text).expect("whole blocks");
        cbc.decrypt(&mut [0; 16], &mut text)
    });
}

/// Sixteen messages of AES-256-CBC side by side.
fn cbc_many_text(implementation: &str, runner: &mut CtRunner, rng: &mut BenchRng) {
    let cbc = cipher!(CbcMany, implementation, &KEY);
    run(runner, rng, |text: &[u8; 1024]| {
        let mut text = *text;
        let messages = text.chunks_mut(64).map(|data| Message {
            iv: [0; 16],
            data: data.into(),
        });
        cbc.encrypt(&mut messages.collect::<Vec<_>>())
    });
}

/// Blocks of AES-256, there and back.
fn ecb_text(implementation: &str, runner: &mut CtRunner, rng: &mut BenchRng) {
    let ecb = cipher!(Ecb, implementation, &KEY);
    run(runner, rng, |text: &[u8; TEXT / 16 * 16]| {
        let mut text = *text;
        ecb.encrypt(&mut text).expect("whole blocks");
        ecb.decrypt(&mut text)
    });
}

/// A message of AES-256-CFB, there and back.
fn cfb_text(implementation: &str, runner: &mut CtRunner, rng: &mut BenchRng) {
    let cfb = cipher!(Cfb, implementation, &KEY);
    run(runner, rng, |text: &[u8; TEXT]| {
        let mut text = *text;
        cfb.encrypt(&mut Feedback::new([0; 16]), &mut text);
        cfb.decrypt(&mut Feedback::new([0; 16]), &mut text);
    });
}

/// A message of AES-256-CFB-8, there and back; short, since each byte takes a block.
fn cfb8_text(implementation: &str, runner: &mut CtRunner, rng: &mut BenchRng) {
    let cfb8 = cipher!(Cfb8, implementation, &KEY);
    run(runner, rng, |text: &[u8; TEXT / 16]| {
        let mut text = *text;
        cfb8.encrypt(&mut [0; 16], &mut text);
        cfb8.decrypt(&mut [0; 16], &mut text);
    });
}

/// A message of AES-256-OFB.
fn ofb_text(implementation: &str, runner: &mut CtRunner, rng: &mut BenchRng) {
    let ofb = cipher!(Ofb, implementation, &KEY);
    run(runner, rng, |text: &[u8; TEXT]| {
        ofb.apply(&mut Feedback::new([0; 16]), &mut { *text });
    });
}

/// The tag of a message by AES-256.
fn cmac_text(implementation: &str, runner: &mut CtRunner, rng: &mut BenchRng) {
    let cmac = cipher!(Cmac, implementation, &KEY);
    run(runner, rng, |text: &[u8; TEXT]| cmac.tag(text));
}

/// The tags of sixteen messages side by side.
fn cmac_many_text(implementation: &str, runner: &mut CtRunner, rng: &mut BenchRng) {
    let cmac = cipher!(Cmac, implementation, &KEY);
    run(runner, rng, |text: &[u8; TEXT]| {
        let messages: Vec<&[u8]> = text.chunks(65).collect();
        cmac.tags(&messages, &mut [[0; 16]; TEXT.div_ceil(65)])
    });
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
        let random: Vec<bool> = (0..BATCH).map(|_| rng.random()).collect();
        let made = random.iter().map(|&random| {
            let mut input = [FIXED; N];
            if random {
                rng.fill_bytes(&mut input);
            }
            input
        });
        let inputs: Vec<[u8; N]> = made.collect();
        let mut place;
        for (input, random) in inputs.iter().zip(random) {
            place = *black_box(input);
            let class = if random { Class::Right } else { Class::Left };
            runner.run_one(class, || f(black_box(&place)));
        }
    }
}
