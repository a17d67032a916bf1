//! What threads gain in counter mode: the second part of `tune`.
use std::collections::BTreeSet;

use ciphertune::{
    LengthClass, Threads,
    wisdom::{AHEAD, Choice, Help, Rates},
};
use ciphertune_catalog::{Algorithm, Source, Task};
use ciphertune_measure::{Gain, Others, Plan, Team, Which};
use ciphertune_report::units::{length, significant};

use crate::{
    Result,
    choices::ours,
    session::{self, Session},
};

/// What was found out of threads.
pub enum Measured {
    /// When they help, and when they do not.
    Found(Vec<Help>),
    /// Nothing, for this reason.
    Nothing(String),
    /// It was interrupted.
    Stopped,
}

/// Calls of streams, in bytes: short ones, and as long as ssh's packets are at most.
const STREAM: [usize; 2] = [1 << 10, 32 << 10];

/// Calls that may be split, in bytes. None of them has figures before: these would stand for one thread's, of another hour.
const LONG: [usize; 5] = [256 << 10, 512 << 10, 2 << 20, 8 << 20, 64 << 20];

/// Fresh worker processes. What is to be decided is not close as a rule, and long calls take their time.
const PROCESSES: u32 = 3;

/// Where other programs have more of the processors than this, nobody can say what threads would gain without them.
const CROWDED: f64 = 0.1;

/// A call that takes longer than this many seconds is not needed to see what two threads make of it.
const LONGEST: f64 = 0.01;

/// Measures what was chosen for counter mode with threads and without, in sessions with which `session` goes on: streams
/// beside a hash, as programs have them, and long calls.
pub fn measure(plan: &Plan, choices: &[Choice], session: &mut Session) -> Result<Measured> {
    let mut found = Vec::new();
    let algorithms: Vec<Algorithm> = plan
        .tasks
        .iter()
        .map(|task| task.algorithm)
        .filter(|algorithm| algorithm.aes_mode() == Some("CTR"))
        .collect();
    if algorithms.is_empty() {
        return Ok(Measured::Found(found));
    }
    if Threads::available() == 0 {
        let alone = "there is no second processor that this program may use";
        return Ok(Measured::Nothing(alone.to_owned()));
    }
    let others = Others::watch();
    for (hashed, lengths) in [(true, STREAM.to_vec()), (false, long(choices))] {
        let chosen = chosen(choices, &lengths);
        if chosen.is_empty() {
            continue;
        }
        let further = Session::run(&Plan {
            tasks: algorithms.iter().copied().map(Task::usual).collect(),
            hashed,
            teams: teams(),
            implementations: Which::Named(chosen.into_iter().collect()),
            lengths,
            cut: false,
            sources: vec![Source::Builtin],
            processes: PROCESSES.min(plan.processes),
            until_stable: None,
            seed: session::seed(),
            ..plan.clone()
        })?;
        if !further.stopped {
            let measured = further.outcome.gains.iter().filter_map(help);
            found.extend(measured.filter(|help| is_of_chosen(choices, help)));
        }
        let calls = if hashed { "hashed" } else { "long" };
        session.go_on(further, &format!("Threads in {calls} calls"));
        if session.stopped {
            return Ok(Measured::Stopped);
        }
    }
    Ok(match others.share().filter(|&share| share > CROWDED) {
        Some(share) => Measured::Nothing(format!(
            "other programs had {:.0} % of the processors' time meanwhile",
            100.0 * share
        )),
        None => Measured::Found(found),
    })
}

/// One thread, and with it as many others as there are processors for, or half as many, and so on.
fn teams() -> Vec<Team> {
    let fewer = |workers: &usize| Some(workers / 2).filter(|&workers| workers > 0);
    let helped: Vec<Team> = std::iter::successors(Some(Threads::available()), fewer)
        .map(Team::Helped)
        .collect();
    [Team::ALONE]
        .into_iter()
        .chain(helped.into_iter().rev())
        .collect()
}

/// Those of the long calls that what was chosen for them does in a short time.
fn long(choices: &[Choice]) -> Vec<usize> {
    let of_long = choices.iter().filter(|choice| choice.class.longest().is_none());
    let rates = of_long
        .filter(|choice| is_ctr(choice))
        .map(|choice| choice.bytes_per_second.median);
    let most = rates.fold(0.0, f64::max) * LONGEST;
    LONG.into_iter().filter(|&bytes| bytes as f64 <= most).collect()
}

fn is_ctr(choice: &Choice) -> bool {
    choice.algorithm.ends_with("-CTR")
}

/// The ids of what was chosen for counter mode at these lengths.
fn chosen(choices: &[Choice], lengths: &[usize]) -> BTreeSet<String> {
    let classes: BTreeSet<LengthClass> = lengths.iter().copied().map(LengthClass::of).collect();
    choices
        .iter()
        .filter(|choice| is_ctr(choice) && classes.contains(&choice.class))
        .map(|choice| format!("ciphertune/{}", choice.implementation.name()))
        .collect()
}

/// Whether it is about what was chosen: only then does it say anything.
pub fn is_of_chosen(choices: &[Choice], help: &Help) -> bool {
    choices.iter().any(|choice| {
        choice.algorithm == help.algorithm
            && choice.class == LengthClass::of(help.length)
            && choice.implementation == help.implementation
    })
}

fn help(gain: &Gain) -> Option<Help> {
    Some(Help {
        algorithm: gain.task.algorithm.name().to_owned(),
        contract: gain.contract.to_owned(),
        length: gain.length,
        implementation: ours(&gain.implementation)?,
        workers: gain.workers,
        pays: gain.pays,
        times: Rates {
            low: gain.times.low,
            median: gain.times.median,
            high: gain.times.high,
        },
    })
}

/// What was measured of each algorithm's streams and long calls, and from when on threads are used:
/// `AES-128-CTR in long calls, times as fast with workers: 4 MiB 0.871 (1), 16 MiB 1.44 (1); used from 16 MiB on`.
pub fn sentences(help: &[Help]) -> impl Iterator<Item = String> {
    help.chunk_by(|a, b| (&a.algorithm, &a.contract) == (&b.algorithm, &b.contract))
        .map(|of_one| {
            let calls = if of_one[0].contract == AHEAD {
                "hashed calls"
            } else {
                "long calls"
            };
            let each: Vec<String> = of_one
                .iter()
                .map(|help| {
                    let times = significant(help.times.median);
                    let unsure = match !help.pays && help.times.median > 1.0 {
                        true => ", unsure",
                        false => "",
                    };
                    format!(
                        "{} {times} ({}{unsure})",
                        length(help.length as u64),
                        help.workers
                    )
                })
                .collect();
            let until = of_one.iter().rposition(|help| !help.pays).map_or(0, |n| n + 1);
            let used = of_one.get(until).map_or("none is used".to_owned(), |first| {
                format!("used from {} on", length(first.length as u64))
            });
            format!(
                "{} in {calls}, times as fast with workers: {}; {used}",
                of_one[0].algorithm,
                each.join(", ")
            )
        })
}

#[cfg(test)]
mod tests {
    use ciphertune::{Implementation, wisdom::SPLIT};
    use ciphertune_results::Interval;

    use super::*;

    #[test]
    fn what_was_found_is_of_what_was_chosen_for_that_length() {
        let gain = |implementation: &str| Gain {
            task: Task::usual(Algorithm::named("AES-128-CTR").unwrap()),
            contract: SPLIT,
            length: 8 << 20,
            implementation: implementation.to_owned(),
            workers: 3,
            times: Interval {
                low: 1.8,
                median: 1.9,
                high: 2.0,
            },
            pays: true,
        };
        let rates = |low, median, high| Rates { low, median, high };
        let found = help(&gain("ciphertune/portable")).unwrap();
        let expected = Help {
            algorithm: "AES-128-CTR".to_owned(),
            contract: SPLIT.to_owned(),
            length: 8 << 20,
            implementation: Implementation::PORTABLE,
            workers: 3,
            pays: true,
            times: rates(1.8, 1.9, 2.0),
        };
        assert_eq!(found, expected);
        assert_eq!(help(&gain("openssl@3.0.19/default")), None);

        let choice = |algorithm: &str, length, implementation| Choice {
            algorithm: algorithm.to_owned(),
            operation: "encrypt".to_owned(),
            class: LengthClass::of(length),
            implementation,
            bytes_per_second: rates(1.0, 1.0, 1.0),
            contract: SPLIT.to_owned(),
            runner_up: None,
        };
        let other = *Implementation::all().last().unwrap();
        let of_it = choice("AES-128-CTR", 8 << 20, Implementation::PORTABLE);
        assert!(is_of_chosen(&[of_it], &found));
        for elsewhere in [
            choice("AES-256-CTR", 8 << 20, Implementation::PORTABLE),
            choice("AES-128-CTR", 64, Implementation::PORTABLE),
            choice("AES-128-CTR", 8 << 20, other),
        ] {
            assert!(!is_of_chosen(&[elsewhere], &found));
        }
    }

    #[test]
    fn long_calls_are_none_that_have_figures_of_one_thread() {
        for measured in LengthClass::all().map(LengthClass::measured) {
            assert!(!LONG.contains(&measured), "{measured}");
        }
    }
}
