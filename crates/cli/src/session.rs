//! What `speed` and `tune` have in common: a session of measuring, and what there is to say after it.
use std::{
    collections::BTreeMap,
    env,
    process::ExitCode,
    sync::atomic::Ordering,
    time::{SystemTime, UNIX_EPOCH},
};

use ciphertune_catalog::{Algorithm, Source};
use ciphertune_measure::{self as measure, Launcher, Outcome, Plan};
use ciphertune_results::{Cell, Run, Status};

use crate::{Result, WORKER, complain, interrupt, progress::Progress};

/// This program again, as a worker.
pub fn launcher() -> Result<Launcher> {
    let program = env::current_exe()
        .map_err(|error| format!("cannot find this program to start its workers: {error}"))?;
    Ok(Launcher::new(program, [WORKER]))
}

/// Another one for each run: places and orders that happen to favour someone do so only once.
pub fn seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_nanos() as u64)
}

/// What serves without wisdom, and has to be beaten.
pub fn default_for(_: Algorithm, length: usize) -> String {
    let implementation = ciphertune::Plan::estimate().implementation(length);
    format!("ciphertune/{}", implementation.name())
}

/// A session that is over.
pub struct Session {
    pub outcome: Outcome,
    /// Whether it was interrupted.
    pub stopped: bool,
    /// Whether something failed that should not have.
    failed: bool,
}

impl Session {
    /// Measures what the plan says, with a progress bar, until the end or until Ctrl-C.
    pub fn run(plan: &Plan) -> Result<Self> {
        let mut progress = Progress::new();
        let stop = interrupt::flag({
            let progress = progress.clone();
            move || progress.stopping()
        })?;
        let outcome = measure::measure(plan, &launcher()?, &mut progress, stop);
        progress.end();
        let outcome = outcome?;
        Ok(Self {
            stopped: stop.load(Ordering::Relaxed),
            failed: lacks_a_source(&outcome.run, &plan.sources),
            outcome,
        })
    }

    /// Tells an error and goes on; the exit status will tell it too.
    pub fn tell<E: ToString>(&mut self, done: std::result::Result<(), E>) {
        if let Err(error) = done {
            self.failed = true;
            complain(&error.to_string());
        }
    }

    /// Says what else the reader should know, and answers the exit status.
    pub fn end(mut self) -> ExitCode {
        self.outcome.notes.iter().for_each(|note| complain(note));
        for failure in failures(&self.outcome.run) {
            self.tell(Err(failure));
        }
        match (self.stopped, self.failed) {
            (true, _) => ExitCode::from(interrupt::STATUS),
            (false, true) => ExitCode::FAILURE,
            (false, false) => ExitCode::SUCCESS,
        }
    }
}

/// Whether a library could not be loaded. A source without implementations stands in the run by its own name.
fn lacks_a_source(run: &Run, sources: &[Source]) -> bool {
    let names: Vec<String> = sources.iter().filter_map(name).collect();
    let skipped = |cell: &Cell| cell.status == Status::Skipped;
    run.cells
        .iter()
        .any(|cell| skipped(cell) && names.contains(&cell.implementation))
}

/// What people call a library.
pub fn name(source: &Source) -> Option<String> {
    match source {
        Source::Builtin => None,
        Source::System(soname) => Some(soname.clone()),
        Source::Libcrypto(path) => Some(path.display().to_string()),
    }
}

/// Who failed on what. How they failed stands in the results.
fn failures(run: &Run) -> Vec<String> {
    let mut failed: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for cell in run.cells.iter().filter(|cell| cell.status == Status::Failed) {
        let algorithms = failed.entry(&cell.implementation).or_default();
        if !algorithms.contains(&&*cell.algorithm) {
            algorithms.push(&cell.algorithm);
        }
    }
    let line = |(implementation, algorithms): (&str, Vec<&str>)| {
        let algorithms = algorithms.join(", ");
        format!("{implementation} failed on {algorithms}; the results say how, and do not use it")
    };
    failed.into_iter().map(line).collect()
}
