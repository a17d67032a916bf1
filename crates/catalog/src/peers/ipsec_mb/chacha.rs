//! ChaCha20-Poly1305 by the calls for a message in parts, which take one in a single part without a job, and Poly1305 by
//! a job, as there is no call for it.
use std::{
    ffi::c_void,
    ptr::{self, NonNull},
};

use ciphertune_testkit::{Envelope, Fault, Operation, Task};
use inout::InOutBuf;
use zeroize::{Zeroize, Zeroizing};

use super::{
    IpsecMb,
    header::{BeginChacha, ChachaPart, ENCRYPT, EndChacha, Manager, POLY1305},
    job::{hash_only, next_job, submit},
};
use crate::{
    Timed,
    context::{equal, inout, tagging},
    library::check,
    peers::memory::Memory,
};

/// Bytes of `struct chacha20_poly1305_context_data`.
pub(super) const MESSAGE: usize = 192;

const KEY: usize = 32;

/// A key, and what is kept of a message.
pub(super) struct ChachaPoly {
    begin: BeginChacha,
    seal: ChachaPart,
    open: ChachaPart,
    end: EndChacha,
    key: Memory,
    message: Memory,
}

impl ChachaPoly {
    pub(super) fn context(library: &IpsecMb, task: Task, key: &[u8]) -> Box<dyn Timed> {
        let kept = Zeroizing::new(key.to_vec());
        let mut chacha = Self::new(library);
        chacha.set_key(key);
        let renew = move |chacha: &mut Self| {
            chacha.set_key(&kept);
            Ok(())
        };
        match task.operation {
            Operation::Open => inout(task.contract, chacha, renew, Self::open),
            _ => inout(task.contract, chacha, renew, Self::seal),
        }
    }

    fn new(library: &IpsecMb) -> Self {
        let manager = library.manager();
        Self {
            begin: manager.begin_chacha,
            seal: manager.seal_chacha,
            open: manager.open_chacha,
            end: manager.end_chacha,
            key: Memory::new(KEY),
            message: Memory::new(MESSAGE),
        }
    }

    #[inline]
    fn set_key(&mut self, key: &[u8]) {
        copy_key(&mut self.key, key);
    }

    #[inline]
    fn seal(&mut self, envelope: &mut Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        self.run(self.seal, envelope.iv, envelope.aad, buffer, envelope.tag)
    }

    #[inline]
    fn open(&mut self, envelope: &mut Envelope<'_>, mut buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let mut made = [0; 16];
        self.run(self.open, envelope.iv, envelope.aad, buffer.reborrow(), &mut made)?;
        if equal(&made, envelope.tag) {
            return Ok(());
        }
        // It decrypts whatever it hashes.
        buffer.get_out().zeroize();
        Err(Fault("the tag is wrong".to_owned()))
    }

    #[inline]
    fn run(
        &mut self,
        crypt: ChachaPart,
        iv: &[u8],
        aad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &mut [u8],
    ) -> Result<(), Fault> {
        check(iv.len() == 12 && tag.len() == 16, "chacha20_poly1305_init")?;
        let len = buffer.len() as u64;
        let (input, output) = buffer.into_raw();
        let (key, message) = (self.key.as_ptr(), self.message.as_mut_ptr());
        let (aad, aad_len) = (aad.as_ptr().cast(), aad.len() as u64);
        // SAFETY: the key has the 32 bytes and the IV the twelve that are read, and the message's structure has room.
        // Additional data and `input` are readable and `output` ours to write for their lengths, in place or apart, and
        // the tag has the sixteen bytes that are written.
        unsafe {
            (self.begin)(key, message, iv.as_ptr().cast(), aad, aad_len);
            crypt(key, message, output.cast(), input.cast(), len);
            (self.end)(message, tag.as_mut_ptr().cast(), 16);
        }
        Ok(())
    }
}

/// A key that serves for one message.
pub(super) struct Poly1305 {
    manager: NonNull<Manager>,
    key: Memory,
}

impl Poly1305 {
    pub(super) fn context(library: &IpsecMb, task: Task, key: &[u8]) -> Box<dyn Timed> {
        let kept = Zeroizing::new(key.to_vec());
        let renew = move |poly: &mut Self| {
            poly.set_key(&kept);
            Ok(())
        };
        let poly = Self::new(library);
        tagging(task.contract, poly, renew, |poly, envelope, message| {
            poly.tag(message, envelope.tag)
        })
    }

    fn new(library: &IpsecMb) -> Self {
        Self {
            manager: library.manager,
            key: Memory::new(KEY),
        }
    }

    #[inline]
    fn set_key(&mut self, key: &[u8]) {
        copy_key(&mut self.key, key);
    }

    #[inline]
    fn tag(&mut self, message: &[u8], tag: &mut [u8]) -> Result<(), Fault> {
        check(tag.len() == 16, "submit_job")?;
        let job = next_job(self.manager);
        hash_only(job, message.as_ptr(), message.len());
        job.key_len = KEY as u64;
        job.direction = ENCRYPT;
        job.hash = POLY1305;
        job.hash_keys = [self.key.as_ptr(), ptr::null(), ptr::null()];
        job.tag = tag.as_mut_ptr();
        job.tag_len = 16;
        // SAFETY: the job is filled in by the header's rules: message and tag are borrowed until this returns, and the key
        // has the 32 bytes that are read.
        unsafe { submit(self.manager) }
    }
}

#[inline]
fn copy_key(place: &mut Memory, key: &[u8]) {
    assert_eq!(key.len(), KEY, "the caller checks");
    let place: *mut c_void = place.as_mut_ptr();
    // SAFETY: both have as many bytes, and they do not overlap.
    unsafe { place.cast::<u8>().copy_from_nonoverlapping(key.as_ptr(), KEY) }
}
