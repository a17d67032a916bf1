//! The ciphers under the traits of RustCrypto's `cipher`, `aead` and `digest`, for programs that are generic over them or
//! that change from RustCrypto's own AES: feature `rustcrypto`.
//!
//! ```
//! use ciphertune::rustcrypto::{Aes128Gcm, aead::{Aead, KeyInit, Payload}};
//!
//! let gcm = Aes128Gcm::new(&[0x2b; 16].into());
//! let sealed = gcm.encrypt(&[7; 12].into(), Payload { msg: b"attack at dawn", aad: b"orders" })?;
//! let opened = gcm.decrypt(&[7; 12].into(), Payload { msg: &sealed, aad: b"orders" })?;
//! assert_eq!(opened, b"attack at dawn");
//! # Ok::<(), ciphertune::rustcrypto::aead::Error>(())
//! ```
//!
//! | RustCrypto | here | traits |
//! |---|---|---|
//! | `aes::Aes128` | [`Aes128`] | `KeyInit`, `BlockCipherEncrypt`, `BlockCipherDecrypt` |
//! | `ctr::Ctr128BE<Aes128>` | [`Aes128Ctr`] | `KeyIvInit`, `StreamCipher`, `StreamCipherSeek` |
//! | `ofb::Ofb<Aes128>` | [`Ofb`] | `KeyIvInit`, `StreamCipher` |
//! | `cbc::Encryptor<Aes128>`, `cbc::Decryptor<Aes128>` | [`CbcEncryptor`], [`CbcDecryptor`] | `KeyIvInit`, `IvState`, `SetIvState`, `BlockModeEncrypt` or `BlockModeDecrypt` |
//! | `cfb_mode::Encryptor<Aes128>`, `cfb_mode::Decryptor<Aes128>` | [`CfbEncryptor`], [`CfbDecryptor`] | the same, and their own `encrypt` and `decrypt` of any length |
//! | `aes_gcm::Aes128Gcm` | [`Aes128Gcm`] | `KeyInit`, `AeadInOut` |
//! | `ccm::Ccm<Aes128, TagSize, NonceSize>` | [`Ccm`] | the same |
//! | `ocb3::Ocb3<Aes128, NonceSize, TagSize>` | [`Ocb`] | the same |
//! | `cmac::Cmac<Aes128>` | [`Aes128Cmac`] | `KeyInit`, `Mac` |
//!
//! All of them are `ZeroizeOnDrop`. Not here: `cfb_mode`'s `BufEncryptor` and `BufDecryptor`, instead of which
//! [`crate::Cfb`] takes parts of any lengths, and `InnerIvInit`, since a mode and its cipher are one here.
//!
//! These traits name a key's length by type, `U16`, `U24` or `U32`. What serves is chosen by wisdom as everywhere here.
//! **A constructor of these traits cannot tell of anything but lengths**: where `CIPHERTUNE_IMPLEMENTATION` or `CIPHERTUNE_CPU`
//! name what is not there, it panics with the words of [`Error`], and so it does where the type of a key has a length that AES
//! has not, as `Aes<U20>`. The crate's own types answer an error.
//!
//! **A message that is not authentic is zeros afterwards**, also in place, where RustCrypto's GCM leaves the ciphertext: to try
//! a second key on it, keep a copy.

mod authenticated;
mod blocks;
mod mac;
mod streams;

pub use aead;
pub use cipher;
pub use digest;

pub use authenticated::{Aes128Gcm, Aes192Gcm, Aes256Gcm, Authenticated, Ccm, Gcm, Ocb};
pub use blocks::{Aes, Aes128, Aes192, Aes256, CbcDecryptor, CbcEncryptor, CfbDecryptor, CfbEncryptor};
pub use mac::{Aes128Cmac, Aes192Cmac, Aes256Cmac, Cmac};
pub use streams::{Aes128Ctr, Aes192Ctr, Aes256Ctr, Ctr, Ofb};

use crate::Error;

/// What the traits cannot say.
fn made<T>(made: Result<T, Error>) -> T {
    made.unwrap_or_else(|error| panic!("{error}"))
}
