use serde::{Deserialize, Serialize};

use crate::Algorithm;

/// What is known of an implementation without running it. It travels from the worker process that
/// loaded the library to the one that shows or times it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// `library@version/variant`, as in `openssl@3.0.19/default`; Ciphertune's own carry no version, as
    /// in `ciphertune/vaes512`.
    pub id: String,
    /// Where the code comes from: the path of the library really loaded, or the crate built in.
    pub origin: String,
    /// The version that the loaded code itself reports.
    pub version: String,
    /// The CPU features that it needs, by Linux's names; empty where it needs none or finds out itself.
    pub features: Vec<String>,
    /// Whether its time is independent of key and data. Only such an implementation may be chosen.
    pub constant_time: bool,
    /// Whether the `ciphertune` library can run it, and so whether wisdom may name it.
    pub selectable: bool,
    /// Why it cannot run on this machine, where it cannot.
    pub unavailable: Option<String>,
}

/// One piece of code that computes one or more algorithms.
pub trait Implementation {
    /// What is known of it.
    fn description(&self) -> &Description;

    /// The algorithms that it computes.
    fn algorithms(&self) -> &[Algorithm];

    /// A context with a key of [`Algorithm::key_len`] bytes and, for counter mode, the first counter block
    /// (16 bytes, big-endian).
    fn context(&self, algorithm: Algorithm, key: &[u8], iv: &[u8; 16]) -> Result<Box<dyn Context>, Fault>;
}

/// A keyed cipher in the middle of a message: the `stream` contract, in which each call goes on where the
/// one before it stopped.
pub trait Context {
    /// Encrypts `data` in place. A context that cannot work in place ([`Context::in_place`]) answers a fault.
    fn apply(&mut self, data: &mut [u8]) -> Result<(), Fault>;

    /// Encrypts `input` into `output`, which has the same length.
    fn apply_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Fault>;

    /// Whether [`Context::apply`] works. Where it does not, buffer to buffer is what gets timed.
    fn in_place(&self) -> bool {
        true
    }

    /// What is timed: `calls` calls of [`Context::apply`] on `data`. Being a provided method it is compiled
    /// once for each context, with a direct call inside: no virtual call is timed.
    fn repeat(&mut self, data: &mut [u8], calls: u64) -> Result<(), Fault> {
        for _ in 0..calls {
            self.apply(data)?;
        }
        Ok(())
    }

    /// As [`Context::repeat`], buffer to buffer.
    fn repeat_to(&mut self, input: &[u8], output: &mut [u8], calls: u64) -> Result<(), Fault> {
        for _ in 0..calls {
            self.apply_to(input, output)?;
        }
        Ok(())
    }
}

/// Why a call to an implementation failed, in words that a user can act on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Fault(pub String);
