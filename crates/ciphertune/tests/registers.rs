//! No round key, of either direction, and nothing else that was made and not given out is in a vector register when a call is
//! back, whatever the mode. Texts may be:
//! glibc's memcpy leaves in them what it copied last.
//!
//! In builds for all processors and in those for one (`-C target-cpu=native`), which take registers that others leave
//! alone: `make wiped wiped-native`. This is a promise of optimised code, as in `wiped.rs`.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;
#[allow(dead_code, reason = "this needs the schedule alone")]
mod schedule;

use std::{
    alloc::{GlobalAlloc, Layout, System},
    arch::asm,
    cell::Cell,
    collections::HashSet,
    fs::File,
    mem::MaybeUninit,
    os::unix::fs::FileExt,
    ptr, slice,
};

use ciphertune::{
    Cbc, Ccm, Cfb, Cfb8, Cmac, CmacStream, Ctr, Ecb, Feedback, Gcm, GcmStream, Implementation, Ocb, Ofb, Xts,
};

use common::{available, bytes};
use schedule::{inner_inverse, permuted, schedule};

const KEY: [u8; 16] = *b"0123456789abcdeF";

/// Memory that begins as zeros: what a key has not made of its room holds what somebody left there, as an address that is in a
/// register too.
struct Zeros;

thread_local! {
    /// The pieces that this thread was given last, by where they lie and how long they are.
    static LATEST: Cell<[(usize, usize); 64]> = const { Cell::new([(0, 0); 64]) };
}

// SAFETY: the system's, of which what it gave is filled with zeros. Taking a note of it allocates nothing.
unsafe impl GlobalAlloc for Zeros {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller.
        let place = unsafe { System.alloc(layout) };
        let mut latest = LATEST.get();
        latest.rotate_right(1);
        latest[0] = (place.addr(), layout.size());
        LATEST.set(latest);
        if !place.is_null() {
            // SAFETY: it was given just now, and is as long.
            unsafe { place.write_bytes(0, libc::malloc_usable_size(place.cast())) };
        }
        place
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as the caller.
        unsafe { System.dealloc(place, layout) };
    }
}

#[global_allocator]
static ALLOCATOR: Zeros = Zeros;

/// The vector registers, as wide and as many as this processor has them.
///
/// Nothing may happen before they are stored: whatever fills memory with zeros takes some of them for it.
#[inline(never)]
fn registers() -> Vec<Vec<u8>> {
    let mut found = MaybeUninit::<[[u8; 64]; 32]>::uninit();
    let place = found.as_mut_ptr();
    macro_rules! store {
        ($instruction:literal, $register:literal, $bytes:literal, $($n:literal)*) => {{
            // SAFETY: each register has 64 bytes of its own, and the processor has the instruction.
            unsafe {
                asm!($(concat!($instruction, " [{place} + 64 * ", $n, "], ", $register, $n),)* place = in(reg) place)
            }
            // SAFETY: so many of its bytes were just written.
            vec![$(unsafe { slice::from_raw_parts(place.cast::<u8>().add(64 * $n), $bytes) }.to_vec()),*]
        }};
    }
    if is_x86_feature_detected!("avx512f") {
        store!("vmovdqu64", "zmm", 64, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31)
    } else if is_x86_feature_detected!("avx") {
        store!("vmovdqu", "ymm", 32, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    } else {
        store!("movdqu", "xmm", 16, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    }
}

/// Beforehand: [`registers`] would do it the first time, in some of those that it is to store.
fn look_for_instructions() {
    let _ = is_x86_feature_detected!("avx512f");
}

/// What this test copies goes through registers too, and narrow kernels leave those that they do not use as they are.
fn clear_registers() {
    macro_rules! clear {
        ($instruction:literal, $register:literal, $($n:literal)*) => {
            // SAFETY: the processor has the instruction, and the compiler is told that all vectors are lost.
            unsafe {
                asm!(
                    $(concat!($instruction, " ", $register, $n, ", ", $register, $n, ", ", $register, $n),)*
                    clobber_abi("sysv64"),
                )
            }
        };
    }
    if is_x86_feature_detected!("avx512f") {
        clear!("vpxord", "zmm", 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
    } else if is_x86_feature_detected!("avx") {
        // SAFETY: the processor has the instruction, and the compiler is told that all vectors are lost.
        unsafe { asm!("vzeroall", clobber_abi("sysv64")) };
    }
}

/// No key: what narrow kernels do not use they leave as it is.
const PUT: [u8; 16] = *b"what is put here";

/// What is in the registers after [`PUT`] was put into one of them, for each.
fn with_one_put() -> Vec<Vec<Vec<u8>>> {
    macro_rules! load {
        ($instruction:literal, $register:literal, $($n:literal)*) => {
            [$({
                // SAFETY: these are 16 bytes, and the processor has the instruction. It is told that all are lost.
                unsafe {
                    asm!(
                        concat!($instruction, " ", $register, $n, ", [{put}]"),
                        put = in(reg) PUT.as_ptr(),
                        clobber_abi("sysv64"),
                    );
                }
                registers()
            }),*]
        };
    }
    look_for_instructions();
    let low = load!("movdqu", "xmm", 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    let mut found = low.to_vec();
    if is_x86_feature_detected!("avx512f") {
        found.extend(load!("vbroadcasti32x4", "zmm", 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31));
    }
    found
}

/// Which of them has one of these blocks.
fn with_one_of(blocks: &[u8], registers: &[Vec<u8>]) -> Vec<usize> {
    let is_one = |lane: &[u8]| blocks.chunks(16).any(|block| block == lane);
    let has_one = |&number: &usize| registers[number].chunks(16).any(is_one);
    (0..registers.len()).filter(has_one).collect()
}

type Call = fn(Implementation, &mut [u8]) -> Vec<Vec<u8>>;

/// Each answers what is in the registers after one call.
const CALLS: &[(&str, Call)] = &[
    ("CTR", |implementation, data| {
        let mut ctr = Ctr::with_implementation(implementation, &KEY, &[9; 16]).unwrap();
        ctr.apply(data).unwrap();
        registers()
    }),
    ("ECB", |implementation, data| {
        let ecb = Ecb::with_implementation(implementation, &KEY).unwrap();
        ecb.decrypt(data).unwrap();
        registers()
    }),
    ("CBC encryption", |implementation, data| {
        let cbc = Cbc::with_implementation(implementation, &KEY).unwrap();
        cbc.encrypt(&mut [0; 16], data).unwrap();
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
            return Vec::new();
        };
        gcm.seal_in_place(&[9; 12], b"", data).unwrap();
        registers()
    }),
    ("GCM in parts", |implementation, data| {
        let Ok(gcm) = Gcm::with_implementation(implementation, &KEY) else {
            return Vec::new();
        };
        let mut stream = GcmStream::new(gcm);
        stream.start(&[9; 12]).unwrap();
        stream.encrypt(data).unwrap();
        registers()
    }),
];

/// What a context has on the heap, with what it points to there. Its type is a box of that and nothing else.
fn heap_of<T>(context: &T) -> Vec<u8> {
    assert_eq!(size_of::<T>(), size_of::<usize>());
    let latest = LATEST.get();
    // SAFETY: the context is a box: an address.
    let place = unsafe { ptr::from_ref(context).cast::<usize>().read() };
    // By the kernel: some of it nobody has written.
    let memory = File::open("/proc/self/mem").unwrap();
    let piece_at = |place: usize| {
        let (_, len) = latest.iter().find(|(start, _)| *start == place)?;
        let mut bytes = vec![0; *len];
        memory.read_exact_at(&mut bytes, place as u64).unwrap();
        Some(bytes)
    };
    let own = piece_at(place).expect("it was made just now");
    let mut all = Vec::new();
    for word in own.as_chunks().0 {
        // Of an address what it leads to, and not itself: that is no secret, and in a register for many a reason.
        match piece_at(usize::from_ne_bytes(*word)) {
            Some(piece) => all.extend(piece),
            None => all.extend(word),
        }
    }
    all
}

/// The words that the first has and the second, of the same history with another key, has not. Those of zeros and ones alone
/// constants of the code may be as well.
fn words_of_one_key(one: &[u8], other: &[u8]) -> HashSet<[u8; 8]> {
    let words = |heap: &[u8]| heap.as_chunks().0.iter().copied().collect::<HashSet<[u8; 8]>>();
    let mut words_of_one = &words(one) - &words(other);
    words_of_one.retain(|word| !word.iter().all(|byte| matches!(byte, 0 | 0xff)));
    words_of_one
}

/// What a clone has of a key is copied by way of no register: no subkey, no power of a hash key, no keystream.
#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "run it on optimised code: cargo test --release -p ciphertune --test registers"
)]
fn a_clone_leaves_nothing_of_its_key() {
    // Without a pattern, which planes would have too, and constants of the code.
    let keys = [bytes(1, 16), bytes(2, 16)];
    let mut left = Vec::new();
    look_for_instructions();
    for implementation in available() {
        macro_rules! check {
            ($type:ident, |$key:ident| $make:expr) => {
                let make = |$key: &[u8]| $make;
                let [one, other] = keys.each_ref().map(|key| make(key));
                let clone = one.clone();
                let found = registers();
                let words = words_of_one_key(&heap_of(&clone), &heap_of(&other));
                assert!(words.len() > 10, "{}: {}", stringify!($type), words.len());
                for (number, register) in found.iter().enumerate() {
                    if register
                        .as_chunks()
                        .0
                        .iter()
                        .any(|word| words.contains(word))
                    {
                        left.push(format!(
                            "{}, {}: {number}",
                            implementation.name(),
                            stringify!($type)
                        ));
                    }
                }
            };
        }
        check!(Ctr, |key| {
            let mut ctr = Ctr::with_implementation(implementation, key, &[9; 16]).unwrap();
            ctr.apply(&mut [0; 5]).unwrap();
            ctr
        });
        check!(Cmac, |key| Cmac::with_implementation(implementation, key)
            .unwrap());
        check!(Ocb, |key| Ocb::with_implementation(implementation, key).unwrap());
        if implementation.gcm().is_some() {
            check!(Gcm, |key| {
                let mut gcm = Gcm::with_implementation(implementation, key).unwrap();
                gcm.seal_in_place(&[9; 12], b"", &mut [0; 5008]).unwrap();
                gcm
            });
        }
    }
    assert!(left.is_empty(), "{}", left.join("\n"));
}

/// Nor does one of where a message stands leave keystream, or what its MAC has come to.
#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "run it on optimised code: cargo test --release -p ciphertune --test registers"
)]
fn a_clone_leaves_nothing_of_its_message() {
    look_for_instructions();
    for implementation in available() {
        let ofb = Ofb::with_implementation(implementation, &KEY).unwrap();
        let mut at = Box::new(Feedback::new([9; 16]));
        ofb.apply(&mut at, &mut [0; 5]);
        let mut clone = Box::new(Feedback::new([0; 16]));
        // What such a call may leave in registers is another's then.
        let other = Ofb::with_implementation(implementation, &[1; 16]).unwrap();
        other.apply(&mut Feedback::new([0; 16]), &mut [0; 5]);
        clone.clone_from(&at);
        let found = registers();
        assert_eq!(clone.block(), at.block());
        let left = with_one_of(at.block(), &found);
        assert!(left.is_empty(), "{implementation:?}, keystream: {left:?}");

        let mut stream = CmacStream::new(Cmac::with_implementation(implementation, &KEY).unwrap());
        stream.update(&[7; 33]);
        let clone = stream.clone();
        let found = registers();
        let mut mac = [0; 16];
        let cbc = Cbc::with_implementation(implementation, &KEY).unwrap();
        cbc.encrypt(&mut mac, &mut [7; 32]).unwrap();
        let left = with_one_of(&mac, &found);
        assert!(left.is_empty(), "{implementation:?}, MAC: {left:?}");
        drop((clone, stream));
    }
}

/// What is in the registers after a call by this implementation.
type Leaves = Box<dyn Fn(Implementation) -> Vec<Vec<u8>>>;

/// Calls that end within a block, each with what it has made besides and not given out.
fn calls_and_secrets() -> Vec<(&'static str, Vec<u8>, Leaves)> {
    const LEN: usize = 37;
    const NEARLY: [u8; 16] = [9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 255, 255, 255, 253];
    // One to four vectors, the last one whole and not; then tails, and batches with and without something behind them, all of which
    // steal.
    const UNITS: [usize; 8] = [16, 48, 128, 176, LEN, 535, 777, 1350];
    let ecb = |key: &[u8; 16], block: [u8; 16]| {
        let mut block = block;
        let ecb = Ecb::with_implementation(Implementation::PORTABLE, key).unwrap();
        ecb.encrypt(&mut block).unwrap();
        block
    };
    // As many blocks as the widest batch has, from that counter on.
    let keystream = |first: [u8; 16]| {
        let first = u128::from_be_bytes(first);
        let blocks = (0..64).map(|n| ecb(&KEY, (first + n).to_be_bytes()));
        blocks.collect::<Vec<_>>().concat()
    };
    // The counters whose keystream hides the tags.
    let mut gcm_first = [9; 16];
    gcm_first[12..].copy_from_slice(&[0, 0, 0, 1]);
    let mut ccm_first = [9; 16];
    ccm_first[0] = 2;
    ccm_first[13..].fill(0);
    let key_32: [u8; 32] = [KEY, [4; 16]].concat().try_into().unwrap();
    let mut tweak = u128::from_le_bytes(ecb(&[4; 16], 5_u128.to_le_bytes()));
    let tweaks = (0..=UNITS[UNITS.len() - 1] / 16).flat_map(|_| {
        let now = tweak;
        tweak = now << 1 ^ if now >> 127 == 1 { 0x87 } else { 0 };
        now.to_le_bytes()
    });
    let tweaks: Vec<u8> = tweaks.collect();
    // What a last round adds of a text of zeros in the place of its key.
    let keys = schedule(&KEY);
    let first_and_last = keys
        .iter()
        .zip(&keys[keys.len() - 16..])
        .map(|(first, last)| first ^ last);
    // Of each block the first byte alone hides text.
    let by_bytes = (0..16).map(|n| {
        let mut before = [9; 16];
        before[16 - n..].fill(0);
        ecb(&KEY, before)
    });
    let mut pad = ecb(&KEY, gcm_first).to_vec();
    pad.extend(&keystream(gcm_first)[16 + LEN..]);
    let mut all: Vec<(&'static str, Vec<u8>, Leaves)> = vec![
        (
            "CTR",
            keystream([9; 16])[LEN..].to_vec(),
            Box::new(|implementation| {
                let mut ctr = Ctr::with_implementation(implementation, &KEY, &[9; 16]).unwrap();
                ctr.apply(&mut [0; LEN]).unwrap();
                registers()
            }),
        ),
        (
            "CTR within a vector",
            keystream([9; 16])[5..].to_vec(),
            Box::new(|implementation| {
                let mut ctr = Ctr::with_implementation(implementation, &KEY, &[9; 16]).unwrap();
                ctr.apply(&mut [0; 5]).unwrap();
                registers()
            }),
        ),
        (
            "CTR before the last four bytes carry",
            keystream(NEARLY)[4..].to_vec(),
            Box::new(|implementation| {
                let mut ctr = Ctr::with_implementation(implementation, &KEY, &NEARLY).unwrap();
                ctr.apply(&mut [0; 4]).unwrap();
                registers()
            }),
        ),
        (
            "CTR of what is spare",
            keystream([9; 16])[12..].to_vec(),
            Box::new(|implementation| {
                let mut ctr = Ctr::with_implementation(implementation, &KEY, &[9; 16]).unwrap();
                ctr.apply(&mut [0; 5]).unwrap();
                ctr.apply(&mut [0; 7]).unwrap();
                registers()
            }),
        ),
        (
            "CTR from what is spare on",
            keystream([9; 16])[70..].to_vec(),
            Box::new(|implementation| {
                let mut ctr = Ctr::with_implementation(implementation, &KEY, &[9; 16]).unwrap();
                ctr.apply(&mut [0; 50]).unwrap();
                ctr.apply(&mut [0; 20]).unwrap();
                registers()
            }),
        ),
        (
            "CBC",
            first_and_last.collect(),
            Box::new(|implementation| {
                let cbc = Cbc::with_implementation(implementation, &KEY).unwrap();
                cbc.encrypt(&mut [9; 16], &mut [0; 48]).unwrap();
                registers()
            }),
        ),
        (
            "CFB",
            ecb(&KEY, [9; 16])[5..].to_vec(),
            Box::new(|implementation| {
                let cfb = Cfb::with_implementation(implementation, &KEY).unwrap();
                cfb.encrypt(&mut Feedback::new([9; 16]), &mut [0; 5]);
                registers()
            }),
        ),
        (
            "CFB-8",
            by_bytes.flat_map(|block| block[1..].to_vec()).collect(),
            Box::new(|implementation| {
                let cfb = Cfb8::with_implementation(implementation, &KEY).unwrap();
                cfb.decrypt(&mut [9; 16], &mut [0; 21]);
                registers()
            }),
        ),
        (
            "OFB",
            ecb(&KEY, [9; 16])[5..].to_vec(),
            Box::new(|implementation| {
                let ofb = Ofb::with_implementation(implementation, &KEY).unwrap();
                ofb.apply(&mut Feedback::new([9; 16]), &mut [0; 5]);
                registers()
            }),
        ),
        (
            "CCM",
            ecb(&KEY, ccm_first).to_vec(),
            Box::new(|implementation| {
                let ccm = Ccm::with_implementation(implementation, &KEY).unwrap();
                ccm.seal_in_place(&[9; 12], b"", &mut [0; LEN]).unwrap();
                registers()
            }),
        ),
        (
            "OCB",
            ecb(&KEY, [0; 16]).to_vec(),
            Box::new(|implementation| {
                let ocb = Ocb::with_implementation(implementation, &KEY).unwrap();
                ocb.seal_in_place(&[9; 12], b"", &mut [0; LEN]).unwrap();
                registers()
            }),
        ),
        (
            "GCM",
            pad.clone(),
            Box::new(|implementation| {
                let Ok(mut gcm) = Gcm::with_implementation(implementation, &KEY) else {
                    return Vec::new();
                };
                // Once more, when there are powers for all of it.
                gcm.seal_in_place(&[8; 12], b"", &mut [0; LEN]).unwrap();
                gcm.seal_in_place(&[9; 12], b"", &mut [0; LEN]).unwrap();
                registers()
            }),
        ),
        (
            "GCM in parts",
            pad,
            Box::new(|implementation| {
                let Ok(gcm) = Gcm::with_implementation(implementation, &KEY) else {
                    return Vec::new();
                };
                let mut stream = GcmStream::new(gcm);
                for nonce in [[8; 12], [9; 12]] {
                    stream.start(&nonce).unwrap();
                    stream.encrypt(&mut [0; LEN]).unwrap();
                }
                registers()
            }),
        ),
    ];
    for key in [b"0123456789abcdeFghijklmn".to_vec(), key_32.to_vec()] {
        let secret = schedule(&key);
        let leaves: Leaves = Box::new(move |implementation| {
            let cbc = Cbc::with_implementation(implementation, &key).unwrap();
            cbc.encrypt(&mut [9; 16], &mut [0; 48]).unwrap();
            registers()
        });
        all.push(("CBC by a longer key", secret, leaves));
    }
    for len in UNITS {
        let encrypts: Leaves = Box::new(move |implementation| {
            let xts = Xts::with_implementation(implementation, &key_32).unwrap();
            xts.encrypt(5, &mut vec![0; len]).unwrap();
            registers()
        });
        let decrypts: Leaves = Box::new(move |implementation| {
            let xts = Xts::with_implementation(implementation, &key_32).unwrap();
            xts.decrypt(5, &mut vec![0; len]).unwrap();
            registers()
        });
        all.push(("XTS", tweaks.clone(), encrypts));
        all.push(("XTS, decryption", tweaks.clone(), decrypts));
    }
    // A block by itself, of which the text, too, was in registers.
    let blocks: [fn(Implementation, &mut [u8]); 3] = [
        |implementation, block| {
            let cfb = Cfb::with_implementation(implementation, &KEY).unwrap();
            cfb.encrypt(&mut Feedback::new([9; 16]), block);
        },
        |implementation, block| {
            let cfb = Cfb::with_implementation(implementation, &KEY).unwrap();
            cfb.decrypt(&mut Feedback::new([9; 16]), block);
        },
        |implementation, block| {
            let ofb = Ofb::with_implementation(implementation, &KEY).unwrap();
            ofb.apply(&mut Feedback::new([9; 16]), block);
        },
    ];
    for call in blocks {
        let leaves: Leaves = Box::new(move |implementation| {
            call(implementation, &mut [7; 16]);
            registers()
        });
        let secret = ecb(&KEY, [9; 16]).into_iter().chain([7; 16]).collect();
        all.push(("a block of CFB or OFB", secret, leaves));
    }
    all
}

/// Nor keystream left over, a tweak, or the pad of a tag, not even half of one.
#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "run it on optimised code: cargo test --release -p ciphertune --test registers"
)]
fn registers_hold_nothing_that_was_not_given_out() {
    look_for_instructions();
    let mut left = Vec::new();
    for (mode, secret, leaves) in calls_and_secrets() {
        let secret: HashSet<&[u8]> = secret.windows(8).collect();
        for implementation in available() {
            clear_registers();
            let found = leaves(implementation);
            for (number, register) in found.iter().enumerate() {
                if register.windows(8).any(|half| secret.contains(half)) {
                    left.push(format!(
                        "{}, {mode}: {number}: {register:x?}",
                        implementation.name()
                    ));
                }
            }
        }
    }
    assert!(left.is_empty(), "{}", left.join("\n"));
}

#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "run it on optimised code: cargo test --release -p ciphertune --test registers"
)]
fn registers_hold_no_key() {
    for (number, found) in with_one_put().into_iter().enumerate() {
        let seen = with_one_of(&PUT, &found);
        assert!(
            seen.contains(&number),
            "what was put into register {number} is in {seen:?}"
        );
    }
    let mut keys = schedule(&KEY);
    let [encrypt, decrypt] = permuted(&keys);
    keys.extend(inner_inverse(&keys));
    keys.extend(encrypt.into_iter().chain(decrypt).flatten());
    let mut left = Vec::new();
    // The portable code has no register of its own.
    let vectors = available().filter(|&i| i != Implementation::PORTABLE);
    for implementation in vectors {
        for (mode, call) in CALLS {
            let stealing = [535, 777].into_iter().filter(|_| *mode == "XTS");
            for len in [16, 48, 96, 1024, 5008].into_iter().chain(stealing) {
                let mut data = vec![0; len];
                clear_registers();
                let found = call(implementation, &mut data);
                for number in with_one_of(&keys, &found) {
                    let name = implementation.name();
                    let register = &found[number];
                    left.push(format!("{name}, {mode}, {len} bytes: {number}: {register:x?}"));
                }
            }
        }
    }
    assert!(left.is_empty(), "{}", left.join("\n"));
}
