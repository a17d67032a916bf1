//! Between bytes in memory and bit planes: the transposition at both ends of a batch.

use super::Planes;
use super::plane::{Plane, Turn};

/// Packs a batch: the byte of row r and column c at the place to which `turn` brings it.
#[inline(always)]
pub(super) fn pack<P: Plane>(words: [P; 8], turn: Turn) -> Planes<P> {
    transpose_bits(P::gather(words, turn))
}

/// Unpacks what [`pack`] packed.
#[inline(always)]
pub(super) fn unpack<P: Plane>(planes: Planes<P>, turn: Turn) -> [P; 8] {
    P::scatter(transpose_bits(planes), turn)
}

/// Transposes, for each byte position, the 8 × 8 bits that eight words have there. Its own inverse.
#[inline(always)]
pub(super) fn transpose_bits<P: Plane>(words: [P; 8]) -> [P; 8] {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = words;
    P::exchange::<4>(&mut a, &mut e);
    P::exchange::<4>(&mut b, &mut f);
    P::exchange::<4>(&mut c, &mut g);
    P::exchange::<4>(&mut d, &mut h);
    P::exchange::<2>(&mut a, &mut c);
    P::exchange::<2>(&mut b, &mut d);
    P::exchange::<2>(&mut e, &mut g);
    P::exchange::<2>(&mut f, &mut h);
    P::exchange::<1>(&mut a, &mut b);
    P::exchange::<1>(&mut c, &mut d);
    P::exchange::<1>(&mut e, &mut f);
    P::exchange::<1>(&mut g, &mut h);
    [a, b, c, d, e, f, g, h]
}
