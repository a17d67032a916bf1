//! RustCrypto's crates, which choose by CPUID themselves. What comes from one crate is one implementation: each has
//! a version of its own.
use std::fmt::Display;

use aes::cipher::{
    Array,
    array::ArraySize,
    consts::{U12, U16},
};
use blake2::{Blake2b512, Blake2s256};
use chacha20poly1305::{AeadInOut, ChaCha20Poly1305, KeyInit};
use ciphertune_testkit::{Algorithm, Fault, Operation, Task};
use hmac::{Hmac, Mac};
use md5::Md5;
use poly1305::Poly1305;
use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512, Sha512_256};
use sha3::{Sha3_256, Sha3_512};
use sm3::Sm3;
use zeroize::Zeroizing;

use crate::{
    Description, Implementation, Timed,
    builtin::BuiltIn,
    context::{inout, tagging},
};

mod modes;

/// All of them, in the order in which tables show them.
pub(crate) fn all() -> Vec<Box<dyn Implementation>> {
    vec![
        modes::implementation(),
        of_crate(
            "chacha20poly1305",
            env!("CHACHA20POLY1305_VERSION"),
            &[("ChaCha20-Poly1305", aead::<ChaCha20Poly1305>)],
        ),
        of_crate("md-5", env!("MD_5_VERSION"), &[("MD5", digest::<Md5>)]),
        of_crate(
            "sha1",
            env!("SHA1_VERSION"),
            &[("SHA1", digest::<Sha1>), ("HMAC-SHA1", mac::<Hmac<Sha1>>)],
        ),
        of_crate(
            "sha2",
            env!("SHA2_VERSION"),
            &[
                ("SHA2-224", digest::<Sha224>),
                ("SHA2-256", digest::<Sha256>),
                ("SHA2-384", digest::<Sha384>),
                ("SHA2-512", digest::<Sha512>),
                ("SHA2-512/256", digest::<Sha512_256>),
                ("HMAC-SHA2-256", mac::<Hmac<Sha256>>),
                ("HMAC-SHA2-512", mac::<Hmac<Sha512>>),
            ],
        ),
        of_crate(
            "sha3",
            env!("SHA3_VERSION"),
            &[("SHA3-256", digest::<Sha3_256>), ("SHA3-512", digest::<Sha3_512>)],
        ),
        of_crate("sm3", env!("SM3_VERSION"), &[("SM3", digest::<Sm3>)]),
        of_crate(
            "blake2",
            env!("BLAKE2_VERSION"),
            &[
                ("BLAKE2B-512", digest::<Blake2b512>),
                ("BLAKE2S-256", digest::<Blake2s256>),
            ],
        ),
        of_crate("poly1305", env!("POLY1305_VERSION"), &[("Poly1305", poly1305)]),
    ]
}

/// Makes a context for a task of one algorithm from a key and an IV.
type New = fn(Task, &[u8], &[u8]) -> Result<Box<dyn Timed>, Fault>;

/// What one crate computes, by the algorithms' names.
fn of_crate(name: &str, version: &str, code: &'static [(&'static str, New)]) -> Box<dyn Implementation> {
    let of = |algorithm: Algorithm| {
        let found = code.iter().find(|(name, _)| *name == algorithm.name());
        found.map(|&(_, new)| new)
    };
    Box::new(BuiltIn {
        description: Description {
            id: format!("rustcrypto-{name}@{version}/default"),
            origin: format!("built in: crate {name}"),
            version: version.to_owned(),
            features: Vec::new(),
            constant_time: true,
            selectable: false,
            unavailable: None,
        },
        tasks: Algorithm::all()
            .filter(|&algorithm| of(algorithm).is_some())
            .flat_map(Task::of)
            .collect(),
        context: move |task: Task, key: &[u8], iv: &[u8]| match of(task.algorithm) {
            Some(new) => new(task, key, iv),
            None => Err(Fault(format!("no {task}"))),
        },
    })
}

/// Seals or opens.
fn aead<A>(task: Task, key: &[u8], _: &[u8]) -> Result<Box<dyn Timed>, Fault>
where
    A: AeadInOut<NonceSize = U12, TagSize = U16> + KeyInit + 'static,
{
    let key = Zeroizing::new(key.to_vec());
    let new = move || A::new_from_slice(&key).map_err(fault);
    let made = new()?;
    let renew = move |aead: &mut A| new().map(|new| *aead = new);
    Ok(match task.operation {
        Operation::Open => inout(task.contract, made, renew, |aead, envelope, buffer| {
            let (nonce, tag) = (array::<U12>(envelope.iv)?, array::<U16>(envelope.tag)?);
            aead.decrypt_inout_detached(nonce, envelope.aad, buffer, tag)
                .map_err(fault)
        }),
        _ => inout(task.contract, made, renew, |aead, envelope, buffer| {
            let nonce = array::<U12>(envelope.iv)?;
            let tag = aead
                .encrypt_inout_detached(nonce, envelope.aad, buffer)
                .map_err(fault)?;
            envelope.tag.copy_from_slice(&tag);
            Ok(())
        }),
    })
}

fn digest<D: Digest>(task: Task, _: &[u8], _: &[u8]) -> Result<Box<dyn Timed>, Fault> {
    Ok(tagging(
        task.contract,
        (),
        |()| Ok(()),
        |(), envelope, message| {
            envelope.tag.copy_from_slice(&D::digest(message));
            Ok(())
        },
    ))
}

fn mac<M: Mac + KeyInit + Clone + 'static>(
    task: Task,
    key: &[u8],
    _: &[u8],
) -> Result<Box<dyn Timed>, Fault> {
    let key = Zeroizing::new(key.to_vec());
    let new = move || <M as KeyInit>::new_from_slice(&key).map_err(fault);
    let made = new()?;
    let renew = move |mac: &mut M| new().map(|new| *mac = new);
    Ok(tagging(task.contract, made, renew, |mac, envelope, message| {
        let tag = mac.clone().chain_update(message).finalize().into_bytes();
        envelope.tag.copy_from_slice(&tag);
        Ok(())
    }))
}

fn poly1305(task: Task, key: &[u8], _: &[u8]) -> Result<Box<dyn Timed>, Fault> {
    let key = Zeroizing::new(key.to_vec());
    Ok(tagging(
        task.contract,
        key,
        |_| Ok(()),
        |key, envelope, message| {
            let poly1305 = Poly1305::new_from_slice(key).map_err(fault)?;
            envelope.tag.copy_from_slice(&poly1305.compute_unpadded(message));
            Ok(())
        },
    ))
}

fn array<N: ArraySize>(bytes: &[u8]) -> Result<&Array<u8, N>, Fault> {
    bytes.try_into().map_err(fault)
}

fn fault(error: impl Display) -> Fault {
    Fault(error.to_string())
}
