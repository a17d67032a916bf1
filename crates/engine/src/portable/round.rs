//! One round, in each of its four fixsliced variants, and all rounds from the third.

use super::plane::{Plane, each};
use super::sbox::sub_bytes;
use super::{Keys, Planes};

#[inline(always)]
pub(super) fn add<P: Plane>(a: &Planes<P>, b: &Planes<P>) -> Planes<P> {
    each!(i => a[i] ^ b[i])
}

/// # Safety
/// The processor has the features of `P`; below too.
#[inline(always)]
pub(super) unsafe fn add_key<P: Plane>(a: &Planes<P>, keys: &Keys, round: usize) -> Planes<P> {
    // SAFETY: as the caller.
    unsafe { each!(i => a[i] ^ P::key(keys, round, i)) }
}

/// Multiplies all bytes by x in GF(2⁸) modulo x⁸ + x⁴ + x³ + x + 1.
#[inline(always)]
pub(super) fn double<P: Plane>(a: &Planes<P>) -> Planes<P> {
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
pub(super) fn mix_columns<P: Plane, const SHIFT: u32>(a: &Planes<P>) -> Planes<P> {
    let next = next::<P, SHIFT>(a);
    let u = add(a, &next);
    let opposite = opposite::<P, SHIFT>(&u);
    add(&add(&double(&u), &next), &opposite)
}

/// T.
#[inline(always)]
fn next<P: Plane, const SHIFT: u32>(a: &Planes<P>) -> Planes<P> {
    match SHIFT {
        0 => each!(i => a[i].pull::<1, 0>()),
        1 => each!(i => a[i].pull::<1, 1>()),
        2 => each!(i => a[i].pull::<1, 2>()),
        _ => each!(i => a[i].pull::<1, 3>()),
    }
}

/// T².
#[inline(always)]
pub(super) fn opposite<P: Plane, const SHIFT: u32>(a: &Planes<P>) -> Planes<P> {
    if SHIFT.is_multiple_of(2) {
        each!(i => a[i].pull::<2, 0>())
    } else {
        each!(i => a[i].pull::<2, 2>())
    }
}

/// # Safety
/// As [`add_key`].
#[inline(always)]
pub(super) unsafe fn round<P: Plane, const SHIFT: u32>(
    state: &Planes<P>,
    keys: &Keys,
    number: usize,
) -> Planes<P> {
    // SAFETY: as the caller.
    unsafe { add_key(&mix_columns::<P, SHIFT>(&sub_bytes(state)), keys, number) }
}

/// [`round`] of several batches side by side: what one of them waits for, the others fill.
///
/// # Safety
/// As [`add_key`].
#[inline(always)]
unsafe fn rounds<P: Plane, const SHIFT: u32, const N: usize>(
    states: &mut [Planes<P>; N],
    keys: &Keys,
    number: usize,
) {
    for state in states {
        // SAFETY: as the caller.
        *state = unsafe { round::<P, SHIFT>(state, keys, number) };
    }
}

/// Rounds 3 to the last, which has no MixColumns.
///
/// # Safety
/// As [`add_key`].
#[inline(always)]
pub(super) unsafe fn finish<P: Plane, const N: usize>(keys: &Keys, states: &mut [Planes<P>; N]) {
    let mut i = 3;
    // SAFETY: as the caller.
    unsafe {
        // Ten rounds end after variant 0, twelve after variant 2, fourteen after variant 0.
        loop {
            rounds::<P, 2, N>(states, keys, i);
            if i + 1 == keys.rounds {
                break;
            }
            rounds::<P, 3, N>(states, keys, i + 1);
            rounds::<P, 0, N>(states, keys, i + 2);
            if i + 3 == keys.rounds {
                break;
            }
            rounds::<P, 1, N>(states, keys, i + 3);
            i += 4;
        }
        for state in states {
            *state = add_key(&sub_bytes(state), keys, keys.rounds);
        }
    }
}
