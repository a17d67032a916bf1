//! Keys of lanes: many messages side by side that have keys of their own ([`crate::each`]).

use core::{
    hint::black_box,
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
    /// The bytes of the table that have keys. What else was written are the zeros before those of a shorter key.
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
    pub(crate) unsafe fn of<L: Lanes, const N: usize>(&mut self, chains: &mut Chains) -> OfVectors<L, N> {
        let keys = chains.places().keys.cast_const();
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
        let mut keys = OfVectors {
            table,
            rounds,
            // SAFETY: as the caller.
            held: [[unsafe { L::splat(0) }; N]; HELD],
        };
        for round in 0..OfVectors::<L, N>::HELD {
            for vector in 0..N {
                // SAFETY: as above; the last places are there whatever the size of the keys.
                keys.held[round][vector] = unsafe { keys.stored(14 - round).of(vector) };
            }
        }
        keys
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

/// The keys of `N` vectors' lanes.
#[derive(Clone, Copy)]
pub(crate) struct OfVectors<L, const N: usize> {
    table: *const u8,
    rounds: usize,
    /// Those of the last rounds, from the last one on, where there are registers for them: loads are what bounds this, and
    /// one whose address ends like that of a store in flight waits for it.
    held: [[L; N]; HELD],
}

/// How many vectors are in flight, each with keys of its own: with four there are registers for half of their keys, where
/// eight would load all.
pub(crate) const fn vectors<L: Lanes>() -> usize {
    if L::BLOCKS < 4 { 8 } else { 4 }
}

/// The rounds whose keys are held in registers where four vectors are in flight: with one more, some went to the stack.
const HELD: usize = 5;

impl<L: Lanes, const N: usize> OfVectors<L, N> {
    const HELD: usize = if vectors::<L>() == 4 { HELD } else { 0 };

    /// What the table has at a place.
    #[inline(always)]
    unsafe fn stored(&self, place: usize) -> RoundOfVectors<L, N> {
        // SAFETY: the caller keeps the keys, and the place is one of fifteen.
        RoundOfVectors::Stored(unsafe { self.table.add(place * 8 * L::BYTES) })
    }
}

impl<L: Lanes, const N: usize> Schedule<L> for OfVectors<L, N> {
    type Round = RoundOfVectors<L, N>;
    #[cfg(target_arch = "x86_64")]
    const OF_LANES: bool = true;

    #[inline(always)]
    fn rounds(&self) -> usize {
        self.rounds
    }

    #[inline(always)]
    unsafe fn front(&self, round: usize) -> RoundOfVectors<L, N> {
        // SAFETY: the first key stands at one of the first five places.
        unsafe { self.stored(14 - self.rounds + round) }
    }

    #[inline(always)]
    unsafe fn place(&self, place: usize) -> RoundOfVectors<L, N> {
        if place + Self::HELD > 14 {
            return RoundOfVectors::Held(self.held[14 - place]);
        }
        // SAFETY: as the caller.
        unsafe { self.stored(place) }
    }

    #[inline(always)]
    fn anew(self) -> Self {
        let table = anew(self.table);
        Self { table, ..self }
    }
}

/// The keys of a round, or where they stand.
#[derive(Clone, Copy)]
pub(crate) enum RoundOfVectors<L, const N: usize> {
    Stored(*const u8),
    Held([L; N]),
}

impl<L: Lanes, const N: usize> Round<L> for RoundOfVectors<L, N> {
    #[inline(always)]
    unsafe fn of(self, vector: usize) -> L {
        match self {
            // SAFETY: the caller has as many vectors, and their keys are there.
            Self::Stored(keys) => unsafe { L::load(keys.add(vector * L::BYTES)) },
            Self::Held(keys) => keys[vector],
        }
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
        Self(unsafe { chains.places().keys.cast::<[*const RoundKeys; N]>().read() })
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
