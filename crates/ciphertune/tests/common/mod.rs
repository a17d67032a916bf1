//! What the library's tests share: by whom they have it done, and on what.
#![allow(dead_code, reason = "no test needs all of it")]

use ciphertune::Implementation;

/// Those that this processor can run.
pub fn available() -> impl Iterator<Item = Implementation> {
    Implementation::all().iter().copied().filter(|i| i.is_available())
}

/// Those of them that have GCM.
pub fn with_gcm() -> impl Iterator<Item = Implementation> {
    available().filter(|i| i.gcm().is_some())
}

pub fn hex(digits: &str) -> Vec<u8> {
    assert!(digits.len().is_multiple_of(2));
    (0..digits.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap())
        .collect()
}

/// SplitMix64 (Steele, Lea, Flood, 2014): the same numbers for the same seed.
pub struct Random(pub u64);

impl Random {
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.word() % end as u64) as usize
    }
}

pub fn bytes(seed: u64, len: usize) -> Vec<u8> {
    let mut random = Random(seed);
    (0..len).map(|_| random.word() as u8).collect()
}

/// Runs `data` through `each`, in parts that end at `cuts`, which are rounded down to a multiple of `unit`.
pub fn in_parts(data: &mut [u8], unit: usize, cuts: &[usize], mut each: impl FnMut(&mut [u8])) {
    let len = data.len();
    let mut ends: Vec<_> = cuts.iter().map(|cut| cut % (len + 1) / unit * unit).collect();
    ends.push(len);
    ends.sort();
    let mut rest = data;
    let mut start = 0;
    for end in ends {
        let (part, after) = rest.split_at_mut(end - start);
        each(part);
        (rest, start) = (after, end);
    }
}
