//! `ciphertune list`
use std::process::ExitCode;

use ciphertune_catalog::{Description, PeerLibrary, Source};
use ciphertune_measure::{Found, find, losses};
use ciphertune_report::{self as report, Listed};

use crate::{
    Result,
    args::{List, ListFormat},
    complain, session, stdout,
};

pub fn run(args: &List) -> Result<ExitCode> {
    let found = find(&args.libraries.sources(), &session::launcher());
    let here = found
        .iter()
        .filter_map(|found| found.implementations.as_ref().ok());
    let mut rows: Vec<Listed> = here.flatten().map(listed).collect();
    rows.extend(absent(&found));
    stdout::print(|out| match args.format {
        ListFormat::Table => report::list(&rows, stdout::screen(), out),
        ListFormat::Json => report::list_json(&rows, out),
    })?;

    let mut status = ExitCode::SUCCESS;
    for reason in losses(&found) {
        complain(&reason);
        status = ExitCode::FAILURE;
    }
    Ok(status)
}

/// A row for each library of which no version is installed. It is looked for under several names, of which most are
/// never there.
fn absent(found: &[Found]) -> Vec<Listed> {
    let row = |name: &str, packages: &[&str], is_meant: &dyn Fn(&Source) -> bool| {
        let mut asked = found.iter().filter(|found| is_meant(&found.source)).peekable();
        asked.peek()?;
        let is_absent = |found: &Found| found.implementations.as_ref().is_ok_and(Vec::is_empty);
        asked.all(is_absent).then(|| Listed {
            id: name.to_owned(),
            origin: String::new(),
            goes_by: None,
            unavailable: Some(format!(
                "not installed; Debian has it as {}",
                packages.join(" or ")
            )),
            version: String::new(),
            constant_time: false,
            selectable: false,
            needs: Vec::new(),
        })
    };
    let openssl = row("openssl", &["libssl3"], &|source| {
        matches!(source, Source::System(_))
    });
    let peers = PeerLibrary::ALL.into_iter().filter_map(|wanted| {
        let interfaces = wanted.about().interfaces.iter();
        let packages: Vec<&str> = interfaces.map(|interface| interface.package).collect();
        row(
            wanted.about().name,
            &packages,
            &|source| matches!(source, Source::Peer { library, .. } if *library == wanted),
        )
    });
    openssl.into_iter().chain(peers).collect()
}

fn listed(description: &Description) -> Listed {
    let Description {
        id,
        origin,
        version,
        goes_by,
        build: _,
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
        goes_by,
        unavailable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: Source, implementations: std::result::Result<Vec<Description>, String>) -> Found {
        Found {
            source,
            implementations,
        }
    }

    #[test]
    fn a_library_is_missed_where_no_version_of_it_is_there() {
        let libcrypto = |soname: &str| Source::System(soname.to_owned());
        let none = || found(libcrypto("libcrypto.so.4"), Ok(Vec::new()));
        let ids = |found: &[Found]| -> Vec<String> { absent(found).into_iter().map(|row| row.id).collect() };
        assert_eq!(ids(&[none(), none()]), ["openssl"]);
        // One that is there and cannot be loaded is reported as that.
        let broken = || Err("broken".to_owned());
        assert!(ids(&[none(), found(libcrypto("libcrypto.so.3"), broken())]).is_empty());

        let botans: Vec<Source> = PeerLibrary::Botan.sources().collect();
        assert!(botans.len() > 1);
        let none = || botans.iter().map(|botan| found(botan.clone(), Ok(Vec::new())));
        let rows = absent(&none().collect::<Vec<_>>());
        assert_eq!(rows.len(), 1);
        let why = rows[0].unavailable.as_deref().unwrap();
        assert!(
            why.contains("libbotan-3-7") && why.contains("libbotan-2-19"),
            "{why}"
        );
        let one = found(botans[0].clone(), broken());
        assert!(ids(&none().skip(1).chain([one]).collect::<Vec<_>>()).is_empty());
        // Nobody asked for any.
        assert!(ids(&[]).is_empty());
    }
}
