//! The few statistics that a run needs.
use ciphertune_results::{
    Interval,
    statistics::{Estimate, median},
};

/// Stabilised quartiles as SUPERCOP defines them (bench.cr.yp.to, `cpucycles` statistics): the averages over
/// the ranges 1/8 to 3/8, 3/8 to 5/8 and 5/8 to 7/8 of the sorted samples. They move smoothly where a
/// plain quartile jumps, and ignore the outermost eighths. `None` without samples.
pub(crate) fn stabilised_quartiles(samples: &[f64]) -> Option<Interval> {
    if samples.is_empty() {
        return None;
    }
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let median = mean_between(&sorted, 0.375, 0.625);
    // Rounding must not put equal samples out of order.
    Some(Interval {
        low: mean_between(&sorted, 0.125, 0.375).min(median),
        median,
        high: mean_between(&sorted, 0.625, 0.875).max(median),
    })
}

/// The mean of the quantile function between two of its arguments: of `n` sorted samples each stands for
/// one `n`th, and those at the ends count by the part that lies inside.
fn mean_between(sorted: &[f64], from: f64, to: f64) -> f64 {
    let n = sorted.len() as f64;
    let (from, to) = (from * n, to * n);
    let sum: f64 = sorted
        .iter()
        .enumerate()
        .map(|(i, sample)| {
            let inside = to.min(i as f64 + 1.0) - from.max(i as f64);
            sample * inside.max(0.0)
        })
        .sum();
    sum / (to - from)
}

/// The mean over processes and its interval at this confidence. Each process gives its paired differences and counts
/// by their median, so that processes are the replicates and a disturbed quantum does no harm.
///
/// `None` of fewer than two: one says nothing of the others, however many quanta it has.
pub(crate) fn mean_over_processes(processes: &[Vec<f64>], confidence: f64) -> Option<Interval> {
    let medians = processes.iter().map(|process| median(process.clone())).collect();
    Some(Estimate::of(&[medians])?.interval(confidence))
}

/// The same mean, also of one process, without a word of how sure it is. `None` without differences.
pub(crate) fn middle_over_processes(processes: &[Vec<f64>]) -> Option<f64> {
    let medians: Vec<f64> = processes
        .iter()
        .filter_map(|process| median(process.clone()))
        .collect();
    let count = medians.len() as f64;
    (!medians.is_empty()).then(|| medians.iter().sum::<f64>() / count)
}

#[cfg(test)]
mod tests {
    use ciphertune_testkit::Random;

    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} is not {b}");
    }

    /// Roughly normal: the sum of twelve uniform numbers has variance 1.
    fn normal(random: &mut Random) -> f64 {
        (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
    }

    #[test]
    fn quartiles_of_eight_average_two_samples_each() {
        let q = stabilised_quartiles(&[8.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]).unwrap();
        close(q.low, 2.5);
        close(q.median, 4.5);
        close(q.high, 6.5);
    }

    #[test]
    fn quartiles_of_three_weigh_the_samples_by_their_overlap() {
        // 3/8 to 9/8 of sample 0..3 is 5/8 of the first and 1/8 of the second.
        let q = stabilised_quartiles(&[10.0, 20.0, 60.0]).unwrap();
        close(q.low, (10.0 * 0.625 + 20.0 * 0.125) / 0.75);
        close(q.median, 20.0);
        close(q.high, (20.0 * 0.125 + 60.0 * 0.625) / 0.75);
    }

    #[test]
    fn quartiles_of_one_are_that_one_and_of_none_are_none() {
        let q = stabilised_quartiles(&[3.0]).unwrap();
        assert_eq!((q.low, q.median, q.high), (3.0, 3.0, 3.0));
        assert_eq!(stabilised_quartiles(&[]), None);
    }

    #[test]
    fn quartiles_of_equal_samples_are_in_order_whatever_is_rounded() {
        let mut random = Random::new(1);
        for n in 1..200 {
            let q = stabilised_quartiles(&vec![random.unit(); n]).unwrap();
            assert!(q.low <= q.median && q.median <= q.high, "{n}: {q:?}");
        }
    }

    #[test]
    fn quartiles_of_a_uniform_distribution_and_outliers_that_do_not_matter() {
        let mut samples: Vec<f64> = (0..10_000).map(|i| f64::from(i) / 10_000.0).collect();
        let clean = stabilised_quartiles(&samples).unwrap();
        assert!((clean.low - 0.25).abs() < 1e-3);
        assert!((clean.median - 0.5).abs() < 1e-3);
        assert!((clean.high - 0.75).abs() < 1e-3);
        for sample in &mut samples[9_000..] {
            *sample = 1e9;
        }
        assert_eq!(stabilised_quartiles(&samples), Some(clean));
    }

    #[test]
    fn the_interval_covers_a_known_mean_about_as_often_as_it_says() {
        // Processes differ from each other by twice as much as their quanta do, as on a noisy machine.
        for processes in [3, 5, 7] {
            let mut random = Random::new(processes);
            let covered = (0..1000)
                .filter(|_| {
                    let runs: Vec<Vec<f64>> = (0..processes)
                        .map(|_| {
                            let own = 2.0 * normal(&mut random);
                            (0..12).map(|_| own + normal(&mut random)).collect()
                        })
                        .collect();
                    let interval = mean_over_processes(&runs, 0.95).unwrap();
                    interval.low <= 0.0 && 0.0 <= interval.high
                })
                .count();
            assert!((930..=970).contains(&covered), "{processes} processes: {covered}");
        }
    }

    #[test]
    fn processes_that_disagree_widen_the_interval_however_many_quanta_they_have() {
        let processes: Vec<Vec<f64>> = [0.0, 1.0, 2.0].iter().map(|&at| vec![at; 1000]).collect();
        let interval = mean_over_processes(&processes, 0.95).unwrap();
        close(interval.median, 1.0);
        // 4.303 × 1 / √3.
        assert!((interval.high - 1.0 - 2.4843).abs() < 1e-3, "{interval:?}");
        close(interval.median - interval.low, interval.high - interval.median);
    }

    #[test]
    fn one_process_has_a_middle_and_no_interval() {
        let one = [vec![1.0, 2.0, 6.0], vec![]];
        assert_eq!(mean_over_processes(&one, 0.95), None);
        assert_eq!(middle_over_processes(&one), Some(2.0));
        let two = [vec![1.0, 2.0, 6.0], vec![], vec![3.0]];
        close(mean_over_processes(&two, 0.95).unwrap().median, 2.5);
        assert_eq!(middle_over_processes(&two), Some(2.5));
        assert_eq!(middle_over_processes(&[vec![]]), None);
    }
}
