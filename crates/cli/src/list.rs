//! `ciphertune list`
use std::process::ExitCode;

use ciphertune_catalog::{Description, Source};
use ciphertune_measure::{Found, find};
use ciphertune_report::{self as report, Listed};

use crate::{Result, args::List, complain, session, stdout};

pub fn run(args: &List) -> Result<ExitCode> {
    let found = find(&args.libraries.sources(), &session::launcher()?);
    let here = found
        .iter()
        .filter_map(|found| found.implementations.as_ref().ok());
    let mut rows: Vec<Listed> = here.flatten().map(listed).collect();
    rows.extend(no_openssl(&found));
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

/// A row for the system's OpenSSL where no version of it is installed. Each other library has its own: that one is
/// looked for under several names, of which most are never there.
fn no_openssl(found: &[Found]) -> Option<Listed> {
    let mut system = found
        .iter()
        .filter(|found| matches!(found.source, Source::System(_)))
        .peekable();
    system.peek()?;
    let absent = |found: &Found| found.implementations.as_ref().is_ok_and(Vec::is_empty);
    system.all(absent).then(|| Listed {
        id: "openssl".to_owned(),
        origin: "libcrypto.so".to_owned(),
        unavailable: Some("not installed; Debian 12 has it as libssl3".to_owned()),
        version: String::new(),
        constant_time: false,
        selectable: false,
        needs: Vec::new(),
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str, implementations: Result<Vec<Description>, String>) -> Found {
        let source = Source::System(source.to_owned());
        Found {
            source,
            implementations,
        }
    }

    #[test]
    fn openssl_is_missed_where_no_version_of_it_is_there() {
        let none = || found("libcrypto.so.4", Ok(Vec::new()));
        assert_eq!(no_openssl(&[none(), none()]).unwrap().id, "openssl");
        // One that is there and cannot be loaded is reported as that.
        assert!(no_openssl(&[none(), found("libcrypto.so.3", Err("broken".to_owned()))]).is_none());
        // Nobody asked for it.
        assert!(no_openssl(&[]).is_none());
    }
}
