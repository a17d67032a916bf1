//! Nettle. Signatures and structures as in the headers of 3.8; soname 8 has stood for them since 3.6.
//!
//! Contexts have the sizes that nettle's own tables of algorithms give them.
use std::ffi::{c_int, c_void};

use ciphertune_testkit::{Algorithm, Fault, Task};

use super::{About, Flaw, Interface, Peer, numbers};
use crate::{
    Description, Timed,
    library::{Library, Missing},
    pair::parts,
};

mod aead;
mod digest;
mod keys;
mod mac;
mod modes;
mod old;
mod pair;
mod tables;

use aead::Aeads;
use digest::Digests;
use keys::Keys;
#[cfg(test)]
pub(super) use keys::layout as keys_layout;
use mac::Macs;
use modes::Modes;
use old::Old;
use pair::NettlePair;
use tables::Tables;
#[cfg(test)]
pub(super) use tables::layout;

pub(super) struct Nettle {
    modes: Modes,
    aeads: Aeads,
    macs: Macs,
    digests: Digests,
    keys: Option<Keys>,
    old: Option<Old>,
    version: (u32, u32),
}

/// Since when its GHASH has instructions of the processor's; before that it goes by tables.
const WITH_GHASH: (u32, u32) = (3, 8);

/// Whether this is a nettle that hashes by tables whatever the processor has.
pub(crate) fn hashes_by_tables(description: &Description) -> bool {
    let is_old = || numbers(&description.version).is_none_or(|version| version < WITH_GHASH);
    description.id.starts_with("nettle@") && is_old()
}

impl Peer for Nettle {
    const ABOUT: About = About {
        name: "nettle",
        interfaces: &[Interface::new("libnettle.so.8", "libnettle8", (3, 6)..=(3, 10))],
    };

    fn version(library: Library) -> Result<String, Missing> {
        type Version = unsafe extern "C" fn() -> c_int;
        // SAFETY: version.h gives the names this type; the functions read a constant each.
        unsafe {
            let major: Version = library.symbol("nettle_version_major")?;
            let minor: Version = library.symbol("nettle_version_minor")?;
            Ok(format!("{}.{}", major(), minor()))
        }
    }

    fn find(library: Library, version: (u32, u32)) -> Result<Self, Flaw> {
        let tables = Tables::find(library)?;
        let modes = Modes::find(library, &tables.ciphers)?;
        Ok(Self {
            aeads: Aeads::find(library, tables.aeads)?,
            macs: Macs(tables.macs),
            digests: Digests(tables.hashes),
            keys: Keys::find(modes.address()),
            modes,
            old: Old::find(library).ok(),
            version,
        })
    }

    fn address(&self) -> *const c_void {
        self.modes.address()
    }

    /// Without these instructions, AES and GHASH go by tables; so may they where someone overrides its choice.
    fn constant_time(&self) -> bool {
        super::aes_and_ghash_in_hardware()
            && self.version >= WITH_GHASH
            && std::env::var_os("NETTLE_FAT_OVERRIDE").is_none()
    }

    fn has(&self, task: Task) -> bool {
        let algorithm = task.algorithm;
        if algorithm.is_public_key() {
            return self.keys.is_some() && Keys::has(algorithm);
        }
        self.modes.has(algorithm)
            || self.aeads.has(algorithm)
            || self.macs.has(algorithm)
            || self.digests.has(algorithm)
            || self.old(algorithm).is_some()
            || parts(task).is_some_and(|(_, mac)| self.macs.has(mac))
    }

    fn context(&'static self, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        let algorithm = task.algorithm;
        if let (true, Some(keys)) = (algorithm.is_public_key(), &self.keys) {
            return keys.context(&self.digests, task, key);
        }
        if let Some(old) = self.old(algorithm) {
            return old.context(self.modes.cbc(), task, key, iv);
        }
        if self.aeads.has(algorithm) {
            return self.aeads.context(&self.modes, task, key);
        }
        if self.macs.has(algorithm) {
            return self.macs.context(task, key);
        }
        if self.digests.has(algorithm) {
            return self.digests.context(task);
        }
        if parts(task).is_some() {
            return NettlePair::context(&self.modes, &self.macs, task, key);
        }
        self.modes.context(task, key, iv)
    }
}

impl Nettle {
    fn old(&self, algorithm: Algorithm) -> Option<&Old> {
        self.old.as_ref().filter(|old| old.has(algorithm))
    }
}
