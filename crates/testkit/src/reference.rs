//! What an implementation is compared with: Ciphertune's portable code for AES, RustCrypto's crates for all else but SEED, and both
//! for what is made of both. The published vectors vouch for both; [`crate::known_answers`] runs on them as on any other.
use ciphertune::{Cbc, Ccm, Cfb, Cfb8, Cmac, Ctr, Ecb, Error, Feedback, Gcm, Implementation, Ocb, Ofb, Xts};

use crate::Algorithm;

mod rustcrypto;
mod seed;

const PORTABLE: Implementation = Implementation::PORTABLE;

/// `blocks` blocks of AES's keystream from the counter block `first`.
pub(crate) fn keystream(key: &[u8], first: u128, blocks: usize) -> Vec<u8> {
    let mut keystream = vec![0; 16 * blocks];
    Ctr::with_implementation(PORTABLE, key, &first.to_be_bytes())
        .and_then(|mut ctr| ctr.apply(&mut keystream))
        .expect("the portable code runs on every processor, and the key has one of AES's lengths");
    keystream
}

/// What becomes of a whole message: its ciphertext, or itself where there is none, and its tag.
///
/// # Panics
/// If a length is not one that the algorithm takes.
pub(crate) fn forward(
    algorithm: Algorithm,
    key: &[u8],
    iv: &[u8],
    aad: &[u8],
    message: &[u8],
) -> (Vec<u8>, Vec<u8>) {
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
