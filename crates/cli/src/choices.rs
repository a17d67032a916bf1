//! A session's choices, in the library's own words.
use ciphertune::{
    Implementation, LengthClass,
    wisdom::{Choice, Rates},
};
use ciphertune_measure::{self as measure, Outcome};
use ciphertune_results::Figures;

/// What wisdom keeps of a session.
pub fn of(outcome: &Outcome) -> Vec<Choice> {
    outcome
        .choices
        .iter()
        .filter_map(|choice| translated(outcome, choice))
        .collect()
}

fn translated(outcome: &Outcome, choice: &measure::Choice) -> Option<Choice> {
    let cell = outcome.run.cells.iter().find(|cell| {
        cell.chosen && cell.algorithm == choice.algorithm.name() && cell.length == choice.length as u64
    })?;
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
    let place = (choice.algorithm.name(), choice.length as u64, id);
    let mut cells = outcome.run.cells.iter();
    let cell = cells.find(|cell| (&*cell.algorithm, cell.length, &*cell.implementation) == place)?;
    cell.figures.as_ref()
}

/// The library's implementation of this id.
pub fn ours(id: &str) -> Option<Implementation> {
    Implementation::named(id.strip_prefix("ciphertune/")?)
}
