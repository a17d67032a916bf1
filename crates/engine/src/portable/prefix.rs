//! The first two rounds of counter blocks that differ in their last byte alone.
//!
//! The fifteen bytes that such blocks share go through the first two rounds once (counter-mode caching:
//! Bernstein and Schwabe, "New AES software speed records", INDOCRYPT 2008). What is left is this:
//!
//! - *Round 1.* The last byte, row 3 of column 3, is moved by ShiftRows to column 0. Only its S-box output
//!   differs from block to block: [`LastBytes`] takes those of 16 batches through the S-box at once, one in each bit
//!   of a plane. MixColumns makes four bytes of it, the column 0 of [`Prefix::column`].
//! - *Round 2.* Only that column goes through the S-box for each block, so one run of the circuit serves
//!   four batches, each of them in a place of its own. MixColumns is linear: its image of the
//!   column is added to its image of the other twelve bytes.
//!
//! No table is built and nothing is indexed by a counter, so nothing depends on it but where a run ends.

use super::plane::{Plane, Turn, each};
use super::planes::{pack, transpose_bits};
use super::round::{add, add_key, double, mix_columns};
use super::sbox::sub_bytes;
use super::{Keys, Planes};

/// Row 3 of place 0, where round 1 finds the last byte of the counter.
const LAST_BYTE: u16 = 1 << 12;
/// Place 0 of all rows: column 0 of round 2.
const COLUMN_0: u16 = 0x1111;

/// What the shared bytes of the counter blocks come to.
pub(super) struct Prefix<P> {
    /// After round 1: their part of column 0, in all four places.
    column: Planes<P>,
    /// After round 2: their part of the state.
    state: Planes<P>,
}

impl<P: Plane> Prefix<P> {
    /// For counters that have the upper 15 bytes of those in `counters`, a batch of them.
    ///
    /// # Safety
    /// The processor has the features of `P`; below too.
    #[inline(always)]
    pub(super) unsafe fn new(keys: &Keys, counters: [P; 8]) -> Self {
        // SAFETY: as the caller.
        unsafe {
            let bytes = sub_bytes(&add_key(&pack(counters, Turn::FIRST), keys, 0));
            let bytes = each!(i => bytes[i].keep::<{ !LAST_BYTE }>());
            let state = add_key(&mix_columns::<P, 0>(&bytes), keys, 1);
            let others = sub_bytes(&state);
            let others = each!(i => others[i].keep::<{ !COLUMN_0 }>());
            Self {
                column: each!(i => state[i].first_place()),
                state: add_key(&mix_columns::<P, 1>(&others), keys, 2),
            }
        }
    }

    /// Column 0 after the S-box of round 2, for the counters of four batches, those of batch b in place b.
    #[inline(always)]
    pub(super) fn column(&self, last: &LastBytes<P>) -> Planes<P> {
        // MixColumns takes the byte s of row 3 to s, s, 3s and 2s in rows 0 to 3.
        let once = &last.0;
        let twice = double(once);
        let varying = each!(i => {
            once[i].first_row().keep::<0x0fff>() ^ twice[i].first_row().keep::<0xff00>()
        });
        sub_bytes(&add(&self.column, &varying))
    }

    /// The state after round 2 of the batch in place `batch` of what [`Prefix::column`] gave.
    #[inline(always)]
    pub(super) fn state(&self, column: &Planes<P>, batch: u32) -> Planes<P> {
        // MixColumns in variant 1, as in `mix_columns`.
        let a = each!(i => column[i].column::<0>(batch));
        let next = each!(i => column[i].column::<1>(batch));
        let opposite = each!(i => column[i].column::<2>(batch) ^ column[i].column::<3>(batch));
        let mixed = add(&add(&double(&add(&a, &next)), &next), &opposite);
        add(&mixed, &self.state)
    }
}

/// The last bytes of consecutive counters after the S-box of round 1: those of four batches in row 0, of the next
/// four in row 1, and so on.
pub(super) struct LastBytes<P>(Planes<P>);

impl<P: Plane> LastBytes<P> {
    /// For 16 batches of counters, which end in `first`, `first` + 1 and so on. Those past 255 are not valid.
    ///
    /// # Safety
    /// As [`Prefix::new`].
    #[inline(always)]
    pub(super) unsafe fn new(keys: &Keys, first: u8) -> Self {
        // SAFETY: as the caller.
        unsafe {
            let bytes = transpose_bits(each!(i => P::last_bytes(first, i)));
            let key = each!(i => P::key(keys, 0, i).pull::<3, 0>().first_row().first_place());
            Self(sub_bytes(&add(&bytes, &key)))
        }
    }

    /// Those after the first four batches.
    #[inline(always)]
    pub(super) fn after_four(&self) -> Self {
        Self(each!(i => self.0[i].pull::<1, 0>()))
    }
}
