//! The tables of `openssl speed`, from 0.9.7 to 4.
//!
//! ```text
//! The 'numbers' are in 1000s of bytes per second processed.
//! type             16 bytes     64 bytes    256 bytes   1024 bytes   8192 bytes
//! aes-128 cbc      40746.12k    36836.57k    37411.56k    38212.54k    38692.84k
//!                   sign    verify    sign/s verify/s
//! rsa 1024 bits   0.0037s   0.0002s    271.3   4794.1
//! ```
//!
//! A rate without `k` is in bytes per second: the tables write those up to 10 000 so, and a space behind them. What it says
//! while it measures (`Doing md5 for 3s on 16 size blocks: 2087411 md5's in 3.00s`) counts where its table is missing.
use std::iter;

use super::{
    OPENSSL_SPEED, Rate, Report, curves, figure, length, names, odd_length, own,
    processes::{Line, Processes},
    tables::Tables,
};

pub(super) fn read(text: &str) -> Option<Report> {
    let mut lengths: Vec<u64> = Vec::new();
    let mut operations: Vec<&'static str> = Vec::new();
    let mut report = Report {
        tool: "openssl speed",
        library: "openssl",
        contract: OPENSSL_SPEED,
        version: None,
        details: Vec::new(),
        other_version: None,
        odd_length: None,
        rates: Vec::new(),
    };
    let mut implementation = None;
    let mut processes = Processes::default();
    let mut tables = Tables::default();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let Some(line) = processes.line(line) {
            match line {
                Line::Lengths(told) => {
                    tables.header(&told);
                    (lengths, operations) = (told, Vec::new());
                }
                Line::Odd(odd) => _ = report.odd_length.get_or_insert(odd),
                Line::Forked | Line::Nothing => {}
            }
        } else if let Some(name) = line.strip_prefix("implementation: ") {
            report.is_own();
            implementation = Some(name.trim_end());
            (lengths, operations) = (Vec::new(), Vec::new());
        } else if let Some(header) = lengths_of(&words) {
            tables.header(&header);
            (lengths, operations) = (header, Vec::new());
        } else if let Some(odd) = columns_of(&words).and_then(|columns| odd_length(numbers(&columns))) {
            report.odd_length.get_or_insert(odd);
        } else if let Some(header) = operations_of(&words) {
            // What is below a header that is not known belongs to none before it.
            (lengths, operations) = (Vec::new(), header.unwrap_or_default());
        } else if let Some(rate) = doing(line) {
            tables.measuring(&rate.algorithm, rate.length);
            report.extend([Rate {
                table: tables.number(),
                is_ahead: true,
                ..rate
            }]);
        } else if let Some((library, version)) = version(&words) {
            processes.version();
            let known = report.version.as_ref();
            if known.is_some_and(|known| (report.library, known) != (library, &version)) {
                report.other_version = Some(format!("{library} {version}"));
            } else {
                (report.library, report.version) = (library, Some(version));
            }
        } else if DETAILS.iter().any(|start| line.starts_with(start)) {
            report.details.push(line.trim_end().to_owned());
        } else {
            let is_cut = lines.peek().is_none() && !text.ends_with(char::is_whitespace);
            let (at_once, table) = (processes.at_once(), tables.number());
            let row = |rate| Rate {
                at_once,
                table,
                ..rate
            };
            match lengths.is_empty() {
                false => {
                    let rates = symmetric(&words, &lengths, is_cut, implementation);
                    report.extend(rates.into_iter().flatten().map(row));
                }
                true => {
                    let rates = asymmetric(&words, &operations, is_cut, implementation);
                    report.extend(rates.into_iter().map(row));
                }
            }
        }
    }
    Some(report)
}

/// Lines that say how the library was built, and by which clock it was timed: the processor's own or, after `-elapsed`, the
/// wall's, which other work on the machine slows down.
const DETAILS: [&str; 5] = [
    "built on:",
    "options:",
    "compiler:",
    "CPUINFO:",
    "You have chosen to measure elapsed time",
];

/// `version: 3.0.19`, or in older ones a line of its own: `OpenSSL 0.9.7c 30 Sep 2003`. LibreSSL counts its versions by
/// itself, some of which OpenSSL has too.
fn version(words: &[&str]) -> Option<(&'static str, String)> {
    let (library, version) = match words {
        ["version:" | "OpenSSL", version, ..] => ("openssl", version),
        ["LibreSSL", version, ..] => ("libressl", version),
        _ => return None,
    };
    let is_one = version.starts_with(|first: char| first.is_ascii_digit());
    is_one.then(|| (library, version.trim_end_matches(',').to_owned()))
}

fn lengths_of(words: &[&str]) -> Option<Vec<u64>> {
    let columns = columns_of(words)?;
    columns.iter().map(|column| length(column)).collect()
}

/// `type 16 bytes 64 bytes`; where the lengths are long, Ciphertune's own once had no space between them.
fn columns_of(words: &[&str]) -> Option<Vec<String>> {
    let ["type", columns @ ..] = words else {
        return None;
    };
    columns
        .join(" ")
        .split_inclusive("bytes")
        .map(|column| Some(column.strip_suffix("bytes")?.trim().to_owned()))
        .collect()
}

/// Those that are numbers: other words head no table of lengths.
fn numbers(columns: &[String]) -> impl Iterator<Item = &str> {
    let is_number = |column: &&str| column.bytes().all(|byte| byte.is_ascii_digit());
    columns.iter().map(String::as_str).filter(is_number)
}

/// The columns of rates, which stand behind as many of seconds: `sign verify sign/s verify/s`. Where they are wide,
/// Ciphertune's own have no space between them. `Some(None)` for a header of others than are known.
fn operations_of(words: &[&str]) -> Option<Option<Vec<&'static str>>> {
    let (rates, seconds): (Vec<&str>, Vec<&str>) = words.iter().partition(|word| word.ends_with("/s"));
    let rates = rates.iter().flat_map(|columns| columns.split_terminator("/s"));
    let operations: Vec<Option<&'static str>> = rates.map(names::by_name).collect();
    let is_header = !operations.is_empty() && seconds.len() == operations.len();
    is_header.then(|| operations.into_iter().collect())
}

fn symmetric(
    words: &[&str],
    lengths: &[u64],
    is_cut: bool,
    implementation: Option<&str>,
) -> Option<impl Iterator<Item = Rate>> {
    let at = words.len().checked_sub(lengths.len()).filter(|&at| at > 0);
    let at = at.filter(|&at| words[at..].iter().all(is_number));
    let at = at.or_else(|| short(words, lengths.len(), is_cut))?;
    let (name, columns) = words.split_at(at);
    let has_rate = columns.iter().any(|column| rate(column, false).is_some());
    let last = name.iter().rposition(|word| rate(word, false).is_none());
    let (name, more) = name.split_at(last.map_or(1, |last| last + 1));
    // Of more figures than the line of lengths has, if that is cut off, nobody knows which are whose.
    let columns = if more.is_empty() { columns } else { &[] };
    let row = match implementation {
        // Other lines may end in numbers, too.
        Some(own) => Some(own::row(own, name)).filter(|row| row.is_read() || has_rate),
        None => Rate::named(&name.join(" ")),
    }?;
    let is_cut = is_cut || columns.len() < lengths.len();
    let figures = lengths.iter().enumerate();
    Some(figures.map(move |(place, &length)| {
        Rate {
            length,
            per_second: columns
                .get(place)
                .and_then(|column| rate(column, is_cut && place + 1 == columns.len())),
            ..row.clone()
        }
    }))
}

fn is_number(word: &&str) -> bool {
    word.trim_end_matches('k').parse::<f64>().is_ok()
}

/// Where the columns of a row begin that is cut off behind some of them. By what else a program may say, which ends in a
/// number too, it is known by a rate in thousands, but where the text ends: within the first of them perhaps.
fn short(words: &[&str], columns: usize, is_cut: bool) -> Option<usize> {
    let is_rate = |word: &&str| (is_cut || word.contains('.')) && is_number(word);
    let at = words.iter().position(is_rate).filter(|&at| at > 0)?;
    let found = &words[at..];
    let has_thousands = found.iter().any(|word| word.ends_with('k'));
    let is_one = found.iter().all(is_number) && (is_cut || has_thousands);
    (is_one && found.len() < columns).then_some(at)
}

/// `None` where the `k` is missing, may have been cut off, or is too much.
fn rate(column: &str, is_cut: bool) -> Option<f64> {
    let (rate, is_possible) = match column.strip_suffix('k') {
        Some(thousands) => {
            let thousands = figure(thousands, 2)?;
            (1e3 * thousands, thousands >= LEAST_THOUSANDS || thousands == 0.0)
        }
        None => {
            let rate = figure(column, 2)?;
            (rate, rate <= 10_000.0 && (!is_cut || rate < LEAST_THOUSANDS))
        }
    };
    is_possible.then_some(rate)
}

/// Fewer are told in bytes, but for none.
const LEAST_THOUSANDS: f64 = 10.0;

fn asymmetric(
    words: &[&str],
    operations: &[&'static str],
    is_cut: bool,
    implementation: Option<&str>,
) -> Vec<Rate> {
    let count = operations.len();
    // Where the text ends, the last time may lack its unit.
    let is_time = |word: &&str| {
        let seconds = match is_cut && word.contains('.') {
            true => Some(word.strip_suffix('s').unwrap_or(word)),
            false => word.strip_suffix('s'),
        };
        seconds.is_some_and(|seconds| seconds.parse::<f64>().is_ok())
    };
    let at = words.iter().position(is_time).filter(|&at| at > 0 && count > 0);
    let Some((name, columns)) = at.map(|at| words.split_at(at)) else {
        return Vec::new();
    };
    let (times, rates) = columns.split_at(count.min(columns.len()));
    let is_rate = |word: &&str| word.parse::<f64>().is_ok();
    let is_row = rates.len() <= count && (is_cut || !rates.is_empty());
    if !(is_row && times.iter().all(is_time) && rates.iter().all(is_rate)) {
        return Vec::new();
    }
    let row = match implementation {
        Some(own) => own::row(own, name),
        None => Rate::of(key(name), ""),
    };
    // Those are missing that a line lacks which is cut off.
    let pairs = operations.iter().zip(rates.iter().chain(iter::repeat(&"")));
    let rates = pairs.map(|(operation, rate)| Rate {
        operation,
        per_second: figure(rate, 1),
        ..row.clone()
    });
    rates.collect()
}

/// `rsa 2048 bits` as `RSA-2048`, `256 bits ecdsa (nistp256)` as `ECDSA-P-256`, `ML-KEM-768` as it is. OpenSSL before 1.1
/// has `256 bit` there, and from 4.0 on `256 bits EC (prime256v1)`.
fn key(words: &[&str]) -> String {
    let kind = |word: &str| word.to_ascii_uppercase();
    match words {
        [name, bits, "bits"] => format!("{}-{bits}", kind(name)),
        [_, "bit" | "bits", "ecdh", curve] if curve.starts_with("(X") => bare(curve).to_owned(),
        [_, "bit" | "bits", "ecdsa" | "EdDSA" | "SM2" | "EC", curve] => {
            curves::signature(&curves::by_name(bare(curve)))
        }
        [_, "bit" | "bits", name, curve] => format!("{}-{}", kind(name), curves::by_name(bare(curve))),
        [bits, "bits", name] => format!("{}-{bits}", kind(name)),
        other => other.join(" "),
    }
}

fn bare(curve: &str) -> &str {
    curve.trim_matches(['(', ')'])
}

/// `Doing aes-128 cbc for 3s on 16 size blocks: 7639897 aes-128 cbc's in 3.00s`; 3.0 writes `ops`.
fn doing(line: &str) -> Option<Rate> {
    let (name, rest) = line.strip_prefix("Doing ")?.split_once(" for ")?;
    let (_, rest) = rest.split_once(" on ")?;
    let (length, rest) = rest.split_once(" size blocks: ")?;
    let count: f64 = rest.split_whitespace().next()?.parse().ok()?;
    let seconds: f64 = rest
        .rsplit_once(" in ")?
        .1
        .trim()
        .strip_suffix('s')?
        .parse()
        .ok()?;
    let length: u64 = length.parse().ok().filter(|&length| length > 0)?;
    Some(Rate {
        length,
        per_second: Some(count * length as f64 / seconds),
        // `Doing aes-128-gcm ops for 3s on ...`
        ..Rate::named(name.trim_end_matches(" ops"))?
    })
}
