use std::{
    fmt,
    str::FromStr,
    sync::{PoisonError, RwLock},
};

use serde::{Deserialize, Serialize};

/// What is computed, by OpenSSL's name: a handle into one table, in whose order tables show it, or behind its end to what a
/// library has described.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "Form", try_from = "Form")]
pub struct Algorithm(u16);

/// What an algorithm does to a message, and which lengths it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// A cipher that takes any number of bytes and goes on wherever it stopped.
    Stream,
    /// A cipher that takes any number of bytes, and goes on only where it stopped after whole blocks.
    Feedback,
    /// A cipher of whole blocks.
    Blocks,
    /// A cipher of data units of at least a block each.
    Units,
    /// Authenticated encryption: a tag proves the ciphertext and the additional data.
    Aead,
    /// A cipher of whole blocks, and then a MAC of the additional data, the IV and the ciphertext, as ESP has it. The
    /// key is the cipher's with the MAC's behind it.
    EncryptThenMac,
    /// A tag that proves a message, by a key.
    Mac,
    /// As [`Kind::Mac`], by a key that serves for one message alone.
    OneTimeMac,
    /// A digest of a message. There is no key; what is put where a tag goes is the digest.
    Digest,
    /// A signature, by the private half of a key, that the public half verifies.
    Signature,
    /// A secret of two keys' owners, each by a private key and the other's public one.
    Agreement,
    /// A secret for the owner of a key, by its public half.
    Encapsulation,
}

struct Entry {
    name: &'static str,
    kind: Kind,
    key_len: usize,
    block: usize,
    iv_len: usize,
    tag_len: usize,
}

/// An algorithm that is not in the table, as a library describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Described {
    /// As in `ARIA-128-CTR`.
    pub name: String,
    /// What it does: a cipher, a MAC or a digest.
    pub kind: Kind,
    /// As [`Algorithm::key_len`].
    pub key_len: usize,
    /// As [`Algorithm::block_len`].
    pub block_len: usize,
    /// As [`Algorithm::iv_len`].
    pub iv_len: usize,
    /// As [`Algorithm::tag_len`].
    pub tag_len: usize,
    /// A digest of what the library makes of some messages: libraries that differ in it do not compute the same.
    pub answer: u64,
}

/// Every one that was described in this process, and the same as the table has it.
static DESCRIBED: RwLock<Vec<(&'static Described, &'static Entry)>> = RwLock::new(Vec::new());

macro_rules! table {
    ($($name:literal $kind:ident $key_len:literal $block:literal $iv_len:literal $tag_len:literal)*) => {
        &[$(Entry {
            name: $name,
            kind: Kind::$kind,
            key_len: $key_len,
            block: $block,
            iv_len: $iv_len,
            tag_len: $tag_len,
        }),*]
    };
}

// FIPS 197; SP 800-38A to E; RFC 7253; RFC 4303 with RFC 3602, 2404 and 4868; RFC 8439; RFC 1321; FIPS 180-4; FIPS 202; GB/T 32905; RFC 7693; FIPS 198-1; RFC 3713; RFC 8017;
// FIPS 186; RFC 8032; RFC 7748; FIPS 203 and 204. The old ones have keys of the length that OpenSSL gives them unless told otherwise.
#[rustfmt::skip]
static TABLE: &[Entry] = table! {
    // name        kind     key block iv tag, in bytes
    "AES-128-CTR"  Stream   16  16    16  0
    "AES-192-CTR"  Stream   24  16    16  0
    "AES-256-CTR"  Stream   32  16    16  0
    "AES-128-GCM"  Aead     16  16    12 16
    "AES-192-GCM"  Aead     24  16    12 16
    "AES-256-GCM"  Aead     32  16    12 16
    "AES-128-CCM"  Aead     16  16    12 16
    "AES-192-CCM"  Aead     24  16    12 16
    "AES-256-CCM"  Aead     32  16    12 16
    "AES-128-OCB"  Aead     16  16    12 16
    "AES-192-OCB"  Aead     24  16    12 16
    "AES-256-OCB"  Aead     32  16    12 16
    "AES-128-CBC"  Blocks   16  16    16  0
    "AES-192-CBC"  Blocks   24  16    16  0
    "AES-256-CBC"  Blocks   32  16    16  0
    "AES-128-CFB"  Feedback 16  16    16  0
    "AES-192-CFB"  Feedback 24  16    16  0
    "AES-256-CFB"  Feedback 32  16    16  0
    "AES-128-CFB8" Feedback 16  1     16  0
    "AES-192-CFB8" Feedback 24  1     16  0
    "AES-256-CFB8" Feedback 32  1     16  0
    "AES-128-OFB"  Stream   16  16    16  0
    "AES-192-OFB"  Stream   24  16    16  0
    "AES-256-OFB"  Stream   32  16    16  0
    "AES-128-ECB"  Blocks   16  16     0  0
    "AES-192-ECB"  Blocks   24  16     0  0
    "AES-256-ECB"  Blocks   32  16     0  0
    "AES-128-XTS"  Units    32  16    16  0
    "AES-256-XTS"  Units    64  16    16  0
    "AES-128-CMAC" Mac      16  16     0 16
    "AES-192-CMAC" Mac      24  16     0 16
    "AES-256-CMAC" Mac      32  16     0 16
    "ChaCha20-Poly1305" Aead 32 64    12 16
    "AES-128-CBC-HMAC-SHA1-ESP"   EncryptThenMac 36 16 16 12
    "AES-192-CBC-HMAC-SHA1-ESP"   EncryptThenMac 44 16 16 12
    "AES-256-CBC-HMAC-SHA1-ESP"   EncryptThenMac 52 16 16 12
    "AES-128-CBC-HMAC-SHA256-ESP" EncryptThenMac 48 16 16 16
    "AES-192-CBC-HMAC-SHA256-ESP" EncryptThenMac 56 16 16 16
    "AES-256-CBC-HMAC-SHA256-ESP" EncryptThenMac 64 16 16 16
    "AES-128-CBC-HMAC-SHA512-ESP" EncryptThenMac 80 16 16 32
    "AES-192-CBC-HMAC-SHA512-ESP" EncryptThenMac 88 16 16 32
    "AES-256-CBC-HMAC-SHA512-ESP" EncryptThenMac 96 16 16 32
    "MD5"          Digest    0  64     0 16
    "SHA1"         Digest    0  64     0 20
    "SHA2-224"     Digest    0  64     0 28
    "SHA2-256"     Digest    0  64     0 32
    "SHA2-384"     Digest    0 128     0 48
    "SHA2-512"     Digest    0 128     0 64
    "SHA2-512/256" Digest    0 128     0 32
    "SHA3-256"     Digest    0 136     0 32
    "SHA3-512"     Digest    0  72     0 64
    "SM3"          Digest    0  64     0 32
    "BLAKE2B-512"  Digest    0 128     0 64
    "BLAKE2S-256"  Digest    0  64     0 32
    "HMAC-SHA1"     Mac     20  64     0 20
    "HMAC-SHA2-256" Mac     32  64     0 32
    "HMAC-SHA2-512" Mac     64 128     0 64
    "AES-128-GMAC" Mac      16  16    12 16
    "AES-192-GMAC" Mac      24  16    12 16
    "AES-256-GMAC" Mac      32  16    12 16
    "Poly1305"     OneTimeMac 32 16    0 16
    "CAMELLIA-128-CBC" Blocks 16 16   16  0
    "CAMELLIA-192-CBC" Blocks 24 16   16  0
    "CAMELLIA-256-CBC" Blocks 32 16   16  0
    "CAMELLIA-128-CTR" Stream 16 16   16  0
    "CAMELLIA-192-CTR" Stream 24 16   16  0
    "CAMELLIA-256-CTR" Stream 32 16   16  0
    "CAMELLIA-128-ECB" Blocks 16 16    0  0
    "CAMELLIA-192-ECB" Blocks 24 16    0  0
    "CAMELLIA-256-ECB" Blocks 32 16    0  0
    "DES-CBC"      Blocks    8   8     8  0
    "DES-EDE3-CBC" Blocks   24   8     8  0
    "RC2-CBC"      Blocks   16   8     8  0
    "RC4"          Stream   16   1     0  0
    "IDEA-CBC"     Blocks   16   8     8  0
    "BF-CBC"       Blocks   16   8     8  0
    "CAST5-CBC"    Blocks   16   8     8  0
    "SEED-CBC"     Blocks   16  16    16  0
    "MD2"          Digest    0  16     0 16
    "MD4"          Digest    0  64     0 16
    "RIPEMD-160"   Digest    0  64     0 20
    "WHIRLPOOL"    Digest    0  64     0 64
    "RSA-1024"     Signature 0   1     0 128
    "RSA-2048"     Signature 0   1     0 256
    "RSA-3072"     Signature 0   1     0 384
    "RSA-4096"     Signature 0   1     0 512
    "DSA-2048"     Signature 0   1     0 72
    "ECDSA-P-256"  Signature 0   1     0 72
    "ECDSA-P-384"  Signature 0   1     0 104
    "Ed25519"      Signature 0   1     0 64
    "ML-DSA-65"    Signature 0   1     0 3309
    "X25519"       Agreement 0   1     0 32
    "ML-KEM-768"   Encapsulation 0 1   0 32
};

/// In each line one of the table, and what OpenSSL calls it besides: short names of old, how it signs with a digest, and its
/// object identifier. `DES` is not among them: it is a part of the names of two here.
static ALIASES: &str = include_str!("aliases.txt");

impl Algorithm {
    /// Every algorithm that Ciphertune measures.
    pub fn all() -> impl ExactSizeIterator<Item = Self> + Clone {
        (0..TABLE.len() as u16).map(Self)
    }

    /// The one of that name, in any case, with or without hyphens, and as OpenSSL has it: `SHA256` is `SHA2-256` there,
    /// `SHA512-256` is `SHA2-512/256`, `AES128` is `AES-128-CBC`, and so is `2.16.840.1.101.3.4.1.2`.
    pub fn named(name: &str) -> Option<Self> {
        let bare = |name: &str| name.replace(['-', '/'], "").to_ascii_uppercase();
        let wanted = bare(name);
        let mut rows = ALIASES.lines().map(|row| row.split(' '));
        let own = rows.find_map(|mut names| {
            let own = names.next()?;
            names.any(|alias| bare(alias) == wanted).then(|| bare(own))
        });
        let wanted = own.unwrap_or(wanted);
        Self::all().find(|algorithm| {
            let name = algorithm.name();
            bare(name) == wanted || bare(&name.replace("SHA2-", "SHA")) == wanted
        })
    }

    /// The one of that name, or else all whose names have the same parts among theirs, in the same order:
    /// `aes-256`, `gcm` and `aes-gcm` name three each or more. `all` names every one. What OpenSSL calls something else by
    /// is none of them.
    pub fn matching(name: &str) -> Result<Vec<Self>, UnknownAlgorithm> {
        if name.eq_ignore_ascii_case("all") {
            return Ok(Self::all().collect());
        }
        if let Some(one) = Self::named(name) {
            return Ok(vec![one]);
        }
        if is_elsewhere(name) {
            return Err(UnknownAlgorithm(name.to_owned()));
        }
        let has_parts = |algorithm: &Self| {
            let mut parts = algorithm.name().split('-');
            name.split('-')
                .all(|wanted| parts.any(|part| part.eq_ignore_ascii_case(wanted)))
        };
        let several: Vec<Self> = Self::all().filter(has_parts).collect();
        if several.is_empty() {
            Err(UnknownAlgorithm(name.to_owned()))
        } else {
            Ok(several)
        }
    }

    /// What a library describes. It is kept for as long as the program runs.
    pub fn described(described: Described) -> Self {
        let mut all = DESCRIBED.write().unwrap_or_else(PoisonError::into_inner);
        let known = all.iter().position(|(known, _)| **known == described);
        let place = known.unwrap_or_else(|| {
            let described: &'static Described = Box::leak(Box::new(described));
            let entry = Box::leak(Box::new(Entry {
                name: &described.name,
                kind: described.kind,
                key_len: described.key_len,
                block: described.block_len,
                iv_len: described.iv_len,
                tag_len: described.tag_len,
            }));
            all.push((described, entry));
            all.len() - 1
        });
        Self((TABLE.len() + place) as u16)
    }

    /// Those of that name that were described in this process: several, where libraries do not agree.
    pub fn described_as(name: &str) -> Vec<Self> {
        let all = DESCRIBED.read().unwrap_or_else(PoisonError::into_inner);
        let named = all
            .iter()
            .enumerate()
            .filter(|(_, (one, _))| one.name.eq_ignore_ascii_case(name));
        named
            .map(|(place, _)| Self((TABLE.len() + place) as u16))
            .collect()
    }

    /// How a library has described it, where it is not in the table.
    pub fn description(self) -> Option<&'static Described> {
        let place = usize::from(self.0).checked_sub(TABLE.len())?;
        Some(DESCRIBED.read().unwrap_or_else(PoisonError::into_inner)[place].0)
    }

    fn entry(self) -> &'static Entry {
        let place = usize::from(self.0);
        TABLE.get(place).unwrap_or_else(|| {
            DESCRIBED.read().unwrap_or_else(PoisonError::into_inner)[place - TABLE.len()].1
        })
    }

    /// OpenSSL's name, as in `AES-128-CTR`.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// What it does to a message.
    pub fn kind(self) -> Kind {
        self.entry().kind
    }

    /// The length of its key in bytes, 0 where it has none or where its keys have no one length.
    pub fn key_len(self) -> usize {
        self.entry().key_len
    }

    /// The length of its blocks in bytes.
    pub fn block_len(self) -> usize {
        self.entry().block
    }

    /// The length of its IV or nonce in bytes, 0 where it has none.
    pub fn iv_len(self) -> usize {
        self.entry().iv_len
    }

    /// The length of its tag, digest, secret or longest signature in bytes, 0 where it makes none.
    pub fn tag_len(self) -> usize {
        self.entry().tag_len
    }

    /// How many times as many blocks of the cipher a message takes as it has: sixteen of AES where each byte takes one of its
    /// own, and 128 where each bit does.
    pub fn slowed_by_bytes(self) -> usize {
        // The IV is a block; the block of the entry is where a stream can go on.
        match self.name().rsplit_once('-') {
            Some((_, "CFB8")) => self.iv_len().max(1),
            Some((_, "CFB1")) => 8 * self.iv_len().max(1),
            _ => 1,
        }
    }

    /// The mode of AES that it is, as in `CTR`.
    pub fn aes_mode(self) -> Option<&'static str> {
        Some(self.name().strip_prefix("AES-")?.split_once('-')?.1)
    }

    /// The mode of Camellia that it is, as in `CTR`.
    pub fn camellia_mode(self) -> Option<&'static str> {
        Some(self.name().strip_prefix("CAMELLIA-")?.split_once('-')?.1)
    }

    /// The cipher and the MAC that it is made of, where it is [`Kind::EncryptThenMac`].
    pub fn cipher_and_mac(self) -> Option<[Self; 2]> {
        let (cipher, hash) = self.name().strip_suffix("-ESP")?.split_once("-HMAC-")?;
        Some([Self::named(cipher)?, Self::named(&format!("HMAC-{hash}"))?])
    }

    /// The rounds of AES that a block takes, where it is AES (FIPS 197, table 3).
    pub fn aes_rounds(self) -> Option<usize> {
        let bits: usize = self
            .name()
            .strip_prefix("AES-")?
            .split_once('-')?
            .0
            .parse()
            .ok()?;
        Some(bits / 32 + 6)
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::named(name).ok_or_else(|| UnknownAlgorithm(name.to_owned()))
    }
}

/// How it travels between processes.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Form {
    InTable(String),
    Described(Described),
}

impl From<Algorithm> for Form {
    fn from(algorithm: Algorithm) -> Self {
        match algorithm.description() {
            Some(description) => Self::Described(description.clone()),
            None => Self::InTable(algorithm.name().to_owned()),
        }
    }
}

impl TryFrom<Form> for Algorithm {
    type Error = UnknownAlgorithm;

    fn try_from(form: Form) -> Result<Self, Self::Error> {
        match form {
            Form::InTable(name) => name.parse(),
            Form::Described(description) => Ok(Self::described(description)),
        }
    }
}

/// Whether OpenSSL has an algorithm of this name that the table lacks, though the name is a part of one there: the cipher
/// without Poly1305, and what encrypts records of TLS.
fn is_elsewhere(name: &str) -> bool {
    name.eq_ignore_ascii_case("ChaCha20") || Algorithm::named(&format!("{name}-ESP")).is_some()
}

/// An algorithm's name that is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownAlgorithm(pub String);

impl fmt::Display for UnknownAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown algorithm '{}'; known are ", self.0)?;
        for (algorithm, gap) in Algorithm::all().zip([""].into_iter().chain(std::iter::repeat(", "))) {
            write!(f, "{gap}{algorithm}")?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownAlgorithm {}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{ALIASES, Algorithm, Described, Form, Kind};

    #[test]
    fn names_are_unique_and_found_in_any_case() {
        for algorithm in Algorithm::all() {
            assert_eq!(algorithm.name().to_ascii_lowercase().parse(), Ok(algorithm));
            assert_eq!(
                Algorithm::all().filter(|a| a.name() == algorithm.name()).count(),
                1
            );
        }
    }

    #[test]
    fn a_part_of_a_name_stands_for_all_that_have_it() {
        let names = |name| {
            let found = Algorithm::matching(name).unwrap();
            found.into_iter().map(Algorithm::name).collect::<Vec<_>>()
        };
        assert_eq!(names("aes-128-gcm"), ["AES-128-GCM"]);
        assert_eq!(names("all").len(), Algorithm::all().len());
        assert_eq!(names("sha512/256"), ["SHA2-512/256"]);
        assert_eq!(names("sha512-256"), ["SHA2-512/256"]);
        assert_eq!(names("sha-256"), ["SHA2-256"]);
        assert_eq!(names("aes128gcm"), ["AES-128-GCM"]);
        assert_eq!(names("des"), ["DES-CBC", "DES-EDE3-CBC"]);
        assert_eq!(names("xts"), ["AES-128-XTS", "AES-256-XTS"]);
        assert_eq!(names("AES-GCM"), ["AES-128-GCM", "AES-192-GCM", "AES-256-GCM"]);
        assert_eq!(names("chacha20-poly1305"), ["ChaCha20-Poly1305"]);
        assert_eq!(names("aes-128-cbc-hmac").len(), 3);
        for name in [
            "",
            "gc",
            "gcm-aes",
            "aes-128-gcm-x",
            "rot13",
            "chacha20",
            "AES-128-CBC-HMAC-SHA1",
        ] {
            let error = Algorithm::matching(name).unwrap_err().to_string();
            assert!(error.starts_with(&format!("unknown algorithm '{name}'; known are AES-128-CTR, ")));
        }
    }

    #[test]
    fn other_names_are_of_one_of_the_table_each() {
        let mut all = HashSet::new();
        for row in ALIASES.lines() {
            let (own, aliases) = row.split_once(' ').unwrap();
            let own: Algorithm = own.parse().unwrap();
            for alias in aliases.split(' ') {
                assert_eq!(Algorithm::matching(alias), Ok(vec![own]), "{alias}");
                assert!(all.insert(alias.to_ascii_uppercase()), "{alias}");
            }
        }
        assert_eq!(Algorithm::named("aes128"), Algorithm::named("AES-128-CBC"));
        assert_eq!(
            Algorithm::named("2.16.840.1.101.3.4.1.2"),
            Algorithm::named("AES-128-CBC")
        );
    }

    #[test]
    fn pairs_are_made_of_what_their_names_say() {
        let pairs = || Algorithm::all().filter(|algorithm| algorithm.kind() == Kind::EncryptThenMac);
        assert_eq!(pairs().count(), 9);
        for pair in pairs() {
            let [cipher, mac] = pair.cipher_and_mac().unwrap();
            assert_eq!(pair.key_len(), cipher.key_len() + mac.key_len(), "{pair}");
            assert_eq!(pair.iv_len(), cipher.iv_len(), "{pair}");
            assert!(pair.tag_len() <= mac.tag_len(), "{pair}");
        }
        assert_eq!(Algorithm::named("AES-128-CBC").unwrap().cipher_and_mac(), None);
    }

    #[test]
    fn what_is_described_travels_and_is_told_apart_by_its_answer() {
        let described = |answer| Described {
            name: "ROT13".to_owned(),
            kind: Kind::Stream,
            key_len: 1,
            block_len: 1,
            iv_len: 0,
            tag_len: 0,
            answer,
        };
        let rot13 = Algorithm::described(described(1));
        assert_eq!(
            (rot13.name(), rot13.kind(), rot13.key_len()),
            ("ROT13", Kind::Stream, 1)
        );
        assert_eq!(Algorithm::described(described(1)), rot13);
        assert_eq!(Algorithm::try_from(Form::from(rot13)), Ok(rot13));
        assert_eq!(Algorithm::described_as("rot13"), [rot13]);
        let other = Algorithm::described(described(2));
        assert_eq!(Algorithm::described_as("rot13"), [rot13, other]);
        // The table's are nobody else's to describe.
        assert!(Algorithm::named("rot13").is_none() && !Algorithm::all().any(|known| known == rot13));
        assert!(Algorithm::all().all(|known| known.description().is_none()));
    }

    #[test]
    fn a_block_for_each_byte_or_bit_is_many() {
        let described = |name: &str, block: usize| {
            Algorithm::described(Described {
                name: name.to_owned(),
                kind: Kind::Feedback,
                key_len: 24,
                block_len: block,
                iv_len: block,
                tag_len: 0,
                answer: 0,
            })
        };
        for (algorithm, expected) in [
            (Algorithm::named("AES-128-CFB8").unwrap(), 16),
            (Algorithm::named("AES-128-CFB").unwrap(), 1),
            (described("DES-EDE3-CFB8", 8), 8),
            (described("DES-EDE3-CFB1", 8), 64),
            (described("CAMELLIA-192-CFB1", 16), 128),
            (described("CFB1", 16), 1),
        ] {
            assert_eq!(algorithm.slowed_by_bytes(), expected, "{algorithm}");
        }
    }

    #[test]
    fn rounds_follow_the_key() {
        let rounds = |name| Algorithm::named(name).unwrap().aes_rounds();
        for (name, expected) in [
            ("AES-128-CTR", 10),
            ("AES-192-CBC", 12),
            ("AES-256-GCM", 14),
            ("AES-256-XTS", 14),
        ] {
            assert_eq!(rounds(name), Some(expected), "{name}");
        }
    }
}
