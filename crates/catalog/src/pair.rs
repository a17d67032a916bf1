//! A cipher of whole blocks and a MAC, one call after the other, as ESP has them (RFC 4303): encrypt, then MAC; verify,
//! then decrypt. The tag is over the additional data, the IV and the ciphertext.
use ciphertune_testkit::{Algorithm, Fault, Operation, Task};
use zeroize::Zeroizing;

use crate::{
    Timed,
    context::{both, equal},
};

/// What a library has for it.
pub(crate) trait Pair {
    fn set_keys(&mut self, cipher: &[u8], mac: &[u8]) -> Result<(), Fault>;

    /// Encrypts or decrypts a message, as it was made for, in place.
    fn crypt(&mut self, iv: &[u8], data: &mut [u8]) -> Result<(), Fault>;

    /// As [`Pair::crypt`], from buffer to buffer.
    fn crypt_to(&mut self, iv: &[u8], input: &[u8], output: &mut [u8]) -> Result<(), Fault>;

    /// Puts as much of the MAC of these parts, one after the other, there as there is room for.
    fn mac(&mut self, parts: [&[u8]; 3], tag: &mut [u8]) -> Result<(), Fault>;
}

/// The task that a pair's cipher has, and its MAC.
pub(crate) fn parts(task: Task) -> Option<(Task, Algorithm)> {
    let [algorithm, mac] = task.algorithm.cipher_and_mac()?;
    let operation = match task.operation {
        Operation::Open => Operation::Decrypt,
        _ => Operation::Encrypt,
    };
    Some((
        Task {
            algorithm,
            operation,
            contract: task.contract,
        },
        mac,
    ))
}

/// A context by a pair that has no keys yet.
pub(crate) fn context<P: Pair + 'static>(
    task: Task,
    key: &[u8],
    mut pair: P,
) -> Result<Box<dyn Timed>, Fault> {
    let lacking = || Fault(format!("{} is no pair", task.algorithm));
    let [cipher, _] = task.algorithm.cipher_and_mac().ok_or_else(lacking)?;
    let key = Zeroizing::new(key.to_vec());
    let set_keys = move |pair: &mut P| {
        let (cipher_key, mac_key) = key.split_at(cipher.key_len());
        pair.set_keys(cipher_key, mac_key)
    };
    set_keys(&mut pair)?;
    Ok(match task.operation {
        Operation::Open => both(
            task.contract,
            pair,
            set_keys,
            |pair, envelope, data| {
                verify(pair, [envelope.aad, envelope.iv, data], envelope.tag)?;
                pair.crypt(envelope.iv, data)
            },
            |pair, envelope, input, output| {
                verify(pair, [envelope.aad, envelope.iv, input], envelope.tag)?;
                pair.crypt_to(envelope.iv, input, output)
            },
        ),
        _ => both(
            task.contract,
            pair,
            set_keys,
            |pair, envelope, data| {
                pair.crypt(envelope.iv, data)?;
                pair.mac([envelope.aad, envelope.iv, data], envelope.tag)
            },
            |pair, envelope, input, output| {
                pair.crypt_to(envelope.iv, input, output)?;
                pair.mac([envelope.aad, envelope.iv, output], envelope.tag)
            },
        ),
    })
}

#[inline]
fn verify(pair: &mut impl Pair, parts: [&[u8]; 3], tag: &[u8]) -> Result<(), Fault> {
    let mut made = [0; LONGEST_TAG];
    let made = made
        .get_mut(..tag.len())
        .ok_or_else(|| Fault("no tag is so long".to_owned()))?;
    pair.mac(parts, made)?;
    match equal(made, tag) {
        true => Ok(()),
        false => Err(Fault("the tag is wrong".to_owned())),
    }
}

const LONGEST_TAG: usize = 32;
