//! `ciphertune import`
use std::{fs, io, path::Path, process::ExitCode};

use ciphertune_results::import::{Origin, import};

use crate::{
    Result,
    args::{Import, Output},
    remark,
};

pub fn run(args: &Import) -> Result<ExitCode> {
    let output = Output {
        format: args.format,
        intervals: false,
        shares: false,
        costs: false,
        fit: false,
        output: args.output.clone(),
    };
    output.check()?;
    let text = read(&args.file)?;
    let run = import(
        &text,
        Origin {
            file: name(&args.file),
            date: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            ciphertune: env!("CARGO_PKG_VERSION").to_owned(),
            machine: args.machine.clone(),
            implementation: args.implementation.clone(),
        },
    )?;
    output.keep(&run)?;
    output.show(&run, &[], &[])?;
    if args.output.is_none() {
        remark("nothing is kept without --output");
    }
    Ok(ExitCode::SUCCESS)
}

/// Other tools' texts are of any age: what is not UTF-8 in them is no figure.
fn read(file: &Path) -> Result<String> {
    let bytes = if is_stdin(file) {
        let mut bytes = Vec::new();
        io::Read::read_to_end(&mut io::stdin().lock(), &mut bytes).map(|_| bytes)
    } else {
        fs::read(file)
    };
    let bytes = bytes.map_err(|error| format!("cannot read '{}': {error}", file.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn name(file: &Path) -> String {
    if is_stdin(file) {
        return "standard input".to_owned();
    }
    let name = file.file_name().unwrap_or(file.as_os_str());
    name.to_string_lossy().into_owned()
}

fn is_stdin(file: &Path) -> bool {
    file == Path::new("-")
}
