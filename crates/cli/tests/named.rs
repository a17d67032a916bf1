//! What libcryptos have by a name alone, where nothing else says what is right.
mod common;

use std::process::Command;

use assert_cmd::assert::{Assert, OutputAssertExt};
use ciphertune_catalog::Algorithm;
use ciphertune_results::{
    Cell, Run, Status,
    import::{Origin, import},
};
use common::*;

/// What was measured of two libcryptos, of which each adds one of these numbers in what it calls FROB-128-CTR; the exit
/// status and what was shown.
fn speed_of_two(added: [u8; 2]) -> Option<(Run, i32, String)> {
    let home = home();
    let mut command = ciphertune(&home);
    command.args(["speed", "frob-128-ctr", "aes-128-ctr", "--lengths", "16,1350"]);
    for number in added {
        let folder = tempfile::tempdir_in(home.path()).unwrap().keep();
        let library = libcrypto(&folder, &[&format!("-DFROB={number}")])?;
        command.arg("--libcrypto").arg(library);
    }
    let path = home.path().join("run.jsonl");
    let assert = command
        .args(["--seconds", "0.005", "--implementations", "openssl@3.0.99"])
        .arg("--output")
        .arg(&path)
        .assert();
    let status = assert.get_output().status.code().unwrap();
    let said = stdout(&assert) + &stderr(&assert);
    Some((
        Run::read(&path).unwrap_or_else(|error| panic!("{error}: {said}")),
        status,
        said,
    ))
}

fn cells<'a>(run: &'a Run, algorithm: &str) -> Vec<&'a Cell> {
    let cells: Vec<&Cell> = run
        .cells
        .iter()
        .filter(|cell| cell.algorithm == algorithm)
        .collect();
    let ids: Vec<&str> = cells.iter().map(|cell| &*cell.implementation).collect();
    let [one, other] = ["openssl@3.0.99/default", "openssl@3.0.99/default#2"];
    for id in [one, other] {
        assert_eq!(
            ids.iter().filter(|met| **met == id).count(),
            2,
            "{algorithm}: {ids:?}"
        );
    }
    assert_eq!(ids.len(), 4, "{algorithm}: {ids:?}");
    cells
}

#[test]
fn libcryptos_that_do_not_agree_are_marked() {
    let Some((run, status, said)) = speed_of_two([0, 1]) else {
        return;
    };
    assert_eq!(status, 1, "{said}");
    for cell in cells(&run, "FROB-128-CTR") {
        assert_eq!(
            (cell.status, cell.figures.is_some()),
            (Status::Failed, false),
            "{cell:?}"
        );
        assert_eq!(
            cell.reason.as_deref(),
            Some("the libcryptos here do not compute the same by this name, so one of them is wrong")
        );
    }
    for cell in cells(&run, "AES-128-CTR") {
        assert_eq!(
            (cell.status, cell.figures.is_some()),
            (Status::Ok, true),
            "{cell:?}"
        );
    }
    for id in ["openssl@3.0.99/default", "openssl@3.0.99/default#2"] {
        let line = format!("ciphertune: {id} failed on FROB-128-CTR; the results say how, and do not use it");
        assert!(said.lines().any(|said| said == line), "{said}");
    }
}

#[test]
fn libcryptos_that_agree_are_measured() {
    let Some((run, status, said)) = speed_of_two([1, 1]) else {
        return;
    };
    assert_eq!(status, 0, "{said}");
    for cell in cells(&run, "FROB-128-CTR") {
        assert_eq!(
            (cell.status, cell.figures.is_some()),
            (Status::Ok, true),
            "{cell:?}"
        );
    }
}

/// What `speed` says of a name and no more, where OpenSSL 3 is here with its provider of old algorithms.
fn said_of(name: &str, more: &[&str]) -> Option<Assert> {
    let mut command = ciphertune(&home());
    command.args(["speed", name, "--lengths", "64", "--seconds", "0.0005"]);
    let assert = command.args(more).assert();
    let listed = stdout(&run(&["list", "--provider", "legacy"]));
    if listed.contains("openssl@3") && listed.contains("/legacy") {
        return Some(assert);
    }
    skip("OpenSSL 3 with its provider legacy is not here");
    None
}

#[test]
fn what_is_not_measured_is_told_from_what_is_not_there() {
    for name in ["aes-128-wrap", "AES-128-SIV", "NULL", "RC4-HMAC-MD5"] {
        let Some(assert) = said_of(name, &[]) else {
            return;
        };
        let said = stderr(&assert.code(2));
        let expected = format!("ciphertune: libcrypto has {name}, which is not measured: ");
        assert!(said.starts_with(&expected) && said.lines().count() == 1, "{said}");
    }
    let said = stderr(&run(&["speed", "rot13"]).code(2));
    assert!(said.contains("invalid value 'rot13'"), "{said}");
}

#[test]
fn a_name_of_libcryptos_goes_before_a_part_of_names() {
    let Some(assert) = said_of("chacha20", &["--format", "csv"]) else {
        return;
    };
    let shown = stdout(&assert.success());
    assert!(
        shown.contains("\nCHACHA20,") && !shown.contains("Poly1305"),
        "{shown}"
    );
}

#[test]
fn old_algorithms_of_openssl_are_said_to_be_in_its_provider() {
    let only = ["--implementations", "openssl"];
    let (Some(described), Some(in_table)) = (said_of("bf-cfb", &only), said_of("bf", &only)) else {
        return;
    };
    assert_eq!(
        stderr(&described.code(2)),
        "ciphertune: OpenSSL has bf-cfb in its provider legacy; add --provider legacy\n"
    );
    let hint =
        "OpenSSL from 3.0 on has BF-CBC in its provider legacy alone; --provider legacy measures that too";
    assert!(stderr(&in_table).contains(hint), "{}", stderr(&in_table));
    let added = said_of("bf", &["--provider", "legacy", "--implementations", "openssl"]).unwrap();
    assert!(!stderr(&added.success()).contains(hint));
    // By the name of the provider nothing can be measured before it is loaded.
    for name in ["legacy", "default"] {
        let said = stderr(&said_of("bf", &["--implementations", name]).unwrap());
        assert!(said.contains(hint), "{name}: {said}");
    }
    let others = stderr(&said_of("bf", &["--implementations", "libgcrypt"]).unwrap());
    assert!(!others.contains(hint), "{others}");
}

/// What OpenSSL calls one thing: `{ 2.16.840.1.101.3.4.1.2, AES-128-CBC, AES128 } @ default`, `aes128 => AES-128-CBC`.
fn names_of_one(line: &str) -> Vec<&str> {
    let names = line.split(" @ ").next().unwrap_or_default();
    let names = names.split(|between| "{},".contains(between));
    names
        .flat_map(|names| names.split("=>"))
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect()
}

#[test]
fn each_name_that_openssl_has_is_the_algorithm_that_it_names() {
    let mut listed = String::new();
    for of in ["-cipher-algorithms", "-digest-algorithms"] {
        let mut list = Command::new("openssl");
        list.args(["list", of, "-provider", "default", "-provider", "legacy"]);
        let Ok(found) = list.output() else {
            return skip("openssl is not installed");
        };
        listed += &String::from_utf8_lossy(&found.stdout);
    }
    let mut met = 0;
    for names in listed.lines().map(names_of_one) {
        let Some(one) = names.iter().find_map(|name| Algorithm::named(name)) else {
            continue;
        };
        for name in names {
            // A part of names is all that have it, as DES is.
            let found = Algorithm::matching(name).unwrap_or_default();
            assert!(found.contains(&one), "{name} is {one}, and not {found:?}");
            let origin = Origin {
                file: "text".to_owned(),
                date: String::new(),
                ciphertune: String::new(),
                machine: None,
                implementation: None,
                decrypt: false,
            };
            let run = import(&format!("+H:16\n+F:0:{name}:5.00\n"), origin).unwrap();
            assert_eq!(run.cells[0].algorithm, one.name(), "{name}");
            met += 1;
        }
    }
    if met == 0 {
        skip("openssl is older than 3 and lists no names");
    }
}

#[test]
fn all_implementations_are_measured_by_another_name_too() {
    for name in ["aes128", "2.16.840.1.101.3.4.1.2"] {
        let words = ["--implementations", "ciphertune", "--format", "csv"];
        let words = [
            &["speed", name, "--lengths", "64", "--seconds", "0.0005"],
            &words[..],
        ]
        .concat();
        let shown = stdout(&run(&words).success());
        assert!(
            shown.contains("\nAES-128-CBC,") && shown.contains(",ciphertune/portable,"),
            "{shown}"
        );
    }
}

/// A bit that says in OpenSSL that a cipher is an AEAD says nothing in AWS-LC, whose flags have 32 bits: what else is in the
/// register is none of them.
#[test]
fn flags_are_read_as_the_library_numbers_them() {
    const FLAGS: &str = "-DFROB_FLAGS=0x80000200005";
    let home = home();
    let speed = |flags: &[&str]| {
        let folder = tempfile::tempdir_in(home.path()).unwrap().keep();
        let library = libcrypto(&folder, &[&["-DFROB=1", FLAGS], flags].concat())?;
        let mut command = ciphertune(&home);
        command
            .args(["speed", "frob-128-ctr", "--lengths", "16", "--seconds", "0.005"])
            .arg("--libcrypto")
            .arg(library);
        Some(command.assert())
    };
    let of_aws_lc = ["-DVERSION_TEXT=\"OpenSSL 1.1.1 (compatible; AWS-LC 9.9.9)\""];
    let (Some(of_aws_lc), Some(of_openssl)) = (speed(&of_aws_lc), speed(&[])) else {
        return;
    };
    let shown = stdout(&of_aws_lc.success());
    assert!(shown.contains("aws-lc@9.9.9/default"), "{shown}");
    let said = stderr(&of_openssl.code(2));
    assert!(
        said.contains("libcrypto has frob-128-ctr, which is not measured"),
        "{said}"
    );
}
