//! libsodium. Signatures as in its headers of 1.0.18; its soname has stood for them since 1.0.17.
use std::{
    ffi::{c_char, c_int, c_uchar, c_ulonglong, c_void},
    ptr,
};

use ciphertune_testkit::{Envelope, Fault, Operation, Task};
use inout::InOutBuf;
use zeroize::Zeroizing;

use super::{About, Flaw, Peer, memory::Memory};
use crate::{
    Timed,
    context::inout,
    library::{Library, Missing, check, functions, text},
};

functions! {
    Functions {
        sodium_init: fn() -> c_int;
        crypto_aead_aes256gcm_is_available: fn() -> c_int;
        crypto_aead_aes256gcm_statebytes: fn() -> usize;
        crypto_aead_aes256gcm_beforenm: fn(*mut c_void, *const c_uchar) -> c_int;
        crypto_aead_aes256gcm_encrypt_detached_afternm: fn(
            *mut c_uchar, *mut c_uchar, *mut c_ulonglong, *const c_uchar, c_ulonglong, *const c_uchar, c_ulonglong,
            *const c_uchar, *const c_uchar, *const c_void,
        ) -> c_int;
        crypto_aead_aes256gcm_decrypt_detached_afternm: fn(
            *mut c_uchar, *mut c_uchar, *const c_uchar, c_ulonglong, *const c_uchar, *const c_uchar, c_ulonglong,
            *const c_uchar, *const c_void,
        ) -> c_int;
    }
}

pub(super) struct Libsodium {
    functions: Functions,
    /// It has AES by the processor's instructions alone.
    has_aes: bool,
}

impl Peer for Libsodium {
    const ABOUT: About = About {
        name: "libsodium",
        soname: "libsodium.so.23",
        package: "libsodium23",
        versions: (1, 0)..=(1, 0),
    };

    fn version(library: Library) -> Result<String, Missing> {
        // SAFETY: sodium/version.h gives the name this type; it answers a static string.
        unsafe {
            let version: unsafe extern "C" fn() -> *const c_char = library.symbol("sodium_version_string")?;
            Ok(text(version()))
        }
    }

    fn find(library: Library) -> Result<Self, Flaw> {
        let functions = Functions::find(library)?;
        // SAFETY: the first function may be called at any time, and comes before all others.
        let (begun, has_aes) = unsafe {
            (
                (functions.sodium_init)(),
                (functions.crypto_aead_aes256gcm_is_available)() == 1,
            )
        };
        check(begun >= 0, "sodium_init")?;
        Ok(Self { functions, has_aes })
    }

    fn address(&self) -> *const c_void {
        self.functions.sodium_init as *const c_void
    }

    fn constant_time(&self) -> bool {
        true
    }

    fn has(&self, task: Task) -> bool {
        task.algorithm.name() == "AES-256-GCM" && self.has_aes
    }

    fn context(&'static self, task: Task, key: &[u8], _: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        let contract = task.contract;
        let mut gcm = Gcm::new(&self.functions);
        gcm.set_key(key)?;
        let key = Zeroizing::new(key.to_vec());
        let renew = move |gcm: &mut Gcm| gcm.set_key(&key);
        Ok(match task.operation {
            Operation::Open => inout(contract, gcm, renew, Gcm::open),
            _ => inout(contract, gcm, renew, Gcm::seal),
        })
    }
}

struct Gcm {
    functions: &'static Functions,
    key: Memory,
}

impl Gcm {
    fn new(functions: &'static Functions) -> Self {
        // SAFETY: reads a constant.
        let len = unsafe { (functions.crypto_aead_aes256gcm_statebytes)() };
        let key = Memory::new(len);
        Self { functions, key }
    }

    #[inline]
    fn set_key(&mut self, key: &[u8]) -> Result<(), Fault> {
        check(key.len() == 32, "crypto_aead_aes256gcm_beforenm")?;
        // SAFETY: the state has the size that the library wants, and the key the 32 bytes that are read.
        let error =
            unsafe { (self.functions.crypto_aead_aes256gcm_beforenm)(self.key.as_mut_ptr(), key.as_ptr()) };
        check(error == 0, "crypto_aead_aes256gcm_beforenm")
    }

    #[inline]
    fn seal(&mut self, envelope: Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let Envelope { iv, aad, tag } = envelope;
        check(iv.len() == 12 && tag.len() == 16, SEAL)?;
        let len = buffer.len() as c_ulonglong;
        let (input, output) = buffer.into_raw();
        // SAFETY: the state has its key; nonce and tag have the twelve and sixteen bytes that are read and written,
        // additional data and `input` are readable and `output` ours to write for their lengths, in place or apart. NULL
        // asks for no length, and there is no secret nonce.
        let error = unsafe {
            (self.functions.crypto_aead_aes256gcm_encrypt_detached_afternm)(
                output,
                tag.as_mut_ptr(),
                ptr::null_mut(),
                input,
                len,
                aad.as_ptr(),
                aad.len() as c_ulonglong,
                ptr::null(),
                iv.as_ptr(),
                self.key.as_ptr(),
            )
        };
        check(error == 0, SEAL)
    }

    #[inline]
    fn open(&mut self, envelope: Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let Envelope { iv, aad, tag } = envelope;
        check(iv.len() == 12 && tag.len() == 16, OPEN)?;
        let len = buffer.len() as c_ulonglong;
        let (input, output) = buffer.into_raw();
        // SAFETY: as in `seal`; the tag is only read.
        let error = unsafe {
            (self.functions.crypto_aead_aes256gcm_decrypt_detached_afternm)(
                output,
                ptr::null_mut(),
                input,
                len,
                tag.as_ptr(),
                aad.as_ptr(),
                aad.len() as c_ulonglong,
                iv.as_ptr(),
                self.key.as_ptr(),
            )
        };
        check(error == 0, OPEN)
    }
}

const SEAL: &str = "crypto_aead_aes256gcm_encrypt_detached_afternm";
const OPEN: &str = "crypto_aead_aes256gcm_decrypt_detached_afternm";
