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
                    let tag = vector::short::<$lanes, SEAL, VECTORS>(key, nonce, aad, buffer);
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
/// `$spilled` is the stack in bytes, with room to spare, that the compiler takes for what the registers cannot hold, keystream
/// and hashes among it: of what is one section, and of what has sections. It is wiped afterwards. What is tiny leaves nothing
/// there; a tiny part may leave a vector.
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
                seal(key: &mut $crate::GcmKey, nonce: &[u8; 12], aad: &[u8], buffer: &mut inout::InOutBuf<'_, '_, u8>) -> u128 = run::<true>;
                open(key: &mut $crate::GcmKey, nonce: &[u8; 12], aad: &[u8], buffer: &mut inout::InOutBuf<'_, '_, u8>) -> u128 = run::<false>;
                encrypt(key: &mut $crate::GcmKey, message: &mut $crate::GcmMessage, buffer: inout::InOutBuf<'_, '_, u8>) = run_part::<true>;
                decrypt(key: &mut $crate::GcmKey, message: &mut $crate::GcmMessage, buffer: inout::InOutBuf<'_, '_, u8>) = run_part::<false>;
            }

            #[inline(always)]
            unsafe fn run<const SEAL: bool>(
                key: &mut $crate::GcmKey,
                nonce: &[u8; 12],
                aad: &[u8],
                buffer: &mut inout::InOutBuf<'_, '_, u8>,
            ) -> u128 {
                use $crate::gcm::vector;
                let (key, len) = (key.0.rounds_mut(), buffer.len());
                // SAFETY: passed on.
                unsafe {
                    if vector::is_few::<$lanes>(key, aad, len) {
                        few::<SEAL>(key, nonce, aad, buffer)
                    } else if vector::is_one_section::<$lanes>(key, len) {
                        if vector::is_one_block(key, aad, len) {
                            $one_block::message::<SEAL>(key, nonce, aad, buffer)
                        } else if TINY < AT_ONCE && vector::is_tiny::<$lanes>(len) {
                            tiny::<SEAL>(key, nonce, aad, buffer)
                        } else if vector::is_short::<$lanes>(len) {
                            short::<SEAL>(key, nonce, aad, buffer)
                        } else {
                            packet::<SEAL>(key, nonce, aad, buffer)
                        }
                    } else if vector::is_anew::<$lanes>(key, len) {
                        anew::<SEAL>(key, nonce, aad, buffer)
                    } else {
                        long::<SEAL>(key, nonce, aad, buffer)
                    }
                }
            }

            #[inline(always)]
            unsafe fn run_part<const SEAL: bool>(
                key: &mut $crate::GcmKey,
                message: &mut $crate::GcmMessage,
                buffer: inout::InOutBuf<'_, '_, u8>,
            ) {
                use $crate::gcm::vector;
                let (key, len) = (key.0.rounds_mut(), buffer.len());
                // SAFETY: passed on; the part takes no more vectors than the function is for.
                unsafe {
                    if vector::is_part_few::<$lanes>(key, message, len) {
                        part_few::<SEAL>(key, message, buffer);
                    } else if len <= $crate::BLOCK {
                        $one_block::part::<SEAL>(key, message, buffer);
                    } else if len <= TINY_PART * <$lanes>::BYTES {
                        tiny_part::<SEAL>(key, message, buffer);
                    } else if len < WIDE * <$lanes>::BYTES {
                        part::<SEAL>(key, message, buffer);
                    } else if vector::is_part_one_section::<$lanes>(key, message, len) {
                        part_packet::<SEAL>(key, message, buffer);
                    } else if vector::is_anew::<$lanes>(key, len) {
                        part_anew::<SEAL>(key, message, buffer);
                    } else {
                        part_long::<SEAL>(key, message, buffer);
                    }
                }
            }

            #[inline(never)]
            #[target_feature(enable = $features)]
            unsafe fn few<const SEAL: bool>(
                key: &mut $crate::gcm::Vector,
                nonce: &[u8; 12],
                aad: &[u8],
                buffer: &mut inout::InOutBuf<'_, '_, u8>,
            ) -> u128 {
                use $crate::{few::Few, span::Span};
                // SAFETY: the caller has the features that this function is compiled with, and asked.
                unsafe { <$lanes>::gcm_message::<SEAL>(key, nonce, aad, Span::new(buffer.reborrow())) }
            }

            #[inline(never)]
            #[target_feature(enable = $features)]
            unsafe fn part_few<const SEAL: bool>(
                key: &mut $crate::gcm::Vector,
                message: &mut $crate::GcmMessage,
                buffer: inout::InOutBuf<'_, '_, u8>,
            ) {
                use $crate::{few::Few, span::Span};
                // SAFETY: as above.
                unsafe { <$lanes>::gcm_part::<SEAL>(key, message, Span::new(buffer)) }
            }

            $crate::entry::gcm::compiled! {
                $lanes, $features, $clear;
                (
                    key: &mut $crate::gcm::Vector,
                    nonce: &[u8; 12],
                    aad: &[u8],
                    buffer: &mut inout::InOutBuf<'_, '_, u8>
                ) -> u128:
                tiny = short[TINY], 0;
                short = short[AT_ONCE], $spilled[0];
                packet = packet[], $spilled[0];
                anew = anew[], $spilled[1];
                long = long[], $spilled[1];
            }
            $crate::entry::gcm::compiled! {
                $lanes, $features, $clear;
                (
                    key: &mut $crate::gcm::Vector,
                    message: &mut $crate::GcmMessage,
                    buffer: inout::InOutBuf<'_, '_, u8>
                ) -> ():
                tiny_part = part[TINY_PART], 128;
                part = part[WIDE], $spilled[0];
                part_packet = part_packet[], $spilled[0];
                part_anew = part_anew[], $spilled[1];
                part_long = part_long[], $spilled[1];
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

/// Functions of [`vector`](crate::gcm::vector), to seal or not, each by itself: in one with two of them the compiler would have
/// vectors of one on the stack for the other.
///
/// After each as many bytes of the stack are wiped as it says. Where that is nothing it is passed on with a jump.
macro_rules! compiled {
    (
        $lanes:ty, $features:literal, $clear:path; ($($argument:ident: $type:ty),*) -> $answer:ty:
        $($name:ident = $function:ident[$($parameter:ident)?], $spilled:expr;)*
    ) => {
        $crate::entry::gcm::compiled! {
            @ $lanes, $features, $clear; ($($argument: $type),*) ($($argument),*) $answer;
            $($name = $function[$($parameter)?], $spilled;)*
        }
    };
    // What is declared and what is passed on, once for each function.
    (
        @ $lanes:ty, $features:literal, $clear:path; $declared:tt $passed:tt $answer:ty;
        $($name:ident = $function:ident[$($parameter:ident)?], $spilled:expr;)*
    ) => {
        $($crate::entry::gcm::compiled! {
            ! $lanes, $features, $clear; $declared $passed $answer;
            $name = $function[$($parameter)?], $spilled
        })*
    };
    (
        ! $lanes:ty, $features:literal, $clear:path; ($($argument:ident: $type:ty),*) $passed:tt $answer:ty;
        $name:ident = $function:ident[$($parameter:ident)?], $spilled:expr
    ) => {
        #[inline(always)]
        unsafe fn $name<const SEAL: bool>($($argument: $type),*) -> $answer {
            #[inline(never)]
            #[target_feature(enable = $features)]
            unsafe fn run<const SEAL: bool>($($argument: $type),*) -> $answer {
                // SAFETY: the caller has the features that this function is compiled with.
                unsafe {
                    let answer = $crate::gcm::vector::$function::<$lanes, SEAL $(, $parameter)?> $passed;
                    $clear();
                    answer
                }
            }
            #[inline(never)]
            unsafe fn wiped<const SEAL: bool>($($argument: $type),*) -> $answer {
                // SAFETY: passed on.
                let answer = unsafe { run::<SEAL> $passed };
                zeroize::zeroize_stack::<{ $spilled }>();
                answer
            }
            // SAFETY: passed on.
            unsafe {
                if $spilled > 0 {
                    wiped::<SEAL> $passed
                } else {
                    run::<SEAL> $passed
                }
            }
        }
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

pub(crate) use {compiled, gcm, one_block};
