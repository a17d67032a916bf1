//! OpenSSL's own configuration.
use super::{Check, LIBCRYPTO, Profile, RECORDS, Setting, words};
use crate::openssl::with_ciphersuites;

pub static PROFILE: Profile = Profile {
    title: "openssl.cnf",
    library: LIBCRYPTO,
    algorithms: &["AES-256-GCM", "ChaCha20-Poly1305", "AES-128-GCM"],
    lengths: RECORDS,
    has_masks: true,
    note: |_| String::new(),
    setting: Setting::Order(|order| with_ciphersuites(&words(order, SUITES, ":"))),
    check: Some(&Check {
        name: "openssl",
        ask: |command, folder, _| {
            command
                .args(["ciphers", "-s", "-tls1_3"])
                .env("OPENSSL_CONF", folder.join("snippet"));
            Ok(())
        },
        accepts: |said, setting| said.contains(setting.split(" = ").nth(1).unwrap_or_default()),
    }),
};

/// Of TLS 1.3.
pub const SUITES: &[(&str, &str)] = &[
    ("AES-128-GCM", "TLS_AES_128_GCM_SHA256"),
    ("AES-256-GCM", "TLS_AES_256_GCM_SHA384"),
    ("ChaCha20-Poly1305", "TLS_CHACHA20_POLY1305_SHA256"),
];
