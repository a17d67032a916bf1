//! Bad input: one clear line that names the thing and the remedy, a status that is not 0, nothing half-written,
//! and the rest goes on.
mod common;

use std::{fs, os::unix::fs::symlink, path::Path, process::Command};

use assert_cmd::assert::OutputAssertExt;
use ciphertune_results::{Run, Status};
use common::*;
use tempfile::TempDir;

#[test]
fn unknown_words_are_answered_with_those_that_are_near() {
    let errors = stderr(&run(&["tune", "AES-128-ROT13"]).code(2));
    assert!(
        errors.starts_with(
            "ciphertune: invalid value 'AES-128-ROT13' for '[ALGORITHM]...'; some similar values exist: 'AES-128-CTR', 'AES-128-O"
        ),
        "{errors}"
    );
    assert_eq!(errors.lines().count(), 1, "{errors}");
    for command in ["tune", "speed"] {
        assert_eq!(
            stderr(&run(&[command, "rot13"]).code(2)),
            format!(
                "ciphertune: invalid value 'rot13' for '[ALGORITHM]...'; `ciphertune help {command}` lists the names\n"
            )
        );
    }

    let assert = quick_speed(
        &home(),
        &["--implementations", "ciphertune/aesni,ciphertune/rot13"],
    )
    .assert()
    .code(2);
    let error = line(&assert, "rot13");
    assert!(
        error.starts_with("ciphertune: unknown implementation 'ciphertune/rot13'; near are ciphertune"),
        "{error}"
    );
    assert!(error.ends_with("; `ciphertune list` shows all names"), "{error}");
    assert_eq!(stdout(&assert), "");

    let assert = quick_speed(&home(), &["--implementations", "portabl,portablee"])
        .assert()
        .code(2);
    let error = line(&assert, "portabl");
    assert!(
        error.starts_with("ciphertune: unknown implementations 'portabl', 'portablee'; near "),
        "{error}"
    );
    let near = error.split_once("; near ").unwrap().1.split(';').next().unwrap();
    let mut near: Vec<_> = near
        .split([' ', ','])
        .filter(|name| !name.is_empty())
        .skip(1)
        .collect();
    let told = near.len();
    near.sort_unstable();
    near.dedup();
    assert_eq!(near.len(), told, "{error}");

    let assert = quick_speed(&home(), &["--implementations", "rustcrypto-sha2"])
        .assert()
        .code(1);
    line(
        &assert,
        "/default does not have AES-128-CTR; `ciphertune list` shows what can run",
    );
    assert_eq!(stdout(&assert), "");
}

#[test]
fn a_wrong_command_line_is_told_as_all_else() {
    for (words, said) in [
        (
            &["speed", "--second", "1"][..],
            "unexpected argument '--second' found; a similar argument exists: '--seconds'; usage: ciphertune speed ",
        ),
        (
            &["spead"],
            "unrecognized subcommand 'spead'; a similar subcommand exists: 'speed'; usage: ciphertune <COMMAND>; --help says more\n",
        ),
        (
            &["compare"],
            "the following required arguments were not provided: <FILE>...; usage: ciphertune compare <FILE>...; --help says more\n",
        ),
        (
            &["speed", "--lengths", "16", "--mix", "1:1"],
            "the argument '--lengths <LENGTHS>' cannot be used with '--mix <LENGTH:WEIGHT>'; usage: ciphertune speed ",
        ),
    ] {
        let errors = stderr(&run(words).code(2));
        assert!(errors.starts_with(&format!("ciphertune: {said}")), "{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
    }
}

#[cfg(not(feature = "openssl"))]
#[test]
fn what_this_build_is_without_is_named_with_its_feature() {
    for name in ["openssl@4.0.99", "OpenSSL@4.0.99/default"] {
        let assert = quick_speed(&home(), &["--implementations", name])
            .assert()
            .code(2);
        assert_eq!(
            stderr(&assert),
            format!(
                "ciphertune: unknown implementation '{name}'; cargo build --features openssl makes a Ciphertune that has it; \
                 `ciphertune list` shows all names\n"
            )
        );
    }
}

#[test]
fn names_with_commas_between_them_are_told_apart() {
    for command in ["speed", "tune"] {
        let assert = run(&[command, "aes-128-gcm,aes-256-gcm"]).code(2);
        let error = line(&assert, "aes-128-gcm,aes-256-gcm");
        assert!(
            error.ends_with("; write names with spaces between them: aes-128-gcm aes-256-gcm"),
            "{error}"
        );
    }
}

/// No build has it, and the library may lie somewhere.
#[test]
fn a_libcrypto_that_is_not_here_is_measured_by_its_path() {
    for name in ["openssl@99.0", "LibreSSL"] {
        let assert = quick_speed(&home(), &["--implementations", name])
            .assert()
            .code(2);
        let error = line(&assert, name);
        assert!(
            error.starts_with(&format!("ciphertune: unknown implementation '{name}'; "))
                && error.ends_with(
                    "`ciphertune list` shows all names, and --libcrypto PATH measures another libcrypto"
                )
                && !error.contains("cargo build"),
            "{error}"
        );
        assert_eq!(stdout(&assert), "");
    }
}

/// README shows such a name.
#[test]
fn what_a_mask_makes_is_named_with_the_option_that_measures_it() {
    for name in [
        "openssl@3.0.19/no-avx512",
        "openssl/no-avx512",
        "no-avx512",
        "x/no-aes#2",
    ] {
        let assert = quick_speed(&home(), &["--implementations", name])
            .assert()
            .code(2);
        assert_eq!(
            stderr(&assert),
            format!("ciphertune: --implementations: '{name}' is measured with --masks; add that\n")
        );
    }
    // Of a library that is not there.
    let assert = quick_speed(
        &home(),
        &["--masks", "--implementations", "openssl@99.0/no-avx512"],
    )
    .assert()
    .code(2);
    let error = line(&assert, "unknown implementation 'openssl@99.0/no-avx512'; ");
    assert!(!error.contains("cargo build"), "{error}");
}

#[test]
fn a_name_without_a_row_is_explained() {
    let assert = quick_speed(&home(), &["--implementations", "portable,rustcrypto-sha2"])
        .assert()
        .success();
    let note = line(&assert, "rustcrypto-sha2");
    assert!(note.starts_with("ciphertune: note: rustcrypto-sha2@"), "{note}");
    assert!(note.ends_with("/default does not have AES-128-CTR."), "{note}");
    let assert = quick_speed(&home(), &["--implementations", "portable,default"])
        .assert()
        .success();
    assert!(!stderr(&assert).contains("does not have"), "{}", stderr(&assert));
}

#[test]
fn an_implementation_may_be_named_by_a_part() {
    let assert = quick_speed(&home(), &["--implementations", "portable,tor2007"])
        .assert()
        .success();
    let shown = stdout(&assert);
    for expected in [
        "\nciphertune/portable ",
        "\ntor2007/rijndael ",
        "\ntor2007/counter ",
    ] {
        assert!(shown.contains(expected), "{shown}");
    }
    for other in ["ciphertune/sse2", "rustcrypto"] {
        assert!(!shown.contains(other), "{shown}");
    }
}

#[test]
fn what_is_forced_on_programs_must_be_there_and_changes_nothing() {
    let forcing = |words: &[&str], name: &str| {
        let mut command = ciphertune(&home());
        command.args(words).env("CIPHERTUNE_IMPLEMENTATION", name);
        command.assert()
    };
    for words in [&["speed"][..], &["tune"], &["advise", "luks"]] {
        let assert = forcing(words, "rot13").code(2);
        let error = line(&assert, "rot13");
        assert!(
            error.starts_with(
                "ciphertune: CIPHERTUNE_IMPLEMENTATION names 'rot13', which is no implementation"
            ),
            "{error}"
        );
        assert_eq!(stdout(&assert), "");
    }
    let words = [
        "speed",
        "aes-128-ctr",
        "--lengths",
        "16",
        "--seconds",
        "0.005",
        "--implementations",
        "tor2007",
    ];
    let assert = forcing(&words, "portable").success();
    line(
        &assert,
        "note: CIPHERTUNE_IMPLEMENTATION forces portable on programs, and changes neither",
    );
    assert!(stdout(&assert).contains("\ntor2007/rijndael "));
}

#[test]
fn what_ciphertune_has_no_code_for_cannot_be_tuned() {
    for (name, first) in [("sha2", "SHA2-224"), ("chacha20-poly1305", "ChaCha20-Poly1305")] {
        let error = line(&run(&["tune", "gcm", name]).code(2), "nothing to choose");
        assert_eq!(
            error,
            format!(
                "ciphertune: Ciphertune has no code of its own for {first}, so there is nothing to choose; \
                 `ciphertune speed {first}` compares what others have"
            )
        );
    }
}

#[test]
fn a_mix_is_of_messages_that_there_are() {
    let errors = stderr(&run(&["speed", "--mix", "64:7", "--lengths", "64"]).code(2));
    assert!(
        errors.contains("'--mix <LENGTH:WEIGHT>' cannot be used with '--lengths"),
        "{errors}"
    );
    let assert = run(&["speed", "aes-128-cbc", "--mix", "64:7,1500:1"]).code(2);
    assert_eq!(
        line(&assert, "--mix"),
        "ciphertune: --mix: AES-128-CBC encrypt, stream/1 takes no messages of 1500 B, so it has no figure for the mix; it takes 1504"
    );
    assert_eq!(stdout(&assert), "");
}

#[test]
fn values_that_cannot_be_say_why() {
    for (words, problem) in [
        (
            ["--lengths", "16,1.5k"],
            "'1.5k' is not a length: write a whole number of bytes, KiB, MiB or GiB",
        ),
        (["--lengths", "0"], "a message needs at least one byte"),
        (["--lengths", "-1"], "'-1' is not a length"),
        (["--lengths", "2G"], "the longest message is 1 GiB"),
        (["--lengths", ""], "the number is missing"),
        (["--seconds", "0"], "it must be more than 0, and at most 3600"),
        (["--seconds", "-1"], "it must be more than 0, and at most 3600"),
        (
            ["--until-stable", "-0.5"],
            "it must be more than 0, and at most 3600",
        ),
        (
            ["--confidence", "-1"],
            "it must be at least 0.5 and less than 1, as in 0.99",
        ),
        (["--threads", "-1"], "write a number from 1 to 1024"),
        (["--workers", "-1"], "write a number from 1 to 1024"),
        (["--seconds", "nan"], "it must be more than 0, and at most 3600"),
        (["--seconds", "a"], "write a number of seconds, as in 0.5"),
        (["--format", "xml"], "possible values: table, markdown, csv, json"),
        (
            ["--contract", "x"],
            "write one of stream, new-iv, new-key, one-shot, many",
        ),
        (["--implementations", "portable,"], "a value is required"),
        (["--provider", ""], "a value is required"),
        (["--aad", "64k1"], "'64k1' is not a length"),
        (["--aad", "1M"], "the most additional data are 64 KiB"),
        (["--aad", "-1"], "'-1' is not a length"),
        (["--mix", "64:7,576"], "write a length and its weight, as in 64:7"),
        (
            ["--mix", "64:0"],
            "write a weight from 0.000001 to 1000000, as in 64:7",
        ),
        (
            ["--mix", "64:-1"],
            "write a weight from 0.000001 to 1000000, as in 64:7",
        ),
        (
            ["--mix", "64:nan"],
            "write a weight from 0.000001 to 1000000, as in 64:7",
        ),
        (
            ["--mix", "64:1e7"],
            "write a weight from 0.000001 to 1000000, as in 64:7",
        ),
        (["--mix", ":7"], "the number is missing"),
        (["--mix", "0:7"], "a message needs at least one byte"),
        (["--mix", "2G:7"], "the longest message is 1 GiB"),
    ] {
        let errors = stderr(&run(&["speed", words[0], words[1]]).code(2));
        assert!(errors.contains(problem), "{words:?}: {errors}");
        assert!(
            errors.starts_with("ciphertune: ") && errors.lines().count() == 1,
            "{words:?}: {errors}"
        );
    }
    assert_eq!(
        stderr(&run(&["speed", "--threads", "x"]).code(2)),
        "ciphertune: invalid value 'x' for '--threads <NUMBERS>': write a number from 1 to 1024\n"
    );
    assert!(
        stderr(&run(&["man", "rot13"]).code(2))
            .starts_with("ciphertune: invalid value 'rot13' for '[COMMAND]' [possible values: tune, ")
    );
    let error = line(
        &run(&["speed", "aes-128-cmac", "--contract", "stream"]).code(2),
        "CMAC",
    );
    assert_eq!(
        error,
        "ciphertune: AES-128-CMAC is not measured under stream/1, but under one-shot/1, new-key/1, many/1, many-keys/1"
    );
    let error = line(
        &run(&["speed", "aes-128-cbc", "--decrypt", "--contract", "many"]).code(2),
        "CBC",
    );
    assert_eq!(
        error,
        "ciphertune: AES-128-CBC decrypt is not measured under many/1, but under stream/1, new-iv/1, new-key/1"
    );
    for (option, value) in [("--output", "x"), ("--confidence", "0.95")] {
        let errors = stderr(&run(&["tune", "--patience", "estimate", option, value]).code(2));
        assert!(
            errors.contains(&format!("'{option}' has no use; leave one of them out")),
            "{errors}"
        );
    }
}

/// By whatever path, before anything is measured.
#[test]
fn no_run_takes_the_place_of_a_library() {
    let home = home();
    let [library, link] = ["lib.so", "link.so"].map(|name| home.path().join(name));
    fs::write(&library, "a library").unwrap();
    symlink(&library, &link).unwrap();
    for command in ["speed", "tune"] {
        let mut run = ciphertune(&home);
        run.args([command, "aes-128-ctr", "--libcrypto"]).arg(&library);
        run.arg("--output").arg(&link);
        assert_eq!(
            line(&run.assert().code(2), "--output"),
            format!(
                "ciphertune: --output is the library {}, which it would replace; name another file",
                library.display()
            )
        );
        assert_eq!(fs::read_to_string(&library).unwrap(), "a library");
    }
}

/// `speed` and `list` with a library that cannot be had: both say so in a line that begins like this.
#[track_caller]
fn library_is_refused(library: &Path, expected: &str) {
    let home = home();
    let library = library.to_str().unwrap();
    let assert = quick_speed(&home, &["--libcrypto", library]).assert().code(1);
    assert_eq!(
        line(&assert, library),
        format!("ciphertune: {library} was not measured; the results say why")
    );
    let shown = stdout(&assert);
    let named: Vec<&str> = shown.lines().filter(|line| line.contains(library)).collect();
    assert!(
        named.len() == 1 && named[0].starts_with(&format!("Skipped: {library}: ")),
        "{named:?}"
    );
    assert!(
        named[0].contains(expected) && named[0].matches(library).count() == 1,
        "{named:?}"
    );
    assert!(shown.contains("\nciphertune/portable "), "the rest goes on");
    // Who gives a library wants it, whatever else is named.
    let words = ["--libcrypto", library, "--implementations", "portable"];
    let assert = quick_speed(&home, &words).assert().code(1);
    assert_eq!(
        line(&assert, library),
        format!("ciphertune: {library} was not measured; the results say why")
    );

    let assert = ciphertune(&home)
        .args(["list", "--libcrypto", library])
        .assert()
        .code(1);
    let error = line(&assert, library);
    assert!(error.starts_with(&format!("ciphertune: {library}: ")), "{error}");
    assert!(
        error.contains(expected) && error.matches(library).count() == 1,
        "{error}"
    );
    assert!(
        stdout(&assert).contains("\nciphertune/portable "),
        "the rest goes on"
    );
}

#[test]
fn a_library_that_is_not_there() {
    library_is_refused(
        Path::new("/no/such/libcrypto.so"),
        "no such file; name a libcrypto, as in ",
    );
}

/// Whatever else is named, as with a library.
#[test]
fn a_provider_that_is_not_there() {
    let home = home();
    let words = ["--provider", "nope", "--implementations", "portable"];
    let assert = quick_speed(&home, &words).assert();
    let shown = stdout(&assert);
    assert!(shown.contains("\nciphertune/portable "), "the rest goes on");
    if !shown.contains(" cannot load a provider of this name") {
        return skip("an OpenSSL with providers");
    }
    let errors = stderr(&assert.code(1));
    assert!(
        errors.contains(" with nope was not measured; the results say why\n"),
        "{errors}"
    );
}

#[test]
fn a_library_that_is_none() {
    let home = home();
    let path = home.path().join("libcrypto.so");
    fs::write(
        &path,
        "a text, and longer than the header of an ELF file is, which has sixty-four bytes",
    )
    .unwrap();
    library_is_refused(&path, "not a shared library that this program can load");
}

#[test]
fn a_library_without_its_functions() {
    let home = home();
    if let Some(library) = libcrypto(home.path(), &["-DNO_UPDATE"]) {
        library_is_refused(&library, "not a libcrypto: it has no EVP_EncryptUpdate");
    }
}

#[test]
fn a_library_that_is_too_old() {
    let home = home();
    let flags = [
        "-DVERSION_TEXT=\"OpenSSL 1.0.2u  20 Dec 2019\"",
        "-DVERSION_NUMBER=0x1000215f",
    ];
    if let Some(library) = libcrypto(home.path(), &flags) {
        library_is_refused(&library, "is too old; name OpenSSL 1.1.0 or later");
    }
}

#[test]
fn a_library_that_crashes_when_it_is_loaded() {
    let home = home();
    if let Some(library) = libcrypto(home.path(), &["-DCRASH_ON_LOAD"]) {
        library_is_refused(&library, "crashed (SIGABRT); name another build of it, or none");
    }
}

// Slow: a worker gets twenty seconds for an answer.
#[test]
fn a_library_that_hangs_when_it_is_loaded() {
    let home = home();
    let Some(library) = libcrypto(home.path(), &["-DHANG_ON_LOAD"]) else {
        return;
    };
    let assert = ciphertune(&home)
        .args(["list", "--libcrypto"])
        .arg(&library)
        .assert()
        .code(1);
    let expected = format!(
        "ciphertune: {}: no answer in 20s; name another build of it, or none",
        library.display()
    );
    assert_eq!(line(&assert, "no answer"), expected);
    assert!(
        stdout(&assert).contains("\nciphertune/portable "),
        "the rest goes on"
    );
}

#[test]
fn a_library_that_is_wrong_is_shown_as_failed_and_the_rest_goes_on() {
    let home = home();
    let Some(library) = libcrypto(home.path(), &["-DWRONG_FROM=60000"]) else {
        return;
    };
    let path = home.path().join("run.jsonl");
    let words = [
        "--libcrypto",
        library.to_str().unwrap(),
        "--output",
        path.to_str().unwrap(),
    ];
    let assert = quick_speed(&home, &words).assert().code(1);
    assert_eq!(
        line(&assert, "openssl@3.0.99"),
        "ciphertune: openssl@3.0.99/default failed on AES-128-CTR; the results say how, and do not use it"
    );
    let shown = stdout(&assert);
    assert!(
        shown.contains("FAILED: openssl@3.0.99/default at 16 B, 1350 B: "),
        "{shown}"
    );
    let run = Run::read(&path).unwrap();
    let (failed, others): (Vec<_>, Vec<_>) = run
        .cells
        .iter()
        .partition(|cell| cell.implementation == "openssl@3.0.99/default");
    assert!(
        failed
            .iter()
            .all(|cell| cell.status == Status::Failed && cell.figures.is_none())
    );
    assert!(others.iter().any(|cell| cell.status == Status::Ok));
}

#[test]
fn a_place_that_cannot_be_written_is_told_before_anything_is_measured() {
    let home = home();
    for command in ["speed", "tune"] {
        let assert = ciphertune(&home)
            .args([command, "--output", "/no/such/run.jsonl"])
            .assert()
            .code(1);
        let error = line(&assert, "/no/such/run.jsonl");
        assert!(
            error.ends_with("create its directory first, or choose another path"),
            "{error}"
        );
        assert_eq!(stdout(&assert), "");
    }
    // Where there is a directory, which takes no file.
    let error = line(
        &run(&["speed", "--output", "/proc/run.jsonl"]).code(1),
        "/proc/run.jsonl",
    );
    assert!(error.ends_with("; choose another path"), "{error}");
    // A folder that is to come: a file would take its name.
    let folder = home.path().join("new/");
    let folder = folder.to_str().unwrap();
    assert_eq!(
        stderr(&run(&["speed", "--output", folder]).code(1)),
        format!("ciphertune: cannot write the run to '{folder}': is a directory; name a file inside it\n")
    );
    assert!(!home.path().join("new").exists());
    // A folder where the file should be, a file where the folder should be, and a device.
    fs::write(home.path().join("file"), "").unwrap();
    for wisdom in [
        home.path().to_owned(),
        home.path().join("file/wisdom"),
        "/dev/full".into(),
    ] {
        let assert = ciphertune(&home)
            .args(["tune", "--wisdom"])
            .arg(&wisdom)
            .assert()
            .code(1);
        let error = line(&assert, wisdom.to_str().unwrap());
        assert!(
            error.starts_with("ciphertune: cannot write the wisdom at "),
            "{error}"
        );
        assert_eq!(stdout(&assert), "");
    }
}

#[test]
fn a_wisdom_file_that_is_a_link_to_nothing_is_told_as_that() {
    let home = home();
    let link = home.path().join("link");
    symlink("nowhere", &link).unwrap();
    let assert = ciphertune(&home)
        .args(["tune", "--wisdom"])
        .arg(&link)
        .assert()
        .code(1);
    let error = line(&assert, link.to_str().unwrap());
    assert!(
        error.contains("it is a link to nowhere, which is not there"),
        "{error}"
    );
}

#[test]
fn threads_that_cannot_be_are_told() {
    for (words, why) in [
        (
            &["speed", "--threads", "1024", "AES-128-CTR"][..],
            "--threads: 1024 threads would wait for each other",
        ),
        (
            &["speed", "--workers", "1024", "AES-128-CTR"],
            "--workers: 1024 and the thread that they help would wait for each other",
        ),
        (
            &["speed", "--workers", "1", "AES-128-GCM"],
            "--workers: none can help with AES-128-GCM seal, new-iv/1",
        ),
        (
            &["speed", "--hash", "AES-128-GCM"],
            "--hash: AES-128-GCM seal, new-iv/1 is no stream",
        ),
        (
            &["speed", "--workers", "1", "AES-128-CTR", "--contract", "new-iv"],
            "--workers: none can help with AES-128-CTR encrypt, new-iv/1; leave --contract out",
        ),
        (
            &["speed", "--hash", "AES-128-CBC", "--contract", "new-key"],
            "--hash: AES-128-CBC encrypt, new-key/1 is no stream; leave --contract out",
        ),
        (
            &[
                "speed",
                "--workers",
                "1",
                "AES-128-CTR",
                "--implementations",
                "tor2007/counter",
            ],
            "workers can help none of tor2007/counter; name implementations of Ciphertune's own",
        ),
    ] {
        let assert = run(words).code(2);
        line(&assert, why);
        assert_eq!(stdout(&assert), "");
    }
    for words in [
        &["speed", "--threads", "0"][..],
        &["speed", "--threads", "two"],
        &["speed", "--threads", "2", "--workers", "1"],
    ] {
        run(words).code(2);
    }
}

#[test]
fn options_that_nothing_has_a_use_for_are_told() {
    for (words, told) in [
        (
            &["aes-128-ctr", "sha256", "--aad", "20"][..],
            "--aad: AES-128-CTR encrypt, stream/1 takes no additional data; name algorithms that take some, as AES-128-GCM \
             does",
        ),
        (
            &["sha256", "ed25519", "--decrypt"],
            "--decrypt: SHA2-256 digest, one-shot/1 has no other direction; name algorithms that have one, as AES-128-CBC \
             does",
        ),
    ] {
        let assert = run(&[&["speed"], words].concat()).code(2);
        assert_eq!(stderr(&assert), format!("ciphertune: {told}\n"));
    }
    // Something here has.
    let words = [
        "sha256",
        "aes-128-gcm",
        "--aad",
        "20",
        "--decrypt",
        "--lengths",
        "16",
    ];
    let little = ["--seconds", "0.005", "--implementations", "portable"];
    let shown = stdout(&run(&[&["speed"], &words[..], &little].concat()).success());
    assert!(
        shown.contains("AES-128-GCM open, new-iv/1, 20 B of additional data"),
        "{shown}"
    );
}

#[test]
fn lengths_that_nothing_takes_are_told_with_those_that_would_be() {
    let words = ["speed", "des-cbc", "aes-128-cbc", "--lengths", "1350"];
    line(
        &run(&words).code(2),
        "no message of 1350 bytes can be had: DES-CBC takes multiples of 8 bytes; AES-128-CBC takes multiples of 16 bytes",
    );
}

#[test]
fn an_output_that_takes_nothing_costs_the_tables_and_not_the_file() {
    let home = home();
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let path = home.path().join("run.jsonl");
    let assert = quick_speed(&home, &["--output", path.to_str().unwrap()])
        .stdout(full)
        .assert()
        .code(1);
    let error = line(&assert, "standard output");
    assert!(
        error.starts_with("ciphertune: cannot write to standard output: "),
        "{error}"
    );
    Run::read(&path).unwrap();
}

/// The command under a limit of the shell's.
fn limited(limit: &str, command: &Command, home: &TempDir) -> Command {
    let mut limited = Command::new("sh");
    limited
        .args(["-c", &format!("ulimit {limit}; exec \"$@\""), "sh"])
        .arg(command.get_program())
        .args(command.get_args())
        .env_clear()
        .env("HOME", home.path());
    limited
}

#[test]
fn workers_that_cannot_be_started_are_told_once_with_the_remedy() {
    let home = home();
    // With 11 files none can be started, with 12 one: away from both, since whoever runs the tests may hand
    // down files of his own.
    let assert = limited("-n 9", &quick_speed(&home, &[]), &home).assert().code(1);
    assert_eq!(
        stderr(&assert),
        "ciphertune: there is nothing to measure: cannot start /proc/self/exe: Too many open files (os error 24); allow \
         this program more open files, as by ulimit -n 1024\n"
    );
    // One is started. The chains that tell core cycles belong to another.
    let alone = quick_speed(&home, &["--implementations", "portable"]);
    let errors = stderr(&limited("-n 22", &alone, &home).assert());
    assert!(
        errors.contains("own limits were not measured: cannot start "),
        "{errors}"
    );
    assert!(!errors.contains("No core cycles"), "{errors}");
}

#[test]
fn a_limit_on_files_leaves_no_part_of_one() {
    let home = home();
    let path = home.path().join("run.jsonl");
    let speed = quick_speed(&home, &["AES-256-CTR", "--output", path.to_str().unwrap()]);
    // Blocks of 512 bytes: more than the messages' memory, which is a file too, and less than the run.
    let assert = limited("-f 48", &speed, &home).assert().code(1);
    assert!(
        line(&assert, "run.jsonl").starts_with("ciphertune: cannot write the run to "),
        "{}",
        stderr(&assert)
    );
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
}
