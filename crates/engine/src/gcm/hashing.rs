//! The hash of a batch in steps, to be done between rounds of AES.

use crate::{
    ghash::{At, Half, Pair, Sum},
    lanes::Multiply,
};

/// The hash of eight vectors, the first of a section if `BEGIN`.
pub(super) struct Hashing<L, const BEGIN: bool> {
    pub(super) sum: Sum<L>,
    /// What was hashed before the section. Its middle becomes the hash, in steps that lie so far apart that none has
    /// to wait for the one before, and is added to the first block at the end.
    before: Half<L>,
    pair: Pair<L>,
    hashed: *const u8,
    at: At,
}

impl<L: Multiply, const BEGIN: bool> Hashing<L, BEGIN> {
    /// Three products for each of four pairs.
    pub(super) const STEPS: usize = 12;

    /// Of the vectors at `hashed`, with their powers from `at` on and `sum` before them.
    #[inline(always)]
    pub(super) unsafe fn new(hashed: *const u8, at: At, sum: Sum<L>) -> Self {
        // SAFETY: as the caller.
        unsafe {
            let (zero, none) = (Sum::zero(), L::splat(0));
            let (sum, before) = if BEGIN { (zero, sum) } else { (sum, zero) };
            Self {
                sum,
                before: before.half_reduced(),
                pair: Pair::new(none, none, at),
                hashed,
                at,
            }
        }
    }

    /// Does one step; each is to be done once, in order.
    ///
    /// # Safety
    /// As [`Multiply`]; eight vectors are to be hashed, and there are powers for them.
    #[inline(always)]
    pub(super) unsafe fn step(&mut self, step: usize) {
        // SAFETY: as the caller.
        unsafe {
            if BEGIN {
                match step {
                    2 => self.before.middle = self.before.reduce(),
                    4 => self.before.middle = self.before.middle.fold(),
                    6 => self.before.middle = self.before.middle.reflect(),
                    _ => {}
                }
            }
            match step % 3 {
                0 => {
                    // The first pair comes last: it takes what was before.
                    let i = (step / 3 + 1) % 4;
                    let half = 4 / L::BLOCKS;
                    let first = i / half * 2 * half + i % half;
                    let mut a = L::load(self.hashed.add(first * L::BYTES));
                    let b = L::load(self.hashed.add((first + half) * L::BYTES));
                    if BEGIN && i == 0 {
                        a = a.xor(self.before.middle);
                    }
                    self.pair = Pair::new(a, b, self.at.after(first * L::BLOCKS));
                    self.sum = self.pair.low(self.sum);
                }
                1 => self.sum = self.pair.high(self.sum),
                _ => self.sum = self.pair.both(self.sum),
            }
        }
    }

    /// Keeps rounds and steps in the order in which they are written.
    #[inline(always)]
    pub(super) unsafe fn pin<const N: usize>(&mut self, states: &mut [L; N], page: &mut L) {
        // SAFETY: as the caller.
        unsafe {
            if let Ok(batch) = (&mut states[..]).try_into() {
                let reduced = BEGIN.then_some(&mut self.before.middle);
                L::pin_batch(batch, &mut self.sum, page, reduced);
                return;
            }
            for state in states {
                *state = state.pin();
            }
            self.sum = L::pin_sum(self.sum);
        }
    }
}
