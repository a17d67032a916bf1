//! The key schedule (FIPS 197, section 5.2), without tables.

use zeroize::{Zeroize, zeroize_stack};

use super::Keys;
use super::plane::Turn;
use super::planes::pack;
use super::sbox::sub_bytes;
#[cfg(vectors)]
use crate::native;
use crate::wipe::overwrite;

/// The constant that `sub_bytes` leaves out, in four bytes.
pub(super) const SBOX_CONSTANT: u32 = 0x6363_6363;

/// One bit of each nibble: the planes of one block out of four.
const ONE_BLOCK: u64 = 0x1111_1111_1111_1111;

/// Round keys one after the other; the first bytes of a word are its lowest.
#[repr(align(16))]
pub(crate) struct Words(pub(crate) [u32; 60]);

impl Keys {
    /// Expands a key of 16, 24 or 32 bytes in place.
    pub(crate) fn expand(&mut self, key: &[u8]) {
        self.expand_apart(key);
        // Round keys lie there that the compiler found no registers for.
        zeroize_stack::<1024>();
    }

    #[inline(never)]
    fn expand_apart(&mut self, key: &[u8]) {
        assert!(matches!(key.len(), 16 | 24 | 32));
        self.rounds = key.len() / 4 + 6;
        let mut words = Words([0; 60]);
        let count = 4 * (self.rounds + 1);
        #[cfg(vectors)]
        let permuted = native::expand_permuting(self, key, &mut words);
        #[cfg(not(vectors))]
        let permuted = false;
        if !permuted {
            expand_words(key, &mut words.0[..count]);
        }
        self.pack(&words.0[..count]);
        overwrite(&mut words.0, [0; 60]);
        #[cfg(target_arch = "x86_64")]
        if !permuted {
            for (bytes, planes) in self.bytes.iter_mut().zip(&self.planes).take(self.rounds + 1) {
                *bytes = planes.map(spread);
            }
        }
    }

    /// Packs the round keys, four at a time in place of four blocks, then spreads each over four blocks.
    fn pack(&mut self, words: &[u32]) {
        let mut blocks = [0; 8];
        let mut planes = [0; 8];
        for (four, keys) in words.chunks(16).enumerate() {
            for (i, key) in keys.chunks_exact(4).enumerate() {
                let [a, b, c, d] = place(key, 4 * four + i).map(u64::from);
                blocks[i] = a | b << 32;
                blocks[4 + i] = c | d << 32;
            }
            planes = pack(blocks, Turn::FIRST);
            for (i, key) in self.planes[4 * four..][..keys.len() / 4].iter_mut().enumerate() {
                *key = planes.map(|plane| {
                    let bit = plane >> i & ONE_BLOCK;
                    (bit << 4).wrapping_sub(bit)
                });
            }
        }
        blocks.zeroize();
        planes.zeroize();
    }
}

/// Fills `words` with the round keys, as [`Words`] has them.
pub(crate) fn expand_words(key: &[u8], words: &mut [u32]) {
    let length = key.len() / 4;
    for (word, bytes) in words.iter_mut().zip(key.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    let mut power_of_x = 1u32;
    for i in length..words.len() {
        let mut word = words[i - 1];
        if i % length == 0 {
            word = sub_word(word).rotate_right(8) ^ power_of_x;
            power_of_x = (power_of_x << 1) ^ ((power_of_x >> 7) * 0x11b);
        } else if length == 8 && i % 8 == 4 {
            word = sub_word(word);
        }
        words[i] = words[i - length] ^ word;
    }
}

/// The key added in round `m` as [`pack`] must get it: with the S-box's constant of the round, and row r
/// turned m·r columns to the right, because in round m the state stands that much further than packed.
#[inline(always)]
fn place(key: &[u32], m: usize) -> [u32; 4] {
    let constant = if m == 0 { 0 } else { SBOX_CONSTANT };
    core::array::from_fn(|column| {
        (0..4).fold(constant, |word, row| {
            word ^ key[(column + 3 * m * row) % 4] & 0xff << (8 * row)
        })
    })
}

/// A byte for each four bits, which are all alike.
#[cfg(target_arch = "x86_64")]
fn spread(plane: u64) -> u128 {
    let x = u128::from(plane);
    let x = (x | x << 32) & 0x00000000_ffffffff_00000000_ffffffff;
    let x = (x | x << 16) & 0x0000ffff_0000ffff_0000ffff_0000ffff;
    let x = (x | x << 8) & 0x00ff00ff_00ff00ff_00ff00ff_00ff00ff;
    let x = (x | x << 4) & 0x0f0f0f0f_0f0f0f0f_0f0f0f0f_0f0f0f0f;
    x | x << 4
}

/// SubWord. Plane i gets bit i of each byte where bit 0 of the byte is; the other bits idle.
fn sub_word(word: u32) -> u32 {
    let planes: [u64; 8] = core::array::from_fn(|i| u64::from(word >> i & 0x0101_0101));
    let [a, b, c, d, e, f, g, h] = sub_bytes(&planes).map(|plane| plane as u32);
    SBOX_CONSTANT ^ a ^ b << 1 ^ c << 2 ^ d << 3 ^ e << 4 ^ f << 5 ^ g << 6 ^ h << 7
}
