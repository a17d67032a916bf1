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
    /// Whether it may be chosen.
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

/// Writes implementations as a table, in the order given. Where the screen is too narrow, what each one needs
/// and where it comes from move below its row.
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
    let total = widths.iter().sum::<usize>() + (COLUMNS - 1) * GAP;
    let fits = screen.width.is_none_or(|room| total <= room);

    let styled = |texts: &[String; COLUMNS], styles: [Style; COLUMNS]| -> Vec<Piece> {
        (0..COLUMNS)
            .map(|column| {
                let gap = if column == 0 { 0 } else { GAP };
                Piece::new(&texts[column], styles[column])
                    .left(widths[column])
                    .after(gap)
            })
            .collect()
    };
    let header = styled(&HEADER.map(str::to_owned), [HEADING; COLUMNS]);
    page.line(if fits { &header } else { &header[..ALWAYS] })?;
    for (row, texts) in rows.iter().zip(&texts) {
        let last = if row.unavailable.is_some() {
            BAD
        } else {
            Style::new()
        };
        let mut styles = [Style::new(); COLUMNS];
        styles[COLUMNS - 1] = last;
        let pieces = styled(texts, styles);
        if fits {
            page.line(&pieces)?;
        } else {
            page.line(&pieces[..ALWAYS])?;
            page.paragraph(" ", Style::new(), &below(texts))?;
        }
    }
    Ok(())
}

const COLUMNS: usize = 6;
/// The first columns, which stand side by side however narrow the screen is.
const ALWAYS: usize = 4;
const GAP: usize = 2;
const HEADER: [&str; COLUMNS] = [
    "Implementation",
    "Version",
    "Constant time",
    "Selectable",
    "Needs",
    "Origin",
];

/// The columns behind [`ALWAYS`], in words.
fn below([.., needs, origin]: &[String; COLUMNS]) -> String {
    if needs.is_empty() {
        origin.clone()
    } else {
        format!("{origin}; needs {needs}")
    }
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
        answer(row.selectable),
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
