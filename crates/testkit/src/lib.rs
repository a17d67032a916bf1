//! Known answers and the differential driver: what an implementation of AES-CTR must pass before anyone
//! believes its speed.
//!
//! The implementation under test is a closure that makes a [`Stream`] from a key and a first counter block.
//! It meets [`known_answers::check`] (published vectors) and [`differential::check`] (Ciphertune's portable
//! code, over lengths, offsets, updates and counters). Both answer the first [`Failure`], which names its
//! case so that it can be repeated by hand.
#![forbid(unsafe_code)]

mod case;
pub mod differential;
pub mod known_answers;
mod random;
mod reference;
mod rsp;

pub use case::Failure;

/// A keyed cipher in the middle of a message; each call goes on where the one before it stopped.
pub trait Stream {
    /// Encrypts `data` in place. Called only where [`Stream::in_place`] says so.
    fn apply(&mut self, data: &mut [u8]) -> Result<(), String>;

    /// Encrypts `input` into `output`, which has the same length.
    fn apply_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), String>;

    /// Whether [`Stream::apply`] works.
    fn in_place(&self) -> bool;
}
