//! The other libraries of the system, and one of them that is wrong in one way each.
mod common;

use std::{path::Path, process::Command};

use common::*;
use tempfile::TempDir;

/// The catalog's libsodium for tests, by its soname in `folder`, compiled with these flags; `false`, with a line on
/// standard error, where there is no C compiler.
fn sodium(folder: &TempDir, flags: &[&str]) -> bool {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../catalog/tests/fixtures/sodium.c");
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-o"])
        .arg(folder.path().join("libsodium.so.23"))
        .arg(source)
        .args(flags);
    match cc.status() {
        Ok(status) => assert!(status.success(), "{cc:?}"),
        Err(error) => skip(format_args!("cc: {error}")),
    }
    folder.path().join("libsodium.so.23").exists()
}

/// The command, where the linker finds that libsodium before the system's.
fn with(folder: &TempDir, words: &[&str]) -> Command {
    let mut command = ciphertune(folder);
    command.env("LD_LIBRARY_PATH", folder.path()).args(words);
    command
}

/// `list` says in a line what is wrong, and lists the rest.
#[track_caller]
fn is_refused(flags: &[&str], expected: &str) {
    use assert_cmd::assert::OutputAssertExt;

    let folder = home();
    if !sodium(&folder, flags) {
        return;
    }
    let assert = with(&folder, &["list"]).assert().code(1);
    assert_eq!(
        line(&assert, "libsodium"),
        format!("ciphertune: libsodium.so.23: {expected}")
    );
    assert!(
        stdout(&assert).contains("\nciphertune/portable "),
        "the rest goes on"
    );
}

#[test]
fn a_library_that_lies_about_its_version() {
    is_refused(
        &["-DVERSION=\"2.1.0\""],
        "calls itself version '2.1.0', and its interface is known of 1.0; install such a version, as the package \
         libsodium23, or update Ciphertune",
    );
    is_refused(
        &["-DVERSION=\"\""],
        "calls itself version '', and its interface is known of 1.0; install such a version, as the package \
         libsodium23, or update Ciphertune",
    );
}

#[test]
fn a_library_without_a_function() {
    is_refused(
        &["-DNO_STATE"],
        "has no crypto_aead_aes256gcm_beforenm, which 1.0 has; install the package libsodium23 again",
    );
}

#[test]
fn a_library_that_cannot_be_set_up() {
    is_refused(&["-DREFUSES"], "sodium_init failed");
}

#[test]
fn a_library_that_crashes_when_it_is_loaded() {
    is_refused(
        &["-DCRASHES_AT_ONCE"],
        "crashed (SIGABRT); install the package libsodium23 again",
    );
}

#[test]
fn a_library_that_cannot_be_set_up_matters_to_those_who_name_it() {
    use assert_cmd::assert::OutputAssertExt;

    let folder = home();
    if !sodium(&folder, &["-DREFUSES"]) {
        return;
    }
    let speed = |implementation| {
        let words = ["speed", "aes-256-gcm", "--lengths", "16", "--seconds", "0.005"];
        let mut command = with(&folder, &words);
        command.args(["--implementations", implementation]).assert()
    };
    assert_eq!(
        stderr(&speed("libsodium").code(1)),
        "ciphertune: libsodium.so.23: sodium_init failed\n"
    );
    let others = speed("portable").success();
    assert!(!stderr(&others).contains("libsodium"), "{}", stderr(&others));
    // Others that are named beside it are measured nevertheless.
    let both = speed("portable,libsodium").code(1);
    let shown = stdout(&both);
    assert!(shown.contains("\nciphertune/portable "), "{shown}");
    assert!(shown.contains("libsodium.so.23: sodium_init failed"), "{shown}");
    assert_eq!(
        line(&both, "libsodium"),
        "ciphertune: libsodium.so.23 was not measured; the results say why"
    );
}

/// Its cells are marked, and nothing else.
#[track_caller]
fn is_marked(flags: &[&str], expected: &str) {
    use assert_cmd::assert::OutputAssertExt;

    let folder = home();
    if !sodium(&folder, flags) {
        return;
    }
    let words = ["speed", "aes-256-gcm", "--lengths", "16", "--seconds", "0.005"];
    let assert = with(&folder, &words).assert().code(1);
    assert_eq!(
        line(&assert, "libsodium"),
        "ciphertune: libsodium@1.0.99/default failed on AES-256-GCM; the results say how, and do not use it"
    );
    let shown = stdout(&assert);
    assert!(shown.contains(expected), "{shown}");
    let mut failed = shown.lines().filter(|line| line.contains("FAILED"));
    assert!(
        failed.all(|line| line.contains("libsodium@1.0.99/default")),
        "{shown}"
    );
}

#[test]
fn a_library_that_seals_nothing_is_marked() {
    is_marked(&[], "byte 0 is ");
}

#[test]
fn a_library_that_crashes_while_it_seals_is_marked() {
    is_marked(&["-DCRASHES"], "crashed (SIGABRT)");
}

#[test]
fn a_library_that_hangs_while_it_seals_is_marked() {
    is_marked(&["-DHANGS"], "no answer in 20s, checking AES-256-GCM seal");
}

#[test]
fn the_systems_libraries_are_listed() {
    use assert_cmd::assert::OutputAssertExt;

    let shown = stdout(&ciphertune(&home()).arg("list").assert().success());
    for (name, package) in [
        ("libgcrypt", "libgcrypt20"),
        ("nettle", "libnettle8"),
        ("ipsec-mb", "libipsec-mb1"),
        ("botan", "libbotan-2-19"),
        ("gnutls", "libgnutls30"),
        ("mbedtls", "libmbedcrypto7"),
        ("wolfssl", "libwolfssl35"),
        ("libsodium", "libsodium23"),
    ] {
        let row = shown.lines().find(|line| {
            let rest = line.strip_prefix(name);
            rest.is_some_and(|rest| rest.starts_with(['@', ' ']))
        });
        let row = row.unwrap_or_else(|| panic!("no {name} in\n{shown}"));
        let is_here = row[name.len()..].starts_with('@');
        let absent = |line: &str| line.contains("not installed; Debian has it as ") && line.contains(package);
        assert!(is_here || shown.lines().any(absent), "{shown}");
    }
}

/// That a library is told what the built-in one must not see: this one calls itself by it.
#[test]
fn what_openssl_is_told_reaches_other_libraries() {
    use assert_cmd::assert::OutputAssertExt;

    let folder = home();
    if !sodium(&folder, &["-DVERSION=getenv(\"OPENSSL_ia32cap\")"]) {
        return;
    }
    let mut list = with(&folder, &["list"]);
    let assert = list.env("OPENSSL_ia32cap", "|0x400").assert().code(1);
    line(&assert, "calls itself version '|0x400'");
    line(&assert, "it is kept from AWS-LC");
    assert!(stdout(&assert).contains("\naws-lc-rs@"), "{}", stdout(&assert));
}
