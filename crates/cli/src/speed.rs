//! `ciphertune speed`
use std::{collections::HashSet, hash::Hash, process::ExitCode, time::Duration};

use ciphertune_catalog::{Algorithm, Task};
use ciphertune_measure::{Plan, Which};

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
    let mut session = Session::run(&Plan {
        tasks: tasks(args)?,
        aad: args.aad,
        lengths: distinct(&args.lengths),
        implementations: match args.implementations.as_slice() {
            [] => Which::All,
            named => Which::Named(named.to_vec()),
        },
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

/// What is measured where nobody says what.
const USUAL: [&str; 11] = [
    "AES-128-CTR",
    "AES-256-CTR",
    "AES-128-GCM",
    "AES-256-GCM",
    "AES-128-CBC",
    "AES-256-CBC",
    "AES-128-XTS",
    "AES-256-XTS",
    "ChaCha20-Poly1305",
    "SHA2-256",
    "SHA2-512",
];

/// What was asked for, of each algorithm once.
fn tasks(args: &Speed) -> Result<Vec<Task>> {
    let mut tasks = Vec::new();
    let usual = || USUAL.into_iter().filter_map(Algorithm::named).collect();
    let named = match args.algorithms.as_slice() {
        [] => &[usual()][..],
        named => named,
    };
    for algorithms in named {
        let wanted = algorithms.iter().map(|&algorithm| task(args, algorithm));
        // A name that stands for several stands for those of them that are measured so.
        let measured: Vec<Task> = wanted
            .filter(|task| task.algorithm.contracts().contains(&task.contract))
            .collect();
        if let (Some(&algorithm), Some(contract), []) = (algorithms.first(), args.contract, &*measured) {
            let known = algorithm.contracts().iter();
            let known: Vec<&str> = known.map(|contract| contract.name()).collect();
            return Err(format!(
                "{algorithm} is not measured under {contract}, but under {}",
                known.join(", ")
            )
            .into());
        }
        tasks.extend(measured);
    }
    Ok(distinct(&tasks))
}

fn task(args: &Speed, algorithm: Algorithm) -> Task {
    let mut task = Task::usual(algorithm);
    if args.decrypt {
        let mut operations = algorithm.operations().iter().copied();
        task.operation = operations.find(|o| o.is_backward()).unwrap_or(task.operation);
    }
    task.contract = args.contract.unwrap_or(task.contract);
    task
}

fn distinct<T: Copy + Eq + Hash>(items: &[T]) -> Vec<T> {
    let mut seen = HashSet::new();
    items.iter().copied().filter(|item| seen.insert(*item)).collect()
}
