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

    /// What is timed: `calls` calls of [`Context::apply`] on the messages of the ring in turn. Being a provided
    /// method it is compiled once for each context, with a direct call inside: no virtual call is timed.
    fn repeat(&mut self, data: &mut [u8], ring: Ring, calls: u64) -> Result<(), Fault> {
        let mut begin = 0;
        for _ in 0..calls {
            self.apply(&mut data[begin..][..ring.length])?;
            begin = ring.after(begin);
        }
        Ok(())
    }

    /// As [`Context::repeat`], buffer to buffer.
    fn repeat_to(&mut self, input: &[u8], output: &mut [u8], ring: Ring, calls: u64) -> Result<(), Fault> {
        let mut begin = 0;
        for _ in 0..calls {
            self.apply_to(
                &input[begin..][..ring.length],
                &mut output[begin..][..ring.length],
            )?;
            begin = ring.after(begin);
        }
        Ok(())
    }
}

/// Where the messages of a timed loop lie in its buffer.
///
/// Short messages take turns in several places. On one place alone, each call would read what the one before has
/// just written: a stream's calls begin at changing offsets in their vectors, so that the processor could not
/// forward the stores still under way and would wait for them. Programs have a packet's input in cache, and not
/// in the store queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// Bytes a message.
    pub length: usize,
    stride: usize,
    count: usize,
}

impl Ring {
    /// What several messages span at most, in bytes.
    pub const LONGEST_SPAN: usize = 8192;

    /// For messages of `length` bytes: as many as fit into 8 KiB, each beginning a multiple of 64 bytes after the
    /// one before.
    pub fn new(length: usize) -> Self {
        let stride = length.next_multiple_of(64).max(64);
        Self {
            length,
            stride,
            count: (Self::LONGEST_SPAN / stride).max(1),
        }
    }

    /// Bytes from its first message's begin to its last one's end.
    pub fn span(self) -> usize {
        self.stride * (self.count - 1) + self.length
    }

    /// Where the next message begins.
    #[inline]
    fn after(self, begin: usize) -> usize {
        if begin == self.stride * (self.count - 1) {
            0
        } else {
            begin + self.stride
        }
    }
}

/// Why a call to an implementation failed, in words that a user can act on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Fault(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_goes_round_within_its_span() {
        for (length, count) in [
            (1, 128),
            (16, 128),
            (64, 128),
            (65, 64),
            (1350, 5),
            (8192, 1),
            (1 << 20, 1),
        ] {
            let ring = Ring::new(length);
            let mut begins = vec![0];
            while ring.after(begins[begins.len() - 1]) != 0 {
                begins.push(ring.after(begins[begins.len() - 1]));
            }
            assert_eq!(begins.len(), count, "{length}");
            assert!(
                begins
                    .iter()
                    .all(|begin| begin % 64 == 0 && begin + length <= ring.span())
            );
        }
    }
}
