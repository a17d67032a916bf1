//! Bytes that count as secret, and how often something went by one: memcheck's word for it, or MemorySanitizer's.

#[cfg(not(msan))]
mod memcheck;
#[cfg(msan)]
#[expect(unsafe_code, reason = "the sanitizer's functions are C")]
mod msan;

use std::fmt;

#[cfg(not(msan))]
use memcheck as tool;
#[cfg(msan)]
use msan as tool;

pub use tool::{NAME, SECRETS, hide, is_watching, known, reports, reveal};

/// What is secret while something runs.
#[derive(Clone, Copy)]
pub struct Secret {
    pub key: bool,
    pub data: bool,
}

impl Secret {
    pub fn hide(self, key: &[u8], data: &[u8]) {
        if self.key {
            hide(key);
        }
        if self.data {
            hide(data);
        }
    }

    /// Whether the tool lost sight of it. Nothing is made without the key. Data alone have no part in some outputs; in
    /// others only in part, as far as MemorySanitizer can tell, which does not know how AES spreads a byte.
    pub fn is_lost(self, output: &[u8], changes_with_data: bool) -> bool {
        let known = known(output);
        if self.key {
            known.contains(&true)
        } else {
            changes_with_data && !known.contains(&false)
        }
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.key, self.data) {
            (true, true) => "key or data",
            (true, false) => "the key",
            _ => "data",
        })
    }
}
