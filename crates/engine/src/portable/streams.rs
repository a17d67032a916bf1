//! GHASH (SP 800-38D, section 6.4) by shuffles of bytes, for processors that have those and no carry-less multiplication.
//!
//! A number is multiplied byte by byte. The product of a byte and the hash key has 17 bytes, each of them a function of four
//! bits and of the other four: two look-ups in tables of 16 bytes that are a vector, which a shuffle makes in constant time.
//! What goes up past x¹²⁷ comes back by look-ups as well.
//!
//! **One stream.** A vector has the bytes of one number: a shuffle looks up byte k of the products of all sixteen, and these
//! are added k places on.
//!
//! **Streams side by side**, for long messages where vectors have 32 bytes. Each of the 32 blocks that a run takes at once
//! begins a stream of its own: stream s has block s, then that which follows a step later, and so on. All are multiplied
//! by the same number, H to the power of the streams, and their sums in the end are blocks of one stream again. Vector j
//! holds byte j of all streams: the sum goes up by x⁸, and the product of a byte is added.

use zeroize::Zeroize;

use super::ghash::{Hash, HashKey};
use crate::{copy::copy, rounds::anew, wipe::overwrite};

/// What is asked of a vector of bytes. As with [`super::Plane`], a value proves that the processor has the features.
pub(crate) trait Bytes: Copy {
    /// The same with 16 bytes.
    type Narrow: Bytes;

    /// # Safety
    /// The processor has the features of `Self`, here and below; as many bytes as it has can be read.
    unsafe fn read(from: *const u8) -> Self;

    /// # Safety
    /// As many bytes as it has can be written.
    unsafe fn write(self, to: *mut u8);

    /// A table, in each 16 bytes.
    ///
    /// # Safety
    /// As [`Bytes::read`].
    unsafe fn table(table: &[u8; 16]) -> Self;

    fn add(self, other: Self) -> Self;

    /// The upper four bits of each byte, and the lower four.
    fn nibbles(self) -> [Self; 2];

    /// In each byte, the one of `self` whose number stands there in `at`, in each 16; zero where the upper bit is set there.
    /// What numbers from 16 to 127 find differs from processor to processor.
    fn look_up(self, at: Self) -> Self;

    /// The lower eight of each 16 bytes of both, in turn, and the upper eight.
    fn zip(self, other: Self) -> [Self; 2];

    /// The bytes `PLACES` on, 1, 8 or 15, in each 16: the last of `below`, then all but as many.
    fn after<const PLACES: usize>(self, below: Self) -> Self;
}

/// The multiples of a power of the hash key: byte k of the product of 16 upper halves of a byte, and of 16 lower ones.
pub(crate) struct Table {
    products: [[[u8; 16]; 2]; 17],
    is_made: bool,
}

impl Table {
    pub(super) const NONE: Self = Self {
        products: [[[0; 16]; 2]; 17],
        is_made: false,
    };

    /// Becomes the same table, from memory to memory.
    pub(super) fn copy_from(&mut self, other: &Self) {
        copy(&mut self.products, &other.products);
        self.is_made = other.is_made;
    }

    /// Takes the products of a number, GCM's way round: its first bit is that of x⁰.
    fn fill(&mut self, number: u128) {
        for half in 0..2 {
            let mut multiples = [(0_u128, 0_u8); 16];
            for digit in 1..16_usize {
                let last_bit = digit & digit.wrapping_neg();
                multiples[digit] = if digit == last_bit {
                    let power = 4 * half + 3 - digit.ilog2();
                    (number >> power, ((number as u16) << (8 - power)) as u8)
                } else {
                    let (one, other) = (multiples[last_bit], multiples[digit ^ last_bit]);
                    (one.0 ^ other.0, one.1 ^ other.1)
                };
                let (inside, past) = multiples[digit];
                let bytes = inside.to_be_bytes().into_iter().chain([past]);
                for (products, byte) in self.products.iter_mut().zip(bytes) {
                    products[half as usize][digit] = byte;
                }
            }
            overwrite(&mut multiples, [(0, 0); 16]);
        }
        self.is_made = true;
    }
}

impl Zeroize for Table {
    fn zeroize(&mut self) {
        if self.is_made {
            overwrite(&mut self.products, Self::NONE.products);
            self.is_made = false;
        }
    }
}

/// How many streams there are side by side.
pub(crate) const STREAMS: usize = 32;

/// From how many blocks on they repay that they are brought together in the end (measured on Zen 3).
const MANY: usize = 96;

/// After how many blocks under a key a table for one stream repays that it is made.
const ALONE_AFTER: usize = 8;

/// [`in_turn`] for one type of vectors, and [`side_by_side`] where they have as many bytes as there are streams.
pub(crate) struct Runs {
    pub(crate) in_turn: Run<[u8; 16]>,
    pub(crate) side_by_side: Option<Run<[[u8; 16]; STREAMS]>>,
}

type Run<S> = unsafe fn(&Table, &mut S, &[[u8; 16]]);

impl HashKey {
    /// The multiples for so many streams.
    fn table(&mut self, streams: usize) -> &Table {
        let place = usize::from(streams > 1);
        if !self.tables[place].is_made {
            let mut power = self.to_the(streams);
            self.tables[place].fill(power);
            power.zeroize();
        }
        &self.tables[place]
    }
}

/// Takes whole blocks into `hash`. Answers whether streams were side by side, which takes more stack.
///
/// # Safety
/// As what `runs` has.
pub(crate) unsafe fn hash(key: &mut HashKey, hash: &mut Hash, mut blocks: &[[u8; 16]], runs: &Runs) -> bool {
    let many_at_once = runs.side_by_side.filter(|_| blocks.len() >= MANY);
    // SAFETY: as the caller.
    unsafe {
        if let Some(side_by_side) = many_at_once {
            blocks = many(key, hash, blocks, side_by_side, runs.in_turn);
        }
        alone(key, hash, blocks, runs.in_turn);
    }
    many_at_once.is_some()
}

/// Takes all but the last few, and answers those. Apart, for the stack that it takes.
///
/// # Safety
/// As [`hash`].
#[inline(never)]
unsafe fn many<'b>(
    key: &mut HashKey,
    hash: &mut Hash,
    blocks: &'b [[u8; 16]],
    side_by_side: Run<[[u8; 16]; STREAMS]>,
    in_turn: Run<[u8; 16]>,
) -> &'b [[u8; 16]] {
    let (steps, rest) = blocks.as_chunks::<STREAMS>();
    let Some((first, others)) = steps.split_first() else {
        return rest;
    };
    let mut sums = *first;
    hash.add_to(&mut sums[0]);
    // SAFETY: as the caller.
    unsafe {
        side_by_side(key.table(STREAMS), &mut sums, others.as_flattened());
        *hash = Hash::ZERO;
        alone(key, hash, &sums, in_turn);
    }
    overwrite(&mut sums, [[0; 16]; STREAMS]);
    rest
}

/// Takes blocks one after the other.
///
/// # Safety
/// As [`hash`].
#[inline(always)]
unsafe fn alone(key: &mut HashKey, hash: &mut Hash, blocks: &[[u8; 16]], in_turn: Run<[u8; 16]>) {
    key.hashed = key.hashed.saturating_add(blocks.len());
    if key.hashed < ALONE_AFTER {
        for block in blocks {
            hash.update_block(key, block);
        }
    } else if !blocks.is_empty() {
        let mut sum = hash.block();
        // SAFETY: as the caller.
        unsafe { in_turn(key.table(1), &mut sum, blocks) };
        *hash = Hash::halves(&sum);
        overwrite(&mut sum, [0; 16]);
    }
}

/// Takes blocks into one stream: the sum of each and what there is, multiplied by what the table is of.
///
/// # Safety
/// The processor has the features of `V`, a vector of 16 bytes.
#[inline(always)]
pub(crate) unsafe fn in_turn<V: Bytes>(table: &Table, sum: &mut [u8; 16], blocks: &[[u8; 16]]) {
    assert!(size_of::<V>() == 16);
    let at = sum.as_mut_ptr();
    // SAFETY: as the caller.
    unsafe {
        let zero = V::table(&[0; 16]);
        let mut sum = V::read(at);
        for block in blocks {
            let [upper, lower] = sum.add(V::table(block)).nibbles();
            // In two parts, each of which is a chain: of the lower eight bytes and of the higher ones. The table as it lies
            // there: a copy on the stack would be slower.
            let (below, above) = (*anew(table)).products.split_at(8);
            let mut parts = [[zero; 2]; 2];
            for k in (0..9).rev() {
                for ([low, high], products) in parts.iter_mut().zip([below, above]) {
                    if let Some([of_upper, of_lower]) = products.get(k) {
                        let made = V::table(of_upper).look_up(upper);
                        let made = made.add(V::table(of_lower).look_up(lower));
                        *high = high.after::<1>(*low);
                        *low = low.after::<1>(zero).add(made);
                    }
                }
            }
            let [[low, high], above] = parts;
            let low = low.add(above[0].after::<8>(zero));
            let high = high.add(above[1].after::<8>(above[0]));
            let [a, b] = brought_back(high);
            // What goes past the end once more is one byte.
            let [c, d] = brought_back(zero.after::<1>(b));
            sum = low.add(a).add(b.after::<1>(zero)).add(c).add(d.after::<1>(zero));
        }
        sum.write(at);
    }
}

/// Takes each stream a block further, as often as there are blocks for all of them.
///
/// # Safety
/// The processor has the features of `V`, a vector of a byte for each stream.
#[inline(always)]
pub(crate) unsafe fn side_by_side<V: Bytes>(
    table: &Table,
    sums: &mut [[u8; 16]; STREAMS],
    blocks: &[[u8; 16]],
) {
    assert!(size_of::<V>() == STREAMS);
    let at = sums.as_mut_ptr().cast::<u8>();
    // SAFETY: as the caller; each step's blocks lie within `blocks`.
    unsafe {
        let mut sum = read::<V>(at);
        for blocks in blocks.as_chunks::<STREAMS>().0 {
            sum = times(sum, table);
            let next = read::<V>(blocks.as_ptr().cast());
            for (sum, next) in sum.iter_mut().zip(next) {
                *sum = sum.add(next);
            }
        }
        for (i, vector) in transpose(sum).into_iter().enumerate() {
            vector.write(at.add(i * STREAMS));
        }
    }
}

/// A block of each stream: byte j in vector j.
#[inline(always)]
unsafe fn read<V: Bytes>(blocks: *const u8) -> [V; 16] {
    // SAFETY: as the caller.
    unsafe {
        let mut vectors = [V::read(blocks); 16];
        for (i, vector) in vectors.iter_mut().enumerate().skip(1) {
            *vector = V::read(blocks.add(i * STREAMS));
        }
        transpose(vectors)
    }
}

/// Exchanges vectors and bytes, in each 16 bytes: four times the upper bit of a vector's number becomes the lowest of
/// a byte's.
#[inline(always)]
fn transpose<V: Bytes>(mut vectors: [V; 16]) -> [V; 16] {
    for _ in 0..4 {
        let before = vectors;
        for i in 0..8 {
            let [low, high] = before[i].zip(before[i + 8]);
            vectors[2 * i] = low;
            vectors[2 * i + 1] = high;
        }
    }
    vectors
}

/// The product with the number whose multiples are in `table`.
///
/// # Safety
/// The processor has the features of `V`.
#[inline(always)]
unsafe fn times<V: Bytes>(number: [V; 16], table: &Table) -> [V; 16] {
    // SAFETY: as the caller.
    unsafe {
        let zero = V::table(&[0; 16]);
        // Byte 16 is what is past x¹²⁷.
        let mut sum = [zero; 17];
        for byte in number.into_iter().rev() {
            let [upper, lower] = byte.nibbles();
            let [a, b] = brought_back(sum[16]);
            sum[0] = sum[0].add(a);
            sum[1] = sum[1].add(b);
            sum.copy_within(..16, 1);
            sum[0] = zero;
            for (sum, [of_upper, of_lower]) in sum.iter_mut().zip(&table.products) {
                *sum = sum
                    .add(V::table(of_upper).look_up(upper))
                    .add(V::table(of_lower).look_up(lower));
            }
        }
        let [a, b] = brought_back(sum[16]);
        sum[0] = sum[0].add(a);
        sum[1] = sum[1].add(b);
        let [first @ .., _] = sum;
        first
    }
}

/// A byte of x¹²⁸ … x¹³⁵, as bytes of x⁰ … x⁷ and x⁸ … x¹⁵: modulo x¹²⁸ + x⁷ + x² + x + 1.
///
/// # Safety
/// The processor has the features of `V`.
#[inline(always)]
unsafe fn brought_back<V: Bytes>(byte: V) -> [V; 2] {
    static OF_UPPER: [[u8; 16]; 2] = products(4);
    static OF_LOWER: [[u8; 16]; 2] = products(0);
    const fn products(place: u32) -> [[u8; 16]; 2] {
        let mut bytes = [[0; 16]; 2];
        let mut digit = 0;
        while digit < 16 {
            let x = (digit as u16) << (8 + place);
            [bytes[0][digit], bytes[1][digit]] = (x ^ x >> 1 ^ x >> 2 ^ x >> 7).to_be_bytes();
            digit += 1;
        }
        bytes
    }
    let [upper, lower] = byte.nibbles();
    // SAFETY: as the caller.
    unsafe {
        [
            V::table(&OF_UPPER[0])
                .look_up(upper)
                .add(V::table(&OF_LOWER[0]).look_up(lower)),
            V::table(&OF_UPPER[1])
                .look_up(upper)
                .add(V::table(&OF_LOWER[1]).look_up(lower)),
        ]
    }
}
