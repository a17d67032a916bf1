//! GnuTLS. Signatures as in crypto.h of 3.7.9; its soname has stood for them since 3.6.10.
//!
//! A new key is a new handle. `gnutls_aead_cipher_set_key` is no way round that: in 3.7.9, on x86, it makes GHASH's key
//! from the one before it, and every tag after it is wrong.
use std::{
    env,
    ffi::{c_char, c_int, c_uint, c_void},
    ptr,
};

use ciphertune_testkit::{Contract, Envelope, Fault, Operation, Task};
use inout::InOutBuf;
use zeroize::Zeroizing;

use super::{About, Flaw, Interface, Peer};
use crate::{
    Timed,
    context::{equal, gathering, inout, tagging},
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
        gnutls_cipher_add_auth: fn(Handle, *const c_void, usize) -> c_int;
        gnutls_cipher_tag: fn(Handle, *mut c_void, usize) -> c_int;
        gnutls_cipher_deinit: fn(Handle);
        gnutls_aead_cipher_init: fn(*mut Handle, c_int, *const Datum) -> c_int;
        gnutls_aead_cipher_encrypt: fn(
            Handle, *const c_void, usize, *const c_void, usize, usize, *const c_void, usize, *mut c_void, *mut usize,
        ) -> c_int;
        gnutls_aead_cipher_decrypt: fn(
            Handle, *const c_void, usize, *const c_void, usize, usize, *const c_void, usize, *mut c_void, *mut usize,
        ) -> c_int;
        gnutls_aead_cipher_deinit: fn(Handle);
        gnutls_hmac_init: fn(*mut Handle, c_int, *const c_void, usize) -> c_int;
        gnutls_hmac_set_nonce: fn(Handle, *const c_void, usize);
        gnutls_hmac: fn(Handle, *const c_void, usize) -> c_int;
        gnutls_hmac_output: fn(Handle, *mut c_void);
        gnutls_hmac_deinit: fn(Handle, *mut c_void);
        gnutls_hash_fast: fn(c_int, *const c_void, usize, *mut c_void) -> c_int;
        gnutls_hmac_fast: fn(c_int, *const c_void, usize, *const c_void, usize, *mut c_void) -> c_int;
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

    /// Without these instructions, or where someone overrides its choice or nettle's, it takes nettle's tables.
    fn constant_time(&self) -> bool {
        let is_free = |variable| env::var_os(variable).is_none();
        super::aes_and_ghash_in_hardware()
            && is_free("GNUTLS_CPUID_OVERRIDE")
            && is_free("NETTLE_FAT_OVERRIDE")
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
            Operation::Mac if contract == Contract::NewKey && task.algorithm.name().starts_with("HMAC-") => {
                let len = task.algorithm.tag_len();
                tagging(
                    contract,
                    kept,
                    |_| Ok(()),
                    move |key, envelope, message| {
                        check(envelope.tag.len() == len, "gnutls_hmac_fast")?;
                        let (begin, input) = (key.as_ptr().cast(), message.as_ptr().cast());
                        let tag = envelope.tag.as_mut_ptr().cast();
                        // SAFETY: key and message are readable for their lengths, and the tag as long as the hash makes it.
                        let error = unsafe {
                            (functions.gnutls_hmac_fast)(number, begin, key.len(), input, message.len(), tag)
                        };
                        check(error == 0, "gnutls_hmac_fast")
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
            operation if task.algorithm.aes_mode() == Some("CCM") => {
                let ccm = Ccm::new(functions, number, key)?;
                let renew = move |ccm: &mut Ccm| {
                    *ccm = Ccm::new(functions, number, &kept)?;
                    Ok(())
                };
                match operation.is_backward() {
                    true => gathering(contract, ccm, renew, Ccm::open),
                    false => gathering(contract, ccm, renew, Ccm::seal),
                }
            }
            operation => {
                let backward = operation.is_backward();
                let mut cipher = Cipher::new(functions, number, key, backward)?;
                let renew = move |cipher: &mut Cipher| {
                    *cipher = Cipher::new(functions, number, &kept, backward)?;
                    Ok(())
                };
                if operation == Operation::Seal {
                    inout(contract, cipher, renew, Cipher::seal)
                } else if operation == Operation::Open {
                    inout(contract, cipher, renew, Cipher::open)
                } else if contract == Contract::Stream {
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

    /// A message of GCM or of ChaCha20-Poly1305. `gnutls_aead_cipher_encryptv2` takes longer.
    #[inline]
    fn seal(&mut self, envelope: &mut Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        self.begin(envelope)?;
        self.run(buffer)?;
        self.put_tag(envelope.tag)
    }

    #[inline]
    fn open(&mut self, envelope: &mut Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        self.begin(envelope)?;
        self.run(buffer)?;
        let mut tag = [0; TAG];
        self.put_tag(&mut tag)?;
        check(equal(&tag, envelope.tag), "gnutls_cipher_tag")
    }

    #[inline]
    fn begin(&mut self, Envelope { iv, aad, .. }: &Envelope<'_>) -> Result<(), Fault> {
        self.set_iv(iv);
        // It refuses to take in nothing.
        if aad.is_empty() {
            return Ok(());
        }
        // SAFETY: the handle is valid, and the additional data readable for its length.
        let error =
            unsafe { (self.functions.gnutls_cipher_add_auth)(self.handle, aad.as_ptr().cast(), aad.len()) };
        check(error == 0, "gnutls_cipher_add_auth")
    }

    #[inline]
    fn put_tag(&mut self, tag: &mut [u8]) -> Result<(), Fault> {
        // SAFETY: the handle is valid, and the tag ours to write for its length.
        let error =
            unsafe { (self.functions.gnutls_cipher_tag)(self.handle, tag.as_mut_ptr().cast(), tag.len()) };
        check(error == 0, "gnutls_cipher_tag")
    }
}

/// Bytes of a tag.
const TAG: usize = 16;

impl Drop for Cipher {
    fn drop(&mut self) {
        // SAFETY: valid, and freed once.
        unsafe { (self.functions.gnutls_cipher_deinit)(self.handle) }
    }
}

/// A `gnutls_aead_cipher_hd_t` for CCM, which has no other. Its calls want the tag behind the text, and so a copy: those
/// that take it apart take longer still.
struct Ccm {
    functions: &'static Functions,
    handle: Handle,
    /// Ciphertext and tag.
    sealed: Vec<u8>,
}

impl Ccm {
    fn new(functions: &'static Functions, number: c_int, key: &[u8]) -> Result<Self, Fault> {
        let mut handle = ptr::null_mut();
        // SAFETY: writes a handle that is ours; the key is readable for its length, which the function checks.
        let error = unsafe { (functions.gnutls_aead_cipher_init)(&mut handle, number, &Datum::of(key)) };
        check(error == 0 && !handle.is_null(), "gnutls_aead_cipher_init")?;
        Ok(Self {
            functions,
            handle,
            sealed: Vec::new(),
        })
    }

    #[inline]
    fn seal(&mut self, envelope: &mut Envelope<'_>, mut buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let Envelope { iv, aad, tag } = envelope;
        let text = buffer.get_in();
        let mut len = text.len() + TAG;
        self.sealed.resize(len, 0);
        // SAFETY: the handle is valid; nonce, additional data and text are readable for their lengths, and there is room for
        // ciphertext and tag, as the function is told.
        let error = unsafe {
            (self.functions.gnutls_aead_cipher_encrypt)(
                self.handle,
                iv.as_ptr().cast(),
                iv.len(),
                aad.as_ptr().cast(),
                aad.len(),
                TAG,
                text.as_ptr().cast(),
                text.len(),
                self.sealed.as_mut_ptr().cast(),
                &mut len,
            )
        };
        check(
            error == 0 && len == self.sealed.len(),
            "gnutls_aead_cipher_encrypt",
        )?;
        let (made, made_tag) = self.sealed.split_at(buffer.len());
        buffer.get_out().copy_from_slice(made);
        tag.copy_from_slice(made_tag);
        Ok(())
    }

    #[inline]
    fn open(&mut self, envelope: &mut Envelope<'_>, mut buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let Envelope { iv, aad, tag } = envelope;
        self.sealed.clear();
        self.sealed.extend_from_slice(buffer.get_in());
        self.sealed.extend_from_slice(tag);
        let text = buffer.get_out();
        let mut len = text.len();
        // SAFETY: the handle is valid; nonce, additional data, ciphertext and tag are readable for their lengths, and there is
        // room for the text, as the function is told.
        let error = unsafe {
            (self.functions.gnutls_aead_cipher_decrypt)(
                self.handle,
                iv.as_ptr().cast(),
                iv.len(),
                aad.as_ptr().cast(),
                aad.len(),
                TAG,
                self.sealed.as_ptr().cast(),
                self.sealed.len(),
                text.as_mut_ptr().cast(),
                &mut len,
            )
        };
        check(error == 0 && len == text.len(), "gnutls_aead_cipher_decrypt")
    }
}

impl Drop for Ccm {
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
