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
use core::hint::cold_path;
use core::mem::MaybeUninit;

use zeroize::Zeroize;

use crate::{copy::copy, wipe::overwrite};
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
pub(crate) struct Ahead<const BEFORE: usize, const N: usize> {
    /// How many rounds are in the table, 0 to 2. Without any there is no table.
    rounds: usize,
    /// [`COLUMN`] of the last counter.
    column: u128,
    /// Bytes encrypted since `rounds` changed and, if there is a table, `column`.
    encrypted: usize,
    table: LastBytes<BEFORE, N>,
}

/// The bytes of a counter block with which the last makes column 0 of the state in the first round: 0, 5 and 10.
#[cfg(vectors)]
const COLUMN: u128 = 0xff << 120 | 0xff << 80 | 0xff << 40;

impl<const BEFORE: usize, const N: usize> Ahead<BEFORE, N> {
    /// As [`crate::material::Expanded::make_room`].
    ///
    /// # Safety
    /// As that.
    pub(crate) unsafe fn make_room(place: *mut Self) {
        // SAFETY: as the caller; the table may hold anything.
        unsafe {
            (&raw mut (*place).rounds).write(0);
            (&raw mut (*place).column).write(0);
            (&raw mut (*place).encrypted).write(0);
        }
    }

    /// Becomes the same, from memory to memory.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.rounds = other.rounds;
        self.column = other.column;
        self.encrypted = other.encrypted;
        if other.rounds > 0 {
            copy(&mut self.table.entries, &other.table.entries);
        }
    }
}

#[cfg(vectors)]
impl<const BEFORE: usize, const N: usize> Ahead<BEFORE, N> {
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

    #[inline(always)]
    pub(crate) fn table(&self) -> &LastBytes<BEFORE, N> {
        &self.table
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
            self.encrypted = 0;
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
        // SAFETY: as the caller; there are 256 entries and more, of which vectors hold 1, 2 or 4. The keys are lent for as
        // long as they are used.
        unsafe {
            let keys = Stored::new(keys);
            let round = keys.front(1);
            let mut counters = L::counters(0);
            let whitening: L = keys.front(0);
            let zero = whitening.round(round);
            for entries in self.table.entries[..256].chunks_exact_mut(L::BLOCKS) {
                let state = counters.to_blocks().xor(whitening).round(round);
                state.xor(zero).store(entries.as_mut_ptr().cast());
                counters = counters.count(L::BLOCKS as u32);
            }
        }
        self.made(1);
    }

    /// # Safety
    /// As [`Lanes`].
    #[inline(always)]
    unsafe fn second_round<L: Lanes>(&mut self, keys: &RoundKeys, counter: u128) {
        // SAFETY: as above.
        unsafe {
            let keys = Stored::new(keys);
            let round = keys.front(2);
            let first = L::splat((counter & !0xff).swap_bytes())
                .xor(keys.front(0))
                .round(keys.front(1));
            let second = first.round(round);
            for entries in self.table.entries[..256].chunks_exact_mut(L::BLOCKS) {
                let entries = entries.as_mut_ptr().cast();
                L::load(entries)
                    .xor(first)
                    .round(round)
                    .xor(second)
                    .store(entries);
            }
        }
        self.made(2);
    }

    #[inline(always)]
    fn made(&mut self, rounds: usize) {
        self.rounds = rounds;
        let (table, again) = self.table.entries.split_at_mut(256);
        copy(again, &table[..N - 256]);
    }
}

impl<const BEFORE: usize, const N: usize> Zeroize for Ahead<BEFORE, N> {
    fn zeroize(&mut self) {
        if self.rounds > 0 {
            overwrite(&mut self.table.entries, [MaybeUninit::new(0); N]);
        }
        (self.rounds, self.column, self.encrypted) = (0, 0, 0);
    }
}
