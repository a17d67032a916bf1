//! Libcryptos under an `OPENSSL_CONF` that gives others precedence: what is measured is the provider that is named, each
//! in a process of its own.
mod common;

use std::{fs, process::Command};

use ciphertune_catalog::{Algorithm, Kind, LoadError, Source, gate};

const SEED: u64 = 20_261_124;

/// What a child does: by itself, nothing.
#[test]
fn in_a_process_of_its_own() {
    let Some(source) = common::source() else {
        return;
    };
    let implementations = match source.load() {
        Ok(loaded) => loaded.implementations,
        Err(LoadError::NoProvider { .. }) => Vec::new(),
        Err(error) => panic!("{error}"),
    };
    for implementation in implementations {
        for &task in implementation.tasks() {
            match task.algorithm.kind() {
                Kind::Mac | Kind::EncryptThenMac => {
                    gate::check(&*implementation, task, SEED).unwrap_or_else(|failure| panic!("{failure}"));
                }
                _ => {}
            }
            println!("has: {}", task.algorithm.name());
        }
    }
}

/// What a libcrypto of the system has under this configuration, where there is one.
fn names(configuration: &str, source: &Source) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("openssl.cnf");
    fs::write(&path, configuration).unwrap();
    let output = common::child(source).env("OPENSSL_CONF", path).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{source}: {printed}\n{errors}");
    let names = printed.lines().filter_map(|line| line.strip_prefix("has: "));
    names.map(str::to_owned).collect()
}

fn libcrypto() -> Source {
    Source::System("libcrypto.so.3".to_owned())
}

const DEFAULT: &str = "openssl_conf = init\n[init]\nproviders = providers\nalg_section = algorithms\n\
    [providers]\ndefault = own\n[own]\nactivate = 1\n";

#[test]
fn macs_are_made_of_the_same_providers_code() {
    let dir = tempfile::tempdir().unwrap();
    let module = dir.path().join("impostor.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/impostor.c");
    let mut cc = Command::new("cc");
    cc.args(["-O2", "-shared", "-fPIC", source, "-o"]).arg(&module);
    match cc.status() {
        Ok(status) => assert!(status.success(), "{cc:?}"),
        Err(error) => return common::skip(format_args!("cc: {error}")),
    }
    let configuration = DEFAULT.replace("default = own\n", "default = own\nimpostor = impostor\n")
        + &format!(
            "[impostor]\nmodule = {}\nactivate = 1\n[algorithms]\ndefault_properties = ?provider=impostor\n",
            module.display()
        );
    let names = names(&configuration, &libcrypto());
    if names.is_empty() {
        return common::skip("there is no libcrypto.so.3");
    }
    for name in [
        "AES-128-CMAC",
        "AES-128-GMAC",
        "HMAC-SHA2-256",
        "AES-128-CBC-HMAC-SHA256-ESP",
    ] {
        assert!(names.iter().any(|has| has == name), "{name}: {names:?}");
    }
}

#[test]
fn keys_are_of_the_provider_that_is_asked_for() {
    let legacy = Source::Provider {
        name: "legacy".to_owned(),
        libcrypto: Box::new(libcrypto()),
    };
    let configuration = DEFAULT.replace("alg_section = algorithms\n", "");
    let names = names(&configuration, &legacy);
    if names.is_empty() {
        return common::skip("there is no legacy provider for libcrypto.so.3");
    }
    let is_key = |name: &&String| name.parse::<Algorithm>().unwrap().is_public_key();
    assert_eq!(names.iter().find(is_key), None);
}
