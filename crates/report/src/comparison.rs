//! Comparisons as tables of percentages, as a page, and as data.
mod csv;
mod words;

use std::io::{self, Write};

use ciphertune_results::compare::{By, Change, Comparison, Named, Row, Verdict};
pub use csv::compare_csv;
pub use words::apart;
use words::{left_out, sentences};

use crate::{
    Screen,
    block::{Block, Entry, Kind, Line, Mark, bare, column, contract, gigabytes, threads},
    markdown,
    operation::is_without_message,
    terminal,
    text::{HEADING, Page, plain},
    units::significant,
};

/// What a table of percentages shows besides them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Details {
    /// Under each row, the interval around each percentage.
    pub intervals: bool,
    /// Under each row, the two rates.
    pub rates: bool,
}

/// Writes a comparison as tables: by file one for each file, one row for each algorithm and implementation; by
/// implementation one for each algorithm. `runs` are those that were compared.
pub fn compare_terminal(
    comparison: &Comparison,
    runs: &[Named],
    details: Details,
    screen: Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page {
        out,
        colour: screen.colour,
        width: screen.width,
    };
    for block in blocks(comparison, details) {
        terminal::block(&block, &mut page)?;
    }
    for (heading, text) in sentences(comparison, runs) {
        page.paragraph(&format!("{heading}:"), HEADING, &text)?;
    }
    for note in left_out(comparison) {
        terminal::note(&note, &mut page)?;
    }
    Ok(())
}

/// Writes a comparison as Markdown tables (GitHub's), with what [`compare_terminal`] shows.
pub fn compare_markdown(
    comparison: &Comparison,
    runs: &[Named],
    details: Details,
    out: &mut dyn Write,
) -> io::Result<()> {
    for block in blocks(comparison, details) {
        markdown::block(&block, out)?;
    }
    for (heading, text) in sentences(comparison, runs) {
        writeln!(
            out,
            "- {}: {}",
            markdown::escape(&heading),
            markdown::escape(&text)
        )?;
    }
    for note in left_out(comparison) {
        markdown::note(&note, out)?;
    }
    Ok(())
}

/// Writes a comparison as one JSON document.
pub fn compare_json(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, comparison)?;
    writeln!(out)
}

const UNIT: &str = "faster than baseline";

/// The last column: the geometric mean of a row.
const MEAN: &str = "mean";

fn blocks(comparison: &Comparison, details: Details) -> Vec<Block> {
    match comparison.by {
        By::File => comparison
            .compared
            .iter()
            .filter(|compared| !compared.rows.is_empty())
            .map(|compared| {
                let rows = labelled(&compared.rows);
                let title = format!(
                    "{} against {}{}",
                    compared.name,
                    comparison.baseline,
                    common(&compared.rows)
                );
                let mut block = block(title, &rows, comparison, details);
                if let (Some(mean), true) = (&compared.mean, rows.len() > 1) {
                    block.lines.push(all(mean, block.columns.len()));
                }
                block
            })
            .collect(),
        By::Implementation => places(comparison)
            .into_iter()
            .map(|rows| {
                let place = rows[0].1;
                let title = format!(
                    "{} {}, {}, {} against {}",
                    place.algorithm,
                    place.operation,
                    contract(&place.contract, place.aad),
                    threads(place.threads, place.workers),
                    comparison.baseline
                );
                let mut block = block(title, &rows, comparison, details);
                let rates = baseline_rates(&rows, comparison, block.columns.len());
                block.lines.insert(0, rates);
                block
            })
            .collect(),
    }
}

fn place(row: &Row) -> impl PartialEq {
    (
        &row.algorithm,
        &row.operation,
        &row.contract,
        row.aad,
        row.threads,
        row.workers,
    )
}

/// What a row is called.
struct Label {
    /// What it has in common with the rows beside it, in a line above them.
    above: Option<String>,
    own: String,
}

/// All rows of one place together, whoever they belong to, fastest first.
fn places(comparison: &Comparison) -> Vec<Vec<(Label, &Row)>> {
    let mut places: Vec<Vec<(Label, &Row)>> = Vec::new();
    for compared in &comparison.compared {
        for row in &compared.rows {
            let label = Label {
                above: None,
                own: match other_contract(row) {
                    Some(other) => format!("{} under {other}", compared.name),
                    None => compared.name.clone(),
                },
            };
            let labelled = (label, row);
            match places.iter_mut().find(|rows| place(rows[0].1) == place(row)) {
                Some(rows) => rows.push(labelled),
                None => places.push(vec![labelled]),
            }
        }
    }
    for rows in &mut places {
        rows.sort_by(|(_, a), (_, b)| b.mean.ratio.median.total_cmp(&a.mean.ratio.median));
    }
    places
}

/// The parts of a row's name that not all rows share: the implementation, where it is one of them, under all the others,
/// as they make no table that a screen has room for side by side.
fn labelled(rows: &[Row]) -> Vec<(Label, &Row)> {
    let [_, differ @ .., has_several] = parts(rows);
    let label = |row: &Row| {
        let [algorithm, others @ .., implementation] = names(row);
        let others = others.into_iter().zip(differ);
        let place = others
            .filter(|(_, differ)| *differ)
            .fold(algorithm, |place, (name, _)| format!("{place} {name}"));
        match has_several {
            true => Label {
                above: Some(place),
                own: implementation,
            },
            false => Label {
                above: None,
                own: place,
            },
        }
    };
    rows.iter().map(|row| (label(row), row)).collect()
}

/// The parts that all rows share, but for the algorithm: `, encrypt, stream/1, 1 thread`.
fn common(rows: &[Row]) -> String {
    let Some(first) = rows.first() else {
        return String::new();
    };
    names(first)
        .into_iter()
        .zip(parts(rows))
        .skip(1)
        .filter(|(_, differ)| !differ)
        .map(|(name, _)| format!(", {name}"))
        .collect()
}

const PARTS: usize = 5;

fn names(row: &Row) -> [String; PARTS] {
    let implementation = if row.implementation == row.baseline_implementation {
        row.implementation.clone()
    } else {
        format!("{} (was {})", row.implementation, row.baseline_implementation)
    };
    [
        row.algorithm.clone(),
        row.operation.clone(),
        match other_contract(row) {
            Some(other) => format!("{other} (was {})", contract(&row.contract, row.aad)),
            None => contract(&row.contract, row.aad),
        },
        threads(row.threads, row.workers),
        implementation,
    ]
}

/// What was timed besides a row's algorithm and operation: `new-iv/1, 13 B of additional data, 2 threads`. Of one thread
/// nothing is said.
pub fn conditions(row: &Row) -> String {
    let [_, _, contract, threads, _] = names(row);
    match row.threads {
        1 => contract,
        _ => format!("{contract}, {threads}"),
    }
}

/// What was compared under another contract than the baseline's, or with other additional data.
fn other_contract(row: &Row) -> Option<String> {
    let is_other = (&row.contract, row.aad) != (&row.compared_contract, row.compared_aad);
    is_other.then(|| contract(&row.compared_contract, row.compared_aad))
}

/// Which parts differ among the rows.
fn parts(rows: &[Row]) -> [bool; PARTS] {
    let names: Vec<[String; PARTS]> = rows.iter().map(names).collect();
    std::array::from_fn(|part| names.windows(2).any(|pair| pair[0][part] != pair[1][part]))
}

fn block(title: String, rows: &[(Label, &Row)], comparison: &Comparison, details: Details) -> Block {
    let lengths = lengths(rows);
    let mut columns: Vec<String> = lengths.iter().map(|&length| head(length, rows)).collect();
    if lengths.len() > 1 {
        columns.push(MEAN.into());
    }
    let mut lines = Vec::new();
    let mut above = None;
    for (label, row) in rows {
        if let (Some(heading), true) = (&label.above, above != label.above.as_ref()) {
            lines.push(Line {
                kind: Kind::Heading,
                label: plain(heading),
                entries: columns.iter().map(|_| bare(String::new())).collect(),
            });
        }
        above = label.above.as_ref();
        let changes = changes(row, &lengths);
        let line = |kind, label: &str, entry: &dyn Fn(&Change) -> Entry| Line {
            kind,
            label: plain(label),
            entries: changes
                .iter()
                .map(|change| change.map_or(bare("-".into()), entry))
                .collect(),
        };
        lines.push(line(Kind::Rates, &label.own, &entry));
        if details.intervals {
            let interval = |change: &Change| bare(interval(change));
            lines.push(line(Kind::Detail, "  interval", &interval));
        }
        if details.rates {
            let unit = unit(row, comparison);
            let rate = |which: fn(&Change) -> f64| move |change: &Change| bare(unit.show(which(change)));
            let label = |side: &str| format!("  {side}, {}", unit.name());
            lines.push(line(
                Kind::Detail,
                &label("baseline"),
                &rate(|change| change.before),
            ));
            lines.push(line(
                Kind::Detail,
                &label("compared"),
                &rate(|change| change.after),
            ));
        }
    }
    Block {
        title: plain(&title),
        unit: UNIT,
        columns,
        lines,
        notes: Vec::new(),
    }
}

/// The head of a column: what has no message may stand below messages of one byte.
fn head(length: u64, rows: &[(Label, &Row)]) -> String {
    let has_it = |row: &&Row| row.cells.iter().any(|cell| cell.length == length);
    let here = rows.iter().map(|(_, row)| *row).filter(has_it);
    let (counted, measured): (Vec<&Row>, Vec<&Row>) = here.partition(|row| is_counted(row));
    match (counted.is_empty(), measured.is_empty()) {
        (false, false) => format!("{} or {}", column(length, false), column(length, true)),
        (_, is_counted) => column(length, is_counted),
    }
}

fn is_counted(row: &Row) -> bool {
    is_without_message(&row.algorithm, &row.operation)
}

fn lengths(rows: &[(Label, &Row)]) -> Vec<u64> {
    let cells = rows.iter().flat_map(|(_, row)| &row.cells);
    let mut lengths: Vec<u64> = cells.map(|cell| cell.length).collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// One for each length and, where there are several, their mean.
fn changes<'a>(row: &'a Row, lengths: &[u64]) -> Vec<Option<&'a Change>> {
    let at = |length: &u64| {
        row.cells
            .iter()
            .find(|cell| cell.length == *length)
            .map(|cell| &cell.change)
    };
    let mean = (lengths.len() > 1).then_some(Some(&row.mean));
    lengths.iter().map(at).chain(mean).collect()
}

fn entry(change: &Change) -> Entry {
    Entry {
        mark: match change.verdict {
            Verdict::Faster => Mark::Faster,
            Verdict::Slower => Mark::Slower,
            Verdict::Same | Verdict::Unknown => Mark::None,
        },
        text: match change.verdict {
            Verdict::Same => "~".into(),
            _ => percent(change.ratio.median),
        },
        aside: None,
    }
}

/// `+5.1%`, `-98.7%`, `+391%` or, from ten times on, `x30.1`.
fn percent(ratio: f64) -> String {
    let percent = 100.0 * (ratio - 1.0);
    if ratio >= 9.995 {
        format!("x{}", significant(ratio))
    } else if percent >= 99.95 {
        format!("{percent:+.0}%")
    } else {
        format!("{percent:+.1}%")
    }
}

/// `-0.4..+1.2`
fn interval(change: &Change) -> String {
    let end = |ratio: f64| percent(ratio).trim_end_matches('%').to_owned();
    let ratio = change.ratio;
    if ratio.is_point() {
        "-".into()
    } else {
        format!("{}..{}", end(ratio.low), end(ratio.high))
    }
}

/// What a rate is counted in.
#[derive(Clone, Copy)]
enum Unit {
    Gigabytes,
    BytesPerCycle,
    Operations,
    /// Of one cycle it would be hardly any.
    OperationsPerMegacycle,
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Self::Gigabytes => "GB/s",
            Self::BytesPerCycle => "B/cycle",
            Self::Operations => "1/s",
            Self::OperationsPerMegacycle => "1/Mcycle",
        }
    }

    fn show(self, rate: f64) -> String {
        match self {
            Self::Gigabytes => gigabytes(rate),
            Self::BytesPerCycle | Self::Operations => significant(rate),
            Self::OperationsPerMegacycle => significant(1e6 * rate),
        }
    }
}

fn unit(row: &Row, comparison: &Comparison) -> Unit {
    match (is_counted(row), comparison.per_cycle) {
        (false, false) => Unit::Gigabytes,
        (false, true) => Unit::BytesPerCycle,
        (true, false) => Unit::Operations,
        (true, true) => Unit::OperationsPerMegacycle,
    }
}

/// The line of the baseline itself: its rates.
fn baseline_rates(rows: &[(Label, &Row)], comparison: &Comparison, columns: usize) -> Line {
    let unit = unit(rows[0].1, comparison);
    let lengths = lengths(rows);
    let mut entries: Vec<Entry> = lengths
        .iter()
        .map(|length| {
            let mut cells = rows.iter().flat_map(|(_, row)| &row.cells);
            let cell = cells.find(|cell| cell.length == *length);
            bare(cell.map_or("-".into(), |cell| unit.show(cell.change.before)))
        })
        .collect();
    entries.resize_with(columns, || bare(String::new()));
    Line {
        kind: Kind::Rates,
        label: plain(&format!("{}, {}", comparison.baseline, unit.name())),
        entries,
    }
}

/// The line below all others: the mean of everything.
fn all(mean: &Change, columns: usize) -> Line {
    let mut entries: Vec<Entry> = (1..columns).map(|_| bare(String::new())).collect();
    entries.push(entry(mean));
    Line {
        kind: Kind::Limit,
        label: "geometric mean of all".into(),
        entries,
    }
}
