use std::io::{self, Write};

use ciphertune_results::Run;
use serde_json::{Value, json};

use crate::Listed;

/// Writes a run as one JSON document with the fields `machine`, `bounds` and `cells`, as
/// `docs/run-format.md` describes them.
pub fn json(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, run)?;
    writeln!(out)
}

/// Writes implementations as one JSON document, an array of objects with the fields of [`Listed`].
pub fn list_json(rows: &[Listed], out: &mut dyn Write) -> io::Result<()> {
    let object = |row: &Listed| {
        // Nothing is known of what is not there.
        let is_known = !row.version.is_empty();
        json!({
            "id": row.id,
            "version": is_known.then_some(&row.version),
            "constant_time": is_known.then_some(row.constant_time),
            "selectable": is_known.then_some(row.selectable && row.unavailable.is_none()),
            "needs": row.needs,
            "origin": is_known.then_some(&row.origin),
            "goes_by": row.goes_by,
            "unavailable": row.unavailable,
        })
    };
    serde_json::to_writer_pretty(&mut *out, &rows.iter().map(object).collect::<Vec<Value>>())?;
    writeln!(out)
}
