//! Nothing of a key is left in this process's memory once its context is dropped, whatever the mode.
//!
//! All writable memory is searched, heap, stacks and all, for round keys in all layouts, for states between rounds, for the
//! first rounds ahead, and for what modes make of their keys: subkeys, tweaks, keystream. It is copied first. Only then is
//! computed what to look for, so that the copy holds nothing but what the library left. That the search finds keys is shown on
//! contexts that are still alive.
//!
//! This is a promise of optimised code. Where debug assertions are on, the standard library's vector loads go
//! through the stack and leave there what they loaded.
#![cfg(target_os = "linux")]

mod common;
#[path = "common/processors.rs"]
mod processors;
mod schedule;

use std::{
    any::Any,
    array,
    collections::{BTreeMap, HashMap},
    fs::File,
    hint::black_box,
    io::{self, Read},
    iter,
    os::unix::fs::FileExt,
    thread,
};

use aes::{
    Aes128, Aes256,
    cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit},
};
use ciphertune::{
    Cbc, CbcMany, Ccm, CcmStream, Cfb, Cfb8, Cmac, CmacStream, Ctr, Ecb, Feedback, Gcm, GcmStream,
    Implementation, Message, Ocb, OcbStream, Ofb, Rijndael192, Rijndael256, Threads, Xts,
};

use common::{Random, available};
use processors::threads;
use schedule::{digits, digits_back, inner_inverse, mixed, permuted, product, schedule, substituted, turned};

// One test, so that no other thread holds keys meanwhile.
#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "run it on optimised code: cargo test --release -p ciphertune --test wiped"
)]
fn keys_are_wiped_on_drop() {
    let mut memory = Memory::new();
    let threads_before = threads();
    // A key for each case alone: what is computed from it to look for stays in memory.
    let mut seeds = 1..;
    let mut left = Vec::new();
    for &implementation in Implementation::all() {
        if !implementation.is_available() {
            eprintln!("skipped: {}: this processor cannot run it", implementation.name());
            continue;
        }
        // Work overwrites on the stack what making a context left there, so that there is a context without.
        for (length, works) in [
            (16, false),
            (16, true),
            (24, false),
            (24, true),
            (32, false),
            (32, true),
        ] {
            let case = format!("{}, AES-{}, works: {works}", implementation.name(), 8 * length);

            let seed = seeds.next().unwrap();
            let cipher = deep_down(|| context(implementation, length, seed, works));
            memory.copy();
            drop(cipher);
            // Its first key is gone while it lives.
            let mut found = Traces::of(&key(length, !seed)).found_in(&memory);
            found.remove(FIRST_ROUND);
            left.extend(described(&format!("{case}, its first key"), found));
            let found = Traces::of(&key(length, seed)).found_in(&memory);
            for expected in expected(implementation, works) {
                assert!(
                    found.contains_key(expected),
                    "{case}: no {expected} of a living context in {found:#?}"
                );
            }

            let seed = seeds.next().unwrap();
            drop(deep_down(|| context(implementation, length, seed, works)));
            // Threads of a context that is gone wipe what they have when they are done with their chunk.
            while threads() > threads_before {
                thread::yield_now();
            }
            memory.copy();
            let found = Traces::of(&key(length, seed)).found_in(&memory);
            left.extend(described(&case, found));
        }
    }
    for implementation in available() {
        for (name, make) in OTHERS {
            for length in [16, 32] {
                let case = format!("{}, AES-{}, {name}", implementation.name(), 8 * length);
                for alive in [true, false] {
                    let seed = seeds.next().unwrap();
                    let Some(cipher) = deep_down(|| made(*make, implementation, length, seed)) else {
                        continue;
                    };
                    let kept = alive.then_some(cipher);
                    memory.copy();
                    drop(kept);
                    let mut traces = Traces::of(&key(length, seed));
                    let derived = derived(name);
                    traces.add(derived.what, (derived.blocks)(&key(length, seed)));
                    let mut found = traces.found_in(&memory);
                    found.remove(FIRST_ROUND);
                    if alive {
                        assert!(!found.is_empty(), "{case}: no key of a living context");
                        if *name == "CBC" {
                            for expected in expected_of_both_directions(implementation) {
                                assert!(
                                    found.contains_key(expected),
                                    "{case}: no {expected} of a living context"
                                );
                            }
                        }
                        // The powers as kernels with AES instructions have them.
                        let is_kept = derived.is_kept
                            || name.starts_with("GCM") && expected(implementation, false) == [ROUND_KEY];
                        assert!(
                            !is_kept || found.contains_key(derived.what),
                            "{case}: no {} of a living context",
                            derived.what
                        );
                    } else {
                        left.extend(described(&case, found));
                    }
                }
            }
        }
    }
    for implementation in available() {
        for (name, begun) in STREAMS {
            for end in [None, Some("rekeyed"), Some("dropped")] {
                let case = format!("{}, {name}, {}", implementation.name(), end.unwrap_or("alive"));
                // The next key is a shorter one: it does not take all places of the first.
                let (seed, next) = (seeds.next().unwrap(), key(16, seeds.next().unwrap()));
                let next = (end == Some("rekeyed")).then_some(next);
                let begin: &dyn Fn(Implementation, &[u8]) -> _ =
                    &|implementation, key| begun(implementation, key, next.as_deref());
                let Some(stream) = deep_down(|| made(begin, implementation, 32, seed)) else {
                    continue;
                };
                let kept = (end != Some("dropped")).then_some(stream);
                memory.copy();
                drop(kept);
                let mut traces = Traces::of(&key(32, seed));
                traces.add(OF_A_MESSAGE, of_a_message(&key(32, seed)));
                let mut found = traces.found_in(&memory);
                found.remove(FIRST_ROUND);
                if end.is_some() {
                    left.extend(described(&case, found));
                } else {
                    assert!(found.contains_key(OF_A_MESSAGE), "{case}: no {OF_A_MESSAGE}");
                }
            }
        }
    }
    assert!(
        left.is_empty(),
        "in memory after the context was dropped, or took another key: {}",
        left.join("\n")
    );
}

/// What was found of a case, a line for each kind.
fn described(case: &str, found: BTreeMap<&'static str, Vec<String>>) -> impl Iterator<Item = String> {
    found
        .into_iter()
        .map(move |(what, places)| format!("{case}: {what}: {places:#?}"))
}

/// What a living context must be seen to hold.
fn expected(implementation: Implementation, works: bool) -> Vec<&'static str> {
    match implementation.name() {
        "portable" => [vec![SLICED], of_permuting()].concat(),
        "sse2" | "ssse3" | "avx2" | "avx512" | "neon" | "ssse3-vp" | "avx2-vp" | "neon-vp" => {
            [vec![SLICED, SLICED_BYTES], of_permuting()].concat()
        }
        name if works && name.ends_with("-r2") => vec![ROUND_KEY, FIRST_ROUND, SECOND_ROUND],
        _ => vec![ROUND_KEY],
    }
}

/// The same where it decrypts as well: AES instructions have keys of their own for that, others have all in one.
fn expected_of_both_directions(implementation: Implementation) -> Vec<&'static str> {
    let mut expected = expected(implementation, false);
    if expected.contains(&ROUND_KEY) {
        expected.push(INVERSE_KEY);
    }
    expected
}

/// What comes with every bitsliced key where the processor can permute vectors.
fn of_permuting() -> Vec<&'static str> {
    if available().any(|i| i.name().ends_with("-vp")) {
        vec![PERMUTED, PERMUTED_INVERSE]
    } else {
        Vec::new()
    }
}

/// A context whose key is its second one. If it `works`, it has done whatever spills or keeps secrets: every kind
/// of tail, spare keystream, the first two rounds made ahead, these by its first key too; and it has a clone, for whose IV
/// there is one of those.
#[inline(never)]
fn context(implementation: Implementation, length: usize, seed: u64, works: bool) -> (Ctr, Option<Ctr>) {
    let mut bytes = key(length, !seed);
    let mut cipher = Ctr::with_implementation(implementation, &bytes, &[0; 16]).unwrap();
    if works {
        cipher.apply(&mut vec![0; 100_005]).unwrap();
    }
    for (byte, new) in bytes.iter_mut().zip(key_bytes(seed)) {
        *byte = new;
    }
    cipher.rekey(&bytes, &[0; 16]).unwrap();
    // The key itself is in the hands of whoever made it.
    bytes.fill(0);
    black_box(&bytes);

    if works {
        let mut data = vec![0; 3 * 4096 + 77];
        let long = data.len();
        for length in (0..1100).step_by(7).chain([long, 1, 16, 333]) {
            cipher.apply(&mut data[..length]).unwrap();
        }
        cipher.seek(5);
        let mut data = vec![0; 100_000];
        cipher.set_threads(Threads::new(2).stream_after(0).bulk_from(usize::MAX));
        for _ in 0..20 {
            cipher.apply(&mut data).unwrap();
        }
    }
    let clone = works.then(|| {
        let mut clone = cipher.clone();
        clone.restart(&[5; 16]).unwrap();
        clone.apply(&mut [0; 1000]).unwrap();
        clone
    });
    (cipher, clone)
}

/// Makes a cipher of a key and has it do whatever spills or keeps secrets; `None` where the implementation has none.
type Make = fn(Implementation, &[u8]) -> Option<Box<dyn Any>>;

/// The modes other than counter mode, and calls with which threads help that then sleep and are still there.
const OTHERS: &[(&str, Make)] = &[
    ("CTR, split calls", |implementation, key| {
        let mut ctr = Ctr::with_implementation(implementation, key, &[3; 16]).ok()?;
        ctr.set_threads(Threads::new(2).bulk_from(0));
        (0..3).for_each(|_| ctr.apply(&mut vec![0; 2_000_000]).unwrap());
        Some(Box::new(ctr))
    }),
    ("CTR, seek", |implementation, key| {
        let mut ctr = Ctr::with_implementation(implementation, key, &[0; 16]).ok()?;
        ctr.seek(7 * 16 + 15);
        Some(Box::new(ctr))
    }),
    ("CTR, one call", |implementation, key| {
        let mut ctr = Ctr::with_implementation(implementation, key, &[0; 16]).ok()?;
        deep_down(|| ctr.apply(&mut vec![0; 16 * COUNTERS])).unwrap();
        Some(Box::new(ctr))
    }),
    ("GCM", |implementation, key| {
        let mut gcm = Gcm::with_implementation(implementation, key).ok()?;
        // So much used that two rounds are made ahead.
        for _ in 0..2 {
            gcm.seal_in_place(&[1; 12], b"", &mut vec![0; 70_000]).unwrap();
        }
        let mut data = vec![0; LONG];
        for len in LENGTHS {
            let tag = gcm.seal_in_place(&[1; 12], b"aad", &mut data[..len]).unwrap();
            gcm.open_in_place(&[1; 12], b"aad", &mut data[..len], &tag)
                .unwrap();
        }
        let mut stream = GcmStream::new(gcm.clone());
        stream.start(&[2; 9]).unwrap();
        stream.aad(b"aad").unwrap();
        for len in LENGTHS {
            stream.encrypt(&mut data[..len]).unwrap();
        }
        let clone = stream.clone();
        stream.finish().unwrap();
        Some(Box::new((gcm, stream, clone)))
    }),
    // Of a key that has had nothing to do, each kind of call by itself.
    ("GCM, first of all 16 bytes", gcm_first::<13, 16>),
    ("GCM, first of all 33 bytes", gcm_first::<0, 33>),
    ("GCM, first of all 100 bytes", gcm_first::<13, 100>),
    ("GCM, first of all 300 bytes", gcm_first::<0, 300>),
    ("GCM, first of all 1350 bytes", gcm_first::<40, 1350>),
    ("GCM, 100 bytes opened", gcm_opened::<13, 100>),
    ("GCM, 300 bytes opened", gcm_opened::<0, 300>),
    ("GCM, 1350 bytes opened", gcm_opened::<40, 1350>),
    ("GCM, 70000 bytes opened", gcm_opened::<0, 70_000>),
    ("GCM, first of all additional data", gcm_stream_first::<48, 0>),
    ("GCM, first of all a part of 48 bytes", gcm_stream_first::<0, 48>),
    ("GCM, first of all a part of 80 bytes", gcm_stream_first::<0, 80>),
    (
        "GCM, first of all a part of 300 bytes",
        gcm_stream_first::<0, 300>,
    ),
    (
        "GCM, first of all a part of 1350 bytes",
        gcm_stream_first::<0, 1350>,
    ),
    ("GCM, a part of 1350 bytes decrypted", gcm_stream_decrypts::<1350>),
    ("CCM", |implementation, key| {
        let ccm = Ccm::with_implementation(implementation, key).unwrap();
        let mut data = vec![0xa5; LONG];
        for len in LENGTHS {
            let tag = ccm.seal_in_place(&[1; 12], b"aad", &mut data[..len]).unwrap();
            ccm.open_in_place(&[1; 12], b"aad", &mut data[..len], &tag)
                .unwrap();
        }
        let mut stream = CcmStream::new(ccm.clone());
        stream.start(&[2; 12], 3, LONG as u64 + 20).unwrap();
        stream.aad(b"aad").unwrap();
        for len in [1, 500, 3000, 20] {
            stream.encrypt(&mut data[..len]).unwrap();
        }
        Some(Box::new((ccm, stream)))
    }),
    // What comes last is what nothing else has been put over.
    ("CCM, a message", |implementation, key| {
        let ccm = Ccm::with_implementation(implementation, key).unwrap();
        let mut data = [0xa5; 549];
        deep_down(|| ccm.seal_in_place(&[1; 12], b"aad", &mut data)).unwrap();
        Some(Box::new(ccm))
    }),
    ("OCB, a message", |implementation, key| {
        let ocb = Ocb::with_implementation(implementation, key).unwrap();
        let mut data = [0xa5; 549];
        deep_down(|| ocb.seal_in_place(&[1; 12], b"aad", &mut data)).unwrap();
        Some(Box::new(ocb))
    }),
    ("OCB", |implementation, key| {
        let ocb = Ocb::with_implementation(implementation, key).unwrap();
        let mut data = vec![0xa5; LONG];
        for len in LENGTHS {
            let tag = ocb.seal_in_place(&[1; 12], b"aad", &mut data[..len]).unwrap();
            ocb.open_in_place(&[1; 12], b"aad", &mut data[..len], &tag)
                .unwrap();
        }
        let mut stream = OcbStream::new(ocb.clone());
        stream.start(&[2; 12]).unwrap();
        stream.aad(b"aad").unwrap();
        for len in [16, 512, 3008, 20] {
            stream.encrypt(&mut data[..len]).unwrap();
        }
        let clone = stream.clone();
        stream.finish().unwrap();
        Some(Box::new((ocb, stream, clone)))
    }),
    ("XTS", |implementation, key| {
        let xts = xts(implementation, key);
        let mut data = vec![0xa5; LONG];
        for len in LENGTHS.into_iter().filter(|&len| len >= 16) {
            xts.encrypt(1, &mut data[..len]).unwrap();
            xts.decrypt(1, &mut data[..len]).unwrap();
        }
        Some(Box::new((xts.clone(), xts)))
    }),
    ("CBC", |implementation, key| {
        let cbc = Cbc::with_implementation(implementation, key).unwrap();
        let many = CbcMany::with_implementation(implementation, key).unwrap();
        let mut data = vec![0; LONG];
        for len in LENGTHS.map(|len| len / 16 * 16) {
            cbc.encrypt(&mut [1; 16], &mut data[..len]).unwrap();
            let mut messages: Vec<_> = (data[..len].chunks_mut(48.max(len / 48 * 16)))
                .map(|data| Message {
                    iv: [1; 16],
                    data: data.into(),
                })
                .collect();
            many.encrypt(&mut messages).unwrap();
            let other = &many.clone();
            let messages = messages.into_iter().enumerate();
            let messages = messages.map(|(i, message)| (if i % 2 == 0 { &many } else { other }, message));
            CbcMany::encrypt_each(&mut messages.collect::<Vec<_>>()).unwrap();
            cbc.decrypt(&mut [1; 16], &mut data[..len]).unwrap();
        }
        let mut text = text();
        deep_down(|| cbc.decrypt(&mut [1; 16], &mut text)).unwrap();
        Some(Box::new((cbc.clone(), cbc, many)))
    }),
    ("CBC, a chain", |implementation, key| {
        let cbc = Cbc::with_implementation(implementation, key).unwrap();
        let mut iv = TEXT[0];
        deep_down(|| cbc.encrypt(&mut iv, &mut [0; 16 * CHAINED])).unwrap();
        Some(Box::new(cbc))
    }),
    ("ECB", |implementation, key| {
        ecb(implementation, key, Ecb::decrypt, Ecb::encrypt)
    }),
    ("ECB backwards", |implementation, key| {
        ecb(implementation, key, Ecb::encrypt, Ecb::decrypt)
    }),
    ("CFB, CFB-8, OFB", |implementation, key| {
        let cfb = Cfb::with_implementation(implementation, key).unwrap();
        let cfb8 = Cfb8::with_implementation(implementation, key).unwrap();
        let ofb = Ofb::with_implementation(implementation, key).unwrap();
        let mut data = vec![0; LONG];
        let (mut of_cfb, mut of_ofb) = (Feedback::new([1; 16]), Feedback::new([2; 16]));
        for len in LENGTHS {
            cfb.encrypt(&mut of_cfb, &mut data[..len]);
            cfb.decrypt(&mut of_cfb, &mut data[..len]);
            ofb.apply(&mut of_ofb, &mut data[..len]);
            cfb8.decrypt(&mut [1; 16], &mut data[..len]);
        }
        // In the blocks' places, whatever was left over.
        of_cfb = Feedback::new(TEXT[3]);
        let mut text = text();
        deep_down(|| cfb.decrypt(&mut of_cfb, &mut text));
        Some(Box::new((cfb, cfb8, of_cfb, ofb, of_ofb)))
    }),
    ("CFB-8", |implementation, key| {
        let cfb8 = Cfb8::with_implementation(implementation, key).unwrap();
        for len in [5, 40, 100] {
            cfb8.decrypt(&mut [7; 16], &mut vec![0; len]);
        }
        Some(Box::new(cfb8))
    }),
    ("CMAC", |implementation, key| {
        let cmac = Cmac::with_implementation(implementation, key).unwrap();
        let data = vec![0xa5; LONG];
        let mut stream = CmacStream::new(cmac.clone());
        for len in LENGTHS {
            black_box(cmac.tag(&data[..len]));
            stream.update(&data[..len]);
        }
        let other = cmac.clone();
        let messages = LENGTHS.map(|len| (if len % 2 == 0 { &cmac } else { &other }, &data[..len]));
        Cmac::tags_each(&messages, &mut [[0; 16]; LENGTHS.len()]).unwrap();
        Some(Box::new((cmac, other, stream.clone(), stream)))
    }),
    ("Rijndael", |implementation, key| {
        if implementation != Implementation::PORTABLE {
            return None;
        }
        let (of_24, of_32) = (Rijndael192::new(key).unwrap(), Rijndael256::new(key).unwrap());
        let mut data = vec![0; 24 * 32];
        for len in [0, 96, 480, 768] {
            let data = &mut data[..len];
            of_24.cbc_encrypt(&mut [1; 24], data).unwrap();
            of_32.cbc_decrypt(&mut [1; 32], data).unwrap();
            of_24.ecb_decrypt(data).unwrap();
            of_32.cfb_encrypt(&mut [1; 32], 8, data).unwrap();
        }
        Some(Box::new((of_24.clone(), of_24, of_32)))
    }),
];

fn gcm_first<const AAD: usize, const LEN: usize>(
    implementation: Implementation,
    key: &[u8],
) -> Option<Box<dyn Any>> {
    let mut gcm = Gcm::with_implementation(implementation, key).ok()?;
    deep_down(|| gcm.seal_in_place(&[1; 12], &[0xa5; AAD], &mut [0; LEN])).unwrap();
    Some(Box::new(gcm))
}

/// By a key that has sealed the same.
fn gcm_opened<const AAD: usize, const LEN: usize>(
    implementation: Implementation,
    key: &[u8],
) -> Option<Box<dyn Any>> {
    let mut gcm = Gcm::with_implementation(implementation, key).ok()?;
    let mut data = vec![0; LEN];
    let tag = gcm.seal_in_place(&[1; 12], &[0xa5; AAD], &mut data).unwrap();
    deep_down(|| gcm.open_in_place(&[1; 12], &[0xa5; AAD], &mut data, &tag)).unwrap();
    Some(Box::new(gcm))
}

fn gcm_stream_decrypts<const LEN: usize>(implementation: Implementation, key: &[u8]) -> Option<Box<dyn Any>> {
    let mut stream = GcmStream::new(Gcm::with_implementation(implementation, key).ok()?);
    stream.start(&[1; 12]).unwrap();
    deep_down(|| stream.decrypt_unverified(&mut [0; LEN])).unwrap();
    Some(Box::new(stream))
}

fn gcm_stream_first<const AAD: usize, const LEN: usize>(
    implementation: Implementation,
    key: &[u8],
) -> Option<Box<dyn Any>> {
    let mut stream = GcmStream::new(Gcm::with_implementation(implementation, key).ok()?);
    stream.start(&[1; 12]).unwrap();
    if AAD > 0 {
        deep_down(|| stream.aad(&[0xa5; AAD])).unwrap();
    } else {
        deep_down(|| stream.encrypt(&mut [0; LEN])).unwrap();
    }
    Some(Box::new(stream))
}

/// Takes all lengths through the one direction, and the [`text`] through the other.
fn ecb(
    implementation: Implementation,
    key: &[u8],
    first: fn(&Ecb, &mut [u8]) -> Result<(), ciphertune::Error>,
    last: fn(&Ecb, &mut [u8]) -> Result<(), ciphertune::Error>,
) -> Option<Box<dyn Any>> {
    let ecb = Ecb::with_implementation(implementation, key).unwrap();
    for len in LENGTHS.map(|len| len / 16 * 16) {
        first(&ecb, &mut vec![0; len]).unwrap();
    }
    let mut text = text();
    deep_down(|| last(&ecb, &mut text)).unwrap();
    Some(Box::new(ecb))
}

/// Begins a message with a key and, where there is a next one, takes that before the message has ended; `None` where it cannot.
type Begin = fn(Implementation, &[u8], Option<&[u8]>) -> Option<Box<dyn Any>>;

/// Whatever keeps something of a message between its parts.
const STREAMS: &[(&str, Begin)] = &[
    ("CTR", |implementation, key, next| {
        let mut ctr = Ctr::with_implementation(implementation, key, &counter_block(0)).ok()?;
        ctr.apply(&mut [0xa5; 5]).unwrap();
        if let Some(next) = next {
            ctr.rekey(next, &[1; 16]).unwrap();
        }
        Some(Box::new(ctr))
    }),
    ("GCM", |implementation, key, next| {
        let mut stream = gcm_in_parts(implementation, key)?;
        if let Some(next) = next {
            stream.rekey(next).unwrap();
        }
        Some(Box::new(stream))
    }),
    ("GCM, by its key", |implementation, key, next| {
        let mut stream = gcm_in_parts(implementation, key)?;
        if let Some(next) = next {
            stream.key().rekey(next).unwrap();
        }
        Some(Box::new(stream))
    }),
    ("CCM", |implementation, key, next| {
        let mut stream = CcmStream::new(Ccm::with_implementation(implementation, key).unwrap());
        stream.start(&NONCE, 0, 100).unwrap();
        stream.encrypt(&mut [0xa5; 5]).unwrap();
        if let Some(next) = next {
            stream.rekey(next).unwrap();
        }
        Some(Box::new(stream))
    }),
    ("OCB", |implementation, key, next| {
        let mut stream = OcbStream::new(Ocb::with_implementation(implementation, key).unwrap());
        stream.start(&NONCE).unwrap();
        if let Some(next) = next {
            stream.rekey(next).unwrap();
        }
        Some(Box::new(stream))
    }),
    ("CFB", |implementation, key, next| {
        let cfb = Cfb::with_implementation(implementation, key)
            .ok()
            .filter(|_| next.is_none())?;
        let mut at = Box::new(Feedback::new(counter_block(7)));
        cfb.encrypt(&mut at, &mut [0xa5; 5]);
        Some(Box::new((cfb, at)))
    }),
    // It keeps nothing of a message but has keys of both directions; a counter block stands for a message.
    ("CBC", |implementation, key, next| {
        let mut cbc = Cbc::with_implementation(implementation, key).ok()?;
        let mut block = Box::new(counter_block(7));
        let mut iv = [0; 16];
        cbc.encrypt(&mut iv, &mut *block).unwrap();
        // It became that ciphertext, in this frame.
        iv.fill(0);
        black_box(&iv);
        if let Some(next) = next {
            cbc.rekey(next).unwrap();
            return Some(Box::new(cbc));
        }
        Some(Box::new((cbc, block)))
    }),
    // As CBC, with two keys.
    ("XTS", |implementation, key, next| {
        let mut xts = xts(implementation, key);
        if let Some(next) = next {
            let mut next = of_both(next);
            xts.rekey(&next).unwrap();
            next.fill(0);
            black_box(&next);
            return Some(Box::new(xts));
        }
        let mut block = Box::new(counter_block(7));
        Ecb::with_implementation(implementation, key)
            .unwrap()
            .encrypt(&mut *block)
            .unwrap();
        Some(Box::new((xts, block)))
    }),
    ("OFB", |implementation, key, next| {
        let ofb = Ofb::with_implementation(implementation, key)
            .ok()
            .filter(|_| next.is_none())?;
        let mut at = Box::new(Feedback::new(counter_block(7)));
        ofb.apply(&mut at, &mut [0xa5; 5]);
        Some(Box::new((ofb, at)))
    }),
    ("CMAC", |implementation, key, next| {
        let mut stream = CmacStream::new(Cmac::with_implementation(implementation, key).unwrap());
        stream.update(&[0xa5; 17]);
        if let Some(next) = next {
            stream.rekey(next).unwrap();
        }
        Some(Box::new(stream))
    }),
];

/// With a second key that differs in a bit.
fn xts(implementation: Implementation, key: &[u8]) -> Xts {
    let mut both = of_both(key);
    let xts = Xts::with_implementation(implementation, &both).unwrap();
    both.fill(0);
    black_box(&both);
    xts
}

fn of_both(key: &[u8]) -> Vec<u8> {
    let mut both = [key, key].concat();
    both[key.len()] ^= 1;
    both
}

fn gcm_in_parts(implementation: Implementation, key: &[u8]) -> Option<GcmStream> {
    let mut stream = GcmStream::new(Gcm::with_implementation(implementation, key).ok()?);
    stream.start(&NONCE).unwrap();
    stream.encrypt(&mut [0xa5; 5]).unwrap();
    Some(stream)
}

/// Of [`STREAMS`]. Its last six bits are zeros, so that OCB's first offset is a block encrypted.
const NONCE: [u8; 12] = [64; 12];

/// A counter block of GCM's, and the first block of the streams of CTR, CFB and OFB in [`STREAMS`].
fn counter_block(counter: u8) -> [u8; 16] {
    let mut block = [0; 16];
    block[..12].copy_from_slice(&NONCE);
    block[15] = counter;
    block
}

const OF_A_MESSAGE: &str = "keystream, MAC or offset";

/// What [`STREAMS`] keep of their messages.
fn of_a_message(key: &[u8]) -> Vec<[u8; 16]> {
    let counters_of_ccm = [0, 1].map(|counter| {
        let mut block = [0; 16];
        block[0] = 2;
        block[1..13].copy_from_slice(&NONCE);
        block[15] = counter;
        block
    });
    let mut before_offset = [0; 16];
    before_offset[3] = 1;
    before_offset[4..].copy_from_slice(&NONCE);
    let of_cmac = [0xa5; 16];
    let hash_key = [0; 16];
    let blocks = counters_of_ccm
        .into_iter()
        .chain([before_offset, of_cmac, hash_key]);
    blocks
        .chain([0, 2, 7].map(counter_block))
        .map(|block| encrypted(key, block))
        .collect()
}

/// What a mode makes of its key that is as secret.
struct Derived {
    what: &'static str,
    blocks: fn(&[u8]) -> Vec<[u8; 16]>,
    /// Whether a living context has some of it.
    is_kept: bool,
}

/// The round keys are all.
const NOTHING: Derived = Derived {
    what: "nothing",
    blocks: |_| Vec::new(),
    is_kept: false,
};

/// The encrypted zero block and its doubles, as CMAC and OCB have them.
const SUBKEYS: Derived = Derived {
    what: "subkey",
    blocks: |key| {
        let zero = u128::from_be_bytes(encrypted(key, [0; 16]));
        let doubles = iter::successors(Some(zero), |block| Some((block << 1) ^ ((block >> 127) * 0x87)));
        doubles.take(18).map(u128::to_be_bytes).collect()
    },
    is_kept: true,
};

/// The hash key, either way round, and what is added to the tags of the whole messages of [`OTHERS`]. Of its powers, with
/// the factor x that kernels with AES instructions have in them, the halves and their sums.
const GCM: Derived = Derived {
    what: "hash key, power of it, or pad",
    blocks: |key| {
        let hash_key = encrypted(key, [0; 16]);
        let mut first = [1; 16];
        first[12..].copy_from_slice(&1_u32.to_be_bytes());
        let mut blocks = vec![hash_key, encrypted(key, first)];
        let mut power = u128::from_be_bytes(hash_key);
        for _ in 0..16 {
            let with_x = (power << 1) ^ ((power >> 127) * 0xc200_0000_0000_0000_0000_0000_0000_0001);
            let sum = (with_x >> 64) ^ (with_x & u128::from(u64::MAX));
            blocks.extend([with_x, (sum << 64) | sum].map(u128::to_le_bytes));
            power = multiplied(power, u128::from_be_bytes(hash_key));
        }
        blocks
    },
    is_kept: false,
};

/// The product of two blocks of GCM (SP 800-38D, section 6.3), each as a big-endian number.
fn multiplied(one: u128, mut other: u128) -> u128 {
    let mut product = 0;
    for bit in (0..128).rev() {
        product ^= other * ((one >> bit) & 1);
        other = (other >> 1) ^ ((0xe1 << 120) * (other & 1));
    }
    product
}

/// Keystream with the nonces of [`OTHERS`].
const CCM: Derived = Derived {
    what: "keystream",
    blocks: |key| {
        let counters = |nonce| {
            (0..LONG as u128 / 16 + 4).map(move |i| u128::from_be_bytes(nonce) << 32 >> 8 | 2 << 120 | i)
        };
        let counters = counters([1; 16]).chain(counters([2; 16]));
        counters
            .map(|block| encrypted(key, block.to_be_bytes()))
            .collect()
    },
    is_kept: true,
};

/// The same, where no stream keeps any.
const CCM_OF_A_MESSAGE: Derived = Derived {
    is_kept: false,
    ..CCM
};

/// What decrypts a message of zeros.
const CFB_8: Derived = Derived {
    what: "keystream",
    blocks: |key| {
        let register = |shifted_in: usize| {
            let mut register = [7; 16];
            register[16 - shifted_in..].fill(0);
            register
        };
        (0..=16).map(|n| encrypted(key, register(n))).collect()
    },
    is_kept: false,
};

/// What a seek goes past in the block where it ends, as it stands after a text of zeros.
const SKIPPED: Derived = Derived {
    what: "keystream that was skipped",
    blocks: |key| {
        let mut block = encrypted(key, 7_u128.to_be_bytes());
        block[15] = 0;
        vec![block]
    },
    is_kept: false,
};

/// Of data unit 1.
const TWEAKS: Derived = Derived {
    what: "tweak, or round key of tweaks",
    blocks: |key| {
        let mut key = key.to_vec();
        key[0] ^= 1;
        let schedule = schedule(&key);
        let round_keys = schedule.chunks_exact(16).map(|key| key.try_into().unwrap());
        let first = u128::from_le_bytes(encrypted(&key, 1_u128.to_le_bytes()));
        let tweaks = iter::successors(Some(first), |tweak| Some((tweak << 1) ^ ((tweak >> 127) * 0x87)));
        let tweaks = tweaks.take(LONG / 16 + 1).map(u128::to_le_bytes);
        tweaks.chain(round_keys).collect()
    },
    is_kept: false,
};

/// Between the rounds of [`TEXT`], encrypted and decrypted: with the output, the last ones tell the key.
const STATES: Derived = Derived {
    what: "state between rounds",
    blocks: |key| {
        let encrypted = TEXT.map(|block| states(key, block));
        let decrypted = TEXT.map(|block| states(key, decrypted(key, block)));
        let permuted = TEXT
            .into_iter()
            .flat_map(|block| [block, self::decrypted(key, block)])
            .flat_map(|block| permuted_states(key, block));
        let permuted: Vec<_> = permuted.collect();
        let both = [encrypted, decrypted];
        let sliced = both
            .iter()
            .flat_map(|texts| (0..texts[0].len()).flat_map(|i| sliced(array::from_fn(|b| texts[b][i]))));
        let sliced: Vec<_> = sliced.collect();
        let plain = both.into_iter().flatten().flatten();
        plain.chain(sliced).chain(permuted).collect()
    },
    is_kept: false,
};

/// The same of counters, with what code that permutes vectors makes of the first of them for all.
const STATES_OF_COUNTERS: Derived = Derived {
    what: "state between rounds",
    blocks: |key| {
        let blocks = (0..COUNTERS as u128).map(u128::to_be_bytes);
        let states = blocks.flat_map(|block| [states(key, block), permuted_states(key, block)].concat());
        states.chain([without_last_byte(key)]).collect()
    },
    is_kept: false,
};

/// How many there are: whole batches of whoever permutes vectors.
const COUNTERS: usize = 64;

/// The same of a chain of zeros.
const STATES_OF_A_CHAIN: Derived = Derived {
    what: "state between rounds",
    blocks: |key| {
        let blocks = iter::successors(Some(TEXT[0]), |&block| Some(encrypted(key, block)));
        let states = |block| [states(key, block), permuted_states(key, block)].concat();
        blocks.take(CHAINED).flat_map(states).collect()
    },
    is_kept: false,
};

/// How many blocks it has.
const CHAINED: usize = 4;

/// Blocks of [`text`]: as many as the portable code takes at once.
const TEXT: [[u8; 16]; 4] = [[1; 16], [2; 16], [3; 16], [4; 16]];

/// [`TEXT`] again and again: several batches of the most vectors that are in flight, and of fewer.
fn text() -> Vec<u8> {
    TEXT.as_flattened().repeat(25)
}

/// What the mode of that name makes.
fn derived(mode: &str) -> Derived {
    match mode {
        "CTR, seek" => SKIPPED,
        "CTR, one call" => STATES_OF_COUNTERS,
        "CBC, a chain" => STATES_OF_A_CHAIN,
        name if name.starts_with("GCM") => GCM,
        "CCM" => CCM,
        "CCM, a message" => CCM_OF_A_MESSAGE,
        "CFB-8" => CFB_8,
        "OCB" | "OCB, a message" | "CMAC" => SUBKEYS,
        "XTS" => TWEAKS,
        "ECB" | "ECB backwards" | "CBC" | "CFB, CFB-8, OFB" => STATES,
        _ => NOTHING,
    }
}

/// The longest message of [`LENGTHS`].
const LONG: usize = 3 * 4096 + 77;
/// Every kind of batch and tail, and after the longest the shortest again.
const LENGTHS: [usize; 16] = [
    0, 1, 16, 33, 64, 100, 257, 500, 512, 535, 777, 1344, 1350, 4096, LONG, 20,
];

#[inline(never)]
fn made<T>(
    make: impl Fn(Implementation, &[u8]) -> Option<T>,
    implementation: Implementation,
    length: usize,
    seed: u64,
) -> Option<T> {
    let mut bytes = key(length, seed);
    let cipher = make(implementation, &bytes);
    // The key itself is in the hands of whoever made it.
    bytes.fill(0);
    black_box(&bytes);
    cipher
}

/// Runs far below the caller's frame, so that what it leaves on the stack is not overwritten by what comes next.
#[inline(never)]
fn deep_down<T>(run: impl FnOnce() -> T) -> T {
    let distance = [0_u8; 128 * 1024];
    black_box(&distance);
    let answer = run();
    black_box(&distance);
    answer
}

/// The bytes of a key, which exists nowhere but where these are put.
fn key_bytes(seed: u64) -> impl Iterator<Item = u8> {
    let mut random = Random(seed << 32);
    iter::repeat_with(move || random.word() as u8)
}

fn key(length: usize, seed: u64) -> Vec<u8> {
    key_bytes(seed).take(length).collect()
}

/// A copy of all memory that this process can write to.
struct Memory {
    /// The kernel's list of mappings.
    maps: String,
    bytes: Vec<u8>,
    /// The parts that were copied: where each starts in `bytes`, and its address.
    parts: Vec<(usize, u64)>,
}

impl Memory {
    /// Allocates once for all: a later allocation might overwrite what is looked for.
    fn new() -> Self {
        Self {
            maps: String::with_capacity(1 << 20),
            bytes: Vec::with_capacity(256 << 20),
            parts: Vec::with_capacity(10_000),
        }
    }

    fn copy(&mut self) {
        // A mapping may go between the list and the reading: the stack of a thread that has just ended.
        const TRIES: usize = 100;
        let copied = (0..TRIES).any(|_| self.try_copy().is_ok());
        assert!(copied, "memory that is listed cannot be read");
    }

    fn try_copy(&mut self) -> io::Result<()> {
        self.maps.clear();
        self.bytes.clear();
        self.parts.clear();
        let mut maps = File::open("/proc/self/maps").unwrap();
        maps.read_to_string(&mut self.maps).unwrap();
        let memory = File::open("/proc/self/mem").unwrap();

        // The copy is not copied.
        let copy = self.bytes.as_ptr() as u64;
        let copy = copy..copy + self.bytes.capacity() as u64;
        for line in self.maps.lines().filter(|line| line.contains(" rw")) {
            let (start, end) = addresses(line);
            for (start, end) in [(start, end.min(copy.start)), (start.max(copy.end), end)] {
                if start < end {
                    let at = self.bytes.len();
                    let after = at + (end - start) as usize;
                    assert!(after <= self.bytes.capacity(), "more memory than was expected");
                    self.parts.push((at, start));
                    self.bytes.resize(after, 0);
                    memory.read_exact_at(&mut self.bytes[at..], start)?;
                }
            }
        }
        Ok(())
    }

    /// The address of a byte, and the mapping that it is in.
    fn place(&self, index: usize) -> String {
        let (at, start) = self.parts[self.parts.partition_point(|&(at, _)| at <= index) - 1];
        let address = start + (index - at) as u64;
        let line = self.maps.lines().find(|line| {
            let (start, end) = addresses(line);
            (start..end).contains(&address)
        });
        format!("{address:#x} in {}", line.unwrap_or("no mapping"))
    }
}

/// The first address of a mapping and the first one behind it.
fn addresses(line: &str) -> (u64, u64) {
    let address = |hex| u64::from_str_radix(hex, 16).unwrap();
    let (start, end) = line
        .split_once(' ')
        .and_then(|(range, _)| range.split_once('-'))
        .unwrap();
    (address(start), address(end))
}

/// Half of a round key, as FIPS 197 has it.
const ROUND_KEY: &str = "round key";
/// Half of an inner one as AES instructions decrypt with it.
const INVERSE_KEY: &str = "round key to decrypt with";
/// Three of the eight planes of a bitsliced round key. (Two come about by chance, in what the S-box left of another.)
const SLICED: &str = "bitsliced round key";
/// Two planes of one in bytes, as vectors want them.
const SLICED_BYTES: &str = "bitsliced round key in bytes";
/// Half of one as code that permutes vectors encrypts with it.
const PERMUTED: &str = "round key in digits";
/// Half of one as it decrypts with it: all but the last, which is the first round key itself.
const PERMUTED_INVERSE: &str = "round key in digits to decrypt with";
/// Half of what it adds between the blocks of a chain.
const BETWEEN: &str = "sum of the last round key and the first in digits";
/// Three entries of the table of first rounds ahead. Only 256 are possible: those of another key, which the search for
/// them left behind, may be the same.
const FIRST_ROUND: &str = "first round ahead";
/// The same with the second round, for one of the IVs here.
const SECOND_ROUND: &str = "second round ahead";

/// What a key leaves behind, in 64-bit words as memory has them.
struct Traces {
    /// The halves of what a mode makes of it, both ways round, and what that is.
    derived: HashMap<u64, &'static str>,
    /// The halves of the round keys of either direction, which of them, and which round's.
    halves: HashMap<u64, (&'static str, usize)>,
    /// The planes of the round keys, and which round's.
    planes: HashMap<u64, usize>,
    /// Each two planes of the round keys, as [`bits_of_bytes`] answers for them, and which round's.
    bytes: HashMap<u32, usize>,
    /// The rounds ahead for the bytes 1, 2 and 3, inverted: the first follows from one byte of a key, so that one case's
    /// would be taken for those that another left.
    ahead: [(&'static str, [u64; 6]); 3],
}

impl Traces {
    fn of(key: &[u8]) -> Self {
        let schedule = schedule(key);
        let mut traces = Self {
            derived: HashMap::new(),
            halves: HashMap::new(),
            planes: HashMap::new(),
            bytes: HashMap::new(),
            ahead: [
                (FIRST_ROUND, ahead(&schedule, 1, 0)),
                (SECOND_ROUND, ahead(&schedule, 2, 0)),
                (SECOND_ROUND, ahead(&schedule, 2, 1)),
            ],
        };
        for (round, key) in (1..).zip(inner_inverse(&schedule).chunks_exact(16)) {
            let halves = key.chunks_exact(8);
            traces
                .halves
                .extend(halves.map(|half| (word(half), (INVERSE_KEY, round))));
        }
        let [encrypt, decrypt] = permuted(&schedule);
        let last = encrypt[encrypt.len() - 1];
        let between = array::from_fn(|i| digits(last[i]) ^ encrypt[0][i]);
        for (what, keys) in [
            (PERMUTED, encrypt),
            (PERMUTED_INVERSE, decrypt),
            (BETWEEN, vec![between]),
        ] {
            for (round, key) in keys.iter().enumerate() {
                let halves = key.chunks_exact(8);
                traces
                    .halves
                    .extend(halves.map(|half| (word(half), (what, round))));
            }
        }
        // After these, the last of which to decrypt with is a round key as it is.
        for (round, key) in schedule.chunks_exact(16).enumerate() {
            let halves = key.chunks_exact(8);
            traces
                .halves
                .extend(halves.map(|half| (word(half), (ROUND_KEY, round))));
            // The S-box's constant moves into all round keys but the first, and rows are turned by 0 to 3
            // columns for each row down.
            let key: Vec<u8> = key
                .iter()
                .map(|byte| if round == 0 { *byte } else { byte ^ 0x63 })
                .collect();
            for turn in 0..4 {
                let planes = planes(&key, turn);
                traces.planes.extend(planes.map(|plane| (plane, round)));
                let bits = planes.map(bits_of_plane);
                traces.bytes.extend(
                    bits.windows(2)
                        .map(|two| (u32::from(two[0]) | u32::from(two[1]) << 16, round)),
                );
            }
        }
        // Rijndael's schedule begins as that of AES: the first round key of its larger blocks.
        for block in [24, 32] {
            let planes = rijndael_planes(&schedule[..block]);
            traces.planes.extend(planes.map(|plane| (plane, 0)));
        }
        traces.planes.retain(|&plane, _| plane != 0 && plane != !0);
        traces
    }

    /// Looks for `blocks` as well.
    fn add(&mut self, what: &'static str, blocks: Vec<[u8; 16]>) {
        let halves = blocks.iter().flat_map(|block| [word(block), word(&block[8..])]);
        self.derived
            .extend(halves.flat_map(|half| [(half, what), (half.swap_bytes(), what)]));
    }

    /// Which kinds there are in `memory`, and where.
    fn found_in(&self, memory: &Memory) -> BTreeMap<&'static str, Vec<String>> {
        let mut found = BTreeMap::<_, Vec<_>>::new();
        let mut starts = vec![false; 1 << 16];
        for word in self
            .halves
            .keys()
            .chain(self.planes.keys())
            .chain(self.derived.keys())
            .copied()
            .chain(self.ahead.map(|(_, entries)| !entries[0]))
        {
            starts[usize::from(word as u16)] = true;
        }
        // Where numbers of 64 bits stand: elsewhere parts of what the test itself keeps look like keys.
        for (i, window) in memory.bytes.windows(48).enumerate().step_by(8) {
            // Nearly all of memory, and no trace.
            if word(window) == 0 {
                continue;
            }
            if let Some(&round) = bits_of_bytes(&window[..32]).and_then(|bits| self.bytes.get(&bits)) {
                let place = memory.place(i);
                found
                    .entry(SLICED_BYTES)
                    .or_default()
                    .push(format!("of round {round} at {place}"));
                continue;
            }
            if !starts[usize::from(u16::from_le_bytes([window[0], window[1]]))] {
                continue;
            }
            let words = [
                word(&window[..8]),
                word(&window[8..]),
                word(&window[16..]),
                word(&window[24..]),
                word(&window[32..]),
                word(&window[40..]),
            ];
            let plane = |word| self.planes.get(&word);
            // A word again and again is a constant that some code has in a vector.
            let differ = words[..3] != [words[0]; 3];
            let (what, round) = if let Some(&half) = self.halves.get(&words[0]) {
                half
            } else if let Some(&round) = plane(words[0])
                .filter(|&round| differ && plane(words[1]) == Some(round) && plane(words[2]) == Some(round))
            {
                (SLICED, round)
            } else if let Some(&what) = self.derived.get(&words[0]) {
                (what, 0)
            } else if let Some((what, _)) = self
                .ahead
                .iter()
                .find(|(_, entries)| words.map(|word| !word) == *entries)
            {
                (*what, 0)
            } else {
                continue;
            };
            found
                .entry(what)
                .or_default()
                .push(format!("of round {round} at {}", memory.place(i)));
        }
        found
    }
}

fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes[..8].try_into().unwrap())
}

/// The eight bit planes of a round key for four blocks: bit 16·r + 4·p + b of plane i is bit i of the byte in row
/// r, column p + `turn`·r, whatever the block b.
fn planes(key: &[u8], turn: usize) -> [u64; 8] {
    let mut planes = [0; 8];
    for (row, place) in (0..4).flat_map(|row| (0..4).map(move |place| (row, place))) {
        let byte = key[row + 4 * ((place + turn * row) % 4)];
        for (i, plane) in planes.iter_mut().enumerate() {
            *plane |= (0xf * u64::from(byte >> i & 1)) << (16 * row + 4 * place);
        }
    }
    planes
}

/// The same for two of Rijndael's larger blocks: bit 16·r + 8·b + c of plane i is bit i of the byte in row r and column c.
fn rijndael_planes(key: &[u8]) -> [u64; 8] {
    let mut planes = [0; 8];
    for (at, byte) in key.iter().enumerate() {
        for (i, plane) in planes.iter_mut().enumerate() {
            *plane |= (0x0101 * u64::from(byte >> i & 1)) << (16 * (at % 4) + at / 4);
        }
    }
    planes
}

/// One bit of each four of a plane, which are all alike.
fn bits_of_plane(plane: u64) -> u16 {
    (0..16).fold(0, |bits, place| bits | (plane >> (4 * place) & 1) << place) as u16
}

/// A bit for each of 32 bytes, if each is all zeros or all ones, and not all of the first eight are alike: of such
/// words memory is full.
fn bits_of_bytes(bytes: &[u8]) -> Option<u32> {
    if word(bytes) == 0 || word(bytes) == !0 || bytes.iter().any(|byte| !matches!(byte, 0 | 0xff)) {
        return None;
    }
    Some((0..32).fold(0, |bits, i| bits | u32::from(bytes[i] & 1) << i))
}

/// One block by another library. What it leaves behind comes after the copy that is searched, and no key serves twice.
fn encrypted(key: &[u8], block: [u8; 16]) -> [u8; 16] {
    let mut block = block.into();
    match key.len() {
        16 => Aes128::new_from_slice(key).unwrap().encrypt_block(&mut block),
        _ => Aes256::new_from_slice(key).unwrap().encrypt_block(&mut block),
    }
    block.into()
}

/// The same backwards.
fn decrypted(key: &[u8], block: [u8; 16]) -> [u8; 16] {
    let mut block = block.into();
    match key.len() {
        16 => Aes128::new_from_slice(key).unwrap().decrypt_block(&mut block),
        _ => Aes256::new_from_slice(key).unwrap().decrypt_block(&mut block),
    }
    block.into()
}

/// The state of each round but the first before SubBytes, and of each but the last after ShiftRows, with and without the
/// S-box's constant: what decryption comes by as well. (The others are a round key and a text that is known.)
fn states(key: &[u8], block: [u8; 16]) -> Vec<[u8; 16]> {
    let schedule = schedule(key);
    let mut state = array::from_fn(|i| block[i] ^ schedule[i]);
    let mut states = Vec::new();
    for key in schedule[16..schedule.len() - 16].chunks_exact(16) {
        let turned = shifted(&state);
        state = round(&state, key);
        states.extend([turned, turned.map(|byte| byte ^ 0x63), state]);
    }
    states
}

/// What the portable code may have of four blocks: each sum of their bit planes, turned as its rounds turn them, two to a
/// block.
fn sliced(blocks: [[u8; 16]; 4]) -> Vec<[u8; 16]> {
    let of_turn = |turn| {
        let mut planes = [0; 8];
        for (b, block) in blocks.iter().enumerate() {
            for (all, plane) in planes.iter_mut().zip(self::planes(block, turn)) {
                *all |= plane & 0x1111_1111_1111_1111 << b;
            }
        }
        planes
    };
    let sums = (0..4).map(of_turn).flat_map(|planes| {
        (1..256_usize).map(move |which| {
            let chosen = planes.iter().enumerate().filter(|(i, _)| which >> i & 1 == 1);
            chosen.fold(0_u64, |sum, (_, plane)| sum ^ plane)
        })
    });
    let words: Vec<_> = sums.flat_map(u64::to_le_bytes).collect();
    words
        .chunks(16)
        .map(|two| array::from_fn(|i| two[i % two.len()]))
        .collect()
}

/// What code that permutes vectors may have of a block, encrypted from there or decrypted to there: the state before each
/// round's look-ups, these alone and with the round key, and those of the last rounds, to which only a key is added.
fn permuted_states(key: &[u8], block: [u8; 16]) -> Vec<[u8; 16]> {
    let schedule = schedule(key);
    let [encrypt, decrypt] = permuted(&schedule);
    let rounds = encrypt.len() - 1;
    let sum = |a: [u8; 16], b: &[u8]| array::from_fn(|i| a[i] ^ b[i]);
    let mut state = sum(block, &schedule);
    let mut states = vec![state, turned(&state, 3 * rounds)];
    for n in 0..rounds {
        // The round of decryption that comes by the same state.
        let back = rounds - n;
        let substituted = shifted(&state).map(|byte| byte ^ 0x63);
        states.extend([
            turned(&state.map(digits), n),
            turned(&substituted.map(digits_back), 3 * (back - 1)),
        ]);
        if n > 0 {
            let times = |factor| turned(&state.map(|byte| digits_back(product(factor, byte))), 3 * back);
            states.extend([9, 11, 13, 14].map(times));
            states.push(sum(times(14), &decrypt[back]));
        }
        if n + 1 < rounds {
            let times = |factor| turned(&substituted.map(|byte| digits(product(factor, byte))), n + 1);
            states.extend([1, 2].map(times));
            states.push(sum(times(1), &encrypt[n + 1]));
            state = round(&state, &schedule[16 * (n + 1)..]);
        } else {
            // A chain has the last ones in digits too.
            states.extend([substituted, turned(&substituted, rounds), substituted.map(digits)]);
        }
    }
    states
}

/// The block of zeros after the first round in digits, rows turned, without what its last byte adds.
fn without_last_byte(key: &[u8]) -> [u8; 16] {
    let schedule = schedule(key);
    let mut next = shifted(&array::from_fn(|i| schedule[i]));
    next[3] = 0x63;
    let next = rest_of_round(next, &schedule[16..]);
    turned(&next.map(digits), 1)
}

/// What 1, 2 and 3 as last bytes of a block of `iv` bytes add to the state after `rounds`, inverted.
fn ahead(schedule: &[u8], rounds: usize, iv: u8) -> [u64; 6] {
    let state = |last_byte: u8| {
        let mut block = [iv; 16];
        block[15] = last_byte;
        let whitened = array::from_fn(|i| block[i] ^ schedule[i]);
        (1..=rounds).fold(whitened, |state, i| round(&state, &schedule[16 * i..]))
    };
    let zero = state(0);
    array::from_fn(|i| {
        let (state, at) = (state(1 + (i / 2) as u8), i % 2 * 8);
        !(word(&state[at..]) ^ word(&zero[at..]))
    })
}

/// A round of encryption (FIPS 197, §5.1).
fn round(state: &[u8; 16], key: &[u8]) -> [u8; 16] {
    rest_of_round(shifted(state), key)
}

/// MixColumns and AddRoundKey.
fn rest_of_round(mut next: [u8; 16], key: &[u8]) -> [u8; 16] {
    next.as_chunks_mut()
        .0
        .iter_mut()
        .for_each(|column| *column = mixed(*column));
    array::from_fn(|i| next[i] ^ key[i])
}

/// SubBytes and ShiftRows.
fn shifted(state: &[u8; 16]) -> [u8; 16] {
    array::from_fn(|i| substituted(state[i % 4 + 4 * ((i / 4 + i % 4) % 4)]))
}
