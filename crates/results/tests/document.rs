//! `docs/run-format.md` describes what this crate writes, whole and no more.
mod common;

use std::collections::BTreeSet;

use ciphertune_results::{Cell, Line, Run, Status};
use serde_json::Value;

const DOCUMENT: &str = include_str!("../../../docs/run-format.md");

#[test]
fn its_examples_are_a_run() {
    let examples: Vec<&str> = DOCUMENT
        .split("```json\n")
        .skip(1)
        .map(|rest| rest.split_once("```").unwrap().0)
        .collect();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.jsonl");
    std::fs::write(&path, examples.concat()).unwrap();

    let run = Run::read(&path).unwrap();
    assert_eq!(run.bounds.len(), 2);
    let statuses: Vec<_> = run.cells.iter().map(|cell| cell.status).collect();
    assert_eq!(statuses, [Status::Ok, Status::Failed, Status::Skipped]);
}

#[test]
fn it_names_every_field_and_no_other() {
    let run = common::run();
    let mut lines = vec![Line::Machine(run.machine), Line::Bound(run.bounds[0].clone())];
    lines.extend(run.cells.into_iter().map(Line::Cell));
    let written: BTreeSet<String> = lines
        .iter()
        .flat_map(|line| fields(&serde_json::to_value(line).unwrap()))
        .collect();

    // The first column of its tables.
    let described: BTreeSet<String> = DOCUMENT
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(field, _)| field.to_owned())
        .collect();
    assert_eq!(described, written);
}

#[test]
fn what_it_calls_optional_may_be_null() {
    let optional: Vec<&str> = DOCUMENT
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` | "))
        .filter(|(_, rest)| rest.split(" | ").next().unwrap().ends_with("optional"))
        .map(|(field, _)| field)
        // A bound's is and a cell's is not; those of an interval are, and of `spread` not.
        .filter(|field| !["length", "low", "high"].contains(field))
        .collect();
    assert!(optional.contains(&"rounds"), "{optional:?}");
    let run = common::run();
    let mut lines = vec![Line::Machine(run.machine), Line::Bound(run.bounds[0].clone())];
    lines.extend(run.cells.into_iter().map(Line::Cell));
    let path = tempfile::NamedTempFile::new().unwrap();
    for field in optional {
        let without = lines.iter().map(|line| {
            let mut line = serde_json::to_value(line).unwrap();
            set_null(&mut line, field);
            line.to_string() + "\n"
        });
        std::fs::write(&path, without.collect::<String>()).unwrap();
        let read = Run::read(path.path());
        assert!(read.is_ok(), "{field}: {}", read.unwrap_err());
    }
}

/// Wherever it is.
fn set_null(value: &mut Value, field: &str) {
    match value {
        Value::Object(object) => {
            for (name, inner) in object {
                match name == field {
                    true => *inner = Value::Null,
                    false => set_null(inner, field),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|inner| set_null(inner, field)),
        _ => {}
    }
}

fn fields(value: &Value) -> BTreeSet<String> {
    match value {
        Value::Object(object) => {
            let inner = object.values().flat_map(fields);
            object.keys().cloned().chain(inner).collect()
        }
        Value::Array(list) => list.iter().flat_map(fields).collect(),
        _ => BTreeSet::new(),
    }
}

#[test]
fn a_cell_line_is_flat() {
    let line = serde_json::to_value(Line::Cell(common::ok())).unwrap();
    assert_eq!(line["kind"], "cell");
    assert_eq!(line["status"], "ok");
    assert_eq!(line["bytes_per_second"]["median"], 50.2e9);
    assert_eq!(line["cycles_per_byte"], 0.0857);

    let without: Cell = common::failed();
    let line = serde_json::to_value(Line::Cell(without)).unwrap();
    assert_eq!(line["status"], "failed");
    assert_eq!(line.get("bytes_per_second"), None);
    assert_eq!(line.get("figures"), None);
}
