//! How much faster, and how sure that is.
use serde::Serialize;

use super::rates::Rates;
use crate::{
    Interval, lead,
    statistics::{self, Estimate},
};

/// What became of a rate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The new rate over the old one. A point where nobody knows how sure it is, or it could be anything.
    pub ratio: Interval,
    /// What to think of it.
    pub verdict: Verdict,
    /// The baseline's rate: bytes per second or, if so asked, per core cycle. Of worker processes, and of runs in which both
    /// were timed, the geometric mean, so that `ratio` is that of the rates or, by the rounds of a run, close to it; of other
    /// runs the median; without replicates what the run says. Of several cells their geometric mean.
    pub before: f64,
    /// The other's.
    pub after: f64,
    /// Replicates on either side that count: runs where a side has several, or else worker processes; 0 where the run
    /// has none. Of several cells the fewest that one has.
    pub replicates: [usize; 2],
    /// How probable so much of a difference is where there is none; `None` where nobody can say.
    #[serde(skip)]
    pub chance: Option<f64>,
    /// The least that this can be of so few runs; 0 where there is no such limit.
    #[serde(skip)]
    pub least_chance: f64,
}

impl Change {
    /// Whether it is faster by as much as is worth a change.
    pub fn is_lead(&self) -> bool {
        // The verdict has heeded the floor.
        self.verdict == Verdict::Faster && lead::is_lead(self.ratio, 0.0)
    }

    /// Whether the baseline is faster by as much.
    pub fn is_loss(&self) -> bool {
        let Interval { low, median, high } = self.ratio;
        let back = Interval {
            low: 1.0 / high,
            median: 1.0 / median,
            high: 1.0 / low,
        };
        self.verdict == Verdict::Slower && lead::is_lead(back, 0.0)
    }
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

/// Of each cell a row with the logarithms of its replicates.
type Rows = Vec<Vec<Option<f64>>>;

impl Judge {
    /// What became of a cell or, of several, of their geometric mean; `None` for none.
    pub(super) fn change(&self, cells: &[[&Rates; 2]]) -> Option<Change> {
        let means = sides(cells).map(|side| Rates::mean(&side));
        let [Some(before), Some(after)] = means else {
            return None;
        };
        let means = [before, after];
        let change = match self.by_runs && !self.is_paired {
            true => self.by_ranks(&means),
            false => self.by_means(cells),
        };
        Some(change.unwrap_or_else(|| self.apart(cells, &means)))
    }

    /// Each run, of several cells, has a mean of its own. `None` where they are too few.
    fn by_ranks(&self, [before, after]: &[Rates; 2]) -> Option<Change> {
        let rates = [before.median, after.median];
        let [before, after] =
            [before, after].map(|mean| Vec::from_iter(mean.logarithms().into_iter().flatten()));
        let log = statistics::shift(&before, &after, self.confidence)?;
        let [chance, least_chance] = statistics::rank_chance(&before, &after);
        Some(Change {
            chance: Some(chance),
            least_chance,
            ..self.told(log.exp(), rates, [before.len(), after.len()])
        })
    }

    /// `None` where a cell has too few.
    fn by_means(&self, cells: &[[&Rates; 2]]) -> Option<Change> {
        let (rows, difference) = match self.paired(cells) {
            Some(paired) => paired,
            None => {
                let rows = sides(cells).map(|side| side.into_iter().map(Rates::logarithms).collect());
                let [before, after] = rows.each_ref().map(|rows: &Rows| Estimate::of(rows));
                let difference = after?.minus(before?);
                (rows, difference)
            }
        };
        // Of the replicates the mean, of which one that was disturbed moves both the ratio and the rate.
        let [before, after] = rows.each_ref().map(|rows| Estimate::of(rows));
        let rates = [before?.mean.exp(), after?.mean.exp()];
        let log = difference.interval(self.confidence);
        Some(Change {
            chance: Some(difference.chance()),
            ..self.told(log.exp(), rates, rows.map(|rows| fewest(&rows)))
        })
    }

    /// What both sides have by the same number, and the difference; `None` where a cell has too few pairs, or there are
    /// none.
    fn paired(&self, cells: &[[&Rates; 2]]) -> Option<([Rows; 2], Estimate)> {
        if !self.is_paired {
            return None;
        }
        let leads: Rows = cells.iter().map(|[before, after]| before.leads(after)).collect();
        // Only those processes in which both have a rate.
        let shared = |side: usize| -> Rows {
            let rows = cells.iter().zip(&leads);
            rows.map(|(cell, leads)| {
                let own = cell[side].logarithms().into_iter().zip(leads);
                own.map(|(own, lead)| lead.and(own)).collect()
            })
            .collect()
        };
        Some(([shared(0), shared(1)], Estimate::of(&leads)?))
    }

    /// By whether the intervals keep apart, where there are no replicates.
    fn apart(&self, cells: &[[&Rates; 2]], [before, after]: &[Rates; 2]) -> Change {
        let ratio = Interval {
            low: after.low / before.high,
            median: after.median / before.median,
            high: after.high / before.low,
        };
        let replicates =
            [0, 1].map(|side| fewest(&cells.iter().map(|cell| cell[side].logarithms()).collect()));
        let told = self.told(ratio, [before.median, after.median], replicates);
        match before.has_interval() && after.has_interval() {
            true => told,
            false => Change {
                verdict: Verdict::Unknown,
                // That of one side says nothing of the difference.
                ratio: Interval::point(ratio.median),
                ..told
            },
        }
    }

    fn told(&self, ratio: Interval, [before, after]: [f64; 2], replicates: [usize; 2]) -> Change {
        Change {
            // Two processes that disagree may, at great confidence, leave nothing out.
            ratio: match ratio.low > 0.0 && ratio.high.is_finite() {
                true => ratio,
                false => Interval::point(ratio.median),
            },
            verdict: if ratio.low > 1.0 && ratio.median.ln() > self.floor {
                Verdict::Faster
            } else if ratio.high < 1.0 && ratio.median.ln() < -self.floor {
                Verdict::Slower
            } else {
                Verdict::Same
            },
            before,
            after,
            replicates,
            chance: None,
            least_chance: 0.0,
        }
    }
}

/// All of the one side's, and all of the other's.
fn sides<'a>(cells: &[[&'a Rates; 2]]) -> [Vec<&'a Rates>; 2] {
    [0, 1].map(|side| cells.iter().map(|cell| cell[side]).collect())
}

fn fewest(rows: &Rows) -> usize {
    let counts = rows.iter().map(|row| row.iter().flatten().count());
    counts.min().unwrap_or(0)
}
