use std::{
    collections::HashMap,
    fs::File,
    io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;

use crate::{Cell, FORMAT, Figures, Interval, Line, Run, Spread, check::check, whole::read_whole};

impl Run {
    /// Reads a run file of this format or an earlier one. Fields and kinds of line that are not known are
    /// skipped, so that a file to which a later version of the same format added something stays readable.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        let bytes = File::open(path)
            .and_then(read_whole)
            .map_err(|source| ReadError::Io {
                path: path.to_owned(),
                source,
            })?;
        text(&bytes)
            .and_then(parse)
            .map_err(|(line, problem)| ReadError::Line {
                path: path.to_owned(),
                line,
                problem,
            })
    }
}

/// Why a run file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file could not be read.
    #[error("cannot read the run file '{}': {source}{remedy}", path.display(), remedy = match source.kind() {
        io::ErrorKind::NotFound => "; name one that is there: `ciphertune speed --output` writes one",
        io::ErrorKind::IsADirectory => "; name a run file in it",
        _ => "",
    })]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A line is not what the format says.
    #[error("'{}', line {line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line's number; the first is 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
}

type Problem = (usize, String);

fn text(bytes: &[u8]) -> Result<&str, Problem> {
    let text = str::from_utf8(bytes).map_err(|error| {
        let read = &bytes[..error.valid_up_to()];
        let line = 1 + read.iter().filter(|&&byte| byte == b'\n').count();
        (line, "this is not UTF-8, as a run file is all through".to_owned())
    })?;
    Ok(unmarked(text))
}

/// Without the byte order mark that some editors put there.
pub(crate) fn unmarked(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Of a text that is a run file, or was one before it was damaged: the number of the line that cannot be read, if there is
/// one, and what is wrong with it. `None` for any other text.
pub(crate) fn as_run_file(text: &str) -> Option<Result<(), (usize, String)>> {
    let text = unmarked(text);
    let first = text.lines().find(|line| !line.trim().is_empty())?;
    let is_line = match serde_json::from_str::<Head>(first) {
        Ok(head) => is_known(&head.kind),
        // As it is written, which is cut off.
        Err(_) => first.starts_with("{\"kind\":\"machine\""),
    };
    is_line.then(|| parse(text).map(drop))
}

fn parse(text: &str) -> Result<Run, Problem> {
    let lines = text.lines().zip(1..);
    let mut lines = lines.filter(|(line, _)| !line.trim().is_empty()).peekable();

    let (first, number) = lines.next().ok_or((1, NO_MACHINE.to_owned()))?;
    let is_other = serde_json::from_str::<Head>(first).is_err_and(|error| {
        // A line that is cut off is the last one.
        !error.is_eof() || lines.peek().is_some()
    });
    if !first.starts_with('{') || is_other {
        // Some other file: what JSON lacks there says nothing.
        return Err((number, NO_MACHINE.to_owned()));
    }
    let Some(Line::Machine(machine)) = parse_line(first).map_err(|problem| (number, problem))? else {
        return Err((number, NO_MACHINE.to_owned()));
    };
    let mut run = Run {
        machine,
        bounds: Vec::new(),
        cells: Vec::new(),
    };

    let mut numbers = Vec::new();
    for (line, number) in lines {
        match parse_line(line).map_err(|problem| (number, problem))? {
            Some(Line::Machine(_)) => {
                return Err((number, "a second machine line; a file holds one run".into()));
            }
            Some(Line::Bound(bound)) => run.bounds.push(bound),
            Some(Line::Cell(cell)) => {
                run.cells.push(cell);
                numbers.push(number);
            }
            None => {}
        }
    }
    only_once(&run.cells, &numbers)?;
    if run.machine.format == 1 {
        translate(&mut run);
    }
    Ok(run)
}

/// In format 1 the ends around a rate were the quartiles of its quanta, and those around a limit too.
fn translate(run: &mut Run) {
    run.machine.format = FORMAT;
    if run.machine.imported.is_none() {
        run.machine.confidence = Some(USUAL);
    }
    for figures in run.cells.iter_mut().filter_map(|cell| cell.figures.as_mut()) {
        let Interval { low, median, high } = figures.bytes_per_second;
        figures.spread = (low < high).then_some(Spread { low, high });
        figures.bytes_per_second = Interval::of_processes(median, &figures.replicates, USUAL);
    }
    for bound in &mut run.bounds {
        bound.bytes_per_second = Interval::point(bound.bytes_per_second.median);
    }
}

/// The confidence where nobody asked for another.
const USUAL: f64 = 0.95;

/// Of two figures of the same nobody could say which one counts.
fn only_once(cells: &[Cell], numbers: &[usize]) -> Result<(), Problem> {
    let mut known = HashMap::new();
    for (cell, &number) in cells.iter().zip(numbers) {
        if let Some(first) = known.insert(cell.place(), number) {
            let Cell {
                implementation,
                algorithm,
                operation,
                length,
                ..
            } = cell;
            let problem = format!(
                "{implementation} on {algorithm} {operation}, length {length}, once more after line {first}; a file \
                 holds one run, so keep others in files of their own"
            );
            return Err((number, problem));
        }
    }
    Ok(())
}

const NO_MACHINE: &str = "a run file begins with a line of kind \"machine\", and this is not one; \
                          `ciphertune speed --output` writes one, and `ciphertune import` makes one of what another tool \
                          printed";

/// As much of a line as tells whether the rest can be understood.
#[derive(Deserialize)]
struct Head {
    kind: String,
    format: Option<Value>,
    bytes_per_second: Option<IgnoredAny>,
}

fn is_known(kind: &str) -> bool {
    matches!(kind, "machine" | "bound" | "cell")
}

fn parse_line(text: &str) -> Result<Option<Line>, String> {
    let head: Head = serde_json::from_str(text).map_err(|error| match error.is_eof() {
        true => describe(error),
        false => format!(
            "this is no line of a run file: {}; take it out, if something else put it there, or make the run again",
            describe(error)
        ),
    })?;
    if !is_known(&head.kind) {
        return Ok(None);
    }
    // Before the line itself: in a later format its fields may be others.
    let format = head.format.as_ref().and_then(Value::as_u64);
    if let Some(format) = format.filter(|&format| format > FORMAT.into()) {
        return Err(format!(
            "the run is in format {format}, and this version of Ciphertune reads up to {FORMAT}; \
             read it with the version that wrote it, or a later one"
        ));
    }

    // As what it is: of a line that may be any kind, serde_json tells no columns.
    let line = match &*head.kind {
        "machine" => serde_json::from_str(text).map(Line::Machine),
        "bound" => serde_json::from_str(text).map(Line::Bound),
        _ => serde_json::from_str(text).map(Line::Cell),
    };
    let line = line.map_err(|error| describe_field(text, error))?;
    if let Line::Cell(cell) = &line
        && cell.figures.is_none()
        && head.bytes_per_second.is_some()
    {
        // A flattened Option takes figures with a fault in them for none at all. Read alone, they tell the fault.
        serde_json::from_str::<Figures>(text).map_err(|error| describe_field(text, error))?;
    }
    check(&line)?;
    Ok(Some(line))
}

/// What is wrong with a field: the last whose name stands before the place, unless it is the name that is wrong.
fn describe_field(text: &str, error: serde_json::Error) -> String {
    let before = text.get(..error.column()).unwrap_or_default();
    let name = before
        .rsplit_once("\":")
        .and_then(|(before, _)| before.rsplit('"').next());
    let problem = describe(error);
    let named = match name.filter(|_| !problem.contains(" field `")) {
        Some(name) => format!("{name}: {problem}"),
        None => problem,
    };
    format!("{named}; put it right, or make the run again")
}

/// serde_json counts lines within the one line that it was given; only its column means anything here.
fn describe(error: serde_json::Error) -> String {
    if error.is_eof() {
        return "the line is cut off; the file is incomplete".into();
    }
    let text = error.to_string();
    match text.split_once(" at line 1 column ") {
        Some((problem, column)) => format!("{problem} (column {column})"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MACHINE: &str = r#"{"kind":"machine","format":1,"ciphertune":"0.1.0","date":"2026-01-01T00:00:00Z","cpu":"c","cpu_signature":"AuthenticAMD 26.2.1","microcode":null,"hypervisor":null,"processors":2,"system":"Linux 6.1","tsc_hz":2.7e9,"core_hz":null,"features":[]}"#;
    const CELL: &str = r#"{"kind":"cell","algorithm":"AES-128-CTR","operation":"encrypt","contract":"stream/1","length":16,"threads":1,"implementation":"a/b","status":"ok","in_place":true,"selectable":true,"bytes_per_second":{"low":1.0,"median":2.0,"high":3.0},"ns_per_byte":0.5,"tsc_ticks_per_byte":1.0,"quanta":9,"dropped":0,"processes":3,"chosen":true}"#;

    #[track_caller]
    fn refused(text: &str, line: usize, part: &str) {
        let (number, problem) = parse(text).unwrap_err();
        assert!(problem.contains(part), "{problem}");
        assert_eq!(number, line, "{problem}");
    }

    #[track_caller]
    fn refused_cell(from: &str, to: &str, part: &str) {
        assert!(CELL.contains(from));
        refused(&format!("{MACHINE}\n{}\n", CELL.replace(from, to)), 2, part);
    }

    #[test]
    fn what_a_later_version_adds_is_skipped() {
        let cell = CELL.replace("{\"kind\"", "{\"colour\":\"red\",\"kind\"");
        let text = format!("{MACHINE}\n{{\"kind\":\"weather\",\"wind\":3}}\n\n{cell}");
        let run = parse(&text).unwrap();
        assert_eq!(run.cells.len(), 1);
        assert!(run.cells[0].figures.is_some());
    }

    #[test]
    fn a_later_format_is_refused_whatever_its_fields_are() {
        let later = FORMAT + 1;
        refused(
            &format!("{{\"kind\":\"machine\",\"format\":{later}}}"),
            1,
            &format!("format {later}"),
        );
        refused(&MACHINE.replace("\"format\":1", "\"format\":0"), 1, "format is 0");
    }

    #[test]
    fn the_machine_line_comes_first_and_once() {
        refused("", 1, "begins with");
        refused(CELL, 1, "begins with");
        refused("ciphertune-wisdom 2\n", 1, "begins with");
        for other in [
            "{}",
            "{\"kind\":7}",
            "{'kind'}",
            "{\"format\":1}",
            "{\n  \"name\": \"x\"\n}\n",
        ] {
            refused(other, 1, "begins with");
        }
        refused("{\"kind\":\"mach", 1, "cut off");
        refused("{\"kind\":\"machine\"}", 1, "missing field");
        refused("{\"kind\":\"weather\"}", 1, "begins with");
        refused(&format!("{MACHINE}\n{CELL}\n{MACHINE}"), 3, "second machine line");
    }

    #[test]
    fn a_cell_has_one_line_for_each_implementation() {
        refused(
            &format!("{MACHINE}\n{CELL}\n\n{}\n{CELL}", CELL.replace("a/b", "a/c")),
            5,
            "a/b on AES-128-CTR encrypt, length 16, once more after line 2",
        );
        // Two sets of threads, additional data or workers are two cells.
        for other in [
            "\"threads\":2",
            "\"threads\":1,\"aad\":13",
            "\"threads\":2,\"workers\":1",
        ] {
            let other = CELL.replace("\"threads\":1", other);
            assert_eq!(
                parse(&format!("{MACHINE}\n{CELL}\n{other}")).unwrap().cells.len(),
                2
            );
        }
    }

    /// There the ends were the quartiles of the quanta.
    #[test]
    fn a_rate_of_format_1_has_its_interval_from_its_processes() {
        let figures = |cell: &str| {
            let run = parse(&format!("{MACHINE}\n{cell}")).unwrap();
            assert_eq!((run.machine.format, run.machine.confidence), (FORMAT, Some(0.95)));
            run.cells[0].figures.clone().unwrap()
        };
        let replicates = "\"replicates\":[1.9,2.0,null,2.1]";
        let known = figures(&CELL.replace("\"quanta\"", &format!("{replicates},\"quanta\"")));
        let quartiles = Some(Spread { low: 1.0, high: 3.0 });
        assert_eq!(known.spread, quartiles);
        let Interval { low, median, high } = known.bytes_per_second;
        assert!(
            (low - 1.7647).abs() < 1e-3 && median == 2.0 && (high - 2.2629).abs() < 1e-3,
            "{low} {high}"
        );

        let unknown = figures(CELL);
        assert_eq!(
            (unknown.bytes_per_second, unknown.spread),
            (Interval::point(2.0), quartiles)
        );
        // Of the present format nothing is changed.
        let now = MACHINE.replace("\"format\":1", &format!("\"format\":{FORMAT}"));
        let run = parse(&format!("{now}\n{CELL}")).unwrap();
        let rate = run.cells[0].figures.as_ref().unwrap().bytes_per_second;
        assert_eq!((rate.low, rate.high), (1.0, 3.0));
    }

    #[test]
    fn what_is_no_text_is_named_with_its_line() {
        for (bytes, number) in [(&b"\xff"[..], 1), (b"{}\n\n{\xc3", 3), (b"\n\xed\xa0\x80\n", 2)] {
            assert_eq!(text(bytes).unwrap_err().0, number, "{bytes:?}");
        }
        assert_eq!(text("ü\n".as_bytes()), Ok("ü\n"));
        assert_eq!(text("\u{feff}{}\n".as_bytes()), Ok("{}\n"));
    }

    #[test]
    fn damage_is_named_with_its_line() {
        for cut in [1, 20, CELL.len() - 1] {
            refused(&format!("{MACHINE}\n{CELL}\n{}", &CELL[..cut]), 3, "cut off");
        }
        refused(
            &format!("{MACHINE}\n\nhello\n"),
            3,
            "this is no line of a run file: expected value (column 1); take it out, if something else put it there, or make the \
             run again",
        );
        refused(
            &format!("{MACHINE}\n[1]\n"),
            2,
            "no line of a run file: invalid type",
        );
    }

    #[test]
    fn a_field_that_is_wrong_is_named_with_the_remedy() {
        let refused_machine = |from: &str, to: &str, part: &str| {
            assert!(MACHINE.contains(from));
            refused(&MACHINE.replace(from, to), 1, part);
        };
        refused_machine(
            "\"processors\":2",
            "\"processors\":\"2\"",
            "processors: invalid type: string \"2\", expected u32 (column ",
        );
        refused_machine(
            "\"format\":1",
            "\"format\":\"1\"",
            "format: invalid type: string \"1\"",
        );
        refused_machine("[]", "[\"aes\",7]", "features: invalid type: integer `7`");
        refused_machine(
            "\"format\":1,",
            "",
            "missing field `format` (column 232); put it right, or make the run again",
        );
        refused_cell(
            "\"length\":16",
            "\"length\":-16",
            "length: invalid value: integer `-16`, expected u64 (column 97); put it right, or make the run again",
        );
        refused_cell(
            "\"status\":\"ok\"",
            "\"status\":\"good\"",
            "status: unknown variant `good`",
        );
        refused_cell(
            "\"quanta\":9",
            "\"quanta\":-9",
            "quanta: invalid value: integer `-9`",
        );
        refused_cell("\"median\":2.0", "\"median\":{}", "median: invalid type: map");
        let bound = "{\"kind\":\"bound\",\"name\":\"copy\",\"width\":null}";
        refused(&format!("{MACHINE}\n{bound}"), 2, "width: invalid type: null");
    }

    #[test]
    fn figures_with_a_fault_are_not_taken_for_none() {
        refused_cell("\"quanta\":9,", "", "missing field `quanta`");
        refused_cell("\"median\":2.0", "\"median\":null", "invalid type: null");
        refused_cell("\"median\":2.0,", "", "missing field `median`");
        refused_cell("\"median\":2.0", "\"median\":NaN", "expected value");
        refused_cell("\"median\":2.0", "\"median\":1e999", "number out of range");
        refused_cell(
            "\"median\":2.0",
            "\"median\":-2.0",
            "median must be a positive number",
        );
        refused_cell("\"median\":2.0", "\"median\":4.0", "low <= median <= high");
        // Its ends are not in the file.
        refused_cell(
            "\"low\":1.0,\"median\":2.0,\"high\":3.0",
            "\"median\":1e40",
            "bytes_per_second.median must be a positive number",
        );
        for impossible in ["0", "1e-31", "2e30", "1e300"] {
            refused_cell(
                "\"ns_per_byte\":0.5",
                &format!("\"ns_per_byte\":{impossible}"),
                "ns_per_byte must be a positive number, from 1e-30 to 1e30, not ",
            );
        }
        // Nor where there must be none.
        let failed = CELL
            .replace("\"status\":\"ok\"", "\"status\":\"failed\",\"reason\":\"x\"")
            .replace("\"chosen\":true", "\"chosen\":false");
        let faulty = failed.replace("{\"low\":1.0,\"median\":2.0,\"high\":3.0}", "\"fast\"");
        let told = "bytes_per_second: invalid type: string \"fast\"";
        refused(&format!("{MACHINE}\n{faulty}"), 2, told);
    }

    #[test]
    fn a_confidence_is_a_probability_and_not_certainty() {
        for confidence in ["-0.5", "0", "1", "5"] {
            let machine = MACHINE.replace("\"format\"", &format!("\"confidence\":{confidence},\"format\""));
            refused(&machine, 1, "confidence must be between 0 and 1");
        }
    }

    #[test]
    fn what_may_be_missing_is_possible_where_it_is_there() {
        const BOUND: &str =
            r#"{"kind":"bound","name":"copy","width":512,"bytes_per_second":{"median":2.0},"per_cycle":1.0}"#;
        assert!(parse(&format!("{MACHINE}\n{BOUND}\n{CELL}")).is_ok());
        let with = |line: &str, field: &str, value: &str| {
            let line = line.replace(&format!("\"{field}\":"), "\"unknown\":");
            line.replace("{\"kind\"", &format!("{{\"{field}\":{value},\"kind\""))
        };
        for field in ["noise_floor", "stolen", "timed_share"] {
            let told = format!("{field} must be a share, not -0.5");
            refused(&with(MACHINE, field, "-0.5"), 1, &told);
        }
        for impossible in ["0", "-1", "1e300"] {
            for field in ["tsc_hz", "core_hz"] {
                let told = format!("{field} must be a positive number");
                refused(&with(MACHINE, field, impossible), 1, &told);
            }
            let bound = with(BOUND, "per_cycle", impossible);
            refused(
                &format!("{MACHINE}\n{bound}"),
                2,
                "per_cycle must be a positive number",
            );
            for (field, value) in [
                ("tsc_ticks_per_byte", impossible.to_owned()),
                ("cycles_per_byte", impossible.to_owned()),
                ("bound_share", impossible.to_owned()),
                ("replicates", format!("[1.0,{impossible}]")),
                ("rounds", format!("[[1.0],[1.0,{impossible}]]")),
            ] {
                let cell = with(CELL, field, &value);
                let told = format!("{field} must be a positive number");
                refused(&format!("{MACHINE}\n{cell}"), 2, &told);
            }
        }
    }

    #[test]
    fn a_date_is_one() {
        for date in ["", "today", "2026-02-30T00:00:00Z"] {
            let machine = MACHINE.replace("2026-01-01T00:00:00Z", date);
            refused(
                &machine,
                1,
                "date must be a time in UTC, as in 2026-01-02T03:04:05Z, not \"",
            );
        }
    }

    #[test]
    fn a_cell_says_one_thing() {
        refused_cell("\"status\":\"ok\"", "\"status\":\"failed\"", "reason");
        refused_cell(
            "\"status\":\"ok\"",
            "\"status\":\"failed\",\"reason\":\"x\"",
            "only a selectable cell",
        );
        refused_cell(
            "\"selectable\":true",
            "\"selectable\":false",
            "only a selectable cell",
        );
        refused_cell("\"threads\":1", "\"threads\":0", "at least 1");
    }

    #[test]
    fn the_error_names_the_file() {
        let error = Run::read(Path::new("/nowhere/run.jsonl")).unwrap_err();
        let told = error.to_string();
        assert!(
            told.starts_with("cannot read the run file '/nowhere/run.jsonl': "),
            "{told}"
        );
        assert!(
            told.ends_with("; name one that is there: `ciphertune speed --output` writes one"),
            "{told}"
        );
        let error = Run::read(Path::new("/")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot read the run file '/': Is a directory (os error 21); name a run file in it"
        );
    }
}
