//! Keys of two halves.
use std::{
    ffi::{CStr, c_char, c_int},
    mem, ptr,
};

use ciphertune_testkit::{Algorithm, Envelope, Fault, Operation, Task};

use super::Handle;
use crate::{
    Timed,
    context::{seed, tagging},
    library::{Library, Missing, check, functions},
};

functions! {
    Functions {
        botan_rng_init: fn(*mut Handle, *const c_char) -> c_int;
        botan_rng_destroy: fn(Handle) -> c_int;
        botan_privkey_load: fn(*mut Handle, Handle, *const u8, usize, *const c_char) -> c_int;
        botan_privkey_load_ed25519: fn(*mut Handle, *const u8) -> c_int;
        botan_privkey_load_x25519: fn(*mut Handle, *const u8) -> c_int;
        botan_privkey_export_pubkey: fn(*mut Handle, Handle) -> c_int;
        botan_privkey_destroy: fn(Handle) -> c_int;
        botan_pubkey_destroy: fn(Handle) -> c_int;
        botan_pk_op_sign_create: fn(*mut Handle, Handle, *const c_char, u32) -> c_int;
        botan_pk_op_sign_update: fn(Handle, *const u8, usize) -> c_int;
        botan_pk_op_sign_finish: fn(Handle, Handle, *mut u8, *mut usize) -> c_int;
        botan_pk_op_sign_destroy: fn(Handle) -> c_int;
        botan_pk_op_verify_create: fn(*mut Handle, Handle, *const c_char, u32) -> c_int;
        botan_pk_op_verify_update: fn(Handle, *const u8, usize) -> c_int;
        botan_pk_op_verify_finish: fn(Handle, *const u8, usize) -> c_int;
        botan_pk_op_verify_destroy: fn(Handle) -> c_int;
        botan_pk_op_key_agreement_create: fn(*mut Handle, Handle, *const c_char, u32) -> c_int;
        botan_pk_op_key_agreement: fn(Handle, *mut u8, *mut usize, *const u8, usize, *const u8, usize) -> c_int;
        botan_pk_op_key_agreement_destroy: fn(Handle) -> c_int;
    }
}

/// What works by keys of two halves.
pub(super) struct Keys(Functions);

impl Keys {
    pub(super) fn find(library: Library) -> Result<Self, Missing> {
        Functions::find(library).map(Self)
    }

    pub(super) fn has(algorithm: Algorithm) -> bool {
        algorithm.name() == "X25519" || padding(algorithm).is_some()
    }

    pub(super) fn context(&'static self, task: Task, key: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        let key = Key::new(&self.0, task, key)?;
        Ok(tagging(
            task.contract,
            key,
            |_| Ok(()),
            match task.operation {
                Operation::Sign => Key::sign,
                Operation::Verify => Key::verify,
                _ => Key::derive,
            },
        ))
    }
}

/// Botan's name for what becomes of a message before it is signed.
fn padding(algorithm: Algorithm) -> Option<&'static CStr> {
    Some(match algorithm.name() {
        "Ed25519" => c"Pure",
        "ECDSA-P-256" | "DSA-2048" => c"EMSA1(SHA-256)",
        "ECDSA-P-384" => c"EMSA1(SHA-384)",
        name if name.starts_with("RSA-") => c"EMSA3(SHA-256)",
        _ => return None,
    })
}

/// `BOTAN_PUBKEY_DER_FORMAT_SIGNATURE`
const DER: u32 = 1;

/// Handles for one operation by a key, NULL where it needs none of the kind. Botan wipes keys when it destroys them.
struct Key {
    functions: &'static Functions,
    algorithm: Algorithm,
    random: Handle,
    private: Handle,
    public: Handle,
    operation: Handle,
    destroy: unsafe extern "C" fn(Handle) -> c_int,
}

impl Key {
    fn new(functions: &'static Functions, task: Task, key: &[u8]) -> Result<Self, Fault> {
        let mut made = Self {
            functions,
            algorithm: task.algorithm,
            random: ptr::null_mut(),
            private: ptr::null_mut(),
            public: ptr::null_mut(),
            operation: ptr::null_mut(),
            destroy: match task.operation {
                Operation::Sign => functions.botan_pk_op_sign_destroy,
                Operation::Verify => functions.botan_pk_op_verify_destroy,
                _ => functions.botan_pk_op_key_agreement_destroy,
            },
        };
        // SAFETY: writes a handle that is ours; "user" seeds a generator in this process from the system's.
        let error = unsafe { (functions.botan_rng_init)(&mut made.random, c"user".as_ptr()) };
        check(error == 0, "botan_rng_init")?;
        made.read(key)?;
        made.begin(task.operation)?;
        Ok(made)
    }

    fn read(&mut self, key: &[u8]) -> Result<(), Fault> {
        let functions = self.functions;
        let private = &mut self.private;
        // SAFETY: each writes a handle that is ours and reads the key, the first by its length and the others the 32 bytes
        // that it is known to have; NULL is no password.
        let error = unsafe {
            match self.algorithm.name() {
                "Ed25519" => (functions.botan_privkey_load_ed25519)(private, seed(key)?.as_ptr()),
                "X25519" => (functions.botan_privkey_load_x25519)(private, seed(key)?.as_ptr()),
                _ => {
                    (functions.botan_privkey_load)(private, self.random, key.as_ptr(), key.len(), ptr::null())
                }
            }
        };
        check(error == 0, "botan_privkey_load")?;
        // SAFETY: the private key is valid, and the handle that is written ours.
        let error = unsafe { (functions.botan_privkey_export_pubkey)(&mut self.public, self.private) };
        check(error == 0, "botan_privkey_export_pubkey")
    }

    fn begin(&mut self, operation: Operation) -> Result<(), Fault> {
        let functions = self.functions;
        let padding = padding(self.algorithm).unwrap_or(c"Raw").as_ptr();
        // RSA and Ed25519 have one form alone.
        let form = match self.algorithm.name().split_once('-') {
            Some(("DSA" | "ECDSA", _)) => DER,
            _ => 0,
        };
        let place = &mut self.operation;
        // SAFETY: each writes a handle that is ours, for a valid key, which it copies or holds on to; the name ends in NUL.
        let error = unsafe {
            match operation {
                Operation::Sign => (functions.botan_pk_op_sign_create)(place, self.private, padding, form),
                Operation::Verify => (functions.botan_pk_op_verify_create)(place, self.public, padding, form),
                _ => (functions.botan_pk_op_key_agreement_create)(place, self.private, padding, 0),
            }
        };
        check(error == 0, "botan_pk_op_sign_create or another")
    }

    #[inline]
    fn sign(&mut self, envelope: &mut Envelope<'_>, message: &[u8]) -> Result<(), Fault> {
        let signature = &mut *envelope.tag;
        let mut len = signature.len();
        // SAFETY: the handles are valid and the operation one that signs; the message is readable for its length, and no
        // more is written than is told that there is room for.
        let error = unsafe {
            (self.functions.botan_pk_op_sign_update)(self.operation, message.as_ptr(), message.len())
                | (self.functions.botan_pk_op_sign_finish)(
                    self.operation,
                    self.random,
                    signature.as_mut_ptr(),
                    &mut len,
                )
        };
        check(error == 0 && len <= signature.len(), "botan_pk_op_sign_finish")?;
        signature[len..].fill(0);
        Ok(())
    }

    #[inline]
    fn verify(&mut self, envelope: &mut Envelope<'_>, message: &[u8]) -> Result<(), Fault> {
        let signature = self.algorithm.signature(envelope.tag);
        // SAFETY: the handle is valid and one that verifies; message and signature are readable for their lengths.
        let error = unsafe {
            (self.functions.botan_pk_op_verify_update)(self.operation, message.as_ptr(), message.len())
                | (self.functions.botan_pk_op_verify_finish)(
                    self.operation,
                    signature.as_ptr(),
                    signature.len(),
                )
        };
        if error != 0 {
            self.begin_anew(Operation::Verify)?;
        }
        check(error == 0, "botan_pk_op_verify_finish")
    }

    /// What Botan 2 refuses as no signature at all leaves its message in the operation, before the next one's.
    #[cold]
    fn begin_anew(&mut self, operation: Operation) -> Result<(), Fault> {
        // SAFETY: it is valid and of the function's kind; NULL takes its place until there is another.
        unsafe { (self.destroy)(mem::replace(&mut self.operation, ptr::null_mut())) };
        self.begin(operation)
    }

    #[inline]
    fn derive(&mut self, envelope: &mut Envelope<'_>, public: &[u8]) -> Result<(), Fault> {
        let secret = &mut *envelope.tag;
        let mut len = secret.len();
        // SAFETY: the handle is valid and one that agrees; the public key is readable for its length, there is no salt, and
        // no more is written than is told that there is room for.
        let error = unsafe {
            (self.functions.botan_pk_op_key_agreement)(
                self.operation,
                secret.as_mut_ptr(),
                &mut len,
                public.as_ptr(),
                public.len(),
                ptr::null(),
                0,
            )
        };
        check(error == 0 && len == secret.len(), "botan_pk_op_key_agreement")
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        let functions = self.functions;
        // SAFETY: each is valid and of the function's kind, or NULL, of which nothing comes; destroyed once, the operation
        // before its key.
        unsafe {
            (self.destroy)(self.operation);
            (functions.botan_pubkey_destroy)(self.public);
            (functions.botan_privkey_destroy)(self.private);
            (functions.botan_rng_destroy)(self.random);
        }
    }
}
