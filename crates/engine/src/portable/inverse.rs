//! Decryption: the rounds of encryption undone one by one (FIPS 197, section 5.3), with the same round keys.
//!
//! The inverse of the S-box needs no circuit of its own. Without its constant it is S = A·I, the inversion I in
//! GF(2⁸) and a linear map A, and since I is its own inverse, S⁻¹ = I·A⁻¹ = A⁻¹·S·A⁻¹. The constant needs no
//! thought: it is part of the round keys, and goes as they are added.

use super::planes::{Words, pack_last, unpack_first};
use super::round::{add, double, mix_columns, pull};
use super::sbox::sub_bytes;
use super::{Keys, Planes};

/// Decrypts four blocks.
#[inline(always)]
pub(super) fn decrypt(keys: &Keys, blocks: Words) -> Words {
    let planes = &keys.planes;
    let mut state = inv_sub_bytes(&add(&pack_last(blocks, keys.rounds), &planes[keys.rounds]));
    // Rounds 9, 11 and 13 are of variant 0, 2 and 0.
    let mut i = keys.rounds - 1;
    if keys.rounds == 12 {
        state = undo::<2>(&state, &planes[i]);
        state = undo::<1>(&state, &planes[i - 1]);
        i -= 2;
    }
    loop {
        state = undo::<0>(&state, &planes[i]);
        if i == 1 {
            break;
        }
        state = undo::<3>(&state, &planes[i - 1]);
        state = undo::<2>(&state, &planes[i - 2]);
        state = undo::<1>(&state, &planes[i - 3]);
        i -= 4;
    }
    unpack_first(add(&state, &planes[0]))
}

/// Undoes a round of variant `SHIFT`.
#[inline(always)]
fn undo<const SHIFT: u32>(state: &Planes, key: &Planes) -> Planes {
    inv_sub_bytes(&inv_mix_columns::<SHIFT>(&add(state, key)))
}

/// The inverse of [`mix_columns`] is itself after a → a + 4(a + T²a) (FIPS 197, section 5.3.3:
/// {0b, 0d, 09, 0e} is {03, 01, 01, 02} times {00, 04, 00, 05}).
#[inline(always)]
fn inv_mix_columns<const SHIFT: u32>(a: &Planes) -> Planes {
    let opposite = a.map(|plane| pull(plane, 2, 2 * SHIFT % 4));
    let sum = double(&double(&add(a, &opposite)));
    mix_columns::<SHIFT>(&add(a, &sum))
}

/// The inverse of [`sub_bytes`].
#[inline(always)]
fn inv_sub_bytes(bytes: &Planes) -> Planes {
    inv_linear(&sub_bytes(&inv_linear(bytes)))
}

/// A⁻¹ (FIPS 197, section 5.3.2).
#[inline(always)]
fn inv_linear(a: &Planes) -> Planes {
    core::array::from_fn(|i| a[(i + 2) % 8] ^ a[(i + 5) % 8] ^ a[(i + 7) % 8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_s_box_is_undone() {
        for byte in 0..=255u8 {
            let planes = core::array::from_fn(|i| u64::from(byte >> i & 1).wrapping_neg());
            assert_eq!(inv_sub_bytes(&sub_bytes(&planes)), planes, "{byte:#04x}");
        }
    }

    #[test]
    fn the_columns_are_undone() {
        let planes = core::array::from_fn(|i| 0x0123_4567_89ab_cdef_u64.wrapping_mul(2 * i as u64 + 1));
        assert_eq!(inv_mix_columns::<0>(&mix_columns::<0>(&planes)), planes);
        assert_eq!(inv_mix_columns::<1>(&mix_columns::<1>(&planes)), planes);
        assert_eq!(inv_mix_columns::<2>(&mix_columns::<2>(&planes)), planes);
        assert_eq!(inv_mix_columns::<3>(&mix_columns::<3>(&planes)), planes);
    }
}
