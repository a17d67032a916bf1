//! Whole batches of a message: while the rounds of one run, GHASH takes a batch's ciphertext.

use super::{
    counters::{Batches, Counters},
    hashing::Hashing,
    vector::WIDE,
};
use crate::{
    ghash::{At, Powers, Sum},
    key::RoundKeys,
    lanes::Multiply,
    rounds::{Keys, Schedule, Stored, encrypt},
    span::Span,
};

/// From how many batches on sealing hashes two batches behind, not one: in the end those are hashed with no rounds beside
/// them.
const LONG: usize = 16;

/// The whole batches of `text`, the first of whose counter blocks is the `n`th after J₀, with `sum` hashed before
/// them. `rest` blocks more are to be hashed after them.
///
/// Answers what of the hash is for those blocks to go on with, and what is left of the text: a sum in which the powers
/// of those blocks are reckoned with, and a block to be added to the first of them. One of the two is zero.
///
/// # Safety
/// As [`Multiply`]; `text` is valid for its length.
#[inline(always)]
pub(super) unsafe fn run<L: Multiply, const SEAL: bool>(
    stored: Stored,
    powers: &mut Powers,
    counters: Counters<'_, L>,
    sum: Sum<L>,
    text: Span,
    rest: usize,
) -> (Sum<L>, L, Span) {
    // SAFETY: as the caller.
    unsafe {
        if text.len < WIDE * L::BYTES {
            return (Sum::zero(), sum.hash(), text);
        }
        macro_rules! by {
            ($keys:ty, $least:literal) => {
                if counters.done() == 2 {
                    batches::<L, $keys, SEAL, 2, $least>(stored, powers, counters, sum, text, rest)
                } else {
                    batches::<L, $keys, SEAL, 1, $least>(stored, powers, counters, sum, text, rest)
                }
            };
        }
        // Only the widest vectors have to wait for keys, and registers to hold them.
        if L::BLOCKS < 4 {
            return by!(Stored, 10);
        }
        match Schedule::<L>::rounds(&stored) {
            10 => by!(Held<L, 10>, 10),
            12 => by!(Held<L, 12>, 12),
            _ => by!(Held<L, 14>, 14),
        }
    }
}

/// As [`run`], for a message that is one section, with its powers from `at` on. Answers the sum of what is hashed, the
/// powers of what comes after it, and what is left of the text. Of what is sealed the batch before that is left to be
/// hashed too, if `BEHIND`.
///
/// # Safety
/// As [`run`]; the text has a batch or more, of whose whole batches `at` has the powers.
#[inline(always)]
pub(super) unsafe fn section<L: Multiply, const SEAL: bool, const BEHIND: bool>(
    keys: Stored,
    counters: &mut impl Batches<L>,
    mut sum: Sum<L>,
    mut at: At,
    mut text: Span,
) -> (Sum<L>, At, Span) {
    // SAFETY: as the caller; each batch lies within the text.
    unsafe {
        let mut hashed = if SEAL { text.dst } else { text.src };
        if SEAL {
            text = encrypt_batch(keys, counters, text);
        }
        while text.len >= WIDE * L::BYTES {
            (sum, text) = batch_of_section::<L, _, _, 1, 10, false>(keys, counters, text, hashed, at, sum);
            (hashed, at) = (hashed.add(WIDE * L::BYTES), at.after(WIDE * L::BLOCKS));
        }
        if SEAL && !BEHIND {
            sum = sum.add_all(load_batch::<L>(hashed), at);
            at = at.after(WIDE * L::BLOCKS);
        }
        (sum, at, text)
    }
}

/// Whether a packet's last whole batch is hashed beside the rounds of what follows it. On AArch64 the compiler puts vectors
/// on the stack for it, and what it gains there nobody has measured.
pub(super) const BEHIND: bool = cfg!(target_arch = "x86_64");

/// How many batches are worth less than the powers that longer sections need.
const FEW: usize = 12;

/// The batches of a section under a key that is used much: as many as there are powers for. Beyond eight, what a reduction
/// costs is less than a hundredth.
const fn longest_section<L: Multiply>() -> usize {
    let most = Powers::MOST / (WIDE * L::BLOCKS);
    if most < 8 { most } else { 8 }
}

/// [`run`] for one batch or more. `DONE` rounds are ahead; if it is 1, maybe none. Keys have `LEAST` rounds or more; they are
/// loaded when all powers are there, since a call would have those that registers hold on the stack from then on.
#[inline(always)]
unsafe fn batches<L: Multiply, K: Keys<L>, const SEAL: bool, const DONE: usize, const LEAST: usize>(
    stored: Stored,
    powers: &mut Powers,
    mut counters: Counters<'_, L>,
    mut sum: Sum<L>,
    mut text: Span,
    rest: usize,
) -> (Sum<L>, L, Span) {
    let batch = WIDE * L::BLOCKS;
    let total = text.len / (16 * batch);
    // Sealing, what is hashed lies behind: far enough, where the message is long, that it has been stored. Single blocks
    // are to be had from their stores before that.
    let lag = match (SEAL, L::BLOCKS > 1 && counters.done() > 0 && total >= LONG) {
        (false, _) => 0,
        (true, false) => 1,
        (true, true) => 2,
    };
    // A key that is used much gets longer sections, and the last one takes in what comes after the batches. Of a new
    // one the message may be over before more powers are made than one batch needs.
    let is_new = counters.done() == 0 && total < FEW && powers.ready() < batch + rest;
    let (section, last, taken_in) = if counters.done() > 0 {
        let most = const { longest_section::<L>() };
        (most, total.min((most * batch - rest) / batch), rest)
    } else if is_new {
        (1, lag, 0)
    } else {
        (2, 1, rest)
    };
    // SAFETY: each batch lies within the text. Powers are reached before they are used.
    unsafe {
        let mut before = total - last;
        let halved = total == lag && powers.ready() == Powers::FIRST;
        powers.reach::<L>(if halved {
            batch / 2
        } else {
            (batch * before.min(section)).max(batch * last + taken_in)
        });
        let keys = K::of(stored.keys());
        let mut hashed = if SEAL { text.dst } else { text.src };
        for _ in 0..lag {
            text = encrypt_batch(stored, &mut counters, text);
        }
        if halved {
            let hash = in_halves(load_batch(hashed), sum.hash(), powers.at(batch / 2));
            return (Sum::zero(), hash, text);
        }
        let end = powers.at(batch * last + taken_in);
        let mut at = end;
        let mut left = total - lag;
        while left > 0 {
            let mut here = left;
            at = end;
            if before > 0 {
                // The first section has what does not make a whole one.
                here = (before - 1) % section + 1;
                before -= here;
                at = powers.at(here * batch);
            }
            left -= here;
            (sum, text) =
                batch_of_section::<L, K, _, DONE, LEAST, true>(keys, &mut counters, text, hashed, at, sum);
            hashed = hashed.add(16 * batch);
            at = at.after(batch);
            while here > 1 {
                (sum, text) = batch_of_section::<L, K, _, DONE, LEAST, false>(
                    keys,
                    &mut counters,
                    text,
                    hashed,
                    at,
                    sum,
                );
                hashed = hashed.add(16 * batch);
                at = at.after(batch);
                here -= 1;
            }
        }

        // What lies behind is hashed alone; it may begin the last section.
        let mut hash = L::splat(0);
        if last == lag {
            (sum, hash, at) = (Sum::zero(), sum.hash(), end);
        }
        for _ in 0..lag {
            let mut vectors = load_batch::<L>(hashed);
            vectors[0] = vectors[0].xor(hash);
            hash = L::splat(0);
            sum = sum.add_all(vectors, at);
            hashed = hashed.add(16 * batch);
            at = at.after(batch);
        }
        if is_new && lag > 0 {
            (sum, hash) = (Sum::zero(), sum.hash());
        }
        (sum, hash, text)
    }
}

/// The hash of a batch and what was hashed before it, by as many powers as half of it takes: under a new key they are
/// what a message waits for.
#[inline(always)]
unsafe fn in_halves<L: Multiply>(batch: [L; WIDE], mut hash: L, at: At) -> L {
    // SAFETY: as the caller.
    unsafe {
        let [a, b, c, d, e, f, g, h] = batch;
        for mut half in [[a, b, c, d], [e, f, g, h]] {
            half[0] = half[0].xor(hash);
            hash = Sum::zero().add_all(half, at).hash();
        }
        hash
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
unsafe fn xor_batch<L: Multiply>(keystream: [L; WIDE], text: Span) -> Span {
    // SAFETY: the caller has eight vectors left.
    unsafe {
        for (i, keystream) in keystream.into_iter().enumerate() {
            L::load(text.src.add(i * L::BYTES))
                .xor(keystream)
                .store(text.dst.add(i * L::BYTES));
        }
        text.after(WIDE * L::BYTES)
    }
}

/// A batch with nothing to be hashed beside it: the first one when sealing.
#[inline(always)]
unsafe fn encrypt_batch<L: Multiply>(keys: Stored, counters: &mut impl Batches<L>, text: Span) -> Span {
    // SAFETY: the caller has eight vectors left.
    unsafe {
        let states = counters.batch();
        let keystream = match counters.done() {
            0 => encrypt::<L, _, WIDE, 0>(keys, states),
            1 => encrypt::<L, _, WIDE, 1>(keys, states),
            _ => encrypt::<L, _, WIDE, 2>(keys, states),
        };
        xor_batch(keystream, text)
    }
}

/// A batch of text, and beside it the hash of the eight vectors at `hashed`, with their powers from `at` on.
///
/// With `BEGIN` they begin a section, and `sum` is what the one before left; otherwise they go on with it.
#[inline(always)]
unsafe fn batch_of_section<
    L: Multiply,
    K: Keys<L>,
    C: Batches<L>,
    const DONE: usize,
    const LEAST: usize,
    const BEGIN: bool,
>(
    keys: K,
    counters: &mut C,
    text: Span,
    hashed: *const u8,
    at: At,
    sum: Sum<L>,
) -> (Sum<L>, Span) {
    // SAFETY: the caller has eight vectors of text left, and eight at `hashed`.
    unsafe {
        let keys = keys.anew();
        let mut states = counters.batch();
        let mut hashing = Hashing::<L, BEGIN>::new(hashed, at, sum);
        if DONE == 1 && counters.done() == 0 {
            first_round(keys, &mut states);
            hashing.pin(&mut states, counters.page());
        }
        beside::<L, K, WIDE, DONE, LEAST, BEGIN>(keys, &mut states, &mut hashing, counters.page());
        (hashing.sum, xor_batch(states, text))
    }
}

/// The keystream of the last `N` vectors of a message, and beside it the hash of the eight vectors at `hashed`, which go
/// on with a section.
///
/// # Safety
/// As [`Multiply`]; eight vectors are to be hashed, with powers for them from `at` on.
#[inline(always)]
pub(super) unsafe fn last_beside<L: Multiply, const N: usize>(
    keys: Stored,
    mut states: [L; N],
    hashed: *const u8,
    at: At,
    sum: Sum<L>,
) -> ([L; N], Sum<L>) {
    // SAFETY: as the caller.
    unsafe {
        let mut hashing = Hashing::<L, false>::new(hashed, at, sum);
        first_round(keys, &mut states);
        beside::<L, _, N, 1, 10, false>(keys, &mut states, &mut hashing, &mut L::splat(0));
        (states, hashing.sum)
    }
}

#[inline(always)]
unsafe fn first_round<L: Multiply, K: Keys<L>, const N: usize>(keys: K, states: &mut [L; N]) {
    // SAFETY: as the caller.
    unsafe {
        let key = keys.front(1);
        for state in states {
            *state = state.round(key);
        }
    }
}

/// The rounds after the first `DONE` (1 or 2), and all steps of the hash between them.
///
/// The pins fix the order in which this is written. Left to itself the compiler takes rounds and products apart
/// again, and neither hides the other.
#[inline(always)]
unsafe fn beside<
    L: Multiply,
    K: Keys<L>,
    const N: usize,
    const DONE: usize,
    const LEAST: usize,
    const BEGIN: bool,
>(
    keys: K,
    states: &mut [L; N],
    hashing: &mut Hashing<L, BEGIN>,
    page: &mut L,
) {
    // SAFETY: as the caller.
    unsafe {
        // Spread over the rounds that any key of `LEAST` rounds or more has. All of this is known to the compiler, which
        // leaves nothing of it.
        let first = const { 15 + DONE - LEAST };
        let mut step = 0;
        macro_rules! rounds {
            ($($place:expr),*) => {
                $(
                    let key = keys.place($place);
                    for state in states.iter_mut() {
                        *state = state.round(key);
                    }
                    hashing.pin(states, page);
                    if $place >= first {
                        let until = Hashing::<L, BEGIN>::STEPS * ($place + 1 - first) / (14 - first);
                        if step < until {
                            hashing.step(step);
                            step += 1;
                        }
                        if step < until {
                            hashing.step(step);
                            step += 1;
                        }
                    }
                )*
            };
        }
        if keys.rounds() > 10 {
            if keys.rounds() > 12 {
                rounds!(1 + DONE, 2 + DONE);
            }
            rounds!(3 + DONE, 4 + DONE);
        }
        if DONE < 2 {
            rounds!(6);
        }
        rounds!(7, 8, 9, 10, 11, 12, 13);
        debug_assert_eq!(step, Hashing::<L, BEGIN>::STEPS);
        let key = keys.place(14);
        for state in states {
            *state = state.last_round(key);
        }
    }
}

/// The keys of `ROUNDS` rounds in registers, but for those of the first one.
///
/// In memory they would be waited for: a load of an address that equals that of a store in flight in its last twelve
/// bits stands back behind it, and of such stores there is always a batch.
#[derive(Clone, Copy)]
struct Held<L, const ROUNDS: usize> {
    places: [L; 15],
    stored: Stored,
}

impl<L: Multiply, const ROUNDS: usize> Keys<L> for Held<L, ROUNDS> {
    #[inline(always)]
    unsafe fn of(keys: &RoundKeys) -> Self {
        // SAFETY: as the caller.
        unsafe {
            let stored = Stored::new(keys);
            let mut places = [L::splat(0); 15];
            for (i, place) in places.iter_mut().enumerate().skip(16 - ROUNDS) {
                // Pinned, lest it be loaded again and again.
                *place = Schedule::<L>::place(&stored, i).pin();
            }
            Self { places, stored }
        }
    }
}

impl<L: Multiply, const ROUNDS: usize> Schedule<L> for Held<L, ROUNDS> {
    type Round = L;

    #[inline(always)]
    fn rounds(&self) -> usize {
        ROUNDS
    }

    #[inline(always)]
    unsafe fn front(&self, round: usize) -> L {
        // SAFETY: as the caller.
        unsafe { Schedule::<L>::anew(self.stored).front(round) }
    }

    #[inline(always)]
    unsafe fn place(&self, place: usize) -> L {
        self.places[place]
    }

    #[inline(always)]
    fn anew(self) -> Self {
        self
    }
}
