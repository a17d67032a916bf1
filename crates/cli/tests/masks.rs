//! `speed --masks`
#![cfg(target_arch = "x86_64")]
mod common;

use assert_cmd::assert::OutputAssertExt;
use ciphertune_results::{Run, Status};
use common::*;

#[test]
fn libraries_are_measured_under_masks_beside_themselves() {
    if !std::arch::is_x86_feature_detected!("aes") {
        eprintln!("skipped: no AES instructions to do without");
        return;
    }
    let home = home();
    let path = home.path().join("run.jsonl");
    let words = ["--masks", "--output", path.to_str().unwrap()];
    let assert = quick_speed(&home, &words).assert().success();
    let shown = stdout(&assert);
    let run = Run::read(&path).unwrap();
    let compared = |is_it: fn(&str) -> bool| {
        let cells = run.cells.iter().filter(|cell| cell.figures.is_some());
        cells.filter(|cell| is_it(&cell.implementation)).count()
    };
    // Each mask against its library; of Ciphertune's own, those that are narrower than what CPUID suggests.
    let masked = compared(|id| id.contains("/no-"));
    let own = compared(|id| id.starts_with("ciphertune/"));
    let (found, cases) = told(&shown);
    assert!(
        masked > 0 && (masked..masked + own).contains(&cases),
        "{masked}, {own}: {shown}"
    );
    // One figure for each case that is named, with its interval.
    assert_eq!(shown.matches(" times as fast (").count(), found, "{shown}");
    let rate = |id: &str, length| {
        let cell = run
            .cells
            .iter()
            .find(|cell| cell.implementation == id && cell.length == length);
        cell.unwrap_or_else(|| panic!("no {id} in {shown}"))
            .figures
            .as_ref()
            .map(|figures| figures.bytes_per_second.median)
    };
    let id = |suffix: &str| format!("aws-lc-rs@{}", suffix);
    let of_aws = run.cells.iter().map(|cell| &cell.implementation);
    let version = of_aws
        .clone()
        .find_map(|id| id.strip_prefix("aws-lc-rs@")?.strip_suffix("/default"));
    let version = version.unwrap();
    // AWS-LC does not say what it goes by. Without AES it is another class altogether: a tenth.
    let with = rate(&id(&format!("{version}/default")), 1350).unwrap();
    let without = rate(&id(&format!("{version}/no-aes")), 1350).unwrap();
    assert!(without < 0.5 * with, "{without} against {with}");
    assert!(
        run.cells
            .iter()
            .all(|cell| !cell.implementation.contains("/no-") || !cell.selectable)
    );
}

/// In how many cases of how many fewer instructions are said to be faster.
#[track_caller]
fn told(shown: &str) -> (usize, usize) {
    let number = |text: &str| text.split(' ').next().unwrap().parse().unwrap();
    if let Some((_, cases)) = shown.split_once("Nothing is faster here with fewer instructions, in any of ") {
        return (0, number(cases));
    }
    let (_, found) = shown
        .split_once("Fewer instructions are faster here in ")
        .unwrap_or_else(|| panic!("{shown}"));
    let (_, cases) = found.split_once(" of ").unwrap();
    (number(found), number(cases))
}

#[test]
fn a_library_that_does_not_say_what_it_uses_is_refused() {
    let home = home();
    let Some(library) = libcrypto(home.path(), &[]) else {
        return;
    };
    let path = home.path().join("run.jsonl");
    let library = library.to_str().unwrap();
    let words = [
        "--masks",
        "--libcrypto",
        library,
        "--output",
        path.to_str().unwrap(),
    ];
    let assert = quick_speed(&home, &words).assert().code(1);
    let name = format!("{library} with no-aes");
    assert_eq!(
        line(&assert, &name),
        format!("ciphertune: {name} was not measured; the results say why")
    );
    let run = Run::read(&path).unwrap();
    let cell = run.cells.iter().find(|cell| cell.implementation == name).unwrap();
    assert_eq!((cell.status, cell.figures.is_some()), (Status::Skipped, false));
    let reason = cell.reason.as_deref().unwrap();
    assert!(
        reason.contains("it does not say which instructions it uses"),
        "{reason}"
    );
}

#[test]
fn a_mask_of_the_users_own_is_in_the_way() {
    let mut command = quick_speed(&home(), &["--masks"]);
    let assert = command.env("OPENSSL_ia32cap", "~0x0").assert().code(1).stdout("");
    assert_eq!(
        stderr(&assert),
        "ciphertune: OPENSSL_ia32cap is set, so no library would be measured as it comes; unset it\n"
    );
}

#[test]
fn a_variable_that_is_set_already_is_told_below_the_table() {
    let home = home();
    for (value, is_told) in [(None, false), (Some("~0x200000000000000"), true)] {
        let mut command = quick_speed(&home, &["--implementations", "ciphertune/portable"]);
        command.envs(value.map(|value| ("OPENSSL_ia32cap", value)));
        let shown = stdout(&command.assert().success());
        assert_eq!(shown.contains("\nOPENSSL_ia32cap is set: "), is_told, "{shown}");
    }
}
