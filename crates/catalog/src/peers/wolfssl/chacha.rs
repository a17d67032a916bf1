//! ChaCha20-Poly1305, whose calls for a whole message take its key each time, and Poly1305.
use std::ffi::{c_int, c_void};

use ciphertune_testkit::{Algorithm, Envelope, Fault, Operation, Task};
use inout::InOutBuf;
use zeroize::Zeroizing;

use super::{ROOM, word};
use crate::{
    Timed,
    context::{inout, tagging},
    library::{Library, Missing, check, functions},
    peers::memory::Memory,
};

functions! {
    Functions {
        wc_ChaCha20Poly1305_Encrypt:
            fn(*const u8, *const u8, *const u8, u32, *const u8, u32, *mut u8, *mut u8) -> c_int;
        wc_ChaCha20Poly1305_Decrypt:
            fn(*const u8, *const u8, *const u8, u32, *const u8, u32, *const u8, *mut u8) -> c_int;
        wc_Poly1305SetKey: fn(*mut c_void, *const u8, u32) -> c_int;
        wc_Poly1305Update: fn(*mut c_void, *const u8, u32) -> c_int;
        wc_Poly1305Final: fn(*mut c_void, *mut u8) -> c_int;
    }
}

pub(super) struct Chacha(Functions);

impl Chacha {
    pub(super) fn find(library: Library) -> Result<Self, Missing> {
        Functions::find(library).map(Self)
    }

    pub(super) fn has(algorithm: Algorithm) -> bool {
        matches!(algorithm.name(), "ChaCha20-Poly1305" | "Poly1305")
    }

    pub(super) fn context(&'static self, task: Task, key: &[u8]) -> Box<dyn Timed> {
        let contract = task.contract;
        let key = Key {
            functions: &self.0,
            key: Zeroizing::new(key.to_vec()),
            poly1305: Memory::new(ROOM),
        };
        let renew = |_: &mut _| Ok(());
        match task.operation {
            Operation::Seal => inout(contract, key, renew, Key::seal),
            Operation::Open => inout(contract, key, renew, Key::open),
            _ => tagging(contract, key, renew, Key::tag),
        }
    }
}

struct Key {
    functions: &'static Functions,
    key: Zeroizing<Vec<u8>>,
    /// A `Poly1305`.
    poly1305: Memory,
}

impl Key {
    #[inline]
    fn seal(&mut self, envelope: &mut Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let Envelope { iv, aad, tag } = envelope;
        check(
            (self.key.len(), iv.len(), tag.len()) == (32, 12, 16),
            "wc_ChaCha20Poly1305_Encrypt",
        )?;
        let (len, aad_len) = (word(buffer.len())?, word(aad.len())?);
        let (input, output) = buffer.into_raw();
        // SAFETY: key, nonce and tag have the lengths that the function goes by; additional data and `input` are readable,
        // `output` ours to write for their lengths, in place or apart.
        let error = unsafe {
            (self.functions.wc_ChaCha20Poly1305_Encrypt)(
                self.key.as_ptr(),
                iv.as_ptr(),
                aad.as_ptr(),
                aad_len,
                input,
                len,
                output,
                tag.as_mut_ptr(),
            )
        };
        check(error == 0, "wc_ChaCha20Poly1305_Encrypt")
    }

    #[inline]
    fn open(&mut self, envelope: &mut Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let Envelope { iv, aad, tag } = envelope;
        check(
            (self.key.len(), iv.len(), tag.len()) == (32, 12, 16),
            "wc_ChaCha20Poly1305_Decrypt",
        )?;
        let (len, aad_len) = (word(buffer.len())?, word(aad.len())?);
        let (input, output) = buffer.into_raw();
        // SAFETY: as in `seal`; the tag is only read.
        let error = unsafe {
            (self.functions.wc_ChaCha20Poly1305_Decrypt)(
                self.key.as_ptr(),
                iv.as_ptr(),
                aad.as_ptr(),
                aad_len,
                input,
                len,
                tag.as_ptr(),
                output,
            )
        };
        check(error == 0, "wc_ChaCha20Poly1305_Decrypt")
    }

    #[inline]
    fn tag(&mut self, envelope: &mut Envelope<'_>, message: &[u8]) -> Result<(), Fault> {
        check(envelope.tag.len() == 16, "wc_Poly1305Final")?;
        let (context, len) = (self.poly1305.as_mut_ptr(), word(message.len())?);
        // SAFETY: the structure has room; key and message are readable for their lengths, of which the function checks the
        // former, and the tag has sixteen bytes.
        let error = unsafe {
            (self.functions.wc_Poly1305SetKey)(context, self.key.as_ptr(), word(self.key.len())?)
                | (self.functions.wc_Poly1305Update)(context, message.as_ptr(), len)
                | (self.functions.wc_Poly1305Final)(context, envelope.tag.as_mut_ptr())
        };
        check(error == 0, "wc_Poly1305SetKey or another")
    }
}
