//! Random numbers for tests, the same whenever they are drawn.

/// A small linear congruential generator (Numerical Recipes), by its state.
pub struct Random(pub u32);

impl Random {
    /// From 0 to 1.
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(self.0 >> 8) / f64::from(1 << 24)
    }

    /// Nearly normal: twelve uniform numbers less their mean, with variance 1.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}
