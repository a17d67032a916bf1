//! Whole blocks of OCB over any width of vector.

use core::ptr;

use super::{Moves, State};
use crate::{
    BLOCK,
    batch::{self, Mode, bytes, each},
    key::RoundKeys,
    lanes::{Lanes, Multiply},
    rounds::{Keys, anew, last_round, middle},
    span::Span,
};

/// Encrypts or decrypts, and sums up the plaintext. Without output, sums up what additional data are encrypted to.
struct Ocb<'a, L, const DECRYPT: bool, const OUT: bool> {
    moves: &'a Moves,
    /// The sums from the next block's on.
    sums: *const u128,
    /// What the sums are added to.
    offset: L,
    /// Where it waits for the end of the rounds if registers are few.
    waiting: *mut u128,
    sum: L,
    /// Batches of the message so far.
    batches: u64,
}

impl<L: Multiply, const DECRYPT: bool, const OUT: bool> Ocb<'_, L, DECRYPT, OUT> {
    /// Takes the first `N` vectors; `right` sets the last one's offsets right.
    #[inline(always)]
    unsafe fn take<K: Keys<L>, const N: usize>(&mut self, keys: K, span: Span, last: usize, right: L) {
        // SAFETY: as the caller; there is a sum for each block of a batch, and room behind them.
        unsafe {
            let sums = anew(self.sums).cast::<u8>();
            let before = keys.front(0).xor(self.offset);
            let mut states = [before; N];
            // One after the other: all inputs at once would be more than there are registers for.
            each!(i in 0..N => {
                let input = span.load::<L>(i, bytes::<L>(i, N, last));
                if OUT && !DECRYPT {
                    self.sum = self.sum.xor(input).pin();
                }
                let offsets = L::load(sums.add(i * L::BYTES)).xor(before);
                states[i] = input.xor(offsets).pin();
            });
            states[N - 1] = states[N - 1].xor(right);
            if L::FEW_REGISTERS {
                self.offset.first_block().store_first(self.waiting.cast(), BLOCK);
            }
            let states = middle::<L, K, N, 0, 0, DECRYPT>(keys, states, true, &mut ());
            if L::FEW_REGISTERS {
                self.offset = broadcast(anew(self.waiting));
            }
            let sums = anew(sums);
            let mut after = keys.place(14);
            if OUT {
                after = after.xor(self.offset);
            }
            each!(i in 0..N => {
                let n = bytes::<L>(i, N, last);
                let mut key = after;
                if OUT {
                    key = key.xor(L::load(sums.add(i * L::BYTES)));
                    if i + 1 == N {
                        key = key.xor(right);
                    }
                }
                let output = last_round::<L, DECRYPT>(states[i], key).pin();
                if OUT {
                    span.store(i, n, output);
                }
                if DECRYPT || !OUT {
                    let whole = if i + 1 < N { output } else { output.keep_first(n) };
                    self.sum = self.sum.xor(whole).pin();
                }
            });
        }
    }
}

impl<L: Multiply, const DECRYPT: bool, const OUT: bool> Mode<L> for Ocb<'_, L, DECRYPT, OUT> {
    #[inline(always)]
    unsafe fn batch<K: Keys<L>, const N: usize>(&mut self, keys: K, span: Span, last: usize) {
        // SAFETY: as the caller. The last block of a batch is not reached.
        unsafe {
            self.take::<K, N>(keys, span, last, L::splat(0));
            self.sums = self.sums.add(N * L::BLOCKS);
        }
    }

    #[inline(always)]
    unsafe fn full_batch<K: Keys<L>, const N: usize>(&mut self, keys: K, span: Span) {
        self.batches += 1;
        // The sums count on the zeros of the first batch's last block.
        let batch = (N * L::BLOCKS) as u64;
        // SAFETY: as the caller.
        unsafe {
            let moves = &*anew(self.moves);
            let right = if self.batches % 2 == 1 {
                L::splat(0)
            } else {
                broadcast::<L>(moves.to(batch)).xor(broadcast(moves.to(batch * self.batches)))
            };
            let in_last = right.and(L::lane(L::BLOCKS - 1));
            self.take::<K, N>(keys, span, L::BYTES, in_last);
            let all = broadcast(&moves.sums[N * L::BLOCKS - 1]);
            self.offset = self.offset.xor(all).xor(right);
        }
    }
}

/// [`Lanes::broadcast`] as a load, which no port of AES has a part in. Left to itself the compiler adds blocks before it
/// broadcasts them, from a register.
#[inline(always)]
unsafe fn broadcast<L: Lanes>(from: *const u128) -> L {
    // SAFETY: as the caller.
    unsafe {
        let block = L::broadcast(from);
        if L::FEW_REGISTERS { block.pin() } else { block }
    }
}

/// Takes the whole blocks of `span`; `keys` are those of the direction. Without output, `dst` is not used.
///
/// # Safety
/// As [`Multiply`]; `src` is valid for `len` bytes, a multiple of 16, and so is `dst` where there is output.
#[inline(always)]
pub(crate) unsafe fn run<L: Multiply, const DECRYPT: bool, const OUT: bool>(
    keys: &RoundKeys,
    moves: &Moves,
    state: &mut State,
    mut span: Span,
) {
    let batch = L::WIDE * L::BLOCKS;
    while span.len > 0 {
        // The sums are right from a batch's beginning on. Within one they are used from that place on, but for its last
        // block, which comes alone.
        let at = (state.blocks % batch as u64) as usize;
        let blocks = span.len / BLOCK;
        let blocks = match batch - at {
            _ if at == 0 => blocks,
            1 => 1,
            left => blocks.min(left - 1),
        };
        // SAFETY: as the caller; `at` is within a batch. Offset and sum stay in vectors from load to store: half of one
        // stored and the whole loaded by the next call would have that wait.
        unsafe {
            let next = L::broadcast(&state.offset).xor(L::broadcast(moves.to(state.blocks + 1)));
            let mut mode = Ocb::<L, DECRYPT, OUT> {
                moves,
                sums: moves.sums.as_ptr().add(at),
                offset: next.xor(L::broadcast(&moves.sums[at])),
                waiting: &raw mut state.offset,
                sum: L::load_first(ptr::from_ref(&state.sum).cast(), BLOCK),
                batches: state.blocks / batch as u64,
            };
            let len = blocks * BLOCK;
            batch::run(&mut mode, keys, Span { len, ..span });
            span = span.after(len);
            let rest = blocks % batch;
            if rest > 0 {
                mode.offset = mode.offset.xor(L::broadcast(&moves.sums[at + rest - 1]));
            }
            let (offset, sum) = (mode.offset.first_block(), mode.sum.fold().first_block());
            offset.store_first(ptr::from_mut(&mut state.offset).cast(), BLOCK);
            sum.store_first(ptr::from_mut(&mut state.sum).cast(), BLOCK);
        }
        state.blocks += blocks as u64;
    }
}
