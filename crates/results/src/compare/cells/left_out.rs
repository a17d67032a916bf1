//! What could not be compared, in as few words as tell it from what was.
use std::collections::HashMap;

use super::super::LeftOut;
use crate::Cell;

/// What became of a cell.
pub(super) struct Fate<'a> {
    cell: &'a Cell,
    /// `None` where it was compared.
    why: Option<Why>,
}

impl<'a> Fate<'a> {
    pub(super) fn compared(cell: &'a Cell) -> Self {
        Self { cell, why: None }
    }

    pub(super) fn left_out(cell: &'a Cell, why: Why) -> Self {
        Self { cell, why: Some(why) }
    }

    fn reason(&self) -> Option<&str> {
        self.why.as_ref().map(|why| &*why.reason)
    }
}

/// Why a cell could not be compared.
pub(super) struct Why {
    pub(super) reason: String,
    /// As in [`LeftOut`].
    pub(super) lost: bool,
    /// Whether it is its length alone that is not there.
    pub(super) is_length: bool,
    /// Whether the reason tells its contract, or how much additional data it has.
    pub(super) is_contract: bool,
}

impl Why {
    pub(super) fn of(reason: String) -> Self {
        Self {
            reason,
            lost: false,
            is_length: false,
            is_contract: false,
        }
    }
}

/// Those that were left out, together where nothing need be said that tells them apart.
pub(super) fn left_out(fates: &[Fate]) -> Vec<LeftOut> {
    let mut beside: HashMap<_, Vec<&Fate>> = HashMap::new();
    for fate in fates {
        let of = (&fate.cell.implementation, &fate.cell.algorithm);
        beside.entry(of).or_default().push(fate);
    }
    let mut left_out = Vec::new();
    for fate in fates {
        if let Some(why) = &fate.why {
            let of = (&fate.cell.implementation, &fate.cell.algorithm);
            add(&mut left_out, fate.cell, why, &apart(fate, &beside[&of]));
        }
    }
    left_out
}

/// In what a cell differs from some of its implementation and algorithm that had another fate.
struct Apart {
    operation: bool,
    contract: bool,
    threads: bool,
    length: bool,
}

fn apart(fate: &Fate, beside: &[&Fate]) -> Apart {
    let others = || {
        let others = beside.iter().filter(|other| other.reason() != fate.reason());
        others.map(|other| other.cell)
    };
    let cell = fate.cell;
    let tells_contract = fate.why.as_ref().is_some_and(|why| why.is_contract);
    Apart {
        operation: others().any(|other| other.operation != cell.operation),
        contract: !tells_contract
            && others().any(|other| (&other.contract, other.aad) != (&cell.contract, cell.aad)),
        threads: others().any(|other| (other.threads, other.workers) != (cell.threads, cell.workers)),
        length: others().any(|other| other.task() == cell.task() && other.length != cell.length),
    }
}

fn add(left_out: &mut Vec<LeftOut>, cell: &Cell, why: &Why, apart: &Apart) {
    let length = (why.is_length || apart.length).then_some(cell.length);
    let new = LeftOut {
        implementation: cell.implementation.clone(),
        algorithms: Vec::new(),
        operation: apart.operation.then(|| cell.operation.clone()),
        contract: apart.contract.then(|| cell.contract.clone()),
        aad: apart.contract.then_some(cell.aad),
        threads: apart.threads.then_some(cell.threads),
        workers: apart.threads.then_some(cell.workers),
        lengths: length.into_iter().collect(),
        cells: 0,
        reason: why.reason.clone(),
        lost: why.lost,
    };
    let entry = match left_out.iter_mut().find(|known| key(known) == key(&new)) {
        Some(known) => known,
        None => left_out.push_mut(new),
    };
    entry.cells += 1;
    if !entry.algorithms.contains(&cell.algorithm) {
        entry.algorithms.push(cell.algorithm.clone());
    }
    if let Some(length) = length
        && let Err(place) = entry.lengths.binary_search(&length)
    {
        entry.lengths.insert(place, length);
    }
}

/// What those that are told together have in common.
fn key(left: &LeftOut) -> impl PartialEq {
    (
        (&left.implementation, &left.reason, left.lost),
        (&left.operation, &left.contract, left.aad),
        (left.threads, left.workers, left.lengths.is_empty()),
    )
}
