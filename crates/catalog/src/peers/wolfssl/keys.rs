//! Keys of two halves. Its DSA takes no digest but SHA-1's, and is left out.
use std::{
    ffi::{c_int, c_void},
    ptr,
};

use ciphertune_testkit::{Algorithm, Envelope, Fault, Operation, Task};

use super::word;
use crate::{
    Timed,
    context::{seed, tagging},
    library::{Library, Missing, check, functions},
    peers::memory::Memory,
};

functions! {
    Functions {
        wc_InitRng: fn(*mut c_void) -> c_int;
        wc_FreeRng: fn(*mut c_void) -> c_int;
        wc_InitRsaKey: fn(*mut c_void, *mut c_void) -> c_int;
        wc_FreeRsaKey: fn(*mut c_void) -> c_int;
        wc_RsaPrivateKeyDecode: fn(*const u8, *mut u32, *mut c_void, u32) -> c_int;
        wc_RsaSetRNG: fn(*mut c_void, *mut c_void) -> c_int;
        wc_ecc_init: fn(*mut c_void) -> c_int;
        wc_ecc_free: fn(*mut c_void) -> c_int;
        wc_EccPrivateKeyDecode: fn(*const u8, *mut u32, *mut c_void, u32) -> c_int;
        wc_ecc_set_rng: fn(*mut c_void, *mut c_void) -> c_int;
        wc_SignatureGenerate_ex: fn(
            c_int, c_int, *const u8, u32, *mut u8, *mut u32, *const c_void, u32, *mut c_void, c_int,
        ) -> c_int;
        wc_SignatureVerify: fn(c_int, c_int, *const u8, u32, *const u8, u32, *const c_void, u32) -> c_int;
        wc_ed25519_init: fn(*mut c_void) -> c_int;
        wc_ed25519_free: fn(*mut c_void);
        wc_ed25519_import_private_only: fn(*const u8, u32, *mut c_void) -> c_int;
        wc_ed25519_make_public: fn(*mut c_void, *mut u8, u32) -> c_int;
        wc_ed25519_import_private_key: fn(*const u8, u32, *const u8, u32, *mut c_void) -> c_int;
        wc_ed25519_sign_msg: fn(*const u8, u32, *mut u8, *mut u32, *mut c_void) -> c_int;
        wc_ed25519_verify_msg: fn(*const u8, u32, *const u8, u32, *mut c_int, *mut c_void) -> c_int;
        wc_curve25519_init: fn(*mut c_void) -> c_int;
        wc_curve25519_free: fn(*mut c_void);
        wc_curve25519_import_private_ex: fn(*const u8, u32, *mut c_void, c_int) -> c_int;
        wc_curve25519_import_public_ex: fn(*const u8, u32, *mut c_void, c_int) -> c_int;
        wc_curve25519_shared_secret_ex: fn(*mut c_void, *mut c_void, *mut u8, *mut u32, c_int) -> c_int;
    }
}

/// What works by keys of two halves.
pub(super) struct Keys(Functions);

impl Keys {
    pub(super) fn find(library: Library) -> Result<Self, Missing> {
        Functions::find(library).map(Self)
    }

    pub(super) fn has(algorithm: Algorithm) -> bool {
        Kind::of(algorithm).is_some()
    }

    pub(super) fn context(&'static self, task: Task, key: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        let kind = Kind::of(task.algorithm).ok_or_else(|| Fault(format!("wolfSSL has no {task}")))?;
        let key = Key::new(&self.0, task.algorithm, kind, key)?;
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

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Rsa,
    /// With the digest that is signed, a `WC_HASH_TYPE_*`.
    Ecdsa(c_int),
    Ed25519,
    X25519,
}

const SHA256: c_int = 6;
const SHA384: c_int = 7;

impl Kind {
    fn of(algorithm: Algorithm) -> Option<Self> {
        Some(match algorithm.name() {
            "ECDSA-P-256" => Self::Ecdsa(SHA256),
            "ECDSA-P-384" => Self::Ecdsa(SHA384),
            "Ed25519" => Self::Ed25519,
            "X25519" => Self::X25519,
            name if name.starts_with("RSA-") => Self::Rsa,
            _ => return None,
        })
    }

    /// The digest, and the `WC_SIGNATURE_TYPE_*`.
    fn signature(self) -> (c_int, c_int) {
        const ECC: c_int = 1;
        const RSA_WITH_ENCODING: c_int = 3;
        match self {
            Self::Ecdsa(hash) => (hash, ECC),
            _ => (SHA256, RSA_WITH_ENCODING),
        }
    }
}

/// Bytes for a `WC_RNG`, `RsaKey`, `ecc_key`, `ed25519_key` or `curve25519_key`.
const ROOM: usize = 65_536;

/// `EC25519_LITTLE_ENDIAN`
const LITTLE_ENDIAN: c_int = 0;

/// A key, ready for each operation of its kind. wolfSSL wipes keys when it frees them.
struct Key {
    functions: &'static Functions,
    algorithm: Algorithm,
    kind: Kind,
    random: Memory,
    key: Memory,
    /// Another's, of X25519.
    other: Memory,
}

impl Key {
    fn new(
        functions: &'static Functions,
        algorithm: Algorithm,
        kind: Kind,
        bytes: &[u8],
    ) -> Result<Self, Fault> {
        let [random, key, other] = [ROOM, ROOM, ROOM].map(Memory::new);
        let mut made = Self {
            functions,
            algorithm,
            kind,
            random,
            key,
            other,
        };
        let (random, key, other) = made.raw();
        // SAFETY: each structure has room. Zeros, as they are now, may be freed too.
        let error = unsafe {
            (functions.wc_InitRng)(random)
                | match kind {
                    Kind::Rsa => (functions.wc_InitRsaKey)(key, ptr::null_mut()),
                    Kind::Ecdsa(_) => (functions.wc_ecc_init)(key),
                    Kind::Ed25519 => (functions.wc_ed25519_init)(key),
                    Kind::X25519 => {
                        (functions.wc_curve25519_init)(key) | (functions.wc_curve25519_init)(other)
                    }
                }
        };
        check(error == 0, "wc_InitRng, wc_InitRsaKey or another")?;
        made.read(bytes)?;
        Ok(made)
    }

    fn raw(&mut self) -> (*mut c_void, *mut c_void, *mut c_void) {
        (
            self.random.as_mut_ptr(),
            self.key.as_mut_ptr(),
            self.other.as_mut_ptr(),
        )
    }

    fn read(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let functions = self.functions;
        let (random, key, _) = self.raw();
        let mut begin = 0;
        let len = word(bytes.len())?;
        // SAFETY: the structures are begun and of the functions' kinds; bytes are readable for their lengths. The generator
        // stays where it is for as long as the key is there.
        let error = unsafe {
            match self.kind {
                Kind::Rsa => {
                    (functions.wc_RsaPrivateKeyDecode)(bytes.as_ptr(), &mut begin, key, len)
                        | (functions.wc_RsaSetRNG)(key, random)
                }
                Kind::Ecdsa(_) => {
                    (functions.wc_EccPrivateKeyDecode)(bytes.as_ptr(), &mut begin, key, len)
                        | (functions.wc_ecc_set_rng)(key, random)
                }
                Kind::Ed25519 => {
                    let private = seed(bytes)?.as_ptr();
                    let mut public = [0; 32];
                    (functions.wc_ed25519_import_private_only)(private, 32, key)
                        | (functions.wc_ed25519_make_public)(key, public.as_mut_ptr(), 32)
                        | (functions.wc_ed25519_import_private_key)(private, 32, public.as_ptr(), 32, key)
                }
                Kind::X25519 => {
                    (functions.wc_curve25519_import_private_ex)(seed(bytes)?.as_ptr(), 32, key, LITTLE_ENDIAN)
                }
            }
        };
        check(error == 0, "wc_RsaPrivateKeyDecode or another")
    }

    #[inline]
    fn sign(&mut self, envelope: &mut Envelope<'_>, message: &[u8]) -> Result<(), Fault> {
        const UNVERIFIED: c_int = 0;
        let functions = self.functions;
        let (hash, scheme) = self.kind.signature();
        let (random, key, _) = self.raw();
        let place = &mut *envelope.tag;
        let mut made = word(place.len())?;
        let (message, len) = (message.as_ptr(), word(message.len())?);
        // SAFETY: the key is of the function's kind, in a structure no shorter than it is told; the message is readable for
        // its length, and no more is written than is told that there is room for.
        let error = unsafe {
            let place = place.as_mut_ptr();
            match self.kind {
                Kind::Ed25519 => (functions.wc_ed25519_sign_msg)(message, len, place, &mut made, key),
                _ => (functions.wc_SignatureGenerate_ex)(
                    hash,
                    scheme,
                    message,
                    len,
                    place,
                    &mut made,
                    key,
                    ROOM as u32,
                    random,
                    UNVERIFIED,
                ),
            }
        };
        check(
            error == 0 && made as usize <= place.len(),
            "wc_SignatureGenerate_ex or wc_ed25519_sign_msg",
        )?;
        place[made as usize..].fill(0);
        Ok(())
    }

    #[inline]
    fn verify(&mut self, envelope: &mut Envelope<'_>, message: &[u8]) -> Result<(), Fault> {
        let functions = self.functions;
        let (hash, scheme) = self.kind.signature();
        let (_, key, _) = self.raw();
        let signature = self.algorithm.signature(envelope.tag);
        let (signature, signature_len) = (signature.as_ptr(), word(signature.len())?);
        let (message, len) = (message.as_ptr(), word(message.len())?);
        // SAFETY: as in `sign`; the signature is readable for its length.
        let valid = unsafe {
            if self.kind == Kind::Ed25519 {
                let mut valid = 0;
                let error = (functions.wc_ed25519_verify_msg)(
                    signature,
                    signature_len,
                    message,
                    len,
                    &mut valid,
                    key,
                );
                error == 0 && valid == 1
            } else {
                0 == (functions.wc_SignatureVerify)(
                    hash,
                    scheme,
                    message,
                    len,
                    signature,
                    signature_len,
                    key,
                    ROOM as u32,
                )
            }
        };
        check(valid, "wc_SignatureVerify or wc_ed25519_verify_msg")
    }

    #[inline]
    fn derive(&mut self, envelope: &mut Envelope<'_>, public: &[u8]) -> Result<(), Fault> {
        let functions = self.functions;
        let (_, key, other) = self.raw();
        let secret = &mut *envelope.tag;
        let mut made = word(secret.len())?;
        // It refuses a highest bit that is set, where RFC 7748 has it ignored.
        let mut public = *public
            .first_chunk::<32>()
            .ok_or_else(|| Fault("a short key".to_owned()))?;
        public[31] &= 0x7f;
        // SAFETY: both structures are begun; the public key is readable for its length, and no more is written than is told
        // that there is room for.
        let error = unsafe {
            let (public, len) = (public.as_ptr(), word(public.len())?);
            match (functions.wc_curve25519_import_public_ex)(public, len, other, LITTLE_ENDIAN) {
                0 => {
                    let secret = secret.as_mut_ptr();
                    (functions.wc_curve25519_shared_secret_ex)(key, other, secret, &mut made, LITTLE_ENDIAN)
                }
                error => error,
            }
        };
        check(
            error == 0 && made as usize == secret.len(),
            "wc_curve25519_shared_secret_ex",
        )
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        let functions = self.functions;
        let (random, key, other) = self.raw();
        // SAFETY: begun, and freed once, the key before the generator that it knows of.
        unsafe {
            match self.kind {
                Kind::Rsa => drop((functions.wc_FreeRsaKey)(key)),
                Kind::Ecdsa(_) => drop((functions.wc_ecc_free)(key)),
                Kind::Ed25519 => (functions.wc_ed25519_free)(key),
                Kind::X25519 => {
                    (functions.wc_curve25519_free)(key);
                    (functions.wc_curve25519_free)(other);
                }
            }
            (functions.wc_FreeRng)(random);
        }
    }
}
