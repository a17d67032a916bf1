//! GCM and GMAC, by the calls for a message at a time.
use std::mem;

use ciphertune_testkit::{Envelope, Fault, Operation, Task};
use inout::InOutBuf;
use zeroize::{Zeroize, Zeroizing};

use super::{
    IpsecMb,
    header::{BeginGmac, EndGmac, Gcm, GmacPart, PrepareGcm},
};
use crate::{
    Timed,
    context::{equal, inout, tagging},
    library::check,
    peers::memory::Memory,
};

/// A key in GCM or GMAC.
pub(super) struct GcmKey {
    prepare: PrepareGcm,
    seal: Gcm,
    open: Gcm,
    begin: BeginGmac,
    part: GmacPart,
    end: EndGmac,
    key_len: usize,
    key: Memory,
    message: Memory,
}

/// Bytes of the longest `struct gcm_key_data` and of `struct gcm_context_data`.
pub(super) const KEY: usize = 1264;
pub(super) const MESSAGE: usize = 88;

impl GcmKey {
    pub(super) fn context(library: &IpsecMb, task: Task, key: &[u8]) -> Box<dyn Timed> {
        let contract = task.contract;
        let kept = Zeroizing::new(key.to_vec());
        let mut gcm = Self::new(library, key);
        gcm.set_key(key);
        let renew = move |gcm: &mut Self| {
            gcm.set_key(&kept);
            Ok(())
        };
        match task.operation {
            Operation::Mac => tagging(contract, gcm, renew, Self::tag),
            Operation::Open => inout(contract, gcm, renew, |gcm, envelope, mut buffer| {
                let mut made = [0; 16];
                gcm.run(gcm.open, envelope, buffer.reborrow(), &mut made)?;
                let is_right = equal(&made, envelope.tag);
                if !is_right {
                    buffer.get_out().zeroize();
                }
                check(is_right, "the tag is wrong: comparing it")
            }),
            _ => inout(contract, gcm, renew, |gcm, envelope, buffer| {
                let tag = mem::take(&mut envelope.tag);
                gcm.run(gcm.seal, envelope, buffer, tag)
            }),
        }
    }

    fn new(library: &IpsecMb, key: &[u8]) -> Self {
        let size = key.len() / 8 - 2;
        let functions = library.manager();
        Self {
            prepare: functions.prepare_gcm[size],
            seal: functions.gcm_seal[size],
            open: functions.gcm_open[size],
            begin: functions.begin_gmac[size],
            part: functions.gmac_part[size],
            end: functions.end_gmac[size],
            key_len: key.len(),
            key: Memory::new(KEY),
            message: Memory::new(MESSAGE),
        }
    }

    #[inline]
    fn set_key(&mut self, key: &[u8]) {
        assert_eq!(key.len(), self.key_len, "the caller checks");
        // SAFETY: the function reads as many bytes as its name says, which the key has, and its structure has room.
        unsafe { (self.prepare)(key.as_ptr().cast(), self.key.as_mut_ptr()) }
    }

    #[inline]
    fn run(
        &mut self,
        crypt: Gcm,
        envelope: &Envelope<'_>,
        buffer: InOutBuf<'_, '_, u8>,
        tag: &mut [u8],
    ) -> Result<(), Fault> {
        let Envelope { iv, aad, .. } = *envelope;
        check(iv.len() == 12 && tag.len() <= 16, "aes_gcm_enc or _dec")?;
        let len = buffer.len();
        let (input, output) = buffer.into_raw();
        let (key, message) = (self.key.as_ptr(), self.message.as_mut_ptr());
        let (aad, aad_len) = (aad.as_ptr(), aad.len() as u64);
        let (tag, tag_len) = (tag.as_mut_ptr(), tag.len() as u64);
        // SAFETY: the key is prepared and the message's structure has room; the IV has the twelve bytes that are read,
        // additional data and `input` are readable and `output` and the tag ours to write for their lengths, in place or
        // apart.
        unsafe {
            crypt(
                key,
                message,
                output,
                input,
                len as u64,
                iv.as_ptr(),
                aad,
                aad_len,
                tag,
                tag_len,
            )
        };
        Ok(())
    }

    #[inline]
    fn tag(&mut self, Envelope { iv, tag, .. }: &mut Envelope<'_>, message: &[u8]) -> Result<(), Fault> {
        check(iv.len() == 12 && tag.len() == 16, "aes_gmac_init")?;
        let (key, state) = (self.key.as_ptr(), self.message.as_mut_ptr());
        // SAFETY: the key is prepared and the message's structure has room; IV and message are readable and the tag ours to
        // write for their lengths.
        unsafe {
            (self.begin)(key, state, iv.as_ptr(), iv.len() as u64);
            (self.part)(key, state, message.as_ptr(), message.len() as u64);
            (self.end)(key, state, tag.as_mut_ptr(), tag.len() as u64);
        }
        Ok(())
    }
}
