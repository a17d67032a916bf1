//! What other tools print, as run files.
//!
//! Each tool's own way of timing is a contract of its own, so that nothing is compared unawares. What a tool does not
//! tell is absent: no interval where there is a single figure.
mod botan;
mod cryptsetup;
mod names;
mod openssl_mr;
mod openssl_text;

use crate::{Cell, Figures, Imported, Machine, Run, Status};

/// What the output itself does not say.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The name of the file.
    pub file: String,
    /// When it is imported, RFC 3339 in UTC.
    pub date: String,
    /// The version of Ciphertune that imports it.
    pub ciphertune: String,
    /// What it was measured on.
    pub machine: Option<String>,
    /// The implementation's id, instead of one from what the output says.
    pub implementation: Option<String>,
}

/// Makes a run of another tool's output, whichever of those known it is: the tables of `openssl speed` from 0.9.7 to
/// 4, with or without what it says while it measures; `openssl speed -mr`; `cryptsetup benchmark`; `botan speed
/// --format=json`. Lines that are none of these are passed over.
pub fn import(text: &str, origin: Origin) -> Result<Run, Unrecognised> {
    let readers = [
        botan::read,
        openssl_mr::read,
        openssl_text::read,
        cryptsetup::read,
    ];
    let report = readers
        .iter()
        .find_map(|read| read(text).filter(|report| !report.rates.is_empty()))
        .ok_or_else(|| Unrecognised(origin.file.clone()))?;
    Ok(run(report, origin))
}

/// A file that is no tool's output.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there are no figures in '{0}' that Ciphertune understands; it reads what `openssl speed`, `openssl speed -mr`, \
     `cryptsetup benchmark` and `botan speed --format=json` print"
)]
pub struct Unrecognised(String);

/// What a tool reports.
struct Report {
    tool: &'static str,
    library: &'static str,
    contract: &'static str,
    version: Option<String>,
    details: Vec<String>,
    rates: Vec<Rate>,
}

/// One figure.
#[derive(Debug, PartialEq)]
struct Rate {
    /// By OpenSSL's name.
    algorithm: String,
    operation: &'static str,
    /// Bytes a message; 1 for an operation without.
    length: u64,
    /// Bytes, or operations.
    per_second: f64,
}

impl Rate {
    /// Operations that have no message.
    fn of_operations(algorithm: String, operation: &'static str, per_second: f64) -> Self {
        Self {
            algorithm,
            operation,
            length: 1,
            per_second,
        }
    }
}

fn run(report: Report, origin: Origin) -> Run {
    let version = report.version.as_ref().map(|version| format!("@{version}"));
    let implementation = origin
        .implementation
        .unwrap_or_else(|| format!("{}{}/default", report.library, version.unwrap_or_default()));
    let mut cells: Vec<Cell> = Vec::new();
    for rate in report.rates {
        let cell = cell(rate, &implementation, report.contract);
        let is_same = |other: &Cell| {
            (&other.algorithm, &other.operation, other.length)
                == (&cell.algorithm, &cell.operation, cell.length)
        };
        // Of a figure that is told twice the later counts: what is told while measuring comes before the table.
        match cells.iter_mut().find(|other| is_same(other)) {
            Some(told) => *told = cell,
            None if cell.figures.is_some() => cells.push(cell),
            None => {}
        }
    }
    Run {
        machine: Machine {
            imported: Some(Imported {
                tool: report.tool.to_owned(),
                version: report.version,
                file: origin.file,
                details: report.details,
            }),
            ..Machine::new(
                origin.machine.unwrap_or_else(|| "a machine not named".to_owned()),
                origin.ciphertune,
                origin.date,
            )
        },
        bounds: Vec::new(),
        cells,
    }
}

fn cell(rate: Rate, implementation: &str, contract: &str) -> Cell {
    Cell {
        algorithm: rate.algorithm,
        operation: rate.operation.to_owned(),
        contract: contract.to_owned(),
        aad: 0,
        length: rate.length,
        threads: 1,
        workers: 0,
        implementation: implementation.to_owned(),
        status: Status::Ok,
        reason: None,
        in_place: true,
        selectable: false,
        figures: figures(rate.per_second),
        chosen: false,
    }
}

/// None for a rate of zero, which is how some tools say that there is none.
fn figures(per_second: f64) -> Option<Figures> {
    (per_second > 0.0 && per_second.is_finite()).then(|| Figures::point(per_second))
}
