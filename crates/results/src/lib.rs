//! The run file: its schema, reading and writing; comparing runs, and importing what other tools measured.
//!
//! A run is kept as JSON Lines. `docs/run-format.md` describes every field to those who read such files
//! with other tools.
#![forbid(unsafe_code)]

mod check;
pub mod compare;
mod date;
mod few;
pub mod import;
pub mod lead;
mod read;
mod run;
pub mod statistics;
mod target;
mod tenths;
mod wander;
mod whole;
mod write;

pub use few::few;
pub use read::ReadError;
pub use run::{Bound, Cell, Figures, Imported, Interval, Library, Line, Machine, Run, Spread, Status};
pub use target::{sync_folder, take_place};
pub use tenths::tenths;
pub use wander::wander;
pub use whole::read_whole;
pub use write::{WriteError, replaces, said, writable};

/// The version of the run format that this crate writes. It reads this one and all before it.
pub const FORMAT: u32 = 2;
