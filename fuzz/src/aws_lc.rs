//! What AWS-LC makes of a message: a second opinion, by code that is no kin of RustCrypto's.

use aws_lc_rs::{
    aead::{self, Aad, LessSafeKey, Nonce},
    cipher::{self, EncryptingKey, EncryptionContext, OperatingMode, UnboundCipherKey},
    cmac,
    error::Unspecified,
    iv::FixedLength,
};

use crate::Key;

/// A mode that it has for keys of any size.
pub type Mode = fn(UnboundCipherKey) -> Result<EncryptingKey, Unspecified>;

pub const CTR: Mode = EncryptingKey::ctr;
pub const ECB: Mode = EncryptingKey::ecb;
pub const CBC: Mode = EncryptingKey::cbc;
pub const CFB: Mode = EncryptingKey::cfb128;
pub const CFB_8: Mode = EncryptingKey::cfb8;
pub const OFB: Mode = EncryptingKey::ofb;

/// With that IV; ECB has none.
pub fn encrypted(mode: Mode, key: &Key, iv: &[u8; 16], text: &[u8]) -> Vec<u8> {
    let algorithm = match key {
        Key::Aes128(_) => &cipher::AES_128,
        Key::Aes192(_) => &cipher::AES_192,
        Key::Aes256(_) => &cipher::AES_256,
    };
    let key = UnboundCipherKey::new(algorithm, key.bytes())
        .and_then(mode)
        .unwrap();
    let context = match key.mode() {
        OperatingMode::ECB => EncryptionContext::None,
        _ => EncryptionContext::Iv128(FixedLength::from(*iv)),
    };
    let mut made = text.to_vec();
    key.less_safe_encrypt(&mut made, context).unwrap();
    made
}

/// Ciphertext and tag.
pub fn sealed(key: &Key, nonce: [u8; 12], aad: &[u8], text: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let algorithm = match key {
        Key::Aes128(_) => &aead::AES_128_GCM,
        Key::Aes192(_) => &aead::AES_192_GCM,
        Key::Aes256(_) => &aead::AES_256_GCM,
    };
    let key = LessSafeKey::new(aead::UnboundKey::new(algorithm, key.bytes()).unwrap());
    let mut made = text.to_vec();
    let tag = key
        .seal_in_place_separate_tag(Nonce::assume_unique_for_key(nonce), Aad::from(aad), &mut made)
        .unwrap();
    (made, tag.as_ref().to_vec())
}

pub fn tag(key: &Key, text: &[u8]) -> Vec<u8> {
    let algorithm = match key {
        Key::Aes128(_) => cmac::AES_128,
        Key::Aes192(_) => cmac::AES_192,
        Key::Aes256(_) => cmac::AES_256,
    };
    let key = cmac::Key::new(algorithm, key.bytes()).unwrap();
    cmac::sign(&key, text).unwrap().as_ref().to_vec()
}
