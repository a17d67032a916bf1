//! AArch64: vectors of AES blocks, and of bit planes.
#![allow(
    inline_always_mismatching_target_features,
    reason = "all of it ends up in a wrapper that has the features, and is inlined there: `make test-aarch64` looks"
)]

use crate::{BLOCK, feedback::Fed, key::RoundKeys, span::Span};

/// Clears the vector registers that a called function may change.
pub(crate) fn clear() {
    // SAFETY: every AArch64 that is compiled for here has them.
    unsafe { q::clear() }
}

mod permute;
mod q;
pub(crate) mod schedule;
mod sliced;

pub(crate) use permute::{NEON_VP, expand as expand_permuting};
pub(crate) use q::{ARMV8, ARMV8_R2, Q as Block};
pub(crate) use sliced::NEON;

/// There is no such way here, as there is on x86-64.
///
/// # Safety
/// None.
#[inline(always)]
pub(crate) unsafe fn ecb_block<const DECRYPT: bool>(_: &RoundKeys, _: Span) -> bool {
    false
}

/// As [`ecb_block`].
///
/// # Safety
/// None.
#[inline(always)]
pub(crate) unsafe fn cbc_block<const DECRYPT: bool>(_: &RoundKeys, _: &mut [u8; BLOCK], _: Span) -> bool {
    false
}

/// As [`ecb_block`].
///
/// # Safety
/// None.
#[inline(always)]
pub(crate) unsafe fn cbc_chain<const HELD: bool>(_: &RoundKeys, _: &mut [u8; BLOCK], _: Span) -> bool {
    false
}

/// As [`ecb_block`].
///
/// # Safety
/// None.
#[inline(always)]
pub(crate) unsafe fn xts_block<const DECRYPT: bool>(_: &RoundKeys, _: &RoundKeys, _: u128, _: Span) -> bool {
    false
}

/// As [`ecb_block`].
///
/// # Safety
/// None.
#[inline(always)]
pub(crate) unsafe fn fed_back_block(_: Fed, _: &RoundKeys, _: &mut [u8; BLOCK], _: Span) -> bool {
    false
}

/// As [`ecb_block`].
///
/// # Safety
/// None.
#[inline(always)]
pub(crate) unsafe fn ctr_block(_: &RoundKeys, _: u128, _: Span) -> bool {
    false
}
