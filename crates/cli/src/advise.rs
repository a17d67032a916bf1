//! `ciphertune advise`: what to set in a program on this machine, by what was measured on it.
mod evidence;
mod program;

use std::{path::PathBuf, process::ExitCode};

use ciphertune::Processor;
use ciphertune_measure::losses;
use ciphertune_results::{Machine, Run};

use crate::{
    Result,
    args::Advise,
    complain, configured, masks, remark, repeats,
    session::{self, Session},
    stdin, stdout,
};
use evidence::Evidence;
pub use program::Program;

pub fn run(args: &Advise) -> Result<ExitCode> {
    let program = args.program;
    let mut status = ExitCode::SUCCESS;
    let from: Vec<PathBuf> = args.from.iter().map(|file| stdin::place(file).into()).collect();
    let evidence = match from.first() {
        Some(first) => {
            let runs = from.iter().map(|path| Run::read(path));
            let runs: Vec<Run> = runs.collect::<std::result::Result<_, _>>()?;
            repeats::expect(&from, &runs)
                .map_err(|why| format!("{why}; runs that confirm each other repeat each other"))?;
            for (path, run) in from.iter().zip(&runs) {
                if let Some(elsewhere) = elsewhere(&run.machine) {
                    remark(&format!("{}: {elsewhere}", path.display()));
                }
            }
            Evidence::of(program, &runs, args.confidence)
                .map_err(|why| format!("{}: {why}", first.display()))?
        }
        None => {
            let measured = match measured(args)? {
                Ok(measured) => measured,
                Err(stopped) => return Ok(stopped),
            };
            if measured.has_failures {
                status = ExitCode::FAILURE;
            }
            Evidence::of(program, &measured.runs, args.confidence)?
        }
    };
    let mut advice = program.advice(&evidence)?;
    if program.library() == "openssl"
        && let Some(elsewhere) = configured::elsewhere()
    {
        advice.text.insert_str(0, &format!("# {elsewhere}\n"));
    }
    if let Some(check) = advice.check {
        let name = check.name;
        remark(&match check.run(&advice.text)? {
            true => format!("{name} accepts it"),
            false => format!("{name} is not installed, so nothing has checked this"),
        });
    }
    stdout::print(|out| out.write_all(advice.text.as_bytes()))?;
    Ok(status)
}

/// That figures are not of this processor, where that is so.
fn elsewhere(measured: &Machine) -> Option<String> {
    let here = Processor::current();
    let signature = measured.cpu_signature.as_ref();
    let is_here = measured.cpu == here.brand && signature.is_none_or(|other| *other == here.signature);
    let there = signature.map_or_else(String::new, |signature| format!(" ({signature})"));
    (!is_here).then(|| {
        format!(
            "its figures are of {}{there}, and this is {} ({}); here they may be others",
            measured.cpu, here.brand, here.signature
        )
    })
}

struct Measured {
    /// Two: masks are advised only where both say so. One, where there are none.
    runs: Vec<Run>,
    /// Whether something failed that should not have.
    has_failures: bool,
}

/// What was measured for it or, where that was stopped, the exit status.
fn measured(args: &Advise) -> Result<std::result::Result<Measured, ExitCode>> {
    session::heed_forced()?;
    let mut plan = args.program.plan(args.confidence)?;
    let mut runs = Vec::new();
    let (mut told, mut noted) = (Vec::new(), Vec::new());
    for seed in 0..2 {
        plan.seed += seed;
        let session = Session::run(&plan)?;
        if session.stopped {
            remark("there is no advice, since not all was measured that it would go by");
            return Ok(Err(session.end()));
        }
        // The second run says again what the first said of the plan and of what is here.
        for note in not_told(&session.outcome.notes, &mut noted) {
            remark(&note);
        }
        for failure in not_told(&failures(&session), &mut told) {
            complain(&failure);
        }
        runs.push(session.outcome.run);
        if !masks::are_in(&runs[0]) {
            break;
        }
    }
    Ok(Ok(Measured {
        runs,
        has_failures: !told.is_empty(),
    }))
}

/// What went wrong, with its reasons: no results are shown that would tell them.
fn failures(session: &Session) -> Vec<String> {
    let lost = losses(&session.outcome.found);
    let cells = session.outcome.run.cells.iter();
    lost.into_iter()
        .chain(cells.filter_map(evidence::failure))
        .collect()
}

/// Those that were not told before, which they are now.
fn not_told(all: &[String], told: &mut Vec<String>) -> Vec<String> {
    let is_new = |one: &&String| !told.contains(one);
    let new: Vec<String> = all.iter().filter(is_new).cloned().collect();
    told.extend_from_slice(&new);
    new
}

#[cfg(test)]
mod tests {
    use super::not_told;

    #[test]
    fn what_both_runs_say_is_told_once() {
        let said = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let [of_both, of_one] = ["AES-256-CFB takes no messages", "Other work"];
        let mut told = Vec::new();
        assert_eq!(not_told(&said(&[of_both]), &mut told), [of_both]);
        assert_eq!(not_told(&said(&[of_both, of_one]), &mut told), [of_one]);
    }
}
