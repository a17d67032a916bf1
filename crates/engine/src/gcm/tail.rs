//! The end of a message, or of a part of one: less than a batch.

use core::ops::Range;

use super::{
    counters::{Any, Blocks},
    stitched::last_beside,
    vector::{WIDE, blocks},
};
use crate::{
    ghash::{At, Sum},
    lanes::{Lanes, Multiply},
    native::Block,
    rounds::{Stored, encrypt},
    span::Span,
};

/// What is left of a text, and of its hash.
#[derive(Clone, Copy)]
pub(super) struct Rest<L, B> {
    pub(super) counters: B,
    /// What is hashed before it: a sum and a block, to be added to its first one.
    pub(super) sum: Sum<L>,
    pub(super) hash: L,
    /// The powers for what is hashed of it.
    pub(super) at: At,
    pub(super) text: Span,
}

impl<L: Multiply, B> Rest<L, B> {
    /// Adds the products of four vectors.
    #[inline(always)]
    unsafe fn absorb(&mut self, four: [L; 4]) {
        // SAFETY: as the caller.
        self.sum = unsafe { self.sum.add_all(four, self.at) };
        self.at = self.at.after(4 * L::BLOCKS);
    }
}

/// Seals or opens the last vectors of a message and answers its tag.
///
/// # Safety
/// As [`Multiply`]; no more than `MOST` vectors are left, the tag's among them.
/// The powers are those of its blocks and one more. If `BEHIND`, the eight vectors of ciphertext before the text are still
/// to be hashed, in the same section, and the powers begin with theirs.
#[inline(always)]
pub(super) unsafe fn finish<
    L: Multiply,
    B: Blocks<L>,
    const SEAL: bool,
    const BEHIND: bool,
    const MOST: usize,
>(
    keys: Stored,
    rest: Rest<L, B>,
    lengths: u128,
) -> u128 {
    // SAFETY: as the caller. Made here, where it takes one register and not two that are scarcer.
    let lengths = unsafe { L::splat(lengths).pin() };
    macro_rules! vectors {
        ($($n:literal)*) => {
            match blocks(rest.text.len) / L::BLOCKS + 1 {
                _ if MOST == 1 => last_vectors::<L, B, 0, 1, SEAL, BEHIND>(keys, rest, lengths),
                $($n if $n <= MOST => {
                    if !BEHIND && is_in_fours::<L>(SEAL, $n) {
                        const FOURS: usize = ($n - 1) / 4;
                        last_vectors::<L, B, FOURS, { $n - 4 * FOURS }, SEAL, false>(keys, rest, lengths)
                    } else {
                        last_vectors::<L, B, 0, $n, SEAL, BEHIND>(keys, rest, lengths)
                    }
                })*
                _ => unreachable!("no more than that are left"),
            }
        };
    }
    // SAFETY: passed on; each number of vectors is what data and tag take.
    unsafe { vectors!(1 2 3 4 5 6 7 8 9 10) }
}

/// Whether `n` vectors go in fours: sealing hashes what it has encrypted, and the products of one four are written after
/// the rounds of what follows it. Processors look only so far ahead of instructions that wait for each other, and would
/// find nothing but rounds, and then nothing but products.
#[inline(always)]
const fn is_in_fours<L: Multiply>(seal: bool, n: usize) -> bool {
    seal && L::BLOCKS > 1 && n > 5
}

/// [`finish`] for `FOURS` (0 to 2) times four vectors and then `N`, data and tag.
#[inline(always)]
unsafe fn last_vectors<
    L: Multiply,
    B: Blocks<L>,
    const FOURS: usize,
    const N: usize,
    const SEAL: bool,
    const BEHIND: bool,
>(
    keys: Stored,
    mut rest: Rest<L, B>,
    lengths: L,
) -> u128 {
    const { assert!(FOURS <= 2) };
    // SAFETY: the last vector holds the tag's lane, and the one before it is the first that may be incomplete.
    unsafe {
        let tag = L::lane(blocks(rest.text.len) % L::BLOCKS);
        let mut four = [L::splat(0); 4];
        // Written out: the compiler would not unroll a loop, and go through memory.
        if FOURS > 0 {
            four = next_four(keys, &mut rest, 0, false);
        }
        if FOURS > 1 {
            let second = next_four(keys, &mut rest, 1, N == 1);
            rest.absorb(four);
            rest.sum = L::pin_sum(rest.sum);
            four = second;
        }

        let mut states = [rest.counters.with_first(4 * FOURS + N - 1, tag); N];
        for (i, state) in states.iter_mut().enumerate().take(N - 1) {
            *state = rest.counters.of(4 * FOURS + i);
        }
        let mut keystream = if BEHIND {
            let behind = rest.text.dst.sub(WIDE * L::BYTES);
            let keystream;
            (keystream, rest.sum) = last_beside(keys, states, behind, rest.at, rest.sum);
            rest.at = rest.at.after(WIDE * L::BLOCKS);
            keystream
        } else {
            encrypt::<L, _, N, 0>(keys, states)
        };
        if FOURS > 0 {
            keystream = pinned(keystream);
        }
        let mask = keystream[N - 1].and(tag);
        // Where a vector is one block, the tag has one of its own.
        let end = if L::BLOCKS == 1 { N - 1 } else { N };
        let mut cipher = ciphertext::<L, N, SEAL>(keystream, rest.text, N.max(2) - 2..end);
        cipher[N - 1] = cipher[N - 1].xor(lengths.and(tag));
        cipher[0] = cipher[0].xor(rest.hash);

        if FOURS > 0 {
            rest.absorb(four);
        }
        let hash = rest.sum.add_all(cipher, rest.at).reduce().reflect();
        hash.xor(mask).fold().first_block().to_u128()
    }
}

/// Seals the `i`th four vectors of a rest, takes them from its text and answers what is to be hashed of them. If `is_last`,
/// only the tag's vector comes after them, and the fourth may be incomplete.
#[inline(always)]
unsafe fn next_four<L: Multiply, B: Blocks<L>>(
    keys: Stored,
    rest: &mut Rest<L, B>,
    i: usize,
    is_last: bool,
) -> [L; 4] {
    // SAFETY: the caller has four vectors.
    unsafe {
        let mut states = [rest.counters.of(4 * i); 4];
        for (k, state) in states.iter_mut().enumerate().skip(1) {
            *state = rest.counters.of(4 * i + k);
        }
        let keystream = pinned(encrypt::<L, _, 4, 0>(keys, pinned(states)));
        let last = if is_last { 3..4 } else { 4..4 };
        let mut cipher = ciphertext::<L, 4, true>(keystream, rest.text, last);
        cipher[0] = cipher[0].xor(rest.hash);
        rest.hash = L::splat(0);
        let len = rest.text.len.min(4 * L::BYTES);
        rest.text = rest.text.after(len);
        cipher
    }
}

/// Written where it stands: the compiler would move rounds to the products that want them, or all of them ahead.
#[inline(always)]
unsafe fn pinned<L: Multiply, const N: usize>(mut vectors: [L; N]) -> [L; N] {
    for vector in &mut vectors {
        // SAFETY: as the caller.
        *vector = unsafe { vector.pin() };
    }
    vectors
}

/// Where a part of a message ended.
pub(super) struct Stop {
    /// The hash, with what there is of the last block added but not multiplied.
    pub(super) hash: Block,
    /// The keystream of that block.
    pub(super) keystream: Block,
}

/// Encrypts or decrypts the last vectors of a part of a message, after which there may be more.
///
/// # Safety
/// As [`Multiply`]; less than a batch is left, in no more than `MOST` vectors, in one where that is the most, and the powers are
/// those of its whole blocks.
#[inline(always)]
pub(super) unsafe fn stop<L: Multiply, const SEAL: bool, const MOST: usize>(
    keys: Stored,
    rest: Rest<L, Any<L>>,
) -> Stop {
    macro_rules! vectors {
        ($($n:literal)*) => {
            match rest.text.len.div_ceil(L::BYTES) {
                _ if MOST == 1 => stop_in::<L, 0, 1, SEAL>(keys, rest),
                0 => Stop {
                    hash: rest.sum.hash().xor(rest.hash).first_block(),
                    keystream: Block::splat(0),
                },
                $($n if $n <= MOST => {
                    if is_in_fours::<L>(SEAL, $n) {
                        const FOURS: usize = ($n - 1) / 4;
                        stop_in::<L, FOURS, { $n - 4 * FOURS }, SEAL>(keys, rest)
                    } else {
                        stop_in::<L, 0, $n, SEAL>(keys, rest)
                    }
                })*
                _ => unreachable!("no more than that are left"),
            }
        };
    }
    // SAFETY: passed on; each number of vectors is what the data take.
    unsafe { vectors!(1 2 3 4 5 6 7 8) }
}

/// [`stop`] for `FOURS` (0 or 1) times four vectors and then `N`.
#[inline(always)]
unsafe fn stop_in<L: Multiply, const FOURS: usize, const N: usize, const SEAL: bool>(
    keys: Stored,
    mut rest: Rest<L, Any<L>>,
) -> Stop {
    let blocks = rest.text.len / 16;
    let is_part = !rest.text.len.is_multiple_of(16);
    // SAFETY: only the last vector may be incomplete. The lanes after the whole blocks meet powers that are zero.
    unsafe {
        let mut four = [L::splat(0); 4];
        if FOURS > 0 {
            four = next_four(keys, &mut rest, 0, false);
        }
        let mut states = [rest.counters.of(4 * FOURS); N];
        for (i, state) in states.iter_mut().enumerate().skip(1) {
            *state = rest.counters.of(4 * FOURS + i);
        }
        let mut keystream = encrypt::<L, _, N, 0>(keys, states);
        if FOURS > 0 {
            keystream = pinned(keystream);
        }
        let mut cipher = ciphertext::<L, N, SEAL>(keystream, rest.text, N - 1..N);
        let end = cipher[N - 1];
        cipher[0] = cipher[0].xor(rest.hash);

        if FOURS > 0 {
            rest.absorb(four);
        }
        let mut hash = if blocks > 0 {
            rest.sum.add_all(cipher, rest.at).hash()
        } else {
            rest.sum.hash().xor(rest.hash)
        };
        let mut begun = Block::splat(0);
        if is_part {
            let lane = L::lane(blocks % L::BLOCKS);
            hash = hash.xor(end.and(lane).fold());
            begun = keystream[N - 1].and(lane).fold().first_block();
        }
        Stop {
            hash: hash.first_block(),
            keystream: begun,
        }
    }
}

/// Adds keystream to the text and answers its ciphertext, zeros after the end. Vectors before those in `last`, which are
/// two at most, are complete, and those after have nothing; of those in it no byte beyond the text is touched.
///
/// # Safety
/// As [`Multiply`]; the text has as many vectors as that.
#[inline(always)]
unsafe fn ciphertext<L: Multiply, const N: usize, const SEAL: bool>(
    keystream: [L; N],
    text: Span,
    last: Range<usize>,
) -> [L; N] {
    // SAFETY: as the caller.
    unsafe {
        let mut cipher = [L::splat(0); N];
        for i in 0..last.start {
            let input = L::load(text.src.add(i * L::BYTES));
            let output = input.xor(keystream[i]);
            output.store(text.dst.add(i * L::BYTES));
            cipher[i] = if SEAL { output } else { input };
        }
        // One after the other and not in a loop: the compiler would not unroll it, and go through memory.
        if last.is_empty() {
            return cipher;
        }
        cipher[last.start] = incomplete::<L, SEAL>(keystream[last.start], text, last.start);
        if last.len() == 2 {
            cipher[last.end - 1] = incomplete::<L, SEAL>(keystream[last.end - 1], text, last.end - 1);
        }
        cipher
    }
}

/// [`ciphertext`] of vector `i`, which may be incomplete.
#[inline(always)]
unsafe fn incomplete<L: Multiply, const SEAL: bool>(keystream: L, text: Span, i: usize) -> L {
    let from = i * L::BYTES;
    let n = text.len.saturating_sub(from).min(L::BYTES);
    // SAFETY: as the caller; no byte beyond the text is touched.
    unsafe {
        if n == 0 {
            // Of the text it has nothing: the tag is there. A store of no byte would still keep waiting whoever next
            // reads what stands behind the text.
            return L::splat(0);
        }
        let input = L::load_part(text.src.wrapping_add(from), n);
        let output = input.xor(keystream);
        output.store_part(text.dst.wrapping_add(from), n);
        if SEAL { output.keep_first(n) } else { input }
    }
}
