//! The first two rounds of counter blocks that differ in their last byte alone.
//!
//! The fifteen bytes that such blocks share go through the first two rounds once (counter-mode caching:
//! Bernstein and Schwabe, "New AES software speed records", INDOCRYPT 2008). What is left is this:
//!
//! - *Round 1.* The last byte, row 3 of column 3, is moved by ShiftRows to column 0. Only its S-box output
//!   differs from block to block: [`LastBytes`] takes 64 of them through the S-box at once, one in each bit
//!   of a plane. MixColumns makes four bytes of it, the column 0 of [`Prefix::column`].
//! - *Round 2.* Only that column goes through the S-box for each block, so one run of the circuit serves the
//!   16 blocks of four batches, each batch in a column of its own. MixColumns is linear: its image of the
//!   column is added to its image of the other twelve bytes.
//!
//! No table is built and nothing is indexed by a counter, so nothing depends on it but where a run ends.

use super::planes::{pack, transpose_bits};
use super::round::{add, double, mix_columns};
use super::sbox::sub_bytes;
use super::{Keys, Planes};

/// Column 0 of all rows and blocks.
const COLUMN_0: u64 = 0x000f_000f_000f_000f;
/// Row 3 of column 0, where round 1 finds the last byte of the counter.
const LAST_BYTE: u32 = 48;

/// What the shared bytes of the counter blocks come to.
pub(super) struct Prefix {
    /// After round 1: their part of column 0, in all four columns.
    column: Planes,
    /// After round 2: their part of the state.
    state: Planes,
}

impl Prefix {
    /// For counters that have the upper 15 bytes of `counter`.
    #[inline(always)]
    pub(super) fn new(keys: &Keys, counter: u128) -> Self {
        let [first, second] = halves(counter);
        let planes = pack([first, first, first, first, second, second, second, second]);
        let bytes = sub_bytes(&add(&planes, &keys.planes[0]));
        let bytes = bytes.map(|plane| plane & !(0xf << LAST_BYTE));
        let state = add(&mix_columns::<0>(&bytes), &keys.planes[1]);
        let column = state.map(|plane| {
            let column = plane & COLUMN_0;
            let columns = column | column << 4;
            columns | columns << 8
        });
        let others = sub_bytes(&state).map(|plane| plane & !COLUMN_0);
        Self {
            column,
            state: add(&mix_columns::<1>(&others), &keys.planes[2]),
        }
    }

    /// Column 0 after the S-box of round 2, for the 16 counters of a quarter of `last`: the blocks of its
    /// batch b in column b.
    #[inline(always)]
    pub(super) fn column(&self, last: &LastBytes, quarter: u32) -> Planes {
        let varying = core::array::from_fn(|i| {
            // MixColumns takes the byte s of row 3 to s, s, 3s and 2s in rows 0 to 3.
            let once = last.substituted[i] >> (16 * quarter) & 0xffff;
            let twice = last.doubled[i] >> (16 * quarter) & 0xffff;
            once | once << 16 | (once ^ twice) << 32 | twice << 48
        });
        sub_bytes(&add(&self.column, &varying))
    }

    /// The state after round 2 of the batch in column `batch` of what [`Prefix::column`] gave.
    #[inline(always)]
    pub(super) fn state(&self, column: &Planes, batch: u32) -> Planes {
        // MixColumns in variant 1, as in `mix_columns`. In column 0 alone, T is a rotation: column 0 of row
        // r + 1 moves to column 3 of row r. So are its powers, by 20 bits more each.
        let a = column.map(|plane| plane >> (4 * batch) & COLUMN_0);
        let next = a.map(|plane| plane.rotate_right(4));
        let opposite = a.map(|plane| (plane ^ plane.rotate_right(20)).rotate_right(24));
        let mixed = add(&add(&double(&add(&a, &next)), &next), &opposite);
        add(&mixed, &self.state)
    }
}

/// The last bytes of 64 consecutive counters after the S-box of round 1, counter i in bit i of each plane.
pub(super) struct LastBytes {
    substituted: Planes,
    doubled: Planes,
}

impl LastBytes {
    /// For the counters that end in `first`, `first` + 1 and so on. Those past 255 are not valid.
    #[inline(always)]
    pub(super) fn new(keys: &Keys, first: u8) -> Self {
        const EACH: u64 = 0x0101_0101_0101_0101;
        // Byte b of word w belongs to counter 8b + w. A byte past 255 carries into the next, which is past
        // 255 as well.
        let words = core::array::from_fn(|w| {
            (u64::from(first) + w as u64)
                .wrapping_mul(EACH)
                .wrapping_add(0x3830_2820_1810_0800)
        });
        let bytes = transpose_bits(words);
        let key = keys.planes[0].map(|plane| (plane >> LAST_BYTE & 1).wrapping_neg());
        let substituted = sub_bytes(&add(&bytes, &key));
        Self {
            substituted,
            doubled: double(&substituted),
        }
    }
}

/// A counter block as two little-endian words.
#[inline(always)]
pub(super) fn halves(counter: u128) -> [u64; 2] {
    let block = counter.to_be_bytes();
    let (first, second) = block.split_at(8);
    [first, second].map(|half| u64::from_le_bytes(half.try_into().expect("eight bytes")))
}
