//! Galois/counter mode (SP 800-38D) over any width of vector.
//!
//! **Long messages** go in batches of eight vectors. While the rounds of one batch run, GHASH takes a batch's
//! ciphertext: of the same batch when opening, of the one before when sealing. Where AES and carry-less
//! multiplication have ports of their own (Zen 5), one hides behind the other; where they share them (Zen 4, Intel's),
//! they fill them together. One to eight batches make a section (see [`crate::ghash`]), and its one reduction waits for
//! the rounds of the batch after it.
//!
//! **The end of a message**, or all of a short one, is one batch of as many vectors as it needs. After the n
//! lanes that hold the data one lane more serves the tag: AES makes E(J₀) there, and GHASH takes the block of
//! lengths. No length falls off a cliff.
//!
//! **Packets**, messages of up to 1.5 KiB under a key that is used much, are one section, and only the last byte of
//! their counters changes. So they need hardly anything but the batches themselves. So do parts that are no longer and in whose
//! batches only that byte changes.

use inout::InOutBuf;

use super::{
    AAD_AT_ONCE, GcmMessage, Vector,
    counters::{Ahead, Any, Blocks, Counters, First, Short, first_counter},
    stitched::{self, Hashed, Sections},
    tail::{self, Rest, Stop},
};
use crate::{
    BLOCK,
    ghash::{At, Powers, Sum},
    lanes::{Lanes, Multiply},
    native::Block,
    rounds::{Schedule, Stored, encrypt},
    span::Span,
};

/// Vectors in flight.
pub(crate) const WIDE: usize = 8;

/// The most blocks of additional data that are hashed at once.
const AAD_SECTION: usize = AAD_AT_ONCE / 16;

/// The blocks of what is no longer than a message can be: `usize::div_ceil`, which goes beyond that, takes more.
#[inline(always)]
pub(crate) fn blocks(len: usize) -> usize {
    (len + 15) >> 4
}

/// The most vectors that are encrypted in one go, the tag's among them: as many as there are registers for.
pub(crate) const fn at_once<L: Multiply>() -> usize {
    if L::BLOCKS < 4 { WIDE + 1 } else { WIDE + 2 }
}

/// Whether a message takes [`Multiply::TINY`] vectors or less.
#[inline(always)]
pub(crate) fn is_tiny<L: Multiply>(len: usize) -> bool {
    blocks(len) < L::TINY * L::BLOCKS
}

/// Whether a message has no more than a block, nor its additional data, and all powers that it takes are there.
#[inline(always)]
pub(crate) fn is_one_block(key: &Vector, aad: &[u8], len: usize) -> bool {
    aad.len() <= BLOCK && len <= BLOCK && key.powers.ready() > blocks(aad.len()) + blocks(len)
}

/// Whether a message is for [`Few::gcm_message`](crate::few::Few::gcm_message).
#[inline(always)]
pub(crate) fn is_few<L: Multiply>(key: &Vector, aad: &[u8], len: usize) -> bool {
    L::HAS
        && BLOCK < len
        && aad.len() <= L::BYTES
        && blocks(len) < 2 * L::BLOCKS
        && key.powers.ready() > blocks(aad.len()) + blocks(len)
}

/// Whether a part is for [`Few::gcm_part`](crate::few::Few::gcm_part).
#[inline(always)]
pub(crate) fn is_part_few<L: Multiply>(key: &Vector, message: &GcmMessage, len: usize) -> bool {
    L::HAS
        && BLOCK < len
        && len <= 2 * L::BYTES
        && key.powers.ready() >= usize::from(message.open) + len / BLOCK
}

/// The most vectors of a part of a message that takes no more than [`Multiply::TINY`], and is less than a batch.
pub(crate) const fn tiny_part<L: Multiply>() -> usize {
    if L::TINY < WIDE { L::TINY } else { WIDE - 1 }
}

/// From how many bytes on a message is no packet any more: more than links carry at once.
const LONG_FROM: usize = 1536;

/// Whether a message of `len` bytes is one section, with counters of which only the last byte changes: [`short`] takes it, or
/// [`packet`].
///
/// Longer ones than can be encrypted in one go must be worth the powers that they need, all at once.
#[inline(always)]
pub(crate) fn is_one_section<L: Multiply>(key: &Vector, len: usize) -> bool {
    len < WIDE * L::BYTES || len < LONG_FROM && key.is_used_much()
}

/// Whether [`short`] takes it.
#[inline(always)]
pub(crate) fn is_short<L: Multiply>(len: usize) -> bool {
    blocks(len) < at_once::<L>() * L::BLOCKS
}

/// The sum of additional data that begin a section.
///
/// # Safety
/// As [`Multiply`]; `at` has powers for them.
#[inline(always)]
unsafe fn hash_first<L: Multiply>(aad: &[u8], at: At) -> Sum<L> {
    // SAFETY: as the caller.
    unsafe {
        if aad.is_empty() {
            Sum::zero()
        } else if aad.len() <= L::BYTES {
            // Nearly all there is: a header, or a part of one.
            Sum::zero().add_one(L::load_part(aad.as_ptr(), aad.len()), at)
        } else {
            Sum::zero().add_bytes(aad.as_ptr(), aad.len(), at)
        }
    }
}

/// Seals or opens a message that is encrypted in one go, and answers the tag that belongs to it.
///
/// # Safety
/// As [`Multiply`]; the message is one section, and takes no more than `MOST` vectors; where they have two blocks,
/// [`is_one_block`] was asked.
#[inline(always)]
pub(crate) unsafe fn short<L: Multiply, const SEAL: bool, const MOST: usize>(
    key: &mut Vector,
    nonce: &[u8; 12],
    aad: &[u8],
    buffer: &mut InOutBuf<'_, '_, u8>,
) -> u128 {
    let lengths = lengths(aad.len() as u64, buffer.len() as u64);
    let text = Span::new(buffer.reborrow());
    // SAFETY: the caller lends the key for as long as this runs, and only powers change.
    let (keys, powers) = (unsafe { Stored::new(&key.keys) }, &mut key.powers);
    // Additional data, text and lengths make one section.
    let after = blocks(text.len) + 1;
    let section = blocks(aad.len()) + after;
    // SAFETY: the text is the buffer: valid for reads and writes, exclusively ours, and in place or apart.
    // Powers are reached before they are used.
    unsafe {
        if MOST * L::BLOCKS > 2 {
            powers.reach::<L>(section);
        }
        let rest = Rest {
            counters: Short::new(keys, nonce),
            sum: hash_first(aad, powers.at(section)),
            hash: L::splat(0),
            at: powers.at(after),
            text,
        };
        tail::finish::<L, _, SEAL, false, MOST>(keys, rest, lengths)
    }
}

/// As [`short`], of a longer message, by batches.
///
/// # Safety
/// As [`Multiply`]; the message [`is_one_section`].
#[inline(always)]
pub(crate) unsafe fn packet<L: Multiply, const SEAL: bool>(
    key: &mut Vector,
    nonce: &[u8; 12],
    aad: &[u8],
    buffer: &mut InOutBuf<'_, '_, u8>,
) -> u128 {
    let lengths = lengths(aad.len() as u64, buffer.len() as u64);
    let text = Span::new(buffer.reborrow());
    let after = blocks(text.len) + 1;
    let section = blocks(aad.len()) + after;
    const { assert!(AAD_SECTION + LONG_FROM / 16 < Powers::MOST) };
    // SAFETY: as in `short`.
    unsafe {
        let (keys, powers) = (Stored::new(&key.keys), &mut key.powers);
        powers.reach::<L>(section);
        let mut counters = Short::new(keys, nonce);
        let sum = hash_first(aad, powers.at(section));
        let hashed =
            stitched::packet::<L, SEAL, { stitched::BEHIND }>(keys, powers, &mut counters, sum, after, text);
        finish::<L, _, SEAL>(keys, counters, hashed, lengths)
    }
}

/// [`tail::finish`] after whole batches.
///
/// # Safety
/// As that.
#[inline(always)]
unsafe fn finish<L: Multiply, B: Blocks<L>, const SEAL: bool>(
    keys: Stored,
    counters: B,
    hashed: Hashed<L>,
    lengths: u128,
) -> u128 {
    let (rest, is_behind) = hashed.rest(counters);
    // SAFETY: as the caller.
    unsafe {
        if is_behind {
            tail::finish::<L, _, SEAL, true, { WIDE + 1 }>(keys, rest, lengths)
        } else {
            tail::finish::<L, _, SEAL, false, { WIDE + 1 }>(keys, rest, lengths)
        }
    }
}

/// Whether a key is so new, or one of so many, that a text of `len` bytes would be over before more powers have paid than a batch
/// takes: it has batches, one at least, but few.
#[inline(always)]
pub(crate) fn is_anew<L: Multiply>(key: &Vector, len: usize) -> bool {
    len < FEW_BATCHES * WIDE * L::BYTES && key.ahead.rounds() == 0 && !key.is_used_much()
}

/// How many batches are worth less than the powers that sections take.
const FEW_BATCHES: usize = 12;

/// Seals or opens a message with a batch or more, and answers the tag that belongs to it.
///
/// All that may be a call comes before the vectors: these would be on the stack for it.
///
/// # Safety
/// As [`Multiply`].
#[inline(always)]
pub(crate) unsafe fn long<L: Multiply, const SEAL: bool>(
    key: &mut Vector,
    nonce: &[u8; 12],
    aad: &[u8],
    buffer: &mut InOutBuf<'_, '_, u8>,
) -> u128 {
    let lengths = lengths(aad.len() as u64, buffer.len() as u64);
    let text = Span::new(buffer.reborrow());
    let batches = text.len / (WIDE * L::BYTES);

    // SAFETY: the text is the buffer, as above. Powers are reached before they are used.
    unsafe {
        let first = first_counter(nonce);
        let (keys, powers, ahead) = key.parts::<L>(first, text.len);
        let most = Sections::longest::<L>(ahead.is_some_and(|ahead| ahead.rounds() > 0));
        let sections = Sections::new(most, blocks(text.len) + 1);
        let before = blocks(aad.len());
        powers.reach::<L>(sections.powers().max(before));
        let sum = hash_first(aad, powers.at(before));
        let counters = Counters::new(keys, first, 1, ahead);
        let after = Any::new(keys, first, (1 + batches * WIDE * L::BLOCKS) as u32);
        // Where registers are few, both ways to finish have vectors on the stack in all batches.
        if L::BLOCKS == 4 {
            let hashed = stitched::run::<L, SEAL, true>(keys, powers, counters, sum, sections, text);
            finish::<L, _, SEAL>(keys, after, hashed, lengths)
        } else {
            let hashed = stitched::run::<L, SEAL, false>(keys, powers, counters, sum, sections, text);
            let (rest, _) = hashed.rest(after);
            tail::finish::<L, _, SEAL, false, { WIDE + 1 }>(keys, rest, lengths)
        }
    }
}

/// As [`long`], where the key [`is_anew`].
///
/// # Safety
/// As [`Multiply`].
#[inline(always)]
pub(crate) unsafe fn anew<L: Multiply, const SEAL: bool>(
    key: &mut Vector,
    nonce: &[u8; 12],
    aad: &[u8],
    buffer: &mut InOutBuf<'_, '_, u8>,
) -> u128 {
    let lengths = lengths(aad.len() as u64, buffer.len() as u64);
    let text = Span::new(buffer.reborrow());
    let batches = text.len / (WIDE * L::BYTES);
    // Blocks after the last whole batch, and the lengths.
    let rest = blocks(text.len - batches * (WIDE * L::BYTES)) + 1;
    // SAFETY: as above.
    unsafe {
        let first = first_counter(nonce);
        let (keys, powers, ahead) = key.parts::<L>(first, text.len);
        let before = blocks(aad.len());
        let is_halved = stitched::is_halved::<L, SEAL>(powers, text.len);
        powers.reach::<L>(stitched::powers_anew::<L>(is_halved).max(before).max(rest));
        let sum = hash_first(aad, powers.at(before));
        let counters = Counters::new(keys, first, 1, ahead);
        let hashed = stitched::anew::<L, SEAL>(keys, powers, is_halved, counters, sum, text, rest);
        let after = Any::new(keys, first, (1 + batches * WIDE * L::BLOCKS) as u32);
        let (rest, _) = hashed.rest(after);
        tail::finish::<L, _, SEAL, false, { WIDE + 1 }>(keys, rest, lengths)
    }
}

/// A part of a message that begins where a block does, and is not empty.
#[derive(Clone, Copy)]
struct Part {
    text: Span,
    first: First,
    /// The counter of its first block, J₀ being 0.
    n: u32,
    /// Whether a block before it is still to be multiplied.
    open: usize,
    /// Its whole blocks.
    blocks: usize,
}

impl Part {
    /// J₀ of a message, and the counter after it of the block that comes next.
    fn counter(message: &GcmMessage) -> (First, u32) {
        let first = First::of(message.first, message.secret);
        (first, 1 + (message.text_len / 16) as u32)
    }

    fn of(message: &GcmMessage, buffer: InOutBuf<'_, '_, u8>) -> Self {
        let text = Span::new(buffer);
        let (first, n) = Self::counter(message);
        Self {
            text,
            first,
            n,
            open: usize::from(message.open),
            blocks: text.len / 16,
        }
    }

    /// What is left of it after whole batches, in no more than `MOST` vectors, and what the message has then.
    ///
    /// # Safety
    /// As [`tail::stop`].
    #[inline(always)]
    unsafe fn stop<L: Multiply, const SEAL: bool, const MOST: usize>(
        self,
        keys: Stored,
        hashed: Hashed<L>,
        message: &mut GcmMessage,
    ) {
        let done = (self.text.len - hashed.text.len) / 16;
        // SAFETY: as the caller.
        unsafe {
            let counters = Any::new(keys, self.first, self.n.wrapping_add(done as u32));
            let (rest, _) = hashed.rest(counters);
            let Stop { hash, keystream } = tail::stop::<L, SEAL, MOST>(keys, rest);
            keep(&mut message.hash, hash);
            keep(&mut message.keystream, keystream);
        }
        message.open = !self.text.len.is_multiple_of(16);
        message.text_len += self.text.len as u64;
    }
}

/// Encrypts or decrypts a part of a message that begins where a block does.
///
/// # Safety
/// As [`Multiply`]. The part is not empty, and takes no more than `MOST` vectors.
#[inline(always)]
pub(crate) unsafe fn part<L: Multiply, const SEAL: bool, const MOST: usize>(
    key: &mut Vector,
    message: &mut GcmMessage,
    buffer: InOutBuf<'_, '_, u8>,
) {
    let part = Part::of(message, buffer);
    let Part { open, blocks, .. } = part;
    let powers = &mut key.powers;
    // SAFETY: as above. Powers are made before they are used, and two there are from the start.
    unsafe {
        // A block that is open makes one section with what follows it. Two powers there are.
        if MOST * L::BLOCKS > 1 {
            powers.reach::<L>(open + blocks);
        }
        let block = in_first_lane::<L>(message.hash);
        let (sum, hash) = if open > 0 {
            (Sum::zero().add_one(block, powers.at(1 + blocks)), L::splat(0))
        } else {
            (Sum::zero(), block)
        };
        let hashed = Hashed::before(sum, hash, powers.at(blocks), part.text);
        part.stop::<L, SEAL, MOST>(Stored::new(&key.keys), hashed, message);
    }
}

/// As [`is_one_section`], of a part with batches.
#[inline(always)]
pub(crate) fn is_part_one_section<L: Multiply>(key: &Vector, message: &GcmMessage, len: usize) -> bool {
    let (first, n) = Part::counter(message);
    len < LONG_FROM && key.is_used_much() && first.stays_in_page(n, len / 16)
}

/// As [`part`], by batches that [`are one section`](is_part_one_section).
///
/// # Safety
/// As [`Multiply`]. The part has a batch or more.
#[inline(always)]
pub(crate) unsafe fn part_packet<L: Multiply, const SEAL: bool>(
    key: &mut Vector,
    message: &mut GcmMessage,
    buffer: InOutBuf<'_, '_, u8>,
) {
    let part = Part::of(message, buffer);
    let Part { open, blocks, .. } = part;
    // SAFETY: as above.
    unsafe {
        let (keys, powers) = (Stored::new(&key.keys), &mut key.powers);
        powers.reach::<L>(open + blocks);
        // The hash so far is added to the first block.
        let sum = Sum::zero().add_one(in_first_lane::<L>(message.hash), powers.at(open + blocks));
        let mut counters = Short::after(keys, part.first, part.n);
        let hashed = stitched::packet::<L, SEAL, false>(keys, powers, &mut counters, sum, blocks, part.text);
        part.stop::<L, SEAL, WIDE>(keys, hashed, message);
    }
}

/// As [`part`], by batches.
///
/// # Safety
/// As [`part_packet`].
#[inline(always)]
pub(crate) unsafe fn part_long<L: Multiply, const SEAL: bool>(
    key: &mut Vector,
    message: &mut GcmMessage,
    buffer: InOutBuf<'_, '_, u8>,
) {
    let part = Part::of(message, buffer);
    // SAFETY: as above.
    unsafe {
        let (keys, powers, ahead) = key.parts::<L>(part.first, part.text.len);
        let most = Sections::longest::<L>(ahead.is_some_and(|ahead| ahead.rounds() > 0));
        let sections = Sections::new(most, part.blocks);
        powers.reach::<L>(sections.powers());
        let sum = hashed_before(message, powers);
        let counters = Counters::new(keys, part.first, part.n, ahead);
        let hashed = stitched::run::<L, SEAL, false>(keys, powers, counters, sum, sections, part.text);
        part.stop::<L, SEAL, WIDE>(keys, hashed, message);
    }
}

/// As [`part`], by batches, where the key [`is_anew`].
///
/// # Safety
/// As [`part_packet`].
#[inline(always)]
pub(crate) unsafe fn part_anew<L: Multiply, const SEAL: bool>(
    key: &mut Vector,
    message: &mut GcmMessage,
    buffer: InOutBuf<'_, '_, u8>,
) {
    let part = Part::of(message, buffer);
    let rest = part.blocks % (WIDE * L::BLOCKS);
    // SAFETY: as above.
    unsafe {
        let (keys, powers, ahead) = key.parts::<L>(part.first, part.text.len);
        let is_halved = stitched::is_halved::<L, SEAL>(powers, part.text.len);
        powers.reach::<L>(stitched::powers_anew::<L>(is_halved).max(rest));
        let sum = hashed_before(message, powers);
        let counters = Counters::new(keys, part.first, part.n, ahead);
        let hashed = stitched::anew::<L, SEAL>(keys, powers, is_halved, counters, sum, part.text, rest);
        part.stop::<L, SEAL, WIDE>(keys, hashed, message);
    }
}

/// The sum of what a message has so far.
///
/// # Safety
/// As [`Multiply`].
#[inline(always)]
unsafe fn hashed_before<L: Multiply>(message: &GcmMessage, powers: &Powers) -> Sum<L> {
    // SAFETY: a hash key has at least one power.
    unsafe {
        let block = in_first_lane::<L>(message.hash);
        if message.open {
            Sum::zero().add_one(block, powers.at(1))
        } else {
            Sum::of(block)
        }
    }
}

/// Hashes whole blocks of additional data after what there is.
///
/// # Safety
/// As [`Multiply`].
#[inline(always)]
pub(crate) unsafe fn absorb<L: Multiply>(key: &mut Vector, message: &mut GcmMessage, data: &[u8]) {
    // SAFETY: a hash key has at least one power.
    unsafe {
        // While no vector is in use, which a call would have on the stack.
        key.powers.reach::<L>(blocks(data.len()).min(AAD_SECTION));
        let mut sum = hashed_before::<L>(message, &key.powers);
        for now in data.chunks(16 * AAD_SECTION) {
            let at = key.powers.at(blocks(now.len()));
            // The hash so far is added to the section's first block.
            let before = Sum::zero().add_one(sum.hash(), at);
            sum = before.add_bytes(now.as_ptr(), now.len(), at);
        }
        keep(&mut message.hash, sum.hash().first_block());
        message.open = false;
    }
}

/// Keeps a block for the next call. As a vector: that one reads it so, and of two stores by halves it would have to wait
/// for the second to be in the cache.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
unsafe fn keep(place: &mut u128, block: Block) {
    // SAFETY: a block has as many bytes as there are.
    unsafe { block.store((&raw mut *place).cast()) }
}

/// The tag of a message that has ended.
///
/// # Safety
/// As [`Multiply`].
#[inline(always)]
pub(crate) unsafe fn end(key: &mut Vector, message: &GcmMessage) -> u128 {
    let lengths = lengths(message.aad_len, message.text_len);
    let powers = &key.powers;
    // SAFETY: a hash key has at least two powers, and the round keys are lent for as long as they are used.
    unsafe {
        let keys = Stored::new(&key.keys);
        let whitening: Block = keys.front(0);
        let first: Block = First::of(message.first, message.secret).next(0);
        let [mask] = encrypt::<_, _, 1, 0>(keys, [first.to_blocks().xor(whitening)]);
        let (hash, lengths) = (Block::splat(message.hash), Block::splat(lengths));
        let sum = if message.open {
            Sum::zero()
                .add_one(hash, powers.at(2))
                .add_one(lengths, powers.at(1))
        } else {
            Sum::zero().add_one(hash.xor(lengths), powers.at(1))
        };
        sum.hash().xor(mask).to_u128()
    }
}

impl Vector {
    /// Round keys, powers, and the first rounds ahead, those that pay after `len` bytes more.
    ///
    /// # Safety
    /// As [`Multiply`]; the round keys are used no more once the key is borrowed as a whole again.
    #[inline(always)]
    unsafe fn parts<L: Multiply>(
        &mut self,
        first: First,
        len: usize,
    ) -> (Stored, &mut Powers, Option<&Ahead>) {
        // What ends a message does not use the table, nor does a counter that is secret.
        let uses_ahead = len >= WIDE * L::BYTES && !first.secret && Self::are_not_many();
        if uses_ahead {
            // SAFETY: as the caller.
            unsafe {
                self.ahead
                    .reach::<L>(&self.keys, first.nonce(), len, Self::AHEAD_AFTER);
            }
        }
        // SAFETY: so long this is borrowed.
        let keys = unsafe { Stored::new(&self.keys) };
        (keys, &mut self.powers, uses_ahead.then_some(&self.ahead))
    }
}

/// The block of lengths, in bits.
#[inline(always)]
fn lengths(aad: u64, text: u64) -> u128 {
    let bits = |bytes: u64| u128::from((bytes * 8).swap_bytes());
    bits(aad) | bits(text) << 64
}

/// `block` in the first lane, zero in the others.
///
/// # Safety
/// As [`Multiply`].
#[inline(always)]
unsafe fn in_first_lane<L: Multiply>(block: u128) -> L {
    // SAFETY: as the caller.
    unsafe { L::lane(0).and(L::splat(block)) }
}
