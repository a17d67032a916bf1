//! wolfSSL, by wolfCrypt. Signatures as in the headers of 5.5 and 5.7. Its structures are its users' to place, and follow
//! the options that it was built with: they get more room than Debian's headers ask for, which a test looks at.
use std::{
    ffi::{c_char, c_int, c_void},
    ptr,
};

use ciphertune_testkit::{Algorithm, Contract, Envelope, Fault, Operation, Task};
use inout::InOutBuf;
use zeroize::Zeroizing;

use super::{About, Flaw, Interface, Peer, chain::Chain, counter::Counter, memory::Memory};
use crate::{
    Timed,
    context::{apart, block, gmac, inout, tagging},
    library::{Library, Missing, check, functions, text},
};

mod chacha;
mod digest;
mod keys;
mod old;

use chacha::Chacha;
use digest::Digests;
use keys::Keys;
use old::Old;

type Crypt = unsafe extern "C" fn(*mut c_void, *mut u8, *const u8, u32) -> c_int;

functions! {
    Functions {
        wolfCrypt_Init: fn() -> c_int;
        wc_AesInit: fn(*mut c_void, *mut c_void, c_int) -> c_int;
        wc_AesFree: fn(*mut c_void);
        wc_AesSetKey: fn(*mut c_void, *const u8, u32, *const u8, c_int) -> c_int;
        wc_AesSetIV: fn(*mut c_void, *const u8) -> c_int;
        wc_AesEcbEncrypt: fn(*mut c_void, *mut u8, *const u8, u32) -> c_int;
        wc_AesEcbDecrypt: fn(*mut c_void, *mut u8, *const u8, u32) -> c_int;
        wc_AesCbcEncrypt: fn(*mut c_void, *mut u8, *const u8, u32) -> c_int;
        wc_AesCbcDecrypt: fn(*mut c_void, *mut u8, *const u8, u32) -> c_int;
        wc_AesCtrEncrypt: fn(*mut c_void, *mut u8, *const u8, u32) -> c_int;
        wc_AesXtsSetKey: fn(*mut c_void, *const u8, u32, c_int, *mut c_void, c_int) -> c_int;
        wc_AesXtsFree: fn(*mut c_void) -> c_int;
        wc_AesXtsEncrypt: fn(*mut c_void, *mut u8, *const u8, u32, *const u8, u32) -> c_int;
        wc_AesXtsDecrypt: fn(*mut c_void, *mut u8, *const u8, u32, *const u8, u32) -> c_int;
        wc_AesGcmSetKey: fn(*mut c_void, *const u8, u32) -> c_int;
        wc_AesGcmEncrypt:
            fn(*mut c_void, *mut u8, *const u8, u32, *const u8, u32, *mut u8, u32, *const u8, u32) -> c_int;
        wc_AesGcmDecrypt:
            fn(*mut c_void, *mut u8, *const u8, u32, *const u8, u32, *const u8, u32, *const u8, u32) -> c_int;
        wc_AesOfbEncrypt: fn(*mut c_void, *mut u8, *const u8, u32) -> c_int;
        wc_AesOfbDecrypt: fn(*mut c_void, *mut u8, *const u8, u32) -> c_int;
        wc_AesCfb8Encrypt: fn(*mut c_void, *mut u8, *const u8, u32) -> c_int;
        wc_AesCfb8Decrypt: fn(*mut c_void, *mut u8, *const u8, u32) -> c_int;
        wc_AesCfbEncrypt: fn(*mut c_void, *mut u8, *const u8, u32) -> c_int;
        wc_AesCfbDecrypt: fn(*mut c_void, *mut u8, *const u8, u32) -> c_int;
        wc_AesCcmSetKey: fn(*mut c_void, *const u8, u32) -> c_int;
        wc_AesCcmEncrypt:
            fn(*mut c_void, *mut u8, *const u8, u32, *const u8, u32, *mut u8, u32, *const u8, u32) -> c_int;
        wc_AesCcmDecrypt:
            fn(*mut c_void, *mut u8, *const u8, u32, *const u8, u32, *const u8, u32, *const u8, u32) -> c_int;
        wc_HashGetDigestSize: fn(c_int) -> c_int;
        wc_Hash: fn(c_int, *const u8, u32, *mut u8, u32) -> c_int;
        wc_HmacInit: fn(*mut c_void, *mut c_void, c_int) -> c_int;
        wc_HmacFree: fn(*mut c_void);
        wc_HmacSetKey: fn(*mut c_void, c_int, *const u8, u32) -> c_int;
        wc_HmacUpdate: fn(*mut c_void, *const u8, u32) -> c_int;
        wc_HmacFinal: fn(*mut c_void, *mut u8) -> c_int;
        wc_InitCmac: fn(*mut c_void, *const u8, u32, c_int, *mut c_void) -> c_int;
        wc_CmacUpdate: fn(*mut c_void, *const u8, u32) -> c_int;
        wc_CmacFinal: fn(*mut c_void, *mut u8, *mut u32) -> c_int;
    }
}

pub(super) struct Wolfssl {
    functions: Functions,
    // A build may be without these.
    keys: Option<Keys>,
    chacha: Option<Chacha>,
    digests: Option<Digests>,
    old: Option<Old>,
}

impl Peer for Wolfssl {
    const ABOUT: About = About {
        name: "wolfssl",
        interfaces: &[
            Interface::new("libwolfssl.so.42", "libwolfssl42", (5, 7)..=(5, 7)),
            Interface::new("libwolfssl.so.35", "libwolfssl35", (5, 5)..=(5, 5)),
        ],
    };

    fn version(library: Library) -> Result<String, Missing> {
        // SAFETY: ssl.h gives the name this type; it answers a static string.
        unsafe {
            let version: unsafe extern "C" fn() -> *const c_char = library.symbol("wolfSSL_lib_version")?;
            Ok(text(version()))
        }
    }

    fn find(library: Library, _: (u32, u32)) -> Result<Self, Flaw> {
        let functions = Functions::find(library)?;
        // SAFETY: the function counts its calls, and what it sets up lasts as long as the process.
        check(unsafe { (functions.wolfCrypt_Init)() } == 0, "wolfCrypt_Init")?;
        Ok(Self {
            functions,
            keys: Keys::find(library).ok(),
            chacha: Chacha::find(library).ok(),
            digests: Digests::find(library).ok(),
            old: Old::find(library).ok(),
        })
    }

    fn address(&self) -> *const c_void {
        self.functions.wc_AesCbcEncrypt as *const c_void
    }

    /// Debian builds it without AES instructions, so AES and GHASH go by tables.
    fn constant_time(&self) -> bool {
        false
    }

    fn has(&self, task: Task) -> bool {
        match task.algorithm.aes_mode() {
            Some("ECB" | "CBC" | "CFB8" | "CTR" | "XTS" | "GCM" | "GMAC" | "CCM") => true,
            // It keeps what is left of a block for the next message, even where that has another IV.
            Some("CFB" | "OFB") => task.contract == Contract::Stream,
            // Its calls for CMAC forget the key with each tag.
            Some("CMAC") => task.contract == Contract::NewKey,
            _ if task.algorithm.is_public_key() => self.keys.is_some() && Keys::has(task.algorithm),
            _ if self.chacha(task.algorithm).is_some() => true,
            _ if self.old(task.algorithm).is_some() || self.digests(task.algorithm).is_some() => true,
            // SAFETY: takes any number, and answers what is no length for what was not built.
            _ => hash(task.algorithm).is_some_and(|number| unsafe {
                (self.functions.wc_HashGetDigestSize)(number) == task.algorithm.tag_len() as c_int
            }),
        }
    }

    fn context(&'static self, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        if let Some(keys) = self.keys.as_ref().filter(|_| task.algorithm.is_public_key()) {
            return keys.context(task, key);
        }
        if let Some(chacha) = self.chacha(task.algorithm) {
            return Ok(chacha.context(task, key));
        }
        if let Some(old) = self.old(task.algorithm) {
            return old.context(task, key, iv);
        }
        if let Some(digests) = self.digests(task.algorithm) {
            return digests.context(task);
        }
        let contract = task.contract;
        let functions = &self.functions;
        let kept = Zeroizing::new(key.to_vec());
        let is_stream = contract == Contract::Stream;
        let mode = task.algorithm.aes_mode();
        if mode == Some("CMAC") {
            let state = (Memory::new(ROOM), kept);
            let renew = |_: &mut _| Ok(());
            return Ok(tagging(
                contract,
                state,
                renew,
                |(context, key), envelope, message| tag(functions, context, key, message, envelope.tag),
            ));
        }
        if let Some(number) = hash(task.algorithm) {
            if task.operation == Operation::Digest {
                return Ok(tagging(
                    contract,
                    (),
                    |()| Ok(()),
                    move |(), envelope, message| {
                        let (input, len) = (message.as_ptr(), word(message.len())?);
                        let (digest, digest_len) = (envelope.tag.as_mut_ptr(), word(envelope.tag.len())?);
                        // SAFETY: the message is readable and the digest ours to write for their lengths.
                        let error = unsafe { (functions.wc_Hash)(number, input, len, digest, digest_len) };
                        check(error == 0, "wc_Hash")
                    },
                ));
            }
            let mut hmac = Hmac::new(functions, number, task.algorithm.tag_len())?;
            hmac.set_key(key)?;
            let renew = move |hmac: &mut Hmac| hmac.set_key(&kept);
            return Ok(tagging(contract, hmac, renew, |hmac, envelope, message| {
                hmac.tag(message, envelope.tag)
            }));
        }
        let mut aes = Aes::new(functions, task)?;
        aes.set_key(key)?;
        let renew = move |aes: &mut Aes| aes.set_key(&kept);
        Ok(match (mode, task.operation) {
            // `wc_GmacUpdate` does this and nothing else.
            (Some("GMAC"), _) => gmac(contract, aes, renew, Aes::seal),
            (_, Operation::Seal) => inout(contract, aes, renew, Aes::seal),
            (_, Operation::Open) => inout(contract, aes, renew, Aes::open),
            (Some("XTS"), _) => apart(contract, aes, renew, Aes::unit),
            (Some("ECB"), _) => inout(contract, aes, renew, |aes, _, buffer| aes.run(buffer)),
            // It keeps what is left of a block for the next message, even where that has another IV.
            (Some("CTR"), _) if is_stream => {
                let state = (aes, Counter::new(iv)?);
                let renew = |_: &mut _| Ok(());
                inout(contract, state, renew, |(aes, counter), _, buffer| {
                    counter.run(buffer, |iv, buffer| aes.message(iv, buffer))
                })
            }
            (Some("CTR"), _) => inout(contract, aes, renew, |aes, envelope, buffer| {
                Counter::new(envelope.iv)?.run(buffer, |iv, buffer| aes.message(iv, buffer))
            }),
            // The register of CFB-8 is its IV, with which it goes on.
            (Some("CFB" | "CFB8" | "OFB"), _) if is_stream => {
                aes.set_iv(&block(iv)?)?;
                inout(contract, aes, renew, |aes, _, buffer| aes.run(buffer))
            }
            _ if is_stream => {
                let state = (aes, Chain::new(iv, task.operation.is_backward())?);
                let renew = |_: &mut _| Ok(());
                inout(contract, state, renew, |(aes, chain), _, buffer| {
                    chain.run(buffer, |iv, buffer| aes.message(iv, buffer))
                })
            }
            _ => inout(contract, aes, renew, |aes, envelope, buffer| {
                aes.message(&block(envelope.iv)?, buffer)
            }),
        })
    }
}

impl Wolfssl {
    fn chacha(&self, algorithm: Algorithm) -> Option<&Chacha> {
        self.chacha.as_ref().filter(|_| Chacha::has(algorithm))
    }

    fn digests(&self, algorithm: Algorithm) -> Option<&Digests> {
        self.digests.as_ref().filter(|_| Digests::has(algorithm))
    }

    fn old(&self, algorithm: Algorithm) -> Option<&Old> {
        self.old.as_ref().filter(|_| Old::has(algorithm))
    }
}

/// `WC_HASH_TYPE_*`, of a digest or of what an HMAC is made of.
fn hash(algorithm: Algorithm) -> Option<c_int> {
    Some(match algorithm.name() {
        "MD5" => 3,
        "SHA1" | "HMAC-SHA1" => 4,
        "SHA2-224" => 5,
        "SHA2-256" | "HMAC-SHA2-256" => 6,
        "SHA2-384" => 7,
        "SHA2-512" | "HMAC-SHA2-512" => 8,
        "SHA2-512/256" => SHA512_256,
        "SHA3-256" => 11,
        "SHA3-512" => SHA3_512,
        _ => return None,
    })
}

const SHA3_512: c_int = 13;
const SHA512_256: c_int = 17;

/// Bytes for any of its structures but those of keys: with other options than Debian's, GHASH's tables make them longer.
const ROOM: usize = 16_384;

const ENCRYPTION: c_int = 0;
const DECRYPTION: c_int = 1;
/// `INVALID_DEVID`: no accelerator.
const NO_DEVICE: c_int = -2;

/// Lengths are 32 bits wide.
#[inline]
fn word(len: usize) -> Result<u32, Fault> {
    u32::try_from(len).map_err(|_| Fault(format!("wolfSSL takes no {len} bytes at once")))
}

/// An `Aes`, or an `XtsAes`.
struct Aes {
    functions: &'static Functions,
    context: Memory,
    direction: c_int,
    mode: Option<&'static str>,
    crypt: Crypt,
}

impl Aes {
    fn new(functions: &'static Functions, task: Task) -> Result<Self, Fault> {
        let mode = task.algorithm.aes_mode();
        let backward = task.operation.is_backward();
        let mut context = Memory::new(ROOM);
        if mode != Some("XTS") {
            // SAFETY: the structure has room; NULL is the usual heap.
            let error = unsafe { (functions.wc_AesInit)(context.as_mut_ptr(), ptr::null_mut(), NO_DEVICE) };
            check(error == 0, "wc_AesInit")?;
        }
        Ok(Self {
            functions,
            context,
            direction: match mode {
                Some("CTR" | "CFB" | "CFB8" | "OFB" | "GCM" | "GMAC" | "CCM") => ENCRYPTION,
                _ if backward => DECRYPTION,
                _ => ENCRYPTION,
            },
            mode,
            crypt: match (mode, backward) {
                (Some("ECB"), false) => functions.wc_AesEcbEncrypt,
                (Some("ECB"), true) => functions.wc_AesEcbDecrypt,
                (Some("CBC"), false) => functions.wc_AesCbcEncrypt,
                (Some("CBC"), true) => functions.wc_AesCbcDecrypt,
                (Some("CFB"), false) => functions.wc_AesCfbEncrypt,
                (Some("CFB"), true) => functions.wc_AesCfbDecrypt,
                (Some("CFB8"), false) => functions.wc_AesCfb8Encrypt,
                (Some("CFB8"), true) => functions.wc_AesCfb8Decrypt,
                (Some("OFB"), false) => functions.wc_AesOfbEncrypt,
                (Some("OFB"), true) => functions.wc_AesOfbDecrypt,
                _ => functions.wc_AesCtrEncrypt,
            },
        })
    }

    #[inline]
    fn set_key(&mut self, key: &[u8]) -> Result<(), Fault> {
        let (context, len, direction) = (self.context.as_mut_ptr(), word(key.len())?, self.direction);
        let (functions, key) = (self.functions, key.as_ptr());
        // SAFETY: the structure is of the function's kind, and the key readable for its length, which the function
        // checks. NULL is no IV, and the usual heap.
        let error = unsafe {
            match self.mode {
                Some("XTS") => {
                    (functions.wc_AesXtsSetKey)(context, key, len, direction, ptr::null_mut(), NO_DEVICE)
                }
                Some("GCM" | "GMAC") => (functions.wc_AesGcmSetKey)(context, key, len),
                Some("CCM") => (functions.wc_AesCcmSetKey)(context, key, len),
                _ => (functions.wc_AesSetKey)(context, key, len, ptr::null(), direction),
            }
        };
        check(error == 0, "wc_AesSetKey")
    }

    #[inline]
    fn message(&mut self, iv: &[u8; 16], buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        self.set_iv(iv)?;
        self.run(buffer)
    }

    #[inline]
    fn set_iv(&mut self, iv: &[u8; 16]) -> Result<(), Fault> {
        // SAFETY: the structure is an `Aes`, and the IV has a block's length.
        let error = unsafe { (self.functions.wc_AesSetIV)(self.context.as_mut_ptr(), iv.as_ptr()) };
        check(error == 0, "wc_AesSetIV")
    }

    #[inline]
    fn run(&mut self, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let len = word(buffer.len())?;
        let (input, output) = buffer.into_raw();
        // SAFETY: the structure is an `Aes` with its key; `input` is readable and `output` ours to write for `len` bytes,
        // in place or apart.
        let error = unsafe { (self.crypt)(self.context.as_mut_ptr(), output, input, len) };
        check(error == 0, "wc_AesCbcEncrypt or another")
    }

    /// In place, it steals ciphertext from itself: a message that ends within a block comes out wrong.
    #[inline]
    fn unit(&mut self, envelope: &mut Envelope<'_>, input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
        let crypt = match self.direction {
            DECRYPTION => self.functions.wc_AesXtsDecrypt,
            _ => self.functions.wc_AesXtsEncrypt,
        };
        let tweak = block(envelope.iv)?;
        let len = word(input.len().min(output.len()))?;
        let (output, input) = (output.as_mut_ptr(), input.as_ptr());
        // SAFETY: the structure is an `XtsAes` with its keys; the tweak has a block's length, `input` is readable and
        // `output` ours to write for `len` bytes.
        let error = unsafe { crypt(self.context.as_mut_ptr(), output, input, len, tweak.as_ptr(), 16) };
        check(error == 0, "wc_AesXtsEncrypt or _Decrypt")
    }

    #[inline]
    fn seal(&mut self, envelope: &mut Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let Envelope { iv, aad, tag } = envelope;
        let len = word(buffer.len())?;
        let (input, output) = buffer.into_raw();
        let encrypt = match self.mode {
            Some("CCM") => self.functions.wc_AesCcmEncrypt,
            _ => self.functions.wc_AesGcmEncrypt,
        };
        // SAFETY: the structure is an `Aes` with the mode's key; nonce, additional data and `input` are readable, `output` and
        // the tag ours to write for their lengths, in place or apart.
        let error = unsafe {
            encrypt(
                self.context.as_mut_ptr(),
                output,
                input,
                len,
                iv.as_ptr(),
                word(iv.len())?,
                tag.as_mut_ptr(),
                word(tag.len())?,
                aad.as_ptr(),
                word(aad.len())?,
            )
        };
        check(error == 0, "wc_AesGcmEncrypt or wc_AesCcmEncrypt")
    }

    #[inline]
    fn open(&mut self, envelope: &mut Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let Envelope { iv, aad, tag } = envelope;
        let len = word(buffer.len())?;
        let (input, output) = buffer.into_raw();
        let decrypt = match self.mode {
            Some("CCM") => self.functions.wc_AesCcmDecrypt,
            _ => self.functions.wc_AesGcmDecrypt,
        };
        // SAFETY: as in `seal`; the tag is only read.
        let error = unsafe {
            decrypt(
                self.context.as_mut_ptr(),
                output,
                input,
                len,
                iv.as_ptr(),
                word(iv.len())?,
                tag.as_ptr(),
                word(tag.len())?,
                aad.as_ptr(),
                word(aad.len())?,
            )
        };
        check(error == 0, "wc_AesGcmDecrypt or wc_AesCcmDecrypt")
    }
}

impl Drop for Aes {
    fn drop(&mut self) {
        let context = self.context.as_mut_ptr();
        // SAFETY: the structure is of the function's kind, and freed once.
        unsafe {
            match self.mode {
                Some("XTS") => drop((self.functions.wc_AesXtsFree)(context)),
                _ => (self.functions.wc_AesFree)(context),
            }
        }
    }
}

/// A `Hmac`.
struct Hmac {
    functions: &'static Functions,
    context: Memory,
    number: c_int,
    len: usize,
}

impl Hmac {
    fn new(functions: &'static Functions, number: c_int, len: usize) -> Result<Self, Fault> {
        let mut context = Memory::new(ROOM);
        // SAFETY: the structure has room; NULL is no heap of its own.
        let error = unsafe { (functions.wc_HmacInit)(context.as_mut_ptr(), ptr::null_mut(), NO_DEVICE) };
        check(error == 0, "wc_HmacInit")?;
        Ok(Self {
            functions,
            context,
            number,
            len,
        })
    }

    #[inline]
    fn set_key(&mut self, key: &[u8]) -> Result<(), Fault> {
        let (context, len) = (self.context.as_mut_ptr(), word(key.len())?);
        // SAFETY: the structure is begun, and the key readable for its length.
        let error = unsafe { (self.functions.wc_HmacSetKey)(context, self.number, key.as_ptr(), len) };
        check(error == 0, "wc_HmacSetKey")
    }

    #[inline]
    fn tag(&mut self, message: &[u8], tag: &mut [u8]) -> Result<(), Fault> {
        check(tag.len() == self.len, "wc_HmacFinal")?;
        let (context, len) = (self.context.as_mut_ptr(), word(message.len())?);
        // SAFETY: the structure has its key; the message is readable for its length, and the tag as long as the hash makes
        // it. What makes the tag begins the next message too.
        let error = unsafe {
            (self.functions.wc_HmacUpdate)(context, message.as_ptr(), len)
                | (self.functions.wc_HmacFinal)(context, tag.as_mut_ptr())
        };
        check(error == 0, "wc_HmacUpdate or wc_HmacFinal")
    }
}

impl Drop for Hmac {
    fn drop(&mut self) {
        // SAFETY: begun, and freed once.
        unsafe { (self.functions.wc_HmacFree)(self.context.as_mut_ptr()) }
    }
}

/// CMAC of a whole message.
fn tag(
    functions: &Functions,
    context: &mut Memory,
    key: &[u8],
    message: &[u8],
    tag: &mut [u8],
) -> Result<(), Fault> {
    const CMAC_AES: c_int = 1;
    let context = context.as_mut_ptr();
    let (key_len, len) = (word(key.len())?, word(message.len())?);
    let mut tag_len = word(tag.len())?;
    // SAFETY: the structure has room; key and message are readable and the tag ours to write for their lengths. What
    // makes the tag wipes the structure.
    let error = unsafe {
        let begun = (functions.wc_InitCmac)(context, key.as_ptr(), key_len, CMAC_AES, ptr::null_mut());
        begun
            | (functions.wc_CmacUpdate)(context, message.as_ptr(), len)
            | (functions.wc_CmacFinal)(context, tag.as_mut_ptr(), &mut tag_len)
    };
    check(error == 0 && tag_len as usize == tag.len(), "wc_CmacFinal")
}

#[cfg(test)]
pub(super) fn layout() -> super::layouts::Layout {
    super::layouts::Layout {
        headers: &[
            "wolfssl/options.h",
            "wolfssl/wolfcrypt/aes.h",
            "wolfssl/wolfcrypt/cmac.h",
            "wolfssl/wolfcrypt/hmac.h",
            "wolfssl/wolfcrypt/poly1305.h",
            "wolfssl/wolfcrypt/camellia.h",
            "wolfssl/wolfcrypt/des3.h",
            "wolfssl/wolfcrypt/arc4.h",
            "wolfssl/wolfcrypt/md4.h",
            "wolfssl/wolfcrypt/ripemd.h",
            "wolfssl/wolfcrypt/blake2.h",
            "wolfssl/wolfcrypt/rsa.h",
            "wolfssl/wolfcrypt/ecc.h",
            "wolfssl/wolfcrypt/ed25519.h",
            "wolfssl/wolfcrypt/curve25519.h",
            "wolfssl/wolfcrypt/signature.h",
        ],
        facts: vec![
            ("2 * sizeof(Aes) <= 16384", 1),
            ("2 * sizeof(XtsAes) <= 16384", 1),
            ("2 * sizeof(Cmac) <= 16384", 1),
            ("2 * sizeof(Hmac) <= 16384", 1),
            ("2 * sizeof(Poly1305) <= 16384", 1),
            ("2 * sizeof(Camellia) <= 16384", 1),
            ("2 * sizeof(Des) <= 16384", 1),
            ("2 * sizeof(Des3) <= 16384", 1),
            ("2 * sizeof(Arc4) <= 16384", 1),
            ("2 * sizeof(Md4) <= 16384", 1),
            ("2 * sizeof(RipeMd) <= 16384", 1),
            ("2 * sizeof(Blake2b) <= 16384", 1),
            ("2 * sizeof(Blake2s) <= 16384", 1),
            ("DES_ENCRYPTION", ENCRYPTION as usize),
            ("DES_DECRYPTION", DECRYPTION as usize),
            ("2 * sizeof(RsaKey) <= 65536", 1),
            ("2 * sizeof(ecc_key) <= 65536", 1),
            ("2 * sizeof(ed25519_key) <= 65536", 1),
            ("2 * sizeof(curve25519_key) <= 65536", 1),
            ("2 * sizeof(WC_RNG) <= 65536", 1),
            ("WC_HASH_TYPE_SHA384", 7),
            ("WC_SIGNATURE_TYPE_ECC", 1),
            ("WC_SIGNATURE_TYPE_RSA_W_ENC", 3),
            ("EC25519_LITTLE_ENDIAN", 0),
            ("WC_HASH_TYPE_SHA3_512", SHA3_512 as usize),
            ("WC_HASH_TYPE_SHA512_256", SHA512_256 as usize),
            ("AES_ENCRYPTION", ENCRYPTION as usize),
            ("AES_DECRYPTION", DECRYPTION as usize),
            ("-INVALID_DEVID", -NO_DEVICE as usize),
        ],
    }
}
