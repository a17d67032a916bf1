//! `ciphertune list`
use std::process::ExitCode;

use ciphertune_catalog::Description;
use ciphertune_measure::find;
use ciphertune_report::{self as report, Listed};

use crate::{Result, args::List, complain, session, stdout};

pub fn run(args: &List) -> Result<ExitCode> {
    let found = find(&args.libraries.sources(), &session::launcher()?);
    let here = found
        .iter()
        .filter_map(|found| found.implementations.as_ref().ok());
    let rows: Vec<Listed> = here.flatten().map(listed).collect();
    stdout::print(|out| report::list(&rows, stdout::screen(), out))?;

    let mut status = ExitCode::SUCCESS;
    for found in &found {
        if let Err(reason) = &found.implementations {
            let name = found.source.to_string();
            // The catalog's reasons name the library; a worker that crashed does not know it.
            if reason.starts_with(&name) {
                complain(reason);
            } else {
                complain(&format!("{name}: {reason}"));
            }
            status = ExitCode::FAILURE;
        }
    }
    Ok(status)
}

fn listed(description: &Description) -> Listed {
    let Description {
        id,
        origin,
        version,
        features,
        constant_time,
        selectable,
        unavailable,
    } = description.clone();
    Listed {
        id,
        version,
        constant_time,
        selectable,
        needs: features,
        origin,
        unavailable,
    }
}
