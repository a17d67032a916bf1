//! Batches of blocks in memory, and the functions that are compiled once for each kind of plane.

use super::Keys;
use super::ghash::{Hash, HashKey};
use super::inverse::decrypt;
use super::plane::{Plane, each};
use crate::wipe::overwrite;

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

/// Planes with what is compiled for them alone: the thin wrappers that give it CPU features.
///
/// # Safety
/// Of every function: the processor has the features of `Self`.
pub(crate) trait Compiled: Plane {
    /// Bytes that are best taken at once.
    const WIDE: usize = Self::SIDE * Self::BATCH;

    /// Encrypts the first `len` bytes of `room`, at most [`Compiled::WIDE`]. What follows them is lost.
    unsafe fn encrypt(keys: &Keys, room: &mut Room, len: usize);

    /// As [`Compiled::encrypt`], backwards.
    unsafe fn decrypt(keys: &Keys, room: &mut Room, len: usize);

    /// Takes whole blocks into a hash of GCM.
    unsafe fn hash(key: &mut HashKey, hash: &mut Hash, blocks: &[[u8; 16]]) {
        for block in blocks {
            hash.update_block(key, block);
        }
    }

    /// As [`super::ctr::run`].
    unsafe fn ctr_run(keys: &Keys, counter: u128, src: *const u8, dst: *mut u8, batches: usize);
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
