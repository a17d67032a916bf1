use std::io::{self, Write};

use anstyle::Style;
use ciphertune_results::Run;

use crate::{
    View,
    block::{Block, Entry, Kind, Line, Mark, Note, blocks},
    footer::{circumstances, is_used, remarks},
    text::{BAD, FAINT, GOOD, HEADING, Page, Piece, width},
};

/// What the terminal can show.
#[derive(Clone, Copy, Debug, Default)]
pub struct Screen {
    /// Whether it takes ANSI colours. No meaning is carried by colour alone.
    pub colour: bool,
    /// Its width in columns; `None` for no limit. Wider tables are split between columns.
    pub width: Option<usize>,
}

/// Writes the rates of a run as tables: one for each algorithm, one row for each implementation, fastest
/// first at the largest length, and below them what failed, what was skipped, and the machine.
pub fn terminal(run: &Run, view: View<'_>, screen: Screen, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page {
        out,
        colour: screen.colour,
        width: screen.width,
    };
    let blocks = blocks(run, view);
    blocks
        .iter()
        .try_for_each(|block| self::block(block, &mut page))?;

    if is_used(Mark::Fastest, &blocks) {
        page.paragraph("*", GOOD, "fastest of its column")?;
    }
    if is_used(Mark::Chosen, &blocks) {
        page.paragraph(
            "+",
            HEADING,
            "what tune would choose of these, where the fastest is not",
        )?;
    }
    let remarks = remarks(run);
    for note in &remarks {
        self::note(note, &mut page)?;
    }
    if !remarks.is_empty() || is_used(Mark::Fastest, &blocks) {
        page.line(&[])?;
    }
    for (heading, text) in circumstances(run, view.shares) {
        page.paragraph(&format!("{heading}:"), HEADING, &text)?;
    }
    Ok(())
}

/// A table under its title, its notes, and an empty line after each.
pub(crate) fn block(block: &Block, page: &mut Page) -> io::Result<()> {
    page.heading(&block.title)?;
    page.line(&[])?;
    if !block.lines.is_empty() {
        table(block, page)?;
        page.line(&[])?;
    }
    for note in &block.notes {
        self::note(note, page)?;
    }
    if !block.notes.is_empty() {
        page.line(&[])?;
    }
    Ok(())
}

pub(crate) fn note(note: &Note, page: &mut Page) -> io::Result<()> {
    let style = if note.what == "FAILED" { BAD } else { HEADING };
    let text = format!(
        "{}{}: {}",
        note.implementations.join(", "),
        note.place,
        note.reason
    );
    page.paragraph(&format!("{}:", note.what), style, &text)
}

/// Between two columns.
const GAP: usize = 2;

fn table(block: &Block, page: &mut Page) -> io::Result<()> {
    let labels = block
        .lines
        .iter()
        .filter(|line| line.kind != Kind::Heading)
        .map(|line| width(&line.label))
        .chain([width(block.unit)])
        .max()
        .unwrap_or(0);
    let columns: Vec<Column> = (0..block.columns.len())
        .map(|index| Column::new(block, index))
        .collect();

    let room = page.width.unwrap_or(usize::MAX);
    let mut rest = 0..columns.len();
    while !rest.is_empty() {
        // As many columns as fit, and at least one.
        let mut total = labels;
        let fitting = columns[rest.clone()]
            .iter()
            .take_while(|column| {
                total += GAP + column.width;
                total <= room
            })
            .count()
            .max(1);
        let shown = &columns[rest.start..rest.start + fitting];
        if rest.start > 0 {
            page.line(&[])?;
        }
        part(block, labels, shown, page)?;
        rest.start += fitting;
    }
    Ok(())
}

/// The table's labels, and some of its columns.
fn part(block: &Block, labels: usize, columns: &[Column], page: &mut Page) -> io::Result<()> {
    let mut header = vec![Piece::new(block.unit, FAINT).left(labels)];
    for column in columns {
        let head = &block.columns[column.index];
        header.push(Piece::new(head, HEADING).right(column.width).after(GAP));
    }
    page.line(&header)?;

    let total = labels + columns.iter().map(|column| GAP + column.width).sum::<usize>();
    let rule = [Piece::new("-".repeat(total), FAINT)];
    page.line(&rule)?;
    for line in &block.lines {
        if line.kind == Kind::Heading {
            page.heading(&line.label)?;
            continue;
        }
        if line.kind == Kind::Limit {
            page.line(&rule)?;
        }
        let style = if line.kind == Kind::Detail {
            FAINT
        } else {
            Style::new()
        };
        let mut pieces = vec![Piece::new(&line.label, style).left(labels)];
        for column in columns {
            pieces.extend(column.pieces(line));
        }
        page.line(&pieces)?;
    }
    Ok(())
}

/// The widths of one column. Rates stand with their decimal points under each other, so that a longer
/// number does not look like a larger one.
struct Column {
    index: usize,
    width: usize,
    whole: usize,
    fraction: usize,
    aside: usize,
}

impl Column {
    fn new(block: &Block, index: usize) -> Self {
        let mut column = Self {
            index,
            width: width(&block.columns[index]),
            whole: 0,
            fraction: 0,
            aside: 0,
        };
        for line in &block.lines {
            let entry = &line.entries[index];
            if line.kind == Kind::Detail {
                column.width = column.width.max(width(&entry.text));
                continue;
            }
            if let Some((whole, fraction)) = split(entry) {
                column.whole = column.whole.max(width(&whole));
                column.fraction = column.fraction.max(width(fraction));
            }
            // With the space before it.
            let aside = entry
                .aside
                .as_ref()
                .map_or(0, |aside| 1 + width(&brackets(aside)));
            column.aside = column.aside.max(aside);
        }
        let words = block.lines.iter().filter(|line| line.kind != Kind::Detail);
        let longest = words
            .map(|line| width(&line.entries[index].text))
            .max()
            .unwrap_or(0);
        column.whole = column.whole.max(longest.saturating_sub(column.fraction));
        column.width = column.width.max(column.whole + column.fraction + column.aside);
        column
    }

    fn pieces(&self, line: &Line) -> Vec<Piece> {
        let entry = &line.entries[self.index];
        let style = match (line.kind, entry.mark) {
            (Kind::Detail, _) => FAINT,
            (_, Mark::Fastest | Mark::Faster) => GOOD,
            (_, Mark::Chosen) => HEADING,
            (_, Mark::Failed | Mark::Slower) => BAD,
            (_, Mark::None) => Style::new(),
        };
        if line.kind == Kind::Detail {
            return vec![Piece::new(&entry.text, style).right(self.width).after(GAP)];
        }
        let spare = GAP + self.width - self.whole - self.fraction - self.aside;
        let number = match split(entry) {
            Some((whole, fraction)) => Piece::new(format!("{whole}{fraction}"), style)
                .after(spare + self.whole - width(&whole))
                .before(self.fraction - width(fraction)),
            None => Piece::new(&entry.text, style)
                .right(self.whole + self.fraction)
                .after(spare),
        };
        let aside = entry.aside.as_deref().map(brackets).unwrap_or_default();
        vec![number, Piece::new(aside, FAINT).right(self.aside)]
    }
}

/// A rate's mark and whole part, and its decimal point and fraction; nothing for a word.
fn split(entry: &Entry) -> Option<(String, &str)> {
    if !entry.text.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let point = entry.text.find('.').unwrap_or(entry.text.len());
    let (whole, fraction) = entry.text.split_at(point);
    let mark = match entry.mark {
        Mark::Fastest => "*",
        Mark::Chosen => "+",
        Mark::None | Mark::Failed | Mark::Faster | Mark::Slower => "",
    };
    Some((format!("{mark}{whole}"), fraction))
}

fn brackets(aside: &str) -> String {
    format!("({aside})")
}
