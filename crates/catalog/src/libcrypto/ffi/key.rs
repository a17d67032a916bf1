//! Keys of two halves.
use std::{
    ffi::{CString, c_char, c_int, c_long, c_uchar, c_void},
    ptr::{self, NonNull},
};

use ciphertune_testkit::{Algorithm, Kind, Operation};

use super::{Api, Digest, DigestContext, Failed, check, digest::EvpMd, digest::EvpMdCtx};
use crate::library::{Library, Missing, functions};

/// `EVP_PKEY` and `EVP_PKEY_CTX`, opaque.
type Pkey = *mut c_void;
type PkeyContext = *mut c_void;

functions! {
    Functions {
        d2i_AutoPrivateKey: fn(*mut Pkey, *mut *const c_uchar, c_long) -> Pkey;
        EVP_PKEY_free: fn(Pkey);
        EVP_PKEY_CTX_free: fn(PkeyContext);
        EVP_PKEY_sign_init: fn(PkeyContext) -> c_int;
        EVP_PKEY_sign: fn(PkeyContext, *mut c_uchar, *mut usize, *const c_uchar, usize) -> c_int;
        EVP_PKEY_verify_init: fn(PkeyContext) -> c_int;
        EVP_PKEY_verify: fn(PkeyContext, *const c_uchar, usize, *const c_uchar, usize) -> c_int;
        EVP_PKEY_derive_init: fn(PkeyContext) -> c_int;
        EVP_PKEY_derive_set_peer: fn(PkeyContext, Pkey) -> c_int;
        EVP_PKEY_derive: fn(PkeyContext, *mut c_uchar, *mut usize) -> c_int;
        EVP_DigestSignInit: fn(*mut EvpMdCtx, *mut PkeyContext, *const EvpMd, *mut c_void, Pkey) -> c_int;
        EVP_DigestSign: fn(*mut EvpMdCtx, *mut c_uchar, *mut usize, *const c_uchar, usize) -> c_int;
        EVP_DigestVerifyInit: fn(*mut EvpMdCtx, *mut PkeyContext, *const EvpMd, *mut c_void, Pkey) -> c_int;
        EVP_DigestVerify: fn(*mut EvpMdCtx, *const c_uchar, usize, *const c_uchar, usize) -> c_int;
        EVP_PKEY_new_raw_public_key: fn(c_int, *mut c_void, *const c_uchar, usize) -> Pkey;
    }
}

functions! {
    /// What is told which provider's code to take, in OpenSSL since 3.0. Without these a configured one answers, or any
    /// that is active.
    Asked {
        d2i_AutoPrivateKey_ex:
            fn(*mut Pkey, *mut *const c_uchar, c_long, *mut c_void, *const c_char) -> Pkey;
        EVP_PKEY_CTX_new_from_pkey: fn(*mut c_void, Pkey, *const c_char) -> PkeyContext;
        EVP_DigestSignInit_ex: fn(
            *mut EvpMdCtx, *mut PkeyContext, *const c_char, *mut c_void, *const c_char, Pkey, *const c_void,
        ) -> c_int;
        EVP_DigestVerifyInit_ex: fn(
            *mut EvpMdCtx, *mut PkeyContext, *const c_char, *mut c_void, *const c_char, Pkey, *const c_void,
        ) -> c_int;
        EVP_PKEY_new_raw_public_key_ex:
            fn(*mut c_void, *const c_char, *const c_char, *const c_uchar, usize) -> Pkey;
    }
}

functions! {
    /// What OpenSSL has since 3.5, when it got keys that are bytes alone.
    Encapsulation {
        EVP_PKEY_new_raw_private_key_ex:
            fn(*mut c_void, *const c_char, *const c_char, *const c_uchar, usize) -> Pkey;
        EVP_PKEY_get_raw_private_key: fn(Pkey, *mut c_uchar, *mut usize) -> c_int;
        EVP_PKEY_CTX_new_from_name: fn(*mut c_void, *const c_char, *const c_char) -> PkeyContext;
        EVP_PKEY_keygen_init: fn(PkeyContext) -> c_int;
        EVP_PKEY_generate: fn(PkeyContext, *mut Pkey) -> c_int;
        EVP_PKEY_encapsulate_init: fn(PkeyContext, *const c_void) -> c_int;
        EVP_PKEY_encapsulate: fn(PkeyContext, *mut c_uchar, *mut usize, *mut c_uchar, *mut usize) -> c_int;
        EVP_PKEY_decapsulate_init: fn(PkeyContext, *const c_void) -> c_int;
        EVP_PKEY_decapsulate: fn(PkeyContext, *mut c_uchar, *mut usize, *const c_uchar, usize) -> c_int;
    }
}

type New = unsafe extern "C" fn(Pkey, *mut c_void) -> PkeyContext;
type SetDigest = unsafe extern "C" fn(PkeyContext, *const EvpMd) -> c_int;
type Control = unsafe extern "C" fn(PkeyContext, c_int, c_int, c_int, c_int, *mut c_void) -> c_int;
type GetId = unsafe extern "C" fn(Pkey) -> c_int;

/// What works by keys of two halves, in OpenSSL since 1.1.1.
pub(super) struct Keys {
    functions: Functions,
    asked: Option<Asked>,
    encapsulation: Option<Encapsulation>,
    new: New,
    set_digest: Option<SetDigest>,
    control: Option<Control>,
    get_id: GetId,
}

impl Keys {
    pub(super) fn find(library: Library) -> Result<Self, Missing> {
        // SAFETY: OpenSSL documents each signature for its name, some under two names in the course of time.
        unsafe {
            Ok(Self {
                functions: Functions::find(library)?,
                asked: Asked::find(library).ok(),
                encapsulation: Encapsulation::find(library).ok(),
                new: library.symbol("EVP_PKEY_CTX_new")?,
                set_digest: library.symbol("EVP_PKEY_CTX_set_signature_md").ok(),
                control: library.symbol("EVP_PKEY_CTX_ctrl").ok(),
                get_id: library
                    .symbol("EVP_PKEY_get_id")
                    .or_else(|_| library.symbol("EVP_PKEY_id"))?,
            })
        }
    }
}

/// An `EVP_PKEY` and what is made ready to work by it, for one operation. libcrypto wipes keys when it frees them.
pub(in super::super) struct KeyContext {
    api: &'static Api,
    keys: &'static Keys,
    algorithm: Algorithm,
    name: CString,
    key: Pkey,
    context: PkeyContext,
    /// Of the message, where what is signed is its digest, and how long that is.
    digest: Option<(DigestContext, usize)>,
    /// What signs messages themselves.
    messages: Option<DigestContext>,
}

impl KeyContext {
    pub(in super::super) fn new(
        api: &'static Api,
        algorithm: Algorithm,
        operation: Operation,
        key: &[u8],
    ) -> Result<Self, Failed> {
        let keys = api.keys.as_ref().ok_or(Failed("EVP_DigestSign"))?;
        let mut made = Self {
            api,
            keys,
            algorithm,
            name: CString::new(algorithm.name()).expect("no NUL in it"),
            key: ptr::null_mut(),
            context: ptr::null_mut(),
            digest: None,
            messages: None,
        };
        made.key = made.read(key)?;
        match (algorithm.kind(), hashed_by(algorithm)) {
            (Kind::Signature, Some(hash)) => {
                let missing = || Failed("EVP_MD_fetch");
                let hash = Algorithm::named(hash).ok_or_else(missing)?;
                let digest = api.digest(hash).ok_or_else(missing)?;
                made.sign_digests(operation, digest, hash.tag_len())?;
            }
            (Kind::Signature, None) => made.sign_messages(operation)?,
            _ => made.exchange(operation)?,
        }
        Ok(made)
    }

    fn read(&self, key: &[u8]) -> Result<Pkey, Failed> {
        let key = match is_bytes(self.algorithm) {
            // SAFETY: the functions read as many bytes as they are told, and advance their own pointer to them. NULL is the
            // default library context; the properties end in NUL and outlive the call.
            false => unsafe {
                let (mut from, len) = (key.as_ptr(), key.len() as c_long);
                match &self.keys.asked {
                    Some(asked) => (asked.d2i_AutoPrivateKey_ex)(
                        ptr::null_mut(),
                        &mut from,
                        len,
                        ptr::null_mut(),
                        self.api.properties.as_ptr(),
                    ),
                    None => (self.keys.functions.d2i_AutoPrivateKey)(ptr::null_mut(), &mut from, len),
                }
            },
            true => {
                let missing = Failed("EVP_PKEY_new_raw_private_key_ex");
                let functions = self.keys.encapsulation.as_ref().ok_or(missing)?;
                // SAFETY: NULL is the default library context; the strings end in NUL and outlive the call, and as many
                // bytes are read as it is told.
                unsafe {
                    (functions.EVP_PKEY_new_raw_private_key_ex)(
                        ptr::null_mut(),
                        self.name.as_ptr(),
                        self.api.properties.as_ptr(),
                        key.as_ptr(),
                        key.len(),
                    )
                }
            }
        };
        check(
            !key.is_null(),
            "d2i_AutoPrivateKey or EVP_PKEY_new_raw_private_key_ex",
        )
        .map(|()| key)
    }

    /// Makes the context for the key, by the provider that is asked for.
    fn begin(&mut self) -> Result<(), Failed> {
        // SAFETY: the key is valid, and the context holds on to it; NULL is the default library context, or no engine.
        self.context = unsafe {
            match &self.keys.asked {
                Some(asked) => {
                    let properties = self.api.properties.as_ptr();
                    (asked.EVP_PKEY_CTX_new_from_pkey)(ptr::null_mut(), self.key, properties)
                }
                None => (self.keys.new)(self.key, ptr::null_mut()),
            }
        };
        check(!self.context.is_null(), "EVP_PKEY_CTX_new")
    }

    fn sign_digests(&mut self, operation: Operation, hash: Digest, len: usize) -> Result<(), Failed> {
        /// `EVP_PKEY_OP_TYPE_SIG` and `EVP_PKEY_CTRL_MD`, as OpenSSL 1.1.1 has them.
        const SIGNATURES: c_int = 0xf8;
        const SET_DIGEST: c_int = 1;
        self.begin()?;
        let functions = &self.keys.functions;
        let raw = hash.raw.as_ptr();
        // SAFETY: the context is valid, and the digest is of the same library and never freed. PKCS #1 v1.5 is the padding
        // that RSA has until told otherwise.
        let (begun, set) = unsafe {
            let begun = match operation {
                Operation::Verify => (functions.EVP_PKEY_verify_init)(self.context),
                _ => (functions.EVP_PKEY_sign_init)(self.context),
            };
            let set = match (self.keys.set_digest, self.keys.control) {
                (Some(set), _) => set(self.context, raw),
                (None, Some(control)) => control(self.context, -1, SIGNATURES, SET_DIGEST, 0, raw.cast()),
                (None, None) => 0,
            };
            (begun, set)
        };
        check(begun == 1, "EVP_PKEY_sign_init or _verify_init")?;
        check(set == 1, "EVP_PKEY_CTX_set_signature_md")?;
        self.digest = Some((DigestContext::new(hash)?, len));
        Ok(())
    }

    fn sign_messages(&mut self, operation: Operation) -> Result<(), Failed> {
        let digests = self.api.digests.as_ref().ok_or(Failed("EVP_MD_CTX_new"))?;
        let messages = DigestContext::empty(digests)?;
        let functions = &self.keys.functions;
        let verifies = operation == Operation::Verify;
        let (context, none) = (messages.raw(), ptr::null_mut());
        // SAFETY: the context is new and the key valid, which it holds on to; the algorithm has no digest besides its own.
        // NULL is the default library context, no parameters and no engine; the properties end in NUL and outlive the call.
        let answer = unsafe {
            match &self.keys.asked {
                Some(asked) => {
                    let init = match verifies {
                        true => asked.EVP_DigestVerifyInit_ex,
                        false => asked.EVP_DigestSignInit_ex,
                    };
                    let properties = self.api.properties.as_ptr();
                    init(
                        context,
                        ptr::null_mut(),
                        ptr::null(),
                        none,
                        properties,
                        self.key,
                        none,
                    )
                }
                None => {
                    let init = match verifies {
                        true => functions.EVP_DigestVerifyInit,
                        false => functions.EVP_DigestSignInit,
                    };
                    init(context, ptr::null_mut(), ptr::null(), none, self.key)
                }
            }
        };
        self.messages = Some(messages);
        check(answer == 1, "EVP_DigestSignInit or EVP_DigestVerifyInit")
    }

    fn exchange(&mut self, operation: Operation) -> Result<(), Failed> {
        if operation == Operation::Derive {
            self.begin()?;
            // SAFETY: the context is valid.
            let answer = unsafe { (self.keys.functions.EVP_PKEY_derive_init)(self.context) };
            return check(answer == 1, "EVP_PKEY_derive_init");
        }
        let missing = Failed("EVP_PKEY_encapsulate");
        let functions = self.keys.encapsulation.as_ref().ok_or(missing)?;
        if operation == Operation::Generate {
            // SAFETY: as in `read`.
            self.context = unsafe {
                (functions.EVP_PKEY_CTX_new_from_name)(
                    ptr::null_mut(),
                    self.name.as_ptr(),
                    self.api.properties.as_ptr(),
                )
            };
            check(!self.context.is_null(), "EVP_PKEY_CTX_new_from_name")?;
            // SAFETY: the context is valid.
            let answer = unsafe { (functions.EVP_PKEY_keygen_init)(self.context) };
            return check(answer == 1, "EVP_PKEY_keygen_init");
        }
        self.begin()?;
        // SAFETY: the context is valid, and NULL is no parameters.
        let answer = unsafe {
            match operation {
                Operation::Decapsulate => (functions.EVP_PKEY_decapsulate_init)(self.context, ptr::null()),
                _ => (functions.EVP_PKEY_encapsulate_init)(self.context, ptr::null()),
            }
        };
        check(answer == 1, "EVP_PKEY_encapsulate_init or _decapsulate_init")
    }

    /// Puts the signature of a message there, with zeros behind a short one.
    #[inline]
    pub(in super::super) fn sign(&mut self, message: &[u8], signature: &mut [u8]) -> Result<(), Failed> {
        let mut len = signature.len();
        let functions = &self.keys.functions;
        let answer = if let Some(messages) = &self.messages {
            self.again(functions.EVP_DigestSignInit, messages)?;
            // SAFETY: the context has its key; the message is readable for its length, and no more is written than is told
            // that there is room for.
            unsafe {
                let (message, message_len) = (message.as_ptr(), message.len());
                (functions.EVP_DigestSign)(
                    messages.raw(),
                    signature.as_mut_ptr(),
                    &mut len,
                    message,
                    message_len,
                )
            }
        } else {
            let mut digest = [0; LONGEST_DIGEST];
            let digest = self.hash(message, &mut digest)?;
            // SAFETY: as above.
            unsafe {
                (functions.EVP_PKEY_sign)(
                    self.context,
                    signature.as_mut_ptr(),
                    &mut len,
                    digest.as_ptr(),
                    digest.len(),
                )
            }
        };
        check(
            answer == 1 && len <= signature.len(),
            "EVP_PKEY_sign or EVP_DigestSign",
        )?;
        signature[len..].fill(0);
        Ok(())
    }

    /// Fails if this is not the message's signature.
    #[inline]
    pub(in super::super) fn verify(&mut self, message: &[u8], signature: &[u8]) -> Result<(), Failed> {
        let signature = self.algorithm.signature(signature);
        let (raw, len) = (signature.as_ptr(), signature.len());
        let functions = &self.keys.functions;
        let answer = if let Some(messages) = &self.messages {
            self.again(functions.EVP_DigestVerifyInit, messages)?;
            // SAFETY: the context has its key; signature and message are readable for their lengths.
            unsafe { (functions.EVP_DigestVerify)(messages.raw(), raw, len, message.as_ptr(), message.len()) }
        } else {
            let mut digest = [0; LONGEST_DIGEST];
            let digest = self.hash(message, &mut digest)?;
            // SAFETY: as above.
            unsafe { (functions.EVP_PKEY_verify)(self.context, raw, len, digest.as_ptr(), digest.len()) }
        };
        check(answer == 1, "EVP_PKEY_verify or EVP_DigestVerify")
    }

    /// Since OpenSSL 3, each message is begun anew, as its own `speed` does it. It keeps the key.
    #[inline]
    fn again(&self, init: DigestInit, messages: &DigestContext) -> Result<(), Failed> {
        if self.keys.asked.is_none() {
            return Ok(());
        }
        // SAFETY: the context is valid, and NULL leaves everything as it is.
        let answer = unsafe {
            init(
                messages.raw(),
                ptr::null_mut(),
                ptr::null(),
                ptr::null_mut(),
                ptr::null_mut(),
            )
        };
        check(answer == 1, "EVP_DigestSignInit or EVP_DigestVerifyInit")
    }

    #[inline]
    fn hash<'a>(&mut self, message: &[u8], digest: &'a mut [u8]) -> Result<&'a [u8], Failed> {
        let (context, len) = self.digest.as_mut().ok_or(Failed("EVP_DigestInit_ex"))?;
        let digest = &mut digest[..*len];
        context.digest(message, digest)?;
        Ok(digest)
    }

    /// Puts the secret there that another's public key stands for.
    #[inline]
    pub(in super::super) fn derive(&mut self, public: &[u8], secret: &mut [u8]) -> Result<(), Failed> {
        let functions = &self.keys.functions;
        let (bytes, public_len) = (public.as_ptr(), public.len());
        let peer = match &self.keys.asked {
            // SAFETY: NULL is the default library context; the strings end in NUL and outlive the call, and as many bytes
            // are read as it is told.
            Some(asked) => unsafe {
                let (name, properties) = (self.name.as_ptr(), self.api.properties.as_ptr());
                (asked.EVP_PKEY_new_raw_public_key_ex)(ptr::null_mut(), name, properties, bytes, public_len)
            },
            // SAFETY: the key is valid. NULL is no engine, and as many bytes are read as it is told.
            None => unsafe {
                let id = (self.keys.get_id)(self.key);
                (functions.EVP_PKEY_new_raw_public_key)(id, ptr::null_mut(), bytes, public_len)
            },
        };
        let peer = NonNull::new(peer)
            .ok_or(Failed("EVP_PKEY_new_raw_public_key"))?
            .as_ptr();
        let mut len = secret.len();
        // SAFETY: context and peer are valid; the context holds on to the peer, which is let go of once. No more is written
        // than is told that there is room for.
        let (set, derived) = unsafe {
            let set = (functions.EVP_PKEY_derive_set_peer)(self.context, peer);
            (functions.EVP_PKEY_free)(peer);
            let derived = match set {
                1 => (functions.EVP_PKEY_derive)(self.context, secret.as_mut_ptr(), &mut len),
                _ => 0,
            };
            (set, derived)
        };
        check(set == 1, "EVP_PKEY_derive_set_peer")?;
        check(derived == 1 && len == secret.len(), "EVP_PKEY_derive")
    }

    /// Puts a new private key there.
    #[inline]
    pub(in super::super) fn generate(&mut self, key: &mut [u8]) -> Result<(), Failed> {
        let functions = self.encapsulation()?;
        let mut made = ptr::null_mut();
        // SAFETY: the context is valid; the function writes a key that is ours.
        let answer = unsafe { (functions.EVP_PKEY_generate)(self.context, &mut made) };
        check(answer == 1 && !made.is_null(), "EVP_PKEY_generate")?;
        let mut len = key.len();
        // SAFETY: the key is valid, and freed once. No more is written than is told that there is room for.
        let answer = unsafe {
            let answer = (functions.EVP_PKEY_get_raw_private_key)(made, key.as_mut_ptr(), &mut len);
            (self.keys.functions.EVP_PKEY_free)(made);
            answer
        };
        check(answer == 1 && len == key.len(), "EVP_PKEY_get_raw_private_key")
    }

    /// Puts a new secret there, and the ciphertext that stands for it.
    #[inline]
    pub(in super::super) fn encapsulate(
        &mut self,
        ciphertext: &mut [u8],
        secret: &mut [u8],
    ) -> Result<(), Failed> {
        let functions = self.encapsulation()?;
        let mut lengths = (ciphertext.len(), secret.len());
        // SAFETY: the context has its key; no more is written than is told that there is room for.
        let answer = unsafe {
            let (ciphertext, secret) = (ciphertext.as_mut_ptr(), secret.as_mut_ptr());
            (functions.EVP_PKEY_encapsulate)(self.context, ciphertext, &mut lengths.0, secret, &mut lengths.1)
        };
        check(
            answer == 1 && lengths == (ciphertext.len(), secret.len()),
            "EVP_PKEY_encapsulate",
        )
    }

    /// Puts the secret there that a ciphertext stands for.
    #[inline]
    pub(in super::super) fn decapsulate(
        &mut self,
        ciphertext: &[u8],
        secret: &mut [u8],
    ) -> Result<(), Failed> {
        let functions = self.encapsulation()?;
        let mut len = secret.len();
        // SAFETY: the context has its key; the ciphertext is readable for its length, and no more is written than is told
        // that there is room for.
        let answer = unsafe {
            let (input, input_len) = (ciphertext.as_ptr(), ciphertext.len());
            (functions.EVP_PKEY_decapsulate)(self.context, secret.as_mut_ptr(), &mut len, input, input_len)
        };
        check(answer == 1 && len == secret.len(), "EVP_PKEY_decapsulate")
    }

    #[inline]
    fn encapsulation(&self) -> Result<&'static Encapsulation, Failed> {
        let functions = self.keys.encapsulation.as_ref();
        functions.ok_or(Failed("EVP_PKEY_encapsulate"))
    }
}

type DigestInit =
    unsafe extern "C" fn(*mut EvpMdCtx, *mut PkeyContext, *const EvpMd, *mut c_void, Pkey) -> c_int;

/// The digest of the message that is signed, where the algorithm has none of its own.
fn hashed_by(algorithm: Algorithm) -> Option<&'static str> {
    match algorithm.name() {
        "ECDSA-P-384" => Some("SHA2-384"),
        name if name.starts_with("RSA-") || name.starts_with("DSA-") || name == "ECDSA-P-256" => {
            Some("SHA2-256")
        }
        _ => None,
    }
}

/// Whether its keys are bytes without any structure.
fn is_bytes(algorithm: Algorithm) -> bool {
    algorithm.name().starts_with("ML-")
}

/// `EVP_MAX_MD_SIZE`.
const LONGEST_DIGEST: usize = 64;

impl Drop for KeyContext {
    fn drop(&mut self) {
        let functions = &self.keys.functions;
        // SAFETY: made by the same library or NULL, of which nothing comes, and freed once.
        unsafe {
            (functions.EVP_PKEY_CTX_free)(self.context);
            (functions.EVP_PKEY_free)(self.key);
        }
    }
}
