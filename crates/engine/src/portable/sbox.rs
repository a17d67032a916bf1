//! SubBytes without its constant 0x63, as a circuit of 114 gates (34 AND, 80 XOR) and depth 23.
//!
//! Put together from two published circuits, which compute the same linear forms of the input (`y`) and the
//! same eighteen products (`z`): the linear layers of the smallest one (Boyar and Peralta, improved by Calik:
//! 113 gates, depth 27, <http://www.cs.yale.edu/homes/peralta/CircuitStuff/SLP_AES_113.txt>; `y` and `t` on
//! top, `tc` and `s` below) with the inversion in GF(2⁴) between them of the shallow one (Boyar and Peralta,
//! "A depth-16 circuit for the AES S-box", <https://eprint.iacr.org/2011/332>; `m`). A gate more buys four
//! levels of depth.
//!
//! The order of the gates matters, since there are more live values than registers. This one was found by
//! list scheduling, which weighs the way still to go against the values a gate frees, and by timing.

use super::Planes;
use super::plane::Plane;

#[inline(always)]
pub(super) fn sub_bytes<P: Plane>(bytes: &Planes<P>) -> Planes<P> {
    // The circuits number the bits from the highest.
    let [u7, u6, u5, u4, u3, u2, u1, u0] = *bytes;
    let t0 = u1 ^ u2;
    let y14 = u3 ^ u5;
    let y13 = u0 ^ u6;
    let y9 = u0 ^ u3;
    let y12 = y13 ^ y14;
    let t1 = u4 ^ y12;
    let y20 = t1 ^ u1;
    let y11 = y20 ^ y9;
    let y15 = t1 ^ u5;
    let y8 = u0 ^ u5;
    let y6 = y15 ^ u7;
    let y16 = t0 ^ y11;
    let y1 = t0 ^ u7;
    let y5 = y1 ^ u6;
    let m1 = y12 & y15;
    let m6 = y13 & y16;
    let y3 = y5 ^ y8;
    let y4 = y1 ^ u3;
    let m4 = y4 & u7;
    let y2 = y1 ^ u0;
    let m5 = m4 ^ m1;
    let y10 = y15 ^ t0;
    let y17 = y10 ^ y11;
    let m12 = y14 & y17;
    let m11 = y9 & y11;
    let y21 = y13 ^ y16;
    let y7 = u7 ^ y11;
    let m9 = y2 & y7;
    let m2 = y3 & y6;
    let y19 = y10 ^ y8;
    let m14 = y8 & y10;
    let y18 = u0 ^ y16;
    let m10 = m9 ^ m6;
    let m13 = m12 ^ m11;
    let m17 = m5 ^ y19;
    let m8 = y21 ^ m6;
    let m3 = y20 ^ m1;
    let m15 = m14 ^ m11;
    let m19 = m10 ^ m15;
    let m23 = m19 ^ y18;
    let m7 = y5 & y1;
    let m18 = m8 ^ m7;
    let m16 = m3 ^ m2;
    let m22 = m18 ^ m13;
    let m20 = m16 ^ m13;
    let m25 = m22 & m20;
    let m24 = m22 ^ m23;
    let m21 = m17 ^ m15;
    let m31 = m20 & m23;
    let m34 = m21 & m22;
    let m27 = m20 ^ m21;
    let m36 = m24 ^ m25;
    let m32 = m27 & m31;
    let m26 = m21 ^ m25;
    let m33 = m27 ^ m25;
    let m35 = m24 & m34;
    let m28 = m23 ^ m25;
    let m30 = m26 & m24;
    let m40 = m35 ^ m36;
    let m39 = m23 ^ m30;
    let m29 = m28 & m27;
    let m44 = m39 ^ m40;
    let m38 = m32 ^ m33;
    let z1 = m40 & y6;
    let z0 = m44 & y15;
    let z13 = m38 & y5;
    let m37 = m21 ^ m29;
    let m43 = m37 ^ m38;
    let tc5 = z1 ^ z0;
    let m42 = m37 ^ m39;
    let z3 = m43 & y16;
    let z4 = m38 & y1;
    let m41 = m38 ^ m40;
    let z5 = m37 & y7;
    let tc12 = z3 ^ z5;
    let z2 = m39 & u7;
    let z10 = m40 & y3;
    let m45 = m42 ^ m41;
    let z16 = m45 & y14;
    let z15 = m42 & y9;
    let z7 = m45 & y17;
    let tc6 = z3 ^ z4;
    let tc1 = z15 ^ z16;
    let z6 = m42 & y11;
    let z11 = m39 & y4;
    let tc8 = z7 ^ tc6;
    let tc2 = z10 ^ tc1;
    let tc13 = z13 ^ tc1;
    let tc16 = z6 ^ tc8;
    let z17 = m41 & y8;
    let z9 = m44 & y12;
    let tc4 = z0 ^ z2;
    let tc3 = z9 ^ tc2;
    let tc14 = tc4 ^ tc12;
    let z12 = m43 & y13;
    let s0 = tc3 ^ tc16;
    let tc7 = z12 ^ tc4;
    let z14 = m37 & y2;
    let z8 = m41 & y10;
    let tc21 = tc2 ^ z11;
    let tc18 = tc13 ^ tc14;
    let tc9 = z8 ^ tc7;
    let tc10 = tc8 ^ tc9;
    let tc11 = tc6 ^ tc5;
    let s7 = z12 ^ tc18;
    let tc20 = z15 ^ tc16;
    let tc17 = z14 ^ tc10;
    let s3 = tc3 ^ tc11;
    let tc26 = tc17 ^ tc20;
    let s1 = s3 ^ tc16;
    let s5 = tc21 ^ tc17;
    let s4 = tc14 ^ s3;
    let s6 = tc10 ^ tc18;
    let s2 = tc26 ^ z17;
    [s7, s6, s5, s4, s3, s2, s1, s0]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 197, section 5.1.1: the inverse in GF(2⁸), then the affine map, for all 256 bytes.
    #[test]
    fn matches_its_definition() {
        fn product(a: u8, b: u8) -> u8 {
            (0..8).rev().fold(0, |sum: u8, i| {
                let reduction = if sum & 0x80 == 0 { 0 } else { 0x1b };
                sum << 1 ^ reduction ^ if b >> i & 1 == 1 { a } else { 0 }
            })
        }
        for byte in 0..=255u8 {
            let inverse = (0..=255).find(|&x| product(byte, x) == 1).unwrap_or(0);
            let expected = (0..5).fold(0, |sum, i| sum ^ inverse.rotate_left(i));
            let planes = sub_bytes(&core::array::from_fn(|i| u64::from(byte >> i & 1).wrapping_neg()));
            let got = (0..8).fold(0, |sum, i| sum | (planes[i] as u8 & 1) << i);
            assert_eq!(got, expected, "{byte:#04x}");
            assert!(planes.iter().all(|&plane| plane == 0 || plane == u64::MAX));
        }
    }
}
