//! Four blocks at a time, in memory.

use super::Keys;
use super::inverse::decrypt;
use super::planes::Words;

/// Bytes of a batch.
pub(super) const BATCH: usize = 64;

/// Encrypts or decrypts the four blocks of `batch`.
#[inline(never)]
pub(super) fn crypt<const DECRYPT: bool>(keys: &Keys, batch: &mut [u8; BATCH]) {
    let words = words_of(batch);
    let words = if DECRYPT {
        decrypt(keys, words)
    } else {
        super::encrypt(keys, words)
    };
    let [a, b, c, d, e, f, g, h] = words;
    for (bytes, word) in batch.chunks_exact_mut(8).zip([a, e, b, f, c, g, d, h]) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
}

#[inline(always)]
fn words_of(batch: &[u8; BATCH]) -> Words {
    let mut words = [0; 8];
    for (i, half) in batch.chunks_exact(8).enumerate() {
        words[i / 2 + 4 * (i % 2)] = u64::from_le_bytes(half.try_into().expect("eight bytes"));
    }
    words
}
