//! GHASH (SP 800-38D, §6.4) from integer multiplication, without tables.
//!
//! Carry-less products come from ordinary ones with holes (Pornin, BearSSL's `ctmul64`,
//! <https://www.bearssl.org/constanttime.html#ghash-for-gcm>): of operands with one bit in four set, a sum of
//! products of bits is at most 15 or 16 and stays below the next bit, so that the lowest bit of each sum is the
//! bit of the carry-less product. The high half of a product is the low half of the product of the reversed
//! operands, reversed. This multiplies secrets: it is constant-time where a 64-bit multiplication is, which all
//! 64-bit processors of today claim. On some small 32-bit ones it is not.

use zeroize::Zeroize;

#[cfg(vectors)]
use super::streams::Table;
use crate::copy::copy;

/// The hash key.
pub(crate) struct HashKey {
    factor: Factor,
    /// What vectors of bytes need: for one stream, and for many.
    #[cfg(vectors)]
    pub(super) tables: [Table; 2],
    /// How many blocks were hashed one after the other.
    #[cfg(vectors)]
    pub(super) hashed: usize,
}

/// A number to multiply by.
struct Factor {
    /// Halves and their sum, and the bits of all three reversed.
    straight: [u64; 3],
    reversed: [u64; 3],
}

/// A hash in progress; the high half holds the block's first bytes.
pub(crate) struct Hash {
    high: u64,
    low: u64,
}

impl HashKey {
    pub(super) const ZERO: Self = Self {
        factor: Factor {
            straight: [0; 3],
            reversed: [0; 3],
        },
        #[cfg(vectors)]
        tables: [Table::NONE; 2],
        #[cfg(vectors)]
        hashed: 0,
    };

    /// Becomes the same key, from memory to memory.
    pub(super) fn copy_from(&mut self, other: &Self) {
        copy(&mut self.factor.straight, &other.factor.straight);
        copy(&mut self.factor.reversed, &other.factor.reversed);
        #[cfg(vectors)]
        {
            for (table, other) in self.tables.iter_mut().zip(&other.tables) {
                table.copy_from(other);
            }
            self.hashed = other.hashed;
        }
    }

    pub(super) fn set(&mut self, block: &[u8; 16]) {
        self.factor.set(&Hash::halves(block));
    }

    /// The hash key to the power of `n`, a power of two, as a block's big-endian number.
    #[cfg(vectors)]
    pub(super) fn to_the(&self, n: usize) -> u128 {
        let mut power = Hash {
            high: self.factor.straight[1],
            low: self.factor.straight[0],
        };
        let mut factor = Self::ZERO.factor;
        for _ in 0..n.ilog2() {
            factor.set(&power);
            power.multiply(&factor);
        }
        let number = u128::from_be_bytes(power.block());
        power.zeroize();
        factor.zeroize();
        number
    }
}

impl Factor {
    fn set(&mut self, Hash { high, low }: &Hash) {
        self.straight = [*low, *high, low ^ high];
        self.reversed = self.straight.map(u64::reverse_bits);
    }
}

impl Zeroize for Factor {
    fn zeroize(&mut self) {
        self.straight.zeroize();
        self.reversed.zeroize();
    }
}

impl Zeroize for HashKey {
    fn zeroize(&mut self) {
        self.factor.zeroize();
        #[cfg(vectors)]
        {
            self.tables.zeroize();
            self.hashed = 0;
        }
    }
}

impl Hash {
    pub(super) const ZERO: Self = Self { high: 0, low: 0 };

    /// The hash that is `block`.
    pub(super) fn halves(block: &[u8; 16]) -> Self {
        let block = u128::from_be_bytes(*block);
        Self {
            high: (block >> 64) as u64,
            low: block as u64,
        }
    }

    /// Adds the hash to a block.
    #[cfg(vectors)]
    pub(super) fn add_to(&self, block: &mut [u8; 16]) {
        for (byte, hash) in block.iter_mut().zip(self.block()) {
            *byte ^= hash;
        }
    }

    /// The hash as a block.
    pub(super) fn block(&self) -> [u8; 16] {
        (u128::from(self.high) << 64 | u128::from(self.low)).to_be_bytes()
    }

    /// Takes a block: multiplies its sum with what there is.
    pub(super) fn update_block(&mut self, key: &HashKey, block: &[u8; 16]) {
        let block = Self::halves(block);
        self.high ^= block.high;
        self.low ^= block.low;
        self.multiply(&key.factor);
    }

    fn multiply(&mut self, key: &Factor) {
        let straight = [self.low, self.high, self.low ^ self.high];
        let reversed = straight.map(u64::reverse_bits);

        // Karatsuba, each product 128 bits: [low, high] words. Bits are numbered from the wrong end, so that
        // a product of 127 bits has to go up by one.
        let low_words = [0, 1, 2].map(|i| multiply(straight[i], key.straight[i]));
        let high_words = [0, 1, 2].map(|i| multiply(reversed[i], key.reversed[i]).reverse_bits() >> 1);
        let middle_low = low_words[0] ^ low_words[1] ^ low_words[2];
        let middle_high = high_words[0] ^ high_words[1] ^ high_words[2];
        let v = [
            low_words[0],
            high_words[0] ^ middle_low,
            low_words[1] ^ middle_high,
            high_words[1],
        ];
        let [mut v0, mut v1, mut v2, mut v3] = [
            v[0] << 1,
            v[1] << 1 | v[0] >> 63,
            v[2] << 1 | v[1] >> 63,
            v[3] << 1 | v[2] >> 63,
        ];

        // Modulo x^128 + x^7 + x^2 + x + 1.
        v2 ^= v0 ^ v0 >> 1 ^ v0 >> 2 ^ v0 >> 7;
        v1 ^= v0 << 63 ^ v0 << 62 ^ v0 << 57;
        v3 ^= v1 ^ v1 >> 1 ^ v1 >> 2 ^ v1 >> 7;
        v2 ^= v1 << 63 ^ v1 << 62 ^ v1 << 57;
        (v0, v1) = (v2, v3);
        (self.low, self.high) = (v0, v1);
    }
}

impl Zeroize for Hash {
    fn zeroize(&mut self) {
        self.high.zeroize();
        self.low.zeroize();
    }
}

/// The low 64 bits of the carry-less product.
#[inline(always)]
fn multiply(a: u64, b: u64) -> u64 {
    const HOLES: [u64; 4] = [
        0x1111_1111_1111_1111,
        0x2222_2222_2222_2222,
        0x4444_4444_4444_4444,
        0x8888_8888_8888_8888,
    ];
    let (a, b) = (HOLES.map(|mask| a & mask), HOLES.map(|mask| b & mask));
    let mut product = 0;
    for (sum, mask) in HOLES.into_iter().enumerate() {
        let mut of_sum = 0;
        for i in 0..4 {
            of_sum ^= a[i].wrapping_mul(b[(4 + sum - i) % 4]);
        }
        product |= of_sum & mask;
    }
    product
}
