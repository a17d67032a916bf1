//! Whole batches of a message: while the rounds of one run, GHASH takes a batch's ciphertext.

use super::{counters::Counters, vector::WIDE};
use crate::{
    ghash::{At, Pair, Powers, Sum},
    lanes::Multiply,
    rounds::{Keys, encrypt},
    span::Span,
};

/// The whole batches of `text`, the first of whose counter blocks is the `n`th after J₀, with `sum` hashed before
/// them. `rest` blocks more are to be hashed after them.
///
/// Answers what of the hash is for those blocks to go on with, and what is left of the text: a sum of which no block
/// has been reduced, with as many powers as `rest` asks for, and a block to be added to the first of them. One of
/// the two is zero.
///
/// # Safety
/// As [`Multiply`]; `text` is valid for its length.
#[inline(always)]
pub(super) unsafe fn run<L: Multiply, const SEAL: bool>(
    powers: &mut Powers,
    mut counters: Counters<'_, L>,
    mut sum: Sum<L>,
    mut text: Span,
    rest: usize,
) -> (Sum<L>, L, Span) {
    let batch = WIDE * L::BLOCKS;
    let mut left = text.len / (16 * batch);
    // A key that is used much gets longer sections.
    let section = if counters.ahead { 4 } else { 2 };
    // SAFETY: each batch lies within the text. Powers are reached before they are used.
    unsafe {
        if left == 0 {
            return (Sum::zero(), sum.hash(), text);
        }
        powers.reach::<L>(batch * left.min(section));
        let mut hashed = text.src;
        let mut kept = [counters.page; WIDE];
        if SEAL {
            // The batch that is hashed is the one before.
            hashed = text.dst;
            (kept, text) = encrypt_batch(&mut counters, text);
            left -= 1;
        }
        while left > 0 {
            // The first section has what does not make a whole one.
            let mut here = (left - 1) % section + 1;
            left -= here;
            let mut at = powers.at(here * batch);
            (sum, text) = batch_of_section::<L, SEAL, true>(&mut counters, &mut kept, text, hashed, at, sum);
            hashed = hashed.add(16 * batch);
            while here > 1 {
                at = at.after(batch);
                (sum, text) =
                    batch_of_section::<L, SEAL, false>(&mut counters, &mut kept, text, hashed, at, sum);
                hashed = hashed.add(16 * batch);
                here -= 1;
            }
        }

        let hash = sum.hash();
        if !SEAL {
            return (Sum::zero(), hash, text);
        }
        powers.reach::<L>(batch + rest);
        let mut last = load_batch::<L>(text.dst.sub(16 * batch));
        last[0] = last[0].xor(hash);
        (
            Sum::zero().add_all(last, powers.at(batch + rest)),
            L::splat(0),
            text,
        )
    }
}

#[inline(always)]
unsafe fn load_batch<L: Multiply>(from: *const u8) -> [L; WIDE] {
    // SAFETY: the caller has eight vectors there.
    unsafe {
        let mut vectors = [L::load(from); WIDE];
        for (i, vector) in vectors.iter_mut().enumerate() {
            *vector = L::load(from.add(i * L::BYTES));
        }
        vectors
    }
}

/// Xors eight vectors of keystream into the text. Answers what is left of it.
#[inline(always)]
unsafe fn xor_batch<L: Multiply>(keystream: [L; WIDE], text: Span) -> ([L; WIDE], Span) {
    // SAFETY: the caller has eight vectors left.
    unsafe {
        let mut output = keystream;
        for (i, output) in output.iter_mut().enumerate() {
            *output = L::load(text.src.add(i * L::BYTES)).xor(*output);
            output.store(text.dst.add(i * L::BYTES));
        }
        (output, text.after(WIDE * L::BYTES))
    }
}

/// A batch with nothing to be hashed beside it: the first one when sealing.
#[inline(always)]
unsafe fn encrypt_batch<L: Multiply>(counters: &mut Counters<'_, L>, text: Span) -> ([L; WIDE], Span) {
    // SAFETY: the caller has eight vectors left.
    unsafe {
        let states = counters.batch();
        let keystream = if counters.ahead {
            encrypt::<L, _, WIDE, 1>(counters.keys, states)
        } else {
            encrypt::<L, _, WIDE, 0>(counters.keys, states)
        };
        xor_batch(keystream, text)
    }
}

/// A batch of text, and beside it the hash of the eight vectors at `hashed`, with their powers from `at` on.
///
/// With `BEGIN` they begin a section, and `sum` is what the one before left; otherwise they go on with it. `kept`
/// is the ciphertext of the batch before and becomes that of this one: where registers are many, sealing hashes
/// it from there, which costs no waiting for its stores.
///
/// The pins fix the order in which this is written. Left to itself the compiler takes rounds and products apart
/// again, and neither hides the other.
#[inline(always)]
unsafe fn batch_of_section<L: Multiply, const SEAL: bool, const BEGIN: bool>(
    counters: &mut Counters<'_, L>,
    kept: &mut [L; WIDE],
    text: Span,
    hashed: *const u8,
    at: At,
    sum: Sum<L>,
) -> (Sum<L>, Span) {
    // SAFETY: the caller has eight vectors of text left, and eight at `hashed`.
    unsafe {
        let keys = Keys::<L>::anew(counters.keys);
        let mut states = counters.batch();
        let before = sum;
        let mut sum = if BEGIN { Sum::zero() } else { sum };
        macro_rules! round {
            ($place:expr) => {
                let key = keys.place($place);
                for state in &mut states {
                    *state = state.round(key);
                }
                L::pin_batch(&mut states, &mut sum);
            };
        }
        // The first vector of a pair, and where its powers stand.
        macro_rules! pair {
            ($i:literal, $hash:expr) => {{
                let half = 4 / L::BLOCKS;
                let first = $i / half * 2 * half + $i % half;
                let (a, b) = if SEAL && L::BLOCKS == 4 {
                    (kept[first], kept[first + half])
                } else {
                    (
                        L::load(hashed.add(first * L::BYTES)),
                        L::load(hashed.add((first + half) * L::BYTES)),
                    )
                };
                Pair::new(a.xor($hash), b, at.after(first * L::BLOCKS))
            }};
        }
        let none = L::splat(0);

        // The last nine rounds stand at fixed places.
        let rounds = Keys::<L>::rounds(&keys);
        if !counters.ahead {
            let key = keys.front(1);
            for state in &mut states {
                *state = state.round(key);
            }
            L::pin_batch(&mut states, &mut sum);
        }
        if rounds > 10 {
            if rounds > 12 {
                round!(2);
                round!(3);
            }
            round!(4);
            round!(5);
        }
        let mut pair = pair!(1, none);
        sum = pair.low(sum);
        sum = pair.high(sum);
        let half = before.half_reduced();
        round!(6);
        sum = pair.both(sum);
        pair = pair!(2, none);
        sum = pair.low(sum);
        let hash = if BEGIN {
            half.reduce().fold().reflect()
        } else {
            none
        };
        round!(7);
        sum = pair.high(sum);
        round!(8);
        sum = pair.both(sum);
        round!(9);
        pair = pair!(3, none);
        sum = pair.low(sum);
        round!(10);
        sum = pair.high(sum);
        sum = pair.both(sum);
        round!(11);
        pair = pair!(0, hash);
        sum = pair.low(sum);
        round!(12);
        sum = pair.high(sum);
        round!(13);
        sum = pair.both(sum);
        let key = keys.place(14);
        for state in &mut states {
            *state = state.last_round(key);
        }
        let after;
        (*kept, after) = xor_batch(states, text);
        (sum, after)
    }
}
