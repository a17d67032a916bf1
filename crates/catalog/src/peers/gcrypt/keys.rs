//! Keys of two halves. Keys, data and signatures are S-expressions, which are written here in their canonical form.
use std::{
    ffi::{CStr, c_char, c_int, c_uint, c_void},
    ptr, slice,
};

use ciphertune_testkit::{Algorithm, Envelope, Fault, Operation, Task};
use zeroize::{Zeroize, Zeroizing};

use crate::{
    Timed,
    context::{seed, tagging},
    der,
    library::{Library, Missing, check, functions},
};

/// `gcry_sexp_t`, `gcry_mpi_t` and `gcry_ctx_t`, opaque.
type Expression = *mut c_void;
type Number = *mut c_void;
type CurveContext = *mut c_void;

functions! {
    Functions {
        gcry_sexp_new: fn(*mut Expression, *const c_void, usize, c_int) -> c_uint;
        gcry_sexp_release: fn(Expression);
        gcry_sexp_find_token: fn(Expression, *const c_char, usize) -> Expression;
        gcry_sexp_nth_data: fn(Expression, c_int, *mut usize) -> *const c_char;
        gcry_pk_sign: fn(*mut Expression, Expression, Expression) -> c_uint;
        gcry_pk_verify: fn(Expression, Expression, Expression) -> c_uint;
        gcry_md_hash_buffer: fn(c_int, *mut c_void, *const c_void, usize);
        gcry_mpi_new: fn(c_uint) -> Number;
        gcry_mpi_release: fn(Number);
        gcry_mpi_scan: fn(*mut Number, c_int, *const c_void, usize, *mut usize) -> c_uint;
        gcry_mpi_print: fn(c_int, *mut u8, usize, *mut usize, Number) -> c_uint;
        gcry_mpi_powm: fn(Number, Number, Number, Number);
        gcry_mpi_invm: fn(Number, Number, Number) -> c_int;
        gcry_mpi_get_opaque: fn(Number, *mut c_uint) -> *const c_void;
        gcry_mpi_ec_new: fn(*mut CurveContext, Expression, *const c_char) -> c_uint;
        gcry_mpi_ec_get_mpi: fn(*const c_char, CurveContext, c_int) -> Number;
        gcry_ctx_release: fn(CurveContext);
    }
}

/// Curve, result, scalar and point.
type Multiply = unsafe extern "C" fn(c_int, *mut u8, *const u8, *const u8) -> c_uint;

/// What works by keys of two halves.
pub(super) struct Keys {
    functions: Functions,
    /// Since 1.9.
    multiply: Option<Multiply>,
}

impl Keys {
    pub(super) fn find(library: Library) -> Result<Self, Missing> {
        Ok(Self {
            functions: Functions::find(library)?,
            // SAFETY: gcrypt.h gives the name this type.
            multiply: unsafe { library.symbol("gcry_ecc_mul_point") }.ok(),
        })
    }

    pub(super) fn has(&self, algorithm: Algorithm) -> bool {
        match algorithm.name() {
            "X25519" => self.multiply.is_some(),
            _ => Scheme::of(algorithm).is_some(),
        }
    }

    pub(super) fn context(&'static self, task: Task, key: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        let contract = task.contract;
        let lacking = || Fault(format!("libgcrypt has no {task}"));
        if task.operation == Operation::Derive {
            let multiply = self.multiply.ok_or_else(lacking)?;
            let private = Zeroizing::new(*seed(key)?);
            return Ok(tagging(
                contract,
                private,
                |_| Ok(()),
                move |private, envelope, public| derive(multiply, private, public, envelope.tag),
            ));
        }
        let scheme = Scheme::of(task.algorithm).ok_or_else(lacking)?;
        let key = Key::new(&self.functions, task, scheme, key)?;
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

/// Puts the secret there.
#[inline]
fn derive(multiply: Multiply, private: &[u8; 32], public: &[u8], secret: &mut [u8]) -> Result<(), Fault> {
    const CURVE25519: c_int = 1;
    check((public.len(), secret.len()) == (32, 32), "gcry_ecc_mul_point")?;
    // SAFETY: on this curve all three have 32 bytes.
    let error = unsafe { multiply(CURVE25519, secret.as_mut_ptr(), private.as_ptr(), public.as_ptr()) };
    check(error == 0, "gcry_ecc_mul_point")
}

/// How messages are signed.
#[derive(Clone, Copy)]
enum Scheme {
    /// PKCS #1 v1.5.
    Rsa,
    Dsa,
    /// On a curve of NIST's, of this name.
    Ecdsa(&'static str),
    Ed25519,
}

impl Scheme {
    fn of(algorithm: Algorithm) -> Option<Self> {
        Some(match algorithm.name() {
            "DSA-2048" => Self::Dsa,
            "ECDSA-P-256" => Self::Ecdsa("NIST P-256"),
            "ECDSA-P-384" => Self::Ecdsa("NIST P-384"),
            "Ed25519" => Self::Ed25519,
            name if name.starts_with("RSA-") => Self::Rsa,
            _ => return None,
        })
    }

    /// Its name in a signature.
    fn name(self) -> &'static str {
        match self {
            Self::Rsa => "rsa",
            Self::Dsa => "dsa",
            Self::Ecdsa(_) => "ecdsa",
            Self::Ed25519 => "eddsa",
        }
    }
}

/// A key for one operation.
struct Key {
    functions: &'static Functions,
    algorithm: Algorithm,
    scheme: Scheme,
    /// `GCRY_MD_*` of the digest that is signed, and its length.
    hash: (c_int, usize),
    key: Owned,
    text: Canonical,
}

impl Key {
    fn new(functions: &'static Functions, task: Task, scheme: Scheme, key: &[u8]) -> Result<Self, Fault> {
        const SHA256: (c_int, usize) = (8, 32);
        const SHA384: (c_int, usize) = (9, 48);
        let mut text = Canonical::default();
        let half = match task.operation {
            Operation::Sign => "private-key",
            _ => "public-key",
        };
        write_key(functions, scheme, half, key, &mut text)?;
        Ok(Self {
            functions,
            algorithm: task.algorithm,
            scheme,
            hash: match task.algorithm.name() {
                "ECDSA-P-384" => SHA384,
                _ => SHA256,
            },
            key: Owned::read(functions, &text)?,
            text: Canonical::default(),
        })
    }

    /// What is signed of a message.
    #[inline]
    fn data(&mut self, message: &[u8]) -> Result<Owned, Fault> {
        let (hash, len) = self.hash;
        let mut digest = [0; 48];
        let digest = &mut digest[..len];
        if !matches!(self.scheme, Scheme::Ed25519) {
            // SAFETY: the message is readable for its length, and the digest as long as the hash makes it.
            unsafe {
                (self.functions.gcry_md_hash_buffer)(
                    hash,
                    digest.as_mut_ptr().cast(),
                    message.as_ptr().cast(),
                    message.len(),
                );
            }
        }
        let text = &mut self.text;
        text.clear();
        text.open("data");
        match self.scheme {
            Scheme::Rsa => text
                .list(&[b"flags", b"pkcs1"])
                .list(&[b"hash", b"sha256", digest]),
            Scheme::Ed25519 => text
                .list(&[b"flags", b"eddsa"])
                .list(&[b"hash-algo", b"sha512"])
                .list(&[b"value", message]),
            _ => text.list(&[b"flags", b"raw"]).list(&[b"value", digest]),
        };
        text.close();
        Owned::read(self.functions, &self.text)
    }

    #[inline]
    fn sign(&mut self, envelope: &mut Envelope<'_>, message: &[u8]) -> Result<(), Fault> {
        let data = self.data(message)?;
        let mut made = ptr::null_mut();
        // SAFETY: data and key are valid; the function writes an expression that is ours.
        let error = unsafe { (self.functions.gcry_pk_sign)(&mut made, data.expression, self.key.expression) };
        check(error == 0, "gcry_pk_sign")?;
        let made = Owned::new(self.functions, made)?;
        let place = &mut *envelope.tag;
        match self.scheme {
            Scheme::Rsa => made.number(c"s", |s| right(s, place)),
            Scheme::Ed25519 => {
                let (r, s) = place.split_at_mut(32);
                made.number(c"r", |number| right(number, r))?;
                made.number(c"s", |number| right(number, s))
            }
            _ => made.number(c"r", |r| made.number(c"s", |s| der::put_pair([r, s], place))),
        }
    }

    #[inline]
    fn verify(&mut self, envelope: &mut Envelope<'_>, message: &[u8]) -> Result<(), Fault> {
        let data = self.data(message)?;
        let signature = self.algorithm.signature(envelope.tag);
        let text = &mut self.text;
        text.clear();
        text.open("sig-val").open(self.scheme.name());
        match self.scheme {
            // Numbers are signed.
            Scheme::Rsa => text.list(&[b"s", &[&[0], signature].concat()]),
            Scheme::Ed25519 => {
                let (r, s) = signature
                    .split_at_checked(32)
                    .ok_or_else(|| Fault("a short signature".to_owned()))?;
                text.list(&[b"r", r]).list(&[b"s", s])
            }
            _ => {
                let [r, s] = der::pair(signature)?;
                text.list(&[b"r", r]).list(&[b"s", s])
            }
        };
        text.close().close();
        let signature = Owned::read(self.functions, &self.text)?;
        // SAFETY: all three are valid.
        let error = unsafe {
            (self.functions.gcry_pk_verify)(signature.expression, data.expression, self.key.expression)
        };
        check(error == 0, "gcry_pk_verify")
    }
}

/// Puts a number at the end of a place of its full length.
#[inline]
fn right(number: &[u8], place: &mut [u8]) -> Result<(), Fault> {
    let zeros = number.len().saturating_sub(place.len());
    let number = &number[zeros..];
    let (front, end) = place.split_at_mut(place.len() - number.len());
    front.fill(0);
    end.copy_from_slice(number);
    Ok(())
}

/// Writes a key as libgcrypt has it.
fn write_key(
    functions: &'static Functions,
    scheme: Scheme,
    half: &str,
    key: &[u8],
    text: &mut Canonical,
) -> Result<(), Fault> {
    text.open(half);
    match scheme {
        Scheme::Rsa => {
            let rsa = der::Rsa::read(key)?;
            // The smaller prime comes first, with its inverse modulo the other: else some signatures come out wrong.
            let [mut p, mut q] = rsa.primes;
            if (p.len(), p) > (q.len(), q) {
                (p, q) = (q, p);
            }
            let inverse = computed(functions, [p, q], |[inverse, p, q]| {
                // SAFETY: all are valid.
                unsafe { (functions.gcry_mpi_invm)(inverse, p, q) == 1 }
            })?;
            text.open("rsa")
                .list(&[b"n", rsa.modulus])
                .list(&[b"e", rsa.public]);
            text.list(&[b"d", rsa.private]).list(&[b"p", p]).list(&[b"q", q]);
            text.list(&[b"u", &inverse]).close();
        }
        Scheme::Dsa => {
            let dsa = der::Dsa::read(key)?;
            let [p, q, g] = dsa.domain;
            let y = computed(functions, [g, dsa.private, p], |[y, g, x, p]| {
                // SAFETY: all are valid.
                unsafe { (functions.gcry_mpi_powm)(y, g, x, p) };
                true
            })?;
            text.open("dsa")
                .list(&[b"p", p])
                .list(&[b"q", q])
                .list(&[b"g", g]);
            text.list(&[b"y", &y]).list(&[b"x", dsa.private]).close();
        }
        Scheme::Ecdsa(curve) => {
            let key = der::Curve::read(key)?;
            let private = Zeroizing::new([&[0], key.private].concat());
            text.open("ecc").list(&[b"curve", curve.as_bytes()]);
            text.list(&[b"q", key.public]).list(&[b"d", &private]).close();
        }
        Scheme::Ed25519 => {
            let private = seed(key)?;
            let public = public_of_ed25519(functions, private)?;
            text.open("ecc")
                .list(&[b"curve", b"Ed25519"])
                .list(&[b"flags", b"eddsa"]);
            text.list(&[b"q", &public]).list(&[b"d", private]).close();
        }
    }
    text.close();
    Ok(())
}

/// A new number, of some that are signed, as one.
fn computed<const N: usize, const ALL: usize>(
    functions: &'static Functions,
    given: [&[u8]; N],
    compute: impl FnOnce([Number; ALL]) -> bool,
) -> Result<Zeroizing<Vec<u8>>, Fault> {
    const SIGNED: c_int = 1;
    let mut numbers = [ptr::null_mut(); ALL];
    let mut written = 0;
    let mut place = Zeroizing::new(vec![
        0;
        given.iter().map(|bytes| bytes.len()).max().unwrap_or(0) + 1
    ]);
    // SAFETY: each number is scanned from bytes that are readable for their length, or NULL where that fails, which is
    // looked at before they are used; no more is written than there is room for, and what was made is released once.
    let done = unsafe {
        let mut error = 0;
        for (number, bytes) in numbers[1..].iter_mut().zip(given) {
            let scan = functions.gcry_mpi_scan;
            error |= scan(
                number,
                SIGNED,
                bytes.as_ptr().cast(),
                bytes.len(),
                ptr::null_mut(),
            );
        }
        numbers[0] = (functions.gcry_mpi_new)(0);
        let done = error == 0 && compute(numbers) && {
            let (room, len) = (place.as_mut_ptr(), place.len());
            (functions.gcry_mpi_print)(SIGNED, room, len, &mut written, numbers[0]) == 0
        };
        numbers
            .into_iter()
            .for_each(|number| (functions.gcry_mpi_release)(number));
        done
    };
    check(done, "gcry_mpi_scan, _powm, _invm or _print")?;
    place.truncate(written);
    Ok(place)
}

/// The public half, as its users have it.
fn public_of_ed25519(functions: &'static Functions, private: &[u8; 32]) -> Result<[u8; 32], Fault> {
    let mut text = Canonical::default();
    text.open("private-key")
        .open("ecc")
        .list(&[b"curve", b"Ed25519"])
        .list(&[b"flags", b"eddsa"]);
    text.list(&[b"d", private]).close().close();
    let key = Owned::read(functions, &text)?;
    let mut context = ptr::null_mut();
    // SAFETY: the key is valid, NULL is no other curve, and what is written is ours.
    let error = unsafe { (functions.gcry_mpi_ec_new)(&mut context, key.expression, ptr::null()) };
    check(error == 0, "gcry_mpi_ec_new")?;
    let mut public = [0; 32];
    let mut bits = 0;
    // SAFETY: the context is valid; the number is a copy that is ours, or NULL. Where it has 32 bytes, they are readable
    // until it is released, and both are released once.
    let found = unsafe {
        let number = (functions.gcry_mpi_ec_get_mpi)(c"q@eddsa".as_ptr(), context, 1);
        let bytes = match number.is_null() {
            true => ptr::null(),
            false => (functions.gcry_mpi_get_opaque)(number, &mut bits),
        };
        let found = !bytes.is_null() && bits == 256;
        if found {
            public.copy_from_slice(slice::from_raw_parts(bytes.cast(), 32));
        }
        (functions.gcry_mpi_release)(number);
        (functions.gcry_ctx_release)(context);
        found
    };
    check(found, "gcry_mpi_ec_get_mpi").map(|()| public)
}

/// An S-expression of libgcrypt's.
struct Owned {
    functions: &'static Functions,
    expression: Expression,
}

impl Owned {
    fn new(functions: &'static Functions, expression: Expression) -> Result<Self, Fault> {
        check(!expression.is_null(), "gcry_sexp_new")?;
        Ok(Self {
            functions,
            expression,
        })
    }

    #[inline]
    fn read(functions: &'static Functions, text: &Canonical) -> Result<Self, Fault> {
        let mut expression = ptr::null_mut();
        let (bytes, len) = (text.0.as_ptr(), text.0.len());
        // SAFETY: the text is readable for its length; the function writes an expression that is ours.
        let error = unsafe { (functions.gcry_sexp_new)(&mut expression, bytes.cast(), len, 0) };
        check(error == 0, "gcry_sexp_new")?;
        Self::new(functions, expression)
    }

    /// The number of this name in it.
    #[inline]
    fn number(&self, name: &CStr, take: impl FnOnce(&[u8]) -> Result<(), Fault>) -> Result<(), Fault> {
        let name_len = name.to_bytes().len();
        // SAFETY: the expression is valid and the name readable; the answer is NULL or ours.
        let found =
            unsafe { (self.functions.gcry_sexp_find_token)(self.expression, name.as_ptr(), name_len) };
        let found = Self::new(self.functions, found)?;
        let mut len = 0;
        // SAFETY: valid; the answer is NULL, or readable for that length for as long as the expression lives.
        let number = unsafe {
            let data = (self.functions.gcry_sexp_nth_data)(found.expression, 1, &mut len);
            check(!data.is_null(), "gcry_sexp_nth_data")?;
            slice::from_raw_parts(data.cast(), len)
        };
        take(number)
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: valid, and released once.
        unsafe { (self.functions.gcry_sexp_release)(self.expression) }
    }
}

/// An S-expression in canonical form.
#[derive(Default)]
struct Canonical(Vec<u8>);

impl Canonical {
    fn clear(&mut self) {
        self.0.clear();
    }

    fn open(&mut self, name: &str) -> &mut Self {
        self.0.push(b'(');
        self.atom(name.as_bytes())
    }

    fn close(&mut self) -> &mut Self {
        self.0.push(b')');
        self
    }

    fn list(&mut self, atoms: &[&[u8]]) -> &mut Self {
        self.0.push(b'(');
        for atom in atoms {
            self.atom(atom);
        }
        self.close()
    }

    fn atom(&mut self, atom: &[u8]) -> &mut Self {
        // libgcrypt reads no length of zero.
        if atom.is_empty() {
            self.0.extend(b"\"\"");
            return self;
        }
        self.0.extend(atom.len().to_string().as_bytes());
        self.0.push(b':');
        self.0.extend(atom);
        self
    }
}

/// It may have held a key.
impl Drop for Canonical {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}
