//! Decryption: the rounds of encryption undone one by one (FIPS 197, section 5.3), with the same round keys.
//!
//! The inverse of the S-box needs no circuit of its own. Without its constant it is S = A·I, the inversion I in
//! GF(2⁸) and a linear map A, and since I is its own inverse, S⁻¹ = I·A⁻¹ = A⁻¹·S·A⁻¹. The constant needs no
//! thought: it is part of the round keys, and goes as they are added.

use super::plane::{Plane, Turn, each};
use super::planes::{pack, unpack};
use super::round::{add, add_key, double, mix_columns, opposite};
use super::sbox::sub_bytes;
use super::{Keys, Planes};

/// Decrypts `N` batches.
///
/// # Safety
/// The processor has the features of `P`; below too.
#[inline(always)]
pub(super) unsafe fn decrypt<P: Plane, const N: usize>(keys: &Keys, batches: &mut [Planes<P>; N]) {
    // SAFETY: as the caller.
    unsafe {
        for state in &mut *batches {
            *state = pack(*state, keys.last_turn());
            *state = inv_sub_bytes(&add_key(state, keys, keys.rounds));
        }
        // Rounds 9, 11 and 13 are of variant 0, 2 and 0.
        let mut i = keys.rounds - 1;
        if keys.rounds == 12 {
            undo::<P, 2, N>(batches, keys, i);
            undo::<P, 1, N>(batches, keys, i - 1);
            i -= 2;
        }
        loop {
            undo::<P, 0, N>(batches, keys, i);
            if i == 1 {
                break;
            }
            undo::<P, 3, N>(batches, keys, i - 1);
            undo::<P, 2, N>(batches, keys, i - 2);
            undo::<P, 1, N>(batches, keys, i - 3);
            i -= 4;
        }
        for state in batches {
            *state = unpack(add_key(state, keys, 0), Turn::FIRST);
        }
    }
}

/// Undoes a round of variant `SHIFT`.
///
/// # Safety
/// As [`decrypt`].
#[inline(always)]
unsafe fn undo<P: Plane, const SHIFT: u32, const N: usize>(
    states: &mut [Planes<P>; N],
    keys: &Keys,
    round: usize,
) {
    for state in states {
        // SAFETY: as the caller.
        let mixed = unsafe { add_key(state, keys, round) };
        *state = inv_sub_bytes(&inv_mix_columns::<P, SHIFT>(&mixed));
    }
}

/// The inverse of [`mix_columns`] is itself after a → a + 4(a + T²a) (FIPS 197, section 5.3.3:
/// {0b, 0d, 09, 0e} is {03, 01, 01, 02} times {00, 04, 00, 05}).
#[inline(always)]
pub(super) fn inv_mix_columns<P: Plane, const SHIFT: u32>(a: &Planes<P>) -> Planes<P> {
    let sum = double(&double(&add(a, &opposite::<P, SHIFT>(a))));
    mix_columns::<P, SHIFT>(&add(a, &sum))
}

/// The inverse of [`sub_bytes`].
#[inline(always)]
pub(super) fn inv_sub_bytes<P: Plane>(bytes: &Planes<P>) -> Planes<P> {
    inv_linear(&sub_bytes(&inv_linear(bytes)))
}

/// A⁻¹ (FIPS 197, section 5.3.2).
#[inline(always)]
fn inv_linear<P: Plane>(a: &Planes<P>) -> Planes<P> {
    each!(i => a[(i + 2) % 8] ^ a[(i + 5) % 8] ^ a[(i + 7) % 8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_s_box_is_undone() {
        for byte in 0..=255u8 {
            let planes: [u64; 8] = core::array::from_fn(|i| u64::from(byte >> i & 1).wrapping_neg());
            assert_eq!(inv_sub_bytes(&sub_bytes(&planes)), planes, "{byte:#04x}");
        }
    }

    #[test]
    fn the_columns_are_undone() {
        let planes = core::array::from_fn(|i| 0x0123_4567_89ab_cdef_u64.wrapping_mul(2 * i as u64 + 1));
        assert_eq!(inv_mix_columns::<u64, 0>(&mix_columns::<u64, 0>(&planes)), planes);
        assert_eq!(inv_mix_columns::<u64, 1>(&mix_columns::<u64, 1>(&planes)), planes);
        assert_eq!(inv_mix_columns::<u64, 2>(&mix_columns::<u64, 2>(&planes)), planes);
        assert_eq!(inv_mix_columns::<u64, 3>(&mix_columns::<u64, 3>(&planes)), planes);
    }
}
