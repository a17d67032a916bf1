//! What comes out, and where.
// With a broken implementation every session ends with status 1.
#![cfg(not(feature = "broken"))]
mod common;

use std::{
    collections::BTreeMap,
    process::{Command, Stdio},
};

use assert_cmd::assert::OutputAssertExt;
use ciphertune_results::{Run, Status};
use common::*;

#[test]
fn a_table_has_every_implementation_and_marks_the_fastest() {
    let assert = quick_speed(&home(), &["--intervals", "--shares", "--costs"])
        .assert()
        .success();
    let table = stdout(&assert);
    for text in [
        "AES-128-CTR encrypt, stream/1, 1 thread\n",
        "  16 B  ",
        "1350 B\n",
        "\nciphertune/portable ",
        "\nrustcrypto@",
        "\naws-lc-rs@",
        "\ntor2007/unrolled ",
        "\n  interval ",
        "\n  of the limit ",
        "\n  ns/B ",
        "\n  TSC ticks/B ",
        "\n  core cycles/B (est.) ",
        "\nmachine's limit ",
        "*",
        "\nDifferences under ",
    ] {
        assert!(table.contains(text), "no {text:?} in\n{table}");
    }
    assert!(!table.contains("AES-256-CTR"), "{table}");
}

#[test]
fn costs_are_fitted_and_certainty_is_asked_for() {
    let words = [
        "speed",
        "aes-128-ctr",
        "--lengths",
        "16,64,256",
        "--seconds",
        "0.005",
    ];
    let shown = ciphertune(&home())
        .args(words)
        .args(["--implementations", "ciphertune/portable"])
        .args(["--fit", "--confidence", "0.99", "--until-stable", "0.001"])
        .assert()
        .success();
    let shown = stdout(&shown);
    let fit = shown
        .split_once("1 thread: time = a + b × length\n")
        .map(|(_, fit)| fit);
    assert!(
        fit.is_some_and(|fit| fit.contains("\nciphertune/portable ")),
        "{shown}"
    );
    for wrong in [["--confidence", "95"], ["--until-stable", "0"]] {
        run(&["speed"].into_iter().chain(wrong).collect::<Vec<_>>()).code(2);
    }
}

/// Where there is a second processor; one alone has no threads to measure.
#[test]
fn threads_and_workers_are_compared_with_one() {
    if ciphertune::Threads::available() == 0 {
        return;
    }
    let home = home();
    let ours = ["--implementations", "ciphertune/portable"];
    let shown = |words: &[&str]| stdout(&quick_speed(&home, &[&ours, words].concat()).assert().success());
    let threads = shown(&["--threads", "1,2"]);
    for text in ["stream/1, 1 thread\n", "stream/1, 2 threads\n", "\n  efficiency "] {
        assert!(threads.contains(text), "no {text:?} in\n{threads}");
    }
    let workers = shown(&["--workers", "1", "--hash"]);
    for text in [
        "stream-sha256/1, 1 thread\n",
        "stream-sha256/1, 1 thread and 1 worker\n",
        "\n  times one alone ",
    ] {
        assert!(workers.contains(text), "no {text:?} in\n{workers}");
    }
}

#[test]
fn json_is_one_document() {
    let assert = quick_speed(&home(), &["--format", "json"]).assert().success();
    let run: serde_json::Value = serde_json::from_str(&stdout(&assert)).unwrap();
    assert_eq!(run["machine"]["format"], 1);
    assert_eq!(run["cells"][0]["algorithm"], "AES-128-CTR");
    assert!(
        run["cells"]
            .as_array()
            .unwrap()
            .iter()
            .any(|cell| cell["chosen"] == true)
    );
}

#[test]
fn csv_has_a_header_and_rows_of_the_same_length() {
    let assert = quick_speed(&home(), &["--format", "csv"]).assert().success();
    let text = stdout(&assert);
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    assert_eq!(
        rows.headers().unwrap().iter().take(4).collect::<Vec<_>>(),
        ["algorithm", "operation", "contract", "length"]
    );
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    let mut lengths = BTreeMap::<&str, usize>::new();
    rows.iter()
        .for_each(|row| *lengths.entry(&row[3]).or_default() += 1);
    assert_eq!(lengths.keys().copied().collect::<Vec<_>>(), ["1350", "16"]);
    assert_eq!(lengths["16"], lengths["1350"]);
}

#[test]
fn markdown_is_a_table() {
    let assert = quick_speed(&home(), &["--format", "markdown"]).assert().success();
    assert!(
        stdout(&assert).contains("\n| ciphertune/portable "),
        "{}",
        stdout(&assert)
    );
}

#[test]
fn a_run_file_holds_what_was_asked_for_once() {
    let home = home();
    let path = home.path().join("run.jsonl");
    // A length twice, an algorithm twice and in small letters.
    ciphertune(&home)
        .args([
            "speed",
            "aes-128-ctr",
            "AES-128-CTR",
            "--seconds",
            "0.005",
            "--lengths",
            "1k,16,1024",
        ])
        .args([
            "--implementations",
            "ciphertune/portable,tor2007/rijndael",
            "--output",
        ])
        .arg(&path)
        .assert()
        .success();
    let run = Run::read(&path).unwrap();
    let cells: Vec<_> = run
        .cells
        .iter()
        .map(|cell| (cell.length, &*cell.implementation))
        .collect();
    assert_eq!(
        cells,
        [
            (1024, "ciphertune/portable"),
            (1024, "tor2007/rijndael"),
            (16, "ciphertune/portable"),
            (16, "tor2007/rijndael"),
        ]
    );
    assert!(
        run.cells
            .iter()
            .all(|cell| cell.status == Status::Ok && cell.figures.is_some())
    );
}

#[test]
fn what_is_no_terminal_gets_no_colour() {
    let assert = run(&["list"]).success();
    let (table, errors) = (stdout(&assert), stderr(&assert));
    assert!(!table.contains('\x1b'), "{table:?}");
    assert_eq!(errors, "");
    let errors = stderr(&quick_speed(&home(), &[]).assert().success());
    assert!(!errors.contains('\x1b') && !errors.contains("left"), "{errors:?}");
}

#[test]
fn a_terminal_gets_colour_unless_no_color_is_set() {
    let home = home();
    let shown = |set: &[(&str, &str)]| {
        let list = format!("{} list", env!("CARGO_BIN_EXE_ciphertune"));
        let mut script = Command::new("script");
        script
            .args(["-q", "-e", "-c", &list, "/dev/null"])
            .stdin(Stdio::null())
            .env("HOME", home.path())
            .env("TERM", "xterm")
            .env_remove("NO_COLOR")
            .envs(set.iter().copied());
        match script.output() {
            Ok(output) => {
                assert!(output.status.success(), "{output:?}");
                Some(String::from_utf8(output.stdout).unwrap())
            }
            Err(error) => {
                eprintln!("skipped: script: {error}");
                None
            }
        }
    };
    if let Some(shown) = shown(&[]) {
        assert!(shown.contains("\x1b[1mImplementation"), "{shown:?}");
    }
    if let Some(shown) = shown(&[("NO_COLOR", "1")]) {
        assert!(
            shown.contains("Implementation") && !shown.contains('\x1b'),
            "{shown:?}"
        );
    }
}

#[test]
fn a_reader_that_stops_reading_is_no_error() {
    for words in [
        &["list"][..],
        &["man"],
        &["completions", "zsh"],
        &["--help"],
        &["tune", "--patience", "estimate"],
    ] {
        let mut child = ciphertune(&home())
            .args(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(
            output.status.success() && output.stderr.is_empty(),
            "{words:?}: {output:?}"
        );
    }
}

#[test]
fn a_library_that_is_named_is_measured() {
    let home = home();
    let Some(library) = libcrypto(home.path(), &[]) else {
        return;
    };
    let library = library.to_str().unwrap();
    let shown = stdout(&quick_speed(&home, &["--libcrypto", library]).assert().success());
    assert!(shown.contains("\nopenssl@3.0.99/default "), "{shown}");
    let listed = stdout(
        &ciphertune(&home)
            .args(["list", "--libcrypto", library])
            .assert()
            .success(),
    );
    let row = listed
        .lines()
        .find(|line| line.starts_with("openssl@3.0.99/default"))
        .unwrap();
    assert!(row.contains("OpenSSL 3.0.99 1 Jan 2030"), "{row}");
    assert!(row.ends_with(library), "{row}");
}

#[test]
fn help_and_pages_are_there() {
    let version = stdout(&run(&["--version"]).success());
    assert!(
        version.starts_with(concat!("ciphertune ", env!("CARGO_PKG_VERSION"), " (")),
        "{version}"
    );
    let help = stdout(&run(&["--help"]).success());
    assert!(
        help.contains("Exit status:") && help.contains("CIPHERTUNE_WISDOM"),
        "{help}"
    );
    assert!(!help.contains("worker"), "{help}");
    for shell in ["bash", "zsh", "fish"] {
        let script = stdout(&run(&["completions", shell]).success());
        // The hidden command is one word more than the option.
        let mut words = script.split(|letter: char| !letter.is_alphanumeric() && letter != '-');
        assert!(
            script.contains("patience") && words.all(|word| word != "worker"),
            "{shell}: {script}"
        );
    }
    let page = stdout(&run(&["man"]).success());
    assert!(
        page.contains(".SH \"EXIT STATUS\"") && page.contains("ciphertune\\-speed(1)"),
        "{page}"
    );
    let page = stdout(&run(&["man", "tune"]).success());
    assert!(
        page.contains("ciphertune tune") && page.contains("\\-\\-patience"),
        "{page}"
    );
}
