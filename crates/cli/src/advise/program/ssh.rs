//! OpenSSH, either side.
use super::{Check, LIBCRYPTO, Profile, RECORDS, Setting, words};

pub static PROFILE: Profile = Profile {
    title: "ssh_config or sshd_config",
    library: LIBCRYPTO,
    algorithms: &["ChaCha20-Poly1305", "AES-128-GCM", "AES-256-GCM"],
    lengths: RECORDS,
    has_masks: true,
    note: |_| {
        "# ssh puts ChaCha20 and Poly1305 together itself, which is no faster than libcrypto's.\n".to_owned()
    },
    setting: Setting::Order(|order| Ok(format!("Ciphers ^{}\n", words(order, NAMES, ",")))),
    check: Some(&Check {
        name: "ssh",
        ask: |command, folder, _| {
            command
                .arg("-G")
                .arg("-F")
                .arg(folder.join("snippet"))
                .arg("localhost");
            Ok(())
        },
        accepts: |said, setting| {
            said.contains(&format!("ciphers {}", setting.trim_start_matches("Ciphers ^")))
        },
    }),
};

const NAMES: &[(&str, &str)] = &[
    ("AES-128-GCM", "aes128-gcm@openssh.com"),
    ("AES-256-GCM", "aes256-gcm@openssh.com"),
    ("ChaCha20-Poly1305", "chacha20-poly1305@openssh.com"),
];
