//! AES and Camellia in ECB, CBC and the modes that make a keystream, and AES in XTS.
use std::{
    ffi::{CStr, c_void},
    ptr,
};

use ciphertune_testkit::{Algorithm, Contract, Fault, Task};
use inout::InOutBuf;
use zeroize::Zeroizing;

use super::tables::{Cipher, Crypt, SetKey, named};
use crate::{
    Timed,
    context::{block, inout},
    library::{Library, Missing, functions},
    peers::{counter::Counter, memory::Memory},
};

/// Context, function, length of a block, IV, which goes on, length, output, input.
pub(super) type Mode = unsafe extern "C" fn(*const c_void, Crypt, usize, *mut u8, usize, *mut u8, *const u8);
type Cbc = unsafe extern "C" fn(*const c_void, *mut u8, usize, *mut u8, *const u8);

functions! {
    Functions {
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
    }
}

pub(super) struct Modes {
    functions: Functions,
    /// For keys of 16, 24 and 32 bytes, as the following.
    aes: [&'static Cipher; 3],
    camellia: [Option<&'static Cipher>; 3],
    /// CBC encryption as one function of each size of AES, since 3.8.
    cbc: [Option<Cbc>; 3],
}

impl Modes {
    pub(super) fn find(library: Library, ciphers: &[&'static Cipher]) -> Result<Self, Missing> {
        // SAFETY: cbc.h gives each of the names this type.
        let cbc = |name| unsafe { library.symbol_named::<Cbc>(name) };
        let cipher = |name: &'static CStr, key_size| {
            let mut found = ciphers.iter().copied();
            let cipher = found.find(|cipher| named(cipher.name, name) && cipher.key_size == key_size);
            cipher.filter(|cipher| cipher.block_size == 16)
        };
        let aes = |name, key_size| cipher(name, key_size).ok_or(Missing("AES with keys of all lengths"));
        Ok(Self {
            functions: Functions::find(library)?,
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
        })
    }

    pub(super) fn address(&self) -> *const c_void {
        self.functions.nettle_ctr_crypt as *const c_void
    }

    /// CBC forward and backward, by any cipher.
    pub(super) fn cbc(&self) -> [Mode; 2] {
        [
            self.functions.nettle_cbc_encrypt,
            self.functions.nettle_cbc_decrypt,
        ]
    }

    pub(super) fn has(&self, algorithm: Algorithm) -> bool {
        match algorithm.aes_mode() {
            Some(mode) => matches!(mode, "ECB" | "CBC" | "CFB" | "CFB8" | "CTR" | "XTS"),
            None => algorithm.camellia_mode().is_some() && self.camellia[size(algorithm)].is_some(),
        }
    }

    pub(super) fn context(&'static self, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        let contract = task.contract;
        let is_stream = contract == Contract::Stream;
        let kept = Zeroizing::new(key.to_vec());
        let mut keyed = Keyed::new(self, task)?;
        keyed.set_key(key);
        let renew = move |keyed: &mut Keyed| {
            keyed.set_key(&kept);
            Ok(())
        };
        Ok(match mode(task.algorithm) {
            Some("ECB") => inout(contract, keyed, renew, |keyed, _, buffer| {
                keyed.ecb(buffer);
                Ok(())
            }),
            Some("CTR") if is_stream => {
                let state = (keyed, Counter::new(iv)?);
                let renew = |_: &mut _| Ok(());
                inout(contract, state, renew, |(keyed, counter), _, buffer| {
                    counter.run_together(buffer, |whole, end| {
                        if let Some((counter, buffer)) = whole {
                            keyed.mode(&mut counter.clone(), buffer);
                        }
                        if let Some((counter, mut keystream)) = end {
                            let block = keystream.get_out();
                            block.copy_from_slice(counter);
                            keyed.ecb(InOutBuf::from(block));
                        }
                        Ok(())
                    })
                })
            }
            Some("XTS") => inout(contract, keyed, renew, |keyed, envelope, buffer| {
                keyed.xts(&block(envelope.iv)?, buffer);
                Ok(())
            }),
            _ if is_stream => {
                let state = (keyed, block(iv)?);
                let renew = |_: &mut _| Ok(());
                inout(contract, state, renew, |(keyed, iv), _, buffer| {
                    keyed.mode(iv, buffer);
                    Ok(())
                })
            }
            _ => inout(contract, keyed, renew, |keyed, envelope, buffer| {
                keyed.mode(&mut block(envelope.iv)?, buffer);
                Ok(())
            }),
        })
    }
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
pub(super) struct Keyed {
    functions: &'static Functions,
    pub(super) cipher: &'static Cipher,
    pub(super) key: Memory,
    /// XTS encrypts its tweak by a key of its own.
    tweak: Option<Memory>,
    set_key: SetKey,
    crypt: Crypt,
    mode: Mode,
    cbc: Option<Cbc>,
    pub(super) backward: bool,
}

impl Keyed {
    pub(super) fn new(modes: &'static Modes, task: Task) -> Result<Self, Fault> {
        let functions = &modes.functions;
        let mode = mode(task.algorithm);
        let is_xts = mode == Some("XTS");
        let size = size(task.algorithm);
        let is_aes = task.algorithm.aes_mode().is_some();
        let cipher = match is_aes {
            true => modes.aes[size],
            false => modes.camellia[size].ok_or_else(|| Fault(format!("nettle has no {task}")))?,
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
            cbc: modes.cbc[size].filter(|_| is_aes && (mode, backward) == (Some("CBC"), false)),
            backward,
        })
    }

    /// # Panics
    /// If the key has not the cipher's length.
    #[inline]
    pub(super) fn set_key(&mut self, key: &[u8]) {
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
    pub(super) fn mode(&self, iv: &mut [u8; 16], buffer: InOutBuf<'_, '_, u8>) {
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
