//! What each mode does on this machine, beside what its ports allow and what aws-lc-rs does.
//!
//! `make bench-modes` runs all of it; words after `--bench modes --` choose the rows that contain one of them. All rows
//! take turns, a quantum of a few hundred microseconds each, and the medians are shown: compare within a run, not
//! between runs. `CIPHERTUNE_IMPLEMENTATION` forces an implementation.
//!
//! A row is one operation with the key kept, unless it says *new key*, in place and in cache. Messages stand in several
//! buffers and do not wait for each other: that is throughput. Rows that say *chained* take something of each message from
//! what came out of the one before: that is latency. Sealing takes its nonce, or its key, from the tag, and CMAC its text;
//! opening takes its nonce from the text, which holds it; XTS its unit's number and CFB its IV from the text; ECB and CBC
//! decrypt what they have made of one buffer once more. The bound is what AES instructions alone allow at the widest
//! vectors; of GCM, what these and carry-less products do beside each other.
#![forbid(unsafe_code)]

use std::{collections::BTreeMap, env, hint::black_box, time::Instant};

use aws_lc_rs::aead::{AES_128_GCM, AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ciphertune::{Cbc, CbcMany, Ccm, Cfb, Cmac, Ecb, Feedback, Gcm, GcmStream, Message, Ocb, Xts};
use ciphertune_engine::probe::{
    Width,
    ports::{Instruction, Ports},
};

/// How many times each row has its turn.
const TURNS: usize = 31;
/// Bytes of a turn, about.
const QUANTUM: usize = 2 << 20;
/// Bytes of messages that take turns, half of a cache's first level.
const TURNING: usize = 16_384;

struct Row {
    name: String,
    length: usize,
    /// Of the key.
    bits: u32,
    is_hashed: bool,
    run: Box<dyn FnMut(usize)>,
    samples: Vec<f64>,
}

/// What the ports can start of something at the widest vectors.
struct Limit {
    ports: Option<Ports>,
    /// In GB/s.
    samples: Vec<f64>,
}

impl Limit {
    fn of(instruction: Instruction) -> Self {
        let mut widths = Width::ALL.into_iter().rev();
        Self {
            ports: widths.find_map(|width| Ports::at(instruction, width)),
            samples: Vec::new(),
        }
    }

    fn sample(&mut self) {
        const PASSES: u64 = 10_000;
        if let Some(ports) = self.ports {
            let seconds = timed(|| ports.run(PASSES));
            self.samples
                .push((ports.bytes_per_pass() * PASSES) as f64 / seconds / 1e9);
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<_> = env::args().skip(1).filter(|word| word != "--bench").collect();
    let mut rows = Vec::new();
    for length in [16, 64, 256, 300, 1024, 1350, 4096, 16_384] {
        for bits in [128, 256] {
            add_rows(&mut rows, bits, length)?;
        }
    }
    rows.retain(|row| words.is_empty() || words.iter().any(|word| row.name.contains(word)));

    let mut limits = [Instruction::Round, Instruction::gcm(128), Instruction::gcm(256)].map(Limit::of);
    for _ in 0..TURNS {
        limits.iter_mut().for_each(Limit::sample);
        for row in &mut rows {
            let messages = (QUANTUM / (row.length + 400)).clamp(4, 4000);
            (row.run)(2);
            let seconds = timed(|| (row.run)(messages));
            row.samples.push(seconds * 1e9 / messages as f64);
        }
    }
    print(&mut rows, limits.map(|mut limit| median(&mut limit.samples)));
    Ok(())
}

fn timed(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}

fn median(samples: &mut [f64]) -> Option<f64> {
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied()
}

fn print(rows: &mut [Row], [rounds, gcm_128, gcm_256]: [Option<f64>; 3]) {
    let of_rounds = |bits: u32| rounds.map(|rate| rate / f64::from(bits / 32 + 6));
    let gb = |rate: Option<f64>| rate.map_or("-".to_owned(), |rate| format!("{rate:.1} GB/s"));
    println!(
        "bounds: AES-128 {}, AES-256 {}, AES-128-GCM {}, AES-256-GCM {}",
        gb(of_rounds(128)),
        gb(of_rounds(256)),
        gb(gcm_128),
        gb(gcm_256)
    );
    println!(
        "{:36} {:>7} {:>10} {:>7} {:>6} {:>12}",
        "", "bytes", "ns", "GB/s", "bound", "to aws-lc-rs"
    );
    let medians: BTreeMap<_, _> = rows
        .iter_mut()
        .filter_map(|row| Some(((row.name.clone(), row.length), median(&mut row.samples)?)))
        .collect();
    for row in rows.iter().filter(|row| !row.name.ends_with(PEER)) {
        let Some(ns) = medians.get(&(row.name.clone(), row.length)) else {
            continue;
        };
        let rate = row.length as f64 / ns;
        let bound = match (row.is_hashed, row.bits) {
            (false, bits) => of_rounds(bits),
            (true, 128) => gcm_128,
            (true, _) => gcm_256,
        };
        let share = bound.map_or("-".to_owned(), |bound| format!("{:.0} %", 100.0 * rate / bound));
        let peer = medians.get(&(format!("{}{PEER}", row.name), row.length));
        let ratio = peer.map_or("-".to_owned(), |peer| format!("{:.2} x", peer / ns));
        println!(
            "{:36} {:>7} {ns:>10.1} {rate:>7.2} {share:>6} {ratio:>12}",
            row.name, row.length
        );
    }
}

/// What the name of a peer's row ends in.
const PEER: &str = ", aws-lc-rs";

fn add_rows(rows: &mut Vec<Row>, bits: u32, length: usize) -> Result<(), Box<dyn std::error::Error>> {
    let key = &vec![7; bits as usize / 8][..];
    let mut add = |name: String, length: usize, is_hashed: bool, run: Box<dyn FnMut(usize)>| {
        rows.push(Row {
            name,
            length,
            bits,
            is_hashed,
            run,
            samples: Vec::new(),
        });
    };
    /// A row of operations on `$data`, which is another message each time.
    macro_rules! row {
        ($hashed:literal, |$data:ident| $run:expr, $($name:tt)*) => {
            row!(TURNING, $hashed, |$data| $run, $($name)*)
        };
        ($turning:expr, $hashed:literal, |$data:ident| $run:expr, $($name:tt)*) => {{
            let mut data = vec![1_u8; ($turning / length).max(1) * length];
            let mut at = 0;
            add(format!($($name)*), length, $hashed, Box::new(move |n| {
                for _ in 0..n {
                    let $data = &mut data[at..at + length];
                    $run;
                    at = (at + length) % data.len();
                }
            }));
        }};
    }
    /// A row of operations on `$data`, which is what the one before left.
    macro_rules! chained {
        ($hashed:literal, |$data:ident| $run:expr, $($name:tt)*) => {
            row!(0, $hashed, |$data| $run, $($name)*)
        };
    }

    let mut counter = 0_u64;
    let mut nonce = move || {
        counter += 1;
        let mut nonce = [0; 12];
        nonce[4..].copy_from_slice(&counter.to_be_bytes());
        nonce
    };
    let mut gcm = Gcm::new(key)?;
    row!(
        true,
        |data| black_box(gcm.seal_in_place(&nonce(), b"", data).ok()),
        "AES-{bits}-GCM seal"
    );
    let algorithm = if bits == 128 { &AES_128_GCM } else { &AES_256_GCM };
    let theirs = LessSafeKey::new(UnboundKey::new(algorithm, key)?);
    row!(
        true,
        |data| black_box(
            theirs
                .seal_in_place_separate_tag(Nonce::assume_unique_for_key(nonce()), Aad::empty(), data)
                .ok()
        ),
        "AES-{bits}-GCM seal{PEER}"
    );
    let mut gcm = Gcm::new(key)?;
    let mut next = [0; 12];
    chained!(
        true,
        |data| if let Ok(tag) = gcm.seal_in_place(&next, b"", data) {
            next.copy_from_slice(&tag[..12]);
        },
        "AES-{bits}-GCM seal, chained"
    );
    let mut gcm = Gcm::new(key)?;
    let mut cipher = vec![1; length];
    let tag = gcm.seal_in_place(&[1; 12], b"", &mut cipher)?;
    row!(
        true,
        |data| black_box(gcm.open_to(&[1; 12], b"", &cipher, data, &tag).ok()),
        "AES-{bits}-GCM open"
    );
    let mut gcm = Gcm::new(key)?;
    let mut cipher = vec![1; length];
    let tag = gcm.seal_in_place(&[1; 12], b"", &mut cipher)?;
    let mut next = [1; 12];
    chained!(
        true,
        |data| if gcm.open_to(&next, b"", &cipher, data, &tag).is_ok() {
            next.copy_from_slice(&data[..12]);
        },
        "AES-{bits}-GCM open, chained"
    );
    let mut gcm = Gcm::new(key)?;
    let mut fresh = key.to_vec();
    row!(
        true,
        |data| {
            fresh[0] = fresh[0].wrapping_add(1);
            black_box(gcm.rekey(&fresh).ok());
            black_box(gcm.seal_in_place(&[1; 12], b"", data).ok())
        },
        "AES-{bits}-GCM seal, new key"
    );
    let mut gcm = Gcm::new(key)?;
    let mut next = key.to_vec();
    chained!(
        true,
        |data| {
            black_box(gcm.rekey(&next).ok());
            if let Ok(tag) = gcm.seal_in_place(&[1; 12], b"", data) {
                next[..16].copy_from_slice(&tag);
            }
        },
        "AES-{bits}-GCM seal, new key, chained"
    );
    let mut fresh = key.to_vec();
    row!(
        true,
        |data| {
            fresh[0] = fresh[0].wrapping_add(1);
            let key = UnboundKey::new(algorithm, &fresh).map(LessSafeKey::new);
            let nonce = Nonce::assume_unique_for_key([1; 12]);
            black_box(
                key.map(|key| key.seal_in_place_separate_tag(nonce, Aad::empty(), data))
                    .ok(),
            )
        },
        "AES-{bits}-GCM seal, new key{PEER}"
    );
    let mut stream = GcmStream::new(Gcm::new(key)?);
    let mut left = 0;
    row!(
        true,
        |data| {
            if left == 0 {
                black_box(stream.start_again(&[1; 12]).ok());
                left = 1 << 20;
            }
            left -= 1;
            black_box(stream.encrypt(data).ok())
        },
        "AES-{bits}-GCM part"
    );
    let ocb = Ocb::new(key)?;
    row!(
        false,
        |data| black_box(ocb.seal_in_place(&[1; 12], b"", data).ok()),
        "AES-{bits}-OCB seal"
    );
    let ocb = Ocb::new(key)?;
    let mut next = [0; 12];
    chained!(
        false,
        |data| if let Ok(tag) = ocb.seal_in_place(&next, b"", data) {
            next.copy_from_slice(&tag[..12]);
        },
        "AES-{bits}-OCB seal, chained"
    );
    let ocb = Ocb::new(key)?;
    let mut cipher = vec![1; length];
    let tag = ocb.seal_in_place(&[1; 12], b"", &mut cipher)?;
    row!(
        false,
        |data| black_box(ocb.open_to(&[1; 12], b"", &cipher, data, &tag).ok()),
        "AES-{bits}-OCB open"
    );
    let ocb = Ocb::new(key)?;
    let mut cipher = vec![1; length];
    let tag = ocb.seal_in_place(&[1; 12], b"", &mut cipher)?;
    let mut next = [1; 12];
    chained!(
        false,
        |data| if ocb.open_to(&next, b"", &cipher, data, &tag).is_ok() {
            next.copy_from_slice(&data[..12]);
        },
        "AES-{bits}-OCB open, chained"
    );
    let ccm = Ccm::new(key)?;
    row!(
        false,
        |data| black_box(ccm.seal_in_place(&[1; 12], b"", data).ok()),
        "AES-{bits}-CCM seal"
    );
    let ccm = Ccm::new(key)?;
    let mut next = [0; 12];
    chained!(
        false,
        |data| if let Ok(tag) = ccm.seal_in_place(&next, b"", data) {
            next.copy_from_slice(&tag[..12]);
        },
        "AES-{bits}-CCM seal, chained"
    );
    let cmac = Cmac::new(key)?;
    row!(false, |data| black_box(cmac.tag(data)), "AES-{bits}-CMAC");
    let cmac = Cmac::new(key)?;
    chained!(
        false,
        |data| {
            let tag = cmac.tag(data);
            data[..16].copy_from_slice(&tag);
        },
        "AES-{bits}-CMAC, chained"
    );
    let keys: Vec<_> = (0..key.len() as u8 * 2).collect();
    let xts = Xts::new(&keys)?;
    row!(
        false,
        |data| black_box(xts.encrypt(1, data).ok()),
        "AES-{bits}-XTS encrypt"
    );
    let first_block = |data: &[u8]| data.first_chunk().map_or(0, |block| u128::from_le_bytes(*block));
    let xts = Xts::new(&keys)?;
    chained!(
        false,
        |data| black_box(xts.encrypt(first_block(data), data).ok()),
        "AES-{bits}-XTS encrypt, chained"
    );
    let xts = Xts::new(&keys)?;
    row!(
        false,
        |data| black_box(xts.decrypt(1, data).ok()),
        "AES-{bits}-XTS decrypt"
    );
    let xts = Xts::new(&keys)?;
    chained!(
        false,
        |data| black_box(xts.decrypt(first_block(data), data).ok()),
        "AES-{bits}-XTS decrypt, chained"
    );
    let cfb = Cfb::new(key)?;
    row!(
        false,
        |data| cfb.decrypt(&mut Feedback::new([1; 16]), data),
        "AES-{bits}-CFB decrypt"
    );
    let cfb = Cfb::new(key)?;
    let mut next = [1; 16];
    chained!(
        false,
        |data| {
            cfb.decrypt(&mut Feedback::new(next), data);
            next.copy_from_slice(&data[..16]);
        },
        "AES-{bits}-CFB decrypt, chained"
    );
    let cmac = Cmac::new(key)?;
    let all = vec![vec![1; length]; 32];
    let run = move |n| {
        let messages: Vec<_> = all.iter().map(Vec::as_slice).collect();
        let mut tags = [[0; 16]; 32];
        for _ in 0..n {
            black_box(cmac.tags(&messages, &mut tags).ok());
        }
    };
    add(
        format!("AES-{bits}-CMAC, 32 at once"),
        32 * length,
        false,
        Box::new(run),
    );
    if !length.is_multiple_of(16) {
        return Ok(());
    }
    let ecb = Ecb::new(key)?;
    row!(
        false,
        |data| black_box(ecb.encrypt(data).ok()),
        "AES-{bits}-ECB encrypt"
    );
    let ecb = Ecb::new(key)?;
    chained!(
        false,
        |data| black_box(ecb.encrypt(data).ok()),
        "AES-{bits}-ECB encrypt, chained"
    );
    let cbc = Cbc::new(key)?;
    row!(
        false,
        |data| black_box(cbc.decrypt(&mut [1; 16], data).ok()),
        "AES-{bits}-CBC decrypt"
    );
    let cbc = Cbc::new(key)?;
    chained!(
        false,
        |data| black_box(cbc.decrypt(&mut [1; 16], data).ok()),
        "AES-{bits}-CBC decrypt, chained"
    );
    let cbc = Cbc::new(key)?;
    row!(
        false,
        |data| black_box(cbc.encrypt(&mut [1; 16], data).ok()),
        "AES-{bits}-CBC encrypt"
    );
    let many = CbcMany::new(key)?;
    let mut all = vec![vec![1; length]; 32];
    let run = move |n| {
        let mut messages: Vec<_> = all
            .iter_mut()
            .map(|data| Message {
                iv: [1; 16],
                data: data.as_mut_slice().into(),
            })
            .collect();
        for _ in 0..n {
            black_box(many.encrypt(&mut messages).ok());
        }
    };
    add(
        format!("AES-{bits}-CBC encrypt, 32 at once"),
        32 * length,
        false,
        Box::new(run),
    );
    Ok(())
}
