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

/// Takes a call that is one block, where keystream is made block by block and none is spare. Answers whether it did: then no
/// vector register is to be cleared, and all that longer calls ask for was not asked.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
pub(crate) unsafe fn block<L: Lanes>(key: &Key, stream: &mut Keystream, text: Span) -> bool {
    let Some(rounds) = key.0.as_rounds() else {
        return false;
    };
    if L::BLOCKS > 1 || stream.unused > 0 {
        return false;
    }
    // SAFETY: the text is valid for reads and writes, exclusively ours, and in place or apart.
    let done = unsafe { ctr_block(&rounds.keys, stream.next, text) };
    if done {
        stream.next = stream.next.wrapping_add(1);
    }
    done
}

/// Adds the stream's next bytes to the buffer: first what is spare, then new keystream. `AHEAD` with the first rounds ahead, `FAR` past the caches.
///
/// # Safety
/// As [`Lanes`]; the counter's last four bytes do not carry before the buffer's last block.
#[inline(always)]
pub(crate) unsafe fn run<L: Lanes, const AHEAD: bool, const FAR: bool>(
    key: &mut Key,
    stream: &mut Keystream,
    mut text: Span,
) {
    let rounds = key.0.rounds_mut();

    if ctr::is_shifted::<L>(stream.unused, text.len) {
        let made = (text.len - stream.unused).next_multiple_of(L::BYTES);
        let call = Call {
            text,
            counter: stream.next,
        };
        let spare = &mut stream.spare[0];
        // SAFETY: the text is valid for reads and writes, exclusively ours, and in place or apart; the
        // caller sees to the carry.
        stream.unused = unsafe {
            let done = if AHEAD {
                ahead::<L>(rounds, call.counter, made)
            } else {
                0
            };
            let (keys, table) = (&rounds.keys, rounds.ahead.table());
            match done {
                0 => ctr::xor_shifted::<L, 0>(keys, table, call, spare, stream.unused),
                1 => ctr::xor_shifted::<L, 1>(keys, table, call, spare, stream.unused),
                _ => ctr::xor_shifted::<L, 2>(keys, table, call, spare, stream.unused),
            }
        };
        stream.next = stream.next.wrapping_add((made / BLOCK) as u128);
        return;
    }
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
    if text.len == 0 {
        return;
    }
    let call = Call {
        text,
        counter: stream.next,
    };

    let spare = &mut stream.spare[0];
    // SAFETY: what is left of the buffer, as above; the caller sees to the carry.
    stream.unused = unsafe {
        let done = if AHEAD {
            ahead::<L>(rounds, call.counter, text.len)
        } else {
            0
        };
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

/// How many rounds are ahead for `len` bytes from `counter` on.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
unsafe fn ahead<L: Lanes>(rounds: &mut Rounds, counter: u128, len: usize) -> usize {
    // SAFETY: as the caller.
    unsafe {
        rounds
            .ahead
            .reach::<L>(&rounds.keys, counter, len, Rounds::AHEAD_AFTER);
    }
    rounds.ahead.rounds()
}
