//! SEED (RFC 4269), which none of RustCrypto's crates has: as the RFC describes it, and slow.
use std::{array, sync::LazyLock};

/// Encrypts whole blocks in CBC.
pub(super) fn cbc(key: &[u8], iv: &[u8], data: &mut [u8]) {
    let keys = schedule(word(key));
    let mut last = word(iv);
    let (blocks, rest) = data.as_chunks_mut();
    assert!(rest.is_empty(), "the algorithm takes whole blocks");
    for block in blocks {
        last = encrypt(&keys, last ^ u128::from_be_bytes(*block));
        *block = last.to_be_bytes();
    }
}

fn word(bytes: &[u8]) -> u128 {
    u128::from_be_bytes(bytes.try_into().expect("the algorithm's length"))
}

type Keys = [[u32; 2]; 16];

/// Section 2.3.
fn schedule(key: u128) -> Keys {
    let [mut a, mut b, mut c, mut d] = [96, 64, 32, 0].map(|shift| (key >> shift) as u32);
    let mut constant: u32 = 0x9e37_79b9;
    array::from_fn(|round| {
        let keys = [
            g(a.wrapping_add(c).wrapping_sub(constant)),
            g(b.wrapping_sub(d).wrapping_add(constant)),
        ];
        constant = constant.rotate_left(1);
        let [left, right] = match round % 2 {
            0 => [a, b],
            _ => [c, d],
        };
        let both = u64::from(left) << 32 | u64::from(right);
        let turned = match round % 2 {
            0 => both.rotate_right(8),
            _ => both.rotate_left(8),
        };
        let (left, right) = ((turned >> 32) as u32, turned as u32);
        match round % 2 {
            0 => (a, b) = (left, right),
            _ => (c, d) = (left, right),
        }
        keys
    })
}

/// Section 2.1: sixteen rounds of Feistel's, the halves not exchanged after the last.
fn encrypt(keys: &Keys, block: u128) -> u128 {
    let (mut left, mut right) = ((block >> 64) as u64, block as u64);
    for &keys in keys {
        (left, right) = (right, left ^ f(right, keys));
    }
    u128::from(right) << 64 | u128::from(left)
}

/// Section 2.2.
fn f(half: u64, [key0, key1]: [u32; 2]) -> u64 {
    let c = (half >> 32) as u32 ^ key0;
    let d = half as u32 ^ key1;
    let first = g(c ^ d);
    let second = g(first.wrapping_add(c));
    let third = g(first.wrapping_add(second));
    u64::from(second.wrapping_add(third)) << 32 | u64::from(third)
}

/// Also section 2.2: bytes through the boxes, and two bits of each left out of every byte that comes of them.
fn g(x: u32) -> u32 {
    const MASKS: [u8; 4] = [0xfc, 0xf3, 0xcf, 0x3f];
    let boxes = &*BOXES;
    let y: [u8; 4] = array::from_fn(|i| boxes[i % 2][usize::from(x.to_le_bytes()[i])]);
    let z = |i: usize| (0..4).fold(0, |z, j| z ^ y[j] & MASKS[(i + j) % 4]);
    u32::from_le_bytes(array::from_fn(z))
}

/// Appendix A, by the formula of section 2.2: a power in GF(2^8), through a matrix, and a constant.
static BOXES: LazyLock<[[u8; 256]; 2]> = LazyLock::new(|| {
    const COLUMNS: [[u8; 8]; 2] = [
        [0x2c, 0xd0, 0x69, 0xc2, 0x41, 0x44, 0x58, 0xe2],
        [0xd0, 0x2a, 0xe1, 0x2c, 0x21, 0x30, 0xa2, 0x6c],
    ];
    let make = |columns: [u8; 8], exponent, constant| {
        array::from_fn(|x| {
            let power = (0..exponent).fold(1, |power, _| multiply(power, x as u8));
            let bits = (0..8).filter(|bit| power >> bit & 1 == 1);
            bits.fold(constant, |y: u8, bit| y ^ columns[bit])
        })
    };
    [make(COLUMNS[0], 247, 169), make(COLUMNS[1], 251, 56)]
});

/// In GF(2^8) with x^8 + x^6 + x^5 + x + 1.
fn multiply(a: u8, b: u8) -> u8 {
    let double = |a: u8| (a << 1) ^ ((a >> 7) * 0x63);
    let mut power = a;
    let mut product = 0;
    for bit in 0..8 {
        product ^= (b >> bit & 1) * power;
        power = double(power);
    }
    product
}
