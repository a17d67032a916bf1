//! The first rounds of counter blocks, made ahead.
//!
//! Between two carries out of its last byte, only that byte of the counter block changes, and in the first round it
//! reaches only four bytes of the state: ShiftRows moves byte 15 into column 0, MixColumns spreads it there. What
//! follows SubBytes is linear, so
//!
//! ```text
//! round1(prefix ‖ b) = round1(prefix ‖ 0) ⊕ D₁[b]    with    D₁[b] = round1(0 ‖ b) ⊕ round1(0 ‖ 0),
//! ```
//!
//! and D₁ depends on the key alone. In the second round these four bytes go through the S-box, each by itself, and again
//! the rest is linear:
//!
//! ```text
//! round2(prefix ‖ b) = round2(prefix ‖ 0) ⊕ D₂[b].
//! ```
//!
//! D₂ depends on what else is in column 0 after the first round, which bytes 0, 5 and 10 of the counter block make. A
//! counter takes 2⁴⁰ blocks to reach the last of them, and nonces that are counted 256 messages. So a state after one round
//! or two costs one load and one xor, and AES-128 takes eight rounds where ten are counted. (Counter-mode caching:
//! Bernstein and Schwabe, "New AES software speed records", INDOCRYPT 2008; both rounds in one table: Park and Lee,
//! "FACE: Fast AES CTR mode Encryption Techniques based on the Reuse of Repetitive Data", CHES 2018.)
//!
//! The address read depends on the counter's last byte, and when a table is made on those three, on nothing else;
//! SECURITY.md says why that tells nobody anything.

#[cfg(vectors)]
use alloc::{
    alloc::{Layout, alloc},
    boxed::Box,
};
use core::{hint::black_box, mem::MaybeUninit};
#[cfg(vectors)]
use core::{hint::cold_path, ptr::NonNull};

use zeroize::Zeroize;

use crate::copy::copy;
#[cfg(vectors)]
use crate::{
    key::RoundKeys,
    lanes::Lanes,
    rounds::{Schedule, Stored},
};

/// What each value of a counter's last byte adds to the state, after as many rounds as the table has been taken through.
///
/// `BEFORE` blocks stand before, to align those that are read most; after the 256 the first come again, `N` in all.
#[repr(C, align(64))]
pub(crate) struct LastBytes<const BEFORE: usize, const N: usize> {
    before: [MaybeUninit<u128>; BEFORE],
    entries: [MaybeUninit<u128>; N],
}

impl<const BEFORE: usize, const N: usize> LastBytes<BEFORE, N> {
    /// Before the first round: blocks that hold nothing but that byte.
    #[cfg(vectors)]
    pub(crate) const PLAIN: Self = {
        let mut table = Self {
            before: [MaybeUninit::new(0); BEFORE],
            entries: [MaybeUninit::new(0); N],
        };
        let mut i = 0;
        while i < N {
            table.entries[i] = MaybeUninit::new((i as u128 & 0xff) << 120);
            i += 1;
        }
        table
    };

    /// Where the first of `N` stands. Of a key that has none ahead they hold anything.
    #[cfg(vectors)]
    #[inline(always)]
    pub(crate) const fn entries(&self) -> *const u128 {
        self.entries.as_ptr().cast()
    }
}

/// A key's table, which goes through one round and then a second, each once that pays.
pub(crate) struct Ahead<P> {
    /// How many rounds are in the table, 0 to 2. Without any there is no table.
    rounds: usize,
    /// [`COLUMN`] of the last counter.
    column: u128,
    /// Bytes encrypted since `rounds` changed and, if there is a table, `column`.
    encrypted: usize,
    place: P,
}

/// Where a key has its table.
pub(crate) trait Place {
    /// A place without a table, of memory that holds anything.
    ///
    /// # Safety
    /// `place` is valid for writes.
    unsafe fn make_room(place: *mut Self);

    /// The first 256 entries and, after them, as many as stand there again; of a new table they hold anything. `None`: there
    /// is no memory for one.
    fn table(&mut self) -> Option<&mut [MaybeUninit<u128>]>;
}

/// In the key itself, for keys that must lie in one piece.
pub(crate) struct Here<const BEFORE: usize, const N: usize>(LastBytes<BEFORE, N>);

/// On the heap, from the first round on that is made ahead: where there are many keys none of them ever makes one. The next key
/// has it too.
#[cfg(vectors)]
pub(crate) struct Apart<const BEFORE: usize, const N: usize>(Option<Box<LastBytes<BEFORE, N>>>);

impl<const BEFORE: usize, const N: usize> Place for Here<BEFORE, N> {
    unsafe fn make_room(_: *mut Self) {}

    #[inline(always)]
    fn table(&mut self) -> Option<&mut [MaybeUninit<u128>]> {
        Some(&mut self.0.entries)
    }
}

#[cfg(vectors)]
impl<const BEFORE: usize, const N: usize> Place for Apart<BEFORE, N> {
    unsafe fn make_room(place: *mut Self) {
        // SAFETY: as the caller.
        unsafe { place.write(Self(None)) };
    }

    #[cold]
    fn table(&mut self) -> Option<&mut [MaybeUninit<u128>]> {
        if self.0.is_none() {
            let layout = Layout::new::<LastBytes<BEFORE, N>>();
            // SAFETY: the layout has a size.
            let room = NonNull::new(unsafe { alloc(layout) })?;
            // SAFETY: it was just allocated by the global allocator, as a box is, with the layout of a table, which may hold
            // anything.
            self.0 = Some(unsafe { Box::from_raw(room.cast().as_ptr()) });
        }
        self.0.as_mut().map(|table| &mut table.entries[..])
    }
}

/// The bytes of a counter block with which the last makes column 0 of the state in the first round: 0, 5 and 10.
#[cfg(vectors)]
const COLUMN: u128 = 0xff << 120 | 0xff << 80 | 0xff << 40;

impl<P: Place> Ahead<P> {
    /// As [`crate::material::Expanded::make_room`].
    ///
    /// # Safety
    /// As that.
    pub(crate) unsafe fn make_room(place: *mut Self) {
        // SAFETY: as the caller.
        unsafe {
            (&raw mut (*place).rounds).write(0);
            (&raw mut (*place).column).write(0);
            (&raw mut (*place).encrypted).write(0);
            P::make_room(&raw mut (*place).place);
        }
    }
}

impl<const BEFORE: usize, const N: usize> Ahead<Here<BEFORE, N>> {
    /// Becomes the same, from memory to memory.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.rounds = other.rounds;
        self.column = other.column;
        self.encrypted = other.encrypted;
        if other.rounds > 0 {
            copy(&mut self.place.0.entries, &other.place.0.entries);
        }
    }

    #[cfg(vectors)]
    #[inline(always)]
    pub(crate) fn table(&self) -> &LastBytes<BEFORE, N> {
        &self.place.0
    }
}

#[cfg(vectors)]
impl<const BEFORE: usize, const N: usize> Ahead<Apart<BEFORE, N>> {
    /// Becomes as one without a table that has encrypted as much or, where `other` has a table, as much as `then`: it makes one
    /// itself when that pays.
    pub(crate) fn copy_from(&mut self, other: &Self, then: usize) {
        assert_eq!(self.rounds, 0, "a table that is still there would not be wiped");
        self.column = 0;
        self.encrypted = if other.rounds > 0 { then } else { other.encrypted };
    }

    /// If there is a round in it.
    #[inline(always)]
    pub(crate) fn table(&self) -> Option<&LastBytes<BEFORE, N>> {
        self.place.0.as_deref().filter(|_| self.rounds > 0)
    }
}

#[cfg(vectors)]
impl<P: Place> Ahead<P> {
    /// How many rounds are ahead.
    #[inline(always)]
    pub(crate) fn rounds(&self) -> usize {
        self.rounds
    }

    /// Bytes encrypted since the last round was made, if any.
    #[inline(always)]
    pub(crate) fn encrypted(&self) -> usize {
        self.encrypted
    }

    /// Readies the table for `len` bytes from `counter` on: makes the first round after the first of `after` bytes, the
    /// second after the second of them with the same [`COLUMN`].
    ///
    /// # Safety
    /// As [`Lanes`].
    #[inline(always)]
    pub(crate) unsafe fn reach<L: Lanes>(
        &mut self,
        keys: &RoundKeys,
        counter: u128,
        len: usize,
        after: [usize; 2],
    ) {
        if self.rounds == 2 && counter & COLUMN == self.column {
            return;
        }
        cold_path();
        if self.rounds > 0 && counter & COLUMN != self.column {
            self.column = counter & COLUMN;
            self.encrypted = 0;
            if self.rounds == 2 {
                // SAFETY: as the caller.
                unsafe { self.first_round::<L>(keys) };
            }
        }
        self.encrypted = self.encrypted.saturating_add(len);
        if self.encrypted >= after[self.rounds] {
            // SAFETY: as the caller.
            unsafe {
                if self.rounds == 0 {
                    self.first_round::<L>(keys);
                } else {
                    self.second_round::<L>(keys, counter);
                }
            }
        }
    }

    /// # Safety
    /// As [`Lanes`].
    #[inline(always)]
    unsafe fn first_round<L: Lanes>(&mut self, keys: &RoundKeys) {
        let Some(table) = self.place.table() else {
            // To be asked for again after as many bytes more.
            self.encrypted = 0;
            return;
        };
        // SAFETY: as the caller; there are 256 entries and more, of which vectors hold 1, 2 or 4. The keys are lent for as
        // long as they are used.
        unsafe {
            let keys = Stored::new(keys);
            let round = keys.front(1);
            let mut counters = L::counters(0);
            let whitening: L = keys.front(0);
            let zero = whitening.round(round);
            for entries in table[..256].chunks_exact_mut(L::BLOCKS) {
                let state = counters.to_blocks().xor(whitening).round(round);
                state.xor(zero).store(entries.as_mut_ptr().cast());
                counters = counters.count(L::BLOCKS as u32);
            }
        }
        repeat(table);
        (self.rounds, self.encrypted) = (1, 0);
    }

    /// # Safety
    /// As [`Lanes`].
    #[inline(always)]
    unsafe fn second_round<L: Lanes>(&mut self, keys: &RoundKeys, counter: u128) {
        // There is one: the first round's.
        let Some(table) = self.place.table() else {
            return;
        };
        // SAFETY: as above.
        unsafe {
            let keys = Stored::new(keys);
            let round = keys.front(2);
            let first = L::splat((counter & !0xff).swap_bytes())
                .xor(keys.front(0))
                .round(keys.front(1));
            let second = first.round(round);
            for entries in table[..256].chunks_exact_mut(L::BLOCKS) {
                let entries = entries.as_mut_ptr().cast();
                L::load(entries)
                    .xor(first)
                    .round(round)
                    .xor(second)
                    .store(entries);
            }
        }
        repeat(table);
        (self.rounds, self.encrypted) = (2, 0);
    }
}

/// Writes the first entries again, after the 256.
#[cfg(vectors)]
#[inline(always)]
fn repeat(table: &mut [MaybeUninit<u128>]) {
    let (table, again) = table.split_at_mut(256);
    copy(again, &table[..again.len()]);
}

impl<P: Place> Zeroize for Ahead<P> {
    fn zeroize(&mut self) {
        if self.rounds > 0
            && let Some(table) = self.place.table()
        {
            table.fill(MaybeUninit::new(0));
            black_box(table);
        }
        (self.rounds, self.column, self.encrypted) = (0, 0, 0);
    }
}
