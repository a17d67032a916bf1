//! An implementation against Ciphertune's portable code or, beyond AES, against RustCrypto's, over the cases in which
//! ciphers have broken: every tail, every alignment, calls that stop within a block, counters that carry, forgeries
//! that pass.
//!
//! Keys, data and cases follow from the seed alone.
use std::{ops::Range, slice};

use crate::{
    Contract, Fault, Kind, New, Task,
    case::{Bench, Case, Failure, LONGEST_LEAD, Place},
    random::Random,
    reference,
};

/// Up to which length each one is run, and with how many offsets of the buffers each combination of length, counter,
/// placing and updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// One, drawn at random, and of a stream's carries one for each length: milliseconds. Before each measurement.
    Quick,
    /// All 64: seconds. For tests.
    Exhaustive,
    /// All 64, of each length to 2100 bytes, and lengths drawn at random up to 64 KiB and a block: many seconds.
    Proof,
}

impl Strength {
    /// Up to this length in bytes every one is checked: past the widest loop there is (1024 bytes) and a block, or past
    /// two of them.
    fn every_length(self) -> usize {
        match self {
            Self::Quick | Self::Exhaustive => 1040,
            Self::Proof => 2100,
        }
    }

    /// How many longer messages there are of random lengths.
    fn drawn(self) -> usize {
        match self {
            Self::Quick | Self::Exhaustive => 0,
            Self::Proof => 256,
        }
    }
}

/// What becomes of a whole message: its ciphertext, or itself where there is none, and its tag.
pub type Made = Result<(Vec<u8>, Vec<u8>), Fault>;

/// Makes it, by key, IV, additional data and message.
pub type Forward<'a> = &'a dyn Fn(&[u8], &[u8], &[u8], &[u8]) -> Made;

/// Whether contexts do what `forward` does, or undo it: every length up to 1040 or 2100 bytes that the task takes (of CFB-8,
/// up to a sixteenth of that, and so on), and longer ones; in place (where that works) and buffer to buffer; in one call and,
/// of a stream, in several.
///
/// Counter mode gets counters that carry out of their low 8, 16, 32, 64 and 128 bits within the message, of a stream of
/// AES at its begin and 8 or 24 KiB on. What opens sealed messages must refuse each with a bit changed.
///
/// In place of messages of more than `most` bytes, which is at least 4 KiB, there are some of that length.
pub fn check(
    forward: Forward<'_>,
    task: Task,
    most: usize,
    strength: Strength,
    seed: u64,
    new: New<'_>,
) -> Result<(), Failure> {
    let random = &mut Random::new(seed);
    let longest = strength.every_length() / task.algorithm.slowed_by_bytes();
    let mut driver = Driver::new(forward, task, new, longest, random);
    let every_length = || (0..=longest).filter(|&length| task.takes(length));
    if is_counter_stream(task) {
        let mut spans = Vec::new();
        for carry in CARRIES {
            spans.push(Span::new(forward, task, carry, longest, random)?);
        }
        for length in every_length() {
            let spans = match strength {
                Strength::Quick => slice::from_ref(&spans[random.up_to(spans.len() - 1)]),
                Strength::Exhaustive | Strength::Proof => &spans,
            };
            for span in spans {
                driver.check_stream(span, length, strength, random)?;
            }
        }
    } else {
        let mut key = Vec::new();
        for length in every_length() {
            // A new key now and then: its schedule is part of what is checked.
            if length % 64 == 0 || key.is_empty() {
                key = random.bytes(task.algorithm.key_len());
            }
            let carry = CARRIES.get(random.up_to(CARRIES.len())).copied();
            driver.check_message(&key, length, carry, strength, random)?;
        }
    }
    // A mebibyte by the portable code takes long where it cannot make the keystream ahead for all cases.
    let longer = if is_counter_stream(task) {
        &LONGER[..]
    } else {
        &LONGER[..2]
    };
    let drawn: Vec<usize> = (0..strength.drawn())
        .map(|_| random.up_to(LONGEST_DRAWN))
        .collect();
    for &length in longer.iter().chain(&drawn) {
        check_length(forward, task, length.min(most), strength, random.word(), new)?;
    }
    Ok(())
}

/// As [`check`], of a message of this length (of CFB-8, of a sixteenth of it), or the longest below it that the task takes.
/// In counter mode the counter carries out of its low 32 bits within it.
pub fn check_length(
    forward: Forward<'_>,
    task: Task,
    length: usize,
    strength: Strength,
    seed: u64,
    new: New<'_>,
) -> Result<(), Failure> {
    let length = task.longest_up_to(length / task.algorithm.slowed_by_bytes());
    let random = &mut Random::new(seed);
    let mut driver = Driver::new(forward, task, new, length, random);
    if is_counter_stream(task) {
        let span = Span::new(forward, task, 32, length, random)?;
        driver.check_stream(&span, length, strength, random)
    } else {
        let key = random.bytes(task.algorithm.key_len());
        driver.check_message(&key, length, Some(32), strength, random)
    }
}

/// What Ciphertune's portable code makes of a message, or RustCrypto's. Checks of one algorithm with the same seed cost its
/// making once if no other algorithm comes between them.
pub fn ours(task: Task) -> impl Fn(&[u8], &[u8], &[u8], &[u8]) -> Made {
    move |key, iv, aad, message| Ok(reference::remembered(task.algorithm, key, iv, aad, message))
}

fn made(
    forward: Forward<'_>,
    task: Task,
    [key, iv, aad, message]: [&[u8]; 4],
) -> Result<(Vec<u8>, Vec<u8>), Failure> {
    forward(key, iv, aad, message).map_err(|fault| Failure {
        case: format!("{task}, {} bytes", message.len()),
        symptom: fault.0,
    })
}

fn is_counter_stream(task: Task) -> bool {
    task.contract == Contract::Stream && task.algorithm.aes_mode() == Some("CTR")
}

/// A counter block from which a message crosses a carry out of the low `carry` bits, or ends just before it.
fn counter(carry: u32, length: usize, random: &mut Random) -> u128 {
    carried(carry, random).wrapping_sub(random.up_to(length.div_ceil(16) + 1) as u128)
}

/// The counter block just after such a carry.
fn carried(carry: u32, random: &mut Random) -> u128 {
    random.block().checked_shl(carry).unwrap_or(0)
}

/// Longer messages, in bytes: what code that works by the page or by the cache must get right.
const LONGER: [usize; 3] = [4096 + 15, 65_536 + 1, 1 << 20];

/// Bytes of the longest message whose length is drawn.
const LONGEST_DRAWN: usize = 65_536 + 17;

/// Bytes after which a stream works as long ones do, and after which as those do that are longer still.
const STREAM_LEADS: [usize; 2] = [8192 + 512, 24_576 + 1024];

/// The low bits that counters carry out of.
const CARRIES: [u32; 5] = [8, 16, 32, 64, 128];

/// The reference's keystream on both sides of a carry, made once for all messages that lie across it.
struct Span {
    key: Vec<u8>,
    /// The counter block just after the carry.
    carried: u128,
    /// Blocks before and after the carry.
    blocks: usize,
    keystream: Vec<u8>,
}

impl Span {
    fn new(
        forward: Forward<'_>,
        task: Task,
        carry: u32,
        longest: usize,
        random: &mut Random,
    ) -> Result<Self, Failure> {
        let key = random.bytes(task.algorithm.key_len());
        let carried = carried(carry, random);
        // One more than the message has: the carry may also fall just behind it.
        let blocks = longest.div_ceil(16) + 1;
        let first = carried.wrapping_sub(blocks as u128);
        let zeros = vec![0; 16 * 2 * blocks];
        let (keystream, _) = made(forward, task, [&key, &first.to_be_bytes(), &[], &zeros])?;
        Ok(Self {
            key,
            carried,
            blocks,
            keystream,
        })
    }

    /// The first counter block of a message that starts so many blocks before the carry, and its keystream.
    fn message(&self, before: usize) -> (u128, &[u8]) {
        let iv = self.carried.wrapping_sub(before as u128);
        (iv, &self.keystream[16 * (self.blocks - before)..])
    }
}

struct Driver<'a> {
    forward: Forward<'a>,
    task: Task,
    bench: Bench<'a>,
    message: Vec<u8>,
    /// What a length is turned by, to become that of additional data.
    turn: usize,
}

impl<'a> Driver<'a> {
    fn new(forward: Forward<'a>, task: Task, new: New<'a>, longest: usize, random: &mut Random) -> Self {
        Self {
            forward,
            task,
            bench: Bench::new(task, new),
            message: random.bytes(longest),
            turn: random.up_to(LONGEST_AAD),
        }
    }

    fn check_stream(
        &mut self,
        span: &Span,
        length: usize,
        strength: Strength,
        random: &mut Random,
    ) -> Result<(), Failure> {
        let input = &self.message[..length];
        let mut expected = Vec::with_capacity(length);
        let several = updates(length, 1, random);
        for updates in [&[length], &several[..]] {
            for offset in offsets(strength, random) {
                let (iv, keystream) = span.message(random.up_to(length.div_ceil(16) + 1));
                expected.clear();
                expected.extend(input.iter().zip(keystream).map(|(byte, key)| byte ^ key));
                for place in places(offset, random) {
                    // One context in sixteen has come far enough to work as it does in long streams.
                    let lead = match STREAM_LEADS.get(random.up_to(31)) {
                        Some(lead) => lead - 16 * random.up_to(32),
                        None => 0,
                    };
                    self.bench.run(&Case {
                        name: "",
                        key: &span.key,
                        iv: &iv.wrapping_sub(lead as u128 / 16).to_be_bytes(),
                        aad: &[],
                        input,
                        expected: &expected,
                        tag: &[],
                        place,
                        updates,
                        lead,
                    })?;
                }
            }
        }
        Ok(())
    }

    /// In counter mode the counter carries out of its low `carry` bits, where it is to.
    fn check_message(
        &mut self,
        key: &[u8],
        length: usize,
        carry: Option<u32>,
        strength: Strength,
        random: &mut Random,
    ) -> Result<(), Failure> {
        let Task {
            algorithm,
            operation,
            contract,
        } = self.task;
        let mut iv = random.bytes(algorithm.iv_len());
        let modes = [algorithm.aes_mode(), algorithm.camellia_mode()];
        if let (Some(carry), true) = (carry, modes.contains(&Some("CTR"))) {
            iv = counter(carry, length, random).to_be_bytes().to_vec();
        }
        // Every other key has come far enough to work as one that is much used, half of those by nonces that are counted.
        let lead = match algorithm.aes_mode() == Some("GCM") && key[0].is_multiple_of(2) {
            true => LONGEST_LEAD,
            false => 0,
        };
        if lead > 0 && key[1].is_multiple_of(2) {
            let last = iv.len() - 1;
            iv[..last].copy_from_slice(&key[..last]);
        }
        let aad = match (self.task.takes_aad(), strength) {
            (false, _) => Vec::new(),
            (true, _) if (length + self.turn).is_multiple_of(16) => {
                let len = LONG_AAD[random.up_to(LONG_AAD.len() - 1)];
                random.bytes(len)
            }
            // Of every length, with other texts for each seed.
            (true, Strength::Proof) => random.bytes((length + self.turn) % (LONGEST_AAD + 1)),
            (true, _) => random.bytes_up_to(LONGEST_AAD),
        };
        let message = &self.message[..length];
        let (made, tag) = made(self.forward, self.task, [key, &iv, &aad, message])?;
        let (input, expected) = match operation.is_backward() {
            true => (&*made, message),
            false => (message, &*made),
        };
        let in_one = vec![length];
        let mut ways = vec![in_one];
        if contract == Contract::Stream {
            let step = match algorithm.kind() {
                Kind::Stream => 1,
                _ => algorithm.block_len(),
            };
            ways.push(updates(length, step, random));
        }
        for updates in ways {
            for offset in offsets(strength, random) {
                for place in places(offset, random) {
                    self.bench.run(&Case {
                        name: "",
                        key,
                        iv: &iv,
                        aad: &aad,
                        input,
                        expected,
                        tag: &tag,
                        place,
                        updates: &updates,
                        lead,
                    })?;
                }
            }
        }
        Ok(())
    }
}

/// Bytes of additional data that a message has at most, but for those of [`LONG_AAD`].
const LONGEST_AAD: usize = 300;

/// Bytes of additional data that one message of sixteen has: about what the widest batches take that hash them, and several of
/// these.
const LONG_AAD: [usize; 8] = [495, 496, 497, 511, 512, 513, 1040, 4096];

fn offsets(strength: Strength, random: &mut Random) -> Range<usize> {
    match strength {
        Strength::Quick => {
            let offset = random.up_to(63);
            offset..offset + 1
        }
        Strength::Exhaustive | Strength::Proof => 0..64,
    }
}

fn places(offset: usize, random: &mut Random) -> [Place; 2] {
    let apart = Place::Apart {
        from: offset,
        to: random.up_to(63),
    };
    [apart, Place::Inside { at: offset }]
}

/// The lengths of two to five updates that make up a message, multiples of `step` but for the last; some may be empty.
fn updates(length: usize, step: usize, random: &mut Random) -> Vec<usize> {
    let mut rest = length;
    let mut updates = Vec::new();
    for _ in 0..=random.up_to(3) {
        let update = step * random.up_to(rest / step);
        updates.push(update);
        rest -= update;
    }
    updates.push(rest);
    updates
}
