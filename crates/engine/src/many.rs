//! One block of each of many chains in each lane, eight vectors in flight.
//!
//! A message's blocks lie one behind the other, and a vector wants blocks of different messages. There are two ways:
//! `gather` takes them one by one, [`crate::squares`] as many at a time as a vector has.

use crate::{chains::Chains, key::RoundKeys, lanes::Lanes, rounds::Schedule};

/// How blocks of many chains come into vectors.
///
/// # Safety
/// As [`Lanes`].
pub(crate) trait Many<L: Lanes> {
    /// Takes `blocks` blocks of each chain, at least one, in the first `N` vectors of lanes.
    ///
    /// # Safety
    /// Each chain has that many blocks left and, where there is output, room for them.
    unsafe fn run<S: Schedule<L>, const N: usize, const OUT: bool>(
        keys: S,
        chains: &mut Chains,
        blocks: usize,
    );

    /// Puts the round keys of a vector's lanes side by side: from the place `start` on, those of each place eight vectors
    /// behind those of the one before.
    ///
    /// # Safety
    /// The first [`Lanes::BLOCKS`] keys are there, and from `to` on there is room for fifteen times eight vectors.
    unsafe fn place_keys(keys: [*const RoundKeys; 4], start: usize, to: *mut u8);
}
