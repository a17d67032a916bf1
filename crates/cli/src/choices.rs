//! A session's choices, in the library's own words.
use ciphertune::{
    Implementation, LengthClass,
    wisdom::{Choice, MANY, Rates},
};
use ciphertune_catalog::Task;
use ciphertune_measure::{self as measure, Outcome};
use ciphertune_results::{Cell, Figures};

use crate::classes;

/// What wisdom keeps of a session, and a sentence where that is not what was fastest: one plan serves all lengths of a task
/// with one key, so all that it has must take that in one layout.
pub fn of(outcome: &Outcome) -> (Vec<Choice>, Vec<String>) {
    let (mut choices, mut sentences) = (Vec::new(), Vec::new());
    for of_task in outcome.choices.chunk_by(|a, b| a.task == b.task) {
        let fastest: Vec<Choice> = of_task
            .iter()
            .filter_map(|choice| translated(outcome, choice))
            .collect();
        // The library goes by choices for all lengths or by none, which would only take the place of what was found before.
        if fastest.len() < LengthClass::COUNT {
            continue;
        }
        let Some((one, other)) = mixed(&fastest) else {
            choices.extend(fastest);
            continue;
        };
        let of_layouts = [one, other].map(|layout| of_layout(outcome, of_task, layout));
        let best = of_layouts
            .into_iter()
            .flatten()
            .max_by(|a, b| mean_rate(a).total_cmp(&mean_rate(b)));
        let kept = best.unwrap_or_default();
        sentences.push(told(one, other, &kept));
        choices.extend(kept);
    }
    (choices, sentences)
}

/// Two of the choices that one plan cannot have both.
fn mixed(choices: &[Choice]) -> Option<(&Choice, &Choice)> {
    let one = choices.first()?;
    let other = choices
        .iter()
        .find(|other| !one.goes_with(other.implementation))?;
    Some((one, other))
}

/// The fastest of those that go with `one`, if there are such for every length.
fn of_layout(outcome: &Outcome, of_task: &[measure::Choice], one: &Choice) -> Option<Vec<Choice>> {
    let choice = |choice: &measure::Choice| {
        let chosen = translated(outcome, choice)?;
        let mut fitting: Vec<(Implementation, Rates)> = cells(outcome, choice)
            .filter(|cell| cell.selectable)
            .filter_map(|cell| Some((ours(&cell.implementation)?, rates(cell.figures.as_ref()?))))
            .filter(|(implementation, _)| one.goes_with(*implementation))
            .collect();
        // What was chosen stays first, though another may be faster by no more than the run could tell.
        fitting.sort_by(|a, b| {
            let is_other = |it: &(Implementation, Rates)| it.0 != chosen.implementation;
            let faster = b.1.median.total_cmp(&a.1.median);
            is_other(a).cmp(&is_other(b)).then(faster)
        });
        let mut fitting = fitting.into_iter();
        let (implementation, bytes_per_second) = fitting.next()?;
        Some(Choice {
            implementation,
            bytes_per_second,
            runner_up: fitting.next().map(|(name, rates)| (name, rates.median)),
            ..chosen
        })
    };
    of_task.iter().map(choice).collect()
}

/// Of all lengths alike: the geometric mean, or rather its logarithm.
fn mean_rate(choices: &[Choice]) -> f64 {
    let logs = choices.iter().map(|choice| choice.bytes_per_second.median.ln());
    logs.sum::<f64>() / choices.len() as f64
}

fn told(one: &Choice, other: &Choice, kept: &[Choice]) -> String {
    let then = match kept {
        [] => "nothing is chosen".to_owned(),
        kept => {
            let kept = kept.iter().map(|choice| (choice.class, choice.implementation));
            format!("wisdom has the best that share one: {}", classes::sentence(kept))
        }
    };
    let [algorithm, operation, contract] = one.task();
    let at_once = if contract == MANY { ", many at once" } else { "" };
    format!(
        "{algorithm} {operation}{at_once}: {} and {} take the key in different layouts, and one key serves all lengths, so \
         {then}",
        one.implementation.name(),
        other.implementation.name()
    )
}

fn rates(figures: &Figures) -> Rates {
    let rates = figures.bytes_per_second;
    Rates {
        low: rates.low,
        median: rates.median,
        high: rates.high,
    }
}

fn translated(outcome: &Outcome, choice: &measure::Choice) -> Option<Choice> {
    let cell = cells(outcome, choice).find(|cell| cell.chosen)?;
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
        bytes_per_second: rates(&choice.figures),
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

#[cfg(test)]
mod tests {
    use ciphertune::wisdom::{Tuning, Wisdom};
    use ciphertune_results::{Interval, Machine, Run};

    use super::*;

    /// The implementations of this processor by AES instructions, where it has such.
    fn by_hardware() -> Option<&'static str> {
        let available = |name: &&str| Implementation::named(name).is_some_and(Implementation::is_available);
        ["aesni", "armv8"].into_iter().find(available)
    }

    fn figures(rate: f64) -> Figures {
        Figures {
            bytes_per_second: Interval::point(rate),
            ..Figures::point(rate)
        }
    }

    /// Of AES-128-CTR, with the rates of each implementation at each length, 0 where it has none.
    fn outcome(measured: &[(&str, [f64; LengthClass::COUNT])]) -> Outcome {
        let task = Task::usual("AES-128-CTR".parse().unwrap());
        let (mut choices, mut cells) = (Vec::new(), Vec::new());
        for (n, class) in LengthClass::all().enumerate() {
            let mut here: Vec<(String, f64)> = measured
                .iter()
                .map(|(name, rates)| (format!("ciphertune/{name}"), rates[n]))
                .filter(|(_, rate)| *rate > 0.0)
                .collect();
            here.sort_by(|a, b| b.1.total_cmp(&a.1));
            cells.extend(here.iter().enumerate().map(|(place, (id, rate))| Cell {
                figures: Some(figures(*rate)),
                selectable: true,
                chosen: place == 0,
                ..Cell::new(id, "AES-128-CTR", "encrypt", "stream/1", class.measured() as u64)
            }));
            choices.push(measure::Choice {
                task,
                aad: 0,
                length: class.measured(),
                chosen: here[0].0.clone(),
                figures: figures(here[0].1),
                runner_up: here.get(1).map(|(id, _)| id.clone()),
                margin: None,
                over_default: None,
                tie: false,
            });
        }
        let machine = Machine::new("AMD EPYC".to_owned(), "0.1.0".to_owned(), "2026-01-02".to_owned());
        Outcome {
            choices,
            gains: Vec::new(),
            run: Run {
                machine,
                bounds: Vec::new(),
                cells,
            },
            floor: 0.02,
            found: Vec::new(),
            notes: Vec::new(),
            noise: Vec::new(),
        }
    }

    fn chosen(outcome: &Outcome) -> (Vec<&'static str>, Vec<String>) {
        let (choices, sentences) = of(outcome);
        let names = choices
            .iter()
            .map(|choice| choice.implementation.name())
            .collect();
        let tuning = Tuning {
            made: "2026-01-02".to_owned(),
            patience: "measure".to_owned(),
            choices,
            help: Vec::new(),
        };
        let path = tempfile::tempdir().unwrap().path().join("wisdom");
        let wisdom = Wisdom::new(vec![tuning]);
        wisdom.write(&path).unwrap();
        assert_eq!(Wisdom::read(&path).unwrap(), wisdom);
        (names, sentences)
    }

    #[test]
    fn what_no_key_serves_together_is_not_chosen_together() {
        let Some(hardware) = by_hardware() else { return };
        let fast_at = |at: usize, by: f64| {
            let mut rates = [1e9; LengthClass::COUNT];
            rates[at] *= by;
            rates
        };
        // A little at one length, much at another.
        let (names, sentences) = chosen(&outcome(&[
            ("portable", fast_at(0, 1.5)),
            (hardware, [1.1e9; LengthClass::COUNT]),
        ]));
        assert_eq!(names, [hardware; LengthClass::COUNT]);
        let expected = format!(
            "AES-128-CTR encrypt: portable and {hardware} take the key in different layouts, and one key serves all \
             lengths, so wisdom has the best that share one: {hardware} for all messages"
        );
        assert_eq!(sentences, [expected]);
        let (names, _) = chosen(&outcome(&[
            ("portable", fast_at(3, 9.0)),
            (hardware, [1.1e9; LengthClass::COUNT]),
        ]));
        assert_eq!(names, ["portable"; LengthClass::COUNT]);
    }

    #[test]
    fn a_layout_without_a_figure_for_some_length_is_none() {
        let Some(hardware) = by_hardware() else { return };
        let but = |at: usize, rate: f64| {
            let mut rates = [rate; LengthClass::COUNT];
            rates[at] = 0.0;
            rates
        };
        let (names, _) = chosen(&outcome(&[
            ("portable", [1e9; LengthClass::COUNT]),
            (hardware, but(2, 9e9)),
        ]));
        assert_eq!(names, ["portable"; LengthClass::COUNT]);
        let (choices, sentences) = of(&outcome(&[("portable", but(1, 1e9)), (hardware, but(2, 9e9))]));
        assert_eq!(choices, []);
        assert!(sentences[0].ends_with(", so nothing is chosen"), "{sentences:?}");
    }

    /// As where other work disturbed each call of the longest messages.
    #[test]
    fn a_task_without_a_figure_for_some_length_is_not_chosen_for() {
        let mut found = outcome(&[("portable", [1e9; LengthClass::COUNT])]);
        assert_eq!(of(&found).0.len(), LengthClass::COUNT);
        found.choices.pop();
        assert_eq!(of(&found), (Vec::new(), Vec::new()));
    }

    #[test]
    fn what_shares_a_layout_stays_as_it_was_measured() {
        let (names, sentences) = chosen(&outcome(&[("portable", [1e9; LengthClass::COUNT])]));
        assert_eq!((names.len(), sentences.len()), (LengthClass::COUNT, 0));
        let found = outcome(&[("portable", [1e9; LengthClass::COUNT])]);
        let (choices, _) = of(&found);
        assert_eq!(choices[0].bytes_per_second.median, 1e9);
        assert_eq!(choices[0].runner_up, None);
    }
}
