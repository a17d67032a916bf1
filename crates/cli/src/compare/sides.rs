//! Run files and folders of them.
use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
};

use ciphertune_results::{Run, compare::Named};

use crate::{Result, Usage, repeats, stdin};

/// Reads all that is named, and calls each by what tells it from the others most shortly.
pub fn read(paths: &[PathBuf]) -> Result<Vec<Named>> {
    if paths.iter().filter(|path| stdin::is_meant(path)).count() > 1 {
        return Err(Usage::error(
            "standard input, -, is one run; name a file for the other".to_owned(),
        ));
    }
    let last = |path: &Path| path.file_name().map_or(path.into(), PathBuf::from);
    let distinct: HashSet<PathBuf> = paths.iter().map(|path| last(path)).collect();
    let is_short = distinct.len() == paths.len();
    let sides = paths
        .iter()
        .map(|path| {
            let shown = if is_short { last(path) } else { path.clone() };
            let is_input = stdin::is_meant(path);
            let name = match is_input {
                true => "standard input".to_owned(),
                false => name_of(&shown),
            };
            let (files, runs) = match path.is_dir() && !is_input {
                true => of_folder(path)?,
                false => (vec![path.clone()], vec![Run::read(stdin::place(path))?]),
            };
            Ok((files, Named { name, runs }))
        })
        .collect::<Result<Vec<(Vec<PathBuf>, Named)>>>()?;
    // By whatever paths, and on whichever sides: what both have says nothing of how they differ.
    let all = sides
        .iter()
        .flat_map(|(files, side)| files.iter().zip(&side.runs));
    let all: Vec<(&PathBuf, &Run)> = all.collect();
    for (n, (file, run)) in all.iter().enumerate() {
        if let Some((same, _)) = all[..n].iter().find(|(_, before)| before == run) {
            return Err(format!(
                "'{}' and '{}' are one run twice; leave it out of one side, or name another to compare with",
                same.display(),
                file.display()
            )
            .into());
        }
    }
    Ok(sides.into_iter().map(|(_, side)| side).collect())
}

/// With what is no UTF-8 in it told as bytes: it would be one sign whatever it is, by which nobody tells names apart.
fn name_of(path: &Path) -> String {
    match path.to_str() {
        Some(name) => name.to_owned(),
        None => format!("{path:?}").trim_matches('"').to_owned(),
    }
}

/// The runs of a folder, which have to be of one machine and one program, and each another one.
fn of_folder(folder: &Path) -> Result<(Vec<PathBuf>, Vec<Run>)> {
    let shown = folder.display();
    let files = files(folder).map_err(|error| format!("cannot read the folder '{shown}': {error}"))?;
    let runs = files.iter().map(|file| Run::read(file));
    let runs: Vec<Run> = runs.collect::<std::result::Result<_, _>>()?;
    repeats::expect(&files, &runs)
        .map_err(|why| format!("{why}; a folder is for runs that repeat each other"))?;
    if runs.is_empty() {
        return Err(format!("there is no run file (*.jsonl) in the folder '{shown}'").into());
    }
    Ok((files, runs))
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
