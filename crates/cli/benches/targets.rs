//! The figures that AES-CTR is to reach, each measured now and compared as a ratio within this one run.
//!
//! `cargo bench` measures what a program gets: for each length the implementation that this run chose.
//! With `RUSTFLAGS='--cfg aes_backend="soft"'` (and a target folder of its own) it compares the portable code with
//! RustCrypto's, which that setting keeps from using AES instructions: `make bench` does both.
#![forbid(unsafe_code)]

use std::{env, error::Error, sync::atomic::AtomicBool};

use ciphertune_catalog::{Source, Task, UnknownAlgorithm};
use ciphertune_measure::{Launcher, Observer, Outcome, Plan, Team, Which, measure, worker};
use ciphertune_report::units::significant;
use ciphertune_results::Cell;

const CTR: [&str; 3] = ["AES-128-CTR", "AES-192-CTR", "AES-256-CTR"];

const PORTABLE: &str = "ciphertune/portable";
const SOFT: bool = cfg!(aes_backend = "soft");

fn main() -> Result<(), Box<dyn Error>> {
    ciphertune::hide_features()?;
    if env::args().nth(1).as_deref() == Some("worker") {
        return Ok(worker::serve()?);
    }
    if SOFT { portable() } else { chosen() }
}

/// Lengths whose cost their neighbours, the next multiples of 64, should predict.
const ODD: [u64; 5] = [300, 500, 1343, 1351, 4095];

fn chosen() -> Result<(), Box<dyn Error>> {
    let mut lengths = vec![16, 64, 256, 1024, 1350, 8192, 16_384, 1 << 20, 16 << 20];
    for odd in ODD {
        lengths.extend([odd / 64 * 64, odd, odd.next_multiple_of(64)]);
    }
    lengths.sort_unstable();
    lengths.dedup();
    let lengths = lengths.into_iter().map(|length| length as usize).collect();
    let run = Run(run(&["AES-128-CTR", "AES-256-CTR"], lengths)?);

    run.print();
    println!("\n{:62} {:>10} {:>8}", "what", "target", "measured");
    let aes = |algorithm, length| run.chosen(algorithm, length)?.figures.as_ref()?.bound_share;
    let openssl = |length| {
        let ours = rate(run.chosen("AES-128-CTR", length)?)?;
        Some(ours / rate(run.cell("AES-128-CTR", length, "openssl@")?)?)
    };
    show(
        "AES-128-CTR, 16 KiB: share of the AES bound",
        0.95,
        aes("AES-128-CTR", 16_384),
    );
    show(
        "AES-128-CTR, 16 KiB: times the system's OpenSSL",
        4.0,
        openssl(16_384),
    );
    show(
        "AES-256-CTR, 16 KiB: share of the AES bound",
        0.92,
        aes("AES-256-CTR", 16_384),
    );
    let against = |bound: Option<f64>| Some(rate(run.chosen("AES-128-CTR", 16 << 20)?)? / bound?);
    let aes_bound = run.bound("aes-rounds", None).map(|rounds| rounds / 10.0);
    let memory_bound = run.bound("read-xor-write", Some(16 << 20));
    show(
        "AES-128-CTR, 16 MiB: share of the AES bound",
        0.88,
        against(aes_bound),
    );
    show(
        "  or share of reading, xoring and writing that memory",
        0.95,
        against(memory_bound),
    );
    // Given as 35 and 22 GB/s on a machine whose bound is 53.
    show(
        "AES-128-CTR, 1350 B: share of the AES bound",
        35.0 / 53.0,
        aes("AES-128-CTR", 1350),
    );
    show(
        "AES-128-CTR, 256 B: share of the AES bound",
        22.0 / 53.0,
        aes("AES-128-CTR", 256),
    );
    show("AES-128-CTR, 16 B: times the system's OpenSSL", 1.0, openssl(16));
    for odd in ODD {
        let what = format!("AES-128-CTR, {odd} B: cost against its neighbours'");
        show_at_most(&what, 1.15, run.against_neighbours(odd));
    }
    let timed_share = run.0.run.machine.timed_share;
    show(
        "share of the time that is spent in timed calls",
        0.80,
        timed_share,
    );
    Ok(())
}

fn portable() -> Result<(), Box<dyn Error>> {
    let run = Run(run(&CTR, vec![16, 64, 256, 1024, 1350, 16_384])?);
    run.print();
    println!("\n{:62} {:>10} {:>8}", "what", "target", "measured");
    for algorithm in CTR {
        for length in [1350, 16_384] {
            let what = format!("{algorithm}, {length} B: portable, times RustCrypto's soft code");
            let ratio = run
                .cell(algorithm, length, PORTABLE)
                .zip(run.cell(algorithm, length, "rustcrypto@"))
                .and_then(|(ours, theirs)| Some(rate(ours)? / rate(theirs)?));
            show(&what, 1.5, ratio);
        }
    }
    Ok(())
}

/// Measures, with a word on standard error as it goes.
fn run(algorithms: &[&str], lengths: Vec<usize>) -> Result<Outcome, Box<dyn Error>> {
    let plan = Plan {
        hashed: false,
        teams: vec![Team::ALONE],
        tasks: algorithms
            .iter()
            .map(|name| name.parse().map(Task::usual))
            .collect::<Result<_, UnknownAlgorithm>>()?,
        aad: 0,
        lengths,
        implementations: Which::All,
        sources: Source::defaults()
            .into_iter()
            .filter(|source| !matches!(source, Source::Peer { .. } | Source::Kernel))
            .collect(),
        seconds: 0.05,
        processes: 5,
        until_stable: None,
        confidence: 0.95,
        seed: 2007,
        default_for: |_, length| {
            let implementation = ciphertune::Plan::estimate().implementation(length);
            format!("ciphertune/{}", implementation.name())
        },
    };
    let launcher = Launcher::new(env::current_exe()?, ["worker"]);
    Ok(measure(&plan, &launcher, &mut Quiet, &AtomicBool::new(false))?)
}

struct Quiet;

impl Observer for Quiet {
    fn planned(&mut self, steps: u64) {
        eprintln!("measuring, {steps} steps");
    }

    fn advanced(&mut self, _: u64, _: &str) {}
}

struct Run(Outcome);

impl Run {
    fn print(&self) {
        let view = ciphertune_report::View {
            intervals: true,
            shares: true,
            costs: false,
            fit: false,
            mix: &[],
        };
        let screen = ciphertune_report::Screen {
            colour: false,
            width: Some(120),
        };
        if let Err(error) = ciphertune_report::terminal(&self.0.run, view, screen, &mut std::io::stdout()) {
            eprintln!("cannot print the table: {error}");
        }
        println!("noise floor: {} %", significant(100.0 * self.0.floor));
    }

    fn cells(&self, algorithm: &str, length: u64) -> impl Iterator<Item = &Cell> {
        self.0
            .run
            .cells
            .iter()
            .filter(move |cell| cell.algorithm == algorithm && cell.length == length)
    }

    fn chosen(&self, algorithm: &str, length: u64) -> Option<&Cell> {
        self.cells(algorithm, length).find(|cell| cell.chosen)
    }

    /// The first whose id starts so.
    fn cell(&self, algorithm: &str, length: u64, implementation: &str) -> Option<&Cell> {
        self.cells(algorithm, length)
            .find(|cell| cell.implementation.starts_with(implementation))
    }

    /// The machine's limit of that name, at its widest, in bytes per second.
    fn bound(&self, name: &str, length: Option<u64>) -> Option<f64> {
        let bounds = self
            .0
            .run
            .bounds
            .iter()
            .filter(|bound| bound.name == name && bound.length == length);
        bounds
            .max_by_key(|bound| bound.width)
            .map(|bound| bound.bytes_per_second.median)
    }

    /// Nanoseconds a message against what a straight line between its neighbours says.
    fn against_neighbours(&self, length: u64) -> Option<f64> {
        let cost = |length: u64| Some(length as f64 / rate(self.chosen("AES-128-CTR", length)?)?);
        let (below, above) = (length / 64 * 64, length.next_multiple_of(64));
        let way = (length - below) as f64 / (above - below) as f64;
        Some(cost(length)? / (cost(below)? * (1.0 - way) + cost(above)? * way))
    }
}

fn rate(cell: &Cell) -> Option<f64> {
    Some(cell.figures.as_ref()?.bytes_per_second.median)
}

/// A target to be reached.
fn show(what: &str, target: f64, measured: Option<f64>) {
    line(
        what,
        &format!(">= {target:.3}"),
        measured,
        measured.map(|value| value >= target),
    );
}

/// A target not to be passed.
fn show_at_most(what: &str, target: f64, measured: Option<f64>) {
    line(
        what,
        &format!("<= {target:.3}"),
        measured,
        measured.map(|value| value <= target),
    );
}

fn line(what: &str, target: &str, measured: Option<f64>, met: Option<bool>) {
    let measured = measured.map_or("-".to_owned(), |value| format!("{value:.3}"));
    let verdict = match met {
        Some(true) => "met",
        Some(false) => "missed",
        None => "not measured",
    };
    println!("{what:62} {target:>10} {measured:>8}  {verdict}");
}
