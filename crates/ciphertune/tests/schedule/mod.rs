//! AES's key schedule, of which tests look for what is left.

use std::array;

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
    let inverse = (0..253).fold(byte, |power, _| product(power, byte));
    (0..5).fold(0x63, |sum, turn| sum ^ inverse.rotate_left(turn))
}

fn product(a: u8, b: u8) -> u8 {
    (0..8)
        .rev()
        .fold(0, |sum, bit| doubled(sum) ^ if b >> bit & 1 == 1 { a } else { 0 })
}

/// Times x (FIPS 197, §4.2.1).
pub fn doubled(byte: u8) -> u8 {
    byte << 1 ^ if byte >> 7 == 1 { 0x1b } else { 0 }
}
