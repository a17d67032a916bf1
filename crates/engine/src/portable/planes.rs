//! Between bytes in memory and bit planes: the transposition at both ends of a batch.
//!
//! A word's number has three bits and a place inside a word has six. The transposition permutes these nine;
//! every step swaps one of the three with one of the six (a delta swap in four pairs of words). Six steps are
//! the least, since each of the six places changes its bit. In the table `z` is the bit's number in its byte,
//! `r` the row, `c` the column, `b` the block, and the lowest bit stands last.
//!
//! | | word | place in the word |
//! |---|---|---|
//! | memory order | c1 b1 b0 | c0 r1 r0 z2 z1 z0 |
//! | after step 8 | r0 b1 b0 | c0 r1 c1 z2 z1 z0 |
//! | after step 16 | r1 b1 b0 | c0 r0 c1 z2 z1 z0 |
//! | after step 32 | c0 b1 b0 | r1 r0 c1 z2 z1 z0 |
//! | after steps 4, 2, 1: planes | z2 z1 z0 | r1 r0 c1 c0 b1 b0 |
//!
//! A turn of the rows by ±r is cheap on the way: where the word's number holds a bit of the column, that bit
//! is flipped in some bytes by exchanging them between two words. Either turn flips c0 in odd rows. It flips
//! c1 where r1 differs from the carry, which is `c0 & r0` for c + r and `!c0 & r0` for c − r.

use super::Planes;

/// Four blocks as little-endian words: their first halves, then their second halves.
pub(super) type Words = [u64; 8];

/// The bytes with r0 = 1, in a word whose places begin with r1 r0 c1.
const ODD_ROWS: u64 = 0xffff_0000_ffff_0000;
/// The bytes with r1 ≠ (c0 & r0), in memory order: byte 4·c0 + r of a word.
const PLUS_ROW: u64 = 0x00ff_ff00_ffff_0000;
/// The bytes with r1 ≠ (!c0 & r0), in memory order.
const MINUS_ROW: u64 = 0xffff_0000_00ff_ff00;

/// Packs four blocks, the byte of row r and column c at column c − r: as after the first ShiftRows.
#[inline(always)]
pub(super) fn pack(words: Words) -> Planes {
    pack_turned(words, MINUS_ROW)
}

/// Unpacks what [`pack`] packed.
#[inline(always)]
pub(super) fn unpack_first(planes: Planes) -> Words {
    unpack_turned(planes, MINUS_ROW)
}

/// Unpacks the state after the last of `rounds` rounds: the byte of row r and column c stands at column
/// c + (rounds − 1)·r, which is c + r after 10 and 14 rounds and c − r after 12.
#[inline(always)]
pub(super) fn unpack(planes: Planes, rounds: usize) -> Words {
    unpack_turned(planes, last_turn(rounds))
}

/// Packs what [`unpack`] unpacked.
#[inline(always)]
pub(super) fn pack_last(words: Words, rounds: usize) -> Planes {
    pack_turned(words, last_turn(rounds))
}

#[inline(always)]
fn last_turn(rounds: usize) -> u64 {
    if rounds == 12 { MINUS_ROW } else { PLUS_ROW }
}

#[inline(always)]
fn pack_turned(mut words: Words, turn: u64) -> Planes {
    exchange(&mut words, 4, 0, turn);
    exchange(&mut words, 4, 8, 0x00ff_00ff_00ff_00ff);
    exchange(&mut words, 4, 16, 0x0000_ffff_0000_ffff);
    exchange(&mut words, 4, 32, 0x0000_0000_ffff_ffff);
    exchange(&mut words, 4, 0, ODD_ROWS);
    transpose_bits(words)
}

/// The same steps in reverse, each of them its own inverse.
#[inline(always)]
fn unpack_turned(planes: Planes, turn: u64) -> Words {
    let mut words = transpose_bits(planes);
    exchange(&mut words, 4, 0, ODD_ROWS);
    exchange(&mut words, 4, 32, 0x0000_0000_ffff_ffff);
    exchange(&mut words, 4, 16, 0x0000_ffff_0000_ffff);
    exchange(&mut words, 4, 8, 0x00ff_00ff_00ff_00ff);
    exchange(&mut words, 4, 0, turn);
    words
}

/// Transposes, for each byte position, the 8 × 8 bits that eight words have there. Its own inverse.
#[inline(always)]
pub(super) fn transpose_bits(mut words: [u64; 8]) -> [u64; 8] {
    exchange(&mut words, 4, 4, 0x0f0f_0f0f_0f0f_0f0f);
    exchange(&mut words, 2, 2, 0x3333_3333_3333_3333);
    exchange(&mut words, 1, 1, 0x5555_5555_5555_5555);
    words
}

/// In each pair of words whose numbers differ in `bit` alone, exchanges the bits of the first under
/// `mask << shift` with the bits of the second under `mask`.
#[inline(always)]
fn exchange(words: &mut [u64; 8], bit: usize, shift: u32, mask: u64) {
    for first in (0..8).filter(|i| i & bit == 0) {
        let second = first | bit;
        let difference = (words[first] >> shift ^ words[second]) & mask;
        words[second] ^= difference;
        words[first] ^= difference << shift;
    }
}
