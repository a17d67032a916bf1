//! Reads from `Cargo.lock` which versions of the measured crates are built in: the id of an implementation
//! must name the version that runs, and a crate does not tell its dependents. With the feature `openssl`, builds OpenSSL.
use std::{env, fs, path::Path};

const MEASURED: &[&str] = &[
    "aes",
    "aws-lc-rs",
    "blake2",
    "blowfish",
    "camellia",
    "cast5",
    "chacha20poly1305",
    "des",
    "graviola",
    "hmac",
    "idea",
    "md-5",
    "md2",
    "md4",
    "poly1305",
    "rc2",
    "rc4",
    "ring",
    "ripemd",
    "sha1",
    "sha2",
    "sha3",
    "sm3",
    "whirlpool",
];

fn main() {
    let manifest_dir = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let lock = Path::new(&manifest_dir).join("../../Cargo.lock");
    let text = fs::read_to_string(&lock).unwrap_or_else(|e| panic!("{}: {e}", lock.display()));
    for name in MEASURED {
        let variable = name.to_uppercase().replace('-', "_");
        println!("cargo::rustc-env={variable}_VERSION={}", version(&text, name));
    }
    println!("cargo::rerun-if-changed={}", lock.display());
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "openssl")]
    {
        let built = openssl_src::Build::new().build();
        println!("cargo::rustc-link-search=native={}", built.lib_dir().display());
        println!("cargo::rustc-link-lib=static=crypto");
    }
}

/// The version of a direct dependency. Where the lock file holds several of that name, this package's list of
/// dependencies says which.
fn version<'a>(lock: &'a str, name: &str) -> &'a str {
    let package = |name: &str| {
        let line = format!("name = \"{name}\"");
        lock.split("[[package]]")
            .find(move |p| p.lines().any(|l| l == line))
    };
    let ours = package(env!("CARGO_PKG_NAME")).expect("this package is in the lock file");
    let listed = ours
        .lines()
        .filter_map(|line| line.trim().strip_prefix('"')?.strip_suffix("\","))
        .find_map(|dependency| {
            let mut words = dependency.split(' ');
            (words.next() == Some(name)).then(|| words.next())
        })
        .unwrap_or_else(|| panic!("{name} is not among this package's dependencies in Cargo.lock"));
    listed.unwrap_or_else(|| {
        package(name)
            .and_then(|p| {
                p.lines()
                    .find_map(|l| l.strip_prefix("version = \"")?.strip_suffix('"'))
            })
            .unwrap_or_else(|| panic!("{name} has no version in Cargo.lock"))
    })
}
