//! An implementation that is wrong and claims the opposite.
#![cfg(feature = "broken")]
mod common;

use assert_cmd::assert::OutputAssertExt;
use ciphertune_results::{Run, Status};
use common::*;

#[test]
fn is_shown_as_failed_with_its_case_and_neither_timed_nor_chosen() {
    let home = home();
    let path = home.path().join("run.jsonl");
    let assert = quick_speed(&home, &["--output", path.to_str().unwrap()])
        .env("CIPHERTUNE_BROKEN", "1")
        .assert()
        .code(1);
    assert_eq!(
        line(&assert, "ciphertune/broken"),
        "ciphertune: ciphertune/broken failed on AES-128-CTR; the results say how, and do not use it"
    );
    let shown = stdout(&assert);
    let case = shown
        .lines()
        .find(|line| line.starts_with("FAILED: ciphertune/broken at 16 B, 1350 B: "));
    // Its counter does not carry out of the low 32 bits.
    assert!(
        case.is_some_and(|case| case.contains("AES-128-CTR") && case.contains("byte ")),
        "{shown}"
    );
    let row = shown
        .lines()
        .find(|line| line.starts_with("ciphertune/broken "))
        .unwrap();
    assert_eq!(row.matches("FAILED").count(), 2, "{row}");

    let run = Run::read(&path).unwrap();
    let broken: Vec<_> = run
        .cells
        .iter()
        .filter(|cell| cell.implementation == "ciphertune/broken")
        .collect();
    assert_eq!(broken.len(), 2);
    for cell in broken {
        assert_eq!(
            (cell.status, cell.figures.is_some(), cell.chosen),
            (Status::Failed, false, false)
        );
    }
    assert_eq!(run.cells.iter().filter(|cell| cell.chosen).count(), 2);
}
