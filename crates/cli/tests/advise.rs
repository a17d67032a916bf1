//! What `advise` prints, by figures that are made up here, to the programs themselves.
mod common;

use std::{
    fs,
    io::Read,
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

use assert_cmd::assert::{Assert, OutputAssertExt};
use ciphertune::Processor;
use ciphertune_results::{Cell, Figures, Machine, Run};
use common::*;
use tempfile::TempDir;

fn cell(implementation: &str, algorithm: &str, length: u64, rate: f64) -> Cell {
    let (operation, contract) = match algorithm {
        name if name.ends_with("XTS") => ("encrypt", "new-iv/1"),
        name if name.ends_with("CFB") => ("encrypt", "stream/1"),
        name if name.starts_with("SHA") => ("digest", "one-shot/1"),
        _ => ("seal", "new-iv/1"),
    };
    Cell {
        figures: Some(Figures {
            replicates: [0.997, 1.002, 1.0, 0.999, 1.004]
                .map(|factor| Some(factor * rate))
                .to_vec(),
            quanta: 30,
            processes: 5,
            ..Figures::point(rate)
        }),
        ..Cell::new(implementation, algorithm, operation, contract, length)
    }
}

/// A run of this machine as if ChaCha20 were so many times as fast as AES-256-GCM, and a mask made the library faster by
/// `masked`.
fn kept(home: &TempDir, chacha: f64, masked: f64) -> PathBuf {
    let mut cells = Vec::new();
    for library in ["openssl@3.0.19", "gnutls@3.7.9", "libgcrypt@1.10.1"] {
        for (variant, factor) in [("default", 1.0), ("no-avx", masked)] {
            let id = format!("{library}/{variant}");
            let rate = factor * 1e9;
            cells.extend([
                cell(&id, "AES-128-GCM", 1350, 1.2 * rate),
                cell(&id, "AES-256-GCM", 1350, rate),
                cell(&id, "AES-256-GCM", 16384, 1.5 * rate),
                cell(&id, "ChaCha20-Poly1305", 1350, chacha * rate),
                cell(&id, "AES-256-CFB", 16384, rate),
                cell(&id, "SHA2-256", 1350, rate),
                cell(&id, "SHA2-512", 1350, rate),
                cell(&id, "AES-256-XTS", 512, rate),
                cell(&id, "AES-256-XTS", 4096, chacha * rate),
            ]);
        }
    }
    let run = Run {
        machine: Machine {
            noise_floor: Some(0.02),
            ..Machine::new(
                Processor::current().brand,
                "0.1.0".to_owned(),
                "2026-01-02T03:04:05Z".to_owned(),
            )
        },
        bounds: Vec::new(),
        cells,
    };
    let path = home.path().join("run.jsonl");
    run.write(&path).unwrap();
    path
}

fn advise(home: &TempDir, program: &str, path: &PathBuf) -> Assert {
    let mut command = ciphertune(home);
    command.env("PATH", std::env::var_os("PATH").unwrap());
    command.args(["advise", program, "--from"]).arg(path).assert()
}

/// What is set, without the comments.
fn settings(assert: &Assert) -> Vec<String> {
    let lines = stdout(assert);
    let lines = lines.lines().filter(|line| !line.starts_with('#'));
    lines.map(str::to_owned).collect()
}

/// The last line of what is set where ChaCha20 is the faster one, which the program itself has accepted.
#[track_caller]
fn is_accepted(program: &str, command: &str, expected: &str) {
    let home = home();
    let path = kept(&home, 3.0, 1.0);
    let assert = advise(&home, program, &path).success();
    assert_eq!(settings(&assert).last().map(String::as_str), Some(expected));
    let shown = stdout(&assert);
    assert!(
        shown.contains("3.00 times as fast"),
        "each line has its figure: {shown}"
    );
    let note = line(&assert, command);
    match note.contains("is not installed") {
        true => skip(note),
        false => assert_eq!(note, format!("ciphertune: note: {command} accepts it")),
    }
}

/// A configuration that has programs take AES from the provider, and an openssl that takes it.
fn under_the_provider(home: &TempDir, command: &mut Command) -> PathBuf {
    let configuration = home.path().join("provider.cnf");
    // Without its own OpenSSL would have nothing to measure, since the provider is not there.
    let text = "openssl_conf = i\n[i]\nproviders = p\nalg_section = a\n[p]\ndefault = d\nciphertune = c\n\
                [d]\nactivate = 1\n[c]\nactivate = 1\n[a]\ndefault_properties = ?provider=ciphertune\n";
    fs::write(&configuration, text).unwrap();
    command.env("OPENSSL_CONF", &configuration);
    command.env(
        "PATH",
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/openssl:/usr/bin:/bin"),
    );
    configuration
}

#[test]
fn programs_that_run_other_code_are_told() {
    let home = home();
    let path = kept(&home, 1.0, 1.0);
    for (program, is_told) in [("openssl", true), ("openvpn", true), ("gnutls", false)] {
        let mut command = ciphertune(&home);
        let configuration = under_the_provider(&home, &mut command);
        command.args(["advise", program, "--from"]).arg(&path);
        let shown = stdout(&command.assert().success());
        let told = format!(
            "# Programs that read {} take AES from Ciphertune's provider: ",
            configuration.display()
        );
        assert_eq!(shown.starts_with(&told), is_told, "{shown}");
    }
    let has_openssl = stdout(&ciphertune(&home).arg("list").assert().success()).contains("openssl@");
    for (implementations, is_told) in [("openssl", true), ("portable", false)] {
        if is_told && !has_openssl {
            skip("no libcrypto");
            continue;
        }
        let mut command = quick_speed(&home, &["--implementations", implementations]);
        under_the_provider(&home, &mut command);
        let shown = stdout(&command.assert().success());
        assert_eq!(shown.contains("openssl@"), is_told, "{shown}");
        assert_eq!(
            shown.contains("take AES from Ciphertune's provider"),
            is_told,
            "{shown}"
        );
    }
}

/// Each program is checked in a folder of whatever name.
#[test]
fn the_folder_of_temporary_files_may_have_any_name() {
    let home = home();
    let path = kept(&home, 3.0, 1.0);
    let folder = home
        .path()
        .join(format!("a folder; \"{}$x\"", "of a long name ".repeat(8)));
    fs::create_dir(&folder).unwrap();
    for program in ["openssl", "gnutls", "ssh", "openvpn", "nginx", "luks"] {
        let mut command = ciphertune(&home);
        command.env("PATH", std::env::var_os("PATH").unwrap());
        command.env("TMPDIR", &folder);
        command
            .args(["advise", program, "--from"])
            .arg(&path)
            .assert()
            .success();
    }
}

#[test]
fn openssl_accepts_it() {
    is_accepted(
        "openssl",
        "openssl",
        "Ciphersuites = TLS_CHACHA20_POLY1305_SHA256:TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256",
    );
}

#[test]
fn gnutls_accepts_it() {
    is_accepted(
        "gnutls",
        "gnutls-cli",
        "SYSTEM = NORMAL:-CIPHER-ALL:+CHACHA20-POLY1305:+AES-256-GCM:+AES-128-GCM:+AES-256-CCM:+AES-256-CBC:\
         +AES-128-CCM:+AES-128-CBC",
    );
}

/// Programs that name no priorities: what gnutls-cli offers a server then, which is this test.
#[test]
fn gnutls_goes_by_it_where_a_program_names_no_priorities() {
    let home = home();
    let path = kept(&home, 3.0, 1.0);
    let snippet = home.path().join("config");
    fs::write(&snippet, stdout(&advise(&home, "gnutls", &path).success())).unwrap();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    let client = Command::new("gnutls-cli")
        .args(["--insecure", "--port", &address.port().to_string(), "127.0.0.1"])
        .env("GNUTLS_SYSTEM_PRIORITY_FILE", &snippet)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut client) = client else {
        return skip("gnutls-cli");
    };
    // One that ends without a word is not waited for.
    let end = thread::spawn(move || {
        client.wait().unwrap();
        drop(TcpStream::connect(address));
    });
    let (mut connection, _) = server.accept().unwrap();
    // A record's head, a message's, the version and the random number; then the session's id behind its length.
    let mut head = [0; 5 + 4 + 2 + 32 + 1];
    connection.read_exact(&mut head).unwrap();
    let mut rest = vec![0; usize::from(head[43]) + 2 + 3 * 2];
    connection.read_exact(&mut rest).unwrap();
    drop(connection);
    end.join().unwrap();
    let [chacha, aes_256, aes_128] = [[0x13, 3], [0x13, 2], [0x13, 1]];
    assert_eq!(rest[rest.len() - 6..], [chacha, aes_256, aes_128].concat());
}

#[test]
fn openvpn_accepts_it() {
    is_accepted(
        "openvpn",
        "openvpn",
        "data-ciphers CHACHA20-POLY1305:AES-256-GCM:AES-128-GCM",
    );
}

#[test]
fn nginx_accepts_it() {
    is_accepted(
        "nginx",
        "nginx",
        "ssl_ciphers ECDHE+CHACHA20:ECDHE+AESGCM+AES256:ECDHE+AESGCM+AES128:HIGH:!aNULL:!MD5;",
    );
}

#[test]
fn nginx_is_told_what_smaller_records_cost() {
    let home = home();
    let shown = stdout(&advise(&home, "nginx", &kept(&home, 0.5, 1.0)).success());
    let note = "\n# Records of 16 KiB, nginx's own ssl_buffer_size, are 1.50 times as fast (1.50 to 1.50) as the same bytes in";
    assert!(shown.contains(note), "{shown}");
}

#[test]
fn cryptsetup_accepts_it() {
    is_accepted(
        "luks",
        "cryptsetup",
        "cryptsetup luksFormat --type luks2 --cipher aes-xts-plain64 --key-size 512 --sector-size 4096 \"$DEVICE\"",
    );
}

/// ssh prefers ChaCha20 by itself.
#[test]
fn ssh_accepts_it_where_aes_is_faster() {
    let home = home();
    let path = kept(&home, 0.5, 1.0);
    let assert = advise(&home, "ssh", &path).success();
    assert_eq!(
        settings(&assert),
        ["Ciphers ^aes256-gcm@openssh.com,chacha20-poly1305@openssh.com,aes128-gcm@openssh.com"]
    );
    let shown = stdout(&assert);
    let reasons: Vec<&str> = shown
        .lines()
        .filter(|line| line.contains("times as fast"))
        .collect();
    assert_eq!(
        reasons,
        [
            "# AES-256-GCM before ChaCha20-Poly1305: it is 2.00 times as fast (2.00 to 2.00) as that.",
            "# AES-256-GCM before AES-128-GCM, which is 1.20 times as fast (1.20 to 1.20) as that, and stays behind \
             ChaCha20-Poly1305: its key is the shorter one.",
            "# AES-128-GCM is 2.40 times as fast (2.40 to 2.40) as ChaCha20-Poly1305, and stays behind: its key is the \
             shorter one.",
        ]
    );
    let note = line(&assert, "ssh");
    assert!(
        note == "ciphertune: note: ssh accepts it" || note.contains("is not installed"),
        "{note}"
    );
}

#[test]
fn what_gains_nothing_is_left_as_it_is() {
    let home = home();
    for (program, chacha) in [
        ("openssl", 1.0),
        ("gnutls", 0.9),
        ("gcrypt", 3.0),
        ("ssh", 1.01),
        ("openvpn", 0.5),
        ("nginx", 0.5),
        ("luks", 1.01),
    ] {
        let path = kept(&home, chacha, 1.0);
        let assert = advise(&home, program, &path).success();
        assert!(settings(&assert).is_empty(), "{program}: {}", stdout(&assert));
        assert!(
            stdout(&assert).contains("\n# Leave it as it is: "),
            "{}",
            stdout(&assert)
        );
        assert_eq!(stderr(&assert), "");
    }
}

#[test]
fn a_mask_that_pays_is_advised_with_its_gain() {
    let home = home();
    let path = kept(&home, 0.5, 1.1);
    let with = |program, other: &Path| {
        let mut command = ciphertune(&home);
        let words = ["advise", program, "--from"];
        command.args(words).arg(&path).arg("--from").arg(other);
        command.assert()
    };
    // Later, and on another machine.
    let second = home.path().join("second.jsonl");
    let mut run = Run::read(&path).unwrap();
    run.machine.date = "2026-01-02T03:05:05Z".to_owned();
    run.write(&second).unwrap();
    let elsewhere = home.path().join("elsewhere.jsonl");
    run.machine.cpu = "VIA Nano".to_owned();
    run.write(&elsewhere).unwrap();
    for (other, why) in [
        (&path, "are one run twice"),
        (&elsewhere, "are of different machines"),
    ] {
        let refused = with("gcrypt", other).code(1);
        assert!(stderr(&refused).contains(why), "{}", stderr(&refused));
        assert_eq!(stdout(&refused), "");
    }
    let twice = |program| with(program, &second).success();
    let assert = twice("gcrypt");
    assert_eq!(
        settings(&assert),
        ["intel-avx", "intel-avx2", "intel-vaes-vpclmul", "intel-avx512"]
    );
    assert!(
        stdout(&assert).contains("1.10 times as fast (1.10 to 1.10)"),
        "{}",
        stdout(&assert)
    );
    let shown = stdout(&twice("openssl"));
    assert!(
        shown.contains("OPENSSL_ia32cap=~0x1000000000000000:~0x"),
        "{shown}"
    );
    for program in ["gcrypt", "openssl"] {
        let once = advise(&home, program, &path).success();
        let shown = stdout(&once);
        assert!(
            settings(&once).is_empty() && !shown.contains("ia32cap"),
            "{shown}"
        );
        assert!(
            shown.contains(
                "\n# With no-avx it was faster in the one run that tells, which may be chance: a second one, by another \
                 --from, can confirm it.\n"
            ) && !shown.contains("Leave it as it is"),
            "{shown}"
        );
    }
}

/// The kernel encrypts its volumes, and not OpenSSL.
#[test]
fn of_a_volume_no_mask_is_told() {
    let home = home();
    let assert = advise(&home, "luks", &kept(&home, 1.0, 1.1)).success();
    let shown = stdout(&assert);
    assert!(!shown.contains("no-avx") && !shown.contains("ia32cap"), "{shown}");
    assert!(
        shown.ends_with("\n# Leave it as it is: nothing significant is to be gained.\n"),
        "{shown}"
    );
}

#[test]
fn another_machines_figures_are_told() {
    let home = home();
    let path = kept(&home, 1.0, 1.0);
    let here = Processor::current();
    let Processor { brand, signature, .. } = &here;
    for (cpu, of, told) in [
        (&**brand, Some(signature.clone()), None),
        ("VIA Nano", None, Some("VIA Nano".to_owned())),
        (
            brand,
            Some("CentaurHauls 6.15.8".to_owned()),
            Some(format!("{brand} (CentaurHauls 6.15.8)")),
        ),
    ] {
        let mut run = Run::read(&path).unwrap();
        run.machine.cpu = cpu.to_owned();
        run.machine.cpu_signature = of;
        run.write(&path).unwrap();
        let expected = told.map_or_else(String::new, |told| {
            format!(
                "ciphertune: note: {}: its figures are of {told}, and this is {brand} ({signature}); here they may be others\n",
                path.display()
            )
        });
        assert_eq!(stderr(&advise(&home, "gcrypt", &path).success()), expected);
    }
}

#[test]
fn what_the_program_refuses_is_not_printed() {
    let home = home();
    let path = kept(&home, 0.5, 1.0);
    let fake = home.path().join("ssh");
    put_program(
        &fake,
        "#!/bin/sh\necho \"line 1: Bad SSH2 cipher spec\" >&2\nexit 255\n",
    );
    let mut command = ciphertune(&home);
    command
        .env("PATH", home.path())
        .args(["advise", "ssh", "--from"])
        .arg(&path);
    let assert = command.assert().code(1).stdout("");
    let refusal = line(&assert, "does not accept");
    assert!(
        refusal.contains("Bad SSH2 cipher spec") && refusal.contains("Ciphers ^"),
        "{refusal}"
    );
}

#[test]
fn a_run_may_come_from_standard_input() {
    let home = home();
    let path = kept(&home, 0.5, 1.0);
    let piped = ciphertune(&home)
        .args(["advise", "nginx", "--from", "-"])
        .stdin(fs::File::open(&path).unwrap())
        .assert()
        .success();
    assert_eq!(
        settings(&piped),
        settings(&advise(&home, "nginx", &path).success())
    );
}

#[test]
fn what_the_program_never_answers_is_not_printed() {
    let home = home();
    let path = kept(&home, 0.5, 1.0);
    put_program(&home.path().join("ssh"), "#!/bin/sh\nexec yes\n");
    let mut command = ciphertune(&home);
    command
        .env("PATH", format!("{}:/usr/bin:/bin", home.path().display()))
        .args(["advise", "ssh", "--from"])
        .arg(&path);
    let refusal = line(&command.assert().code(1).stdout(""), "check the snippet");
    assert!(
        refusal.ends_with("it said more than 16 MiB, so it was stopped; nothing is advised"),
        "{refusal}"
    );
}

/// OpenVPN itself, that is given another cipher in the place of one.
#[test]
fn openvpn_refuses_a_cipher_that_it_has_not() {
    let real = Path::new("/usr/sbin/openvpn");
    if !real.exists() {
        return skip("openvpn");
    }
    let home = home();
    let path = kept(&home, 3.0, 1.0);
    let fake = format!(
        "#!/bin/sh\nsed -i s/:AES-128-GCM/:NOSUCH/ \"$2\"\nexec {} \"$@\"\n",
        real.display()
    );
    put_program(&home.path().join("openvpn"), fake);
    let mut command = ciphertune(&home);
    command
        .env("PATH", format!("{}:/usr/bin:/bin", home.path().display()))
        .args(["advise", "openvpn", "--from"])
        .arg(&path);
    let assert = command.assert().code(1).stdout("");
    let refusal = line(&assert, "does not accept");
    assert!(
        refusal.contains("--data-ciphers list contains unsupported ciphers"),
        "{refusal}"
    );
}

#[test]
fn a_run_without_the_figures_is_named() {
    let home = home();
    let path = home.path().join("run.jsonl");
    quick_speed(
        &home,
        &[
            "--implementations",
            "ciphertune/portable",
            "--output",
            path.to_str().unwrap(),
        ],
    )
    .assert()
    .success();
    let assert = advise(&home, "nginx", &path).code(1).stdout("");
    assert_eq!(
        stderr(&assert),
        format!(
            "ciphertune: {}: there are no figures of openssl's AES-256-GCM, ChaCha20-Poly1305, AES-128-GCM at 1350 B to \
             32 KiB; ciphertune speed measures them\n",
            path.display()
        )
    );
}

#[test]
fn it_measures_by_itself() {
    let assert = ciphertune(&home()).args(["advise", "luks"]).assert().success();
    let shown = stdout(&assert);
    assert!(
        shown.contains("# AES-256-XTS: ") && shown.contains(" at 512 B"),
        "{shown}"
    );
}

#[test]
fn what_fails_while_it_measures_is_told_with_its_reason() {
    let home = home();
    let Some(library) = libcrypto(home.path(), &["-DCRASH_ON_LOAD"]) else {
        return;
    };
    fs::rename(&library, library.with_file_name("libcrypto.so.1.1")).unwrap();
    let assert = ciphertune(&home)
        .args(["advise", "luks"])
        .env("LD_LIBRARY_PATH", home.path())
        .assert()
        .code(1);
    assert_eq!(
        line(&assert, "libcrypto.so.1.1"),
        "ciphertune: libcrypto.so.1.1: crashed (SIGABRT); install the package again that libcrypto.so.1.1 is of"
    );
    // What was measured speaks all the same.
    assert!(stdout(&assert).contains("# AES-256-XTS: "));
}
