//! The lines of a run file. `docs/run-format.md` explains each field to its readers.
use serde::{Deserialize, Serialize};

/// One line of a run file, told apart by its field `kind`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// When the run began, RFC 3339 in UTC.
    pub date: String,
    /// The processor's own name for itself.
    pub cpu: String,
    /// Vendor, family, model and stepping, as in `AuthenticAMD 26.2.1`.
    pub cpu_signature: String,
    /// The microcode's revision, where the system tells it.
    pub microcode: Option<String>,
    /// The hypervisor's CPUID signature, where there is one.
    pub hypervisor: Option<String>,
    /// Logical processors that the run may use.
    pub processors: u32,
    /// Operating system and release.
    pub system: String,
    /// Frequency of the time-stamp counter, in Hz, calibrated against CLOCK_MONOTONIC_RAW.
    pub tsc_hz: f64,
    /// Frequency of the core during the run, in Hz, estimated by dependent chains; absent where the estimates
    /// disagreed.
    pub core_hz: Option<f64>,
    /// CPU features that Ciphertune knows and found.
    pub features: Vec<String>,
}

/// What the machine itself allows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// `aes-rounds` (rounds that the ports can start), `read-xor-write` or `copy` (memory).
    pub name: String,
    /// Vector width in bits.
    pub width: u32,
    /// Working set in bytes, for the memory bounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// Bytes per second; for `aes-rounds` bytes of state through one round.
    pub bytes_per_second: Interval,
    /// For `aes-rounds`: rounds of one 16-byte block started per estimated core cycle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_cycle: Option<f64>,
}

/// One implementation in one cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// OpenSSL's name, as in `AES-128-CTR`.
    pub algorithm: String,
    /// What is timed: `encrypt`.
    pub operation: String,
    /// Under which contract, with its version, as in `stream/1`.
    pub contract: String,
    /// Bytes a message.
    pub length: u64,
    /// Threads at once.
    pub threads: u32,
    /// `library@version/variant`.
    pub implementation: String,
    /// Whether there is a figure.
    pub status: Status,
    /// Why there is none, or what makes it doubtful.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether it worked in place; otherwise from buffer to buffer.
    pub in_place: bool,
    /// Whether it may be chosen: constant-time, and Ciphertune's library can run it.
    pub selectable: bool,
    /// The figures, where status is `ok`.
    #[serde(flatten)]
    pub figures: Option<Figures>,
    /// Whether this run chose it for its cell.
    pub chosen: bool,
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
    /// Bytes per second.
    pub bytes_per_second: Interval,
    /// Nanoseconds per byte, median.
    pub ns_per_byte: f64,
    /// Ticks of the time-stamp counter per byte, median.
    pub tsc_ticks_per_byte: f64,
    /// Estimated core cycles per byte, median; absent where the machine's estimate is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles_per_byte: Option<f64>,
    /// The share of the machine's own limit for this cell that it reaches, median; 1 is the limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound_share: Option<f64>,
    /// Quanta that count.
    pub quanta: u32,
    /// Quanta dropped because the system interfered.
    pub dropped: u32,
    /// Fresh worker processes that the quanta come from.
    pub processes: u32,
}

/// A median with the interval around it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Median.
    pub median: f64,
    /// Upper end.
    pub high: f64,
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
