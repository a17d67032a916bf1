//! Batches of blocks in memory, and the functions that are compiled once for each kind of plane.

use inout::InOutBuf;
use zeroize::zeroize_stack;

use super::Keys;
use super::ghash::{Hash, HashKey};
use super::inverse::decrypt;
use super::modes;
use super::plane::{Plane, each};
use crate::{BLOCK, ccm, wipe::overwrite};

/// The stack in bytes, with room to spare, that multiplying by a hash key takes, and making what that takes.
pub(crate) const HASHED: usize = 1024;

/// Room for the blocks that any kind of plane takes at once: two batches of the widest. Wiped on drop.
#[repr(align(64))]
pub(crate) struct Room(pub(crate) [u8; 512]);

impl Room {
    pub(crate) const ZERO: Self = Self([0; 512]);
}

impl Drop for Room {
    #[inline(always)]
    fn drop(&mut self) {
        overwrite(&mut self.0, [0; 512]);
    }
}

/// Code without AES instructions, by what is compiled for one type of words or vectors alone: the thin wrappers that give it
/// CPU features.
///
/// # Safety
/// Of every function: the processor has the features of `Self`.
pub(crate) trait Compiled: Sized {
    /// Bytes that counter mode takes at a time.
    const BATCH: usize;

    /// Bytes that are best taken at once.
    const WIDE: usize;

    /// A whole message of CCM, where that is more than its parts.
    const CCM: Option<ccm::Whole> = None;

    /// Encrypts the first `len` bytes of `room`, at most [`Compiled::WIDE`]. What follows them is lost.
    unsafe fn encrypt(keys: &Keys, room: &mut Room, len: usize);

    /// As [`Compiled::encrypt`], backwards.
    unsafe fn decrypt(keys: &Keys, room: &mut Room, len: usize);

    /// Encrypts or decrypts whole blocks, each by itself.
    unsafe fn ecb<const DECRYPT: bool>(keys: &Keys, buffer: InOutBuf<'_, '_, u8>) {
        // SAFETY: as the caller.
        unsafe { modes::in_room::<Self, DECRYPT>(keys, buffer) }
    }

    /// Takes whole blocks through a chain, from `value` on and into it.
    ///
    /// # Safety
    /// `src` is valid for `len` bytes, and so is `dst` where the chain has output; they are equal or apart.
    unsafe fn chain<C: Chain>(
        keys: &Keys,
        value: &mut [u8; BLOCK],
        src: *const u8,
        dst: *mut u8,
        len: usize,
    ) {
        // SAFETY: as the caller.
        unsafe { modes::link::<Self, C>(keys, value, src, dst, len) }
    }

    /// CFB encryption by bytes (SP 800-38A, section 6.3, s = 8). `iv` becomes the last sixteen bytes of ciphertext.
    ///
    /// # Safety
    /// `src` and `dst` are valid for `len` bytes; they are equal or apart.
    unsafe fn cfb8_encrypt(keys: &Keys, iv: &mut [u8; BLOCK], src: *const u8, dst: *mut u8, len: usize) {
        // SAFETY: as the caller.
        unsafe { modes::link_bytes::<Self>(keys, iv, src, dst, len) }
    }

    /// Takes whole blocks into a hash of GCM.
    unsafe fn hash(key: &mut HashKey, hash: &mut Hash, blocks: &[[u8; 16]]) {
        for block in blocks {
            hash.update_block(key, block);
        }
        zeroize_stack::<HASHED>();
    }

    /// As [`super::ctr::run`].
    unsafe fn ctr_run(keys: &Keys, counter: u128, src: *const u8, dst: *mut u8, batches: usize);
}

/// How each block waits for the one before it, in the terms of SP 800-38A. The first one waits for an IV.
pub(crate) trait Chain {
    /// Whether the text is added to what is encrypted, and not to what that makes.
    const TEXT_GOES_IN: bool;
    /// Whether there is any output but the last block.
    const HAS_OUTPUT: bool = true;
    /// Whether the next block waits for the output, and not for what was made before text was added.
    const OUTPUT_GOES_ON: bool = true;
}

/// CBC encryption.
pub(crate) struct Cbc;
/// CBC-MAC.
pub(crate) struct CbcMac;
/// CFB encryption by blocks.
pub(crate) struct Cfb;
pub(crate) struct Ofb;

impl Chain for Cbc {
    const TEXT_GOES_IN: bool = true;
}

impl Chain for CbcMac {
    const TEXT_GOES_IN: bool = true;
    const HAS_OUTPUT: bool = false;
}

impl Chain for Cfb {
    const TEXT_GOES_IN: bool = false;
}

impl Chain for Ofb {
    const TEXT_GOES_IN: bool = false;
    const OUTPUT_GOES_ON: bool = false;
}

/// Encrypts or decrypts the first `len` bytes of `room`.
///
/// # Safety
/// The processor has the features of `P`.
#[inline(always)]
pub(crate) unsafe fn crypt<P: Plane, const DECRYPT: bool>(keys: &Keys, room: &mut Room, len: usize) {
    // SAFETY: as the caller; there is room for two batches.
    unsafe {
        if P::SIDE == 2 && len > P::BATCH {
            side_by_side::<P, 2, DECRYPT>(keys, room);
        } else {
            side_by_side::<P, 1, DECRYPT>(keys, room);
        }
    }
}

/// # Safety
/// As [`crypt`]; there is room for `N` batches.
#[inline(always)]
unsafe fn side_by_side<P: Plane, const N: usize, const DECRYPT: bool>(keys: &Keys, room: &mut Room) {
    let blocks = room.0.as_mut_ptr();
    // SAFETY: as the caller.
    unsafe {
        let mut batches = [each!(i => P::load(blocks, i)); N];
        for (n, batch) in batches.iter_mut().enumerate().skip(1) {
            *batch = each!(i => P::load(blocks.add(n * P::BATCH), i));
        }
        if DECRYPT {
            decrypt(keys, &mut batches);
        } else {
            super::encrypt(keys, &mut batches);
        }
        for (n, batch) in batches.into_iter().enumerate() {
            for (i, word) in batch.into_iter().enumerate() {
                word.store(blocks.add(n * P::BATCH), i);
            }
        }
    }
}
