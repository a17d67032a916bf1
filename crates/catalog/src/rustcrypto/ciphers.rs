//! What turns a message into its ciphertext, by any cipher.
use cbc::cipher::{
    Array, Block, BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, BlockSizeUser,
    InnerIvInit, KeyInit, KeyIvInit, StreamCipher,
    array::ArraySize,
    consts::{U12, U16},
};
use chacha20poly1305::AeadInOut;
use ciphertune_testkit::{Contract, Fault, Kind, Operation, Task};
use inout::InOutBuf;
use rc4::Rc4;
use zeroize::Zeroizing;

use super::fault;
use crate::{Timed, context::inout};

/// Whether it is measured. A stream that takes a new IV for a kept key, beside those that take both, would share with them
/// what is else compiled into each: 2 ns of 15.
pub(super) fn has(task: Task) -> bool {
    (task.algorithm.kind(), task.contract) != (Kind::Stream, Contract::NewIv)
}

pub(super) fn keystream<S>(task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault>
where
    S: KeyIvInit + StreamCipher + 'static,
{
    let begun = |key: &[u8], iv: &[u8]| S::new_from_slices(key, iv).map_err(fault);
    if task.contract == Contract::Stream {
        return Ok(inout(
            task.contract,
            begun(key, iv)?,
            |_| Ok(()),
            |stream, _, buffer| stream.try_apply_keystream_inout(buffer).map_err(fault),
        ));
    }
    Ok(inout(
        task.contract,
        Zeroizing::new(key.to_vec()),
        |_| Ok(()),
        move |key, envelope, buffer| {
            begun(key, envelope.iv)?
                .try_apply_keystream_inout(buffer)
                .map_err(fault)
        },
    ))
}

pub(super) fn rc4(task: Task, key: &[u8], _: &[u8]) -> Result<Box<dyn Timed>, Fault> {
    let (rc4, renew) = keyed::<Rc4>(key)?;
    Ok(inout(task.contract, rc4, renew, |rc4, _, buffer| {
        rc4.try_apply_keystream_inout(buffer).map_err(fault)
    }))
}

pub(super) fn ecb<C>(task: Task, key: &[u8], _: &[u8]) -> Result<Box<dyn Timed>, Fault>
where
    C: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + 'static,
{
    let (cipher, renew) = keyed::<C>(key)?;
    Ok(match task.operation {
        Operation::Encrypt => inout(task.contract, cipher, renew, |cipher, _, buffer| {
            cipher.encrypt_blocks_inout(blocks::<C>(buffer)?);
            Ok(())
        }),
        _ => inout(task.contract, cipher, renew, |cipher, _, buffer| {
            cipher.decrypt_blocks_inout(blocks::<C>(buffer)?);
            Ok(())
        }),
    })
}

pub(super) fn cbc<C>(task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault>
where
    C: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + 'static,
{
    let contract = task.contract;
    let (cipher, renew) = keyed::<C>(key)?;
    Ok(match task.operation {
        Operation::Encrypt if contract == Contract::Stream => {
            let cbc = cbc::Encryptor::inner_iv_slice_init(cipher, iv).map_err(fault)?;
            inout(
                contract,
                cbc,
                |_| Ok(()),
                |cbc, _, buffer| {
                    cbc.encrypt_blocks_inout(blocks::<C>(buffer)?);
                    Ok(())
                },
            )
        }
        _ if contract == Contract::Stream => {
            let cbc = cbc::Decryptor::inner_iv_slice_init(cipher, iv).map_err(fault)?;
            inout(
                contract,
                cbc,
                |_| Ok(()),
                |cbc, _, buffer| {
                    cbc.decrypt_blocks_inout(blocks::<C>(buffer)?);
                    Ok(())
                },
            )
        }
        Operation::Encrypt => inout(contract, cipher, renew, |cipher, envelope, buffer| {
            let mut cbc = cbc::Encryptor::<&C>::inner_iv_slice_init(cipher, envelope.iv).map_err(fault)?;
            cbc.encrypt_blocks_inout(blocks::<C>(buffer)?);
            Ok(())
        }),
        _ => inout(contract, cipher, renew, |cipher, envelope, buffer| {
            let mut cbc = cbc::Decryptor::<&C>::inner_iv_slice_init(cipher, envelope.iv).map_err(fault)?;
            cbc.decrypt_blocks_inout(blocks::<C>(buffer)?);
            Ok(())
        }),
    })
}

/// Seals or opens.
pub(super) fn aead<A>(task: Task, key: &[u8], _: &[u8]) -> Result<Box<dyn Timed>, Fault>
where
    A: AeadInOut<NonceSize = U12, TagSize = U16> + KeyInit + 'static,
{
    let (aead, renew) = keyed::<A>(key)?;
    Ok(match task.operation {
        Operation::Open => inout(task.contract, aead, renew, |aead, envelope, buffer| {
            let (nonce, tag) = (array::<U12>(envelope.iv)?, array::<U16>(envelope.tag)?);
            aead.decrypt_inout_detached(nonce, envelope.aad, buffer, tag)
                .map_err(fault)
        }),
        _ => inout(task.contract, aead, renew, |aead, envelope, buffer| {
            let nonce = array::<U12>(envelope.iv)?;
            let tag = aead
                .encrypt_inout_detached(nonce, envelope.aad, buffer)
                .map_err(fault)?;
            envelope.tag.copy_from_slice(&tag);
            Ok(())
        }),
    })
}

/// A cipher, and what gives it its key again.
type Keyed<C, R> = Result<(C, R), Fault>;

fn keyed<C: KeyInit>(key: &[u8]) -> Keyed<C, impl Fn(&mut C) -> Result<(), Fault> + use<C>> {
    let key = Zeroizing::new(key.to_vec());
    let new = move || C::new_from_slice(&key).map_err(fault);
    let made = new()?;
    Ok((made, move |cipher: &mut C| new().map(|new| *cipher = new)))
}

fn blocks<'i, 'o, C: BlockSizeUser>(
    buffer: InOutBuf<'i, 'o, u8>,
) -> Result<InOutBuf<'i, 'o, Block<C>>, Fault> {
    let len = buffer.len();
    let (blocks, rest) = buffer.into_chunks();
    match rest.is_empty() {
        true => Ok(blocks),
        false => Err(Fault(format!("{len} bytes are no whole blocks"))),
    }
}

fn array<N: ArraySize>(bytes: &[u8]) -> Result<&Array<u8, N>, Fault> {
    bytes.try_into().map_err(fault)
}
