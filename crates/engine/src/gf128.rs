//! GF(2¹²⁸) modulo x¹²⁸ + x⁷ + x² + x + 1, as XTS (little-endian) and CMAC (big-endian) write it.

use crate::BLOCK;

/// `a` times x.
#[inline(always)]
pub(crate) fn double(a: u128) -> u128 {
    // The top bit decides as a mask, not as a factor: some processors multiply in variable time.
    let reduction = ((a >> 127) as u8).wrapping_neg() & 0x87;
    a << 1 ^ u128::from(reduction)
}

/// Bytes of an XTS data unit before its end: the whole blocks, but for the last of them where a part of a block
/// follows and steals from it (IEEE 1619, section 5.3.2).
#[inline(always)]
pub(crate) fn before_stealing(len: usize) -> usize {
    let whole = len / BLOCK;
    BLOCK * (whole - usize::from(!len.is_multiple_of(BLOCK)))
}
