//! Keys of lanes: many messages side by side that have keys of their own ([`crate::each`]).

use core::{
    hint::black_box,
    marker::PhantomData,
    mem::MaybeUninit,
    ptr,
    sync::atomic::{Ordering::SeqCst, compiler_fence},
};

use crate::{
    chains::{Chains, LANES},
    key::RoundKeys,
    lanes::Lanes,
    many::Many,
    rounds::{Round, Schedule, anew},
};

/// Round keys by vectors, so that those of a vector's lanes are one load, done beside its round: two loads a cycle are as
/// many as rounds of AES. Dropping wipes it.
#[repr(C, align(64))]
pub(crate) struct LaneKeys {
    /// Those of a round in eight vectors, at the places of [`RoundKeys`].
    table: MaybeUninit<[[u128; LANES]; 15]>,
    /// Whose they are: a lane that goes on with its key, or gets the same again, has it already.
    owners: [*const RoundKeys; LANES],
    /// The bytes of the table that were written.
    start: usize,
    end: usize,
}

impl LaneKeys {
    /// No keys.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self {
            table: MaybeUninit::uninit(),
            owners: [ptr::null(); LANES],
            start: usize::MAX,
            end: 0,
        }
    }

    /// The keys of what the first `N` vectors of lanes have to do, all of one size.
    ///
    /// # Safety
    /// As [`Lanes`]. The chains have a key for each of those lanes; the keys stay what they are until this is dropped.
    #[inline(always)]
    pub(crate) unsafe fn of<L: Lanes, const N: usize>(&mut self, chains: &mut Chains) -> OfVectors<L> {
        let keys = chains.keys().cast_const();
        let table = self.table.as_mut_ptr().cast::<u8>();
        // SAFETY: as the caller.
        let rounds = unsafe { (**keys).rounds };
        let start = 14 - rounds;
        for vector in 0..N {
            let first = vector * L::BLOCKS;
            let owners = &mut self.owners[first..first + L::BLOCKS];
            // SAFETY: as the caller; a vector's place in the table.
            unsafe {
                let mut now = [*keys.add(first); 4];
                for (i, key) in now.iter_mut().enumerate().take(L::BLOCKS) {
                    *key = *keys.add(first + i);
                }
                if *owners != now[..L::BLOCKS] {
                    owners.copy_from_slice(&now[..L::BLOCKS]);
                    L::Many::place_keys(now, start, table.add(vector * L::BYTES));
                }
            }
        }
        self.start = self.start.min(start * 8 * L::BYTES);
        self.end = self.end.max(15 * 8 * L::BYTES);
        OfVectors {
            table,
            rounds,
            lanes: PhantomData,
        }
    }
}

impl Drop for LaneKeys {
    fn drop(&mut self) {
        if self.start < self.end {
            let table = self.table.as_mut_ptr().cast::<u8>();
            // SAFETY: exclusively ours, and within the table.
            unsafe { table.add(self.start).write_bytes(0, self.end - self.start) };
        }
        black_box(&raw mut self.table);
    }
}

/// The keys of eight vectors' lanes.
#[derive(Clone, Copy)]
pub(crate) struct OfVectors<L> {
    table: *const u8,
    rounds: usize,
    lanes: PhantomData<L>,
}

impl<L: Lanes> Schedule<L> for OfVectors<L> {
    type Round = RoundOfVectors;
    #[cfg(target_arch = "x86_64")]
    const OF_LANES: bool = true;

    #[inline(always)]
    fn rounds(&self) -> usize {
        self.rounds
    }

    #[inline(always)]
    unsafe fn front(&self, round: usize) -> RoundOfVectors {
        // SAFETY: the first key stands at one of the first five places.
        unsafe { self.place(14 - self.rounds + round) }
    }

    #[inline(always)]
    unsafe fn place(&self, place: usize) -> RoundOfVectors {
        // SAFETY: the caller keeps the keys, and the place is one of fifteen.
        RoundOfVectors(unsafe { self.table.add(place * 8 * L::BYTES) })
    }

    #[inline(always)]
    fn anew(self) -> Self {
        let table = anew(self.table);
        Self { table, ..self }
    }
}

/// Where the keys of a round stand.
#[derive(Clone, Copy)]
pub(crate) struct RoundOfVectors(*const u8);

impl<L: Lanes> Round<L> for RoundOfVectors {
    #[inline(always)]
    unsafe fn of(self, vector: usize) -> L {
        // SAFETY: the caller has as many vectors, and their keys are there.
        unsafe { L::load(self.0.add(vector * L::BYTES)) }
    }
}

/// Where each lane's keys are, for vectors that are a lane each.
#[derive(Clone, Copy)]
pub(crate) struct Pointers<const N: usize>([*const RoundKeys; N]);

impl<const N: usize> Pointers<N> {
    /// The keys of what the first `N` lanes have to do, all of one size.
    ///
    /// # Safety
    /// The chains have a key for each of those lanes; the keys stay what they are as long as this is used.
    #[inline(always)]
    pub(crate) unsafe fn of(chains: &mut Chains) -> Self {
        // SAFETY: as the caller.
        Self(unsafe { chains.keys().cast::<[*const RoundKeys; N]>().read() })
    }
}

impl<L: Lanes, const N: usize> Schedule<L> for Pointers<N> {
    type Round = RoundOfLanes<N>;
    #[cfg(target_arch = "x86_64")]
    const OF_LANES: bool = true;

    #[inline(always)]
    fn rounds(&self) -> usize {
        // SAFETY: whoever made this keeps the keys.
        unsafe { (*self.0[0]).rounds }
    }

    #[inline(always)]
    unsafe fn front(&self, round: usize) -> RoundOfLanes<N> {
        RoundOfLanes {
            keys: self.0,
            place: 14 - Schedule::<L>::rounds(self) + round,
        }
    }

    #[inline(always)]
    unsafe fn place(&self, place: usize) -> RoundOfLanes<N> {
        RoundOfLanes { keys: self.0, place }
    }

    /// Hiding that many pointers would need a register for each.
    #[inline(always)]
    fn anew(self) -> Self {
        compiler_fence(SeqCst);
        self
    }
}

/// A round's place among the keys of each lane.
#[derive(Clone, Copy)]
pub(crate) struct RoundOfLanes<const N: usize> {
    keys: [*const RoundKeys; N],
    place: usize,
}

impl<L: Lanes, const N: usize> Round<L> for RoundOfLanes<N> {
    #[inline(always)]
    unsafe fn of(self, vector: usize) -> L {
        // SAFETY: the caller has as many vectors, and the place is one of fifteen.
        unsafe {
            L::broadcast(
                (&raw const (*self.keys[vector]).blocks)
                    .cast::<u128>()
                    .add(self.place),
            )
        }
    }
}
