//! What a table says, before any format gives it a look.
use std::{cmp::Ordering, collections::HashSet};

use ciphertune_results::{Cell, Figures, Run, Status};

use crate::{
    View, fit, mix,
    operation::is_without_message,
    text::plain,
    units::{counted, length, per_cent, significant},
};

/// One table, as a rule of an algorithm under one contract, by implementation and length.
pub(crate) struct Block {
    pub(crate) title: String,
    /// What its entries are; above the labels.
    pub(crate) unit: &'static str,
    pub(crate) columns: Vec<String>,
    pub(crate) lines: Vec<Line>,
    /// What failed, and what was timed otherwise than the rest.
    pub(crate) notes: Vec<Note>,
}

pub(crate) struct Line {
    pub(crate) kind: Kind,
    pub(crate) label: String,
    /// One for each column.
    pub(crate) entries: Vec<Entry>,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// What the rows below it have in common; without entries.
    Heading,
    /// The rates of one implementation.
    Rates,
    /// More about the rates above it.
    Detail,
    /// The rates that the machine allows.
    Limit,
}

pub(crate) struct Entry {
    pub(crate) mark: Mark,
    pub(crate) text: String,
    /// In brackets behind the text.
    pub(crate) aside: Option<String>,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Mark {
    None,
    Fastest,
    /// Chosen, though another one is fastest.
    Chosen,
    Failed,
    /// Faster than what it is compared with.
    Faster,
    Slower,
}

/// `what: implementations where: reason`.
pub(crate) struct Note {
    pub(crate) what: &'static str,
    pub(crate) implementations: Vec<String>,
    pub(crate) place: String,
    pub(crate) reason: String,
}

/// The unit of rates.
const UNIT: &str = "GB/s (ns per message)";

/// The unit of rates of what has no message.
const OPERATIONS: &str = "operations/s (µs each)";

/// At this length and above, the time of one message says nothing that its rate does not.
const MESSAGE: u64 = 2048;

/// The tables of a run, in the order in which it came to them.
pub(crate) fn blocks(run: &Run, view: View<'_>) -> Vec<Block> {
    let mut groups: Vec<Vec<&Cell>> = Vec::new();
    for cell in &run.cells {
        match groups.iter_mut().find(|group| key(group[0]) == key(cell)) {
            Some(group) => group.push(cell),
            None => groups.push(vec![cell]),
        }
    }
    groups.iter().flat_map(|group| tables(group, run, view)).collect()
}

fn key(cell: &Cell) -> (&str, &str, &str, u64, u32, u32) {
    (
        &cell.algorithm,
        &cell.operation,
        &cell.contract,
        cell.aad,
        cell.threads,
        cell.workers,
    )
}

/// The table of rates and, if asked for, those of costs per message and byte and of a mix. None where nobody was measured, as
/// where the run was interrupted before: what stands below the tables says why.
fn tables(cells: &[&Cell], run: &Run, view: View<'_>) -> Vec<Block> {
    let (title, is_counted) = (title(cells[0]), is_counted(cells[0]));
    let cells = shown_in_rows(cells);
    if cells.is_empty() {
        return Vec::new();
    }
    let mut lengths: Vec<u64> = cells.iter().map(|cell| cell.length).collect();
    lengths.sort_unstable();
    lengths.dedup();

    let rows = rows(&cells, &lengths);
    let mut lines: Vec<Line> = rows.iter().flat_map(|row| lines(row, &rows, run, view)).collect();
    lines.extend(limit(&rows, lengths.len()));

    let mut notes: Vec<Note> = rows.iter().flat_map(failures).collect();
    notes.extend(copying(&rows));
    notes.extend(ahead(&rows));
    let named = || {
        rows.iter()
            .map(|row| (row.implementation, row.present().collect()))
    };
    let fit = view.fit.then(|| fit::block(&title, named()));
    let mix = mix::block(&title, view.mix, named());
    let rates = Block {
        title,
        unit: if is_counted { OPERATIONS } else { UNIT },
        columns: lengths.iter().map(|&length| column(length, is_counted)).collect(),
        lines,
        notes,
    };
    [rates].into_iter().chain(fit.flatten()).chain(mix).collect()
}

/// Whether its rates are operations per second.
pub(crate) fn is_counted(cell: &Cell) -> bool {
    is_without_message(&cell.algorithm, &cell.operation)
}

/// The head of a column: an operation without a message has no length.
pub(crate) fn column(bytes: u64, is_counted: bool) -> String {
    match is_counted {
        true => "each".into(),
        false => length(bytes),
    }
}

fn title(cell: &Cell) -> String {
    plain(&format!(
        "{} {}, {}, {}",
        cell.algorithm,
        cell.operation,
        contract(&cell.contract, cell.aad),
        threads(cell.threads, cell.workers)
    ))
}

/// A contract with what comes with each message.
pub(crate) fn contract(name: &str, aad: u64) -> String {
    match aad {
        0 => name.to_owned(),
        bytes => format!("{name}, {} of additional data", length(bytes)),
    }
}

/// Threads at once, and how many of them help the others.
pub(crate) fn threads(number: u32, workers: u32) -> String {
    let count = |number: u32, what| counted(number as usize, what);
    match workers {
        0 => count(number, "thread"),
        _ => format!(
            "{} and {}",
            count(number - workers, "thread"),
            count(workers, "worker")
        ),
    }
}

/// One implementation's cells, one for each length.
struct Row<'a> {
    implementation: &'a str,
    cells: Vec<Option<&'a Cell>>,
}

impl<'a> Row<'a> {
    fn present(&self) -> impl Iterator<Item = &'a Cell> {
        self.cells.iter().copied().flatten()
    }

    fn figures(&self, column: usize) -> Option<&'a Figures> {
        self.cells[column].and_then(|cell| cell.figures.as_ref())
    }

    fn has_figures(&self) -> bool {
        self.present().any(|cell| cell.figures.is_some())
    }

    fn rate(&self, column: usize) -> Option<f64> {
        self.figures(column)
            .map(|figures| figures.bytes_per_second.median)
    }
}

/// The cells of those that were not skipped everywhere: who cannot run has no row, and makes no column of a length at which
/// nobody was measured, as of a run that was interrupted.
fn shown_in_rows<'a>(cells: &[&'a Cell]) -> Vec<&'a Cell> {
    let ran: HashSet<&str> = cells
        .iter()
        .filter(|cell| cell.status != Status::Skipped)
        .map(|cell| &*cell.implementation)
        .collect();
    let has_row = |cell: &&Cell| ran.contains(&*cell.implementation);
    cells.iter().copied().filter(has_row).collect()
}

/// The rows, fastest first at the largest length; where that does not decide, at the next smaller one.
fn rows<'a>(cells: &[&'a Cell], lengths: &[u64]) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = Vec::new();
    for cell in cells {
        let column = lengths.partition_point(|&length| length < cell.length);
        let row = match rows
            .iter()
            .position(|row| row.implementation == cell.implementation)
        {
            Some(row) => row,
            None => {
                rows.push(Row {
                    implementation: &cell.implementation,
                    cells: vec![None; lengths.len()],
                });
                rows.len() - 1
            }
        };
        rows[row].cells[column] = Some(cell);
    }
    rows.sort_by(|a, b| {
        (0..lengths.len())
            .rev()
            .map(|column| descending(a.rate(column), b.rate(column)))
            .find(|order| order.is_ne())
            .unwrap_or_else(|| a.implementation.cmp(b.implementation))
    });
    rows
}

fn descending(a: Option<f64>, b: Option<f64>) -> Ordering {
    b.unwrap_or(0.0).total_cmp(&a.unwrap_or(0.0))
}

fn lines(row: &Row, rows: &[Row], run: &Run, view: View<'_>) -> Vec<Line> {
    let line = |kind, label: &str, entry: &dyn Fn(usize) -> Entry| Line {
        kind,
        label: plain(label),
        entries: (0..row.cells.len()).map(entry).collect(),
    };
    let detail = |label: &str, text: &dyn Fn(&Figures) -> Option<String>| {
        line(Kind::Detail, label, &|column| {
            bare(row.figures(column).and_then(text).unwrap_or_default())
        })
    };

    let is_counted = row.present().next().is_some_and(is_counted);
    let mut lines = vec![line(Kind::Rates, row.implementation, &|column| {
        entry(row, rows, column)
    })];
    lines.extend(scaling(row, run));
    if view.intervals {
        let confidence = run.machine.confidence.map(per_cent);
        let label = confidence.map_or("  interval".to_owned(), |share| format!("  {share} interval"));
        lines.push(detail(&label, &|figures| {
            let rate = figures.bytes_per_second;
            let [low, high] = [rate.low, rate.high].map(|end| shown(end, is_counted));
            (!rate.is_point()).then(|| format!("{low}-{high}"))
        }));
        lines.push(detail("  quartiles", &|figures| {
            let spread = figures.spread?;
            let [low, high] = [spread.low, spread.high].map(|end| shown(end, is_counted));
            Some(format!("{low}-{high}"))
        }));
    }
    if view.shares {
        lines.push(detail("  of the limit", &|figures| {
            let percent = figures.bound_share? * 100.0;
            let decimals = usize::from(percent < 9.95);
            Some(format!("{percent:.decimals$}%"))
        }));
    }
    if view.costs && row.has_figures() {
        let [each, estimated] = match is_counted {
            true => ["", " (est.)"],
            false => ["/B", "/B (est.)"],
        };
        let cost = |label: &str, each: &str, cost: fn(&Figures) -> Option<f64>| {
            line(Kind::Detail, &format!("  {label}{each}"), &|column| {
                let cost = row.figures(column).and_then(cost);
                bare(cost.map_or("-".into(), significant))
            })
        };
        lines.push(cost("ns", each, |figures| Some(figures.ns_per_byte)));
        lines.push(cost("TSC ticks", each, |figures| figures.tsc_ticks_per_byte));
        lines.push(cost("core cycles", estimated, |figures| figures.cycles_per_byte));
    }
    lines.retain(|line| line.entries.iter().any(|entry| !entry.text.is_empty()));
    lines
}

/// What several threads came to by the rate of one: with a stream each, the share of so many times as much; with workers,
/// how many times as fast. Nothing where one was not measured.
fn scaling(row: &Row, run: &Run) -> Option<Line> {
    let first = row.present().next().filter(|cell| cell.threads > 1)?;
    let entry = |cell: &&Cell| {
        let place = |cell: &Cell| {
            let (algorithm, operation, contract, aad, ..) = key(cell);
            let names = [algorithm, operation, contract, &cell.implementation].map(str::to_owned);
            (names, aad, cell.length)
        };
        let alone = run
            .cells
            .iter()
            .find(|one| one.threads == 1 && place(one) == place(cell))?;
        let rate = |cell: &Cell| Some(cell.figures.as_ref()?.bytes_per_second.median);
        let times = rate(cell)? / rate(alone)?;
        Some(match cell.workers {
            0 => format!("{:.0}%", 100.0 * times / f64::from(cell.threads)),
            _ => format!("{times:.2}"),
        })
    };
    Some(Line {
        kind: Kind::Detail,
        label: if first.workers == 0 {
            "  efficiency"
        } else {
            "  times one alone"
        }
        .to_owned(),
        entries: row
            .cells
            .iter()
            .map(|cell| bare(cell.as_ref().and_then(entry).unwrap_or_default()))
            .collect(),
    })
}

fn entry(row: &Row, rows: &[Row], column: usize) -> Entry {
    let Some(cell) = row.cells[column] else {
        return bare("-".into());
    };
    let Some(figures) = &cell.figures else {
        return match cell.status {
            Status::Failed => Entry {
                mark: Mark::Failed,
                ..bare("FAILED".into())
            },
            Status::Ok | Status::Skipped => bare("-".into()),
        };
    };
    let rate = figures.bytes_per_second.median;
    let beaten = rows.iter().any(|other| other.rate(column) > Some(rate));
    Entry {
        mark: match (beaten, cell.chosen) {
            (false, _) => Mark::Fastest,
            (true, true) => Mark::Chosen,
            (true, false) => Mark::None,
        },
        text: shown(rate, is_counted(cell)),
        aside: match cell.length {
            _ if is_counted(cell) => Some(significant(figures.ns_per_byte / 1e3)),
            ..MESSAGE => Some(significant(figures.ns_per_byte * cell.length as f64)),
            _ => None,
        },
    }
}

pub(crate) fn bare(text: String) -> Entry {
    Entry {
        mark: Mark::None,
        text,
        aside: None,
    }
}

/// A rate in the unit of its table.
fn shown(rate: f64, is_counted: bool) -> String {
    match is_counted {
        true => significant(rate),
        false => gigabytes(rate),
    }
}

pub(crate) fn gigabytes(bytes_per_second: f64) -> String {
    significant(bytes_per_second / 1e9)
}

/// The last line: the rate whose share is 1. It comes from the shares, so that it cannot contradict them.
fn limit(rows: &[Row], columns: usize) -> Option<Line> {
    let limits: Vec<Option<f64>> = (0..columns)
        .map(|column| {
            rows.iter()
                .filter_map(|row| row.figures(column))
                .filter_map(|figures| Some(figures.bytes_per_second.median / figures.bound_share?))
                .max_by(f64::total_cmp)
        })
        .collect();
    limits.iter().any(Option::is_some).then(|| Line {
        kind: Kind::Limit,
        label: "machine's limit".into(),
        entries: limits
            .into_iter()
            .map(|limit| bare(limit.map_or("-".into(), gigabytes)))
            .collect(),
    })
}

/// What failed in a row, together where the reason is the same.
fn failures(row: &Row) -> Vec<Note> {
    let mut reasons: Vec<(&str, Vec<u64>)> = Vec::new();
    for cell in row.present().filter(|cell| cell.status == Status::Failed) {
        let reason = cell.reason.as_deref().unwrap_or("no reason is given");
        let lengths = match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, lengths)) => lengths,
            None => &mut reasons.push_mut((reason, Vec::new())).1,
        };
        lengths.extend((!is_counted(cell)).then_some(cell.length));
    }
    reasons
        .into_iter()
        .map(|(reason, lengths)| Note {
            what: "FAILED",
            implementations: vec![plain(row.implementation)],
            place: at(&lengths),
            reason: plain(reason),
        })
        .collect()
}

/// ` at 16 B, 1 KiB`; nothing of what has no length.
pub(crate) fn at(lengths: &[u64]) -> String {
    if lengths.is_empty() {
        return String::new();
    }
    let lengths: Vec<String> = lengths.iter().copied().map(length).collect();
    format!(" at {}", lengths.join(", "))
}

/// Names those that were timed from buffer to buffer: their memory traffic is not that of the others.
fn copying(rows: &[Row]) -> Option<Note> {
    let is_copying = |cell: &Cell| cell.figures.is_some() && !cell.in_place;
    named(rows, "Not in place", is_copying, "timed from buffer to buffer")
}

/// Names those that beat the limit since they make less than it counts.
fn ahead(rows: &[Row]) -> Option<Note> {
    let share = |cell: &Cell| cell.figures.as_ref()?.bound_share;
    let is_ahead = |cell: &Cell| cell.implementation.ends_with("-r2") && share(cell) > Some(1.0);
    let reason = "made with rounds of AES ahead, which the limit counts with the others";
    named(rows, "Beyond the limit", is_ahead, reason)
}

/// A note about the rows that have such a cell, if there are any.
fn named(rows: &[Row], what: &'static str, has: impl Fn(&Cell) -> bool, reason: &str) -> Option<Note> {
    let implementations: Vec<String> = rows
        .iter()
        .filter(|row| row.present().any(&has))
        .map(|row| plain(row.implementation))
        .collect();
    (!implementations.is_empty()).then(|| Note {
        what,
        implementations,
        place: String::new(),
        reason: reason.into(),
    })
}
