//! Which cells belong together.
mod left_out;

use std::{borrow::Cow, collections::HashSet, ptr};

use super::{By, LeftOut, Terms, rates::Rates, sides::Side};
use crate::{Cell, Status};
use left_out::{Fate, Why, left_out};

/// The same cell on both sides.
pub(super) struct Pair<'a> {
    pub(super) before: &'a Cell,
    pub(super) after: &'a Cell,
    pub(super) before_rates: Rates,
    pub(super) after_rates: Rates,
}

impl Pair<'_> {
    pub(super) fn rates(&self) -> [&Rates; 2] {
        [&self.before_rates, &self.after_rates]
    }

    /// What the cells of one row have in common.
    pub(super) fn row(&self) -> impl PartialEq {
        let (before, after) = (self.before, self.after);
        (
            (
                &before.algorithm,
                &before.operation,
                before.threads,
                before.workers,
            ),
            (&before.contract, before.aad),
            (&after.contract, after.aad),
            (&before.implementation, &after.implementation),
        )
    }
}

/// The cells that both sides have figures for, in the side's order, and what only one of them has.
pub(super) fn pairs<'a>(
    baseline: &Side<'a>,
    side: &Side<'a>,
    by_runs: bool,
    terms: &Terms,
) -> (Vec<Pair<'a>>, Vec<LeftOut>) {
    let matcher = |contract| Matcher {
        by: terms.by,
        contract,
        before: measured(baseline),
        after: measured(side),
    };
    let (strict, loose) = (matcher(!terms.across_contracts), matcher(false));
    let found: Vec<Option<&Cell>> = strict.after.iter().map(|after| strict.before_of(after)).collect();
    let matched: HashSet<*const Cell> = found.iter().flatten().copied().map(ptr::from_ref).collect();
    // An implementation may well have other algorithms than another.
    let absence = |why: Why| Why {
        lost: why.lost && terms.by == By::File,
        ..why
    };
    let (mut pairs, mut fates, mut named) = (Vec::new(), Vec::new(), HashSet::new());
    for (&after, before) in strict.after.iter().zip(found) {
        let Some(before) = before else {
            let other = loose.before_of(after);
            named.extend(other.map(ptr::from_ref));
            let why = match other {
                Some(other) => Why {
                    // Else it is compared with the one that is like it.
                    lost: !matched.contains(&ptr::from_ref(other)),
                    is_contract: true,
                    ..Why::of(difference(after, other, baseline))
                },
                None => Why {
                    lost: false,
                    ..absent(after, side, baseline)
                },
            };
            fates.push(Fate::left_out(after, absence(why)));
            continue;
        };
        let fewest = |side, cell| Rates::fewest(side, cell, terms.per_cycle);
        let processes = by_runs.then(|| fewest(baseline, before).min(fewest(side, after)));
        let rates = |side, cell| Rates::of(side, cell, processes, terms.per_cycle);
        match (rates(baseline, before), rates(side, after)) {
            (Ok(before_rates), Ok(after_rates)) => {
                fates.extend([before, after].map(Fate::compared));
                pairs.push(Pair {
                    before,
                    after,
                    before_rates,
                    after_rates,
                });
            }
            (Err(reason), _) | (_, Err(reason)) => {
                let why = Why {
                    lost: true,
                    ..Why::of(reason)
                };
                fates.push(Fate::left_out(after, why));
            }
        }
    }
    for &before in &strict.before {
        let place = ptr::from_ref(before);
        if !matched.contains(&place) && !named.contains(&place) {
            fates.push(Fate::left_out(before, absence(absent(before, baseline, side))));
        }
    }
    (pairs, left_out(&fates))
}

/// What keeps a cell from being compared with the baseline's, which is like it otherwise, and what does not.
fn difference(cell: &Cell, other: &Cell, baseline: &Side) -> String {
    let difference = match cell.contract == other.contract {
        true => format!(
            "it has {} bytes of additional data, and that of {} {}",
            cell.aad, baseline.name, other.aad
        ),
        false => format!(
            "its contract is {}, and that of {} {}",
            cell.contract, baseline.name, other.contract
        ),
    };
    format!("{difference}; --across-contracts compares them all the same")
}

fn measured<'a>(side: &Side<'a>) -> Vec<&'a Cell> {
    let cells = side.cells.iter().copied();
    cells.filter(|cell| cell.figures.is_some()).collect()
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
        let here = |cells: &[&'a Cell], is_meant: &dyn Fn(&Cell) -> bool| -> Vec<&'a Cell> {
            let cells = cells.iter().copied();
            let is_here = |cell: &&Cell| is_meant(cell) && self.is_place(cell, after);
            nearest(cells.filter(is_here).collect(), after)
        };
        if self.by == By::Implementation {
            return here(&self.before, &|_| true).first().copied();
        }
        let same = |cell: &Cell| cell.implementation == after.implementation;
        if let Some(&same) = here(&self.before, &same).first() {
            return Some(same);
        }
        // Another version of it, if it is clear which.
        let version = |cell: &Cell| unversioned(&cell.implementation) == unversioned(&after.implementation);
        let rivals = here(&self.after, &version).len();
        match here(&self.before, &version)[..] {
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

/// Where contracts may differ, the same one with as much additional data is still to be preferred, and then as much of that:
/// how long it is shows in a rate at least as much as the contract does.
fn nearest<'a>(mut cells: Vec<&'a Cell>, to: &Cell) -> Vec<&'a Cell> {
    let likeness = |cell: &&Cell| {
        let (contract, aad) = (cell.contract == to.contract, cell.aad == to.aad);
        (contract && aad, aad, contract)
    };
    let most = cells.iter().map(likeness).max();
    cells.retain(|cell| Some(likeness(cell)) == most);
    cells
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

/// Why the other side has no figures for a cell of one side.
fn absent(cell: &Cell, own: &Side, other: &Side) -> Why {
    let is_meant = |there: &&&Cell| {
        other.implementation.is_some()
            || unversioned(&there.implementation) == unversioned(&cell.implementation)
    };
    let alike: Vec<&Cell> = other
        .cells
        .iter()
        .filter(is_meant)
        .filter(|there| there.task() == cell.task())
        .copied()
        .collect();
    let mut here: Vec<&Cell> = alike
        .iter()
        .copied()
        .filter(|there| there.length == cell.length)
        .collect();
    // What became of the version itself says more than what became of another.
    here.sort_by_key(|there| there.implementation != cell.implementation);
    let is_compared = |there: &Cell| {
        let mut cells = own.cells.iter().filter(|known| known.figures.is_some());
        cells.any(|known| known.place() == there.place())
    };
    if here
        .iter()
        .any(|there| there.figures.is_some() && !is_compared(there))
    {
        return Why {
            lost: true,
            ..Why::of(
                "which version of it belongs to which is not clear; --by implementation takes each by itself"
                    .into(),
            )
        };
    }
    let without = here.iter().find(|there| there.figures.is_none());
    match without.map(|there| there.status) {
        Some(Status::Failed) => Why::of(format!("it failed in {}", other.name)),
        Some(_) => Why {
            lost: true,
            ..Why::of(format!("it was skipped in {}", other.name))
        },
        None if here.is_empty() && !alike.is_empty() => Why {
            lost: true,
            is_length: true,
            ..Why::of(format!("{} has other lengths of it", other.name))
        },
        None => Why {
            lost: true,
            ..Why::of(match by_another_name(cell, other) {
                Some(id) => format!("{} has it by {id}", other.name),
                None => format!("{} does not have it", other.name),
            })
        },
    }
}

/// What has the cell of the same library, as of OpenSSL where a provider has another name or there are none yet.
fn by_another_name<'a>(cell: &Cell, side: &Side<'a>) -> Option<&'a str> {
    let (library, _) = cell.implementation.split_once('@')?;
    let is_of_it = |id: &str| {
        id.split_once('@').is_some_and(|(other, _)| other == library)
            && unversioned(id) != unversioned(&cell.implementation)
    };
    let mut alike = side.cells.iter().filter(|there| there.task() == cell.task());
    let id = alike.find_map(|there| is_of_it(&there.implementation).then_some(&there.implementation))?;
    Some(id)
}
