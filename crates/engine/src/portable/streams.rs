//! GHASH (SP 800-38D, section 6.4) in vectors of bytes, for processors that shuffle bytes and have no carry-less
//! multiplication.
//!
//! **Streams.** Each of the 16 or 32 blocks that a run takes at once begins a stream of its own: stream s has block s,
//! then that which follows a step later, and so on. All are multiplied by the same number, H to the power of the
//! streams, and in the end stream s by what is left, H to that power less s: that is Horner's rule once more, with
//! numbers, and dear. So 32 streams become 16 before: their second half is a step behind the first.
//!
//! **Bytes.** Vector j holds byte j of all streams. A number is multiplied byte by byte, from the highest power of x:
//! the sum goes up by x⁸, and the product of a byte is added. Of this product 17 bytes are not zero, each of them a
//! function of four bits and of the other four: two look-ups in tables of 16 bytes that are a vector, which a
//! shuffle makes in constant time. What goes up past x¹²⁷ comes back by look-ups as well.

use zeroize::Zeroize;

use super::ghash::{Hash, HashKey};
use crate::copy::copy;

/// What [`run`] asks of a vector of bytes. As with [`super::Plane`], a value proves that the processor has the
/// features.
pub(crate) trait Bytes: Copy {
    /// As many as it has bytes.
    const STREAMS: usize = size_of::<Self>();

    /// The same with [`NARROW`] bytes.
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

    /// In each byte, the one of `self` whose number stands there in `at`.
    fn look_up(self, at: Self) -> Self;

    /// The lower eight of each 16 bytes of both, in turn, and the upper eight.
    fn zip(self, other: Self) -> [Self; 2];
}

/// The multiples of a power of the hash key: byte k of the product of 16 upper halves of a byte, and of 16 lower ones.
pub(crate) struct Table {
    products: [[[u8; 16]; 2]; 17],
    /// Which power: as many as there are streams, or none yet.
    streams: usize,
}

impl Table {
    pub(super) const NONE: Self = Self {
        products: [[[0; 16]; 2]; 17],
        streams: 0,
    };

    /// Becomes the same table, from memory to memory.
    pub(super) fn copy_from(&mut self, other: &Self) {
        copy(&mut self.products, &other.products);
        self.streams = other.streams;
    }

    /// Takes the products of a number, GCM's way round: its first bit is that of x⁰.
    fn fill(&mut self, number: u128) {
        for byte in 0..=0xff_u8 {
            // One bit of the four at least.
            let (half, digit) = match (byte >> 4, byte & 0xf) {
                (upper, 0) => (0, upper),
                (0, lower) => (1, lower),
                _ => continue,
            };
            let mut product = (0, 0);
            for power in 0..8 {
                let mask = (byte >> (7 - power) & 1).wrapping_neg();
                product.0 ^= number >> power & u128::from_ne_bytes([mask; 16]);
                product.1 ^= ((u16::from(number as u8) << (8 - power)) as u8) & mask;
            }
            let bytes = product.0.to_be_bytes().into_iter().chain([product.1]);
            for (products, byte) in self.products.iter_mut().zip(bytes) {
                products[half][usize::from(digit)] = byte;
            }
        }
    }
}

impl Zeroize for Table {
    fn zeroize(&mut self) {
        if self.streams > 0 {
            self.products.as_flattened_mut().as_flattened_mut().fill(0);
            zeroize::optimization_barrier(&self.products);
            self.streams = 0;
        }
    }
}

/// The fewest streams: a shuffle looks up among 16 bytes.
const NARROW: usize = 16;

/// From how many blocks for each on streams repay that they are brought together in the end (measured on Zen 4).
const STEPS: usize = 2;

/// [`run`] for one type of vectors.
type Run = unsafe fn(&Table, &mut [[u8; 16]], &[[u8; 16]]);

impl HashKey {
    /// The multiples for so many streams.
    fn table(&mut self, streams: usize) -> &Table {
        let place = usize::from(streams > NARROW);
        if self.tables[place].streams == 0 {
            let mut power = self.to_the(streams);
            self.tables[place].fill(power);
            self.tables[place].streams = streams;
            power.zeroize();
        }
        &self.tables[place]
    }
}

/// Takes whole blocks into `hash`: `run` is that for vectors of `widest` bytes.
///
/// # Safety
/// As `run`.
#[inline(always)]
pub(crate) unsafe fn hash(
    key: &mut HashKey,
    hash: &mut Hash,
    mut blocks: &[[u8; 16]],
    widest: usize,
    run: Run,
) {
    if blocks.len() >= STEPS * NARROW {
        let streams = if blocks.len() >= STEPS * widest {
            widest
        } else {
            NARROW
        };
        let mut all = [[0; 16]; 32];
        let (first, mut rest) = blocks.split_at(streams);
        all[..streams].copy_from_slice(first);
        hash.add_to(&mut all[0]);
        let mut go_on = |sums: &mut [[u8; 16]], blocks: &[[u8; 16]]| {
            if !blocks.is_empty() {
                // SAFETY: as the caller.
                unsafe { run(key.table(sums.len()), sums, blocks) };
            }
        };
        let mut steps;
        if streams > NARROW {
            (steps, rest) = rest.split_at(rest.len() / streams * streams);
            go_on(&mut all, steps);
        }
        let (sums, behind) = all[..streams].split_at_mut(NARROW);
        go_on(sums, behind);
        (steps, blocks) = rest.split_at(rest.len() / NARROW * NARROW);
        go_on(sums, steps);
        *hash = Hash::ZERO;
        for sum in &*sums {
            hash.update_block(key, sum);
        }
        all.as_flattened_mut().fill(0);
        zeroize::optimization_barrier(&all);
    }
    for block in blocks {
        hash.update_block(key, block);
    }
}

/// Takes each stream a block further, as often as there are blocks for all of them: as many streams as `table` is for,
/// in vectors of `V` or of its narrow kind.
///
/// # Safety
/// The processor has the features of `V`, and so those of its narrow kind.
#[inline(always)]
pub(crate) unsafe fn run<V: Bytes>(table: &Table, sums: &mut [[u8; 16]], blocks: &[[u8; 16]]) {
    // SAFETY: as the caller.
    unsafe {
        if V::STREAMS == NARROW || table.streams == V::STREAMS {
            take::<V>(table, sums, blocks);
        } else {
            take::<V::Narrow>(table, sums, blocks);
        }
    }
}

/// # Safety
/// The processor has the features of `V`.
#[inline(always)]
unsafe fn take<V: Bytes>(table: &Table, sums: &mut [[u8; 16]], blocks: &[[u8; 16]]) {
    assert!(sums.len() == V::STREAMS);
    let at = sums.as_mut_ptr().cast::<u8>();
    // SAFETY: as the caller; there are sums for all streams, and each step's blocks lie within `blocks`.
    unsafe {
        let mut sum = read::<V>(at);
        for blocks in blocks.chunks_exact(V::STREAMS) {
            sum = times(sum, table);
            let next = read::<V>(blocks.as_ptr().cast());
            for (sum, next) in sum.iter_mut().zip(next) {
                *sum = sum.add(next);
            }
        }
        for (i, vector) in transpose(sum).into_iter().enumerate() {
            vector.write(at.add(i * V::STREAMS));
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
            *vector = V::read(blocks.add(i * V::STREAMS));
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
