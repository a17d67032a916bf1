//! Intervals for means and for differences of means.
//!
//! Replicates are few: a session has three to seven worker processes. Resampling so few promises too much: of three,
//! bootstrap intervals of 95 % hold the truth in 77 cases of 100. So intervals are Student's t, which is exact for
//! normal replicates however few they are, and errs on the safe side where outliers widen it. Runs are not normal:
//! other work slows some of them down, and by much. Between runs Mann and Whitney's test serves, which is exact however
//! they are distributed.
mod ranks;

pub use ranks::{least_samples, median, shift};

use puruspe::invbetai;

use crate::Interval;

/// The mean and its interval by Student's t. A single sample is a point. `None` without samples.
///
/// `confidence` lies between 0 and 1, as in 0.95.
pub fn mean(samples: &[f64], confidence: f64) -> Option<Interval> {
    let Moments { n, mean, variance } = Moments::of(samples)?;
    if samples.len() == 1 {
        return Some(Interval::point(mean));
    }
    Some(around(
        mean,
        student_t(confidence, n - 1.0) * (variance / n).sqrt(),
    ))
}

/// The mean of the second samples minus that of the first, with Welch's interval: the two may spread differently.
/// `None` unless both have two samples at least.
pub fn difference(first: &[f64], second: &[f64], confidence: f64) -> Option<Interval> {
    if first.len() < 2 || second.len() < 2 {
        return None;
    }
    let (first, second) = (Moments::of(first)?, Moments::of(second)?);
    let center = second.mean - first.mean;
    let errors = [first, second].map(|m| (m.variance / m.n, m.n - 1.0));
    let square: f64 = errors.iter().map(|(error, _)| error).sum();
    if square == 0.0 {
        return Some(Interval::point(center));
    }
    // Welch and Satterthwaite's degrees of freedom (Welch, Biometrika 34, 1947).
    let degrees = square.powi(2) / errors.iter().map(|(error, of)| error.powi(2) / of).sum::<f64>();
    Some(around(center, student_t(confidence, degrees) * square.sqrt()))
}

/// A straight line, `y = intercept + slope * x`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Where x is 0.
    pub intercept: f64,
    /// Per unit of x.
    pub slope: f64,
}

/// The line with the least weighted sum of squares through points `(x, y, weight)`. `None` unless they have two
/// different `x`.
pub fn line(points: &[(f64, f64, f64)]) -> Option<Line> {
    let sum = |term: fn(&(f64, f64, f64)) -> f64| points.iter().map(term).sum::<f64>();
    let weights = sum(|(_, _, w)| *w);
    let (x, y) = (sum(|(x, _, w)| w * x) / weights, sum(|(_, y, w)| w * y) / weights);
    // From the centre, so that large numbers do not cancel.
    let centred = |term: fn(f64, f64) -> f64| -> f64 {
        points.iter().map(|(px, py, w)| w * term(px - x, py - y)).sum()
    };
    let spread = centred(|x, _| x * x);
    (spread > 0.0).then(|| {
        let slope = centred(|x, y| x * y) / spread;
        Line {
            intercept: y - slope * x,
            slope,
        }
    })
}

struct Moments {
    n: f64,
    mean: f64,
    /// Of the population, estimated; 0 for a single sample.
    variance: f64,
}

impl Moments {
    fn of(samples: &[f64]) -> Option<Self> {
        let n = samples.len() as f64;
        let mean = samples.iter().sum::<f64>() / n;
        let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
        (!samples.is_empty()).then(|| Self {
            n,
            mean,
            variance: squares / (n - 1.0).max(1.0),
        })
    }
}

fn around(center: f64, margin: f64) -> Interval {
    Interval {
        low: center - margin,
        median: center,
        high: center + margin,
    }
}

/// The point that Student's t stays within, on both sides, with this probability.
fn student_t(confidence: f64, degrees: f64) -> f64 {
    // Abramowitz and Stegun, 26.7.1: outside ±t lies I_x(ν/2, 1/2) with x = ν/(ν + t²).
    let x = invbetai(1.0 - confidence, degrees / 2.0, 0.5);
    (degrees * (1.0 / x - 1.0)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64, error: f64) {
        assert!((value - expected).abs() <= error, "{value} is not {expected}");
    }

    #[test]
    fn student_t_by_the_tables() {
        for (degrees, at_95, at_99) in [
            (1.0, 12.706, 63.657),
            (2.0, 4.303, 9.925),
            (4.0, 2.776, 4.604),
            (9.0, 2.262, 3.250),
            (10.0, 2.228, 3.169),
            (60.0, 2.000, 2.660),
            (1000.0, 1.962, 2.581),
        ] {
            near(student_t(0.95, degrees), at_95, 6e-4);
            near(student_t(0.99, degrees), at_99, 6e-4);
        }
    }

    /// NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.5.2: confidence limits for the mean of 195 readings of
    /// heat flow (ZARR13.DAT): mean 9.261460, deviation 0.022789, limits 9.258242 and 9.264679.
    #[test]
    fn the_handbooks_limits_for_a_mean() {
        // Of the same count, mean and deviation: two values beside the mean, and the mean itself once.
        let step = 0.022_789_f64;
        let samples: Vec<f64> = (0..195)
            .map(|n| 9.261_460 + [-step, 0.0, step][if n == 0 { 1 } else { 2 * (n % 2) }])
            .collect();
        let limits = mean(&samples, 0.95).unwrap();
        near(limits.low, 9.258_242, 1e-6);
        near(limits.high, 9.264_679, 1e-6);
    }

    /// "Student", The probable error of a mean, Biometrika 6 (1908), and R's `t.test(extra ~ group, data = sleep)`:
    /// t = -1.8608, df = 17.776, 95 % interval -3.3654832 to 0.2054832. Paired: -2.4598858 to -0.7001142.
    #[test]
    fn students_own_example() {
        let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let welch = difference(&first, &second, 0.95).unwrap();
        near(welch.low, -0.205_483_2, 1e-6);
        near(welch.median, 1.58, 1e-12);
        near(welch.high, 3.365_483_2, 1e-6);

        let pairs: Vec<f64> = first.iter().zip(second).map(|(a, b)| b - a).collect();
        let paired = mean(&pairs, 0.95).unwrap();
        near(paired.low, 0.700_114_2, 1e-6);
        near(paired.high, 2.459_885_8, 1e-6);
        assert!(mean(&pairs, 0.99).unwrap().low < paired.low);
    }

    /// NIST Statistical Reference Datasets, Norris.
    #[test]
    fn a_line_with_certified_values() {
        #[rustfmt::skip]
        const Y_X: [(f64, f64); 36] = [
            (0.1, 0.2), (338.8, 337.4), (118.1, 118.2), (888.0, 884.6), (9.2, 10.1), (228.1, 226.5),
            (668.5, 666.3), (998.5, 996.3), (449.1, 448.6), (778.9, 777.0), (559.2, 558.2), (0.3, 0.4),
            (0.1, 0.6), (778.1, 775.5), (668.8, 666.9), (339.3, 338.0), (448.9, 447.5), (10.8, 11.6),
            (557.7, 556.0), (228.3, 228.1), (998.0, 995.8), (888.8, 887.6), (119.6, 120.2), (0.3, 0.3),
            (0.6, 0.3), (557.6, 556.8), (339.3, 339.1), (888.0, 887.2), (998.5, 999.0), (778.9, 779.0),
            (10.2, 11.1), (117.6, 118.3), (228.9, 229.2), (668.4, 669.1), (449.2, 448.9), (0.2, 0.5),
        ];
        let points = Y_X.map(|(y, x)| (x, y, 1.0));
        let fitted = line(&points).unwrap();
        near(fitted.intercept, -0.262_323_073_774_029, 1e-10);
        near(fitted.slope, 1.002_116_818_020_45, 1e-12);

        // A weight of three is three points.
        let weighted = line(&[(1.0, 1.0, 3.0), (2.0, 5.0, 1.0), (3.0, 2.0, 1.0)]);
        let repeated = [(1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (2.0, 5.0), (3.0, 2.0)];
        let repeated = line(&repeated.map(|(x, y)| (x, y, 1.0))).unwrap();
        near(weighted.unwrap().slope, repeated.slope, 1e-12);
        assert_eq!(line(&[(2.0, 1.0, 1.0), (2.0, 3.0, 1.0)]), None);
        assert_eq!(line(&[]), None);
    }

    #[test]
    fn what_has_too_few_samples() {
        assert_eq!(mean(&[], 0.95), None);
        assert_eq!(mean(&[3.0], 0.95), Some(Interval::point(3.0)));
        assert_eq!(difference(&[1.0], &[1.0, 2.0], 0.95), None);
        assert_eq!(difference(&[1.0; 3], &[2.0; 3], 0.95), Some(Interval::point(1.0)));
    }

    /// Why the intervals are no bootstrap's. A small linear congruential generator (Numerical Recipes) draws both
    /// the samples and the resamples.
    #[test]
    fn of_few_replicates_student_covers_what_he_says_and_the_bootstrap_does_not() {
        let mut state = 1_u32;
        let mut unit = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 8) / f64::from(1 << 24)
        };
        for (n, at_most) in [(3, 0.80), (5, 0.88), (7, 0.91)] {
            let mut covered = [0, 0];
            for _ in 0..2000 {
                // Nearly normal: twelve uniform numbers less their mean, with variance 1.
                let samples: Vec<f64> = (0..n)
                    .map(|_| (0..12).map(|_| unit()).sum::<f64>() - 6.0)
                    .collect();
                let t = mean(&samples, 0.95).unwrap();
                covered[0] += usize::from(t.low <= 0.0 && 0.0 <= t.high);

                let mut means: Vec<f64> = (0..400)
                    .map(|_| {
                        let drawn = (0..n).map(|_| samples[(unit() * n as f64) as usize]);
                        drawn.sum::<f64>() / n as f64
                    })
                    .collect();
                means.sort_by(f64::total_cmp);
                covered[1] += usize::from(means[9] <= 0.0 && 0.0 <= means[390]);
            }
            let [student, bootstrap] = covered.map(|count| count as f64 / 2000.0);
            near(student, 0.95, 0.015);
            assert!(bootstrap < at_most, "{n}: {bootstrap}");
        }
    }
}
