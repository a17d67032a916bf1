//! `botan speed --format=json`.
//!
//! ```text
//! [
//! {"algo": "AES-128/GCM(16) [clmul]", "op": "encrypt", "events": 67818496, "bps": 1719595504, "buf_size": 1024, ...}
//! ,{"algo": "RSA-1024 EMSA-PKCS1-v1_5(SHA-256)", "op": "sign", "events": 124, "cycles": 129863988, "nanos": 50037353}
//! ]
//! ```
//!
//! `bps` is bytes a second. Where there is none, events are operations.
use serde::Deserialize;

use super::{Rate, Report, names};

#[derive(Deserialize)]
struct Entry {
    algo: Option<String>,
    op: Option<String>,
    events: Option<f64>,
    nanos: Option<f64>,
    bps: Option<f64>,
    buf_size: Option<u64>,
    /// Newer ones begin with an entry that has nothing else.
    version: Option<String>,
}

pub(super) fn read(text: &str) -> Option<Report> {
    let entries: Vec<Entry> = serde_json::from_str(text).ok()?;
    let version = entries.iter().find_map(|entry| entry.version.clone());
    Some(Report {
        tool: "botan speed",
        library: "botan",
        contract: "botan-speed/1",
        version,
        details: Vec::new(),
        at_once: 1,
        rates: entries.iter().filter_map(rate).collect(),
    })
}

fn rate(entry: &Entry) -> Option<Rate> {
    let (algorithm, does) = algorithm(entry.algo.as_deref()?);
    let operation = match (entry.op.as_deref()?, does) {
        ("encrypt", "seal") => "seal",
        ("decrypt", "seal") => "open",
        ("encrypt", _) => "encrypt",
        ("decrypt", _) => "decrypt",
        ("hash", _) => "digest",
        ("mac", _) => "mac",
        ("sign", _) => "sign",
        ("verify", _) => "verify",
        ("keygen", _) => "generate",
        ("key agreements" | "key agreement", _) => "derive",
        // Key schedules, and what is no cryptography.
        _ => return None,
    };
    match (entry.bps, entry.buf_size) {
        (Some(per_second), Some(length)) if length > 0 => Some(Rate {
            length,
            per_second,
            ..Rate::of(algorithm, operation)
        }),
        (None, None) => {
            let per_second = entry.events? * 1e9 / entry.nanos?;
            Some(Rate::of_operations(algorithm, operation, per_second))
        }
        _ => None,
    }
}

/// By OpenSSL's name, and what it does. `AES-128/GCM(16) [clmul]`, `CTR-BE(AES-128)`, `AES-128/XTS`, `SHA-256`,
/// `HMAC(SHA-256)`, `RSA-2048 EMSA-PKCS1-v1_5(SHA-256)`; others keep Botan's.
fn algorithm(name: &str) -> (String, &'static str) {
    // The provider, in square brackets.
    let name = name.split(" [").next().unwrap_or(name);
    let first = name.split(' ').next().unwrap_or(name);
    let openssl = if let Some(cipher) = inner(name, "CTR-BE(") {
        format!("{cipher}-CTR")
    } else if let Some(hash) = inner(name, "HMAC(") {
        format!("HMAC-{}", digest(hash))
    } else if let Some(cipher) = inner(name, "CMAC(") {
        format!("{cipher}-CMAC")
    } else if let Some((cipher, mode)) = name.split_once('/') {
        // In brackets stands the length of the tag, or of what is fed back.
        format!("{cipher}-{}", mode.split('(').next().unwrap_or(mode))
    } else if name.contains(" EMSA") {
        first.to_owned()
    } else {
        digest(name)
    };
    let openssl = match &*openssl {
        "Curve25519" => "X25519".to_owned(),
        "ChaCha20Poly1305" => "ChaCha20-Poly1305".to_owned(),
        // A block cipher alone: block by block.
        block if is_block_cipher(block) => format!("{block}-ECB"),
        _ => openssl,
    };
    let does = names::operation(&openssl);
    (openssl, does)
}

fn inner<'a>(name: &'a str, start: &str) -> Option<&'a str> {
    name.strip_prefix(start)?.strip_suffix(')')
}

/// `SHA-256` is OpenSSL's `SHA2-256`.
fn digest(name: &str) -> String {
    match name {
        "SHA-1" | "SHA-160" => "SHA1".to_owned(),
        "SHA-224" | "SHA-256" | "SHA-384" | "SHA-512" => name.replace("SHA-", "SHA2-"),
        "SHA-3(256)" | "SHA-3(512)" | "SHA-3(224)" | "SHA-3(384)" => format!("SHA3-{}", &name[6..9]),
        _ => name.to_owned(),
    }
}

fn is_block_cipher(name: &str) -> bool {
    ["AES-", "Camellia-", "ARIA-"].iter().any(|family| {
        name.strip_prefix(family)
            .is_some_and(|bits| bits.parse::<u32>().is_ok())
    })
}
