//! From a call of [`crate::GcmKernel`] to the generic kernels: what every vector width does alike.

use crate::{
    gcm::Vector,
    native::{Block, schedule},
    rounds::{Schedule, Stored, encrypt},
};

/// What takes no more than a block, apart from longer messages and parts for the registers and the decisions that those
/// take: `message` is for what [`crate::gcm::vector::is_one_block`], `part` for a part of 1 to 16 bytes.
macro_rules! one_block {
    ($lanes:ty, $features:literal, $clear:path) => {
        pub(super) mod one_block {
            use core::hint::assert_unchecked;

            use inout::InOutBuf;

            use super::*;
            use $crate::{
                BLOCK, GcmMessage,
                gcm::{Vector, vector},
                lanes::Lanes,
                native::Block,
            };

            #[inline(never)]
            #[target_feature(enable = $features)]
            pub(crate) unsafe fn message<const SEAL: bool>(
                key: &mut Vector,
                nonce: &[u8; 12],
                aad: &[u8],
                buffer: &mut InOutBuf<'_, '_, u8>,
            ) -> u128 {
                const VECTORS: usize = 2_usize.div_ceil(<$lanes as Lanes>::BLOCKS);
                // SAFETY: the caller has the features that this function is compiled with, and asked whether it is one
                // block; with the tag it is two.
                unsafe {
                    assert_unchecked(vector::is_one_block(key, aad, buffer.len()));
                    let tag = vector::short::<$lanes, SEAL, VECTORS>(key, nonce, aad, buffer.reborrow());
                    $clear();
                    tag
                }
            }

            #[inline(never)]
            #[target_feature(enable = $features)]
            pub(crate) unsafe fn part<const SEAL: bool>(
                key: &mut Vector,
                message: &mut GcmMessage,
                buffer: InOutBuf<'_, '_, u8>,
            ) {
                // SAFETY: the caller has the features that this function is compiled with, and such a part.
                unsafe {
                    assert_unchecked((1..=BLOCK).contains(&buffer.len()));
                    vector::part::<Block, SEAL, 1>(key, message, buffer);
                    $clear();
                }
            }
        }
    };
}

/// The GCM of one vector type, as [`super::entries`].
///
/// `$spilled` is the stack in bytes, with room to spare, that the compiler takes for what the registers cannot
/// hold, keystream and hashes among it: of short messages, of long ones, and of long ones under a key of 16 bytes.
/// They are functions of their own, so that it can be wiped after them, where that is not nothing: it takes as long
/// as a batch. What is tiny leaves nothing there, and has a function of its own for that; a tiny part may leave a vector.
///
/// `$one_block` is a module that [`one_block`] made, here or of narrower vectors.
macro_rules! gcm {
    ($lanes:ty, $features:literal, $clear:path, $spilled:expr, $one_block:ident) => {
        #[cold]
        #[inline(never)]
        unsafe fn grow_powers(powers: &mut $crate::ghash::Powers, blocks: usize) {
            #[inline(never)]
            #[target_feature(enable = $features)]
            unsafe fn run(powers: &mut $crate::ghash::Powers, blocks: usize) {
                // SAFETY: the caller has the features that this function is compiled with.
                unsafe {
                    powers.grow::<$lanes>(blocks);
                    $clear();
                }
            }
            // SAFETY: passed on.
            unsafe { run(powers, blocks) };
            // Where registers are few, powers have been there.
            zeroize::zeroize_stack::<192>();
        }

        const GCM: $crate::gcm::Entry = {
            const TINY: usize = <$lanes as $crate::lanes::Multiply>::TINY;
            const AT_ONCE: usize = $crate::gcm::vector::at_once::<$lanes>();
            const WIDE: usize = $crate::gcm::vector::WIDE;
            const TINY_PART: usize = $crate::gcm::vector::tiny_part::<$lanes>();

            #[target_feature(enable = $features)]
            unsafe fn expand(key: &mut $crate::GcmKey, bytes: &[u8]) {
                // SAFETY: the caller has the features that this function is compiled with.
                unsafe {
                    $crate::entry::gcm::expand(key.0.room_for_rounds(), bytes);
                    $clear();
                }
            }

            $crate::entry::named! {
                seal(key: &mut $crate::GcmKey, nonce: &[u8], aad: &[u8], buffer: &mut inout::InOutBuf<'_, '_, u8>) -> u128 = run::<true>;
                open(key: &mut $crate::GcmKey, nonce: &[u8], aad: &[u8], buffer: &mut inout::InOutBuf<'_, '_, u8>) -> u128 = run::<false>;
                encrypt(key: &mut $crate::GcmKey, message: &mut $crate::GcmMessage, buffer: inout::InOutBuf<'_, '_, u8>) = run_part::<true>;
                decrypt(key: &mut $crate::GcmKey, message: &mut $crate::GcmMessage, buffer: inout::InOutBuf<'_, '_, u8>) = run_part::<false>;
            }

            #[inline(always)]
            unsafe fn run<const SEAL: bool>(
                key: &mut $crate::GcmKey,
                nonce: &[u8],
                aad: &[u8],
                buffer: &mut inout::InOutBuf<'_, '_, u8>,
            ) -> u128 {
                let key = key.0.rounds_mut();
                let short_nonce = $crate::gcm::vector::short_nonce::<$lanes>(key, nonce, aad, buffer.len());
                // SAFETY: passed on.
                unsafe {
                    if let Some(nonce) = short_nonce {
                        if $crate::gcm::vector::is_one_block(key, aad, buffer.len()) {
                            return $one_block::message::<SEAL>(key, nonce, aad, buffer);
                        }
                        if TINY < AT_ONCE && $crate::gcm::vector::is_tiny::<$lanes>(buffer.len()) {
                            return short::<SEAL, TINY>(key, nonce, aad, buffer);
                        }
                        run_short::<SEAL>(key, nonce, aad, buffer)
                    } else {
                        run_long::<SEAL>(key, nonce, aad, buffer)
                    }
                }
            }

            // What is wiped after is apart, so that a tiny message is passed on with a jump.

            #[inline(never)]
            unsafe fn run_short<const SEAL: bool>(
                key: &mut $crate::gcm::Vector,
                nonce: &[u8; 12],
                aad: &[u8],
                buffer: &mut inout::InOutBuf<'_, '_, u8>,
            ) -> u128 {
                // SAFETY: passed on.
                let tag = unsafe { short::<SEAL, AT_ONCE>(key, nonce, aad, buffer) };
                wipe::<{ $spilled[0] }>();
                tag
            }

            #[inline(never)]
            unsafe fn run_long<const SEAL: bool>(
                key: &mut $crate::gcm::Vector,
                nonce: &[u8],
                aad: &[u8],
                buffer: &mut inout::InOutBuf<'_, '_, u8>,
            ) -> u128 {
                // SAFETY: passed on.
                let tag = unsafe { long::<SEAL>(key, nonce, aad, buffer) };
                wipe_long(key);
                tag
            }

            #[inline(always)]
            fn wipe_long(key: &$crate::gcm::Vector) {
                if key.keys.rounds > 10 {
                    wipe::<{ $spilled[1] }>();
                } else {
                    wipe::<{ $spilled[2] }>();
                }
            }

            #[inline(always)]
            fn wipe<const BYTES: usize>() {
                if BYTES > 0 {
                    zeroize::zeroize_stack::<BYTES>();
                }
            }

            #[inline(never)]
            #[target_feature(enable = $features)]
            unsafe fn short<const SEAL: bool, const MOST: usize>(
                key: &mut $crate::gcm::Vector,
                nonce: &[u8; 12],
                aad: &[u8],
                buffer: &mut inout::InOutBuf<'_, '_, u8>,
            ) -> u128 {
                // SAFETY: the caller has the features that this function is compiled with.
                unsafe {
                    let tag =
                        $crate::gcm::vector::short::<$lanes, SEAL, MOST>(key, nonce, aad, buffer.reborrow());
                    $clear();
                    tag
                }
            }

            #[inline(never)]
            #[target_feature(enable = $features)]
            unsafe fn long<const SEAL: bool>(
                key: &mut $crate::gcm::Vector,
                nonce: &[u8],
                aad: &[u8],
                buffer: &mut inout::InOutBuf<'_, '_, u8>,
            ) -> u128 {
                // SAFETY: the caller has the features that this function is compiled with.
                unsafe {
                    let tag = $crate::gcm::vector::long::<$lanes, SEAL>(key, nonce, aad, buffer.reborrow());
                    $clear();
                    tag
                }
            }

            #[inline(never)]
            #[target_feature(enable = $features)]
            unsafe fn absorb(key: &mut $crate::gcm::Vector, message: &mut $crate::GcmMessage, data: &[u8]) {
                // SAFETY: the caller has the features that this function is compiled with.
                unsafe {
                    $crate::gcm::vector::absorb::<$lanes>(key, message, data);
                    $clear();
                }
            }

            #[inline(always)]
            unsafe fn run_part<const SEAL: bool>(
                key: &mut $crate::GcmKey,
                message: &mut $crate::GcmMessage,
                buffer: inout::InOutBuf<'_, '_, u8>,
            ) {
                let key = key.0.rounds_mut();
                // SAFETY: passed on; the part takes no more vectors than the function is for.
                unsafe {
                    if buffer.len() <= $crate::BLOCK {
                        return $one_block::part::<SEAL>(key, message, buffer);
                    }
                    if buffer.len() <= TINY_PART * <$lanes>::BYTES {
                        part::<SEAL, TINY_PART>(key, message, buffer);
                        return wipe::<128>();
                    }
                    part::<SEAL, WIDE>(key, message, buffer);
                }
                wipe_long(key);
            }

            #[inline(never)]
            #[target_feature(enable = $features)]
            unsafe fn part<const SEAL: bool, const MOST: usize>(
                key: &mut $crate::gcm::Vector,
                message: &mut $crate::GcmMessage,
                buffer: inout::InOutBuf<'_, '_, u8>,
            ) {
                // SAFETY: the caller has the features that this function is compiled with.
                unsafe {
                    $crate::gcm::vector::part::<$lanes, SEAL, MOST>(key, message, buffer);
                    $clear();
                }
            }

            #[target_feature(enable = $features)]
            unsafe fn end(key: &mut $crate::GcmKey, message: &$crate::GcmMessage) -> u128 {
                // SAFETY: the caller has the features that this function is compiled with.
                unsafe {
                    let tag = $crate::gcm::vector::end(key.0.rounds_mut(), message);
                    $clear();
                    tag
                }
            }

            $crate::gcm::Entry {
                expand,
                seal,
                open,
                absorb: |key, message, data| {
                    let key = key.0.rounds_mut();
                    // SAFETY: passed on.
                    unsafe { absorb(key, message, data) };
                },
                encrypt,
                decrypt,
                end,
            }
        };
    };
}

/// Expands a key and makes the first powers of its hash key.
///
/// # Safety
/// As [`crate::lanes::Multiply`].
#[inline(always)]
pub(crate) unsafe fn expand(key: &mut Vector, bytes: &[u8]) {
    // SAFETY: the caller has the features; the keys are lent for as long as they are used.
    unsafe {
        schedule::expand(&mut key.keys, bytes);
        let keys = Stored::new(&key.keys);
        let zero = keys.front(0);
        let [hash_key]: [Block; 1] = encrypt::<_, _, 1, 0>(keys, [zero]);
        key.powers.start(hash_key);
    }
}

pub(crate) use {gcm, one_block};
