//! Rijndael with blocks of 24 and 32 bytes (Daemen and Rijmen, "AES Proposal: Rijndael", version 2, 1999): the steps of
//! AES on six and eight columns.
//!
//! A batch is two blocks. In the planes a row of a block is a byte: the byte of row r, column c and block b has its
//! bits at 16·r + 8·b + c. Columns that a block has not are idle.
//!
//! SubBytes is that of AES, and so is MixColumns in its variant 0, where the next byte of a column stands one row down.
//! ShiftRows is done: it turns the bits of a byte. To leave it out, as AES does here, would take as many variants of
//! MixColumns as there are columns.

use zeroize::{Zeroize, zeroize_stack};

use super::inverse::{inv_mix_columns, inv_sub_bytes};
use super::plane::each;
use super::planes::transpose_bits;
use super::round::{add, mix_columns};
use super::sbox::sub_bytes;
use super::schedule::{SBOX_CONSTANT, expand_words};
use super::{Planes, SPILLED};
use crate::copy::copy;

/// Expanded round keys for blocks of `BLOCK` bytes, in planes.
pub(crate) struct Keys<const BLOCK: usize> {
    rounds: usize,
    planes: [Planes<u64>; 15],
}

/// Two blocks, of which the second may be idle. Wiped on drop.
pub(crate) struct Pair<const BLOCK: usize>(pub(crate) [[u8; BLOCK]; 2]);

impl<const BLOCK: usize> Pair<BLOCK> {
    pub(crate) const ZERO: Self = Self([[0; BLOCK]; 2]);

    /// Becomes a block, or both.
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        self.0.as_flattened_mut()[..bytes.len()].copy_from_slice(bytes);
    }

    pub(crate) fn give(&self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.0.as_flattened()[..bytes.len()]);
    }
}

impl<const BLOCK: usize> Drop for Pair<BLOCK> {
    fn drop(&mut self) {
        self.0.as_flattened_mut().zeroize();
    }
}

impl<const BLOCK: usize> Keys<BLOCK> {
    pub(crate) const NONE: Self = Self {
        rounds: 0,
        planes: [[0; 8]; 15],
    };

    /// Expands a key of 16, 24 or 32 bytes in place.
    pub(crate) fn expand(&mut self, key: &[u8]) {
        self.expand_in_place(key);
        // Packing goes by way of the stack.
        zeroize_stack::<1024>();
    }

    #[inline(never)]
    fn expand_in_place(&mut self, key: &[u8]) {
        // A longer key had more.
        self.planes.zeroize();
        self.rounds = (BLOCK / 4).max(key.len() / 4) + 6;
        let mut words = [0; 8 * 15];
        let words = &mut words[..BLOCK / 4 * (self.rounds + 1)];
        expand_words(key, words);
        for (round, key) in words.chunks_exact_mut(BLOCK / 4).enumerate() {
            if round > 0 {
                key.iter_mut().for_each(|column| *column ^= SBOX_CONSTANT);
            }
            self.planes[round] = pack([key, key]);
        }
        words.zeroize();
    }

    /// Becomes the same keys, from memory to memory.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.rounds = other.rounds;
        copy(&mut self.planes, &other.planes);
    }

    pub(crate) fn encrypt(&self, blocks: &mut Pair<BLOCK>) {
        self.encrypt_in_place(blocks);
        zeroize_stack::<SPILLED>();
    }

    #[inline(never)]
    fn encrypt_in_place(&self, blocks: &mut Pair<BLOCK>) {
        let mut state = add(&pack_blocks(blocks), &self.planes[0]);
        for key in &self.planes[1..self.rounds] {
            let turned = shift_rows::<BLOCK, false>(&sub_bytes(&state));
            state = add(&mix_columns::<u64, 0>(&turned), key);
        }
        let turned = shift_rows::<BLOCK, false>(&sub_bytes(&state));
        unpack(add(&turned, &self.planes[self.rounds]), blocks);
    }

    pub(crate) fn decrypt(&self, blocks: &mut Pair<BLOCK>) {
        self.decrypt_in_place(blocks);
        zeroize_stack::<SPILLED>();
    }

    #[inline(never)]
    fn decrypt_in_place(&self, blocks: &mut Pair<BLOCK>) {
        let turned = add(&pack_blocks(blocks), &self.planes[self.rounds]);
        let mut state = inv_sub_bytes(&shift_rows::<BLOCK, true>(&turned));
        for key in self.planes[1..self.rounds].iter().rev() {
            let turned = inv_mix_columns::<u64, 0>(&add(&state, key));
            state = inv_sub_bytes(&shift_rows::<BLOCK, true>(&turned));
        }
        unpack(add(&state, &self.planes[0]), blocks);
    }
}

impl<const BLOCK: usize> Drop for Keys<BLOCK> {
    fn drop(&mut self) {
        self.planes.zeroize();
    }
}

fn pack_blocks<const BLOCK: usize>(Pair([first, second]): &Pair<BLOCK>) -> Planes<u64> {
    let columns = |block: &[u8; BLOCK]| {
        let mut columns = [0; 8];
        for (column, bytes) in columns.iter_mut().zip(block.as_chunks().0) {
            *column = u32::from_le_bytes(*bytes);
        }
        columns
    };
    pack([&columns(first), &columns(second)])
}

/// Packs the columns of two blocks: in word c, column c of both, a byte of either in turn.
#[inline(always)]
fn pack([first, second]: [&[u32]; 2]) -> Planes<u64> {
    let mut words = [0; 8];
    for (word, (first, second)) in words.iter_mut().zip(first.iter().zip(second)) {
        *word = spread(*first) | spread(*second) << 8;
    }
    transpose_bits(words)
}

#[inline(always)]
fn unpack<const BLOCK: usize>(planes: Planes<u64>, Pair([first, second]): &mut Pair<BLOCK>) {
    let words = transpose_bits(planes);
    let blocks = first.as_chunks_mut().0.iter_mut().zip(second.as_chunks_mut().0);
    for (word, (first, second)) in words.into_iter().zip(blocks) {
        *first = gather(word).to_le_bytes();
        *second = gather(word >> 8).to_le_bytes();
    }
}

/// A word's bytes with an idle one behind each.
#[inline(always)]
fn spread(word: u32) -> u64 {
    let x = u64::from(word);
    let x = (x | x << 16) & 0x0000_ffff_0000_ffff;
    (x | x << 8) & 0x00ff_00ff_00ff_00ff
}

/// Undoes [`spread`], whatever the idle bytes are.
#[inline(always)]
fn gather(word: u64) -> u32 {
    let x = word & 0x00ff_00ff_00ff_00ff;
    let x = (x | x >> 8) & 0x0000_ffff_0000_ffff;
    (x | x >> 16) as u32
}

/// ShiftRows, or what undoes it.
#[inline(always)]
fn shift_rows<const BLOCK: usize, const BACK: bool>(planes: &Planes<u64>) -> Planes<u64> {
    each!(i => turn_rows::<BLOCK, BACK>(planes[i]))
}

/// Rows 1, 2 and 3 turn to the left by one, two and three columns; of eight columns, by one, three and four (section
/// 4.2.2 of the proposal).
#[inline(always)]
fn turn_rows<const BLOCK: usize, const BACK: bool>(plane: u64) -> u64 {
    let columns = BLOCK as u32 / 4;
    let distances = if columns == 8 { [1, 3, 4] } else { [1, 2, 3] };
    let mut turned = plane & 0xffff;
    for (row, distance) in (1..).zip(distances) {
        let left = if BACK { columns - distance } else { distance };
        let right = columns - left;
        // The columns that come to stand on the right of those which pass the row's end, in both blocks.
        let stay = (0x0101 * ((1 << right) - 1)) << (16 * row);
        let pass = (0x0101 * ((1 << left) - 1)) << (16 * row + right);
        turned |= plane >> left & stay | plane << right & pass;
    }
    turned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::portable::{Compiled, Keys as AesKeys, Room};

    /// On four columns it is AES, which has published answers enough.
    #[test]
    fn four_columns_are_aes() {
        let bytes: [u8; 64] = core::array::from_fn(|i| (i * i * 31 + 7) as u8);
        for key in [&bytes[..16], &bytes[..24], &bytes[..32]] {
            let mut aes = AesKeys::NONE;
            aes.expand(key);
            let mut room = Room::ZERO;
            room.0[..32].copy_from_slice(&bytes[32..]);
            // SAFETY: words of 64 bits need no feature.
            unsafe { <u64 as Compiled>::encrypt(&aes, &mut room, 32) };

            let mut keys = Keys::<16>::NONE;
            keys.expand(key);
            let mut blocks = Pair::ZERO;
            blocks.take(&bytes[32..]);
            keys.encrypt(&mut blocks);
            assert_eq!(blocks.0.as_flattened(), &room.0[..32]);
            keys.decrypt(&mut blocks);
            assert_eq!(blocks.0.as_flattened(), &bytes[32..]);
        }
    }

    /// Section 4.2.2, column by column.
    #[test]
    fn rows_turn_and_turn_back() {
        fn check<const BLOCK: usize>(distances: [usize; 4]) {
            let columns = BLOCK / 4;
            for (row, block, column) in
                (0..4).flat_map(|row| (0..2).flat_map(move |b| (0..columns).map(move |c| (row, b, c))))
            {
                let at = |column: usize| 1_u64 << (16 * row + 8 * block + column);
                let to = (column + columns - distances[row]) % columns;
                assert_eq!(turn_rows::<BLOCK, false>(at(column)), at(to));
                assert_eq!(turn_rows::<BLOCK, true>(at(to)), at(column));
            }
        }
        check::<24>([0, 1, 2, 3]);
        check::<32>([0, 1, 3, 4]);
    }
}
