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

use core::hint::cold_path;

use inout::InOutBuf;

use super::{
    GcmMessage, Vector,
    counters::{Ahead, Any, Counters, First, Short, first_counter},
    stitched,
    tail::{self, Rest, Stop},
};
use crate::{
    BLOCK,
    ghash::{Powers, Sum},
    lanes::{Lanes, Multiply},
    native::Block,
    rounds::{Schedule, Stored, encrypt},
    span::Span,
};

/// Vectors in flight.
pub(crate) const WIDE: usize = 8;

/// The most blocks of additional data that are hashed at once.
const AAD_SECTION: usize = 31;

/// The blocks of what is no longer than a message can be: `usize::div_ceil`, which goes beyond that, takes more.
#[inline(always)]
pub(super) fn blocks(len: usize) -> usize {
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

/// The most vectors of a part of a message that takes no more than [`Multiply::TINY`], and is less than a batch.
pub(crate) const fn tiny_part<L: Multiply>() -> usize {
    if L::TINY < WIDE { L::TINY } else { WIDE - 1 }
}

/// From how many bytes on a message is no packet any more: more than links carry at once.
const LONG_FROM: usize = 1536;

/// The nonce of a message that [`short`] takes: most of them.
///
/// Longer ones than can be encrypted in one go must be worth the powers that they need, all at once.
#[inline(always)]
pub(crate) fn short_nonce<'a, L: Multiply>(
    key: &Vector,
    nonce: &'a [u8],
    aad: &[u8],
    len: usize,
) -> Option<&'a [u8; 12]> {
    let nonce = nonce.try_into().ok()?;
    let is_short = len < WIDE * L::BYTES || len < LONG_FROM && key.is_used_much();
    (is_short && aad.len() <= 16 * AAD_SECTION).then_some(nonce)
}

/// Seals or opens a message that is one section, and answers the tag that belongs to it.
///
/// # Safety
/// As [`Multiply`]; [`short_nonce`] gave the nonce. The message takes no more than `MOST` vectors, or those are [`at_once`]; where
/// they have two blocks, [`is_one_block`] was asked.
#[inline(always)]
pub(crate) unsafe fn short<L: Multiply, const SEAL: bool, const MOST: usize>(
    key: &mut Vector,
    nonce: &[u8; 12],
    aad: &[u8],
    buffer: InOutBuf<'_, '_, u8>,
) -> u128 {
    let lengths = lengths(aad.len() as u64, buffer.len() as u64);
    let mut text = Span::new(buffer);
    // SAFETY: the caller lends the key for as long as this runs, and only powers change.
    let (keys, powers) = (unsafe { Stored::new(&key.keys) }, &mut key.powers);
    // Additional data, text and lengths make one section.
    let after = blocks(text.len) + 1;
    let section = blocks(aad.len()) + after;
    const { assert!(AAD_SECTION + LONG_FROM / 16 < Powers::MOST) };
    // SAFETY: the text is the buffer: valid for reads and writes, exclusively ours, and in place or apart.
    // Powers are reached before they are used.
    unsafe {
        if MOST * L::BLOCKS > 2 {
            powers.reach::<L>(section);
        }
        let mut counters = Short::new(keys, nonce);
        let mut sum = if aad.is_empty() {
            Sum::zero()
        } else if aad.len() <= L::BYTES {
            // Nearly all there is: a header, or a part of one.
            Sum::zero().add_one(L::load_part(aad.as_ptr(), aad.len()), powers.at(section))
        } else {
            Sum::zero().add_bytes(aad.as_ptr(), aad.len(), powers.at(section))
        };
        let mut at = powers.at(after);
        let is_longer = MOST == at_once::<L>() && after > MOST * L::BLOCKS;
        if is_longer {
            cold_path();
            (sum, at, text) =
                stitched::section::<L, SEAL, { stitched::BEHIND }>(keys, &mut counters, sum, at, text);
        }
        let rest = Rest {
            counters,
            sum,
            hash: L::splat(0),
            at,
            text,
        };
        if SEAL && stitched::BEHIND && is_longer {
            tail::finish::<L, _, SEAL, true, { WIDE + 1 }>(keys, rest, lengths)
        } else {
            tail::finish::<L, _, SEAL, false, MOST>(keys, rest, lengths)
        }
    }
}

/// Seals or opens any message and answers the tag that belongs to it.
///
/// # Safety
/// As [`Multiply`].
#[inline(always)]
pub(crate) unsafe fn long<L: Multiply, const SEAL: bool>(
    key: &mut Vector,
    nonce: &[u8],
    aad: &[u8],
    buffer: InOutBuf<'_, '_, u8>,
) -> u128 {
    let lengths = lengths(aad.len() as u64, buffer.len() as u64);
    let text = Span::new(buffer);
    let batches = text.len / (WIDE * L::BYTES);
    // Blocks after the last whole batch, and the lengths.
    let blocks = (text.len % (WIDE * L::BYTES)).div_ceil(16) + 1;

    // SAFETY: the text is the buffer, as above. Powers are reached before they are used.
    unsafe {
        let first = if let Ok(nonce) = nonce.try_into() {
            first_counter(nonce)
        } else {
            hashed_counter::<L>(&mut key.powers, nonce)
        };
        let (keys, powers, ahead) = key.parts::<L>(first, text.len);
        let sum = hash_bytes::<L>(powers, None, aad);
        let counters = Counters::new(keys, first, 1, ahead);
        let (sum, hash, text) = stitched::run::<L, SEAL>(keys, powers, counters, sum, text, blocks);
        powers.reach::<L>(blocks);
        let rest = Rest {
            counters: Any::new(keys, first, (1 + batches * WIDE * L::BLOCKS) as u32),
            sum,
            hash,
            at: powers.at(blocks),
            text,
        };
        tail::finish::<L, _, SEAL, false, { WIDE + 1 }>(keys, rest, lengths)
    }
}

/// Encrypts or decrypts a part of a message that begins where a block does.
///
/// # Safety
/// As [`Multiply`]. The part takes no more than `MOST` vectors, or those are a batch; it is not empty.
#[inline(always)]
pub(crate) unsafe fn part<L: Multiply, const SEAL: bool, const MOST: usize>(
    key: &mut Vector,
    message: &mut GcmMessage,
    buffer: InOutBuf<'_, '_, u8>,
) {
    let text = Span::new(buffer);
    let first = First::of(message.first, message.secret);
    // The counter block of the first block, J₀ being 0.
    let n = 1 + (message.text_len / 16) as u32;
    let batches = if MOST < WIDE {
        0
    } else {
        text.len / (WIDE * L::BYTES)
    };
    let blocks = (text.len - batches * (WIDE * L::BYTES)) / 16;
    let is_part = !text.len.is_multiple_of(16);
    message.text_len += text.len as u64;

    // SAFETY: as above. Of the key, once round keys were lent, only powers are borrowed.
    unsafe {
        let is_packet = batches > 0
            && text.len < LONG_FROM
            && key.is_used_much()
            && first.stays_in_page(n, batches * WIDE * L::BLOCKS);
        let (keys, sum, hash, at, text) = if is_packet {
            // Here, and not before both arms: the other one borrows the key as a whole, which ends what was lent of it.
            let keys = Stored::new(&key.keys);
            // One section, as in `short`, and the hash so far is added to its first block.
            let section = text.len / 16;
            let before = section + usize::from(message.open);
            key.powers.reach::<L>(before);
            let sum = Sum::zero().add_one(one_block::<L>(message.hash), key.powers.at(before));
            let (mut counters, at) = (Short::after(keys, first, n), key.powers.at(section));
            let (sum, at, text) = stitched::section::<L, SEAL, false>(keys, &mut counters, sum, at, text);
            (keys, sum, L::splat(0), at, text)
        } else {
            let (keys, powers, ahead) = key.parts::<L>(first, text.len);
            // First of all, as in `absorb`. A block that is open makes one section with what follows it. Two powers there are.
            if MOST * L::BLOCKS > 1 {
                powers.reach::<L>(usize::from(message.open) + blocks);
            }
            let block = one_block::<L>(message.hash);
            let (sum, hash, text) = if batches > 0 {
                let sum = if message.open {
                    Sum::zero().add_one(block, powers.at(1))
                } else {
                    Sum::of(block)
                };
                let counters = Counters::new(keys, first, n, ahead);
                stitched::run::<L, SEAL>(keys, powers, counters, sum, text, blocks)
            } else if message.open {
                let sum = Sum::zero().add_one(block, powers.at(1 + blocks));
                (sum, L::splat(0), text)
            } else {
                (Sum::zero(), block, text)
            };
            (keys, sum, hash, powers.at(blocks), text)
        };
        let rest = Rest {
            counters: Any::new(keys, first, n.wrapping_add((batches * WIDE * L::BLOCKS) as u32)),
            sum,
            hash,
            at,
            text,
        };
        let Stop { hash, keystream } = tail::stop::<L, SEAL, MOST>(keys, rest);
        keep(&mut message.hash, hash);
        keep(&mut message.keystream, keystream);
        message.open = is_part;
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
        let block = one_block::<L>(message.hash);
        let sum = if message.open {
            Sum::zero().add_one(block, key.powers.at(1))
        } else {
            Sum::of(block)
        };
        let sum = hash_bytes::<L>(&mut key.powers, Some(sum), data);
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
unsafe fn one_block<L: Multiply>(block: u128) -> L {
    // SAFETY: as the caller.
    unsafe { L::lane(0).and(L::splat(block)) }
}

/// J₀ of a nonce of any other length: its hash.
///
/// # Safety
/// As [`Multiply`].
#[cold]
#[inline(always)]
unsafe fn hashed_counter<L: Multiply>(powers: &mut Powers, nonce: &[u8]) -> First {
    // SAFETY: a hash key has at least one power.
    unsafe {
        let sum = hash_bytes::<L>(powers, None, nonce);
        let lengths = one_block(lengths(0, nonce.len() as u64));
        let hash = Sum::zero().add_one(sum.hash().xor(lengths), powers.at(1)).hash();
        First {
            block: hash.to_blocks().first_block().to_u128(),
            secret: true,
        }
    }
}

/// The sum of `data`, the last block filled up with zeros, after `sum` if there is one.
///
/// # Safety
/// As [`Multiply`].
#[inline(always)]
unsafe fn hash_bytes<L: Multiply>(powers: &mut Powers, mut sum: Option<Sum<L>>, mut data: &[u8]) -> Sum<L> {
    // SAFETY: powers are reached before they are used.
    unsafe {
        while !data.is_empty() {
            let now;
            (now, data) = data.split_at(data.len().min(16 * AAD_SECTION));
            let blocks = now.len().div_ceil(16);
            powers.reach::<L>(blocks);
            let at = powers.at(blocks);
            let before = match sum {
                // The hash so far is added to the section's first block.
                Some(sum) => Sum::zero().add_one(sum.hash(), at),
                None => Sum::zero(),
            };
            sum = Some(before.add_bytes(now.as_ptr(), now.len(), at));
        }
        sum.unwrap_or(Sum::zero())
    }
}
