//! `CIPHERTUNE_CPU`: the command as on a lesser processor; and `OPENSSL_ia32cap`, which may ask for a greater one.
mod common;

use assert_cmd::assert::OutputAssertExt;
use ciphertune::{Implementation, cpu};
use common::*;

/// Every feature, as the variable takes them.
fn all() -> String {
    let names: Vec<_> = cpu::ALL
        .iter()
        .map(|feature| format!("-{}", feature.name()))
        .collect();
    names.join(",")
}

#[test]
fn what_is_hidden_is_said_and_not_chosen() {
    if !Implementation::named("aesni").is_some_and(Implementation::is_available) {
        eprintln!("skipped: this processor has no AES instructions to hide");
        return;
    }
    let home = home();
    let list = ciphertune(&home)
        .arg("list")
        .env("CIPHERTUNE_CPU", "-aes")
        .assert();
    let list = stdout(&list).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        list.contains(" yes no aes ssse3 pclmulqdq cannot run: CIPHERTUNE_CPU hides aes "),
        "{list}"
    );

    let speed = |names: &str| {
        let mut command = quick_speed(&home, &["--implementations", names]);
        command.env("CIPHERTUNE_CPU", "-aes").assert()
    };
    let alone = speed("aesni").code(1);
    line(&alone, "ciphertune: nothing was measured; the results say why");
    assert!(
        stdout(&alone).starts_with("Skipped: ciphertune/aesni: CIPHERTUNE_CPU hides aes\n"),
        "{}",
        stdout(&alone)
    );
    speed("aesni,portable").success();

    let estimate = |hidden: &str| {
        let mut command = ciphertune(&home);
        command
            .args(["tune", "--patience", "estimate"])
            .env("CIPHERTUNE_CPU", hidden);
        stdout(&command.assert())
    };
    // What waits for the block before it goes by what takes a lone block, and many messages do not wait.
    let without = estimate(&all());
    for expected in [
        "\nAES-CTR, GCM, OCB, CBC decrypt, CBC many at once, CFB decrypt, ECB, XTS, CMAC many at once: \
         portable up to 32 B, sse2 beyond\n",
        "\nAES-CCM, CBC encrypt, CFB encrypt, CFB8 encrypt, OFB, CMAC: portable for all messages\n",
        "\nAES-CFB8 decrypt: sse2 for all messages\n",
    ] {
        assert!(without.contains(expected), "{without}");
    }
    assert!(!estimate("").contains("sse2"));
}

#[test]
fn an_estimate_is_of_what_was_named() {
    let estimate = |name: &str| {
        let mut command = ciphertune(&home());
        command.args(["tune", "--patience", "estimate", name]);
        command.assert()
    };
    let shown = stdout(&estimate("aes-256-ctr").success());
    let of_modes = |shown: &str| shown.lines().filter(|line| line.starts_with("AES-")).count();
    assert!(shown.contains("\nAES-CTR: "), "{shown}");
    assert_eq!(of_modes(&shown), 1, "{shown}");
    line(&estimate("sha256").code(2), "Ciphertune has no code of its own");
}

#[test]
fn what_cannot_be_hidden_is_an_error() {
    for command in [&["list"][..], &["speed"], &["tune", "--patience", "estimate"]] {
        let assert = ciphertune(&home())
            .args(command)
            .env("CIPHERTUNE_CPU", "-aes,rot13")
            .assert()
            .code(2);
        let error = line(&assert, "rot13");
        assert!(
            error.starts_with("ciphertune: CIPHERTUNE_CPU lists 'rot13', which hides no CPU feature"),
            "{error}"
        );
        assert!(error.contains("-aes,"), "{error}");
        assert!(
            error.ends_with("; unset it, or let it list some of these"),
            "{error}"
        );
        assert_eq!(stdout(&assert), "");
    }
}

#[test]
fn what_needs_no_processor_does_not_mind() {
    for command in [
        &["--help"][..],
        &["--version"],
        &["man"],
        &["completions", "bash"],
        &["wisdom", "forget"],
    ] {
        let assert = ciphertune(&home())
            .args(command)
            .env("CIPHERTUNE_CPU", "rot13")
            .assert();
        assert_eq!(stderr(&assert.success()), "", "{command:?}");
    }
    let system = provider::system();
    let mut config = provider::provider(&system, &["config"]);
    config.env("CIPHERTUNE_CPU", "rot13").assert().success();
}

/// As of a processor that has none: OpenSSL then has AES by tables.
#[test]
fn openssl_without_aes_instructions_is_not_called_constant_time() {
    let home = home();
    let list = |hidden: &str| {
        let mut command = ciphertune(&home);
        let assert = command.arg("list").env("OPENSSL_ia32cap", hidden).assert();
        stdout(&assert.success())
    };
    let is_constant_time = |shown: &str| -> Vec<bool> {
        // A fork, or OpenSSL 1.1, does not tell what it goes by.
        let told = |line: &&str| line.starts_with("openssl@") && line.contains(" goes by OPENSSL_ia32cap=");
        let rows = shown.lines().filter(told);
        rows.map(|row| row.contains("  yes  ")).collect()
    };
    let (nothing, aes) = (list("~0x0"), list("~0x200020000000000:~0x0"));
    if !Implementation::named("aesni").is_some_and(Implementation::is_available) {
        eprintln!("left out: this processor has no AES instructions to hide");
        return;
    }
    assert!(is_constant_time(&nothing).into_iter().all(|is| is), "{nothing}");
    assert!(!is_constant_time(&aes).contains(&true), "{aes}");
    if is_constant_time(&aes).is_empty() {
        skip("an OpenSSL of 3.0 or later");
    }
}

#[test]
fn what_openssl_is_told_ends_nothing() {
    let home = home();
    let estimate = |value: &str| {
        let mut command = ciphertune(&home);
        command
            .args(["tune", "--patience", "estimate"])
            .env("OPENSSL_ia32cap", value);
        command.assert().success()
    };
    for asks in ["0xffffffffffffffff", ":0xffffffffffffffff", "|0x400"] {
        line(&estimate(asks), "it is kept from AWS-LC");
    }
    let leaves_out = stderr(&estimate("~0x200000000000000:~0x20"));
    assert!(!leaves_out.contains("AWS-LC"), "{leaves_out}");
}
