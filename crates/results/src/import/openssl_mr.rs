//! `openssl speed -mr`.
//!
//! ```text
//! +H:16:64:256:1024:8192:16384
//! +F:25:AES-128-GCM:47370256.00:182499103.03:722891520.00:2078999552.00:4662026240.00:5131386880.00
//! +F2:2:2048:4448.000000:75630.303030
//! +F5:22:253:38787.755102:0.000026
//! ```
//!
//! `+F` is in bytes per second; of the others some versions give operations per second and some seconds per operation.
//! While it measures, `+DT:name:seconds:length` stands before each `+R:count:name:seconds`, and `+DTP:name:operation:seconds`
//! before what keys of KEMs and later signatures do, `+R15:count:name:seconds`: from OpenSSL 3.5 on their rows at the end
//! have a number in the place of a name, which depends on what is there. Ciphertune's own has a line `+I:implementation`
//! before each implementation's.
use std::iter;

use super::{
    OPENSSL_SPEED, Rate, Report, curves, figure, length, names, odd_length,
    own::{self, Told},
    processes::{Line, Processes},
    tables::Tables,
};

pub(super) fn read(text: &str) -> Option<Report> {
    let mut report = Report {
        tool: "openssl speed -mr",
        library: "openssl",
        contract: OPENSSL_SPEED,
        version: None,
        details: Vec::new(),
        other_version: None,
        odd_length: None,
        rates: Vec::new(),
    };
    let mut lengths: Vec<u64> = Vec::new();
    let mut timed = None;
    let mut key_does = None;
    let mut nameless = 0;
    // How many of the rates are of rows, or came before one.
    let mut settled = 0;
    let mut signatures = Vec::new();
    let mut implementation = None;
    let mut processes = Processes::default();
    let mut tables = Tables::default();
    for line in text.lines() {
        if let Some(line) = processes.line(line) {
            match line {
                Line::Lengths(told) => {
                    tables.header(&told);
                    lengths = told;
                }
                Line::Odd(odd) => _ = report.odd_length.get_or_insert(odd),
                // What was told while it was measured is the process's, and in the rows to come.
                Line::Forked => report.rates.truncate(settled),
                Line::Nothing => {}
            }
            continue;
        }
        if let Some(name) = line.strip_prefix("+I:") {
            report.is_own();
            (implementation, lengths) = (Some(name.trim_end()), Vec::new());
            continue;
        }
        let fields: Vec<&str> = line.trim_end().split(':').collect();
        if matches!(fields[0], "+H" | "+DT" | "+DTP") {
            processes.measuring();
        }
        let at_once = processes.at_once();
        match fields[..] {
            ["+H", ref columns @ ..] => {
                let odd = odd_length(columns.iter().copied());
                report.odd_length = report.odd_length.or(odd);
                lengths = columns.iter().filter_map(|column| length(column)).collect();
                tables.header(&lengths);
            }
            ["+F", _, name, ref rates @ ..] if !rates.is_empty() => {
                // Of more than the line of lengths has, if that is cut off, nobody knows which are whose.
                let rates = if rates.len() > lengths.len() { &[] } else { rates };
                let row = match implementation {
                    Some(own) => Some(own::row(own, &name.split_whitespace().collect::<Vec<_>>())),
                    None => Rate::named(name),
                };
                report.extend(row.iter().flat_map(|row| {
                    // Those are missing that a line lacks which is cut off.
                    let columns = lengths.iter().zip(rates.iter().chain(iter::repeat(&"")));
                    columns.filter_map(|(&length, rate)| {
                        let row = Rate {
                            at_once,
                            table: tables.number(),
                            ..row.clone()
                        };
                        at(row, length, figure(rate, 2))
                    })
                }));
            }
            // The rate of one process among several.
            [kind, ..] if kind.starts_with("+R") && processes.are_there() => {}
            ["+DT", _, _, length] => timed = length.parse::<u64>().ok(),
            ["+DTP", _, operation, _] => key_does = names::by_name(operation),
            [kind, count, name, seconds] if kind.starts_with("+R") && kind != "+R" => {
                report.extend((|| {
                    let count: f64 = count.parse().ok()?;
                    Some(Rate::of_operations(
                        name.to_owned(),
                        key_does.take()?,
                        figure(seconds, 2).map(|seconds| count / seconds),
                    ))
                })());
            }
            ["+R", count, name, seconds] => report.extend((|| {
                let length = timed?;
                let bytes = count.parse::<f64>().ok()? * length as f64;
                let row = Rate::named(name)?;
                tables.measuring(&row.algorithm, length);
                let row = Rate {
                    table: tables.number(),
                    is_ahead: true,
                    ..row
                };
                at(row, length, figure(seconds, 6).map(|seconds| bytes / seconds))
            })()),
            // What would be the bits is the first rate.
            ["+F8" | "+F9" | "+F10", _, rate, ..] if rate.contains('.') => nameless += 1,
            [kind, index, bits, ref rates @ ..] if kind.starts_with("+F") => {
                match asymmetric(kind, index, bits, rates) {
                    Some(rates) => {
                        let first = report.rates.len();
                        report.extend(rates.into_iter().map(|rate| Rate {
                            told: implementation.map(Told::of),
                            at_once,
                            ..rate
                        }));
                        signatures.push(first..report.rates.len());
                    }
                    None => nameless += 1,
                }
            }
            _ => {}
        }
        if fields[0].starts_with("+F") {
            settled = report.rates.len();
        }
    }
    signatures.retain(|row| {
        report.rates[row.clone()]
            .iter()
            .all(|rate| rate.operation != "derive")
    });
    let rows = signatures.iter().map(|row| &report.rates[row.clone()]);
    if are_seconds(&rows.collect::<Vec<_>>()) {
        for rate in signatures.into_iter().flatten() {
            let rate = &mut report.rates[rate].per_second;
            *rate = rate.map(f64::recip);
        }
    }
    let has_names = report.rates.iter().any(|rate| rate.operation == "generate");
    if nameless > 0 && !has_names {
        report.details.push(format!(
            "{nameless} rows name no algorithm and are left out: what -mr writes to standard error has the names"
        ));
    }
    Some(report)
}

fn at(row: Rate, length: u64, per_second: Option<f64>) -> Option<Rate> {
    (length > 0).then_some(Rate {
        length,
        per_second,
        ..row
    })
}

/// Whether what all rows of keys that sign have for rates is seconds an operation: one version writes one unit. RSA
/// verifies in less time than it signs, however slow the machine. Without it what is never 1 or more is taken for seconds.
fn are_seconds(rows: &[&[Rate]]) -> bool {
    let by_rsa = rows.iter().find_map(|row| match row {
        [sign, verify, ..] if sign.algorithm.starts_with("RSA-") => {
            let order = verify.known()?.partial_cmp(&sign.known()?)?;
            order.is_ne().then(|| order.is_lt())
        }
        _ => None,
    });
    let mut all = rows.iter().copied().flatten();
    by_rsa.unwrap_or_else(|| all.all(|rate| rate.per_second < Some(1.0)))
}

fn asymmetric(kind: &str, index: &str, bits: &str, rates: &[&str]) -> Option<Vec<Rate>> {
    let (algorithm, operations): (String, &[&'static str]) = match kind {
        "+F2" => (format!("RSA-{bits}"), &["sign", "verify", "encrypt", "decrypt"]),
        "+F3" => (format!("DSA-{bits}"), &["sign", "verify"]),
        "+F4" if bits == "253" => ("Ed25519".into(), &["sign", "verify"]),
        "+F4" if bits == "456" => ("Ed448".into(), &["sign", "verify"]),
        "+F4" => (
            curves::signature(&curves::by_number(index, bits)),
            &["sign", "verify"],
        ),
        // The second figure is the first one's inverse.
        "+F5" if bits == "253" => ("X25519".into(), &["derive"]),
        "+F5" if bits == "448" => ("X448".into(), &["derive"]),
        "+F5" => (format!("ECDH-{}", curves::by_number(index, bits)), &["derive"]),
        "+F6" => (rates.first()?.to_string(), &["sign", "verify"]),
        // From 3.5 on the seventh, before it the eighth.
        "+F7" if bits.len() < 4 => ("SM2".into(), &["sign", "verify"]),
        "+F7" | "+F8" => (format!("FFDH-{bits}"), &["derive"]),
        _ => return None,
    };
    let named = usize::from(kind == "+F6" || (kind == "+F7" && algorithm == "SM2"));
    let mut figures: Vec<Option<f64>> = rates.get(named..)?.iter().map(|rate| figure(rate, 6)).collect();
    if operations == ["derive"] {
        // Seconds and operations, in either order: whichever is more is the operations. It takes both to tell.
        figures = vec![match figures[..] {
            [Some(one), Some(other)] => Some(one.max(other)),
            _ => None,
        }];
    }
    let pairs = operations.iter().zip(figures);
    Some(
        pairs
            .map(|(operation, rate)| Rate::of_operations(algorithm.clone(), operation, rate))
            .collect(),
    )
}
