//! A small table of texts.
use std::io::{self, Write};

use ciphertune_report::Screen;

/// Between two columns.
const GAP: usize = 2;

/// Before what stands below its row.
const INDENT: usize = 2;

/// Writes rows under a header, each column as wide as its widest text. Where the screen is too narrow, the last columns
/// stand below their rows.
pub fn write<const N: usize>(
    header: [&str; N],
    rows: &[[String; N]],
    screen: Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    let width = |text: &str| text.chars().count();
    let widths: [usize; N] = std::array::from_fn(|column| {
        let texts = rows.iter().map(|row| width(&row[column]));
        texts.chain([width(header[column])]).max().unwrap_or(0)
    });
    let room = screen.width.unwrap_or(usize::MAX);
    let mut total = 0;
    let breaks = widths.map(|width| {
        let is_first = total == 0;
        total += width + if is_first { 0 } else { GAP };
        let is_too_far = !is_first && total > room;
        if is_too_far {
            total = INDENT + width;
        }
        is_too_far
    });
    let line = |texts: [&str; N]| {
        let mut line = String::new();
        for ((text, width), is_too_far) in texts.iter().zip(widths).zip(breaks) {
            if is_too_far {
                line.truncate(line.trim_end().len());
                line += &format!("\n{:INDENT$}", "");
            }
            line += &format!("{text:width$}{:GAP$}", "");
        }
        line.truncate(line.trim_end().len());
        line
    };
    let whole = widths.iter().sum::<usize>() + (N - 1) * GAP;
    writeln!(out, "{}", line(header))?;
    writeln!(out, "{}", "-".repeat(whole.min(room)))?;
    for row in rows {
        writeln!(out, "{}", line(row.each_ref().map(String::as_str)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_stands_below() {
        let rows = [["AES-128-CTR", "portable", "0.450"].map(str::to_owned)];
        let shown = |width| {
            let screen = Screen { colour: false, width };
            let mut out = Vec::new();
            write(["Algorithm", "Chosen", "GB/s"], &rows, screen, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let whole = "\
Algorithm    Chosen    GB/s
----------------------------
AES-128-CTR  portable  0.450
";
        assert_eq!(shown(None), whole);
        assert_eq!(shown(Some(28)), whole);
        let narrow = "\
Algorithm    Chosen
  GB/s
---------------------------
AES-128-CTR  portable
  0.450
";
        assert_eq!(shown(Some(27)), narrow);
        assert!(shown(Some(14)).ends_with("\nAES-128-CTR\n  portable\n  0.450\n"));
    }
}
