//! `ciphertune speed`
use std::{collections::HashSet, hash::Hash, process::ExitCode, time::Duration};

use ciphertune_catalog::Algorithm;
use ciphertune_measure::Plan;

use crate::{
    Result,
    args::Speed,
    session::{self, Session},
    verdict::noise,
};

/// Fresh worker processes for each source: as many as it takes to find a difference of five per cent
/// nearly always (`studies/planted.py`).
const PROCESSES: u32 = 5;

pub fn run(args: &Speed) -> Result<ExitCode> {
    args.output.check()?;
    let algorithms = match args.algorithms.as_slice() {
        [] => Algorithm::ALL.to_vec(),
        named => distinct(named),
    };
    let mut session = Session::run(&Plan {
        algorithms,
        lengths: distinct(&args.lengths),
        implementations: (!args.implementations.is_empty()).then(|| args.implementations.clone()),
        sources: args.libraries.sources(),
        seconds: args.seconds,
        processes: PROCESSES,
        until_stable: args.certainty.until_stable.map(Duration::from_secs_f64),
        confidence: args.certainty.confidence,
        seed: session::seed(),
        default_for: session::default_for,
    })?;
    session.tell(args.output.keep(&session.outcome.run));
    session.tell(args.output.show(&session.outcome.run, &noise(&session.outcome)));
    Ok(session.end())
}

fn distinct<T: Copy + Eq + Hash>(items: &[T]) -> Vec<T> {
    let mut seen = HashSet::new();
    items.iter().copied().filter(|item| seen.insert(*item)).collect()
}
