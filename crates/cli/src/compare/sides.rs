//! Run files and folders of them.
use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
};

use ciphertune_results::{Run, compare::Named};

use crate::{Result, repeats};

/// Reads all that is named, and calls each by what tells it from the others most shortly.
pub fn read(paths: &[PathBuf]) -> Result<Vec<Named>> {
    let last = |path: &Path| path.file_name().map_or(path.into(), PathBuf::from);
    let distinct: HashSet<PathBuf> = paths.iter().map(|path| last(path)).collect();
    let is_short = distinct.len() == paths.len();
    let sides = paths
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
                of_folder(path)?
            } else {
                vec![Run::read(path)?]
            };
            Ok(Named {
                name: shown.display().to_string(),
                runs,
            })
        })
        .collect::<Result<Vec<Named>>>()?;
    // By whatever paths.
    for (n, side) in sides.iter().enumerate() {
        if let Some(same) = (0..n).find(|&before| sides[before].runs == side.runs) {
            let runs = match side.runs.len() {
                1 => "one run",
                _ => "the same runs",
            };
            return Err(format!(
                "'{}' and '{}' are {runs} twice; name another to compare with",
                paths[same].display(),
                paths[n].display()
            )
            .into());
        }
    }
    Ok(sides)
}

/// The runs of a folder, which have to be of one machine and one program, and each another one.
fn of_folder(folder: &Path) -> Result<Vec<Run>> {
    let shown = folder.display();
    let files = files(folder).map_err(|error| format!("cannot read the folder '{shown}': {error}"))?;
    let runs = files.iter().map(|file| Run::read(file));
    let runs: Vec<Run> = runs.collect::<std::result::Result<_, _>>()?;
    repeats::expect(&files, &runs)
        .map_err(|why| format!("{why}; a folder is for runs that repeat each other"))?;
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
