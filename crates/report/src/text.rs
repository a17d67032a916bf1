//! Words and columns for a terminal.
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

pub(crate) const HEADING: Style = Style::new().bold();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();

/// A text on one line, without what could steer a terminal: names and reasons may come from a foreign file, and names of
/// files from anywhere.
pub fn steerless(text: &str) -> String {
    text.replace(steers, " ")
}

/// Likewise, without spaces at its end.
pub(crate) fn plain(text: &str) -> String {
    steerless(text).trim_end().to_owned()
}

/// Besides control characters, what ends a line, and what turns the direction of the text behind it, which may then show
/// another name than it has.
fn steers(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// Columns that a text takes in a terminal, which need not be as many as it has characters.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// A text with spaces behind it, as far as a column is wide. What Rust formats to a width counts characters.
pub fn at_left(text: &str, column: usize) -> String {
    format!("{text}{}", spare(text, column))
}

/// Likewise, with spaces before it.
pub(crate) fn at_right(text: &str, column: usize) -> String {
    format!("{}{text}", spare(text, column))
}

fn spare(text: &str, column: usize) -> String {
    " ".repeat(column.saturating_sub(width(text)))
}

/// Writes lines without spaces at their ends, with or without colour.
pub(crate) struct Page<'a> {
    pub(crate) out: &'a mut dyn Write,
    pub(crate) colour: bool,
    pub(crate) width: Option<usize>,
}

impl Page<'_> {
    pub(crate) fn line(&mut self, pieces: &[Piece]) -> io::Result<()> {
        let mut pending = 0;
        for piece in pieces {
            pending += piece.left;
            if piece.text.is_empty() {
                pending += piece.right;
                continue;
            }
            write!(self.out, "{:pending$}", "")?;
            if self.colour && !piece.style.is_plain() {
                write!(self.out, "{}{}{:#}", piece.style, piece.text, piece.style)?;
            } else {
                write!(self.out, "{}", piece.text)?;
            }
            pending = piece.right;
        }
        writeln!(self.out)
    }

    /// A heading alone, broken between words; the lines after the first are indented.
    pub(crate) fn heading(&mut self, text: &str) -> io::Result<()> {
        let room = self.width.unwrap_or(usize::MAX);
        let mut line = String::new();
        for word in text.split(' ').filter(|word| !word.is_empty()) {
            if line.is_empty() {
                line = word.to_owned();
            } else if width(&line) + 1 + width(word) <= room {
                line = format!("{line} {word}");
            } else {
                self.line(&[Piece::new(line, HEADING)])?;
                line = format!("  {word}");
            }
        }
        self.line(&[Piece::new(line, HEADING)])
    }

    /// A heading and a paragraph, broken between words, and behind the colons of a word that is a list too long for a line;
    /// the lines after the first are indented.
    pub(crate) fn paragraph(&mut self, heading: &str, style: Style, text: &str) -> io::Result<()> {
        const INDENT: usize = 2;
        let room = self.width.unwrap_or(usize::MAX);
        let mut used = width(heading);
        let mut line = vec![Piece::new(heading, style)];
        for word in text.split(' ').filter(|word| !word.is_empty()) {
            let parts: Vec<&str> = match INDENT.saturating_add(width(word)) > room {
                true => word.split_inclusive(':').collect(),
                false => vec![word],
            };
            for (number, part) in parts.into_iter().enumerate() {
                let gap = usize::from(used > 0 && number == 0);
                if used > INDENT && used + gap + width(part) > room {
                    self.line(&line)?;
                    line = vec![Piece::new(part, Style::new()).after(INDENT)];
                    used = INDENT + width(part);
                } else {
                    line.push(Piece::new(part, Style::new()).after(gap));
                    used += gap + width(part);
                }
            }
        }
        self.line(&line)
    }
}

/// A text with spaces on both sides.
#[derive(Clone)]
pub(crate) struct Piece {
    left: usize,
    text: String,
    right: usize,
    style: Style,
}

impl Piece {
    pub(crate) fn new(text: impl Into<String>, style: Style) -> Self {
        Self {
            left: 0,
            text: text.into(),
            right: 0,
            style,
        }
    }

    /// With spaces before it.
    pub(crate) fn after(mut self, spaces: usize) -> Self {
        self.left += spaces;
        self
    }

    /// With spaces behind it.
    pub(crate) fn before(mut self, spaces: usize) -> Self {
        self.right += spaces;
        self
    }

    /// At the left of a column.
    pub(crate) fn left(mut self, column: usize) -> Self {
        self.right += column.saturating_sub(width(&self.text));
        self
    }

    /// At the right of a column.
    pub(crate) fn right(mut self, column: usize) -> Self {
        self.left += column.saturating_sub(width(&self.text));
        self
    }
}
