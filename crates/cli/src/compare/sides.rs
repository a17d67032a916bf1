//! Run files and folders of them.
use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
};

use ciphertune_results::{Machine, Run, compare::Named};

use crate::Result;

/// Reads all that is named, and calls each by what tells it from the others most shortly.
pub fn read(paths: &[PathBuf]) -> Result<Vec<Named>> {
    let last = |path: &Path| path.file_name().map_or(path.into(), PathBuf::from);
    let distinct: HashSet<PathBuf> = paths.iter().map(|path| last(path)).collect();
    let is_short = distinct.len() == paths.len();
    paths
        .iter()
        .map(|path| {
            if path == Path::new("-") {
                return Ok(Named {
                    name: "standard input".to_owned(),
                    runs: vec![Run::read(Path::new("/dev/stdin"))?],
                });
            }
            let shown = if is_short { last(path) } else { path.clone() };
            let runs = if path.is_dir() {
                repeats(path)?
            } else {
                vec![Run::read(path)?]
            };
            Ok(Named {
                name: shown.display().to_string(),
                runs,
            })
        })
        .collect()
}

/// The runs of a folder, which have to be of one machine and one program, and each another one.
fn repeats(folder: &Path) -> Result<Vec<Run>> {
    let shown = folder.display();
    let files = files(folder).map_err(|error| format!("cannot read the folder '{shown}': {error}"))?;
    let mut runs: Vec<Run> = Vec::new();
    for file in &files {
        let run = Run::read(file)?;
        let mut known = files.iter().zip(&runs);
        if let Some((other, reason)) = known.find_map(|(other, known)| Some((other, refusal(known, &run)?))) {
            return Err(format!(
                "'{}' and '{}' {reason}; a folder is for runs that repeat each other",
                other.display(),
                file.display()
            )
            .into());
        }
        runs.push(run);
    }
    if runs.is_empty() {
        return Err(format!("there is no run file (*.jsonl) in the folder '{shown}'").into());
    }
    Ok(runs)
}

fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|name| name == "jsonl") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Why two runs do not repeat each other.
fn refusal(one: &Run, other: &Run) -> Option<&'static str> {
    if one == other {
        Some("are one run twice")
    } else if origin(&one.machine) != origin(&other.machine) {
        Some("are of different machines, or by different versions of what measured")
    } else {
        None
    }
}

/// What all runs that repeat each other have in common.
fn origin(machine: &Machine) -> impl PartialEq {
    let Machine {
        ciphertune,
        imported,
        cpu,
        cpu_signature,
        ..
    } = machine;
    let tool = imported.as_ref().map(|from| (&from.tool, &from.version));
    (ciphertune, tool, cpu, cpu_signature)
}
