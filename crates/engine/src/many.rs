//! One block of each of many chains in each lane, eight vectors in flight.
//!
//! A message's blocks lie one behind the other, and a vector wants blocks of different messages. There are two ways:
//! `gather` takes them one by one, [`crate::squares`] as many at a time as a vector has.

use crate::{chains::Chains, key::RoundKeys, lanes::Lanes};

/// How blocks of many chains come into vectors.
///
/// # Safety
/// As [`Lanes`].
pub(crate) trait Many<L: Lanes> {
    /// Takes `blocks` blocks of each chain, at least one, in the first `N` vectors of lanes.
    ///
    /// # Safety
    /// Each chain has that many blocks left and, where there is output, room for them.
    unsafe fn run<const N: usize, const OUT: bool>(keys: &RoundKeys, chains: &mut Chains, blocks: usize);
}
