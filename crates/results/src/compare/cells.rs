//! Which cells belong together.
use std::borrow::Cow;

use super::{By, LeftOut, Named, Terms};
use crate::{Cell, Figures, Run, Status};

/// A file, or an implementation in a file.
pub(super) struct Side<'a> {
    pub(super) name: String,
    pub(super) run: &'a Run,
    implementation: Option<&'a str>,
}

impl<'a> Side<'a> {
    fn cells(&self) -> impl Iterator<Item = &'a Cell> + Clone {
        let own = self.implementation;
        let cells = self.run.cells.iter();
        cells.filter(move |cell| own.is_none_or(|own| cell.implementation == own))
    }

    /// What its run could not tell apart, as a logarithm.
    pub(super) fn floor(&self) -> f64 {
        self.run.machine.noise_floor.unwrap_or(0.0).ln_1p()
    }
}

/// Everyone there is, in the order of the files. An implementation without any figure is nobody.
pub(super) fn sides(runs: &[Named], by: By) -> Vec<Side<'_>> {
    let mut sides = Vec::new();
    for Named { name, run } in runs {
        if by == By::File {
            sides.push(Side {
                name: name.clone(),
                run,
                implementation: None,
            });
            continue;
        }
        let mut ids: Vec<&str> = Vec::new();
        for cell in run.cells.iter().filter(|cell| cell.figures.is_some()) {
            if !ids.contains(&&*cell.implementation) {
                ids.push(&cell.implementation);
            }
        }
        let has = |run: &Run, id: &str| run.cells.iter().any(|cell| cell.implementation == id);
        for id in ids {
            let elsewhere = runs.iter().filter(|other| has(&other.run, id)).count() > 1;
            sides.push(Side {
                name: if elsewhere {
                    format!("{id} in {name}")
                } else {
                    id.to_owned()
                },
                run,
                implementation: Some(id),
            });
        }
    }
    sides
}

/// The same cell on both sides.
pub(super) struct Pair<'a> {
    pub(super) before: &'a Cell,
    pub(super) after: &'a Cell,
    pub(super) before_rates: Rates,
    pub(super) after_rates: Rates,
}

/// A cell's rate, in bytes per second or per cycle, with the ends of its interval and its replicates.
pub(super) struct Rates {
    pub(super) low: f64,
    pub(super) median: f64,
    pub(super) high: f64,
    pub(super) replicates: Vec<f64>,
}

impl Rates {
    /// `None` where they are wanted per cycle and nobody knows how many there were.
    fn of(figures: &Figures, per_cycle: bool) -> Option<Self> {
        let rate = figures.bytes_per_second;
        let hz = if per_cycle {
            rate.median * figures.cycles_per_byte?
        } else {
            1.0
        };
        Some(Self {
            low: rate.low / hz,
            median: rate.median / hz,
            high: rate.high / hz,
            replicates: figures.replicates.iter().map(|rate| rate / hz).collect(),
        })
    }
}

impl<'a> Pair<'a> {
    fn of(before: &'a Cell, after: &'a Cell, per_cycle: bool) -> Option<Self> {
        Some(Self {
            before,
            after,
            before_rates: Rates::of(before.figures.as_ref()?, per_cycle)?,
            after_rates: Rates::of(after.figures.as_ref()?, per_cycle)?,
        })
    }

    /// What the cells of one row have in common.
    pub(super) fn row(&self) -> impl PartialEq {
        let (before, after) = (self.before, self.after);
        (
            (
                &before.algorithm,
                &before.operation,
                before.aad,
                before.threads,
                before.workers,
            ),
            (&before.contract, &after.contract),
            (&before.implementation, &after.implementation),
        )
    }
}

/// The cells that both sides have figures for, in the side's order, and what only one of them has.
pub(super) fn pairs<'a>(
    baseline: &Side<'a>,
    side: &Side<'a>,
    terms: &Terms,
) -> (Vec<Pair<'a>>, Vec<LeftOut>) {
    let matcher = |contract| Matcher {
        by: terms.by,
        contract,
        before: measured(baseline),
        after: measured(side),
    };
    let strict = matcher(!terms.across_contracts);
    let (mut pairs, mut left_out, mut matched) = (Vec::new(), Vec::new(), Vec::new());
    for &after in &strict.after {
        let Some(before) = strict.before_of(after) else {
            let reason = match matcher(false).before_of(after) {
                Some(other) => format!(
                    "its contract is {}, and that of {} {}",
                    after.contract, baseline.name, other.contract
                ),
                None => absent(after, baseline),
            };
            leave_out(&mut left_out, after, reason);
            continue;
        };
        matched.push(before);
        match Pair::of(before, after, terms.per_cycle) {
            Some(pair) => pairs.push(pair),
            None => leave_out(
                &mut left_out,
                after,
                "its core cycles are not known on both sides".into(),
            ),
        }
    }
    for &before in &strict.before {
        let is_matched = || matched.iter().any(|&other| std::ptr::eq(other, before));
        // With another contract it has been named above.
        if !is_matched()
            && !strict
                .after
                .iter()
                .any(|after| is_same(matcher(false).before_of(after), before))
        {
            leave_out(&mut left_out, before, absent(before, side));
        }
    }
    (pairs, left_out)
}

fn is_same(found: Option<&Cell>, cell: &Cell) -> bool {
    found.is_some_and(|found| std::ptr::eq(found, cell))
}

fn measured<'a>(side: &Side<'a>) -> Vec<&'a Cell> {
    side.cells().filter(|cell| cell.figures.is_some()).collect()
}

struct Matcher<'a> {
    by: By,
    /// Whether contracts must be the same.
    contract: bool,
    before: Vec<&'a Cell>,
    after: Vec<&'a Cell>,
}

impl<'a> Matcher<'a> {
    /// The baseline's cell for one of the other side's.
    fn before_of(&self, after: &Cell) -> Option<&'a Cell> {
        let here = |cells: &[&'a Cell]| -> Vec<&'a Cell> {
            let mut here: Vec<&Cell> = cells
                .iter()
                .copied()
                .filter(|cell| self.is_place(cell, after))
                .collect();
            // Where contracts may differ, the same one is still to be preferred.
            if here.iter().any(|cell| cell.contract == after.contract) {
                here.retain(|cell| cell.contract == after.contract);
            }
            here
        };
        let candidates = here(&self.before);
        if self.by == By::Implementation {
            return candidates.first().copied();
        }
        let same = |cell: &&&Cell| cell.implementation == after.implementation;
        if let Some(&same) = candidates.iter().find(same) {
            return Some(same);
        }
        // Another version of it, if it is clear which.
        let version = |cell: &&Cell| unversioned(&cell.implementation) == unversioned(&after.implementation);
        let others: Vec<&Cell> = candidates.into_iter().filter(version).collect();
        let rivals = here(&self.after).iter().filter(|cell| version(cell)).count();
        match others[..] {
            [other] if rivals == 1 => Some(other),
            _ => None,
        }
    }

    fn is_place(&self, one: &Cell, other: &Cell) -> bool {
        one.algorithm == other.algorithm
            && one.operation == other.operation
            && one.length == other.length
            && (one.threads, one.workers) == (other.threads, other.workers)
            && (!self.contract || (&one.contract, one.aad) == (&other.contract, other.aad))
    }
}

/// `library@version/variant` as `library/variant`.
fn unversioned(id: &str) -> Cow<'_, str> {
    match id.split_once('@') {
        Some((library, rest)) => {
            let variant = rest.split_once('/').map_or("", |(_, variant)| variant);
            format!("{library}/{variant}").into()
        }
        None => id.into(),
    }
}

/// Why the other side has no figures for a cell.
fn absent(cell: &Cell, other: &Side) -> String {
    let there = other.cells().find(|there| {
        there.figures.is_none()
            && (
                &there.algorithm,
                &there.operation,
                &there.contract,
                there.aad,
                there.length,
                (there.threads, there.workers),
            ) == (
                &cell.algorithm,
                &cell.operation,
                &cell.contract,
                cell.aad,
                cell.length,
                (cell.threads, cell.workers),
            )
            && (other.implementation.is_some() || there.implementation == cell.implementation)
    });
    match there.map(|there| there.status) {
        Some(Status::Failed) => format!("it failed in {}", other.name),
        Some(_) => format!("it was skipped in {}", other.name),
        None => format!("{} does not have it", other.name),
    }
}

fn leave_out(left_out: &mut Vec<LeftOut>, cell: &Cell, reason: String) {
    let same = |known: &&mut LeftOut| known.implementation == cell.implementation && known.reason == reason;
    let entry = match left_out.iter_mut().find(same) {
        Some(known) => known,
        None => left_out.push_mut(LeftOut {
            implementation: cell.implementation.clone(),
            algorithms: Vec::new(),
            cells: 0,
            reason,
        }),
    };
    entry.cells += 1;
    if !entry.algorithms.contains(&cell.algorithm) {
        entry.algorithms.push(cell.algorithm.clone());
    }
}
