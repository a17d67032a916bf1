//! What `speed` and `tune` have in common: a session of measuring, and what there is to say after it.
use std::{
    collections::BTreeMap,
    mem,
    process::ExitCode,
    sync::{LazyLock, atomic::Ordering},
    time::{SystemTime, UNIX_EPOCH},
};

use ciphertune::{Basis, Error, Implementation, Mode, Selection, wisdom::WisdomError};
use ciphertune_catalog::{Contract, Source, Task};
use ciphertune_measure::{self as measure, Found, Launcher, Outcome, Plan, Which};
use ciphertune_results::{Cell, Run, Status};

use crate::{Result, Usage, WORKER, complain, interrupt, progress::Progress, remark};

/// This program again, as a worker. By its path it may be another meanwhile, as after a build, whose figures would stand
/// under the name of this one.
pub fn launcher() -> Launcher {
    Launcher::new("/proc/self/exe", [WORKER])
}

/// What programs go by. Where `CIPHERTUNE_IMPLEMENTATION` forces what cannot be on them, they refuse it; the variable stands
/// for a part of the command line here.
pub fn selection() -> Result<&'static Selection> {
    ciphertune::selection().map_err(|error| {
        let why = match error {
            Error::UnknownImplementation(_) => error.to_string(),
            _ => format!("CIPHERTUNE_IMPLEMENTATION: {error}"),
        };
        Usage::error(format!("{why}; unset it, or let it name another"))
    })
}

/// `CIPHERTUNE_IMPLEMENTATION` is for programs. That it changes nothing here is worth saying, and what programs would
/// refuse is refused.
pub fn heed_forced() -> Result<()> {
    let selection = selection()?;
    if let Basis::Forced(forced) = selection.basis() {
        let name = forced.name();
        remark(&format!(
            "CIPHERTUNE_IMPLEMENTATION forces {name} on programs, and changes neither what is measured nor what is chosen \
             here; `ciphertune speed --implementations {name}` measures it alone"
        ));
    }
    Ok(())
}

/// Another one for each run: places and orders that happen to favour someone do so only once.
pub fn seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_nanos() as u64)
}

/// What serves without wisdom, and has to be beaten; no implementation where Ciphertune has none.
pub fn default_for(task: Task, length: usize) -> String {
    let Some(implementation) = estimated(task, length) else {
        return "none of Ciphertune's".to_owned();
    };
    // Beyond counter mode, what is made ahead is no other code.
    let name = match task.algorithm.aes_mode() {
        Some("CTR") => implementation.name(),
        _ => implementation.name().trim_end_matches("-r2"),
    };
    format!("ciphertune/{name}")
}

fn estimated(task: Task, length: usize) -> Option<Implementation> {
    static ESTIMATED: LazyLock<Selection> = LazyLock::new(|| Selection::estimated(WisdomError::NoPlace));
    let of = |mode| ESTIMATED.plans(mode, task.algorithm.key_len()).ok();
    // Many at once have plans of their own: of CBC both, and of CMAC the one that one message leaves over.
    let plan = match (task.contract, task.algorithm.aes_mode()) {
        (Contract::Many | Contract::ManyKeys, Some("CBC")) => of(Mode::CbcMany)?.forward(),
        (Contract::Many | Contract::ManyKeys, Some("CMAC")) => of(Mode::Cmac)?.backward(),
        _ => {
            let (algorithm, operation) = (task.algorithm.name(), task.operation.name());
            return ESTIMATED.implementation(algorithm, operation, length).ok();
        }
    };
    Some(plan.implementation(length))
}

/// A session that is over.
pub struct Session {
    pub outcome: Outcome,
    /// Whether it was interrupted.
    pub stopped: bool,
    /// The libraries that could not be loaded.
    lost: Vec<String>,
    /// Whether something failed that should not have.
    failed: bool,
}

impl Session {
    /// Measures what the plan says, with a progress bar, until the end or until Ctrl-C.
    pub fn run(plan: &Plan) -> Result<Self> {
        let mut progress = Progress::new();
        let (stopping, ending) = (progress.clone(), progress.clone());
        let stop = interrupt::flag(move || stopping.stopping(), move || ending.end())?;
        let outcome = measure::measure(plan, &launcher(), &mut progress, stop);
        progress.end();
        let outcome = outcome.map_err(|error| match unloadable(plan, &error) {
            Some(reasons) => reasons.into(),
            None => unknown(error),
        })?;
        Ok(Self {
            stopped: stop.load(Ordering::Relaxed),
            lost: lost(&outcome.found, &plan.implementations),
            failed: false,
            outcome,
        })
    }

    /// Takes in a session that went on with what this one found: its cells, and what there is to say of them.
    pub fn go_on(&mut self, with: Self, of: &str) {
        let Outcome { run, notes, .. } = with.outcome;
        self.stopped |= with.stopped;
        self.outcome.run.go_on(run);
        let notes = notes.iter().map(|note| format!("{of}: {note}"));
        self.outcome.notes.extend(notes);
    }

    /// Tells an error and goes on; the exit status will tell it too.
    pub fn tell<E: ToString>(&mut self, done: std::result::Result<(), E>) {
        if let Err(error) = done {
            self.failed = true;
            complain(&error.to_string());
        }
    }

    /// Tells what failed in a session whose figures do not go into this one's.
    pub fn tell_failures_of(&mut self, other: &Self) {
        self.tell_all(failures(&other.outcome.run));
    }

    fn tell_all(&mut self, failures: Vec<String>) {
        for failure in failures {
            self.tell(Err(failure));
        }
    }

    /// Says what else the reader should know, and answers the exit status.
    pub fn end(mut self) -> ExitCode {
        self.outcome.notes.iter().for_each(|note| remark(note));
        for name in mem::take(&mut self.lost) {
            self.tell(Err(format!("{name} was not measured; the results say why")));
        }
        let failures = failures(&self.outcome.run);
        self.tell_all(failures);
        let is_skipped = |cell: &Cell| cell.status == Status::Skipped;
        if !self.stopped && self.outcome.run.cells.iter().all(is_skipped) {
            let told = match self.outcome.run.cells.is_empty() {
                true => "notes",
                false => "results",
            };
            self.tell(Err(format!("nothing was measured; the {told} say why")));
        }
        match (self.stopped, self.failed) {
            (true, _) => ExitCode::from(interrupt::status()),
            (false, true) => ExitCode::FAILURE,
            (false, false) => ExitCode::SUCCESS,
        }
    }
}

/// The libraries that could not be loaded, and that were named or have what was asked for.
fn lost(found: &[Found], which: &Which) -> Vec<String> {
    let is_asked = |source: &Source| match which {
        Which::Named(names) => is_named(source) || names.iter().any(|name| source.may_have(name)),
        _ => true,
    };
    let lost = found
        .iter()
        .filter(|found| found.implementations.is_err() && is_asked(&found.source));
    let mut names: Vec<String> = lost.map(|found| found.source.to_string()).collect();
    names.dedup();
    names
}

/// Whether somebody gave it, by its path or its name; others are searched for.
fn is_named(source: &Source) -> bool {
    match source {
        Source::Libcrypto(_) | Source::Provider { .. } => true,
        Source::Named { libcrypto, .. } => is_named(libcrypto),
        _ => false,
    }
}

/// Why implementations are not there that a plan names, where their libraries are, and cannot be loaded.
fn unloadable(plan: &Plan, error: &measure::Error) -> Option<String> {
    let measure::Error::UnknownImplementations { unknown, .. } = error else {
        return None;
    };
    let has_one = |source: &&Source| unknown.iter().any(|name| source.may_have(name));
    let sources: Vec<Source> = plan.sources.iter().filter(has_one).cloned().collect();
    let reasons = measure::losses(&measure::find(&sources, &launcher()));
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// Of a libcrypto that is not here there may be a file somewhere.
fn unknown(error: measure::Error) -> Box<dyn std::error::Error> {
    match &error {
        measure::Error::UnknownImplementations {
            unknown, left_out, ..
        } if left_out.is_empty() && unknown.iter().any(|name| Source::is_of_libcrypto(name)) => Usage::error(
            format!("{error}, and --libcrypto PATH measures another libcrypto"),
        ),
        _ => error.into(),
    }
}

/// Who failed on what. How they failed stands in the results.
pub fn failures(run: &Run) -> Vec<String> {
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
