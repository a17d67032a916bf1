use std::fmt;

use ciphertune_engine::{BLOCK, GcmKernel, GcmKey, Implementation};
use inout::InOutBuf;

use crate::{Basis, Error, Tag, keyed::apart, selection};

mod stream;

pub use stream::GcmStream;

/// AES in Galois/counter mode (SP 800-38D): encrypts a message and makes a tag that proves it, and additional
/// data beside it, unchanged.
///
/// **A pair of key and nonce must never be used for two messages**: whoever sees both can forge any other.
/// With nonces drawn at random a key seals at most 2^32 messages (§8.3); counted ones of 12 bytes are best.
///
/// Powers of the hash key are made when a message first needs them, and kept: that is why sealing takes `&mut`.
/// The key and all that comes of it are wiped on drop. For messages that come in parts there is [`GcmStream`].
pub struct Gcm(Box<State>);

/// On the heap, where it stays until it is wiped: moving a key would leave copies of it behind.
struct State {
    key: GcmKey,
    kernel: GcmKernel,
    tag_len: usize,
}

impl Gcm {
    /// A key of 16, 24 or 32 bytes, with tags of 16 bytes, by the widest implementation that this processor can
    /// run, or the one that `CIPHERTUNE_IMPLEMENTATION` forces.
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        let implementation = match selection()?.basis() {
            Basis::Forced(implementation) => *implementation,
            _ => Self::default_implementation(),
        };
        Self::with_implementation(implementation, key)
    }

    /// What [`Gcm::new`] takes if nothing is forced: the widest implementation that this processor can run.
    pub fn default_implementation() -> Implementation {
        ["vaes512", "vaes256", "aesni"]
            .into_iter()
            .filter_map(Implementation::named)
            .find(|implementation| implementation.gcm().is_some())
            .unwrap_or(Implementation::PORTABLE)
    }

    /// As [`Gcm::new`], by one implementation.
    ///
    /// [`Error::GcmUnavailable`]: it has no GCM, or this processor lacks what that needs.
    pub fn with_implementation(implementation: Implementation, key: &[u8]) -> Result<Self, Error> {
        let kernel = implementation
            .gcm()
            .ok_or(Error::GcmUnavailable(implementation))?;
        let mut state = Box::new(State {
            key: GcmKey::empty(),
            kernel,
            tag_len: BLOCK,
        });
        kernel.expand(&mut state.key, key)?;
        Ok(Self(state))
    }

    /// The same key with tags of `len` bytes, 4 to 16. Fewer than 12 are for protocols that limit what can be
    /// tried (SP 800-38D, appendix C): a forger needs 2^(8·len) tries at best, and fewer for long messages.
    pub fn with_tag_len(mut self, len: usize) -> Result<Self, Error> {
        self.set_tag_len(len)?;
        Ok(self)
    }

    fn set_tag_len(&mut self, len: usize) -> Result<(), Error> {
        if !(4..=BLOCK).contains(&len) {
            return Err(Error::TagLength(len));
        }
        self.0.tag_len = len;
        Ok(())
    }

    /// Takes a new key, in the same place in memory. The old one is wiped; on an error nothing has changed.
    pub fn rekey(&mut self, key: &[u8]) -> Result<(), Error> {
        let state = &mut *self.0;
        Ok(state.kernel.expand(&mut state.key, key)?)
    }

    /// Encrypts `data` in place and answers the tag over it and `aad`.
    ///
    /// [`Error::EmptyNonce`], [`Error::MessageLength`], [`Error::AadLength`]: `data` is as it was.
    #[inline]
    pub fn seal_in_place(&mut self, nonce: &[u8], aad: &[u8], data: &mut [u8]) -> Result<Tag, Error> {
        self.seal(nonce, aad, data.into())
    }

    /// As [`Gcm::seal_in_place`], from `input` to `output`, which must have the same length.
    ///
    /// [`Error::OutputLength`]: `output` is as it was.
    #[inline]
    pub fn seal_to(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        input: &[u8],
        output: &mut [u8],
    ) -> Result<Tag, Error> {
        self.seal(nonce, aad, apart(input, output)?)
    }

    /// Decrypts `data` in place, if `tag` is the tag over it and `aad`.
    ///
    /// [`Error::NotAuthentic`]: it is not; `data` is zeros, and no byte of decrypted text is left in it. With
    /// any other error `data` is as it was: [`Error::EmptyNonce`], [`Error::TagLength`],
    /// [`Error::MessageLength`], [`Error::AadLength`].
    #[inline]
    pub fn open_in_place(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        data: &mut [u8],
        tag: &[u8],
    ) -> Result<(), Error> {
        self.open(nonce, aad, data.into(), tag)
    }

    /// As [`Gcm::open_in_place`], from `input` to `output`, which must have the same length.
    ///
    /// [`Error::OutputLength`]: `output` is as it was.
    #[inline]
    pub fn open_to(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        input: &[u8],
        output: &mut [u8],
        tag: &[u8],
    ) -> Result<(), Error> {
        self.open(nonce, aad, apart(input, output)?, tag)
    }

    #[inline]
    fn seal(&mut self, nonce: &[u8], aad: &[u8], buffer: InOutBuf<'_, '_, u8>) -> Result<Tag, Error> {
        check(nonce.len(), aad.len(), buffer.len())?;
        let state = &mut *self.0;
        let tag = state.kernel.seal(&mut state.key, nonce, aad, buffer);
        Ok(Tag::new(tag, state.tag_len))
    }

    #[inline]
    fn open(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &[u8],
    ) -> Result<(), Error> {
        check(nonce.len(), aad.len(), buffer.len())?;
        let state = &mut *self.0;
        if tag.len() != state.tag_len {
            return Err(Error::TagLength(tag.len()));
        }
        if state.kernel.open(&mut state.key, nonce, aad, buffer, tag) {
            Ok(())
        } else {
            Err(Error::NotAuthentic)
        }
    }
}

/// The limits on lengths (SP 800-38D, §5.2.1.1).
#[inline]
fn check(nonce: usize, aad: usize, message: usize) -> Result<(), Error> {
    if nonce == 0 {
        return Err(Error::EmptyNonce);
    }
    if message as u64 > GcmKernel::LONGEST_MESSAGE {
        return Err(Error::MessageLength(message));
    }
    let longest = nonce.max(aad);
    if longest as u64 > GcmKernel::LONGEST_AAD {
        return Err(Error::AadLength(longest));
    }
    Ok(())
}

/// The least of what an error can hold and what there is.
fn longest(len: u64) -> usize {
    usize::try_from(len).unwrap_or(usize::MAX)
}

/// The same key in a place of its own.
impl Clone for Gcm {
    fn clone(&self) -> Self {
        let mut state = Box::new(State {
            key: GcmKey::empty(),
            kernel: self.0.kernel,
            tag_len: self.0.tag_len,
        });
        state.key.copy_from(&self.0.key);
        Self(state)
    }
}

/// Shows no key.
impl fmt::Debug for Gcm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gcm")
            .field("implementation", &self.0.kernel.implementation())
            .field("tag_len", &self.0.tag_len)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits() {
        let longest = (1 << 36) - 32;
        assert_eq!(check(12, 0, longest), Ok(()));
        assert_eq!(check(12, 0, longest + 1), Err(Error::MessageLength(longest + 1)));
        let most = (1 << 61) - 1;
        assert_eq!(check(most, most, 0), Ok(()));
        assert_eq!(check(12, most + 1, 0), Err(Error::AadLength(most + 1)));
        assert_eq!(check(most + 1, 0, 0), Err(Error::AadLength(most + 1)));
        assert_eq!(check(0, 0, 0), Err(Error::EmptyNonce));
    }
}
