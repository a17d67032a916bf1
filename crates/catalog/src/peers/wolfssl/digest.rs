//! Digests that `wc_Hash` lacks. Their structures are smaller than `ROOM`, as that of AES is.
use std::ffi::{c_int, c_void};

use ciphertune_testkit::{Algorithm, Envelope, Fault, Task};

use super::{ROOM, word};
use crate::{
    Timed,
    context::tagging,
    library::{Library, Missing, check, functions},
    peers::memory::Memory,
};

functions! {
    Functions {
        wc_InitMd4: fn(*mut c_void);
        wc_Md4Update: fn(*mut c_void, *const u8, u32);
        wc_Md4Final: fn(*mut c_void, *mut u8);
        wc_InitRipeMd: fn(*mut c_void) -> c_int;
        wc_RipeMdUpdate: fn(*mut c_void, *const u8, u32) -> c_int;
        wc_RipeMdFinal: fn(*mut c_void, *mut u8) -> c_int;
        wc_InitBlake2b: fn(*mut c_void, u32) -> c_int;
        wc_Blake2bUpdate: fn(*mut c_void, *const u8, u32) -> c_int;
        wc_Blake2bFinal: fn(*mut c_void, *mut u8, u32) -> c_int;
        wc_InitBlake2s: fn(*mut c_void, u32) -> c_int;
        wc_Blake2sUpdate: fn(*mut c_void, *const u8, u32) -> c_int;
        wc_Blake2sFinal: fn(*mut c_void, *mut u8, u32) -> c_int;
    }
}

pub(super) struct Digests(Functions);

impl Digests {
    pub(super) fn find(library: Library) -> Result<Self, Missing> {
        Functions::find(library).map(Self)
    }

    pub(super) fn has(algorithm: Algorithm) -> bool {
        Kind::of(algorithm).is_some()
    }

    pub(super) fn context(&'static self, task: Task) -> Result<Box<dyn Timed>, Fault> {
        let kind = Kind::of(task.algorithm).ok_or_else(|| Fault(format!("wolfSSL has no {task}")))?;
        let digest = Digest {
            functions: &self.0,
            context: Memory::new(ROOM),
            kind,
            len: task.algorithm.tag_len(),
        };
        Ok(tagging(task.contract, digest, |_| Ok(()), Digest::make))
    }
}

/// Each has a structure of its own.
#[derive(Clone, Copy)]
enum Kind {
    Md4,
    Ripemd,
    Blake2b,
    Blake2s,
}

impl Kind {
    fn of(algorithm: Algorithm) -> Option<Self> {
        Some(match algorithm.name() {
            "MD4" => Self::Md4,
            "RIPEMD-160" => Self::Ripemd,
            "BLAKE2B-512" => Self::Blake2b,
            "BLAKE2S-256" => Self::Blake2s,
            _ => return None,
        })
    }
}

struct Digest {
    functions: &'static Functions,
    context: Memory,
    kind: Kind,
    len: usize,
}

impl Digest {
    #[inline]
    fn make(&mut self, envelope: &mut Envelope<'_>, message: &[u8]) -> Result<(), Fault> {
        check(envelope.tag.len() == self.len, "wc_Md4Final")?;
        let (context, len) = (self.context.as_mut_ptr(), word(message.len())?);
        let (input, digest, digest_len) = (message.as_ptr(), envelope.tag.as_mut_ptr(), word(self.len)?);
        let functions = self.functions;
        // SAFETY: the structure has room; the message is readable for its length, and the digest as long as the hash makes
        // it.
        let error = unsafe {
            match self.kind {
                Kind::Md4 => {
                    (functions.wc_InitMd4)(context);
                    (functions.wc_Md4Update)(context, input, len);
                    (functions.wc_Md4Final)(context, digest);
                    0
                }
                Kind::Ripemd => {
                    (functions.wc_InitRipeMd)(context)
                        | (functions.wc_RipeMdUpdate)(context, input, len)
                        | (functions.wc_RipeMdFinal)(context, digest)
                }
                Kind::Blake2b => {
                    (functions.wc_InitBlake2b)(context, digest_len)
                        | (functions.wc_Blake2bUpdate)(context, input, len)
                        | (functions.wc_Blake2bFinal)(context, digest, digest_len)
                }
                Kind::Blake2s => {
                    (functions.wc_InitBlake2s)(context, digest_len)
                        | (functions.wc_Blake2sUpdate)(context, input, len)
                        | (functions.wc_Blake2sFinal)(context, digest, digest_len)
                }
            }
        };
        check(error == 0, "wc_RipeMdUpdate or another")
    }
}
