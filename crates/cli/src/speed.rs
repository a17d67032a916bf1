//! `ciphertune speed`
use std::{collections::HashSet, hash::Hash, process::ExitCode};

use ciphertune_catalog::Algorithm;
use ciphertune_measure::Plan;

use crate::{
    Result,
    args::Speed,
    session::{self, Session},
    verdict::told_apart,
};

/// Fresh worker processes for each source: enough to show that a figure depends on where things happen to lie.
const PROCESSES: u32 = 3;

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
        seed: session::seed(),
        default_for: session::default_for,
    })?;
    session.tell(args.output.keep(&session.outcome.run));
    session.tell(
        args.output
            .show(&session.outcome.run, &[told_apart(&session.outcome)]),
    );
    Ok(session.end())
}

fn distinct<T: Copy + Eq + Hash>(items: &[T]) -> Vec<T> {
    let mut seen = HashSet::new();
    items.iter().copied().filter(|item| seen.insert(*item)).collect()
}
