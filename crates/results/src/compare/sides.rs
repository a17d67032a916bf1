//! Who is compared.
use super::{By, Named};
use crate::{Cell, Figures, Run, Status};

/// Runs of one thing, or an implementation in them.
pub(super) struct Side<'a> {
    pub(super) name: String,
    pub(super) runs: &'a [Run],
    pub(super) implementation: Option<&'a str>,
    /// Each once, however many runs have it.
    pub(super) cells: Vec<&'a Cell>,
}

impl<'a> Side<'a> {
    fn new(name: String, runs: &'a [Run], implementation: Option<&'a str>) -> Self {
        let is_own = |cell: &&Cell| implementation.is_none_or(|own| cell.implementation == own);
        let mut cells: Vec<&Cell> = Vec::new();
        for (n, run) in runs.iter().enumerate() {
            for cell in run.cells.iter().filter(is_own) {
                let known = cells
                    .iter_mut()
                    .find(|known| n > 0 && known.place() == cell.place());
                match known {
                    Some(known) if rank(cell) > rank(known) => *known = cell,
                    Some(_) => {}
                    None => cells.push(cell),
                }
            }
        }
        Self {
            name,
            runs,
            implementation,
            cells,
        }
    }

    /// A cell's figures in each run, in their order; `None` for a run that has none.
    pub(super) fn figures(&self, cell: &Cell) -> Vec<Option<&'a Figures>> {
        let of_run = |run: &'a Run| {
            let mut repeats = run.cells.iter().filter(|other| other.place() == cell.place());
            repeats.find_map(|cell| cell.figures.as_ref())
        };
        self.runs.iter().map(of_run).collect()
    }
}

/// What failed in one run has failed, and what one run has figures for has some.
fn rank(cell: &Cell) -> u8 {
    match cell.status {
        Status::Skipped => 0,
        Status::Ok => 1,
        Status::Failed => 2,
    }
}

/// Everyone there is, in the order of the files. An implementation without any figure is nobody.
pub(super) fn sides(named: &[Named], by: By) -> Vec<Side<'_>> {
    let mut sides = Vec::new();
    for Named { name, runs } in named {
        if by == By::File {
            sides.push(Side::new(name.clone(), runs, None));
            continue;
        }
        let mut ids: Vec<&str> = Vec::new();
        for cell in cells(runs).filter(|cell| cell.figures.is_some()) {
            if !ids.contains(&&*cell.implementation) {
                ids.push(&cell.implementation);
            }
        }
        for id in ids {
            let has = |other: &&Named| cells(&other.runs).any(|cell| cell.implementation == id);
            let name = if named.iter().filter(has).count() > 1 {
                format!("{id} in {name}")
            } else {
                id.to_owned()
            };
            sides.push(Side::new(name, runs, Some(id)));
        }
    }
    sides
}

fn cells(runs: &[Run]) -> impl Iterator<Item = &Cell> {
    runs.iter().flat_map(|run| &run.cells)
}
