//! One round, in each of its four fixsliced variants, and all rounds from the third.

use super::sbox::sub_bytes;
use super::{Keys, Planes};

#[inline(always)]
pub(super) fn add(a: &Planes, b: &Planes) -> Planes {
    core::array::from_fn(|i| a[i] ^ b[i])
}

/// Multiplies all bytes by x in GF(2⁸) modulo x⁸ + x⁴ + x³ + x + 1.
#[inline(always)]
pub(super) fn double(a: &Planes) -> Planes {
    [
        a[7],
        a[0] ^ a[7],
        a[1],
        a[2] ^ a[7],
        a[3] ^ a[7],
        a[4],
        a[5],
        a[6],
    ]
}

/// MixColumns, where the next byte of a column stands one row down and `SHIFT` places to the right.
///
/// With T the map that brings each byte its next, a column `a` becomes
/// 2a + 3Ta + T²a + T³a = 2u + Ta + T²u for u = a + Ta (FIPS 197, section 5.1.3).
#[inline(always)]
pub(super) fn mix_columns<const SHIFT: u32>(a: &Planes) -> Planes {
    let next = a.map(|plane| pull(plane, 1, SHIFT));
    let u = add(a, &next);
    let opposite = u.map(|plane| pull(plane, 2, 2 * SHIFT % 4));
    add(&add(&double(&u), &next), &opposite)
}

/// Brings to each place the bit that stands `rows` down and `columns` to the right, both modulo 4.
#[inline(always)]
pub(super) fn pull(plane: u64, rows: u32, columns: u32) -> u64 {
    let shift = 16 * rows + 4 * columns;
    let moved = plane.rotate_right(shift);
    if columns == 0 {
        return moved;
    }
    // Past the last column the rotation runs on into the next row: there, a row less is right.
    let wrapped = plane.rotate_right(shift - 16);
    let inside = (0xffff >> (4 * columns)) * 0x0001_0001_0001_0001;
    moved & inside | wrapped & !inside
}

#[inline(always)]
pub(super) fn round<const SHIFT: u32>(state: &Planes, key: &Planes) -> Planes {
    add(&mix_columns::<SHIFT>(&sub_bytes(state)), key)
}

/// Rounds 3 to the last, which has no MixColumns.
#[inline(always)]
pub(super) fn finish(keys: &Keys, mut state: Planes) -> Planes {
    let mut i = 3;
    // Ten rounds end after variant 0, twelve after variant 2, fourteen after variant 0.
    loop {
        state = round::<2>(&state, &keys.planes[i]);
        if i + 1 == keys.rounds {
            break;
        }
        state = round::<3>(&state, &keys.planes[i + 1]);
        state = round::<0>(&state, &keys.planes[i + 2]);
        if i + 3 == keys.rounds {
            break;
        }
        state = round::<1>(&state, &keys.planes[i + 3]);
        i += 4;
    }
    add(&sub_bytes(&state), &keys.planes[keys.rounds])
}
