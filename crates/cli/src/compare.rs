//! `ciphertune compare`
mod sides;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::ExitCode,
};

use ciphertune_measure::matching;
use ciphertune_report::{
    self as report,
    units::{counted, length},
};
use ciphertune_results::{
    compare::{self, Comparison, Named, Terms},
    few,
};

use crate::{
    Result, Usage,
    args::{By, Compare, CompareFormat, Gate},
    complain, remark,
    session::failures,
    stdout,
};

pub fn run(args: &Compare) -> Result<ExitCode> {
    let runs = sides::read(&args.files)?;
    let by = args.by.unwrap_or(match runs.len() {
        1 => By::Implementation,
        _ => By::File,
    });
    let baseline = match (&args.baseline, by) {
        (None, _) => None,
        (Some(named), By::File) => Some(file(named, &args.files, &runs)),
        (Some(named), By::Implementation) => Some(implementation(named, &runs)?),
    };
    let comparison = compare::compare(
        &runs,
        &Terms {
            by: match by {
                By::File => compare::By::File,
                By::Implementation => compare::By::Implementation,
            },
            baseline,
            confidence: args.confidence,
            across_contracts: args.across_contracts,
            per_cycle: args.per_cycle,
        },
    )?;
    show(args, &comparison, &runs)?;
    if let (CompareFormat::Csv | CompareFormat::Json, true) = (args.format, args.intervals || args.rates) {
        remark("--intervals and --rates have no effect on this format, which has both in any case");
    }
    if comparison
        .compared
        .iter()
        .all(|compared| compared.rows.is_empty())
    {
        let says_why = match args.format {
            CompareFormat::Table | CompareFormat::Markdown => "the notes say why",
            CompareFormat::Csv => "--format table says why",
            CompareFormat::Json => "left_out says why",
        };
        return Err(format!("nothing could be compared; {says_why}").into());
    }
    let Some(gate) = args.fail_if else {
        return Ok(ExitCode::SUCCESS);
    };
    let slower = judge(gate, &comparison, &runs);
    // What is wrong or not there weighs more than what is slow.
    Ok(match vouch(&comparison, &runs) {
        true => slower,
        false => ExitCode::FAILURE,
    })
}

/// The status of a comparison that fails its gate.
const SLOWER: u8 = 3;

/// A file may be called by its path though its name is shorter.
fn file(named: &str, files: &[PathBuf], runs: &[Named]) -> String {
    let mut both = files.iter().zip(runs);
    both.find(|(path, _)| *path == Path::new(named))
        .map_or(named.to_owned(), |(_, run)| run.name.clone())
}

/// An implementation may be called by a part of its name that no other has, where it is in one file alone.
fn implementation(named: &str, runs: &[Named]) -> Result<String> {
    let all = runs.iter().flat_map(|named| &named.runs);
    let cells = all.flat_map(|run| &run.cells);
    let known: BTreeSet<&str> = cells.map(|cell| &*cell.implementation).collect();
    let meant = matching(named, known.iter().copied());
    let is_meant = |name: &String| {
        let mut rests = meant.iter().filter_map(|id| name.strip_prefix(id));
        rests.any(|rest| rest.is_empty() || rest.starts_with(" in "))
    };
    let mut names = compare::names(runs, compare::By::Implementation);
    names.retain(is_meant);
    match &names[..] {
        [] => Ok(named.to_owned()),
        [one] => Ok(one.clone()),
        several => Err(Usage::error(format!(
            "'{named}' is a part of several names; write the one that is to be the baseline: {}",
            several.join(", ")
        ))),
    }
}

fn show(args: &Compare, comparison: &Comparison, runs: &[Named]) -> Result<()> {
    let details = report::Details {
        intervals: args.intervals,
        rates: args.rates,
    };
    let screen = stdout::screen();
    stdout::print(|out| match args.format {
        CompareFormat::Table => report::compare_terminal(comparison, runs, details, screen, out),
        CompareFormat::Markdown => report::compare_markdown(comparison, runs, details, out),
        CompareFormat::Csv => report::compare_csv(comparison, out),
        CompareFormat::Json => report::compare_json(comparison, out),
    })
}

/// Names what has no rate to judge though it should have one: what failed on either side, and what the baseline has and
/// the other has not, or not to rely on. Answers whether there is nothing of that.
fn vouch(comparison: &Comparison, runs: &[Named]) -> bool {
    let mut troubles = Vec::new();
    for Named { name, runs } in runs {
        let failures: BTreeSet<String> = runs.iter().flat_map(failures).collect();
        troubles.extend(failures.iter().map(|failure| format!("{name}: {failure}")));
    }
    for compared in &comparison.compared {
        for lost in compared.left_out.iter().filter(|left| left.lost) {
            // By implementation it is what is compared.
            let implementation = match comparison.by {
                compare::By::File => format!(" of {}", lost.implementation),
                compare::By::Implementation => String::new(),
            };
            troubles.push(format!(
                "{}: there is no rate to judge{implementation} on {}{}{}: {}",
                compared.name,
                few(&lost.algorithms),
                report::apart(lost),
                at(&lost.lengths),
                lost.reason
            ));
        }
    }
    troubles.iter().for_each(|trouble| complain(trouble));
    troubles.is_empty()
}

fn at(lengths: &[u64]) -> String {
    let names: Vec<String> = lengths.iter().copied().map(length).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!(" at {}", few(&names)),
    }
}

/// Names each cell that is certainly slower, and by too much; and says what is not as certain as it looks.
fn judge(gate: Gate, comparison: &Comparison, runs: &[Named]) -> ExitCode {
    let judged = comparison.gate(gate.slower);
    if comparison.by == compare::By::File && runs.iter().all(|named| named.runs.len() == 1) {
        remark(
            "--fail-if goes by single runs, which cannot know what differs from one run to the next: of 100 such pairs of \
             the same code 9 were called different; folders of ten runs each would tell",
        );
    } else if judged.unsure > 0 {
        remark(&format!(
            "--fail-if: nobody can say how sure the verdict on {} is, by single figures or fewer than {} runs on a side; it \
             counts as it stands, so that chance alone may fail the gate; folders of ten runs each would tell",
            counted(judged.unsure, "cell"),
            compare::least_runs(comparison.confidence),
        ));
    }
    if let Some((cells, runs)) = judged.too_few {
        remark(&format!(
            "--fail-if: it takes {runs} runs on either side to be certain of one of {cells} cells; each is judged by \
             itself, so that with more of them chance alone may fail the gate more often"
        ));
    }
    if judged.noisy > 0 {
        remark(&format!(
            "--fail-if lets {} pass, slower by more than that and certainly so, but by no more than the same code differs from \
             itself in these runs; a quieter machine would tell, or folders of ten runs each",
            counted(judged.noisy, "cell"),
        ));
    }
    for &(compared, row, cell) in &judged.slower {
        // By implementation it is what is compared.
        let implementation = match comparison.by {
            compare::By::File => format!(", {}", row.implementation),
            compare::By::Implementation => String::new(),
        };
        let at = match report::is_without_message(&row.algorithm, &row.operation) {
            true => String::new(),
            false => at(&[cell.length]),
        };
        complain(&format!(
            "{}: {} {}{at}, {}{implementation}: {:.1} % slower than {}",
            compared.name,
            row.algorithm,
            row.operation,
            report::conditions(row),
            100.0 * (1.0 - cell.change.ratio.median),
            comparison.baseline,
        ));
    }
    match judged.slower.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(SLOWER),
    }
}
