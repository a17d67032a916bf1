//! `ciphertune compare`
mod common;

use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt, path::Path};

use ciphertune_results::{Cell, Figures, Machine, Run, Status};
use common::*;

/// A run in which everything is as fast as this, in GB/s.
fn write(path: &Path, gigabytes: f64) {
    let cell = |algorithm: &str, implementation: &str, length| Cell {
        selectable: true,
        figures: Some(Figures {
            replicates: [0.999, 1.0, 1.001]
                .map(|part| Some(part * gigabytes * 1e9))
                .into(),
            quanta: 30,
            processes: 3,
            ..Figures::point(gigabytes * 1e9)
        }),
        ..Cell::new(implementation, algorithm, "encrypt", "stream/1", length)
    };
    let run = Run {
        machine: Machine {
            processors: Some(2),
            noise_floor: Some(0.01),
            ..Machine::new(
                "a processor".to_owned(),
                "0.1.0".to_owned(),
                "2026-01-02T03:04:05Z".to_owned(),
            )
        },
        bounds: Vec::new(),
        cells: vec![
            cell("AES-128-CTR", "a/b", 16),
            cell("AES-128-CTR", "a/b", 16384),
            cell("AES-256-CTR", "a/b", 16),
        ],
    };
    run.write(path).unwrap();
}

#[test]
fn two_files_give_a_table_and_a_gate() {
    let home = home();
    let compare = |rates: [f64; 2], words: &[&str]| {
        for (name, rate) in ["old.jsonl", "new.jsonl"].into_iter().zip(rates) {
            write(&home.path().join(name), rate);
        }
        let mut command = ciphertune(&home);
        command.current_dir(home.path());
        let files = ["compare", "old.jsonl", "new.jsonl"];
        assert_cmd::assert::OutputAssertExt::assert(command.args(files).args(words))
    };
    let slower = stdout(&compare([10.0, 9.4], &[]).success());
    for text in [
        "new.jsonl against old.jsonl, encrypt, stream/1, 1 thread, a/b\n",
        "\nAES-128-CTR            -6.0%   -6.0%  -6.0%\n",
        "\nAES-256-CTR            -6.0%       -  -6.0%\n",
        "\ngeometric mean of all                 -6.0%\n",
        "\nn: 3 worker processes on either side\n",
        "\nOne run on either side: what differs from one run to the next",
        "\nold.jsonl: a processor, 2 processors; ciphertune 0.1.0, 2026-01-02T03:04:05Z\n",
    ] {
        assert!(slower.contains(text), "no {text:?} in\n{slower}");
    }
    let same = stdout(&compare([10.0, 9.95], &[]).success());
    assert!(
        same.contains("\nAES-128-CTR               ~       ~     ~\n"),
        "{same}"
    );
    assert!(same.contains("\n~: no difference at 95 % confidence"), "{same}");

    compare([10.0, 9.4], &["--fail-if", "slower:7%"]).success();
    compare([10.0, 10.6], &["--fail-if", "slower:5%"]).success();
    // Less than the noise floor of single runs.
    let noisy = stderr(&compare([10.0, 9.93], &["--fail-if", "slower:0.5%"]).success());
    assert!(
        noisy.contains("note: --fail-if lets 3 cells pass, slower by more than that and certainly so, "),
        "{noisy}"
    );
    let failed = compare([10.0, 9.4], &["--fail-if", "slower:5%"]).code(3);
    let errors = stderr(&failed);
    let [note, slower @ ..] = &errors.lines().collect::<Vec<_>>()[..] else {
        panic!("no errors");
    };
    assert!(
        note.starts_with("ciphertune: note: --fail-if goes by single runs, ")
            && note.contains("folders of ten runs"),
        "{note}"
    );
    assert_eq!(
        slower[0],
        "ciphertune: new.jsonl: AES-128-CTR encrypt at 16 B, stream/1, a/b: 6.0 % slower than old.jsonl"
    );
    assert_eq!(slower.len(), 3);
}

#[test]
fn a_gate_does_not_let_pass_what_has_no_rate_to_judge() {
    let home = home();
    let at = |name: &str| home.path().join(name);
    write(&at("old.jsonl"), 10.0);
    let gate = |words: &[&str]| {
        let mut command = ciphertune(&home);
        command
            .current_dir(home.path())
            .args(["compare", "old.jsonl", "new.jsonl"])
            .args(words);
        assert_cmd::assert::OutputAssertExt::assert(&mut command)
    };
    let slower = &["--fail-if", "slower:5%"][..];

    let mut run = Run::read(&at("old.jsonl")).unwrap();
    run.cells[2] = Cell {
        status: Status::Failed,
        reason: Some("wrong ciphertext".into()),
        figures: None,
        ..run.cells[2].clone()
    };
    run.write(&at("new.jsonl")).unwrap();
    line(
        &gate(slower).code(1),
        "new.jsonl: a/b failed on AES-256-CTR; the results say how",
    );
    gate(&[]).success();

    let whole = run.cells.clone();
    run.cells.truncate(2);
    run.write(&at("new.jsonl")).unwrap();
    line(
        &gate(slower).code(1),
        "new.jsonl: there is no rate to judge of a/b on AES-256-CTR: new.jsonl does not have it",
    );
    gate(&[]).success();
    // Its length, where the algorithm is there.
    run.cells = vec![whole[0].clone()];
    run.write(&at("new.jsonl")).unwrap();
    line(
        &gate(slower).code(1),
        "new.jsonl: there is no rate to judge of a/b on AES-128-CTR at 16 KiB: new.jsonl has other lengths of it",
    );
    let shown = stdout(&gate(&[]).success());
    assert!(
        shown.contains(
            "Not compared: a/b on AES-128-CTR at 16 KiB (1 cell): new.jsonl has other lengths of it\n"
        ),
        "{shown}"
    );
    // However many there are.
    let mut old = Run::read(&at("old.jsonl")).unwrap();
    old.cells.extend((0..24).map(|n| Cell {
        algorithm: format!("CIPHER-{n}"),
        ..whole[0].clone()
    }));
    old.write(&at("old.jsonl")).unwrap();
    line(
        &gate(slower).code(1),
        "there is no rate to judge of a/b on AES-256-CTR, CIPHER-0, CIPHER-1 and 22 more: new.jsonl does not have it",
    );
    write(&at("old.jsonl"), 10.0);
    // One direction of two.
    let mut old = Run::read(&at("old.jsonl")).unwrap();
    old.write(&at("new.jsonl")).unwrap();
    old.cells.push(Cell {
        operation: "decrypt".into(),
        ..old.cells[2].clone()
    });
    old.write(&at("old.jsonl")).unwrap();
    line(
        &gate(slower).code(1),
        "new.jsonl: there is no rate to judge of a/b on AES-256-CTR decrypt: new.jsonl does not have it",
    );
    write(&at("old.jsonl"), 10.0);
    // What is there and was timed another way, or has no cycles.
    let mut run = Run::read(&at("old.jsonl")).unwrap();
    run.cells[2].contract = "new-iv/2".into();
    run.write(&at("new.jsonl")).unwrap();
    line(
        &gate(slower).code(1),
        "new.jsonl: there is no rate to judge of a/b on AES-256-CTR: its contract is new-iv/2, and that of old.jsonl stream/1; \
         --across-contracts compares them all the same",
    );
    let per_cycle = &["--per-cycle", "--fail-if", "slower:5%"];
    let mut run = Run::read(&at("old.jsonl")).unwrap();
    for cell in &mut run.cells {
        cell.figures.as_mut().unwrap().cycles_per_byte = Some(0.4);
    }
    run.write(&at("old.jsonl")).unwrap();
    run.cells[1].figures.as_mut().unwrap().cycles_per_byte = None;
    run.write(&at("new.jsonl")).unwrap();
    line(
        &gate(per_cycle).code(1),
        "no rate to judge of a/b on AES-128-CTR at 16 KiB: its core cycles are not known on both sides",
    );
    // What the run itself does not rely on, on either side.
    write(&at("old.jsonl"), 10.0);
    let mut run = Run::read(&at("old.jsonl")).unwrap();
    run.cells[2].figures.as_mut().unwrap().replicates.fill(None);
    for name in ["old.jsonl", "new.jsonl"] {
        write(&at("old.jsonl"), 10.0);
        write(&at("new.jsonl"), 10.0);
        run.write(&at(name)).unwrap();
        line(
            &gate(slower).code(1),
            &format!(
                "new.jsonl: there is no rate to judge of a/b on AES-256-CTR: other work disturbed it all the time in {name}"
            ),
        );
        gate(&[]).success();
    }
    // What only the new one has is no loss.
    write(&at("old.jsonl"), 10.0);
    run.cells.truncate(1);
    run.write(&at("new.jsonl")).unwrap();
    let mut command = ciphertune(&home);
    command
        .current_dir(home.path())
        .args(["compare", "new.jsonl", "old.jsonl"])
        .args(slower);
    assert_cmd::assert::OutputAssertExt::assert(&mut command).success();
}

/// Of what failed in one of the baseline's runs there is nothing to be slower than.
#[test]
fn a_gate_does_not_let_pass_what_failed_in_the_baseline() {
    let home = home();
    let at = |name: String| home.path().join(name);
    for (folder, rate) in [("old", 10.0), ("new", 1.0)] {
        fs::create_dir(at(folder.into())).unwrap();
        for n in 0..4 {
            let path = at(format!("{folder}/{n}.jsonl"));
            write(&path, 10.0 + 0.01 * f64::from(n));
            let mut run = Run::read(&path).unwrap();
            let last = &mut run.cells[2];
            last.figures = Some(Figures::point(rate * 1e9));
            if (folder, n) == ("old", 0) {
                last.status = Status::Failed;
                last.reason = Some("it crashed".into());
                last.figures = None;
            }
            run.write(&path).unwrap();
        }
    }
    for [old, new] in [["old", "new"], ["old/0.jsonl", "new/1.jsonl"]] {
        let mut command = ciphertune(&home);
        command
            .current_dir(home.path())
            .args(["compare", old, new, "--fail-if", "slower:5%"]);
        let failed = assert_cmd::assert::OutputAssertExt::assert(&mut command).code(1);
        let name = old.trim_start_matches("old/");
        line(
            &failed,
            &format!("{name}: a/b failed on AES-256-CTR; the results say how"),
        );
    }
}

#[test]
fn a_dash_is_standard_input() {
    let home = home();
    let at = |name: &str| home.path().join(name);
    write(&at("old.jsonl"), 10.0);
    write(&at("new.jsonl"), 9.4);
    let mut command = ciphertune(&home);
    command
        .current_dir(home.path())
        .args(["compare", "old.jsonl", "-"])
        .stdin(fs::File::open(at("new.jsonl")).unwrap());
    let shown = stdout(&assert_cmd::assert::OutputAssertExt::assert(&mut command).success());
    assert!(
        shown.starts_with("standard input against old.jsonl, encrypt, ") && shown.contains(" -6.0%"),
        "{shown}"
    );
}

#[test]
fn details_that_a_format_has_anyway_are_told() {
    let home = home();
    for (name, rate) in [("old.jsonl", 10.0), ("new.jsonl", 9.4)] {
        write(&home.path().join(name), rate);
    }
    for (format, count) in [("csv", 1), ("json", 1), ("table", 0), ("markdown", 0)] {
        let mut command = ciphertune(&home);
        command.current_dir(home.path()).args([
            "compare",
            "old.jsonl",
            "new.jsonl",
            "--rates",
            "--format",
            format,
        ]);
        let assert = assert_cmd::assert::OutputAssertExt::assert(&mut command).success();
        assert_eq!(
            stderr(&assert).matches("have no effect on this format").count(),
            count,
            "{format}"
        );
    }
}

/// What a gate says of a run with other cells, and of the same a tenth slower.
fn failed_gate(cells: impl Fn(Cell) -> Vec<Cell>) -> assert_cmd::assert::Assert {
    let home = home();
    let at = |name: &str| home.path().join(name);
    for (name, rate) in [("old.jsonl", 10.0), ("new.jsonl", 9.0)] {
        write(&at(name), rate);
        let mut run = Run::read(&at(name)).unwrap();
        run.cells = cells(run.cells.swap_remove(0));
        run.write(&at(name)).unwrap();
    }
    let mut command = ciphertune(&home);
    command
        .current_dir(home.path())
        .args(["compare", "old.jsonl", "new.jsonl", "--fail-if", "slower:5%"]);
    assert_cmd::assert::OutputAssertExt::assert(&mut command).code(3)
}

#[test]
fn a_gate_names_no_length_where_there_is_no_message() {
    let failed = failed_gate(|cell| {
        vec![Cell {
            algorithm: "RSA-2048".into(),
            operation: "sign".into(),
            length: 1,
            ..cell
        }]
    });
    assert_eq!(
        line(&failed, "slower than"),
        "ciphertune: new.jsonl: RSA-2048 sign, stream/1, a/b: 10.0 % slower than old.jsonl"
    );
}

/// Rows of one algorithm that would look alike by their lengths.
#[test]
fn a_gate_tells_which_row_it_was() {
    let failed = failed_gate(|cell| {
        let cell = Cell {
            algorithm: "AES-128-GCM".into(),
            operation: "seal".into(),
            contract: "new-iv/1".into(),
            aad: 13,
            ..cell
        };
        vec![
            cell.clone(),
            Cell {
                aad: 0,
                contract: "new-key/1".into(),
                ..cell.clone()
            },
            Cell {
                threads: 3,
                workers: 1,
                ..cell
            },
        ]
    });
    let told: Vec<String> = stderr(&failed)
        .lines()
        .filter(|line| line.contains("slower than"))
        .map(str::to_owned)
        .collect();
    let expected = [
        "new-iv/1, 13 B of additional data",
        "new-key/1",
        "new-iv/1, 13 B of additional data, 2 threads and 1 worker",
    ];
    let row = |conditions| {
        format!(
            "ciphertune: new.jsonl: AES-128-GCM seal at 16 B, {conditions}, a/b: 10.0 % slower than old.jsonl"
        )
    };
    assert_eq!(told, expected.map(row));
}

#[test]
fn a_gate_names_an_implementation_once() {
    let home = home();
    let path = home.path().join("run.jsonl");
    write(&path, 10.0);
    let mut run = Run::read(&path).unwrap();
    let slow = home.path().join("slow.jsonl");
    write(&slow, 9.0);
    let slower = Run::read(&slow).unwrap().cells.into_iter().map(|cell| Cell {
        implementation: "c/d".into(),
        ..cell
    });
    run.cells.extend(slower.take(1));
    run.write(&path).unwrap();
    let mut command = ciphertune(&home);
    command
        .arg("compare")
        .arg(&path)
        .args(["--baseline", "a/b", "--fail-if", "slower:5%"]);
    let failed = assert_cmd::assert::OutputAssertExt::assert(&mut command).code(3);
    assert_eq!(
        line(&failed, "slower than"),
        "ciphertune: c/d: AES-128-CTR encrypt at 16 B, stream/1: 10.0 % slower than a/b"
    );

    // Nor where there is no rate to judge.
    let mut disturbed = run.cells[1].clone();
    disturbed.implementation = "c/d".into();
    disturbed.figures.as_mut().unwrap().replicates.fill(None);
    run.cells.push(disturbed);
    run.write(&path).unwrap();
    let failed = assert_cmd::assert::OutputAssertExt::assert(&mut command).code(1);
    assert_eq!(
        line(&failed, "no rate"),
        "ciphertune: c/d: there is no rate to judge on AES-128-CTR at 16 KiB: other work disturbed it all the time in c/d"
    );
}

#[test]
fn what_is_compared_with_itself_is_told_by_whatever_path() {
    let home = home();
    fs::create_dir(home.path().join("folder")).unwrap();
    write(&home.path().join("folder/run.jsonl"), 10.0);
    write(&home.path().join("folder/second.jsonl"), 11.0);
    std::os::unix::fs::symlink("folder/run.jsonl", home.path().join("link")).unwrap();
    fs::create_dir(home.path().join("other")).unwrap();
    write(&home.path().join("other/run.jsonl"), 12.0);
    fs::copy(
        home.path().join("folder/run.jsonl"),
        home.path().join("other/same.jsonl"),
    )
    .unwrap();
    for (one, other, twice) in [
        ("link", "link", ["link", "link"]),
        ("link", "./link", ["link", "./link"]),
        ("folder/run.jsonl", "link", ["folder/run.jsonl", "link"]),
        ("folder", "./folder", ["folder/run.jsonl", "./folder/run.jsonl"]),
        // One of several alone.
        ("folder", "other", ["folder/run.jsonl", "other/same.jsonl"]),
        ("folder", "link", ["folder/run.jsonl", "link"]),
    ] {
        let mut command = ciphertune(&home);
        command.current_dir(home.path()).args(["compare", one, other]);
        let refused = assert_cmd::assert::OutputAssertExt::assert(&mut command).code(1);
        let [one, other] = twice;
        assert_eq!(
            stderr(&refused),
            format!(
                "ciphertune: '{one}' and '{other}' are one run twice; leave it out of one side, or name another to compare \
                 with\n"
            )
        );
        assert_eq!(stdout(&refused), "");
    }
}

#[test]
fn folders_hold_runs_that_repeat_each_other() {
    let home = home();
    let at = |name: &str| home.path().join(name);
    for (folder, rate) in [("old", 10.0), ("new", 9.4)] {
        fs::create_dir(at(folder)).unwrap();
        for n in 0..4 {
            write(&at(&format!("{folder}/{n}.jsonl")), rate + 0.01 * f64::from(n));
        }
        fs::write(at(&format!("{folder}/notes.txt")), "not a run").unwrap();
    }
    let compare = |words: &[&str]| {
        let mut command = ciphertune(&home);
        command.current_dir(home.path());
        assert_cmd::assert::OutputAssertExt::assert(command.arg("compare").args(words))
    };
    let shown = stdout(&compare(&["old/", "new", "--baseline", "old"]).success());
    for text in [
        "new against old, encrypt, stream/1, 1 thread, a/b\n",
        "\nAES-128-CTR            -6.0%   -6.0%  -6.0%\n",
        "\nn: 4 runs on either side\n",
        "\nold: a processor, 2 processors; ciphertune 0.1.0, 2026-01-02T03:04:05Z, one of 4 runs\n",
    ] {
        assert!(shown.contains(text), "no {text:?} in\n{shown}");
    }
    assert!(!shown.contains("One run"), "{shown}");
    let failed = compare(&["old", "new", "--fail-if", "slower:5%"]).code(3);
    for text in ["single runs", "nobody can say"] {
        assert!(!stderr(&failed).contains(text), "{}", stderr(&failed));
    }
    line(
        &failed,
        "it takes 5 runs on either side to be certain of one of 3 cells",
    );

    // One that was interrupted, with a process of three.
    let interrupted = at("old/4.jsonl");
    write(&interrupted, 10.0);
    let mut run = Run::read(&interrupted).unwrap();
    let figures = run.cells[1].figures.as_mut().unwrap();
    figures.replicates.truncate(1);
    run.write(&interrupted).unwrap();
    let short = stdout(&compare(&["old", "new"]).success());
    for text in [
        "\nAES-128-CTR            -6.0%   -6.0%  -6.0%\n",
        "\nn: 4 runs against 4 to 5\n",
        "\nRuns left out: a run counts for a cell that it has of at least half as many",
    ] {
        assert!(short.contains(text), "no {text:?} in\n{short}");
    }
    assert!(!shown.contains("Runs left out"), "{shown}");
    fs::remove_file(interrupted).unwrap();

    fs::remove_file(at("new/3.jsonl")).unwrap();
    let few = stdout(&compare(&["old", "new"]).success());
    for text in [
        "\nNo intervals: percentages of too few runs; 95 % confidence takes 4 on either side at least\n",
        "\nn: 3 runs against 4\n",
    ] {
        assert!(few.contains(text), "no {text:?} in\n{few}");
    }
    let unsure = compare(&["old", "new", "--fail-if", "slower:5%"]).code(3);
    assert_eq!(
        line(&unsure, "note: "),
        "ciphertune: note: --fail-if: nobody can say how sure the verdict on 3 cells is, by single figures or fewer than 4 \
         runs on a side; it counts as it stands, so that chance alone may fail the gate; folders of ten runs each would tell"
    );

    let refused = |expected: &str| {
        let assert = compare(&["old", "new"]).code(1);
        line(&assert, expected);
        assert_eq!(stdout(&assert), "");
    };
    let one = stdout(&compare(&["old", "new/0.jsonl"]).success());
    assert!(one.contains("\nn: 1 run against 4\n"), "{one}");
    fs::copy(at("new/1.jsonl"), at("new/copy.jsonl")).unwrap();
    refused(
        "'new/1.jsonl' and 'new/copy.jsonl' are one run twice; a folder is for runs that repeat each other",
    );
    let text = fs::read_to_string(at("new/1.jsonl")).unwrap();
    fs::write(at("new/copy.jsonl"), text.replace("a processor", "another one")).unwrap();
    refused("'new/0.jsonl' and 'new/copy.jsonl' are of different machines");
    fs::write(at("new/copy.jsonl"), "nothing").unwrap();
    refused("'new/copy.jsonl'");
    fs::remove_dir_all(at("new")).unwrap();
    fs::create_dir(at("new")).unwrap();
    refused("there is no run file (*.jsonl) in the folder 'new'");
}

#[test]
fn for_pages_and_programs() {
    let home = home();
    let [old, new] = ["old.jsonl", "new.jsonl"].map(|name| home.path().join(name));
    write(&old, 10.0);
    write(&new, 20.0);
    let compare = |format: &str| {
        let files = [old.to_str().unwrap(), new.to_str().unwrap()];
        stdout(&run(&["compare", "--format", format, files[0], files[1]]).success())
    };
    let page = compare("markdown");
    assert!(
        page.contains("| AES-128-CTR           | +100% |  +100% | +100% |\n"),
        "{page}"
    );

    let text = compare("csv");
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let header = rows.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 3);
    let field = |name: &str| &rows[0][header.iter().position(|other| other == name).unwrap()];
    // Geometric means of the processes.
    let number = |name| field(name).parse::<f64>().unwrap();
    assert!((number("rate") / number("baseline_rate") - 2.0).abs() < 1e-9);
    assert!((number("rate") / 20e9 - 1.0).abs() < 1e-6);
    assert_eq!(field("verdict"), "faster");

    let document: serde_json::Value = serde_json::from_str(&compare("json")).unwrap();
    assert_eq!(document["baseline"], "old.jsonl");
    assert_eq!(
        document["compared"][0]["rows"][0]["cells"][0]["change"]["verdict"],
        "faster"
    );
}

#[test]
fn an_implementation_is_known_by_a_part_of_its_name() {
    let home = home();
    let path = home.path().join("run.jsonl");
    write(&path, 1.0);
    let text = fs::read_to_string(&path).unwrap();
    let other = home.path().join("other.jsonl");
    fs::write(
        &other,
        text.replace("a/b", "c@1/b")
            .replace("\"length\":16384", "\"length\":64"),
    )
    .unwrap();
    let files = [path.to_str().unwrap(), other.to_str().unwrap()];
    let compare = |baseline| {
        let words = [
            "compare",
            "--by",
            "implementation",
            "--format",
            "json",
            "--baseline",
            baseline,
        ];
        run(&[&words[..], &files].concat())
    };
    for named in ["c", "c@1", "c/b", "c@1/b"] {
        let document: serde_json::Value = serde_json::from_str(&stdout(&compare(named).success())).unwrap();
        assert_eq!(document["baseline"], "c@1/b", "{named}");
    }
    line(
        &compare("b").code(2),
        "'b' is a part of several names; write the one that is to be the baseline: a/b, c@1/b",
    );
}

#[test]
fn an_implementation_in_several_files_is_known_by_its_file() {
    let home = home();
    let files = ["old.jsonl", "new.jsonl"].map(|name| home.path().join(name));
    files
        .iter()
        .zip([1.0, 2.0])
        .for_each(|(file, rate)| write(file, rate));
    let compare = |baseline| {
        let words = ["compare", "--by", "implementation", "--baseline", baseline];
        run(&[&words[..], &files.each_ref().map(|file| file.to_str().unwrap())].concat())
    };
    for named in ["b", "a/b"] {
        line(
            &compare(named).code(2),
            "write the one that is to be the baseline: a/b in old.jsonl, a/b in new.jsonl",
        );
    }
    let shown = stdout(&compare("a/b in new.jsonl").success());
    assert!(shown.contains("1 thread against a/b in new.jsonl"), "{shown}");
}

/// Which all look alike where what is no UTF-8 is one sign.
#[test]
fn names_that_are_no_text_are_told_apart() {
    let home = home();
    let files = [b"a\xfe.jsonl", b"a\xff.jsonl"].map(|name| home.path().join(OsStr::from_bytes(name)));
    for (file, rate) in files.iter().zip([10.0, 9.4]) {
        write(file, rate);
    }
    let mut command = ciphertune(&home);
    command.arg("compare").args(&files);
    let shown = stdout(&assert_cmd::assert::OutputAssertExt::assert(&mut command).success());
    assert!(
        shown.starts_with("a\\xFF.jsonl against a\\xFE.jsonl, ") && shown.contains(" -6.0%"),
        "{shown}"
    );
}

#[test]
fn what_is_no_run_file_is_told_with_what_makes_one() {
    let home = home();
    let refused = |bytes: &[u8], expected: &str| {
        let path = home.path().join("speed.txt");
        fs::write(&path, bytes).unwrap();
        for words in [&["compare"][..], &["advise", "luks", "--from"]] {
            let assert = run(&[words, &[path.to_str().unwrap()]].concat()).code(1);
            line(&assert, expected);
            assert_eq!(stdout(&assert), "");
        }
    };
    let remedy = "this is not one; `ciphertune speed --output` writes one, and `ciphertune import` makes one";
    refused(b"type   16 bytes\n", remedy);
    refused(b"", remedy);
    refused(
        b"\x7fELF\x02\x01\n\xff\xfe",
        "speed.txt', line 2: this is not UTF-8",
    );
}

#[test]
fn what_cannot_be_compared_is_an_error() {
    let home = home();
    let path = home.path().join("run.jsonl");
    write(&path, 1.0);
    let path = path.to_str().unwrap();
    let alone = run(&["compare", path]).code(1);
    assert_eq!(
        stderr(&alone),
        "ciphertune: there is nothing to compare 'a/b' with; no other implementation has figures\n"
    );
    let second = home.path().join("second.jsonl");
    write(&second, 2.0);
    let unknown = run(&["compare", path, second.to_str().unwrap(), "--baseline", "c/d"]).code(2);
    line(&unknown, "there is no 'c/d' to be the baseline");
    line(
        &run(&["compare", "/nowhere/run.jsonl"]).code(1),
        "cannot read the run file",
    );
    run(&["compare"]).code(2);
    run(&["compare", path, "--fail-if", "5%"]).code(2);
    line(
        &run(&["compare", "-", "-"]).code(2),
        "standard input, -, is one run; name a file for the other",
    );

    let other = home.path().join("other.jsonl");
    let text = fs::read_to_string(path).unwrap();
    fs::write(&other, text.replace("stream/1", "new-iv/1")).unwrap();
    let nothing = run(&["compare", path, other.to_str().unwrap()]).code(1);
    line(&nothing, "nothing could be compared; the notes say why");
    for (format, says_why) in [
        ("markdown", "the notes say why"),
        ("csv", "--format table says why"),
        ("json", "left_out says why"),
    ] {
        let nothing = run(&["compare", path, other.to_str().unwrap(), "--format", format]).code(1);
        line(&nothing, &format!("nothing could be compared; {says_why}"));
    }
    let shown = stdout(&nothing);
    assert!(
        shown.contains("a/b on 2 algorithms (3 cells): its contract is new-iv/1"),
        "{shown}"
    );

    fs::write(&other, text.lines().next().unwrap()).unwrap();
    line(
        &run(&["compare", other.to_str().unwrap()]).code(1),
        "there is nothing to compare: no figures are in other.jsonl",
    );
    let later = home.path().join("later.jsonl");
    let machine = fs::read_to_string(&other).unwrap();
    fs::write(&later, machine.replace("2026-01-02", "2026-01-03")).unwrap();
    line(
        &run(&["compare", other.to_str().unwrap(), later.to_str().unwrap()]).code(1),
        "there is nothing to compare: no figures are in other.jsonl, later.jsonl",
    );

    let fewer = text.lines().filter(|line| !line.contains("16384"));
    fs::write(&other, fewer.map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    let shown = stdout(&run(&["compare", path, other.to_str().unwrap()]).success());
    assert!(
        shown.contains("a/b on AES-128-CTR at 16 KiB (1 cell): "),
        "{shown}"
    );
}
