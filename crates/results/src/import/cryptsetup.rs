//! `cryptsetup benchmark`: the kernel's ciphers through AF_ALG, 64 KiB at a time.
//!
//! ```text
//! PBKDF2-sha1      2730666 iterations per second for 256-bit key
//! #     Algorithm |       Key |      Encryption |      Decryption
//!         aes-xts        256b      1993.5 MiB/s      1990.6 MiB/s
//!     serpent-cbc        128b               N/A               N/A
//! ```
//!
//! It speaks the user's language: numbers may have a decimal comma, and what follows them may be other words. Of Argon2 it
//! prints what to set for a time that was asked for, which is no rate.
use super::{Rate, Report, names};

pub(super) fn read(text: &str) -> Option<Report> {
    let rates = text
        .lines()
        .flat_map(|line| {
            let words: Vec<&str> = line.trim_start_matches('#').split_whitespace().collect();
            match words[..] {
                [name, key, ref columns @ ..] if key.ends_with('b') => cipher(name, key, columns),
                [name, count, ref behind @ ..] => iterations(name, count, !behind.is_empty()),
                _ => None,
            }
            .unwrap_or_default()
        })
        .collect();
    Some(Report {
        tool: "cryptsetup benchmark",
        library: "linux",
        contract: "cryptsetup-benchmark/1",
        version: None,
        details: Vec::new(),
        other_version: None,
        odd_length: None,
        rates,
    })
}

/// What it passes to the kernel in one call.
const LENGTH: u64 = 65536;

fn cipher(name: &str, key: &str, columns: &[&str]) -> Option<Vec<Rate>> {
    let (cipher, mode) = name.split_once('-')?;
    let bits: u32 = key.strip_suffix('b')?.parse().ok()?;
    // XTS has two keys.
    let bits = if mode == "xts" { bits / 2 } else { bits };
    let algorithm = names::openssl(&format!("{cipher}-{bits}-{mode}"));
    let mut rates = Vec::new();
    let mut columns = columns.iter().copied();
    for operation in ["encrypt", "decrypt"] {
        let rate = match columns.next() {
            Some(figure) => match figure.replace(',', ".").parse::<f64>() {
                Ok(figure) => unit(columns.next().unwrap_or_default())?.map(|unit| unit * figure),
                // Else it says that there is none, as by N/A.
                Err(_) => continue,
            },
            None => None,
        };
        rates.push(Rate {
            length: LENGTH,
            per_second: rate,
            ..Rate::of(algorithm.clone(), operation)
        });
    }
    Some(rates)
}

/// In bytes a second. `Some(None)` where the line is cut off, and with it perhaps the figure.
fn unit(word: &str) -> Option<Option<f64>> {
    match word {
        "MiB/s" => Some(Some(1024.0 * 1024.0)),
        "GiB/s" => Some(Some(1024.0 * 1024.0 * 1024.0)),
        cut if ["MiB/s", "GiB/s"].iter().any(|unit| unit.starts_with(cut)) => Some(None),
        _ => None,
    }
}

/// `PBKDF2-sha256`, which makes no bytes to speak of. Digits that are the last of their line may lack others.
fn iterations(name: &str, count: &str, is_whole: bool) -> Option<Vec<Rate>> {
    let digest = name.strip_prefix("PBKDF2-")?;
    let algorithm = format!("PBKDF2-{}", names::openssl(digest));
    let count = count.parse().ok()?;
    Some(vec![Rate::of_operations(
        algorithm,
        "iterate",
        is_whole.then_some(count),
    )])
}
