//! Camellia and what older programs encrypt with. Its structures are smaller than `ROOM`, as those of AES are.
use std::{
    ffi::{c_int, c_void},
    ptr,
};

use ciphertune_testkit::{Algorithm, Contract, Fault, Task};
use inout::InOutBuf;
use zeroize::Zeroizing;

use super::{Crypt, DECRYPTION, ENCRYPTION, NO_DEVICE, ROOM, word};
use crate::{
    Timed,
    context::inout,
    library::{Library, Missing, check, functions},
    peers::memory::Memory,
};

/// What a cipher works with.
#[derive(Clone, Copy)]
enum Run {
    Whole(Crypt),
    /// Context, a block of output, one of input.
    Block(unsafe extern "C" fn(*mut c_void, *mut u8, *const u8) -> c_int),
}

functions! {
    Functions {
        wc_CamelliaSetKey: fn(*mut c_void, *const u8, u32, *const u8) -> c_int;
        wc_CamelliaSetIV: fn(*mut c_void, *const u8) -> c_int;
        wc_CamelliaEncryptDirect: fn(*mut c_void, *mut u8, *const u8) -> c_int;
        wc_CamelliaDecryptDirect: fn(*mut c_void, *mut u8, *const u8) -> c_int;
        wc_CamelliaCbcEncrypt: fn(*mut c_void, *mut u8, *const u8, u32) -> c_int;
        wc_CamelliaCbcDecrypt: fn(*mut c_void, *mut u8, *const u8, u32) -> c_int;
        wc_Des_SetKey: fn(*mut c_void, *const u8, *const u8, c_int) -> c_int;
        wc_Des_SetIV: fn(*mut c_void, *const u8);
        wc_Des_CbcEncrypt: fn(*mut c_void, *mut u8, *const u8, u32) -> c_int;
        wc_Des_CbcDecrypt: fn(*mut c_void, *mut u8, *const u8, u32) -> c_int;
        wc_Des3Init: fn(*mut c_void, *mut c_void, c_int) -> c_int;
        wc_Des3Free: fn(*mut c_void);
        wc_Des3_SetKey: fn(*mut c_void, *const u8, *const u8, c_int) -> c_int;
        wc_Des3_SetIV: fn(*mut c_void, *const u8) -> c_int;
        wc_Des3_CbcEncrypt: fn(*mut c_void, *mut u8, *const u8, u32) -> c_int;
        wc_Des3_CbcDecrypt: fn(*mut c_void, *mut u8, *const u8, u32) -> c_int;
        wc_Arc4Init: fn(*mut c_void, *mut c_void, c_int) -> c_int;
        wc_Arc4Free: fn(*mut c_void);
        wc_Arc4SetKey: fn(*mut c_void, *const u8, u32) -> c_int;
        wc_Arc4Process: fn(*mut c_void, *mut u8, *const u8, u32) -> c_int;
    }
}

pub(super) struct Old(Functions);

impl Old {
    pub(super) fn find(library: Library) -> Result<Self, Missing> {
        Functions::find(library).map(Self)
    }

    pub(super) fn has(algorithm: Algorithm) -> bool {
        Kind::of(algorithm).is_some()
    }

    pub(super) fn context(&'static self, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        let (functions, contract) = (&self.0, task.contract);
        let kind = Kind::of(task.algorithm).ok_or_else(|| Fault(format!("wolfSSL has no {task}")))?;
        let mut cipher = Cipher::new(functions, task, kind)?;
        cipher.set_key(key)?;
        let kept = Zeroizing::new(key.to_vec());
        let renew = move |cipher: &mut Cipher| cipher.set_key(&kept);
        Ok(match contract {
            // What has an IV goes on with the one that it keeps.
            Contract::Stream => {
                cipher.set_iv(iv)?;
                inout(contract, cipher, renew, |cipher, _, buffer| cipher.run(buffer))
            }
            _ => inout(contract, cipher, renew, |cipher, envelope, buffer| {
                cipher.set_iv(envelope.iv)?;
                cipher.run(buffer)
            }),
        })
    }
}

/// Each has a structure of its own.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Camellia,
    /// A block to a call: its interface has no more.
    CamelliaBlocks,
    Des,
    TripleDes,
    Rc4,
}

impl Kind {
    fn of(algorithm: Algorithm) -> Option<Self> {
        Some(match (algorithm.camellia_mode(), algorithm.name()) {
            (Some("CBC"), _) => Self::Camellia,
            (Some("ECB"), _) => Self::CamelliaBlocks,
            (_, "DES-CBC") => Self::Des,
            (_, "DES-EDE3-CBC") => Self::TripleDes,
            (_, "RC4") => Self::Rc4,
            _ => return None,
        })
    }
}

struct Cipher {
    functions: &'static Functions,
    context: Memory,
    kind: Kind,
    key_len: usize,
    iv_len: usize,
    direction: c_int,
    run: Run,
}

impl Cipher {
    fn new(functions: &'static Functions, task: Task, kind: Kind) -> Result<Self, Fault> {
        let mut context = Memory::new(ROOM);
        let (structure, heap) = (context.as_mut_ptr(), ptr::null_mut());
        // SAFETY: the structure has room; NULL is the usual heap.
        let error = unsafe {
            match kind {
                Kind::TripleDes => (functions.wc_Des3Init)(structure, heap, NO_DEVICE),
                Kind::Rc4 => (functions.wc_Arc4Init)(structure, heap, NO_DEVICE),
                _ => 0,
            }
        };
        check(error == 0, "wc_Des3Init or wc_Arc4Init")?;
        let backward = task.operation.is_backward();
        Ok(Self {
            functions,
            context,
            kind,
            key_len: task.algorithm.key_len(),
            iv_len: task.algorithm.iv_len(),
            direction: if backward { DECRYPTION } else { ENCRYPTION },
            run: match (kind, backward) {
                (Kind::CamelliaBlocks, false) => Run::Block(functions.wc_CamelliaEncryptDirect),
                (Kind::CamelliaBlocks, true) => Run::Block(functions.wc_CamelliaDecryptDirect),
                (Kind::Des, false) => Run::Whole(functions.wc_Des_CbcEncrypt),
                (Kind::Des, true) => Run::Whole(functions.wc_Des_CbcDecrypt),
                (Kind::TripleDes, false) => Run::Whole(functions.wc_Des3_CbcEncrypt),
                (Kind::TripleDes, true) => Run::Whole(functions.wc_Des3_CbcDecrypt),
                (Kind::Rc4, _) => Run::Whole(functions.wc_Arc4Process),
                (_, false) => Run::Whole(functions.wc_CamelliaCbcEncrypt),
                (_, true) => Run::Whole(functions.wc_CamelliaCbcDecrypt),
            },
        })
    }

    #[inline]
    fn set_key(&mut self, key: &[u8]) -> Result<(), Fault> {
        check(key.len() == self.key_len, "wc_Des_SetKey")?;
        let (context, len, direction) = (self.context.as_mut_ptr(), word(key.len())?, self.direction);
        let (functions, key) = (self.functions, key.as_ptr());
        // SAFETY: the structure is of the function's kind, and the key has the algorithm's length, which DES reads and the
        // others are told. NULL is no IV.
        let error = unsafe {
            match self.kind {
                Kind::Des => (functions.wc_Des_SetKey)(context, key, ptr::null(), direction),
                Kind::TripleDes => (functions.wc_Des3_SetKey)(context, key, ptr::null(), direction),
                Kind::Rc4 => (functions.wc_Arc4SetKey)(context, key, len),
                _ => (functions.wc_CamelliaSetKey)(context, key, len, ptr::null()),
            }
        };
        check(error == 0, "wc_CamelliaSetKey or another")
    }

    #[inline]
    fn set_iv(&mut self, iv: &[u8]) -> Result<(), Fault> {
        check(iv.len() == self.iv_len, "wc_Des_SetIV")?;
        let (context, iv) = (self.context.as_mut_ptr(), iv.as_ptr());
        // SAFETY: the structure is of the function's kind, and the IV has a block's length.
        let error = unsafe {
            match self.kind {
                Kind::Des => {
                    (self.functions.wc_Des_SetIV)(context, iv);
                    0
                }
                Kind::TripleDes => (self.functions.wc_Des3_SetIV)(context, iv),
                Kind::Camellia => (self.functions.wc_CamelliaSetIV)(context, iv),
                _ => 0,
            }
        };
        check(error == 0, "wc_CamelliaSetIV or wc_Des3_SetIV")
    }

    #[inline]
    fn run(&mut self, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let context = self.context.as_mut_ptr();
        let error = match self.run {
            Run::Whole(crypt) => {
                let len = word(buffer.len())?;
                let (input, output) = buffer.into_raw();
                // SAFETY: the structure is of the function's kind and has its key; `input` is readable and `output` ours to
                // write for `len` bytes, in place or apart.
                unsafe { crypt(context, output, input, len) }
            }
            Run::Block(crypt) => {
                let (blocks, _) = buffer.into_chunks::<aes::cipher::consts::U16>();
                blocks.into_iter().fold(0, |error, block| {
                    let (input, output) = block.into_raw();
                    // SAFETY: the structure is a `Camellia` with its key; both blocks have sixteen bytes, the one readable
                    // and the other ours to write, in place or apart.
                    error | unsafe { crypt(context, output.cast(), input.cast()) }
                })
            }
        };
        check(error == 0, "wc_CamelliaCbcEncrypt or another")
    }
}

impl Drop for Cipher {
    fn drop(&mut self) {
        let context = self.context.as_mut_ptr();
        // SAFETY: the structure is of the function's kind, and freed once.
        unsafe {
            match self.kind {
                Kind::TripleDes => (self.functions.wc_Des3Free)(context),
                Kind::Rc4 => (self.functions.wc_Arc4Free)(context),
                _ => (),
            }
        }
    }
}
