//! Whole batches of a message: while the rounds of one run, GHASH takes a batch's ciphertext.

use super::{
    counters::{Batches, Counters},
    hashing::Hashing,
    tail::Rest,
    vector::WIDE,
};
use crate::{
    ghash::{At, Powers, Sum},
    key::RoundKeys,
    lanes::Multiply,
    rounds::{Keys, Schedule, Stored, encrypt},
    span::Span,
};

/// From how many batches on sealing hashes two batches behind, not one: so far behind that they have been stored, where
/// single blocks are to be had from their stores before that. In the end there is one more to be hashed with no rounds beside
/// it.
const LONG: usize = 16;

/// Whether a packet's last whole batch is hashed beside the rounds of what follows it. On AArch64 the compiler put vectors on
/// the stack for it, and what it gains there nobody has measured.
pub(super) const BEHIND: bool = cfg!(target_arch = "x86_64");

/// How what is hashed is divided: each section takes one reduction, and as many powers as it has blocks.
#[derive(Clone, Copy)]
pub(super) struct Sections {
    /// The most blocks of a section.
    most: usize,
    /// Blocks that are left to be hashed.
    left: usize,
    /// Those of the section at hand.
    here: usize,
}

impl Sections {
    /// Of a key that is used much if `is_busy`: beyond eight batches what a reduction costs is less than a hundredth. Of one
    /// that is not, more powers than for two would not pay.
    #[inline(always)]
    pub(super) fn longest<L: Multiply>(is_busy: bool) -> usize {
        let longest = if is_busy { 8 } else { 2 } * WIDE * L::BLOCKS;
        longest.min(Powers::MOST)
    }

    /// Of `left` blocks, all that are to be hashed from the text's first on.
    #[inline(always)]
    pub(super) fn new(most: usize, left: usize) -> Self {
        Self { most, left, here: 0 }
    }

    /// How many powers they take.
    #[inline(always)]
    pub(super) fn powers(self) -> usize {
        self.left.min(self.most)
    }

    /// Begins one, of whole batches unless it is the last. What does not make as many as there may be comes first.
    #[inline(always)]
    fn begin<L: Multiply>(&mut self) {
        let batch = WIDE * L::BLOCKS;
        self.here = if self.left <= self.most {
            self.left
        } else {
            (self.left - self.most).next_multiple_of(batch).min(self.most)
        };
    }

    /// Counts blocks that are hashed.
    #[inline(always)]
    fn pass(&mut self, blocks: usize) {
        self.left -= blocks;
        self.here -= blocks;
    }

    /// Whether the section at hand is over, and there is another.
    #[inline(always)]
    fn is_over(self) -> bool {
        self.here == 0 && self.left > 0
    }

    /// Whether the section at hand has begun and takes in all that is left.
    #[inline(always)]
    fn is_last(self) -> bool {
        self.here == self.left
    }
}

/// Where the whole batches of a text end.
pub(super) struct Hashed<L> {
    /// A sum in which the powers of what comes after it are reckoned with, and a block to be added to the first of that.
    /// One of the two is zero.
    pub(super) sum: Sum<L>,
    pub(super) hash: L,
    /// The powers of what comes after.
    pub(super) at: At,
    /// What is left of the text.
    pub(super) text: Span,
    /// Whether the batch of ciphertext before that is still to be hashed, and the powers begin with its own.
    pub(super) is_behind: bool,
}

impl<L: Multiply> Hashed<L> {
    /// All before `text`.
    #[inline(always)]
    pub(super) fn before(sum: Sum<L>, hash: L, at: At, text: Span) -> Self {
        let is_behind = false;
        Self {
            sum,
            hash,
            at,
            text,
            is_behind,
        }
    }

    /// What is left, with its counters, and whether a batch is behind.
    #[inline(always)]
    pub(super) fn rest<B>(self, counters: B) -> (Rest<L, B>, bool) {
        let Self {
            sum,
            hash,
            at,
            text,
            is_behind,
        } = self;
        (
            Rest {
                counters,
                sum,
                hash,
                at,
                text,
            },
            is_behind,
        )
    }
}

/// The whole batches of `text`, in `sections`, with `sum` hashed before them. Of what is sealed the last one may be left to be
/// hashed, if `BEHIND`.
///
/// # Safety
/// As [`Multiply`]; `text` is valid for its length and has a batch or more, and all powers are there that its sections take.
#[inline(always)]
pub(super) unsafe fn run<L: Multiply, const SEAL: bool, const BEHIND: bool>(
    stored: Stored,
    powers: &Powers,
    mut counters: Counters<'_, L>,
    sum: Sum<L>,
    sections: Sections,
    text: Span,
) -> Hashed<L> {
    let counters = &mut counters;
    // SAFETY: as the caller.
    unsafe {
        macro_rules! by {
            ($keys:ty, $least:literal) => {
                if counters.done() == 2 {
                    batches::<L, $keys, _, SEAL, BEHIND, true, 2, $least>(
                        stored, powers, counters, sum, sections, text,
                    )
                } else {
                    batches::<L, $keys, _, SEAL, BEHIND, true, 1, $least>(
                        stored, powers, counters, sum, sections, text,
                    )
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

/// As [`run`], for a packet: all of it, what ends it included, is one section of `blocks` blocks, and `sum` is of it too.
///
/// # Safety
/// As [`run`].
#[inline(always)]
pub(super) unsafe fn packet<L: Multiply, const SEAL: bool, const BEHIND: bool>(
    keys: Stored,
    powers: &Powers,
    counters: &mut impl Batches<L>,
    sum: Sum<L>,
    blocks: usize,
    text: Span,
) -> Hashed<L> {
    let one = Sections {
        most: blocks,
        left: blocks,
        here: blocks,
    };
    // SAFETY: as the caller.
    unsafe { batches::<L, Stored, _, SEAL, BEHIND, false, 1, 10>(keys, powers, counters, sum, one, text) }
}

/// [`run`]. `DONE` rounds are ahead; if it is 1, maybe none. Keys have `LEAST` rounds or more. There is one section, or maybe
/// `MANY`.
#[inline(always)]
unsafe fn batches<
    L: Multiply,
    K: Keys<L>,
    C: Batches<L>,
    const SEAL: bool,
    const BEHIND: bool,
    const MANY: bool,
    const DONE: usize,
    const LEAST: usize,
>(
    stored: Stored,
    powers: &Powers,
    counters: &mut C,
    mut sum: Sum<L>,
    mut sections: Sections,
    mut text: Span,
) -> Hashed<L> {
    let batch = WIDE * L::BLOCKS;
    let mut at = powers.at(sections.here);
    let is_long = MANY && L::BLOCKS > 1 && counters.done() > 0 && text.len >= LONG * 16 * batch;
    // SAFETY: as the caller; each batch lies within the text.
    unsafe {
        let mut hashed = if SEAL { text.dst } else { text.src };
        let mut behind = 0;
        if SEAL {
            behind = 1 + usize::from(is_long);
            for _ in 0..behind {
                text = encrypt_batch(stored, counters, text);
            }
        }
        let keys = K::of(stored.keys());
        while text.len >= 16 * batch {
            let mut end = 16 * batch;
            if MANY {
                sections.begin::<L>();
                at = powers.at(sections.here);
                let here = (text.len / (16 * batch)).min(sections.here / batch);
                sections.pass(here * batch);
                end = text.len - (here - 1) * 16 * batch;
                (sum, text) =
                    batch_of_section::<L, K, C, DONE, LEAST, true>(keys, counters, text, hashed, at, sum);
                (hashed, at) = (hashed.add(16 * batch), at.after(batch));
            }
            while text.len >= end {
                (sum, text) =
                    batch_of_section::<L, K, C, DONE, LEAST, false>(keys, counters, text, hashed, at, sum);
                (hashed, at) = (hashed.add(16 * batch), at.after(batch));
            }
        }

        let mut hash = L::splat(0);
        while behind > 0 && !(BEHIND && behind == 1 && (!MANY || sections.is_last())) {
            if MANY && sections.is_over() {
                sections.begin::<L>();
                (at, hash, sum) = (powers.at(sections.here), sum.hash(), Sum::zero());
            }
            let mut vectors = load_batch::<L>(hashed);
            vectors[0] = vectors[0].xor(hash);
            hash = L::splat(0);
            sum = sum.add_all(vectors, at);
            (hashed, at) = (hashed.add(16 * batch), at.after(batch));
            if MANY {
                sections.pass(batch);
            }
            behind -= 1;
        }
        if MANY && sections.is_over() {
            sections.begin::<L>();
            (at, hash, sum) = (powers.at(sections.here), sum.hash(), Sum::zero());
        }
        Hashed {
            sum,
            hash,
            at,
            text,
            is_behind: behind > 0,
        }
    }
}

/// Whether [`anew`] does with the powers of half a batch: where there is but one batch, and no more powers than the first.
#[inline(always)]
pub(super) fn is_halved<L: Multiply, const SEAL: bool>(powers: &Powers, len: usize) -> bool {
    SEAL && len < 2 * WIDE * L::BYTES && powers.ready() == Powers::FIRST
}

/// How many powers [`anew`] takes for its batches.
#[inline(always)]
pub(super) fn powers_anew<L: Multiply>(is_halved: bool) -> usize {
    let batch = WIDE * L::BLOCKS;
    if is_halved { batch / 2 } else { batch }
}

/// As [`run`], under a new key: every batch is a section, or each half of the only one, and the `rest` another.
///
/// # Safety
/// As [`run`]; the text has a batch or more, and there are [`powers_anew`] and those of the rest.
#[inline(always)]
pub(super) unsafe fn anew<L: Multiply, const SEAL: bool>(
    keys: Stored,
    powers: &Powers,
    is_halved: bool,
    mut counters: Counters<'_, L>,
    mut sum: Sum<L>,
    mut text: Span,
    rest: usize,
) -> Hashed<L> {
    let batch = WIDE * L::BLOCKS;
    let counters = &mut counters;
    // SAFETY: as the caller; each batch lies within the text.
    unsafe {
        let mut hashed = if SEAL { text.dst } else { text.src };
        if SEAL {
            text = encrypt_batch(keys, counters, text);
        }
        if is_halved {
            let hash = in_halves(load_batch(hashed), sum.hash(), powers.at(batch / 2));
            return Hashed::before(Sum::zero(), hash, powers.at(rest), text);
        }
        let at = powers.at(batch);
        while text.len >= 16 * batch {
            (sum, text) = batch_of_section::<L, _, _, 1, 10, true>(keys, counters, text, hashed, at, sum);
            hashed = hashed.add(16 * batch);
        }
        let mut hash = sum.hash();
        if SEAL {
            let mut vectors = load_batch::<L>(hashed);
            vectors[0] = vectors[0].xor(hash);
            hash = Sum::zero().add_all(vectors, at).hash();
        }
        Hashed::before(Sum::zero(), hash, powers.at(rest), text)
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
