//! AES's key schedule, of which tests look for what is left.

use std::{array, iter, sync::LazyLock};

/// The key schedule (FIPS 197, §5.2), all round keys in a row.
pub fn schedule(key: &[u8]) -> Vec<u8> {
    let words = key.len() / 4;
    let mut schedule = key.to_vec();
    let mut constant = 1;
    for i in words..4 * (words + 7) {
        let last = &schedule[4 * i - 4..];
        let mut word = [last[0], last[1], last[2], last[3]];
        if i % words == 0 {
            word.rotate_left(1);
            word = word.map(substituted);
            word[0] ^= constant;
            constant = doubled(constant);
        } else if words == 8 && i % 8 == 4 {
            word = word.map(substituted);
        }
        for (j, byte) in word.into_iter().enumerate() {
            schedule.push(schedule[4 * (i - words) + j] ^ byte);
        }
    }
    schedule
}

/// The inner round keys of a schedule as AES instructions decrypt with them, through InvMixColumns (FIPS 197, §5.3.5).
pub fn inner_inverse(schedule: &[u8]) -> Vec<u8> {
    let inner = &schedule[16..schedule.len() - 16];
    let columns = inner.as_chunks().0.iter();
    // MixColumns four times is nothing.
    columns
        .flat_map(|&column| (0..3).fold(column, |column, _| mixed(column)))
        .collect()
}

/// The round keys of a schedule as code that permutes vectors has them, in the order of their use to encrypt and to decrypt:
/// with the S-box's constant, rows turned as the state's are, and in digits but for the last ones.
pub fn permuted(schedule: &[u8]) -> [Vec<[u8; 16]>; 2] {
    let keys = schedule.as_chunks().0;
    let rounds = keys.len() - 1;
    let constant = |key: [u8; 16]| key.map(|byte| byte ^ 0x63);
    // Of each row the sum of the three others.
    let sums = |key: [u8; 16]| {
        array::from_fn(|i| (1..4).fold(0, |sum, below| sum ^ key[i / 4 * 4 + (i + below) % 4]))
    };
    let inner = (1..rounds).map(|n| turned(&sums(constant(keys[n]).map(digits)), n));
    let encrypt = iter::once(keys[0].map(digits))
        .chain(inner)
        .chain([constant(keys[rounds])]);

    let inverse = inner_inverse(schedule);
    let inner = inverse.as_chunks().0.iter().rev().zip(1..);
    let inner = inner.map(|(&key, n)| turned(&constant(key).map(digits_back), 3 * n));
    let decrypt = iter::once(constant(keys[rounds]).map(digits_back))
        .chain(inner)
        .chain([keys[0]]);
    [encrypt.collect(), decrypt.collect()]
}

/// Each row moved by so many columns for each row down, to the right.
pub fn turned(block: &[u8; 16], columns: usize) -> [u8; 16] {
    array::from_fn(|i| block[i % 4 + 4 * ((i / 4 + 3 * columns * i) % 4)])
}

/// Four bits each for i and k of a byte iω + (i + k)ω̄: i and k are sums of powers of 3¹⁷, the first four of which the bits
/// stand for, and ω is 3¹⁵.
pub fn digits(byte: u8) -> u8 {
    static DIGITS: LazyLock<[u8; 256]> = LazyLock::new(|| {
        let mut digits = [0; 256];
        for both in 0..=255 {
            let [i, k] = [both >> 4, both].map(|bits: u8| {
                let powers = (0..4).filter(|bit| bits >> bit & 1 == 1);
                powers.fold(0, |sum, bit| sum ^ power(3, 17 * bit))
            });
            let byte = product(i, power(3, 15)) ^ product(i ^ k, power(3, 255 - 15));
            digits[usize::from(byte)] = both;
        }
        digits
    });
    DIGITS[usize::from(byte)]
}

/// The same after the S-box's affine map backwards, without the constant (FIPS 197, §5.3.2).
pub fn digits_back(byte: u8) -> u8 {
    digits(byte.rotate_left(1) ^ byte.rotate_left(3) ^ byte.rotate_left(6))
}

/// MixColumns (FIPS 197, §5.1.3), of one.
pub fn mixed(column: [u8; 4]) -> [u8; 4] {
    array::from_fn(|i| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|below| column[(i + below) % 4]);
        doubled(a) ^ doubled(b) ^ b ^ c ^ d
    })
}

/// The S-box (FIPS 197, §5.1.1).
pub fn substituted(byte: u8) -> u8 {
    // The inverse is the 254th power.
    let inverse = power(byte, 254);
    (0..5).fold(0x63, |sum, turn| sum ^ inverse.rotate_left(turn))
}

fn power(byte: u8, n: usize) -> u8 {
    (0..n).fold(1, |power, _| product(power, byte))
}

pub fn product(a: u8, b: u8) -> u8 {
    (0..8)
        .rev()
        .fold(0, |sum, bit| doubled(sum) ^ if b >> bit & 1 == 1 { a } else { 0 })
}

/// Times x (FIPS 197, §4.2.1).
pub fn doubled(byte: u8) -> u8 {
    byte << 1 ^ if byte >> 7 == 1 { 0x1b } else { 0 }
}
