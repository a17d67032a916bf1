//! Intervals for means and for differences of means.
//!
//! Replicates are few: a session has three to seven worker processes. Resampling so few promises too much: of three,
//! bootstrap intervals of 95 % hold the truth in 75 cases of 100 (studies/bootstrap-coverage.py). So intervals are Student's t, which is exact for
//! normal replicates however few they are, and errs on the safe side where outliers widen it. Runs are not normal:
//! other work slows some of them down, and by much. Between runs Mann and Whitney's test serves, which is exact however
//! they are distributed.
mod holm;
#[cfg(test)]
mod random;
mod ranks;
mod rounds;

pub use holm::holm;
pub use ranks::{least_samples, median, quantile, rank_chance, shift};
pub use rounds::{Rounds, log_ratios};

use puruspe::{betai, invbetai};

use crate::Interval;

/// What a confidence leaves to chance, and a billionth of it more, since 1 - 0.9 is less than the tenth that a count of orders
/// comes to.
pub fn left(confidence: f64) -> f64 {
    (1.0 - confidence) * (1.0 + 1e-9)
}

/// A mean, or a difference of two, and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// The square of its standard error.
    square: f64,
    /// Degrees of freedom of Student's t.
    degrees: f64,
}

impl Estimate {
    /// The mean of the means of rows, which need not have equally many samples. Those of the same number, in whichever
    /// rows, come from one process, and what it does to one it may do to all; different numbers have nothing to do with
    /// each other. `None` unless each row has two samples at least, and where there is none.
    ///
    /// Each number's deviations are summed over the rows before they are squared: the variance that is robust to clusters
    /// (Liang and Zeger, Biometrika 73, 1986), with each row's own correction for its few samples. The degrees are those
    /// of the rows, each by its part in the variance. Of rows with equally many samples this is Student's t of the
    /// numbers' own means, exactly.
    pub fn of(rows: &[Vec<Option<f64>>]) -> Option<Self> {
        let numbers = rows.iter().map(Vec::len).max()?;
        let mut deviations = vec![0.0; numbers];
        let (mut mean, mut variances, mut by_degrees) = (0.0, 0.0, 0.0);
        for row in rows {
            let n = row.iter().flatten().count() as f64;
            if n < 2.0 {
                return None;
            }
            let own = row.iter().flatten().sum::<f64>() / n;
            let mut variance = 0.0;
            for (sum, sample) in deviations.iter_mut().zip(row) {
                let deviation = sample.map_or(0.0, |sample| (sample - own) / (n * (n - 1.0)).sqrt());
                *sum += deviation;
                variance += deviation.powi(2);
            }
            mean += own;
            variances += variance;
            by_degrees += variance / (n - 1.0);
        }
        let rows = rows.len() as f64;
        Some(Self {
            mean: mean / rows,
            square: deviations.iter().map(|sum| (sum / rows).powi(2)).sum(),
            degrees: match by_degrees > 0.0 {
                true => variances / by_degrees,
                false => f64::INFINITY,
            },
        })
    }

    /// How much this is above another that has nothing to do with it. The two may spread differently: Welch and
    /// Satterthwaite's degrees of freedom (Welch, Biometrika 34, 1947).
    pub fn minus(self, other: Self) -> Self {
        let square = self.square + other.square;
        let by_degrees = self.square.powi(2) / self.degrees + other.square.powi(2) / other.degrees;
        Self {
            mean: self.mean - other.mean,
            square,
            degrees: match by_degrees > 0.0 {
                true => square.powi(2) / by_degrees,
                false => f64::INFINITY,
            },
        }
    }

    /// How probable a mean so far from zero is where the truth is zero.
    pub fn chance(self) -> f64 {
        if self.square == 0.0 {
            return if self.mean == 0.0 { 1.0 } else { 0.0 };
        }
        outside(self.mean / self.square.sqrt(), self.degrees)
    }

    /// Where the truth lies with this probability.
    pub fn interval(self, confidence: f64) -> Interval {
        if self.square == 0.0 {
            return Interval::point(self.mean);
        }
        let margin = student_t(confidence, self.degrees) * self.square.sqrt();
        Interval {
            low: self.mean - margin,
            median: self.mean,
            high: self.mean + margin,
        }
    }
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

/// The point that Student's t stays within, on both sides, with this probability.
fn student_t(confidence: f64, degrees: f64) -> f64 {
    // Abramowitz and Stegun, 26.7.1: outside ±t lies I_x(ν/2, 1/2) with x = ν/(ν + t²).
    let x = invbetai(1.0 - confidence, degrees / 2.0, 0.5);
    (degrees * (1.0 / x - 1.0)).sqrt()
}

/// The probability that Student's t lies as far from zero as this.
fn outside(t: f64, degrees: f64) -> f64 {
    betai(degrees / 2.0, 0.5, degrees / (degrees + t * t))
}

#[cfg(test)]
mod tests {
    use super::{random::Random, *};

    fn row(samples: &[f64]) -> Vec<Option<f64>> {
        samples.iter().copied().map(Some).collect()
    }

    fn mean(samples: &[f64], confidence: f64) -> Interval {
        Estimate::of(&[row(samples)]).unwrap().interval(confidence)
    }

    /// By how much the second samples are above the first.
    fn welch(first: &[f64], second: &[f64], confidence: f64) -> Option<Interval> {
        let [first, second] = [first, second].map(|samples| Estimate::of(&[row(samples)]));
        Some(second?.minus(first?).interval(confidence))
    }

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
        let limits = mean(&samples, 0.95);
        near(limits.low, 9.258_242, 1e-6);
        near(limits.high, 9.264_679, 1e-6);
    }

    /// "Student", The probable error of a mean, Biometrika 6 (1908), and R's `t.test(extra ~ group, data = sleep)`:
    /// t = -1.8608, df = 17.776, 95 % interval -3.3654832 to 0.2054832. Paired: -2.4598858 to -0.7001142.
    #[test]
    fn students_own_example() {
        let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let welch = welch(&first, &second, 0.95).unwrap();
        near(welch.low, -0.205_483_2, 1e-6);
        near(welch.median, 1.58, 1e-12);
        near(welch.high, 3.365_483_2, 1e-6);

        // p-value = 0.07939 and, paired, 0.002833.
        let [one, other] = [first, second].map(|samples| Estimate::of(&[row(&samples)]).unwrap());
        near(other.minus(one).chance(), 0.07939, 5e-6);

        let pairs: Vec<f64> = first.iter().zip(second).map(|(a, b)| b - a).collect();
        near(Estimate::of(&[row(&pairs)]).unwrap().chance(), 0.002_833, 5e-7);
        let paired = mean(&pairs, 0.95);
        near(paired.low, 0.700_114_2, 1e-6);
        near(paired.high, 2.459_885_8, 1e-6);
        assert!(mean(&pairs, 0.99).low < paired.low);
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
        assert_eq!(Estimate::of(&[row(&[])]), None);
        assert_eq!(Estimate::of(&[row(&[3.0])]), None);
        assert_eq!(welch(&[1.0], &[1.0, 2.0], 0.95), None);
        assert_eq!(welch(&[1.0; 3], &[2.0; 3], 0.95), Some(Interval::point(1.0)));
    }

    #[test]
    fn of_rows_with_equally_many_samples_the_means_of_the_numbers_are_the_samples() {
        let rows = [row(&[1.0, 4.0, 2.0]), row(&[3.0, 3.5, 8.0])];
        let of_rows = Estimate::of(&rows).unwrap().interval(0.95);
        let of_numbers = mean(&[2.0, 3.75, 5.0], 0.95);
        near(of_rows.low, of_numbers.low, 1e-9);
        near(of_rows.median, of_numbers.median, 1e-12);
        near(of_rows.high, of_numbers.high, 1e-9);

        assert_eq!(Estimate::of(&[]), None);
        assert_eq!(Estimate::of(&[row(&[1.0, 2.0]), vec![Some(1.0), None]]), None);
    }

    /// A session times what is far behind in three processes and all else in five, and other work spoils some. What a
    /// process does to all of them, as where its memory lies, is this share of their variance.
    #[test]
    fn of_rows_with_differently_many_samples_the_interval_covers_what_it_says() {
        let mut random = Random(7);
        for counts in [
            &[5, 5, 5, 5, 5, 5, 3][..],
            &[5, 3],
            &[5, 5, 3, 3, 3],
            &[7, 5, 2, 5],
        ] {
            for shared in [0.0_f64, 0.5, 1.0] {
                let covered = (0..2000).filter(|_| {
                    let own: Vec<f64> = (0..7).map(|_| random.normal()).collect();
                    let rows: Vec<Vec<Option<f64>>> = counts
                        .iter()
                        .map(|&count| {
                            let sample =
                                |own: &f64| own * shared.sqrt() + random.normal() * (1.0 - shared).sqrt();
                            own[..count].iter().map(sample).map(Some).collect()
                        })
                        .collect();
                    let interval = Estimate::of(&rows).unwrap().interval(0.95);
                    interval.low <= 0.0 && 0.0 <= interval.high
                });
                let share = covered.count() as f64 / 2000.0;
                assert!((0.93..0.985).contains(&share), "{counts:?}, {shared}: {share}");
            }
        }
    }

    /// As many as a session has worker processes.
    #[test]
    fn of_few_replicates_an_interval_covers_what_it_says() {
        let mut random = Random(1);
        for n in [3, 5, 7] {
            let covered = (0..2000).filter(|_| {
                let samples: Vec<f64> = (0..n).map(|_| random.normal()).collect();
                let interval = mean(&samples, 0.95);
                interval.low <= 0.0 && 0.0 <= interval.high
            });
            near(covered.count() as f64 / 2000.0, 0.95, 0.015);
        }
    }
}
