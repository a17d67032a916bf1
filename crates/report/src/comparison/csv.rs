use std::io::{self, Write};

use ciphertune_results::compare::{Change, Comparison, Verdict};

use crate::csv::{end, optional};

/// Writes a comparison as CSV (RFC 4180, with a header line): one row for each cell. Rates are in bytes per second
/// or, if they were compared so, per core cycle. `ratio` is the new rate over the baseline's; `verdict` is `faster`,
/// `slower`, `same` or `unknown`. The ends of a ratio are left empty where nobody knows how sure it is, and where they
/// are the same.
pub fn compare_csv(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(COLUMNS)?;
    for compared in &comparison.compared {
        for row in &compared.rows {
            for cell in &row.cells {
                let Change {
                    ratio,
                    verdict,
                    before,
                    after,
                    replicates,
                    chance: _,
                    least_chance: _,
                } = &cell.change;
                let verdict = match verdict {
                    Verdict::Faster => "faster",
                    Verdict::Slower => "slower",
                    Verdict::Same => "same",
                    Verdict::Unknown => "unknown",
                };
                writer.write_record([
                    &*comparison.baseline,
                    &compared.name,
                    &row.algorithm,
                    &row.operation,
                    &row.contract,
                    &cell.length.to_string(),
                    &row.aad.to_string(),
                    &row.threads.to_string(),
                    &row.workers.to_string(),
                    &row.baseline_implementation,
                    &row.implementation,
                    &row.compared_contract,
                    &row.compared_aad.to_string(),
                    &before.to_string(),
                    &after.to_string(),
                    &ratio.median.to_string(),
                    &optional(end(*ratio, |ratio| ratio.low)),
                    &optional(end(*ratio, |ratio| ratio.high)),
                    &replicates[0].to_string(),
                    &replicates[1].to_string(),
                    verdict,
                ])?;
            }
        }
    }
    writer.flush()
}

const COLUMNS: [&str; 21] = [
    "baseline",
    "compared",
    "algorithm",
    "operation",
    "contract",
    "length",
    "aad",
    "threads",
    "workers",
    "baseline_implementation",
    "implementation",
    "compared_contract",
    "compared_aad",
    "baseline_rate",
    "rate",
    "ratio",
    "ratio_low",
    "ratio_high",
    "baseline_replicates",
    "replicates",
    "verdict",
];
