//! What the measuring side needs of the processor: its clock, its speed and its limits.
//!
//! Each probe is a loop whose cost is known beforehand, so that its time says something about the machine
//! and nothing about the probe.
#![cfg(target_arch = "x86_64")]

pub mod chain;
pub mod memory;
pub mod ports;
pub mod tsc;

/// The width of a vector register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Width {
    /// 128 bits.
    Xmm,
    /// 256 bits.
    Ymm,
    /// 512 bits.
    Zmm,
}

impl Width {
    /// Every width, narrow first.
    pub const ALL: [Self; 3] = [Self::Xmm, Self::Ymm, Self::Zmm];

    /// The width in bits.
    pub const fn bits(self) -> u32 {
        8 * self.bytes() as u32
    }

    /// The width in bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Xmm => 16,
            Self::Ymm => 32,
            Self::Zmm => 64,
        }
    }
}
