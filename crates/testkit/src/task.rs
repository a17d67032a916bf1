use std::{fmt, ops::RangeInclusive};

use serde::{Deserialize, Serialize};

use crate::{Algorithm, Kind};

/// What an implementation is asked to do: an operation of an algorithm, under a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Task {
    /// What is computed.
    pub algorithm: Algorithm,
    /// In which direction.
    pub operation: Operation,
    /// What one call includes.
    pub contract: Contract,
}

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// Its ciphertext.
    Encrypt,
    /// Its plaintext.
    Decrypt,
    /// Its ciphertext and the tag over that and the additional data.
    Seal,
    /// Its plaintext, once its tag has been found right.
    Open,
    /// Its tag.
    Mac,
    /// Its digest.
    Digest,
    /// Its signature.
    Sign,
    /// Nothing, once its signature has been found right.
    Verify,
    /// The secret that a public key stands for, with the private key that is there.
    Derive,
    /// A new key.
    Generate,
    /// A new secret, and the ciphertext that stands for it.
    Encapsulate,
    /// The secret that a ciphertext stands for.
    Decapsulate,
}

/// What one call includes. The number in its name is its version: what was timed under another one cannot be
/// compared.
///
/// IVs are made before timing, counted as records and packets have them, and a call reads its message's: to count is no part of
/// what is timed, of any implementation. Messages take turns, and with them their IVs, which come round again under one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Contract {
    /// `stream/1`: a piece of one long message. Key and IV are set beforehand, and each call goes on where the
    /// one before it stopped.
    Stream,
    /// `new-iv/1`: a whole message with an IV of its own and, for authenticated encryption, with its additional
    /// data and its tag. The key is kept.
    NewIv,
    /// `new-key/1`: as `new-iv/1`, and before it the key is set.
    NewKey,
    /// `one-shot/1`: a whole message without an IV, or an operation by a public key. The key is kept, where there is one.
    OneShot,
    /// `many/1`: [`Contract::MANY`] whole messages of one length, each with an IV of its own, where there is one. The key is
    /// kept.
    Many,
    /// `many-keys/1`: as `many/1`, each message under a key of its own ([`Contract::key`]).
    ManyKeys,
}

impl Task {
    /// Everything that can be asked of an algorithm with one message to a call.
    pub fn of(algorithm: Algorithm) -> impl Iterator<Item = Self> {
        let contracts = algorithm.contracts().iter();
        let contracts = contracts.filter(|contract| !contract.is_many());
        algorithm.operations().iter().flat_map(move |&operation| {
            contracts.clone().map(move |&contract| Self {
                algorithm,
                operation,
                contract,
            })
        })
    }

    /// What can be asked of an algorithm with many messages to a call: what makes blocks wait for those before them, as of
    /// nothing else many are more than one after the other.
    pub fn of_many(algorithm: Algorithm) -> impl Iterator<Item = Self> {
        let contracts = algorithm.contracts().iter();
        let contracts = contracts.filter(|contract| contract.is_many());
        contracts.map(move |&contract| Self {
            algorithm,
            operation: algorithm.operations()[0],
            contract,
        })
    }

    /// Everything that can be asked of an algorithm.
    pub fn all(algorithm: Algorithm) -> impl Iterator<Item = Self> {
        Self::of(algorithm).chain(Self::of_many(algorithm))
    }

    /// What is measured of an algorithm unless someone says otherwise.
    pub fn usual(algorithm: Algorithm) -> Self {
        Self {
            algorithm,
            operation: algorithm.operations()[0],
            contract: algorithm.contracts()[0],
        }
    }

    /// Whether a message of `len` bytes can be had. An operation by a public key counts as one byte.
    pub fn takes(self, len: usize) -> bool {
        let (lengths, step) = self.lengths();
        lengths.contains(&len) && len.is_multiple_of(step)
    }

    /// The longest message of at most `len` bytes that can be had.
    ///
    /// # Panics
    /// If none is so short.
    pub fn longest_up_to(self, len: usize) -> usize {
        let (lengths, step) = self.lengths();
        let longest = len.min(*lengths.end());
        let longest = longest - longest % step;
        assert!(longest >= *lengths.start(), "no message is as short");
        longest
    }

    /// The lengths that can be had: multiples of the second number.
    fn lengths(self) -> (RangeInclusive<usize>, usize) {
        let block = self.algorithm.block_len();
        match (self.algorithm.kind(), self.contract) {
            (Kind::Signature | Kind::Agreement | Kind::Encapsulation, _) => (1..=1, 1),
            (Kind::Aead, _) if self.algorithm.aes_mode() == Some("CCM") => (0..=LONGEST_OF_CCM, 1),
            _ if self.algorithm.aes_mode() == Some("CFB8") => (0..=LONGEST_BY_BYTES, 1),
            (Kind::EncryptThenMac, _) => (0..=LONGEST_PACKET, block),
            (Kind::Mac, contract) if contract.is_many() => (0..=LONGEST_OF_MANY, 1),
            (_, contract) if contract.is_many() => (0..=LONGEST_OF_MANY, block),
            (Kind::Blocks, _) | (Kind::Feedback, Contract::Stream) => (0..=usize::MAX, block),
            (Kind::Units, _) => (block..=LONGEST_UNIT, 1),
            _ => (0..=usize::MAX, 1),
        }
    }

    /// Whether additional data goes with a message.
    pub fn takes_aad(self) -> bool {
        matches!(self.algorithm.kind(), Kind::Aead | Kind::EncryptThenMac)
    }
}

/// What fits into a packet of IP, with room for headers: some libraries count a packet's bytes in sixteen bits.
const LONGEST_PACKET: usize = 65_535 - 511;

/// With a nonce of twelve bytes a message's length has three (SP 800-38C, appendix A.1).
const LONGEST_OF_CCM: usize = (1 << 24) - 1;

/// A data unit has at most 2^20 blocks (IEEE 1619). Some libraries take longer ones.
const LONGEST_UNIT: usize = 1 << 24;

/// What takes a block for each byte takes as long over this as over a MiB by blocks. Longer ones would show nothing else.
const LONGEST_BY_BYTES: usize = 1 << 16;

/// Many messages at once are packets, records or sectors. Wisdom's longest class is measured by this length.
const LONGEST_OF_MANY: usize = 1 << 20;

impl Algorithm {
    /// Its operations, the one that makes the message first.
    pub fn operations(self) -> &'static [Operation] {
        match self.kind() {
            Kind::Stream | Kind::Feedback | Kind::Blocks | Kind::Units => {
                &[Operation::Encrypt, Operation::Decrypt]
            }
            Kind::Aead | Kind::EncryptThenMac => &[Operation::Seal, Operation::Open],
            Kind::Mac | Kind::OneTimeMac => &[Operation::Mac],
            Kind::Digest => &[Operation::Digest],
            Kind::Signature => &[Operation::Sign, Operation::Verify],
            Kind::Agreement => &[Operation::Derive],
            Kind::Encapsulation => &[
                Operation::Generate,
                Operation::Encapsulate,
                Operation::Decapsulate,
            ],
        }
    }

    /// Its contracts, the usual one first.
    pub fn contracts(self) -> &'static [Contract] {
        match self.kind() {
            Kind::Stream | Kind::Feedback | Kind::Blocks => match (self.iv_len(), self.aes_mode()) {
                (0, _) => &[Contract::Stream, Contract::NewKey],
                (_, Some("CBC")) => &[
                    Contract::Stream,
                    Contract::NewIv,
                    Contract::NewKey,
                    Contract::Many,
                    Contract::ManyKeys,
                ],
                _ => &[Contract::Stream, Contract::NewIv, Contract::NewKey],
            },
            Kind::Units | Kind::Aead | Kind::EncryptThenMac => &[Contract::NewIv, Contract::NewKey],
            Kind::Mac if self.iv_len() > 0 => &[Contract::NewIv, Contract::NewKey],
            Kind::Mac if self.aes_mode() == Some("CMAC") => &[
                Contract::OneShot,
                Contract::NewKey,
                Contract::Many,
                Contract::ManyKeys,
            ],
            Kind::Mac => &[Contract::OneShot, Contract::NewKey],
            Kind::OneTimeMac => &[Contract::NewKey],
            Kind::Digest | Kind::Signature | Kind::Agreement | Kind::Encapsulation => &[Contract::OneShot],
        }
    }
}

impl Operation {
    /// Every one.
    pub const ALL: [Self; 12] = [
        Self::Encrypt,
        Self::Decrypt,
        Self::Seal,
        Self::Open,
        Self::Mac,
        Self::Digest,
        Self::Sign,
        Self::Verify,
        Self::Derive,
        Self::Generate,
        Self::Encapsulate,
        Self::Decapsulate,
    ];

    /// Its name, as in `encrypt`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Encrypt => "encrypt",
            Self::Decrypt => "decrypt",
            Self::Seal => "seal",
            Self::Open => "open",
            Self::Mac => "mac",
            Self::Digest => "digest",
            Self::Sign => "sign",
            Self::Verify => "verify",
            Self::Derive => "derive",
            Self::Generate => "generate",
            Self::Encapsulate => "encapsulate",
            Self::Decapsulate => "decapsulate",
        }
    }

    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.name() == name)
    }

    /// Whether it undoes another.
    pub fn is_backward(self) -> bool {
        matches!(self, Self::Decrypt | Self::Open)
    }

    /// The one whose results it works on, where it needs such.
    pub fn needs(self) -> Option<Self> {
        match self {
            Self::Open => Some(Self::Seal),
            Self::Verify => Some(Self::Sign),
            Self::Decapsulate => Some(Self::Encapsulate),
            _ => None,
        }
    }

    /// Whether a message comes of it, or else a tag, a digest or the like alone.
    pub fn writes(self) -> bool {
        !matches!(
            self,
            Self::Mac | Self::Digest | Self::Sign | Self::Verify | Self::Derive | Self::Decapsulate
        )
    }
}

impl Contract {
    /// Every one.
    pub const ALL: [Self; 6] = [
        Self::Stream,
        Self::NewIv,
        Self::NewKey,
        Self::OneShot,
        Self::Many,
        Self::ManyKeys,
    ];

    /// How many messages a call has under [`Contract::Many`] and [`Contract::ManyKeys`].
    pub const MANY: usize = 32;

    /// Whether a call has many messages.
    pub fn is_many(self) -> bool {
        matches!(self, Self::Many | Self::ManyKeys)
    }

    /// Under which key, where this is a context's, a message of many goes: under [`Contract::ManyKeys`] with its number added
    /// to the first byte.
    pub fn key(self, key: &[u8], message: usize) -> Vec<u8> {
        let mut key = key.to_vec();
        if let (Self::ManyKeys, Some(first)) = (self, key.first_mut()) {
            *first = first.wrapping_add(message as u8);
        }
        key
    }

    /// Its name and version, as in `stream/1`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stream => "stream/1",
            Self::NewIv => "new-iv/1",
            Self::NewKey => "new-key/1",
            Self::OneShot => "one-shot/1",
            Self::Many => "many/1",
            Self::ManyKeys => "many-keys/1",
        }
    }

    /// The one of that name and version.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|contract| contract.name() == name)
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// As in `AES-128-GCM seal, new-iv/1`.
impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            algorithm,
            operation,
            contract,
        } = self;
        write!(f, "{algorithm} {operation}, {contract}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_has_many_messages_to_a_call_by_accident() {
        for algorithm in Algorithm::all() {
            assert!(Task::of(algorithm).all(|task| !task.contract.is_many()));
            let many: Vec<Task> = Task::all(algorithm)
                .filter(|task| task.contract.is_many())
                .collect();
            assert_eq!(many, Vec::from_iter(Task::of_many(algorithm)));
            assert!(many.iter().all(|task| !task.operation.is_backward()));
            let waits = matches!(algorithm.aes_mode(), Some("CBC" | "CMAC"));
            assert_eq!(many.len(), 2 * usize::from(waits));
        }
    }

    #[test]
    fn lengths_end_where_an_algorithm_or_a_contract_ends() {
        let takes = |name: &str, len| Task::usual(Algorithm::named(name).unwrap()).takes(len);
        assert!(takes("AES-128-CCM", (1 << 24) - 1) && !takes("AES-128-CCM", 1 << 24));
        assert!(takes("AES-128-XTS", 1 << 24) && !takes("AES-128-XTS", (1 << 24) + 1));
        assert!(takes("AES-128-GCM", 1 << 24) && takes("AES-128-CBC", 1 << 24));
        let many = |name: &str| Task::of_many(Algorithm::named(name).unwrap());
        assert!(takes("AES-128-CFB8", 1 << 16) && !takes("AES-128-CFB8", (1 << 16) + 1));
        let longest = |name: &str, len| Task::usual(Algorithm::named(name).unwrap()).longest_up_to(len);
        assert_eq!(longest("AES-128-CFB8", usize::MAX), 1 << 16);
        assert_eq!(longest("AES-128-CBC", 1350), 1344);
        assert_eq!(longest("AES-128-CTR", 1350), 1350);
        for task in many("AES-128-CBC") {
            assert!(task.takes(1 << 20) && !task.takes((1 << 20) + 16) && !task.takes(1350));
        }
        for task in many("AES-128-CMAC") {
            assert!(task.takes(1 << 20) && !task.takes((1 << 20) + 16) && task.takes(1350));
        }
    }

    #[test]
    fn keys_of_their_own_differ() {
        let keys = |contract: Contract| (0..Contract::MANY).map(move |i| contract.key(&[250; 16], i));
        assert!(keys(Contract::Many).all(|key| key == [250; 16]));
        let all: std::collections::BTreeSet<_> = keys(Contract::ManyKeys).collect();
        assert_eq!(all.len(), Contract::MANY);
        assert_eq!(Contract::ManyKeys.key(&[250; 16], 0), [250; 16]);
    }
}
