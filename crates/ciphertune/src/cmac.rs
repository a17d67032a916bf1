use std::fmt;

use ciphertune_engine::{BLOCK, CmacKey, CmacMessage, Implementation};

use crate::{
    Error, Plans,
    keyed::{boxed, constructors, equal, first, typical},
};

/// AES-CMAC (SP 800-38B; RFC 4493): a tag that only who has the key can make.
///
/// The key is wiped on drop.
pub struct Cmac(Box<State>);

/// On the heap, where it stays until it is wiped.
struct State {
    key: CmacKey,
    /// Forward for a message, backward for many at once.
    plans: Plans,
}

impl State {
    fn rekey(&mut self, key: &[u8]) -> Result<(), Error> {
        Ok(self.plans.forward.kernel(0).expand_cmac(&mut self.key, key)?)
    }
}

impl Cmac {
    constructors!(Cmac, 0);

    fn with_plans(plans: &Plans, key: &[u8]) -> Result<Self, Error> {
        let mut cmac = Self(boxed!(State {
            key: CmacKey::empty(),
            plans: *plans,
        }));
        cmac.rekey(key)?;
        Ok(cmac)
    }

    /// The tag of `message`. Who needs a shorter one takes its first bytes.
    #[inline]
    pub fn tag(&self, message: &[u8]) -> [u8; BLOCK] {
        let State { key, plans } = &*self.0;
        plans.forward.kernel(message.len()).cmac(key, message)
    }

    /// The tag of each message, `tags[i]` of `messages[i]`, side by side: much faster than one by one.
    ///
    /// [`Error::TagCount`]: `tags` is as it was.
    pub fn tags(&self, messages: &[&[u8]], tags: &mut [[u8; BLOCK]]) -> Result<(), Error> {
        a_tag_each(messages.len(), tags.len())?;
        let len = messages.iter().map(|message| message.len()).sum();
        let State { key, plans } = &*self.0;
        let kernel = plans.backward.kernel(typical(messages.len(), len));
        kernel.cmac_many(key, messages, tags);
        Ok(())
    }

    /// As [`Cmac::tags`], of every message by the key that stands beside it: packets of several connections, side by side as
    /// if they were one's.
    ///
    /// [`Error::TagCount`]: `tags` is as it was.
    pub fn tags_each(messages: &[(&Self, &[u8])], tags: &mut [[u8; BLOCK]]) -> Result<(), Error> {
        a_tag_each(messages.len(), tags.len())?;
        let len = messages.iter().map(|(_, message)| message.len()).sum();
        let typical = typical(messages.len(), len);
        let by = |cmac: &Self| cmac.0.plans.backward.kernel(typical);
        for place in 0..messages.len() {
            if let Some(kernel) = first(place, |place| by(messages[place].0)) {
                kernel.cmac_each(messages, |cmac| (by(cmac) == kernel).then_some(&cmac.0.key), tags);
            }
        }
        Ok(())
    }

    /// Checks the first bytes of the message's tag, 8 to 16 of them, in constant time.
    ///
    /// [`Error::CmacTagLength`], [`Error::WrongTag`].
    pub fn verify(&self, message: &[u8], tag: &[u8]) -> Result<(), Error> {
        check_length(tag)?;
        let State { key, plans } = &*self.0;
        let kernel = plans.forward.kernel(message.len());
        genuine(kernel.cmac_verify(key, message, tag))
    }

    /// Checks, as [`Cmac::verify`], the first bytes of a tag that [`Cmac::tags`] or [`Cmac::tags_each`] has made. What
    /// compares byte by byte until two differ would tell how many of them are right.
    ///
    /// [`Error::CmacTagLength`], [`Error::WrongTag`].
    pub fn compare(made: &[u8; BLOCK], tag: &[u8]) -> Result<(), Error> {
        check_length(tag)?;
        genuine(equal(&made[..tag.len()], tag))
    }
}

/// A message of AES-CMAC in parts of any lengths; then the next one with the same key.
///
/// A clone stands where the original does and goes on by itself. The key is wiped on drop, and so is what a message
/// leaves behind.
#[derive(Debug)]
pub struct CmacStream {
    cmac: Cmac,
    /// On the heap, where it stays until it is wiped.
    message: Box<CmacMessage>,
}

impl CmacStream {
    /// Messages with the key of `cmac`.
    pub fn new(cmac: Cmac) -> Self {
        let message = Box::default();
        Self { cmac, message }
    }

    /// Takes a new key, as [`Cmac::rekey`] does: the message ends without a tag. On an error it goes on.
    pub fn rekey(&mut self, key: &[u8]) -> Result<(), Error> {
        self.cmac.rekey(key)?;
        self.restart();
        Ok(())
    }

    /// The message ends without a tag.
    pub(crate) fn restart(&mut self) {
        *self.message = CmacMessage::new();
    }

    /// Takes the next part of the message.
    pub fn update(&mut self, data: &[u8]) {
        let State { key, plans } = &*self.cmac.0;
        plans
            .forward
            .kernel(data.len())
            .cmac_update(key, &mut self.message, data);
    }

    /// The tag of the message, which ends here: what comes next belongs to another.
    pub fn finish(&mut self) -> [u8; BLOCK] {
        let State { key, plans } = &*self.cmac.0;
        let tag = plans.forward.kernel(0).cmac_tag(key, &self.message);
        self.restart();
        tag
    }

    /// As [`CmacStream::finish`], checks the first bytes of the tag, 8 to 16 of them, in constant time.
    ///
    /// [`Error::CmacTagLength`]: the message goes on. [`Error::WrongTag`].
    pub fn verify(&mut self, tag: &[u8]) -> Result<(), Error> {
        check_length(tag)?;
        let State { key, plans } = &*self.cmac.0;
        let is_tag = plans
            .forward
            .kernel(0)
            .cmac_verify_message(key, &self.message, tag);
        self.restart();
        genuine(is_tag)
    }
}

fn a_tag_each(messages: usize, tags: usize) -> Result<(), Error> {
    if messages == tags {
        Ok(())
    } else {
        Err(Error::TagCount { messages, tags })
    }
}

fn check_length(tag: &[u8]) -> Result<(), Error> {
    if (8..=BLOCK).contains(&tag.len()) {
        Ok(())
    } else {
        Err(Error::CmacTagLength(tag.len()))
    }
}

fn genuine(is_tag: bool) -> Result<(), Error> {
    if is_tag { Ok(()) } else { Err(Error::WrongTag) }
}

/// The same key in a place of its own.
impl Clone for Cmac {
    fn clone(&self) -> Self {
        let mut state = boxed!(State {
            key: CmacKey::empty(),
            plans: self.0.plans,
        });
        state.key.copy_from(&self.0.key);
        Self(state)
    }
}

/// See [`CmacStream`].
impl Clone for CmacStream {
    fn clone(&self) -> Self {
        let mut clone = Self::new(self.cmac.clone());
        clone.message.copy_from(&self.message);
        clone
    }
}

/// Shows no key.
impl fmt::Debug for Cmac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cmac").field(&self.0.plans).finish()
    }
}
