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
        other_version: None,
        odd_length: None,
        rates: entries.iter().filter_map(rate).collect(),
    })
}

/// Whether it is a list like that but for its end, as where it was stopped.
pub(super) fn is_cut_off(text: &str) -> bool {
    let is_list = text.trim_start().starts_with('[');
    is_list && serde_json::from_str::<Vec<Entry>>(text).is_err_and(|error| error.is_eof())
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
        ("KEM encrypt", _) => "encapsulate",
        ("KEM decrypt", _) => "decapsulate",
        // Key schedules, and what is no cryptography.
        _ => return None,
    };
    match (entry.bps, entry.buf_size) {
        (Some(per_second), Some(length)) if length > 0 => Some(Rate {
            length,
            per_second: Some(per_second),
            ..Rate::of(algorithm, operation)
        }),
        (None, None) => {
            let per_second = Some(entry.events? * 1e9 / entry.nanos?);
            Some(Rate::of_operations(algorithm, operation, per_second))
        }
        _ => None,
    }
}

/// By OpenSSL's name, and what it does. `AES-128/GCM(16) [clmul]`, `AES-128/CBC/PKCS7`, `CTR-BE(AES-128)`, `SHA-256`,
/// `HMAC(SHA-256)`, `RSA-2048 EMSA-PKCS1-v1_5(SHA-256)`, `ECDSA-secp256r1`; others keep Botan's.
fn algorithm(name: &str) -> (String, &'static str) {
    // Behind it stand how signatures are padded and, in square brackets, whose code it is.
    let name = name.split(' ').next().unwrap_or(name);
    let openssl = if let Some((cipher, mode)) = name.split_once('/') {
        moded(cipher, mode)
    } else if let Some((outer, inner)) = name.strip_suffix(')').and_then(|name| name.split_once('(')) {
        match outer {
            "CTR-BE" => moded(inner, "CTR"),
            "OFB" | "CMAC" | "GMAC" => moded(inner, outer),
            "HMAC" => format!("HMAC-{}", digest(inner)),
            _ => digest(name),
        }
    } else if is_block_cipher(name) {
        // Alone: block by block.
        moded(name, "ECB")
    } else {
        match name {
            "Curve25519" => "X25519".to_owned(),
            "ChaCha20Poly1305" => "ChaCha20-Poly1305".to_owned(),
            _ => key(name).unwrap_or_else(|| digest(name)),
        }
    };
    let does = names::operation(&openssl);
    (openssl, does)
}

/// A cipher in a mode. In brackets stands the length of the tag, or of what is fed back; behind it how the last block is
/// filled, which makes the mode another one only where text is stolen from the block before.
fn moded(cipher: &str, mode: &str) -> String {
    let cipher = match cipher {
        "TripleDES" => "DES-EDE3".to_owned(),
        "Blowfish" => "BF".to_owned(),
        "CAST-128" => "CAST5".to_owned(),
        _ => cipher.to_ascii_uppercase(),
    };
    let (mode, padding) = mode.split_once('/').unwrap_or((mode, ""));
    let mode = match mode {
        "CFB(8)" => "CFB8",
        _ => mode.split('(').next().unwrap_or(mode),
    };
    match padding {
        "CTS" => format!("{cipher}-{mode}-CTS"),
        _ => format!("{cipher}-{mode}"),
    }
}

/// `SHA-256` is OpenSSL's `SHA2-256`.
fn digest(name: &str) -> String {
    match name {
        "SHA-1" | "SHA-160" => "SHA1".to_owned(),
        "SHA-512-256" => "SHA2-512/256".to_owned(),
        "SHA-224" | "SHA-256" | "SHA-384" | "SHA-512" => name.replace("SHA-", "SHA2-"),
        "SHA-3(256)" | "SHA-3(512)" | "SHA-3(224)" | "SHA-3(384)" => format!("SHA3-{}", &name[6..9]),
        "BLAKE2b(512)" => "BLAKE2B-512".to_owned(),
        "BLAKE2s(256)" => "BLAKE2S-256".to_owned(),
        "Whirlpool" => "WHIRLPOOL".to_owned(),
        _ => name.to_owned(),
    }
}

/// `ECDSA-secp256r1` is called by NIST's name of the curve, and `ML-DSA-6x5` by its own.
fn key(name: &str) -> Option<String> {
    if let Some(size) = name.strip_prefix("ML-DSA-") {
        return Some(format!("ML-DSA-{}", size.replace('x', "")));
    }
    let (kind, bits) = name.strip_suffix("r1")?.split_once("-secp")?;
    matches!(bits, "192" | "224" | "256" | "384" | "521").then(|| format!("{kind}-P-{bits}"))
}

fn is_block_cipher(name: &str) -> bool {
    let has_bits = |family: &str| {
        name.strip_prefix(family)
            .is_some_and(|bits| bits.parse::<u32>().is_ok())
    };
    ["AES-", "Camellia-", "ARIA-", "CAST-"]
        .iter()
        .any(|family| has_bits(family))
        || ["DES", "TripleDES", "Blowfish", "IDEA", "SEED"].contains(&name)
}
