//! Each format of one small run, whole: what goes in stands in `run/mod.rs`, what comes out stands here.
mod run;

use ciphertune_report::{
    Details, Listed, Portion, Screen, View, classic, compare_csv, compare_markdown, compare_terminal, csv,
    json, list, markdown, mr, terminal,
};
use ciphertune_results::{
    Cell, Interval, Library, Run,
    compare::{By, Named, Terms, compare},
    import::{Origin, import},
};
use run::{run, text};

#[track_caller]
fn same(shown: &str, expected: &str) {
    assert!(shown == expected, "shown:\n{shown}\nexpected:\n{expected}");
}

const ALL: View = View {
    intervals: true,
    shares: true,
    costs: true,
    fit: false,
    mix: &[],
};

#[test]
fn terminal_plain() {
    let shown = text(|out| terminal(&run(), View::default(), Screen::default(), out));
    same(&shown, include_str!("golden/terminal.txt"));
}

/// Other than how far its quanta lie apart.
#[test]
fn how_sure_a_rate_is_is_told_where_it_is_known() {
    let view = View {
        intervals: true,
        ..View::default()
    };
    let mut run = run();
    run.machine.confidence = Some(0.999);
    run.cells.truncate(1);
    let shown = |run: &Run| text(|out| terminal(run, view, Screen::default(), out));
    let line = |shown: &str, label: &str| -> Option<String> {
        let line = shown.lines().find(|line| line.trim_start().starts_with(label))?;
        Some(line.split_whitespace().last()?.to_owned())
    };
    let known = shown(&run);
    assert_eq!(
        line(&known, "99.9 % interval").as_deref(),
        Some("18.1-18.7"),
        "{known}"
    );
    assert_eq!(line(&known, "quartiles").as_deref(), Some("17.8-18.8"), "{known}");
    // As of a single process.
    run.cells[0].figures.as_mut().unwrap().bytes_per_second = Interval::point(18.3e9);
    let unknown = shown(&run);
    assert_eq!(line(&unknown, "99.9 % interval"), None, "{unknown}");
    assert_eq!(
        line(&unknown, "quartiles").as_deref(),
        Some("17.8-18.8"),
        "{unknown}"
    );
}

#[test]
fn terminal_narrow_with_everything() {
    let screen = Screen {
        width: Some(40),
        ..Screen::default()
    };
    let shown = text(|out| terminal(&run(), ALL, screen, out));
    same(&shown, include_str!("golden/narrow.txt"));
    assert!(shown.lines().all(|line| line.len() <= 40));
}

#[test]
fn colour_adds_codes_and_nothing_else() {
    let screen = |colour| Screen { colour, width: None };
    let coloured = text(|out| terminal(&run(), ALL, screen(true), out));
    let plain = text(|out| terminal(&run(), ALL, screen(false), out));
    assert!(!plain.contains('\x1b'));
    assert!(coloured.contains("\x1b[1m\x1b[32m*52.8\x1b[0m\n"), "{coloured:?}");

    let mut pieces = coloured.split("\x1b[");
    let mut stripped = pieces.next().unwrap().to_owned();
    stripped.extend(pieces.map(|piece| piece.split_once('m').unwrap().1));
    same(&stripped, &plain);
}

#[test]
fn what_makes_a_figure_doubtful_is_told_below() {
    let mut run = run();
    run.cells[0].reason = Some("other work was there".into());
    let name = run.cells[0].implementation.clone();
    let shown = text(|out| terminal(&run, View::default(), Screen::default(), out));
    let line = shown.lines().find(|line| line.starts_with("Doubtful: "));
    assert!(line.is_some_and(|line| line.contains(&name)), "{shown}");
}

#[test]
fn names_that_a_number_tells_apart_are_explained() {
    let mut run = run();
    run.machine.libraries = [("a@1/b", "/usr/lib/liba.so"), ("a@1/b#2", "/opt/liba.so")]
        .map(|(implementation, origin)| Library {
            implementation: implementation.into(),
            origin: origin.into(),
            version: None,
            goes_by: None,
            build: None,
        })
        .into();
    // Whose name is enough.
    let plain = Library {
        implementation: "c@1/d".into(),
        ..run.machine.libraries[0].clone()
    };
    run.machine.libraries.push(plain);
    let legend = "Libraries: a@1/b is /usr/lib/liba.so, a@1/b#2 is /opt/liba.so\n";
    let shown = text(|out| terminal(&run, View::default(), Screen::default(), out));
    assert!(shown.contains(&format!("\n{legend}Machine: ")), "{shown}");
    let shown = text(|out| markdown(&run, View::default(), out));
    assert!(
        shown.contains("- Libraries: a@1/b is /usr/lib/liba.so, a@1/b\\#2 is "),
        "{shown}"
    );
    let runs = [Named {
        name: "run".into(),
        runs: vec![run],
    }];
    let comparison = compare(&runs, &terms(By::Implementation)).unwrap();
    let shown = text(|out| compare_terminal(&comparison, &runs, Details::default(), Screen::default(), out));
    assert!(
        shown.contains("; a@1/b is /usr/lib/liba.so, a@1/b#2 is /opt/liba.so\n"),
        "{shown}"
    );
}

#[test]
fn what_is_not_the_same_code_under_one_name_is_told() {
    let named = |name: &str, of_all: &[(&str, &str, &str)]| {
        let mut run = run();
        let library = |&(implementation, goes_by, build): &(&str, &str, &str)| Library {
            implementation: implementation.into(),
            origin: "/usr/lib/liba.so".into(),
            version: Some("1".into()),
            goes_by: Some(goes_by.into()).filter(|text: &String| !text.is_empty()),
            build: Some(build.into()),
        };
        run.machine.libraries = of_all.iter().map(library).collect();
        Named {
            name: name.into(),
            runs: vec![run],
        }
    };
    let old = named(
        "old",
        &[
            ("a@1/b", "0x1", "gcc"),
            ("a@1/c", "0x1", "gcc"),
            ("d", "", "gcc"),
            ("e", "", "gcc"),
        ],
    );
    let new = named(
        "new",
        &[
            ("a@1/b", "0x0", "gcc"),
            ("a@1/c", "0x0", "clang"),
            ("d", "0x0", "gcc"),
            ("f", "", "cc"),
        ],
    );
    let shown = |runs: &[Named]| {
        let comparison = compare(runs, &terms(By::File)).unwrap();
        text(|out| compare_terminal(&comparison, runs, Details::default(), Screen::default(), out))
    };
    let expected = "\nNot the same code: a@1/b, a@1/c: instructions 0x1 in old, 0x0 in new; a@1/c: build gcc in old, \
                    clang in new\n";
    let told = shown(&[old, new]);
    assert!(told.contains(expected), "{told}");
    // Of files that do not say, nothing is told.
    let told = shown(&[named("old", &[("a@1/b", "0x1", "gcc")]), named("new", &[])]);
    assert!(!told.contains("Not the same code"), "{told}");
}

/// Side by side with it they would leave no room for a percentage.
#[test]
fn implementations_stand_below_what_they_compute() {
    let mut run = run();
    run.cells.retain(|cell| cell.figures.is_some());
    let sealing = run.cells.clone().into_iter().map(|cell| Cell {
        algorithm: "AES-256-GCM".into(),
        operation: "seal".into(),
        contract: "new-iv/1".into(),
        aad: 13,
        ..cell
    });
    run.cells.extend(sealing.collect::<Vec<_>>());
    let named = |name: &str| Named {
        name: name.into(),
        runs: vec![run.clone()],
    };
    let runs = [named("old"), named("new")];
    let comparison = compare(&runs, &terms(By::File)).unwrap();
    let shown = |width| {
        let screen = Screen { colour: false, width };
        text(|out| compare_terminal(&comparison, &runs, Details::default(), screen, out))
    };
    let expected = "\
new against old, 1 thread

faster than baseline     16 B  16 KiB  mean
-------------------------------------------
AES-128-CTR encrypt stream/1
openssl@3.0.19/default      ~       ~     ~
ciphertune/vaes512          ~       ~     ~
ciphertune/portable         ~       ~     ~
openssl@3.0.19/no-ssse3     ~       -     ~
tor2007/rijndael            ~       -     ~
AES-256-GCM seal new-iv/1, 13 B of additional data
openssl@3.0.19/default      ~       ~     ~
ciphertune/vaes512          ~       ~     ~
ciphertune/portable         ~       ~     ~
openssl@3.0.19/no-ssse3     ~       -     ~
tor2007/rijndael            ~       -     ~
-------------------------------------------
geometric mean of all                     ~
";
    let table = |shown: &str| {
        shown
            .split_inclusive("\n\n")
            .take(2)
            .collect::<String>()
            .trim_end()
            .to_owned()
            + "\n"
    };
    same(&table(&shown(None)), expected);
    same(&table(&shown(Some(60))), expected);
    let page = text(|out| compare_markdown(&comparison, &runs, Details::default(), out));
    let row = "| AES-256-GCM seal new-iv/1, 13 B of additional data |      |        |      |\n| openssl@3.0.19/default  ";
    assert!(page.contains(row), "{page}");
}

#[test]
fn what_is_compared_across_contracts_tells_both() {
    let with = |contract: &str, aad| {
        let mut run = run();
        run.cells.truncate(1);
        run.cells[0].contract = contract.into();
        run.cells[0].aad = aad;
        run
    };
    let compared = |by, baseline: &str, runs: [Run; 2]| {
        let runs = ["old", "new"].into_iter().zip(runs).map(|(name, run)| Named {
            name: name.into(),
            runs: vec![run],
        });
        let runs: Vec<Named> = runs.collect();
        let terms = Terms {
            baseline: Some(baseline.into()),
            across_contracts: true,
            ..terms(by)
        };
        let comparison = compare(&runs, &terms).unwrap();
        [
            text(|out| compare_terminal(&comparison, &runs, Details::default(), Screen::default(), out)),
            text(|out| compare_csv(&comparison, out)),
        ]
    };
    let (own, other) = (with("new-iv/1", 13), with("openssl-speed/1", 0));
    let [table, csv] = compared(By::File, "old", [own.clone(), other.clone()]);
    let title = "openssl-speed/1 (was new-iv/1, 13 B of additional data), 1 thread";
    assert!(table.contains(title), "{table}");
    assert!(csv.contains(",openssl-speed/1,0,"), "{csv}");
    let id = own.cells[0].implementation.clone();
    let baseline = format!("{id} in old");
    let [table, _] = compared(By::Implementation, &baseline, [own.clone(), other]);
    let label = format!("\n{id} in new under openssl-speed/1 ");
    assert!(table.contains(&label), "{table}");
    // Where they are the same it is told once.
    let [table, _] = compared(By::File, "old", [own.clone(), own]);
    assert!(
        table.contains(", new-iv/1, 13 B of additional data, 1 thread"),
        "{table}"
    );
}

#[test]
fn what_is_not_compared_is_told_from_what_is() {
    let seal = |algorithm: &str| Cell {
        algorithm: algorithm.into(),
        operation: "seal".into(),
        contract: "new-iv/1".into(),
        aad: 13,
        implementation: "a/b".into(),
        ..run().cells.swap_remove(0)
    };
    let open = |algorithm: &str| Cell {
        operation: "open".into(),
        ..seal(algorithm)
    };
    let (shorter, long) = ("AES-128-GCM", "AES-256-GCM");
    let threads = Cell {
        threads: 3,
        workers: 1,
        ..seal(shorter)
    };
    let new_key = Cell {
        contract: "new-key/1".into(),
        ..seal(shorter)
    };
    let named = |name: &str, cells: Vec<Cell>| Named {
        name: name.into(),
        runs: vec![Run { cells, ..run() }],
    };
    let runs = [
        named(
            "old",
            vec![
                seal(shorter),
                open(shorter),
                threads,
                new_key,
                seal(long),
                open(long),
            ],
        ),
        named("new", vec![seal(shorter)]),
        named("newer", vec![seal(shorter), seal(long), open(long)]),
    ];
    let notes = |runs: &[Named]| {
        let comparison = compare(runs, &terms(By::File)).unwrap();
        let shown =
            text(|out| compare_terminal(&comparison, runs, Details::default(), Screen::default(), out));
        let notes = shown
            .lines()
            .filter_map(|line| line.strip_prefix("Not compared: "));
        notes.map(str::to_owned).collect::<Vec<_>>()
    };
    let expected = [
        "a/b on AES-128-GCM open (1 cell)",
        "a/b on AES-128-GCM, 2 threads and 1 worker (1 cell)",
        "a/b on AES-128-GCM, new-key/1, 13 B of additional data (1 cell)",
        "a/b on AES-256-GCM (2 cells)",
    ];
    let told = |place: &&str| format!("{place}: new does not have it");
    assert_eq!(notes(&runs[..2]), expected.iter().map(told).collect::<Vec<_>>());
    // Of several files each has notes of its own.
    let in_file = |name| move |place: &&str| format!("{place}, {name} against old: {name} does not have it");
    let both: Vec<String> = expected
        .iter()
        .map(in_file("new"))
        .chain(expected[..3].iter().map(in_file("newer")))
        .collect();
    assert_eq!(notes(&runs), both);
    let other_way = [runs[1].clone(), runs[0].clone(), runs[2].clone()];
    let notes = notes(&other_way);
    assert!(
        notes.contains(&"a/b on AES-256-GCM (2 cells), old against new: new does not have it".to_owned())
            && notes.contains(
                &"a/b on AES-256-GCM (2 cells), newer against new: new does not have it".to_owned()
            ),
        "{notes:?}"
    );
}

/// As of what another tool printed, against a measured run.
#[test]
fn a_single_figure_against_several_is_of_no_number_of_processes() {
    let mut measured = run();
    measured.cells.truncate(1);
    let figures = measured.cells[0].figures.as_mut().unwrap();
    figures.replicates = vec![Some(18.2e9), Some(18.3e9), Some(18.4e9)];
    let mut single = measured.clone();
    let figures = single.cells[0].figures.as_mut().unwrap();
    (figures.bytes_per_second, figures.replicates) = (Interval::point(18.3e9), Vec::new());
    let shown = |first: &Run| {
        let named = |(name, run): (&str, &Run)| Named {
            name: name.into(),
            runs: vec![run.clone()],
        };
        let runs = [("old", first), ("new", &measured)].map(named);
        let comparison = compare(&runs, &terms(By::File)).unwrap();
        text(|out| compare_terminal(&comparison, &runs, Details::default(), Screen::default(), out))
    };
    let both = shown(&measured);
    assert!(
        both.contains("\nn: 3 worker processes on either side\n"),
        "{both}"
    );
    let one = shown(&single);
    assert!(
        one.contains("\nNo intervals: ") && !one.contains("\nn: "),
        "{one}"
    );
}

#[test]
fn a_foreign_file_cannot_steer_the_terminal() {
    let mut run = run();
    run.cells[0].implementation = "\x1b[2J".into();
    run.cells[2].reason = Some("\x1b]0;x\x07".into());
    run.cells[4].reason = Some("\r\x1b[A".into());
    run.machine.cpu = "\x1b[31m".into();
    // Of those that turn the text's direction, the first and the last of each kind.
    let turns = "\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202e}\u{2066}\u{2069}";
    run.cells[1].implementation = format!("a{turns}b");
    let shown = text(|out| terminal(&run, ALL, Screen::default(), out));
    assert!(
        !shown.contains(|c: char| c.is_control() && c != '\n' || turns.contains(c)),
        "{shown:?}"
    );
    assert!(shown.contains("a         b"), "{shown:?}");
}

/// Chinese characters take two columns each, and an accent of its own none.
#[test]
fn wide_characters_move_no_column() {
    let (wide, narrow) = ("暗号e\u{301}", "abcde");
    let shown = |name: &str| {
        let mut run = run();
        for cell in &mut run.cells {
            cell.algorithm = cell.algorithm.replace("AES", name);
            cell.implementation = cell.implementation.replace("ciphertune", name);
        }
        let mut listed = listed();
        listed[0].id = format!("{name}/armv8");
        [
            text(|out| terminal(&run, ALL, Screen::default(), out)),
            text(|out| markdown(&run, ALL, out)),
            text(|out| classic(&run, out)),
            text(|out| list(&listed, Screen::default(), out)),
        ]
    };
    for (wide_table, narrow_table) in shown(wide).into_iter().zip(shown(narrow)) {
        assert!(wide_table.contains(wide), "{wide_table}");
        same(&wide_table.replace(wide, narrow), &narrow_table);
    }
}

#[test]
fn markdown_with_everything() {
    let shown = text(|out| markdown(&run(), ALL, out));
    same(&shown, include_str!("golden/table.md"));
}

#[test]
fn markdown_leaves_no_markup_in_texts() {
    let mut run = run();
    run.cells[0].implementation = "a|b_c`<i>".into();
    let shown = text(|out| markdown(&run, View::default(), out));
    assert!(shown.contains("| a\\|b\\_c\\`\\<i> "), "{shown}");
}

#[test]
fn csv_has_a_row_for_each_cell() {
    let shown = text(|out| csv(&run(), out));
    same(&shown, include_str!("golden/cells.csv"));
}

/// As of everything that was imported.
#[test]
fn csv_has_no_interval_of_a_single_figure() {
    let mut run = run();
    run.cells.truncate(1);
    let figures = run.cells[0].figures.as_mut().unwrap();
    figures.bytes_per_second = Interval::point(5e9);
    let shown = text(|out| csv(&run, out));
    assert!(shown.contains(",,5000000000,,"), "{shown}");

    let spread = [4.9e9, 5.0e9, 5.1e9, 5.0e9, 4.95e9].map(Some).into();
    run.cells[0].figures.as_mut().unwrap().replicates = spread;
    let sure = compared(&run);
    assert!(sure.contains(",1,0.9") && sure.ends_with(",5,5,same\n"), "{sure}");
    run.cells[0].figures.as_mut().unwrap().replicates.clear();
    let unsure = compared(&run);
    assert!(unsure.ends_with(",1,,,0,0,unknown\n"), "{unsure}");
}

/// To compare by nothing in particular.
fn terms(by: By) -> Terms {
    Terms {
        by,
        baseline: None,
        confidence: 0.95,
        across_contracts: false,
        per_cycle: false,
    }
}

/// The CSV of a run's comparison with itself.
fn compared(run: &Run) -> String {
    let named = |name: &str| Named {
        name: name.into(),
        runs: vec![run.clone()],
    };
    let comparison = compare(&[named("old"), named("new")], &terms(By::File)).unwrap();
    text(|out| compare_csv(&comparison, out))
}

/// The run, one of its cells by a key, and its medians by algorithm and length, whoever they belong to.
fn for_scripts() -> (Run, Vec<(String, u64, f64)>) {
    let mut run = run();
    let mut derive = run.cells[8].clone();
    (derive.algorithm, derive.operation, derive.length) = ("X25519".into(), "derive".into(), 1);
    derive.figures.as_mut().unwrap().bytes_per_second = Interval::point(4000.0);
    run.cells.push(derive);
    // So slow that OpenSSL would print bytes.
    let mut slow = run.cells[8].clone();
    slow.length = 64;
    slow.figures.as_mut().unwrap().bytes_per_second = Interval::point(9000.5);
    run.cells.push(slow);
    run.cells
        .retain(|cell| cell.implementation == "ciphertune/portable");
    let medians = run.cells.iter().map(|cell| {
        let median = cell.figures.as_ref().unwrap().bytes_per_second.median;
        (cell.algorithm.clone(), cell.length, median)
    });
    let medians = medians.collect();
    (run, medians)
}

/// What import reads of a text.
fn imported(text: &str) -> Vec<(String, u64, f64)> {
    let origin = Origin {
        file: "text".into(),
        date: String::new(),
        ciphertune: String::new(),
        machine: None,
        implementation: None,
        decrypt: false,
    };
    let run = import(text, origin).unwrap();
    let cells = run.cells.into_iter();
    cells
        .map(|cell| {
            (
                cell.algorithm,
                cell.length,
                cell.figures.unwrap().bytes_per_second.median,
            )
        })
        .collect()
}

#[test]
fn scripts_get_what_openssl_prints() {
    same(
        &text(|out| classic(&run(), out)),
        include_str!("golden/classic.txt"),
    );
    same(&text(|out| mr(&run(), out)), include_str!("golden/mr.txt"));

    let (run, mut expected) = for_scripts();
    expected.sort_by_key(|(algorithm, length, _)| (algorithm.clone(), *length));
    let read = imported(&text(|out| classic(&run, out)));
    assert_eq!(read, expected, "classic");
    assert_eq!(imported(&text(|out| mr(&run, out))), expected, "mr");
}

/// As of the kernel's, which are not OpenSSL's. A colon separates fields, and a space the words of a label.
#[test]
fn a_name_with_a_colon_is_read_back() {
    let mut run = run();
    let cell = Cell {
        algorithm: "AES-256-CBC-ESSIV:SHA256".into(),
        ..run.cells.remove(1)
    };
    let decrypt = Cell {
        operation: "decrypt".into(),
        threads: 2,
        ..cell.clone()
    };
    run.cells = vec![cell, decrypt];
    for shown in [text(|out| classic(&run, out)), text(|out| mr(&run, out))] {
        let read = imported(&shown);
        let names: Vec<&str> = read.iter().map(|(name, ..)| &**name).collect();
        assert_eq!(names, ["AES-256-CBC-ESSIV-SHA256"; 2], "{shown}");
    }
}

#[test]
fn only_what_is_timed_in_several_ways_tells_its_contract() {
    let mut run = run();
    let cell = run.cells.remove(1);
    let cells = [
        ("AES-128-CTR", "stream/1"),
        ("SHA2-256", "one-shot/1"),
        ("AES-128-GCM", "new-iv/1"),
        ("AES-128-GCM", "new-key/1"),
    ];
    run.cells = cells
        .map(|(algorithm, contract)| Cell {
            algorithm: algorithm.into(),
            contract: contract.into(),
            ..cell.clone()
        })
        .into();
    let shown = text(|out| mr(&run, out));
    let labels: Vec<&str> = shown.lines().filter_map(|line| line.split(':').nth(2)).collect();
    assert_eq!(
        labels,
        [
            "AES-128-CTR",
            "SHA2-256",
            "AES-128-GCM new-iv/1",
            "AES-128-GCM new-key/1"
        ]
    );
}

#[test]
fn keys_have_the_titles_of_openssl() {
    let mut run = run();
    let cell = run.cells.remove(1);
    let operations = [
        ("ML-KEM-768", "generate", 40_000.0),
        ("ML-KEM-768", "encapsulate", 1_234_567.5),
        ("ML-KEM-768", "decapsulate", 90_000.0),
        ("A-KEY-OF-A-LONG-NAME", "sign", 4.0),
        ("X25519", "derive", 20_000.0),
    ];
    let cells = operations.map(|(algorithm, operation, rate)| {
        let mut cell = cell.clone();
        (cell.algorithm, cell.operation, cell.length) = (algorithm.into(), operation.into(), 1);
        cell.figures.as_mut().unwrap().bytes_per_second = Interval::point(rate);
        cell
    });
    run.cells = cells.into();
    let shown = text(|out| classic(&run, out));
    let expected = "\
implementation: ciphertune/vaes512
                        keygen    encaps    decaps keygens/s  encaps/s decaps/s
ML-KEM-768           0.000025s 0.000001s 0.000011s   40000.0 1234567.5  90000.0
                          sign   sign/s
A-KEY-OF-A-LONG-NAME 0.250000s      4.0
                            op     op/s
X25519               0.000050s  20000.0
";
    same(&shown, expected);
    let read = imported(&shown).into_iter();
    assert!(
        read.map(|(_, _, rate)| rate)
            .eq(operations.map(|(_, _, rate)| rate))
    );
}

#[test]
fn a_mix_is_the_mean_of_its_messages() {
    let portion = |length, weight| Portion { length, weight };
    let mix = [portion(16, 3.0), portion(16384, 1.0)];
    let view = View {
        mix: &mix,
        ..View::default()
    };
    let shown = text(|out| terminal(&run(), view, Screen::default(), out));
    // By hand, of the first: (3 × 16 / 1.03 + 16384 / 52.8) / 4 = 89.2 ns for 4108 bytes; its interval is the rates', 1.02
    // to 0.99 of them. Who has no figure for each length has no line.
    let expected = "\
AES-128-CTR encrypt, stream/1, 1 thread: a mix of 3 × 16 B, 1 × 16 KiB

on average              ns per packet (interval)   Gbit/s  million packets/s
----------------------------------------------------------------------------
ciphertune/vaes512           *89.2   (87.5-90.1)  368                11.2
openssl@3.0.19/default       235       (230-237)  140                 4.25
ciphertune/portable        42475   (41642-42904)    0.774             0.0235

";
    assert!(shown.contains(expected), "{shown}");
    let markdown = text(|out| markdown(&run(), view, out));
    assert!(markdown.contains(" **89.2** (87.5-90.1) |"), "{markdown}");
    assert_eq!(shown.matches("a mix of").count(), 1);

    // Of one length nobody knows how sure it is.
    let mut unsure = run();
    let figures = unsure.cells[1].figures.as_mut().unwrap();
    figures.bytes_per_second = Interval::point(figures.bytes_per_second.median);
    let shown = text(|out| terminal(&unsure, view, Screen::default(), out));
    assert!(
        !shown.contains("(87.5-90.1)") && shown.contains("*89.2 ") && shown.contains("(230-237)"),
        "{shown}"
    );

    let mix = [portion(16, 3.0), portion(999, 1.0)];
    let view = View { mix: &mix, ..view };
    let shown = text(|out| terminal(&run(), view, Screen::default(), out));
    same(&shown, include_str!("golden/terminal.txt"));
}

#[test]
fn long_names_move_no_column() {
    let mut run = run();
    run.cells
        .retain(|cell| cell.implementation == "ciphertune/portable");
    let mut decrypt = run.cells[0].clone();
    decrypt.operation = "decrypt".into();
    run.cells.push(decrypt);
    let mut long = run.cells.clone();
    long.iter_mut().for_each(|cell| cell.length = 16 << 20);
    run.cells.extend(long);
    let shown = text(|out| classic(&run, out));
    let [_, _, header, encrypt, decrypt] = shown.lines().collect::<Vec<_>>()[..] else {
        panic!("{shown}");
    };
    assert!(decrypt.starts_with("AES-128-CTR decrypt "), "{shown}");
    assert_eq!(encrypt.len(), decrypt.len(), "{shown}");
    assert_eq!(header.len() + 1, encrypt.len(), "{shown}");
}

#[test]
fn the_cost_of_messages_and_bytes_is_a_line() {
    let mut run = run();
    // 20 ns a message and 0.1 ns a byte; beyond 16 KiB something else, which is left out.
    run.cells = [(16_u64, 21.6), (1024, 122.4), (16384, 1658.4), (1 << 20, 1e9)]
        .map(|(length, ns)| {
            let mut cell = run.cells[1].clone();
            cell.length = length;
            let figures = cell.figures.as_mut().unwrap();
            figures.ns_per_byte = ns / length as f64;
            figures.cycles_per_byte = Some(4.0 * ns / length as f64);
            cell
        })
        .into();
    let view = View {
        fit: true,
        ..View::default()
    };
    let shown = text(|out| terminal(&run, view, Screen::default(), out));
    let line = shown
        .lines()
        .find(|line| line.ends_with("0%"))
        .unwrap_or_else(|| panic!("{shown}"));
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(
        words,
        ["ciphertune/vaes512", "20.0", "0.100", "0.400", "0%"],
        "{shown}"
    );

    // A share of 10 % counts the same at every length: no other is off by more.
    run.cells[2].figures.as_mut().unwrap().ns_per_byte *= 1.1;
    let shown = text(|out| terminal(&run, view, Screen::default(), out));
    let line = shown
        .lines()
        .filter(|line| line.starts_with("ciphertune/vaes512"))
        .nth(1)
        .unwrap();
    let off = line.split_whitespace().last().unwrap().trim_end_matches('%');
    assert!(off.parse::<u32>().unwrap() < 10, "{shown}");

    run.cells.truncate(2);
    let shown = text(|out| terminal(&run, view, Screen::default(), out));
    assert!(
        !shown.contains("time = a"),
        "of two lengths any line is one: {shown}"
    );
}

#[test]
fn a_title_is_broken_where_the_screen_ends() {
    let screen = Screen {
        colour: false,
        width: Some(30),
    };
    let shown = text(|out| terminal(&run(), View::default(), screen, out));
    assert!(
        shown.starts_with("AES-128-CTR encrypt, stream/1,\n  1 thread\n\n"),
        "{shown}"
    );
}

/// An interrupted run knows of each length who cannot run, and of what was finished alone the rest.
#[test]
fn a_length_at_which_nobody_was_measured_has_no_column() {
    let mut run = run();
    run.cells
        .retain(|cell| cell.length == 16 || cell.implementation == "nettle@3.10/default");
    let shown = text(|out| terminal(&run, View::default(), Screen::default(), out));
    let head = shown.lines().find(|line| line.starts_with("GB/s")).unwrap();
    assert!(head.ends_with(" 16 B"), "{shown}");
    assert!(shown.contains("Skipped: nettle@3.10/default"), "{shown}");
    run.cells
        .retain(|cell| cell.implementation == "nettle@3.10/default");
    let shown = text(|out| terminal(&run, View::default(), Screen::default(), out));
    // Nor is there a table then, and so no heading.
    assert!(shown.starts_with("Skipped: nettle"), "{shown}");
}

#[test]
fn operations_without_a_message_are_counted() {
    let (run, _) = for_scripts();
    let shown = text(|out| terminal(&run, View::default(), Screen::default(), out));
    assert!(
        shown.contains("X25519 derive, stream/1, 1 thread\n\noperations/s (µs each)"),
        "{shown}"
    );
    assert!(shown.contains("  *4000 "), "{shown}");
}

#[test]
fn json_is_one_document() {
    let shown = text(|out| json(&run(), out));
    let document: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let fields: Vec<&String> = document.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["bounds", "cells", "machine"]);
    assert_eq!(document["machine"]["cpu"], "AMD EPYC 9B45");
    assert_eq!(document["bounds"][0]["per_cycle"], 8.0);
    assert_eq!(document["cells"].as_array().unwrap().len(), run().cells.len());
    assert_eq!(document["cells"][1]["bytes_per_second"]["median"], 52.8e9);
    assert_eq!(document["cells"][2]["status"], "failed");
    assert!(shown.ends_with("}\n"));
}

#[test]
fn a_run_without_cells_still_shows_its_machine() {
    let mut run = run();
    run.cells.clear();
    let shown = text(|out| terminal(&run, ALL, Screen::default(), out));
    assert!(shown.starts_with("Machine: AMD EPYC"), "{shown}");
}

#[test]
fn an_error_of_the_output_is_passed_on() {
    let mut full = [0_u8; 10];
    assert!(terminal(&run(), ALL, Screen::default(), &mut full.as_mut_slice()).is_err());
    assert!(markdown(&run(), ALL, &mut full.as_mut_slice()).is_err());
    assert!(csv(&run(), &mut full.as_mut_slice()).is_err());
    assert!(json(&run(), &mut full.as_mut_slice()).is_err());
}

fn listed() -> [Listed; 3] {
    let needs = |features: &[&str]| features.iter().map(|&name| name.into()).collect();
    let ours = Listed {
        id: "ciphertune/vaes512".into(),
        version: "0.1.0".into(),
        constant_time: true,
        selectable: true,
        needs: needs(&["avx512f", "vaes"]),
        origin: "built in".into(),
        goes_by: None,
        unavailable: None,
    };
    [
        Listed {
            id: "ciphertune/armv8".into(),
            needs: needs(&["aes"]),
            unavailable: Some("this processor is not an ARM".into()),
            ..ours.clone()
        },
        ours,
        Listed {
            id: "openssl@3.0.19/no-ssse3".into(),
            version: "3.0.19".into(),
            constant_time: false,
            selectable: false,
            needs: Vec::new(),
            origin: "/usr/lib/x86_64-linux-gnu/libcrypto.so.3".into(),
            goes_by: Some("OPENSSL_ia32cap=0x0".into()),
            unavailable: None,
        },
    ]
}

#[test]
fn list_wide() {
    let shown = text(|out| list(&listed(), Screen::default(), out));
    let expected = "\
Implementation           Version  Constant time  Selectable  Needs         Origin
ciphertune/armv8         0.1.0    yes            no          aes           cannot run: this processor is not an ARM
ciphertune/vaes512       0.1.0    yes            yes         avx512f vaes  built in
openssl@3.0.19/no-ssse3  3.0.19   no             no                        /usr/lib/x86_64-linux-gnu/libcrypto.so.3, goes by OPENSSL_ia32cap=0x0
";
    same(&shown, expected);
}

#[test]
fn list_narrow() {
    let screen = Screen {
        width: Some(80),
        ..Screen::default()
    };
    let shown = text(|out| list(&listed(), screen, out));
    let expected = "\
Implementation           Version  Constant time  Selectable
ciphertune/armv8         0.1.0    yes            no
  cannot run: this processor is not an ARM; needs aes
ciphertune/vaes512       0.1.0    yes            yes
  built in; needs avx512f vaes
openssl@3.0.19/no-ssse3  3.0.19   no             no
  /usr/lib/x86_64-linux-gnu/libcrypto.so.3, goes by OPENSSL_ia32cap=0x0
";
    same(&shown, expected);
}

/// As libgcrypt says what it goes by.
#[test]
fn list_breaks_a_long_list_of_instructions() {
    let [_, _, openssl] = listed();
    let libgcrypt = Listed {
        id: "libgcrypt@1.10.1/default".into(),
        version: "1.10.1".into(),
        origin: "/usr/lib/x86_64-linux-gnu/libgcrypt.so.20.4.1".into(),
        goes_by: Some(
            "hwflist:intel-cpu:intel-fast-shld:intel-bmi2:intel-ssse3:intel-sse4.1:intel-pclmul:intel-aesni:intel-rdrand"
                .into(),
        ),
        ..openssl
    };
    let screen = Screen {
        width: Some(80),
        ..Screen::default()
    };
    let shown = text(|out| list(&[libgcrypt], screen, out));
    let expected = "\
Implementation            Version  Constant time  Selectable
libgcrypt@1.10.1/default  1.10.1   no             no
  /usr/lib/x86_64-linux-gnu/libgcrypt.so.20.4.1, goes by hwflist:intel-cpu:
  intel-fast-shld:intel-bmi2:intel-ssse3:intel-sse4.1:intel-pclmul:intel-aesni:
  intel-rdrand
";
    same(&shown, expected);
}

/// On a screen of the usual width no name of an implementation, and no version, is so long that lines break.
#[test]
fn list_narrower_and_narrower() {
    let mut rows = listed();
    rows[1].version = "OpenSSL 3.0.19 27 Jan 2026".into();
    let shown = |width| {
        let screen = Screen {
            width: Some(width),
            ..Screen::default()
        };
        let shown = text(|out| list(&rows, screen, out));
        assert!(shown.lines().all(|line| line.chars().count() <= width), "{shown}");
        shown
    };
    let expected = "\
Implementation           Constant time  Selectable
ciphertune/armv8         yes            no
  version 0.1.0; cannot run: this processor is not an ARM; needs aes
ciphertune/vaes512       yes            yes
  version OpenSSL 3.0.19 27 Jan 2026; built in; needs avx512f vaes
openssl@3.0.19/no-ssse3  no             no
  version 3.0.19; /usr/lib/x86_64-linux-gnu/libcrypto.so.3, goes by
  OPENSSL_ia32cap=0x0
";
    same(&shown(70), expected);
    let expected = "\
Implementation
ciphertune/armv8
  version 0.1.0; constant-time; not
  selectable; cannot run: this processor is
  not an ARM; needs aes
ciphertune/vaes512
  version OpenSSL 3.0.19 27 Jan 2026;
  constant-time; selectable; built in; needs
  avx512f vaes
openssl@3.0.19/no-ssse3
  version 3.0.19; not constant-time; not
  selectable;
  /usr/lib/x86_64-linux-gnu/libcrypto.so.3,
  goes by OPENSSL_ia32cap=0x0
";
    same(&shown(45), expected);
}
