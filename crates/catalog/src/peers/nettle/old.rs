//! What older programs use: ciphers in CBC whose blocks have eight bytes, and RC4.
use std::ffi::{c_int, c_void};

use ciphertune_testkit::{Algorithm, Contract, Fault, Task};
use inout::InOutBuf;
use zeroize::Zeroizing;

use super::{
    modes::Mode,
    tables::{Crypt, SetKey},
};
use crate::{
    Timed,
    context::{block_of, inout},
    library::{Library, Missing, check, functions},
    peers::memory::Memory,
};

/// As [`SetKey`], with an answer: whether the key is a strong one. It is set either way.
type SetKeyAndJudge = unsafe extern "C" fn(*mut c_void, *const u8) -> c_int;

functions! {
    Functions {
        nettle_des_set_key: fn(*mut c_void, *const u8) -> c_int;
        nettle_des_encrypt: fn(*const c_void, usize, *mut u8, *const u8);
        nettle_des_decrypt: fn(*const c_void, usize, *mut u8, *const u8);
        nettle_des3_set_key: fn(*mut c_void, *const u8) -> c_int;
        nettle_des3_encrypt: fn(*const c_void, usize, *mut u8, *const u8);
        nettle_des3_decrypt: fn(*const c_void, usize, *mut u8, *const u8);
        nettle_blowfish128_set_key: fn(*mut c_void, *const u8) -> c_int;
        nettle_blowfish_encrypt: fn(*const c_void, usize, *mut u8, *const u8);
        nettle_blowfish_decrypt: fn(*const c_void, usize, *mut u8, *const u8);
        nettle_cast128_set_key: fn(*mut c_void, *const u8);
        nettle_cast128_encrypt: fn(*const c_void, usize, *mut u8, *const u8);
        nettle_cast128_decrypt: fn(*const c_void, usize, *mut u8, *const u8);
        nettle_arctwo128_set_key: fn(*mut c_void, *const u8);
        nettle_arctwo_encrypt: fn(*const c_void, usize, *mut u8, *const u8);
        nettle_arctwo_decrypt: fn(*const c_void, usize, *mut u8, *const u8);
        nettle_arcfour128_set_key: fn(*mut c_void, *const u8);
        nettle_arcfour_crypt: fn(*mut c_void, usize, *mut u8, *const u8);
    }
}

pub(super) struct Old(Functions);

impl Old {
    pub(super) fn find(library: Library) -> Result<Self, Missing> {
        Functions::find(library).map(Self)
    }

    pub(super) fn has(&self, algorithm: Algorithm) -> bool {
        algorithm.name() == "RC4" || self.blocks(algorithm).is_some()
    }

    /// `cbc` is nettle's functions for CBC forward and backward.
    pub(super) fn context(
        &'static self,
        cbc: [Mode; 2],
        task: Task,
        key: &[u8],
        iv: &[u8],
    ) -> Result<Box<dyn Timed>, Fault> {
        let contract = task.contract;
        check(
            key.len() == task.algorithm.key_len(),
            "nettle_des_set_key or another",
        )?;
        let kept = Zeroizing::new(key.to_vec());
        let Some(blocks) = self.blocks(task.algorithm) else {
            let mut rc4 = Rc4::new(&self.0);
            rc4.set_key(key);
            let renew = move |rc4: &mut Rc4| {
                rc4.set_key(&kept);
                Ok(())
            };
            return Ok(inout(contract, rc4, renew, |rc4, _, buffer| {
                rc4.run(buffer);
                Ok(())
            }));
        };
        let mut cipher = Cipher::new(cbc, &blocks, task.operation.is_backward());
        cipher.set_key(key);
        let renew = move |cipher: &mut Cipher| {
            cipher.set_key(&kept);
            Ok(())
        };
        Ok(match contract {
            Contract::Stream => {
                cipher.iv = block_of(iv)?;
                inout(contract, cipher, renew, |cipher, _, buffer| {
                    cipher.run(buffer);
                    Ok(())
                })
            }
            _ => inout(contract, cipher, renew, |cipher, envelope, buffer| {
                cipher.iv = block_of(envelope.iv)?;
                cipher.run(buffer);
                Ok(())
            }),
        })
    }

    /// The functions of a cipher in CBC.
    fn blocks(&self, algorithm: Algorithm) -> Option<Blocks> {
        use KeyedBy::{Judged, Set};
        let own = &self.0;
        let (keyed_by, encrypt, decrypt): (_, Crypt, Crypt) = match algorithm.name() {
            "DES-CBC" => (
                Judged(own.nettle_des_set_key),
                own.nettle_des_encrypt,
                own.nettle_des_decrypt,
            ),
            "DES-EDE3-CBC" => (
                Judged(own.nettle_des3_set_key),
                own.nettle_des3_encrypt,
                own.nettle_des3_decrypt,
            ),
            "BF-CBC" => (
                Judged(own.nettle_blowfish128_set_key),
                own.nettle_blowfish_encrypt,
                own.nettle_blowfish_decrypt,
            ),
            "CAST5-CBC" => (
                Set(own.nettle_cast128_set_key),
                own.nettle_cast128_encrypt,
                own.nettle_cast128_decrypt,
            ),
            "RC2-CBC" => (
                Set(own.nettle_arctwo128_set_key),
                own.nettle_arctwo_encrypt,
                own.nettle_arctwo_decrypt,
            ),
            _ => return None,
        };
        Some(Blocks {
            keyed_by,
            encrypt,
            decrypt,
        })
    }
}

struct Blocks {
    keyed_by: KeyedBy,
    encrypt: Crypt,
    decrypt: Crypt,
}

#[derive(Clone, Copy)]
enum KeyedBy {
    Set(SetKey),
    Judged(SetKeyAndJudge),
}

/// Bytes of `struct blowfish_ctx`, which is the longest of them.
pub(super) const ROOM: usize = 4168;

struct Cipher {
    context: Memory,
    keyed_by: KeyedBy,
    crypt: Crypt,
    cbc: Mode,
    iv: [u8; 8],
}

impl Cipher {
    fn new([forward, back]: [Mode; 2], blocks: &Blocks, backward: bool) -> Self {
        let (crypt, cbc) = match backward {
            false => (blocks.encrypt, forward),
            true => (blocks.decrypt, back),
        };
        Self {
            context: Memory::new(ROOM),
            keyed_by: blocks.keyed_by,
            crypt,
            cbc,
            iv: [0; 8],
        }
    }

    /// `key` has the algorithm's length.
    #[inline]
    fn set_key(&mut self, key: &[u8]) {
        let (context, key) = (self.context.as_mut_ptr(), key.as_ptr());
        // SAFETY: the structure has room, and the key, whose length `Old::context` has seen, as many bytes as the function
        // reads: 8 for DES, 24 for 3DES, 16 for the others.
        unsafe {
            match self.keyed_by {
                KeyedBy::Set(set) => set(context, key),
                KeyedBy::Judged(set) => {
                    let _is_strong = set(context, key);
                }
            }
        }
    }

    /// Whole blocks alone; the IV becomes the one to go on with.
    #[inline]
    fn run(&mut self, buffer: InOutBuf<'_, '_, u8>) {
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        let (context, iv) = (self.context.as_ptr(), self.iv.as_mut_ptr());
        // SAFETY: the structure is the cipher's and has its key; `input` is readable and `output` ours to write for `len`
        // bytes, which the gate and the task make whole blocks, in place or apart, and the IV has a block's length.
        unsafe { (self.cbc)(context, self.crypt, self.iv.len(), iv, len, output, input) }
    }
}

struct Rc4 {
    functions: &'static Functions,
    context: Memory,
}

impl Rc4 {
    fn new(functions: &'static Functions) -> Self {
        let context = Memory::new(ROOM);
        Self { functions, context }
    }

    /// `key` has sixteen bytes.
    #[inline]
    fn set_key(&mut self, key: &[u8]) {
        let context = self.context.as_mut_ptr();
        // SAFETY: the structure has room, and the key the sixteen bytes of the algorithm, as `Old::context` has seen.
        unsafe { (self.functions.nettle_arcfour128_set_key)(context, key.as_ptr()) };
    }

    #[inline]
    fn run(&mut self, buffer: InOutBuf<'_, '_, u8>) {
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        let context = self.context.as_mut_ptr();
        // SAFETY: the structure has its key; `input` is readable and `output` ours to write for `len` bytes, in place or
        // apart.
        unsafe { (self.functions.nettle_arcfour_crypt)(context, len, output, input) };
    }
}
