use core::fmt;

use inout::InOutBuf;
use zeroize::Zeroize;

use crate::{BLOCK, Implementation, InvalidKeyLength, cpu::Feature, implementation::Layout, portable};
#[cfg(target_arch = "x86_64")]
use crate::{
    ghash::Powers,
    key::{RoundKeys, Rounds},
};
#[cfg(target_arch = "x86_64")]
use vector::LastBytes;

#[cfg(target_arch = "x86_64")]
pub(crate) mod vector;

/// An AES-GCM key, expanded, and what GHASH needs of it, in the layout of the kernel that expanded it.
///
/// The powers of the hash key are made as messages need them, and kept: that is why a kernel takes it `&mut`.
/// It is large (11 KiB) and secret. As [`crate::Key`] it is filled in place, is to stay there, and is wiped on
/// drop.
#[derive(Default)]
pub struct GcmKey(Material);

#[derive(Default)]
#[allow(
    clippy::large_enum_variant,
    reason = "boxing would allocate, and a key must stay in place"
)]
enum Material {
    #[default]
    Empty,
    #[cfg(target_arch = "x86_64")]
    Vector(Vector),
    Sliced(portable::GcmKeys),
}

/// For kernels with AES and carry-less multiplication.
#[cfg(target_arch = "x86_64")]
pub(crate) struct Vector {
    pub(crate) keys: RoundKeys,
    pub(crate) powers: Powers,
    /// Bytes in long messages so far, until the first round is made ahead.
    pub(crate) encrypted: usize,
    pub(crate) first_round: LastBytes,
}

#[cfg(target_arch = "x86_64")]
impl Vector {
    /// Whether the first round ahead has been made.
    #[inline(always)]
    pub(crate) fn is_ahead(&self) -> bool {
        self.encrypted >= Rounds::AHEAD_AFTER
    }
}

impl GcmKey {
    /// No key yet: expand one with [`GcmKernel::expand`].
    pub fn empty() -> Self {
        Self::default()
    }

    /// Room for round keys and powers, in place and without touching what need not be touched.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn vector_mut(&mut self) -> &mut Vector {
        self.wipe();
        if !matches!(self.0, Material::Vector(_)) {
            self.make_vector();
        }
        self.vector()
    }

    /// Apart, because it takes a lot of stack.
    #[cfg(target_arch = "x86_64")]
    #[cold]
    #[inline(never)]
    fn make_vector(&mut self) {
        self.0 = Material::Vector(Vector {
            keys: RoundKeys::NONE,
            powers: Powers::NONE,
            encrypted: 0,
            first_round: LastBytes::NONE,
        });
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(crate) fn vector(&mut self) -> &mut Vector {
        match &mut self.0 {
            Material::Vector(key) => key,
            _ => panic!("the key was not expanded by this kernel"),
        }
    }

    fn sliced_mut(&mut self) -> &mut portable::GcmKeys {
        self.wipe();
        if !matches!(self.0, Material::Sliced(_)) {
            self.0 = Material::Sliced(portable::GcmKeys::ZERO);
        }
        self.sliced()
    }

    fn sliced(&mut self) -> &mut portable::GcmKeys {
        match &mut self.0 {
            Material::Sliced(keys) => keys,
            _ => panic!("the key was not expanded by this kernel"),
        }
    }

    fn wipe(&mut self) {
        match &mut self.0 {
            Material::Empty => {}
            #[cfg(target_arch = "x86_64")]
            Material::Vector(key) => {
                key.keys.blocks.zeroize();
                key.powers.zeroize();
                if key.is_ahead() {
                    key.first_round.zeroize();
                }
                key.encrypted = 0;
            }
            Material::Sliced(keys) => keys.zeroize(),
        }
    }
}

impl Drop for GcmKey {
    fn drop(&mut self) {
        self.wipe();
    }
}

/// Shows no key.
impl fmt::Debug for GcmKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GcmKey(..)")
    }
}

/// What a kernel's file fills in.
pub(crate) struct Entry {
    pub(crate) features: &'static [Feature],
    pub(crate) layout: Layout,
    /// Expands a key of 16, 24 or 32 bytes into its layout.
    ///
    /// # Safety
    /// The processor has `features`.
    pub(crate) expand: unsafe fn(&mut GcmKey, &[u8]),
    /// Encrypts the buffer and answers the tag, its first byte as the least significant.
    ///
    /// # Safety
    /// The processor has `features`.
    pub(crate) seal: Run,
    /// Decrypts the buffer and answers the tag that it should have had.
    ///
    /// # Safety
    /// The processor has `features`.
    pub(crate) open: Run,
}

type Run = unsafe fn(&mut GcmKey, &[u8], &[u8], InOutBuf<'_, '_, u8>) -> u128;

impl Entry {
    /// Bitsliced, in planes of type `P`.
    pub(crate) const fn sliced<P: portable::Compiled>(features: &'static [Feature]) -> Self {
        Self {
            features,
            layout: Layout::Sliced,
            // SAFETY: of all three: as the caller.
            expand: |key, bytes| unsafe { key.sliced_mut().expand::<P>(bytes) },
            seal: |key, nonce, aad, buffer| unsafe { key.sliced().seal::<P>(nonce, aad, buffer) },
            open: |key, nonce, aad, buffer| unsafe { key.sliced().open::<P>(nonce, aad, buffer) },
        }
    }
}

/// The GCM of an implementation that this processor can run: the proof that its CPU features were found.
#[derive(Clone, Copy)]
pub struct GcmKernel {
    implementation: Implementation,
    entry: &'static Entry,
}

impl GcmKernel {
    /// The longest message, in bytes: 2^39 − 256 bits (SP 800-38D, §5.2.1.1), after which the counter would repeat.
    pub const LONGEST_MESSAGE: u64 = (1 << 36) - 32;
    /// The longest nonce and the most additional data, in bytes: 2^64 − 1 bits.
    pub const LONGEST_AAD: u64 = (1 << 61) - 1;

    pub(crate) fn new(implementation: Implementation, entry: &'static Entry) -> Option<Self> {
        entry.features.iter().all(|f| f.is_present()).then_some(Self {
            implementation,
            entry,
        })
    }

    /// Which implementation it runs.
    pub fn implementation(self) -> Implementation {
        self.implementation
    }

    /// Whether both take a key in the same layout, so that either can go on with what the other expanded.
    pub fn shares_layout(self, other: Self) -> bool {
        self.entry.layout == other.entry.layout
    }

    /// Expands `bytes` (16, 24 or 32 of them) into `key`, in place; what was there is wiped.
    pub fn expand(self, key: &mut GcmKey, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        if !matches!(bytes.len(), 16 | 24 | 32) {
            return Err(InvalidKeyLength(bytes.len()));
        }
        // SAFETY: a kernel exists only where its features were found.
        unsafe { (self.entry.expand)(key, bytes) };
        Ok(())
    }

    /// Encrypts `buffer` and answers its tag (SP 800-38D, §7.1).
    ///
    /// # Panics
    /// If `key` was last expanded by a kernel with another layout, or never; if `nonce` is empty; if a length
    /// passes [`GcmKernel::LONGEST_MESSAGE`] or [`GcmKernel::LONGEST_AAD`].
    #[inline]
    pub fn seal(
        self,
        key: &mut GcmKey,
        nonce: &[u8],
        aad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> [u8; BLOCK] {
        check(nonce, aad, &buffer);
        // SAFETY: a kernel exists only where its features were found.
        unsafe { (self.entry.seal)(key, nonce, aad, buffer) }.to_le_bytes()
    }

    /// Decrypts `buffer` and answers whether `tag`, or what there is of it, is its tag (SP 800-38D, §7.2). If it
    /// is not, the output is zeros: decrypted text stands there only while this runs. The comparison takes the
    /// same time whatever it finds.
    ///
    /// # Panics
    /// As [`GcmKernel::seal`]; if `tag` has less than one or more than 16 bytes.
    #[inline]
    #[must_use]
    pub fn open(
        self,
        key: &mut GcmKey,
        nonce: &[u8],
        aad: &[u8],
        mut buffer: InOutBuf<'_, '_, u8>,
        tag: &[u8],
    ) -> bool {
        check(nonce, aad, &buffer);
        assert!((1..=BLOCK).contains(&tag.len()), "a tag has 1 to 16 bytes");
        // SAFETY: a kernel exists only where its features were found.
        let expected = unsafe { (self.entry.open)(key, nonce, aad, buffer.reborrow()) };
        let genuine = difference(expected, tag) == 0;
        if !genuine {
            buffer.get_out().fill(0);
        }
        genuine
    }
}

/// What a kernel relies on.
#[inline]
fn check(nonce: &[u8], aad: &[u8], buffer: &InOutBuf<'_, '_, u8>) {
    assert!(!nonce.is_empty(), "a nonce has at least one byte");
    let longest = nonce.len().max(aad.len()) as u64;
    assert!(
        longest <= GcmKernel::LONGEST_AAD && buffer.len() as u64 <= GcmKernel::LONGEST_MESSAGE,
        "GCM's limits"
    );
}

/// Zero where the first bytes of `expected` are `tag`.
#[inline]
fn difference(expected: u128, tag: &[u8]) -> u128 {
    if let Ok(tag) = tag.try_into() {
        return expected ^ u128::from_le_bytes(tag);
    }
    let bytes = expected.to_le_bytes();
    let pairs = bytes.iter().zip(tag);
    // Whether one bit or all of them differ, every byte is looked at.
    pairs.fold(0, |difference, (a, b)| difference | u128::from(a ^ b))
}

impl fmt::Debug for GcmKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GcmKernel({})", self.implementation.name())
    }
}
