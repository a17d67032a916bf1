use aes::{
    Aes128, Aes192, Aes256,
    cipher::{
        Array, BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, InnerIvInit,
        KeyInit,
        common::InnerInit,
        consts::{U12, U16},
    },
};
use aes_gcm::AesGcm;
use ciphertune_testkit::{Algorithm, Contract, Fault, Operation, Task};
use cmac::{Cmac, Mac};
use ctr::{
    Ctr128BE,
    cipher::{KeyIvInit, StreamCipher},
};
use inout::InOutBuf;
use zeroize::Zeroizing;

use super::{aead, fault};
use crate::{
    Description, Implementation, Timed,
    builtin::BuiltIn,
    context::{inout, tagging},
};

/// All modes of AES.
pub(super) fn implementation() -> Box<dyn Implementation> {
    let version = env!("AES_VERSION");
    // The crate's own setting at compile time; it has none at run time.
    let variant = if cfg!(aes_backend = "soft") {
        "soft"
    } else {
        "default"
    };
    Box::new(BuiltIn {
        description: Description {
            id: format!("rustcrypto@{version}/{variant}"),
            origin: "built in: crates aes, aes-gcm, cbc, cmac and ctr".to_owned(),
            version: version.to_owned(),
            features: Vec::new(),
            constant_time: true,
            selectable: false,
            unavailable: None,
        },
        tasks: Algorithm::all()
            .filter(|algorithm| matches!(algorithm.aes_mode(), Some("CTR" | "ECB" | "CBC" | "CMAC" | "GCM")))
            .flat_map(Task::of)
            .filter(|task| (task.algorithm.aes_mode(), task.contract) != (Some("CTR"), Contract::NewIv))
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

            let contract = task.contract;
            let is_stream = contract == Contract::Stream;
            let cipher = C::new_from_slice(key).map_err(fault)?;
            let kept = Zeroizing::new(key.to_vec());
            let renew = {
                let kept = kept.clone();
                move |cipher: &mut C| {
                    C::new_from_slice(&kept)
                        .map(|new| *cipher = new)
                        .map_err(fault)
                }
            };
            Ok(match (task.algorithm.aes_mode(), task.operation) {
                (Some("CTR"), _) if is_stream => {
                    let ctr = Ctr128BE::<C>::new_from_slices(key, iv).map_err(fault)?;
                    inout(
                        contract,
                        ctr,
                        |_| Ok(()),
                        |ctr, _, buffer| ctr.try_apply_keystream_inout(buffer).map_err(fault),
                    )
                }
                (Some("CTR"), _) => inout(
                    contract,
                    kept,
                    |_| Ok(()),
                    |key, envelope, buffer| {
                        let mut ctr = Ctr128BE::<C>::new_from_slices(key, envelope.iv).map_err(fault)?;
                        ctr.try_apply_keystream_inout(buffer).map_err(fault)
                    },
                ),
                (Some("ECB"), Operation::Encrypt) => inout(contract, cipher, renew, |cipher, _, buffer| {
                    cipher.encrypt_blocks_inout(blocks(buffer)?);
                    Ok(())
                }),
                (Some("ECB"), _) => inout(contract, cipher, renew, |cipher, _, buffer| {
                    cipher.decrypt_blocks_inout(blocks(buffer)?);
                    Ok(())
                }),
                (Some("CBC"), Operation::Encrypt) if is_stream => {
                    let cbc = cbc::Encryptor::<C>::inner_iv_slice_init(cipher, iv).map_err(fault)?;
                    inout(
                        contract,
                        cbc,
                        |_| Ok(()),
                        |cbc, _, buffer| {
                            cbc.encrypt_blocks_inout(blocks(buffer)?);
                            Ok(())
                        },
                    )
                }
                (Some("CBC"), _) if is_stream => {
                    let cbc = cbc::Decryptor::<C>::inner_iv_slice_init(cipher, iv).map_err(fault)?;
                    inout(
                        contract,
                        cbc,
                        |_| Ok(()),
                        |cbc, _, buffer| {
                            cbc.decrypt_blocks_inout(blocks(buffer)?);
                            Ok(())
                        },
                    )
                }
                (Some("CBC"), Operation::Encrypt) => {
                    inout(contract, cipher, renew, |cipher, envelope, buffer| {
                        let mut cbc =
                            cbc::Encryptor::<&C>::inner_iv_slice_init(cipher, envelope.iv).map_err(fault)?;
                        cbc.encrypt_blocks_inout(blocks(buffer)?);
                        Ok(())
                    })
                }
                (Some("CBC"), _) => inout(contract, cipher, renew, |cipher, envelope, buffer| {
                    let mut cbc =
                        cbc::Decryptor::<&C>::inner_iv_slice_init(cipher, envelope.iv).map_err(fault)?;
                    cbc.decrypt_blocks_inout(blocks(buffer)?);
                    Ok(())
                }),
                (Some("CMAC"), _) => tagging(contract, cipher, renew, |cipher, envelope, message| {
                    let cmac = Cmac::<C>::inner_init(cipher.clone());
                    let tag = cmac.chain_update(message).finalize().into_bytes();
                    envelope.tag.copy_from_slice(&tag);
                    Ok(())
                }),
                (Some("GCM"), _) => return aead::<AesGcm<C, U12>>(task, key, iv),
                _ => return Err(Fault(format!("rustcrypto has no {task}"))),
            })
        }
    };
}

modes!(aes_128, Aes128);
modes!(aes_192, Aes192);
modes!(aes_256, Aes256);

fn blocks<'i, 'o>(buffer: InOutBuf<'i, 'o, u8>) -> Result<InOutBuf<'i, 'o, Array<u8, U16>>, Fault> {
    let len = buffer.len();
    let (blocks, rest) = buffer.into_chunks();
    match rest.is_empty() {
        true => Ok(blocks),
        false => Err(Fault(format!("{len} bytes are no whole blocks"))),
    }
}
