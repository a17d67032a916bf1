/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014): cases, orders and offsets
/// that a seed repeats, not keys that guard anything. Its sequence is fixed for ever, so a seed in an old report still
/// names the same cases.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of that seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number of the sequence.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to `last`, both included. The bias of the modulus is below 2^-32 for every `last` that is drawn.
    pub fn up_to(&mut self, last: usize) -> usize {
        (self.word() % (last as u64 + 1)) as usize
    }

    /// From 0 up to but not including 1.
    pub fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Puts them into an order, any as likely as any other.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.up_to(last));
        }
    }

    pub(crate) fn block(&mut self) -> u128 {
        u128::from(self.word()) << 64 | u128::from(self.word())
    }

    /// Of a random count, often small.
    pub(crate) fn bytes_up_to(&mut self, most: usize) -> Vec<u8> {
        let most = most >> (2 * self.up_to(3));
        let count = self.up_to(most);
        self.bytes(count)
    }

    /// So many bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.word().to_le_bytes()[..chunk.len()]);
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
        let first = [random.word(), random.word(), random.word()];
        assert_eq!(
            first,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn every_place_is_reached_and_nothing_is_lost_in_a_shuffle() {
        let mut random = Random::new(1);
        let mut first = [0; 5];
        for _ in 0..1000 {
            let mut items = [0, 1, 2, 3, 4];
            random.shuffle(&mut items);
            first[items[0]] += 1;
            items.sort_unstable();
            assert_eq!(items, [0, 1, 2, 3, 4]);
        }
        assert!(first.iter().all(|&n| n > 100), "{first:?}");
    }
}
