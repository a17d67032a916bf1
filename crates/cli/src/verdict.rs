//! What `tune` chose, and by how much that beats the CPUID default and the system's OpenSSL.
use ciphertune::LengthClass;
use ciphertune_catalog::Algorithm;
use ciphertune_measure::{Choice, Outcome};
use ciphertune_report::units::{length, significant};

use crate::{classes, tune::ours};

/// A lead of less is none.
const LEAST_LEAD: f64 = 0.01;

/// Three lines for each algorithm. `system` is the id of the system's OpenSSL, where there is one.
pub fn sentences(outcome: &Outcome, system: Option<&str>) -> Vec<String> {
    let mut algorithms: Vec<Algorithm> = outcome.choices.iter().map(|c| c.algorithm).collect();
    algorithms.dedup();
    let mut lines = Vec::new();
    for algorithm in algorithms {
        let choices: Vec<&Choice> = outcome
            .choices
            .iter()
            .filter(|choice| choice.algorithm == algorithm)
            .collect();
        lines.push(format!("{algorithm}: {}", chosen(&choices)));
        lines.push(format!(
            "  against the CPUID default: {}",
            against_default(&choices)
        ));
        lines.push(match system {
            Some(id) => format!(
                "  against the system's {id}: {}",
                against_system(&choices, id, outcome)
            ),
            None => "  the system has no OpenSSL to compare with".to_owned(),
        });
    }
    lines
}

fn chosen(choices: &[&Choice]) -> String {
    if choices.len() < LengthClass::COUNT {
        return "not every length could be measured, so the CPUID default stays".to_owned();
    }
    let choices = choices
        .iter()
        .filter_map(|choice| Some((LengthClass::of(choice.length), ours(&choice.chosen)?)));
    classes::sentence(choices)
}

fn against_default(choices: &[&Choice]) -> String {
    let mut faster = Vec::new();
    let mut fastest = Vec::new();
    let mut ties = Vec::new();
    let mut unknown = Vec::new();
    for choice in choices {
        match choice.over_default {
            Some(lead) if lead.median != 1.0 => faster.push((choice.length, lead.median)),
            Some(_) if choice.tie => ties.push(choice.length),
            Some(_) => fastest.push(choice.length),
            None => unknown.push(choice.length),
        }
    }
    let everywhere = |lengths: &[usize]| lengths.len() == choices.len();
    let parts = [
        times_as_fast(&faster, everywhere(&at(&faster))),
        named("it is chosen", &fastest, everywhere(&fastest)),
        named("a tie", &ties, everywhere(&ties)).map(|ties| format!("{ties}, where it stays")),
        named("it was not measured", &unknown, everywhere(&unknown)),
    ];
    joined(parts)
}

fn against_system(choices: &[&Choice], id: &str, outcome: &Outcome) -> String {
    let mut differ = Vec::new();
    let mut ties = Vec::new();
    let mut unknown = Vec::new();
    for choice in choices {
        let theirs = outcome.run.cells.iter().find(|cell| {
            (&*cell.algorithm, cell.length, &*cell.implementation)
                == (choice.algorithm.name(), choice.length as u64, id)
        });
        let Some(theirs) = theirs.and_then(|cell| cell.figures.as_ref()) else {
            unknown.push(choice.length);
            continue;
        };
        let times = choice.figures.bytes_per_second.median / theirs.bytes_per_second.median;
        if times.ln().abs() <= outcome.floor.max(LEAST_LEAD).ln_1p() {
            ties.push(choice.length);
        } else {
            differ.push((choice.length, times));
        }
    }
    let everywhere = |lengths: &[usize]| lengths.len() == choices.len();
    let parts = [
        times_as_fast(&differ, everywhere(&at(&differ))),
        named("a tie", &ties, everywhere(&ties)),
        named("it was not measured", &unknown, everywhere(&unknown)),
    ];
    joined(parts)
}

/// `1.04 to 4.62 times as fast`, with the lengths unless it is so everywhere.
fn times_as_fast(times: &[(usize, f64)], everywhere: bool) -> Option<String> {
    let all = || times.iter().map(|(_, times)| *times);
    let least = significant(all().min_by(f64::total_cmp)?);
    let most = significant(all().max_by(f64::total_cmp)?);
    let range = if least == most {
        least
    } else {
        format!("{least} to {most}")
    };
    let lengths = at(times);
    named(&format!("{range} times as fast"), &lengths, everywhere)
}

fn at(times: &[(usize, f64)]) -> Vec<usize> {
    times.iter().map(|(length, _)| *length).collect()
}

fn named(what: &str, lengths: &[usize], everywhere: bool) -> Option<String> {
    let names: Vec<String> = lengths.iter().map(|&bytes| length(bytes as u64)).collect();
    match (lengths, everywhere) {
        ([], _) => None,
        (_, true) => Some(format!("{what} at every length")),
        _ => Some(format!("{what} at {}", names.join(", "))),
    }
}

fn joined<const N: usize>(parts: [Option<String>; N]) -> String {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join("; ")
}
