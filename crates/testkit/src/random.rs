/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014). Its sequence is
/// fixed for ever, so a seed in an old report still names the same cases.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to `last`, both included. The bias of the modulus does not matter to choosing cases.
    pub(crate) fn up_to(&mut self, last: usize) -> usize {
        (self.next() % (last as u64 + 1)) as usize
    }

    pub(crate) fn block(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }

    /// Of a random count, often small.
    pub(crate) fn bytes_up_to(&mut self, most: usize) -> Vec<u8> {
        let most = most >> (2 * self.up_to(3));
        let count = self.up_to(most);
        self.bytes(count)
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next().to_le_bytes()[..chunk.len()]);
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn the_sequence_is_that_of_the_paper() {
        let mut random = Random::new(1_234_567);
        let first = [random.next(), random.next(), random.next()];
        assert_eq!(
            first,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }
}
