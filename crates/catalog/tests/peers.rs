//! The other libraries of the system through the gate.
mod common;

use std::process::Command;

use ciphertune_catalog::{Implementation, PeerLibrary, Source, Task, gate};

const SEED: u64 = 20_261_122;

fn loaded(peer: PeerLibrary) -> Box<dyn Implementation> {
    let loaded = Source::Peer(peer)
        .load()
        .unwrap_or_else(|error| panic!("{error}"));
    let [implementation] = loaded.implementations.try_into().ok().expect("one library");
    implementation
}

fn debian_has_installed(package: &str) -> bool {
    let query = Command::new("dpkg-query")
        .args(["--show", "--showformat=${db:Status-Status}", package])
        .output();
    query.is_ok_and(|output| output.stdout == b"installed")
}

/// A library that is installed and that does not run is a fault of ours: the catalog must have said what it has.
fn is_right(peer: PeerLibrary) {
    let implementation = loaded(peer);
    let about = peer.about();
    let description = implementation.description();
    if let Some(why) = &description.unavailable {
        assert!(!debian_has_installed(about.package), "{}: {why}", about.name);
        assert!(why.contains(about.package), "{why}");
        common::skip(format_args!("{}: {why}", about.name));
        return;
    }
    assert!(
        description.id.starts_with(&format!("{}@", about.name)),
        "{description:?}"
    );
    assert!(
        description.origin.starts_with('/') && !description.selectable,
        "{description:?}"
    );
    assert!(!implementation.tasks().is_empty(), "{description:?}");
    for &task in implementation.tasks() {
        gate::check(&*implementation, task, SEED).unwrap_or_else(|failure| panic!("{failure}"));
        if task.contract == Task::usual(task.algorithm).contract {
            gate::recheck(&*implementation, task, SEED).unwrap_or_else(|failure| panic!("{failure}"));
        }
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
