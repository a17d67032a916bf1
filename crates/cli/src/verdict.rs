//! What `tune` chose, and by how much that beats the CPUID default and the system's OpenSSL.
use ciphertune::LengthClass;
use ciphertune_catalog::{Contract, Task};
use ciphertune_measure::{Choice, Outcome};
use ciphertune_report::units::{length, significant};
use ciphertune_results::{Interval, compare, lead, tenths, wander};

use crate::{
    choices::{figures, ours},
    classes,
};

/// The implementation that serves a task and length where nothing was measured.
type DefaultFor = fn(Task, usize) -> String;

/// What the run's figures cannot decide; nothing where there are none, or where nobody was timed twice.
pub fn told_apart(outcome: &Outcome) -> Option<String> {
    let has_figures = outcome.run.cells.iter().any(|cell| cell.figures.is_some());
    let floor = outcome.run.machine.noise_floor.filter(|_| has_figures)?;
    Some(format!(
        "Differences under {} % are not told apart in this run.",
        tenths(100.0 * lead::least(floor))
    ))
}

/// What cannot be told apart, and how quiet the machine was.
pub fn noise(outcome: &Outcome) -> Vec<String> {
    let first = [told_apart(outcome), wanders(outcome)].into_iter().flatten();
    first.chain(outcome.noise.iter().cloned()).collect()
}

/// A run in which all implementations were faster together by more than this has no rates for another run.
const STEADY: f64 = 0.05;

/// What pairs do not show, since it happens to both.
fn wanders(outcome: &Outcome) -> Option<String> {
    let share = wander(&outcome.run).filter(|&share| share > STEADY)?;
    Some(format!(
        "Rates are for this run alone: from one process to the next, everything went up or down by up to {:.0} % \
         together, which no comparison within the run shows.",
        100.0 * share
    ))
}

/// For each task what was chosen, and two comparisons. `system` is the id of the system's OpenSSL, where
/// there is one; `default_for` answers the id of the CPUID default.
pub fn sentences(
    outcome: &Outcome,
    tasks: &[Task],
    system: Option<&str>,
    default_for: DefaultFor,
    confidence: f64,
) -> Vec<String> {
    let mut lines = noise(outcome);
    for &task in tasks {
        let of_it = |choice: &&Choice| choice.task == task;
        let choices: Vec<&Choice> = outcome.choices.iter().filter(of_it).collect();
        let at_once = match task.contract {
            Contract::Many => ", many at once",
            _ => "",
        };
        lines.push(format!(
            "{} {}{at_once}: {}",
            task.algorithm,
            task.operation,
            chosen(&choices)
        ));
        if choices.len() < LengthClass::COUNT {
            continue;
        }
        lines.push(format!(
            "  against the CPUID default: {}",
            against_default(&choices, default_for)
        ));
        lines.push(match system {
            Some(id) => format!(
                "  against the system's {id}: {}",
                against_system(outcome, &choices, id, confidence)
            ),
            None => "  the system has no OpenSSL to compare with".to_owned(),
        });
    }
    if lines.iter().any(|line| line.contains(NO_LEAD)) {
        lines.push(format!(
            "A lead is certain where all of its interval is over {:.0} %, and its middle over what this run tells apart.",
            100.0 * lead::LEAST
        ));
    }
    lines
}

/// The rule is told below ([`lead::is_lead`]).
const NO_LEAD: &str = "no certain lead";

fn chosen(choices: &[&Choice]) -> String {
    if choices.len() < LengthClass::COUNT {
        return "not every length could be measured, so nothing is chosen anew".to_owned();
    }
    let named = |choice: &&Choice| Some((LengthClass::of(choice.length), ours(&choice.chosen)?));
    classes::sentence(choices.iter().filter_map(named))
}

fn against_default(choices: &[&Choice], default_for: DefaultFor) -> String {
    let mut faster = Vec::new();
    let mut same = Vec::new();
    let mut ties = Vec::new();
    let mut unknown = Vec::new();
    for choice in choices {
        let is_default = choice.chosen == default_for(choice.task, choice.length);
        match choice.over_default {
            _ if is_default && choice.tie => ties.push((choice.length, choice.margin.map(by_how_much))),
            _ if is_default => same.push(choice.length),
            Some(lead) => faster.push((choice.length, lead.median)),
            None => unknown.push(choice.length),
        }
    }
    let all = choices.len();
    joined([
        times_as_fast(&faster, all),
        at("it is chosen", &same, all),
        each(&format!("it stays, with {NO_LEAD} over the runner-up,"), &ties),
        at("it was not measured", &unknown, all),
    ])
}

/// By the processes in which both were timed.
fn against_system(outcome: &Outcome, choices: &[&Choice], id: &str, confidence: f64) -> String {
    let mut leads = Vec::new();
    let mut losses = Vec::new();
    let mut ties = Vec::new();
    let mut unknown = Vec::new();
    for choice in choices {
        let theirs = figures(outcome, choice, id);
        let change = theirs
            .and_then(|theirs| compare::within(&[[theirs, &choice.figures]], outcome.floor, confidence));
        match change {
            None => unknown.push(choice.length),
            Some(change) if change.is_lead() => leads.push((choice.length, change.ratio.median)),
            Some(change) if change.is_loss() => losses.push((choice.length, Some(by_how_much(change.ratio)))),
            Some(change) => ties.push((choice.length, Some(by_how_much(change.ratio)))),
        }
    }
    let all = choices.len();
    joined([
        times_as_fast(&leads, all),
        each("slower", &losses),
        each(NO_LEAD, &ties),
        at("it was not measured", &unknown, all),
    ])
}

/// `a tie at 64 B (-1.8 %), 16 KiB (+0.3 %)`: by how much the chosen is faster or slower, where that is known.
fn each(what: &str, lengths: &[(usize, Option<String>)]) -> Option<String> {
    let each = lengths.iter().map(|(bytes, lead)| {
        let length = length(*bytes as u64);
        lead.as_ref()
            .map_or_else(|| length.clone(), |lead| format!("{length} ({lead})"))
    });
    let each: Vec<String> = each.collect();
    (!each.is_empty()).then(|| format!("{what} at {}", each.join(", ")))
}

/// `-1.8 % ± 1.2`: how sure it is explains why it is no lead as much as how small it is.
fn by_how_much(times: Interval) -> String {
    let percent = percent(times.median);
    match 50.0 * (times.high - times.low) {
        _ if times.is_point() => format!("{percent}, no interval"),
        // Of two or three processes that are far apart an interval says no more than that.
        100.0.. => format!("{percent}, by processes that disagree"),
        to_either_side => format!("{percent} ± {to_either_side:.1}"),
    }
}

fn percent(times: f64) -> String {
    let percent = 100.0 * (times - 1.0);
    let decimals = usize::from(percent < 99.95);
    let text = format!("{percent:+.decimals$} %");
    // Zero has no sign worth showing.
    match &*text {
        "+0.0 %" | "-0.0 %" => "0.0 %".to_owned(),
        _ => text,
    }
}

/// `1.04 to 4.62 times as fast at 16 B, 64 B`, of so many lengths in all.
fn times_as_fast(times: &[(usize, f64)], all: usize) -> Option<String> {
    let each = || times.iter().map(|(_, times)| *times);
    let least = significant(each().min_by(f64::total_cmp)?);
    let most = significant(each().max_by(f64::total_cmp)?);
    let range = if least == most {
        least
    } else {
        format!("{least} to {most}")
    };
    let lengths: Vec<usize> = times.iter().map(|(length, _)| *length).collect();
    at(&format!("{range} times as fast"), &lengths, all)
}

fn at(what: &str, lengths: &[usize], all: usize) -> Option<String> {
    match lengths.len() {
        0 => None,
        here if here == all => Some(format!("{what} at every length")),
        _ => {
            let names: Vec<String> = lengths.iter().map(|&bytes| length(bytes as u64)).collect();
            Some(format!("{what} at {}", names.join(", ")))
        }
    }
}

fn joined<const N: usize>(parts: [Option<String>; N]) -> String {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use ciphertune_results::{Cell, Figures, Machine, Run, Status};

    use super::*;

    const SYSTEM: &str = "openssl@3.0.19/default";

    fn interval(median: f64) -> Interval {
        Interval {
            low: 0.99 * median,
            median,
            high: 1.01 * median,
        }
    }

    fn figures(rate: f64) -> Figures {
        Figures {
            bytes_per_second: interval(rate),
            replicates: [0.998, 1.0, 1.002].map(|factor| Some(factor * rate)).to_vec(),
            quanta: 30,
            processes: 3,
            ..Figures::point(rate)
        }
    }

    /// AES-128-CTR alone: for each length the lead over the default, whether it is a tie with the runner-up, and
    /// how many times as fast as the system's it is.
    fn outcome(lengths: &[(Option<f64>, bool, f64)]) -> Outcome {
        let classes = || LengthClass::all().map(LengthClass::measured).zip(lengths);
        let choice = |(length, &(lead, tie, _)): (usize, &(Option<f64>, bool, f64))| Choice {
            task: ctr(128),
            aad: 0,
            length,
            chosen: fitting(ctr(128), length),
            figures: figures(1e10),
            runner_up: Some("ciphertune/portable".to_owned()),
            margin: Some(interval(0.99)),
            over_default: lead.map(interval),
            tie,
        };
        let system = |(length, &(_, _, times)): (usize, &(Option<f64>, bool, f64))| Cell {
            algorithm: "AES-128-CTR".to_owned(),
            operation: "encrypt".to_owned(),
            contract: "stream/1".to_owned(),
            aad: 0,
            length: length as u64,
            threads: 1,
            workers: 0,
            implementation: SYSTEM.to_owned(),
            status: Status::Ok,
            reason: None,
            in_place: true,
            selectable: false,
            figures: Some(Figures {
                replicates: figures(1e10 / times).replicates.into_iter().rev().collect(),
                ..figures(1e10 / times)
            }),
            chosen: false,
        };
        let machine = Machine::new(
            "AMD EPYC".to_owned(),
            "0.1.0".to_owned(),
            "2026-01-02T03:04:05Z".to_owned(),
        );
        Outcome {
            choices: classes().map(choice).collect(),
            gains: Vec::new(),
            run: Run {
                machine: Machine {
                    noise_floor: Some(0.02),
                    ..machine
                },
                bounds: Vec::new(),
                cells: classes().map(system).collect(),
            },
            floor: 0.02,
            found: Vec::new(),
            notes: Vec::new(),
            noise: Vec::new(),
        }
    }

    /// What [`outcome`] has chosen.
    fn fitting(_: Task, length: usize) -> String {
        let name = if length <= 64 { "aesni" } else { "vaes512" };
        format!("ciphertune/{name}")
    }

    fn portable(_: Task, _: usize) -> String {
        "ciphertune/portable".to_owned()
    }

    const RULE: &str = "A lead is certain where all of its interval is over 1 %, and its middle over what this run tells apart.";

    const TOLD_APART: &str = "Differences under 2.0 % are not told apart in this run.";

    const ELSEWHERE: [&str; 2] = [
        "AES-192-CTR encrypt: not every length could be measured, so nothing is chosen anew",
        "AES-256-CTR encrypt: not every length could be measured, so nothing is chosen anew",
    ];

    fn ctr(bits: usize) -> Task {
        Task::usual(format!("AES-{bits}-CTR").parse().unwrap())
    }

    fn sentences(outcome: &Outcome, system: Option<&str>, default_for: DefaultFor) -> Vec<String> {
        super::sentences(outcome, &[128, 192, 256].map(ctr), system, default_for, 0.95)
    }

    #[test]
    fn leads_ties_and_defaults_are_told_apart() {
        let between = |task, length| match length {
            256..=4096 => portable(task, length),
            _ => fitting(task, length),
        };
        let lengths = [
            (Some(1.0), false, 1.015),
            (Some(1.0), true, 0.9),
            (Some(1.051), false, 2.0),
            (Some(1.124), true, 3.0),
            (None, false, 4.0),
            (Some(1.0), true, 4.444),
            (Some(1.0), false, 4.0),
        ];
        let lines = sentences(&outcome(&lengths), Some(SYSTEM), between);
        assert_eq!(
            lines[..4],
            [
                TOLD_APART,
                "AES-128-CTR encrypt: aesni up to 128 B, vaes512 beyond",
                "  against the CPUID default: 1.05 to 1.12 times as fast at 256 B, 1 KiB; it is chosen at \
                 16 B, 1 MiB; it stays, with no certain lead over the runner-up, at 64 B (-1.0 % ± 1.0), \
                 16 KiB (-1.0 % ± 1.0); it was not measured at 4 KiB",
                "  against the system's openssl@3.0.19/default: 2.00 to 4.44 times as fast at 256 B, 1 KiB, \
                 4 KiB, 16 KiB, 1 MiB; slower at 64 B (-10.0 % ± 0.9); no certain lead at 16 B (+1.5 % ± 1.0)",
            ]
        );
        assert_eq!(lines[4..], [&ELSEWHERE[..], &[RULE]].concat());
    }

    #[test]
    fn of_what_is_not_chosen_nothing_is_compared() {
        let mut partly = outcome(&[(Some(1.2), false, 2.0); LengthClass::COUNT]);
        partly.choices.pop();
        let lines = sentences(&partly, Some(SYSTEM), portable);
        let of_it = "AES-128-CTR encrypt: not every length could be measured, so nothing is chosen anew";
        assert_eq!(lines, [&[TOLD_APART, of_it][..], &ELSEWHERE].concat());
    }

    /// Faster on the whole, and slower in one process.
    #[test]
    fn what_processes_disagree_about_is_no_lead() {
        let mut outcome = outcome(&[(Some(1.0), false, 1.1); LengthClass::COUNT]);
        for cell in &mut outcome.run.cells {
            let theirs = [0.8, 0.9, 1.05].map(|factor| Some(1e10 * factor));
            cell.figures.as_mut().unwrap().replicates = theirs.to_vec();
        }
        let line = |outcome: &Outcome| {
            let lines = sentences(outcome, Some(SYSTEM), fitting);
            lines
                .into_iter()
                .find(|line| line.contains("against the system's"))
                .unwrap()
        };
        let of_three = "no certain lead at 16 B (+9.8 % ± ";
        assert!(line(&outcome).contains(of_three), "{}", line(&outcome));
        assert!(!line(&outcome).contains("times as fast"), "{}", line(&outcome));
        for cell in &mut outcome.run.cells {
            let theirs = [0.05, 1.0].map(|factor| Some(1e10 * factor));
            cell.figures.as_mut().unwrap().replicates = theirs.to_vec();
        }
        let of_two = "no certain lead at 16 B (+347 %, by processes that disagree), ";
        assert!(line(&outcome).contains(of_two), "{}", line(&outcome));
        // Of a single process nobody can say.
        for cell in &mut outcome.run.cells {
            let figures = cell.figures.as_mut().unwrap();
            figures.bytes_per_second = Interval::point(1e10 / 1.1);
            figures.replicates.truncate(1);
        }
        let of_one = "no certain lead at 16 B (+10.0 %, no interval), ";
        assert!(line(&outcome).contains(of_one), "{}", line(&outcome));
        for cell in &mut outcome.run.cells {
            cell.figures = Some(Figures::point(1e10 / 12.856));
        }
        let of_much = "no certain lead at 16 B (+1186 %, no interval), ";
        assert!(line(&outcome).contains(of_much), "{}", line(&outcome));
    }

    #[test]
    fn what_all_processes_share_is_told_although_no_difference_shows_it() {
        let told = |system: [f64; 3], other: [f64; 3]| {
            let mut outcome = outcome(&[(Some(1.0), false, 1.1); LengthClass::COUNT]);
            let mut others = outcome.run.cells.clone();
            for (cells, factors) in [(&mut outcome.run.cells, system), (&mut others, other)] {
                for cell in cells {
                    cell.figures.as_mut().unwrap().replicates =
                        factors.map(|factor| Some(1e9 * factor)).to_vec();
                }
            }
            for cell in &mut others {
                cell.implementation = "another".to_owned();
            }
            outcome.run.cells.extend(others);
            noise(&outcome)
        };
        let (steady, wild) = ([1.0, 1.04, 1.0], [1.09, 2.08, 1.5]);
        assert_eq!(told(steady, steady), [TOLD_APART]);
        // What one does alone is its own, and its interval tells it.
        assert_eq!(told(wild, steady), [TOLD_APART]);
        assert_eq!(
            told(wild, wild),
            [
                TOLD_APART,
                "Rates are for this run alone: from one process to the next, everything went up or down by up to 91 % \
                 together, which no comparison within the run shows."
            ]
        );
    }

    #[test]
    fn where_nobody_was_timed_twice_nothing_is_said_of_noise() {
        let mut outcome = outcome(&[(Some(1.0), false, 1.1); LengthClass::COUNT]);
        assert_eq!(told_apart(&outcome).as_deref(), Some(TOLD_APART));
        outcome.run.machine.noise_floor = None;
        assert_eq!(told_apart(&outcome), None);
    }

    #[test]
    fn what_is_so_everywhere_names_no_length() {
        let lines = sentences(
            &outcome(&[(Some(1.1), false, 2.0); LengthClass::COUNT]),
            Some(SYSTEM),
            portable,
        );
        assert_eq!(
            lines[2],
            "  against the CPUID default: 1.10 times as fast at every length"
        );
        assert_eq!(
            lines[3],
            "  against the system's openssl@3.0.19/default: 2.00 times as fast at every length"
        );
        let lines = sentences(
            &outcome(&[(None, false, 1.0); LengthClass::COUNT]),
            Some("another"),
            fitting,
        );
        assert_eq!(
            lines[2],
            "  against the CPUID default: it is chosen at every length"
        );
        assert_eq!(
            lines[3],
            "  against the system's another: it was not measured at every length"
        );
        // Where nothing was measured, nothing is told apart.
        let lines = sentences(&outcome(&[]), None, fitting);
        assert_eq!(lines.len(), 3);
        assert!(lines.iter().all(|line| !line.contains("told apart")), "{lines:?}");
    }

    #[test]
    fn without_an_openssl_there_is_none_to_beat() {
        let all = outcome(&[(Some(1.0), false, 1.0); LengthClass::COUNT]);
        let lines = sentences(&all, None, fitting);
        assert_eq!(lines[3], "  the system has no OpenSSL to compare with");
    }
}
