//! Libgcrypt's list of what to do without.
use ciphertune_catalog::PeerLibrary;

use super::{Library, Profile, RECORDS, Setting};

pub static PROFILE: Profile = Profile {
    title: "/etc/gcrypt/hwf.deny",
    library: Library {
        name: "libgcrypt",
        sources: || PeerLibrary::Libgcrypt.sources().collect(),
    },
    algorithms: &[
        "AES-256-CFB",
        "AES-256-GCM",
        "ChaCha20-Poly1305",
        "SHA2-256",
        "SHA2-512",
    ],
    lengths: RECORDS,
    has_masks: true,
    note: |_| String::new(),
    setting: Setting::Mask(|evidence| {
        let names = evidence.mask().into_iter().flat_map(|(mask, _)| mask.libgcrypt());
        names.flat_map(|name| [name, "\n"]).collect()
    }),
    check: None,
};
