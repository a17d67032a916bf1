//! libsodium. Signatures as in its headers of 1.0.18 and 1.0.22.
use std::{
    ffi::{c_char, c_int, c_uchar, c_ulonglong, c_void},
    ptr,
};

use ciphertune_testkit::{Envelope, Fault, Operation, Task};
use inout::InOutBuf;
use zeroize::Zeroizing;

use super::{About, Flaw, Interface, Peer, memory::Memory};
use crate::{
    Timed,
    context::{inout, seed, tagging},
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
        crypto_aead_chacha20poly1305_ietf_encrypt_detached: fn(
            *mut c_uchar, *mut c_uchar, *mut c_ulonglong, *const c_uchar, c_ulonglong, *const c_uchar, c_ulonglong,
            *const c_uchar, *const c_uchar, *const c_void,
        ) -> c_int;
        crypto_aead_chacha20poly1305_ietf_decrypt_detached: fn(
            *mut c_uchar, *mut c_uchar, *const c_uchar, c_ulonglong, *const c_uchar, *const c_uchar, c_ulonglong,
            *const c_uchar, *const c_void,
        ) -> c_int;
        crypto_onetimeauth_poly1305: fn(*mut c_uchar, *const c_uchar, c_ulonglong, *const c_uchar) -> c_int;
        crypto_hash_sha256: fn(*mut c_uchar, *const c_uchar, c_ulonglong) -> c_int;
        crypto_hash_sha512: fn(*mut c_uchar, *const c_uchar, c_ulonglong) -> c_int;
        crypto_generichash_blake2b:
            fn(*mut c_uchar, usize, *const c_uchar, c_ulonglong, *const c_uchar, usize) -> c_int;
        crypto_sign_ed25519_seed_keypair: fn(*mut c_uchar, *mut c_uchar, *const c_uchar) -> c_int;
        crypto_sign_ed25519_detached:
            fn(*mut c_uchar, *mut c_ulonglong, *const c_uchar, c_ulonglong, *const c_uchar) -> c_int;
        crypto_sign_ed25519_verify_detached:
            fn(*const c_uchar, *const c_uchar, c_ulonglong, *const c_uchar) -> c_int;
        crypto_scalarmult_curve25519: fn(*mut c_uchar, *const c_uchar, *const c_uchar) -> c_int;
    }
}

type Seal = unsafe extern "C" fn(
    *mut c_uchar,
    *mut c_uchar,
    *mut c_ulonglong,
    *const c_uchar,
    c_ulonglong,
    *const c_uchar,
    c_ulonglong,
    *const c_uchar,
    *const c_uchar,
    *const c_void,
) -> c_int;
type Open = unsafe extern "C" fn(
    *mut c_uchar,
    *mut c_uchar,
    *const c_uchar,
    c_ulonglong,
    *const c_uchar,
    *const c_uchar,
    c_ulonglong,
    *const c_uchar,
    *const c_void,
) -> c_int;

pub(super) struct Libsodium {
    functions: Functions,
    /// It has AES by the processor's instructions alone.
    has_aes: bool,
    goes_by: Option<String>,
}

impl Peer for Libsodium {
    const ABOUT: About = About {
        name: "libsodium",
        interfaces: &[
            Interface::new("libsodium.so.26", "libsodium26", (1, 0)..=(1, 0)),
            Interface::new("libsodium.so.23", "libsodium23", (1, 0)..=(1, 0)),
        ],
    };

    fn version(library: Library) -> Result<String, Missing> {
        // SAFETY: sodium/version.h gives the name this type; it answers a static string.
        unsafe {
            let version: unsafe extern "C" fn() -> *const c_char = library.symbol("sodium_version_string")?;
            Ok(text(version()))
        }
    }

    fn find(library: Library, _: (u32, u32)) -> Result<Self, Flaw> {
        let functions = Functions::find(library)?;
        // SAFETY: the first function may be called at any time, and comes before all others.
        let (begun, has_aes) = unsafe {
            (
                (functions.sodium_init)(),
                (functions.crypto_aead_aes256gcm_is_available)() == 1,
            )
        };
        check(begun >= 0, "sodium_init")?;
        Ok(Self {
            functions,
            has_aes,
            goes_by: goes_by(library),
        })
    }

    fn address(&self) -> *const c_void {
        self.functions.sodium_init as *const c_void
    }

    fn constant_time(&self) -> bool {
        true
    }

    fn goes_by(&self) -> Option<String> {
        self.goes_by.clone()
    }

    fn has(&self, task: Task) -> bool {
        match task.algorithm.name() {
            "AES-256-GCM" => self.has_aes,
            name => {
                let names = [
                    "ChaCha20-Poly1305",
                    "Poly1305",
                    "SHA2-256",
                    "SHA2-512",
                    "BLAKE2B-512",
                    "Ed25519",
                    "X25519",
                ];
                names.contains(&name)
            }
        }
    }

    fn context(&'static self, task: Task, key: &[u8], _: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        let contract = task.contract;
        let functions = &self.functions;
        if task.algorithm.is_public_key() {
            let keys = Keys::new(functions, seed(key)?)?;
            return Ok(tagging(
                contract,
                keys,
                |_| Ok(()),
                match task.operation {
                    Operation::Sign => Keys::sign,
                    Operation::Verify => Keys::verify,
                    _ => Keys::derive,
                },
            ));
        }
        let kept = Zeroizing::new(key.to_vec());
        if !matches!(task.operation, Operation::Seal | Operation::Open) {
            let name = task.algorithm.name();
            return Ok(tagging(
                contract,
                kept,
                |_| Ok(()),
                move |key, envelope, message| functions.tag(name, key, message, envelope.tag),
            ));
        }
        let mut aead = Aead::new(functions, task);
        aead.set_key(key)?;
        let renew = move |aead: &mut Aead| aead.set_key(&kept);
        Ok(match task.operation {
            Operation::Open => inout(contract, aead, renew, Aead::open),
            _ => inout(contract, aead, renew, Aead::seal),
        })
    }
}

/// What it found as it was set up, by which it chooses its code.
fn goes_by(library: Library) -> Option<String> {
    const PREFIX: &str = "sodium_runtime_has";
    // All of 1.0.22; 1.0.18 lacks the second.
    const FEATURES: [&str; 12] = [
        "neon",
        "armcrypto",
        "sse2",
        "sse3",
        "ssse3",
        "sse41",
        "avx",
        "avx2",
        "avx512f",
        "pclmul",
        "aesni",
        "rdrand",
    ];
    type Has = unsafe extern "C" fn() -> c_int;
    // SAFETY: sodium/runtime.h gives the names this type; the functions read what the library keeps.
    let has = |name: &&str| unsafe {
        let has = library.symbol_named::<Has>(&format!("{PREFIX}_{name}"));
        has.is_some_and(|has| has() == 1)
    };
    let found: Vec<&str> = FEATURES.into_iter().filter(has).collect();
    (!found.is_empty()).then(|| format!("{PREFIX}:{}", found.join(":")))
}

impl Functions {
    #[inline]
    fn tag(&self, name: &str, key: &[u8], message: &[u8], tag: &mut [u8]) -> Result<(), Fault> {
        let (input, len, tag_len) = (message.as_ptr(), message.len() as c_ulonglong, tag.len());
        let tag = tag.as_mut_ptr();
        // SAFETY: the message is readable for its length; key and tag were just seen to have the lengths that are read
        // and written. NULL is no key.
        let error = unsafe {
            match (name, key.len(), tag_len) {
                ("Poly1305", 32, 16) => (self.crypto_onetimeauth_poly1305)(tag, input, len, key.as_ptr()),
                ("SHA2-256", _, 32) => (self.crypto_hash_sha256)(tag, input, len),
                ("SHA2-512", _, 64) => (self.crypto_hash_sha512)(tag, input, len),
                ("BLAKE2B-512", _, 64) => {
                    (self.crypto_generichash_blake2b)(tag, tag_len, input, len, ptr::null(), 0)
                }
                _ => -1,
            }
        };
        check(error == 0, "crypto_onetimeauth or crypto_hash")
    }
}

/// AES-256-GCM or ChaCha20-Poly1305, whose interfaces differ in what stands for the key.
struct Aead {
    functions: &'static Functions,
    is_aes: bool,
    seal: Seal,
    open: Open,
    /// AES's schedule, or the key itself.
    key: Memory,
}

impl Aead {
    fn new(functions: &'static Functions, task: Task) -> Self {
        let is_aes = task.algorithm.aes_mode().is_some();
        Self {
            functions,
            is_aes,
            seal: match is_aes {
                true => functions.crypto_aead_aes256gcm_encrypt_detached_afternm,
                false => functions.crypto_aead_chacha20poly1305_ietf_encrypt_detached,
            },
            open: match is_aes {
                true => functions.crypto_aead_aes256gcm_decrypt_detached_afternm,
                false => functions.crypto_aead_chacha20poly1305_ietf_decrypt_detached,
            },
            // SAFETY: reads a constant.
            key: Memory::new(unsafe { (functions.crypto_aead_aes256gcm_statebytes)() }.max(KEY)),
        }
    }

    #[inline]
    fn set_key(&mut self, key: &[u8]) -> Result<(), Fault> {
        check(key.len() == KEY, "crypto_aead_aes256gcm_beforenm")?;
        let place = self.key.as_mut_ptr();
        // SAFETY: the memory has the size that the library wants of AES's state and of a key, and the key the bytes that
        // are read.
        let error = unsafe {
            if self.is_aes {
                (self.functions.crypto_aead_aes256gcm_beforenm)(place, key.as_ptr())
            } else {
                place.cast::<u8>().copy_from_nonoverlapping(key.as_ptr(), KEY);
                0
            }
        };
        check(error == 0, "crypto_aead_aes256gcm_beforenm")
    }

    #[inline]
    fn seal(&mut self, envelope: &mut Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let Envelope { iv, aad, tag } = envelope;
        check(iv.len() == 12 && tag.len() == 16, SEAL)?;
        let len = buffer.len() as c_ulonglong;
        let (input, output) = buffer.into_raw();
        // SAFETY: the memory has the key or its schedule; nonce and tag have the twelve and sixteen bytes that are read and written,
        // additional data and `input` are readable and `output` ours to write for their lengths, in place or apart. NULL
        // asks for no length, and there is no secret nonce.
        let error = unsafe {
            (self.seal)(
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
    fn open(&mut self, envelope: &mut Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let Envelope { iv, aad, tag } = envelope;
        check(iv.len() == 12 && tag.len() == 16, OPEN)?;
        let len = buffer.len() as c_ulonglong;
        let (input, output) = buffer.into_raw();
        // SAFETY: as in `seal`; the tag is only read.
        let error = unsafe {
            (self.open)(
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

/// A private key of Curve25519's, and for signatures its public half and both together, as the library has them.
struct Keys {
    functions: &'static Functions,
    private: Zeroizing<[u8; KEY]>,
    public: [u8; KEY],
    pair: Zeroizing<[u8; 2 * KEY]>,
}

impl Keys {
    fn new(functions: &'static Functions, seed: &[u8; KEY]) -> Result<Self, Fault> {
        let mut public = [0; KEY];
        let mut pair = Zeroizing::new([0; 2 * KEY]);
        // SAFETY: reads 32 bytes, and writes 32 and 64, which these have.
        let error = unsafe {
            (functions.crypto_sign_ed25519_seed_keypair)(
                public.as_mut_ptr(),
                pair.as_mut_ptr(),
                seed.as_ptr(),
            )
        };
        check(error == 0, "crypto_sign_ed25519_seed_keypair")?;
        Ok(Self {
            functions,
            private: Zeroizing::new(*seed),
            public,
            pair,
        })
    }

    #[inline]
    fn sign(&mut self, envelope: &mut Envelope<'_>, message: &[u8]) -> Result<(), Fault> {
        check(envelope.tag.len() == 64, "crypto_sign_ed25519_detached")?;
        let sign = self.functions.crypto_sign_ed25519_detached;
        let (input, len) = (message.as_ptr(), message.len() as c_ulonglong);
        // SAFETY: the message is readable for its length, and the signature has the 64 bytes that are written; NULL asks
        // for no length.
        let error = unsafe {
            sign(
                envelope.tag.as_mut_ptr(),
                ptr::null_mut(),
                input,
                len,
                self.pair.as_ptr(),
            )
        };
        check(error == 0, "crypto_sign_ed25519_detached")
    }

    #[inline]
    fn verify(&mut self, envelope: &mut Envelope<'_>, message: &[u8]) -> Result<(), Fault> {
        check(envelope.tag.len() == 64, "crypto_sign_ed25519_verify_detached")?;
        let verify = self.functions.crypto_sign_ed25519_verify_detached;
        let (input, len) = (message.as_ptr(), message.len() as c_ulonglong);
        // SAFETY: the message is readable for its length, and the signature has the 64 bytes that are read.
        let error = unsafe { verify(envelope.tag.as_ptr(), input, len, self.public.as_ptr()) };
        check(error == 0, "crypto_sign_ed25519_verify_detached")
    }

    #[inline]
    fn derive(&mut self, envelope: &mut Envelope<'_>, public: &[u8]) -> Result<(), Fault> {
        let lengths = (envelope.tag.len(), public.len());
        check(lengths == (KEY, KEY), "crypto_scalarmult_curve25519")?;
        let multiply = self.functions.crypto_scalarmult_curve25519;
        // SAFETY: all three have the 32 bytes that are read and written.
        let error = unsafe { multiply(envelope.tag.as_mut_ptr(), self.private.as_ptr(), public.as_ptr()) };
        check(error == 0, "crypto_scalarmult_curve25519")
    }
}

const KEY: usize = 32;
const SEAL: &str = "crypto_aead_*_encrypt_detached";
const OPEN: &str = "crypto_aead_*_decrypt_detached";
