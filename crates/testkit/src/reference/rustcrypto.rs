use blake2::{Blake2b512, Blake2s256};
use blowfish::Blowfish;
use camellia::{Camellia128, Camellia192, Camellia256};
use cast5::Cast5;
use cbc::{
    Encryptor,
    cipher::{
        BlockCipherEncrypt, BlockModeEncrypt, BlockSizeUser, InOutBuf, KeyInit, KeyIvInit, StreamCipher,
    },
};
use chacha20poly1305::{AeadInOut, ChaCha20Poly1305};
use ctr::Ctr128BE;
use des::{Des, TdesEde3};
use hmac::{Hmac, Mac};
use idea::Idea;
use md2::Md2;
use md4::Md4;
use md5::Md5;
use poly1305::Poly1305;
use rc2::Rc2;
use rc4::Rc4;
use ripemd::Ripemd160;
use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512, Sha512_256};
use sha3::{Sha3_256, Sha3_512};
use sm3::Sm3;
use whirlpool::Whirlpool;

use crate::Algorithm;

/// Turns a message into its ciphertext, where there is one, and answers its tag or digest, where there is one.
///
/// # Panics
/// If a length is not one that the algorithm takes.
pub(super) fn forward(algorithm: Algorithm, key: &[u8], iv: &[u8], aad: &[u8], data: &mut [u8]) -> Vec<u8> {
    match algorithm.name() {
        "ChaCha20-Poly1305" => return seal::<ChaCha20Poly1305>(key, iv, aad, data),

        "MD2" => return digest::<Md2>(data),
        "MD4" => return digest::<Md4>(data),
        "MD5" => return digest::<Md5>(data),
        "SHA1" => return digest::<Sha1>(data),
        "SHA2-224" => return digest::<Sha224>(data),
        "SHA2-256" => return digest::<Sha256>(data),
        "SHA2-384" => return digest::<Sha384>(data),
        "SHA2-512" => return digest::<Sha512>(data),
        "SHA2-512/256" => return digest::<Sha512_256>(data),
        "SHA3-256" => return digest::<Sha3_256>(data),
        "SHA3-512" => return digest::<Sha3_512>(data),
        "SM3" => return digest::<Sm3>(data),
        "BLAKE2B-512" => return digest::<Blake2b512>(data),
        "BLAKE2S-256" => return digest::<Blake2s256>(data),
        "RIPEMD-160" => return digest::<Ripemd160>(data),
        "WHIRLPOOL" => return digest::<Whirlpool>(data),

        "HMAC-SHA1" => return tag::<Hmac<Sha1>>(key, data),
        "HMAC-SHA2-256" => return tag::<Hmac<Sha256>>(key, data),
        "HMAC-SHA2-512" => return tag::<Hmac<Sha512>>(key, data),
        "Poly1305" => return keyed::<Poly1305>(key).compute_unpadded(data).to_vec(),

        "CAMELLIA-128-ECB" => ecb::<Camellia128>(key, data),
        "CAMELLIA-192-ECB" => ecb::<Camellia192>(key, data),
        "CAMELLIA-256-ECB" => ecb::<Camellia256>(key, data),
        "CAMELLIA-128-CBC" => cbc::<Camellia128>(key, iv, data),
        "CAMELLIA-192-CBC" => cbc::<Camellia192>(key, iv, data),
        "CAMELLIA-256-CBC" => cbc::<Camellia256>(key, iv, data),
        "DES-CBC" => cbc::<Des>(key, iv, data),
        "DES-EDE3-CBC" => cbc::<TdesEde3>(key, iv, data),
        "RC2-CBC" => cbc::<Rc2>(key, iv, data),
        "IDEA-CBC" => cbc::<Idea>(key, iv, data),
        "BF-CBC" => cbc::<Blowfish>(key, iv, data),
        "CAST5-CBC" => cbc::<Cast5>(key, iv, data),
        "SEED-CBC" => super::seed::cbc(key, iv, data),
        "CAMELLIA-128-CTR" => begun::<Ctr128BE<Camellia128>>(key, iv).apply_keystream(data),
        "CAMELLIA-192-CTR" => begun::<Ctr128BE<Camellia192>>(key, iv).apply_keystream(data),
        "CAMELLIA-256-CTR" => begun::<Ctr128BE<Camellia256>>(key, iv).apply_keystream(data),
        "RC4" => keyed::<Rc4>(key).apply_keystream(data),
        _ => unreachable!("the table of algorithms has no other"),
    }
    Vec::new()
}

fn keyed<C: KeyInit>(key: &[u8]) -> C {
    C::new_from_slice(key).expect("the key has the algorithm's length")
}

fn begun<C: KeyIvInit>(key: &[u8], iv: &[u8]) -> C {
    C::new_from_slices(key, iv).expect("key and IV have the algorithm's lengths")
}

fn seal<A: AeadInOut + KeyInit>(key: &[u8], iv: &[u8], aad: &[u8], data: &mut [u8]) -> Vec<u8> {
    let nonce = iv.try_into().expect("the nonce has the algorithm's length");
    keyed::<A>(key)
        .encrypt_inout_detached(nonce, aad, data.into())
        .expect("a message of this length can be sealed")
        .to_vec()
}

fn digest<D: Digest>(data: &[u8]) -> Vec<u8> {
    D::digest(data).to_vec()
}

fn tag<M: Mac + KeyInit>(key: &[u8], data: &[u8]) -> Vec<u8> {
    keyed::<M>(key)
        .chain_update(data)
        .finalize()
        .into_bytes()
        .to_vec()
}

fn ecb<C: BlockCipherEncrypt + KeyInit>(key: &[u8], data: &mut [u8]) {
    keyed::<C>(key).encrypt_blocks_inout(blocks::<C>(data));
}

fn cbc<C: BlockCipherEncrypt + KeyInit>(key: &[u8], iv: &[u8], data: &mut [u8]) {
    begun::<Encryptor<C>>(key, iv).encrypt_blocks_inout(blocks::<C>(data));
}

fn blocks<C: BlockSizeUser>(data: &mut [u8]) -> InOutBuf<'_, '_, cbc::cipher::Block<C>> {
    let (blocks, rest) = InOutBuf::from(data).into_chunks();
    assert!(rest.is_empty(), "the algorithm takes whole blocks");
    blocks
}
