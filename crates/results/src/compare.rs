//! How much faster: runs against each other, or implementations within a run.
//!
//! A difference counts when its interval keeps clear of none, and it is itself beyond what the runs could not tell apart
//! (their noise floors): the one is for chance, the other for what code differs from itself by however often one looks.
//! The interval comes from the replicates, the medians of the worker processes, as logarithms, so that twice as fast
//! and half as fast lie equally far from no difference. Within one run those of the same number are pairs, since the
//! processes of all implementations followed each other together, and so did their quanta: a pair differs by the median of
//! its rounds' ratios, which what is slow for some milliseconds does not move. Between runs they are not, and Welch's
//! interval serves.
//! In a mean of several cells, which need not have equally many processes, those of one number count together.
//! Without replicates the interval goes from the one's low to the other's high end; where one of them is a single figure,
//! nobody can say.
//!
//! Processes of one run agree with each other more than with those of another. Where a side has several runs, these
//! are the replicates, each by its fastest process: other work on the machine only ever slows a process down. Of more
//! processes the fastest is faster, so each run counts by the fastest of as many as the run with the fewest has, drawn
//! from its own: the mean over all draws. One that has fewer than half as many as is usual does not count, since the
//! others would for little more than their mean. The interval is that of Mann and Whitney's test. Implementations within
//! several runs are pairs in each of them, and differ there by the median over the processes of what these differ by: what
//! slowed a run down cancels, and Student's interval serves as within one.
mod cells;
mod change;
mod gate;
mod rates;
mod sides;

use serde::Serialize;

pub use change::{Change, Verdict};
pub use gate::Gate;

use crate::{Figures, Run, statistics};
use cells::Pair;
use rates::Rates;
use sides::Side;

/// Runs and what people call them.
#[derive(Clone, Debug)]
pub struct Named {
    /// As a rule the file's name, or the folder's.
    pub name: String,
    /// One, or several that measured the same.
    pub runs: Vec<Run>,
}

/// What is set against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Each file against the baseline's: machines, library versions, builds, compilers. Implementations are matched
    /// by their ids or, where that finds none, by their ids without the version.
    File,
    /// Each implementation against the baseline, in whichever file it is.
    Implementation,
}

/// How to compare.
#[derive(Clone, Debug)]
pub struct Terms {
    /// What is set against each other.
    pub by: By,
    /// The name of the file or implementation that the others are compared with; `None` for the first.
    pub baseline: Option<String>,
    /// The probability that an interval holds the truth, as 0.95.
    pub confidence: f64,
    /// Whether cells are matched whatever their contracts.
    pub across_contracts: bool,
    /// Whether rates are taken per core cycle, and the processors' frequencies thus left out.
    pub per_cycle: bool,
}

/// All that was compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// What is set against each other.
    pub by: By,
    /// The baseline's name.
    pub baseline: String,
    /// The probability that an interval holds the truth.
    pub confidence: f64,
    /// Whether contracts were left out of account.
    pub across_contracts: bool,
    /// Whether rates are bytes per core cycle instead of bytes per second.
    pub per_cycle: bool,
    /// Everyone but the baseline.
    pub compared: Vec<Compared>,
}

/// Someone against the baseline.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// The file's or implementation's name.
    pub name: String,
    /// How many runs the baseline has, and how many this. Not all of them need count for a cell.
    pub runs: [usize; 2],
    /// In the baseline's order.
    pub rows: Vec<Row>,
    /// The geometric mean of all cells that could be compared.
    pub mean: Option<Change>,
    /// What could not be compared.
    pub left_out: Vec<LeftOut>,
}

/// Cells that differ in their lengths alone.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// As in the run.
    pub algorithm: String,
    /// As in the run.
    pub operation: String,
    /// As in the baseline.
    pub contract: String,
    /// As in the baseline, in bytes.
    pub aad: u64,
    /// The other's, which is another one only where contracts may differ.
    pub compared_contract: String,
    /// The other's, in bytes.
    pub compared_aad: u64,
    /// As in the run.
    pub threads: u32,
    /// As in the run.
    pub workers: u32,
    /// The baseline's.
    pub baseline_implementation: String,
    /// The other's.
    pub implementation: String,
    /// In ascending order of length.
    pub cells: Vec<Entry>,
    /// The geometric mean over the lengths.
    pub mean: Change,
}

/// One length of a row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// Bytes a message.
    pub length: u64,
    /// What became of the rate.
    pub change: Change,
}

/// Cells of one implementation that could not be compared, for one reason. What is `None` need not be told: it does not
/// differ from that of the implementation's cells of the algorithm that were compared, or left out for another reason.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeftOut {
    /// The implementation's id.
    pub implementation: String,
    /// Its algorithms.
    pub algorithms: Vec<String>,
    /// Where others that differ in it had another fate, their operation.
    pub operation: Option<String>,
    /// Likewise their contract, and with it `aad`.
    pub contract: Option<String>,
    /// In bytes.
    pub aad: Option<u64>,
    /// Likewise the number of threads, and with it `workers`.
    pub threads: Option<u32>,
    /// How many of the threads help the others.
    pub workers: Option<u32>,
    /// Where it is only these lengths, they, in ascending order.
    pub lengths: Vec<u64>,
    /// How many cells.
    pub cells: usize,
    /// Why not.
    pub reason: String,
    /// Whether the baseline has figures of them that nothing is judged by: the cycles are not known that rates are wanted
    /// by, other work disturbed either side all the time or, of files, the other has nothing at all, skipped them or timed
    /// something else.
    pub lost: bool,
}

/// Why nothing can be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Nothing was measured in these.
    #[error("there is nothing to compare: no figures are in {}", .0.join(", "))]
    Empty(Vec<String>),
    /// No file or implementation has the baseline's name.
    #[error("there is no '{name}' to be the baseline; name one of {}", .known.join(", "))]
    UnknownBaseline {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// There is nothing besides the baseline.
    #[error("there is nothing to compare '{0}' with; {hint}", hint = match .1 {
        By::File => "name a second run file, or compare its implementations (--by implementation)",
        By::Implementation => "no other implementation has figures",
    })]
    Alone(String, By),
}

/// What everyone is called who can be compared, in the order of the files: an implementation that several files have is
/// `IMPLEMENTATION in FILE`.
pub fn names(runs: &[Named], by: By) -> Vec<String> {
    let sides = sides::sides(runs, by);
    sides.into_iter().map(|side| side.name).collect()
}

/// What runs that repeat each other could not tell apart, in the middle, as a share.
pub fn noise_floor(runs: &[Run]) -> Option<f64> {
    let floors = runs.iter().filter_map(|run| run.machine.noise_floor);
    statistics::median(floors.collect())
}

/// How many runs it takes on either side for a difference to be certain.
pub fn least_runs(confidence: f64) -> usize {
    statistics::least_samples(confidence)
}

/// How many times as fast the second of each two is as the first, in their geometric mean: of figures of one run, whose
/// processes are pairs and which cannot tell less than `floor`. `None` for none.
pub fn within(figures: &[[&Figures; 2]], floor: f64, confidence: f64) -> Option<Change> {
    let rates: Option<Vec<[Rates; 2]>> = figures
        .iter()
        .map(|[before, after]| Some([Rates::of_run(before, false)?, Rates::of_run(after, false)?]))
        .collect();
    let judge = change::Judge {
        floor: floor.ln_1p(),
        confidence,
        is_paired: true,
        by_runs: false,
    };
    judge.change(&rates?.iter().map(|both| both.each_ref()).collect::<Vec<_>>())
}

/// Compares everyone with the baseline.
pub fn compare(runs: &[Named], terms: &Terms) -> Result<Comparison, Error> {
    let sides = sides::sides(runs, terms.by);
    let has_figures = |side: &Side| side.cells.iter().any(|cell| cell.figures.is_some());
    if !sides.iter().any(has_figures) {
        return Err(Error::Empty(
            runs.iter().map(|named| named.name.clone()).collect(),
        ));
    }
    let known = || sides.iter().map(|side| side.name.clone()).collect();
    let baseline = match &terms.baseline {
        None => sides.first(),
        Some(name) => sides.iter().find(|side| side.name == *name),
    };
    let Some(baseline) = baseline else {
        return Err(Error::UnknownBaseline {
            name: terms.baseline.clone().unwrap_or_default(),
            known: known(),
        });
    };
    let compared: Vec<Compared> = sides
        .iter()
        // Not by its name, which another may have, too.
        .filter(|&side| !std::ptr::eq(side, baseline))
        .map(|side| against(baseline, side, terms))
        .collect();
    if compared.is_empty() {
        return Err(Error::Alone(baseline.name.clone(), terms.by));
    }
    Ok(Comparison {
        by: terms.by,
        baseline: baseline.name.clone(),
        confidence: terms.confidence,
        across_contracts: terms.across_contracts,
        per_cycle: terms.per_cycle,
        compared,
    })
}

/// As a logarithm.
fn floor(side: &Side) -> f64 {
    noise_floor(side.runs).map_or(0.0, f64::ln_1p)
}

fn against(baseline: &Side, side: &Side, terms: &Terms) -> Compared {
    let by_runs = baseline.runs.len() > 1 || side.runs.len() > 1;
    let (pairs, left_out) = cells::pairs(baseline, side, by_runs, terms);
    let judge = change::Judge {
        floor: floor(baseline).max(floor(side)),
        confidence: terms.confidence,
        is_paired: std::ptr::eq(baseline.runs, side.runs),
        by_runs,
    };
    let mut groups: Vec<Vec<&Pair>> = Vec::new();
    for pair in &pairs {
        match groups.iter_mut().find(|group| group[0].row() == pair.row()) {
            Some(group) => group.push(pair),
            None => groups.push(vec![pair]),
        }
    }
    Compared {
        name: side.name.clone(),
        runs: [baseline, side].map(|side| side.runs.len()),
        rows: groups
            .into_iter()
            .filter_map(|group| row(group, &judge))
            .collect(),
        mean: judge.change(&pairs.iter().map(Pair::rates).collect::<Vec<_>>()),
        left_out,
    }
}

/// `None` for no pairs.
fn row(mut pairs: Vec<&Pair>, judge: &change::Judge) -> Option<Row> {
    pairs.sort_by_key(|pair| pair.before.length);
    let Pair { before, after, .. } = pairs.first()?;
    let cells = pairs.iter().filter_map(|pair| {
        Some(Entry {
            length: pair.before.length,
            change: judge.change(&[pair.rates()])?,
        })
    });
    let rates: Vec<_> = pairs.iter().map(|pair| pair.rates()).collect();
    Some(Row {
        algorithm: before.algorithm.clone(),
        operation: before.operation.clone(),
        contract: before.contract.clone(),
        aad: before.aad,
        compared_contract: after.contract.clone(),
        compared_aad: after.aad,
        threads: before.threads,
        workers: before.workers,
        baseline_implementation: before.implementation.clone(),
        implementation: after.implementation.clone(),
        cells: cells.collect(),
        mean: judge.change(&rates)?,
    })
}
