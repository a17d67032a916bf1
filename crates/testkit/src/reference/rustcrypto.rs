use blake2::{Blake2b512, Blake2s256};
use chacha20poly1305::{AeadInOut, ChaCha20Poly1305, KeyInit};
use hmac::{Hmac, Mac};
use md5::Md5;
use poly1305::Poly1305;
use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512, Sha512_256};
use sha3::{Sha3_256, Sha3_512};
use sm3::Sm3;

use crate::Algorithm;

/// Turns a message into its ciphertext, where there is one, and answers its tag, where there is one.
///
/// # Panics
/// If a length is not one that the algorithm takes.
pub(super) fn forward(algorithm: Algorithm, key: &[u8], iv: &[u8], aad: &[u8], data: &mut [u8]) -> Vec<u8> {
    fn digest<D: Digest>(data: &[u8]) -> Vec<u8> {
        D::digest(data).to_vec()
    }
    fn tag<M: Mac + KeyInit>(key: &[u8], data: &[u8]) -> Vec<u8> {
        let mac = M::new_from_slice(key).expect("the key has the algorithm's length");
        mac.chain_update(data).finalize().into_bytes().to_vec()
    }
    match algorithm.name() {
        "ChaCha20-Poly1305" => seal::<ChaCha20Poly1305>(key, iv, aad, data),
        "MD5" => digest::<Md5>(data),
        "SHA1" => digest::<Sha1>(data),
        "SHA2-224" => digest::<Sha224>(data),
        "SHA2-256" => digest::<Sha256>(data),
        "SHA2-384" => digest::<Sha384>(data),
        "SHA2-512" => digest::<Sha512>(data),
        "SHA2-512/256" => digest::<Sha512_256>(data),
        "SHA3-256" => digest::<Sha3_256>(data),
        "SHA3-512" => digest::<Sha3_512>(data),
        "SM3" => digest::<Sm3>(data),
        "BLAKE2B-512" => digest::<Blake2b512>(data),
        "BLAKE2S-256" => digest::<Blake2s256>(data),
        "HMAC-SHA1" => tag::<Hmac<Sha1>>(key, data),
        "HMAC-SHA2-256" => tag::<Hmac<Sha256>>(key, data),
        "HMAC-SHA2-512" => tag::<Hmac<Sha512>>(key, data),
        "Poly1305" => {
            let poly1305 = Poly1305::new_from_slice(key).expect("the key has the algorithm's length");
            poly1305.compute_unpadded(data).to_vec()
        }
        _ => unreachable!("the table of algorithms has no other"),
    }
}

fn seal<A: AeadInOut + KeyInit>(key: &[u8], iv: &[u8], aad: &[u8], data: &mut [u8]) -> Vec<u8> {
    let aead = A::new_from_slice(key).expect("the key has the algorithm's length");
    let nonce = iv.try_into().expect("the nonce has the algorithm's length");
    aead.encrypt_inout_detached(nonce, aad, data.into())
        .expect("a message of this length can be sealed")
        .to_vec()
}
