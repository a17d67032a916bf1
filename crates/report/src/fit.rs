//! What a message costs, and what a byte: T(n) = a + b·n for each implementation.
use ciphertune_results::{Cell, Figures, Run, statistics};

use crate::{
    View,
    block::{Block, Entry, Kind, Line, bare, blocks},
    text::plain,
    units::significant,
};

/// Beyond this, caches have more to say than code.
const LONGEST: u64 = 16384;

const UNIT: &str = "up to 16 KiB";

/// Whether there is such a table of anything in this run.
pub fn has_fit(run: &Run) -> bool {
    let view = View {
        fit: true,
        ..View::default()
    };
    blocks(run, view).iter().any(|block| block.unit == UNIT)
}

/// The table of one group of cells, an implementation a line; `None` where no implementation has three lengths up to
/// 16 KiB. `rows` are the implementations and their cells.
pub(crate) fn block<'a>(title: &str, rows: impl Iterator<Item = (&'a str, Vec<&'a Cell>)>) -> Option<Block> {
    let lines: Vec<Line> = rows.filter_map(|(name, cells)| line(name, &cells)).collect();
    (!lines.is_empty()).then(|| Block {
        title: format!("{title}: time = a + b × length"),
        unit: UNIT,
        columns: ["a, ns", "b, ns/B", "b, cycles/B (est.)", "off by up to"]
            .map(str::to_owned)
            .into(),
        lines,
        notes: Vec::new(),
    })
}

fn line(name: &str, cells: &[&Cell]) -> Option<Line> {
    let points: Vec<(f64, &Figures)> = cells
        .iter()
        .filter(|cell| cell.length <= LONGEST)
        .filter_map(|cell| Some((cell.length as f64, cell.figures.as_ref()?)))
        .collect();
    if points.len() < 3 {
        return None;
    }
    let time = |length: f64, figures: &Figures| length * figures.ns_per_byte;
    // By the share that each is off: a nanosecond is much of 16 bytes and little of 16 KiB.
    let weighted: Vec<(f64, f64, f64)> = points
        .iter()
        .map(|&(length, figures)| (length, time(length, figures), time(length, figures).powi(-2)))
        .collect();
    let fitted = statistics::line(&weighted)?;
    let off = weighted
        .iter()
        .map(|(length, time, _)| ((fitted.intercept + fitted.slope * length) / time - 1.0).abs())
        .fold(0.0, f64::max);
    let per_ns = points
        .iter()
        .rev()
        .find_map(|(_, figures)| Some(figures.cycles_per_byte? / figures.ns_per_byte));
    let entries: Vec<Entry> = [
        signed(fitted.intercept),
        significant(fitted.slope),
        per_ns.map_or("-".into(), |cycles| significant(fitted.slope * cycles)),
        format!("{:.0}%", 100.0 * off),
    ]
    .map(bare)
    .into();
    Some(Line {
        kind: Kind::Rates,
        label: plain(name),
        entries,
    })
}

/// Where short messages are served by other code, the line may cut the axis below zero.
fn signed(number: f64) -> String {
    if number < 0.0 {
        format!("-{}", significant(-number))
    } else {
        significant(number)
    }
}
