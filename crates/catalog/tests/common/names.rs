//! What each library is known to have, in `tests/names`: a name that is found no more vanishes from all tables in silence.
use std::{collections::BTreeMap, env, fmt::Write, fs, path::Path};

use ciphertune_catalog::{Implementation, Operation};

use super::skip;

/// Compares what the library has with the file of its version, or writes that file where `CIPHERTUNE_NAMES` is `write`.
#[track_caller]
pub fn has_kept_its_names(implementation: &dyn Implementation) {
    let id = &implementation.description().id;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/names");
    let file = folder.join(file_name(id));
    let found = found(implementation);
    if env::var("CIPHERTUNE_NAMES").as_deref() == Ok("write") {
        return fs::write(&file, found).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
    let Ok(known) = fs::read_to_string(&file) else {
        return skip(format_args!("what {id} has is not written down; see make names"));
    };
    let only_in = |one: &str, other: &str| -> Vec<String> {
        let lines = one
            .lines()
            .filter(|&line| other.lines().all(|other| other != line));
        lines.map(str::to_owned).collect()
    };
    let (lost, new) = (only_in(&known, &found), only_in(&found, &known));
    assert!(
        lost.is_empty() && new.is_empty(),
        "{id}: lost {lost:?}, new {new:?}; if that is right, make names writes {}",
        file.display()
    );
}

/// `openssl@3.0-default` of `openssl@3.0.19/default`: what a patch release changes is none of its names.
fn file_name(id: &str) -> String {
    let (library, variant) = id.split_once('/').unwrap_or((id, ""));
    let release: Vec<&str> = library.splitn(3, '.').take(2).collect();
    format!("{}-{variant}", release.join("."))
}

/// A line for each algorithm, with its operations.
fn found(implementation: &dyn Implementation) -> String {
    let mut algorithms: BTreeMap<&str, Vec<Operation>> = BTreeMap::new();
    for task in implementation.tasks() {
        let operations = algorithms.entry(task.algorithm.name()).or_default();
        if !operations.contains(&task.operation) {
            operations.push(task.operation);
        }
    }
    algorithms
        .iter()
        .fold(String::new(), |mut lines, (name, operations)| {
            let operations: Vec<&str> = operations.iter().map(|operation| operation.name()).collect();
            let _ = writeln!(lines, "{name} {}", operations.join(" "));
            lines
        })
}
