//! The thin wrappers that give code that permutes vectors their CPU features.

use core::marker::PhantomData;

/// [`crate::portable::Compiled`] by permuting vectors of that type.
pub(crate) struct Permuted<V>(PhantomData<V>);

impl<V> Permuted<V> {
    /// The stack in bytes, with room to spare, that the compiler takes for what the registers cannot hold of states and
    /// round keys. What has it is never inlined, so that it can be wiped afterwards.
    pub(crate) const SPILLED: usize = 24 * size_of::<V>();
    /// The same of CCM, which has rounds in three places.
    pub(crate) const SPILLED_BY_CCM: usize = 512 + Self::SPILLED;
}

/// [`Permuted`] for a type of vectors that is [`crate::portable::Compiled`] by itself, whose hash it takes: compiled with
/// `$features`, the vector registers cleared by `$clear` afterwards.
macro_rules! compiled {
    ($name:ident, $features:literal, $clear:path) => {
        const _: () = {
            use inout::InOutBuf;
            use $crate::{
                BLOCK,
                block::BlockKey,
                ccm::{Start, Whole},
                permute::{self, Permute, Permuted, WIDE, call},
                portable::{Bytes, Chain, Compiled, Hash, HashKey, Keys, Room},
            };

            /// A vector of one block.
            type Narrow = <$name as Bytes>::Narrow;
            const PAIR: usize = 2 / <$name as Permute>::BLOCKS;

            impl Compiled for Permuted<$name> {
                const BATCH: usize = WIDE * size_of::<$name>();
                const WIDE: usize = 512;
                const CCM: Option<Whole> = Some(Whole {
                    seal: Self::ccm::<true>,
                    open: Self::ccm::<false>,
                });

                unsafe fn encrypt(keys: &Keys, room: &mut Room, len: usize) {
                    let room = &mut room.0[..len.next_multiple_of(BLOCK)];
                    // SAFETY: as the caller, here and below.
                    unsafe { Self::ecb::<false>(keys, room.into()) }
                }

                unsafe fn decrypt(keys: &Keys, room: &mut Room, len: usize) {
                    let room = &mut room.0[..len.next_multiple_of(BLOCK)];
                    // SAFETY: as above.
                    unsafe { Self::ecb::<true>(keys, room.into()) }
                }

                unsafe fn ecb<const DECRYPT: bool>(keys: &Keys, buffer: InOutBuf<'_, '_, u8>) {
                    let len = buffer.len();
                    let (src, dst) = buffer.into_raw();
                    // SAFETY: as above; the buffer's addresses are valid for its length and either equal or apart.
                    unsafe {
                        call!($features, $clear, Self::SPILLED, permute::ecb::<$name, DECRYPT>, [const DECRYPT: bool] [DECRYPT]
                            (&keys.permuted; src: *const u8, dst: *mut u8, len: usize))
                    }
                }

                unsafe fn chain<C: Chain>(
                    keys: &Keys,
                    value: &mut [u8; BLOCK],
                    src: *const u8,
                    dst: *mut u8,
                    len: usize,
                ) {
                    // SAFETY: as above.
                    unsafe {
                        call!($features, $clear, Self::SPILLED, permute::chain::<Narrow, C>, [C: Chain] [C]
                            (&keys.permuted; value: &mut [u8; BLOCK], src: *const u8, dst: *mut u8, len: usize))
                    }
                }

                unsafe fn cfb8_encrypt(
                    keys: &Keys,
                    iv: &mut [u8; BLOCK],
                    src: *const u8,
                    dst: *mut u8,
                    len: usize,
                ) {
                    // SAFETY: as above.
                    unsafe {
                        call!($features, $clear, Self::SPILLED, permute::cfb8_encrypt::<Narrow>, [] []
                            (&keys.permuted; iv: &mut [u8; BLOCK], src: *const u8, dst: *mut u8, len: usize))
                    }
                }

                unsafe fn hash(key: &mut HashKey, hash: &mut Hash, blocks: &[[u8; 16]]) {
                    // SAFETY: as above.
                    unsafe { <$name as Compiled>::hash(key, hash, blocks) }
                }

                unsafe fn ctr_run(keys: &Keys, counter: u128, src: *const u8, dst: *mut u8, batches: usize) {
                    // SAFETY: as above.
                    unsafe {
                        call!($features, $clear, Self::SPILLED, permute::ctr_run::<$name>, [] []
                            (&keys.permuted; counter: u128, src: *const u8, dst: *mut u8, batches: usize))
                    }
                }
            }

            impl Permuted<$name> {
                /// # Safety
                /// As [`Compiled`].
                unsafe fn ccm<const SEAL: bool>(
                    key: &BlockKey,
                    start: Start,
                    aad: &[u8],
                    buffer: &mut InOutBuf<'_, '_, u8>,
                ) -> u128 {
                    let keys = key.0.sliced();
                    let len = buffer.len();
                    let (src, dst) = buffer.reborrow().into_raw();
                    // SAFETY: as above, and as in `ecb`; `PAIR` vectors have two blocks.
                    unsafe {
                        call!($features, $clear, Self::SPILLED_BY_CCM, permute::ccm::<$name, PAIR, SEAL>, [const SEAL: bool] [SEAL]
                            (&keys.permuted; start: Start, aad: &[u8], src: *const u8, dst: *mut u8, len: usize) -> u128)
                    }
                }
            }
        };
    };
}

/// Calls a function with the features that its caller has, and leaves nothing of it in the vector registers and on the stack.
/// That is as unsafe as the function.
macro_rules! call {
    (
        $features:literal, $clear:path, $spilled:expr, $run:path, [$($generic:tt)*] [$($given:tt)*]
        ($keys:expr; $($name:ident: $type:ty),*) $(-> $answer:ty)?
    ) => {{
        #[inline(never)]
        #[target_feature(enable = $features)]
        unsafe fn run<$($generic)*>(keys: &$crate::permute::Keys, $($name: $type),*) $(-> $answer)? {
            // SAFETY: the caller has the features that this function is compiled with, and sees to what `$run` asks.
            unsafe {
                let answer = $run(keys, $($name),*);
                $clear();
                answer
            }
        }
        let answer = run::<$($given)*>($keys, $($name),*);
        zeroize::zeroize_stack::<{ $spilled }>();
        answer
    }};
}

pub(crate) use {call, compiled};
