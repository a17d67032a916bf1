use std::io::{self, Write};

use anstyle::Style;

use crate::{
    Screen,
    text::{BAD, HEADING, Page, Piece, plain, width},
};

/// One implementation, as a list shows it.
#[derive(Clone, Debug)]
pub struct Listed {
    /// `library@version/variant`.
    pub id: String,
    /// The version that the code itself reports; empty where there is no code.
    pub version: String,
    /// Whether its time is independent of key and data.
    pub constant_time: bool,
    /// Whether it may be chosen where it can run.
    pub selectable: bool,
    /// CPU features that it needs.
    pub needs: Vec<String>,
    /// Where the code comes from.
    pub origin: String,
    /// Which instructions it says it goes by, where it tells.
    pub goes_by: Option<String>,
    /// Why it cannot run here, where it cannot.
    pub unavailable: Option<String>,
}

/// Writes implementations as a table, in the order given. Where the screen is too narrow, columns stand in words below
/// their rows.
pub fn list(rows: &[Listed], screen: Screen, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page {
        out,
        colour: screen.colour,
        width: screen.width,
    };
    let texts: Vec<[String; COLUMNS]> = rows.iter().map(texts).collect();
    let widths: [usize; COLUMNS] = std::array::from_fn(|column| {
        let cells = texts.iter().map(|row| width(&row[column]));
        cells.chain([width(HEADER[column])]).max().unwrap_or(0)
    });
    let fits = |columns: &&[usize]| {
        let total: usize = columns.iter().map(|&column| GAP + widths[column]).sum();
        screen.width.is_none_or(|room| total <= GAP + room)
    };
    let side_by_side = LAYOUTS.into_iter().find(fits).unwrap_or(&[0]);

    let line = |texts: &[String; COLUMNS], styles: [Style; COLUMNS]| -> Vec<Piece> {
        let piece = |(place, &column): (usize, &usize)| {
            let gap = if place == 0 { 0 } else { GAP };
            Piece::new(&texts[column], styles[column])
                .left(widths[column])
                .after(gap)
        };
        side_by_side.iter().enumerate().map(piece).collect()
    };
    page.line(&line(&HEADER.map(str::to_owned), [HEADING; COLUMNS]))?;
    for (row, texts) in rows.iter().zip(&texts) {
        let mut styles = [Style::new(); COLUMNS];
        if row.unavailable.is_some() {
            styles[COLUMNS - 1] = BAD;
        }
        page.line(&line(texts, styles))?;
        let below = below(texts, side_by_side);
        if !below.is_empty() {
            page.paragraph(" ", Style::new(), &below)?;
        }
    }
    Ok(())
}

const COLUMNS: usize = 6;
const GAP: usize = 2;
const HEADER: [&str; COLUMNS] = [
    "Implementation",
    "Version",
    "Constant time",
    "Selectable",
    "Needs",
    "Origin",
];

/// Which columns stand side by side, on ever narrower screens; on the narrowest the first alone. Most names tell the version.
const LAYOUTS: [&[usize]; 3] = [&[0, 1, 2, 3, 4, 5], &[0, 1, 2, 3], &[0, 2, 3]];

/// The other columns, in words.
fn below(texts: &[String; COLUMNS], side_by_side: &[usize]) -> String {
    let [_, version, constant_time, selectable, needs, origin] = texts;
    let yes_or_no = |answer: &str, what: &str| match answer {
        "" => String::new(),
        "yes" => what.to_owned(),
        _ => format!("not {what}"),
    };
    let named = |name: &str, text: &str| match text {
        "" => String::new(),
        _ => format!("{name} {text}"),
    };
    let words = [
        (1, named("version", version)),
        (2, yes_or_no(constant_time, "constant-time")),
        (3, yes_or_no(selectable, "selectable")),
        (5, origin.clone()),
        (4, named("needs", needs)),
    ];
    let words = words
        .into_iter()
        .filter(|(column, text)| !side_by_side.contains(column) && !text.is_empty());
    words.map(|(_, text)| text).collect::<Vec<_>>().join("; ")
}

fn texts(row: &Listed) -> [String; COLUMNS] {
    // Nothing is known of what is not there.
    let is_known = !row.version.is_empty();
    let answer = |yes| match (is_known, yes) {
        (false, _) => String::new(),
        (true, true) => "yes".to_owned(),
        (true, false) => "no".to_owned(),
    };
    [
        plain(&row.id),
        plain(&row.version),
        answer(row.constant_time),
        answer(row.selectable && row.unavailable.is_none()),
        plain(&row.needs.join(" ")),
        match &row.unavailable {
            Some(reason) if is_known => format!("cannot run: {}", plain(reason)),
            Some(reason) => plain(reason),
            None => plain(&origin(row)),
        },
    ]
}

fn origin(row: &Listed) -> String {
    match &row.goes_by {
        Some(goes_by) => format!("{}, goes by {goes_by}", row.origin),
        None => row.origin.clone(),
    }
}
