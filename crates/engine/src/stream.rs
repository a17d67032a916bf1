//! Counter mode as a stream, call after call: keystream that an earlier call has left comes before new.

use crate::{
    BLOCK, Key, Keystream,
    ctr::{self, Call},
    key::Rounds,
    keystream::SPARE,
    lanes::Lanes,
    native::ctr_block,
    span::Span,
};

/// Whether a call begins with [`spare`] keystream, that an earlier one left.
#[inline(always)]
pub(crate) fn has_spare(stream: &Keystream) -> bool {
    stream.unused > 0
}

/// Takes a call that is one block, where no keystream is spare: to leave some for the next ones would take longer. Answers
/// whether it did: then no vector register is to be cleared, and all that longer calls ask for was not asked.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
pub(crate) unsafe fn block(key: &Key, stream: &mut Keystream, text: Span) -> bool {
    if text.len != BLOCK || has_spare(stream) {
        return false;
    }
    let Some(rounds) = key.0.as_rounds() else {
        return false;
    };
    // SAFETY: the text is valid for reads and writes, exclusively ours, and in place or apart.
    let done = unsafe { ctr_block(&rounds.keys, stream.next, text) };
    if done {
        stream.next = stream.next.wrapping_add(1);
    }
    done
}

/// Whether a call is for [`vector`].
#[inline(always)]
pub(crate) fn is_vector<L: Lanes>(len: usize) -> bool {
    L::HAS && len <= L::BYTES
}

/// Takes a call that a vector is enough for, of what is spare and of new keystream.
///
/// # Safety
/// As [`fresh`]; [`is_vector`] says so.
#[inline(always)]
pub(crate) unsafe fn vector<L: Lanes>(key: &mut Key, stream: &mut Keystream, text: Span) {
    let unused = stream.unused;
    // SAFETY: the text is valid for reads and writes, exclusively ours, and in place or apart; the caller sees to the carry.
    // From every unused byte of `spare` on a vector can be loaded.
    unsafe {
        if text.len <= unused {
            let spare = stream.spare.as_ptr().cast::<u8>();
            L::xor_spare(spare.add(SPARE - unused), text);
            stream.unused = unused - text.len;
        } else {
            let keys = &key.0.rounds_mut().keys;
            L::xor_fresh(keys, stream.next, &mut stream.spare[0], unused, text);
            stream.unused = unused + L::BYTES - text.len;
            stream.next = stream.next.wrapping_add(L::BLOCKS as u128);
        }
    }
}

/// Whether a call that begins with spare keystream is for [`shifted`].
#[inline(always)]
pub(crate) fn is_shifted<L: Lanes>(stream: &Keystream, len: usize) -> bool {
    ctr::is_shifted::<L>(stream.unused, len)
}

/// Adds what keystream is spare to the buffer, and new one with it, in no step more. `AHEAD` with the first rounds ahead.
///
/// # Safety
/// As [`fresh`]; there is spare keystream, and [`is_shifted`] says so.
#[inline(always)]
pub(crate) unsafe fn shifted<L: Lanes, const AHEAD: bool>(key: &mut Key, stream: &mut Keystream, text: Span) {
    let rounds = key.0.rounds_mut();
    let call = Call {
        text,
        counter: stream.next,
    };
    let unused = stream.unused;
    let spare = &mut stream.spare[0];
    // SAFETY: the text is valid for reads and writes, exclusively ours, and in place or apart; the
    // caller sees to the carry.
    stream.unused = unsafe {
        let done = ahead::<L, AHEAD>(rounds, call.counter, text.len);
        let (keys, table) = (&rounds.keys, rounds.ahead.table());
        match done {
            0 => ctr::xor_shifted::<L, 0>(keys, table, call, spare, unused),
            1 => ctr::xor_shifted::<L, 1>(keys, table, call, spare, unused),
            _ => ctr::xor_shifted::<L, 2>(keys, table, call, spare, unused),
        }
    };
    let made = text.len + stream.unused - unused;
    stream.next = stream.next.wrapping_add((made / BLOCK) as u128);
}

/// Adds what keystream is spare to the buffer. Answers what is left of it, for [`fresh`].
///
/// # Safety
/// As [`fresh`].
#[inline(always)]
pub(crate) unsafe fn spare<L: Lanes>(stream: &mut Keystream, mut text: Span) -> Span {
    while stream.unused > 0 && text.len > 0 {
        let n = text.len.min(stream.unused).min(L::BYTES);
        // SAFETY: `n` bytes are left of the buffer, which is valid for reads and writes of its length,
        // exclusively ours, and in place or apart. `spare` is twice as long as what is ever unused of it, so
        // that a vector can be read from the first unused byte.
        unsafe {
            let spare = stream.spare.as_ptr().cast::<u8>().add(SPARE);
            if L::MASKS || text.is_apart() || text.len < L::BYTES || stream.unused >= L::BYTES {
                let keystream = L::load(spare.sub(stream.unused));
                L::load_first(text.src, n).xor(keystream).store_first(text.dst, n);
            } else {
                // In place, a whole vector at once. Its keystream is read as it was stored, which it else would wait for;
                // what comes after those bytes stays as it is, and its turn comes next. (From buffer to buffer, text would
                // stand for a moment where only ciphertext is to.)
                let keystream = L::join(
                    L::load(spare.sub(L::BYTES)),
                    L::splat(0),
                    L::BYTES - stream.unused,
                );
                L::load(text.src).xor(keystream).store(text.dst);
            }
            text = text.after(n);
        }
        stream.unused -= n;
    }
    text
}

/// Adds the stream's next bytes to the buffer, where none are spare: new keystream. `AHEAD` with the first rounds ahead, `FAR`
/// past the caches.
///
/// # Safety
/// As [`Lanes`]; the counter's last four bytes do not carry before the buffer's last block.
#[inline(always)]
pub(crate) unsafe fn fresh<L: Lanes, const AHEAD: bool, const FAR: bool>(
    key: &mut Key,
    stream: &mut Keystream,
    text: Span,
) {
    let rounds = key.0.rounds_mut();
    let call = Call {
        text,
        counter: stream.next,
    };

    let spare = &mut stream.spare[0];
    // SAFETY: the buffer is valid for reads and writes of its length, exclusively ours, and in place or apart; the caller sees
    // to the carry.
    stream.unused = unsafe {
        let done = ahead::<L, AHEAD>(rounds, call.counter, text.len);
        let (keys, table) = (&rounds.keys, rounds.ahead.table());
        match done {
            0 => ctr::xor::<L, FAR>(keys, call, spare),
            1 => ctr::xor_ahead::<L, 1>(keys, table, call, spare),
            _ => ctr::xor_ahead::<L, 2>(keys, table, call, spare),
        }
    };
    stream.next = stream
        .next
        .wrapping_add(((text.len + stream.unused) / BLOCK) as u128);
}

/// How many rounds are ahead for `len` bytes from `counter` on; none if not `AHEAD`.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
unsafe fn ahead<L: Lanes, const AHEAD: bool>(rounds: &mut Rounds, counter: u128, len: usize) -> usize {
    if !AHEAD {
        return 0;
    }
    // SAFETY: as the caller.
    unsafe {
        rounds
            .ahead
            .reach::<L>(&rounds.keys, counter, len, Rounds::AHEAD_AFTER);
    }
    rounds.ahead.rounds()
}
