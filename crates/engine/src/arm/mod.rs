//! AArch64: vectors of AES blocks, and of bit planes.

mod permute;
mod q;
pub(crate) mod schedule;
mod sliced;

pub(crate) use permute::{NEON_VP, expand as expand_permuting};
pub(crate) use q::{ARMV8, ARMV8_R2, Q as Block};
pub(crate) use sliced::NEON;
