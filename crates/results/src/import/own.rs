//! What Ciphertune prints itself as `openssl speed` would: for each implementation a block under its name, and in it
//! labels that tell what OpenSSL's tables have no place for.
//!
//! ```text
//! implementation: openssl@3.0.19/default
//! type                                  16 bytes   1350 bytes
//! AES-128-GCM open new-iv/1 2 threads   70441.36k  2718656.99k
//! ```
use super::{Rate, names};

/// The contract of a figure whose label tells none: of an algorithm that has one alone.
pub(super) const CONTRACT: &str = "ciphertune-speed/1";

/// What only such a table tells of a figure.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Told {
    pub(super) implementation: String,
    pub(super) contract: Option<String>,
    pub(super) threads: u32,
    pub(super) workers: u32,
    /// Whether its label could be read, which else is the algorithm's name as it stands.
    pub(super) is_read: bool,
}

impl Told {
    /// By a line without a label.
    pub(super) fn of(implementation: &str) -> Self {
        Self {
            implementation: implementation.to_owned(),
            contract: None,
            threads: 1,
            workers: 0,
            is_read: true,
        }
    }
}

/// A figure without its length and rate, by its label. One that cannot be read is kept, so that its figures are not lost
/// in silence.
pub(super) fn row(implementation: &str, label: &[&str]) -> Rate {
    labelled(implementation, label).unwrap_or_else(|| {
        let label = label.join(" ");
        let operation = names::operation(&label);
        Rate {
            told: Some(Told {
                is_read: false,
                ..Told::of(implementation)
            }),
            ..Rate::of(label, operation)
        }
    })
}

/// By a label: the algorithm, then `decrypt` or `open`, the contract and the
/// threads, as far as they are told.
fn labelled(implementation: &str, label: &[&str]) -> Option<Rate> {
    let (&algorithm, mut rest) = label.split_first()?;
    let mut told = Told::of(implementation);
    let mut operation = names::operation(algorithm);
    if let [backward @ ("decrypt" | "open"), after @ ..] = rest {
        (operation, rest) = (names::by_name(backward)?, after);
    }
    if let [contract, after @ ..] = rest
        && contract.contains('/')
    {
        (told.contract, rest) = (Some((*contract).to_owned()), after);
    }
    (told.threads, told.workers) = match rest {
        [] => (1, 0),
        [all, "threads"] => (all.parse().ok()?, 0),
        [others, "thread" | "threads", "and", workers, "worker" | "workers"] => {
            let workers: u32 = workers.parse().ok()?;
            (others.parse::<u32>().ok()?.checked_add(workers)?, workers)
        }
        _ => return None,
    };
    // What no run file may have is none of these labels.
    (told.workers < told.threads).then(|| Rate {
        told: Some(told),
        ..Rate::of(algorithm.to_owned(), operation)
    })
}
