//! The crate graviola, with the feature `graviola`.
use ::graviola::{
    aead::{AesGcm, ChaCha20Poly1305},
    hashing::{Hash, Sha256, Sha384, Sha512, hmac::Hmac},
    util::is_cpu_supported,
};
use ciphertune_testkit::{Algorithm, Fault, Operation, Task};
use zeroize::Zeroizing;

use crate::{
    Description, Implementation, Timed,
    context::{copying, tagging},
    implementation::Composed,
};

pub(crate) fn implementation() -> Box<dyn Implementation> {
    let version = env!("GRAVIOLA_VERSION");
    let reason = || "this processor lacks instructions that graviola cannot do without".to_owned();
    Box::new(Composed {
        description: Description {
            unavailable: (!is_cpu_supported()).then(reason),
            ..Description::built_in(format!("graviola@{version}/default"), "crate graviola", version)
        },
        tasks: Algorithm::all()
            .filter(|algorithm| {
                let names = [
                    "AES-128-GCM",
                    "AES-256-GCM",
                    "ChaCha20-Poly1305",
                    "SHA2-256",
                    "SHA2-384",
                    "SHA2-512",
                    "HMAC-SHA2-256",
                    "HMAC-SHA2-512",
                ];
                names.contains(&algorithm.name())
            })
            .flat_map(Task::of)
            .collect(),
        context,
    })
}

fn context(task: Task, key: &[u8], _: &[u8]) -> Result<Box<dyn Timed>, Fault> {
    // It ends the process where it cannot run.
    if !is_cpu_supported() {
        return Err(Fault("graviola does not run on this processor".to_owned()));
    }
    match task.algorithm.name() {
        "SHA2-256" => Ok(digest::<Sha256>(task)),
        "SHA2-384" => Ok(digest::<Sha384>(task)),
        "SHA2-512" => Ok(digest::<Sha512>(task)),
        "HMAC-SHA2-256" => Ok(mac::<Sha256>(task, key)),
        "HMAC-SHA2-512" => Ok(mac::<Sha512>(task, key)),
        "ChaCha20-Poly1305" => {
            let new = |key: &[u8]| Ok(ChaCha20Poly1305::new(key.try_into().map_err(|_| wrong("key"))?));
            aead(
                task,
                key,
                new,
                ChaCha20Poly1305::encrypt,
                |aead, nonce, aad, data, tag| aead.decrypt(nonce, aad, data, tag).is_ok(),
            )
        }
        _ => aead(
            task,
            key,
            |key| Ok(AesGcm::new(key)),
            AesGcm::encrypt,
            |aead, nonce, aad, data, tag| aead.decrypt(nonce, aad, data, tag).is_ok(),
        ),
    }
}

fn digest<H: Hash + 'static>(task: Task) -> Box<dyn Timed> {
    tagging(
        task.contract,
        (),
        |()| Ok(()),
        |(), envelope, message| {
            envelope.tag.copy_from_slice(H::hash(message).as_ref());
            Ok(())
        },
    )
}

fn mac<H: Hash + Clone + 'static>(task: Task, key: &[u8]) -> Box<dyn Timed> {
    let key = Zeroizing::new(key.to_vec());
    let made = Hmac::<H>::new(&*key);
    let renew = move |mac: &mut Hmac<H>| {
        *mac = Hmac::new(&*key);
        Ok(())
    };
    tagging(task.contract, made, renew, |mac, envelope, message| {
        let mut mac = mac.clone();
        mac.update(message);
        envelope.tag.copy_from_slice(mac.finish().as_ref());
        Ok(())
    })
}

type Seal<A> = fn(&A, &[u8; 12], &[u8], &mut [u8], &mut [u8; 16]);
type Open<A> = fn(&A, &[u8; 12], &[u8], &mut [u8], &[u8]) -> bool;

fn aead<A: 'static>(
    task: Task,
    key: &[u8],
    new: impl Fn(&[u8]) -> Result<A, Fault> + 'static,
    seal: Seal<A>,
    open: Open<A>,
) -> Result<Box<dyn Timed>, Fault> {
    let key = Zeroizing::new(key.to_vec());
    let made = new(&key)?;
    let renew = move |aead: &mut A| new(&key).map(|new| *aead = new);
    Ok(match task.operation {
        Operation::Open => copying(task.contract, made, renew, move |aead, envelope, data| {
            let nonce = envelope.iv.try_into().map_err(|_| wrong("nonce"))?;
            let opened = open(aead, nonce, envelope.aad, data, envelope.tag);
            opened.then_some(()).ok_or_else(|| wrong("tag"))
        }),
        _ => copying(task.contract, made, renew, move |aead, envelope, data| {
            let nonce = envelope.iv.try_into().map_err(|_| wrong("nonce"))?;
            let tag = envelope.tag.try_into().map_err(|_| wrong("tag"))?;
            seal(aead, nonce, envelope.aad, data, tag);
            Ok(())
        }),
    })
}

fn wrong(what: &str) -> Fault {
    Fault(format!("graviola: the {what} is wrong"))
}
