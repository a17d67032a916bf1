//! Many tests at once.

/// The probabilities, each for as many tests as there are: what is no more than 0.05 afterwards is rejected by Holm's
/// method, whose rejections hold a wrong one with a probability of 0.05 at most (Scandinavian Journal of Statistics 6,
/// 1979), however the tests depend on each other.
pub fn holm(chances: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|&one, &other| chances[one].total_cmp(&chances[other]));
    let mut corrected = vec![1.0; chances.len()];
    let mut most = 0.0_f64;
    for (place, &n) in order.iter().enumerate() {
        most = most.max((chances.len() - place) as f64 * chances[n]);
        corrected[n] = most.min(1.0);
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R's `p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")` and `p.adjust(c(0.5, 0.6, 0.001), "holm")`.
    #[test]
    fn as_r_corrects_them() {
        for (chances, expected) in [
            (&[0.01, 0.04, 0.03, 0.005][..], &[0.03, 0.06, 0.06, 0.02][..]),
            (&[0.5, 0.6, 0.001], &[1.0, 1.0, 0.003]),
            (&[0.04], &[0.04]),
            (&[], &[]),
        ] {
            let found = holm(chances);
            let is_near = |(one, other): (&f64, &f64)| (one - other).abs() < 1e-12;
            assert!(
                found.len() == expected.len() && found.iter().zip(expected).all(is_near),
                "{found:?}"
            );
        }
    }
}
