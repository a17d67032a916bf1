//! Keys of two halves, by hogweed, which computes with GMP's numbers. Its users bring random numbers: these are the
//! system's.
use std::{
    array,
    ffi::{c_int, c_uint, c_void},
    io, process, ptr,
};

use ciphertune_testkit::{Algorithm, Envelope, Fault, Operation, Task};
use zeroize::Zeroizing;

use super::digest::{Digests, HashContext};
use crate::{
    Timed,
    context::{seed, tagging},
    der,
    library::{Library, check, functions, origin},
};

/// `mpz_t`.
#[repr(C)]
struct Integer {
    allocated: c_int,
    size: c_int,
    limbs: *mut c_void,
}

/// `struct rsa_public_key`: modulus and exponent.
#[repr(C)]
struct RsaPublic {
    size: usize,
    numbers: [Integer; 2],
}

/// `struct rsa_private_key`: exponent, primes, their exponents and the coefficient.
#[repr(C)]
struct RsaPrivate {
    size: usize,
    numbers: [Integer; 6],
}

/// `struct ecc_point` and `struct ecc_scalar`.
#[repr(C)]
struct OnCurve {
    curve: *const c_void,
    limbs: *mut c_void,
}

type Random = unsafe extern "C" fn(*mut c_void, usize, *mut u8);

functions! {
    Numbers {
        __gmpz_init: fn(*mut Integer);
        __gmpz_clear: fn(*mut Integer);
        __gmpz_powm: fn(*mut Integer, *const Integer, *const Integer, *const Integer);
    }
}

functions! {
    Hogweed {
        nettle_mpz_set_str_256_u: fn(*mut Integer, usize, *const u8);
        nettle_mpz_get_str_256: fn(usize, *mut u8, *const Integer);
        nettle_rsa_keypair_from_der: fn(*mut RsaPublic, *mut RsaPrivate, c_uint, usize, *const u8) -> c_int;
        nettle_rsa_sha256_sign_digest_tr:
            fn(*const RsaPublic, *const RsaPrivate, *mut c_void, Random, *const u8, *mut Integer) -> c_int;
        nettle_rsa_sha256_verify_digest: fn(*const RsaPublic, *const u8, *const Integer) -> c_int;
        nettle_dsa_sign: fn(
            *const [Integer; 3], *const Integer, *mut c_void, Random, usize, *const u8, *mut [Integer; 2],
        ) -> c_int;
        nettle_dsa_verify:
            fn(*const [Integer; 3], *const Integer, usize, *const u8, *const [Integer; 2]) -> c_int;
        nettle_get_secp_256r1: fn() -> *const c_void;
        nettle_get_secp_384r1: fn() -> *const c_void;
        nettle_ecc_point_init: fn(*mut OnCurve, *const c_void);
        nettle_ecc_point_clear: fn(*mut OnCurve);
        nettle_ecc_point_mul_g: fn(*mut OnCurve, *const OnCurve);
        nettle_ecc_scalar_init: fn(*mut OnCurve, *const c_void);
        nettle_ecc_scalar_clear: fn(*mut OnCurve);
        nettle_ecc_scalar_set: fn(*mut OnCurve, *const Integer) -> c_int;
        nettle_ecdsa_sign: fn(*const OnCurve, *mut c_void, Random, usize, *const u8, *mut [Integer; 2]);
        nettle_ecdsa_verify: fn(*const OnCurve, usize, *const u8, *const [Integer; 2]) -> c_int;
        nettle_ed25519_sha512_public_key: fn(*mut u8, *const u8);
        nettle_ed25519_sha512_sign: fn(*const u8, *const u8, usize, *const u8, *mut u8);
        nettle_ed25519_sha512_verify: fn(*const u8, usize, *const u8, *const u8) -> c_int;
        nettle_curve25519_mul: fn(*mut u8, *const u8, *const u8);
    }
}

/// What works by keys of two halves.
pub(super) struct Keys {
    hogweed: Hogweed,
    numbers: Numbers,
}

impl Keys {
    /// Of the libraries that belong to the nettle with this address, where they are installed beside it and whole: the rest
    /// goes without.
    pub(super) fn find(nettle: *const c_void) -> Option<Self> {
        let load = |soname| Library::of_system(soname).ok().flatten();
        let hogweed = Hogweed::find(load("libhogweed.so.6")?).ok()?;
        let folder = |address| Some(origin(address)?.canonicalize().ok()?.parent()?.to_owned());
        if folder(nettle)? != folder(hogweed.nettle_curve25519_mul as *const c_void)? {
            return None;
        }
        Some(Self {
            hogweed,
            numbers: Numbers::find(load("libgmp.so.10")?).ok()?,
        })
    }

    pub(super) fn has(algorithm: Algorithm) -> bool {
        algorithm.name().starts_with("RSA-")
            || ["DSA-2048", "ECDSA-P-256", "ECDSA-P-384", "Ed25519", "X25519"].contains(&algorithm.name())
    }

    pub(super) fn context(
        &'static self,
        digests: &Digests,
        task: Task,
        key: &[u8],
    ) -> Result<Box<dyn Timed>, Fault> {
        let contract = task.contract;
        if let "Ed25519" | "X25519" = task.algorithm.name() {
            let pair = Bytes::new(&self.hogweed, task.algorithm, *seed(key)?);
            return Ok(tagging(
                contract,
                pair,
                |_| Ok(()),
                match task.operation {
                    Operation::Sign => Bytes::sign,
                    Operation::Verify => Bytes::verify,
                    _ => Bytes::derive,
                },
            ));
        }
        let key = Key::new(self, digests, task.algorithm, key)?;
        Ok(tagging(
            contract,
            key,
            |_| Ok(()),
            match task.operation {
                Operation::Sign => Key::sign,
                _ => Key::verify,
            },
        ))
    }
}

/// Fills memory for a library that asks for random numbers and takes no refusal.
///
/// # Safety
/// `place` is writable for `len` bytes.
unsafe extern "C" fn random(_: *mut c_void, len: usize, place: *mut u8) {
    let mut done = 0;
    while done < len {
        // SAFETY: there is room for what is left.
        let more = unsafe { libc::getrandom(place.add(done).cast(), len - done, 0) };
        match usize::try_from(more) {
            Ok(more) => done += more,
            Err(_) if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
            // A signature without them would give its key away.
            Err(_) => process::abort(),
        }
    }
}

/// A key of bytes alone.
struct Bytes {
    hogweed: &'static Hogweed,
    private: Zeroizing<[u8; 32]>,
    public: [u8; 32],
}

impl Bytes {
    fn new(hogweed: &'static Hogweed, algorithm: Algorithm, private: [u8; 32]) -> Self {
        let mut public = [0; 32];
        if algorithm.name() == "Ed25519" {
            // SAFETY: both have the 32 bytes that the function reads and writes.
            unsafe { (hogweed.nettle_ed25519_sha512_public_key)(public.as_mut_ptr(), private.as_ptr()) };
        }
        Self {
            hogweed,
            private: Zeroizing::new(private),
            public,
        }
    }

    #[inline]
    fn sign(&mut self, envelope: &mut Envelope<'_>, message: &[u8]) -> Result<(), Fault> {
        check(envelope.tag.len() == 64, "nettle_ed25519_sha512_sign")?;
        let (public, private) = (self.public.as_ptr(), self.private.as_ptr());
        let (len, message) = (message.len(), message.as_ptr());
        // SAFETY: keys have 32 bytes and the signature 64; the message is readable for its length.
        unsafe {
            (self.hogweed.nettle_ed25519_sha512_sign)(
                public,
                private,
                len,
                message,
                envelope.tag.as_mut_ptr(),
            )
        };
        Ok(())
    }

    #[inline]
    fn verify(&mut self, envelope: &mut Envelope<'_>, message: &[u8]) -> Result<(), Fault> {
        check(envelope.tag.len() == 64, "nettle_ed25519_sha512_verify")?;
        let (len, message) = (message.len(), message.as_ptr());
        // SAFETY: as in `sign`.
        let valid = unsafe {
            (self.hogweed.nettle_ed25519_sha512_verify)(
                self.public.as_ptr(),
                len,
                message,
                envelope.tag.as_ptr(),
            )
        };
        check(valid == 1, "nettle_ed25519_sha512_verify")
    }

    #[inline]
    fn derive(&mut self, envelope: &mut Envelope<'_>, public: &[u8]) -> Result<(), Fault> {
        let secret = &mut *envelope.tag;
        check((public.len(), secret.len()) == (32, 32), "nettle_curve25519_mul")?;
        // SAFETY: all three have 32 bytes.
        unsafe {
            (self.hogweed.nettle_curve25519_mul)(secret.as_mut_ptr(), self.private.as_ptr(), public.as_ptr());
        }
        Ok(())
    }
}

/// A key of numbers: what is of another algorithm is zero. GMP does not wipe numbers; these keys are known to everyone.
struct Key {
    hogweed: &'static Hogweed,
    numbers: &'static Numbers,
    algorithm: Algorithm,
    rsa: Box<(RsaPublic, RsaPrivate)>,
    /// Of DSA modulus, order and generator.
    domain: Box<[Integer; 3]>,
    private: Integer,
    public: Integer,
    /// Of ECDSA.
    point: Option<OnCurve>,
    scalar: Option<OnCurve>,
    /// The numbers of a signature; RSA has the first alone.
    signature: Box<[Integer; 2]>,
    digest: HashContext,
    digest_len: usize,
}

impl Key {
    fn new(keys: &'static Keys, digests: &Digests, algorithm: Algorithm, key: &[u8]) -> Result<Self, Fault> {
        let Keys { hogweed, numbers } = keys;
        let integer = || {
            let mut integer = Integer {
                allocated: 0,
                size: 0,
                limbs: ptr::null_mut(),
            };
            // SAFETY: there to be written. GMP's numbers may move.
            unsafe { (numbers.__gmpz_init)(&mut integer) };
            integer
        };
        let integers = |_| integer();
        let hash = if algorithm.name() == "ECDSA-P-384" {
            "SHA2-384"
        } else {
            "SHA2-256"
        };
        let hash = hash
            .parse::<Algorithm>()
            .map_err(|error| Fault(error.to_string()))?;
        let mut made = Self {
            hogweed,
            numbers,
            algorithm,
            rsa: Box::new((
                RsaPublic {
                    size: 0,
                    numbers: array::from_fn(integers),
                },
                RsaPrivate {
                    size: 0,
                    numbers: array::from_fn(integers),
                },
            )),
            domain: Box::new(array::from_fn(integers)),
            private: integer(),
            public: integer(),
            point: None,
            scalar: None,
            signature: Box::new(array::from_fn(integers)),
            digest: HashContext::new(digests, hash)?,
            digest_len: hash.tag_len(),
        };
        made.read(key)?;
        Ok(made)
    }

    fn read(&mut self, key: &[u8]) -> Result<(), Fault> {
        let Self { hogweed, numbers, .. } = *self;
        // SAFETY: the number is there, and the bytes readable for their length.
        let set = |number: &mut Integer, bytes: &[u8]| unsafe {
            (hogweed.nettle_mpz_set_str_256_u)(number, bytes.len(), bytes.as_ptr());
        };
        match self.algorithm.name() {
            "DSA-2048" => {
                let dsa = der::Dsa::read(key)?;
                self.domain
                    .iter_mut()
                    .zip(dsa.domain)
                    .for_each(|(number, bytes)| set(number, bytes));
                set(&mut self.private, dsa.private);
                let [modulus, _, generator] = &*self.domain;
                // SAFETY: all are valid, and the modulus is not zero: it is that of a key that everyone knows.
                unsafe { (numbers.__gmpz_powm)(&mut self.public, generator, &self.private, modulus) };
                Ok(())
            }
            "ECDSA-P-256" | "ECDSA-P-384" => self.read_curve(key),
            _ => {
                let whole = der::Rsa::read(key)?.whole;
                let (public, private) = &mut *self.rsa;
                // SAFETY: both structures are begun; the bytes are readable for their length, and 0 is no limit to numbers.
                let done = unsafe {
                    (hogweed.nettle_rsa_keypair_from_der)(public, private, 0, whole.len(), whole.as_ptr())
                };
                check(done == 1, "nettle_rsa_keypair_from_der")
            }
        }
    }

    fn read_curve(&mut self, key: &[u8]) -> Result<(), Fault> {
        let hogweed = self.hogweed;
        let private = der::Curve::read(key)?.private;
        let new = || OnCurve {
            curve: ptr::null(),
            limbs: ptr::null_mut(),
        };
        // SAFETY: the functions take nothing and answer what stays; point and scalar are begun on that curve, in the
        // places where they stay but for moves, and the number is set to bytes that are readable for their length.
        let done = unsafe {
            let curve = match self.algorithm.name() {
                "ECDSA-P-256" => (hogweed.nettle_get_secp_256r1)(),
                _ => (hogweed.nettle_get_secp_384r1)(),
            };
            let (point, scalar) = (self.point.insert(new()), self.scalar.insert(new()));
            (hogweed.nettle_ecc_point_init)(point, curve);
            (hogweed.nettle_ecc_scalar_init)(scalar, curve);
            (hogweed.nettle_mpz_set_str_256_u)(&mut self.private, private.len(), private.as_ptr());
            let done = (hogweed.nettle_ecc_scalar_set)(scalar, &self.private);
            if done == 1 {
                (hogweed.nettle_ecc_point_mul_g)(point, scalar);
            }
            done
        };
        check(done == 1, "nettle_ecc_scalar_set")
    }

    #[inline]
    fn sign(&mut self, envelope: &mut Envelope<'_>, message: &[u8]) -> Result<(), Fault> {
        let mut digest = [0; 48];
        self.digest.digest(message, &mut digest[..self.digest_len]);
        let (digest, len) = (digest.as_ptr(), self.digest_len);
        let nothing = ptr::null_mut();
        let hogweed = self.hogweed;
        // SAFETY: the key is there, its own kind alone is looked at, and so is the signature's place; the digest has the
        // length that is told or, for RSA, that of SHA-256.
        let done = unsafe {
            match (&self.scalar, self.algorithm.name()) {
                (Some(scalar), _) => {
                    (hogweed.nettle_ecdsa_sign)(scalar, nothing, random, len, digest, &mut *self.signature);
                    1
                }
                (None, "DSA-2048") => (hogweed.nettle_dsa_sign)(
                    &*self.domain,
                    &self.private,
                    nothing,
                    random,
                    len,
                    digest,
                    &mut *self.signature,
                ),
                _ => {
                    let (public, private) = &*self.rsa;
                    let place = &mut self.signature[0];
                    (hogweed.nettle_rsa_sha256_sign_digest_tr)(
                        public, private, nothing, random, digest, place,
                    )
                }
            }
        };
        check(done == 1, "nettle_rsa_sha256_sign_digest_tr or another")?;
        if self.is_rsa() {
            self.put(0, envelope.tag);
            return Ok(());
        }
        let (mut r, mut s) = ([0; LONGEST_NUMBER], [0; LONGEST_NUMBER]);
        self.put(0, &mut r);
        self.put(1, &mut s);
        der::put_pair([&r, &s], envelope.tag)
    }

    #[inline]
    fn verify(&mut self, envelope: &mut Envelope<'_>, message: &[u8]) -> Result<(), Fault> {
        let mut digest = [0; 48];
        self.digest.digest(message, &mut digest[..self.digest_len]);
        let signature = self.algorithm.signature(envelope.tag);
        let hogweed = self.hogweed;
        let numbers = match self.is_rsa() {
            true => [signature, &[]],
            false => der::pair(signature)?,
        };
        for (number, bytes) in self.signature.iter_mut().zip(numbers) {
            // SAFETY: the number is there, and the bytes readable for their length.
            unsafe { (hogweed.nettle_mpz_set_str_256_u)(number, bytes.len(), bytes.as_ptr()) };
        }
        let (digest, len) = (digest.as_ptr(), self.digest_len);
        // SAFETY: as in `sign`.
        let valid = unsafe {
            match (&self.point, self.algorithm.name()) {
                (Some(point), _) => (hogweed.nettle_ecdsa_verify)(point, len, digest, &*self.signature),
                (None, "DSA-2048") => {
                    (hogweed.nettle_dsa_verify)(&*self.domain, &self.public, len, digest, &*self.signature)
                }
                _ => (hogweed.nettle_rsa_sha256_verify_digest)(&self.rsa.0, digest, &self.signature[0]),
            }
        };
        check(valid == 1, "nettle_rsa_sha256_verify_digest or another")
    }

    /// Puts a number of the signature there, in as many bytes as there is room for.
    #[inline]
    fn put(&self, which: usize, place: &mut [u8]) {
        // SAFETY: the number is valid, and the place writable for its length, all of which is written.
        unsafe {
            (self.hogweed.nettle_mpz_get_str_256)(place.len(), place.as_mut_ptr(), &self.signature[which])
        };
    }

    fn is_rsa(&self) -> bool {
        self.algorithm.name().starts_with("RSA-")
    }
}

/// Bytes of a signature's number, of all but RSA.
const LONGEST_NUMBER: usize = 48;

impl Drop for Key {
    fn drop(&mut self) {
        let (public, private) = &mut *self.rsa;
        let numbers = public
            .numbers
            .iter_mut()
            .chain(&mut private.numbers)
            .chain(&mut *self.domain);
        let numbers = numbers
            .chain(&mut *self.signature)
            .chain([&mut self.private, &mut self.public]);
        // SAFETY: all were begun, and are cleared once.
        numbers.for_each(|number| unsafe { (self.numbers.__gmpz_clear)(number) });
        if let Some(point) = &mut self.point {
            // SAFETY: as above.
            unsafe { (self.hogweed.nettle_ecc_point_clear)(point) };
        }
        if let Some(scalar) = &mut self.scalar {
            // SAFETY: as above.
            unsafe { (self.hogweed.nettle_ecc_scalar_clear)(scalar) };
        }
    }
}

#[cfg(test)]
pub(crate) fn layout() -> crate::peers::layouts::Layout {
    use std::mem::offset_of;

    crate::peers::layouts::Layout {
        headers: &["nettle/rsa.h", "nettle/dsa.h", "nettle/ecc.h"],
        facts: vec![
            ("sizeof(mpz_t)", size_of::<Integer>()),
            ("sizeof(struct rsa_public_key)", size_of::<RsaPublic>()),
            (
                "offsetof(struct rsa_public_key, n)",
                offset_of!(RsaPublic, numbers),
            ),
            ("sizeof(struct rsa_private_key)", size_of::<RsaPrivate>()),
            ("sizeof(struct dsa_params)", 3 * size_of::<Integer>()),
            ("sizeof(struct dsa_signature)", 2 * size_of::<Integer>()),
            ("sizeof(struct ecc_point)", size_of::<OnCurve>()),
            ("sizeof(struct ecc_scalar)", size_of::<OnCurve>()),
        ],
    }
}
