//! `ciphertune import`
use std::{
    fs::{self, File},
    io,
    os::{fd::AsFd, unix::fs::MetadataExt},
    path::Path,
    process::ExitCode,
};

use ciphertune_report::{
    is_without_message,
    units::{counted, length},
};
use ciphertune_results::{
    Cell, Run, Status,
    import::{Origin, import},
    read_whole,
};

use crate::{
    Result,
    args::{Format, Import, Output},
    output::is_same,
    remark, stdin,
};

pub fn run(args: &Import) -> Result<ExitCode> {
    let mut output = Output {
        format: args.format,
        output: args.output.clone(),
        ..Output::default()
    };
    output.check(&[])?;
    if args.output.as_deref().is_some_and(|to| replaces(&args.file, to)) {
        let file = match stdin::is_meant(&args.file) {
            true => "the file on standard input".to_owned(),
            false => format!("'{}' itself", args.file.display()),
        };
        return Err(format!("--output is {file}, which it would replace; name another file").into());
    }
    // Only what was asked for gets in the way of --output -.
    output.format.get_or_insert(Format::Classic);
    let text = read(&args.file)?;
    let run = import(
        &text,
        Origin {
            file: name(&args.file),
            date: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            ciphertune: env!("CARGO_PKG_VERSION").to_owned(),
            machine: args.machine.clone(),
            implementation: args.implementation.clone(),
            decrypt: args.decrypt,
        },
    )?;
    output.keep(&run)?;
    output.show(&run, &[], &[])?;
    skipped(&run).iter().for_each(|note| remark(note));
    if args.output.is_none() {
        remark("nothing is kept without --output");
    }
    Ok(ExitCode::SUCCESS)
}

/// How many figures are not there, and where the first is.
fn skipped(run: &Run) -> Option<String> {
    let is_skipped = |cell: &&Cell| cell.status == Status::Skipped;
    let first = run.cells.iter().find(is_skipped)?;
    let all = run.cells.iter().filter(is_skipped).count();
    let what = match is_without_message(&first.algorithm, &first.operation) {
        true => first.operation.clone(),
        false => format!("at {}", length(first.length)),
    };
    Some(format!(
        "{} left out, the first of {} {what}: {}",
        counted(all, "figure"),
        first.algorithm,
        first.reason.as_deref().unwrap_or_default()
    ))
}

/// Other tools' texts are of any age: what is no text in them is no figure.
fn read(file: &Path) -> Result<String> {
    let bytes = match stdin::is_meant(file) {
        true => read_whole(io::stdin().lock()),
        false => File::open(file).and_then(read_whole),
    };
    let bytes = bytes.map_err(|error| {
        let remedy = match error.kind() {
            io::ErrorKind::NotFound => "; name a file that is there",
            io::ErrorKind::IsADirectory => "; name a file in it",
            _ => "",
        };
        format!("cannot read '{}': {error}{remedy}", file.display())
    })?;
    Ok(decoded(&bytes))
}

/// UTF-16 tells itself by its byte order mark, which Windows PowerShell puts where it writes what a program prints.
fn decoded(bytes: &[u8]) -> String {
    let utf_16 = |unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes
            .chunks_exact(2)
            .map(|pair| unit([pair[0], pair[1]]))
            .collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xff, 0xfe, ..] => utf_16(u16::from_le_bytes),
        [0xfe, 0xff, ..] => utf_16(u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn name(file: &Path) -> String {
    if stdin::is_meant(file) {
        return "standard input".to_owned();
    }
    let name = file.file_name().unwrap_or(file.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Whether a run in that place would take that of what is imported.
fn replaces(file: &Path, other: &Path) -> bool {
    match stdin::is_meant(file) {
        true => is_on_stdin(other).unwrap_or(false),
        false => is_same(file, other),
    }
}

/// Whether it is the file that standard input comes from. A terminal or a pipe loses nothing.
fn is_on_stdin(other: &Path) -> io::Result<bool> {
    let read = File::from(io::stdin().as_fd().try_clone_to_owned()?).metadata()?;
    let place = |file: &fs::Metadata| (file.dev(), file.ino());
    Ok(read.is_file() && place(&fs::metadata(other)?) == place(&read))
}

#[cfg(test)]
mod tests {
    use ciphertune_catalog::{Algorithm, Task};
    use ciphertune_report as report;

    use super::*;
    use crate::fixture::{cell, run};

    /// Everything that is measured, by two implementations, through the program's own output and back.
    #[test]
    fn what_speed_prints_is_read_again() {
        let tasks: Vec<Task> = Algorithm::all().flat_map(Task::all).collect();
        let cells = tasks.iter().flat_map(|task| {
            let algorithm = task.algorithm;
            let lengths: &[u64] = match algorithm.is_public_key() {
                true => &[1],
                // One that has long ones gives the whole table their columns.
                false if algorithm.name() == "AES-128-CTR" => &[16, 1344, 1 << 20, 16 << 20, 1 << 30],
                false => &[1344],
            };
            let ids = ["ciphertune/vaes256", "openssl@3.0.19/default"];
            let places = ids
                .into_iter()
                .flat_map(|id| lengths.iter().map(move |&length| (id, length)));
            places.map(move |(id, length)| Cell {
                operation: task.operation.name().to_owned(),
                contract: task.contract.name().to_owned(),
                ..cell(id, algorithm.name(), length, 250e9)
            })
        });
        let measured = run(cells.collect());
        let read = |print: fn(&Run, &mut dyn io::Write) -> io::Result<()>| {
            let mut text = Vec::new();
            print(&measured, &mut text).unwrap();
            let origin = Origin {
                file: String::new(),
                date: String::new(),
                ciphertune: String::new(),
                machine: None,
                implementation: None,
                decrypt: false,
            };
            import(&String::from_utf8(text).unwrap(), origin).unwrap().cells
        };
        let (classic, mr) = (read(report::classic), read(report::mr));
        let left_out = report::left_out_of_mr(&measured);
        assert_eq!(left_out, ["ML-DSA-65", "ML-KEM-768"]);
        let place = |cell: &Cell| {
            let one = cell.clone();
            (
                one.algorithm,
                one.operation,
                one.contract,
                one.length,
                one.implementation,
            )
        };
        // A contract that an algorithm has alone is not told.
        let told = |cell: &Cell| {
            let mut cells = measured.cells.iter();
            match cells.any(|other| other.algorithm == cell.algorithm && other.contract != cell.contract) {
                true => cell.clone(),
                false => Cell {
                    contract: "ciphertune-speed/1".to_owned(),
                    ..cell.clone()
                },
            }
        };
        for cell in &measured.cells {
            let is_in = |cells: &[Cell]| cells.iter().any(|other| place(other) == place(&told(cell)));
            assert!(is_in(&classic), "{cell:?}");
            assert_eq!(is_in(&mr), !left_out.contains(&cell.algorithm), "{cell:?}");
        }
        assert_eq!(classic.len(), measured.cells.len());
    }
}
