//! What is computed, and what an implementation must pass before anyone believes its speed: published answers and a
//! differential check.
//!
//! An [`Algorithm`] is a line in a table; a [`Task`] is one of its operations under a contract. The implementation
//! under test is a closure ([`New`]) that makes a [`Context`] for one task. It meets [`known_answers::check`]
//! (published vectors) and [`differential::check`] (Ciphertune's portable code, or RustCrypto's beyond AES, over lengths,
//! offsets, updates, counters and forgeries). Both answer the first [`Failure`], which names its case so that it can be repeated by
//! hand. What goes by a key of two halves meets [`public_key::check`] instead.
//!
//! # Adding an algorithm
//!
//! A line in `algorithm.rs`, published answers in `vectors`, and a line in `reference.rs`.
#![forbid(unsafe_code)]

mod algorithm;
mod case;
mod context;
pub mod differential;
pub mod known_answers;
pub mod public_key;
mod random;
mod reference;
mod rsp;
mod task;

pub use algorithm::{Algorithm, Described, Kind, UnknownAlgorithm};
pub use case::Failure;
pub use context::{Context, Envelope, Fault};
pub use random::Random;
pub use task::{Contract, Operation, Task};

/// Makes a context for one task from a key and, under [`Contract::Stream`], an IV.
pub type New<'a> = &'a dyn Fn(&[u8], &[u8]) -> Result<Box<dyn Context>, Fault>;
