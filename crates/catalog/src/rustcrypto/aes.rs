use aes::{Aes128, Aes192, Aes256};
use aes_gcm::AesGcm;
use cbc::cipher::{KeyInit, common::InnerInit, consts::U12};
use ciphertune_testkit::{Algorithm, Fault, Task};
use cmac::{Cmac, Mac};
use ctr::Ctr128BE;
use zeroize::Zeroizing;

use super::{
    ciphers::{self, aead, cbc, ecb, keystream},
    fault,
};
use crate::{Description, Implementation, Timed, context::tagging, implementation::Composed};

/// All modes of AES.
pub(super) fn implementation() -> Box<dyn Implementation> {
    let version = env!("AES_VERSION");
    // The crate's own setting at compile time; it has none at run time.
    let variant = if cfg!(aes_backend = "soft") {
        "soft"
    } else {
        "default"
    };
    Box::new(Composed {
        description: Description::built_in(
            format!("rustcrypto@{version}/{variant}"),
            "crates aes, aes-gcm, cbc, cmac and ctr",
            version,
        ),
        tasks: Algorithm::all()
            .filter(|algorithm| matches!(algorithm.aes_mode(), Some("CTR" | "ECB" | "CBC" | "CMAC" | "GCM")))
            .flat_map(Task::of)
            .filter(|&task| ciphers::has(task))
            .collect(),
        context: |task: Task, key: &[u8], iv: &[u8]| match task.algorithm.key_len() {
            16 => aes_128(task, key, iv),
            24 => aes_192(task, key, iv),
            _ => aes_256(task, key, iv),
        },
    })
}

/// The modes by one cipher. A generic function would have to repeat, as bounds, what the crates derive from the
/// length of its blocks.
macro_rules! modes {
    ($name:ident, $cipher:ty) => {
        fn $name(task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
            type C = $cipher;

            match task.algorithm.aes_mode() {
                Some("CTR") => keystream::<Ctr128BE<C>>(task, key, iv),
                Some("ECB") => ecb::<C>(task, key, iv),
                Some("CBC") => cbc::<C>(task, key, iv),
                Some("GCM") => aead::<AesGcm<C, U12>>(task, key, iv),
                Some("CMAC") => {
                    let key = Zeroizing::new(key.to_vec());
                    let new = move || C::new_from_slice(&key).map_err(fault);
                    let made = new()?;
                    let renew = move |cipher: &mut C| new().map(|new| *cipher = new);
                    Ok(tagging(
                        task.contract,
                        made,
                        renew,
                        |cipher, envelope, message| {
                            let cmac = Cmac::<C>::inner_init(cipher.clone());
                            let tag = cmac.chain_update(message).finalize().into_bytes();
                            envelope.tag.copy_from_slice(&tag);
                            Ok(())
                        },
                    ))
                }
                _ => Err(Fault(format!("rustcrypto has no {task}"))),
            }
        }
    };
}

modes!(aes_128, Aes128);
modes!(aes_192, Aes192);
modes!(aes_256, Aes256);
