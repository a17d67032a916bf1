use std::fmt;

use ciphertune_engine::{BLOCK, GcmKernel, GcmKey, Implementation};
use inout::InOutBuf;

use crate::{
    Error, GcmPlan, Plans, Selection, Tag,
    keyed::{apart, boxed, sealing},
    selection,
};

mod stream;

pub use stream::GcmStream;

/// AES in Galois/counter mode (SP 800-38D): encrypts a message and makes a tag that proves it, and additional
/// data beside it, unchanged.
///
/// **A pair of key and nonce must never be used for two messages**: whoever sees both can forge any other. This type takes
/// each nonce, a used one too: it is the caller's to know. Counted nonces of 12 bytes are best. With any others, and with those drawn at random, a key may seal 2^32 messages
/// (§8.3), by all of its contexts together. A context counts its own, a clone going on from where it was cloned: once
/// a nonce had another length than 12 bytes, it seals no more than 2^32. Whether one of 12 bytes was drawn nobody can
/// tell from it: there it is for the caller to count.
///
/// Powers of the hash key are made when a message first needs them, and kept: that is why sealing takes `&mut`.
/// The key and all that comes of it are wiped on drop. For messages that come in parts there is [`GcmStream`].
pub struct Gcm(Box<State>);

/// On the heap, where it stays until it is wiped: moving a key would leave copies of it behind. What every message needs
/// stands together, at the beginning.
#[repr(C)]
struct State {
    plans: Plans<GcmPlan>,
    tag_len: usize,
    sealed: Sealed,
    key: GcmKey,
}

/// What a key has sealed, and may.
#[derive(Clone, Copy)]
struct Sealed {
    messages: u64,
    most: u64,
}

impl Sealed {
    const NONE: Self = Self {
        messages: 0,
        most: u64::MAX,
    };

    /// From the first counter on that begins as a hash of its nonce: such counters may meet (SP 800-38D, §8.3).
    const MOST: u64 = 1 << 32;

    /// Counts a message with such a nonce.
    #[inline]
    fn count(&mut self, nonce_len: usize) -> Result<(), Error> {
        let most = if nonce_len == 12 { self.most } else { Self::MOST };
        if self.messages >= most {
            return Err(Error::KeyExhausted(
                "2^32 messages of GCM, of which one at least has a nonce of other than 12 bytes",
            ));
        }
        *self = Self {
            messages: self.messages + 1,
            most,
        };
        Ok(())
    }
}

impl State {
    /// What serves a message in parts, of which nobody knows how long it gets. It is one for all of them.
    #[inline]
    fn in_parts(&self) -> GcmKernel {
        self.plans.forward.kernel(usize::MAX)
    }
}

impl Gcm {
    /// As [`Ctr::BUSY_AFTER`](crate::Ctr::BUSY_AFTER), in messages that are longer than packets.
    pub const BUSY_AFTER: usize = GcmKernel::BUSY_AFTER;

    /// A key of 16, 24 or 32 bytes, with tags of 16 bytes. What serves which length is up to [`selection`].
    ///
    /// [`Error::KeyLength`]; [`Error::GcmUnavailable`] and what else [`selection`] answers where the environment forces what is
    /// not there.
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        Self::with_selection(selection()?, key)
    }

    /// As [`Gcm::new`], by another selection.
    ///
    /// [`Error::KeyLength`]; [`Error::GcmUnavailable`]: it forces an implementation that has none.
    pub fn with_selection(selection: &Selection, key: &[u8]) -> Result<Self, Error> {
        Self::with_plans(selection.gcm(key.len())?, key)
    }

    /// As [`Gcm::new`], by one implementation.
    ///
    /// [`Error::KeyLength`]; [`Error::GcmUnavailable`]: it has no GCM, or this processor lacks what that needs.
    pub fn with_implementation(implementation: Implementation, key: &[u8]) -> Result<Self, Error> {
        Self::with_plan(&GcmPlan::forced(implementation)?, key)
    }

    /// As [`Gcm::new`], by the plan's implementations.
    ///
    /// [`Error::KeyLength`].
    pub fn with_plan(plan: &GcmPlan, key: &[u8]) -> Result<Self, Error> {
        Self::with_plans(&Plans::both(*plan), key)
    }

    fn with_plans(plans: &Plans<GcmPlan>, key: &[u8]) -> Result<Self, Error> {
        let mut gcm = Self(boxed!(State {
            key: GcmKey::empty(),
            plans: *plans,
            tag_len: BLOCK,
            sealed: Sealed::NONE,
        }));
        gcm.rekey(key)?;
        Ok(gcm)
    }

    /// The same key with tags of `len` bytes, 12 to 16; without this they have 16. [`Error::TagLength`].
    pub fn with_tag_len(mut self, len: usize) -> Result<Self, Error> {
        self.set_tag_len(len, 12)?;
        Ok(self)
    }

    /// As [`Gcm::with_tag_len`], and with tags from 4 bytes on.
    ///
    /// **Fewer than 12 are for protocols that ask for them and limit how much is sent and tried under a key** (SP
    /// 800-38D, appendix C): a forger needs 2^(8·len) tries at best, as many times fewer as the longest message has
    /// blocks, and each forgery that gets through makes the next one easier. Of these the standard has 4 and 8 alone.
    pub fn with_short_tag_len(mut self, len: usize) -> Result<Self, Error> {
        self.set_tag_len(len, 4)?;
        Ok(self)
    }

    #[inline]
    fn set_tag_len(&mut self, len: usize, least: usize) -> Result<(), Error> {
        if !(least..=BLOCK).contains(&len) {
            return Err(Error::TagLength(len));
        }
        self.0.tag_len = len;
        Ok(())
    }

    /// Takes a new key, in the same place in memory. The old one is wiped; on an error nothing has changed.
    pub fn rekey(&mut self, key: &[u8]) -> Result<(), Error> {
        let state = &mut *self.0;
        state.plans.forward.kernel(0).expand(&mut state.key, key)?;
        state.sealed = Sealed::NONE;
        Ok(())
    }

    sealing!(
        &mut;
        seal: "[`Error::EmptyNonce`], [`Error::MessageLength`], [`Error::AadLength`], [`Error::KeyExhausted`]",
        open: "[`Error::EmptyNonce`], [`Error::OtherTagLength`], [`Error::MessageLength`], [`Error::AadLength`]"
    );

    /// As [`Gcm::seal_in_place`], or [`Gcm::seal_to`] where input and output are apart.
    #[inline]
    pub fn seal_inout(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> Result<Tag, Error> {
        check(nonce.len(), aad.len(), buffer.len())?;
        let state = &mut *self.0;
        state.sealed.count(nonce.len())?;
        let kernel = state.plans.forward.kernel(buffer.len());
        let tag = kernel.seal(&mut state.key, nonce, aad, buffer);
        Ok(Tag::new(tag, state.tag_len))
    }

    /// As [`Gcm::open_in_place`], or [`Gcm::open_to`] where input and output are apart.
    #[inline(always)] // as what it calls is
    pub fn open_inout(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &[u8],
    ) -> Result<(), Error> {
        check(nonce.len(), aad.len(), buffer.len())?;
        let state = &mut *self.0;
        Tag::check_len(tag, state.tag_len)?;
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
        let mut state = boxed!(State {
            key: GcmKey::empty(),
            plans: self.0.plans,
            tag_len: self.0.tag_len,
            sealed: self.0.sealed,
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

    #[test]
    fn a_key_seals_no_more_than_it_may() {
        let mut gcm = Gcm::new(&[1; 16]).unwrap();
        let seal = |gcm: &mut Gcm, nonce: &[u8]| {
            let mut data = [7; 20];
            let made = gcm.seal_in_place(nonce, b"", &mut data).map(|_| ());
            assert_eq!(made.is_err(), data == [7; 20]);
            made
        };
        let too_many = |made| matches!(made, Err(Error::KeyExhausted(_)));

        // Counted nonces have no such limit.
        gcm.0.sealed.messages = Sealed::MOST;
        assert_eq!(seal(&mut gcm, &[1; 12]), Ok(()));
        // With others, those count too; what is refused changes nothing.
        for len in [1, 11, 13, 16, 100] {
            assert!(too_many(seal(&mut gcm, &vec![1; len])), "{len}");
        }
        assert_eq!(seal(&mut gcm, &[2; 12]), Ok(()));

        gcm.rekey(&[2; 16]).unwrap();
        gcm.0.sealed.messages = Sealed::MOST - 2;
        assert_eq!(seal(&mut gcm, &[1; 16]), Ok(()));
        let mut clone = gcm.clone();
        let mut stream = GcmStream::new(gcm.clone());
        for gcm in [&mut gcm, &mut clone] {
            assert_eq!(seal(gcm, &[2; 12]), Ok(()));
            assert!(too_many(seal(gcm, &[3; 12])));
            assert!(too_many(seal(gcm, &[3; 13])));
            // Opening has no limit.
            assert_eq!(
                gcm.open_in_place(&[3; 13], b"", &mut [], &[0; 16]),
                Err(Error::NotAuthentic)
            );
            gcm.rekey(&[3; 16]).unwrap();
            assert_eq!(seal(gcm, &[3; 13]), Ok(()));
        }

        // The same in parts: a message counts where it is first sealed, by its text or its tag.
        for nonce in [[1; 16], [2; 16]] {
            stream.start(&nonce).unwrap();
            stream.decrypt_unverified(&mut [0; 20]).unwrap();
        }
        stream.start(&[4; 12]).unwrap();
        stream.encrypt(&mut [0; 20]).unwrap();
        stream.encrypt(&mut [0; 20]).unwrap();
        stream.finish().unwrap();
        for nonce in [&[5; 12][..], &[5; 16]] {
            stream.start(nonce).unwrap();
            stream.aad(b"aad").unwrap();
            let mut data = [7; 20];
            assert!(too_many(stream.encrypt(&mut data)));
            assert_eq!(data, [7; 20]);
            assert!(too_many(stream.finish().map(|_| ())));
            stream.decrypt_unverified(&mut data).unwrap();
        }
    }
}
