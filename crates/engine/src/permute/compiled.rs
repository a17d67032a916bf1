//! The thin wrappers that give code that permutes vectors their CPU features.

use core::marker::PhantomData;

/// [`crate::portable::Compiled`] by permuting vectors of that type.
pub(crate) struct Permuted<V>(PhantomData<V>);

impl<V> Permuted<V> {
    /// The stack in bytes, with room to spare, that the compiler takes for what the registers cannot hold of states and
    /// round keys. What has it is never inlined, so that it can be wiped afterwards.
    pub(crate) const SPILLED: usize = 24 * size_of::<V>();
}

/// [`Permuted`] for a type of vectors that is [`crate::portable::Compiled`] by itself, whose hash it takes: compiled with
/// `$features`, the vector registers cleared by `$clear` afterwards.
macro_rules! compiled {
    ($name:ident, $features:literal, $clear:path) => {
        impl $crate::portable::Compiled for $crate::permute::Permuted<$name> {
            const BATCH: usize = $crate::permute::WIDE * size_of::<$name>();
            const WIDE: usize = 512;

            unsafe fn encrypt(keys: &$crate::portable::Keys, room: &mut $crate::portable::Room, len: usize) {
                let room = &mut room.0[..len.next_multiple_of($crate::BLOCK)];
                // SAFETY: as the caller, here and below.
                unsafe { Self::ecb::<false>(keys, room.into()) }
            }

            unsafe fn decrypt(keys: &$crate::portable::Keys, room: &mut $crate::portable::Room, len: usize) {
                let room = &mut room.0[..len.next_multiple_of($crate::BLOCK)];
                // SAFETY: as above.
                unsafe { Self::ecb::<true>(keys, room.into()) }
            }

            unsafe fn ecb<const DECRYPT: bool>(
                keys: &$crate::portable::Keys,
                buffer: inout::InOutBuf<'_, '_, u8>,
            ) {
                #[inline(never)]
                #[target_feature(enable = $features)]
                unsafe fn ecb<const DECRYPT: bool>(
                    keys: &$crate::permute::Keys,
                    buffer: inout::InOutBuf<'_, '_, u8>,
                ) {
                    let len = buffer.len();
                    let (src, dst) = buffer.into_raw();
                    // SAFETY: the caller has the features that this function is compiled with, here and below; the buffer's
                    // addresses are valid for its length and either equal or apart.
                    unsafe {
                        $crate::permute::ecb::<$name, DECRYPT>(keys, src, dst, len);
                        $clear();
                    }
                }
                // SAFETY: as above.
                unsafe { ecb::<DECRYPT>(&keys.permuted, buffer) };
                zeroize::zeroize_stack::<{ Self::SPILLED }>();
            }

            unsafe fn chain<C: $crate::portable::Chain>(
                keys: &$crate::portable::Keys,
                value: &mut [u8; $crate::BLOCK],
                src: *const u8,
                dst: *mut u8,
                len: usize,
            ) {
                #[inline(never)]
                #[target_feature(enable = $features)]
                unsafe fn chain<C: $crate::portable::Chain>(
                    keys: &$crate::permute::Keys,
                    value: &mut [u8; $crate::BLOCK],
                    src: *const u8,
                    dst: *mut u8,
                    len: usize,
                ) {
                    // SAFETY: as above.
                    unsafe {
                        $crate::permute::chain::<<$name as $crate::portable::Bytes>::Narrow, C>(
                            keys, value, src, dst, len,
                        );
                        $clear();
                    }
                }
                // SAFETY: as above.
                unsafe { chain::<C>(&keys.permuted, value, src, dst, len) };
                zeroize::zeroize_stack::<{ Self::SPILLED }>();
            }

            unsafe fn cfb8_encrypt(
                keys: &$crate::portable::Keys,
                iv: &mut [u8; $crate::BLOCK],
                src: *const u8,
                dst: *mut u8,
                len: usize,
            ) {
                #[inline(never)]
                #[target_feature(enable = $features)]
                unsafe fn cfb8_encrypt(
                    keys: &$crate::permute::Keys,
                    iv: &mut [u8; $crate::BLOCK],
                    src: *const u8,
                    dst: *mut u8,
                    len: usize,
                ) {
                    // SAFETY: as above.
                    unsafe {
                        $crate::permute::cfb8_encrypt::<<$name as $crate::portable::Bytes>::Narrow>(
                            keys, iv, src, dst, len,
                        );
                        $clear();
                    }
                }
                // SAFETY: as above.
                unsafe { cfb8_encrypt(&keys.permuted, iv, src, dst, len) };
                zeroize::zeroize_stack::<{ Self::SPILLED }>();
            }

            unsafe fn hash(
                key: &mut $crate::portable::HashKey,
                hash: &mut $crate::portable::Hash,
                blocks: &[[u8; 16]],
            ) {
                // SAFETY: as above.
                unsafe { <$name as $crate::portable::Compiled>::hash(key, hash, blocks) }
            }

            unsafe fn ctr_run(
                keys: &$crate::portable::Keys,
                counter: u128,
                src: *const u8,
                dst: *mut u8,
                batches: usize,
            ) {
                #[inline(never)]
                #[target_feature(enable = $features)]
                unsafe fn run(
                    keys: &$crate::permute::Keys,
                    counter: u128,
                    src: *const u8,
                    dst: *mut u8,
                    batches: usize,
                ) {
                    // SAFETY: as above.
                    unsafe {
                        $crate::permute::ctr_run::<$name>(keys, counter, src, dst, batches);
                        $clear();
                    }
                }
                // SAFETY: as above.
                unsafe { run(&keys.permuted, counter, src, dst, batches) };
                zeroize::zeroize_stack::<{ Self::SPILLED }>();
            }
        }
    };
}

pub(crate) use compiled;
