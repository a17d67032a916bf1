//! Counter blocks of GCM on their way into the rounds (SP 800-38D, §6.2 and §7.1).

use core::hint::cold_path;

use super::vector::WIDE;
use crate::{
    ahead,
    lanes::{Multiply, by_itself},
    rounds::{Schedule, Stored},
};

/// J₀: the counter block before the first one of the data.
#[derive(Clone, Copy)]
pub(super) struct First {
    /// As memory has it, but for its last four bytes, which are in the processor's order.
    pub(super) block: u128,
    /// Whether it is a hash under the key, and not the nonce itself that everybody knows.
    pub(super) secret: bool,
}

impl First {
    /// From the block as a big-endian number.
    #[inline(always)]
    pub(super) fn of(block: u128, secret: bool) -> Self {
        let swapped = Self {
            block: block.swap_bytes(),
            secret,
        };
        swapped.with(block as u32)
    }

    #[inline(always)]
    fn counter(self) -> u32 {
        (self.block >> 96) as u32
    }

    /// With another counter.
    #[inline(always)]
    fn with(self, counter: u32) -> Self {
        let block = self.block & !(0xffff_ffff << 96) | u128::from(counter) << 96;
        Self { block, ..self }
    }

    /// The block as a big-endian number, but for its counter.
    #[inline(always)]
    pub(super) fn nonce(self) -> u128 {
        self.with(0).block.swap_bytes()
    }

    /// Whether only the last byte changes in `blocks` counters from the `n`th after J₀ on, and tells nothing of a secret.
    #[inline(always)]
    pub(super) fn stays_in_page(self, n: u32, blocks: usize) -> bool {
        let last_byte = (self.counter().wrapping_add(n) & 0xff) as usize;
        !self.secret && last_byte + blocks <= PAGE
    }

    /// The first AddRoundKey of the blocks that differ from the one with this counter in their last byte alone, which is zero.
    #[inline(always)]
    unsafe fn page<L: Multiply>(self, keys: Stored, counter: u32) -> L {
        // SAFETY: as the caller.
        unsafe {
            let zeroth = L::splat(self.with(counter & !0xff).block).to_blocks();
            zeroth.xor(keys.front(0))
        }
    }

    /// The counters of a vector that begins `n` blocks on.
    #[inline(always)]
    pub(super) unsafe fn next<L: Multiply>(self, n: u32) -> L {
        // SAFETY: as the caller.
        unsafe { self.with(self.counter().wrapping_add(n)).counters() }
    }

    /// Counters from J₀ on.
    #[inline(always)]
    pub(super) unsafe fn counters<L: Multiply>(self) -> L {
        // SAFETY: as the caller.
        unsafe { L::counters_of(self.block) }
    }
}

/// J₀ of a nonce of 12 bytes.
#[inline(always)]
pub(super) fn first_counter(nonce: &[u8; 12]) -> First {
    First {
        block: zeroth_counter(nonce) | 1 << 96,
        secret: false,
    }
}

/// The counter block before it, whose counter is zero.
#[inline(always)]
fn zeroth_counter(nonce: &[u8; 12]) -> u128 {
    // Word by word: callers often write a sequence number into the last ones just before.
    let word = |i: usize| {
        let word = u32::from_le_bytes([nonce[i], nonce[i + 1], nonce[i + 2], nonce[i + 3]]);
        by_itself(u64::from(word))
    };
    u128::from(word(0) | word(4) << 32) | u128::from(word(8)) << 64
}

/// Counter blocks after the first AddRoundKey, for what ends a message.
pub(super) trait Blocks<L>: Copy {
    /// Those of the text's vector `i`.
    unsafe fn of(self, i: usize) -> L;

    /// The same with J₀ in place of the lanes that `tag` selects.
    unsafe fn with_first(self, i: usize, tag: L) -> L;
}

/// Counter blocks on their way into the rounds, for whole batches.
pub(super) trait Batches<L> {
    /// How many rounds are done with.
    fn done(&self) -> usize;

    /// The states of the next batch, after those rounds, or the first AddRoundKey.
    unsafe fn batch(&mut self) -> [L; WIDE];

    /// What they are made of: to be kept in a register.
    fn page(&mut self) -> &mut L;
}

/// Those of which only the last byte changes, as in a short message with a nonce of 12 bytes.
#[derive(Clone, Copy)]
pub(super) struct Short<L> {
    zeroth: L,
    /// What the last bytes add, from the text's next block on.
    last_bytes: *const u128,
}

impl<L: Multiply> Short<L> {
    #[inline(always)]
    pub(super) unsafe fn new(keys: Stored, nonce: &[u8; 12]) -> Self {
        // SAFETY: as the caller.
        unsafe {
            Self {
                zeroth: L::splat(zeroth_counter(nonce)).xor(keys.front(0)),
                // J₀'s counter is 1.
                last_bytes: PLAIN.entries().add(2),
            }
        }
    }

    /// From the `n`th after J₀ on, as long as [`First::stays_in_page`].
    #[inline(always)]
    pub(super) unsafe fn after(keys: Stored, first: First, n: u32) -> Self {
        let counter = first.counter().wrapping_add(n);
        // SAFETY: as the caller; there is an entry for each last byte.
        unsafe {
            Self {
                zeroth: first.page(keys, counter),
                last_bytes: PLAIN.entries().add((counter & 0xff) as usize),
            }
        }
    }

    #[inline(always)]
    unsafe fn last_bytes(self, i: usize) -> L {
        // SAFETY: there is an entry for each block of a short message, and a batch more; and, of what goes on in a message, for
        // each of the page that it stays in.
        unsafe { L::load(self.last_bytes.add(i * L::BLOCKS).cast()) }
    }
}

impl<L: Multiply> Blocks<L> for Short<L> {
    #[inline(always)]
    unsafe fn of(self, i: usize) -> L {
        // SAFETY: as the caller.
        unsafe { self.zeroth.xor(self.last_bytes(i)) }
    }

    #[inline(always)]
    unsafe fn with_first(self, i: usize, tag: L) -> L {
        // SAFETY: as the caller.
        unsafe {
            let text = self.last_bytes(i);
            let first = L::splat(*PLAIN.entries().add(1));
            self.zeroth.xor(text.xor(text.xor(first).and(tag)))
        }
    }
}

impl<L: Multiply> Batches<L> for Short<L> {
    #[inline(always)]
    fn done(&self) -> usize {
        0
    }

    #[inline(always)]
    unsafe fn batch(&mut self) -> [L; WIDE] {
        // SAFETY: as the caller.
        unsafe {
            let mut states = [self.zeroth; WIDE];
            for (i, state) in states.iter_mut().enumerate() {
                *state = self.of(i);
            }
            self.last_bytes = self.last_bytes.add(WIDE * L::BLOCKS);
            states
        }
    }

    #[inline(always)]
    fn page(&mut self) -> &mut L {
        &mut self.zeroth
    }
}

/// Those of any message.
#[derive(Clone, Copy)]
pub(super) struct Any<L> {
    keys: Stored,
    first: First,
    /// The counters of the text's first vector.
    counter: L,
}

impl<L: Multiply> Any<L> {
    /// From the `n`th after J₀ on.
    #[inline(always)]
    pub(super) unsafe fn new(keys: Stored, first: First, n: u32) -> Self {
        // SAFETY: as the caller.
        unsafe {
            Self {
                keys,
                first,
                counter: first.next(n),
            }
        }
    }

    #[inline(always)]
    unsafe fn counters(self, i: usize) -> L {
        // SAFETY: as the caller.
        unsafe { self.counter.count((i * L::BLOCKS) as u32) }
    }

    #[inline(always)]
    unsafe fn whitened(self, counters: L) -> L {
        // SAFETY: as the caller.
        unsafe { counters.to_blocks().xor(self.keys.front(0)) }
    }
}

impl<L: Multiply> Blocks<L> for Any<L> {
    #[inline(always)]
    unsafe fn of(self, i: usize) -> L {
        // SAFETY: as the caller.
        unsafe { self.whitened(self.counters(i)) }
    }

    #[inline(always)]
    unsafe fn with_first(self, i: usize, tag: L) -> L {
        // SAFETY: as the caller.
        unsafe {
            let text = self.counters(i);
            let first = L::splat(self.first.block);
            self.whitened(text.xor(text.xor(first).and(tag)))
        }
    }
}

/// Counter blocks on their way into the rounds.
///
/// While only the counter's last byte changes, the state after the first AddRoundKey is a constant xor a block
/// that holds nothing but that byte; after the first round or two it is another constant xor an entry of the table
/// that [`crate::ahead`] explains. One xor with memory serves for all.
///
/// Addresses and branches would then tell the counter. Where it is secret, each batch is made by additions instead.
pub(super) struct Counters<'a, L> {
    keys: Stored,
    first: First,
    /// The next one; if J₀ is secret, how many there are from J₀ to it.
    counter: u32,
    /// A batch that begins with no more than this left of the page is not of this page alone.
    within: usize,
    /// What each last byte adds.
    table: &'a LastBytes,
    /// How many rounds the table has in it.
    done: usize,
    /// The state where the last byte is zero.
    page: L,
    /// That of the page after it: made long before it is needed, since nothing can begin without it.
    next: L,
}

/// What each last byte adds; a batch that begins within the 256 may end after them, where they begin again.
///
/// Two blocks stand before: messages begin at counter 2, and from there on vectors do not cross lines.
type LastBytes = ahead::LastBytes<2, { PAGE + LONGEST_BATCH }>;

/// A key's own.
pub(crate) type Ahead = ahead::Ahead<ahead::Apart<2, { PAGE + LONGEST_BATCH }>>;

static PLAIN: LastBytes = LastBytes::PLAIN;

/// Counters that differ in their last byte alone.
const PAGE: usize = 256;

/// Blocks in a batch of the widest vectors.
const LONGEST_BATCH: usize = 32;

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
    /// From the `n`th after J₀ on.
    #[inline(always)]
    pub(super) unsafe fn new(keys: Stored, first: First, n: u32, ahead: Option<&'a Ahead>) -> Self {
        // SAFETY: as the caller.
        unsafe {
            let mut counters = Self {
                keys,
                first,
                counter: n,
                within: PAGE,
                table: &PLAIN,
                done: 0,
                page: L::splat(0),
                next: L::splat(0),
            };
            if !first.secret {
                counters.counter = first.counter().wrapping_add(n);
                counters.within = WIDE * L::BLOCKS;
                if let Some(ahead) = ahead
                    && let Some(table) = ahead.table()
                {
                    (counters.table, counters.done) = (table, ahead.rounds());
                }
                counters.page = counters.page_of(counters.counter);
                counters.next = counters.page_of(counters.counter.wrapping_add(PAGE as u32));
            }
            counters
        }
    }

    /// The page that `counter` stands in.
    #[inline(always)]
    unsafe fn page_of(&self, counter: u32) -> L {
        // SAFETY: as the caller.
        unsafe {
            let mut page: L = self.first.page(self.keys, counter);
            for round in 1..=self.done {
                page = page.round(self.keys.front(round));
            }
            page
        }
    }

    /// The states of the batch that was just counted, after the first AddRoundKey.
    #[inline(always)]
    unsafe fn added(&self) -> [L; WIDE] {
        // SAFETY: as the caller.
        unsafe {
            let begin = self.counter.wrapping_sub((WIDE * L::BLOCKS) as u32);
            let blocks = Any::<L>::new(self.keys, self.first, begin);
            let mut states = [blocks.of(0); WIDE];
            for (i, state) in states.iter_mut().enumerate().skip(1) {
                *state = blocks.of(i);
            }
            states
        }
    }
}

impl<L: Multiply> Batches<L> for Counters<'_, L> {
    #[inline(always)]
    fn done(&self) -> usize {
        self.done
    }

    #[inline(always)]
    unsafe fn batch(&mut self) -> [L; WIDE] {
        // SAFETY: as the caller; there is an entry for each last byte, and in each static table a place for
        // each of a batch's blocks.
        unsafe {
            let last_byte = (self.counter & 0xff) as usize;
            let entries = self.table.entries().add(last_byte);
            let page = self.page;
            let mut states = [page; WIDE];
            self.counter = self.counter.wrapping_add((WIDE * L::BLOCKS) as u32);
            let left = PAGE - last_byte;
            for (i, state) in states.iter_mut().enumerate() {
                *state = page.xor(L::load(entries.add(i * L::BLOCKS).cast()));
            }
            if left <= self.within {
                cold_path();
                if self.first.secret {
                    return self.added();
                }
                self.page = self.next;
                self.next = self.page_of(self.counter.wrapping_add(PAGE as u32));
                let difference = self.page.xor(page);
                let after = AFTER.0.as_ptr().add(LONGEST_BATCH - left);
                macro_rules! add {
                    ($range:expr) => {
                        for i in $range {
                            let after = L::load(after.add(i * L::BLOCKS).cast());
                            states[i] = states[i].xor(difference.and(after));
                        }
                    };
                }
                // Messages begin at counter 2: mostly only the last vector goes beyond the page.
                if left < (WIDE - 1) * L::BLOCKS {
                    add!(0..WIDE - 1);
                }
                add!(WIDE - 1..WIDE);
            }
            states
        }
    }

    #[inline(always)]
    fn page(&mut self) -> &mut L {
        &mut self.page
    }
}
