//! What comes out, and where.
mod common;

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::symlink,
    process::{Command, Stdio},
};

use assert_cmd::assert::OutputAssertExt;
use ciphertune_results::{Interval, Run, Status};
use common::*;
use tempfile::TempDir;

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
        "\n  95 % interval ",
        "\n  quartiles ",
        "\n  of the limit ",
        "\n  ns/B ",
        "\n  TSC ticks/B ",
        "\n  core cycles/B (est.) ",
        "\nmachine's limit ",
        "*",
        "\nDifferences under ",
        " % of its time in timed calls\n",
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

#[test]
fn a_mix_is_measured_and_told_below_the_rates() {
    let speed = |words: &[&str]| {
        let mut command = ciphertune(&home());
        command.args([
            "speed",
            "aes-128-ctr",
            "--mix",
            "64:7,576:4,1500:0.5",
            "--seconds",
            "0.005",
        ]);
        command
            .args(["--implementations", "ciphertune/portable"])
            .args(words);
        command.assert().success()
    };
    let assert = speed(&[]);
    let table = stdout(&assert);
    let (rates, mix) = table
        .split_once("1 thread: a mix of 7 × 64 B, 4 × 576 B, 0.5 × 1500 B\n")
        .unwrap_or_else(|| panic!("{table}"));
    let heads: Vec<&str> = rates.lines().filter(|line| line.contains("1500 B")).collect();
    assert!(matches!(heads[..], [head] if !head.contains("KiB")), "{table}");
    assert!(mix.contains("\nciphertune/portable "), "{table}");
    assert!(!stderr(&assert).contains("--mix"), "{}", stderr(&assert));
    let assert = speed(&["--format", "csv"]);
    assert_eq!(stdout(&assert).lines().count(), 4, "{}", stdout(&assert));
    line(
        &assert,
        "ciphertune: note: this format has the rates at --mix's lengths, ",
    );
}

#[test]
fn what_mr_has_no_line_for_is_named() {
    let home = home();
    let file = home.path().join("speed.txt");
    fs::write(
        &file,
        "+DTP:ML-KEM-768:encaps:1\n+R14:58335:ML-KEM-768:1.00\n+H:16\n+F:0:aes-128-cbc:1000.00\n\
         +F2:2:2048:4448.000000:75630.303030\n",
    )
    .unwrap();
    let import = |format| {
        let mut command = ciphertune(&home);
        command.arg("import").arg(&file).args(["--format", format]);
        command.assert().success()
    };
    let assert = import("mr");
    assert_eq!(
        line(&assert, "mr"),
        "ciphertune: note: --format mr has no lines for ML-KEM-768; --format classic has"
    );
    assert_eq!(
        stdout(&assert),
        "+I:openssl/default\n+H:16\n+F:0:AES-128-CBC:1000.00\n+F2:2:2048:4448.000000:75630.303030\n"
    );
    let assert = import("classic");
    assert!(!stderr(&assert).contains("--format") && stdout(&assert).contains("ML-KEM-768"));
}

/// Where there is a second processor; one alone has no threads to measure.
#[test]
fn threads_and_workers_are_compared_with_one() {
    if ciphertune::Threads::available() == 0 {
        eprintln!("left out: one processor has no threads to compare");
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
    assert_eq!(run["machine"]["format"], ciphertune_results::FORMAT);
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
fn additional_data_are_a_protocols_unless_named() {
    const GCM: &str = "AES-128-GCM";
    const ESP: &str = "AES-128-CBC-HMAC-SHA1-ESP";
    for (words, expected) in [
        (&[][..], [(GCM, 13), (ESP, 8)]),
        (&["--aad", "20"], [(GCM, 20), (ESP, 20)]),
    ] {
        let mut speed = ciphertune(&home());
        speed.args(["speed", GCM, ESP, "--lengths", "16", "--seconds", "0.005"]);
        speed.args(["--implementations", "ciphertune/portable,ciphertune+hmac"]);
        let table = stdout(&speed.args(words).assert().success());
        for (algorithm, aad) in expected {
            let title = format!("{algorithm} seal, new-iv/1, {aad} B of additional data, 1 thread\n");
            assert!(table.contains(&title), "no {title:?} in\n{table}");
        }
    }
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

/// What `speed` prints of two implementations, and the run file with the same figures.
fn two_measured(format: &str) -> (TempDir, String, Run) {
    let home = home();
    let path = home.path().join("run.jsonl");
    let mut speed = quick_speed(
        &home,
        &["--implementations", "ciphertune/portable,tor2007/rijndael"],
    );
    speed.args(["--format", format, "--output"]).arg(&path);
    let printed = stdout(&speed.assert().success());
    let run = Run::read(&path).unwrap();
    assert_eq!(run.cells.len(), 4);
    (home, printed, run)
}

/// An implementation's bytes per second at 16 and at 1350 bytes.
fn rates(run: &Run, implementation: &str) -> Vec<f64> {
    let here = run
        .cells
        .iter()
        .filter(|cell| cell.implementation == implementation);
    here.map(|cell| cell.figures.as_ref().unwrap().bytes_per_second.median)
        .collect()
}

#[test]
fn classic_tables_are_those_of_openssl_speed() {
    let (home, printed, run) = two_measured("classic");
    let table = |implementation: &str| {
        let numbers = rates(&run, implementation).into_iter();
        let numbers: Vec<String> = numbers.map(|rate| format!("{:>11.2}k", rate / 1000.0)).collect();
        format!(
            "implementation: {implementation}\n\
             The 'numbers' are in 1000s of bytes per second processed.\n\
             type             16 bytes   1350 bytes\n\
             AES-128-CTR   {}\n",
            numbers.join(" ")
        )
    };
    assert_eq!(
        printed,
        table("ciphertune/portable") + &table("tor2007/rijndael"),
        "{printed}"
    );
    // Who reads openssl's tables reads these.
    let text = home.path().join("one.txt");
    fs::write(&text, table("tor2007/rijndael")).unwrap();
    let imported = home.path().join("imported.jsonl");
    let mut import = ciphertune(&home);
    import.arg("import").arg(&text).arg("--output").arg(&imported);
    import.assert().success();
    let imported = Run::read(&imported).unwrap();
    let expected = rates(&run, "tor2007/rijndael");
    for (cell, expected) in imported.cells.iter().zip(&expected) {
        let rate = cell.figures.as_ref().unwrap().bytes_per_second.median;
        assert!((rate - expected).abs() <= 5.1, "{rate} {expected}");
    }
    assert_eq!(imported.cells.len(), expected.len());
}

#[test]
fn mr_lines_are_those_of_openssl_speed() {
    let (_home, printed, run) = two_measured("mr");
    let lines = |implementation: &str| {
        let numbers: Vec<String> = rates(&run, implementation)
            .iter()
            .map(|rate| format!("{rate:.2}"))
            .collect();
        format!(
            "+I:{implementation}\n+H:16:1350\n+F:0:AES-128-CTR:{}\n",
            numbers.join(":")
        )
    };
    assert_eq!(printed, lines("ciphertune/portable") + &lines("tor2007/rijndael"));
}

#[test]
fn options_that_show_nothing_are_told() {
    let errors = |words: &[&str]| {
        let mut speed = quick_speed(&home(), &["--implementations", "tor2007"]);
        stderr(&speed.args(words).assert().success())
    };
    let errors_of_mix = |words: &[&str]| {
        let mut speed = ciphertune(&home());
        speed.args(["speed", "AES-128-CTR", "--mix", "16:1,64:1", "--seconds", "0.005"]);
        speed.args(["--implementations", "tor2007"]).args(words);
        stderr(&speed.assert().success())
    };
    let options = ["--fit", "--costs", "--shares"];
    let told = |line: &&str| options.iter().any(|option| line.contains(option));
    let line_of = |errors: &str| errors.lines().filter(told).count();
    let fit = errors(&["--fit", "--costs"]);
    assert!(
        fit.contains("ciphertune: note: --fit shows nothing, as "),
        "{fit}"
    );
    assert_eq!(line_of(&fit), 1, "{fit}");
    let of_mix = errors_of_mix(&["--fit"]);
    assert!(
        of_mix.contains("; leave --mix out, or name three such lengths in it\n"),
        "{of_mix}"
    );
    for (words, told) in [
        (
            &["--format", "csv", "--fit", "--shares"][..],
            &[
                "no effect on this format, which has that in any case: --shares\n",
                "no effect on this format: --fit; ",
            ][..],
        ),
        (
            &["--format", "json", "--costs", "--shares"],
            &["no effect on this format, which has that in any case: --shares, --costs\n"],
        ),
        (
            &["--format", "mr", "--fit", "--shares"],
            &["no effect on this format: --shares, --fit; "],
        ),
    ] {
        let errors = errors(words);
        for note in told {
            assert!(errors.contains(&format!("ciphertune: note: {note}")), "{errors}");
        }
        assert_eq!(line_of(&errors), told.len(), "{errors}");
    }
    for words in [&["--format", "csv"][..], &["--fit", "--lengths", "1k,4k,16k"]] {
        assert_eq!(line_of(&errors(words)), 0, "{words:?}");
    }
}

#[test]
fn public_keys_have_operations_per_second() {
    let home = home();
    let path = home.path().join("run.jsonl");
    let mut speed = ciphertune(&home);
    speed.args(["speed", "ed25519", "x25519", "--seconds", "0.005", "--output"]);
    let table = stdout(&speed.arg(&path).assert().success());
    for text in [
        "Ed25519 sign, one-shot/1, 1 thread\n",
        "Ed25519 verify, one-shot/1, 1 thread\n",
        "X25519 derive, one-shot/1, 1 thread\n",
        "\noperations/s (µs each) ",
        "\naws-lc-rs@",
    ] {
        assert!(table.contains(text), "no {text:?} in\n{table}");
    }
    assert!(!table.contains("GB/s") && !table.contains(" B\n"), "{table}");
    // A row says of an operation how many are done in a second, and how long one takes.
    let run = Run::read(&path).unwrap();
    let ours = |cell: &&ciphertune_results::Cell| {
        cell.algorithm == "X25519" && cell.implementation.starts_with("aws-lc-rs@")
    };
    let cell = run.cells.iter().find(ours).expect("AWS-LC is built in");
    let rate = cell.figures.as_ref().unwrap().bytes_per_second.median;
    let (_, rows) = table.split_once("X25519 derive").expect("seen above");
    let row = rows
        .lines()
        .find(|line| line.starts_with("aws-lc-rs@"))
        .expect("its row");
    let words: Vec<&str> = row
        .split([' ', '*', '(', ')'])
        .filter(|word| !word.is_empty())
        .collect();
    let [_, per_second, micros] = *words else {
        panic!("{row}")
    };
    let per_second: f64 = per_second.parse().unwrap();
    let micros: f64 = micros.parse().unwrap();
    assert!((per_second / rate - 1.0).abs() < 0.006, "{row}: {rate}");
    assert!((micros * rate / 1e6 - 1.0).abs() < 0.006, "{row}: {rate}");
}

#[test]
fn what_was_measured_is_compared() {
    let (home, _, mut run) = two_measured("table");
    let compare = |words: &[&str]| {
        let mut command = ciphertune(&home);
        command
            .current_dir(home.path())
            .args(["compare", "run.jsonl", "other.jsonl"]);
        command.args(words).assert()
    };
    let row = |table: &str, implementation: &str| -> Vec<String> {
        let start = format!("{implementation} ");
        let row = table.lines().find_map(|line| line.strip_prefix(&start));
        let row = row.unwrap_or_else(|| panic!("no {start} in\n{table}"));
        row.split_whitespace().map(str::to_owned).collect()
    };
    let other = home.path().join("other.jsonl");
    run.machine.date = "2026-01-02T03:05:05Z".to_owned();
    run.write(&other).unwrap();
    let table = stdout(&compare(&["--fail-if", "slower:1%"]).success());
    for implementation in ["ciphertune/portable", "tor2007/rijndael"] {
        assert_eq!(row(&table, implementation), ["~", "~", "~"], "{table}");
    }
    // Without what the machine was busy with, half as fast is half as fast.
    run.machine.noise_floor = Some(0.01);
    let set = |run: &mut Run, implementation: &str, share: f64| {
        let here = run
            .cells
            .iter_mut()
            .filter(|cell| cell.implementation == implementation);
        for figures in here.filter_map(|cell| cell.figures.as_mut()) {
            let rate = share * figures.bytes_per_second.median;
            figures.bytes_per_second = Interval::point(rate);
            figures.replicates.fill(Some(rate));
        }
    };
    set(&mut run, "ciphertune/portable", 1.0);
    set(&mut run, "tor2007/rijndael", 1.0);
    run.write(&home.path().join("run.jsonl")).unwrap();
    set(&mut run, "tor2007/rijndael", 0.5);
    run.write(&other).unwrap();
    let failed = compare(&["--fail-if", "slower:5%"]).code(3);
    let table = stdout(&failed);
    assert_eq!(row(&table, "ciphertune/portable"), ["~", "~", "~"], "{table}");
    let slower = row(&table, "tor2007/rijndael");
    assert_eq!(slower, ["-50.0%", "-50.0%", "-50.0%"], "{table}");
    assert!(
        stderr(&failed).contains("tor2007/rijndael: "),
        "{}",
        stderr(&failed)
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
fn a_dash_is_standard_output_for_the_run_alone() {
    let home = home();
    let mut speed = quick_speed(&home, &["--implementations", "tor2007", "--output", "-"]);
    let assert = speed.current_dir(home.path()).assert().success();
    let path = home.path().join("run.jsonl");
    fs::write(&path, stdout(&assert)).unwrap();
    assert_eq!(rates(&Run::read(&path).unwrap(), "tor2007/rijndael").len(), 2);
    line(&assert, "are not told apart in this run.");
    assert!(!home.path().join("-").exists());

    let mut speed = quick_speed(&home, &["--output", "-", "--format", "json"]);
    assert_eq!(
        stderr(&speed.assert().code(2)),
        "ciphertune: --output - and --format both want standard output; leave one of them out\n"
    );
}

#[test]
fn programs_read_the_list_too() {
    let home = home();
    let table = stdout(&ciphertune(&home).arg("list").assert().success());
    let ids: Vec<&str> = table
        .lines()
        .skip(1)
        .filter_map(|line| line.split(' ').next())
        .collect();
    let assert = ciphertune(&home).args(["list", "--format", "json"]).assert();
    let rows: serde_json::Value = serde_json::from_str(&stdout(&assert.success())).unwrap();
    let rows = rows.as_array().unwrap();
    assert_eq!(
        rows.iter()
            .map(|row| row["id"].as_str().unwrap())
            .collect::<Vec<_>>(),
        ids
    );
    let row = |id: &str| rows.iter().find(|row| row["id"] == id).unwrap();
    let portable = row("ciphertune/portable");
    assert_eq!(portable["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(
        (&portable["selectable"], &portable["constant_time"]),
        (&true.into(), &true.into())
    );
    assert_eq!(portable["needs"], serde_json::json!([]));
    assert_eq!(portable["unavailable"], serde_json::Value::Null);
    assert_eq!(row("tor2007/rijndael")["constant_time"], false);
    // What is not installed.
    for absent in rows.iter().filter(|row| row["version"].is_null()) {
        assert!(
            absent["constant_time"].is_null() && absent["unavailable"].is_string(),
            "{absent}"
        );
    }
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

/// What a terminal is shown while a line of shell runs, in which `$0` is `ciphertune`; `None`, with a line on standard error,
/// where no terminal is to be had.
fn on_terminal(home: &TempDir, line: &str, set: &[(&str, &str)]) -> Option<String> {
    let line = format!("sh -c '{line}' {}", env!("CARGO_BIN_EXE_ciphertune"));
    let mut script = Command::new("script");
    script
        .args(["-q", "-e", "-c", &line, "/dev/null"])
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
            skip(format_args!("script: {error}"));
            None
        }
    }
}

#[test]
fn a_terminal_gets_colour_unless_no_color_is_set() {
    let home = home();
    if let Some(shown) = on_terminal(&home, "$0 list", &[]) {
        assert!(shown.contains("\x1b[1mImplementation"), "{shown:?}");
    }
    if let Some(shown) = on_terminal(&home, "$0 list", &[("NO_COLOR", "1")]) {
        assert!(
            shown.contains("Implementation") && !shown.contains('\x1b'),
            "{shown:?}"
        );
    }
}

#[test]
fn a_terminal_gets_a_bar_with_the_time_that_is_left_and_loses_it() {
    let home = home();
    let speed = "stty cols 80; $0 speed AES-128-CTR --lengths 16,1350 --implementations portable --seconds 0.1 >~/table";
    let Some(shown) = on_terminal(&home, speed, &[]) else {
        return;
    };
    assert!(shown.contains("finding implementations"), "{shown:?}");
    let frames = || {
        shown
            .split(['\r', '\n'])
            .map(|frame| frame.trim_start_matches(CLEAR))
    };
    let mut before = 0_usize;
    for frame in frames().filter(|frame| frame.contains(" %  ")) {
        let (bar, rest) = frame.split_at(20);
        let (percent, rest) = rest.split_once(" %  ").unwrap();
        let percent = percent.trim().parse().unwrap();
        assert!(
            (before..=100).contains(&percent),
            "{percent} % after {before}: {shown:?}"
        );
        before = percent;
        // Its head is among the rest.
        let done = bar.matches('=').count();
        assert!((percent / 5).abs_diff(done) <= 1, "{frame:?}");
        assert_eq!(rest.contains(" left  "), percent >= 4, "{frame:?}");
        assert!(frame.trim_end().chars().count() <= 80, "{frame:?}");
    }
    assert!(before > 50, "{shown:?}");
    assert!(
        frames().any(|frame| frame.contains(" left  AES-128-CTR encrypt, stream/1, 1350 bytes")),
        "{shown:?}"
    );
    // What comes after the bar stands in its place.
    let (_, after) = shown.rsplit_once(CLEAR).unwrap();
    assert!(
        !after.contains('%') || after.starts_with("ciphertune: note: "),
        "{shown:?}"
    );
    let table = fs::read_to_string(home.path().join("table")).unwrap();
    assert!(
        table.contains("\nciphertune/portable ") && !table.contains('\x1b'),
        "{table:?}"
    );
}

#[test]
fn the_bar_is_gone_where_the_user_does_not_wait_for_results() {
    // Two signals, since one that is still to be heard does not come twice. Each may come to a thread of its own: either
    // may be the first.
    let line = "$0 speed AES-128-CTR --lengths 16 --seconds 3600 & sleep 2; kill -INT $!; kill -TERM $!; wait $!; \
                case $? in 130|143) ;; *) exit 1; esac";
    let Some(shown) = on_terminal(&home(), line, &[]) else {
        return;
    };
    let (before, after) = shown.rsplit_once(CLEAR).unwrap();
    assert!(before.contains("finding implementations"), "{shown:?}");
    assert_eq!(after, "", "{shown:?}");
}

/// Erases a terminal's line.
const CLEAR: &str = "\x1b[2K";

#[test]
fn what_a_libcrypto_alone_knows_goes_by_its_name() {
    let home = home();
    let words = [
        "speed",
        "aria-128-ctr",
        "kmac-128",
        "--lengths",
        "1350",
        "--seconds",
        "0.05",
        "--format",
        "csv",
    ];
    let listed = stdout(&ciphertune(&home).arg("list").assert().success());
    if !listed.contains("openssl@3") {
        return skip("no libcrypto of OpenSSL 3");
    }
    let shown = stdout(&ciphertune(&home).args(words).assert().success());
    for name in ["ARIA-128-CTR", "KMAC-128"] {
        assert!(shown.contains(name), "no {name} in\n{shown}");
    }
    for (typo, near) in [
        ("aria-128-crt", "ARIA-128-CTR"),
        ("kmac128x", "KMAC-128"),
        ("shake-265", "SHAKE-256"),
    ] {
        let errors = stderr(&run(&["speed", typo]).code(2));
        assert!(
            errors.contains("similar value") && errors.contains(&format!("'{near}'")),
            "{errors}"
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
fn an_output_that_is_full_is_an_error() {
    let home = home();
    let speed = "speed aes-128-ctr --lengths 16 --seconds 0.005 --implementations portable --format json";
    for words in [
        "--help",
        "help speed",
        "--version",
        "man",
        "completions zsh",
        "list",
        speed,
    ] {
        let assert = ciphertune(&home)
            .args(words.split(' '))
            .stdout(fs::File::create("/dev/full").unwrap())
            .assert()
            .code(1);
        let told = "ciphertune: cannot write to standard output: No space left on device (os error 28)";
        assert!(
            stderr(&assert).lines().any(|line| line == told),
            "{words}: {assert}"
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
    let linked = home.path().join("linked.so");
    symlink(library, &linked).unwrap();
    // By whatever path: of one file it is one.
    let words = ["--libcrypto", library, "--libcrypto", linked.to_str().unwrap()];
    let shown = stdout(&quick_speed(&home, &words).assert().success());
    assert_eq!(shown.matches("openssl@3.0.99/default").count(), 1, "{shown}");
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
    assert!(row.contains(library), "{row}");
}

/// As in a folder in which OpenSSL is built.
#[test]
fn a_file_in_the_folder_is_not_the_systems_library() {
    let home = home();
    let listed = || {
        let mut list = ciphertune(&home);
        stdout(&list.arg("list").current_dir(home.path()).assert().success())
    };
    let before = listed();
    for soname in ["libcrypto.so.3", "libcrypto.so.1.1"] {
        fs::write(home.path().join(soname), "").unwrap();
    }
    assert_eq!(listed(), before);
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
        ["Exit status:", "CIPHERTUNE_WISDOM", "NO_COLOR", "CLICOLOR_FORCE"]
            .iter()
            .all(|name| help.contains(name)),
        "{help}"
    );
    assert!(!help.contains("worker"), "{help}");
    for shell in ["bash", "zsh", "fish"] {
        let script = stdout(&run(&["completions", shell]).success());
        // The hidden command is one word more than the option.
        let mut words = script.split(|letter: char| !letter.is_alphanumeric() && letter != '-');
        assert!(
            script.contains("patience")
                // fish is told of options alone.
                && (shell == "fish" || script.contains("aes-128-ctr"))
                && !script.contains("AES-128-CTR")
                && words.all(|word| word != "worker"),
            "{shell}: {script}"
        );
    }
    // All names of algorithms are for who asks for more.
    for (command, name) in [("speed", "RIPEMD-160"), ("tune", "AES-192-OCB")] {
        assert!(!stdout(&run(&[command, "-h"]).success()).contains(name));
        assert!(stdout(&run(&[command, "--help"]).success()).contains(name));
        let page = stdout(&run(&["man", command]).success());
        assert!(page.contains(&name.replace('-', "\\-")), "{page}");
        let synopsis = format!(".SH SYNOPSIS\n\\fBciphertune {command}\\fR [OPTIONS] [ALGORITHM]...\n");
        assert!(page.contains(&synopsis), "{page}");
    }
    let page = stdout(&run(&["man"]).success());
    let title = format!(".TH ciphertune 1 \"\" {} Ciphertune\n", env!("CARGO_PKG_VERSION"));
    assert!(page.contains(&title), "{page}");
    assert!(
        page.contains(".SH \"EXIT STATUS\"")
            && page.contains("wrong, or the environment;")
            && page.contains("ciphertune\\-speed(1)"),
        "{page}"
    );
    let page = stdout(&run(&["man", "tune"]).success());
    assert!(
        page.contains("ciphertune tune") && page.contains("\\-\\-patience"),
        "{page}"
    );
}

/// As a build does that ends meanwhile.
#[test]
fn a_program_that_is_replaced_measures_by_itself_to_the_end() {
    let home = home();
    let program = home.path().join("ciphertune");
    put_program(&program, fs::read(env!("CARGO_BIN_EXE_ciphertune")).unwrap());
    let speed = quick_speed(&home, &["--implementations", "ciphertune/portable"]);
    let child = Command::new(&program)
        .args(speed.get_args())
        .env_clear()
        .env("HOME", home.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    fs::remove_file(&program).unwrap();
    put_program(&program, "#!/bin/sh\n");
    let output = child.wait_with_output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && shown.contains("\nciphertune/portable "),
        "{output:?}"
    );
}
