//! Mbed TLS. Signatures as in the headers of 2.28 and 3.6; 2.16, as Debian 11 has it, is without CMAC. Its structures are
//! its users' to place: they get room for what the headers ask for, which a test looks at.
use std::ffi::{c_char, c_int, c_uchar, c_uint, c_void};

use ciphertune_testkit::{Algorithm, Contract, Envelope, Fault, Operation, Task};
use inout::InOutBuf;
use zeroize::{Zeroize, Zeroizing};

use super::{About, Flaw, Interface, Peer, memory::Memory};
use crate::{
    Timed,
    context::{apart, block, gmac, inout, tagging},
    library::{Library, Missing, check, functions, text},
};

mod chacha;
mod keys;
mod old;

use chacha::Chacha;
use keys::Keys;
use old::Old;
#[cfg(test)]
pub(super) use old::layout as old_layout;

type OnContext = unsafe extern "C" fn(*mut c_void);
/// Context, key and its bits.
type SetKeyAlone = unsafe extern "C" fn(*mut c_void, *const c_uchar, c_uint) -> c_int;
/// Context, direction, a block of input, one of output.
type Ecb = unsafe extern "C" fn(*mut c_void, c_int, *const c_uchar, *mut c_uchar) -> c_int;
/// Context, direction, length, IV, which goes on, input, output.
type Chain =
    unsafe extern "C" fn(*mut c_void, c_int, usize, *mut c_uchar, *const c_uchar, *mut c_uchar) -> c_int;
/// Context, length, bytes used of the keystream's block, counter, that block, input, output.
type Ctr = unsafe extern "C" fn(
    *mut c_void,
    usize,
    *mut usize,
    *mut c_uchar,
    *mut c_uchar,
    *const c_uchar,
    *mut c_uchar,
) -> c_int;

/// What sets a context's key.
#[derive(Clone, Copy)]
enum SetKey {
    Alone(SetKeyAlone),
    /// After the cipher that it is of.
    OfCipher(unsafe extern "C" fn(*mut c_void, c_int, *const c_uchar, c_uint) -> c_int),
}

functions! {
    Functions {
        mbedtls_aes_init: fn(*mut c_void);
        mbedtls_aes_free: fn(*mut c_void);
        mbedtls_aes_setkey_enc: fn(*mut c_void, *const c_uchar, c_uint) -> c_int;
        mbedtls_aes_setkey_dec: fn(*mut c_void, *const c_uchar, c_uint) -> c_int;
        mbedtls_aes_crypt_ecb: fn(*mut c_void, c_int, *const c_uchar, *mut c_uchar) -> c_int;
        mbedtls_aes_crypt_cbc:
            fn(*mut c_void, c_int, usize, *mut c_uchar, *const c_uchar, *mut c_uchar) -> c_int;
        mbedtls_aes_crypt_cfb128:
            fn(*mut c_void, c_int, usize, *mut usize, *mut c_uchar, *const c_uchar, *mut c_uchar) -> c_int;
        mbedtls_aes_crypt_cfb8:
            fn(*mut c_void, c_int, usize, *mut c_uchar, *const c_uchar, *mut c_uchar) -> c_int;
        mbedtls_aes_crypt_ctr:
            fn(*mut c_void, usize, *mut usize, *mut c_uchar, *mut c_uchar, *const c_uchar, *mut c_uchar) -> c_int;
        mbedtls_aes_xts_init: fn(*mut c_void);
        mbedtls_aes_xts_free: fn(*mut c_void);
        mbedtls_aes_xts_setkey_enc: fn(*mut c_void, *const c_uchar, c_uint) -> c_int;
        mbedtls_aes_xts_setkey_dec: fn(*mut c_void, *const c_uchar, c_uint) -> c_int;
        mbedtls_aes_crypt_xts:
            fn(*mut c_void, c_int, usize, *const c_uchar, *const c_uchar, *mut c_uchar) -> c_int;
        mbedtls_gcm_init: fn(*mut c_void);
        mbedtls_gcm_free: fn(*mut c_void);
        mbedtls_gcm_setkey: fn(*mut c_void, c_int, *const c_uchar, c_uint) -> c_int;
        mbedtls_gcm_crypt_and_tag: fn(
            *mut c_void, c_int, usize, *const c_uchar, usize, *const c_uchar, usize, *const c_uchar, *mut c_uchar, usize,
            *mut c_uchar,
        ) -> c_int;
        mbedtls_gcm_auth_decrypt: fn(
            *mut c_void, usize, *const c_uchar, usize, *const c_uchar, usize, *const c_uchar, usize, *const c_uchar,
            *mut c_uchar,
        ) -> c_int;
        mbedtls_aes_crypt_ofb:
            fn(*mut c_void, usize, *mut usize, *mut c_uchar, *const c_uchar, *mut c_uchar) -> c_int;
        mbedtls_ccm_init: fn(*mut c_void);
        mbedtls_ccm_free: fn(*mut c_void);
        mbedtls_ccm_setkey: fn(*mut c_void, c_int, *const c_uchar, c_uint) -> c_int;
        mbedtls_ccm_encrypt_and_tag: fn(
            *mut c_void, usize, *const c_uchar, usize, *const c_uchar, usize, *const c_uchar, *mut c_uchar, *mut c_uchar,
            usize,
        ) -> c_int;
        mbedtls_ccm_auth_decrypt: fn(
            *mut c_void, usize, *const c_uchar, usize, *const c_uchar, usize, *const c_uchar, *mut c_uchar,
            *const c_uchar, usize,
        ) -> c_int;
        mbedtls_md_info_from_string: fn(*const c_char) -> *const c_void;
        mbedtls_md: fn(*const c_void, *const c_uchar, usize, *mut c_uchar) -> c_int;
        mbedtls_md_init: fn(*mut c_void);
        mbedtls_md_free: fn(*mut c_void);
        mbedtls_md_setup: fn(*mut c_void, *const c_void, c_int) -> c_int;
        mbedtls_md_hmac_starts: fn(*mut c_void, *const c_uchar, usize) -> c_int;
        mbedtls_md_hmac_update: fn(*mut c_void, *const c_uchar, usize) -> c_int;
        mbedtls_md_hmac_finish: fn(*mut c_void, *mut c_uchar) -> c_int;
        mbedtls_md_hmac_reset: fn(*mut c_void) -> c_int;
        mbedtls_cipher_init: fn(*mut c_void);
        mbedtls_cipher_free: fn(*mut c_void);
        mbedtls_cipher_info_from_type: fn(c_int) -> *const c_void;
        mbedtls_cipher_setup: fn(*mut c_void, *const c_void) -> c_int;
        mbedtls_cipher_cmac_starts: fn(*mut c_void, *const c_uchar, usize) -> c_int;
        mbedtls_cipher_cmac_update: fn(*mut c_void, *const c_uchar, usize) -> c_int;
        mbedtls_cipher_cmac_finish: fn(*mut c_void, *mut c_uchar) -> c_int;
        mbedtls_cipher_cmac_reset: fn(*mut c_void) -> c_int;
    }
}

functions! {
    Camellia {
        mbedtls_camellia_init: fn(*mut c_void);
        mbedtls_camellia_free: fn(*mut c_void);
        mbedtls_camellia_setkey_enc: fn(*mut c_void, *const c_uchar, c_uint) -> c_int;
        mbedtls_camellia_setkey_dec: fn(*mut c_void, *const c_uchar, c_uint) -> c_int;
        mbedtls_camellia_crypt_ecb: fn(*mut c_void, c_int, *const c_uchar, *mut c_uchar) -> c_int;
        mbedtls_camellia_crypt_cbc:
            fn(*mut c_void, c_int, usize, *mut c_uchar, *const c_uchar, *mut c_uchar) -> c_int;
        mbedtls_camellia_crypt_ctr:
            fn(*mut c_void, usize, *mut usize, *mut c_uchar, *mut c_uchar, *const c_uchar, *mut c_uchar) -> c_int;
    }
}

pub(super) struct Mbedtls {
    functions: Functions,
    // A build may be without these.
    camellia: Option<Camellia>,
    chacha: Option<Chacha>,
    keys: Option<Keys>,
    old: Old,
}

impl Peer for Mbedtls {
    const ABOUT: About = About {
        name: "mbedtls",
        interfaces: &[
            Interface::new("libmbedcrypto.so.16", "libmbedcrypto16", (3, 6)..=(3, 6)),
            Interface::new("libmbedcrypto.so.7", "libmbedcrypto7", (2, 28)..=(2, 28)),
        ],
    };

    fn version(library: Library) -> Result<String, Missing> {
        let mut version: [c_char; 16] = [0; 16];
        // SAFETY: version.h gives the name this type, and asks for room for nine bytes. The last one stays NUL.
        unsafe {
            let write: unsafe extern "C" fn(*mut c_char) = library.symbol("mbedtls_version_get_string")?;
            write(version.as_mut_ptr());
            Ok(text(version.as_ptr()))
        }
    }

    fn find(library: Library, version: (u32, u32)) -> Result<Self, Flaw> {
        Ok(Self {
            functions: Functions::find(library)?,
            camellia: Camellia::find(library).ok(),
            chacha: Chacha::find(library).ok(),
            keys: Keys::find(library, version).ok(),
            old: Old::find(library),
        })
    }

    fn address(&self) -> *const c_void {
        self.functions.mbedtls_aes_crypt_cbc as *const c_void
    }

    /// Without these instructions, AES and GHASH go by tables.
    fn constant_time(&self) -> bool {
        super::aes_and_ghash_in_hardware()
    }

    fn has(&self, task: Task) -> bool {
        self.hash(task.algorithm).is_some()
            || Keys::has(task.algorithm) && self.keys.is_some()
            || Chacha::has(task.algorithm) && self.chacha.is_some()
            || self.old.has(task.algorithm)
            || matches!(
                task.algorithm.aes_mode(),
                Some(
                    "ECB" | "CBC" | "CFB" | "CFB8" | "OFB" | "CTR" | "XTS" | "GCM" | "GMAC" | "CCM" | "CMAC"
                )
            )
            || task.algorithm.camellia_mode().is_some() && self.camellia.is_some()
    }

    fn context(&'static self, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        if let Some(keys) = self.keys.as_ref().filter(|_| task.algorithm.is_public_key()) {
            return keys.context(task, key);
        }
        if let Some(chacha) = self.chacha.as_ref().filter(|_| Chacha::has(task.algorithm)) {
            return chacha.context(task, key);
        }
        if self.old.has(task.algorithm) {
            return self.old.context(task, key, iv);
        }
        let contract = task.contract;
        let functions = &self.functions;
        let kept = Zeroizing::new(key.to_vec());
        let is_stream = contract == Contract::Stream;
        let backward = task.operation.is_backward();
        let camellia = task.algorithm.camellia_mode();
        let mode = task.algorithm.aes_mode().or(camellia);
        if let Some(info) = self.hash(task.algorithm) {
            let len = task.algorithm.tag_len();
            if task.operation == Operation::Digest {
                return Ok(tagging(
                    contract,
                    (),
                    |()| Ok(()),
                    move |(), envelope, message| {
                        check(envelope.tag.len() == len, "mbedtls_md")?;
                        let (input, digest) = (message.as_ptr(), envelope.tag.as_mut_ptr());
                        // SAFETY: the message is readable for its length, and the digest as long as the hash makes it.
                        let error = unsafe { (functions.mbedtls_md)(info, input, message.len(), digest) };
                        check(error == 0, "mbedtls_md")
                    },
                ));
            }
            let mut hmac = Hmac::new(functions, info, len)?;
            hmac.set_key(key)?;
            let renew = move |hmac: &mut Hmac| hmac.set_key(&kept);
            return Ok(tagging(contract, hmac, renew, |hmac, envelope, message| {
                hmac.tag(message, envelope.tag)
            }));
        }
        if mode == Some("CMAC") {
            let mac = Mac::new(functions, key)?;
            // To begin with another key in the same structure would leak the one before.
            let renew = move |mac: &mut Mac| {
                *mac = Mac::new(functions, &kept)?;
                Ok(())
            };
            return Ok(tagging(contract, mac, renew, |mac, envelope, message| {
                mac.tag(message, envelope.tag)
            }));
        }
        let cipher = match (&self.camellia, camellia) {
            (Some(functions), Some(_)) => functions.cipher(),
            _ => functions.aes(),
        };
        let mut keyed = match mode {
            Some("GCM" | "GMAC") => Keyed::gcm(functions),
            Some("CCM") => Keyed::ccm(functions),
            Some("XTS") => Keyed::xts(functions, backward),
            // What makes a keystream never runs the cipher backwards.
            Some("CTR" | "CFB" | "CFB8" | "OFB") => Keyed::block_cipher(functions, cipher, false),
            _ => Keyed::block_cipher(functions, cipher, backward),
        };
        keyed.mode = if backward { DECRYPT } else { ENCRYPT };
        let chain = match mode {
            Some("CFB8") => functions.mbedtls_aes_crypt_cfb8,
            _ => cipher.cbc,
        };
        keyed.set_key(key)?;
        let renew = move |keyed: &mut Keyed| keyed.set_key(&kept);
        Ok(match (mode, task.operation) {
            (Some("CCM"), Operation::Seal) => inout(contract, keyed, renew, Keyed::seal_ccm),
            (Some("CCM"), Operation::Open) => apart(contract, keyed, renew, Keyed::open_ccm),
            (_, Operation::Mac) => gmac(contract, keyed, renew, Keyed::seal),
            (_, Operation::Seal) => inout(contract, keyed, renew, Keyed::seal),
            (_, Operation::Open) => apart(contract, keyed, renew, Keyed::open),
            (Some("ECB"), _) => inout(contract, keyed, renew, move |keyed, _, buffer| {
                keyed.ecb(cipher.ecb, buffer)
            }),
            (Some("XTS"), _) => apart(contract, keyed, renew, Keyed::unit),
            (Some("CTR"), _) if is_stream => {
                let state = (keyed, Chained::new(iv)?);
                let renew = |_: &mut _| Ok(());
                inout(contract, state, renew, move |(keyed, chained), _, buffer| {
                    keyed.ctr(cipher.ctr, chained, buffer)
                })
            }
            (Some("CTR"), _) => inout(contract, keyed, renew, move |keyed, envelope, buffer| {
                keyed.ctr(cipher.ctr, &mut Chained::new(envelope.iv)?, buffer)
            }),
            (Some("CFB"), _) if is_stream => {
                let state = (keyed, Chained::new(iv)?);
                let renew = |_: &mut _| Ok(());
                inout(contract, state, renew, |(keyed, chained), _, buffer| {
                    keyed.cfb(chained, buffer)
                })
            }
            (Some("CFB"), _) => inout(contract, keyed, renew, |keyed, envelope, buffer| {
                keyed.cfb(&mut Chained::new(envelope.iv)?, buffer)
            }),
            (Some("OFB"), _) if is_stream => {
                let state = (keyed, Chained::new(iv)?);
                let renew = |_: &mut _| Ok(());
                inout(contract, state, renew, |(keyed, chained), _, buffer| {
                    keyed.ofb(chained, buffer)
                })
            }
            (Some("OFB"), _) => inout(contract, keyed, renew, |keyed, envelope, buffer| {
                keyed.ofb(&mut Chained::new(envelope.iv)?, buffer)
            }),
            _ if is_stream => {
                let state = (keyed, block(iv)?);
                let renew = |_: &mut _| Ok(());
                inout(contract, state, renew, move |(keyed, iv), _, buffer| {
                    keyed.chained(chain, iv, buffer)
                })
            }
            _ => inout(contract, keyed, renew, move |keyed, envelope, buffer| {
                keyed.chained(chain, &mut block(envelope.iv)?, buffer)
            }),
        })
    }
}

impl Mbedtls {
    /// Its `mbedtls_md_info_t` of a digest, or of what an HMAC is made of.
    fn hash(&self, algorithm: Algorithm) -> Option<*const c_void> {
        let name = match algorithm.name() {
            "MD2" => c"MD2",
            "MD4" => c"MD4",
            "MD5" => c"MD5",
            "SHA1" | "HMAC-SHA1" => c"SHA1",
            "SHA2-224" => c"SHA224",
            "SHA2-256" | "HMAC-SHA2-256" => c"SHA256",
            "SHA2-384" => c"SHA384",
            "SHA2-512" | "HMAC-SHA2-512" => c"SHA512",
            "SHA3-256" => c"SHA3-256",
            "SHA3-512" => c"SHA3-512",
            "RIPEMD-160" => c"RIPEMD160",
            _ => return None,
        };
        // SAFETY: the name ends in NUL; answers NULL or a static structure.
        let info = unsafe { (self.functions.mbedtls_md_info_from_string)(name.as_ptr()) };
        (!info.is_null()).then_some(info)
    }
}

/// What there is of a block cipher: AES and Camellia have the same.
#[derive(Clone, Copy)]
struct BlockCipher {
    init: OnContext,
    free: OnContext,
    set_encrypt_key: SetKeyAlone,
    set_decrypt_key: SetKeyAlone,
    ecb: Ecb,
    cbc: Chain,
    ctr: Ctr,
}

impl Functions {
    fn aes(&self) -> BlockCipher {
        BlockCipher {
            init: self.mbedtls_aes_init,
            free: self.mbedtls_aes_free,
            set_encrypt_key: self.mbedtls_aes_setkey_enc,
            set_decrypt_key: self.mbedtls_aes_setkey_dec,
            ecb: self.mbedtls_aes_crypt_ecb,
            cbc: self.mbedtls_aes_crypt_cbc,
            ctr: self.mbedtls_aes_crypt_ctr,
        }
    }
}

impl Camellia {
    fn cipher(&self) -> BlockCipher {
        BlockCipher {
            init: self.mbedtls_camellia_init,
            free: self.mbedtls_camellia_free,
            set_encrypt_key: self.mbedtls_camellia_setkey_enc,
            set_decrypt_key: self.mbedtls_camellia_setkey_dec,
            ecb: self.mbedtls_camellia_crypt_ecb,
            cbc: self.mbedtls_camellia_crypt_cbc,
            ctr: self.mbedtls_camellia_crypt_ctr,
        }
    }
}

/// `MBEDTLS_AES_ENCRYPT` and `MBEDTLS_AES_DECRYPT`; Camellia's and GCM's have the same numbers.
const ENCRYPT: c_int = 1;
const DECRYPT: c_int = 0;
/// `MBEDTLS_CIPHER_ID_AES`.
const AES: c_int = 2;
/// `MBEDTLS_CIPHER_AES_128_ECB`; those of 192 and 256 bits follow.
const AES_128_ECB: usize = 2;

/// Bytes for any of its structures.
const ROOM: usize = 1024;

fn bits(key: &[u8]) -> c_uint {
    8 * key.len() as c_uint
}

/// What a mode keeps between calls.
struct Chained {
    /// Bytes used of the block.
    used: usize,
    iv: [u8; 16],
    keystream: [u8; 16],
}

impl Chained {
    #[inline]
    fn new(iv: &[u8]) -> Result<Self, Fault> {
        Ok(Self {
            used: 0,
            iv: block(iv)?,
            keystream: [0; 16],
        })
    }
}

impl Drop for Chained {
    fn drop(&mut self) {
        self.keystream.zeroize();
    }
}

/// A context of AES, Camellia, XTS, GCM or CCM, by the function that made it.
struct Keyed {
    functions: &'static Functions,
    context: Memory,
    set_key: SetKey,
    free: OnContext,
    mode: c_int,
}

impl Keyed {
    /// # Safety
    /// `init` makes a context, for which `set_key` and `free` are.
    unsafe fn new(functions: &'static Functions, init: OnContext, set_key: SetKey, free: OnContext) -> Self {
        let mut context = Memory::new(ROOM);
        // SAFETY: the structure has room, and stays where it is, as it points into itself.
        unsafe { init(context.as_mut_ptr()) };
        Self {
            functions,
            context,
            set_key,
            free,
            mode: ENCRYPT,
        }
    }

    fn block_cipher(functions: &'static Functions, cipher: BlockCipher, backward: bool) -> Self {
        let set_key = SetKey::Alone(match backward {
            true => cipher.set_decrypt_key,
            false => cipher.set_encrypt_key,
        });
        // SAFETY: all of `mbedtls_aes_context`, or all of `mbedtls_camellia_context`.
        unsafe { Self::new(functions, cipher.init, set_key, cipher.free) }
    }

    fn xts(functions: &'static Functions, backward: bool) -> Self {
        let set_key = SetKey::Alone(match backward {
            true => functions.mbedtls_aes_xts_setkey_dec,
            false => functions.mbedtls_aes_xts_setkey_enc,
        });
        let (init, free) = (functions.mbedtls_aes_xts_init, functions.mbedtls_aes_xts_free);
        // SAFETY: all of `mbedtls_aes_xts_context`.
        unsafe { Self::new(functions, init, set_key, free) }
    }

    fn gcm(functions: &'static Functions) -> Self {
        let set_key = SetKey::OfCipher(functions.mbedtls_gcm_setkey);
        let (init, free) = (functions.mbedtls_gcm_init, functions.mbedtls_gcm_free);
        // SAFETY: all of `mbedtls_gcm_context`.
        unsafe { Self::new(functions, init, set_key, free) }
    }

    fn ccm(functions: &'static Functions) -> Self {
        let set_key = SetKey::OfCipher(functions.mbedtls_ccm_setkey);
        let (init, free) = (functions.mbedtls_ccm_init, functions.mbedtls_ccm_free);
        // SAFETY: all of `mbedtls_ccm_context`.
        unsafe { Self::new(functions, init, set_key, free) }
    }

    #[inline]
    fn set_key(&mut self, key: &[u8]) -> Result<(), Fault> {
        let context = self.context.as_mut_ptr();
        // SAFETY: the context was made for the function that is called, and the key is readable for its length, which
        // the function checks.
        let error = unsafe {
            match self.set_key {
                SetKey::Alone(set_key) => set_key(context, key.as_ptr(), bits(key)),
                SetKey::OfCipher(set_key) => set_key(context, AES, key.as_ptr(), bits(key)),
            }
        };
        check(error == 0, "mbedtls_aes_setkey_enc or _dec")
    }

    /// It has no call for more than a block.
    #[inline]
    fn ecb(&mut self, ecb: Ecb, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let (blocks, _) = buffer.into_chunks::<aes::cipher::consts::U16>();
        let mut error = 0;
        for block in blocks {
            let (input, output) = block.into_raw();
            // SAFETY: this is the function's cipher with its key; both blocks have sixteen bytes, the one readable and the
            // other ours to write, in place or apart.
            error |= unsafe { ecb(self.context.as_mut_ptr(), self.mode, input.cast(), output.cast()) };
        }
        check(error == 0, "mbedtls_aes_crypt_ecb or mbedtls_camellia_crypt_ecb")
    }

    /// CBC or CFB-8; `iv` becomes the one to go on with.
    #[inline]
    fn chained(
        &mut self,
        chain: Chain,
        iv: &mut [u8; 16],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Fault> {
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        let (context, iv) = (self.context.as_mut_ptr(), iv.as_mut_ptr());
        // SAFETY: this is the function's cipher with its key; `input` is readable and `output` ours to write for `len`
        // bytes, in place or apart, and the IV has a block's length.
        let error = unsafe { chain(context, self.mode, len, iv, input, output) };
        check(
            error == 0,
            "mbedtls_aes_crypt_cbc, _cfb8 or mbedtls_camellia_crypt_cbc",
        )
    }

    #[inline]
    fn cfb(&mut self, chained: &mut Chained, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        // SAFETY: as in `chained`.
        let error = unsafe {
            (self.functions.mbedtls_aes_crypt_cfb128)(
                self.context.as_mut_ptr(),
                self.mode,
                len,
                &mut chained.used,
                chained.iv.as_mut_ptr(),
                input,
                output,
            )
        };
        check(error == 0, "mbedtls_aes_crypt_cfb128")
    }

    #[inline]
    fn ofb(&mut self, chained: &mut Chained, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        // SAFETY: as in `chained`.
        let error = unsafe {
            (self.functions.mbedtls_aes_crypt_ofb)(
                self.context.as_mut_ptr(),
                len,
                &mut chained.used,
                chained.iv.as_mut_ptr(),
                input,
                output,
            )
        };
        check(error == 0, "mbedtls_aes_crypt_ofb")
    }

    #[inline]
    fn ctr(&mut self, ctr: Ctr, chained: &mut Chained, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        // SAFETY: as in `chained`; counter and keystream have a block each.
        let error = unsafe {
            ctr(
                self.context.as_mut_ptr(),
                len,
                &mut chained.used,
                chained.iv.as_mut_ptr(),
                chained.keystream.as_mut_ptr(),
                input,
                output,
            )
        };
        check(error == 0, "mbedtls_aes_crypt_ctr or mbedtls_camellia_crypt_ctr")
    }

    /// In place, it steals ciphertext from itself: a message that ends within a block comes out wrong.
    #[inline]
    fn unit(&mut self, envelope: Envelope<'_>, input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
        let tweak = block(envelope.iv)?;
        let len = input.len().min(output.len());
        // SAFETY: this is XTS with its keys; the tweak has a block's length, `input` is readable and `output` ours to
        // write for `len` bytes.
        let error = unsafe {
            (self.functions.mbedtls_aes_crypt_xts)(
                self.context.as_mut_ptr(),
                self.mode,
                len,
                tweak.as_ptr(),
                input.as_ptr(),
                output.as_mut_ptr(),
            )
        };
        check(error == 0, "mbedtls_aes_crypt_xts")
    }

    #[inline]
    fn seal(&mut self, envelope: Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let Envelope { iv, aad, tag } = envelope;
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        // SAFETY: this is GCM with its key; IV, additional data and `input` are readable, `output` and the tag ours to
        // write for their lengths, in place or apart.
        let error = unsafe {
            (self.functions.mbedtls_gcm_crypt_and_tag)(
                self.context.as_mut_ptr(),
                ENCRYPT,
                len,
                iv.as_ptr(),
                iv.len(),
                aad.as_ptr(),
                aad.len(),
                input,
                output,
                tag.len(),
                tag.as_mut_ptr(),
            )
        };
        check(error == 0, "mbedtls_gcm_crypt_and_tag")
    }

    /// Its manual forbids it in place.
    #[inline]
    fn open(&mut self, envelope: Envelope<'_>, input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
        let Envelope { iv, aad, tag } = envelope;
        // SAFETY: as in `seal`, apart alone; `output` is as long as `input`, and the tag is only read.
        let error = unsafe {
            (self.functions.mbedtls_gcm_auth_decrypt)(
                self.context.as_mut_ptr(),
                input.len().min(output.len()),
                iv.as_ptr(),
                iv.len(),
                aad.as_ptr(),
                aad.len(),
                tag.as_ptr(),
                tag.len(),
                input.as_ptr(),
                output.as_mut_ptr(),
            )
        };
        check(error == 0, "mbedtls_gcm_auth_decrypt")
    }

    #[inline]
    fn seal_ccm(&mut self, envelope: Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let Envelope { iv, aad, tag } = envelope;
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        // SAFETY: this is CCM with its key; IV, additional data and `input` are readable, `output` and the tag ours to
        // write for their lengths, in place or apart.
        let error = unsafe {
            (self.functions.mbedtls_ccm_encrypt_and_tag)(
                self.context.as_mut_ptr(),
                len,
                iv.as_ptr(),
                iv.len(),
                aad.as_ptr(),
                aad.len(),
                input,
                output,
                tag.as_mut_ptr(),
                tag.len(),
            )
        };
        check(error == 0, "mbedtls_ccm_encrypt_and_tag")
    }

    /// As [`Keyed::open`].
    #[inline]
    fn open_ccm(&mut self, envelope: Envelope<'_>, input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
        let Envelope { iv, aad, tag } = envelope;
        // SAFETY: as in `seal_ccm`, apart alone; `output` is as long as `input`, and the tag is only read.
        let error = unsafe {
            (self.functions.mbedtls_ccm_auth_decrypt)(
                self.context.as_mut_ptr(),
                input.len().min(output.len()),
                iv.as_ptr(),
                iv.len(),
                aad.as_ptr(),
                aad.len(),
                input.as_ptr(),
                output.as_mut_ptr(),
                tag.as_ptr(),
                tag.len(),
            )
        };
        check(error == 0, "mbedtls_ccm_auth_decrypt")
    }
}

impl Drop for Keyed {
    fn drop(&mut self) {
        // SAFETY: made for this function, and freed once.
        unsafe { (self.free)(self.context.as_mut_ptr()) }
    }
}

/// A `mbedtls_cipher_context_t` for CMAC.
struct Mac {
    functions: &'static Functions,
    context: Memory,
}

impl Mac {
    fn new(functions: &'static Functions, key: &[u8]) -> Result<Self, Fault> {
        let mut context = Memory::new(ROOM);
        // SAFETY: the structure has room.
        unsafe { (functions.mbedtls_cipher_init)(context.as_mut_ptr()) };
        let mut mac = Self { functions, context };
        let cipher = (AES_128_ECB + key.len() / 8 - 2) as c_int;
        let context = mac.context.as_mut_ptr();
        // SAFETY: the context is new; the first function answers NULL or a static structure, and NULL is refused by the
        // second. The key is readable for its length, which is the cipher's.
        let error = unsafe {
            let info = (functions.mbedtls_cipher_info_from_type)(cipher);
            match (functions.mbedtls_cipher_setup)(context, info) {
                0 => (functions.mbedtls_cipher_cmac_starts)(context, key.as_ptr(), 8 * key.len()),
                error => error,
            }
        };
        check(error == 0, "mbedtls_cipher_cmac_starts").map(|()| mac)
    }

    #[inline]
    fn tag(&mut self, message: &[u8], tag: &mut [u8]) -> Result<(), Fault> {
        check(tag.len() == 16, "mbedtls_cipher_cmac_finish")?;
        let context = self.context.as_mut_ptr();
        // SAFETY: the context has its key, which a reset keeps; the message is readable for its length, and the tag as
        // long as CMAC's is.
        let error = unsafe {
            (self.functions.mbedtls_cipher_cmac_reset)(context)
                | (self.functions.mbedtls_cipher_cmac_update)(context, message.as_ptr(), message.len())
                | (self.functions.mbedtls_cipher_cmac_finish)(context, tag.as_mut_ptr())
        };
        check(error == 0, "mbedtls_cipher_cmac_update")
    }
}

impl Drop for Mac {
    fn drop(&mut self) {
        // SAFETY: made by `mbedtls_cipher_init`, and freed once.
        unsafe { (self.functions.mbedtls_cipher_free)(self.context.as_mut_ptr()) }
    }
}

/// A `mbedtls_md_context_t` for HMAC.
struct Hmac {
    functions: &'static Functions,
    context: Memory,
    len: usize,
}

impl Hmac {
    fn new(functions: &'static Functions, info: *const c_void, len: usize) -> Result<Self, Fault> {
        let mut context = Memory::new(ROOM);
        // SAFETY: the structure has room.
        unsafe { (functions.mbedtls_md_init)(context.as_mut_ptr()) };
        let mut hmac = Self {
            functions,
            context,
            len,
        };
        // SAFETY: the context is new, and the hash a static structure of the library; 1 asks for HMAC.
        let error = unsafe { (functions.mbedtls_md_setup)(hmac.context.as_mut_ptr(), info, 1) };
        check(error == 0, "mbedtls_md_setup").map(|()| hmac)
    }

    #[inline]
    fn set_key(&mut self, key: &[u8]) -> Result<(), Fault> {
        let context = self.context.as_mut_ptr();
        // SAFETY: the context is set up, and the key readable for its length.
        let error = unsafe { (self.functions.mbedtls_md_hmac_starts)(context, key.as_ptr(), key.len()) };
        check(error == 0, "mbedtls_md_hmac_starts")
    }

    #[inline]
    fn tag(&mut self, message: &[u8], tag: &mut [u8]) -> Result<(), Fault> {
        check(tag.len() == self.len, "mbedtls_md_hmac_finish")?;
        let context = self.context.as_mut_ptr();
        // SAFETY: the context has its key, which a reset keeps; the message is readable for its length, and the tag as
        // long as the hash makes it.
        let error = unsafe {
            (self.functions.mbedtls_md_hmac_reset)(context)
                | (self.functions.mbedtls_md_hmac_update)(context, message.as_ptr(), message.len())
                | (self.functions.mbedtls_md_hmac_finish)(context, tag.as_mut_ptr())
        };
        check(error == 0, "mbedtls_md_hmac_update")
    }
}

impl Drop for Hmac {
    fn drop(&mut self) {
        // SAFETY: made by `mbedtls_md_init`, and freed once.
        unsafe { (self.functions.mbedtls_md_free)(self.context.as_mut_ptr()) }
    }
}

#[cfg(test)]
pub(super) fn layout() -> super::layouts::Layout {
    super::layouts::Layout {
        headers: &[
            "mbedtls/aes.h",
            "mbedtls/camellia.h",
            "mbedtls/gcm.h",
            "mbedtls/ccm.h",
            "mbedtls/chachapoly.h",
            "mbedtls/cmac.h",
            "mbedtls/md.h",
            "mbedtls/ctr_drbg.h",
            "mbedtls/pk.h",
            "mbedtls/ecp.h",
        ],
        facts: vec![
            ("sizeof(mbedtls_aes_context) <= 1024", 1),
            ("sizeof(mbedtls_aes_xts_context) <= 1024", 1),
            ("sizeof(mbedtls_camellia_context) <= 1024", 1),
            ("sizeof(mbedtls_gcm_context) <= 1024", 1),
            ("sizeof(mbedtls_ccm_context) <= 1024", 1),
            ("sizeof(mbedtls_chachapoly_context) <= 1024", 1),
            ("sizeof(mbedtls_cipher_context_t) <= 1024", 1),
            ("sizeof(mbedtls_md_context_t) <= 1024", 1),
            ("sizeof(mbedtls_ctr_drbg_context) <= 1024", 1),
            ("sizeof(mbedtls_pk_context) <= 1024", 1),
            ("sizeof(mbedtls_ecp_group) <= 1024", 1),
            ("sizeof(mbedtls_ecp_point) <= 1024", 1),
            ("sizeof(mbedtls_mpi) <= 1024", 1),
            ("1024", ROOM),
            ("MBEDTLS_PK_SIGNATURE_MAX_SIZE <= 1024", 1),
            ("1024", keys::LONGEST),
            ("MBEDTLS_ECP_DP_CURVE25519", keys::CURVE25519 as usize),
            ("MBEDTLS_AES_ENCRYPT", ENCRYPT as usize),
            ("MBEDTLS_CAMELLIA_ENCRYPT", ENCRYPT as usize),
            ("MBEDTLS_GCM_ENCRYPT", ENCRYPT as usize),
            ("MBEDTLS_AES_DECRYPT", DECRYPT as usize),
            ("MBEDTLS_CAMELLIA_DECRYPT", DECRYPT as usize),
            ("MBEDTLS_CIPHER_ID_AES", AES as usize),
            ("MBEDTLS_CIPHER_AES_128_ECB", AES_128_ECB),
            ("MBEDTLS_CIPHER_AES_256_ECB", AES_128_ECB + 2),
        ],
    }
}
