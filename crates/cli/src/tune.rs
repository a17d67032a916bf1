//! `ciphertune tune`
use std::{path::Path, process::ExitCode, time::Duration};

use crate::{
    Result, Usage,
    args::{Patience, Tune},
    choices, estimate, interrupt,
    names::is_ours,
    session::{self, Session},
    threads::{self, Measured},
    verdict, wisdom,
};
use ciphertune::{
    LengthClass,
    wisdom::{Choice, Refusal, Tuning, Wisdom, WisdomError, command},
};
use ciphertune_catalog::{Algorithm, Contract, Kind, Operation, Source, Task};
use ciphertune_measure::{self as measure, Found, Plan, Team, Which};

pub fn run(args: &Tune) -> Result<ExitCode> {
    // Timed seconds for each implementation and length, and processes.
    let (name, seconds, processes) = match args.patience {
        Patience::Estimate => return estimate::run(args),
        Patience::Measure => ("measure", 0.02, 5),
        Patience::Patient => ("patient", 0.3, 7),
    };
    session::heed_forced()?;
    let path = wisdom::path(args.wisdom.clone())?;
    wisdom::heed_hidden(args.wisdom.as_deref(), &path)?;
    let tasks = tasks(&args.algorithms)?;
    args.output.check(&args.libraries.libcrypto)?;
    // It makes the folder, so that what is wrong with the command line is told before.
    Wisdom::writable(&path)?;
    let there = wisdom::to_add_to(&path)?;

    let plan = Plan {
        tasks,
        lengths: LengthClass::all().map(LengthClass::measured).collect(),
        cut: true,
        aad: None,
        hashed: false,
        teams: vec![Team::ALONE],
        implementations: Which::SelectableAndSystem,
        sources: args.libraries.to_choose_from(),
        seconds,
        processes,
        until_stable: args.certainty.until_stable.map(Duration::from_secs_f64),
        confidence: args.certainty.confidence(),
        seed: session::seed(),
        default_for: session::default_for,
    };
    let mut session = Session::run(&plan)?;
    args.output.keep_so_far(&session.outcome.run);

    let system = system_openssl(&session.outcome);
    let mut sentences = verdict::sentences(
        &session.outcome,
        &plan.tasks,
        system,
        session::default_for,
        plan.confidence,
    );
    let written = if session.stopped {
        let as_it_was = format!("Interrupted: {}", as_before(&path));
        sentences = verdict::told_apart(&session.outcome)
            .into_iter()
            .chain([as_it_was])
            .collect();
        Ok(())
    } else {
        let (choices, of_layouts) = choices::of(&session.outcome);
        sentences.extend(of_layouts);
        let threads = threads::measure(&plan, &choices, &mut session).unwrap_or_else(|error| {
            session.tell(Err(error));
            Measured::Nothing("measuring them failed".to_owned())
        });
        let kept = keep(&session.outcome, choices, threads, name, &path);
        kept.map(|of_threads| {
            sentences.extend(of_threads);
            sentences.push(format!("Wisdom written to {}", path.display()));
            // Of everything nothing is missed.
            let lost = there.err().filter(|_| !args.algorithms.is_empty());
            sentences.extend(lost.and_then(|why| nothing_kept(&why, &path)));
        })
    };
    session.tell(args.output.keep(&session.outcome.run));
    session.tell(args.output.show(&session.outcome.run, &[], &sentences));
    session.tell(written);
    Ok(session.end())
}

/// Everything that the library chooses for, of what each name stands for or of all.
pub fn tasks(named: &[Vec<Algorithm>]) -> Result<Vec<Task>> {
    for algorithms in named {
        if let (Some(first), false) = (algorithms.first(), algorithms.iter().any(|&one| is_ours(one))) {
            return Err(Usage::error(format!(
                "Ciphertune has no code of its own for {first}, so there is nothing to choose; \
                 `ciphertune speed {first}` compares what others have"
            )));
        }
    }
    Ok(Algorithm::all()
        .filter(|&algorithm| is_ours(algorithm))
        .filter(|algorithm| named.is_empty() || named.iter().flatten().any(|named| named == algorithm))
        .flat_map(|algorithm| {
            let contract = Task::usual(algorithm).contract;
            let usual = Task::of(algorithm).filter(move |task| task.contract == contract);
            // One plan serves many messages, under one key or keys of their own.
            let many = Task::of_many(algorithm).filter(|task| task.contract == Contract::Many);
            usual.chain(many)
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

/// Writes what was found where the library reads it, and answers what is to be said of threads.
fn keep(
    outcome: &measure::Outcome,
    choices: Vec<Choice>,
    threads: Measured,
    patience: &str,
    path: &Path,
) -> Result<Vec<String>> {
    if choices.is_empty() {
        return Err(format!("nothing could be chosen, so {}", as_before(path)).into());
    }
    let old = wisdom::to_add_to(path)?.map_or_else(|_| Vec::new(), |wisdom| wisdom.tunings);
    let new = Tuning {
        made: outcome.run.machine.date.clone(),
        patience: patience.to_owned(),
        choices,
        help: Vec::new(),
    };
    let (tunings, sentences) = together(old, new, threads);
    interrupt::whole(|| Wisdom::new(tunings).write(path))?;
    Ok(sentences)
}

/// What becomes of wisdom where there is nothing to write.
fn as_before(path: &Path) -> String {
    match path.exists() {
        true => format!("the wisdom in {} is as it was", path.display()),
        false => "no wisdom was written".to_owned(),
    }
}

/// What is to be said of wisdom that nothing could be kept of.
fn nothing_kept(why: &WisdomError, path: &Path) -> Option<String> {
    match why {
        // An empty file, as mktemp makes it: all else that is no wisdom stays.
        WisdomError::Refused {
            why: Refusal::NotWisdom,
            ..
        } => None,
        WisdomError::Refused { why, .. } => Some(format!(
            "Nothing was kept of the wisdom that was there, since {why}; what was not measured now goes by CPUID until {} \
             measures it",
            command("tune", path)
        )),
        _ => None,
    }
}

/// What was found before and not anew, then what was found now; and what is to be said of threads. Where nothing was found
/// out of these, wisdom says what it said: no figure is better than one of a machine whose processors others had, but one of
/// a quiet hour is better than none.
fn together(mut old: Vec<Tuning>, mut new: Tuning, threads: Measured) -> (Vec<Tuning>, Vec<String>) {
    for tuning in &mut old {
        let is_new = |old: &Choice| new.choices.iter().any(|new| new.task() == old.task());
        tuning.choices.retain(|old| !is_new(old));
    }
    let sentences = match threads {
        Measured::Found(help) => {
            for tuning in &mut old {
                let is_new = |algorithm: &str| new.choices.iter().any(|new| new.algorithm == algorithm);
                tuning.help.retain(|old| !is_new(&old.algorithm));
            }
            new.help = help;
            threads::sentences(&new.help).collect()
        }
        Measured::Nothing(reason) => vec![not_measured(&reason, &old, &new)],
        Measured::Stopped => vec![not_measured("it was interrupted", &old, &new)],
    };
    old.retain(|tuning| !tuning.choices.is_empty() || !tuning.help.is_empty());
    old.push(new);
    (old, sentences)
}

fn not_measured(reason: &str, old: &[Tuning], new: &Tuning) -> String {
    let mut help = old.iter().flat_map(|tuning| &tuning.help);
    let then = match help.any(|old| threads::is_of_chosen(&new.choices, old)) {
        true => "wisdom says what it said of them before (`ciphertune wisdom show`)",
        false => "nothing uses them until `ciphertune tune` has found that they pay",
    };
    format!("What threads gain cannot be told, since {reason}: {then}")
}

#[cfg(test)]
mod tests {
    use ciphertune::{
        Implementation,
        wisdom::{Help, Rates, SPLIT},
    };

    use super::*;

    const RATES: Rates = Rates {
        low: 1.0,
        median: 1.0,
        high: 1.0,
    };

    fn choice(algorithm: &str) -> Choice {
        Choice {
            algorithm: algorithm.to_owned(),
            operation: "encrypt".to_owned(),
            class: LengthClass::of(16 << 20),
            implementation: Implementation::PORTABLE,
            bytes_per_second: RATES,
            contract: "stream/1".to_owned(),
            runner_up: None,
        }
    }

    fn helped(algorithm: &str, workers: usize) -> Help {
        Help {
            algorithm: algorithm.to_owned(),
            contract: SPLIT.to_owned(),
            length: 16 << 20,
            implementation: Implementation::PORTABLE,
            workers,
            pays: true,
            times: RATES,
        }
    }

    fn tuning(made: &str, choices: &[&str], help: &[Help]) -> Tuning {
        Tuning {
            made: made.to_owned(),
            patience: format!("that of {made}"),
            choices: choices.iter().map(|algorithm| choice(algorithm)).collect(),
            help: help.to_vec(),
        }
    }

    #[test]
    fn what_was_not_found_out_anew_keeps_its_date() {
        let before = || {
            let gcm = tuning("first", &["AES-128-GCM", "AES-128-CTR"], &[]);
            let helped = [helped("AES-128-CTR", 1), helped("AES-256-CTR", 1)];
            vec![gcm, tuning("second", &["AES-256-CTR"], &helped)]
        };
        let now = || tuning("third", &["AES-128-CTR"], &[]);
        let found = |workers| Measured::Found(vec![helped("AES-128-CTR", workers)]);
        let (kept, _) = together(before(), now(), found(2));
        let expected = [
            tuning("first", &["AES-128-GCM"], &[]),
            tuning("second", &["AES-256-CTR"], &[helped("AES-256-CTR", 1)]),
            tuning("third", &["AES-128-CTR"], &[helped("AES-128-CTR", 2)]),
        ];
        assert_eq!(kept, expected);
        let again = tuning("fourth", &["AES-128-GCM"], &[]);
        let (kept, _) = together(kept, again.clone(), Measured::Found(Vec::new()));
        assert_eq!(
            kept,
            [&expected[1..], &[again]].concat(),
            "of the first nothing is left"
        );
        let (kept, _) = together(before(), now(), Measured::Found(Vec::new()));
        assert_eq!(
            kept[1].help,
            [helped("AES-256-CTR", 1)],
            "none of them helps any more"
        );
        assert_eq!(kept[2].help, []);

        for (threads, why) in [
            (Measured::Nothing("of this".to_owned()), "since of this: "),
            (Measured::Stopped, "since it was interrupted: "),
        ] {
            let (kept, sentences) = together(before(), now(), threads);
            assert_eq!(kept[1], before()[1]);
            let [sentence] = &sentences[..] else {
                panic!("{sentences:?}")
            };
            assert!(
                sentence.contains(why) && sentence.contains("said of them before"),
                "{sentence}"
            );
        }
        let nothing = Measured::Nothing("of this".to_owned());
        let other = tuning("first", &[], &[helped("AES-256-CTR", 1)]);
        let (kept, sentences) = together(vec![other.clone()], now(), nothing);
        assert_eq!(kept, [other, now()]);
        assert!(sentences[0].contains("nothing uses them"), "{sentences:?}");
    }
}
