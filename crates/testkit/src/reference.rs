//! What an implementation is compared with: Ciphertune's portable code for AES, RustCrypto's crates for all else but SEED, and both
//! for what is made of both. The published vectors vouch for both; [`crate::known_answers`] runs on them as on any other.
use std::{cell::RefCell, collections::HashMap};

use blake2::{Blake2b512, Digest};
use ciphertune::{Cbc, Ccm, Cfb, Cfb8, Cmac, Ctr, Ecb, Error, Feedback, Gcm, Implementation, Ocb, Ofb, Xts};

use crate::Algorithm;

mod rustcrypto;
mod seed;

const PORTABLE: Implementation = Implementation::PORTABLE;

/// A message's ciphertext, or itself where there is none, and its tag.
type Made = (Vec<u8>, Vec<u8>);

/// As [`forward`], which this does not do twice: whoever is checked after another on the same cases is compared with what
/// was made for the first.
pub(crate) fn remembered(algorithm: Algorithm, key: &[u8], iv: &[u8], aad: &[u8], message: &[u8]) -> Made {
    thread_local! {
        static MEMORY: RefCell<Memory> = RefCell::default();
    }
    let make = || forward(algorithm, key, iv, aad, message);
    if message.len() > Memory::MOST {
        return make();
    }
    let mut inputs = Blake2b512::new();
    for input in [algorithm.name().as_bytes(), key, iv, aad, message] {
        inputs.update(input.len().to_le_bytes());
        inputs.update(input);
    }
    MEMORY.with_borrow_mut(|memory| memory.made(inputs.finalize().into(), make))
}

/// What was made, by a hash of what it was made of.
#[derive(Default)]
struct Memory {
    made: HashMap<[u8; 64], Made>,
    bytes: usize,
}

impl Memory {
    /// Bytes of a mebibyte, the longest message, and of all the others that a task is checked on.
    const MOST: usize = 3 << 19;

    fn made(&mut self, inputs: [u8; 64], make: impl FnOnce() -> Made) -> Made {
        if let Some(made) = self.made.get(&inputs) {
            return made.clone();
        }
        let made = make();
        if self.bytes + made.0.len() > Self::MOST {
            *self = Self::default();
        }
        self.bytes += made.0.len();
        self.made.insert(inputs, made.clone());
        made
    }
}

/// What becomes of a whole message.
///
/// # Panics
/// If a length is not one that the algorithm takes.
fn forward(algorithm: Algorithm, key: &[u8], iv: &[u8], aad: &[u8], message: &[u8]) -> Made {
    if let Some([cipher, mac]) = algorithm.cipher_and_mac() {
        let (cipher_key, mac_key) = key.split_at(cipher.key_len());
        let (ciphertext, _) = forward(cipher, cipher_key, iv, &[], message);
        let (_, mut tag) = forward(mac, mac_key, &[], &[], &[aad, iv, &ciphertext].concat());
        tag.truncate(algorithm.tag_len());
        return (ciphertext, tag);
    }
    let mut data = message.to_vec();
    let tag = match algorithm.aes_mode() {
        Some(mode) => aes(mode, key, iv, aad, &mut data)
            .unwrap_or_else(|error| panic!("{algorithm} of {} bytes: {error}", message.len())),
        None => rustcrypto::forward(algorithm, key, iv, aad, &mut data),
    };
    (data, tag)
}

fn aes(mode: &str, key: &[u8], iv: &[u8], aad: &[u8], data: &mut [u8]) -> Result<Vec<u8>, Error> {
    let block = || <[u8; 16]>::try_from(iv).expect("the IV has a block's length");
    let mut tag = Vec::new();
    match mode {
        "CTR" => Ctr::with_implementation(PORTABLE, key, iv)?.apply(data)?,
        "ECB" => Ecb::with_implementation(PORTABLE, key)?.encrypt(data)?,
        "CBC" => Cbc::with_implementation(PORTABLE, key)?.encrypt(&mut block(), data)?,
        "CFB" => Cfb::with_implementation(PORTABLE, key)?.encrypt(&mut Feedback::new(block()), data),
        "CFB8" => Cfb8::with_implementation(PORTABLE, key)?.encrypt(&mut block(), data),
        "OFB" => Ofb::with_implementation(PORTABLE, key)?.apply(&mut Feedback::new(block()), data),
        "XTS" => {
            Xts::with_implementation(PORTABLE, key)?.encrypt(u128::from_le_bytes(block()), data)?;
        }
        "CMAC" => tag = Cmac::with_implementation(PORTABLE, key)?.tag(data).to_vec(),
        "GCM" => {
            let sealed = Gcm::with_implementation(PORTABLE, key)?.seal_in_place(iv, aad, data)?;
            tag = sealed.to_vec();
        }
        "CCM" => {
            let sealed = Ccm::with_implementation(PORTABLE, key)?.seal_in_place(iv, aad, data)?;
            tag = sealed.to_vec();
        }
        "OCB" => {
            let sealed = Ocb::with_implementation(PORTABLE, key)?.seal_in_place(iv, aad, data)?;
            tag = sealed.to_vec();
        }
        // SP 800-38D, section 3: GCM of additional data alone.
        "GMAC" => {
            let sealed = Gcm::with_implementation(PORTABLE, key)?.seal_in_place(iv, data, &mut [])?;
            tag = sealed.to_vec();
        }
        _ => unreachable!("the table of algorithms has no other"),
    }
    Ok(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_of_the_same_algorithm_key_iv_aad_and_message() {
        let inputs = [[1; 16], [2; 16], [3; 16], [4; 16]];
        let algorithms = ["AES-128-GCM", "AES-128-OCB"].map(|name| Algorithm::named(name).unwrap());
        for algorithm in algorithms.into_iter().cycle().take(4) {
            for changed in 0..=inputs.len() {
                let mut inputs = inputs;
                if let Some(input) = inputs.get_mut(changed) {
                    input[0] ^= 1;
                }
                let [key, iv, aad, message] = &inputs;
                assert_eq!(
                    remembered(algorithm, key, &iv[..12], aad, message),
                    forward(algorithm, key, &iv[..12], aad, message),
                    "{algorithm}, {changed}"
                );
            }
        }
    }

    #[test]
    fn memory_is_for_a_few_megabytes_of_what_was_made_last() {
        let mut memory = Memory::default();
        let mut made = 0;
        let mut make = |number: u8, bytes: usize| {
            let text = memory.made([number; 64], || {
                made += 1;
                (vec![number; bytes], Vec::new())
            });
            assert_eq!(text, (vec![number; bytes], Vec::new()));
            made
        };
        let third = Memory::MOST / 3;
        let asked = [1, 2, 1, 3, 4, 4, 1];
        assert_eq!(asked.map(|number| make(number, third)), [1, 2, 2, 3, 4, 4, 5]);
    }
}
