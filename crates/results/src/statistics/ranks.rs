//! What ranks alone tell: nothing is presumed of how samples are distributed.
use super::{left, outside};
use crate::Interval;

/// How much the second samples lie above the first: the median of all differences between two (Hodges and Lehmann),
/// with the interval that Mann and Whitney's test does not reject. `None` where there are too few samples to reject
/// anything.
pub fn shift(first: &[f64], second: &[f64], confidence: f64) -> Option<Interval> {
    let outside = rejected(first.len(), second.len(), confidence);
    let mut differences: Vec<f64> = first
        .iter()
        .flat_map(|first| second.iter().map(move |second| second - first))
        .collect();
    differences.sort_by(f64::total_cmp);
    Some(Interval {
        low: differences[outside.checked_sub(1)?],
        median: median(differences.clone())?,
        high: differences[differences.len() - outside],
    })
}

/// How probable samples so far apart are if all are of one distribution, by Mann and Whitney's test, and the least that
/// this can be of so many.
pub fn rank_chance(first: &[f64], second: &[f64]) -> [f64; 2] {
    let pairs = || {
        first
            .iter()
            .flat_map(|one| second.iter().map(move |other| (one, other)))
    };
    let below = pairs().filter(|(one, other)| one <= other).count();
    let above = pairs().filter(|(one, other)| one >= other).count();
    let tails = Tails::of(first.len(), second.len());
    [below.min(above), 0].map(|u| tails.at(u))
}

/// How many samples on either side it takes for [`shift`] to tell anything.
pub fn least_samples(confidence: f64) -> usize {
    let can_tell = |&n: &usize| rejected(n, n, confidence) > 0;
    (1..=MANY).find(can_tell).unwrap_or(MANY)
}

/// The middle one, or the mean of the two in the middle. `None` for none.
pub fn median(mut samples: Vec<f64>) -> Option<f64> {
    samples.sort_by(f64::total_cmp);
    let half = samples.len() / 2;
    let upper = *samples.get(half)?;
    Some(if samples.len() % 2 == 1 {
        upper
    } else {
        f64::midpoint(samples[half - 1], upper)
    })
}

/// What `share` of the samples, or a little more, do not exceed: one of them. `None` for none.
pub fn quantile(mut samples: Vec<f64>, share: f64) -> Option<f64> {
    samples.sort_by(f64::total_cmp);
    let within = (share * samples.len() as f64).ceil() as usize;
    samples.get(within.checked_sub(1)?).copied()
}

/// How many values Mann and Whitney's U has on either side that are together less likely than `confidence` leaves.
fn rejected(first: usize, second: usize, confidence: f64) -> usize {
    let tails = Tails::of(first, second);
    // The tails grow with U.
    let (mut rejected, mut kept) = (0, first * second + 1);
    while rejected < kept {
        let u = usize::midpoint(rejected, kept);
        match tails.at(u) <= left(confidence) {
            true => rejected = u + 1,
            false => kept = u,
        }
    }
    rejected
}

/// How probable it is that Mann and Whitney's U is some value at most, or as far from the other end, if all samples are of
/// one distribution.
enum Tails {
    /// By all orders that the samples can have.
    Counted(Vec<f64>),
    /// By the normal distribution, which is near where samples are many on both sides.
    Normal { middle: f64, deviation: f64 },
}

/// Up to so many samples on either side, or as many pairs of them, orders are counted, which takes a millisecond. By pairs,
/// since of two samples against any number the normal distribution would never find a difference that is 99 % certain.
const MANY: usize = 40;

impl Tails {
    fn of(first: usize, second: usize) -> Self {
        if first * second > MANY * MANY {
            return Self::normal(first, second);
        }
        let mut tail = 0.0;
        let tails = probabilities(first, second).into_iter().map(|probability| {
            tail += probability;
            2.0 * tail
        });
        Self::Counted(tails.collect())
    }

    fn normal(first: usize, second: usize) -> Self {
        let [n, m] = [first, second].map(|n| n as f64);
        Self::Normal {
            middle: n * m / 2.0,
            deviation: (n * m * (n + m + 1.0) / 12.0).sqrt(),
        }
    }

    fn at(&self, u: usize) -> f64 {
        match self {
            Self::Counted(tails) => tails.get(u).map_or(1.0, |tail| tail.min(1.0)),
            Self::Normal { middle, deviation } => match (middle - u as f64) / deviation {
                t if t > 0.0 => outside(t, f64::from(u16::MAX)),
                _ => 1.0,
            },
        }
    }
}

/// Of each value that U can have, if all samples are of one distribution. U counts the pairs in which the first is the
/// greater one.
fn probabilities(first: usize, second: usize) -> Vec<f64> {
    // By whom the greatest sample of all belongs to: one of the first is above all `m` of the second.
    let mut rows = vec![vec![1.0]; second + 1];
    for n in 1..=first {
        let mut row: Vec<Vec<f64>> = vec![vec![1.0]];
        for m in 1..=second {
            let share = n as f64 / (n + m) as f64;
            let (of_first, of_second) = (&rows[m], &row[m - 1]);
            let at = |of: &[f64], u: Option<usize>| u.and_then(|u| of.get(u)).copied().unwrap_or(0.0);
            let sums = (0..=n * m)
                .map(|u| share * at(of_first, u.checked_sub(m)) + (1.0 - share) * at(of_second, Some(u)));
            row.push(sums.collect());
        }
        rows = row;
    }
    rows.swap_remove(second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::random::Random;

    /// Critical values of U, two-sided, as tables have them (Siegel, Nonparametric Statistics, 1956, table K): the
    /// greatest that is rejected, of as many as there are from 0 on.
    #[test]
    fn critical_values_by_the_tables() {
        for (first, second, at_95, at_99) in [
            (3, 3, None, None),
            (3, 5, Some(0), None),
            (4, 4, Some(0), None),
            (5, 5, Some(2), Some(0)),
            (6, 6, Some(5), Some(2)),
            (7, 7, Some(8), Some(4)),
            (5, 10, Some(8), Some(4)),
            (10, 10, Some(23), Some(16)),
            (20, 20, Some(127), Some(105)),
        ] {
            let rejected = |confidence| rejected(first, second, confidence).checked_sub(1);
            assert_eq!(
                [rejected(0.95), rejected(0.99)],
                [at_95, at_99],
                "{first}, {second}"
            );
            assert_eq!(super::rejected(second, first, 0.95).checked_sub(1), at_95);
        }
        // Of 20 orders two have either three on one side: a tenth, which is what is left of 90 % but for rounding.
        assert_eq!([0.9, 0.95, 0.99].map(least_samples), [3, 4, 5]);
    }

    /// Of 253 orders 2 have the two on one side of all others, and 12 have three at most between them and the end.
    #[test]
    fn a_few_against_many_are_counted() {
        assert_eq!([0.95, 0.99].map(|confidence| rejected(2, 21, confidence)), [4, 1]);
        let [chance, least] = rank_chance(&[0.0; 2], &[1.0; 21]);
        assert!(
            [chance, least]
                .iter()
                .all(|tail| (tail - 2.0 / 253.0).abs() < 1e-12)
        );
    }

    /// What would not be counted, where it can be.
    #[test]
    fn the_normal_distribution_is_near() {
        for (first, second) in [(20, 80), (40, 40)] {
            let (counted, normal) = (Tails::of(first, second), Tails::normal(first, second));
            for chance in [0.05, 0.01, 0.001] {
                let u = rejected(first, second, 1.0 - chance) - 1;
                let share = normal.at(u) / counted.at(u);
                assert!(
                    (0.98..1.3).contains(&share),
                    "{first}, {second}, {chance}: {share}"
                );
            }
        }
    }

    /// Hollander and Wolfe, Nonparametric Statistical Methods (1973), page 69, and R's `wilcox.test(y, x, conf.int =
    /// TRUE)`: 95 % interval -0.76 to 0.15, difference in location -0.305.
    #[test]
    fn permeability_of_membranes() {
        let at_term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
        let earlier = [1.15, 0.88, 0.90, 0.74, 1.21];
        let found = shift(&at_term, &earlier, 0.95).unwrap();
        for (value, expected) in [(found.low, -0.76), (found.median, -0.305), (found.high, 0.15)] {
            assert!((value - expected).abs() < 1e-9, "{found:?}");
        }
    }

    /// The same book and page, and R's `wilcox.test`: W = 35, p-value = 0.2544; 4 of 4 and 10 of 10 samples in two heaps
    /// have 2 of 70 and 2 of 184756 orders.
    #[test]
    fn chances_by_the_book() {
        let at_term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
        let earlier = [1.15, 0.88, 0.90, 0.74, 1.21];
        let [chance, _] = rank_chance(&at_term, &earlier);
        assert!((chance - 0.2544).abs() < 5e-5, "{chance}");
        for (n, expected) in [(4, 2.0 / 70.0), (10, 2.0 / 184_756.0)] {
            let heaps = rank_chance(&vec![1.0; n], &vec![2.0; n]);
            assert!(
                heaps.iter().all(|chance| (chance / expected - 1.0).abs() < 1e-9),
                "{heaps:?}"
            );
        }
        assert_eq!(rank_chance(&[1.0; 4], &[1.0; 4])[0], 1.0);
    }

    #[test]
    fn too_few_tell_nothing() {
        assert_eq!(shift(&[1.0; 3], &[2.0; 3], 0.95), None);
        assert_eq!(shift(&[], &[2.0; 9], 0.95), None);
        assert_eq!(shift(&[1.0; 4], &[2.0; 4], 0.95), Some(Interval::point(1.0)));
        assert_eq!(median(Vec::new()), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0, 10.0]), Some(2.5));
    }

    #[test]
    fn of_each_number_of_samples_no_smaller_share_lies_within_a_quantile() {
        assert_eq!(quantile(Vec::new(), 0.9), None);
        for n in 1..=200 {
            let samples: Vec<f64> = (0..n).rev().map(f64::from).collect();
            for share in [0.5, 0.75, 0.9, 1.0] {
                let quantile = quantile(samples.clone(), share).unwrap();
                let count = |is_within: &dyn Fn(f64) -> bool| {
                    samples.iter().filter(|&&sample| is_within(sample)).count() as f64
                };
                let enough = share * f64::from(n);
                assert!(count(&|sample| sample <= quantile) >= enough, "{share} of {n}");
                assert!(count(&|sample| sample < quantile) < enough, "{share} of {n}");
            }
        }
    }

    /// Samples that mostly agree, and that something slows down by a third now and then, as a machine's other work
    /// does.
    #[test]
    fn outliers_neither_make_a_difference_nor_hide_one() {
        let mut random = Random(1);
        let mut seven = |lead: f64| -> Vec<f64> {
            let mut unit = || random.uniform();
            let mut one = || 0.01 * unit() - if unit() < 0.05 { 0.4 * unit() } else { 0.0 };
            (0..7).map(|_| lead + one()).collect()
        };
        let (mut differences, mut found, mut by_welch) = (0, 0, 0);
        for _ in 0..1000 {
            let same = shift(&seven(0.0), &seven(0.0), 0.95).unwrap();
            differences += usize::from(same.low > 0.0 || same.high < 0.0);
            let (before, after) = (seven(0.0), seven(0.05));
            found += usize::from(shift(&before, &after, 0.95).unwrap().low > 0.0);
            let [before, after] = [before, after].map(|seven| {
                let row = seven.into_iter().map(Some).collect();
                crate::statistics::Estimate::of(&[row]).unwrap()
            });
            by_welch += usize::from(after.minus(before).interval(0.95).low > 0.0);
        }
        assert!(differences <= 55, "{differences} of 1000 that are none");
        assert!(found > 930, "{found} of 1000 that are one");
        assert!(by_welch < 750, "{by_welch} of them by Welch's interval");
    }
}
