//! What `openssl speed -mr` prints.
use std::{
    collections::HashSet,
    io::{self, Write},
};

use ciphertune_results::Run;

use super::{Key, parts};
use crate::text::plain;

/// Writes a run as `openssl speed -mr` does: bytes per second in lines `+F:number:algorithm:rate:...` under a line
/// `+H:length:...`, and operations per second in a line for each key, `+F2:number:bits:rate:...`, as OpenSSL 3.0 has
/// them. A line `+I:implementation`, which OpenSSL does not have, begins each implementation.
pub fn mr(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    for part in parts(run) {
        let keys: Vec<String> = part.keys.iter().filter_map(Key::line).collect();
        if part.rows.is_empty() && keys.is_empty() {
            continue;
        }
        writeln!(out, "+I:{}", plain(part.implementation))?;
        if !part.rows.is_empty() {
            let lengths = part.lengths.iter().map(|length| format!(":{length}"));
            writeln!(out, "+H{}", lengths.collect::<String>())?;
        }
        for (number, row) in part.rows.iter().enumerate() {
            let rates = row.rates(&part.lengths).map(|rate| format!(":{rate:.2}"));
            writeln!(out, "+F:{number}:{}{}", row.label, rates.collect::<String>())?;
        }
        keys.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    }
    Ok(())
}

/// What of a run [`mr`] leaves out, each once: the label of a key that has no line, or with it an operation that has no
/// place in the line, or lacks the other one there.
pub fn left_out_of_mr(run: &Run) -> Vec<String> {
    let parts = parts(run);
    let keys = parts.iter().flat_map(|part| &part.keys);
    let mut names: Vec<String> = keys.flat_map(Key::left_out).collect();
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

impl Key<'_> {
    /// Its line, if it has any: of two operations it has both figures, since 0 for one that is not known would look like one.
    fn line(&self) -> Option<String> {
        let (start, operations) = self.form()?;
        let rate = |wanted: &&str| {
            let rate = self.rates.iter().find(|(operation, _)| operation == wanted);
            rate.map(|&(_, rate)| rate)
        };
        let rates: Option<Vec<f64>> = operations.iter().map(rate).collect();
        match rates?[..] {
            [rate] => Some(format!("{start}:{rate:.6}:{:.6}", 1.0 / rate)),
            [one, other] => Some(format!("{start}:{one:.6}:{other:.6}")),
            _ => None,
        }
    }

    fn left_out(&self) -> Vec<String> {
        let Some((_, operations)) = self.form() else {
            return vec![self.label.clone()];
        };
        let done: Vec<&str> = self.rates.iter().map(|&(operation, _)| operation).collect();
        let unknown = operations.iter().find(|operation| !done.contains(operation));
        let left_out = done.iter().filter_map(|operation| {
            let name = format!("{} {operation}", self.label);
            match (operations.contains(operation), unknown) {
                (true, None) => None,
                (true, Some(unknown)) => Some(format!("{name} without {unknown}")),
                (false, _) => Some(name),
            }
        });
        left_out.collect()
    }

    /// How its line begins, and the operations whose rates follow; of one alone the seconds do, too. There is no place for
    /// the threads or the contract that a label may tell.
    fn form(&self) -> Option<(&'static str, &'static [&'static str])> {
        let &(_, start) = KEYS.iter().find(|(name, _)| *name == self.label)?;
        let operations: &[&str] = match start.split(':').next() {
            Some("+F5" | "+F8") => &["derive"],
            _ => &["sign", "verify"],
        };
        Some((start, operations))
    }
}

/// How OpenSSL 3.0 begins the line of a key: with its kind, its number, its bits and, in two kinds, its name. Later
/// versions have other numbers. The other curves of ECDSA and ECDH are told apart by these alone.
const KEYS: [(&str, &str); 30] = [
    ("RSA-512", "+F2:0:512"),
    ("RSA-1024", "+F2:1:1024"),
    ("RSA-2048", "+F2:2:2048"),
    ("RSA-3072", "+F2:3:3072"),
    ("RSA-4096", "+F2:4:4096"),
    ("RSA-7680", "+F2:5:7680"),
    ("RSA-15360", "+F2:6:15360"),
    ("DSA-512", "+F3:0:512"),
    ("DSA-1024", "+F3:1:1024"),
    ("DSA-2048", "+F3:2:2048"),
    ("ECDSA-P-192", "+F4:1:192"),
    ("ECDSA-P-224", "+F4:2:224"),
    ("ECDSA-P-256", "+F4:3:256"),
    ("ECDSA-P-384", "+F4:4:384"),
    ("ECDSA-P-521", "+F4:5:521"),
    ("ECDH-P-192", "+F5:1:192"),
    ("ECDH-P-224", "+F5:2:224"),
    ("ECDH-P-256", "+F5:3:256"),
    ("ECDH-P-384", "+F5:4:384"),
    ("ECDH-P-521", "+F5:5:521"),
    ("X25519", "+F5:22:253"),
    ("X448", "+F5:23:448"),
    ("Ed25519", "+F6:0:253:Ed25519"),
    ("Ed448", "+F6:1:456:Ed448"),
    ("SM2", "+F7:0:256:CurveSM2"),
    ("FFDH-2048", "+F8:0:2048"),
    ("FFDH-3072", "+F8:1:3072"),
    ("FFDH-4096", "+F8:2:4096"),
    ("FFDH-6144", "+F8:3:6144"),
    ("FFDH-8192", "+F8:4:8192"),
];
