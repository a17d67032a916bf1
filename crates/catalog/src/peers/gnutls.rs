//! GnuTLS. Signatures as in crypto.h of 3.7.9; its soname has stood for them since 3.6.10.
//!
//! A new key is a new handle. `gnutls_aead_cipher_set_key` is no way round that: in 3.7.9, on x86, it makes GHASH's key
//! from the one before it, and every tag after it is wrong.
use std::{
    ffi::{c_char, c_int, c_uint, c_void},
    ptr,
};

use ciphertune_testkit::{Contract, Envelope, Fault, Operation, Task};
use inout::InOutBuf;
use libc::iovec;
use zeroize::Zeroizing;

use super::{About, Flaw, Interface, Peer};
use crate::{
    Timed,
    context::{copying, inout, tagging},
    library::{Library, Missing, check, functions, text},
};

mod keys;

use keys::Keys;

/// `gnutls_cipher_hd_t`, `gnutls_aead_cipher_hd_t`, `gnutls_hmac_hd_t` and those of keys, opaque.
type Handle = *mut c_void;

/// `gnutls_datum_t`.
#[repr(C)]
struct Datum {
    data: *const u8,
    size: c_uint,
}

impl Datum {
    fn of(bytes: &[u8]) -> Self {
        Self {
            data: bytes.as_ptr(),
            size: bytes.len() as c_uint,
        }
    }
}

functions! {
    Functions {
        gnutls_cipher_init: fn(*mut Handle, c_int, *const Datum, *const Datum) -> c_int;
        gnutls_cipher_set_iv: fn(Handle, *const c_void, usize);
        gnutls_cipher_encrypt2: fn(Handle, *const c_void, usize, *mut c_void, usize) -> c_int;
        gnutls_cipher_decrypt2: fn(Handle, *const c_void, usize, *mut c_void, usize) -> c_int;
        gnutls_cipher_deinit: fn(Handle);
        gnutls_aead_cipher_init: fn(*mut Handle, c_int, *const Datum) -> c_int;
        gnutls_aead_cipher_encryptv2:
            fn(Handle, *const c_void, usize, *const iovec, c_int, *const iovec, c_int, *mut c_void, *mut usize) -> c_int;
        gnutls_aead_cipher_decryptv2:
            fn(Handle, *const c_void, usize, *const iovec, c_int, *const iovec, c_int, *const c_void, usize) -> c_int;
        gnutls_aead_cipher_deinit: fn(Handle);
        gnutls_hmac_init: fn(*mut Handle, c_int, *const c_void, usize) -> c_int;
        gnutls_hmac_set_nonce: fn(Handle, *const c_void, usize);
        gnutls_hmac: fn(Handle, *const c_void, usize) -> c_int;
        gnutls_hmac_output: fn(Handle, *mut c_void);
        gnutls_hmac_deinit: fn(Handle, *mut c_void);
        gnutls_hash_fast: fn(c_int, *const c_void, usize, *mut c_void) -> c_int;
    }
}

pub(super) struct Gnutls {
    functions: Functions,
    keys: Keys,
}

impl Peer for Gnutls {
    const ABOUT: About = About {
        name: "gnutls",
        interfaces: &[Interface::new("libgnutls.so.30", "libgnutls30", (3, 7)..=(3, 8))],
    };

    fn version(library: Library) -> Result<String, Missing> {
        // SAFETY: gnutls.h gives the name this type. Without a version to compare with, it answers a static string.
        unsafe {
            let version: unsafe extern "C" fn(*const c_char) -> *const c_char =
                library.symbol("gnutls_check_version")?;
            Ok(text(version(ptr::null())))
        }
    }

    fn find(library: Library, _: (u32, u32)) -> Result<Self, Flaw> {
        Ok(Self {
            functions: Functions::find(library)?,
            keys: Keys::find(library)?,
        })
    }

    fn address(&self) -> *const c_void {
        self.functions.gnutls_cipher_encrypt2 as *const c_void
    }

    /// Without these instructions, or where someone overrides its choice, it takes nettle's tables.
    fn constant_time(&self) -> bool {
        super::aes_and_ghash_in_hardware() && std::env::var_os("GNUTLS_CPUID_OVERRIDE").is_none()
    }

    fn has(&self, task: Task) -> bool {
        number(task).is_some() || Keys::has(task.algorithm)
    }

    fn context(&'static self, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        if task.algorithm.is_public_key() {
            return self.keys.context(task, key);
        }
        let contract = task.contract;
        let functions = &self.functions;
        let number = number(task).ok_or_else(|| Fault(format!("gnutls has no {task}")))?;
        let kept = Zeroizing::new(key.to_vec());
        Ok(match task.operation {
            Operation::Digest => {
                let len = task.algorithm.tag_len();
                tagging(
                    contract,
                    (),
                    |()| Ok(()),
                    move |(), envelope, message| {
                        check(envelope.tag.len() == len, "gnutls_hash_fast")?;
                        let (input, digest) = (message.as_ptr().cast(), envelope.tag.as_mut_ptr().cast());
                        // SAFETY: the message is readable for its length, and the digest as long as the hash makes it.
                        let error =
                            unsafe { (functions.gnutls_hash_fast)(number, input, message.len(), digest) };
                        check(error == 0, "gnutls_hash_fast")
                    },
                )
            }
            Operation::Mac => {
                let len = task.algorithm.tag_len();
                let mac = Mac::new(functions, number, key, len)?;
                let renew = move |mac: &mut Mac| {
                    *mac = Mac::new(functions, number, &kept, len)?;
                    Ok(())
                };
                tagging(contract, mac, renew, Mac::tag)
            }
            Operation::Seal => {
                let aead = Aead::new(functions, number, key)?;
                let renew = move |aead: &mut Aead| {
                    *aead = Aead::new(functions, number, &kept)?;
                    Ok(())
                };
                copying(contract, aead, renew, Aead::seal)
            }
            Operation::Open => {
                let aead = Aead::new(functions, number, key)?;
                let renew = move |aead: &mut Aead| {
                    *aead = Aead::new(functions, number, &kept)?;
                    Ok(())
                };
                copying(contract, aead, renew, Aead::open)
            }
            operation => {
                let backward = operation.is_backward();
                let mut cipher = Cipher::new(functions, number, key, backward)?;
                let renew = move |cipher: &mut Cipher| {
                    *cipher = Cipher::new(functions, number, &kept, backward)?;
                    Ok(())
                };
                if contract == Contract::Stream {
                    cipher.set_iv(iv);
                    inout(contract, cipher, renew, |cipher, _, buffer| cipher.run(buffer))
                } else {
                    inout(contract, cipher, renew, |cipher, envelope, buffer| {
                        cipher.set_iv(envelope.iv);
                        cipher.run(buffer)
                    })
                }
            }
        })
    }
}

/// `GNUTLS_CIPHER_*`, `GNUTLS_MAC_*` or `GNUTLS_DIG_*`.
fn number(task: Task) -> Option<c_int> {
    Some(match task.algorithm.name() {
        "AES-128-CBC" => 4,
        "AES-256-CBC" => 5,
        "AES-192-CBC" => 9,
        "AES-128-GCM" => 10,
        "AES-256-GCM" => 11,
        "AES-192-GCM" => 39,
        "AES-128-CCM" => 19,
        "AES-256-CCM" => 20,
        "ChaCha20-Poly1305" => 23,
        "AES-128-CFB8" => 29,
        "AES-192-CFB8" => 30,
        "AES-256-CFB8" => 31,
        "AES-128-XTS" => 32,
        "AES-256-XTS" => 33,
        "CAMELLIA-128-CBC" => 7,
        "CAMELLIA-192-CBC" => 12,
        "CAMELLIA-256-CBC" => 8,
        "DES-CBC" => 18,
        "DES-EDE3-CBC" => 3,
        "RC4" => 2,
        "MD2" => 5,
        "MD5" => 2,
        "HMAC-SHA1" | "SHA1" => 3,
        "HMAC-SHA2-256" | "SHA2-256" => 6,
        "SHA2-384" => 7,
        "HMAC-SHA2-512" | "SHA2-512" => 8,
        "SHA2-224" => 9,
        "SHA3-256" => 11,
        "SHA3-512" => 13,
        "AES-128-CMAC" => 203,
        "AES-256-CMAC" => 204,
        "AES-128-GMAC" => 205,
        "AES-192-GMAC" => 206,
        "AES-256-GMAC" => 207,
        _ => return None,
    })
}

/// A `gnutls_cipher_hd_t`. GnuTLS wipes the key when it frees it, as it does those below.
struct Cipher {
    functions: &'static Functions,
    handle: Handle,
    crypt: unsafe extern "C" fn(Handle, *const c_void, usize, *mut c_void, usize) -> c_int,
}

impl Cipher {
    fn new(functions: &'static Functions, number: c_int, key: &[u8], backward: bool) -> Result<Self, Fault> {
        let mut handle = ptr::null_mut();
        // SAFETY: writes a handle that is ours; the key is readable for its length, which the function checks, and only
        // read. NULL is no IV yet.
        let error =
            unsafe { (functions.gnutls_cipher_init)(&mut handle, number, &Datum::of(key), ptr::null()) };
        check(error == 0 && !handle.is_null(), "gnutls_cipher_init")?;
        Ok(Self {
            functions,
            handle,
            crypt: match backward {
                true => functions.gnutls_cipher_decrypt2,
                false => functions.gnutls_cipher_encrypt2,
            },
        })
    }

    #[inline]
    fn set_iv(&mut self, iv: &[u8]) {
        // SAFETY: the handle is valid, and the IV is readable for its length and only read.
        unsafe { (self.functions.gnutls_cipher_set_iv)(self.handle, iv.as_ptr().cast(), iv.len()) }
    }

    #[inline]
    fn run(&mut self, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        // It refuses to do nothing.
        if buffer.is_empty() {
            return Ok(());
        }
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        // SAFETY: the handle is valid; `input` is readable and `output` ours to write for `len` bytes, in place or apart.
        let error = unsafe { (self.crypt)(self.handle, input.cast(), len, output.cast(), len) };
        check(error == 0, "gnutls_cipher_encrypt2 or _decrypt2")
    }
}

impl Drop for Cipher {
    fn drop(&mut self) {
        // SAFETY: valid, and freed once.
        unsafe { (self.functions.gnutls_cipher_deinit)(self.handle) }
    }
}

/// A `gnutls_aead_cipher_hd_t`. Its calls that keep the tag apart work in place alone.
struct Aead {
    functions: &'static Functions,
    handle: Handle,
}

impl Aead {
    fn new(functions: &'static Functions, number: c_int, key: &[u8]) -> Result<Self, Fault> {
        let mut handle = ptr::null_mut();
        // SAFETY: writes a handle that is ours; the key is readable for its length, which the function checks.
        let error = unsafe { (functions.gnutls_aead_cipher_init)(&mut handle, number, &Datum::of(key)) };
        check(error == 0 && !handle.is_null(), "gnutls_aead_cipher_init")?;
        Ok(Self { functions, handle })
    }

    #[inline]
    fn seal(&mut self, envelope: &mut Envelope<'_>, data: &mut [u8]) -> Result<(), Fault> {
        let Envelope { iv, aad, tag } = envelope;
        let (aad, data) = (slice(aad), slice_mut(data));
        let mut tag_len = tag.len();
        // SAFETY: the handle is valid; nonce and additional data are readable, data and tag ours to write for their
        // lengths.
        let error = unsafe {
            (self.functions.gnutls_aead_cipher_encryptv2)(
                self.handle,
                iv.as_ptr().cast(),
                iv.len(),
                &aad,
                1,
                &data,
                1,
                tag.as_mut_ptr().cast(),
                &mut tag_len,
            )
        };
        check(error == 0 && tag_len == tag.len(), "gnutls_aead_cipher_encryptv2")
    }

    #[inline]
    fn open(&mut self, envelope: &mut Envelope<'_>, data: &mut [u8]) -> Result<(), Fault> {
        let Envelope { iv, aad, tag } = envelope;
        let (aad, data) = (slice(aad), slice_mut(data));
        // SAFETY: as in `seal`; the tag is only read.
        let error = unsafe {
            (self.functions.gnutls_aead_cipher_decryptv2)(
                self.handle,
                iv.as_ptr().cast(),
                iv.len(),
                &aad,
                1,
                &data,
                1,
                tag.as_ptr().cast(),
                tag.len(),
            )
        };
        check(error == 0, "gnutls_aead_cipher_decryptv2")
    }
}

/// For reading alone.
fn slice(bytes: &[u8]) -> iovec {
    iovec {
        iov_base: bytes.as_ptr().cast_mut().cast(),
        iov_len: bytes.len(),
    }
}

fn slice_mut(bytes: &mut [u8]) -> iovec {
    iovec {
        iov_base: bytes.as_mut_ptr().cast(),
        iov_len: bytes.len(),
    }
}

impl Drop for Aead {
    fn drop(&mut self) {
        // SAFETY: valid, and freed once.
        unsafe { (self.functions.gnutls_aead_cipher_deinit)(self.handle) }
    }
}

/// A `gnutls_hmac_hd_t`.
struct Mac {
    functions: &'static Functions,
    handle: Handle,
    len: usize,
}

impl Mac {
    fn new(functions: &'static Functions, number: c_int, key: &[u8], len: usize) -> Result<Self, Fault> {
        let mut handle = ptr::null_mut();
        // SAFETY: writes a handle that is ours; the key is readable for its length, which the function checks.
        let error =
            unsafe { (functions.gnutls_hmac_init)(&mut handle, number, key.as_ptr().cast(), key.len()) };
        check(error == 0 && !handle.is_null(), "gnutls_hmac_init")?;
        Ok(Self {
            functions,
            handle,
            len,
        })
    }

    #[inline]
    fn tag(&mut self, envelope: &mut Envelope<'_>, message: &[u8]) -> Result<(), Fault> {
        let Envelope { iv, tag, .. } = envelope;
        check(tag.len() == self.len, "gnutls_hmac_output")?;
        // SAFETY: the handle is valid, nonce and message are readable for their lengths, and the tag is as long as the
        // MAC's is. What makes the tag begins the next message too.
        let error = unsafe {
            if !iv.is_empty() {
                (self.functions.gnutls_hmac_set_nonce)(self.handle, iv.as_ptr().cast(), iv.len());
            }
            let error = (self.functions.gnutls_hmac)(self.handle, message.as_ptr().cast(), message.len());
            (self.functions.gnutls_hmac_output)(self.handle, tag.as_mut_ptr().cast());
            error
        };
        check(error == 0, "gnutls_hmac")
    }
}

impl Drop for Mac {
    fn drop(&mut self) {
        // SAFETY: valid, and freed once; NULL asks for no tag.
        unsafe { (self.functions.gnutls_hmac_deinit)(self.handle, ptr::null_mut()) }
    }
}
