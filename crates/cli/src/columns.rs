//! A small table of texts.
use std::io::{self, Write};

use ciphertune_report::{Screen, at_left, width};

/// Between two columns.
const GAP: usize = 2;

/// Before what stands below its row.
const INDENT: usize = 2;

/// Writes rows under a header, each column as wide as its widest text. Where the screen is too narrow, what rows share in
/// their first columns, so many, stands above them once; and where that is not enough, the last columns stand below their
/// rows.
pub fn write<const N: usize>(
    header: [&str; N],
    rows: &[[String; N]],
    shared: usize,
    screen: Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    let widths: [usize; N] = std::array::from_fn(|column| {
        let texts = rows.iter().map(|row| width(&row[column]));
        texts.chain([width(header[column])]).max().unwrap_or(0)
    });
    let room = screen.width.unwrap_or(usize::MAX);
    let whole = widths.iter().sum::<usize>() + (N - 1) * GAP;
    let is_narrow = whole > room;
    let mut total = 0;
    let breaks: [bool; N] = std::array::from_fn(|column| {
        let is_first = total == 0;
        total += widths[column] + if is_first { 0 } else { GAP };
        let is_next_line = !is_first && (total > room || is_narrow && column == shared);
        if is_next_line {
            total = INDENT + widths[column];
        }
        is_next_line
    });
    // From a column on, where a line begins.
    let line = |texts: [&str; N], from: usize| {
        let mut line = String::new();
        for ((text, width), is_next_line) in texts.iter().zip(widths).zip(breaks).skip(from) {
            if is_next_line {
                line.truncate(line.trim_end().len());
                line += &format!("\n{:INDENT$}", "");
            }
            line += &format!("{}{:GAP$}", at_left(text, width), "");
        }
        line.truncate(line.trim_end().len());
        line
    };
    writeln!(out, "{}", line(header, 0))?;
    writeln!(out, "{}", "-".repeat(whole.min(room)))?;
    let mut above: Option<&[String]> = None;
    for row in rows {
        let own = &row[..shared];
        let is_shared = is_narrow && above == Some(own);
        above = Some(own);
        let text = line(
            row.each_ref().map(String::as_str),
            if is_shared { shared } else { 0 },
        );
        writeln!(out, "{}", text.trim_start_matches('\n'))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_stands_above_or_below() {
        let rows = [
            ["AES-128-CTR", "portable", "0.450"],
            ["AES-128-CTR", "sse2", "12.3"],
            ["AES-128-GCM", "sse2", "12.3"],
        ];
        let rows = rows.map(|row| row.map(str::to_owned));
        let shown = |width| {
            let screen = Screen { colour: false, width };
            let mut out = Vec::new();
            write(["Algorithm", "Chosen", "GB/s"], &rows, 1, screen, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let whole = "\
Algorithm    Chosen    GB/s
----------------------------
AES-128-CTR  portable  0.450
AES-128-CTR  sse2      12.3
AES-128-GCM  sse2      12.3
";
        assert_eq!(shown(None), whole);
        assert_eq!(shown(Some(28)), whole);
        let narrow = "\
Algorithm
  Chosen    GB/s
---------------------------
AES-128-CTR
  portable  0.450
  sse2      12.3
AES-128-GCM
  sse2      12.3
";
        assert_eq!(shown(Some(27)), narrow);
        let narrowest = "\nAES-128-CTR\n  portable\n  0.450\n  sse2\n  12.3\nAES-128-GCM\n  sse2\n  12.3\n";
        assert!(shown(Some(14)).ends_with(narrowest), "{}", shown(Some(14)));
    }

    /// A Chinese character takes two columns.
    #[test]
    fn wide_characters_move_no_column() {
        let shown = |name: &str| {
            let rows = [[name, "x"], ["abc", "y"]].map(|row| row.map(str::to_owned));
            let mut out = Vec::new();
            write(["", ""], &rows, 1, Screen::default(), &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(shown("暗号").replace("暗号", "abcd"), shown("abcd"));
    }
}
