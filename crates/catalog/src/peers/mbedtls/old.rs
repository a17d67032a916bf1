//! What older programs use: DES and 3DES, and of 2.28 Blowfish and RC4 too.
use std::ffi::{c_int, c_uchar, c_uint, c_void};

use ciphertune_testkit::{Algorithm, Contract, Fault, Task};
use inout::InOutBuf;
use zeroize::Zeroizing;

use super::{
    DECRYPT, ENCRYPT, SetKey as SetKeyOfBits, bits,
    modes::Chain,
    structure::{OnStructure, ROOM, Structure},
};
use crate::{
    Timed,
    context::{block_of, inout},
    library::{Library, check, functions},
};

/// Context, and a key of the one length that there is.
type SetWholeKey = unsafe extern "C" fn(*mut c_void, *const c_uchar) -> c_int;

functions! {
    Des {
        mbedtls_des_init: fn(*mut c_void);
        mbedtls_des_free: fn(*mut c_void);
        mbedtls_des_setkey_enc: fn(*mut c_void, *const c_uchar) -> c_int;
        mbedtls_des_setkey_dec: fn(*mut c_void, *const c_uchar) -> c_int;
        mbedtls_des_crypt_cbc:
            fn(*mut c_void, c_int, usize, *mut c_uchar, *const c_uchar, *mut c_uchar) -> c_int;
        mbedtls_des3_init: fn(*mut c_void);
        mbedtls_des3_free: fn(*mut c_void);
        mbedtls_des3_set3key_enc: fn(*mut c_void, *const c_uchar) -> c_int;
        mbedtls_des3_set3key_dec: fn(*mut c_void, *const c_uchar) -> c_int;
        mbedtls_des3_crypt_cbc:
            fn(*mut c_void, c_int, usize, *mut c_uchar, *const c_uchar, *mut c_uchar) -> c_int;
    }
}

functions! {
    Blowfish {
        mbedtls_blowfish_init: fn(*mut c_void);
        mbedtls_blowfish_free: fn(*mut c_void);
        mbedtls_blowfish_setkey: fn(*mut c_void, *const c_uchar, c_uint) -> c_int;
        mbedtls_blowfish_crypt_cbc:
            fn(*mut c_void, c_int, usize, *mut c_uchar, *const c_uchar, *mut c_uchar) -> c_int;
    }
}

functions! {
    Arc4 {
        mbedtls_arc4_init: fn(*mut c_void);
        mbedtls_arc4_free: fn(*mut c_void);
        mbedtls_arc4_setup: fn(*mut c_void, *const c_uchar, c_uint);
        mbedtls_arc4_crypt: fn(*mut c_void, usize, *const c_uchar, *mut c_uchar) -> c_int;
    }
}

/// A build may be without any of them.
pub(super) struct Old {
    des: Option<Des>,
    blowfish: Option<Blowfish>,
    arc4: Option<Arc4>,
}

impl Old {
    pub(super) fn find(library: Library) -> Self {
        Self {
            des: Des::find(library).ok(),
            blowfish: Blowfish::find(library).ok(),
            arc4: Arc4::find(library).ok(),
        }
    }

    pub(super) fn has(&self, algorithm: Algorithm) -> bool {
        self.blocks(algorithm, false).is_some() || self.arc4(algorithm).is_some()
    }

    pub(super) fn context(&'static self, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        let contract = task.contract;
        check(
            key.len() == task.algorithm.key_len(),
            "mbedtls_des_setkey_enc or another",
        )?;
        let kept = Zeroizing::new(key.to_vec());
        if let Some(functions) = self.arc4(task.algorithm) {
            let mut rc4 = Rc4::new(functions)?;
            rc4.set_key(key);
            let renew = move |rc4: &mut Rc4| {
                rc4.set_key(&kept);
                Ok(())
            };
            return Ok(inout(contract, rc4, renew, |rc4, _, buffer| rc4.run(buffer)));
        }
        let backward = task.operation.is_backward();
        let blocks = self.blocks(task.algorithm, backward);
        let blocks = blocks.ok_or_else(|| Fault(format!("Mbed TLS has no {task}")))?;
        let mut cipher = Cipher::new(blocks, backward)?;
        cipher.set_key(key)?;
        let renew = move |cipher: &mut Cipher| cipher.set_key(&kept);
        Ok(match contract {
            Contract::Stream => {
                cipher.iv = block_of(iv)?;
                inout(contract, cipher, renew, |cipher, _, buffer| cipher.run(buffer))
            }
            _ => inout(contract, cipher, renew, |cipher, envelope, buffer| {
                cipher.iv = block_of(envelope.iv)?;
                cipher.run(buffer)
            }),
        })
    }

    fn arc4(&self, algorithm: Algorithm) -> Option<&Arc4> {
        self.arc4.as_ref().filter(|_| algorithm.name() == "RC4")
    }

    /// The functions of a cipher in CBC, for one direction.
    fn blocks(&self, algorithm: Algorithm, backward: bool) -> Option<Blocks> {
        use SetKey::{OfBits, Whole};
        Some(match (algorithm.name(), &self.des, &self.blowfish) {
            ("DES-CBC", Some(des), _) => Blocks {
                init: des.mbedtls_des_init,
                free: des.mbedtls_des_free,
                set_key: Whole(match backward {
                    false => des.mbedtls_des_setkey_enc,
                    true => des.mbedtls_des_setkey_dec,
                }),
                cbc: des.mbedtls_des_crypt_cbc,
            },
            ("DES-EDE3-CBC", Some(des), _) => Blocks {
                init: des.mbedtls_des3_init,
                free: des.mbedtls_des3_free,
                set_key: Whole(match backward {
                    false => des.mbedtls_des3_set3key_enc,
                    true => des.mbedtls_des3_set3key_dec,
                }),
                cbc: des.mbedtls_des3_crypt_cbc,
            },
            ("BF-CBC", _, Some(blowfish)) => Blocks {
                init: blowfish.mbedtls_blowfish_init,
                free: blowfish.mbedtls_blowfish_free,
                set_key: OfBits(blowfish.mbedtls_blowfish_setkey),
                cbc: blowfish.mbedtls_blowfish_crypt_cbc,
            },
            _ => return None,
        })
    }
}

#[derive(Clone, Copy)]
enum SetKey {
    Whole(SetWholeKey),
    OfBits(SetKeyOfBits),
}

struct Blocks {
    init: OnStructure,
    free: OnStructure,
    set_key: SetKey,
    cbc: Chain,
}

struct Cipher {
    structure: Structure,
    set_key: SetKey,
    cbc: Chain,
    direction: c_int,
    iv: [u8; 8],
}

impl Cipher {
    fn new(blocks: Blocks, backward: bool) -> Result<Self, Fault> {
        Ok(Self {
            // SAFETY: both of one cipher, and there is room for any of them.
            structure: unsafe { Structure::new(ROOM, blocks.init, blocks.free) }?,
            set_key: blocks.set_key,
            cbc: blocks.cbc,
            direction: if backward { DECRYPT } else { ENCRYPT },
            iv: [0; 8],
        })
    }

    /// `key` has the algorithm's length.
    #[inline]
    fn set_key(&mut self, key: &[u8]) -> Result<(), Fault> {
        let structure = self.structure.as_mut_ptr();
        // SAFETY: the structure is the function's, and the key, whose length `Old::context` has seen, has as many bytes as it
        // reads: 8 for DES, 24 for 3DES, and for Blowfish what it is told.
        let error = unsafe {
            match self.set_key {
                SetKey::Whole(set) => set(structure, key.as_ptr()),
                SetKey::OfBits(set) => set(structure, key.as_ptr(), bits(key)),
            }
        };
        check(error == 0, "mbedtls_des_setkey_enc or another")
    }

    /// Whole blocks alone; the IV becomes the one to go on with.
    #[inline]
    fn run(&mut self, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        let (structure, iv) = (self.structure.as_mut_ptr(), self.iv.as_mut_ptr());
        // SAFETY: the structure is the function's and has its key; `input` is readable and `output` ours to write for `len`
        // bytes, in place or apart, and the IV has a block's length.
        let error = unsafe { (self.cbc)(structure, self.direction, len, iv, input, output) };
        check(error == 0, "mbedtls_des_crypt_cbc or another")
    }
}

struct Rc4 {
    functions: &'static Arc4,
    structure: Structure,
}

impl Rc4 {
    fn new(functions: &'static Arc4) -> Result<Self, Fault> {
        let (init, free) = (functions.mbedtls_arc4_init, functions.mbedtls_arc4_free);
        // SAFETY: both of `mbedtls_arc4_context`, for which there is room.
        let structure = unsafe { Structure::new(ROOM, init, free) }?;
        Ok(Self { functions, structure })
    }

    #[inline]
    fn set_key(&mut self, key: &[u8]) {
        let (structure, len) = (self.structure.as_mut_ptr(), key.len() as c_uint);
        // SAFETY: the structure is begun, and the key readable for its length.
        unsafe { (self.functions.mbedtls_arc4_setup)(structure, key.as_ptr(), len) }
    }

    #[inline]
    fn run(&mut self, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        let structure = self.structure.as_mut_ptr();
        // SAFETY: the structure has its key; `input` is readable and `output` ours to write for `len` bytes, in place or
        // apart.
        let error = unsafe { (self.functions.mbedtls_arc4_crypt)(structure, len, input, output) };
        check(error == 0, "mbedtls_arc4_crypt")
    }
}

/// Apart from the others, as 3.6 lacks two of these headers.
#[cfg(test)]
pub(in crate::peers) fn layout() -> crate::peers::layouts::Layout {
    crate::peers::layouts::Layout {
        headers: &["mbedtls/des.h", "mbedtls/blowfish.h", "mbedtls/arc4.h"],
        facts: vec![
            ("sizeof(mbedtls_des_context) <= 16384", 1),
            ("sizeof(mbedtls_des3_context) <= 16384", 1),
            ("sizeof(mbedtls_blowfish_context) <= 16384", 1),
            ("sizeof(mbedtls_arc4_context) <= 16384", 1),
            ("MBEDTLS_DES_ENCRYPT", ENCRYPT as usize),
            ("MBEDTLS_DES_DECRYPT", DECRYPT as usize),
            ("MBEDTLS_BLOWFISH_ENCRYPT", ENCRYPT as usize),
            ("MBEDTLS_BLOWFISH_DECRYPT", DECRYPT as usize),
        ],
    }
}
