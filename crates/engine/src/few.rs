//! What a vector width has of its own for calls that few vectors are enough for.

use crate::{BLOCK, GcmMessage, gcm::Vector, key::RoundKeys, keystream::SPARE, span::Span};

/// Functions that clear no other registers than they take, where functions that the compiler makes would clear all.
///
/// # Safety
/// Of every method: the caller is compiled with the CPU features that the implementing type names, on a processor that has them; a
/// span is valid, in place or apart; and what is said of the arguments holds. No counter's last four bytes carry before the last
/// block that is made, and no span of ECB, CBC, CFB or XTS is longer than [`Few::MOST`].
pub(crate) trait Few {
    /// The most bytes of ECB, CBC, CFB and XTS that these take. A width that has none of these functions takes 0.
    const MOST: usize = 0;
    const HAS: bool = Self::MOST > 0;

    /// Adds to `text`, less than a vector, the keystream that begins at `spare`, from which a vector can be loaded.
    unsafe fn xor_spare(_spare: *const u8, _text: Span) {
        none()
    }

    /// Adds keystream to `text`, no more than a vector and more than `unused` bytes: the last `unused` ones of `spare`, and what is
    /// made from `counter` on, a vector, which all goes to `spare`.
    unsafe fn xor_fresh(
        _: &RoundKeys,
        _counter: u128,
        _spare: &mut [u8; SPARE],
        _unused: usize,
        _text: Span,
    ) {
        none()
    }

    /// ECB of whole blocks, one at least; `keys` are those of the direction.
    unsafe fn ecb<const DECRYPT: bool>(_keys: &RoundKeys, _span: Span) {
        none()
    }

    /// CBC decryption of whole blocks, one at least. `iv` becomes the last block of ciphertext.
    unsafe fn cbc_decrypt(_keys: &RoundKeys, _iv: &mut [u8; BLOCK], _span: Span) {
        none()
    }

    /// As [`Few::cbc_decrypt`], in CFB.
    unsafe fn cfb_decrypt(_keys: &RoundKeys, _iv: &mut [u8; BLOCK], _span: Span) {
        none()
    }

    /// XTS of whole blocks, one at least; `keys` are those of the direction.
    unsafe fn xts<const DECRYPT: bool>(
        _keys: &RoundKeys,
        _tweak_keys: &RoundKeys,
        _tweak: u128,
        _span: Span,
    ) {
        none()
    }

    /// Seals or opens a message of GCM, and answers the tag that belongs to it: with the tag's block it fits two vectors, and `aad`
    /// fits one; the key has powers for all of it.
    unsafe fn gcm_message<const SEAL: bool>(_: &Vector, _nonce: &[u8; 12], _aad: &[u8], _text: Span) -> u128 {
        none()
    }

    /// Encrypts or decrypts a part of a message of GCM that begins where a block does: a block at least, and no more than two vectors;
    /// the key has powers for its blocks, and one more where a block is open.
    unsafe fn gcm_part<const SEAL: bool>(_: &Vector, _: &mut GcmMessage, _text: Span) {
        none()
    }
}

fn none() -> ! {
    unreachable!("this width has none")
}
