//! CCM over blocks in registers.
//!
//! The MAC is bound by latency: ten rounds and no more, if the last of each block adds the next block and the first round
//! key at once ([`crate::serial`]). A block of counter mode goes beside each, round by round. Opening needs that block
//! before the MAC does, so that it is always one ahead; behind the last one it is the tag's.

use super::{Start, encode_length};
use crate::{
    BLOCK,
    key::RoundKeys,
    lanes::Multiply,
    part,
    rounds::{Schedule, Stored, middle},
    span::Span,
};

/// Where the MAC stands, and the counter.
struct Chain<L> {
    keys: Stored,
    whitening: L,
    last: L,
    /// The MAC before its last round.
    state: L,
    /// As [`crate::lanes::Lanes::counters`] has them.
    counter: L,
}

impl<L: Multiply> Chain<L> {
    #[inline(always)]
    unsafe fn new(keys: &RoundKeys, counter: u128) -> Self {
        // SAFETY: as the caller.
        unsafe {
            let keys = Stored::new(keys);
            Self {
                keys,
                whitening: keys.front(0),
                last: keys.place(14),
                state: L::splat(0),
                counter: L::counters(counter),
            }
        }
    }

    /// Starts the MAC with its first block. Answers the counter's block before its last round, and counts.
    #[inline(always)]
    unsafe fn start(&mut self, block: u128) -> L {
        // SAFETY: as the caller.
        unsafe { self.beside(L::splat(block).xor(self.whitening)) }
    }

    /// Goes on after blocks whose MAC is `value`.
    #[inline(always)]
    unsafe fn go_on(&mut self, value: u128) {
        // SAFETY: as the caller. The last round has no MixColumns and is undone by its counterpart.
        unsafe { self.state = L::splat(value).xor(self.last).inv_last_round(L::splat(0)) }
    }

    /// The MAC, to which `block` and the first round key are added.
    #[inline(always)]
    unsafe fn with(&self, block: L) -> L {
        // SAFETY: as the caller.
        unsafe { self.state.last_round(block.xor(self.whitening.xor(self.last))) }
    }

    /// Takes a block into the MAC.
    #[inline(always)]
    unsafe fn take(&mut self, block: L) {
        // SAFETY: as the caller.
        unsafe {
            let state = self.with(block);
            let keys = Schedule::<L>::anew(self.keys);
            [self.state] = middle::<L, _, 1, 0, 0, false>(keys, [state], true, &mut ());
        }
    }

    /// As [`Self::take`], and answers as [`Self::start`].
    #[inline(always)]
    unsafe fn take_beside(&mut self, block: L) -> L {
        // SAFETY: as the caller.
        unsafe { self.beside(self.with(block)) }
    }

    #[inline(always)]
    unsafe fn beside(&mut self, state: L) -> L {
        // SAFETY: as the caller.
        unsafe {
            let counter = self.counter.to_blocks().xor(self.whitening);
            self.counter = self.counter.count(1);
            let keys = Schedule::<L>::anew(self.keys);
            let states = middle::<L, _, 2, 0, 0, false>(keys, [state, counter], true, &mut ());
            self.state = states[0];
            states[1]
        }
    }

    /// Takes additional data, with their length before them and zeros behind.
    #[inline(always)]
    unsafe fn take_aad(&mut self, aad: &[u8]) {
        let (length, len) = encode_length(aad.len() as u64);
        if len == 0 {
            return;
        }
        let (head, rest) = aad.split_at(aad.len().min(BLOCK - len));
        let mut rest = Span::input(rest);
        // SAFETY: as the caller; all that is loaded lies within the span.
        unsafe {
            self.take(L::splat(length | part::number(head) << (8 * len)));
            while rest.len > 0 {
                let n = rest.len.min(BLOCK);
                self.take(rest.load(0, n));
                rest = rest.after(n);
            }
        }
    }

    /// Encrypts the text.
    #[inline(always)]
    unsafe fn seal(&mut self, mut text: Span) {
        // SAFETY: as the caller; no more is taken than what is left.
        unsafe {
            while text.len > 0 {
                let n = text.len.min(BLOCK);
                let block: L = text.load(0, n);
                let beside = self.take_beside(block);
                text.store(0, n, beside.last_round(self.last.xor(block)));
                text = text.after(n);
            }
        }
    }

    /// Decrypts the text. `beside` is what its first block's counter made before its last round; answers the same of
    /// the counter `then`.
    #[inline(always)]
    unsafe fn open(&mut self, mut beside: L, then: L, mut text: Span) -> L {
        // SAFETY: as [`Self::seal`].
        unsafe {
            while text.len > 0 {
                let n = text.len.min(BLOCK);
                let block: L = text.load(0, n);
                let block = beside.last_round(self.last.xor(block)).keep_first(n);
                text.store(0, n, block);
                text = text.after(n);
                if text.len == 0 {
                    self.counter = then;
                }
                beside = self.take_beside(block);
            }
            beside
        }
    }

    /// The MAC with `last`, the last round key or that and more.
    #[inline(always)]
    unsafe fn end(self, last: L) -> L {
        // SAFETY: as the caller.
        unsafe { self.state.last_round(last) }
    }
}

/// Takes a whole message and answers its tag.
///
/// # Safety
/// As [`Multiply`], of one block a vector; `text` is valid for its length; its counters do not carry.
#[inline(always)]
pub(crate) unsafe fn whole<L: Multiply, const SEAL: bool>(
    keys: &RoundKeys,
    start: Start,
    aad: &[u8],
    text: Span,
) -> L {
    // SAFETY: as the caller.
    unsafe {
        let mut chain = Chain::<L>::new(keys, start.counter);
        let tag = if SEAL {
            let tag = chain.start(start.block);
            chain.take_aad(aad);
            chain.seal(text);
            tag
        } else {
            let first = chain.counter;
            if text.len > 0 {
                chain.counter = first.count(1);
            }
            let beside = chain.start(start.block);
            chain.take_aad(aad);
            chain.open(beside, first, text)
        };
        let mask = tag.last_round(chain.last);
        let last = chain.last.xor(mask);
        chain.end(last)
    }
}

/// Takes whole blocks within a message, from that counter block on, whose last four bytes do not carry. `value` is the
/// MAC so far; answers what it is then.
///
/// # Safety
/// As [`Multiply`], of one block a vector; `text` is valid for its length.
#[inline(always)]
pub(crate) unsafe fn blocks<L: Multiply, const SEAL: bool>(
    keys: &RoundKeys,
    value: u128,
    counter: u128,
    text: Span,
) -> L {
    // SAFETY: as the caller.
    unsafe {
        let mut chain = Chain::<L>::new(keys, counter);
        if SEAL {
            chain.go_on(value);
            chain.seal(text);
        } else {
            // The first counter's block, and its MAC for nothing.
            let beside = chain.start(0);
            chain.go_on(value);
            let then = chain.counter;
            chain.open(beside, then, text);
        }
        let last = chain.last;
        chain.end(last)
    }
}
