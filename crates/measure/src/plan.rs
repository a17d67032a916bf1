use std::time::Duration;

use ciphertune_catalog::{Algorithm, Source};
use ciphertune_results::Run;

use crate::Choice;

/// What to measure.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The algorithms, in the order of the results.
    pub algorithms: Vec<Algorithm>,
    /// The message lengths in bytes, in the order of the results.
    pub lengths: Vec<usize>,
    /// The ids of the implementations; `None` for all that there are.
    pub implementations: Option<Vec<String>>,
    /// Where implementations come from. Each source runs in worker processes of its own.
    pub sources: Vec<Source>,
    /// Timed seconds for each implementation in each cell, over all processes. What is much slower than
    /// the best gets less, and long messages get a few calls however long they take.
    pub seconds: f64,
    /// Fresh worker processes for each source, one after the other. They are the replicates, so three or more
    /// say something about the spread.
    pub processes: u32,
    /// More processes, one after the other, until every figure is known to one per cent at this confidence or this much
    /// time has passed since the session began; `None` for none.
    pub until_stable: Option<Duration>,
    /// The probability that an interval holds the truth, as 0.95.
    pub confidence: f64,
    /// Decides every order, key and offset.
    pub seed: u64,
    /// The id of the implementation that serves an algorithm and length where nothing was measured: the one
    /// that a challenger has to beat.
    pub default_for: fn(Algorithm, usize) -> String,
}

impl Plan {
    pub(crate) fn check(&self) -> Result<(), Error> {
        let wrong = if self.algorithms.is_empty() {
            "it names no algorithm"
        } else if self.lengths.is_empty() {
            "it names no message length"
        } else if self.lengths.contains(&0) {
            "a message of no bytes has no speed"
        } else if self.sources.is_empty() {
            "it names no source of implementations"
        } else if self.processes == 0 {
            "it takes at least one process"
        } else if !(self.seconds > 0.0 && self.seconds.is_finite()) {
            "the seconds must be more than zero"
        } else if !(self.confidence > 0.0 && self.confidence < 1.0) {
            "the confidence must lie between 0 and 1"
        } else {
            return Ok(());
        };
        Err(Error::Plan(wrong))
    }
}

/// Follows the progress of a session.
pub trait Observer {
    /// The session has so many steps of roughly equal length. Said again where it turns out to have more.
    fn planned(&mut self, steps: u64);

    /// So many more are done; `now` says what comes next or has just been done, as in
    /// `AES-128-CTR, 16384 bytes`.
    fn advanced(&mut self, steps: u64, now: &str);
}

/// What a session found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The machine, its limits and every cell.
    pub run: Run,
    /// For each algorithm and length the implementation to use, where one may be chosen at all.
    pub choices: Vec<Choice>,
    /// What this run could not tell apart: by how much one and the same implementation differed from itself,
    /// as a share (0.004 is 0.4 %), in nine cells of ten.
    pub floor: f64,
    /// What the reader of the results should know, a sentence each.
    pub notes: Vec<String>,
    /// How quiet the machine was, and what to change, a sentence each; the first is a verdict.
    pub noise: Vec<String>,
    /// The share of the session's time that went into timed calls.
    pub timed_share: f64,
}

/// Why there is no session.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// The plan cannot be carried out.
    #[error("cannot measure by this plan: {0}")]
    Plan(&'static str),
    /// The plan names implementations that no source has.
    #[error(
        "unknown implementation {}; known are {}",
        .unknown.iter().map(|id| format!("'{id}'")).collect::<Vec<_>>().join(", "),
        .known.join(", ")
    )]
    UnknownImplementations {
        /// Those that no source has.
        unknown: Vec<String>,
        /// Those that there are.
        known: Vec<String>,
    },
    /// No source gave any implementation.
    #[error("there is nothing to measure: {}", .0.join("; "))]
    NothingLoaded(Vec<String>),
}
