//! What each mode does on this machine, beside what its ports allow and what aws-lc-rs does.
//!
//! `make bench-modes` runs all of it; words after `--bench modes --` choose the rows that contain one of them. All rows
//! take turns, a quantum of a few hundred microseconds each, and the medians are shown: compare within a run, not
//! between runs. `CIPHERTUNE_IMPLEMENTATION` forces an implementation.
//!
//! A row is one operation with the key kept, unless it says *new key*, in cache and in place; but *open* reads the one
//! message that it has, and writes where others have theirs. Messages stand in several buffers and do not wait for
//! each other: that is throughput. Rows that say *chained* take something of each message from what came out of the one
//! before: that is latency. Sealing takes its nonce, or its key, from the tag, and CMAC its text; opening takes its nonce
//! from the text, which holds it; XTS its unit's number and CFB its IV from the text; ECB and CBC decrypt what they have
//! made of one buffer once more. The bound is what AES instructions alone allow at the widest vectors; of GCM, what these
//! and carry-less products do beside each other. Where each block waits for the one before it, as in CCM, the ports are
//! not what bounds it, and none is shown.
#![forbid(unsafe_code)]

use std::{collections::BTreeMap, env, fmt, hint::black_box, time::Instant};

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
    bound: Bound,
    run: Box<dyn FnMut(usize)>,
    samples: Vec<f64>,
}

/// What bounds a row.
#[derive(Clone, Copy)]
enum Bound {
    /// Rounds of AES.
    Rounds,
    /// These and carry-less products beside them.
    Products,
    /// That each block waits for the one before it.
    Chain,
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

/// What came of an operation: an error would take little time, and pass for speed.
fn worked<T, E: fmt::Debug>(result: Result<T, E>) -> T {
    result.expect("every row is of what its mode takes")
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
        let bound = match (row.bound, row.bits) {
            (Bound::Rounds, bits) => of_rounds(bits),
            (Bound::Products, 128) => gcm_128,
            (Bound::Products, _) => gcm_256,
            (Bound::Chain, _) => None,
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
    let mut add = |name: String, length: usize, bound: Bound, run: Box<dyn FnMut(usize)>| {
        rows.push(Row {
            name,
            length,
            bits,
            bound,
            run,
            samples: Vec::new(),
        });
    };
    /// A row of operations on `$data`, which is another message each time.
    macro_rules! row {
        ($bound:ident, |$data:ident| $run:expr, $($name:tt)*) => {
            row!(TURNING, $bound, |$data| $run, $($name)*)
        };
        ($turning:expr, $bound:ident, |$data:ident| $run:expr, $($name:tt)*) => {{
            let mut data = vec![1_u8; ($turning / length).max(1) * length];
            let mut at = 0;
            add(format!($($name)*), length, Bound::$bound, Box::new(move |n| {
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
        ($bound:ident, |$data:ident| $run:expr, $($name:tt)*) => {
            row!(0, $bound, |$data| $run, $($name)*)
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
        Products,
        |data| black_box(worked(gcm.seal_in_place(&nonce(), b"", data))),
        "AES-{bits}-GCM seal"
    );
    let algorithm = if bits == 128 { &AES_128_GCM } else { &AES_256_GCM };
    let theirs = LessSafeKey::new(UnboundKey::new(algorithm, key)?);
    row!(
        Products,
        |data| {
            let nonce = Nonce::assume_unique_for_key(nonce());
            let tag = theirs.seal_in_place_separate_tag(nonce, Aad::empty(), data);
            let _ = black_box(worked(tag));
        },
        "AES-{bits}-GCM seal{PEER}"
    );
    let mut gcm = Gcm::new(key)?;
    let mut next = [0; 12];
    chained!(
        Products,
        |data| {
            let tag = worked(gcm.seal_in_place(&next, b"", data));
            next.copy_from_slice(&tag[..12]);
        },
        "AES-{bits}-GCM seal, chained"
    );
    let mut gcm = Gcm::new(key)?;
    let mut cipher = vec![1; length];
    let tag = gcm.seal_in_place(&[1; 12], b"", &mut cipher)?;
    row!(
        Products,
        |data| worked(gcm.open_to(&[1; 12], b"", &cipher, data, &tag)),
        "AES-{bits}-GCM open"
    );
    let mut gcm = Gcm::new(key)?;
    let mut cipher = vec![1; length];
    let tag = gcm.seal_in_place(&[1; 12], b"", &mut cipher)?;
    let mut next = [1; 12];
    chained!(
        Products,
        |data| {
            worked(gcm.open_to(&next, b"", &cipher, data, &tag));
            next.copy_from_slice(&data[..12]);
        },
        "AES-{bits}-GCM open, chained"
    );
    let mut gcm = Gcm::new(key)?;
    let mut fresh = key.to_vec();
    row!(
        Products,
        |data| {
            fresh[0] = fresh[0].wrapping_add(1);
            worked(gcm.rekey(&fresh));
            black_box(worked(gcm.seal_in_place(&[1; 12], b"", data)))
        },
        "AES-{bits}-GCM seal, new key"
    );
    let mut gcm = Gcm::new(key)?;
    let mut next = key.to_vec();
    chained!(
        Products,
        |data| {
            worked(gcm.rekey(&next));
            let tag = worked(gcm.seal_in_place(&[1; 12], b"", data));
            next[..16].copy_from_slice(&tag);
        },
        "AES-{bits}-GCM seal, new key, chained"
    );
    let mut fresh = key.to_vec();
    row!(
        Products,
        |data| {
            fresh[0] = fresh[0].wrapping_add(1);
            let key = UnboundKey::new(algorithm, &fresh).map(LessSafeKey::new);
            let nonce = Nonce::assume_unique_for_key([1; 12]);
            let tag = key.and_then(|key| key.seal_in_place_separate_tag(nonce, Aad::empty(), data));
            let _ = black_box(worked(tag));
        },
        "AES-{bits}-GCM seal, new key{PEER}"
    );
    let mut stream = GcmStream::new(Gcm::new(key)?);
    let mut left = 0;
    row!(
        Products,
        |data| {
            if left == 0 {
                worked(stream.start_again(&[1; 12]));
                left = 1 << 20;
            }
            left -= 1;
            worked(stream.encrypt(data))
        },
        "AES-{bits}-GCM part"
    );
    let ocb = Ocb::new(key)?;
    row!(
        Rounds,
        |data| black_box(worked(ocb.seal_in_place(&[1; 12], b"", data))),
        "AES-{bits}-OCB seal"
    );
    let ocb = Ocb::new(key)?;
    let mut next = [0; 12];
    chained!(
        Rounds,
        |data| {
            let tag = worked(ocb.seal_in_place(&next, b"", data));
            next.copy_from_slice(&tag[..12]);
        },
        "AES-{bits}-OCB seal, chained"
    );
    let ocb = Ocb::new(key)?;
    let mut cipher = vec![1; length];
    let tag = ocb.seal_in_place(&[1; 12], b"", &mut cipher)?;
    row!(
        Rounds,
        |data| worked(ocb.open_to(&[1; 12], b"", &cipher, data, &tag)),
        "AES-{bits}-OCB open"
    );
    let ocb = Ocb::new(key)?;
    let mut cipher = vec![1; length];
    let tag = ocb.seal_in_place(&[1; 12], b"", &mut cipher)?;
    let mut next = [1; 12];
    chained!(
        Rounds,
        |data| {
            worked(ocb.open_to(&next, b"", &cipher, data, &tag));
            next.copy_from_slice(&data[..12]);
        },
        "AES-{bits}-OCB open, chained"
    );
    let ccm = Ccm::new(key)?;
    row!(
        Chain,
        |data| black_box(worked(ccm.seal_in_place(&[1; 12], b"", data))),
        "AES-{bits}-CCM seal"
    );
    let ccm = Ccm::new(key)?;
    let mut next = [0; 12];
    chained!(
        Chain,
        |data| {
            let tag = worked(ccm.seal_in_place(&next, b"", data));
            next.copy_from_slice(&tag[..12]);
        },
        "AES-{bits}-CCM seal, chained"
    );
    let cmac = Cmac::new(key)?;
    row!(Chain, |data| black_box(cmac.tag(data)), "AES-{bits}-CMAC");
    let cmac = Cmac::new(key)?;
    chained!(
        Chain,
        |data| {
            let tag = cmac.tag(data);
            data[..16].copy_from_slice(&tag);
        },
        "AES-{bits}-CMAC, chained"
    );
    let keys: Vec<_> = (0..key.len() as u8 * 2).collect();
    let xts = Xts::new(&keys)?;
    row!(
        Rounds,
        |data| worked(xts.encrypt(1, data)),
        "AES-{bits}-XTS encrypt"
    );
    let first_block = |data: &[u8]| data.first_chunk().map_or(0, |block| u128::from_le_bytes(*block));
    let xts = Xts::new(&keys)?;
    chained!(
        Rounds,
        |data| worked(xts.encrypt(first_block(data), data)),
        "AES-{bits}-XTS encrypt, chained"
    );
    let xts = Xts::new(&keys)?;
    row!(
        Rounds,
        |data| worked(xts.decrypt(1, data)),
        "AES-{bits}-XTS decrypt"
    );
    let xts = Xts::new(&keys)?;
    chained!(
        Rounds,
        |data| worked(xts.decrypt(first_block(data), data)),
        "AES-{bits}-XTS decrypt, chained"
    );
    let cfb = Cfb::new(key)?;
    row!(
        Rounds,
        |data| cfb.decrypt(&mut Feedback::new([1; 16]), data),
        "AES-{bits}-CFB decrypt"
    );
    let cfb = Cfb::new(key)?;
    let mut next = [1; 16];
    chained!(
        Rounds,
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
            worked(cmac.tags(&messages, &mut tags));
        }
    };
    add(
        format!("AES-{bits}-CMAC, 32 at once"),
        32 * length,
        Bound::Rounds,
        Box::new(run),
    );
    if !length.is_multiple_of(16) {
        return Ok(());
    }
    let ecb = Ecb::new(key)?;
    row!(Rounds, |data| worked(ecb.encrypt(data)), "AES-{bits}-ECB encrypt");
    let ecb = Ecb::new(key)?;
    chained!(
        Rounds,
        |data| worked(ecb.encrypt(data)),
        "AES-{bits}-ECB encrypt, chained"
    );
    let cbc = Cbc::new(key)?;
    row!(
        Rounds,
        |data| worked(cbc.decrypt(&mut [1; 16], data)),
        "AES-{bits}-CBC decrypt"
    );
    let cbc = Cbc::new(key)?;
    chained!(
        Rounds,
        |data| worked(cbc.decrypt(&mut [1; 16], data)),
        "AES-{bits}-CBC decrypt, chained"
    );
    let cbc = Cbc::new(key)?;
    row!(
        Chain,
        |data| worked(cbc.encrypt(&mut [1; 16], data)),
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
            worked(many.encrypt(&mut messages));
        }
    };
    add(
        format!("AES-{bits}-CBC encrypt, 32 at once"),
        32 * length,
        Bound::Rounds,
        Box::new(run),
    );
    Ok(())
}
