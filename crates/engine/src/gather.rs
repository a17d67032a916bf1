//! Many chains block by block: [`crate::many`] for vectors of which a permutation costs as much as a round.
//!
//! So nothing is moved across a vector. A block comes by a load of its own, into both lanes where it goes to the upper
//! one, and goes by way of memory, where a vector is stored whole and a block of it loaded: beside the rounds of the
//! blocks after it.

use crate::{
    BLOCK,
    chains::{Chains, Lane},
    key::RoundKeys,
    lanes::Lanes,
    many::Many,
    native::Block,
    rounds::{Filler, Keys, anew, crypt, middle},
};

/// Vectors that take single blocks.
///
/// # Safety
/// As [`Lanes`].
pub(crate) trait Gather: Lanes {
    /// The blocks at the first [`Lanes::BLOCKS`] addresses; the others are not touched.
    unsafe fn gather(blocks: [*const u8; 2]) -> Self;
}

/// Block by block.
pub(crate) struct OneByOne;

impl<L: Gather> Many<L> for OneByOne {
    #[inline(always)]
    unsafe fn run<const N: usize, const OUT: bool>(keys: &RoundKeys, chains: &mut Chains, blocks: usize) {
        let places = chains.places();
        let (lanes, ends, outputs) = (places.lanes.cast_const(), places.values, places.room);
        let end = blocks * BLOCK;
        // SAFETY: there is room for a block of each lane. Addresses stay within the blocks of the messages, and in place
        // a block is read before it is written. The keys are lent for as long as they are used.
        unsafe {
            let keys = L::Keys::of(keys);
            let mut values = [L::splat(0); N];
            for (i, value) in values.iter_mut().enumerate() {
                *value = L::load(ends.add(i * L::BLOCKS).cast());
            }
            if OUT {
                // The first time it is this that goes, to where the first output will.
                store_all(values, outputs);
                let mut going = Going::<N> {
                    lanes,
                    outputs,
                    blocks: L::BLOCKS,
                    at: 0,
                };
                let mut at = 0;
                while at < end {
                    let keys = keys.anew();
                    let states = add(values, lanes, at, keys.front(0));
                    values = crypt::<L, _, N, false>(keys, states, &mut going);
                    store_all(values, outputs);
                    going.at = at;
                    at += BLOCK;
                }
                for slot in 0..8 {
                    going.fill(slot);
                }
            } else {
                // What is added to a block on its way out of one encryption and into the next is one addition.
                let mut states = add(values, lanes, 0, keys.front(0));
                let mut at = BLOCK;
                while at < end {
                    let keys = keys.anew();
                    states = middle::<L, _, N, 0, 0, false>(keys, states, true, &mut ());
                    let between = keys.place(14).xor(keys.front(0));
                    for (i, state) in states.iter_mut().enumerate() {
                        *state = state.last_round(gather::<L>(lanes, i, at).xor(between));
                    }
                    at += BLOCK;
                }
                values = crypt::<L, _, N, false>(keys.anew(), states, &mut ());
            }
            store_all(values, ends.cast());
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
unsafe fn add<L: Gather, const N: usize>(
    mut values: [L; N],
    lanes: *const Lane,
    at: usize,
    whitening: L,
) -> [L; N] {
    for (i, value) in values.iter_mut().enumerate() {
        // SAFETY: as the caller. Pinned, so that what is known beforehand is added up beforehand.
        unsafe { *value = value.xor(gather::<L>(lanes, i, at).xor(whitening).pin()) }
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

/// Sends what is in `outputs` to its messages, a share of it in each step.
struct Going<const N: usize> {
    lanes: *const Lane,
    outputs: *const u8,
    /// Of a vector.
    blocks: usize,
    /// Bytes of each message before those that go.
    at: usize,
}

impl<const N: usize> Filler for Going<N> {
    #[inline(always)]
    unsafe fn fill(&mut self, slot: usize) {
        let lanes = N * self.blocks;
        // What moves a block within a register the compiler takes for as good as memory.
        let outputs = anew(self.outputs);
        for i in slot * lanes / 8..(slot + 1) * lanes / 8 {
            // SAFETY: as the caller.
            unsafe { Block::load(outputs.add(i * BLOCK)).store((*self.lanes.add(i)).dst.add(self.at)) }
        }
    }
}
