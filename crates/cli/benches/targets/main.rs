//! The figures that AES is to reach, beside those of other libraries and the machine's own bound, all from this one run.
//!
//! `cargo bench` measures what a program gets: for each length the implementation that this run chose. All rates are
//! throughput; `make bench-modes` has the latency of small messages too. Aims in GB/s and ns are for the reference
//! machine, a Zen 5: elsewhere the share of the bound that they are there stands beside them. `--features openssl`
//! brings OpenSSL 4 with it, in a column of its own. Words after `--bench targets --` choose the rows that contain all
//! of them.
//!
//! With `RUSTFLAGS='--cfg aes_backend="soft"'` (and a target folder of its own) it compares the portable code with
//! RustCrypto's, which that setting keeps from using AES instructions: `make bench` does both.
#![forbid(unsafe_code)]

mod aims;
mod run;
mod table;

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    error::Error,
};

use aims::{ROWS, Row};
use ciphertune_measure::worker;
use run::{Measured, tasks};
use table::{line, line_of};

const PORTABLE: &str = "ciphertune/portable";
const SOFT: bool = cfg!(aes_backend = "soft");

fn main() -> Result<(), Box<dyn Error>> {
    ciphertune::hide_features()?;
    if env::args().nth(1).as_deref() == Some("worker") {
        return Ok(worker::serve()?);
    }
    let words: Vec<String> = env::args().skip(1).filter(|word| word != "--bench").collect();
    if SOFT { portable() } else { chosen(&words) }
}

/// Lengths whose cost their neighbours, the next multiples of 64, should predict.
const ODD: [u64; 5] = [300, 500, 1343, 1351, 4095];
const OF_ODD: &str = "AES-128-CTR encrypt, stream/1";

fn chosen(words: &[String]) -> Result<(), Box<dyn Error>> {
    let is_wanted = |what: &str| words.iter().all(|word| what.contains(word));
    let rows: Vec<&Row> = ROWS.iter().filter(|row| is_wanted(&row.what())).collect();
    let odd: Vec<u64> = (ODD.into_iter())
        .filter(|length| is_wanted(&format!("{OF_ODD}, {length} B")))
        .collect();

    // Tasks with the same lengths are measured together.
    let mut lengths = BTreeMap::<(&str, bool), BTreeSet<u64>>::new();
    for row in &rows {
        lengths
            .entry((row.task, row.by.is_some()))
            .or_default()
            .insert(row.length);
    }
    for &odd in &odd {
        let around = [odd / 64 * 64, odd, odd.next_multiple_of(64)];
        lengths.entry((OF_ODD, false)).or_default().extend(around);
    }
    let mut groups = BTreeMap::<(BTreeSet<u64>, bool), Vec<&str>>::new();
    for ((task, without_aes), lengths) in lengths {
        groups.entry((lengths, without_aes)).or_default().push(task);
    }
    let [mut measured, mut without] = [Measured::default(), Measured::default()];
    for ((lengths, without_aes), names) in groups {
        let lengths = lengths.into_iter().map(|length| length as usize).collect();
        let measured = if without_aes { &mut without } else { &mut measured };
        measured.add(tasks(&names)?, lengths, without_aes)?;
    }

    measured.print_machine();
    table::print_head();
    for row in rows {
        let measured = if row.by.is_some() { &without } else { &measured };
        row.goals
            .iter()
            .for_each(|goal| table::print(measured, row, *goal));
    }
    println!();
    for odd in odd {
        let what = format!("{OF_ODD}, {odd} B: cost against its neighbours'");
        line_of(&what, "<=", 1.15, measured.against_neighbours(OF_ODD, odd));
    }
    Ok(())
}

fn portable() -> Result<(), Box<dyn Error>> {
    let lengths = [1350, 16_384];
    let names = [128, 192, 256].map(|bits| format!("AES-{bits}-CTR encrypt, stream/1"));
    let mut measured = Measured::default();
    measured.add(
        tasks(&names.each_ref().map(String::as_str))?,
        lengths.to_vec(),
        false,
    )?;
    measured.print_machine();
    for name in &names {
        for length in lengths {
            let what = format!("{name}, {length} B: portable, times RustCrypto's soft code");
            let length = length as u64;
            let theirs = measured.of_library(name, length, "rustcrypto@");
            let ratio = measured.of(name, length, PORTABLE).zip(theirs);
            line(
                &what,
                1.5,
                ratio.map(|(ours, theirs)| ours.median / theirs.median),
            );
        }
    }
    Ok(())
}
