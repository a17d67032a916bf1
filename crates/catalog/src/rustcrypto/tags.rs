//! What makes a tag or a digest alone.
use ciphertune_testkit::{Fault, Task};
use hmac::{KeyInit, Mac};
use poly1305::Poly1305;
use sha2::Digest;
use zeroize::Zeroizing;

use super::fault;
use crate::{Timed, context::tagging};

pub(super) fn digest<D: Digest>(task: Task, _: &[u8], _: &[u8]) -> Result<Box<dyn Timed>, Fault> {
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

pub(super) fn mac<M>(task: Task, key: &[u8], _: &[u8]) -> Result<Box<dyn Timed>, Fault>
where
    M: Mac + KeyInit + Clone + 'static,
{
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

pub(super) fn poly1305(task: Task, key: &[u8], _: &[u8]) -> Result<Box<dyn Timed>, Fault> {
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
