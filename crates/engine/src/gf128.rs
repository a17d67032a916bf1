//! GF(2¹²⁸) modulo x¹²⁸ + x⁷ + x² + x + 1, as XTS (little-endian) and CMAC (big-endian) write it.

use crate::BLOCK;

/// `a` times x.
#[inline(always)]
pub(crate) fn double(a: u128) -> u128 {
    // The top bit decides as a mask, not as a factor: some processors multiply in variable time.
    let reduction = ((a >> 127) as u8).wrapping_neg() & 0x87;
    a << 1 ^ u128::from(reduction)
}

/// `a` times x to the power of `n` < 32, or α as XTS calls it.
#[cfg(vectors)]
#[inline(always)]
pub(crate) fn alphas(a: u128, n: usize) -> u128 {
    let carried = a >> 1 >> (127 - n);
    a << n ^ carried ^ carried << 1 ^ carried << 2 ^ carried << 7
}

/// Bytes of an XTS data unit before its end: the whole blocks, but for the last of them where a part of a block
/// follows and steals from it (IEEE 1619, section 5.3.2).
#[inline(always)]
pub(crate) fn before_stealing(len: usize) -> usize {
    let whole = len / BLOCK;
    BLOCK * (whole - usize::from(!len.is_multiple_of(BLOCK)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_doublings() {
        for mut a in [1, u128::MAX, 0x8000_0001_u128 << 96, 0x0123_4567_89ab_cdef << 61] {
            let first = a;
            for n in 0..32 {
                assert_eq!(alphas(first, n), a, "{first:x} by {n}");
                a = double(a);
            }
        }
    }
}
