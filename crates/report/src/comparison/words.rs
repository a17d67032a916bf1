//! What a comparison's tables do not say themselves.
use ciphertune_results::{
    compare::{self, By, Compared, Comparison, LeftOut, Named, Verdict},
    tenths,
};

use crate::{
    block::{Note, at, contract, threads},
    footer, libraries,
    text::plain,
    units::{counted, frequency, per_cent},
};

/// A heading and a sentence each.
pub(super) fn sentences(comparison: &Comparison, runs: &[Named]) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    let changes = || {
        let rows = comparison.compared.iter().flat_map(|compared| &compared.rows);
        rows.flat_map(|row| &row.cells).map(|cell| &cell.change)
    };
    let confidence = per_cent(comparison.confidence);
    if changes().any(|change| change.verdict == Verdict::Same) {
        let floors = runs.iter().filter_map(|named| compare::noise_floor(&named.runs));
        let floor = floors.reduce(f64::max);
        let beyond = floor.map_or(String::new(), |floor| {
            format!(
                ", or none beyond the noise floor ({} %, what code may differ from itself by)",
                tenths(100.0 * floor)
            )
        });
        lines.push((
            "~".to_owned(),
            format!("no difference at {confidence} confidence{beyond}"),
        ));
    }
    let has = |verdict| changes().any(|change| change.verdict == verdict);
    let has_repeats = runs.iter().any(|named| named.runs.len() > 1);
    if has(Verdict::Unknown) {
        let text = if has_repeats {
            let least = compare::least_runs(comparison.confidence);
            format!(
                "percentages of too few runs; {confidence} confidence takes {least} on either side at least"
            )
        } else {
            "percentages of single figures, of which nobody knows how sure they are".to_owned()
        };
        lines.push(("No intervals".to_owned(), text));
    }
    if comparison.by == By::File && !has_repeats && (has(Verdict::Faster) || has(Verdict::Slower)) {
        let text =
            "what differs from one run to the next may look like more; folders of ten runs each would tell";
        lines.push(("One run on either side".to_owned(), text.to_owned()));
    }
    // A figure alone beside several has no interval either, and is no process.
    let has_both = |replicates: &[usize; 2]| replicates.iter().all(|&n| n > 0);
    let counts: Vec<[usize; 2]> = changes()
        .map(|change| change.replicates)
        .filter(has_both)
        .collect();
    let range = |side: usize| {
        let of_it = counts.iter().map(|replicates| replicates[side]);
        let (least, most) = (of_it.clone().min()?, of_it.max()?);
        Some(match least == most {
            true => least.to_string(),
            false => format!("{least} to {most}"),
        })
    };
    if let (Some(before), Some(after)) = (range(0), range(1)) {
        let what = match (has_repeats, &*after) {
            (true, "1") => "run",
            (true, _) => "runs",
            (false, "1") => "worker process",
            (false, _) => "worker processes",
        };
        let text = match before == after {
            true => format!("{after} {what} on either side"),
            false => format!("{after} {what} against {before}"),
        };
        lines.push(("n".to_owned(), text));
    }
    if comparison.compared.iter().any(has_fewer) {
        let text = "a run counts for a cell that it has of at least half as many undisturbed worker processes as is usual";
        lines.push(("Runs left out".to_owned(), text.to_owned()));
    }
    if comparison.per_cycle {
        lines.push((
            "Per cycle".to_owned(),
            "rates per estimated core cycle; frequencies are left out, but for their changes within a run"
                .to_owned(),
        ));
    } else {
        lines.extend(frequencies(runs));
    }
    if comparison.across_contracts {
        let text = "what is timed differs between the two; small messages show it most";
        lines.push(("Across contracts".to_owned(), text.to_owned()));
    }
    if comparison.by == By::File
        && let Some(text) = libraries::differences(runs)
    {
        lines.push(("Not the same code".to_owned(), plain(&text)));
    }
    for Named { name, runs } in runs {
        let Some(first) = runs.first().map(|run| &run.machine) else {
            continue;
        };
        let mut text = format!("{}; {}", footer::machine(first), footer::origin(first));
        if runs.len() > 1 {
            text += &format!(", one of {} runs", runs.len());
        }
        if let Some(libraries) = libraries::numbered(first) {
            text += &format!("; {libraries}");
        }
        lines.push((plain(name), plain(&text)));
    }
    lines
}

/// Whether there are runs that do not count for some cell.
fn has_fewer(compared: &Compared) -> bool {
    let mut cells = compared.rows.iter().flat_map(|row| &row.cells);
    compared.runs != [1; 2] && cells.any(|cell| cell.change.replicates != compared.runs)
}

/// Where the cores ran at frequencies that differ by more than two per cent.
fn frequencies(runs: &[Named]) -> Option<(String, String)> {
    let known = || {
        runs.iter().filter_map(|Named { name, runs }| {
            let all: Option<Vec<f64>> = runs.iter().map(|run| run.machine.core_hz).collect();
            let all = all.filter(|all| !all.is_empty())?;
            Some((all.iter().sum::<f64>() / all.len() as f64, name))
        })
    };
    let (slow, slowest) = known().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let (fast, fastest) = known().max_by(|a, b| a.0.total_cmp(&b.0))?;
    (fast > 1.02 * slow).then(|| {
        let text = format!(
            "the core ran at {} in {slowest} and at {} in {fastest}; --per-cycle leaves that out",
            frequency(slow),
            frequency(fast)
        );
        ("Frequency".to_owned(), plain(&text))
    })
}

pub(super) fn left_out(comparison: &Comparison) -> Vec<Note> {
    let has_several = comparison.by == By::File && comparison.compared.len() > 1;
    let mut notes: Vec<Note> = Vec::new();
    for compared in &comparison.compared {
        let whose = match has_several {
            true => format!(", {} against {}", compared.name, comparison.baseline),
            false => String::new(),
        };
        for left in &compared.left_out {
            let algorithms = match &left.algorithms[..] {
                [one] => one.clone(),
                several => format!("{} algorithms", several.len()),
            };
            let place = plain(&format!(
                " on {algorithms}{}{} ({}){whose}",
                apart(left),
                at(&left.lengths),
                counted(left.cells, "cell")
            ));
            let (implementation, reason) = (plain(&left.implementation), plain(&left.reason));
            let same = |note: &&mut Note| note.reason == reason && note.place == place;
            match notes.iter_mut().find(same) {
                Some(note) if note.implementations.contains(&implementation) => {}
                Some(note) => note.implementations.push(implementation),
                None => notes.push(Note {
                    what: "Not compared",
                    implementations: vec![implementation],
                    place,
                    reason,
                }),
            }
        }
    }
    notes
}

/// What tells cells that were left out from others of their algorithm, behind its name: ` open, new-iv/1, 2 threads`. Empty
/// where nothing need do so.
pub fn apart(left: &LeftOut) -> String {
    let operation = left.operation.iter().map(|operation| format!(" {operation}"));
    let contracts = left.contract.iter().zip(left.aad);
    let contracts = contracts.map(|(name, aad)| format!(", {}", contract(name, aad)));
    let numbers = left.threads.into_iter().zip(left.workers);
    let numbers = numbers.map(|(number, workers)| format!(", {}", threads(number, workers)));
    operation.chain(contracts).chain(numbers).collect()
}
