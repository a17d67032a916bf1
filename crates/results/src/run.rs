//! The lines of a run file. `docs/run-format.md` explains each field to its readers.
use std::hash::Hash;

use serde::{Deserialize, Deserializer, Serialize};

use crate::{check::is_possible, statistics::Estimate};

/// One line of a run file, told apart by its field `kind`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Line {
    /// The first line: what was measured on, and by what.
    Machine(Machine),
    /// The machine's own limit at one width or length, measured in the same run.
    Bound(Bound),
    /// One (cell, implementation).
    Cell(Cell),
}

/// The machine, and the circumstances of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The version of this format: [`crate::FORMAT`].
    pub format: u32,
    /// The version of Ciphertune that wrote the run.
    pub ciphertune: String,
    /// When the run began, or was imported, RFC 3339 in UTC.
    pub date: String,
    /// Where an imported run comes from; absent where Ciphertune measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Imported>,
    /// The processor's own name for itself.
    pub cpu: String,
    /// Vendor, family, model and stepping, as in `AuthenticAMD 26.2.1`, and what was hidden of it, as in `-avx2`; absent in
    /// an imported run.
    pub cpu_signature: Option<String>,
    /// The microcode's revision, where the system tells it.
    pub microcode: Option<String>,
    /// The hypervisor's CPUID signature, where there is one.
    pub hypervisor: Option<String>,
    /// Logical processors that the run may use; absent in an imported run.
    pub processors: Option<u32>,
    /// Operating system and release; absent in an imported run.
    pub system: Option<String>,
    /// Frequency of the time-stamp counter, in Hz, calibrated against CLOCK_MONOTONIC_RAW; absent in an imported run.
    pub tsc_hz: Option<f64>,
    /// Frequency of the core during the run, in Hz, estimated by dependent chains; absent where the estimates
    /// disagreed.
    pub core_hz: Option<f64>,
    /// CPU features that Ciphertune knows and found.
    pub features: Vec<String>,
    /// What the run could not tell apart, as a share: by how much one implementation, timed as two, differed from
    /// itself in nine cells of ten; in a run of fewer than ten cells by how much it may have, at the run's confidence. Absent
    /// where nothing was timed twice, or other work spoiled all that was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise_floor: Option<f64>,
    /// The share of its processor's time that the hypervisor gave to others during the run; absent where the system
    /// does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stolen: Option<f64>,
    /// The probability with which the intervals around its rates hold the truth, as 0.95.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// The share of the run's time that went into timed calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timed_share: Option<f64>,
    /// Where the implementations come from that have cells, and what they say of themselves.
    #[serde(
        default,
        deserialize_with = "or_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub libraries: Vec<Library>,
}

/// Which code really ran under a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Library {
    /// As in the cells.
    pub implementation: String,
    /// The path of the file, or the crate that is built in.
    pub origin: String,
    /// What the code says its version is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Which instructions it says it goes by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goes_by: Option<String>,
    /// What it says made it, as a compiler and its flags.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
}

impl Machine {
    /// Of which no more is known than its processor's name.
    pub fn new(cpu: String, ciphertune: String, date: String) -> Self {
        Self {
            format: crate::FORMAT,
            ciphertune,
            date,
            imported: None,
            cpu,
            cpu_signature: None,
            microcode: None,
            hypervisor: None,
            processors: None,
            system: None,
            tsc_hz: None,
            core_hz: None,
            features: Vec::new(),
            noise_floor: None,
            stolen: None,
            confidence: None,
            timed_share: None,
            libraries: Vec::new(),
        }
    }

    /// Where an implementation comes from, if the run says so.
    pub fn library(&self, implementation: &str) -> Option<&Library> {
        self.libraries
            .iter()
            .find(|library| library.implementation == implementation)
    }
}

/// Which tool's output a run was imported from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Imported {
    /// The tool, as in `openssl speed`.
    pub tool: String,
    /// Its version, where the output or the importer says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The file's name, without its folder.
    pub file: String,
    /// What else the output says of how it was made, line by line, as in `compiler: gcc -O3`.
    #[serde(
        default,
        deserialize_with = "or_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub details: Vec<String>,
}

/// What the machine itself allows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// `aes-rounds`, `carry-less-multiplications` or `aes-128-gcm-blocks` (what the ports can start), `read-xor-write` or
    /// `copy` (memory).
    pub name: String,
    /// Vector width in bits.
    pub width: u32,
    /// Working set in bytes, for the memory bounds; in files of up to 2026-11-26 the length of one of its messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// Bytes per second; of what the ports can start, bytes of vector through one instruction or, in GCM, through all.
    pub bytes_per_second: Interval,
    /// Of what the ports can start: blocks of 16 bytes per estimated core cycle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_cycle: Option<f64>,
}

/// One implementation in one cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// OpenSSL's name, as in `AES-128-CTR`.
    pub algorithm: String,
    /// What is timed, as in `encrypt`.
    pub operation: String,
    /// Under which contract, with its version, as in `stream/1`.
    pub contract: String,
    /// Bytes of additional data with each message.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_none")]
    pub aad: u64,
    /// Bytes a message. 1 where what is timed has no message, as a signature has none to speak of: all rates are
    /// then operations per second.
    pub length: u64,
    /// Threads at once.
    pub threads: u32,
    /// How many of these only help another, with one stream that all of them share; without any, each has a stream of its
    /// own.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "no_workers")]
    pub workers: u32,
    /// `library@version/variant`.
    pub implementation: String,
    /// Whether there is a figure.
    pub status: Status,
    /// Why there is none, or what makes it doubtful.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether it worked in place; otherwise from buffer to buffer.
    pub in_place: bool,
    /// Whether it may be chosen where its status is [`Status::Ok`]: constant-time, and of Ciphertune's library.
    pub selectable: bool,
    /// The figures, where status is `ok`.
    #[serde(flatten)]
    pub figures: Option<Figures>,
    /// Whether this run chose it for its cell.
    pub chosen: bool,
}

impl Cell {
    /// Of one thread, of which no more is known than what was done by whom.
    pub fn new(implementation: &str, algorithm: &str, operation: &str, contract: &str, length: u64) -> Self {
        Self {
            algorithm: algorithm.to_owned(),
            operation: operation.to_owned(),
            contract: contract.to_owned(),
            aad: 0,
            length,
            threads: 1,
            workers: 0,
            implementation: implementation.to_owned(),
            status: Status::Ok,
            reason: None,
            in_place: true,
            selectable: false,
            figures: None,
            chosen: false,
        }
    }

    /// What its figure is of: a run has one of each.
    pub(crate) fn place(&self) -> impl Eq + Hash {
        (self.length, &self.implementation, self.task())
    }

    /// What is timed, at whatever length and by whomever.
    pub(crate) fn task(&self) -> impl Ord + Hash {
        (
            (&self.algorithm, &self.operation, &self.contract),
            (self.aad, self.threads, self.workers),
        )
    }
}

/// `null` says no more than where the field is absent.
fn or_default<'a, T: Default + Deserialize<'a>, D: Deserializer<'a>>(deserializer: D) -> Result<T, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

fn no_workers(workers: &u32) -> bool {
    *workers == 0
}

fn is_none(aad: &u64) -> bool {
    *aad == 0
}

/// Whether a cell has a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Right before and after timing.
    Ok,
    /// The gate caught it, or it crashed or hung.
    Failed,
    /// It cannot run here, or was not asked for.
    Skipped,
}

/// What the timing found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Bytes per second: the median of the quanta, and the interval over the processes.
    pub bytes_per_second: Interval,
    /// How far the quanta lie apart; absent in an imported run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<Spread>,
    /// Nanoseconds per byte, median.
    pub ns_per_byte: f64,
    /// The median of each process, in bytes per second, in their order: what runs are compared by. `None` for a process
    /// none of whose quanta counts, so that each keeps its number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replicates: Vec<Option<f64>>,
    /// The rate of each quantum that counts, in bytes per second to five digits, by process and round: what the
    /// implementations of one run are compared by, since those of a round followed each other at once. `None` for a round
    /// that has none. Empty where nobody knows.
    #[serde(
        default,
        deserialize_with = "or_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub rounds: Vec<Vec<Option<f64>>>,
    /// Ticks of the time-stamp counter per byte, median; absent in an imported run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tsc_ticks_per_byte: Option<f64>,
    /// Estimated core cycles per byte, median; absent where the machine's estimate is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles_per_byte: Option<f64>,
    /// The share of the machine's own limit for this cell that it reaches, median; 1 is the limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound_share: Option<f64>,
    /// Quanta that count; 0 in an imported run, as the next two are.
    pub quanta: u32,
    /// Quanta dropped because the system interfered.
    pub dropped: u32,
    /// Fresh worker processes that the quanta come from.
    pub processes: u32,
}

impl Figures {
    /// One rate in bytes per second, of which nothing else is known.
    pub fn point(per_second: f64) -> Self {
        Self {
            bytes_per_second: Interval::point(per_second),
            spread: None,
            ns_per_byte: 1e9 / per_second,
            replicates: Vec::new(),
            rounds: Vec::new(),
            tsc_ticks_per_byte: None,
            cycles_per_byte: None,
            bound_share: None,
            quanta: 0,
            dropped: 0,
            processes: 0,
        }
    }
}

/// The first and the last stabilised quartile of the quanta, in bytes per second. It tells how quiet the machine was, and
/// not how sure the rate is: another process may have quanta that agree as well, and another rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// A quarter of the quanta is slower.
    pub low: f64,
    /// A quarter is faster.
    pub high: f64,
}

/// A median with the interval around it. Where nobody knows how sure it is both ends are the median, and a run file
/// leaves them out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Ends", into = "Ends")]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Median.
    pub median: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// One figure of which nobody knows how sure it is.
    pub fn point(median: f64) -> Self {
        Self {
            low: median,
            median,
            high: median,
        }
    }

    /// A rate with the interval that its worker processes tell, whose own rates are the replicates: Student's t of their
    /// logarithms, and as much wider as it takes to hold the median of all quanta too. One process says nothing of others.
    pub fn of_processes(median: f64, replicates: &[Option<f64>], confidence: f64) -> Self {
        let logarithms = replicates.iter().map(|rate| rate.map(f64::ln)).collect();
        let known = Estimate::of(&[logarithms]).map(|mean| mean.interval(confidence).exp());
        match known {
            // Two processes that disagree may, at great confidence, leave nothing out.
            Some(around) if is_possible(around.low) && is_possible(around.high) => Self {
                low: around.low.min(median),
                median,
                high: around.high.max(median),
            },
            _ => Self::point(median),
        }
    }

    /// That of what these are the logarithms of.
    pub fn exp(self) -> Self {
        Self {
            low: self.low.exp(),
            median: self.median.exp(),
            high: self.high.exp(),
        }
    }

    /// Whether nobody knows how sure it is.
    pub fn is_point(&self) -> bool {
        self.low == self.high
    }
}

/// An interval as it stands in a file.
#[derive(Serialize, Deserialize)]
struct Ends {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    low: Option<f64>,
    median: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    high: Option<f64>,
}

impl From<Ends> for Interval {
    fn from(Ends { low, median, high }: Ends) -> Self {
        Self {
            low: low.unwrap_or(median),
            median,
            high: high.unwrap_or(median),
        }
    }
}

impl From<Interval> for Ends {
    fn from(interval: Interval) -> Self {
        let end = |end| (!interval.is_point()).then_some(end);
        Self {
            low: end(interval.low),
            median: interval.median,
            high: end(interval.high),
        }
    }
}

/// All lines of one session. Serialized, it is one document with these three fields.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Run {
    /// What was measured on.
    pub machine: Machine,
    /// The machine's limits.
    pub bounds: Vec<Bound>,
    /// In the order in which they were finished.
    pub cells: Vec<Cell>,
}

impl Run {
    /// Takes in the cells of a session that went on where this one ended: those that this one has not. What that one chose is
    /// no choice of this one.
    pub fn go_on(&mut self, with: Self) {
        let has = |cell: &Cell| self.cells.iter().any(|known| known.place() == cell.place());
        let mut new = with.cells;
        new.retain(|cell| !has(cell));
        new.iter_mut().for_each(|cell| cell.chosen = false);
        self.cells.extend(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_goes_on_has_each_cell_once_and_its_own_choices() {
        let cell = |length, chosen| Cell {
            chosen,
            ..Cell::new("a/b", "AES-128-CTR", "encrypt", "stream/1", length)
        };
        let run = |cells| Run {
            machine: Machine::new(
                "c".to_owned(),
                "0.1.0".to_owned(),
                "2026-01-01T00:00:00Z".to_owned(),
            ),
            bounds: Vec::new(),
            cells,
        };
        let helped = Cell {
            threads: 2,
            workers: 1,
            ..cell(16, false)
        };
        let mut whole = run(vec![cell(16, true)]);
        whole.go_on(run(vec![cell(16, false), helped.clone(), cell(64, true)]));
        assert_eq!(whole.cells, [cell(16, true), helped, cell(64, false)]);
    }

    #[test]
    fn the_interval_of_a_rate_is_that_of_its_processes_and_holds_the_median() {
        let rates = [98.0, 100.0, 101.0, 99.0, 102.0].map(Some);
        let at = |median, confidence| Interval::of_processes(median, &rates, confidence);
        // R: exp(t.test(log(c(98, 100, 101, 99, 102)))$conf.int)
        let interval = at(100.0, 0.95);
        assert!(
            (interval.low - 98.0458).abs() < 1e-3 && (interval.high - 101.9727).abs() < 1e-3,
            "{interval:?}"
        );
        let surer = at(100.0, 0.99);
        assert!(surer.low < interval.low && interval.high < surer.high);
        // The quanta may lean to one side.
        assert_eq!(
            at(90.0, 0.95),
            Interval {
                low: 90.0,
                median: 90.0,
                ..interval
            }
        );
        assert_eq!(at(110.0, 0.95).high, 110.0);
    }

    #[test]
    fn one_process_says_nothing_of_others() {
        let known =
            |rates: &[Option<f64>], confidence| !Interval::of_processes(2.0, rates, confidence).is_point();
        assert!(!known(&[], 0.95) && !known(&[None, Some(2.0), None], 0.95));
        assert!(known(&[Some(1.0), None, Some(2.0)], 0.95));
        // Anything from nothing to infinity.
        assert!(!known(&[Some(1.0), Some(2.0)], 0.999_999));
        // From what no machine has, which no file of runs takes.
        assert!(!known(&[Some(1.0), Some(1.0003)], 0.999_999));
    }
}
