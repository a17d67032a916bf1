//! `ciphertune advise`: what to set in a program on this machine, by what was measured on it.
mod evidence;
mod program;

use std::process::ExitCode;

use ciphertune_results::Run;

use crate::{
    Result,
    args::Advise,
    masks, remark,
    session::{self, Session},
    stdout,
};
use evidence::Evidence;
pub use program::Program;

pub fn run(args: &Advise) -> Result<ExitCode> {
    let program = args.program;
    let evidence = match &args.from {
        Some(path) => Evidence::of(program, &[Run::read(path)?], args.confidence)
            .map_err(|why| format!("{}: {why}", path.display()))?,
        None => match measured(args)? {
            Ok(runs) => Evidence::of(program, &runs, args.confidence)?,
            Err(status) => return Ok(status),
        },
    };
    let advice = program.advice(&evidence);
    if let Some(check) = advice.check {
        let name = check.name;
        remark(&match check.run(&advice.text)? {
            true => format!("{name} accepts it"),
            false => format!("{name} is not installed, so nothing has checked this"),
        });
    }
    stdout::print(|out| out.write_all(advice.text.as_bytes()))?;
    Ok(ExitCode::SUCCESS)
}

/// Two runs: masks are advised only where both say so. Otherwise, the exit status.
fn measured(args: &Advise) -> Result<std::result::Result<Vec<Run>, ExitCode>> {
    session::heed_forced()?;
    let mut plan = args.program.plan(args.confidence)?;
    let mut runs = Vec::new();
    for seed in 0..2 {
        plan.seed += seed;
        let session = Session::run(&plan)?;
        if session.stopped {
            remark("there is no advice, since not all was measured that it would go by");
            return Ok(Err(session.end()));
        }
        runs.push(session.outcome.run);
        if !masks::are_in(&runs[0]) {
            break;
        }
    }
    Ok(Ok(runs))
}
