//! OCB over any width of vector: whole blocks, and a message from its nonce to its tag.
//!
//! The tag of a message that is sealed waits for nothing but the offset, as its text does: its block is one more behind
//! those of the text, in a vector with the last ones. That of a message that is opened waits for the text.

use core::ptr;

use super::{Moves, Start, State};
use crate::{
    BLOCK,
    batch::{self, Mode, bytes, each},
    block::BothWays,
    key::RoundKeys,
    lanes::{Lanes, Multiply},
    native::Block,
    rounds::{Keys, Schedule, Stored, anew, encrypt, last_round, middle},
    span::Span,
    wipe::overwrite,
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
    /// Takes the first `N` vectors and answers what becomes of the last one; `right` sets its offsets right. With a `tag`
    /// its last block is not the text's but the sum and what is given here.
    #[inline(always)]
    unsafe fn take<K: Keys<L>, const N: usize>(
        &mut self,
        keys: K,
        span: Span,
        last: usize,
        right: L,
        tag: Option<Block>,
    ) -> L {
        // SAFETY: as the caller; there is a sum for each block of a batch, and room behind them.
        unsafe {
            let sums = anew(self.sums).cast::<u8>();
            let before = keys.front(0).xor(self.offset);
            let mut states = [before; N];
            let mut previous = before;
            // One after the other: all inputs at once would be more than there are registers for.
            each!(i in 0..N => {
                let n = bytes::<L>(i, N, last);
                let mut input = if i + 1 == N && tag.is_some() {
                    span.load_part::<L>(i, n - BLOCK)
                } else {
                    span.load::<L>(i, n)
                };
                if OUT && !DECRYPT {
                    self.add::<N>(i, &mut previous, input);
                }
                if i + 1 == N && let Some(tag) = tag {
                    let block = self.sum.fold().first_block().xor(tag);
                    input = input.xor(L::broadcast_block(block).and(L::lane((n - BLOCK) / BLOCK)));
                }
                let offsets = L::load(sums.add(i * L::BYTES)).xor(before);
                states[i] = input.xor(offsets).pin();
            });
            states[N - 1] = states[N - 1].xor(right);
            // Beside fewer states there is a register for it.
            let waits = L::FEW_REGISTERS && N == 8;
            if waits {
                self.offset.first_block().store_first(self.waiting.cast(), BLOCK);
            }
            let mut states = middle::<L, K, N, 0, 0, DECRYPT>(keys, states, true, &mut ());
            if waits {
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
                states[i] = output;
                if i + 1 == N && tag.is_some() {
                    span.store_part(i, n - BLOCK, output);
                } else if OUT {
                    span.store(i, n, output);
                }
                if DECRYPT || !OUT {
                    let whole = if i + 1 < N { output } else { output.keep_first(n) };
                    self.add::<N>(i, &mut previous, whole);
                }
            });
            states[N - 1]
        }
    }

    /// Adds vector `i` of `N` to the sum: an even one with the next, in one instruction where a processor has one for
    /// three operands (`vpternlog`).
    #[inline(always)]
    unsafe fn add<const N: usize>(&mut self, i: usize, previous: &mut L, vector: L) {
        // SAFETY: as the caller.
        unsafe {
            if i % 2 == 1 {
                self.sum = self.sum.xor(*previous).xor(vector).pin();
            } else if i + 1 == N {
                self.sum = self.sum.xor(vector).pin();
            }
        }
        *previous = vector;
    }

    /// The offset of the block that has this sum.
    #[inline(always)]
    unsafe fn offset(&self, sum: &u128) -> Block {
        // SAFETY: as the caller.
        unsafe { self.offset.first_block().xor(Block::broadcast(sum)) }
    }
}

impl<L: Multiply, const DECRYPT: bool, const OUT: bool> Mode<L> for Ocb<'_, L, DECRYPT, OUT> {
    #[inline(always)]
    unsafe fn batch<K: Keys<L>, const N: usize>(&mut self, keys: K, span: Span, last: usize) {
        // SAFETY: as the caller. The last block of a batch is not reached.
        unsafe {
            self.take::<K, N>(keys, span, last, L::splat(0), None);
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
                to::<L>(moves, batch).xor(to(moves, batch * self.batches))
            };
            let in_last = right.and(L::lane(L::BLOCKS - 1));
            self.take::<K, N>(keys, span, L::BYTES, in_last, None);
            let all = broadcast(&moves.sums[N * L::BLOCKS - 1]);
            self.offset = self.offset.xor(all).xor(right);
        }
    }
}

/// [`Moves::to`] in each block of a vector.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
unsafe fn to<L: Lanes>(moves: &Moves, block: u64) -> L {
    // SAFETY: as the caller.
    unsafe {
        match moves.kept(block) {
            Some(l) => broadcast(l),
            // Loaded beforehand, the last of those kept would be left on the stack.
            None => L::splat((*anew(moves)).made(block)),
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
            let next = L::broadcast(&state.offset).xor(to(moves, state.blocks + 1));
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

/// Takes a message from its nonce to its tag.
///
/// # Safety
/// As [`Multiply`]; `src` and `dst` are valid for `len` bytes.
#[inline(always)]
pub(crate) unsafe fn whole<L: Multiply, const DECRYPT: bool>(
    keys: &BothWays,
    moves: &Moves,
    start: Start,
    aad: &[u8],
    text: Span,
) -> u128 {
    // SAFETY: as the caller; the keys are lent for as long as they are used.
    unsafe {
        let encrypt = Stored::new(&keys.encrypt);
        let mut waiting = Waiting(0);
        let first = first_offset(once(encrypt, Block::splat(start.top)), start.bottom);
        let mut mode = Ocb::<L, DECRYPT, true> {
            moves,
            sums: moves.sums.as_ptr(),
            offset: L::broadcast_block(first),
            waiting: &raw mut waiting.0,
            sum: L::splat(0),
            batches: 0,
        };
        let len = text.len / BLOCK * BLOCK;
        let (whole, end) = (Span { len, ..text }, text.after(len));
        let rest = if DECRYPT {
            batch::run(&mut mode, &keys.decrypt, whole);
            end
        } else {
            batch::full(&mut mode, &keys.encrypt, whole)
        };

        let hash = hash(encrypt, moves, Span::input(aad));
        // From the offset of the block behind them it is a step back to the last one's, and from there one to the tag's.
        let blocks = len / BLOCK % (L::WIDE * L::BLOCKS);
        let behind = &moves.sums[blocks];
        let back: Block = to(moves, blocks as u64 + 1);
        let mut tag = back.xor(Block::broadcast(&moves.tag));
        if end.len > 0 {
            let part = Block::broadcast(&moves.part);
            let input = end.load::<Block>(0, end.len);
            let output = input.xor(once(encrypt, mode.offset(behind).xor(back).xor(part)));
            end.store(0, end.len, output);
            let text = if DECRYPT {
                output.keep_first(end.len)
            } else {
                input
            };
            tag = tag.xor(part).xor(text).xor(one(end.len));
        }
        let tag = if DECRYPT {
            let sum = mode.sum.fold().first_block();
            once(encrypt, sum.xor(tag).xor(mode.offset(behind)))
        } else {
            let mut last = WithTag { mode, tag };
            let len = rest.len + BLOCK;
            batch::last(&mut last, &keys.encrypt, Span { len, ..rest });
            last.tag.xor(last.mode.offset(behind))
        };
        tag.xor(hash).to_u128()
    }
}

/// The end of sealing: the block behind the last one is the tag's.
struct WithTag<'a, L, const DECRYPT: bool> {
    mode: Ocb<'a, L, DECRYPT, true>,
    /// What is added to the sum, and what becomes of it.
    tag: Block,
}

impl<L: Multiply, const DECRYPT: bool> Mode<L> for WithTag<'_, L, DECRYPT> {
    #[inline(always)]
    unsafe fn batch<K: Keys<L>, const N: usize>(&mut self, keys: K, span: Span, last: usize) {
        // SAFETY: as the caller.
        unsafe {
            let output = self
                .mode
                .take::<K, N>(keys, span, last, L::splat(0), Some(self.tag));
            self.tag = output.and(L::lane((last - BLOCK) / BLOCK)).fold().first_block();
        }
    }
}

/// The hash of additional data (RFC 7253, section 4.1). Its blocks wait neither for each other nor for the nonce's.
#[inline(always)]
unsafe fn hash(keys: Stored, moves: &Moves, mut data: Span) -> Block {
    // SAFETY: as the caller; all that is loaded lies within the span.
    unsafe {
        let (mut offset, mut sum) = (Block::splat(0), Block::splat(0));
        let mut block = 0;
        while data.len >= BLOCK {
            block += 1;
            offset = offset.xor(to(moves, block));
            sum = sum.xor(once(keys, data.load::<Block>(0, BLOCK).xor(offset)));
            data = data.after(BLOCK);
        }
        if data.len > 0 {
            let end = data.load::<Block>(0, data.len).xor(one(data.len));
            offset = offset.xor(Block::broadcast(&moves.part));
            sum = sum.xor(once(keys, end.xor(offset)));
        }
        sum
    }
}

/// As [`super::first_offset`], without the way to general registers and back, which all blocks of a message would wait for.
#[inline(always)]
unsafe fn first_offset(top: Block, bottom: u32) -> Block {
    // SAFETY: as the caller.
    unsafe {
        let more = top.xor(top.slide::<1>(Block::splat(0))).reflect();
        let top = top.reflect();
        // Products are shifts: of the upper half what stays within the block counts, of the 64 bits more what moves in.
        let by = u128::from(1_u64 << bottom);
        let by = Block::splat(by | by << 64);
        let ends = more.mul_high(by).swap_halves().low_halves(top.mul_high(by));
        top.mul_low(by).xor(ends).reflect()
    }
}

/// A one after `n` bytes, less than a block.
#[inline(always)]
unsafe fn one(n: usize) -> Block {
    static ONE: [u8; 2 * BLOCK] = {
        let mut bytes = [0; 2 * BLOCK];
        bytes[BLOCK] = 0x80;
        bytes
    };
    // SAFETY: there are as many bytes before it and after it.
    unsafe { Block::load(ONE.as_ptr().add(BLOCK - n)) }
}

/// Encrypts one block.
#[inline(always)]
unsafe fn once(keys: Stored, block: Block) -> Block {
    // SAFETY: as the caller.
    unsafe {
        let keys = Schedule::<Block>::anew(keys);
        let [block] = encrypt::<Block, _, 1, 0>(keys, [block.xor(keys.front(0))]);
        block
    }
}

/// An offset, wiped on drop.
struct Waiting(u128);

impl Drop for Waiting {
    #[inline(always)]
    fn drop(&mut self) {
        overwrite(&mut self.0, 0);
    }
}
