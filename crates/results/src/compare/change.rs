//! How much faster, and how sure that is.
use serde::Serialize;

use super::{cells::Pair, rates::Rates};
use crate::{Interval, statistics};

/// What became of a rate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The new rate over the old one. A point where nobody knows how sure it is.
    pub ratio: Interval,
    /// What to think of it.
    pub verdict: Verdict,
    /// The baseline's rate: bytes per second or, if so asked, per core cycle. Of worker processes the geometric mean, so
    /// that `ratio` is that of the rates; of runs the median; without replicates what the run says. Of several cells
    /// their geometric mean.
    pub before: f64,
    /// The other's.
    pub after: f64,
    /// Replicates on either side: runs where a side has several, or else worker processes; 0 where the run has none.
    pub replicates: [usize; 2],
}

/// Whether a difference is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It is faster than the baseline.
    Faster,
    /// It is slower.
    Slower,
    /// The runs cannot tell them apart.
    Same,
    /// There is a single figure on one side, or too few runs, so nobody can say.
    Unknown,
}

/// By what changes are judged.
pub(super) struct Judge {
    /// The logarithm of the least ratio that the runs can tell from 1.
    pub(super) floor: f64,
    pub(super) confidence: f64,
    /// Whether replicates of the same number belong together.
    pub(super) is_paired: bool,
    /// Whether replicates are runs.
    pub(super) by_runs: bool,
}

impl Judge {
    pub(super) fn change(&self, pair: &Pair) -> Change {
        self.between(&pair.before_rates, &pair.after_rates)
    }

    /// The geometric mean of several; `None` for none. Where each has as many replicates as the others, each process, or
    /// run, has a mean of its own.
    pub(super) fn mean(&self, pairs: &[&Pair]) -> Option<Change> {
        let sides: [Vec<&Rates>; 2] = [
            pairs.iter().map(|pair| &pair.before_rates).collect(),
            pairs.iter().map(|pair| &pair.after_rates).collect(),
        ];
        let [before, after] = sides.each_ref().map(|side| Rates::mean(side));
        Some(self.between(&before?, &after?))
    }

    fn between(&self, before: &Rates, after: &Rates) -> Change {
        self.judged(before, after).unwrap_or_else(|| apart(before, after))
    }

    /// By the logarithms of their replicates; `None` where these are too few.
    fn judged(&self, old: &Rates, new: &Rates) -> Option<Change> {
        let pairs: Vec<f64> = if self.is_paired && old.replicates.len() == new.replicates.len() {
            let both = old.replicates.iter().zip(&new.replicates);
            both.filter_map(|(old, new)| Some((*new)?.ln() - (*old)?.ln()))
                .collect()
        } else {
            Vec::new()
        };
        let [before, after] = &[logarithms(old), logarithms(new)];
        let log = if pairs.len() > 1 {
            statistics::mean(&pairs, self.confidence)?
        } else if self.by_runs {
            statistics::shift(before, after, self.confidence)?
        } else {
            statistics::difference(before, after, self.confidence)?
        };
        Some(Change {
            ratio: Interval {
                low: log.low.exp(),
                median: log.median.exp(),
                high: log.high.exp(),
            },
            verdict: if log.low > self.floor {
                Verdict::Faster
            } else if log.high < -self.floor {
                Verdict::Slower
            } else {
                Verdict::Same
            },
            before: self.rate(old, before),
            after: self.rate(new, after),
            replicates: [before.len(), after.len()],
        })
    }

    /// What was compared: the middle of the runs, or the mean of the processes, of which one that was disturbed moves both
    /// the ratio and the rate.
    fn rate(&self, rates: &Rates, logarithms: &[f64]) -> f64 {
        match self.by_runs {
            true => rates.median,
            false => (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp(),
        }
    }
}

fn logarithms(rates: &Rates) -> Vec<f64> {
    rates.replicates.iter().flatten().map(|rate| rate.ln()).collect()
}

/// By whether the intervals keep apart, where there are no replicates.
fn apart(before: &Rates, after: &Rates) -> Change {
    let is_known = before.has_interval() && after.has_interval();
    Change {
        ratio: Interval {
            low: after.low / before.high,
            median: after.median / before.median,
            high: after.high / before.low,
        },
        verdict: if !is_known {
            Verdict::Unknown
        } else if after.low > before.high {
            Verdict::Faster
        } else if after.high < before.low {
            Verdict::Slower
        } else {
            Verdict::Same
        },
        before: before.median,
        after: after.median,
        replicates: [before, after].map(|rates| rates.replicates.iter().flatten().count()),
    }
}
