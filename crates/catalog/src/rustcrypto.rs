//! RustCrypto's crates, which choose by CPUID themselves. What comes from one crate is one implementation: each has
//! a version of its own.
use std::fmt::Display;

use blake2::{Blake2b512, Blake2s256};
use blowfish::Blowfish;
use camellia::{Camellia128, Camellia192, Camellia256};
use cast5::Cast5;
use chacha20poly1305::ChaCha20Poly1305;
use ciphertune_testkit::{Algorithm, Fault, Task};
use ctr::Ctr128BE;
use des::{Des, TdesEde3};
use hmac::Hmac;
use idea::Idea;
use md2::Md2;
use md4::Md4;
use md5::Md5;
use rc2::Rc2;
use ripemd::Ripemd160;
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_256};
use sha3::{Sha3_256, Sha3_512};
use sm3::Sm3;
use whirlpool::Whirlpool;

use crate::{Description, Implementation, Timed, implementation::Composed};

mod aes;
mod ciphers;
mod tags;

use ciphers::{aead, cbc, ecb, keystream, rc4};
use tags::{digest, mac, poly1305};

/// All of them, in the order in which tables show them.
pub(crate) fn all() -> Vec<Box<dyn Implementation>> {
    let others = CRATES.iter().map(of_crate);
    [aes::implementation()].into_iter().chain(others).collect()
}

/// What one crate computes.
struct Crate {
    name: &'static str,
    version: &'static str,
    constant_time: bool,
    code: &'static [(&'static str, New)],
}

/// Makes a context for a task of one algorithm from a key and an IV.
type New = fn(Task, &[u8], &[u8]) -> Result<Box<dyn Timed>, Fault>;

macro_rules! crates {
    ($($name:literal $version:literal $constant_time:literal {
        $($algorithm:literal => $new:expr,)*
    })*) => {
        &[$(Crate {
            name: $name,
            version: env!($version),
            constant_time: $constant_time,
            code: &[$(($algorithm, $new)),*],
        }),*]
    };
}

// Name, version, whether it is constant-time (those that are not look up tables by secret bytes, or jump by them),
// and what it has.
static CRATES: &[Crate] = crates! {
    "chacha20poly1305" "CHACHA20POLY1305_VERSION" true {
        "ChaCha20-Poly1305" => aead::<ChaCha20Poly1305>,
    }
    "md-5" "MD_5_VERSION" true {
        "MD5" => digest::<Md5>,
    }
    "sha1" "SHA1_VERSION" true {
        "SHA1" => digest::<Sha1>,
        "HMAC-SHA1" => mac::<Hmac<Sha1>>,
    }
    "sha2" "SHA2_VERSION" true {
        "SHA2-224" => digest::<Sha224>,
        "SHA2-256" => digest::<Sha256>,
        "SHA2-384" => digest::<Sha384>,
        "SHA2-512" => digest::<Sha512>,
        "SHA2-512/256" => digest::<Sha512_256>,
        "HMAC-SHA2-256" => mac::<Hmac<Sha256>>,
        "HMAC-SHA2-512" => mac::<Hmac<Sha512>>,
    }
    "sha3" "SHA3_VERSION" true {
        "SHA3-256" => digest::<Sha3_256>,
        "SHA3-512" => digest::<Sha3_512>,
    }
    "sm3" "SM3_VERSION" true {
        "SM3" => digest::<Sm3>,
    }
    "blake2" "BLAKE2_VERSION" true {
        "BLAKE2B-512" => digest::<Blake2b512>,
        "BLAKE2S-256" => digest::<Blake2s256>,
    }
    "poly1305" "POLY1305_VERSION" true {
        "Poly1305" => poly1305,
    }
    "camellia" "CAMELLIA_VERSION" false {
        "CAMELLIA-128-CBC" => cbc::<Camellia128>,
        "CAMELLIA-192-CBC" => cbc::<Camellia192>,
        "CAMELLIA-256-CBC" => cbc::<Camellia256>,
        "CAMELLIA-128-CTR" => keystream::<Ctr128BE<Camellia128>>,
        "CAMELLIA-192-CTR" => keystream::<Ctr128BE<Camellia192>>,
        "CAMELLIA-256-CTR" => keystream::<Ctr128BE<Camellia256>>,
        "CAMELLIA-128-ECB" => ecb::<Camellia128>,
        "CAMELLIA-192-ECB" => ecb::<Camellia192>,
        "CAMELLIA-256-ECB" => ecb::<Camellia256>,
    }
    "des" "DES_VERSION" false {
        "DES-CBC" => cbc::<Des>,
        "DES-EDE3-CBC" => cbc::<TdesEde3>,
    }
    "rc2" "RC2_VERSION" false {
        "RC2-CBC" => cbc::<Rc2>,
    }
    "rc4" "RC4_VERSION" false {
        "RC4" => rc4,
    }
    "idea" "IDEA_VERSION" false {
        "IDEA-CBC" => cbc::<Idea>,
    }
    "blowfish" "BLOWFISH_VERSION" false {
        "BF-CBC" => cbc::<Blowfish>,
    }
    "cast5" "CAST5_VERSION" false {
        "CAST5-CBC" => cbc::<Cast5>,
    }
    "md2" "MD2_VERSION" false {
        "MD2" => digest::<Md2>,
    }
    "md4" "MD4_VERSION" true {
        "MD4" => digest::<Md4>,
    }
    "ripemd" "RIPEMD_VERSION" true {
        "RIPEMD-160" => digest::<Ripemd160>,
    }
    "whirlpool" "WHIRLPOOL_VERSION" false {
        "WHIRLPOOL" => digest::<Whirlpool>,
    }
};

fn of_crate(found: &'static Crate) -> Box<dyn Implementation> {
    let new = |algorithm: Algorithm| {
        let code = found.code.iter();
        let mut of_it = code.filter(move |(name, _)| *name == algorithm.name());
        of_it.next().map(|&(_, new)| new)
    };
    Box::new(Composed {
        description: Description {
            constant_time: found.constant_time,
            ..Description::built_in(
                format!("rustcrypto-{}@{}/default", found.name, found.version),
                &format!("crate {}", found.name),
                found.version,
            )
        },
        tasks: Algorithm::all()
            .filter(|&algorithm| new(algorithm).is_some())
            .flat_map(Task::of)
            .filter(|&task| ciphers::has(task))
            .collect(),
        context: move |task: Task, key: &[u8], iv: &[u8]| match new(task.algorithm) {
            Some(new) => new(task, key, iv),
            None => Err(Fault(format!("no {task}"))),
        },
    })
}

fn fault(error: impl Display) -> Fault {
    Fault(error.to_string())
}
