//! A session's choices, in the library's own words.
use ciphertune::{
    Implementation, LengthClass,
    wisdom::{Choice, Rates},
};
use ciphertune_catalog::Task;
use ciphertune_measure::{self as measure, Outcome};
use ciphertune_results::{Cell, Figures};

/// What wisdom keeps of a session.
pub fn of(outcome: &Outcome) -> Vec<Choice> {
    outcome
        .choices
        .iter()
        .filter_map(|choice| translated(outcome, choice))
        .collect()
}

fn translated(outcome: &Outcome, choice: &measure::Choice) -> Option<Choice> {
    let cell = cells(outcome, choice).find(|cell| cell.chosen)?;
    let rates = choice.figures.bytes_per_second;
    let runner_up = choice
        .runner_up
        .as_deref()
        .and_then(|id| Some((ours(id)?, figures(outcome, choice, id)?.bytes_per_second.median)));
    Some(Choice {
        algorithm: cell.algorithm.clone(),
        operation: cell.operation.clone(),
        contract: cell.contract.clone(),
        class: LengthClass::of(choice.length),
        implementation: ours(&choice.chosen)?,
        bytes_per_second: Rates {
            low: rates.low,
            median: rates.median,
            high: rates.high,
        },
        runner_up,
    })
}

/// The figures of another implementation where this choice was made.
pub fn figures<'a>(outcome: &'a Outcome, choice: &measure::Choice, id: &str) -> Option<&'a Figures> {
    let cell = cells(outcome, choice).find(|cell| cell.implementation == id)?;
    cell.figures.as_ref()
}

/// Everyone where this choice was made.
fn cells<'a>(outcome: &'a Outcome, choice: &measure::Choice) -> impl Iterator<Item = &'a Cell> {
    let Task {
        algorithm,
        operation,
        contract,
    } = choice.task;
    let place = (
        algorithm.name(),
        operation.name(),
        contract.name(),
        choice.aad as u64,
        choice.length as u64,
    );
    let place_of = |cell: &'a Cell| {
        (
            &*cell.algorithm,
            &*cell.operation,
            &*cell.contract,
            cell.aad,
            cell.length,
        )
    };
    outcome
        .run
        .cells
        .iter()
        .filter(move |cell| place_of(cell) == place)
}

/// The library's implementation of this id.
pub fn ours(id: &str) -> Option<Implementation> {
    Implementation::named(id.strip_prefix("ciphertune/")?)
}
