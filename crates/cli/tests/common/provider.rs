//! What the tests of `ciphertune provider` share: a system of their own.
use std::{fs, path::Path, process::Command};

use tempfile::TempDir;

use super::{ciphertune, home};

pub const SYSTEM: &str = "openssl_conf = openssl_init\n[openssl_init]\nproviders = provider_sect\n[provider_sect]\ndefault = default_sect\n[default_sect]\n";

/// A system of which the command thinks that it is the real one.
pub fn system() -> TempDir {
    let system = home();
    fs::create_dir(system.path().join("modules")).unwrap();
    fs::write(system.path().join("openssl.cnf"), SYSTEM).unwrap();
    fs::write(system.path().join("built.so"), "code").unwrap();
    system
}

pub fn provider(system: &TempDir, words: &[&str]) -> Command {
    let mut command = ciphertune(system);
    let place = |name: &str| system.path().join(name);
    command
        .arg("provider")
        .arg("--openssl-cnf")
        .arg(place("openssl.cnf"))
        .arg("--modules")
        .arg(place("modules"))
        .args(words)
        .current_dir(system.path())
        .env("PATH", TAKES_ANY);
    command
}

/// An openssl is there that takes any provider.
pub const TAKES_ANY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/openssl");

pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
