//! OpenVPN, both ends, which spells ciphers in capitals.
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
    note: "",
    setting: Setting::Order(|order| format!("data-ciphers {}\n", order.join(":").to_uppercase())),
    check: Some(&Check {
        name: "openvpn",
        ask: |command, _, _| {
            command.arg("--show-ciphers");
            Ok(())
        },
        accepts: |said, setting| {
            let said = said.to_uppercase();
            let is_known = |name| said.lines().any(|line| line.split(' ').next() == Some(name));
            setting
                .trim_start_matches("data-ciphers ")
                .split(':')
                .all(is_known)
        },
    }),
};
