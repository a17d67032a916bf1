//! `ciphertune tune`
use std::{
    fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use crate::{
    Result,
    args::{Patience, Tune},
    choices, estimate,
    names::is_ours,
    session::{self, Session},
    verdict, wisdom,
};
use ciphertune::{
    LengthClass,
    wisdom::{Choice, Wisdom, WisdomError},
};
use ciphertune_catalog::{Algorithm, Kind, Operation, Source, Task};
use ciphertune_measure::{self as measure, Found, Plan, Which};

pub fn run(args: &Tune) -> Result<ExitCode> {
    // Timed seconds for each implementation and length, and processes.
    let (name, seconds, processes) = match args.patience {
        Patience::Estimate => return estimate::run(args),
        Patience::Measure => ("measure", 0.02, 5),
        Patience::Patient => ("patient", 0.3, 7),
    };
    let path = wisdom::path(args.wisdom.clone())?;
    writable(&path)?;
    args.output.check()?;

    let plan = Plan {
        tasks: tasks(&args.algorithms)?,
        lengths: LengthClass::all().map(LengthClass::measured).collect(),
        aad: AAD,
        implementations: Which::SelectableAndSystem,
        sources: args.libraries.sources(),
        seconds,
        processes,
        until_stable: args.certainty.until_stable.map(Duration::from_secs_f64),
        confidence: args.certainty.confidence,
        seed: session::seed(),
        default_for: session::default_for,
    };
    let mut session = Session::run(&plan)?;
    session.tell(args.output.keep(&session.outcome.run));

    let system = system_openssl(&session.outcome);
    let mut sentences = verdict::sentences(&session.outcome, &plan.tasks, system, session::default_for);
    let written = if session.stopped {
        sentences = vec![
            verdict::told_apart(&session.outcome),
            format!("Interrupted: the wisdom in {} is as it was", path.display()),
        ];
        Ok(())
    } else {
        keep(&session.outcome, name, &path).map(|()| {
            sentences.push(format!("Wisdom written to {}", path.display()));
        })
    };
    session.tell(args.output.show(&session.outcome.run, &sentences));
    session.tell(written);
    Ok(session.end())
}

/// Additional data as TLS 1.2 has it.
const AAD: usize = 13;

/// Everything that the library chooses for, of what each name stands for or of all.
fn tasks(named: &[Vec<Algorithm>]) -> Result<Vec<Task>> {
    for algorithms in named {
        if let (Some(first), false) = (algorithms.first(), algorithms.iter().any(|&one| is_ours(one))) {
            return Err(format!(
                "Ciphertune has no code of its own for {first}, so there is nothing to choose; \
                 `ciphertune speed {first}` compares what others have"
            )
            .into());
        }
    }
    Ok(Algorithm::all()
        .filter(|&algorithm| is_ours(algorithm))
        .filter(|algorithm| named.is_empty() || named.iter().flatten().any(|named| named == algorithm))
        .flat_map(|algorithm| {
            let contract = Task::usual(algorithm).contract;
            Task::of(algorithm).filter(move |task| task.contract == contract)
        })
        // In counter mode both directions are the same.
        .filter(|task| task.algorithm.kind() != Kind::Stream || task.operation == Operation::Encrypt)
        .collect())
}

/// The id of the system's own libcrypto, the newest where there are several.
fn system_openssl(outcome: &measure::Outcome) -> Option<&str> {
    let is_system = |found: &&Found| matches!(found.source, Source::System(_));
    let found = outcome.found.iter().filter(is_system);
    let mut descriptions = found
        .filter_map(|found| found.implementations.as_ref().ok())
        .flatten();
    descriptions.next().map(|description| &*description.id)
}

/// Writes the choices where the library reads them.
fn keep(outcome: &measure::Outcome, patience: &str, path: &Path) -> Result<()> {
    let choices = choices::of(outcome);
    if choices.is_empty() {
        let path = path.display();
        return Err(format!("nothing could be chosen, so the wisdom in {path} is as it was").into());
    }
    let kept = kept(&choices, path);
    let all = kept.into_iter().chain(choices).collect();
    Wisdom::new(outcome.run.machine.date.clone(), patience.to_owned(), all).write(path)?;
    Ok(())
}

/// What the wisdom there has of other tasks, if it is to be believed.
fn kept(new: &[Choice], path: &Path) -> Vec<Choice> {
    let task = |choice: &Choice| (choice.algorithm.clone(), choice.operation.clone());
    let mut old = Wisdom::read(path).map_or(Vec::new(), |wisdom| wisdom.choices);
    old.retain(|old| new.iter().all(|new| task(new) != task(old)));
    old
}

/// Fails now rather than after all that measuring, where wisdom could not be written.
fn writable(path: &Path) -> std::result::Result<(), WisdomError> {
    let attempt = || {
        match fs::metadata(path) {
            Ok(there) if !there.is_file() => return Err(io::Error::other("it is not a file")),
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        fs::create_dir_all(folder)?;
        tempfile::tempfile_in(folder).map(drop)
    };
    attempt().map_err(|source| WisdomError::Io {
        doing: "write",
        path: PathBuf::from(path),
        source,
    })
}
