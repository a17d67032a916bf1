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
    session::{self, Session},
    verdict, wisdom,
};
use ciphertune::{
    LengthClass,
    wisdom::{Wisdom, WisdomError},
};
use ciphertune_catalog::{Algorithm, Source};
use ciphertune_measure::{self as measure, Plan};

pub fn run(args: &Tune) -> Result<ExitCode> {
    // Timed seconds for each implementation and length, and processes.
    let (name, seconds, processes) = match args.patience {
        Patience::Estimate => return estimate::run(args),
        Patience::Measure => ("measure", 0.04, 5),
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
        until_stable: args.certainty.until_stable.map(Duration::from_secs_f64),
        confidence: args.certainty.confidence,
        seed: session::seed(),
        default_for: session::default_for,
    })?;
    session.tell(args.output.keep(&session.outcome.run));

    let mut sentences = verdict::sentences(&session.outcome, system.as_deref(), session::default_for);
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
    let choices = choices::of(outcome);
    if choices.is_empty() {
        let path = path.display();
        return Err(format!("nothing could be chosen, so the wisdom in {path} is as it was").into());
    }
    Wisdom::new(outcome.run.machine.date.clone(), patience.to_owned(), choices).write(path)?;
    Ok(())
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
