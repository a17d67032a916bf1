//! Galois/counter mode (SP 800-38D) over any width of vector.
//!
//! **Long messages** go in batches of eight vectors. While the rounds of one batch run, GHASH takes a batch's
//! ciphertext: of the same batch when opening, of the one before when sealing. AES and carry-less
//! multiplication use different ports, so that each hides behind the other. Two or four batches make a section
//! (see [`crate::ghash`]), and its one reduction waits for the rounds of the batch after it.
//!
//! **The end of a message**, or all of a short one, is one batch of as many vectors as it needs. After the n
//! lanes that hold the data one lane more serves the tag: AES makes E(J₀) there, and GHASH takes the block of
//! lengths. No length falls off a cliff.

use core::{arch::asm, hint::cold_path};

use inout::InOutBuf;
use zeroize::Zeroize;

use crate::{
    ctr,
    ghash::{At, Pair, Powers, Sum},
    key::RoundKeys,
    lanes::Multiply,
    rounds::{Keys, Stored, encrypt},
};

/// Vectors in flight.
const WIDE: usize = 8;

/// The most blocks of additional data that are hashed at once.
const AAD_SECTION: usize = 32;

/// Where a message goes from and to.
#[derive(Clone, Copy)]
struct Text {
    src: *const u8,
    dst: *mut u8,
    len: usize,
}

impl Text {
    #[inline(always)]
    fn of(buffer: InOutBuf<'_, '_, u8>) -> Self {
        let len = buffer.len();
        let (src, dst) = buffer.into_raw();
        Self { src, dst, len }
    }

    #[inline(always)]
    unsafe fn after(self, bytes: usize) -> Self {
        // SAFETY: the caller has that many bytes left.
        unsafe {
            Self {
                src: self.src.add(bytes),
                dst: self.dst.add(bytes),
                len: self.len - bytes,
            }
        }
    }
}

/// The nonce of a message that [`short`] takes: most of them.
#[inline(always)]
pub(crate) fn short_nonce<'a, L: Multiply>(nonce: &'a [u8], aad: &[u8], len: usize) -> Option<&'a [u8; 12]> {
    let nonce = nonce.try_into().ok()?;
    (len < WIDE * L::BYTES && aad.len() < 16 * AAD_SECTION).then_some(nonce)
}

/// Seals or opens a message of less than a batch and answers the tag that belongs to it.
///
/// # Safety
/// As [`Multiply`]; [`short_nonce`] gave the nonce.
#[inline(always)]
pub(crate) unsafe fn short<L: Multiply, const SEAL: bool>(
    keys: &RoundKeys,
    powers: &mut Powers,
    nonce: &[u8; 12],
    aad: &[u8],
    buffer: InOutBuf<'_, '_, u8>,
) -> u128 {
    let lengths = lengths(aad.len(), buffer.len());
    let text = Text::of(buffer);
    let first = first_counter(nonce);
    // Additional data, text and lengths make one section.
    let rest = text.len.div_ceil(16) + 1;
    let blocks = aad.len().div_ceil(16) + rest;
    // SAFETY: the text is the buffer: valid for reads and writes, exclusively ours, and in place or apart.
    // Powers are reached before they are used.
    unsafe {
        powers.reach::<L>(blocks);
        let sum = Sum::zero().add_bytes(aad.as_ptr(), aad.len(), powers.at(blocks));
        let hash = L::splat(0);
        finish::<L, SEAL>(
            Stored::new(keys),
            first,
            first.next(1),
            sum,
            hash,
            powers.at(rest),
            text,
            lengths,
        )
    }
}

/// Seals or opens any message and answers the tag that belongs to it.
///
/// # Safety
/// As [`Multiply`].
#[inline(always)]
pub(crate) unsafe fn long<L: Multiply, const SEAL: bool>(
    keys: &RoundKeys,
    powers: &mut Powers,
    first_round: Option<&LastBytes>,
    nonce: &[u8],
    mut aad: &[u8],
    buffer: InOutBuf<'_, '_, u8>,
) -> u128 {
    let batch = WIDE * L::BLOCKS;
    let lengths = lengths(aad.len(), buffer.len());
    let mut text = Text::of(buffer);
    let batches = text.len / (16 * batch);
    // Blocks after the last whole batch, and the lengths.
    let rest = (text.len % (16 * batch)).div_ceil(16) + 1;
    // A key that is used much gets longer sections.
    let section = if first_round.is_some() { 4 } else { 2 };

    // SAFETY: the text is what is left of the buffer, valid for reads and writes, exclusively ours, and in
    // place or apart. Powers are reached before they are used.
    unsafe {
        let keys = Stored::new(keys);
        let first = if let Ok(nonce) = nonce.try_into() {
            first_counter(nonce)
        } else {
            hashed_counter::<L>(powers, nonce)
        };

        let mut sum = Sum::zero();
        while !aad.is_empty() {
            let now;
            (now, aad) = aad.split_at(aad.len().min(16 * AAD_SECTION));
            let blocks = now.len().div_ceil(16);
            powers.reach::<L>(blocks);
            let at = powers.at(blocks);
            sum = carried(sum, at).add_bytes(now.as_ptr(), now.len(), at);
        }

        let mut left = batches;
        if left > 0 {
            powers.reach::<L>(batch * batches.min(section));
            let mut counters = Counters::new(keys, first, first_round);
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
                (sum, text) =
                    batch_of_section::<L, SEAL, true>(&mut counters, &mut kept, text, hashed, at, sum);
                hashed = hashed.add(16 * batch);
                while here > 1 {
                    at = at.after(batch);
                    (sum, text) =
                        batch_of_section::<L, SEAL, false>(&mut counters, &mut kept, text, hashed, at, sum);
                    hashed = hashed.add(16 * batch);
                    here -= 1;
                }
            }
        }

        let mut hash = sum.hash();
        sum = Sum::zero();
        if SEAL && batches > 0 {
            powers.reach::<L>(batch + rest);
            let mut last = load_batch::<L>(text.dst.sub(16 * batch));
            last[0] = last[0].xor(hash);
            hash = L::splat(0);
            sum = sum.add_all(last, powers.at(batch + rest));
        }
        powers.reach::<L>(rest);
        let counters = first.next((1 + batches * batch) as u32);
        finish::<L, SEAL>(keys, first, counters, sum, hash, powers.at(rest), text, lengths)
    }
}

/// The block of lengths, in bits.
#[inline(always)]
fn lengths(aad: usize, text: usize) -> u128 {
    let bits = |bytes: usize| u128::from((bytes as u64 * 8).swap_bytes());
    bits(aad) | bits(text) << 64
}

/// J₀: the counter block before the first one of the data, as memory has it, but for its last four bytes, which
/// are in the processor's order.
#[derive(Clone, Copy)]
struct First(u128);

impl First {
    #[inline(always)]
    fn counter(self) -> u32 {
        (self.0 >> 96) as u32
    }

    /// With another counter.
    #[inline(always)]
    fn with(self, counter: u32) -> Self {
        Self(self.0 & !(0xffff_ffff << 96) | u128::from(counter) << 96)
    }

    /// The counters of a vector that begins `n` blocks on.
    #[inline(always)]
    unsafe fn next<L: Multiply>(self, n: u32) -> L {
        // SAFETY: as the caller.
        unsafe { self.with(self.counter().wrapping_add(n)).counters() }
    }

    /// Counters from J₀ on.
    #[inline(always)]
    unsafe fn counters<L: Multiply>(self) -> L {
        // SAFETY: as the caller.
        unsafe { L::counters_of(self.0) }
    }
}

/// J₀ of a nonce of 12 bytes.
#[inline(always)]
fn first_counter(nonce: &[u8; 12]) -> First {
    // Word by word: callers often write a sequence number into the last ones just before, and a load that is
    // wider than the store before it, or crosses it, has to wait.
    let word = |i: usize| {
        let mut word = u32::from_le_bytes([nonce[i], nonce[i + 1], nonce[i + 2], nonce[i + 3]]);
        // SAFETY: the instruction sequence is empty; it keeps the loads apart.
        unsafe { asm!("/* {0:e} */", inout(reg) word, options(pure, nomem, nostack, preserves_flags)) };
        word
    };
    let low = u64::from(word(0)) | u64::from(word(4)) << 32;
    let high = u64::from(word(8)) | 1 << 32;
    First(u128::from(low) | u128::from(high) << 64)
}

/// J₀ of a nonce of any other length: its hash.
///
/// # Safety
/// As [`Multiply`].
#[cold]
#[inline(always)]
unsafe fn hashed_counter<L: Multiply>(powers: &mut Powers, mut nonce: &[u8]) -> First {
    let bits = u128::from((nonce.len() as u64 * 8).swap_bytes()) << 64;
    // SAFETY: powers are reached before they are used.
    unsafe {
        let mut sum = Sum::<L>::zero();
        while !nonce.is_empty() {
            let (now, after) = nonce.split_at(nonce.len().min(16 * AAD_SECTION));
            let blocks = now.len().div_ceil(16);
            powers.reach::<L>(blocks);
            let at = powers.at(blocks);
            sum = carried(sum, at).add_bytes(now.as_ptr(), now.len(), at);
            nonce = after;
        }
        let lengths = L::lane(0).and(L::splat(bits));
        let hash = Sum::zero().add_one(sum.hash().xor(lengths), powers.at(1)).hash();
        First(hash.to_blocks().first_block().to_u128())
    }
}

/// A sum that goes on where `sum` ends: its hash, as a block of the next section.
#[inline(always)]
unsafe fn carried<L: Multiply>(sum: Sum<L>, at: At) -> Sum<L> {
    // SAFETY: as the caller.
    unsafe { Sum::zero().add_one(sum.hash(), at) }
}

/// Counter blocks on their way into the rounds.
///
/// While only the counter's last byte changes, the state after the first AddRoundKey is a constant xor a block
/// that holds nothing but that byte; after the first round it is another constant xor an entry of the table
/// that [`crate::ctr`] explains. One xor with memory serves for both.
struct Counters<'a, L> {
    keys: Stored,
    first: First,
    /// The next one.
    counter: u32,
    /// What each last byte adds.
    table: &'a LastBytes,
    /// Whether the table has the first round in it.
    ahead: bool,
    /// The state where the last byte is zero.
    page: L,
}

/// What each last byte adds; a batch that begins within the 256 may end after them, where they begin again.
///
/// Two blocks stand before: messages begin at counter 2, and from there on vectors do not cross lines.
#[repr(C, align(64))]
pub(crate) struct LastBytes {
    before: [u128; 2],
    entries: [u128; 256 + LONGEST_BATCH],
}

/// Blocks in a batch of the widest vectors.
const LONGEST_BATCH: usize = 32;

impl LastBytes {
    pub(crate) const NONE: Self = Self {
        before: [0; 2],
        entries: [0; 256 + LONGEST_BATCH],
    };

    /// Puts the first round into it.
    ///
    /// # Safety
    /// As [`Multiply`].
    #[inline(always)]
    pub(crate) unsafe fn with_first_round<L: Multiply>(&mut self, keys: &RoundKeys) {
        let (table, again) = self.entries.split_first_chunk_mut().expect("longer");
        // SAFETY: as the caller.
        unsafe { ctr::first_round::<L>(keys, table) };
        again.copy_from_slice(&table[..LONGEST_BATCH]);
    }
}

impl Zeroize for LastBytes {
    fn zeroize(&mut self) {
        self.entries.zeroize();
    }
}

/// Before the first round.
static PLAIN: LastBytes = {
    let mut bytes = LastBytes::NONE;
    let mut i = 0;
    while i < bytes.entries.len() {
        bytes.entries[i] = (i as u128 & 0xff) << 120;
        i += 1;
    }
    bytes
};

/// Nothing, then everything: selects the lanes after the end of a page.
#[repr(align(64))]
struct After([u128; 2 * LONGEST_BATCH]);

static AFTER: After = {
    let mut lanes = [0; 2 * LONGEST_BATCH];
    let mut i = LONGEST_BATCH;
    while i < lanes.len() {
        lanes[i] = u128::MAX;
        i += 1;
    }
    After(lanes)
};

impl<'a, L: Multiply> Counters<'a, L> {
    #[inline(always)]
    unsafe fn new(keys: Stored, first: First, first_round: Option<&'a LastBytes>) -> Self {
        // SAFETY: as the caller.
        unsafe {
            let mut counters = Self {
                keys,
                first,
                counter: first.counter().wrapping_add(1),
                table: first_round.unwrap_or(&PLAIN),
                ahead: first_round.is_some(),
                page: L::splat(0),
            };
            counters.page = counters.page(counters.counter);
            counters
        }
    }

    /// The page that `counter` stands in.
    #[inline(always)]
    unsafe fn page(&self, counter: u32) -> L {
        // SAFETY: as the caller.
        unsafe {
            let block = L::splat(self.first.with(counter & !0xff).0).to_blocks();
            let page = block.xor(self.keys.front(0));
            if self.ahead {
                page.round(self.keys.front(1))
            } else {
                page
            }
        }
    }

    /// The states of a batch, after the first AddRoundKey or the first round.
    #[inline(always)]
    unsafe fn batch(&mut self) -> [L; WIDE] {
        // SAFETY: as the caller; there is an entry for each last byte, and in each static table a place for
        // each of a batch's blocks.
        unsafe {
            let last_byte = (self.counter & 0xff) as usize;
            let entries = self.table.entries.as_ptr().add(last_byte);
            let mut states = [self.page; WIDE];
            self.counter = self.counter.wrapping_add((WIDE * L::BLOCKS) as u32);
            let left = 256 - last_byte;
            if left <= WIDE * L::BLOCKS {
                cold_path();
                let next = self.page(self.counter);
                if left < WIDE * L::BLOCKS {
                    let after = AFTER.0.as_ptr().add(LONGEST_BATCH - left);
                    let difference = next.xor(self.page);
                    for (i, state) in states.iter_mut().enumerate() {
                        let after = L::load(after.add(i * L::BLOCKS).cast());
                        *state = state.xor(difference.and(after));
                    }
                }
                self.page = next;
            }
            for (i, state) in states.iter_mut().enumerate() {
                *state = state.xor(L::load(entries.add(i * L::BLOCKS).cast()));
            }
            states
        }
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
unsafe fn xor_batch<L: Multiply>(keystream: [L; WIDE], text: Text) -> ([L; WIDE], Text) {
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
unsafe fn encrypt_batch<L: Multiply>(counters: &mut Counters<'_, L>, text: Text) -> ([L; WIDE], Text) {
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
    text: Text,
    hashed: *const u8,
    at: At,
    sum: Sum<L>,
) -> (Sum<L>, Text) {
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

/// The last vectors of the text and the tag. `hash` goes into the first block.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "all of them stay in registers")]
unsafe fn finish<L: Multiply, const SEAL: bool>(
    keys: Stored,
    first: First,
    counter: L,
    sum: Sum<L>,
    hash: L,
    at: At,
    text: Text,
    lengths: u128,
) -> u128 {
    macro_rules! vectors {
        ($($n:literal)*) => {
            match text.len.div_ceil(16) / L::BLOCKS + 1 {
                $($n => last_vectors::<L, $n, SEAL>(keys, first, counter, sum, hash, at, text, lengths),)*
                _ => unreachable!("less than eight vectors are left"),
            }
        };
    }
    // SAFETY: passed on; each number of vectors is what data and tag take.
    unsafe { vectors!(1 2 3 4 5 6 7 8 9) }
}

/// [`finish`] for `N` vectors, data and tag.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "all of them stay in registers")]
unsafe fn last_vectors<L: Multiply, const N: usize, const SEAL: bool>(
    keys: Stored,
    first: First,
    counter: L,
    sum: Sum<L>,
    hash: L,
    at: At,
    text: Text,
    lengths: u128,
) -> u128 {
    // SAFETY: the last vector holds the tag's lane, and the one before it is the first that may be incomplete;
    // of those two no byte beyond the text is touched.
    unsafe {
        let tag = L::lane(text.len.div_ceil(16) % L::BLOCKS);
        let whitening = keys.front(0);
        let mut states = [whitening; N];
        for (i, state) in states.iter_mut().enumerate() {
            let mut counters = counter.count((i * L::BLOCKS) as u32);
            if i == N - 1 {
                counters = counters.xor(counters.xor(L::splat(first.0)).and(tag));
            }
            *state = counters.to_blocks().xor(whitening);
        }
        let keystream = encrypt::<L, _, N, 0>(keys, states);

        let mut cipher = [hash; N];
        for (i, k) in keystream.into_iter().enumerate() {
            let from = i * L::BYTES;
            let (src, dst) = (text.src.wrapping_add(from), text.dst.wrapping_add(from));
            if i + 2 < N {
                let input = L::load(src);
                let output = input.xor(k);
                output.store(dst);
                cipher[i] = if SEAL { output } else { input };
            } else if L::BLOCKS == 1 && i == N - 1 {
                cipher[i] = L::splat(0);
            } else {
                let n = text.len.saturating_sub(from).min(L::BYTES);
                let input = L::load_part(src, n);
                let output = input.xor(k);
                output.store_part(dst, n);
                cipher[i] = if SEAL { output.keep_first(n) } else { input };
            }
        }
        cipher[N - 1] = cipher[N - 1].xor(L::splat(lengths).and(tag));
        cipher[0] = cipher[0].xor(hash);

        let hash = sum.add_all(cipher, at).hash();
        let mask = keystream[N - 1].and(tag).fold();
        hash.xor(mask).first_block().to_u128()
    }
}
