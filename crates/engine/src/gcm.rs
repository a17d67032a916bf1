use core::fmt;
#[cfg(vectors)]
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::{
    BLOCK, Implementation, InvalidKeyLength,
    material::{Material, key},
    portable,
    tag::release,
    wipe::{apart, cleared},
};
#[cfg(vectors)]
use crate::{ghash::Powers, key::RoundKeys, material::Expanded};
use inout::InOutBuf;
#[cfg(vectors)]
use zeroize::Zeroize;

#[cfg(vectors)]
mod counters;
#[cfg(vectors)]
mod hashing;
mod message;
#[cfg(vectors)]
mod stitched;
#[cfg(vectors)]
mod tail;
#[cfg(vectors)]
pub(crate) mod vector;

pub use message::GcmMessage;
pub(crate) use message::first_block;

/// An AES-GCM key, expanded, and what GHASH needs of it, in the layout of the kernel that expanded it.
///
/// The powers of the hash key are made as messages need them, and kept: that is why a kernel takes it `&mut`.
/// It is large (7 KiB, and 5 more on the heap once rounds are made ahead) and secret. As [`crate::Key`] it is filled in place,
/// is to stay there, and is wiped on drop.
#[derive(Default)]
pub struct GcmKey(pub(crate) Material<Vector, portable::GcmKeys>);

/// For kernels with AES and carry-less multiplication. What every message needs stands first.
#[cfg(vectors)]
#[repr(C)]
pub(crate) struct Vector {
    pub(crate) keys: RoundKeys,
    pub(crate) powers: Powers,
    pub(crate) ahead: counters::Ahead,
}

/// How many of [`Vector`] there are.
#[cfg(vectors)]
static ALIVE: AtomicUsize = AtomicUsize::new(0);

#[cfg(vectors)]
impl Vector {
    /// Bytes in long messages after which a key is worth powers that a message alone would not be: packets are one
    /// section each then.
    const USED_MUCH_AFTER: usize = 4096;

    /// Bytes in long messages after which rounds ahead are made.
    const AHEAD_AFTER: [usize; 2] = [GcmKernel::BUSY_AFTER; 2];

    /// The most keys of which each may have all of its powers used by packets, and the most that may have rounds ahead. A
    /// server with a connection for each of its users finds a key's tables out of the caches whenever it comes back to it,
    /// and waits for them longer than they save, the sooner the shorter its messages are.
    const FEW_KEYS: usize = 64;
    const NOT_MANY: usize = 1024;

    /// Whether there are so few keys that all powers may be worth making, and it is one that is used much.
    #[inline(always)]
    pub(crate) fn is_used_much(&self) -> bool {
        // Among many keys what is asked of this one is out of the caches, and left there.
        ALIVE.load(Relaxed) <= Self::FEW_KEYS
            && (self.ahead.rounds() > 0 || self.ahead.encrypted() >= Self::USED_MUCH_AFTER)
    }

    /// Whether there are so few keys that rounds ahead may be worth making, and using.
    #[inline(always)]
    pub(crate) fn are_not_many() -> bool {
        ALIVE.load(Relaxed) <= Self::NOT_MANY
    }
}

#[cfg(vectors)]
impl Drop for Vector {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Relaxed);
    }
}

#[cfg(vectors)]
impl Expanded for Vector {
    unsafe fn make_room(place: *mut Self) {
        // SAFETY: as the caller.
        unsafe {
            RoundKeys::make_room(&raw mut (*place).keys);
            Powers::make_room(&raw mut (*place).powers);
            ALIVE.fetch_add(1, Relaxed);
            counters::Ahead::make_room(&raw mut (*place).ahead);
        }
    }

    fn make_way(&mut self) {
        self.powers.make_way();
        self.ahead.zeroize();
    }

    fn copy_from(&mut self, other: &Self) {
        self.keys.copy_from(&other.keys);
        self.powers.copy_from(&other.powers);
        self.ahead.copy_from(&other.ahead, Self::USED_MUCH_AFTER);
    }
}

#[cfg(vectors)]
impl Zeroize for Vector {
    fn zeroize(&mut self) {
        self.keys.zeroize();
        self.powers.zeroize();
        self.ahead.zeroize();
    }
}

/// No kernel here makes one.
#[cfg(not(vectors))]
type Vector = crate::key::Rounds;

key!(GcmKey, "GcmKernel::expand");

/// What a kernel's file fills in. It takes its key in the layout of the other modes.
///
/// # Safety
/// Of every function: the processor has the features of its [`Implementation`].
pub(crate) struct Entry {
    /// Expands a key of 16, 24 or 32 bytes into its layout.
    pub(crate) expand: unsafe fn(&mut GcmKey, &[u8]),
    /// Encrypts the buffer and answers the tag, its first byte as the least significant; of additional data there are no
    /// more than [`AAD_AT_ONCE`].
    pub(crate) seal: Run,
    /// Decrypts the buffer and answers the tag that it should have had.
    pub(crate) open: Run,
    /// Hashes whole blocks of additional data, after what there is.
    pub(crate) absorb: unsafe fn(&mut GcmKey, &mut GcmMessage, &[u8]),
    /// Encrypts the next part of a message, which is not empty and begins where a block does.
    pub(crate) encrypt: Part,
    /// Decrypts the next part of a message, which is not empty and begins where a block does.
    pub(crate) decrypt: Part,
    /// The tag of a message that has ended, its first byte as the least significant.
    pub(crate) end: unsafe fn(&mut GcmKey, &GcmMessage) -> u128,
}

/// From additional data and text to the tag. What the text is goes by reference: where a caller has just stored it, no
/// copy of it waits for that.
type Run = unsafe fn(&mut GcmKey, &[u8; 12], &[u8], &mut InOutBuf<'_, '_, u8>) -> u128;

/// The most bytes of additional data that are hashed in one section with the text.
pub(crate) const AAD_AT_ONCE: usize = 496;

type Part = unsafe fn(&mut GcmKey, &mut GcmMessage, InOutBuf<'_, '_, u8>);

impl Entry {
    /// Without AES instructions: by `P`.
    pub(crate) const fn sliced<P: portable::Compiled>() -> Self {
        Self {
            // SAFETY: as the caller, here and below.
            expand: |key, bytes| cleared(|| unsafe { key.0.room_for_sliced().expand::<P>(bytes) }),
            // SAFETY: as above.
            seal: |key, nonce, aad, buffer| unsafe {
                sliced::<P, _>(key, |mut gcm| gcm.seal(nonce, aad, buffer.reborrow()))
            },
            // SAFETY: as above.
            open: |key, nonce, aad, buffer| unsafe {
                sliced::<P, _>(key, |mut gcm| gcm.open(nonce, aad, buffer.reborrow()))
            },
            // SAFETY: as above.
            absorb: |key, message, data| unsafe { sliced::<P, _>(key, |mut gcm| gcm.absorb(message, data)) },
            // SAFETY: as above.
            encrypt: |key, message, buffer| unsafe {
                sliced::<P, _>(key, |mut gcm| gcm.encrypt(message, buffer))
            },
            // SAFETY: as above.
            decrypt: |key, message, buffer| unsafe {
                sliced::<P, _>(key, |mut gcm| gcm.decrypt(message, buffer))
            },
            // SAFETY: as above.
            end: |key, message| unsafe { sliced::<P, _>(key, |mut gcm| gcm.end(message)) },
        }
    }
}

/// Has a key do something, and wipes registers and the stack below: the hash key was in some that what is called saves there.
///
/// # Safety
/// The processor has the features of `P`.
unsafe fn sliced<P: portable::Compiled, T>(
    key: &mut GcmKey,
    work: impl FnOnce(portable::Gcm<'_, P>) -> T,
) -> T {
    // SAFETY: as the caller.
    let gcm = unsafe { key.0.sliced_mut().with() };
    cleared(|| apart::<2048, _>(|| work(gcm)))
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
    /// As [`crate::Kernel::BUSY_AFTER`], in messages that are longer than packets. Making and wiping a round ahead costs as
    /// much as it saves in so many.
    pub const BUSY_AFTER: usize = 65_536;

    pub(crate) fn new(implementation: Implementation, entry: &'static Entry) -> Option<Self> {
        implementation.is_available().then_some(Self {
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
        self.implementation.layout() == other.implementation.layout()
    }

    /// Expands `bytes` (16, 24 or 32 of them) into `key`, in place; what was there is wiped.
    pub fn expand(self, key: &mut GcmKey, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        InvalidKeyLength::check(bytes)?;
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
        mut buffer: InOutBuf<'_, '_, u8>,
    ) -> [u8; BLOCK] {
        check(nonce, aad, &buffer);
        let tag = match nonce.try_into() {
            // SAFETY: a kernel exists only where its features were found.
            Ok(nonce) if aad.len() <= AAD_AT_ONCE => unsafe {
                (self.entry.seal)(key, nonce, aad, &mut buffer)
            },
            _ => self.in_parts::<true>(key, nonce, aad, &mut buffer),
        };
        tag.to_le_bytes()
    }

    /// Decrypts `buffer` and answers whether `tag`, or what there is of it, is its tag (SP 800-38D, §7.2). If it
    /// is not, the output is zeros: decrypted text stands there only while this runs. The comparison takes the
    /// same time whatever it finds.
    ///
    /// # Panics
    /// As [`GcmKernel::seal`]; if `tag` has less than one or more than 16 bytes.
    #[inline(always)] // a call of its own is a seventh of opening 16 bytes
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
        let expected = match nonce.try_into() {
            // SAFETY: as above.
            Ok(nonce) if aad.len() <= AAD_AT_ONCE => unsafe {
                (self.entry.open)(key, nonce, aad, &mut buffer)
            },
            _ => self.in_parts::<false>(key, nonce, aad, &mut buffer),
        };
        release(buffer.get_out(), expected, tag)
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

impl fmt::Debug for GcmKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GcmKernel({})", self.implementation.name())
    }
}

#[cfg(all(test, vectors))]
mod tests {
    use core::{array, mem};

    use super::*;
    use crate::Implementation;

    /// However many powers one width has made, another goes on with them.
    #[test]
    fn powers_serve_all_widths() {
        let kernels = || Implementation::all().iter().filter_map(|i| i.gcm());
        let seal = |kernel: GcmKernel, key: &mut GcmKey, len: usize| {
            let mut text = [5; 70_000];
            kernel.seal(key, &[2; 12], b"", (&mut text[..len]).into())
        };
        let mut key = GcmKey::empty();
        let portable = Implementation::PORTABLE.gcm().unwrap();
        portable.expand(&mut key, &[1; 16]).unwrap();
        let expected = seal(portable, &mut key, 10_000);
        for (first, second) in kernels().flat_map(|a| kernels().map(move |b| (a, b))) {
            if !first.shares_layout(second) || first.shares_layout(portable) {
                continue;
            }
            // Packets take as many as they have blocks, once a key is used much; what is used more takes all.
            for packet in (16..1536).step_by(16) {
                first.expand(&mut key, &[1; 16]).unwrap();
                seal(first, &mut key, 4200);
                seal(first, &mut key, packet);
                seal(second, &mut key, 70_000);
                let tag = seal(second, &mut key, 10_000);
                assert_eq!(tag, expected, "{first:?}, {packet} bytes, then {second:?}");
            }
        }
    }

    /// What is short has functions of its own, for which the powers of a key must be there.
    #[test]
    fn short_messages_are_sealed_and_opened_with_powers_made_before() {
        const ROOM: usize = 400;
        let portable = Implementation::PORTABLE.gcm().unwrap();
        let kernels = Implementation::all().iter().filter_map(|one| one.gcm());
        for kernel in kernels.filter(|kernel| kernel.implementation() != Implementation::PORTABLE) {
            let [mut key, mut other] = [GcmKey::empty(), GcmKey::empty()];
            kernel.expand(&mut key, &[1; 24]).unwrap();
            portable.expand(&mut other, &[1; 24]).unwrap();
            kernel.seal(&mut key, &[2; 12], b"", [0; 5000].as_mut_slice().into());
            let aad: [u8; ROOM] = array::from_fn(|i| i as u8);
            for len in 0..300 {
                for aad in [0, 1, 13, 16, 17, 63, 64, 65].map(|n| &aad[..n]) {
                    let nonce: [u8; 12] = array::from_fn(|i| (7 * i + len) as u8);
                    let plain: [u8; ROOM] = array::from_fn(|i| (3 * i) as u8);
                    let (mut sealed, mut expected) = (plain, plain);
                    let tag = kernel.seal(&mut key, &nonce, aad, (&mut sealed[..len]).into());
                    let expected_tag = portable.seal(&mut other, &nonce, aad, (&mut expected[..len]).into());
                    assert_eq!(sealed, expected, "{kernel:?}, {len} bytes");
                    assert_eq!(tag, expected_tag, "{kernel:?}, {len} and {} bytes", aad.len());
                    let opened = kernel.open(&mut key, &nonce, aad, (&mut sealed[..len]).into(), &tag);
                    assert!(opened, "{kernel:?}, {len} bytes");
                    assert_eq!(sealed, plain, "{kernel:?}, {len} bytes");

                    // In two parts, the first of which the length of the additional data decides.
                    let first = len.min(aad.len());
                    let mut message = GcmMessage::empty();
                    kernel.start(&mut key, &mut message, &nonce);
                    kernel.aad(&mut key, &mut message, aad);
                    let (one, rest) = sealed[..len].split_at_mut(first);
                    kernel.encrypt(&mut key, &mut message, one.into());
                    kernel.encrypt(&mut key, &mut message, rest.into());
                    assert_eq!(sealed, expected, "{kernel:?}, {first} of {len} bytes");
                    assert_eq!(
                        kernel.tag(&mut key, &message),
                        tag,
                        "{kernel:?}, {first} of {len} bytes"
                    );
                    kernel.start(&mut key, &mut message, &nonce);
                    kernel.aad(&mut key, &mut message, aad);
                    let (one, rest) = sealed[..len].split_at_mut(first);
                    kernel.decrypt(&mut key, &mut message, one.into());
                    kernel.decrypt(&mut key, &mut message, rest.into());
                    assert_eq!(sealed, plain, "{kernel:?}, {first} of {len} bytes");
                    assert!(
                        kernel.verify(&mut key, &message, &tag),
                        "{kernel:?}, {first} of {len} bytes"
                    );
                }
            }
        }
    }

    /// Packets do with the powers that longer messages take, and keys that are gone do not count.
    #[test]
    fn among_many_keys_packets_make_no_powers() {
        const MANY: usize = Vector::FEW_KEYS + 1;
        for kernel in Implementation::all().iter().filter_map(|i| i.gcm()) {
            let mut keys: [GcmKey; MANY] = array::from_fn(|_| GcmKey::empty());
            for key in &mut keys {
                kernel.expand(key, &[1; 16]).unwrap();
            }
            let key = &mut keys[0];
            if !matches!(key.0, Material::Rounds(_)) {
                continue;
            }
            let mut text = [0; 5000];
            for _ in 0..2 {
                kernel.seal(key, &[2; 12], b"", text.as_mut_slice().into());
            }
            let made = key.0.rounds().powers.ready();
            kernel.seal(key, &[2; 12], b"", (&mut text[..1500]).into());
            assert_eq!(key.0.rounds().powers.ready(), made, "{kernel:?}");

            let mut key = GcmKey::empty();
            let portable = Implementation::PORTABLE.gcm().unwrap();
            for _ in 0..10 * MANY {
                kernel.expand(&mut key, &[1; 16]).unwrap();
                portable.expand(&mut key, &[1; 16]).unwrap();
                drop(mem::take(&mut key));
            }
            assert!(ALIVE.load(Relaxed) < 10 * MANY, "{kernel:?}");
        }
    }

    #[test]
    fn another_key_finds_no_powers_of_the_one_before() {
        for kernel in Implementation::all().iter().filter_map(|i| i.gcm()) {
            let mut key = GcmKey::empty();
            kernel.expand(&mut key, &[1; 32]).unwrap();
            if !matches!(key.0, Material::Rounds(_)) {
                continue;
            }
            let mut text = [0; 16_000];
            for _ in 0..2 {
                kernel.seal(&mut key, &[2; 12], b"", text.as_mut_slice().into());
            }
            let made = key.0.rounds().powers.ready();
            assert!(made > 8, "{kernel:?}");
            kernel.expand(&mut key, &[3; 16]).unwrap();
            assert!(key.0.rounds().powers.are_wiped(made), "{kernel:?}");
        }
    }
}
