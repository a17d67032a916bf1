//! From a call of [`crate::Kernel`] to the generic kernels: what every vector width does alike.

use inout::InOutBuf;

use crate::{
    BLOCK, Key, Keystream,
    ctr::{self, Call},
    key::{Material, Rounds},
    keystream::SPARE,
    lanes::Lanes,
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
        unsafe { ctr::first_round::<L>(&rounds.keys, &mut rounds.first_round) };
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
        };
        pub(crate) const $AHEAD: $crate::implementation::Entry = $crate::implementation::Entry {
            name: $ahead,
            features: &$list,
            layout: $crate::implementation::Layout::Rounds,
            expand,
            ctr: ctr::<true>,
            block: block::MODES,
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

pub(crate) use entries;
