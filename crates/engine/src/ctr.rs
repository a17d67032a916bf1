//! Counter mode (SP 800-38A, §6.5) over any width of vector.
//!
//! The wide loop keeps eight vectors in flight: a round of AES takes four cycles or less and two start per
//! cycle on every processor that this was written for. What remains, up to eight vectors, is one batch of
//! exactly as many vectors as it needs, the last one loaded and stored in part, so that no length falls off
//! a cliff.
//!
//! **Pages** are the 256 counter blocks that differ in their last byte alone. With the first rounds ahead (see
//! [`crate::ahead`]) the rounds begin from an entry of a table and a constant of the page. The same holds before the first
//! round, whatever the key: where registers are few and eight states all that is in flight, each instruction on a port of
//! AES delays one of them, and a load and an addition take the place of counting, turning bytes round and adding the key.

use core::hint::assert_unchecked;

use crate::{
    BLOCK, WATCHED,
    ahead::LastBytes,
    key::RoundKeys,
    keystream::SPARE,
    lanes::Lanes,
    rounds::{Keys, Schedule, Stored, encrypt},
    span::Span,
};

/// Vectors in flight.
const WIDE: usize = 8;

/// Bytes of a cache line.
const LINE: usize = 64;

/// How far ahead the wide loop asks for its data: a page, since the processor's own prefetching ends with the page.
/// In memory of 64 MiB on Zen 5 this takes one round ahead from 68 % to 95 % of what reading and writing
/// alone allow, and [`xor`] from 95 % to all of it; in cache it costs nothing that can be measured.
const DISTANCE: usize = 4096;

/// A table of the first rounds ahead.
pub(crate) type Table = LastBytes<0, 256>;

/// Text to which keystream is to be added.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    pub(crate) text: Span,
    /// The first counter block. Its last four bytes must not carry before the call's last block.
    pub(crate) counter: u128,
}

impl Call {
    /// Its first `bytes`.
    #[inline(always)]
    fn first(self, bytes: usize) -> Self {
        let text = Span {
            len: bytes,
            ..self.text
        };
        Self { text, ..self }
    }

    /// What remains after the first `blocks` blocks.
    #[inline(always)]
    pub(crate) unsafe fn after(self, blocks: usize) -> Self {
        // SAFETY: the caller has that many blocks left.
        unsafe {
            Self {
                text: self.text.after(16 * blocks),
                counter: self.counter.wrapping_add(blocks as u128),
            }
        }
    }
}

/// `$tail` for `$len` bytes that are made in up to eight vectors, the number of those being `$n`.
macro_rules! rest {
    ($L:ty, $len:expr, $n:ident => $tail:expr) => {
        rest!(@ [1 2 3 4 5 6 7 8] $L, $len, $n, $tail)
    };
    (@ [$($count:literal)*] $L:ty, $len:expr, $n:ident, $tail:expr) => {
        match $len.div_ceil(<$L>::BYTES) {
            0 => 0,
            $($count => {
                const $n: usize = $count;
                $tail
            })*
            _ => unreachable!("no more than eight vectors are left"),
        }
    };
}

/// Whether a call goes by [`xor_shifted`], if it begins with `unused` bytes of keystream that the call before left over: it is
/// longer than a vector, and ends no more than eight vectors after that.
#[inline(always)]
pub(crate) fn is_shifted<L: Lanes>(unused: usize, len: usize) -> bool {
    L::MASKS && len > L::BYTES && len - unused <= WIDE * L::BYTES
}

/// Runs one call whose first bytes are for the last `unused` of `spare`, with `DONE` rounds in `table`.
///
/// Keystream is brought to where the text stands. To use those bytes up first would be a step more, and all vectors of a
/// text that begins where a cache line does would then lie across lines.
///
/// # Safety
/// As [`xor`]; the call [`is_shifted`].
#[inline(always)]
pub(crate) unsafe fn xor_shifted<L: Lanes, const DONE: usize>(
    keys: &RoundKeys,
    table: &Table,
    call: Call,
    spare: &mut [u8; SPARE],
    unused: usize,
) -> usize {
    // SAFETY: passed on; each number of vectors is what the text takes besides what is unused, by what is asked of the caller. A
    // page's table has an entry for each block that is left of it. The keys are lent for as long as they are used, here and
    // below.
    unsafe {
        assert_unchecked(unused < call.text.len && call.text.len - unused <= WIDE * L::BYTES);
        rest!(L, call.text.len - unused, N => {
            let keys = Stored::new(keys);
            let page = Page::<L>::of::<DONE>(keys, table, call.counter);
            let keystream = if DONE > 0 && N * L::BLOCKS <= page.left(call.counter) {
                encrypt::<L, _, N, DONE>(keys, page.states(call.counter))
            } else {
                encrypt::<L, _, N, 0>(keys, counted(keys, L::counters(call.counter)))
            };
            shifted(keystream, call.text, spare, unused)
        })
    }
}

/// [`xor_shifted`] by new `keystream`. The text may end in its last vector, or in one more.
#[inline(always)]
unsafe fn shifted<L: Lanes, const N: usize>(
    keystream: [L; N],
    text: Span,
    spare: &mut [u8; SPARE],
    unused: usize,
) -> usize {
    // SAFETY: as the caller; no byte beyond the text is touched, of which less than two vectors are in part.
    unsafe {
        let from = L::BYTES - unused;
        let mut before = L::load(spare.as_ptr().add(SPARE - L::BYTES));
        for (i, &after) in keystream.iter().enumerate().take(N - 1) {
            let at = i * L::BYTES;
            let k = L::join(before, after, from);
            L::load(text.src.add(at)).xor(k).store(text.dst.add(at));
            before = after;
        }
        let last = keystream[N - 1];
        let left = text.len - (N - 1) * L::BYTES;
        let k = L::join(before, last, from);
        if left < L::BYTES {
            text.store(N - 1, left, text.load::<L>(N - 1, left).xor(k));
        } else {
            let at = (N - 1) * L::BYTES;
            L::load(text.src.add(at)).xor(k).store(text.dst.add(at));
            let left = left - L::BYTES;
            if left > 0 {
                let k = L::join(last, last, from);
                text.store(N, left, text.load::<L>(N, left).xor(k));
            }
        }
        last.store(spare.as_mut_ptr().add(SPARE - L::BYTES));
        L::BYTES + unused - left
    }
}

/// Runs one call. Where the last vector's keystream is not used up, it ends up right-aligned in `spare`; the
/// answer is how many of its bytes, the last ones, are unused.
///
/// If `FAR`, what goes from one buffer to another is stored past the caches.
///
/// # Safety
/// As [`Lanes`]; `src` and `dst` are each valid for `len` bytes and either equal or apart.
#[inline(always)]
pub(crate) unsafe fn xor<L: Lanes, const FAR: bool>(
    keys: &RoundKeys,
    mut call: Call,
    spare: &mut [u8; SPARE],
) -> usize {
    // SAFETY: passed on; no batch is longer than what is left of the call.
    unsafe {
        if FAR && call.text.len >= 2 * WIDE * L::BYTES && call.text.is_apart() {
            // To where a vector is aligned, which takes less than one; where no block is, none will be.
            let head = call.text.dst.align_offset(L::BYTES);
            if head.is_multiple_of(BLOCK) {
                let (first, stored) = (call.first(head), Stored::new(keys));
                if head > 0 {
                    tail::<L, 1, 0>(stored, counted(stored, L::counters(first.counter)), first, spare);
                }
                call = call.after(head / BLOCK);
                call = batches::<L, true>(keys, call);
                L::fence();
            }
        }
        call = batches::<L, false>(keys, call);
        rest!(L, call.text.len, N => {
            let keys = Stored::new(keys);
            tail::<L, N, 0>(keys, counted(keys, L::counters(call.counter)), call, spare)
        })
    }
}

/// All whole batches of eight vectors. Answers what is left of the call.
///
/// # Safety
/// As [`xor`]; if `FAR`, the call's output is aligned to a vector.
#[inline(always)]
unsafe fn batches<L: Lanes, const FAR: bool>(keys: &RoundKeys, mut call: Call) -> Call {
    // SAFETY: as the caller; no batch is longer than what is left of the call.
    unsafe {
        if L::FEW_REGISTERS {
            return paged::<L, 0, FAR>(keys, &PLAIN, call);
        }
        if call.text.len >= WIDE * L::BYTES {
            let keys = L::Keys::of(keys);
            let mut counters = L::counters(call.counter);
            while call.text.len >= WIDE * L::BYTES {
                let keys = keys.anew();
                call = wide::<L, _, 0, FAR>(keys, counted(keys, counters), call);
                counters = counters.count((WIDE * L::BLOCKS) as u32);
            }
        }
        call
    }
}

/// As [`batches`], page by page, with `DONE` rounds in `table`.
///
/// # Safety
/// As [`batches`].
#[inline(always)]
unsafe fn paged<L: Lanes, const DONE: usize, const FAR: bool>(
    keys: &RoundKeys,
    table: &Table,
    mut call: Call,
) -> Call {
    // SAFETY: as the caller; no batch is longer than what is left of the call, or of its page.
    unsafe {
        while call.text.len >= WIDE * L::BYTES {
            let page = Page::<L>::of::<DONE>(Stored::new(keys), table, call.counter);
            let mut batches = page.left(call.counter) / (WIDE * L::BLOCKS);
            batches = batches.min(call.text.len / (WIDE * L::BYTES));
            if batches > 0 {
                let keys = L::Keys::of(keys);
                while batches > 0 {
                    call = wide::<L, _, DONE, FAR>(keys.anew(), page.states(call.counter), call);
                    batches -= 1;
                }
            } else {
                // The batch that the carry falls into.
                let keys = Stored::new(keys);
                call = wide::<L, _, 0, FAR>(keys, counted(keys, L::counters(call.counter)), call);
            }
        }
        call
    }
}

/// As [`xor`], with `DONE` rounds in `table`.
///
/// # Safety
/// As [`xor`].
#[inline(always)]
pub(crate) unsafe fn xor_ahead<L: Lanes, const DONE: usize>(
    keys: &RoundKeys,
    table: &Table,
    mut call: Call,
    spare: &mut [u8; SPARE],
) -> usize {
    // SAFETY: passed on; no batch is longer than what is left of the call.
    unsafe {
        call = paged::<L, DONE, false>(keys, table, call);
        rest!(L, call.text.len, N => {
            let keys = Stored::new(keys);
            let page = Page::<L>::of::<DONE>(keys, table, call.counter);
            if N * L::BLOCKS <= page.left(call.counter) {
                tail::<L, N, DONE>(keys, page.states(call.counter), call, spare)
            } else {
                tail::<L, N, 0>(keys, counted(keys, L::counters(call.counter)), call, spare)
            }
        })
    }
}

/// Keystream of eight full vectors, xored from `src` to `dst`. Answers what is left of the call.
#[inline(always)]
unsafe fn wide<L: Lanes, K: Keys<L>, const DONE: usize, const FAR: bool>(
    keys: K,
    states: [L; WIDE],
    call: Call,
) -> Call {
    // SAFETY: the caller has eight vectors left.
    unsafe {
        for line in (0..WIDE * L::BYTES).step_by(LINE) {
            L::prefetch(call.text.src.wrapping_add(DISTANCE + line));
        }
        let keystream = encrypt::<L, K, WIDE, DONE>(keys, states);
        for (i, k) in keystream.into_iter().enumerate() {
            let (text, to) = (
                L::load(call.text.src.add(i * L::BYTES)),
                call.text.dst.add(i * L::BYTES),
            );
            if FAR && !WATCHED {
                text.xor(k).store_past_caches(to);
            } else {
                text.xor(k).store(to);
            }
        }
        call.after(WIDE * L::BLOCKS)
    }
}

/// The end of a call: `N` vectors, the last one in part.
#[inline(always)]
unsafe fn tail<L: Lanes, const N: usize, const DONE: usize>(
    keys: Stored,
    states: [L; N],
    call: Call,
    spare: &mut [u8; SPARE],
) -> usize {
    // SAFETY: `N` is the number of vectors that the rest of the call begins, so the last one holds between
    // 1 and `BYTES` bytes of it, and before any but the first there is a whole one. `BYTES` is at most the length of `spare`.
    unsafe {
        let keystream = encrypt::<L, _, N, DONE>(keys, states);
        let (last, at) = (keystream[N - 1], (N - 1) * L::BYTES);
        let used = call.text.len - at;
        let overlapping = N > 1 && !L::MASKS && !used.is_multiple_of(BLOCK);
        let (from, ending) = if overlapping {
            // Read before the vector that it begins in is stored, maybe in the same place. Both then store the same.
            let from = call.text.len - L::BYTES;
            (from, L::load(call.text.src.add(from)))
        } else {
            (at, L::load_first(call.text.src.add(at), used))
        };
        for (i, k) in keystream.into_iter().enumerate().take(N - 1) {
            L::load(call.text.src.add(i * L::BYTES))
                .xor(k)
                .store(call.text.dst.add(i * L::BYTES));
        }
        if overlapping {
            let k = L::join(keystream[N.saturating_sub(2)], last, used);
            ending.xor(k).store(call.text.dst.add(from));
        } else {
            ending.xor(last).store_first(call.text.dst.add(at), used);
        }
        last.store(spare.as_mut_ptr().add(SPARE - L::BYTES));
        L::BYTES - used
    }
}

/// States after the first AddRoundKey, counted from `counters` on.
#[inline(always)]
unsafe fn counted<L: Lanes, K: Keys<L>, const N: usize>(keys: K, counters: L) -> [L; N] {
    // SAFETY: as the caller.
    unsafe {
        let whitening = keys.front(0);
        let mut states = [whitening; N];
        for (i, state) in states.iter_mut().enumerate() {
            *state = counters.count((i * L::BLOCKS) as u32).to_blocks().xor(whitening);
        }
        states
    }
}

/// The 256 counter blocks that differ in their last byte alone.
struct Page<'a, L> {
    table: &'a Table,
    /// The state where that byte is zero, after the rounds that the table has.
    zero: L,
}

static PLAIN: Table = Table::PLAIN;

impl<'a, L: Lanes> Page<'a, L> {
    /// The page that `counter` stands in, after `DONE` (0 to 2) rounds.
    #[inline(always)]
    unsafe fn of<const DONE: usize>(keys: Stored, table: &'a Table, counter: u128) -> Self {
        // SAFETY: as the caller.
        unsafe {
            let mut zero = L::splat((counter & !0xff).swap_bytes()).xor(keys.front(0));
            for round in 1..=DONE {
                zero = zero.round(keys.front(round));
            }
            Self { table, zero }
        }
    }

    /// How many blocks of it are left from `counter` on, at least one.
    #[inline(always)]
    fn left(&self, counter: u128) -> usize {
        256 - (counter & 0xff) as usize
    }

    /// States from `counter` on.
    ///
    /// # Safety
    /// As [`Lanes`]; there are that many blocks left.
    #[inline(always)]
    unsafe fn states<const N: usize>(&self, counter: u128) -> [L; N] {
        // SAFETY: the table has an entry for each block of the page.
        unsafe {
            let entries = self.table.entries().add((counter & 0xff) as usize);
            let mut states = [self.zero; N];
            for (i, state) in states.iter_mut().enumerate() {
                *state = L::load(entries.add(i * L::BLOCKS).cast()).xor(self.zero);
            }
            states
        }
    }
}
