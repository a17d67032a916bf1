//! `docs/run-format.md` describes what this crate writes, whole and no more.
mod common;

use std::collections::{BTreeMap, BTreeSet};

use ciphertune_results::{Cell, Line, Run, Status};
use serde_json::{Value, json};

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
fn each_of_its_tables_names_every_field_there_and_no_other() {
    let mut described: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut heading = "";
    for line in DOCUMENT.lines() {
        if line.starts_with('#') {
            heading = line.trim_start_matches(['#', ' ']);
        } else if let Some((field, _)) = line.strip_prefix("| `").and_then(|row| row.split_once('`')) {
            described.entry(heading).or_default().insert(field);
        }
    }

    let run = common::run();
    // `kind` is described with the first line alone.
    let machine = json!(Line::Machine(run.machine));
    let (bound, ok, failed) = (json!(run.bounds[0]), json!(run.cells[0]), json!(run.cells[1]));
    let written = BTreeMap::from([
        ("Machine", fields([&machine])),
        ("Libraries", fields([&machine["libraries"][0]])),
        ("Bound", fields([&bound])),
        ("Cell", fields([&ok, &failed])),
        ("Intervals", fields([&ok["bytes_per_second"], &ok["spread"]])),
        ("Imported runs", fields([&machine["imported"]])),
    ]);
    assert_eq!(described, written);
}

/// Of either object.
fn fields<'a>(objects: impl IntoIterator<Item = &'a Value>) -> BTreeSet<&'a str> {
    let objects = objects.into_iter().flat_map(|object| object.as_object().unwrap());
    objects.map(|(field, _)| &**field).collect()
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
