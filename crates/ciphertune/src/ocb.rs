mod stream;

pub use stream::OcbStream;

use std::fmt;

use ciphertune_engine::{BLOCK, Implementation, OcbKey};
use inout::InOutBuf;

use crate::{
    Error, Plans, Tag,
    keyed::{apart, boxed, constructors, sealing},
};

/// AES-OCB (RFC 7253, OCB3): encrypts a message and makes a tag that proves it, and additional data beside it,
/// unchanged.
///
/// **A pair of key and nonce must never be used for two messages**; this type takes a used one too. A nonce has 1 to 15 bytes,
/// best 12. With one key no more than 2^48 blocks should be encrypted, additional data among them (section 5): a processor is busy for a day
/// before it has. [`OcbStream`], for messages in parts, counts them. This type does not, since threads may share it: the
/// caller sees to it. Key and offsets are wiped on drop.
pub struct Ocb(Box<State>);

/// On the heap, where it stays until it is wiped.
struct State {
    key: OcbKey,
    plans: Plans,
    tag_len: usize,
}

impl State {
    fn rekey(&mut self, key: &[u8]) -> Result<(), Error> {
        Ok(self.plans.forward.kernel(0).expand_ocb(&mut self.key, key)?)
    }
}

impl Ocb {
    constructors!(Ocb, 0);

    fn with_plans(plans: &Plans, key: &[u8]) -> Result<Self, Error> {
        let mut ocb = Self(boxed!(State {
            key: OcbKey::empty(),
            plans: *plans,
            tag_len: BLOCK,
        }));
        ocb.rekey(key)?;
        Ok(ocb)
    }

    /// The same key with tags of 4 to 16 bytes; without this they have 16, and who may choose takes no less than 8. Messages
    /// with tags of different lengths have nothing in common. [`Error::TagLength`].
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

    sealing!(
        &;
        seal: "[`Error::NonceLength`]",
        open: "[`Error::NonceLength`], [`Error::OtherTagLength`]"
    );

    /// As [`Ocb::seal_in_place`], or [`Ocb::seal_to`] where input and output are apart.
    #[inline]
    pub fn seal_inout(&self, nonce: &[u8], aad: &[u8], buffer: InOutBuf<'_, '_, u8>) -> Result<Tag, Error> {
        check(nonce)?;
        let State { key, plans, tag_len } = &*self.0;
        let kernel = plans.forward.kernel(buffer.len());
        let tag = kernel.ocb_seal(key, nonce, aad, buffer, *tag_len);
        Ok(Tag::new(tag, *tag_len))
    }

    /// As [`Ocb::open_in_place`], or [`Ocb::open_to`] where input and output are apart.
    #[inline]
    pub fn open_inout(
        &self,
        nonce: &[u8],
        aad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &[u8],
    ) -> Result<(), Error> {
        check(nonce)?;
        let State { key, plans, tag_len } = &*self.0;
        Tag::check_len(tag, *tag_len)?;
        let kernel = plans.backward.kernel(buffer.len());
        if kernel.ocb_open(key, nonce, aad, buffer, tag) {
            Ok(())
        } else {
            Err(Error::NotAuthentic)
        }
    }
}

#[inline]
fn check(nonce: &[u8]) -> Result<(), Error> {
    let (least, most, len) = (1, 15, nonce.len());
    if (least..=most).contains(&len) {
        return Ok(());
    }
    Err(Error::NonceLength {
        mode: "OCB",
        least,
        most,
        len,
    })
}

/// The same key in a place of its own.
impl Clone for Ocb {
    fn clone(&self) -> Self {
        let mut state = boxed!(State {
            key: OcbKey::empty(),
            ..*self.0
        });
        state.key.copy_from(&self.0.key);
        Self(state)
    }
}

/// Shows no key.
impl fmt::Debug for Ocb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ocb")
            .field("plans", &self.0.plans)
            .field("tag_len", &self.0.tag_len)
            .finish_non_exhaustive()
    }
}
