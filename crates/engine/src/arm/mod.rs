//! AArch64: vectors of AES blocks, and of bit planes.

mod q;
pub(crate) mod schedule;
mod sliced;

pub(crate) use q::{ARMV8, ARMV8_R2, Q as Block};
pub(crate) use sliced::NEON;
