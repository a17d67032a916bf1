//! Digests.
use ciphertune_testkit::{Algorithm, Fault, Task};

use super::tables::{Hash, named};
use crate::{Timed, context::tagging, peers::memory::Memory};

pub(super) struct Digests(pub(super) Vec<&'static Hash>);

impl Digests {
    pub(super) fn has(&self, algorithm: Algorithm) -> bool {
        self.of(algorithm).is_some()
    }

    pub(super) fn context(&self, task: Task) -> Result<Box<dyn Timed>, Fault> {
        let context = HashContext::new(self, task.algorithm)?;
        let renew = |_: &mut HashContext| Ok(());
        Ok(tagging(
            task.contract,
            context,
            renew,
            |context, envelope, message| {
                context.digest(message, envelope.tag);
                Ok(())
            },
        ))
    }

    fn of(&self, algorithm: Algorithm) -> Option<&'static Hash> {
        let name = match algorithm.name() {
            "MD2" => c"md2",
            "MD4" => c"md4",
            "MD5" => c"md5",
            "RIPEMD-160" => c"ripemd160",
            "SHA1" => c"sha1",
            "SHA2-224" => c"sha224",
            "SHA2-256" => c"sha256",
            "SHA2-384" => c"sha384",
            "SHA2-512" => c"sha512",
            "SHA2-512/256" => c"sha512_256",
            "SHA3-256" => c"sha3_256",
            "SHA3-512" => c"sha3_512",
            "SM3" => c"sm3",
            _ => return None,
        };
        let mut found = self.0.iter().copied();
        found.find(|hash| named(hash.name, name) && hash.digest_size as usize == algorithm.tag_len())
    }
}

/// A digest, begun.
pub(super) struct HashContext {
    hash: &'static Hash,
    context: Memory,
}

impl HashContext {
    pub(super) fn new(digests: &Digests, algorithm: Algorithm) -> Result<Self, Fault> {
        let hash = digests.of(algorithm);
        let hash = hash.ok_or_else(|| Fault(format!("nettle has no {algorithm}")))?;
        let mut context = Memory::new(hash.context_size as usize);
        // SAFETY: the context has the size that the hash asks for.
        unsafe { (hash.init)(context.as_mut_ptr()) };
        Ok(Self { hash, context })
    }

    /// As much of a message's digest as there is room for.
    #[inline]
    pub(super) fn digest(&mut self, message: &[u8], digest: &mut [u8]) {
        let context = self.context.as_mut_ptr();
        let len = digest.len().min(self.hash.digest_size as usize);
        // SAFETY: the context has begun, the message is readable and the digest writable for their lengths, of which the
        // latter is no more than there is; what makes the digest begins the next message too.
        unsafe {
            (self.hash.update)(context, message.len(), message.as_ptr());
            (self.hash.digest)(context, len, digest.as_mut_ptr());
        }
    }
}
