//! Many chains block by block: [`crate::many`] for vectors of which a permutation costs as much as a round.
//!
//! So nothing is moved across a vector: a block comes by a load of its own, into both lanes where it goes to the upper one,
//! and is stored from its lane. Of 1344 bytes on Zen 3, 91 ns a message; by way of memory, beside the rounds of the blocks
//! after them, it was 96. Vectors of a block each do go beside those rounds (154 for 172): by way of memory, or from
//! registers where loads are scarce and registers are not (195 for 233).

use core::marker::PhantomData;

use crate::{
    BLOCK,
    chains::{Chains, Lane},
    key::RoundKeys,
    lanes::Lanes,
    many::Many,
    rounds::{Filler, Round, Schedule, anew, crypt, middle},
};

/// Vectors that take single blocks.
///
/// # Safety
/// As [`Lanes`].
pub(crate) trait Gather: Lanes {
    /// The blocks at the first [`Lanes::BLOCKS`] addresses; the others are not touched.
    unsafe fn gather(blocks: [*const u8; 2]) -> Self;
    /// Its blocks to the first [`Lanes::BLOCKS`] addresses; the others are not touched.
    unsafe fn scatter(self, to: [*mut u8; 2]);
}

/// Block by block.
pub(crate) struct OneByOne;

impl<L: Gather> Many<L> for OneByOne {
    #[inline(always)]
    unsafe fn run<S: Schedule<L>, const N: usize, const OUT: bool>(
        keys: S,
        chains: &mut Chains,
        blocks: usize,
    ) {
        let places = chains.places();
        let (lanes, ends) = (places.lanes.cast_const(), places.values);
        let end = blocks * BLOCK;
        // SAFETY: there is room for a block of each lane. Addresses stay within the blocks of the messages, and in place
        // a block is read before it is written.
        unsafe {
            let mut values = [L::splat(0); N];
            for (i, value) in values.iter_mut().enumerate() {
                *value = L::load(ends.add(i * L::BLOCKS).cast());
            }
            if OUT {
                // The first time it is this that goes, to where the first output will.
                let mut going = Going::<L, S, N> {
                    values,
                    room: places.room,
                    lanes,
                    at: 0,
                    keys: PhantomData,
                };
                going.keep(values, 0);
                let mut at = 0;
                while at < end {
                    let keys = keys.anew();
                    let states = add::<_, S, N>(values, lanes, at, keys.front(0));
                    if L::BLOCKS == 1 {
                        values = crypt::<L, _, N, false>(keys, states, &mut going);
                        going.keep(values, at);
                    } else {
                        values = crypt::<L, _, N, false>(keys, states, &mut ());
                        scatter(values, lanes, at);
                    }
                    at += BLOCK;
                }
                if L::BLOCKS == 1 {
                    for slot in 0..8 {
                        going.fill(slot);
                    }
                }
            } else {
                // What is added to a block on its way out of one encryption and into the next is one addition.
                let mut states = add::<_, S, N>(values, lanes, 0, keys.front(0));
                let mut at = BLOCK;
                while at < end {
                    let keys = keys.anew();
                    states = middle::<L, _, N, 0, 0, false>(keys, states, true, &mut ());
                    let (last, first) = (keys.place(14), keys.front(0));
                    for (i, state) in states.iter_mut().enumerate() {
                        let between = last.of(i).xor(first.of(i));
                        *state = state.last_round(gather::<L>(lanes, i, at).xor(between));
                    }
                    at += BLOCK;
                }
                values = crypt::<L, _, N, false>(keys.anew(), states, &mut ());
            }
            store_all(values, ends.cast());
        }
    }

    #[inline(always)]
    unsafe fn place_keys(keys: [*const RoundKeys; 4], start: usize, to: *mut u8) {
        for place in start..15 {
            // SAFETY: as the caller, who has AES; one of fifteen places.
            unsafe {
                let [low, high] =
                    [keys[0], keys[L::BLOCKS - 1]].map(|key| (&raw const (*key).blocks[place]).cast());
                L::gather([low, high]).store(to.add(place * 8 * L::BYTES));
            }
        }
    }
}

#[inline(always)]
unsafe fn store_all<L: Lanes, const N: usize>(values: [L; N], to: *mut u8) {
    for (i, value) in values.into_iter().enumerate() {
        // SAFETY: as the caller.
        unsafe { value.store(to.add(i * L::BYTES)) }
    }
}

/// Adds the blocks that are so many bytes on, and the first round key.
#[inline(always)]
unsafe fn add<L: Gather, S: Schedule<L>, const N: usize>(
    mut values: [L; N],
    lanes: *const Lane,
    at: usize,
    first: S::Round,
) -> [L; N] {
    for (i, value) in values.iter_mut().enumerate() {
        // SAFETY: as the caller. Pinned, so that what is known beforehand is added up beforehand.
        unsafe { *value = value.xor(gather::<L>(lanes, i, at).xor(first.of(i)).pin()) }
    }
    values
}

/// The blocks of vector `i` that are so many bytes on.
#[inline(always)]
unsafe fn gather<L: Gather>(lanes: *const Lane, i: usize, at: usize) -> L {
    // SAFETY: as the caller.
    unsafe {
        let lane = lanes.add(i * L::BLOCKS);
        let upper = lane.add(L::BLOCKS - 1);
        L::gather([(*lane).src.add(at), (*upper).src.add(at)])
    }
}

/// Stores vectors' blocks so many bytes on.
#[inline(always)]
unsafe fn scatter<L: Gather, const N: usize>(values: [L; N], lanes: *const Lane, at: usize) {
    for (i, value) in values.into_iter().enumerate() {
        // SAFETY: as the caller.
        unsafe {
            let lane = lanes.add(i * L::BLOCKS);
            let upper = lane.add(L::BLOCKS - 1);
            value.scatter([(*lane).dst.add(at), (*upper).dst.add(at)]);
        }
    }
}

/// Sends vectors of one block to their messages, a share of them in each step.
struct Going<L, S, const N: usize> {
    /// In registers where each lane has a key.
    values: [L; N],
    /// Otherwise here.
    room: *mut u8,
    lanes: *const Lane,
    /// Bytes of each message before those that go.
    at: usize,
    keys: PhantomData<S>,
}

impl<L: Gather, S: Schedule<L>, const N: usize> Going<L, S, N> {
    #[inline(always)]
    unsafe fn keep(&mut self, values: [L; N], at: usize) {
        if S::OF_LANES {
            self.values = values;
        } else {
            // SAFETY: as the caller.
            unsafe { store_all(values, self.room) };
        }
        self.at = at;
    }
}

impl<L: Gather, S: Schedule<L>, const N: usize> Filler for Going<L, S, N> {
    #[inline(always)]
    unsafe fn fill(&mut self, slot: usize) {
        // What moves a block within a register the compiler takes for as good as memory.
        let room = anew(self.room.cast_const());
        for i in slot * N / 8..(slot + 1) * N / 8 {
            // SAFETY: as the caller.
            unsafe {
                let value = if S::OF_LANES {
                    self.values[i]
                } else {
                    L::load(room.add(i * BLOCK))
                };
                value.store((*self.lanes.add(i)).dst.add(self.at));
            }
        }
    }
}
