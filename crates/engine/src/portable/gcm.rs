//! Galois/counter mode (SP 800-38D).

use inout::InOutBuf;
use zeroize::Zeroize;

use super::Keys;
use super::blocks::Compiled;
use super::ctr::ctr;
use super::ghash::{Hash, HashKey};

/// What GCM needs of a key.
pub(crate) struct GcmKeys {
    keys: Keys,
    hash_key: HashKey,
}

impl GcmKeys {
    /// No key: a place to expand one in.
    pub(crate) const ZERO: Self = Self {
        keys: Keys::ZERO,
        hash_key: HashKey::ZERO,
    };

    /// Expands a key of 16, 24 or 32 bytes in place.
    pub(crate) unsafe fn expand<P: Compiled>(&mut self, key: &[u8]) {
        self.keys.expand(key);
        let mut block = unsafe { self.keystream::<P>(0) };
        self.hash_key.set(block);
        block.zeroize();
    }

    /// Encrypts the buffer and answers the tag.
    pub(crate) unsafe fn seal<P: Compiled>(&self, nonce: &[u8], aad: &[u8], mut buffer: InOutBuf<'_, '_, u8>) -> u128 {
        let first = self.first_counter(nonce);
        // SAFETY: as the caller.
        unsafe {
            self.xor::<P>(first, buffer.reborrow());
            self.tag::<P>(first, aad, buffer.get_out())
        }
    }

    /// Decrypts the buffer and answers the tag that it should have had.
    pub(crate) unsafe fn open<P: Compiled>(&self, nonce: &[u8], aad: &[u8], buffer: InOutBuf<'_, '_, u8>) -> u128 {
        let first = self.first_counter(nonce);
        // SAFETY: as the caller.
        unsafe {
            let tag = self.tag::<P>(first, aad, buffer.get_in());
            self.xor::<P>(first, buffer);
            tag
        }
    }

    /// J₀, the counter before the first one of the data.
    fn first_counter(&self, nonce: &[u8]) -> u128 {
        if let Ok(nonce) = <[u8; 12]>::try_from(nonce) {
            let [a, b, c, d, e, f, g, h, i, j, k, l] = nonce;
            return u128::from_be_bytes([a, b, c, d, e, f, g, h, i, j, k, l, 0, 0, 0, 1]);
        }
        let mut hash = Hash::ZERO;
        hash.update(&self.hash_key, nonce);
        hash.update_lengths(&self.hash_key, 0, nonce.len());
        u128::from_be_bytes(hash.block())
    }

    unsafe fn tag<P: Compiled>(&self, first: u128, aad: &[u8], cipher: &[u8]) -> u128 {
        let mut hash = Hash::ZERO;
        hash.update(&self.hash_key, aad);
        hash.update(&self.hash_key, cipher);
        hash.update_lengths(&self.hash_key, aad.len(), cipher.len());
        let mut mask = unsafe { self.keystream::<P>(first) };
        let tag = u128::from_le_bytes(hash.block()) ^ u128::from_le_bytes(mask);
        hash.zeroize();
        mask.zeroize();
        tag
    }

    /// Xors the keystream after `first` into `buffer`. Only the counter's last four bytes count.
    unsafe fn xor<P: Compiled>(&self, first: u128, buffer: InOutBuf<'_, '_, u8>) {
        let next = |counter: u128| counter & !0xffff_ffff | u128::from((counter as u32).wrapping_add(1));
        let counter = next(first);
        let until_carry = ((1 << 32) - (counter & 0xffff_ffff)) * 16;
        let now = until_carry.min(buffer.len() as u128) as usize;
        let (now, after) = buffer.split_at(now);
        let mut spare = [0; 64];
        // SAFETY: as the caller.
        unsafe {
            ctr::<P>(&self.keys, counter, now, &mut spare);
            if !after.is_empty() {
                ctr::<P>(&self.keys, counter & !0xffff_ffff, after, &mut spare);
            }
        }
        spare.zeroize();
    }

    unsafe fn keystream<P: Compiled>(&self, counter: u128) -> [u8; 16] {
        let mut block = [0; 16];
        let mut spare = [0; 64];
        // SAFETY: as the caller.
        unsafe { ctr::<P>(&self.keys, counter, block.as_mut_slice().into(), &mut spare) };
        spare.zeroize();
        block
    }
}

impl Zeroize for GcmKeys {
    fn zeroize(&mut self) {
        self.keys.zeroize();
        self.hash_key.zeroize();
    }
}
