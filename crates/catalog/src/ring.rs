//! The crate ring, with the feature `ring`.
use ::ring::{
    aead::{self, Aad, LessSafeKey, Nonce, Tag, UnboundKey},
    digest,
    error::Unspecified,
    hmac,
};
use ciphertune_testkit::{Algorithm, Fault, Operation, Task};
use zeroize::Zeroizing;

use crate::{
    Description, Implementation, Timed,
    context::{copying, tagging},
    implementation::Composed,
};

pub(crate) fn implementation() -> Box<dyn Implementation> {
    let version = env!("RING_VERSION");
    Box::new(Composed {
        description: Description::built_in(format!("ring@{version}/default"), "crate ring", version),
        tasks: Algorithm::all()
            .filter(|&algorithm| {
                sealing(algorithm).is_some() || digesting(algorithm).is_some() || hashing(algorithm).is_some()
            })
            .flat_map(Task::of)
            .collect(),
        context,
    })
}

fn sealing(algorithm: Algorithm) -> Option<&'static aead::Algorithm> {
    Some(match algorithm.name() {
        "AES-128-GCM" => &aead::AES_128_GCM,
        "AES-256-GCM" => &aead::AES_256_GCM,
        "ChaCha20-Poly1305" => &aead::CHACHA20_POLY1305,
        _ => return None,
    })
}

fn digesting(algorithm: Algorithm) -> Option<&'static digest::Algorithm> {
    Some(match algorithm.name() {
        "SHA1" => &digest::SHA1_FOR_LEGACY_USE_ONLY,
        "SHA2-256" => &digest::SHA256,
        "SHA2-384" => &digest::SHA384,
        "SHA2-512" => &digest::SHA512,
        "SHA2-512/256" => &digest::SHA512_256,
        _ => return None,
    })
}

/// The HMAC.
fn hashing(algorithm: Algorithm) -> Option<hmac::Algorithm> {
    Some(match algorithm.name() {
        "HMAC-SHA1" => hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY,
        "HMAC-SHA2-256" => hmac::HMAC_SHA256,
        "HMAC-SHA2-512" => hmac::HMAC_SHA512,
        _ => return None,
    })
}

fn context(task: Task, key: &[u8], _: &[u8]) -> Result<Box<dyn Timed>, Fault> {
    let Task {
        algorithm,
        operation,
        contract,
    } = task;
    let key = Zeroizing::new(key.to_vec());
    let lacking = || Fault(format!("ring has no {task}"));
    if let Some(algorithm) = digesting(algorithm) {
        return Ok(tagging(
            contract,
            algorithm,
            |_| Ok(()),
            |algorithm, envelope, message| put(digest::digest(algorithm, message).as_ref(), envelope.tag),
        ));
    }
    if let Some(algorithm) = hashing(algorithm) {
        let new = move || hmac::Key::new(algorithm, &key);
        let made = new();
        let renew = move |key: &mut hmac::Key| {
            *key = new();
            Ok(())
        };
        return Ok(tagging(contract, made, renew, |key, envelope, message| {
            put(hmac::sign(key, message).as_ref(), envelope.tag)
        }));
    }
    let cipher = sealing(algorithm).ok_or_else(lacking)?;
    let new = move || UnboundKey::new(cipher, &key).map(LessSafeKey::new).map_err(fault);
    let made = new()?;
    let renew = move |key: &mut LessSafeKey| new().map(|new| *key = new);
    Ok(match operation {
        Operation::Open => copying(contract, made, renew, |key, envelope, data| {
            let nonce = Nonce::try_assume_unique_for_key(envelope.iv).map_err(fault)?;
            let tag = Tag::try_from(&*envelope.tag).map_err(|_| fault(Unspecified))?;
            key.open_in_place_separate_tag(nonce, Aad::from(envelope.aad), tag, data, 0..)
                .map(drop)
                .map_err(fault)
        }),
        _ => copying(contract, made, renew, |key, envelope, data| {
            let nonce = Nonce::try_assume_unique_for_key(envelope.iv).map_err(fault)?;
            let tag = key
                .seal_in_place_separate_tag(nonce, Aad::from(envelope.aad), data)
                .map_err(fault)?;
            put(tag.as_ref(), envelope.tag)
        }),
    })
}

#[inline]
fn put(tag: &[u8], place: &mut [u8]) -> Result<(), Fault> {
    if tag.len() != place.len() {
        return Err(fault(Unspecified));
    }
    place.copy_from_slice(tag);
    Ok(())
}

fn fault(_: Unspecified) -> Fault {
    Fault("ring refused, without a reason".to_owned())
}
