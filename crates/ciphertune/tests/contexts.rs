//! What a context costs once the selection is made: one allocation, and no look at any file.
use std::{env, fs, process::Command};

use allocation_counter::measure;
use ciphertune::{Basis, Ctr, Implementation, LengthClass, wisdom};

/// The selection goes by the environment that a process begins with, so this test runs itself again in one.
#[test]
fn a_context_is_one_allocation_and_reads_no_file() {
    const PATH: &str = "CIPHERTUNE_WISDOM";
    const AGAIN: &str = "AGAIN";
    if env::var_os(AGAIN).is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wisdom");
        choices(&["AES-128-CTR", "AES-256-CTR"]).write(&path).unwrap();
        let again = Command::new(env::current_exe().unwrap())
            .env(PATH, &path)
            .env(AGAIN, "1")
            .output()
            .unwrap();
        assert!(again.status.success(), "{again:?}");
        return;
    }
    let selection = ciphertune::selection().unwrap();
    assert!(matches!(selection.basis(), Basis::Wisdom(_)), "{selection:?}");

    let before = reads();
    let by_asking = reads() - before;
    for key in [&[1; 16][..], &[2; 32]] {
        let mut data = [0; 100];
        let before = reads();
        let made = measure(|| {
            let mut ctr = Ctr::new(key, &[0; 16]).unwrap();
            ctr.apply(&mut data).unwrap();
            ctr.rekey(key, &[1; 16]).unwrap();
            ctr.apply(&mut data[..7]).unwrap();
        });
        assert_eq!(reads() - before, by_asking, "it reads nothing");
        assert_eq!(made.count_total, 1, "{made:?}");
        assert_eq!(made.count_current, 0, "{made:?}");
    }
}

/// How often this process has read from any file.
fn reads() -> u64 {
    let text = fs::read_to_string("/proc/self/io").unwrap();
    let count = text.lines().find_map(|line| line.strip_prefix("syscr: "));
    count.unwrap().parse().unwrap()
}

fn choices(algorithms: &[&str]) -> wisdom::Wisdom {
    let choice = |algorithm: &str, class| wisdom::Choice {
        algorithm: algorithm.to_owned(),
        operation: "encrypt".to_owned(),
        contract: wisdom::contract(algorithm).to_owned(),
        class,
        implementation: Implementation::PORTABLE,
        bytes_per_second: wisdom::Rates {
            low: 1.0,
            median: 2.0,
            high: 3.0,
        },
        runner_up: None,
    };
    let all = algorithms
        .iter()
        .flat_map(|a| LengthClass::all().map(move |class| choice(a, class)));
    wisdom::Wisdom::new(vec![wisdom::Tuning {
        made: "2026-11-21T00:00:00Z".to_owned(),
        patience: "measure".to_owned(),
        choices: all.collect(),
        help: Vec::new(),
    }])
}
