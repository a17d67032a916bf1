//! Round keys in digits.

use zeroize::Zeroize;

use super::{
    Permute,
    rounds::map,
    tables::{BACK, BACKWARD, DIGITS_OF, DOUBLED, FORWARD, TURN},
};
use crate::{
    copy::copy,
    portable::{Keys as SlicedKeys, Words, places::ROUND_KEY as PLACES},
    wipe::overwrite,
};

/// The round keys of both directions in the order of their use, with the constant of the S-box, and their rows turned as
/// the state's are then. All but the last ones are in digits; encryption's between the outer two are sums of rows.
pub(crate) struct Keys {
    /// 10, 12 or 14.
    pub(super) rounds: usize,
    pub(super) encrypt: [[u8; 16]; 15],
    pub(super) decrypt: [[u8; 16]; 15],
}

impl Keys {
    pub(crate) const NONE: Self = Self {
        rounds: 0,
        encrypt: [[0; 16]; 15],
        decrypt: [[0; 16]; 15],
    };

    /// Becomes the same keys, from memory to memory.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.rounds = other.rounds;
        copy(&mut self.encrypt, &other.encrypt);
        copy(&mut self.decrypt, &other.decrypt);
    }
}

impl Zeroize for Keys {
    fn zeroize(&mut self) {
        self.rounds.zeroize();
        overwrite(&mut self.encrypt, [[0; 16]; 15]);
        overwrite(&mut self.decrypt, [[0; 16]; 15]);
    }
}

/// Makes of the round keys of FIPS 197, section 5.2, what code needs that permutes vectors, and what bitsliced code in
/// vectors does.
///
/// # Safety
/// The processor has the features of `V`, a vector of one block.
#[inline(always)]
pub(crate) unsafe fn expand<V: Permute>(keys: &mut SlicedKeys, words: &Words) {
    assert!(V::BLOCKS == 1);
    let rounds = keys.rounds();
    let SlicedKeys { bytes, permuted, .. } = keys;
    permuted.rounds = rounds;
    // SAFETY: as the caller; each round key has sixteen bytes.
    unsafe {
        for n in 0..=rounds {
            let key = V::read(words.0.as_ptr().add(4 * n).cast());
            let substituted = key.add(V::table(&[0x63; 16]));
            let m = rounds - n;
            let encrypt = match n {
                0 => map(&DIGITS_OF, key),
                _ if m == 0 => substituted,
                _ => {
                    let digits = map(&DIGITS_OF, substituted).look_up(V::table(&TURN[(4 - n % 4) % 4]));
                    let down = V::table(&FORWARD[n % 4]);
                    let one = digits.look_up(down);
                    let two = one.look_up(down);
                    one.add(two).add(two.look_up(down))
                }
            };
            encrypt.write_block(permuted.encrypt[n].as_mut_ptr());
            let decrypt = match m {
                0 => map(&BACK, substituted),
                _ if n == 0 => key,
                _ => map(&BACK, inv_mix_columns(key).add(V::table(&[0x63; 16])))
                    .look_up(V::table(&TURN[m % 4])),
            };
            decrypt.write_block(permuted.decrypt[m].as_mut_ptr());
            let placed = if n == 0 { key } else { substituted }.look_up(V::table(&PLACES[n % 4]));
            let [upper, lower] = placed.nibbles();
            for (i, bits) in BITS.iter().enumerate() {
                for (digits, plane) in [(lower, i), (upper, 4 + i)] {
                    let plane = (&raw mut bytes[n][plane]).cast();
                    V::table(bits).look_up(digits).write_block(plane);
                }
            }
        }
    }
}

/// Bit i of four bits, in all bits of a byte.
static BITS: [[u8; 16]; 4] = {
    let mut bits = [[0; 16]; 4];
    let mut n = 0;
    while n < 64 {
        bits[n / 16][n % 16] = (n as u8 >> (n / 16) & 1) * 0xff;
        n += 1;
    }
    bits
};

/// InvMixColumns is MixColumns after the addition of four times the sum of every other row.
#[inline(always)]
unsafe fn inv_mix_columns<V: Permute>(x: V) -> V {
    // SAFETY: as the caller.
    unsafe {
        let (down, up) = (V::table(&FORWARD[0]), V::table(&BACKWARD[0]));
        let four = map(&DOUBLED, map(&DOUBLED, x));
        let x = x.add(four).add(four.look_up(down).look_up(down));
        let sum = map(&DOUBLED, x).add(x.look_up(down));
        sum.add(x.look_up(up)).add(sum.look_up(down))
    }
}
