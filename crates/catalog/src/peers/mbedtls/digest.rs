//! Digests and HMAC.
use std::{
    ffi::{c_char, c_int, c_uchar, c_void},
    mem,
};

use ciphertune_testkit::{Algorithm, Fault, Operation, Task};
use zeroize::Zeroizing;

use super::structure::{ROOM, Structure};
use crate::{
    Timed,
    context::tagging,
    library::{Library, Missing, check, functions},
};

functions! {
    Functions {
        mbedtls_md_info_from_string: fn(*const c_char) -> *const c_void;
        mbedtls_md: fn(*const c_void, *const c_uchar, usize, *mut c_uchar) -> c_int;
        mbedtls_md_init: fn(*mut c_void);
        mbedtls_md_free: fn(*mut c_void);
        mbedtls_md_setup: fn(*mut c_void, *const c_void, c_int) -> c_int;
        mbedtls_md_hmac_starts: fn(*mut c_void, *const c_uchar, usize) -> c_int;
        mbedtls_md_hmac_update: fn(*mut c_void, *const c_uchar, usize) -> c_int;
        mbedtls_md_hmac_finish: fn(*mut c_void, *mut c_uchar) -> c_int;
        mbedtls_md_hmac_reset: fn(*mut c_void) -> c_int;
    }
}

pub(super) struct Digests(Functions);

impl Digests {
    pub(super) fn find(library: Library) -> Result<Self, Missing> {
        Functions::find(library).map(Self)
    }

    pub(super) fn has(&self, algorithm: Algorithm) -> bool {
        self.hash(algorithm).is_some()
    }

    pub(super) fn context(&'static self, task: Task, key: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        let contract = task.contract;
        let functions = &self.0;
        let info = self.hash(task.algorithm);
        let info = info.ok_or_else(|| Fault(format!("Mbed TLS has no {task}")))?;
        let len = task.algorithm.tag_len();
        if task.operation == Operation::Digest {
            return Ok(tagging(
                contract,
                (),
                |()| Ok(()),
                move |(), envelope, message| {
                    check(envelope.tag.len() == len, "mbedtls_md")?;
                    let (input, digest) = (message.as_ptr(), envelope.tag.as_mut_ptr());
                    // SAFETY: the message is readable for its length, and the digest as long as the hash makes it.
                    let error = unsafe { (functions.mbedtls_md)(info, input, message.len(), digest) };
                    check(error == 0, "mbedtls_md")
                },
            ));
        }
        let mut hmac = Hmac::new(functions, info, len)?;
        hmac.set_key(key)?;
        hmac.structure.check()?;
        let kept = Zeroizing::new(key.to_vec());
        let renew = move |hmac: &mut Hmac| hmac.set_key(&kept);
        Ok(tagging(contract, hmac, renew, |hmac, envelope, message| {
            hmac.tag(message, envelope.tag)
        }))
    }

    /// Its `mbedtls_md_info_t` of a digest, or of what an HMAC is made of.
    fn hash(&self, algorithm: Algorithm) -> Option<*const c_void> {
        let name = match algorithm.name() {
            "MD2" => c"MD2",
            "MD4" => c"MD4",
            "MD5" => c"MD5",
            "SHA1" | "HMAC-SHA1" => c"SHA1",
            "SHA2-224" => c"SHA224",
            "SHA2-256" | "HMAC-SHA2-256" => c"SHA256",
            "SHA2-384" => c"SHA384",
            "SHA2-512" | "HMAC-SHA2-512" => c"SHA512",
            "SHA3-256" => c"SHA3-256",
            "SHA3-512" => c"SHA3-512",
            "RIPEMD-160" => c"RIPEMD160",
            _ => return None,
        };
        // SAFETY: the name ends in NUL; answers NULL or a static structure.
        let info = unsafe { (self.0.mbedtls_md_info_from_string)(name.as_ptr()) };
        (!info.is_null()).then_some(info)
    }
}

/// A `mbedtls_md_context_t` for HMAC.
struct Hmac {
    functions: &'static Functions,
    structure: Structure,
    len: usize,
    /// Its key was set, and nothing done by it yet.
    is_fresh: bool,
}

impl Hmac {
    fn new(functions: &'static Functions, info: *const c_void, len: usize) -> Result<Self, Fault> {
        let (init, free) = (functions.mbedtls_md_init, functions.mbedtls_md_free);
        // SAFETY: both of `mbedtls_md_context_t`.
        let structure = unsafe { Structure::new(ROOM, init, free) }?;
        let mut hmac = Self {
            functions,
            structure,
            len,
            is_fresh: false,
        };
        // SAFETY: the structure is new, and the hash a static structure of the library; 1 asks for HMAC.
        let error = unsafe { (functions.mbedtls_md_setup)(hmac.structure.as_mut_ptr(), info, 1) };
        check(error == 0, "mbedtls_md_setup").map(|()| hmac)
    }

    #[inline]
    fn set_key(&mut self, key: &[u8]) -> Result<(), Fault> {
        let structure = self.structure.as_mut_ptr();
        // SAFETY: the structure is set up, and the key readable for its length.
        let error = unsafe { (self.functions.mbedtls_md_hmac_starts)(structure, key.as_ptr(), key.len()) };
        self.is_fresh = true;
        check(error == 0, "mbedtls_md_hmac_starts")
    }

    #[inline]
    fn tag(&mut self, message: &[u8], tag: &mut [u8]) -> Result<(), Fault> {
        check(tag.len() == self.len, "mbedtls_md_hmac_finish")?;
        let structure = self.structure.as_mut_ptr();
        // SAFETY: the structure has its key, which a reset keeps; the message is readable for its length, and the tag as
        // long as the hash makes it.
        let error = unsafe {
            let reset = match mem::take(&mut self.is_fresh) {
                true => 0,
                false => (self.functions.mbedtls_md_hmac_reset)(structure),
            };
            reset
                | (self.functions.mbedtls_md_hmac_update)(structure, message.as_ptr(), message.len())
                | (self.functions.mbedtls_md_hmac_finish)(structure, tag.as_mut_ptr())
        };
        check(error == 0, "mbedtls_md_hmac_update")
    }
}
