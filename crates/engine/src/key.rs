use core::fmt;

use zeroize::Zeroize;

use crate::portable;

/// An expanded AES key, in the layout of the kernel that expanded it.
///
/// It is large (4.5 KiB, most of it room for the first round ahead) and secret. It is made empty and filled in
/// place, because a move leaves a copy behind that nobody wipes: keep it where it is. Dropping wipes it.
#[derive(Default)]
pub struct Key(pub(crate) Material);

/// A key as the kernels want it.
#[derive(Default)]
#[allow(
    clippy::large_enum_variant,
    reason = "boxing would allocate, and a key must stay in place"
)]
pub(crate) enum Material {
    #[default]
    Empty,
    /// As FIPS 197 has it: for kernels with AES instructions.
    Rounds(Rounds),
    /// Bitsliced: for the portable kernel.
    Sliced(portable::Keys),
}

/// Round keys, and the first round ahead where a kernel made it.
pub(crate) struct Rounds {
    pub(crate) keys: RoundKeys,
    /// Bytes encrypted so far, until the first round is made ahead.
    pub(crate) encrypted: usize,
    pub(crate) first_round: FirstRound,
}

impl Rounds {
    /// Bytes that a key encrypts before the first round ahead is made for it. Making it costs as much as
    /// encrypting about a kilobyte, so that a key which never gets this far must not pay for it.
    pub(crate) const AHEAD_AFTER: usize = 8192;

    /// Whether the first round ahead has been made.
    #[inline(always)]
    pub(crate) fn is_ahead(&self) -> bool {
        self.encrypted >= Self::AHEAD_AFTER
    }
}

/// Round keys in the order of their use, each with its first byte as the least significant.
///
/// The last one always stands at the end, so that the last ten rounds find theirs at fixed places.
#[derive(Clone, Copy)]
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

    /// Where the first of them stands, the one that is added before the first round.
    #[inline(always)]
    pub(crate) fn start(&self) -> usize {
        14 - self.rounds
    }
}

/// The table of [`crate::ctr`]: what the counter's last byte adds to the state after the first round.
#[repr(align(64))]
pub(crate) struct FirstRound(pub(crate) [u128; 256]);

impl Key {
    /// No key yet: expand one with [`crate::Kernel::expand`].
    pub fn empty() -> Self {
        Self::default()
    }

    /// Becomes the same key as `other`, in the same layout; what was there is wiped.
    pub fn copy_from(&mut self, other: &Self) {
        match &other.0 {
            Material::Empty => self.wipe(),
            Material::Rounds(rounds) => {
                let copy = self.rounds_mut();
                copy.keys.blocks.copy_from_slice(&rounds.keys.blocks);
                copy.keys.rounds = rounds.keys.rounds;
                copy.encrypted = rounds.encrypted;
                if rounds.is_ahead() {
                    copy.first_round.0.copy_from_slice(&rounds.first_round.0);
                }
            }
            Material::Sliced(keys) => self.sliced_mut().copy_from(keys),
        }
    }

    /// Room for round keys, in place and without touching what need not be touched.
    pub(crate) fn rounds_mut(&mut self) -> &mut Rounds {
        self.wipe();
        if !matches!(self.0, Material::Rounds(_)) {
            self.0 = Material::Rounds(Rounds {
                keys: RoundKeys::NONE,
                encrypted: 0,
                first_round: FirstRound([0; 256]),
            });
        }
        match &mut self.0 {
            Material::Rounds(rounds) => rounds,
            _ => unreachable!("just made"),
        }
    }

    /// Room for bitsliced keys, in place.
    pub(crate) fn sliced_mut(&mut self) -> &mut portable::Keys {
        self.wipe();
        if !matches!(self.0, Material::Sliced(_)) {
            self.0 = Material::Sliced(portable::Keys::ZERO);
        }
        match &mut self.0 {
            Material::Sliced(keys) => keys,
            _ => unreachable!("just made"),
        }
    }

    fn wipe(&mut self) {
        match &mut self.0 {
            Material::Empty => {}
            Material::Rounds(rounds) => {
                rounds.keys.blocks.zeroize();
                if rounds.is_ahead() {
                    rounds.first_round.0.zeroize();
                }
                rounds.encrypted = 0;
            }
            Material::Sliced(keys) => keys.zeroize(),
        }
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        self.wipe();
    }
}

/// Shows no key.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

/// A key that is not 16, 24 or 32 bytes long; holds its length in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidKeyLength(pub usize);

impl fmt::Display for InvalidKeyLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an AES key has 16, 24 or 32 bytes, not {}", self.0)
    }
}

impl core::error::Error for InvalidKeyLength {}
