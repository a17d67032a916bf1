//! Galois/counter mode (SP 800-38D).

use core::{hint::black_box, marker::PhantomData};

use inout::InOutBuf;
use zeroize::Zeroize;

use super::Keys;
use super::blocks::{Compiled, Room};
use super::ctr::{ctr, ctr32, plus32};
use super::ghash::{Hash, HashKey};
use crate::{
    BLOCK,
    gcm::{GcmMessage, first_block},
    keystream,
    material::Expanded,
    wipe::overwrite,
};

/// What GCM needs of a key.
pub(crate) struct GcmKeys {
    keys: Keys,
    hash_key: HashKey,
}

impl Expanded for GcmKeys {
    unsafe fn make_room(place: *mut Self) {
        // SAFETY: as the caller.
        unsafe {
            Keys::make_room(&raw mut (*place).keys);
            (&raw mut (*place).hash_key).write(HashKey::ZERO);
        }
    }

    fn copy_from(&mut self, other: &Self) {
        self.keys.copy_from(&other.keys);
        self.hash_key.copy_from(&other.hash_key);
    }
}

impl GcmKeys {
    /// Expands a key of 16, 24 or 32 bytes in place.
    ///
    /// # Safety
    /// The processor has the features of `P`.
    pub(crate) unsafe fn expand<P: Compiled>(&mut self, key: &[u8]) {
        self.keys.expand(key);
        let mut block = [0; BLOCK];
        // SAFETY: as the caller.
        unsafe { self.with::<P>() }.keystream(0, &mut block);
        self.hash_key.set(&block);
        block.zeroize();
    }

    /// To be used by `P`.
    ///
    /// # Safety
    /// The processor has the features of `P`.
    pub(crate) unsafe fn with<P: Compiled>(&mut self) -> Gcm<'_, P> {
        Gcm {
            keys: &self.keys,
            hash_key: &mut self.hash_key,
            by: PhantomData,
        }
    }
}

/// Keys of GCM, and the proof that the processor has the features of `P`.
pub(crate) struct Gcm<'k, P> {
    keys: &'k Keys,
    hash_key: &'k mut HashKey,
    by: PhantomData<P>,
}

impl<P: Compiled> Gcm<'_, P> {
    /// Encrypts the buffer and answers the tag.
    pub(crate) fn seal(&mut self, nonce: &[u8; 12], aad: &[u8], mut buffer: InOutBuf<'_, '_, u8>) -> u128 {
        let first = first_block(nonce);
        let mut pads = Room::ZERO;
        if self.make_pads(first, buffer.len(), &mut pads) {
            keystream::xor(&pads.0[BLOCK..][..buffer.len()], buffer.reborrow());
        } else {
            self.xor(first, false, 1, buffer.reborrow());
        }
        self.tag(&pads, aad, buffer.get_out())
    }

    /// Decrypts the buffer and answers the tag that it should have had.
    pub(crate) fn open(&mut self, nonce: &[u8; 12], aad: &[u8], buffer: InOutBuf<'_, '_, u8>) -> u128 {
        let first = first_block(nonce);
        let mut pads = Room::ZERO;
        let with_text = self.make_pads(first, buffer.len(), &mut pads);
        let tag = self.tag(&pads, aad, buffer.get_in());
        if with_text {
            keystream::xor(&pads.0[BLOCK..][..buffer.len()], buffer);
        } else {
            self.xor(first, false, 1, buffer);
        }
        tag
    }

    /// Makes the pad of the tag, and behind it that of the text if there is room for both: a batch of bitsliced code takes its
    /// time whatever is in it, and any call takes some. Answers whether there is.
    fn make_pads(&self, first: u128, len: usize, pads: &mut Room) -> bool {
        let with_text = BLOCK + len <= P::WIDE;
        let made = BLOCK + if with_text { len.next_multiple_of(BLOCK) } else { 0 };
        for (i, block) in (0..).zip(pads.0[..made].as_chunks_mut().0) {
            *block = plus32(first, i).to_be_bytes();
        }
        // SAFETY: whoever made this.
        unsafe { P::encrypt(self.keys, pads, made) };
        with_text
    }

    /// Hashes whole blocks after what a message has.
    pub(crate) fn absorb(&mut self, message: &mut GcmMessage, data: &[u8]) {
        let mut hash = self.closed(message);
        self.hash(&mut hash, data);
        message.hash = u128::from_le_bytes(hash.block());
        message.open = false;
        hash.zeroize();
    }

    /// Encrypts a part of a message that begins where a block does.
    pub(crate) fn encrypt(&mut self, message: &mut GcmMessage, mut buffer: InOutBuf<'_, '_, u8>) {
        self.add_keystream(message, buffer.reborrow());
        self.absorb_part(message, buffer.get_out());
    }

    /// Decrypts a part of a message that begins where a block does.
    pub(crate) fn decrypt(&mut self, message: &mut GcmMessage, buffer: InOutBuf<'_, '_, u8>) {
        self.absorb_part(message, buffer.get_in());
        self.add_keystream(message, buffer);
    }

    fn add_keystream(&mut self, message: &mut GcmMessage, buffer: InOutBuf<'_, '_, u8>) {
        let (len, blocks) = (buffer.len(), message.text_len / 16);
        message.keystream = self.xor(message.first, message.secret, 1 + blocks as u32, buffer);
        message.text_len += len as u64;
    }

    fn absorb_part(&mut self, message: &mut GcmMessage, cipher: &[u8]) {
        let (blocks, end) = cipher.split_at(cipher.len() / 16 * 16);
        self.absorb(message, blocks);
        if !end.is_empty() {
            let mut block = [0; 16];
            block[..end.len()].copy_from_slice(end);
            message.hash ^= u128::from_le_bytes(block);
            message.open = true;
        }
    }

    /// The tag of a message that has ended.
    pub(crate) fn end(&mut self, message: &GcmMessage) -> u128 {
        let mut hash = self.closed(message);
        self.hash(&mut hash, &lengths(message.aad_len, message.text_len));
        let mut pad = [0; BLOCK];
        self.keystream(message.first, &mut pad);
        let tag = masked(&hash, &pad);
        overwrite(&mut pad, [0; BLOCK]);
        hash.zeroize();
        tag
    }

    /// The hash of a message, with its open block multiplied.
    fn closed(&mut self, message: &GcmMessage) -> Hash {
        let block = message.hash.to_le_bytes();
        if message.open {
            let mut hash = Hash::ZERO;
            self.hash(&mut hash, &block);
            hash
        } else {
            Hash::halves(&block)
        }
    }

    /// The pad of the tag stands first in `pads`.
    fn tag(&mut self, pads: &Room, aad: &[u8], cipher: &[u8]) -> u128 {
        let mut hash = Hash::ZERO;
        self.hash_all(&mut hash, aad, cipher);
        // Not before: it would wait for all of this on the stack, where nobody wipes it.
        let (pad, _) = black_box(pads).0.split_first_chunk().expect("room for more");
        let tag = masked(&hash, pad);
        hash.zeroize();
        tag
    }

    /// Xors the keystream from the `n`th counter after `first` on into `buffer`. Answers the keystream of the block
    /// that the buffer ends within, if it does.
    fn xor(&self, first: u128, secret: bool, n: u32, buffer: InOutBuf<'_, '_, u8>) -> u128 {
        let counter = plus32(first, n);
        let mut spare = [0; 64];
        // SAFETY: whoever made this.
        let unused = unsafe {
            if secret {
                ctr32::<P>(self.keys, counter, buffer, &mut spare)
            } else {
                // The counter of a nonce begins at 1, and no message is so long that it carries.
                ctr::<P>(self.keys, counter, buffer, &mut spare)
            }
        };
        // The last batch is all in `spare`.
        let blocks = spare.as_chunks().0;
        let begun = blocks.get((64 - unused) / 16);
        let block = begun.map_or(0, |block| u128::from_le_bytes(*block));
        overwrite(&mut spare, [0; 64]);
        block
    }

    /// Adds the keystream of a counter to a block. It is not answered, since a copy would stay where nobody wipes it.
    fn keystream(&self, counter: u128, block: &mut [u8; BLOCK]) {
        let mut spare = [0; 64];
        // SAFETY: whoever made this.
        unsafe { ctr32::<P>(self.keys, counter, block.as_mut_slice().into(), &mut spare) };
        overwrite(&mut spare, [0; 64]);
    }

    /// Takes both into `hash`, each with its last block filled up with zeros, and the block of their lengths: of short ones
    /// all in one call.
    fn hash_all(&mut self, hash: &mut Hash, first: &[u8], second: &[u8]) {
        let lengths = lengths(first.len() as u64, second.len() as u64);
        let of_first = first.len().next_multiple_of(BLOCK);
        let before = of_first + second.len().next_multiple_of(BLOCK);
        let mut all = [0; 256];
        if before < all.len() {
            all[..first.len()].copy_from_slice(first);
            all[of_first..][..second.len()].copy_from_slice(second);
            all[before..][..BLOCK].copy_from_slice(&lengths);
            self.hash(hash, &all[..before + BLOCK]);
        } else {
            self.hash(hash, first);
            self.hash(hash, second);
            self.hash(hash, &lengths);
        }
    }

    /// Takes `data` into `hash`, its last block filled up with zeros.
    fn hash(&mut self, hash: &mut Hash, data: &[u8]) {
        let (blocks, end) = data.as_chunks();
        // SAFETY: whoever made this.
        unsafe { P::hash(self.hash_key, hash, blocks) };
        if !end.is_empty() {
            let mut block = [[0; BLOCK]];
            block[0][..end.len()].copy_from_slice(end);
            // SAFETY: as above.
            unsafe { P::hash(self.hash_key, hash, &block) };
        }
    }
}

/// The last block of a hash, which has two lengths in bits; given in bytes.
fn lengths(first: u64, second: u64) -> [u8; BLOCK] {
    (u128::from(8 * first) << 64 | u128::from(8 * second)).to_be_bytes()
}

/// The tag, by its pad.
fn masked(hash: &Hash, pad: &[u8; BLOCK]) -> u128 {
    u128::from_le_bytes(hash.block()) ^ u128::from_le_bytes(*pad)
}

impl Zeroize for GcmKeys {
    fn zeroize(&mut self) {
        self.keys.zeroize();
        self.hash_key.zeroize();
    }
}
