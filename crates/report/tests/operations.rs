//! Messages of one byte, and operations that have no message: both are of length 1 in a run file.
mod run;

use ciphertune_report::{
    Details, Portion, Screen, View, classic, compare_terminal, left_out_of_mr, markdown, mr, terminal,
};
use ciphertune_results::{
    Interval, Run, Spread, Status,
    compare::{By, Named, Terms, compare},
    import::{Origin, import},
};
use run::{run, text};

/// One implementation at 16 KiB, and at one byte or, where it signs, at nothing.
fn one(algorithm: &str, operation: &str) -> Run {
    let mut run = run();
    run.cells.truncate(2);
    run.cells.remove(0);
    let mut short = run.cells[0].clone();
    (short.algorithm, short.operation, short.length) = (algorithm.into(), operation.into(), 1);
    let figures = short.figures.as_mut().unwrap();
    figures.bytes_per_second = Interval {
        low: 3870.0,
        median: 4232.0,
        high: 4310.0,
    };
    figures.spread = Some(Spread {
        low: 4100.0,
        high: 4250.0,
    });
    figures.ns_per_byte = 1e9 / 4232.0;
    figures.bound_share = None;
    run.cells.push(short);
    run
}

#[test]
fn a_message_of_one_byte_is_a_message() {
    let mut run = one("AES-128-CTR", "encrypt");
    let shown = text(|out| terminal(&run, View::default(), Screen::default(), out));
    assert!(
        shown.contains("\nGB/s (ns per message)  ") && shown.contains("  1 B  "),
        "{shown}"
    );
    assert!(shown.contains(" *0.00000423 (236295)   *52.8\n"), "{shown}");
    let shown = text(|out| classic(&run, out));
    assert!(
        shown.contains("\ntype              1 bytes  16384 bytes\n"),
        "{shown}"
    );
    let shown = text(|out| mr(&run, out));
    assert!(
        shown.contains("\n+H:1:16384\n+F:0:AES-128-CTR:4232.00:"),
        "{shown}"
    );
    assert!(left_out_of_mr(&run).is_empty());

    run.cells.remove(0);
    let mix = [Portion {
        length: 1,
        weight: 1.0,
    }];
    let view = View {
        mix: &mix,
        ..View::default()
    };
    let shown = text(|out| markdown(&run, view, out));
    assert!(
        shown.contains("| GB/s (ns per message) ") && shown.contains(" 1 B |\n"),
        "{shown}"
    );
    assert!(shown.contains(": a mix of 1 × 1 B\n"), "{shown}");
}

#[test]
fn details_of_operations_are_in_their_unit() {
    let mut run = one("RSA-2048", "sign");
    run.cells.remove(0);
    let view = View {
        intervals: true,
        costs: true,
        ..View::default()
    };
    let shown = text(|out| terminal(&run, view, Screen::default(), out));
    let expected = "\
operations/s (µs each)         each
-----------------------------------
ciphertune/vaes512      *4232 (236)
  95 % interval           3870-4310
  quartiles               4100-4250
  ns                         236295
  TSC ticks                  0.0511
  core cycles (est.)         0.0812

";
    assert!(shown.contains(expected), "{shown}");

    run.cells[0].status = Status::Failed;
    run.cells[0].figures = None;
    let shown = text(|out| terminal(&run, view, Screen::default(), out));
    assert!(shown.contains("FAILED: ciphertune/vaes512: "), "{shown}");
}

#[test]
fn keys_have_the_lines_of_openssl() {
    let imported = |text: &str| {
        let origin = Origin {
            file: "openssl.mr".into(),
            date: "2026-01-02T03:04:05Z".into(),
            ciphertune: "0.1.0".into(),
            machine: None,
            implementation: None,
            decrypt: false,
        };
        import(text, origin).unwrap()
    };
    let recorded = include_str!("../../results/tests/imports/openssl-3.0-all-keys.mr");
    let (_, lines) = recorded.split_once('\n').unwrap();
    let mut run = imported(recorded);
    for cell in &mut run.cells {
        (cell.implementation, cell.contract) = ("a/b".into(), "ciphertune-speed/1".into());
    }
    let shown = text(|out| mr(&run, out));
    assert_eq!(shown, format!("+I:a/b\n{lines}"));
    assert!(left_out_of_mr(&run).is_empty());
    assert_eq!(imported(&shown).cells, run.cells);
}

#[test]
fn what_lines_of_keys_have_no_place_for_is_left_out() {
    let mut run = one("RSA-2048", "sign");
    let signs = |algorithm: &str, operation: &str, threads| {
        let mut cell = run.cells[1].clone();
        (cell.algorithm, cell.operation, cell.threads) = (algorithm.into(), operation.into(), threads);
        cell
    };
    let others = [
        signs("X25519", "generate", 1),
        signs("RSA-2048", "sign", 2),
        signs("ECDSA-nistk163", "verify", 1),
        signs("ML-KEM-768", "generate", 1),
        signs("ML-KEM-768", "encapsulate", 1),
        signs("RSA-2048", "verify", 1),
        signs("RSA-2048", "encrypt", 1),
    ];
    run.cells.extend(others);
    let shown = text(|out| mr(&run, out));
    let (_, keys) = shown.split_once("\n+F:0:AES-128-CTR:").unwrap();
    let (_, keys) = keys.split_once('\n').unwrap();
    assert_eq!(keys, "+F2:2:2048:4232.000000:4232.000000\n");
    assert_eq!(
        left_out_of_mr(&run),
        [
            "RSA-2048 encrypt",
            "X25519 generate",
            "RSA-2048 2 threads",
            "ECDSA-nistk163",
            "ML-KEM-768"
        ]
    );
    // A figure of 0 would be one.
    run.cells.retain(|cell| cell.operation != "verify");
    let shown = text(|out| mr(&run, out));
    assert!(!shown.contains("+F2"), "{shown}");
    assert_eq!(
        left_out_of_mr(&run)[..2],
        ["RSA-2048 sign without verify", "RSA-2048 encrypt"]
    );
    // Of whom nothing is left there is no line at all.
    run.cells.retain(|cell| cell.algorithm == "ML-KEM-768");
    assert_eq!(text(|out| mr(&run, out)), "");
}

/// Other tools time it.
#[test]
fn encryption_by_a_key_has_no_message() {
    let mut run = one("RSA-2048", "encrypt");
    run.cells.remove(0);
    let shown = text(|out| terminal(&run, View::default(), Screen::default(), out));
    assert!(shown.contains("\noperations/s (µs each) "), "{shown}");
}

#[test]
fn a_comparison_tells_them_apart() {
    let compared_by = |run: &Run, per_cycle| {
        let mut run = run.clone();
        let figures = run.cells.iter_mut().filter_map(|cell| cell.figures.as_mut());
        figures.for_each(|figures| figures.replicates = vec![Some(figures.bytes_per_second.median); 5]);
        let named = |name: &str| Named {
            name: name.into(),
            runs: vec![run.clone()],
        };
        let runs = [named("old"), named("new")];
        let terms = Terms {
            by: By::File,
            baseline: None,
            confidence: 0.95,
            across_contracts: false,
            per_cycle,
        };
        let comparison = compare(&runs, &terms).unwrap();
        let details = Details {
            rates: true,
            ..Details::default()
        };
        text(|out| compare_terminal(&comparison, &runs, details, Screen::default(), out))
    };
    let compared = |run: &Run| compared_by(run, false);
    let short = compared(&one("AES-128-CTR", "encrypt"));
    assert!(short.contains("  1 B  ") && !short.contains("each"), "{short}");
    assert!(short.contains("  baseline, GB/s "), "{short}");
    let mut both = one("RSA-2048", "sign");
    let signs = compared(&both);
    assert!(
        signs.contains("  each  ") && signs.contains("  baseline, 1/s "),
        "{signs}"
    );
    for cell in &mut both.cells {
        cell.figures.as_mut().unwrap().cycles_per_byte = Some(1e6);
    }
    let signs = compared_by(&both, true);
    assert!(
        signs.contains("\n  baseline, 1/Mcycle  ") && signs.contains("  1.00"),
        "{signs}"
    );
    both.cells.push(one("AES-128-CTR", "encrypt").cells.remove(1));
    let both = compared(&both);
    assert!(both.contains("  1 B or each  "), "{both}");
}
