//! ChaCha20-Poly1305 and Poly1305.
use std::ffi::{c_int, c_uchar, c_void};

use ciphertune_testkit::{Algorithm, Envelope, Fault, Operation, Task};
use inout::InOutBuf;
use zeroize::Zeroizing;

use super::structure::{ROOM, Structure};
use crate::{
    Timed,
    context::{inout, tagging},
    library::{Library, Missing, check, functions},
};

functions! {
    Functions {
        mbedtls_chachapoly_init: fn(*mut c_void);
        mbedtls_chachapoly_free: fn(*mut c_void);
        mbedtls_chachapoly_setkey: fn(*mut c_void, *const c_uchar) -> c_int;
        mbedtls_chachapoly_encrypt_and_tag: fn(
            *mut c_void, usize, *const c_uchar, *const c_uchar, usize, *const c_uchar, *mut c_uchar, *mut c_uchar,
        ) -> c_int;
        mbedtls_chachapoly_auth_decrypt: fn(
            *mut c_void, usize, *const c_uchar, *const c_uchar, usize, *const c_uchar, *const c_uchar, *mut c_uchar,
        ) -> c_int;
        mbedtls_poly1305_mac: fn(*const c_uchar, *const c_uchar, usize, *mut c_uchar) -> c_int;
    }
}

pub(super) struct Chacha(Functions);

impl Chacha {
    pub(super) fn find(library: Library) -> Result<Self, Missing> {
        Functions::find(library).map(Self)
    }

    pub(super) fn has(algorithm: Algorithm) -> bool {
        matches!(algorithm.name(), "ChaCha20-Poly1305" | "Poly1305")
    }

    pub(super) fn context(&'static self, task: Task, key: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        let contract = task.contract;
        let functions = &self.0;
        let kept = Zeroizing::new(key.to_vec());
        if task.operation == Operation::Mac {
            let renew = |_: &mut _| Ok(());
            return Ok(tagging(contract, kept, renew, |key, envelope, message| {
                poly1305(functions, key, message, envelope.tag)
            }));
        }
        let mut key = Key::new(functions)?;
        key.set(&kept)?;
        key.structure.check()?;
        let renew = move |key: &mut Key| key.set(&kept);
        Ok(match task.operation {
            Operation::Open => inout(contract, key, renew, Key::open),
            _ => inout(contract, key, renew, Key::seal),
        })
    }
}

#[inline]
fn poly1305(functions: &Functions, key: &[u8], message: &[u8], tag: &mut [u8]) -> Result<(), Fault> {
    check((key.len(), tag.len()) == (32, 16), "mbedtls_poly1305_mac")?;
    let (input, tag) = (message.as_ptr(), tag.as_mut_ptr());
    // SAFETY: key and tag have the lengths that the function goes by, and the message is readable for its own.
    let error = unsafe { (functions.mbedtls_poly1305_mac)(key.as_ptr(), input, message.len(), tag) };
    check(error == 0, "mbedtls_poly1305_mac")
}

/// A `mbedtls_chachapoly_context`.
struct Key {
    functions: &'static Functions,
    structure: Structure,
}

impl Key {
    fn new(functions: &'static Functions) -> Result<Self, Fault> {
        let (init, free) = (
            functions.mbedtls_chachapoly_init,
            functions.mbedtls_chachapoly_free,
        );
        // SAFETY: both of `mbedtls_chachapoly_context`.
        let structure = unsafe { Structure::new(ROOM, init, free) }?;
        Ok(Self { functions, structure })
    }

    #[inline]
    fn set(&mut self, key: &[u8]) -> Result<(), Fault> {
        check(key.len() == 32, "mbedtls_chachapoly_setkey")?;
        // SAFETY: the structure is made, and the key has the length that the function goes by.
        let error =
            unsafe { (self.functions.mbedtls_chachapoly_setkey)(self.structure.as_mut_ptr(), key.as_ptr()) };
        check(error == 0, "mbedtls_chachapoly_setkey")
    }

    #[inline]
    fn seal(&mut self, envelope: &mut Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let Envelope { iv, aad, tag } = envelope;
        check(
            (iv.len(), tag.len()) == (12, 16),
            "mbedtls_chachapoly_encrypt_and_tag",
        )?;
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        // SAFETY: the structure has its key; nonce and tag have the lengths that the function goes by, additional data
        // and `input` are readable and `output` ours to write for their own, in place or apart.
        let error = unsafe {
            (self.functions.mbedtls_chachapoly_encrypt_and_tag)(
                self.structure.as_mut_ptr(),
                len,
                iv.as_ptr(),
                aad.as_ptr(),
                aad.len(),
                input,
                output,
                tag.as_mut_ptr(),
            )
        };
        check(error == 0, "mbedtls_chachapoly_encrypt_and_tag")
    }

    #[inline]
    fn open(&mut self, envelope: &mut Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let Envelope { iv, aad, tag } = envelope;
        check(
            (iv.len(), tag.len()) == (12, 16),
            "mbedtls_chachapoly_auth_decrypt",
        )?;
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        // SAFETY: as in `seal`; the tag is only read.
        let error = unsafe {
            (self.functions.mbedtls_chachapoly_auth_decrypt)(
                self.structure.as_mut_ptr(),
                len,
                iv.as_ptr(),
                aad.as_ptr(),
                aad.len(),
                tag.as_ptr(),
                input,
                output,
            )
        };
        check(error == 0, "mbedtls_chachapoly_auth_decrypt")
    }
}
