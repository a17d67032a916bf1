//! An implementation against Ciphertune's portable code, over the cases in which counter modes have broken:
//! every tail, every alignment, calls that stop within a block, counters that carry.
//!
//! Keys, data and cases follow from the seed alone.
use crate::{
    Stream,
    case::{Bench, Case, Failure, LONGEST_LEAD, Place},
    random::Random,
    reference,
};

/// How many offsets of the buffers each combination of length, counter, placing and updates is run with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// One, drawn at random: milliseconds. Before each measurement.
    Quick,
    /// All 64: seconds. For tests.
    Exhaustive,
}

/// Every length up to [`EVERY_LENGTH`] and a few longer ones; counters that carry out of their low 8, 16, 32,
/// 64 and 128 bits within the message; in place (where that works) and buffer to buffer; in one update and in
/// several; at the begin of a stream and 8 KiB on.
pub fn check<S: Stream>(
    key_len: usize,
    strength: Strength,
    seed: u64,
    new: impl Fn(&[u8], &[u8; 16]) -> Result<S, String>,
) -> Result<(), Failure> {
    let random = &mut Random::new(seed);
    let mut driver = Driver::new(&new, EVERY_LENGTH, random);
    for carry in CARRIES {
        let span = Span::new(key_len, carry, EVERY_LENGTH, random);
        for length in 0..=EVERY_LENGTH {
            driver.check(&span, length, strength, random)?;
        }
    }
    for length in LONGER {
        check_length(key_len, length, random.next(), &new)?;
    }
    Ok(())
}

/// A message of exactly this length, with a counter that carries out of its low 32 bits within it.
pub fn check_length<S: Stream>(
    key_len: usize,
    length: usize,
    seed: u64,
    new: impl Fn(&[u8], &[u8; 16]) -> Result<S, String>,
) -> Result<(), Failure> {
    let random = &mut Random::new(seed);
    let span = Span::new(key_len, 32, length, random);
    Driver::new(new, length, random).check(&span, length, Strength::Quick, random)
}

/// Up to this length in bytes every one is checked: past the widest loop there is (1024 bytes) and a block.
pub const EVERY_LENGTH: usize = 1040;

/// Longer messages, in bytes: what code that works by the page or by the cache must get right.
const LONGER: [usize; 3] = [4096 + 15, 65_536 + 1, 1 << 20];

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
    fn new(key_len: usize, carry: u32, longest: usize, random: &mut Random) -> Self {
        let key = random.bytes(key_len);
        let carried = random.block().checked_shl(carry).unwrap_or(0);
        // One more than the message has: the carry may also fall just behind it.
        let blocks = longest.div_ceil(16) + 1;
        let first = carried.wrapping_sub(blocks as u128);
        let keystream = reference::keystream(&key, first, 2 * blocks);
        Self {
            key,
            carried,
            blocks,
            keystream,
        }
    }

    /// The first counter block of a message that starts so many blocks before the carry, and its keystream.
    fn message(&self, before: usize) -> (u128, &[u8]) {
        let iv = self.carried.wrapping_sub(before as u128);
        (iv, &self.keystream[16 * (self.blocks - before)..])
    }
}

struct Driver<N> {
    bench: Bench<N>,
    input: Vec<u8>,
    expected: Vec<u8>,
}

impl<N, S> Driver<N>
where
    N: Fn(&[u8], &[u8; 16]) -> Result<S, String>,
    S: Stream,
{
    fn new(new: N, longest: usize, random: &mut Random) -> Self {
        Self {
            bench: Bench::new(new, longest),
            input: random.bytes(longest),
            expected: Vec::with_capacity(longest),
        }
    }

    fn check(
        &mut self,
        span: &Span,
        length: usize,
        strength: Strength,
        random: &mut Random,
    ) -> Result<(), Failure> {
        let input = &self.input[..length];
        let several = updates(length, random);
        for updates in [&[length], &several[..]] {
            let offsets = match strength {
                Strength::Quick => {
                    let offset = random.up_to(63);
                    offset..offset + 1
                }
                Strength::Exhaustive => 0..64,
            };
            for offset in offsets {
                let (iv, keystream) = span.message(random.up_to(length.div_ceil(16) + 1));
                self.expected.clear();
                self.expected
                    .extend(input.iter().zip(keystream).map(|(byte, key)| byte ^ key));

                let apart = Place::Apart {
                    from: offset,
                    to: random.up_to(63),
                };
                for place in [apart, Place::Inside { at: offset }] {
                    // One context in eight has come far enough to work as it does in long streams.
                    let lead = match random.up_to(7) {
                        0 => LONGEST_LEAD - 16 * random.up_to(32),
                        _ => 0,
                    };
                    self.bench.run(&Case {
                        name: "",
                        key: &span.key,
                        iv,
                        input,
                        expected: &self.expected,
                        place,
                        updates,
                        lead,
                    })?;
                }
            }
        }
        Ok(())
    }
}

/// The lengths of two to five updates that make up a message; some may be empty.
fn updates(length: usize, random: &mut Random) -> Vec<usize> {
    let mut rest = length;
    let mut updates = Vec::new();
    for _ in 0..=random.up_to(3) {
        let update = random.up_to(rest);
        updates.push(update);
        rest -= update;
    }
    updates.push(rest);
    updates
}
