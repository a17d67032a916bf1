//! AES by permuting vectors, for processors that shuffle bytes and have no AES instructions: constant-time, a block at a
//! time as good as many (Hamburg, "Accelerating AES with Vector Permute Instructions", CHES 2009,
//! <https://shiftleft.org/papers/vector_aes/>).
//!
//! Bitsliced code takes a batch of four to sixteen blocks at once, and as long where there is one, as in a chain.
//! Here each byte of a block is substituted by itself: a shuffle of a vector looks up sixteen bytes at once in a table of
//! sixteen, which is a register. No address depends on what is looked up.
//!
//! # The S-box in tables of sixteen
//!
//! A byte x of AES's field is iω + jω̄, with i and j of its subfield of sixteen numbers, ω¹⁷ = 1 and ω̄ = ω¹⁶ = 1/ω. Then
//! x·x̄ = i² + aij + j² =: N is a number of the subfield, a = (ω + ω̄)², and 1/x = (jω + iω̄)/N. With k = i + j,
//!
//! > 1/(1/i + a/k) + j = N/((1 + a)i + j) and 1/(1/j + a/k) + i = N/((1 + a)j + i),
//!
//! whose reciprocals are linear in i/N and j/N, and these in 1/x. So 1/x, and whatever is linear in it, is the sum of a
//! look-up by the one and a look-up by the other; and the way to them is look-ups of 1/i, 1/j, a/k, and twice a reciprocal.
//! Where something is divided by zero it is infinite: such a digit has its upper bit set, of which and of whose sums a
//! shuffle makes zero.
//!
//! Between rounds the state stays as the two digits that are looked up first, i in the upper four bits of a byte and k in
//! the lower. The tables that end a round have their bytes in that form.
//!
//! # The rest of a round
//!
//! With A the substituted bytes and B, C and D those one, two and three rows down, MixColumns is 2A + 3B + C + D. 2A has its
//! own tables; (2A + B) + D + (2B + C) are three shuffles. ShiftRows is not done: rows turn from round to round, and the
//! shuffles, the round keys and what is stored at the end turn with them ([`tables::FORWARD`]). The round key is added to A,
//! which is ready before; its rows count as they do in B + C + D, so that of each row the sum of the three others is taken,
//! and that sum's sum is the row. The constant of the S-box passes MixColumns and goes with the key.
//!
//! # Speed
//!
//! A round is 12 shuffles, 11 additions, two masks and a shift: 26 instructions, and a chain of 13.
//! `docs/experiments/bitsliced.md` has the figures.

mod blocks;
mod ccm;
mod compiled;
mod ctr;
mod keys;
mod rounds;
mod tables;

pub(crate) use blocks::{WIDE, cfb8_encrypt, chain, ecb};
pub(crate) use ccm::whole as ccm;
pub(crate) use compiled::{Permuted, call, compiled};
pub(crate) use ctr::run as ctr_run;
pub(crate) use keys::{Keys, expand};
#[cfg(target_arch = "x86_64")]
pub(crate) use rounds::substituted;

use crate::portable::Bytes;

/// What is asked of a vector besides look-ups. As with [`Bytes`], a value proves that the processor has the features.
pub(crate) trait Permute: Bytes {
    /// Blocks a vector.
    const BLOCKS: usize = size_of::<Self>() / crate::BLOCK;

    /// Puts its first block at `to`.
    ///
    /// # Safety
    /// Sixteen bytes can be written there.
    unsafe fn write_block(self, to: *mut u8);

    /// The same vector, at this point of the program, as [`crate::lanes::Lanes::pin`]: sums stay in the order in which
    /// their parts become ready.
    fn pin(self) -> Self;
}
