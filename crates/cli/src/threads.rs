//! What threads gain in counter mode: the second part of `tune`.
use std::collections::BTreeSet;

use ciphertune::{
    LengthClass, Threads,
    wisdom::{AHEAD, Choice, Help, Rates},
};
use ciphertune_catalog::{Algorithm, Source, Task};
use ciphertune_measure::{Gain, Plan, Team, Which};
use ciphertune_report::units::{length, significant};

use crate::{
    Result,
    choices::ours,
    session::{self, Session},
};

/// What was found out of threads.
#[derive(Default)]
pub struct Measured {
    pub help: Vec<Help>,
    pub sentences: Vec<String>,
    /// Whether it was interrupted.
    pub stopped: bool,
}

/// Calls of streams, in bytes: short ones, and as long as ssh's packets are at most.
const STREAM: [usize; 2] = [1 << 10, 32 << 10];

/// Calls that may be split, in bytes.
const LONG: [usize; 5] = [256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20];

/// Fresh worker processes. What is to be decided is not close as a rule, and long calls take their time.
const PROCESSES: u32 = 3;

/// A call that takes longer than this many seconds is not needed to see what two threads make of it.
const LONGEST: f64 = 0.01;

/// Measures what was chosen for counter mode with threads and without: streams beside a hash, as programs have them, and
/// long calls.
pub fn measure(plan: &Plan, choices: &[Choice]) -> Result<Measured> {
    let mut measured = Measured::default();
    let algorithms: Vec<Algorithm> = plan
        .tasks
        .iter()
        .map(|task| task.algorithm)
        .filter(|algorithm| algorithm.aes_mode() == Some("CTR"))
        .collect();
    if algorithms.is_empty() {
        return Ok(measured);
    }
    if Threads::available() == 0 {
        let alone = "Threads were not measured: there is no second processor, so nothing uses them";
        measured.sentences.push(alone.to_owned());
        return Ok(measured);
    }
    for (hashed, lengths) in [(true, STREAM.to_vec()), (false, long(choices))] {
        let chosen = chosen(choices, &lengths);
        if chosen.is_empty() || measured.stopped {
            continue;
        }
        let session = Session::run(&Plan {
            tasks: algorithms.iter().copied().map(Task::usual).collect(),
            hashed,
            teams: teams(),
            implementations: Which::Named(chosen.into_iter().collect()),
            lengths,
            sources: vec![Source::Builtin],
            processes: PROCESSES.min(plan.processes),
            until_stable: None,
            seed: session::seed(),
            ..plan.clone()
        })?;
        measured.stopped = session.stopped;
        let gains = session.outcome.gains.iter();
        let of_chosen = gains.filter(|gain| is_chosen(choices, gain));
        measured.help.extend(of_chosen.filter_map(help));
    }
    if measured.stopped {
        measured.help.clear();
        measured
            .sentences
            .push("Threads were not measured to the end, so nothing uses them".to_owned());
        return Ok(measured);
    }
    measured.sentences.extend(sentences(&measured.help));
    Ok(measured)
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

fn is_chosen(choices: &[Choice], gain: &Gain) -> bool {
    choices.iter().any(|choice| {
        choice.algorithm == gain.task.algorithm.name()
            && choice.class == LengthClass::of(gain.length)
            && Some(choice.implementation) == ours(&gain.implementation)
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
                    format!("{} {times} ({})", length(help.length as u64), help.workers)
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
