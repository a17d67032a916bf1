//! A small table of texts.
use std::io::{self, Write};

/// Between two columns.
const GAP: usize = 2;

/// Writes rows under a header, each column as wide as its widest text.
pub fn write<const N: usize>(header: [&str; N], rows: &[[String; N]], out: &mut dyn Write) -> io::Result<()> {
    let width = |text: &str| text.chars().count();
    let widths: [usize; N] = std::array::from_fn(|column| {
        let texts = rows.iter().map(|row| width(&row[column]));
        texts.chain([width(header[column])]).max().unwrap_or(0)
    });
    let line = |texts: [&str; N]| {
        let mut line = String::new();
        for (text, width) in texts.iter().zip(widths) {
            line += &format!("{text:width$}{:GAP$}", "");
        }
        line.truncate(line.trim_end().len());
        line
    };
    writeln!(out, "{}", line(header))?;
    writeln!(
        out,
        "{}",
        "-".repeat(widths.iter().sum::<usize>() + (N - 1) * GAP)
    )?;
    for row in rows {
        writeln!(out, "{}", line(row.each_ref().map(String::as_str)))?;
    }
    Ok(())
}
