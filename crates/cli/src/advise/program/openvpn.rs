//! OpenVPN, both ends, which spells ciphers in capitals.
use std::fs;

use super::{Check, LIBCRYPTO, Lengths, Profile, Setting};

pub static PROFILE: Profile = Profile {
    title: "the configurations of both ends of OpenVPN",
    library: LIBCRYPTO,
    algorithms: &["AES-256-GCM", "AES-128-GCM", "ChaCha20-Poly1305"],
    lengths: Lengths {
        words: "1024 to 1500 B",
        include: |length| (1024..=1500).contains(&length),
        measured: &[1350],
    },
    has_masks: true,
    note: |_| String::new(),
    setting: Setting::Order(|order| Ok(format!("data-ciphers {}\n", order.join(":").to_uppercase()))),
    check: Some(&Check {
        name: "openvpn",
        // Most of what only reads a configuration leaves data-ciphers unread. This test reads all of it, and needs
        // neither a certificate nor rights, but a key that both ends share, which later versions want to be allowed.
        ask: |command, folder, _| {
            let key = folder.join("key");
            fs::write(&key, shared_key())?;
            command
                .arg("--config")
                .arg(folder.join("snippet"))
                .args(["--dev", "null", "--test-crypto", "--cipher", "AES-256-CBC"])
                .arg("--secret")
                .arg(key)
                .args(["--ignore-unknown-option", ALLOWED])
                .arg(format!("--{ALLOWED}"));
            Ok(())
        },
        accepts: |_, _| true,
    }),
};

const ALLOWED: &str = "allow-deprecated-insecure-static-crypto";

/// Of 2048 bits, for nobody.
fn shared_key() -> String {
    let digits: String = (0..=255).map(|byte: u8| format!("{byte:02x}")).collect();
    format!("-----BEGIN OpenVPN Static key V1-----\n{digits}\n-----END OpenVPN Static key V1-----\n")
}
