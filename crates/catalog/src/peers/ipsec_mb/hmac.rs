//! HMAC by SHA-1, SHA-256 and SHA-512.
use std::ptr::{self, NonNull};

use ciphertune_testkit::{Algorithm, Fault, Task};
use zeroize::Zeroizing;

use super::{
    IpsecMb,
    header::{HMAC_SHA1, HMAC_SHA256, HMAC_SHA512, Hash, Job, Manager, OneBlock},
    job::{LONGEST_CHAIN, hash_only, next_job, submit},
};
use crate::{Timed, context::tagging, library::check, peers::memory::Memory};

/// For a message at a time.
pub(super) struct Hmac {
    manager: NonNull<Manager>,
    key: HmacKey,
    tag_len: usize,
    hash: Hash,
}

impl Hmac {
    pub(super) fn has(algorithm: Algorithm) -> bool {
        which(algorithm).is_some()
    }

    pub(super) fn context(library: &IpsecMb, task: Task, key: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        let kept = Zeroizing::new(key.to_vec());
        let mut hmac = Self::new(library, task.algorithm)?;
        hmac.key.set_key(key);
        let renew = move |hmac: &mut Self| {
            hmac.key.set_key(&kept);
            Ok(())
        };
        Ok(tagging(task.contract, hmac, renew, |hmac, envelope, message| {
            hmac.tag(message, envelope.tag)
        }))
    }

    fn new(library: &IpsecMb, algorithm: Algorithm) -> Result<Self, Fault> {
        let lacking = || Fault(format!("ipsec-mb has no {algorithm}"));
        let (_, which) = which(algorithm).ok_or_else(lacking)?;
        Ok(Self {
            manager: library.manager,
            key: HmacKey::new(library, algorithm).ok_or_else(lacking)?,
            tag_len: algorithm.tag_len(),
            hash: library.manager().hashes[which],
        })
    }

    #[inline]
    fn tag(&mut self, message: &[u8], tag: &mut [u8]) -> Result<(), Fault> {
        check(
            tag.len() == self.tag_len && message.len() <= LONGEST_CHAIN,
            "submit_job",
        )?;
        if message.is_empty() {
            self.tag_nothing(tag);
            return Ok(());
        }
        let job = next_job(self.manager);
        hash_only(job, message.as_ptr(), message.len());
        self.key.fill(job, tag);
        // SAFETY: the job is filled in by the header's rules; message and tag are borrowed, and the key there, until this
        // returns. The tag has the length of the whole digest, which it takes.
        unsafe { submit(self.manager) }
    }

    /// The message that no job takes: the empty one. `tag` has the length of the whole digest.
    fn tag_nothing(&self, tag: &mut [u8]) {
        let digest = |message: &[u8], digest: &mut [u8]| {
            let (input, len) = (message.as_ptr().cast(), message.len() as u64);
            // SAFETY: the message is readable for its length, and the digest as long as the hash makes it.
            unsafe { (self.hash)(input, len, digest.as_mut_ptr().cast()) }
        };
        let [inner, outer] = self.key.blocks.each_ref().map(|block| &block[..self.key.block]);
        digest(inner, tag);
        let message = Zeroizing::new([outer, tag].concat());
        digest(&message, tag);
    }
}

/// A key as jobs have it.
pub(super) struct HmacKey {
    one_block: OneBlock,
    hash: u32,
    /// Bytes of the hash's blocks.
    block: usize,
    /// One of the key with `ipad` and one with `opad`.
    blocks: [Zeroizing<[u8; LONGEST_BLOCK]>; 2],
    /// The hash's states after a block of the key with `ipad` and with `opad`.
    inner: Memory,
    outer: Memory,
}

impl HmacKey {
    pub(super) fn new(library: &IpsecMb, mac: Algorithm) -> Option<Self> {
        let (hash, which) = which(mac)?;
        Some(Self {
            one_block: library.manager().one_block[which],
            hash,
            block: mac.block_len(),
            blocks: [(); 2].map(|()| Zeroizing::new([0; LONGEST_BLOCK])),
            inner: Memory::new(LONGEST_HASH),
            outer: Memory::new(LONGEST_HASH),
        })
    }

    /// `key` is no longer than a block of the hash.
    pub(super) fn set_key(&mut self, key: &[u8]) {
        let pads = [(0x36, &mut self.inner), (0x5c, &mut self.outer)];
        for (block, (pad, state)) in self.blocks.iter_mut().zip(pads) {
            block.fill(pad);
            block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
            // SAFETY: the function reads a block of its hash, and `block` is as long as the longest; it writes its state, for
            // which there is room.
            unsafe { (self.one_block)(block.as_ptr().cast(), state.as_mut_ptr()) }
        }
    }

    /// Says what a job hashes by, and where its tag goes.
    #[inline]
    pub(super) fn fill(&self, job: &mut Job, tag: &mut [u8]) {
        job.hash = self.hash;
        job.hash_keys = [self.inner.as_ptr(), self.outer.as_ptr(), ptr::null()];
        job.tag = tag.as_mut_ptr();
        job.tag_len = tag.len() as u64;
    }
}

/// Its `IMB_AUTH_HMAC_SHA_*`, and which of the manager's hashes it is made of.
fn which(mac: Algorithm) -> Option<(u32, usize)> {
    Some(match mac.name() {
        "HMAC-SHA1" => (HMAC_SHA1, 0),
        "HMAC-SHA2-256" => (HMAC_SHA256, 2),
        "HMAC-SHA2-512" => (HMAC_SHA512, 4),
        _ => return None,
    })
}

/// Bytes of the longest block of a hash.
const LONGEST_BLOCK: usize = 128;

/// Bytes of the longest state of a hash.
pub(super) const LONGEST_HASH: usize = 64;
