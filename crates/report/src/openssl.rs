//! What `openssl speed` prints, for the scripts that read it.
//!
//! It knows one implementation; here each has a block of its own, under its name.
mod mr;

use std::{
    collections::{HashMap, HashSet},
    io::{self, Write},
};

use ciphertune_results::{Cell, Run};

use crate::{
    block::{is_counted, threads},
    text::{at_left, plain, width},
};

pub use mr::{left_out_of_mr, mr};

/// Writes a run as the tables that `openssl speed` prints: thousands of bytes per second, under a line
/// `implementation: NAME` for each implementation. What has no figure is 0.00, as there.
pub fn classic(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    for part in parts(run) {
        writeln!(out, "implementation: {}", plain(part.implementation))?;
        // OpenSSL's, and more where a label is longer than its are.
        let labels = part.rows.iter().map(|row| width(&row.label));
        let wide = labels.fold(13, usize::max);
        if !part.lengths.is_empty() {
            writeln!(out, "The 'numbers' are in 1000s of bytes per second processed.")?;
            write!(out, "{:<1$}", "type", wide - 1)?;
            for &length in &part.lengths {
                write!(out, " {:>12}", head(length))?;
            }
            writeln!(out)?;
        }
        for row in &part.rows {
            write!(out, "{}", at_left(&row.label, wide))?;
            for (rate, &length) in row.rates(&part.lengths).zip(&part.lengths) {
                // The boundary is OpenSSL's.
                let figure = match rate > 10_000.0 {
                    true => format!("{:.2}k", rate / 1e3),
                    false => format!("{rate:.2} "),
                };
                // As wide as OpenSSL's, and more where the length is longer than its are.
                write!(out, " {figure:>0$}", head(length).len().max(12))?;
            }
            writeln!(out)?;
        }
        let labels = part.keys.iter().map(|key| width(&key.label));
        let wide = labels.fold(17, usize::max);
        for key in &part.keys {
            // Each with its header: the operations of the next one may be others.
            let (mut header, mut row) = (" ".repeat(wide), at_left(&key.label, wide));
            for (title, figure) in key.columns() {
                let width = title.len().max(figure.len()).max(8);
                header += &format!(" {title:>width$}");
                row += &format!(" {figure:>width$}");
            }
            writeln!(out, "{header}\n{row}")?;
        }
    }
    Ok(())
}

/// What stands above the rates of a length.
fn head(length: u64) -> String {
    format!("{length} bytes")
}

/// OpenSSL's titles of what an operation takes, and of how many a second there are.
fn titles(operation: &str) -> [String; 2] {
    let [time, rate] = match operation {
        "encrypt" => ["encrypt", "encr."],
        "decrypt" => ["decrypt", "decr."],
        "derive" => ["op", "op"],
        "generate" => ["keygen", "keygens"],
        "encapsulate" => ["encaps", "encaps"],
        "decapsulate" => ["decaps", "decaps"],
        other => [other, other],
    };
    [time.to_owned(), format!("{rate}/s")]
}

/// What one implementation did.
struct Part<'a> {
    implementation: &'a str,
    lengths: Vec<u64>,
    rows: Vec<Row<'a>>,
    keys: Vec<Key<'a>>,
}

/// Cells that differ in their lengths alone.
struct Row<'a> {
    label: String,
    cells: Vec<&'a Cell>,
}

impl Row<'_> {
    fn rates(&self, lengths: &[u64]) -> impl Iterator<Item = f64> {
        lengths.iter().map(|&length| {
            let cell = self.cells.iter().find(|cell| cell.length == length);
            cell.and_then(|cell| rate(cell)).unwrap_or(0.0)
        })
    }
}

/// The operations that one algorithm has without a message, and their rates.
struct Key<'a> {
    label: String,
    rates: Vec<(&'a str, f64)>,
}

impl Key<'_> {
    /// Each with its title: what each operation takes, and then the rates.
    fn columns(&self) -> impl Iterator<Item = (String, String)> {
        let all = || {
            self.rates
                .iter()
                .map(|&(operation, rate)| (titles(operation), rate))
        };
        let times = all().map(|([title, _], rate)| (title, format!("{:.6}s", 1.0 / rate)));
        times.chain(all().map(|([_, title], rate)| (title, format!("{rate:.1}"))))
    }
}

fn rate(cell: &Cell) -> Option<f64> {
    let figures = cell.figures.as_ref()?;
    Some(figures.bytes_per_second.median)
}

/// One for each implementation that has any figure.
fn parts(run: &Run) -> Vec<Part<'_>> {
    let several = with_several_contracts(run);
    let mut parts: Vec<Part<'_>> = Vec::new();
    for cell in run.cells.iter().filter(|cell| cell.figures.is_some()) {
        let part = match parts
            .iter_mut()
            .find(|part| part.implementation == cell.implementation)
        {
            Some(part) => part,
            None => parts.push_mut(Part {
                implementation: &cell.implementation,
                lengths: Vec::new(),
                rows: Vec::new(),
                keys: Vec::new(),
            }),
        };
        part.add(cell, label(cell, several.contains(&*cell.algorithm)));
    }
    for part in &mut parts {
        part.lengths.sort_unstable();
    }
    parts
}

/// The algorithms that are timed under several contracts in this run. Others have OpenSSL's names alone, which scripts
/// look for.
fn with_several_contracts(run: &Run) -> HashSet<&str> {
    let mut first: HashMap<&str, &str> = HashMap::new();
    run.cells
        .iter()
        .filter(|cell| *first.entry(&cell.algorithm).or_insert(&cell.contract) != cell.contract)
        .map(|cell| &*cell.algorithm)
        .collect()
}

impl<'a> Part<'a> {
    fn add(&mut self, cell: &'a Cell, label: String) {
        if let (true, Some(rate)) = (is_counted(cell), rate(cell)) {
            let rate = (&*cell.operation, rate);
            match self.keys.iter_mut().find(|key| key.label == label) {
                Some(key) => key.rates.push(rate),
                None => self.keys.push(Key {
                    label,
                    rates: vec![rate],
                }),
            }
            return;
        }
        if !self.lengths.contains(&cell.length) {
            self.lengths.push(cell.length);
        }
        match self.rows.iter_mut().find(|row| row.label == label) {
            Some(row) => row.cells.push(cell),
            None => self.rows.push(Row {
                label,
                cells: vec![cell],
            }),
        }
    }
}

/// The algorithm, and what OpenSSL's tables do not tell where it is not what they mean: the other direction, threads,
/// and contracts where it has several. No colon, which separates fields; nor a space for it, which separates those words.
fn label(cell: &Cell, has_several: bool) -> String {
    let mut label = cell.algorithm.clone();
    if matches!(&*cell.operation, "decrypt" | "open") {
        label += &format!(" {}", cell.operation);
    }
    if has_several {
        label += &format!(" {}", cell.contract);
    }
    if cell.threads > 1 {
        label += &format!(" {}", threads(cell.threads, cell.workers));
    }
    plain(&label).replace(':', "-")
}
