use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// What is computed, by OpenSSL's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Algorithm {
    /// AES with a 16-byte key in counter mode (FIPS 197, SP 800-38A).
    #[serde(rename = "AES-128-CTR")]
    Aes128Ctr,
    /// AES with a 24-byte key in counter mode.
    #[serde(rename = "AES-192-CTR")]
    Aes192Ctr,
    /// AES with a 32-byte key in counter mode.
    #[serde(rename = "AES-256-CTR")]
    Aes256Ctr,
}

impl Algorithm {
    /// Every algorithm that Ciphertune measures, in the order in which tables show them.
    pub const ALL: &[Self] = &[Self::Aes128Ctr, Self::Aes192Ctr, Self::Aes256Ctr];

    /// OpenSSL's name, as in `AES-128-CTR`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Aes128Ctr => "AES-128-CTR",
            Self::Aes192Ctr => "AES-192-CTR",
            Self::Aes256Ctr => "AES-256-CTR",
        }
    }

    /// The length of its key in bytes.
    pub fn key_len(self) -> usize {
        match self {
            Self::Aes128Ctr => 16,
            Self::Aes192Ctr => 24,
            Self::Aes256Ctr => 32,
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// An algorithm's name that is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown algorithm '{0}'; known are {known}", known = Algorithm::ALL.iter().map(|a| a.name()).collect::<Vec<_>>().join(", "))]
pub struct UnknownAlgorithm(pub String);

/// Any case is accepted, as OpenSSL does.
impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|a| a.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownAlgorithm(name.to_owned()))
    }
}
