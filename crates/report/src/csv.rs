use std::io::{self, Write};

use ciphertune_results::{Cell, Figures, Interval, Run, Status};

/// Writes a run as CSV (RFC 4180, with a header line): one row for each implementation in each cell, the
/// columns named and measured as in `docs/run-format.md`. What a row does not have is left empty.
pub fn csv(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(COLUMNS)?;
    for cell in &run.cells {
        writer.write_record(record(cell))?;
    }
    writer.flush()
}

const COLUMNS: [&str; 25] = [
    "algorithm",
    "operation",
    "contract",
    "length",
    "aad",
    "threads",
    "workers",
    "implementation",
    "status",
    "reason",
    "in_place",
    "selectable",
    "chosen",
    "bytes_per_second_low",
    "bytes_per_second_median",
    "bytes_per_second_high",
    "spread_low",
    "spread_high",
    "ns_per_byte",
    "tsc_ticks_per_byte",
    "cycles_per_byte",
    "bound_share",
    "quanta",
    "dropped",
    "processes",
];

fn record(cell: &Cell) -> [String; COLUMNS.len()] {
    let figure = |value: fn(&Figures) -> f64| optional(cell.figures.as_ref().map(value));
    let count = |value: fn(&Figures) -> u32| optional(cell.figures.as_ref().map(value));
    let rarer = |value: fn(&Figures) -> Option<f64>| optional(cell.figures.as_ref().and_then(value));
    [
        cell.algorithm.clone(),
        cell.operation.clone(),
        cell.contract.clone(),
        cell.length.to_string(),
        cell.aad.to_string(),
        cell.threads.to_string(),
        cell.workers.to_string(),
        cell.implementation.clone(),
        match cell.status {
            Status::Ok => "ok",
            Status::Failed => "failed",
            Status::Skipped => "skipped",
        }
        .into(),
        cell.reason.clone().unwrap_or_default(),
        cell.in_place.to_string(),
        cell.selectable.to_string(),
        cell.chosen.to_string(),
        rarer(|figures| end(figures.bytes_per_second, |rate| rate.low)),
        figure(|figures| figures.bytes_per_second.median),
        rarer(|figures| end(figures.bytes_per_second, |rate| rate.high)),
        rarer(|figures| Some(figures.spread?.low)),
        rarer(|figures| Some(figures.spread?.high)),
        figure(|figures| figures.ns_per_byte),
        rarer(|figures| figures.tsc_ticks_per_byte),
        rarer(|figures| figures.cycles_per_byte),
        rarer(|figures| figures.bound_share),
        count(|figures| figures.quanta),
        count(|figures| figures.dropped),
        count(|figures| figures.processes),
    ]
}

/// One end of an interval; none of a single figure, of which nobody knows how sure it is.
pub(crate) fn end(interval: Interval, which: fn(&Interval) -> f64) -> Option<f64> {
    (!interval.is_point()).then(|| which(&interval))
}

pub(crate) fn optional(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}
