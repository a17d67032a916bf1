use std::io::{self, Write};

use ciphertune_results::Run;

use crate::{
    View,
    block::{Block, Entry, Kind, Line, Mark, Note, blocks},
    footer::{circumstances, is_used, remarks},
    text::{at_left, at_right, width},
};

/// Writes the rates of a run as Markdown tables (GitHub's), with what [`terminal`](crate::terminal) shows.
pub fn markdown(run: &Run, view: View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let blocks = blocks(run, view);
    blocks.iter().try_for_each(|block| self::block(block, out))?;

    if is_used(Mark::Fastest, &blocks) {
        writeln!(out, "- **Bold**: fastest of its column")?;
    }
    if is_used(Mark::Chosen, &blocks) {
        writeln!(
            out,
            "- \\+: what tune would choose of these, where the fastest is not"
        )?;
    }
    for note in remarks(run) {
        self::note(&note, out)?;
    }
    for (heading, text) in circumstances(run, view.shares) {
        writeln!(out, "- {heading}: {}", escape(&text))?;
    }
    Ok(())
}

/// A table under its title, its notes, and an empty line after each.
pub(crate) fn block(block: &Block, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "### {}\n", escape(&block.title))?;
    if !block.lines.is_empty() {
        table(block, out)?;
        writeln!(out)?;
    }
    for note in &block.notes {
        self::note(note, out)?;
    }
    if !block.notes.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}

pub(crate) fn note(note: &Note, out: &mut dyn Write) -> io::Result<()> {
    let names: Vec<String> = note.implementations.iter().map(|name| escape(name)).collect();
    writeln!(
        out,
        "- {}: {}{}: {}",
        note.what,
        names.join(", "),
        escape(&note.place),
        escape(&note.reason)
    )
}

fn table(block: &Block, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = vec![vec![block.unit.to_owned()]];
    rows[0].extend(block.columns.iter().cloned());
    for line in &block.lines {
        let mut row = vec![label(line)];
        row.extend(line.entries.iter().map(cell));
        rows.push(row);
    }

    let widths: Vec<usize> = (0..rows[0].len())
        .map(|column| rows.iter().map(|row| width(&row[column])).max().unwrap_or(0))
        .collect();
    for (index, row) in rows.iter().enumerate() {
        write!(out, "| {}", at_left(&row[0], widths[0]))?;
        for (text, &width) in row.iter().zip(&widths).skip(1) {
            write!(out, " | {}", at_right(text, width))?;
        }
        writeln!(out, " |")?;
        if index == 0 {
            write!(out, "|{}", "-".repeat(widths[0] + 2))?;
            for width in &widths[1..] {
                write!(out, "|{}:", "-".repeat(width + 1))?;
            }
            writeln!(out, "|")?;
        }
    }
    Ok(())
}

fn label(line: &Line) -> String {
    match line.kind {
        // Spaces that Markdown keeps.
        Kind::Detail => format!("&nbsp;&nbsp;{}", line.label.trim_start()),
        Kind::Heading | Kind::Rates | Kind::Limit => escape(&line.label),
    }
}

fn cell(entry: &Entry) -> String {
    let text = match entry.mark {
        Mark::Fastest | Mark::Failed => format!("**{}**", entry.text),
        Mark::Chosen => format!("+{}", entry.text),
        // A tilde would strike out.
        Mark::None | Mark::Faster | Mark::Slower => escape(&entry.text),
    };
    match &entry.aside {
        Some(aside) => format!("{text} ({aside})"),
        None => text,
    }
}

/// Takes their meaning from the characters that would make markup of a text.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(
            character,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '|' | '#' | '~' | '&'
        ) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}
