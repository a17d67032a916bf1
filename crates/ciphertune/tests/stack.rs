//! Nothing that comes of a key stays on the stack when a call is back, whatever the mode: no round key, state, keystream,
//! hash or subkey, known to this test or not.
//!
//! Each call is made twice from the same place, on a stack painted before, by the same context under two keys. Where the
//! stack then differs lies what depends on the key. What the caller gets anyway may be there: ciphertext, plaintext, tags.
//! `wiped.rs` looks for what it knows in all memory; this looks for anything in the stack alone.
//!
//! In builds for all processors and in those for one (`-C target-cpu=native`), which have other frames: `make wiped
//! wiped-native`. This is a promise of optimised code, as in `wiped.rs`.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;

use std::{arch::asm, array, collections::HashSet, fmt::Write, hint::black_box, iter};

use ciphertune::{
    Cbc, CbcMany, Ccm, CcmStream, Cfb, Cfb8, Cmac, CmacStream, Ctr, Ecb, Feedback, Gcm, GcmStream,
    Implementation, Message, Ocb, OcbStream, Ofb, Rijndael192, Rijndael256, Xts,
};

use common::{available, bytes};

/// Bytes of stack that are looked at: more than any call takes.
const AREA: usize = 48 * 1024;

/// What the stack is painted with.
const PAINT: u8 = 0xa5;

const LENGTHS: [usize; 14] = [
    0, 1, 16, 33, 64, 100, 257, 512, 777, 1350, 4096, 6000, 12_365, 40_000,
];

#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "run it on optimised code: cargo test --release -p ciphertune --test stack"
)]
fn nothing_of_a_key_stays_on_the_stack() {
    let mut planted = Found::default();
    planted.look("planted", 16, &LENGTHS[..1], <[u8]>::to_vec, |key, _, _| {
        leave(key)
    });
    assert_eq!(planted.0.len(), 1, "what is left is not found");

    let mut found = Found::default();
    for implementation in available() {
        for key_len in [16, 24, 32] {
            found.of_all(implementation, key_len);
        }
    }
    for key_len in [16, 32] {
        found.of_rijndael(key_len);
    }
    let mut all = String::new();
    found.0.iter().for_each(|case| writeln!(all, "{case}").unwrap());
    assert!(found.0.is_empty(), "{} cases:\n{all}", found.0.len());
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

/// The cases in which something was left, and what.
#[derive(Default)]
struct Found(Vec<String>);

/// Where a call puts what it answers.
type Answer = [u8; 32 * 16];

impl Found {
    /// What of `run` stays on the stack, by what `make` made of a key, which is all that differs.
    fn look<S>(
        &mut self,
        name: &str,
        key_len: usize,
        lengths: &[usize],
        make: impl Fn(&[u8]) -> S,
        run: impl Fn(&mut S, &mut [u8], &mut Answer),
    ) {
        let keys = [1, 1, 2].map(|seed| bytes(seed, key_len));
        for &length in lengths {
            let text = bytes(3, length);
            let mut answers = [[0; size_of::<Answer>()]; 3];
            let mut texts = array::from_fn::<_, 3, _>(|_| text.clone());
            let stacks: [Vec<u8>; 3] = array::from_fn(|i| {
                let mut state = apart(|| Box::new(make(&keys[i])));
                let (data, answer) = (&mut texts[i], &mut answers[i]);
                let mut stack = vec![0; AREA];
                below(&mut || run(&mut state, data, answer), &mut stack);
                stack
            });
            let mut places = that_differ(&stacks);
            for i in [0, 2] {
                if !places.is_empty() {
                    let given =
                        windows(&[&text, &texts[i], &answers[i], &[&[5; 16], &texts[i][..]].concat()]);
                    places.retain(|&at| !given.contains(&half(&stacks[i], at)));
                }
            }
            if !places.is_empty() {
                let shown = places.iter().rev().take(6);
                let shown: Vec<_> = shown
                    .map(|&at| format!("{} below {:02x?}", AREA - at, half(&stacks[0], at)))
                    .collect();
                let count = places.len();
                self.0.push(format!(
                    "{name}, AES-{}, {length} bytes: {count} times four bytes: {}",
                    8 * key_len,
                    shown.join(", ")
                ));
            }
        }
    }
}

/// Four bytes of a stack.
fn half(stack: &[u8], at: usize) -> [u8; 4] {
    stack[at..at + 4].try_into().unwrap()
}

/// Where the first two stacks, of one key, are alike and the third is not, but for addresses and small numbers.
fn that_differ(stacks: &[Vec<u8>; 3]) -> Vec<usize> {
    let is_address = |bytes: &[u8]| matches!(bytes, [.., 0, 0] | [.., 0xff, 0xff]);
    let differ = |&at: &usize| {
        let [first, again, other] = stacks.each_ref().map(|stack| half(stack, at));
        let word = at / 8 * 8..at / 8 * 8 + 8;
        first == again
            && first != other
            && ![0, 2].iter().any(|&i| is_address(&stacks[i][word.clone()]))
            && !is_address(&first)
    };
    (0..AREA).step_by(4).filter(differ).collect()
}

/// Runs where no register is kept for it that what comes next would save on the stack.
#[inline(never)]
fn apart<T>(run: impl FnOnce() -> T) -> T {
    run()
}

/// All runs of four bytes that a caller has: of texts as they stand, as GHASH turns their blocks, and with zeros after the end.
fn windows(given: &[&[u8]]) -> HashSet<[u8; 4]> {
    let mut all = HashSet::new();
    for bytes in given {
        let padded: Vec<_> = iter::repeat_n(0, 8)
            .chain(bytes.iter().copied())
            .chain(iter::repeat_n(0, 16))
            .collect();
        for window in padded.windows(4) {
            let mut window: [u8; 4] = window.try_into().unwrap();
            all.insert(window);
            window.reverse();
            all.insert(window);
        }
    }
    all
}

/// Copies the stack below this frame, as it is after `run`, which began there, on a painted one.
#[inline(never)]
fn below(run: &mut dyn FnMut(), stack: &mut [u8]) {
    assert_eq!(stack.len(), AREA);
    paint();
    run();
    // SAFETY: [`paint`] has had so much stack below this frame, which no signal's handler uses here, and `stack` has as
    // many bytes. Nothing is called, lest it overwrite what it is to copy.
    unsafe {
        asm!(
            "lea rsi, [rsp - {area}]",
            "rep movsb",
            area = const AREA,
            inout("rdi") stack.as_mut_ptr() => _,
            inout("rcx") AREA => _,
            out("rsi") _,
            options(nostack, preserves_flags),
        );
    }
}

#[inline(never)]
fn paint() {
    let area = [black_box(PAINT); AREA];
    black_box(&area);
}

impl Found {
    fn of_all(&mut self, implementation: Implementation, key_len: usize) {
        let name = implementation.name();
        macro_rules! look {
            ($what:expr, $lengths:expr, $make:expr, $run:expr) => {
                self.look(named(name, $what).as_str(), key_len, &$lengths, $make, $run)
            };
        }
        let blocks = LENGTHS.map(|length| length / 16 * 16);
        let units = LENGTHS.map(|length| length.max(16));
        let ctr = |key: &[u8]| Ctr::with_implementation(implementation, key, &[7; 16]).unwrap();
        look!("CTR", LENGTHS, ctr, |ctr, data, _| ctr.apply(data).unwrap());
        look!("CTR, much used", LENGTHS, |key| used(ctr(key)), |ctr, data, _| {
            ctr.apply(data).unwrap()
        });
        look!("CTR, seek", [0], ctr, |ctr, _, _| ctr.seek(777));
        look!(
            "CTR, key",
            [0],
            |key| (key.to_vec(), ctr(&[9; 16])),
            |(key, ctr), _, _| {
                ctr.rekey(key, &[8; 16]).unwrap();
            }
        );
        look!("CTR, dropped", [100], |key| Some(ctr(key)), |ctr, data, _| {
            ctr.as_mut().unwrap().apply(data).unwrap();
            *ctr = None;
        });
        // With the first rounds ahead, counter mode alone is another.
        if !name.ends_with("-r2") {
            self.of_modes(implementation, key_len, &blocks, &units);
        }
        if implementation.gcm().is_some() {
            self.of_gcm(implementation, key_len);
        }
    }

    fn of_modes(
        &mut self,
        implementation: Implementation,
        key_len: usize,
        blocks: &[usize],
        units: &[usize],
    ) {
        let name = implementation.name();
        macro_rules! look {
            ($what:expr, $lengths:expr, $make:expr, $run:expr) => {
                self.look(named(name, $what).as_str(), key_len, $lengths, $make, $run)
            };
        }
        macro_rules! keyed {
            ($type:ident) => {
                |key: &[u8]| $type::with_implementation(implementation, key).unwrap()
            };
        }
        macro_rules! rekeyed {
            ($($type:ident)*) => {$(
                look!(stringify!($type), &[0], |key| (key.to_vec(), keyed!($type)(&[9; 16])), |(key, cipher), _, _| {
                    cipher.rekey(key).unwrap();
                });
            )*};
        }
        rekeyed!(Ecb Cbc Cfb Cfb8 Ofb Cmac Ccm Ocb);
        let ecb = keyed!(Ecb);
        look!("ECB, encrypted", blocks, ecb, |ecb, data, _| ecb
            .encrypt(data)
            .unwrap());
        look!("ECB, decrypted", blocks, ecb, |ecb, data, _| ecb
            .decrypt(data)
            .unwrap());
        let cbc = keyed!(Cbc);
        look!("CBC, encrypted", blocks, cbc, |cbc, data, _| cbc
            .encrypt(&mut [5; 16], data)
            .unwrap());
        look!("CBC, decrypted", blocks, cbc, |cbc, data, _| cbc
            .decrypt(&mut [5; 16], data)
            .unwrap());
        let cfb = keyed!(Cfb);
        look!("CFB, encrypted", &LENGTHS, cfb, |cfb, data, _| cfb
            .encrypt(&mut Feedback::new([5; 16]), data));
        look!("CFB, decrypted", &LENGTHS, cfb, |cfb, data, _| cfb
            .decrypt(&mut Feedback::new([5; 16]), data));
        let cfb8 = keyed!(Cfb8);
        look!("CFB-8, encrypted", &LENGTHS[..9], cfb8, |cfb8, data, _| cfb8
            .encrypt(&mut [5; 16], data));
        look!("CFB-8, decrypted", &LENGTHS[..9], cfb8, |cfb8, data, _| cfb8
            .decrypt(&mut [5; 16], data));
        let ofb = keyed!(Ofb);
        look!("OFB", &LENGTHS, ofb, |ofb, data, _| ofb
            .apply(&mut Feedback::new([5; 16]), data));
        let xts = |key: &[u8]| {
            let (mut both, swapped) = (key.to_vec(), key.iter().rev());
            both.extend(swapped);
            both
        };
        if key_len != 24 {
            let xts = |key: &[u8]| Xts::with_implementation(implementation, &xts(key)).unwrap();
            look!("XTS, encrypted", units, xts, |xts, data, _| xts
                .encrypt(3, data)
                .unwrap());
            look!("XTS, decrypted", units, xts, |xts, data, _| xts
                .decrypt(3, data)
                .unwrap());
        }
        let cmac = keyed!(Cmac);
        look!("CMAC", &LENGTHS, cmac, |cmac, data, answer| answer[..16]
            .copy_from_slice(&cmac.tag(data)));
        let stream = |key: &[u8]| CmacStream::new(cmac(key));
        look!("CMAC in parts", &LENGTHS, stream, |cmac, data, answer| {
            data.chunks(777).for_each(|part| cmac.update(part));
            answer[..16].copy_from_slice(&cmac.finish());
        });
        look!("CMAC of many", &LENGTHS, cmac, |cmac, data, answer| {
            let messages: [_; 32] = array::from_fn(|_| &*data);
            cmac.tags(&messages, answer.as_chunks_mut().0).unwrap();
        });
        let many = keyed!(CbcMany);
        look!("CBC of many", blocks, many, |cbc, data, _| {
            let mut messages: Vec<_> = data
                .chunks_mut(160)
                .map(|data| Message {
                    iv: [5; 16],
                    data: data.into(),
                })
                .collect();
            cbc.encrypt(&mut messages).unwrap();
        });
        look!("CBC of many, a key each", blocks, many, |cbc, data, _| {
            let mut messages: Vec<_> = data
                .chunks_mut(160)
                .map(|data| {
                    (
                        &*cbc,
                        Message {
                            iv: [5; 16],
                            data: data.into(),
                        },
                    )
                })
                .collect();
            CbcMany::encrypt_each(&mut messages).unwrap();
        });
        macro_rules! aead {
            ($type:ident, $stream:ident, $start:expr) => {
                let make = keyed!($type);
                look!(
                    concat!(stringify!($type), ", sealed"),
                    &LENGTHS,
                    make,
                    |aead, data, answer| {
                        aead.seal_in_place(&[1; 12], &[6; 40], data)
                            .unwrap()
                            .copy_to(&mut answer[..16]);
                    }
                );
                look!(
                    concat!(stringify!($type), ", not opened"),
                    &LENGTHS,
                    make,
                    |aead, data, _| {
                        aead.open_in_place(&[1; 12], &[6; 40], data, &[0; 16])
                            .unwrap_err();
                    }
                );
                let begun = |key: &[u8]| {
                    let mut stream = $stream::new(make(key));
                    $start(&mut stream);
                    stream
                };
                look!(
                    concat!(stringify!($type), ", sealed in parts"),
                    &[6000],
                    begun,
                    |stream, data, answer| {
                        data.chunks_mut(784)
                            .for_each(|part| stream.encrypt(part).unwrap());
                        stream.finish().unwrap().copy_to(&mut answer[..16]);
                    }
                );
                look!(
                    concat!(stringify!($type), ", decrypted in parts"),
                    &[6000],
                    begun,
                    |stream, data, _| {
                        data.chunks_mut(784)
                            .for_each(|part| stream.decrypt_unverified(part).unwrap());
                        stream.verify(&[0; 16]).unwrap_err();
                    }
                );
            };
        }
        aead!(Ccm, CcmStream, |stream: &mut CcmStream| {
            stream.start(&[2; 12], 40, 6000).unwrap();
            stream.aad(&[6; 40]).unwrap();
        });
        aead!(Ocb, OcbStream, |stream: &mut OcbStream| {
            stream.start(&[2; 12]).unwrap();
            stream.aad(&[6; 40]).unwrap();
        });
    }

    fn of_gcm(&mut self, implementation: Implementation, key_len: usize) {
        let name = implementation.name();
        macro_rules! look {
            ($what:expr, $lengths:expr, $make:expr, $run:expr) => {
                self.look(named(name, $what).as_str(), key_len, &$lengths, $make, $run)
            };
        }
        let gcm = |key: &[u8]| Gcm::with_implementation(implementation, key).unwrap();
        let used = |key: &[u8]| {
            let mut gcm = gcm(key);
            for _ in 0..3 {
                gcm.seal_in_place(&[4; 12], b"", &mut vec![0; 70_000]).unwrap();
            }
            gcm
        };
        look!(
            "GCM, key",
            [0],
            |key| (key.to_vec(), gcm(&[9; 16])),
            |(key, gcm), _, _| gcm.rekey(key).unwrap()
        );
        let short = |key: &[u8]| gcm(key).with_tag_len(12).unwrap();
        look!(
            "GCM, short tag, not opened",
            [100, 6000],
            short,
            |gcm, data, _| {
                gcm.open_in_place(&[1; 12], b"", data, &[0; 12]).unwrap_err();
            }
        );
        look!("GCM, cloned", [100], used, |gcm, data, answer| {
            gcm.clone()
                .seal_in_place(&[1; 12], b"", data)
                .unwrap()
                .copy_to(&mut answer[..16]);
        });
        macro_rules! messages {
            ($make:ident, $seal:literal, $open:literal, $parts:literal, $decrypted:literal) => {
                for (nonce, aad) in [(&[1; 12][..], 0), (&[1; 12], 13), (&[1; 9], 700)] {
                    look!($seal, LENGTHS, $make, |gcm, data, answer| {
                        gcm.seal_in_place(nonce, &[6; 700][..aad], data)
                            .unwrap()
                            .copy_to(&mut answer[..16]);
                    });
                    look!($open, LENGTHS, $make, |gcm, data, _| {
                        gcm.open_in_place(nonce, &[6; 700][..aad], data, &[0; 16])
                            .unwrap_err();
                    });
                    let begun = |key: &[u8]| {
                        let mut stream = GcmStream::new($make(key));
                        stream.start(nonce).unwrap();
                        stream
                    };
                    for part in [48, 777] {
                        look!($parts, [100, 6000], begun, |stream, data, answer| {
                            stream.aad(&[6; 700][..aad]).unwrap();
                            data.chunks_mut(part)
                                .for_each(|part| stream.encrypt(part).unwrap());
                            stream.finish().unwrap().copy_to(&mut answer[..16]);
                        });
                        look!($decrypted, [100, 6000], begun, |stream, data, _| {
                            stream.aad(&[6; 700][..aad]).unwrap();
                            data.chunks_mut(part)
                                .for_each(|part| stream.decrypt_unverified(part).unwrap());
                            stream.verify(&[0; 16]).unwrap_err();
                        });
                    }
                    // Each kind of call by itself.
                    look!($parts, LENGTHS, begun, |stream, data, _| stream
                        .encrypt(data)
                        .unwrap());
                    look!($decrypted, LENGTHS, begun, |stream, data, _| stream
                        .decrypt_unverified(data)
                        .unwrap());
                    look!($parts, [16, 48, 700], begun, |stream, data, _| stream
                        .aad(data)
                        .unwrap());
                }
            };
        }
        messages!(
            gcm,
            "GCM sealed",
            "GCM not opened",
            "GCM in parts",
            "GCM decrypted in parts"
        );
        messages!(
            used,
            "GCM, much used, sealed",
            "GCM, much used, not opened",
            "GCM, much used, in parts",
            "GCM, much used, decrypted in parts"
        );
    }

    fn of_rijndael(&mut self, key_len: usize) {
        macro_rules! of {
            ($type:ident, $block:literal, $lengths:expr) => {
                let make = |key: &[u8]| $type::new(key).unwrap();
                self.look(
                    concat!(stringify!($type), ", encrypted"),
                    key_len,
                    &$lengths,
                    make,
                    |cipher, data, _| {
                        cipher.cbc_encrypt(&mut [5; $block], data).unwrap();
                    },
                );
                self.look(
                    concat!(stringify!($type), ", decrypted"),
                    key_len,
                    &$lengths,
                    make,
                    |cipher, data, _| {
                        cipher.cbc_decrypt(&mut [5; $block], data).unwrap();
                    },
                );
            };
        }
        of!(Rijndael192, 24, [24, 240]);
        of!(Rijndael256, 32, [32, 320]);
    }
}

fn named(implementation: &str, what: &str) -> String {
    format!("{implementation}, {what}")
}

/// A stream that has rounds ahead where there are any.
fn used(mut ctr: Ctr) -> Ctr {
    ctr.apply(&mut vec![0; 200_000]).unwrap();
    ctr
}
