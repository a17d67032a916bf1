//! CMAC.
use std::ffi::{c_int, c_uchar, c_void};

use ciphertune_testkit::{Algorithm, Fault, Task};
use zeroize::Zeroizing;

use super::structure::Structure;
use crate::{
    Timed,
    context::tagging,
    library::{Library, Missing, check, functions},
};

functions! {
    Functions {
        mbedtls_cipher_init: fn(*mut c_void);
        mbedtls_cipher_free: fn(*mut c_void);
        mbedtls_cipher_info_from_type: fn(c_int) -> *const c_void;
        mbedtls_cipher_setup: fn(*mut c_void, *const c_void) -> c_int;
        mbedtls_cipher_cmac_starts: fn(*mut c_void, *const c_uchar, usize) -> c_int;
        mbedtls_cipher_cmac_update: fn(*mut c_void, *const c_uchar, usize) -> c_int;
        mbedtls_cipher_cmac_finish: fn(*mut c_void, *mut c_uchar) -> c_int;
        mbedtls_cipher_cmac_reset: fn(*mut c_void) -> c_int;
    }
}

pub(super) struct Cmac(Functions);

impl Cmac {
    pub(super) fn find(library: Library) -> Result<Self, Missing> {
        Functions::find(library).map(Self)
    }

    pub(super) fn has(algorithm: Algorithm) -> bool {
        algorithm.aes_mode() == Some("CMAC")
    }

    pub(super) fn context(&'static self, task: Task, key: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        let functions = &self.0;
        let kept = Zeroizing::new(key.to_vec());
        let mac = Mac::new(functions, key)?;
        let renew = move |mac: &mut Mac| mac.set_key(&kept);
        Ok(tagging(task.contract, mac, renew, |mac, envelope, message| {
            mac.tag(message, envelope.tag)
        }))
    }
}

/// `MBEDTLS_CIPHER_AES_128_ECB`; those of 192 and 256 bits follow.
pub(super) const AES_128_ECB: usize = 2;

/// Bytes for a `mbedtls_cipher_context_t`, which has pointers to what options make longer.
pub(super) const ROOM: usize = 256;

/// A `mbedtls_cipher_context_t` for CMAC.
struct Mac {
    functions: &'static Functions,
    structure: Structure,
}

impl Mac {
    fn new(functions: &'static Functions, key: &[u8]) -> Result<Self, Fault> {
        let (init, free) = (functions.mbedtls_cipher_init, functions.mbedtls_cipher_free);
        // SAFETY: both of `mbedtls_cipher_context_t`.
        let structure = unsafe { Structure::new(ROOM, init, free) }?;
        let mut mac = Self { functions, structure };
        mac.set_key(key)?;
        mac.structure.check().map(|()| mac)
    }

    /// In a new structure: in one that has a key already another one would be a leak.
    #[inline]
    fn set_key(&mut self, key: &[u8]) -> Result<(), Fault> {
        self.structure.renew();
        let cipher = (AES_128_ECB + key.len() / 8 - 2) as c_int;
        let structure = self.structure.as_mut_ptr();
        // SAFETY: the structure is new; the first function answers NULL or a static structure, and NULL is refused by the
        // second. The key is readable for its length, which is the cipher's.
        let error = unsafe {
            let info = (self.functions.mbedtls_cipher_info_from_type)(cipher);
            match (self.functions.mbedtls_cipher_setup)(structure, info) {
                0 => (self.functions.mbedtls_cipher_cmac_starts)(structure, key.as_ptr(), 8 * key.len()),
                error => error,
            }
        };
        check(error == 0, "mbedtls_cipher_cmac_starts")
    }

    #[inline]
    fn tag(&mut self, message: &[u8], tag: &mut [u8]) -> Result<(), Fault> {
        check(tag.len() == 16, "mbedtls_cipher_cmac_finish")?;
        let structure = self.structure.as_mut_ptr();
        // SAFETY: the structure has its key, which a reset keeps; the message is readable for its length, and the tag as
        // long as CMAC's is.
        let error = unsafe {
            (self.functions.mbedtls_cipher_cmac_reset)(structure)
                | (self.functions.mbedtls_cipher_cmac_update)(structure, message.as_ptr(), message.len())
                | (self.functions.mbedtls_cipher_cmac_finish)(structure, tag.as_mut_ptr())
        };
        check(error == 0, "mbedtls_cipher_cmac_update")
    }
}
