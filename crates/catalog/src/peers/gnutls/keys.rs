//! Signatures. Keys agree on nothing by its interface before 3.8.2.
use std::{
    ffi::{c_char, c_int, c_uint, c_void},
    ptr,
};

use ciphertune_testkit::{Algorithm, Envelope, Fault, Operation, Task};

use super::{Datum, Handle};
use crate::{
    Timed,
    context::tagging,
    library::{Library, Missing, check, functions},
};

functions! {
    Functions {
        gnutls_privkey_init: fn(*mut Handle) -> c_int;
        gnutls_privkey_import_x509_raw: fn(Handle, *const Datum, c_int, *const c_char, c_uint) -> c_int;
        gnutls_privkey_sign_data2: fn(Handle, c_int, c_uint, *const Datum, *mut Datum) -> c_int;
        gnutls_privkey_deinit: fn(Handle);
        gnutls_pubkey_init: fn(*mut Handle) -> c_int;
        gnutls_pubkey_import_privkey: fn(Handle, Handle, c_uint, c_uint) -> c_int;
        gnutls_pubkey_verify_data2: fn(Handle, c_int, c_uint, *const Datum, *const Datum) -> c_int;
        gnutls_pubkey_deinit: fn(Handle);
    }
}

pub(super) struct Keys {
    functions: Functions,
    /// `gnutls_free`, a variable.
    free: unsafe extern "C" fn(*mut c_void),
}

impl Keys {
    pub(super) fn find(library: Library) -> Result<Self, Missing> {
        let functions = Functions::find(library)?;
        // SAFETY: gnutls.h gives the variable this type; it has its value since the library was loaded.
        let free = unsafe { *library.symbol::<*const unsafe extern "C" fn(*mut c_void)>("gnutls_free")? };
        Ok(Self { functions, free })
    }

    pub(super) fn has(algorithm: Algorithm) -> bool {
        number(algorithm).is_some()
    }

    pub(super) fn context(&'static self, task: Task, key: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        let number = number(task.algorithm).ok_or_else(|| Fault(format!("gnutls has no {task}")))?;
        let key = Key::new(self, task.algorithm, number, key)?;
        Ok(tagging(
            task.contract,
            key,
            |_| Ok(()),
            match task.operation {
                Operation::Sign => Key::sign,
                _ => Key::verify,
            },
        ))
    }
}

/// `GNUTLS_SIGN_*`
fn number(algorithm: Algorithm) -> Option<c_int> {
    Some(match algorithm.name() {
        "DSA-2048" => 11,
        "ECDSA-P-256" => 14,
        "ECDSA-P-384" => 15,
        "Ed25519" => 35,
        name if name.starts_with("RSA-") => 6,
        _ => return None,
    })
}

/// `GNUTLS_X509_FMT_DER`
const DER: c_int = 0;
/// `GNUTLS_PKCS_PLAIN`
const PLAIN: c_uint = 1;

/// A `gnutls_privkey_t` and its `gnutls_pubkey_t`. GnuTLS wipes keys when it frees them.
struct Key {
    keys: &'static Keys,
    algorithm: Algorithm,
    number: c_int,
    private: Handle,
    public: Handle,
}

impl Key {
    fn new(keys: &'static Keys, algorithm: Algorithm, number: c_int, key: &[u8]) -> Result<Self, Fault> {
        let mut made = Self {
            keys,
            algorithm,
            number,
            private: ptr::null_mut(),
            public: ptr::null_mut(),
        };
        let functions = &keys.functions;
        // SAFETY: both write handles that are ours.
        let error = unsafe {
            (functions.gnutls_privkey_init)(&mut made.private)
                | (functions.gnutls_pubkey_init)(&mut made.public)
        };
        check(error == 0, "gnutls_privkey_init or gnutls_pubkey_init")?;
        // SAFETY: the handles are valid and new; the key is readable for its length, and only read. NULL is no password.
        let error = unsafe {
            (functions.gnutls_privkey_import_x509_raw)(made.private, &Datum::of(key), DER, ptr::null(), PLAIN)
                | (functions.gnutls_pubkey_import_privkey)(made.public, made.private, 0, 0)
        };
        check(error == 0, "gnutls_privkey_import_x509_raw").map(|()| made)
    }

    #[inline]
    fn sign(&mut self, envelope: &mut Envelope<'_>, message: &[u8]) -> Result<(), Fault> {
        let sign = self.keys.functions.gnutls_privkey_sign_data2;
        let mut made = Datum::of(&[]);
        // SAFETY: the handle is valid and has its key; the message is readable for its length. What is written says where
        // the signature lies, which is then ours.
        let error = unsafe { sign(self.private, self.number, 0, &Datum::of(message), &mut made) };
        check(error == 0, "gnutls_privkey_sign_data2")?;
        let (len, room) = (made.size as usize, &mut *envelope.tag);
        let fits = len <= room.len();
        if fits {
            // SAFETY: there are so many bytes of the signature, in memory of its own, and there is room for them.
            unsafe { ptr::copy_nonoverlapping(made.data, room.as_mut_ptr(), len) };
            room[len..].fill(0);
        }
        // SAFETY: GnuTLS allocated it; freed once.
        unsafe { (self.keys.free)(made.data.cast_mut().cast()) };
        check(fits, "gnutls_privkey_sign_data2")
    }

    #[inline]
    fn verify(&mut self, envelope: &mut Envelope<'_>, message: &[u8]) -> Result<(), Fault> {
        let verify = self.keys.functions.gnutls_pubkey_verify_data2;
        let signature = Datum::of(self.algorithm.signature(envelope.tag));
        // SAFETY: the handle is valid and has its key; message and signature are readable for their lengths.
        let answer = unsafe { verify(self.public, self.number, 0, &Datum::of(message), &signature) };
        check(answer >= 0, "gnutls_pubkey_verify_data2")
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        let functions = &self.keys.functions;
        // SAFETY: valid, or NULL, of which nothing comes; freed once.
        unsafe {
            (functions.gnutls_pubkey_deinit)(self.public);
            (functions.gnutls_privkey_deinit)(self.private);
        }
    }
}
