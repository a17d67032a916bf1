//! How far a machine's speed wanders while a run is measured. What slows every implementation down at once cancels where
//! they are compared with each other, and does not where a rate is compared with another run's.
use std::collections::BTreeMap;

use crate::{
    Cell, Run,
    statistics::{median, quantile},
};

/// By what share everything was faster in the fastest worker process than in the slowest, in nine of ten cells at most:
/// of all implementations at one place the one in the middle counts, so that what one alone does is left out. `None` where
/// no two implementations were timed in two processes.
pub fn wander(run: &Run) -> Option<f64> {
    let mut places: BTreeMap<_, Vec<Vec<f64>>> = BTreeMap::new();
    for cell in &run.cells {
        let factors = places.entry((cell.length, cell.task())).or_default();
        for (process, factor) in factors_of(cell) {
            if factors.len() <= process {
                factors.resize(process + 1, Vec::new());
            }
            factors[process].push(factor);
        }
    }
    quantile(places.into_values().filter_map(spread).collect(), 0.9)
}

/// Of the factors that each process has, the middle ones' range, as a share.
fn spread(processes: Vec<Vec<f64>>) -> Option<f64> {
    let middles: Vec<f64> = processes.into_iter().filter_map(middle).collect();
    let least = middles.iter().copied().reduce(f64::min)?;
    let most = middles.iter().copied().reduce(f64::max)?;
    (middles.len() > 1).then(|| most / least - 1.0)
}

/// Of an even number, what lies nearest to 1 from the one to the other in the middle: two that go together both leave it,
/// and one of them alone does not. `None` of one, which shares nothing with anybody.
fn middle(mut factors: Vec<f64>) -> Option<f64> {
    let upper = factors.len() / 2;
    let lower = factors.len().checked_sub(upper + 1)?;
    factors.sort_by(f64::total_cmp);
    (upper > 0).then(|| 1.0_f64.clamp(factors[lower], factors[upper]))
}

/// How many times its own middle rate a cell has in each process.
fn factors_of(cell: &Cell) -> Vec<(usize, f64)> {
    let replicates = cell.figures.iter().flat_map(|figures| &figures.replicates);
    let known: Vec<(usize, f64)> = replicates
        .enumerate()
        .filter_map(|(process, rate)| Some((process, (*rate)?)))
        .collect();
    match median(known.iter().map(|(_, rate)| *rate).collect()) {
        Some(middle) if known.len() > 1 => known
            .into_iter()
            .map(|(process, rate)| (process, rate / middle))
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Figures, Machine};

    /// At each length cells with these rates.
    fn run(lengths: &[&[&[Option<f64>]]]) -> Run {
        let cells = lengths.iter().enumerate().flat_map(|(length, cells)| {
            cells.iter().enumerate().map(move |(name, rates)| Cell {
                figures: Some(Figures {
                    replicates: rates.to_vec(),
                    ..Figures::point(1.0)
                }),
                ..Cell::new(&name.to_string(), "A", "encrypt", "stream/1", length as u64 + 1)
            })
        });
        Run {
            machine: Machine::new(String::new(), String::new(), String::new()),
            bounds: Vec::new(),
            cells: cells.collect(),
        }
    }

    #[track_caller]
    fn is_near(run: &Run, expected: f64) {
        let found = wander(run).unwrap();
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    #[test]
    fn what_all_share_counts_and_what_one_does_alone_does_not() {
        let slow_once: &[Option<f64>] = &[Some(2.0), Some(1.0), Some(2.0)];
        let ten_times: &[Option<f64>] = &[Some(20.0), Some(10.0), Some(20.0)];
        let steady: &[Option<f64>] = &[Some(5.0); 3];
        is_near(&run(&[&[slow_once, ten_times, slow_once]]), 1.0);
        is_near(&run(&[&[slow_once, steady, steady]]), 0.0);
        let fast_once: &[Option<f64>] = &[Some(1.0), Some(2.0), Some(1.0)];
        is_near(&run(&[&[fast_once, steady, steady]]), 0.0);
        // Each in another process, which all cancel in the middle.
        let slow_at_last: &[Option<f64>] = &[Some(2.0), Some(2.0), Some(1.0)];
        is_near(&run(&[&[slow_once, slow_at_last, steady]]), 0.0);
        // A process that is missing keeps its number.
        let without: &[Option<f64>] = &[None, Some(1.0), Some(2.0), Some(2.0)];
        is_near(&run(&[&[without, without]]), 1.0);
    }

    #[test]
    fn what_one_of_two_does_alone_is_not_half_of_everything() {
        let slow_once: &[Option<f64>] = &[Some(2.0), Some(1.0), Some(2.0)];
        let slower_once: &[Option<f64>] = &[Some(4.0), Some(1.0), Some(4.0)];
        let fast_once: &[Option<f64>] = &[Some(1.0), Some(2.0), Some(1.0)];
        let steady: &[Option<f64>] = &[Some(5.0); 3];
        is_near(&run(&[&[slow_once, steady]]), 0.0);
        is_near(&run(&[&[slow_once, fast_once]]), 0.0);
        is_near(&run(&[&[slow_once, slower_once]]), 1.0);
        is_near(&run(&[&[slow_once, slower_once, steady, steady]]), 0.0);
        // Where the other was not timed, one is alone too.
        let shorter: &[Option<f64>] = &[Some(5.0); 2];
        let slow_at_last: &[Option<f64>] = &[Some(2.0), Some(2.0), Some(1.0)];
        is_near(&run(&[&[slow_at_last, shorter]]), 0.0);
    }

    #[test]
    fn one_cell_of_ten_may_be_left_out() {
        let steady: &[&[Option<f64>]] = &[&[Some(5.0); 3], &[Some(1.0); 3]];
        let rates: &[Option<f64>] = &[Some(1.0), Some(2.0), Some(3.0)];
        let wild = &[rates, rates][..];
        let mut lengths = vec![steady; 9];
        lengths.push(wild);
        is_near(&run(&lengths), 0.0);
        lengths[0] = wild;
        is_near(&run(&lengths), 2.0);
    }

    #[test]
    fn of_a_single_process_or_implementation_nobody_can_say() {
        assert_eq!(wander(&run(&[&[&[Some(1.0)], &[Some(1.0)]]])), None);
        assert_eq!(wander(&run(&[&[&[Some(1.0), Some(2.0)], &[]]])), None);
        let (first, last) = ([Some(1.0), Some(2.0), None], [None, Some(2.0), Some(1.0)]);
        assert_eq!(wander(&run(&[&[&first, &last]])), None);
        assert_eq!(wander(&run(&[])), None);
    }
}
