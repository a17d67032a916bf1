use core::{fmt, hint::cold_path};

use inout::InOutBuf;

use crate::{
    BLOCK, GcmKernel, InvalidKeyLength, Key, Keystream, block,
    cpu::Feature,
    gcm,
    key::Rounds,
    keystream::{self, SPARE},
    portable,
    span::Span,
    wipe::{cleared, overwrite},
};

/// An implementation of AES by name, whether this processor can run it or not.
#[derive(Clone, Copy)]
pub struct Implementation(&'static Entry);

/// An implementation that this processor can run: the proof that its CPU features were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel(Implementation);

/// The longest text, in bytes, that is taken to lie in a cache. A longer one is taken from memory and put there, where
/// loads and stores are what is scarce: on Zen 5 the table of one round ahead costs 7 % at 16 MiB and 15 to 20 %
/// at 64 MiB, and stores past the caches gain a third from buffer to buffer.
const NEAR: usize = 8 << 20;

/// How a kernel wants its key: the variants of [`crate::material::Material`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    #[cfg(vectors)]
    Rounds,
    Sliced,
}

/// What a kernel's file fills in.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) features: &'static [Feature],
    pub(crate) layout: Layout,
    /// Expands a key of 16, 24 or 32 bytes into its layout.
    ///
    /// # Safety
    /// The processor has `features`.
    pub(crate) expand: unsafe fn(&mut Key, &[u8]),
    /// Counter mode, as [`Kernel::ctr`].
    ///
    /// # Safety
    /// The processor has `features`; the counter's last four bytes do not carry before the buffer's last block.
    pub(crate) ctr: Ctr,
    /// The same for text that comes from memory and goes there.
    ///
    /// # Safety
    /// As `ctr`.
    pub(crate) far: Ctr,
    /// What takes a [`crate::BlockKey`].
    pub(crate) block: block::Modes,
    /// Galois/counter mode, where there is one.
    pub(crate) gcm: Option<gcm::Entry>,
}

/// What it ends with are the parts of a span, as in [`block::Modes`].
type Ctr = unsafe fn(&mut Key, &mut Keystream, *const u8, *mut u8, usize);

static PORTABLE: Entry = Entry::sliced::<u64>("portable", &[]);

impl Entry {
    /// Without AES instructions: by `P`.
    pub(crate) const fn sliced<P: portable::Compiled>(
        name: &'static str,
        features: &'static [Feature],
    ) -> Self {
        let ctr: Ctr = |key, stream, src, dst, len| {
            // SAFETY: as the caller; the addresses are valid for the length.
            cleared(|| unsafe { sliced_ctr::<P>(key, stream, Span { src, dst, len }.buffer()) })
        };
        Self {
            name,
            features,
            layout: Layout::Sliced,
            expand: |key, bytes| cleared(|| key.0.room_for_sliced().expand(bytes)),
            ctr,
            far: ctr,
            block: portable::modes::<P>(),
            gcm: Some(gcm::Entry::sliced::<P>()),
        }
    }
}

/// # Safety
/// The processor has the features of `P`.
unsafe fn sliced_ctr<P: portable::Compiled>(
    key: &mut Key,
    stream: &mut Keystream,
    buffer: InOutBuf<'_, '_, u8>,
) {
    let keys = key.0.sliced();
    let start = SPARE - stream.unused;
    let head = stream.unused.min(buffer.len());
    let (head, rest) = buffer.split_at(head);
    stream.unused -= head.len();
    keystream::xor(&stream.spare[0][start..start + head.len()], head);
    if !rest.is_empty() {
        let len = rest.len();
        // SAFETY: as the caller.
        stream.unused = unsafe { portable::ctr::<P>(keys, stream.next, rest, &mut stream.spare[0]) };
        stream.next = stream.next.wrapping_add(((len + stream.unused) / BLOCK) as u128);
    }
}

static ALL: &[Implementation] = &[
    Implementation(&PORTABLE),
    #[cfg(target_arch = "x86_64")]
    Implementation(&crate::x86::SSE2),
    #[cfg(target_arch = "x86_64")]
    Implementation(&crate::x86::SSSE3),
    #[cfg(target_arch = "x86_64")]
    Implementation(&crate::x86::SSSE3_VP),
    #[cfg(target_arch = "x86_64")]
    Implementation(&crate::x86::AVX2),
    #[cfg(target_arch = "x86_64")]
    Implementation(&crate::x86::AVX2_VP),
    #[cfg(target_arch = "x86_64")]
    Implementation(&crate::x86::AVX512),
    #[cfg(target_arch = "x86_64")]
    Implementation(&crate::x86::AESNI),
    #[cfg(target_arch = "x86_64")]
    Implementation(&crate::x86::AESNI_R2),
    #[cfg(target_arch = "x86_64")]
    Implementation(&crate::x86::VAES256),
    #[cfg(target_arch = "x86_64")]
    Implementation(&crate::x86::VAES256_R2),
    #[cfg(target_arch = "x86_64")]
    Implementation(&crate::x86::VAES512),
    #[cfg(target_arch = "x86_64")]
    Implementation(&crate::x86::VAES512_R2),
    #[cfg(all(vectors, target_arch = "aarch64"))]
    Implementation(&crate::arm::NEON),
    #[cfg(all(vectors, target_arch = "aarch64"))]
    Implementation(&crate::arm::NEON_VP),
    #[cfg(all(vectors, target_arch = "aarch64"))]
    Implementation(&crate::arm::ARMV8),
    #[cfg(all(vectors, target_arch = "aarch64"))]
    Implementation(&crate::arm::ARMV8_R2),
];

impl Implementation {
    /// Bitsliced code that runs anywhere, and the reference that the others are checked against.
    pub const PORTABLE: Self = Self(&PORTABLE);

    /// Every implementation for this architecture, narrow ones first.
    pub fn all() -> &'static [Self] {
        ALL
    }

    /// The one of that name, as in `vaes512`.
    pub fn named(name: &str) -> Option<Self> {
        ALL.iter().copied().find(|i| i.name() == name)
    }

    /// Its name: the instruction set it uses, and `-r2` where it makes the first rounds ahead, two of them, or `-vp` where
    /// it permutes vectors in the place of AES instructions.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The CPU features that it needs.
    pub fn features(self) -> &'static [Feature] {
        self.0.features
    }

    /// Whether this processor has them.
    pub fn is_available(self) -> bool {
        self.features().iter().all(|f| f.is_present())
    }

    /// Whether it has a GCM, which needs the same features.
    pub fn has_gcm(self) -> bool {
        self.0.gcm.is_some()
    }

    pub(crate) fn layout(self) -> Layout {
        self.0.layout
    }

    /// The means to run its GCM, where it has one and this processor can.
    pub fn gcm(self) -> Option<GcmKernel> {
        GcmKernel::new(self, self.0.gcm.as_ref()?)
    }

    /// The means to run it, where this processor can.
    pub fn kernel(self) -> Option<Kernel> {
        self.is_available().then_some(Kernel(self))
    }
}

impl Kernel {
    /// Bytes in counter mode, by calls of more than 64, after which a key has long had a round of AES made ahead for it;
    /// after as many again it has a second: a test of all that a kernel does goes twice as far with a key, and further.
    pub const BUSY_AFTER: usize = Rounds::AHEAD_AFTER[1];

    /// Which implementation it runs.
    pub fn implementation(self) -> Implementation {
        self.0
    }

    /// Whether both take a key in the same layout, so that either can go on with what the other expanded.
    pub fn shares_layout(self, other: Self) -> bool {
        self.0.layout() == other.0.layout()
    }

    #[inline]
    pub(crate) fn modes(self) -> &'static block::Modes {
        &self.0.0.block
    }

    /// Expands `bytes` (16, 24 or 32 of them) into `key`, in place; what was there is wiped.
    pub fn expand(self, key: &mut Key, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        InvalidKeyLength::check(bytes)?;
        // SAFETY: a kernel exists only where its features were found.
        unsafe { (self.0.0.expand)(key, bytes) };
        Ok(())
    }

    /// Counter mode (SP 800-38A, §6.5): xors the next bytes of the keystream into `buffer`. Block `i` of the
    /// keystream is the counter plus `i`, modulo 2^128 and big-endian, encrypted.
    ///
    /// # Panics
    /// If keystream is to be made, and `key` was last expanded by a kernel with another layout, or never.
    #[inline]
    pub fn ctr(self, key: &mut Key, stream: &mut Keystream, buffer: InOutBuf<'_, '_, u8>) {
        let whole = buffer.len();
        self.ctr_piece(key, stream, buffer, whole);
    }

    /// Goes on by so many bytes of keystream, less than a block, that nobody sees.
    ///
    /// # Panics
    /// As [`Kernel::ctr`], and if they are more.
    pub fn ctr_skip(self, key: &mut Key, stream: &mut Keystream, bytes: usize) {
        let mut skipped = [0; BLOCK];
        self.ctr(key, stream, (&mut skipped[..bytes]).into());
        overwrite(&mut skipped, [0; BLOCK]);
    }

    /// As [`Kernel::ctr`], where `buffer` is a piece of a text of `whole` bytes: where all of it lies decides how a
    /// piece is best taken.
    ///
    /// # Panics
    /// As [`Kernel::ctr`].
    #[inline]
    pub fn ctr_piece(
        self,
        key: &mut Key,
        stream: &mut Keystream,
        mut buffer: InOutBuf<'_, '_, u8>,
        whole: usize,
    ) {
        let ctr = if whole > NEAR {
            cold_path();
            self.0.0.far
        } else {
            self.0.0.ctr
        };
        // Blocks that the call begins, and those that its last vector makes ahead.
        let most = (buffer.len() / BLOCK) as u64 + 1 + (SPARE / BLOCK) as u64;
        if u64::from(stream.next as u32) + most <= 1 << 32 {
            let Span { src, dst, len } = Span::new(buffer);
            // SAFETY: a kernel exists only where its features were found; the counter does not carry.
            unsafe { ctr(key, stream, src, dst, len) };
        } else {
            // Lent, so that it is put into memory here alone.
            // SAFETY: as above.
            unsafe { ctr_across_carry(ctr, key, stream, buffer.reborrow()) };
        }
    }
}

/// Kernels count in the last four bytes of the block alone: a call that goes on after their carry is made in
/// pieces.
///
/// # Safety
/// The processor can run `ctr`.
#[cold]
unsafe fn ctr_across_carry(
    ctr: Ctr,
    key: &mut Key,
    stream: &mut Keystream,
    mut buffer: InOutBuf<'_, '_, u8>,
) {
    loop {
        let before = stream.next;
        let until_carry = ((1 << 32) - u64::from(before as u32)) * BLOCK as u64;
        let piece = (stream.unused as u64 + until_carry).min(buffer.len() as u64) as usize;
        let (now, rest) = buffer.split_at(piece);
        let Span { src, dst, len } = Span::new(now);
        // SAFETY: the caller's processor can; the piece ends before the carry.
        unsafe { ctr(key, stream, src, dst, len) };
        // Spare blocks made after the carry were counted wrongly.
        cleared(|| stream.forget_blocks(blocks_after_carry(before, stream.next)));
        if rest.is_empty() {
            return;
        }
        buffer = rest;
    }
}

/// Of the blocks made from `before` up to `after`, which cross one carry at most, those that follow it.
fn blocks_after_carry(before: u128, after: u128) -> u32 {
    if before >> 32 == after >> 32 {
        0
    } else {
        after as u32
    }
}

impl PartialEq for Implementation {
    fn eq(&self, other: &Self) -> bool {
        core::ptr::eq(self.0, other.0)
    }
}

impl Eq for Implementation {}

impl fmt::Debug for Implementation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Implementation({})", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu;

    #[test]
    fn blocks_after_a_carry_are_counted_however_far_the_call_went() {
        const CARRY: u128 = 1 << 32;
        for (before, after, expected) in [
            (5, 9, 0),
            (CARRY - 2, CARRY - 1, 0),
            (CARRY - 2, CARRY, 0),
            (CARRY - 2, CARRY + 2, 2),
            // From a carry to the next: what went before is no less than what is left.
            (0, CARRY + 3, 3),
            (1, CARRY + 1, 1),
            (3, CARRY + 3, 3),
            (7 * CARRY + 1, 8 * CARRY + 2, 2),
            (u128::MAX - 1, 2, 2),
        ] {
            assert_eq!(
                blocks_after_carry(before, after),
                expected,
                "{before:x} to {after:x}"
            );
        }
    }

    /// The compiler takes wider products' feature for the narrow ones' as well, and OCB's offsets are such.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn who_multiplies_in_wide_vectors_asks_for_narrow_ones_too() {
        let mut wide = 0;
        for implementation in ALL {
            let features = implementation.features();
            if features.contains(&cpu::VPCLMULQDQ) {
                assert!(features.contains(&cpu::PCLMULQDQ), "{implementation:?}");
                wide += 1;
            }
        }
        assert_eq!(wide, 4, "vaes256 and vaes512, each with and without -r2");
    }

    /// As a piece of a long text and as a text by itself, wherever it lies and whatever its length.
    #[test]
    fn text_past_the_caches_is_the_same() {
        extern crate std;
        let input: std::vec::Vec<u8> = (0..9000).map(|i| (i % 251) as u8).collect();
        for &implementation in ALL {
            let Some(kernel) = implementation.kernel() else {
                continue;
            };
            let mut key = Key::empty();
            kernel.expand(&mut key, &[5; 24]).unwrap();
            for (offset, len) in (0..130).flat_map(|offset| [2048, 3001, 8500].map(|len| (offset, len))) {
                let iv = (1 << 32) - 200;
                let (mut near, mut far) = (Keystream::new(iv), Keystream::new(iv));
                let input = &input[..len];
                let mut expected = std::vec![0; len];
                let mut output = std::vec![0xee; offset + len + 70];
                for part in [0..11, 11..len - 300, len - 300..len] {
                    let whole = InOutBuf::new(&input[part.clone()], &mut expected[part.clone()]).unwrap();
                    kernel.ctr(&mut key, &mut near, whole);
                    let output = &mut output[offset + part.start..offset + part.end];
                    let piece = InOutBuf::new(&input[part], output).unwrap();
                    kernel.ctr_piece(&mut key, &mut far, piece, NEAR + 1);
                }
                assert!(
                    output[offset..offset + len] == expected,
                    "{implementation:?} at {offset}"
                );
                assert!(output[..offset].iter().all(|&byte| byte == 0xee));
                assert!(output[offset + len..].iter().all(|&byte| byte == 0xee));
                let mut data = input.to_vec();
                kernel.ctr_piece(
                    &mut key,
                    &mut Keystream::new(iv),
                    data.as_mut_slice().into(),
                    usize::MAX,
                );
                assert!(data == expected, "{implementation:?} in place");
            }
        }
    }

    /// The call of 64 GiB that this takes is not made; what it would leave behind is.
    #[test]
    fn spare_blocks_after_a_carry_are_forgotten() {
        let mut stream = Keystream::new((1 << 32) + 3);
        stream.unused = 60;
        for (i, byte) in stream.spare[0][4..].iter_mut().enumerate() {
            *byte = i as u8;
        }
        stream.forget_blocks(3);
        assert_eq!((stream.next, stream.unused), (1 << 32, 12));
        let kept: [u8; 12] = core::array::from_fn(|i| i as u8);
        assert_eq!(stream.spare[0][SPARE - 12..], kept);
    }
}
