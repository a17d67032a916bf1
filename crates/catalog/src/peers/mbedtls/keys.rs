//! Keys of two halves. It has neither DSA nor Ed25519.
use std::{
    ffi::{CStr, c_char, c_int, c_uchar, c_void},
    ptr,
};

use ciphertune_testkit::{Algorithm, Envelope, Fault, Operation, Task};
use zeroize::Zeroizing;

use super::structure::{ROOM, Structure};
use crate::{
    Timed,
    context::{seed, tagging},
    library::{Library, Missing, check, functions},
};

/// Fills memory with random bytes; 0 if it did.
type Random = unsafe extern "C" fn(*mut c_void, *mut c_uchar, usize) -> c_int;

functions! {
    Functions {
        mbedtls_md_info_from_string: fn(*const c_char) -> *const c_void;
        mbedtls_md_get_type: fn(*const c_void) -> c_int;
        mbedtls_md: fn(*const c_void, *const c_uchar, usize, *mut c_uchar) -> c_int;
        mbedtls_ctr_drbg_init: fn(*mut c_void);
        mbedtls_ctr_drbg_seed: fn(*mut c_void, Random, *mut c_void, *const c_uchar, usize) -> c_int;
        mbedtls_ctr_drbg_free: fn(*mut c_void);
        mbedtls_pk_init: fn(*mut c_void);
        mbedtls_pk_verify: fn(*mut c_void, c_int, *const c_uchar, usize, *const c_uchar, usize) -> c_int;
        mbedtls_pk_free: fn(*mut c_void);
        mbedtls_ecp_group_init: fn(*mut c_void);
        mbedtls_ecp_group_load: fn(*mut c_void, c_int) -> c_int;
        mbedtls_ecp_group_free: fn(*mut c_void);
        mbedtls_ecp_point_init: fn(*mut c_void);
        mbedtls_ecp_point_read_binary: fn(*const c_void, *mut c_void, *const c_uchar, usize) -> c_int;
        mbedtls_ecp_point_free: fn(*mut c_void);
        mbedtls_mpi_init: fn(*mut c_void);
        mbedtls_mpi_read_binary_le: fn(*mut c_void, *const c_uchar, usize) -> c_int;
        mbedtls_mpi_write_binary_le: fn(*const c_void, *mut c_uchar, usize) -> c_int;
        mbedtls_mpi_free: fn(*mut c_void);
        mbedtls_ecdh_compute_shared:
            fn(*mut c_void, *mut c_void, *const c_void, *const c_void, Random, *mut c_void) -> c_int;
    }
}

functions! {
    /// As 2.28 has them.
    Version2 {
        mbedtls_pk_parse_key: fn(*mut c_void, *const c_uchar, usize, *const c_uchar, usize) -> c_int;
        mbedtls_pk_sign: fn(
            *mut c_void, c_int, *const c_uchar, usize, *mut c_uchar, *mut usize, Random, *mut c_void,
        ) -> c_int;
    }
}

functions! {
    /// As 3.6 has them.
    Version3 {
        mbedtls_pk_parse_key: fn(
            *mut c_void, *const c_uchar, usize, *const c_uchar, usize, Random, *mut c_void,
        ) -> c_int;
        mbedtls_pk_sign: fn(
            *mut c_void, c_int, *const c_uchar, usize, *mut c_uchar, usize, *mut usize, Random, *mut c_void,
        ) -> c_int;
    }
}

enum Private {
    Version2(Version2),
    Version3(Version3),
}

pub(super) struct Keys {
    functions: Functions,
    private: Private,
    /// `mbedtls_ctr_drbg_random`
    random: Random,
}

impl Keys {
    pub(super) fn find(library: Library, version: (u32, u32)) -> Result<Self, Missing> {
        Ok(Self {
            functions: Functions::find(library)?,
            private: match version.0 {
                2 => Private::Version2(Version2::find(library)?),
                _ => Private::Version3(Version3::find(library)?),
            },
            // SAFETY: ctr_drbg.h gives the name this type.
            random: unsafe { library.symbol("mbedtls_ctr_drbg_random")? },
        })
    }

    pub(super) fn has(algorithm: Algorithm) -> bool {
        algorithm.name() == "X25519" || hash(algorithm).is_some()
    }

    pub(super) fn context(&'static self, task: Task, key: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        if task.operation == Operation::Derive {
            let agreement = Agreement::new(self, key)?;
            return Ok(tagging(task.contract, agreement, |_| Ok(()), Agreement::derive));
        }
        let key = Key::new(self, task.algorithm, key)?;
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

/// Mbed TLS's name for what becomes of a message before it is signed, and its bytes.
fn hash(algorithm: Algorithm) -> Option<(&'static CStr, usize)> {
    Some(match algorithm.name() {
        "ECDSA-P-384" => (c"SHA384", 48),
        "ECDSA-P-256" => (c"SHA256", 32),
        name if name.starts_with("RSA-") => (c"SHA256", 32),
        _ => return None,
    })
}

/// A `mbedtls_ctr_drbg_context`: what blinds and what signs at random asks for it.
struct Generator(Structure);

impl Generator {
    fn new(keys: &'static Keys) -> Result<Self, Fault> {
        let functions = &keys.functions;
        let (init, free) = (functions.mbedtls_ctr_drbg_init, functions.mbedtls_ctr_drbg_free);
        // SAFETY: both of `mbedtls_ctr_drbg_context`.
        let mut structure = unsafe { Structure::new(ROOM, init, free) }?;
        let (nothing, none) = (ptr::null_mut(), ptr::null());
        // SAFETY: the structure is new; `entropy` is what it asks for, and there is nothing more to mix in.
        let error =
            unsafe { (functions.mbedtls_ctr_drbg_seed)(structure.as_mut_ptr(), entropy, nothing, none, 0) };
        check(error == 0, "mbedtls_ctr_drbg_seed").map(|()| Self(structure))
    }
}

/// The system's random bytes, for a generator's seed.
///
/// # Safety
/// There is room for `len` bytes at `place`.
unsafe extern "C" fn entropy(_: *mut c_void, place: *mut c_uchar, len: usize) -> c_int {
    // SAFETY: the caller vouches for the room.
    let got = unsafe { libc::getrandom(place.cast(), len, 0) };
    if usize::try_from(got) == Ok(len) { 0 } else { -1 }
}

/// Bytes of the longest signature that it may make, which `mbedtls_pk_sign` wants room for.
pub(super) const LONGEST: usize = 1024;

/// A `mbedtls_pk_context`.
struct Key {
    keys: &'static Keys,
    algorithm: Algorithm,
    hash: *const c_void,
    hash_len: usize,
    structure: Structure,
    generator: Generator,
    signature: [u8; LONGEST],
}

impl Key {
    fn new(keys: &'static Keys, algorithm: Algorithm, key: &[u8]) -> Result<Self, Fault> {
        let functions = &keys.functions;
        let (name, hash_len) = hash(algorithm).unwrap_or_default();
        // SAFETY: the name ends in NUL, and the answer is NULL or static.
        let hash = unsafe { (functions.mbedtls_md_info_from_string)(name.as_ptr()) };
        let (init, free) = (functions.mbedtls_pk_init, functions.mbedtls_pk_free);
        let mut made = Self {
            keys,
            algorithm,
            hash,
            hash_len,
            // SAFETY: both of `mbedtls_pk_context`.
            structure: unsafe { Structure::new(ROOM, init, free) }?,
            generator: Generator::new(keys)?,
            signature: [0; LONGEST],
        };
        check(!hash.is_null(), "mbedtls_md_info_from_string")?;
        let structure = made.structure.as_mut_ptr();
        let (bytes, len, no_password) = (key.as_ptr(), key.len(), ptr::null());
        // SAFETY: the structure is new, the key readable for its length, and the generator seeded.
        let error = unsafe {
            match &keys.private {
                Private::Version2(private) => {
                    (private.mbedtls_pk_parse_key)(structure, bytes, len, no_password, 0)
                }
                Private::Version3(private) => (private.mbedtls_pk_parse_key)(
                    structure,
                    bytes,
                    len,
                    no_password,
                    0,
                    keys.random,
                    made.generator.0.as_mut_ptr(),
                ),
            }
        };
        check(error == 0, "mbedtls_pk_parse_key").map(|()| made)
    }

    /// The message's digest, and its `mbedtls_md_type_t`.
    #[inline]
    fn digest(&self, message: &[u8]) -> Result<([u8; 48], c_int), Fault> {
        let functions = &self.keys.functions;
        let mut digest = [0; 48];
        // SAFETY: the hash is a static structure of the library, SHA-256 or SHA-384, so there is room for its digest; the
        // message is readable for its length.
        let (error, kind) = unsafe {
            (
                (functions.mbedtls_md)(self.hash, message.as_ptr(), message.len(), digest.as_mut_ptr()),
                (functions.mbedtls_md_get_type)(self.hash),
            )
        };
        check(error == 0, "mbedtls_md").map(|()| (digest, kind))
    }

    #[inline]
    fn sign(&mut self, envelope: &mut Envelope<'_>, message: &[u8]) -> Result<(), Fault> {
        let (digest, kind) = self.digest(message)?;
        let structure = self.structure.as_mut_ptr();
        let (digest, len) = (digest.as_ptr(), self.hash_len);
        let (random, generator) = (self.keys.random, self.generator.0.as_mut_ptr());
        let (signature, mut signed) = (self.signature.as_mut_ptr(), 0);
        // SAFETY: the structure has its key, the digest is readable for its length, there is room for the longest
        // signature, and the generator is seeded.
        let error = unsafe {
            match &self.keys.private {
                Private::Version2(private) => (private.mbedtls_pk_sign)(
                    structure,
                    kind,
                    digest,
                    len,
                    signature,
                    &mut signed,
                    random,
                    generator,
                ),
                Private::Version3(private) => (private.mbedtls_pk_sign)(
                    structure,
                    kind,
                    digest,
                    len,
                    signature,
                    LONGEST,
                    &mut signed,
                    random,
                    generator,
                ),
            }
        };
        let room = &mut *envelope.tag;
        check(error == 0 && signed <= room.len(), "mbedtls_pk_sign")?;
        room[..signed].copy_from_slice(&self.signature[..signed]);
        room[signed..].fill(0);
        Ok(())
    }

    #[inline]
    fn verify(&mut self, envelope: &mut Envelope<'_>, message: &[u8]) -> Result<(), Fault> {
        let (digest, kind) = self.digest(message)?;
        let signature = self.algorithm.signature(envelope.tag);
        // SAFETY: the structure has its key; digest and signature are readable for their lengths.
        let error = unsafe {
            (self.keys.functions.mbedtls_pk_verify)(
                self.structure.as_mut_ptr(),
                kind,
                digest.as_ptr(),
                self.hash_len,
                signature.as_ptr(),
                signature.len(),
            )
        };
        check(error == 0, "mbedtls_pk_verify")
    }
}

/// `MBEDTLS_ECP_DP_CURVE25519`
pub(super) const CURVE25519: c_int = 9;

/// X25519: a `mbedtls_ecp_group`, a `mbedtls_ecp_point` and two of `mbedtls_mpi`.
struct Agreement {
    keys: &'static Keys,
    group: Structure,
    public: Structure,
    private: Structure,
    secret: Structure,
    generator: Generator,
}

impl Agreement {
    fn new(keys: &'static Keys, key: &[u8]) -> Result<Self, Fault> {
        let functions = &keys.functions;
        // SAFETY: `init` and `free` are of one structure wherever this is called.
        let new = |init, free| unsafe { Structure::new(ROOM, init, free) };
        let number = || new(functions.mbedtls_mpi_init, functions.mbedtls_mpi_free);
        let mut made = Self {
            keys,
            group: new(functions.mbedtls_ecp_group_init, functions.mbedtls_ecp_group_free)?,
            public: new(functions.mbedtls_ecp_point_init, functions.mbedtls_ecp_point_free)?,
            private: number()?,
            secret: number()?,
            generator: Generator::new(keys)?,
        };
        // RFC 7748, section 5: the bits that it takes for set and for clear, which this library does only where it reads a
        // key into a structure of another kind.
        let mut scalar = Zeroizing::new(*seed(key)?);
        scalar[0] &= 248;
        scalar[31] = scalar[31] & 127 | 64;
        // SAFETY: the structures are new, and the number is readable for its length.
        let error = unsafe {
            (functions.mbedtls_ecp_group_load)(made.group.as_mut_ptr(), CURVE25519)
                | (functions.mbedtls_mpi_read_binary_le)(
                    made.private.as_mut_ptr(),
                    scalar.as_ptr(),
                    scalar.len(),
                )
        };
        check(error == 0, "mbedtls_ecp_group_load").map(|()| made)
    }

    #[inline]
    fn derive(&mut self, envelope: &mut Envelope<'_>, public: &[u8]) -> Result<(), Fault> {
        let functions = &self.keys.functions;
        let secret = &mut *envelope.tag;
        // SAFETY: the structures are set up, the public key is readable and the secret ours to write for their lengths, and
        // the generator is seeded.
        let error = unsafe {
            let point = self.public.as_mut_ptr();
            let group = self.group.as_mut_ptr();
            let read = (functions.mbedtls_ecp_point_read_binary)(group, point, public.as_ptr(), public.len());
            check(read == 0, "mbedtls_ecp_point_read_binary")?;
            (functions.mbedtls_ecdh_compute_shared)(
                group,
                self.secret.as_mut_ptr(),
                point,
                self.private.as_mut_ptr(),
                self.keys.random,
                self.generator.0.as_mut_ptr(),
            ) | (functions.mbedtls_mpi_write_binary_le)(
                self.secret.as_mut_ptr(),
                secret.as_mut_ptr(),
                secret.len(),
            )
        };
        check(error == 0, "mbedtls_ecdh_compute_shared")
    }
}
