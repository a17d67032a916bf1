//! Mbed TLS. Signatures as in the headers of 2.28 and 3.6; 2.16, as Debian 11 has it, is without CMAC. Its structures are
//! its users' to place: they get more room than the headers ask for, which a test looks at, and
//! what is longer is refused.
use std::ffi::{c_char, c_int, c_uchar, c_uint, c_void};

use ciphertune_testkit::{Fault, Task};

use super::{About, Flaw, Interface, Peer};
use crate::{
    Timed,
    library::{Library, Missing, text},
};

mod aead;
mod chacha;
mod cmac;
mod digest;
mod keys;
mod modes;
mod old;
mod structure;

use aead::Aead;
use chacha::Chacha;
use cmac::Cmac;
use digest::Digests;
use keys::Keys;
use modes::Modes;
use old::Old;
#[cfg(test)]
pub(super) use old::layout as old_layout;

pub(super) struct Mbedtls {
    modes: Modes,
    aead: Aead,
    cmac: Cmac,
    digests: Digests,
    // A build may be without these.
    chacha: Option<Chacha>,
    keys: Option<Keys>,
    old: Old,
    goes_by: Option<String>,
}

impl Peer for Mbedtls {
    const ABOUT: About = About {
        name: "mbedtls",
        interfaces: &[
            Interface::new("libmbedcrypto.so.16", "libmbedcrypto16", (3, 6)..=(3, 6)),
            Interface::new("libmbedcrypto.so.7", "libmbedcrypto7", (2, 28)..=(2, 28)),
        ],
    };

    fn version(library: Library) -> Result<String, Missing> {
        let mut version: [c_char; 16] = [0; 16];
        // SAFETY: version.h gives the name this type, and asks for room for nine bytes. The last one stays NUL.
        unsafe {
            let write: unsafe extern "C" fn(*mut c_char) = library.symbol("mbedtls_version_get_string")?;
            write(version.as_mut_ptr());
            Ok(text(version.as_ptr()))
        }
    }

    fn find(library: Library, version: (u32, u32)) -> Result<Self, Flaw> {
        Ok(Self {
            modes: Modes::find(library)?,
            aead: Aead::find(library)?,
            cmac: Cmac::find(library)?,
            digests: Digests::find(library)?,
            chacha: Chacha::find(library).ok(),
            keys: Keys::find(library, version).ok(),
            old: Old::find(library),
            goes_by: goes_by(library),
        })
    }

    fn address(&self) -> *const c_void {
        self.modes.address()
    }

    /// Without these instructions, AES and GHASH go by tables. What it knows of those of ARM it does not tell.
    fn constant_time(&self) -> bool {
        self.goes_by
            .as_ref()
            .is_some_and(|told| told.ends_with(":AES:CLMUL"))
    }

    fn goes_by(&self) -> Option<String> {
        self.goes_by.clone()
    }

    fn has(&self, task: Task) -> bool {
        let algorithm = task.algorithm;
        self.digests.has(algorithm)
            || Keys::has(algorithm) && self.keys.is_some()
            || Chacha::has(algorithm) && self.chacha.is_some()
            || self.old.has(algorithm)
            || Aead::has(algorithm)
            || Cmac::has(algorithm)
            || self.modes.has(algorithm)
    }

    fn context(&'static self, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        let algorithm = task.algorithm;
        if let Some(keys) = self.keys.as_ref().filter(|_| algorithm.is_public_key()) {
            return keys.context(task, key);
        }
        if let Some(chacha) = self.chacha.as_ref().filter(|_| Chacha::has(algorithm)) {
            return chacha.context(task, key);
        }
        if self.old.has(algorithm) {
            return self.old.context(task, key, iv);
        }
        if self.digests.has(algorithm) {
            return self.digests.context(task, key);
        }
        if Cmac::has(algorithm) {
            return self.cmac.context(task, key);
        }
        if Aead::has(algorithm) {
            return self.aead.context(task, key);
        }
        self.modes.context(task, key, iv)
    }
}

/// What its AES and its GHASH ask at each use; a build without code for these instructions lacks the function.
fn goes_by(library: Library) -> Option<String> {
    const HAS_SUPPORT: &str = "mbedtls_aesni_has_support";
    // `MBEDTLS_AESNI_AES` and `MBEDTLS_AESNI_CLMUL`.
    const FEATURES: [(&str, c_uint); 2] = [("AES", 0x0200_0000), ("CLMUL", 2)];
    type HasSupport = unsafe extern "C" fn(c_uint) -> c_int;
    let mut told = HAS_SUPPORT.to_owned();
    for (name, bit) in FEATURES {
        // SAFETY: aesni.h gives the name this type. It keeps it for the library's own use; but the function takes any
        // number, and does no more than to ask the processor.
        let has = unsafe { library.symbol::<HasSupport>(HAS_SUPPORT).ok()?(bit) };
        if has != 0 {
            told = told + ":" + name;
        }
    }
    Some(told)
}

/// `MBEDTLS_AES_ENCRYPT` and `MBEDTLS_AES_DECRYPT`; Camellia's and GCM's have the same numbers.
const ENCRYPT: c_int = 1;
const DECRYPT: c_int = 0;

/// Context, key and its bits.
type SetKey = unsafe extern "C" fn(*mut c_void, *const c_uchar, c_uint) -> c_int;

fn bits(key: &[u8]) -> c_uint {
    8 * key.len() as c_uint
}

#[cfg(test)]
pub(super) fn layout() -> super::layouts::Layout {
    super::layouts::Layout {
        headers: &[
            "mbedtls/aes.h",
            "mbedtls/camellia.h",
            "mbedtls/gcm.h",
            "mbedtls/ccm.h",
            "mbedtls/chachapoly.h",
            "mbedtls/cmac.h",
            "mbedtls/md.h",
            "mbedtls/ctr_drbg.h",
            "mbedtls/pk.h",
            "mbedtls/ecp.h",
        ],
        facts: vec![
            ("sizeof(mbedtls_aes_context) <= 16384", 1),
            ("sizeof(mbedtls_aes_xts_context) <= 16384", 1),
            ("sizeof(mbedtls_camellia_context) <= 16384", 1),
            ("sizeof(mbedtls_gcm_context) <= 16384", 1),
            ("sizeof(mbedtls_ccm_context) <= 16384", 1),
            ("sizeof(mbedtls_chachapoly_context) <= 16384", 1),
            ("sizeof(mbedtls_cipher_context_t) <= 256", 1),
            ("256", cmac::ROOM),
            ("sizeof(mbedtls_md_context_t) <= 16384", 1),
            ("sizeof(mbedtls_ctr_drbg_context) <= 16384", 1),
            ("sizeof(mbedtls_pk_context) <= 16384", 1),
            ("sizeof(mbedtls_ecp_group) <= 16384", 1),
            ("sizeof(mbedtls_ecp_point) <= 16384", 1),
            ("sizeof(mbedtls_mpi) <= 16384", 1),
            ("16384", structure::ROOM),
            ("MBEDTLS_PK_SIGNATURE_MAX_SIZE <= 1024", 1),
            ("1024", keys::LONGEST),
            ("MBEDTLS_ECP_DP_CURVE25519", keys::CURVE25519 as usize),
            ("MBEDTLS_AES_ENCRYPT", ENCRYPT as usize),
            ("MBEDTLS_CAMELLIA_ENCRYPT", ENCRYPT as usize),
            ("MBEDTLS_GCM_ENCRYPT", ENCRYPT as usize),
            ("MBEDTLS_AES_DECRYPT", DECRYPT as usize),
            ("MBEDTLS_CAMELLIA_DECRYPT", DECRYPT as usize),
            ("MBEDTLS_CIPHER_ID_AES", aead::AES as usize),
            ("MBEDTLS_CIPHER_AES_128_ECB", cmac::AES_128_ECB),
            ("MBEDTLS_CIPHER_AES_256_ECB", cmac::AES_128_ECB + 2),
        ],
    }
}
