//! From a call of [`crate::Kernel`] to the generic kernels: what every vector width does alike.

use inout::InOutBuf;

use crate::{
    BLOCK, Key, Keystream,
    ctr::{self, Call},
    gcm::{Vector, vector},
    key::{Material, Rounds},
    keystream::SPARE,
    lanes::{Lanes, Multiply},
    rounds::{Keys, Stored, encrypt},
    x86::{Xmm, schedule},
};

/// The longest call, in bytes, for which the first round ahead is used. A longer one works from memory or the last
/// cache, where loads are what is scarce: on Zen 5 the table costs 7 % at 16 MiB and 15 to 20 % at 64 MiB.
const NEAR: usize = 4 << 20;

/// Counter mode: first what is spare, then new keystream.
///
/// # Safety
/// As [`Lanes`]; the counter's last four bytes do not carry before the buffer's last block.
#[inline(always)]
pub(crate) unsafe fn ctr<L: Lanes, const AHEAD: bool>(
    key: &mut Key,
    stream: &mut Keystream,
    buffer: InOutBuf<'_, '_, u8>,
) {
    let Material::Rounds(rounds) = &mut key.0 else {
        panic!("the key was not expanded by this kernel");
    };
    let len = buffer.len();
    let (src, dst) = buffer.into_raw();
    let mut call = Call {
        src,
        dst,
        len,
        counter: stream.next,
    };

    while stream.unused > 0 && call.len > 0 {
        let n = call.len.min(stream.unused).min(L::BYTES);
        // SAFETY: `n` bytes are left of the buffer, which is valid for reads and writes of its length,
        // exclusively ours, and in place or apart. `spare` is twice as long as what is ever unused of it, so
        // that a vector can be read from the first unused byte.
        unsafe {
            let keystream = L::load(stream.spare.as_ptr().add(SPARE - stream.unused));
            L::load_first(call.src, n).xor(keystream).store_first(call.dst, n);
            (call.src, call.dst) = (call.src.add(n), call.dst.add(n));
        }
        stream.unused -= n;
        call.len -= n;
    }
    if call.len == 0 {
        return;
    }

    let spare = stream.spare.first_chunk_mut().expect("twice as long");
    // SAFETY: what is left of the buffer, as above; the caller sees to the carry.
    stream.unused = unsafe {
        if AHEAD && call.len <= NEAR && ahead::<L>(rounds, call.len) {
            ctr::xor_first_round::<L>(&rounds.keys, &rounds.first_round, call, spare)
        } else {
            ctr::xor::<L>(&rounds.keys, call, spare)
        }
    };
    stream.next = stream
        .next
        .wrapping_add(((call.len + stream.unused) / BLOCK) as u128);
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
            ctr: ctr::<false>,
            block: block::MODES,
            gcm: Some(GCM),
        };
        pub(crate) const $AHEAD: $crate::implementation::Entry = $crate::implementation::Entry {
            name: $ahead,
            features: &$list,
            layout: $crate::implementation::Layout::Rounds,
            expand,
            ctr: ctr::<true>,
            block: block::MODES,
            // What it does is for counter mode alone.
            gcm: None,
        };

        $crate::x86::block::block_modes!($lanes, $features, $clear);

        #[target_feature(enable = $features)]
        unsafe fn ctr<const AHEAD: bool>(
            key: &mut $crate::Key,
            stream: &mut $crate::Keystream,
            buffer: inout::InOutBuf<'_, '_, u8>,
        ) {
            // SAFETY: the caller has the features that this function is compiled with.
            unsafe {
                $crate::x86::entry::ctr::<$lanes, AHEAD>(key, stream, buffer);
                $clear();
            }
        }

        #[target_feature(enable = $features)]
        unsafe fn expand(key: &mut $crate::Key, bytes: &[u8]) {
            // SAFETY: the caller has the features that this function is compiled with.
            unsafe {
                $crate::x86::schedule::expand(&mut key.rounds_mut().keys, bytes);
                $clear();
            }
        }
    };
}

/// The GCM of one vector type, as [`entries`].
///
/// `$spilled` is the stack in bytes, with room to spare, that the compiler takes for what the registers cannot
/// hold, keystream and hashes among it: of short messages and of long ones. Both are functions of their own,
/// so that it can be wiped after them.
macro_rules! gcm {
    ($lanes:ty, $features:literal, $list:expr, $clear:path, $spilled:expr) => {
        const GCM: $crate::gcm::Entry = {
            #[target_feature(enable = $features)]
            unsafe fn expand(key: &mut $crate::GcmKey, bytes: &[u8]) {
                // SAFETY: the caller has the features that this function is compiled with.
                unsafe {
                    $crate::x86::entry::expand_gcm(key.vector_mut(), bytes);
                    $clear();
                }
            }

            unsafe fn run<const SEAL: bool>(
                key: &mut $crate::GcmKey,
                nonce: &[u8],
                aad: &[u8],
                buffer: inout::InOutBuf<'_, '_, u8>,
            ) -> u128 {
                let key = key.vector();
                let short_nonce = $crate::gcm::vector::short_nonce::<$lanes>(nonce, aad, buffer.len());
                // SAFETY: passed on.
                unsafe {
                    if let Some(nonce) = short_nonce {
                        let tag = short::<SEAL>(key, nonce, aad, buffer);
                        if $spilled[0] > 0 {
                            zeroize::zeroize_stack::<{ $spilled[0] }>();
                        }
                        tag
                    } else {
                        let tag = long::<SEAL>(key, nonce, aad, buffer);
                        if $spilled[1] > 0 {
                            zeroize::zeroize_stack::<{ $spilled[1] }>();
                        }
                        tag
                    }
                }
            }

            #[inline(never)]
            #[target_feature(enable = $features)]
            unsafe fn short<const SEAL: bool>(
                key: &mut $crate::gcm::Vector,
                nonce: &[u8; 12],
                aad: &[u8],
                buffer: inout::InOutBuf<'_, '_, u8>,
            ) -> u128 {
                // SAFETY: the caller has the features that this function is compiled with.
                unsafe {
                    let tag = $crate::gcm::vector::short::<$lanes, SEAL>(
                        &key.keys,
                        &mut key.powers,
                        nonce,
                        aad,
                        buffer,
                    );
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
                    let tag = $crate::x86::entry::gcm_long::<$lanes, SEAL>(key, nonce, aad, buffer);
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
        let [hash_key]: [Xmm; 1] = encrypt::<_, _, 1, 0>(keys, [zero]);
        key.powers.start(hash_key);
    }
}

/// Seals or opens any message; makes the first round ahead once it pays.
///
/// # Safety
/// As [`crate::lanes::Multiply`].
#[inline(always)]
pub(crate) unsafe fn gcm_long<L: Multiply, const SEAL: bool>(
    key: &mut Vector,
    nonce: &[u8],
    aad: &[u8],
    buffer: InOutBuf<'_, '_, u8>,
) -> u128 {
    // SAFETY: as the caller.
    unsafe {
        // What ends a message does not use the table.
        if !key.is_ahead() && buffer.len() >= 8 * L::BYTES {
            key.encrypted = key.encrypted.saturating_add(buffer.len());
            if key.is_ahead() {
                key.first_round.with_first_round::<L>(&key.keys);
            }
        }
        let first_round = key.is_ahead().then_some(&key.first_round);
        vector::long::<L, SEAL>(&key.keys, &mut key.powers, first_round, nonce, aad, buffer)
    }
}

pub(crate) use {entries, gcm};
