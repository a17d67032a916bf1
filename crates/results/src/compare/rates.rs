//! What a side has measured of a cell.
use super::sides::Side;
use crate::{Cell, Figures, statistics};

/// A rate, in bytes per second or per cycle, with the ends of its interval and its replicates.
pub(super) struct Rates {
    pub(super) low: f64,
    pub(super) median: f64,
    pub(super) high: f64,
    pub(super) replicates: Vec<f64>,
}

impl Rates {
    /// With processes as replicates or, where a side has several runs, these. `None` where rates are wanted per cycle
    /// and nobody knows how many there were.
    pub(super) fn of(side: &Side, cell: &Cell, by_runs: bool, per_cycle: bool) -> Option<Self> {
        if !by_runs {
            return Self::of_run(cell.figures.as_ref()?, per_cycle);
        }
        let runs: Option<Vec<Self>> = side
            .figures(cell)
            .into_iter()
            .map(|figures| Self::of_run(figures, per_cycle))
            .collect();
        let replicates: Vec<f64> = runs?.iter().map(Self::fastest).collect();
        let median = statistics::median(replicates.clone())?;
        Some(Self {
            low: median,
            median,
            high: median,
            replicates,
        })
    }

    /// The geometric mean of several; `None` for none. It has an interval where each has one, and replicates where each
    /// has as many as the others.
    pub(super) fn mean(all: &[&Self]) -> Option<Self> {
        let over = |rate: &dyn Fn(&Self) -> f64| {
            let sum: f64 = all.iter().map(|rates| rate(rates).ln()).sum();
            (sum / all.len() as f64).exp()
        };
        let count = all.first()?.replicates.len();
        let is_even = all.iter().all(|rates| rates.replicates.len() == count);
        let replicates = 0..if is_even { count } else { 0 };
        let median = over(&|rates| rates.median);
        let [low, high] = match all.iter().all(|rates| rates.has_interval()) {
            true => [over(&|rates| rates.low), over(&|rates| rates.high)],
            false => [median; 2],
        };
        Some(Self {
            low,
            median,
            high,
            replicates: replicates.map(|n| over(&|rates| rates.replicates[n])).collect(),
        })
    }

    /// Whether it is more than a single figure.
    pub(super) fn has_interval(&self) -> bool {
        self.low < self.high
    }

    /// The rate of the run's fastest process: what other work slowed down says nothing of the code.
    fn fastest(&self) -> f64 {
        let processes = self.replicates.iter().copied();
        processes.reduce(f64::max).unwrap_or(self.median)
    }

    fn of_run(figures: &Figures, per_cycle: bool) -> Option<Self> {
        let rate = figures.bytes_per_second;
        let hz = if per_cycle {
            rate.median * figures.cycles_per_byte?
        } else {
            1.0
        };
        Some(Self {
            low: rate.low / hz,
            median: rate.median / hz,
            high: rate.high / hz,
            replicates: figures.replicates.iter().map(|rate| rate / hz).collect(),
        })
    }
}
