//! What a side has measured of a cell.
use std::iter;

use super::sides::Side;
use crate::{
    Cell, Figures,
    statistics::{self, Rounds, log_ratios},
};

/// A rate, in bytes per second or per cycle, with the ends of its interval and its replicates.
#[derive(Clone)]
pub(super) struct Rates {
    pub(super) low: f64,
    pub(super) median: f64,
    pub(super) high: f64,
    /// In their order; `None` for a process that was disturbed all the time, and for a run that does not count or lacks
    /// the cell.
    pub(super) replicates: Vec<Option<f64>>,
    /// As in [`Figures`].
    rounds: Rounds,
    /// Where replicates are runs, what each has.
    runs: Vec<Option<Self>>,
}

impl Rates {
    /// With processes as replicates or, where a side has several runs, these, each by the fastest of as many processes.
    /// Else why there is nothing to judge by: rates are wanted per cycle and nobody knows how many there were, or what was
    /// timed was disturbed all the time.
    pub(super) fn of(
        side: &Side,
        cell: &Cell,
        by_runs: Option<usize>,
        per_cycle: bool,
    ) -> Result<Self, String> {
        let cycles = || "its core cycles are not known on both sides".to_owned();
        let disturbed = || format!("other work disturbed it all the time in {}", side.name);
        let Some(processes) = by_runs else {
            let figures = cell.figures.as_ref();
            let run = figures.and_then(|figures| Self::of_run(figures, per_cycle));
            let run = run.ok_or_else(cycles)?;
            return Some(run).filter(|run| !run.is_disturbed()).ok_or_else(disturbed);
        };
        let runs = Self::of_runs(side, cell, per_cycle);
        if runs.iter().all(Option::is_none) {
            return Err(cycles());
        }
        let runs = Self::counting(runs);
        let replicates: Vec<Option<f64>> = runs
            .iter()
            .map(|run| Some(run.as_ref()?.fastest_of(processes)))
            .collect();
        let counting = replicates.iter().flatten().copied().collect();
        let median = statistics::median(counting).ok_or_else(disturbed)?;
        Ok(Self {
            low: median,
            median,
            high: median,
            replicates,
            rounds: Vec::new(),
            runs,
        })
    }

    /// The fewest processes that any run has of a cell, of those that count.
    pub(super) fn fewest(side: &Side, cell: &Cell, per_cycle: bool) -> usize {
        let counting = Self::counting(Self::of_runs(side, cell, per_cycle));
        let processes = counting.iter().flatten().map(Self::processes);
        processes.min().unwrap_or(0)
    }

    /// Those of a side's runs that count: not one that was disturbed all the time, nor one that has fewer than half as many
    /// processes as is usual, as where it was interrupted: all others would count by as few.
    fn counting(runs: Vec<Option<Self>>) -> Vec<Option<Self>> {
        let processes = |run: &Self| run.processes() as f64;
        let all = runs.iter().flatten().filter(|run| !run.is_disturbed());
        let usual = statistics::median(all.map(processes).collect()).unwrap_or(0.0);
        let counts = |run: &Self| !run.is_disturbed() && 2.0 * processes(run) >= usual;
        runs.into_iter().map(|run| run.filter(counts)).collect()
    }

    /// What each run of a side has; `None` for one that lacks the cell, or its cycles.
    fn of_runs(side: &Side, cell: &Cell, per_cycle: bool) -> Vec<Option<Self>> {
        let runs = side.figures(cell).into_iter();
        runs.map(|figures| Self::of_run(figures?, per_cycle)).collect()
    }

    /// How many processes were not disturbed all the time.
    fn processes(&self) -> usize {
        self.replicates.iter().flatten().count()
    }

    /// Whether other work disturbed each process all the time, so that the rate may be too low.
    fn is_disturbed(&self) -> bool {
        !self.replicates.is_empty() && self.replicates.iter().all(Option::is_none)
    }

    /// The geometric mean of several; `None` for none. It has an interval where each has one, and those replicates that
    /// each has.
    pub(super) fn mean(all: &[&Self]) -> Option<Self> {
        if let [one] = all {
            return Some((*one).clone());
        }
        let over = |rate: &dyn Fn(&Self) -> Option<f64>| {
            let logarithms = all.iter().map(|rates| Some(rate(rates)?.ln()));
            let sum = logarithms.sum::<Option<f64>>()?;
            Some((sum / all.len() as f64).exp())
        };
        let count = all.iter().map(|rates| rates.replicates.len()).min()?;
        let median = over(&|rates| Some(rates.median))?;
        let [low, high] = match all.iter().all(|rates| rates.has_interval()) {
            true => [over(&|rates| Some(rates.low))?, over(&|rates| Some(rates.high))?],
            false => [median; 2],
        };
        Some(Self {
            low,
            median,
            high,
            replicates: (0..count).map(|n| over(&|rates| rates.replicates[n])).collect(),
            rounds: Vec::new(),
            runs: Vec::new(),
        })
    }

    /// The logarithms of its replicates.
    pub(super) fn logarithms(&self) -> Vec<Option<f64>> {
        let replicates = self.replicates.iter();
        replicates.map(|rate| rate.map(f64::ln)).collect()
    }

    /// How much faster another is of the same run, in each process: the median over the rounds that both have. Of several
    /// runs, in each: the median over its processes. Where those are not known, by what each did in all. As logarithms.
    pub(super) fn leads(&self, other: &Self) -> Vec<Option<f64>> {
        let by_rounds = log_ratios(&self.rounds, &other.rounds);
        let by_processes = self.runs.iter().zip(&other.runs).map(|(own, theirs)| {
            let leads = own.as_ref()?.leads(theirs.as_ref()?);
            Some(leads.into_iter().flatten().collect())
        });
        // There are either rounds or runs.
        let parts = by_rounds.into_iter().map(Some).chain(by_processes);
        let by_parts = parts
            .map(|leads| statistics::median(leads?))
            .chain(iter::repeat(None));
        let all = self.logarithms().into_iter().zip(other.logarithms());
        all.zip(by_parts)
            .map(|((own, theirs), by_parts)| {
                let in_all = theirs? - own?;
                Some(by_parts.unwrap_or(in_all))
            })
            .collect()
    }

    /// Whether it is more than a single figure.
    pub(super) fn has_interval(&self) -> bool {
        self.low < self.high
    }

    /// The rate of the fastest of so many of the run's processes, the mean over all ways to draw them: what other work
    /// slowed down says nothing of the code, and the fastest of more would be faster by nothing but luck.
    fn fastest_of(&self, processes: usize) -> f64 {
        let mut rates: Vec<f64> = self.replicates.iter().flatten().copied().collect();
        if processes == 0 {
            return self.median;
        }
        rates.sort_unstable_by(f64::total_cmp);
        // Of all draws, the share whose fastest is none of the `n` rates above: each that is drawn must be one below.
        let mut share = 1.0;
        let mut mean = 0.0;
        for (below, rate) in rates.iter().enumerate().rev() {
            let is_drawn = (processes as f64 / (below + 1) as f64).min(1.0);
            mean += share * is_drawn * rate;
            share *= 1.0 - is_drawn;
        }
        mean
    }

    pub(super) fn of_run(figures: &Figures, per_cycle: bool) -> Option<Self> {
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
            replicates: figures
                .replicates
                .iter()
                .map(|rate| Some((*rate)? / hz))
                .collect(),
            rounds: figures
                .rounds
                .iter()
                .map(|process| process.iter().map(|rate| Some((*rate)? / hz)).collect())
                .collect(),
            runs: Vec::new(),
        })
    }
}
