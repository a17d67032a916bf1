//! `ciphertune tune`
use std::{
    fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    process::ExitCode,
};

use crate::{
    Result,
    args::{Patience, Tune},
    estimate,
    session::{self, Session},
    verdict, wisdom,
};
use ciphertune::{
    Implementation, LengthClass,
    wisdom::{Choice, Rates, Wisdom, WisdomError},
};
use ciphertune_catalog::{Algorithm, Source};
use ciphertune_measure::{self as measure, Plan};

pub fn run(args: &Tune) -> Result<ExitCode> {
    // Timed seconds for each implementation and length, and processes.
    let (name, seconds, processes) = match args.patience {
        Patience::Estimate => return estimate::run(args),
        Patience::Measure => ("measure", 0.03, 3),
        Patience::Patient => ("patient", 0.3, 7),
    };
    let path = wisdom::path(args.wisdom.clone())?;
    writable(&path)?;
    args.output.check()?;

    let system = system_openssl()?;
    let mut session = Session::run(&Plan {
        algorithms: Algorithm::ALL.to_vec(),
        lengths: LengthClass::all().map(LengthClass::measured).collect(),
        implementations: None,
        sources: args.libraries.sources(),
        seconds,
        processes,
        seed: session::seed(),
        default_for: session::default_for,
    })?;
    session.tell(args.output.keep(&session.outcome.run));

    let mut sentences = verdict::sentences(&session.outcome, system.as_deref());
    let written = if session.stopped {
        sentences = vec![format!(
            "Interrupted: the wisdom in {} is as it was",
            path.display()
        )];
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

/// The id of the system's own libcrypto, the newest where there are several.
fn system_openssl() -> Result<Option<String>> {
    let mut system = Source::defaults();
    system.retain(|source| matches!(source, Source::System(_)));
    let found = measure::find(&system, &session::launcher()?);
    let mut ids = found
        .into_iter()
        .filter_map(|found| found.implementations.ok())
        .flatten();
    Ok(ids.next().map(|description| description.id))
}

/// Writes the choices where the library reads them.
fn keep(outcome: &measure::Outcome, patience: &str, path: &Path) -> Result<()> {
    let choices: Vec<Choice> = outcome
        .choices
        .iter()
        .filter_map(|c| choice(outcome, c))
        .collect();
    if choices.is_empty() {
        return Err(format!(
            "nothing could be chosen, so the wisdom in {} is as it was",
            path.display()
        )
        .into());
    }
    Wisdom::new(outcome.run.machine.date.clone(), patience.to_owned(), choices).write(path)?;
    Ok(())
}

/// In the library's own words.
fn choice(outcome: &measure::Outcome, choice: &measure::Choice) -> Option<Choice> {
    let cell = |id: &str| {
        outcome.run.cells.iter().find(|cell| {
            (&*cell.algorithm, cell.length, &*cell.implementation)
                == (choice.algorithm.name(), choice.length as u64, id)
        })
    };
    let chosen = cell(&choice.chosen)?;
    let rates = choice.figures.bytes_per_second;
    let runner_up = choice
        .runner_up
        .as_deref()
        .and_then(|id| Some((ours(id)?, cell(id)?.figures.as_ref()?.bytes_per_second.median)));
    Some(Choice {
        algorithm: chosen.algorithm.clone(),
        operation: chosen.operation.clone(),
        contract: chosen.contract.clone(),
        class: LengthClass::of(choice.length),
        implementation: ours(&choice.chosen)?,
        bytes_per_second: Rates {
            low: rates.low,
            median: rates.median,
            high: rates.high,
        },
        runner_up,
    })
}

/// The library's implementation of this id.
pub fn ours(id: &str) -> Option<Implementation> {
    Implementation::named(id.strip_prefix("ciphertune/")?)
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
