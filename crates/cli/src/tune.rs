//! `ciphertune tune`
use std::{path::Path, process::ExitCode, time::Duration};

use crate::{
    Result,
    args::{Patience, Tune},
    choices, estimate,
    names::is_ours,
    session::{self, Session},
    threads, verdict, wisdom,
};
use ciphertune::{
    LengthClass,
    wisdom::{Choice, Help, Wisdom},
};
use ciphertune_catalog::{Algorithm, Kind, Operation, Source, Task};
use ciphertune_measure::{self as measure, Found, Plan, Team, Which};

pub fn run(args: &Tune) -> Result<ExitCode> {
    // Timed seconds for each implementation and length, and processes.
    let (name, seconds, processes) = match args.patience {
        Patience::Estimate => return estimate::run(args),
        Patience::Measure => ("measure", 0.02, 5),
        Patience::Patient => ("patient", 0.3, 7),
    };
    let path = wisdom::path(args.wisdom.clone())?;
    Wisdom::writable(&path)?;
    args.output.check()?;

    let plan = Plan {
        tasks: tasks(&args.algorithms)?,
        lengths: LengthClass::all().map(LengthClass::measured).collect(),
        aad: AAD,
        hashed: false,
        teams: vec![Team::ALONE],
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
        let choices = choices::of(&session.outcome);
        let threads = threads::measure(&plan, &choices)?;
        sentences.extend(threads.sentences);
        session.stopped |= threads.stopped;
        keep(&session.outcome, choices, threads.help, name, &path).map(|()| {
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
fn keep(
    outcome: &measure::Outcome,
    choices: Vec<Choice>,
    help: Vec<Help>,
    patience: &str,
    path: &Path,
) -> Result<()> {
    if choices.is_empty() {
        let path = path.display();
        return Err(format!("nothing could be chosen, so the wisdom in {path} is as it was").into());
    }
    let mut all = kept(&choices, path);
    all.choices.extend(choices);
    all.help.extend(help);
    let mut wisdom = Wisdom::new(outcome.run.machine.date.clone(), patience.to_owned(), all.choices);
    wisdom.help = all.help;
    wisdom.write(path)?;
    Ok(())
}

/// What the wisdom there has of other tasks, if it is to be believed.
fn kept(new: &[Choice], path: &Path) -> Kept {
    let (mut choices, mut help) =
        Wisdom::read(path).map_or_else(|_| Default::default(), |wisdom| (wisdom.choices, wisdom.help));
    let task = |choice: &Choice| (choice.algorithm.clone(), choice.operation.clone());
    choices.retain(|old| new.iter().all(|new| task(new) != task(old)));
    help.retain(|old| new.iter().all(|new| new.algorithm != old.algorithm));
    Kept { choices, help }
}

struct Kept {
    choices: Vec<Choice>,
    help: Vec<Help>,
}
