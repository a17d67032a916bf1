//! Nettle. Signatures and structures as in the headers of 3.8; soname 8 has stood for them since 3.6.
//!
//! Contexts have the sizes that nettle's own tables of algorithms give them.
use std::{
    ffi::{CStr, c_char, c_int, c_uint, c_void},
    ptr,
};

use ciphertune_testkit::{Algorithm, Contract, Envelope, Fault, Operation, Task};
use inout::InOutBuf;
use zeroize::Zeroizing;

use super::{About, Flaw, Interface, Peer, counter::Counter, memory::Memory};
use crate::{
    Timed,
    context::{block, buffers, gmac, inout, tagging},
    library::{Library, Missing, check, functions},
    pair::{self, Pair},
};

mod keys;
mod old;

use keys::Keys;
use old::Old;

type SetKey = unsafe extern "C" fn(*mut c_void, *const u8);
type Crypt = unsafe extern "C" fn(*const c_void, usize, *mut u8, *const u8);
type Update = unsafe extern "C" fn(*mut c_void, usize, *const u8);
type Digest = unsafe extern "C" fn(*mut c_void, usize, *mut u8);
/// Context, function, length of a block, IV, which goes on, length, output, input.
type Mode = unsafe extern "C" fn(*const c_void, Crypt, usize, *mut u8, usize, *mut u8, *const u8);
type Cbc = unsafe extern "C" fn(*const c_void, *mut u8, usize, *mut u8, *const u8);

/// `struct nettle_cipher`.
#[repr(C)]
struct Cipher {
    name: *const c_char,
    context_size: c_uint,
    block_size: c_uint,
    key_size: c_uint,
    set_encrypt_key: SetKey,
    set_decrypt_key: SetKey,
    encrypt: Crypt,
    decrypt: Crypt,
}

/// `struct nettle_aead`.
#[repr(C)]
struct Aead {
    name: *const c_char,
    context_size: c_uint,
    block_size: c_uint,
    key_size: c_uint,
    nonce_size: c_uint,
    digest_size: c_uint,
    set_encrypt_key: SetKey,
    set_decrypt_key: SetKey,
    set_nonce: SetKey,
    update: Update,
    encrypt: unsafe extern "C" fn(*mut c_void, usize, *mut u8, *const u8),
    decrypt: unsafe extern "C" fn(*mut c_void, usize, *mut u8, *const u8),
    digest: Digest,
}

/// `struct nettle_mac`.
#[repr(C)]
struct Mac {
    name: *const c_char,
    context_size: c_uint,
    digest_size: c_uint,
    key_size: c_uint,
    set_key: SetKey,
    update: Update,
    digest: Digest,
}

/// `struct nettle_hash`.
#[repr(C)]
struct Hash {
    name: *const c_char,
    context_size: c_uint,
    digest_size: c_uint,
    block_size: c_uint,
    init: unsafe extern "C" fn(*mut c_void),
    update: Update,
    digest: Digest,
}

functions! {
    Functions {
        nettle_get_hashes: fn() -> *const *const Hash;
        nettle_get_ciphers: fn() -> *const *const Cipher;
        nettle_get_aeads: fn() -> *const *const Aead;
        nettle_get_macs: fn() -> *const *const Mac;
        nettle_ctr_crypt: fn(*const c_void, Crypt, usize, *mut u8, usize, *mut u8, *const u8);
        nettle_cbc_encrypt: fn(*const c_void, Crypt, usize, *mut u8, usize, *mut u8, *const u8);
        nettle_cbc_decrypt: fn(*const c_void, Crypt, usize, *mut u8, usize, *mut u8, *const u8);
        nettle_cfb_encrypt: fn(*const c_void, Crypt, usize, *mut u8, usize, *mut u8, *const u8);
        nettle_cfb_decrypt: fn(*const c_void, Crypt, usize, *mut u8, usize, *mut u8, *const u8);
        nettle_cfb8_encrypt: fn(*const c_void, Crypt, usize, *mut u8, usize, *mut u8, *const u8);
        nettle_cfb8_decrypt: fn(*const c_void, Crypt, usize, *mut u8, usize, *mut u8, *const u8);
        nettle_xts_encrypt_message: fn(*const c_void, *const c_void, Crypt, *const u8, usize, *mut u8, *const u8);
        nettle_xts_decrypt_message:
            fn(*const c_void, *const c_void, Crypt, Crypt, *const u8, usize, *mut u8, *const u8);
        nettle_ccm_set_nonce:
            fn(*mut c_void, *const c_void, Crypt, usize, *const u8, usize, usize, usize);
        nettle_ccm_update: fn(*mut c_void, *const c_void, Crypt, usize, *const u8);
        nettle_ccm_encrypt: fn(*mut c_void, *const c_void, Crypt, usize, *mut u8, *const u8);
        nettle_ccm_decrypt: fn(*mut c_void, *const c_void, Crypt, usize, *mut u8, *const u8);
        nettle_ccm_digest: fn(*mut c_void, *const c_void, Crypt, usize, *mut u8);
        nettle_memeql_sec: fn(*const c_void, *const c_void, usize) -> c_int;
    }
}

pub(super) struct Nettle {
    functions: Functions,
    /// For keys of 16, 24 and 32 bytes, as the following.
    aes: [&'static Cipher; 3],
    camellia: [Option<&'static Cipher>; 3],
    /// CBC encryption as one function of each size of AES, since 3.8.
    cbc: [Option<Cbc>; 3],
    aeads: Vec<&'static Aead>,
    macs: Vec<&'static Mac>,
    hashes: Vec<&'static Hash>,
    keys: Option<Keys>,
    old: Option<Old>,
}

impl Peer for Nettle {
    const ABOUT: About = About {
        name: "nettle",
        interfaces: &[Interface::new("libnettle.so.8", "libnettle8", (3, 6)..=(3, 10))],
    };

    fn version(library: Library) -> Result<String, Missing> {
        type Version = unsafe extern "C" fn() -> c_int;
        // SAFETY: version.h gives the names this type; the functions read a constant each.
        unsafe {
            let major: Version = library.symbol("nettle_version_major")?;
            let minor: Version = library.symbol("nettle_version_minor")?;
            Ok(format!("{}.{}", major(), minor()))
        }
    }

    fn find(library: Library, _: (u32, u32)) -> Result<Self, Flaw> {
        let functions = Functions::find(library)?;
        // SAFETY: the functions take nothing and answer lists that end in NULL, of structures that stay as they are for
        // as long as the library is loaded; each begins with the pointer to its name.
        let (hashes, ciphers, aeads, macs) = unsafe {
            (
                list((functions.nettle_get_hashes)()),
                list((functions.nettle_get_ciphers)()),
                list((functions.nettle_get_aeads)()),
                list((functions.nettle_get_macs)()),
            )
        };
        // SAFETY: cbc.h gives each of the names this type.
        let cbc = |name| unsafe { library.symbol_named::<Cbc>(name) };
        let cipher = |name: &'static CStr, key_size| {
            let mut found = ciphers.iter().copied();
            let cipher = found.find(|cipher| named(cipher.name, name) && cipher.key_size == key_size);
            cipher.filter(|cipher| cipher.block_size == 16)
        };
        let aes = |name, key_size| cipher(name, key_size).ok_or(LACKS_AES);
        Ok(Self {
            functions,
            aes: [aes(c"aes128", 16)?, aes(c"aes192", 24)?, aes(c"aes256", 32)?],
            camellia: [
                cipher(c"camellia128", 16),
                cipher(c"camellia192", 24),
                cipher(c"camellia256", 32),
            ],
            cbc: [
                cbc("nettle_cbc_aes128_encrypt"),
                cbc("nettle_cbc_aes192_encrypt"),
                cbc("nettle_cbc_aes256_encrypt"),
            ],
            aeads,
            macs,
            hashes,
            keys: Keys::find()?,
            old: Old::find(library).ok(),
        })
    }

    fn address(&self) -> *const c_void {
        self.functions.nettle_ctr_crypt as *const c_void
    }

    /// Without these instructions, AES and GHASH go by tables; so may they where someone overrides its choice.
    fn constant_time(&self) -> bool {
        super::aes_and_ghash_in_hardware() && std::env::var_os("NETTLE_FAT_OVERRIDE").is_none()
    }

    fn has(&self, task: Task) -> bool {
        match task.algorithm.aes_mode() {
            Some("ECB" | "CBC" | "CFB" | "CFB8" | "CTR" | "XTS" | "CCM") => true,
            _ if task.algorithm.is_public_key() => self.keys.is_some() && Keys::has(task.algorithm),
            _ if task.algorithm.camellia_mode().is_some() => self.camellia[size(task.algorithm)].is_some(),
            _ if self.old(task.algorithm).is_some() => true,
            _ => match pair::parts(task) {
                Some((_, mac)) => self.mac_of(mac).is_some(),
                None => {
                    self.aead_of(task.algorithm).is_some()
                        || self.mac_of(task.algorithm).is_some()
                        || self.hash_of(task.algorithm).is_some()
                }
            },
        }
    }

    fn context(&'static self, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        let contract = task.contract;
        let is_stream = contract == Contract::Stream;
        let kept = Zeroizing::new(key.to_vec());
        if let (true, Some(keys)) = (task.algorithm.is_public_key(), &self.keys) {
            return keys.context(self, task, key);
        }
        if let Some(old) = self.old(task.algorithm) {
            let Functions {
                nettle_cbc_encrypt,
                nettle_cbc_decrypt,
                ..
            } = self.functions;
            return old.context([nettle_cbc_encrypt, nettle_cbc_decrypt], task, key, iv);
        }
        if let Some(aead) = self.aead_of(task.algorithm) {
            return Ok(self.sealing(aead, task, key));
        }
        match task.operation {
            Operation::Mac => return self.mac(task, key),
            Operation::Digest => return self.digest(task),
            _ => {}
        }
        if let Some((cipher, mac)) = pair::parts(task) {
            return pair::context(task, key, NettlePair::new(self, cipher, mac)?);
        }
        let mut state = Keyed::new(self, task)?;
        state.set_key(key);
        let renewed = kept.clone();
        let renew = move |state: &mut Keyed| {
            state.set_key(&kept);
            Ok(())
        };
        Ok(match (mode(task.algorithm), task.operation) {
            (Some("ECB"), _) => inout(contract, state, renew, |state, _, buffer| {
                state.ecb(buffer);
                Ok(())
            }),
            (Some("CTR"), _) if is_stream => {
                let state = (state, Counter::new(iv)?);
                let renew = |_: &mut _| Ok(());
                inout(contract, state, renew, |(state, counter), _, buffer| {
                    counter.run(buffer, |iv, buffer| {
                        state.mode(&mut iv.clone(), buffer);
                        Ok(())
                    })
                })
            }
            (Some("CCM"), operation) => {
                let state = (state, Memory::new(CCM_LEN));
                let renew = move |(state, _): &mut (Keyed, Memory)| {
                    state.set_key(&renewed);
                    Ok(())
                };
                match operation {
                    Operation::Open => inout(contract, state, renew, |(state, ccm), envelope, buffer| {
                        let made = state.ccm(ccm, &envelope, buffer);
                        state.same(&made, envelope.tag)
                    }),
                    _ => inout(contract, state, renew, |(state, ccm), envelope, buffer| {
                        let made = state.ccm(ccm, &envelope, buffer);
                        envelope.tag.copy_from_slice(&made);
                        Ok(())
                    }),
                }
            }
            (Some("XTS"), _) => inout(contract, state, renew, |state, envelope, buffer| {
                state.xts(&block(envelope.iv)?, buffer);
                Ok(())
            }),
            _ if is_stream => {
                let state = (state, block(iv)?);
                let renew = |_: &mut _| Ok(());
                inout(contract, state, renew, |(state, iv), _, buffer| {
                    state.mode(iv, buffer);
                    Ok(())
                })
            }
            _ => inout(contract, state, renew, |state, envelope, buffer| {
                state.mode(&mut block(envelope.iv)?, buffer);
                Ok(())
            }),
        })
    }
}

const LACKS_AES: Flaw = Flaw::Missing(Missing("AES with keys of all lengths"));

/// # Safety
/// `list` is NULL or ends in NULL, and what it points to stays as it is.
unsafe fn list<T>(mut list: *const *const T) -> Vec<&'static T> {
    let mut items = Vec::new();
    if list.is_null() {
        return items;
    }
    // SAFETY: the caller vouches for every pointer up to the NULL.
    while let Some(item) = unsafe { (*list).as_ref() } {
        items.push(item);
        // SAFETY: there is one more, NULL at the latest.
        list = unsafe { list.add(1) };
    }
    items
}

fn named(name: *const c_char, wanted: &CStr) -> bool {
    // SAFETY: the names in nettle's tables are strings that end in NUL and stay.
    !name.is_null() && unsafe { CStr::from_ptr(name) } == wanted
}

/// Of a cipher whose blocks have 16 bytes.
fn mode(algorithm: Algorithm) -> Option<&'static str> {
    algorithm.aes_mode().or(algorithm.camellia_mode())
}

/// Which of three: for a key of 16, 24 or 32 bytes. XTS has two of them.
fn size(algorithm: Algorithm) -> usize {
    let keys = if algorithm.aes_mode() == Some("XTS") { 2 } else { 1 };
    algorithm.key_len() / keys / 8 - 2
}

/// A cipher with its key, in one mode and direction.
struct Keyed {
    functions: &'static Functions,
    cipher: &'static Cipher,
    key: Memory,
    /// XTS encrypts its tweak by a key of its own.
    tweak: Option<Memory>,
    set_key: SetKey,
    crypt: Crypt,
    mode: Mode,
    cbc: Option<Cbc>,
    backward: bool,
}

impl Keyed {
    fn new(nettle: &'static Nettle, task: Task) -> Result<Self, Fault> {
        let functions = &nettle.functions;
        let mode = mode(task.algorithm);
        let is_xts = mode == Some("XTS");
        let size = size(task.algorithm);
        let is_aes = task.algorithm.aes_mode().is_some();
        let cipher = match is_aes {
            true => nettle.aes[size],
            false => nettle.camellia[size].ok_or_else(|| Fault(format!("nettle has no {task}")))?,
        };
        let backward = task.operation.is_backward();
        // The modes that make a keystream never run the cipher backwards.
        let inverse = backward && !matches!(mode, Some("CTR" | "CFB" | "CFB8" | "CCM"));
        let memory = || Memory::new(cipher.context_size as usize);
        Ok(Self {
            functions,
            cipher,
            key: memory(),
            tweak: is_xts.then(memory),
            set_key: if inverse {
                cipher.set_decrypt_key
            } else {
                cipher.set_encrypt_key
            },
            crypt: if inverse { cipher.decrypt } else { cipher.encrypt },
            mode: match (mode, backward) {
                (Some("CBC"), false) => functions.nettle_cbc_encrypt,
                (Some("CBC"), true) => functions.nettle_cbc_decrypt,
                (Some("CFB"), false) => functions.nettle_cfb_encrypt,
                (Some("CFB"), true) => functions.nettle_cfb_decrypt,
                (Some("CFB8"), false) => functions.nettle_cfb8_encrypt,
                (Some("CFB8"), true) => functions.nettle_cfb8_decrypt,
                _ => functions.nettle_ctr_crypt,
            },
            cbc: nettle.cbc[size].filter(|_| is_aes && (mode, backward) == (Some("CBC"), false)),
            backward,
        })
    }

    /// # Panics
    /// If the key has not the cipher's length.
    #[inline]
    fn set_key(&mut self, key: &[u8]) {
        let (key, tweak_key) = key.split_at(self.cipher.key_size as usize);
        // SAFETY: the context has the size that the cipher asks for, and the key was just seen to have as many bytes as
        // the function reads.
        unsafe { (self.set_key)(self.key.as_mut_ptr(), key.as_ptr()) };
        if let Some(tweak) = &mut self.tweak {
            assert_eq!(key.len(), tweak_key.len(), "the caller checks");
            // SAFETY: as above.
            unsafe { (self.cipher.set_encrypt_key)(tweak.as_mut_ptr(), tweak_key.as_ptr()) };
        }
    }

    /// Whole blocks alone.
    #[inline]
    fn ecb(&self, buffer: InOutBuf<'_, '_, u8>) {
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        // SAFETY: the context has its key; `input` is readable and `output` ours to write for `len` bytes, which the
        // gate and the task make whole blocks, and they are the same or do not overlap: the manual allows both.
        unsafe { (self.crypt)(self.key.as_ptr(), len, output, input) }
    }

    /// CBC, CFB, CFB-8 or CTR; `iv` becomes the one to go on with.
    #[inline]
    fn mode(&self, iv: &mut [u8; 16], buffer: InOutBuf<'_, '_, u8>) {
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        let key = self.key.as_ptr();
        // SAFETY: as in `ecb`; the IV has a block's length, which is the cipher's.
        unsafe {
            match self.cbc {
                Some(cbc) => cbc(key, iv.as_mut_ptr(), len, output, input),
                None => (self.mode)(key, self.crypt, iv.len(), iv.as_mut_ptr(), len, output, input),
            }
        }
    }

    /// At least a block.
    #[inline]
    fn xts(&self, tweak: &[u8; 16], buffer: InOutBuf<'_, '_, u8>) {
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        let key = self.key.as_ptr();
        let tweak_key = self.tweak.as_ref().map_or(ptr::null(), Memory::as_ptr);
        let (tweak, encrypt) = (tweak.as_ptr(), self.cipher.encrypt);
        let Functions {
            nettle_xts_encrypt_message,
            nettle_xts_decrypt_message,
            ..
        } = self.functions;
        // SAFETY: as in `ecb`; what is in XTS has both keys, and the tweak has a block's length.
        unsafe {
            if self.backward {
                nettle_xts_decrypt_message(key, tweak_key, self.crypt, encrypt, tweak, len, output, input);
            } else {
                nettle_xts_encrypt_message(key, tweak_key, encrypt, tweak, len, output, input);
            }
        }
    }
}

/// Bytes of `struct ccm_ctx`.
const CCM_LEN: usize = 40;

impl Keyed {
    /// A whole message in CCM; answers its tag.
    #[inline]
    fn ccm(&self, context: &mut Memory, envelope: &Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> [u8; 16] {
        let Envelope { iv, aad, .. } = *envelope;
        let (context, key, encrypt) = (context.as_mut_ptr(), self.key.as_ptr(), self.cipher.encrypt);
        let functions = self.functions;
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        let crypt = match self.backward {
            true => functions.nettle_ccm_decrypt,
            false => functions.nettle_ccm_encrypt,
        };
        let mut tag = [0; 16];
        let (tag_len, place) = (tag.len(), tag.as_mut_ptr());
        // SAFETY: the context has room and the key is there; nonce, additional data and `input` are readable, `output` and
        // the tag ours to write for their lengths, in place or apart. The nonce leaves three bytes for the length.
        unsafe {
            (functions.nettle_ccm_set_nonce)(
                context,
                key,
                encrypt,
                iv.len(),
                iv.as_ptr(),
                aad.len(),
                len,
                tag_len,
            );
            (functions.nettle_ccm_update)(context, key, encrypt, aad.len(), aad.as_ptr());
            crypt(context, key, encrypt, len, output, input);
            (functions.nettle_ccm_digest)(context, key, encrypt, tag_len, place);
        }
        tag
    }

    #[inline]
    fn same(&self, made: &[u8; 16], tag: &[u8]) -> Result<(), Fault> {
        let tag = block(tag)?;
        // SAFETY: both have sixteen bytes.
        let equal =
            unsafe { (self.functions.nettle_memeql_sec)(made.as_ptr().cast(), tag.as_ptr().cast(), 16) };
        check(equal == 1, "the tag is wrong: nettle_memeql_sec")
    }
}

impl Nettle {
    fn old(&self, algorithm: Algorithm) -> Option<&Old> {
        self.old.as_ref().filter(|old| old.has(algorithm))
    }

    /// What seals, or makes a GMAC.
    fn aead_of(&self, algorithm: Algorithm) -> Option<&'static Aead> {
        let name = match algorithm.name() {
            "AES-128-GCM" | "AES-128-GMAC" => c"gcm_aes128",
            "AES-192-GCM" | "AES-192-GMAC" => c"gcm_aes192",
            "AES-256-GCM" | "AES-256-GMAC" => c"gcm_aes256",
            "ChaCha20-Poly1305" => c"chacha_poly1305",
            _ => return None,
        };
        let lengths = [algorithm.key_len(), algorithm.iv_len(), algorithm.tag_len()];
        let mut found = self.aeads.iter().copied();
        found.find(|aead| {
            let its = [aead.key_size, aead.nonce_size, aead.digest_size];
            named(aead.name, name) && its.map(|len| len as usize) == lengths
        })
    }

    fn sealing(&'static self, aead: &'static Aead, task: Task, key: &[u8]) -> Box<dyn Timed> {
        let backward = task.operation.is_backward();
        let mut keyed = AeadKey {
            aead,
            equal: self.functions.nettle_memeql_sec,
            crypt: if backward { aead.decrypt } else { aead.encrypt },
            set_key: if backward {
                aead.set_decrypt_key
            } else {
                aead.set_encrypt_key
            },
            context: Memory::new(aead.context_size as usize),
        };
        keyed.set_key(key);
        let key = Zeroizing::new(key.to_vec());
        let renew = move |keyed: &mut AeadKey| {
            keyed.set_key(&key);
            Ok(())
        };
        match task.operation {
            Operation::Open => inout(task.contract, keyed, renew, AeadKey::open),
            Operation::Mac => gmac(task.contract, keyed, renew, AeadKey::seal),
            _ => inout(task.contract, keyed, renew, AeadKey::seal),
        }
    }

    fn hash_of(&self, algorithm: Algorithm) -> Option<&'static Hash> {
        let name = match algorithm.name() {
            "MD2" => c"md2",
            "MD4" => c"md4",
            "MD5" => c"md5",
            "RIPEMD-160" => c"ripemd160",
            "SHA1" => c"sha1",
            "SHA2-224" => c"sha224",
            "SHA2-256" => c"sha256",
            "SHA2-384" => c"sha384",
            "SHA2-512" => c"sha512",
            "SHA2-512/256" => c"sha512_256",
            "SHA3-256" => c"sha3_256",
            "SHA3-512" => c"sha3_512",
            "SM3" => c"sm3",
            _ => return None,
        };
        let mut found = self.hashes.iter().copied();
        found.find(|hash| named(hash.name, name) && hash.digest_size as usize == algorithm.tag_len())
    }

    fn digest(&'static self, task: Task) -> Result<Box<dyn Timed>, Fault> {
        let context = HashContext::new(self, task.algorithm)?;
        let renew = |_: &mut HashContext| Ok(());
        Ok(tagging(
            task.contract,
            context,
            renew,
            |context, envelope, message| {
                context.digest(message, envelope.tag);
                Ok(())
            },
        ))
    }

    fn mac_of(&self, algorithm: Algorithm) -> Option<&'static Mac> {
        let name = match algorithm.name() {
            "AES-128-CMAC" => c"cmac_aes128",
            "AES-256-CMAC" => c"cmac_aes256",
            "HMAC-SHA1" => c"hmac_sha1",
            "HMAC-SHA2-256" => c"hmac_sha256",
            "HMAC-SHA2-512" => c"hmac_sha512",
            _ => return None,
        };
        let lengths = (algorithm.key_len(), algorithm.tag_len());
        let mut found = self.macs.iter().copied();
        found
            .find(|mac| named(mac.name, name) && (mac.key_size as usize, mac.digest_size as usize) == lengths)
    }

    fn mac(&'static self, task: Task, key: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        let mut mac = MacKey::new(self, task.algorithm)?;
        mac.set_key(key);
        let key = Zeroizing::new(key.to_vec());
        let renew = move |mac: &mut MacKey| {
            mac.set_key(&key);
            Ok(())
        };
        Ok(tagging(task.contract, mac, renew, |mac, envelope, message| {
            mac.tag(&[message], envelope.tag);
            Ok(())
        }))
    }
}

/// A digest, begun.
struct HashContext {
    hash: &'static Hash,
    context: Memory,
}

impl HashContext {
    fn new(nettle: &'static Nettle, algorithm: Algorithm) -> Result<Self, Fault> {
        let hash = nettle.hash_of(algorithm);
        let hash = hash.ok_or_else(|| Fault(format!("nettle has no {algorithm}")))?;
        let mut context = Memory::new(hash.context_size as usize);
        // SAFETY: the context has the size that the hash asks for.
        unsafe { (hash.init)(context.as_mut_ptr()) };
        Ok(Self { hash, context })
    }

    /// As much of a message's digest as there is room for.
    #[inline]
    fn digest(&mut self, message: &[u8], digest: &mut [u8]) {
        let context = self.context.as_mut_ptr();
        let len = digest.len().min(self.hash.digest_size as usize);
        // SAFETY: the context has begun, the message is readable and the digest writable for their lengths, of which the
        // latter is no more than there is; what makes the digest begins the next message too.
        unsafe {
            (self.hash.update)(context, message.len(), message.as_ptr());
            (self.hash.digest)(context, len, digest.as_mut_ptr());
        }
    }
}

/// A MAC with its key.
struct MacKey {
    mac: &'static Mac,
    context: Memory,
}

impl MacKey {
    fn new(nettle: &'static Nettle, algorithm: Algorithm) -> Result<Self, Fault> {
        let mac = nettle.mac_of(algorithm);
        let mac = mac.ok_or_else(|| Fault(format!("nettle has no {algorithm}")))?;
        Ok(Self {
            mac,
            context: Memory::new(mac.context_size as usize),
        })
    }

    #[inline]
    fn set_key(&mut self, key: &[u8]) {
        assert_eq!(key.len(), self.mac.key_size as usize, "the caller checks");
        // SAFETY: the context has the size that the MAC asks for, and the key the length that it reads.
        unsafe { (self.mac.set_key)(self.context.as_mut_ptr(), key.as_ptr()) }
    }

    /// Once it has its key: as much of the tag of these parts as there is room for.
    #[inline]
    fn tag(&mut self, message: &[&[u8]], tag: &mut [u8]) {
        let context = self.context.as_mut_ptr();
        for part in message {
            // SAFETY: the context has its key, and the part is readable for its length.
            unsafe { (self.mac.update)(context, part.len(), part.as_ptr()) };
        }
        let len = tag.len().min(self.mac.digest_size as usize);
        // SAFETY: the context has its key; the tag is writable for its length, no more than a whole one is asked for, and
        // what makes it begins the next message too.
        unsafe { (self.mac.digest)(context, len, tag.as_mut_ptr()) }
    }
}

struct NettlePair {
    cipher: Keyed,
    mac: MacKey,
}

impl NettlePair {
    fn new(nettle: &'static Nettle, cipher: Task, mac: Algorithm) -> Result<Self, Fault> {
        Ok(Self {
            cipher: Keyed::new(nettle, cipher)?,
            mac: MacKey::new(nettle, mac)?,
        })
    }
}

impl Pair for NettlePair {
    fn set_keys(&mut self, cipher: &[u8], mac: &[u8]) -> Result<(), Fault> {
        self.cipher.set_key(cipher);
        self.mac.set_key(mac);
        Ok(())
    }

    #[inline]
    fn crypt(&mut self, iv: &[u8], data: &mut [u8]) -> Result<(), Fault> {
        self.cipher.mode(&mut block(iv)?, data.into());
        Ok(())
    }

    #[inline]
    fn crypt_to(&mut self, iv: &[u8], input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
        self.cipher.mode(&mut block(iv)?, buffers(input, output)?);
        Ok(())
    }

    #[inline]
    fn mac(&mut self, parts: [&[u8]; 3], tag: &mut [u8]) -> Result<(), Fault> {
        self.mac.tag(&parts, tag);
        Ok(())
    }
}

struct AeadKey {
    aead: &'static Aead,
    equal: unsafe extern "C" fn(*const c_void, *const c_void, usize) -> c_int,
    crypt: unsafe extern "C" fn(*mut c_void, usize, *mut u8, *const u8),
    set_key: SetKey,
    context: Memory,
}

impl AeadKey {
    #[inline]
    fn set_key(&mut self, key: &[u8]) {
        assert_eq!(key.len(), self.aead.key_size as usize, "the caller checks");
        // SAFETY: the context has the size that the AEAD asks for, and the key the length that it reads.
        unsafe { (self.set_key)(self.context.as_mut_ptr(), key.as_ptr()) }
    }

    #[inline]
    fn seal(&mut self, envelope: Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let made = self.run(&envelope, buffer)?;
        envelope.tag.copy_from_slice(&made);
        Ok(())
    }

    #[inline]
    fn open(&mut self, envelope: Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let made = self.run(&envelope, buffer)?;
        // SAFETY: both tags have sixteen bytes, the one by its type and the other by `block`.
        let equal = unsafe { (self.equal)(made.as_ptr().cast(), block(envelope.tag)?.as_ptr().cast(), 16) };
        check(equal == 1, "the tag is wrong: nettle_memeql_sec")
    }

    /// A whole message; answers its tag.
    #[inline]
    fn run(&mut self, envelope: &Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<[u8; 16], Fault> {
        let Envelope { iv, aad, .. } = *envelope;
        check(
            iv.len() == self.aead.nonce_size as usize,
            "nettle_gcm_set_iv or another",
        )?;
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        let context = self.context.as_mut_ptr();
        let mut tag = [0; 16];
        // SAFETY: the context has its key, and the nonce the length that the function reads; the additional data and
        // `input` are readable and `output` ours to write for their lengths, in place or apart. The tag has room for
        // what is asked for.
        unsafe {
            (self.aead.set_nonce)(context, iv.as_ptr());
            if !aad.is_empty() {
                (self.aead.update)(context, aad.len(), aad.as_ptr());
            }
            (self.crypt)(context, len, output, input);
            (self.aead.digest)(context, tag.len(), tag.as_mut_ptr());
        }
        Ok(tag)
    }
}

#[cfg(test)]
pub(super) use keys::layout as keys_layout;

#[cfg(test)]
pub(super) fn layout() -> super::layouts::Layout {
    use std::mem::offset_of;

    super::layouts::Layout {
        headers: &["nettle/nettle-meta.h", "nettle/ccm.h", "nettle/blowfish.h"],
        facts: vec![
            ("sizeof(struct ccm_ctx)", CCM_LEN),
            ("sizeof(struct blowfish_ctx)", old::ROOM),
            ("sizeof(struct nettle_cipher)", size_of::<Cipher>()),
            (
                "offsetof(struct nettle_cipher, decrypt)",
                offset_of!(Cipher, decrypt),
            ),
            ("sizeof(struct nettle_aead)", size_of::<Aead>()),
            (
                "offsetof(struct nettle_aead, set_nonce)",
                offset_of!(Aead, set_nonce),
            ),
            ("offsetof(struct nettle_aead, digest)", offset_of!(Aead, digest)),
            ("sizeof(struct nettle_hash)", size_of::<Hash>()),
            ("offsetof(struct nettle_hash, digest)", offset_of!(Hash, digest)),
            ("sizeof(struct nettle_mac)", size_of::<Mac>()),
            ("offsetof(struct nettle_mac, digest)", offset_of!(Mac, digest)),
        ],
    }
}
