use std::fmt;

use ciphertune_engine::{BLOCK, GcmKernel, GcmKey, Implementation};
use inout::InOutBuf;

use crate::{Error, GcmPlan, Plans, Selection, Tag, keyed::apart, selection};

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
    plans: Plans<GcmPlan>,
    tag_len: usize,
}

impl State {
    /// What serves a message in parts, of which nobody knows how long it gets. It is one for all of them.
    fn in_parts(&self) -> GcmKernel {
        self.plans.forward.kernel(usize::MAX)
    }
}

impl Gcm {
    /// A key of 16, 24 or 32 bytes, with tags of 16 bytes. What serves which length is up to [`selection`].
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        Self::with_selection(selection()?, key)
    }

    /// As [`Gcm::new`], by another selection.
    pub fn with_selection(selection: &Selection, key: &[u8]) -> Result<Self, Error> {
        Self::with_plans(selection.gcm(key.len())?, key)
    }

    /// What [`Gcm::new`] takes if nothing is forced or measured: the widest implementation that this processor can run.
    pub fn default_implementation() -> Implementation {
        GcmPlan::estimate().implementation(usize::MAX)
    }

    /// As [`Gcm::new`], by one implementation.
    ///
    /// [`Error::GcmUnavailable`]: it has no GCM, or this processor lacks what that needs.
    pub fn with_implementation(implementation: Implementation, key: &[u8]) -> Result<Self, Error> {
        Self::with_plan(&GcmPlan::forced(implementation)?, key)
    }

    /// As [`Gcm::new`], by the plan's implementations.
    pub fn with_plan(plan: &GcmPlan, key: &[u8]) -> Result<Self, Error> {
        Self::with_plans(&Plans::both(*plan), key)
    }

    fn with_plans(plans: &Plans<GcmPlan>, key: &[u8]) -> Result<Self, Error> {
        let mut gcm = Self(Box::new(State {
            key: GcmKey::empty(),
            plans: *plans,
            tag_len: BLOCK,
        }));
        gcm.rekey(key)?;
        Ok(gcm)
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
        Ok(state.plans.forward.kernel(0).expand(&mut state.key, key)?)
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
    pub(crate) fn seal(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> Result<Tag, Error> {
        check(nonce.len(), aad.len(), buffer.len())?;
        let state = &mut *self.0;
        let kernel = state.plans.forward.kernel(buffer.len());
        let tag = kernel.seal(&mut state.key, nonce, aad, buffer);
        Ok(Tag::new(tag, state.tag_len))
    }

    #[inline]
    pub(crate) fn open(
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
        let kernel = state.plans.backward.kernel(buffer.len());
        if kernel.open(&mut state.key, nonce, aad, buffer, tag) {
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
            plans: self.0.plans,
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
            .field("plans", &self.0.plans)
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
