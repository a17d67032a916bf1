//! What other tools print, as run files.
//!
//! Each tool's own way of timing is a contract of its own, so that nothing is compared unawares. What a tool does not
//! tell is absent: no interval where there is a single figure.
mod botan;
mod cryptsetup;
mod curves;
mod names;
mod openssl_mr;
mod openssl_text;
mod own;
mod processes;
mod tables;

use std::collections::{HashMap, HashSet, hash_map::Entry};

use own::Told;

use crate::{
    Cell, Figures, Imported, Machine, Run, Status,
    check::is_possible,
    read::{as_run_file, unmarked},
};

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
    /// Whether it was `openssl speed -decrypt`, whose output is that of encryption.
    pub decrypt: bool,
}

/// Makes a run of another tool's output, whichever of those known it is: the tables of `openssl speed` from 0.9.7 to
/// 4, with or without what it says while it measures; `openssl speed -mr`; Ciphertune's own of both forms;
/// `cryptsetup benchmark`; `botan speed --format=json`. Lines that are none of these are passed over, and a figure that is
/// not whole is skipped, as is one in Ciphertune's own form whose label it does not print.
pub fn import(text: &str, origin: Origin) -> Result<Run, Error> {
    let text = unmarked(text);
    let readers = [
        botan::read,
        openssl_mr::read,
        openssl_text::read,
        cryptsetup::read,
    ];
    let all: Vec<Report> = readers.iter().filter_map(|read| read(text)).collect();
    if let Some(odd) = all.iter().find_map(|report| report.odd_length.clone()) {
        return Err(Error::Length(origin.file, odd));
    }
    if all.iter().any(|report| report.rates.len() > MOST) {
        return Err(Error::TooMany(origin.file));
    }
    let is_known = |report: &Report| report.rates.iter().any(|rate| rate.known().is_some());
    let mut reports = all.into_iter().filter(is_known);
    let Some(mut report) = reports.next() else {
        return Err(match as_run_file(text) {
            Some(Ok(())) => Error::RunFile(origin.file),
            Some(Err((line, problem))) => Error::Damaged(origin.file, line, problem),
            None if botan::is_cut_off(text) => Error::CutOff(origin.file),
            None => Error::Unrecognised(origin.file),
        });
    };
    if let Some(other) = reports.next() {
        return Err(Error::Sources(origin.file, report.tool.into(), other.tool.into()));
    }
    if let Some(other) = report.other_tool() {
        return Err(Error::Sources(origin.file, report.tool.into(), other.into()));
    }
    let mut told = report.rates.iter().filter_map(|rate| rate.told.as_ref());
    if let (Some(named), Some(first)) = (&origin.implementation, told.next())
        && told.any(|other| other.implementation != first.implementation)
    {
        return Err(Error::Several(origin.file, named.clone()));
    }
    if let Some(other) = report.other_version {
        let first = format!("{} {}", report.library, report.version.unwrap_or_default());
        return Err(Error::Sources(origin.file, first, other));
    }
    if origin.decrypt && !report.is_of_decryption() {
        return Err(Error::Encrypts(origin.file));
    }
    run(report, origin)
}

/// Why there is no run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A file that is no tool's output.
    #[error(
        "there are no figures in '{0}' that Ciphertune understands; it reads what `openssl speed`, `openssl speed -mr`, \
         `cryptsetup benchmark` and `botan speed --format=json` print"
    )]
    Unrecognised(String),
    /// JSON without its end, of which no entry is read.
    #[error(
        "'{0}' is cut off: it begins with the JSON of `botan speed --format=json` and lacks its end; import the whole of it"
    )]
    CutOff(String),
    /// What would come out of it.
    #[error("'{0}' is a run file already; give it to ciphertune compare as it is")]
    RunFile(String),
    /// The same with a fault, in a line of that number.
    #[error("'{0}' is a run file already, and cannot be read as one: line {1}: {2}")]
    Damaged(String, usize, String),
    /// One name for the implementations that the file itself tells apart.
    #[error("'{0}' names several implementations, which cannot all be {1}; leave --implementation out")]
    Several(String, String),
    /// What several tools printed, or several versions of one: a run is of one.
    #[error("'{0}' holds what {1} printed and what {2} did; import each from a file of its own")]
    Sources(String, String, String),
    /// Figures that would take each other's places.
    #[error(
        "'{0}' has two figures of {1}, and nothing says which of them counts; import what each command printed from a file \
         of its own"
    )]
    Twice(String, String),
    /// A table whose figures have no place.
    #[error(
        "'{0}' has figures of messages of {1} bytes, which is no length; correct it, or leave its table out"
    )]
    Length(String, String),
    /// Columns without end, for each of which every row would have a figure.
    #[error("'{0}' has more than {most} figures, and no run is as long; name what a tool printed", most = MOST)]
    TooMany(String),
    /// Nothing whose direction would be in doubt.
    #[error(
        "--decrypt is for what `openssl speed -decrypt` printed; '{0}' has no ciphers, or says itself which way they went"
    )]
    Encrypts(String),
}

/// How many figures a text may have: many times as many as a whole `ciphertune speed`. A row is filled up to as many as its
/// table has columns, so that the length of the text bounds nothing.
const MOST: usize = 1 << 20;

/// The contract of `openssl speed`.
const OPENSSL_SPEED: &str = "openssl-speed/1";
/// What `-aead` begins with in the place of 16, 64 and 256 bytes.
const OF_AEAD: [u64; 3] = [2, 31, 136];

/// What a tool reports.
struct Report {
    tool: &'static str,
    library: &'static str,
    contract: &'static str,
    version: Option<String>,
    details: Vec<String>,
    /// A version besides that one, of which figures are there too.
    other_version: Option<String>,
    /// What heads a column in the place of a length.
    odd_length: Option<String>,
    rates: Vec<Rate>,
}

impl Report {
    /// Takes in a row's figures, and of more than there may be one, which tells it.
    fn extend(&mut self, rates: impl IntoIterator<Item = Rate>) {
        let room = (MOST + 1).saturating_sub(self.rates.len());
        self.rates.extend(rates.into_iter().take(room));
    }

    /// Of a table that has the lengths of `openssl speed -aead`, not that of the tool: each message then has additional data
    /// as well. How else messages begin and end differs from one version to the next, and in some of them, as for
    /// ChaCha20-Poly1305 in 3.0.19, `-aead` changes nothing: figures do not tell, so those are kept apart too.
    fn contract_of(&self, rate: &Rate, columns: &HashSet<(usize, &str, u64)>) -> &'static str {
        let has = |length| columns.contains(&rate.column(length));
        match self.contract {
            OPENSSL_SPEED if OF_AEAD.into_iter().all(has) => "openssl-speed-aead/1",
            contract => contract,
        }
    }

    /// It is Ciphertune's own, in the other tool's form.
    fn is_own(&mut self) {
        (self.tool, self.contract) = ("ciphertune speed", own::CONTRACT);
    }

    /// Whose figures are among Ciphertune's own.
    fn other_tool(&self) -> Option<&'static str> {
        let is_own = |rate: &Rate| rate.told.is_some();
        let has_others = self.rates.iter().any(is_own) && !self.rates.iter().all(is_own);
        has_others.then_some("openssl speed")
    }

    /// Its ciphers decrypt; RSA's rows name the operation. Answers whether there are any that could.
    fn is_of_decryption(&mut self) -> bool {
        let mut any = false;
        for rate in &mut self.rates {
            rate.operation = match rate.operation {
                "encrypt" if !rate.algorithm.starts_with("RSA-") => "decrypt",
                "seal" => "open",
                _ => continue,
            };
            any = true;
        }
        any && self.tool.starts_with("openssl ")
    }
}

/// One figure.
#[derive(Clone, Debug, PartialEq)]
struct Rate {
    /// By OpenSSL's name.
    algorithm: String,
    operation: &'static str,
    /// Bytes a message; 1 for an operation without.
    length: u64,
    /// Bytes, or operations; `None` where the figure is not whole.
    per_second: Option<f64>,
    /// How many processes did it at once, whose rates are added up.
    at_once: u32,
    /// Which of the text's tables it is of.
    table: usize,
    /// Whether it was told ahead of the table, which then may have it once more.
    is_ahead: bool,
    /// What Ciphertune's own output tells besides.
    told: Option<Told>,
}

impl Rate {
    /// Its figure, if there is one: a rate of zero is none, and neither is what no run file may have, or has no cost that
    /// it may have.
    fn known(&self) -> Option<f64> {
        self.per_second
            .filter(|rate| self.is_read() && [*rate, 1e9 / rate].into_iter().all(is_possible))
    }

    /// Whether it is known what it is of.
    fn is_read(&self) -> bool {
        self.told.as_ref().is_none_or(|told| told.is_read)
    }

    /// To be completed, by OpenSSL's name of whatever age; `None` for random numbers, which no
    /// algorithm of a run makes.
    fn named(name: &str) -> Option<Self> {
        let algorithm = names::openssl(name);
        let operation = names::operation(&algorithm);
        (algorithm != "RAND").then(|| Self::of(algorithm, operation))
    }

    /// To be completed: it has no rate yet.
    fn of(algorithm: String, operation: &'static str) -> Self {
        Self {
            algorithm,
            operation,
            length: 1,
            per_second: None,
            at_once: 1,
            table: 0,
            is_ahead: false,
            told: None,
        }
    }

    /// Its table, its row there, and the column of that length.
    fn column(&self, length: u64) -> (usize, &str, u64) {
        (self.table, &self.algorithm, length)
    }

    /// Operations that have no message.
    fn of_operations(algorithm: String, operation: &'static str, per_second: Option<f64>) -> Self {
        Self {
            per_second,
            ..Self::of(algorithm, operation)
        }
    }
}

/// The length that heads a column.
fn length(column: &str) -> Option<u64> {
    column.parse().ok().filter(|&length| length > 0)
}

/// The first that is none, but for what is empty.
fn odd_length<'a>(columns: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let is_odd = |column: &&str| !column.is_empty() && length(column).is_none();
    columns.into_iter().find(is_odd).map(str::to_owned)
}

/// A figure that is printed with so many decimals. Where a line is cut off it has fewer, and is none.
fn figure(word: &str, decimals: usize) -> Option<f64> {
    let (_, after) = word.split_once('.')?;
    word.parse().ok().filter(|_| after.len() == decimals)
}

fn run(report: Report, origin: Origin) -> Result<Run, Error> {
    let version = report.version.as_ref().map(|version| format!("@{version}"));
    let default = format!("{}{}/default", report.library, version.unwrap_or_default());
    let named = origin.implementation.as_deref();
    let columns = report.rates.iter().map(|rate| rate.column(rate.length)).collect();
    let cells = report.rates.iter().map(|rate| {
        let contract = report.contract_of(rate, &columns);
        (cell(rate, named, &default, contract), rate)
    });
    let cells: Vec<(Cell, &Rate)> = cells
        .filter(|(cell, _)| cell.figures.is_some() || cell.status != Status::Ok)
        .collect();
    let mut told: Vec<(&Cell, &Rate)> = Vec::new();
    let mut places = HashMap::new();
    for &(ref cell, rate) in &cells {
        let (before, by) = match places.entry(cell.place()) {
            Entry::Occupied(known) => &mut told[*known.get()],
            Entry::Vacant(new) => {
                new.insert(told.len());
                told.push((cell, rate));
                continue;
            }
        };
        // Of a figure that is whole once that counts, and of one that stands in its table too, that in the table.
        let is_told_ahead = by.table == rate.table && by.is_ahead && !rate.is_ahead;
        match (&before.figures, &cell.figures) {
            (_, None) => {}
            (Some(one), Some(other)) if !is_told_ahead => {
                if one != other {
                    let Cell {
                        algorithm,
                        operation,
                        length,
                        ..
                    } = cell;
                    let what = format!("{algorithm} {operation}, length {length}");
                    return Err(Error::Twice(origin.file, what));
                }
            }
            _ => (*before, *by) = (cell, rate),
        }
    }
    Ok(Run {
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
        cells: told.into_iter().map(|(cell, _)| cell.clone()).collect(),
    })
}

/// `named` by whoever imports it goes before what the output tells.
fn cell(rate: &Rate, named: Option<&str>, default: &str, contract: &str) -> Cell {
    let told = rate.told.as_ref();
    let implementation = named
        .or(told.map(|told| &*told.implementation))
        .unwrap_or(default);
    let contract = told.and_then(|told| told.contract.as_deref()).unwrap_or(contract);
    let reason = match rate.per_second {
        // In Ciphertune's own tables it stands where there is none.
        Some(0.0) if told.is_some() => None,
        _ if !rate.is_read() => Some("its label is none that Ciphertune prints"),
        None => Some("its figure is not whole, as where a line is cut off"),
        Some(rate) if rate.is_nan() => Some("its figure is no number, as of nothing done in no time"),
        Some(0.0) => Some("its figure is zero, as of nothing done in the time"),
        Some(_) => None,
    };
    Cell {
        threads: told.map_or(rate.at_once, |told| told.threads),
        workers: told.map_or(0, |told| told.workers),
        status: match reason {
            Some(_) => Status::Skipped,
            None => Status::Ok,
        },
        reason: reason.map(str::to_owned),
        figures: rate.known().map(Figures::point),
        ..Cell::new(
            implementation,
            &rate.algorithm,
            rate.operation,
            contract,
            rate.length,
        )
    }
}
