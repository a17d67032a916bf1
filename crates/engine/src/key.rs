use core::fmt;

use zeroize::Zeroize;

use crate::{
    ahead::{Ahead, Here},
    copy::copy,
    material::{Expanded, Material, key},
    portable,
    wipe::overwrite,
};

/// An expanded AES key, in the layout of the kernel that expanded it.
///
/// It is large (4.5 KiB, most of it room for the first rounds ahead) and secret. It is made empty and filled in
/// place, because a move leaves a copy behind that nobody wipes: keep it where it is. Dropping wipes it.
#[derive(Default)]
pub struct Key(pub(crate) Material<Rounds, portable::Keys>);

/// Round keys, and the first rounds ahead where a kernel made them.
pub(crate) struct Rounds {
    pub(crate) keys: RoundKeys,
    pub(crate) ahead: Ahead<Here<0, 256>>,
}

impl Rounds {
    /// Bytes after which a round ahead is made. Making the first costs as much as encrypting about a kilobyte, so that a
    /// key which never gets this far must not pay for it; the second may have to be made again for another IV.
    pub(crate) const AHEAD_AFTER: [usize; 2] = [8192, 16_384];
}

impl Expanded for Rounds {
    unsafe fn make_room(place: *mut Self) {
        // SAFETY: as the caller.
        unsafe {
            RoundKeys::make_room(&raw mut (*place).keys);
            Ahead::make_room(&raw mut (*place).ahead);
        }
    }

    fn make_way(&mut self) {
        self.ahead.zeroize();
    }

    fn copy_from(&mut self, other: &Self) {
        self.keys.copy_from(&other.keys);
        self.ahead.copy_from(&other.ahead);
    }
}

impl Zeroize for Rounds {
    fn zeroize(&mut self) {
        self.keys.zeroize();
        self.ahead.zeroize();
    }
}

/// Round keys in the order of their use, each with its first byte as the least significant.
///
/// The last one always stands at the end, so that the last ten rounds find theirs at fixed places.
#[repr(C)]
pub(crate) struct RoundKeys {
    pub(crate) blocks: [u128; 15],
    /// 10, 12 or 14.
    pub(crate) rounds: usize,
}

impl RoundKeys {
    pub(crate) const NONE: Self = Self {
        blocks: [0; 15],
        rounds: 0,
    };

    /// Makes them those of so many rounds, which are still to be written, from [`RoundKeys::start`] on. A longer key that was
    /// there is wiped.
    #[cfg(vectors)]
    #[inline(always)]
    pub(crate) fn begin(&mut self, rounds: usize) {
        if rounds < self.rounds {
            self.zeroize();
        }
        self.rounds = rounds;
    }

    /// Where the first of them stands, the one that is added before the first round.
    #[cfg(vectors)]
    #[inline(always)]
    pub(crate) fn start(&self) -> usize {
        14 - self.rounds
    }
}

impl Expanded for RoundKeys {
    unsafe fn make_room(place: *mut Self) {
        // SAFETY: as the caller.
        unsafe { place.write(Self::NONE) };
    }

    /// The expansion overwrites them ([`RoundKeys::begin`]).
    fn make_way(&mut self) {}

    fn copy_from(&mut self, other: &Self) {
        copy(&mut self.blocks, &other.blocks);
        self.rounds = other.rounds;
    }
}

impl Zeroize for RoundKeys {
    fn zeroize(&mut self) {
        overwrite(&mut self.blocks, [0; 15]);
    }
}

key!(Key, "crate::Kernel::expand");

/// A key that is not 16, 24 or 32 bytes long; holds its length in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidKeyLength(pub usize);

impl InvalidKeyLength {
    pub(crate) fn check(key: &[u8]) -> Result<(), Self> {
        match key.len() {
            16 | 24 | 32 => Ok(()),
            len => Err(Self(len)),
        }
    }
}

impl fmt::Display for InvalidKeyLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an AES key has 16, 24 or 32 bytes, not {}", self.0)
    }
}

impl core::error::Error for InvalidKeyLength {}
