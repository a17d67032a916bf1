use std::io::{self, Write};

use ciphertune_results::Run;

/// Writes a run as one JSON document with the fields `machine`, `bounds` and `cells`, as
/// `docs/run-format.md` describes them.
pub fn json(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, run)?;
    writeln!(out)
}
