//! From a call of [`crate::Kernel`] to the generic kernels: what every vector width does alike.

use inout::InOutBuf;

use crate::{
    BLOCK, Key, Keystream,
    ctr::{self, Call},
    gcm::Vector,
    key::Rounds,
    keystream::SPARE,
    lanes::Lanes,
    native::{Block, schedule},
    rounds::{Keys, Stored, encrypt},
    span::Span,
};

pub(crate) mod block;

/// Counter mode: first what is spare, then new keystream. `AHEAD` with the first round ahead, `FAR` past the caches.
///
/// # Safety
/// As [`Lanes`]; the counter's last four bytes do not carry before the buffer's last block.
#[inline(always)]
pub(crate) unsafe fn ctr<L: Lanes, const AHEAD: bool, const FAR: bool>(
    key: &mut Key,
    stream: &mut Keystream,
    buffer: InOutBuf<'_, '_, u8>,
) {
    let rounds = key.0.rounds_mut();
    let mut text = Span::new(buffer);

    while stream.unused > 0 && text.len > 0 {
        let n = text.len.min(stream.unused).min(L::BYTES);
        // SAFETY: `n` bytes are left of the buffer, which is valid for reads and writes of its length,
        // exclusively ours, and in place or apart. `spare` is twice as long as what is ever unused of it, so
        // that a vector can be read from the first unused byte.
        unsafe {
            let keystream = L::load(stream.spare.as_ptr().add(SPARE - stream.unused));
            L::load_first(text.src, n).xor(keystream).store_first(text.dst, n);
            text = text.after(n);
        }
        stream.unused -= n;
    }
    if text.len == 0 {
        return;
    }
    let call = Call {
        text,
        counter: stream.next,
    };

    let spare = stream.spare.first_chunk_mut().expect("twice as long");
    // SAFETY: what is left of the buffer, as above; the caller sees to the carry.
    stream.unused = unsafe {
        if AHEAD && ahead::<L>(rounds, text.len) {
            ctr::xor_first_round::<L>(&rounds.keys, &rounds.first_round, call, spare)
        } else {
            ctr::xor::<L, FAR>(&rounds.keys, call, spare)
        }
    };
    stream.next = stream
        .next
        .wrapping_add(((text.len + stream.unused) / BLOCK) as u128);
}

/// Whether the first round ahead is there; makes it once it pays.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
unsafe fn ahead<L: Lanes>(rounds: &mut Rounds, len: usize) -> bool {
    if !rounds.is_ahead() {
        rounds.encrypted = rounds.encrypted.saturating_add(len);
        if !rounds.is_ahead() {
            return false;
        }
        // SAFETY: as the caller.
        unsafe { ctr::first_round::<L>(&rounds.keys, &mut rounds.first_round.0) };
    }
    true
}

/// The entries of one vector type: its thin wrappers, which alone carry `#[target_feature]`, and which clear
/// the vector registers before they return, since key and keystream were in them.
macro_rules! entries {
    ($lanes:ty, $features:literal, $list:expr, $clear:path, $PLAIN:ident = $plain:literal, $AHEAD:ident = $ahead:literal) => {
        pub(crate) const $PLAIN: $crate::implementation::Entry = $crate::implementation::Entry {
            name: $plain,
            features: &$list,
            layout: $crate::implementation::Layout::Rounds,
            expand,
            ctr: ctr::<false, false>,
            far: Some(ctr::<false, true>),
            block: block::MODES,
            gcm: Some(GCM),
        };
        pub(crate) const $AHEAD: $crate::implementation::Entry = $crate::implementation::Entry {
            name: $ahead,
            features: &$list,
            layout: $crate::implementation::Layout::Rounds,
            expand,
            ctr: ctr::<true, false>,
            far: Some(ctr::<false, true>),
            block: block::MODES,
            // What it does is for counter mode alone.
            gcm: None,
        };

        $crate::entry::block::block_modes!($lanes, $features, $clear);

        #[target_feature(enable = $features)]
        unsafe fn ctr<const AHEAD: bool, const FAR: bool>(
            key: &mut $crate::Key,
            stream: &mut $crate::Keystream,
            buffer: inout::InOutBuf<'_, '_, u8>,
        ) {
            // SAFETY: the caller has the features that this function is compiled with.
            unsafe {
                $crate::entry::ctr::<$lanes, AHEAD, FAR>(key, stream, buffer);
                $clear();
            }
        }

        #[target_feature(enable = $features)]
        unsafe fn expand(key: &mut $crate::Key, bytes: &[u8]) {
            // SAFETY: the caller has the features that this function is compiled with.
            unsafe {
                $crate::native::schedule::expand(&mut key.0.room_for_rounds().keys, bytes);
                $clear();
            }
        }
    };
}

/// The GCM of one vector type, as [`entries`].
///
/// `$spilled` is the stack in bytes, with room to spare, that the compiler takes for what the registers cannot
/// hold, keystream and hashes among it: of short messages, of long ones, and of long ones under a key of 16 bytes.
/// They are functions of their own, so that it can be wiped after them, where that is not nothing: it takes as long
/// as a batch. What is tiny leaves nothing there, and has a function of its own for that.
macro_rules! gcm {
    ($lanes:ty, $features:literal, $list:expr, $clear:path, $spilled:expr) => {
        const GCM: $crate::gcm::Entry = {
            const TINY: usize = <$lanes as $crate::lanes::Multiply>::TINY;
            const AT_ONCE: usize = $crate::gcm::vector::at_once::<$lanes>();
            const WIDE: usize = $crate::gcm::vector::WIDE;
            const TINY_PART: usize = $crate::gcm::vector::tiny_part::<$lanes>();

            #[target_feature(enable = $features)]
            unsafe fn expand(key: &mut $crate::GcmKey, bytes: &[u8]) {
                // SAFETY: the caller has the features that this function is compiled with.
                unsafe {
                    $crate::entry::expand_gcm(key.0.room_for_rounds(), bytes);
                    $clear();
                }
            }

            unsafe fn run<const SEAL: bool>(
                key: &mut $crate::GcmKey,
                nonce: &[u8],
                aad: &[u8],
                buffer: inout::InOutBuf<'_, '_, u8>,
            ) -> u128 {
                let key = key.0.rounds_mut();
                let short_nonce = $crate::gcm::vector::short_nonce::<$lanes>(key, nonce, aad, buffer.len());
                // SAFETY: passed on.
                unsafe {
                    if let Some(nonce) = short_nonce {
                        if TINY < AT_ONCE && $crate::gcm::vector::is_tiny::<$lanes>(buffer.len()) {
                            return short::<SEAL, TINY>(key, nonce, aad, buffer);
                        }
                        let tag = short::<SEAL, AT_ONCE>(key, nonce, aad, buffer);
                        wipe_stack(true, key);
                        tag
                    } else {
                        run_long::<SEAL>(key, nonce, aad, buffer)
                    }
                }
            }

            /// Apart, so that a short message is passed on with a jump.
            #[inline(never)]
            unsafe fn run_long<const SEAL: bool>(
                key: &mut $crate::gcm::Vector,
                nonce: &[u8],
                aad: &[u8],
                buffer: inout::InOutBuf<'_, '_, u8>,
            ) -> u128 {
                // SAFETY: passed on.
                let tag = unsafe { long::<SEAL>(key, nonce, aad, buffer) };
                wipe_stack(false, key);
                tag
            }

            #[inline(always)]
            fn wipe_stack(is_short: bool, key: &$crate::gcm::Vector) {
                if is_short {
                    wipe::<{ $spilled[0] }>();
                } else if key.keys.rounds > 10 {
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
                buffer: inout::InOutBuf<'_, '_, u8>,
            ) -> u128 {
                // SAFETY: the caller has the features that this function is compiled with.
                unsafe {
                    let tag = $crate::gcm::vector::short::<$lanes, SEAL, MOST>(key, nonce, aad, buffer);
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
                buffer: inout::InOutBuf<'_, '_, u8>,
            ) -> u128 {
                // SAFETY: the caller has the features that this function is compiled with.
                unsafe {
                    let tag = $crate::gcm::vector::long::<$lanes, SEAL>(key, nonce, aad, buffer);
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

            unsafe fn run_part<const SEAL: bool>(
                key: &mut $crate::GcmKey,
                message: &mut $crate::GcmMessage,
                buffer: inout::InOutBuf<'_, '_, u8>,
            ) {
                let key = key.0.rounds_mut();
                // SAFETY: passed on; the part takes no more vectors than the function is for.
                unsafe {
                    if buffer.len() <= TINY_PART * <$lanes>::BYTES {
                        return part::<SEAL, TINY_PART>(key, message, buffer);
                    }
                    part::<SEAL, WIDE>(key, message, buffer);
                }
                wipe_stack(false, key);
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
                features: &$list,
                layout: $crate::implementation::Layout::Rounds,
                expand,
                seal: run::<true>,
                open: run::<false>,
                absorb: |key, message, data| {
                    let key = key.0.rounds_mut();
                    // SAFETY: passed on.
                    unsafe { absorb(key, message, data) };
                },
                encrypt: run_part::<true>,
                decrypt: run_part::<false>,
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
pub(crate) unsafe fn expand_gcm(key: &mut Vector, bytes: &[u8]) {
    // SAFETY: the caller has the features.
    unsafe {
        schedule::expand(&mut key.keys, bytes);
        let keys = Stored::new(&key.keys);
        let zero = keys.front(0);
        let [hash_key]: [Block; 1] = encrypt::<_, _, 1, 0>(keys, [zero]);
        key.powers.start(hash_key);
    }
}

pub(crate) use {entries, gcm};
