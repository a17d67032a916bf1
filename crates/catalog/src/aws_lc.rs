//! AWS-LC through aws-lc-rs, which chooses by CPUID itself.
use aws_lc_rs::{
    aead::{self, Aad, LessSafeKey, Nonce, UnboundKey},
    cipher::{
        AES_128, AES_192, AES_256, DecryptingKey, DecryptionContext, EncryptingKey, EncryptionContext,
        StreamingEncryptingKey, UnboundCipherKey,
    },
    cmac, digest,
    error::Unspecified,
    hmac,
    iv::FixedLength,
};
use ciphertune_testkit::{Algorithm, Contract, Fault, Kind, Operation, Task};
use zeroize::Zeroizing;

use crate::{
    Description, Implementation, Timed,
    context::{apart, block, copying, tagging},
    implementation::Composed,
};

mod keys;

pub(crate) fn implementation() -> Box<dyn Implementation> {
    let version = env!("AWS_LC_RS_VERSION");
    Box::new(Composed {
        description: Description::built_in(
            format!("aws-lc-rs@{version}/default"),
            "crate aws-lc-rs",
            version,
        ),
        tasks: Algorithm::all()
            .flat_map(Task::of)
            .filter(|&task| has(task))
            .collect(),
        context,
    })
}

/// What streams does so by a type of its own, which only counter mode has without padding.
fn has(task: Task) -> bool {
    match task.algorithm.aes_mode() {
        Some("CBC" | "CFB" | "CFB8") => task.contract != Contract::Stream,
        Some("CTR" | "ECB" | "CMAC") => true,
        _ => {
            let algorithm = task.algorithm;
            keys::has(algorithm)
                || sealing(algorithm).is_some()
                || digesting(algorithm).is_some()
                || hashing(algorithm).is_some()
        }
    }
}

fn sealing(algorithm: Algorithm) -> Option<&'static aead::Algorithm> {
    Some(match algorithm.name() {
        "AES-128-GCM" => &aead::AES_128_GCM,
        "AES-192-GCM" => &aead::AES_192_GCM,
        "AES-256-GCM" => &aead::AES_256_GCM,
        "ChaCha20-Poly1305" => &aead::CHACHA20_POLY1305,
        _ => return None,
    })
}

fn digesting(algorithm: Algorithm) -> Option<&'static digest::Algorithm> {
    Some(match algorithm.name() {
        "SHA1" => &digest::SHA1_FOR_LEGACY_USE_ONLY,
        "SHA2-224" => &digest::SHA224,
        "SHA2-256" => &digest::SHA256,
        "SHA2-384" => &digest::SHA384,
        "SHA2-512" => &digest::SHA512,
        "SHA2-512/256" => &digest::SHA512_256,
        "SHA3-256" => &digest::SHA3_256,
        "SHA3-512" => &digest::SHA3_512,
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

/// Of one task, or why there is none.
type Made = Result<Box<dyn Timed>, Fault>;

fn context(task: Task, key: &[u8], iv: &[u8]) -> Made {
    let Task {
        algorithm,
        operation,
        contract,
    } = task;
    if algorithm.is_public_key() {
        return keys::context(task, key);
    }
    let key = Zeroizing::new(key.to_vec());
    let lacking = || Fault(format!("aws-lc-rs has no {task}"));
    match (algorithm.aes_mode(), operation) {
        (Some("CTR"), _) if contract == Contract::Stream => stream(&key, iv),
        (Some("CMAC"), _) => cmac(contract, key),
        _ if algorithm.kind() == Kind::Aead => {
            let cipher = sealing(algorithm).ok_or_else(lacking)?;
            match operation {
                Operation::Open => open(contract, cipher, key),
                _ => seal(contract, cipher, key),
            }
        }
        (Some(mode), _) if operation.is_backward() => decrypt(contract, mode, key),
        (Some(mode), _) => encrypt(contract, mode, key),
        (None, Operation::Mac) => Ok(hmac(contract, hashing(algorithm).ok_or_else(lacking)?, key)),
        (None, _) => Ok(digest(contract, digesting(algorithm).ok_or_else(lacking)?)),
    }
}

fn stream(key: &[u8], iv: &[u8]) -> Made {
    let iv = EncryptionContext::Iv128(FixedLength::from(block(iv)?));
    let cipher = StreamingEncryptingKey::less_safe_ctr(unbound(key)?, iv).map_err(fault)?;
    let stream = Stream { cipher, begun: 0 };
    Ok(apart(
        Contract::Stream,
        stream,
        |_| Ok(()),
        |stream, _, input, output| stream.update(input, output),
    ))
}

fn cmac(contract: Contract, key: Zeroizing<Vec<u8>>) -> Made {
    let new = move || {
        let algorithm = match key.len() {
            16 => cmac::AES_128,
            24 => cmac::AES_192,
            _ => cmac::AES_256,
        };
        cmac::Key::new(algorithm, &key).map_err(fault)
    };
    let made = new()?;
    let renew = move |key: &mut cmac::Key| new().map(|new| *key = new);
    Ok(tagging(contract, made, renew, |key, envelope, message| {
        let tag = cmac::sign(key, message).map_err(fault)?;
        envelope.tag.copy_from_slice(tag.as_ref());
        Ok(())
    }))
}

fn open(contract: Contract, cipher: &'static aead::Algorithm, key: Zeroizing<Vec<u8>>) -> Made {
    let new = move || UnboundKey::new(cipher, &key).map(LessSafeKey::new).map_err(fault);
    let made = new()?;
    let renew = move |key: &mut LessSafeKey| new().map(|new| *key = new);
    Ok(apart(contract, made, renew, |key, envelope, input, output| {
        let nonce = Nonce::try_assume_unique_for_key(envelope.iv).map_err(fault)?;
        key.open_separate_gather(nonce, Aad::from(envelope.aad), input, envelope.tag, output)
            .map_err(fault)
    }))
}

fn seal(contract: Contract, cipher: &'static aead::Algorithm, key: Zeroizing<Vec<u8>>) -> Made {
    let new = move || UnboundKey::new(cipher, &key).map(LessSafeKey::new).map_err(fault);
    let made = new()?;
    let renew = move |key: &mut LessSafeKey| new().map(|new| *key = new);
    Ok(copying(contract, made, renew, |key, envelope, data| {
        let nonce = Nonce::try_assume_unique_for_key(envelope.iv).map_err(fault)?;
        let tag = key
            .seal_in_place_separate_tag(nonce, Aad::from(envelope.aad), data)
            .map_err(fault)?;
        envelope.tag.copy_from_slice(tag.as_ref());
        Ok(())
    }))
}

fn decrypt(contract: Contract, mode: &'static str, key: Zeroizing<Vec<u8>>) -> Made {
    let new = move || {
        let key = unbound(&key)?;
        match mode {
            "CTR" => DecryptingKey::ctr(key),
            "CBC" => DecryptingKey::cbc(key),
            "CFB" => DecryptingKey::cfb128(key),
            "CFB8" => DecryptingKey::cfb8(key),
            _ => DecryptingKey::ecb(key),
        }
        .map_err(fault)
    };
    let made = new()?;
    let renew = move |key: &mut DecryptingKey| new().map(|new| *key = new);
    Ok(copying(contract, made, renew, |key, envelope, data| {
        let iv = match envelope.iv {
            [] => DecryptionContext::None,
            iv => DecryptionContext::Iv128(FixedLength::from(block(iv)?)),
        };
        key.decrypt(data, iv).map(drop).map_err(fault)
    }))
}

fn encrypt(contract: Contract, mode: &'static str, key: Zeroizing<Vec<u8>>) -> Made {
    let new = move || {
        let key = unbound(&key)?;
        match mode {
            "CTR" => EncryptingKey::ctr(key),
            "CBC" => EncryptingKey::cbc(key),
            "CFB" => EncryptingKey::cfb128(key),
            "CFB8" => EncryptingKey::cfb8(key),
            _ => EncryptingKey::ecb(key),
        }
        .map_err(fault)
    };
    let made = new()?;
    let renew = move |key: &mut EncryptingKey| new().map(|new| *key = new);
    Ok(copying(contract, made, renew, |key, envelope, data| {
        let iv = match envelope.iv {
            [] => EncryptionContext::None,
            iv => EncryptionContext::Iv128(FixedLength::from(block(iv)?)),
        };
        key.less_safe_encrypt(data, iv).map(drop).map_err(fault)
    }))
}

fn hmac(contract: Contract, algorithm: hmac::Algorithm, key: Zeroizing<Vec<u8>>) -> Box<dyn Timed> {
    let new = move || hmac::Key::new(algorithm, &key);
    let made = new();
    let renew = move |key: &mut hmac::Key| {
        *key = new();
        Ok(())
    };
    tagging(contract, made, renew, |key, envelope, message| {
        envelope.tag.copy_from_slice(hmac::sign(key, message).as_ref());
        Ok(())
    })
}

fn digest(contract: Contract, algorithm: &'static digest::Algorithm) -> Box<dyn Timed> {
    tagging(
        contract,
        algorithm,
        |_| Ok(()),
        |algorithm, envelope, message| {
            envelope
                .tag
                .copy_from_slice(digest::digest(algorithm, message).as_ref());
            Ok(())
        },
    )
}

fn unbound(key: &[u8]) -> Result<UnboundCipherKey, Fault> {
    let algorithm = match key.len() {
        16 => &AES_128,
        24 => &AES_192,
        _ => &AES_256,
    };
    UnboundCipherKey::new(algorithm, key).map_err(fault)
}

struct Stream {
    cipher: StreamingEncryptingKey,
    /// Bytes used of the current block.
    begun: usize,
}

const BLOCK: usize = 16;

impl Stream {
    /// An update wants room in its output up to the end of the block that it ends in, so what follows the last
    /// whole block takes a way round.
    fn update(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
        let ends_in = (self.begun + input.len()) % BLOCK;
        let tail = ends_in.min(input.len());
        let (whole, tail) = input.split_at(input.len() - tail);
        let (whole_out, tail_out) = output.split_at_mut(whole.len());
        if !whole.is_empty() {
            self.cipher.less_safe_update(whole, whole_out).map_err(fault)?;
        }
        if !tail.is_empty() {
            let mut room = [0; BLOCK];
            self.cipher.less_safe_update(tail, &mut room).map_err(fault)?;
            tail_out.copy_from_slice(&room[..tail.len()]);
        }
        self.begun = ends_in;
        Ok(())
    }
}

fn fault(_: Unspecified) -> Fault {
    Fault("aws-lc-rs refused, without a reason".to_owned())
}
