//! CMAC and HMAC.
use ciphertune_testkit::{Algorithm, Fault, Task};
use zeroize::Zeroizing;

use super::tables::{Mac, named};
use crate::{Timed, context::tagging, peers::memory::Memory};

pub(super) struct Macs(pub(super) Vec<&'static Mac>);

impl Macs {
    pub(super) fn has(&self, algorithm: Algorithm) -> bool {
        self.of(algorithm).is_some()
    }

    pub(super) fn context(&self, task: Task, key: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        let mut mac = MacKey::new(self, task.algorithm)?;
        mac.set_key(key);
        let key = Zeroizing::new(key.to_vec());
        let renew = move |mac: &mut MacKey| {
            mac.set_key(&key);
            Ok(())
        };
        Ok(tagging(task.contract, mac, renew, |mac, envelope, message| {
            mac.tag(&[message], envelope.tag);
            Ok(())
        }))
    }

    fn of(&self, algorithm: Algorithm) -> Option<&'static Mac> {
        let name = match algorithm.name() {
            "AES-128-CMAC" => c"cmac_aes128",
            "AES-256-CMAC" => c"cmac_aes256",
            "HMAC-SHA1" => c"hmac_sha1",
            "HMAC-SHA2-256" => c"hmac_sha256",
            "HMAC-SHA2-512" => c"hmac_sha512",
            _ => return None,
        };
        let lengths = (algorithm.key_len(), algorithm.tag_len());
        let mut found = self.0.iter().copied();
        found
            .find(|mac| named(mac.name, name) && (mac.key_size as usize, mac.digest_size as usize) == lengths)
    }
}

/// A MAC with its key.
pub(super) struct MacKey {
    mac: &'static Mac,
    context: Memory,
}

impl MacKey {
    pub(super) fn new(macs: &Macs, algorithm: Algorithm) -> Result<Self, Fault> {
        let mac = macs.of(algorithm);
        let mac = mac.ok_or_else(|| Fault(format!("nettle has no {algorithm}")))?;
        Ok(Self {
            mac,
            context: Memory::new(mac.context_size as usize),
        })
    }

    #[inline]
    pub(super) fn set_key(&mut self, key: &[u8]) {
        assert_eq!(key.len(), self.mac.key_size as usize, "the caller checks");
        // SAFETY: the context has the size that the MAC asks for, and the key the length that it reads.
        unsafe { (self.mac.set_key)(self.context.as_mut_ptr(), key.as_ptr()) }
    }

    /// Once it has its key: as much of the tag of these parts as there is room for.
    #[inline]
    pub(super) fn tag(&mut self, message: &[&[u8]], tag: &mut [u8]) {
        let context = self.context.as_mut_ptr();
        for part in message {
            // SAFETY: the context has its key, and the part is readable for its length.
            unsafe { (self.mac.update)(context, part.len(), part.as_ptr()) };
        }
        let len = tag.len().min(self.mac.digest_size as usize);
        // SAFETY: the context has its key; the tag is writable for its length, no more than a whole one is asked for, and
        // what makes it begins the next message too.
        unsafe { (self.mac.digest)(context, len, tag.as_mut_ptr()) }
    }
}
