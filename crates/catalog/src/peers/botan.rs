//! Botan, by its C interface. Signatures as in ffi.h of 2.17, 2.19, 3.7 and 3.13.
//!
//! That interface gives whole messages to the library's C++ through a copy, or pieces of them by very small steps; so a
//! stream is made of messages here too.
use std::{
    ffi::{CString, c_char, c_int, c_void},
    mem, ptr,
};

use ciphertune_testkit::{Algorithm, Contract, Envelope, Fault, Operation, Task};
use inout::InOutBuf;
use zeroize::{Zeroize, Zeroizing};

use super::{About, Flaw, Interface, Peer, chain::Chain, counter::Counter};
use crate::{
    Timed,
    context::{gathering, gmac, inout, tagging},
    library::{Library, Missing, check, functions},
};

mod keys;

use keys::Keys;

/// `botan_cipher_t`, `botan_block_cipher_t`, `botan_mac_t` and `botan_hash_t`, opaque.
type Handle = *mut c_void;

functions! {
    Functions {
        botan_cipher_init: fn(*mut Handle, *const c_char, u32) -> c_int;
        botan_cipher_set_key: fn(Handle, *const u8, usize) -> c_int;
        botan_cipher_set_associated_data: fn(Handle, *const u8, usize) -> c_int;
        botan_cipher_start: fn(Handle, *const u8, usize) -> c_int;
        botan_cipher_update: fn(Handle, u32, *mut u8, usize, *mut usize, *const u8, usize, *mut usize) -> c_int;
        botan_cipher_destroy: fn(Handle) -> c_int;
        botan_block_cipher_init: fn(*mut Handle, *const c_char) -> c_int;
        botan_block_cipher_set_key: fn(Handle, *const u8, usize) -> c_int;
        botan_block_cipher_encrypt_blocks: fn(Handle, *const u8, *mut u8, usize) -> c_int;
        botan_block_cipher_decrypt_blocks: fn(Handle, *const u8, *mut u8, usize) -> c_int;
        botan_block_cipher_destroy: fn(Handle) -> c_int;
        botan_mac_init: fn(*mut Handle, *const c_char, u32) -> c_int;
        botan_mac_set_key: fn(Handle, *const u8, usize) -> c_int;
        botan_mac_update: fn(Handle, *const u8, usize) -> c_int;
        botan_mac_final: fn(Handle, *mut u8) -> c_int;
        botan_mac_destroy: fn(Handle) -> c_int;
        botan_hash_init: fn(*mut Handle, *const c_char, u32) -> c_int;
        botan_hash_update: fn(Handle, *const u8, usize) -> c_int;
        botan_hash_final: fn(Handle, *mut u8) -> c_int;
        botan_hash_destroy: fn(Handle) -> c_int;
    }
}

pub(super) struct Botan {
    functions: Functions,
    keys: Keys,
}

impl Peer for Botan {
    const ABOUT: About = About {
        name: "botan",
        interfaces: &[
            Interface::new("libbotan-3.so.13", "libbotan-3-13", (3, 13)..=(3, 13)),
            Interface::new("libbotan-3.so.7", "libbotan-3-7", (3, 7)..=(3, 7)),
            Interface::new("libbotan-2.so.19", "libbotan-2-19", (2, 19)..=(2, 19)),
            Interface::new("libbotan-2.so.17", "libbotan-2-17", (2, 17)..=(2, 17)),
        ],
    };

    fn version(library: Library) -> Result<String, Missing> {
        type Version = unsafe extern "C" fn() -> u32;
        // SAFETY: ffi.h gives the names this type; the functions answer constants.
        unsafe {
            let number = |name| library.symbol::<Version>(name).map(|version| version());
            Ok(format!(
                "{}.{}.{}",
                number("botan_version_major")?,
                number("botan_version_minor")?,
                number("botan_version_patch")?
            ))
        }
    }

    fn find(library: Library, _: (u32, u32)) -> Result<Self, Flaw> {
        Ok(Self {
            functions: Functions::find(library)?,
            keys: Keys::find(library)?,
        })
    }

    fn address(&self) -> *const c_void {
        self.functions.botan_cipher_update as *const c_void
    }

    /// Without AES instructions it shuffles bytes or slices bits, and its GHASH has no tables.
    fn constant_time(&self) -> bool {
        true
    }

    fn has(&self, task: Task) -> bool {
        mac(task.algorithm).is_some()
            || hash(task.algorithm).is_some()
            || Keys::has(task.algorithm)
            || matches!(
                task.algorithm.aes_mode(),
                Some("ECB" | "CBC" | "CFB" | "CTR" | "GCM" | "CCM" | "OCB" | "XTS" | "GMAC")
            )
            || task.algorithm.name() == CHACHA20_POLY1305
            || task.algorithm.camellia_mode().is_some()
            || old(task.algorithm).is_some()
            // No stream is made of messages in OFB, as what they end with is not seen, nor in CFB-8, where a register would
            // have to be kept beside them.
            || (matches!(task.algorithm.aes_mode(), Some("OFB" | "CFB8")) && task.contract != Contract::Stream)
    }

    fn context(&'static self, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        let contract = task.contract;
        if task.algorithm.is_public_key() {
            return self.keys.context(task, key);
        }
        if let Some(name) = hash(task.algorithm) {
            let hash = Hash::new(&self.functions, name, task.algorithm.tag_len())?;
            return Ok(tagging(
                contract,
                hash,
                |_| Ok(()),
                |hash, envelope, message| hash.digest(message, envelope.tag),
            ));
        }
        let kept = Zeroizing::new(key.to_vec());
        let mut object = Object::new(&self.functions, task)?;
        object.set_key(key)?;
        let renew = move |object: &mut Object| object.set_key(&kept);
        Ok(match (mode(task.algorithm), task.operation) {
            // The interface of 2.19 has no way to give a MAC its nonce.
            (Some("GMAC"), _) => gmac(contract, object, renew, Object::seal),
            (_, Operation::Mac) => tagging(contract, object, renew, |object, envelope, message| {
                object.tag(message, envelope.tag)
            }),
            (Some("ECB"), _) => inout(contract, object, renew, |object, _, buffer| object.blocks(buffer)),
            (Some("CTR"), _) if contract == Contract::Stream => {
                let state = (object, Counter::new(iv)?);
                let renew = |_: &mut _| Ok(());
                inout(contract, state, renew, |(object, counter), _, buffer| {
                    counter.run(buffer, |iv, buffer| object.message(iv, buffer))
                })
            }
            _ if contract == Contract::Stream && task.algorithm.block_len() == 8 => {
                chained::<8>(task, object, iv)?
            }
            _ if contract == Contract::Stream => chained::<16>(task, object, iv)?,
            (_, Operation::Seal) => gathering(contract, object, renew, |object, envelope, buffer| {
                object.seal(envelope, buffer)
            }),
            (_, Operation::Open) => gathering(contract, object, renew, |object, envelope, buffer| {
                object.open(envelope, buffer)
            }),
            _ => inout(contract, object, renew, |object, envelope, buffer| {
                object.message(envelope.iv, buffer)
            }),
        })
    }
}

/// A stream in CBC or CFB.
fn chained<const BLOCK: usize>(task: Task, object: Object, iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
    let state = (object, Chain::<BLOCK>::new(iv, task.operation.is_backward())?);
    let renew = |_: &mut _| Ok(());
    Ok(inout(
        task.contract,
        state,
        renew,
        |(object, chain), _, buffer| chain.run(buffer, |iv, buffer| object.message(iv, buffer)),
    ))
}

fn mode(algorithm: Algorithm) -> Option<&'static str> {
    let old = old(algorithm).map(|_| "CBC");
    algorithm.aes_mode().or(algorithm.camellia_mode()).or(old)
}

/// Botan's name for what older programs use, all in CBC. It has RC4 too, of which no stream can be made of messages.
fn old(algorithm: Algorithm) -> Option<&'static str> {
    Some(match algorithm.name() {
        "DES-CBC" => "DES",
        "DES-EDE3-CBC" => "TripleDES",
        "IDEA-CBC" => "IDEA",
        "BF-CBC" => "Blowfish",
        "CAST5-CBC" => "CAST-128",
        "SEED-CBC" => "SEED",
        _ => return None,
    })
}

const CHACHA20_POLY1305: &str = "ChaCha20-Poly1305";

/// Botan's name for a MAC.
fn mac(algorithm: Algorithm) -> Option<&'static str> {
    Some(match algorithm.name() {
        "AES-128-CMAC" => "CMAC(AES-128)",
        "AES-192-CMAC" => "CMAC(AES-192)",
        "AES-256-CMAC" => "CMAC(AES-256)",
        "HMAC-SHA1" => "HMAC(SHA-1)",
        "HMAC-SHA2-256" => "HMAC(SHA-256)",
        "HMAC-SHA2-512" => "HMAC(SHA-512)",
        "Poly1305" => "Poly1305",
        _ => return None,
    })
}

/// Botan's name for a digest.
fn hash(algorithm: Algorithm) -> Option<&'static str> {
    Some(match algorithm.name() {
        "MD4" => "MD4",
        "MD5" => "MD5",
        "RIPEMD-160" => "RIPEMD-160",
        "SHA1" => "SHA-1",
        "SHA2-224" => "SHA-224",
        "SHA2-256" => "SHA-256",
        "SHA2-384" => "SHA-384",
        "SHA2-512" => "SHA-512",
        "SHA2-512/256" => "SHA-512-256",
        "SHA3-256" => "SHA-3(256)",
        "SHA3-512" => "SHA-3(512)",
        "SM3" => "SM3",
        "BLAKE2B-512" => "BLAKE2b(512)",
        "WHIRLPOOL" => "Whirlpool",
        _ => return None,
    })
}

/// A cipher mode, a block cipher or a MAC. Botan wipes the key when it destroys it.
struct Object {
    functions: &'static Functions,
    handle: Handle,
    set_key: unsafe extern "C" fn(Handle, *const u8, usize) -> c_int,
    blocks: unsafe extern "C" fn(Handle, *const u8, *mut u8, usize) -> c_int,
    destroy: unsafe extern "C" fn(Handle) -> c_int,
    /// A sealed message with its tag behind it, as Botan has it.
    sealed: Vec<u8>,
    /// Bytes of a MAC.
    tag_len: usize,
}

const TAG: usize = 16;

impl Object {
    fn new(functions: &'static Functions, task: Task) -> Result<Self, Fault> {
        let cipher = match (task.algorithm.aes_rounds(), old(task.algorithm)) {
            (Some(rounds), _) => format!("AES-{}", 32 * (rounds - 6)),
            (_, Some(name)) => name.to_owned(),
            _ => format!("Camellia-{}", 8 * task.algorithm.key_len()),
        };
        let direction = u32::from(task.operation.is_backward());
        let mode = mode(task.algorithm).unwrap_or_default();
        let mac = mac(task.algorithm);
        let name = match (mac, mode) {
            (Some(name), _) => name.to_owned(),
            _ if task.algorithm.name() == CHACHA20_POLY1305 => "ChaCha20Poly1305".to_owned(),
            (_, "ECB") => cipher,
            (_, "CBC") => format!("{cipher}/CBC/NoPadding"),
            (_, "CFB8") => format!("{cipher}/CFB(8)"),
            (_, "CTR") => format!("{cipher}/CTR-BE"),
            // Bytes of the tag, and of the length that a nonce of twelve leaves room for.
            (_, "CCM") => format!("{cipher}/CCM(16,3)"),
            (_, "OCB") => format!("{cipher}/OCB(16)"),
            (_, "GMAC") => format!("{cipher}/GCM"),
            _ => format!("{cipher}/{mode}"),
        };
        let name = CString::new(name).map_err(|error| Fault(error.to_string()))?;
        let mut handle = ptr::null_mut();
        let (set_key, destroy) = match mode {
            _ if mac.is_some() => (functions.botan_mac_set_key, functions.botan_mac_destroy),
            "ECB" => (
                functions.botan_block_cipher_set_key,
                functions.botan_block_cipher_destroy,
            ),
            _ => (functions.botan_cipher_set_key, functions.botan_cipher_destroy),
        };
        // SAFETY: each writes a handle that is ours, and only reads the name, which ends in NUL.
        let error = unsafe {
            match mode {
                _ if mac.is_some() => (functions.botan_mac_init)(&mut handle, name.as_ptr(), 0),
                "ECB" => (functions.botan_block_cipher_init)(&mut handle, name.as_ptr()),
                _ => (functions.botan_cipher_init)(&mut handle, name.as_ptr(), direction),
            }
        };
        check(error == 0 && !handle.is_null(), "botan_cipher_init")?;
        Ok(Self {
            functions,
            handle,
            set_key,
            blocks: match task.operation.is_backward() {
                true => functions.botan_block_cipher_decrypt_blocks,
                false => functions.botan_block_cipher_encrypt_blocks,
            },
            destroy,
            sealed: Vec::new(),
            tag_len: task.algorithm.tag_len(),
        })
    }

    #[inline]
    fn set_key(&mut self, key: &[u8]) -> Result<(), Fault> {
        // SAFETY: the handle is valid and of the function's kind, and the key readable for its length.
        let error = unsafe { (self.set_key)(self.handle, key.as_ptr(), key.len()) };
        check(error == 0, "botan_cipher_set_key")
    }

    #[inline]
    fn blocks(&mut self, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let blocks = buffer.len() / 16;
        let (input, output) = buffer.into_raw();
        // SAFETY: this is a block cipher; `input` is readable and `output` ours to write for as many blocks of sixteen
        // bytes, in place or apart.
        let error = unsafe { (self.blocks)(self.handle, input, output, blocks) };
        check(error == 0, "botan_block_cipher_encrypt_blocks or _decrypt_blocks")
    }

    /// A message that becomes one of the same length.
    #[inline]
    fn message(&mut self, iv: &[u8], buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        // Its CBC refuses to decrypt nothing.
        if buffer.is_empty() {
            return Ok(());
        }
        self.start(iv)?;
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        // SAFETY: `input` is readable and `output` ours to write for `len` bytes, in place or apart: Botan copies the one
        // before it writes the other.
        unsafe { self.finish(input, len, output, len) }
    }

    #[inline]
    fn seal(&mut self, envelope: &mut Envelope<'_>, mut buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        self.authenticate(envelope.aad)?;
        self.start(envelope.iv)?;
        let len = buffer.len();
        let mut sealed = mem::take(&mut self.sealed);
        sealed.resize(len + TAG, 0);
        let input = buffer.get_in().as_ptr();
        // SAFETY: `input` is readable for `len` bytes and `sealed` has room for as many and a tag.
        let done = unsafe { self.finish(input, len, sealed.as_mut_ptr(), sealed.len()) };
        buffer.get_out().copy_from_slice(&sealed[..len]);
        envelope.tag.copy_from_slice(&sealed[len..]);
        self.sealed = sealed;
        done
    }

    #[inline]
    fn open(&mut self, envelope: &mut Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        self.authenticate(envelope.aad)?;
        self.start(envelope.iv)?;
        let len = buffer.len();
        let mut sealed = mem::take(&mut self.sealed);
        sealed.clear();
        sealed.extend_from_slice(buffer.get_in());
        sealed.extend_from_slice(envelope.tag);
        let (_, output) = buffer.into_raw();
        // SAFETY: `sealed` is readable for its length, and `output` ours to write for what it is without its tag.
        let done = unsafe { self.finish(sealed.as_ptr(), sealed.len(), output, len) };
        self.sealed = sealed;
        done
    }

    #[inline]
    fn authenticate(&mut self, aad: &[u8]) -> Result<(), Fault> {
        // SAFETY: the handle is a cipher mode, and the data are readable for their length.
        let error = unsafe {
            (self.functions.botan_cipher_set_associated_data)(self.handle, aad.as_ptr(), aad.len())
        };
        check(error == 0, "botan_cipher_set_associated_data")
    }

    #[inline]
    fn start(&mut self, iv: &[u8]) -> Result<(), Fault> {
        // SAFETY: the handle is a cipher mode, and the IV readable for its length.
        let error = unsafe { (self.functions.botan_cipher_start)(self.handle, iv.as_ptr(), iv.len()) };
        check(error == 0, "botan_cipher_start")
    }

    /// # Safety
    /// `input` is readable and `output` writable for their lengths.
    #[inline]
    unsafe fn finish(
        &mut self,
        input: *const u8,
        input_len: usize,
        output: *mut u8,
        output_len: usize,
    ) -> Result<(), Fault> {
        const FINAL: u32 = 1;
        let (mut written, mut consumed) = (0, 0);
        let update = self.functions.botan_cipher_update;
        // SAFETY: the handle is a cipher mode; the caller vouches for the rest, and no more is written than is told.
        let error = unsafe {
            update(
                self.handle,
                FINAL,
                output,
                output_len,
                &mut written,
                input,
                input_len,
                &mut consumed,
            )
        };
        check(
            error == 0 && (written, consumed) == (output_len, input_len),
            "botan_cipher_update",
        )
    }

    #[inline]
    fn tag(&mut self, message: &[u8], tag: &mut [u8]) -> Result<(), Fault> {
        check(tag.len() == self.tag_len, "botan_mac_final")?;
        // SAFETY: the handle is a MAC, the message readable for its length, and the tag as long as the MAC's is.
        let error = unsafe {
            (self.functions.botan_mac_update)(self.handle, message.as_ptr(), message.len())
                | (self.functions.botan_mac_final)(self.handle, tag.as_mut_ptr())
        };
        check(error == 0, "botan_mac_update or _final")
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        self.sealed.zeroize();
        // SAFETY: valid and of the function's kind, and destroyed once.
        unsafe { (self.destroy)(self.handle) };
    }
}

/// A `botan_hash_t`.
struct Hash {
    functions: &'static Functions,
    handle: Handle,
    len: usize,
}

impl Hash {
    fn new(functions: &'static Functions, name: &str, len: usize) -> Result<Self, Fault> {
        let name = CString::new(name).map_err(|error| Fault(error.to_string()))?;
        let mut handle = ptr::null_mut();
        // SAFETY: writes a handle that is ours, and only reads the name, which ends in NUL.
        let error = unsafe { (functions.botan_hash_init)(&mut handle, name.as_ptr(), 0) };
        check(error == 0 && !handle.is_null(), "botan_hash_init")?;
        Ok(Self {
            functions,
            handle,
            len,
        })
    }

    #[inline]
    fn digest(&mut self, message: &[u8], digest: &mut [u8]) -> Result<(), Fault> {
        check(digest.len() == self.len, "botan_hash_final")?;
        // SAFETY: the handle is valid, the message readable for its length, and the digest as long as the hash makes it.
        let error = unsafe {
            (self.functions.botan_hash_update)(self.handle, message.as_ptr(), message.len())
                | (self.functions.botan_hash_final)(self.handle, digest.as_mut_ptr())
        };
        check(error == 0, "botan_hash_update or _final")
    }
}

impl Drop for Hash {
    fn drop(&mut self) {
        // SAFETY: valid, and destroyed once.
        unsafe { (self.functions.botan_hash_destroy)(self.handle) };
    }
}
