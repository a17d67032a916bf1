//! The other libraries of the system through the gate, each in a process of its own, as several versions of one may be
//! installed; and BoringSSL, as a libcrypto that is not where the dynamic linker looks.
mod common;

use std::{path::PathBuf, process::Command};

use ciphertune_catalog::{Description, Implementation, Operation, PeerLibrary, Source, Task, gate};

const SEED: u64 = 20_261_122;

/// What a child does; by itself, nothing.
#[test]
fn in_a_process_of_its_own() {
    let Some(source) = common::source() else {
        return;
    };
    let loaded = source.load().unwrap_or_else(|error| panic!("{error}"));
    for implementation in &loaded.implementations {
        passes(&**implementation);
        println!("right: {}", implementation.description().id);
    }
}

fn passes(implementation: &dyn Implementation) {
    let description = implementation.description();
    assert!(
        description.origin.starts_with('/') && !description.selectable,
        "{description:?}"
    );
    assert!(description.unavailable.is_none(), "{description:?}");
    tells_what_it_goes_by(description);
    common::has_kept_its_names(implementation);
    for &task in implementation.tasks() {
        gate::check(implementation, task, SEED).unwrap_or_else(|failure| panic!("{failure}"));
        common::does_its_work(implementation, task);
        tells_of_its_copies(implementation, task);
        if task.contract == Task::usual(task.algorithm).contract {
            gate::recheck(implementation, task, SEED).unwrap_or_else(|failure| panic!("{failure}"));
        }
    }
}

/// By each library's own name for AES instructions, of those that tell: it must be what the processor says too.
fn tells_what_it_goes_by(description: &Description) {
    let told = description.goes_by.as_deref();
    let aes = match description.id.split('@').next() {
        Some("libgcrypt") => "intel-aesni",
        Some("libsodium") => "aesni",
        Some("mbedtls") => "AES",
        // It tells by a number.
        Some("ipsec-mb") => return assert!(told.is_some(), "{description:?}"),
        _ => return assert_eq!(told, None, "{description:?}"),
    };
    #[cfg(target_arch = "x86_64")]
    assert_eq!(
        told.is_some_and(|told| told.split(':').any(|name| name == aes)),
        std::arch::is_x86_feature_detected!("aes"),
        "{description:?}"
    );
    let _ = aes;
}

/// Botan has a tag behind its text, and the catalog puts the two together and takes them apart: that is in the figures, so
/// that it has to be told.
fn tells_of_its_copies(implementation: &dyn Implementation, task: Task) {
    let is_aead = matches!(task.operation, Operation::Seal | Operation::Open);
    if !is_aead || !implementation.description().id.starts_with("botan@") {
        return;
    }
    let [key, iv] = [task.algorithm.key_len(), task.algorithm.iv_len()].map(|length| vec![0; length]);
    let context = implementation.context(task, &key, &iv).unwrap();
    let copies = [true, false].map(|in_place| context.repeats_with_copies(in_place));
    assert_eq!(copies, [true; 2], "{task}");
}

fn debian_has_installed(package: &str) -> bool {
    let query = Command::new("dpkg-query")
        .args(["--show", "--showformat=${db:Status-Status}", package])
        .output();
    query.is_ok_and(|output| output.stdout == b"installed")
}

/// How many there are of a library, all of which are right.
fn right_of(source: &Source, name: &str) -> usize {
    let output = common::child(source).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{source}: {printed}\n{errors}");
    let lines = printed.lines().filter(|line| line.starts_with("right: "));
    lines
        .inspect(|line| {
            assert!(line.contains(&format!("{name}@")), "{line}");
            println!("{line}");
        })
        .count()
}

/// A library that is installed and that does not run is a fault of ours: the catalog must have said what it has.
fn is_right(library: PeerLibrary) {
    let about = library.about();
    let mut met = 0;
    for source in library.sources() {
        met += right_of(&source, about.name);
    }
    if met == 0 {
        for interface in about.interfaces {
            assert!(!debian_has_installed(interface.package), "{}", interface.soname);
        }
        common::skip(format_args!("{} is not installed", about.name));
    }
}

#[test]
fn libgcrypt_is_right() {
    is_right(PeerLibrary::Libgcrypt);
}

#[test]
fn nettle_is_right() {
    is_right(PeerLibrary::Nettle);
}

#[test]
fn ipsec_mb_is_right() {
    is_right(PeerLibrary::IpsecMb);
}

#[test]
fn botan_is_right() {
    is_right(PeerLibrary::Botan);
}

#[test]
fn gnutls_is_right() {
    is_right(PeerLibrary::Gnutls);
}

#[test]
fn mbedtls_is_right() {
    is_right(PeerLibrary::Mbedtls);
}

#[test]
fn wolfssl_is_right() {
    is_right(PeerLibrary::Wolfssl);
}

#[test]
fn libsodium_is_right() {
    is_right(PeerLibrary::Libsodium);
}

/// Debian has it for Android's tools.
#[test]
fn boringssl_is_right() {
    let files = Command::new("dpkg").args(["-L", "android-libboringssl"]).output();
    let files = files.map_or(String::new(), |files| {
        String::from_utf8_lossy(&files.stdout).into_owned()
    });
    let Some(path) = files.lines().find(|file| file.contains("/libcrypto.so")) else {
        return common::skip("android-libboringssl is not installed");
    };
    assert_eq!(right_of(&Source::Libcrypto(PathBuf::from(path)), "boringssl"), 1);
}
