//! CMAC of a message, and of many side by side. There is none by keys of 24 bytes.
use ciphertune_testkit::{Algorithm, Contract, Envelope, Fault, Task};
use inout::InOutBuf;
use zeroize::{Zeroize, Zeroizing};

use super::{
    IpsecMb,
    aes::Keyed,
    header::{CMAC_128, CMAC_256, COMPLETED, ExpandKey, Job, Manager},
    job::{LONGEST_CHAIN, hash_only},
};
use crate::{
    Timed,
    context::{buffers, tagging},
    library::check,
    many::{AtOnce, SideBySide, ToTag},
    peers::memory::Memory,
};

/// A key, expanded.
pub(super) struct Cmac {
    cipher: Keyed,
    hash: u32,
    expand: ExpandKey,
    /// What the last block is masked with: a whole one, and one that is padded.
    masks: [Memory; 2],
    /// What becomes of a long message's pieces.
    piece: Vec<u8>,
}

impl Cmac {
    pub(super) fn has(algorithm: Algorithm) -> bool {
        matches!(algorithm.name(), "AES-128-CMAC" | "AES-256-CMAC")
    }

    pub(super) fn context(library: &IpsecMb, task: Task, key: &[u8]) -> Box<dyn Timed> {
        let kept = Zeroizing::new(key.to_vec());
        let with = |message| {
            let mut cmac = Self::new(library, task);
            cmac.set_key(&task.contract.key(key, message));
            cmac
        };
        let renew = move |cmac: &mut Self| {
            cmac.set_key(&kept);
            Ok(())
        };
        match task.contract {
            Contract::Many => Box::new(AtOnce(Keys(vec![with(0)]))),
            Contract::ManyKeys => Box::new(AtOnce(Keys((0..Contract::MANY).map(with).collect()))),
            contract => tagging(contract, with(0), renew, |cmac, envelope, message| {
                cmac.tag(message, envelope.tag)
            }),
        }
    }

    fn new(library: &IpsecMb, task: Task) -> Self {
        let manager = library.manager();
        let (hash, expand) = match task.algorithm.key_len() {
            16 => (CMAC_128, manager.expand_cmac_key_128),
            _ => (CMAC_256, manager.expand_cmac_key_256),
        };
        Self {
            cipher: Keyed::new(library, task),
            hash,
            expand,
            masks: [Memory::new(16), Memory::new(16)],
            piece: Vec::new(),
        }
    }

    #[inline]
    fn set_key(&mut self, key: &[u8]) {
        self.cipher.set_key(key);
        let [whole, padded] = &mut self.masks;
        let expanded = self.cipher.encrypt.as_ptr();
        // SAFETY: the key is expanded, and the function writes a block to each of two places with room for it.
        unsafe { (self.expand)(expanded, whole.as_mut_ptr(), padded.as_mut_ptr()) }
    }

    #[inline]
    fn tag(&mut self, message: &[u8], tag: &mut [u8]) -> Result<(), Fault> {
        let tag = whole(tag)?;
        if message.len() > LONGEST_CHAIN {
            return self.tag_long(message, tag);
        }
        self.fill(message.as_ptr(), message.len(), tag);
        // SAFETY: message and tag are borrowed until this returns.
        unsafe { self.cipher.submit() }
    }

    /// It counts in 16 bits. CMAC is CBC whose last block is masked: what comes before goes through CBC in pieces.
    fn tag_long(&mut self, mut message: &[u8], tag: &mut [u8; 16]) -> Result<(), Fault> {
        let mut chained = [0; 16];
        while message.len() > LONGEST_CHAIN {
            // At least a block is left to be chained with.
            let len = LONGEST_CHAIN.min((message.len() - 16) / 16 * 16);
            let (now, later) = message.split_at(len);
            self.piece.resize(len, 0);
            self.cipher.run(&chained, buffers(now, &mut self.piece)?)?;
            chained.copy_from_slice(&self.piece[len - 16..]);
            message = later;
        }
        self.piece.clear();
        self.piece.extend_from_slice(message);
        let first = self.piece.iter_mut().zip(chained);
        first.for_each(|(byte, chained)| *byte ^= chained);
        self.fill(self.piece.as_ptr(), self.piece.len(), tag);
        // SAFETY: the piece is there until this returns, and the tag borrowed.
        unsafe { self.cipher.submit() }
    }

    /// Fills in the next job, by the header's rules.
    #[inline]
    fn fill(&mut self, input: *const u8, len: usize, tag: *mut [u8; 16]) {
        let [whole, padded] = &self.masks;
        let keys = [self.cipher.encrypt.as_ptr(), whole.as_ptr(), padded.as_ptr()];
        let job = self.cipher.job();
        hash_only(job, input, len);
        job.hash = self.hash;
        job.hash_keys = keys;
        job.tag = tag.cast();
        job.tag_len = 16;
    }
}

/// One key for all messages, or one for each.
struct Keys(Vec<Cmac>);

impl Keys {
    #[inline]
    fn tags(&mut self, messages: &[&[u8]], tags: &mut [&mut [u8]]) -> Result<(), Fault> {
        let Self(keys) = self;
        let each = usize::from(keys.len() > 1);
        let mut all = messages.iter().zip(tags).enumerate();
        if messages.iter().any(|message| message.len() > LONGEST_CHAIN) {
            return all.try_for_each(|(i, (message, tag))| keys[i * each].tag(message, tag));
        }
        let manager = keys[0].cipher.manager.as_ptr();
        // SAFETY: valid for ever and set up; copied out are pointers to functions.
        let Manager {
            submit_unchecked,
            flush,
            ..
        } = unsafe { &*manager };
        let mut done = 0;
        let mut count = |job: *mut Job| {
            // SAFETY: both functions answer NULL or a job that is done, which lies in the manager.
            let job = unsafe { job.as_ref() };
            done += usize::from(job.is_some_and(|job| job.status == COMPLETED));
            job.is_some()
        };
        // However it ends, what is begun is done before messages and tags are given back.
        let begun: Result<(), Fault> = all.try_for_each(|(i, (message, tag))| {
            keys[i * each].fill(message.as_ptr(), message.len(), whole(tag)?);
            // SAFETY: the job is filled in by the header's rules.
            count(unsafe { submit_unchecked(manager) });
            Ok(())
        });
        // SAFETY: the manager is valid for ever and set up.
        while count(unsafe { flush(manager) }) {}
        begun?;
        check(done == messages.len(), "submit_job")
    }
}

impl SideBySide for Keys {
    #[inline]
    fn run<'a>(
        &mut self,
        messages: impl Iterator<Item = (Envelope<'a>, InOutBuf<'a, 'a, u8>)>,
    ) -> Result<(), Fault> {
        ToTag::new(messages).with(|messages, tags| self.tags(messages, tags))
    }
}

/// A tag of the length that CMAC's has.
#[inline]
fn whole(tag: &mut [u8]) -> Result<&mut [u8; 16], Fault> {
    let len = tag.len();
    tag.try_into()
        .map_err(|_| Fault(format!("a tag of {len} bytes, where CMAC makes sixteen")))
}

impl Drop for Cmac {
    fn drop(&mut self) {
        self.piece.zeroize();
    }
}
