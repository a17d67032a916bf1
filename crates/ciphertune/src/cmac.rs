use std::fmt;

use ciphertune_engine::{BLOCK, CmacKey, Implementation};

use crate::{Error, Plan, keyed::constructors};

/// AES-CMAC (SP 800-38B; RFC 4493): a tag that only who has the key can make.
///
/// The key is wiped on drop.
pub struct Cmac(Box<State>);

/// On the heap, where it stays until it is wiped.
struct State {
    key: CmacKey,
    plan: Plan,
}

impl Cmac {
    constructors!();

    /// As [`Cmac::new`], by the plan's implementations.
    pub fn with_plan(plan: &Plan, key: &[u8]) -> Result<Self, Error> {
        let mut state = Box::new(State {
            key: CmacKey::empty(),
            plan: *plan,
        });
        plan.kernel(0).expand_cmac(&mut state.key, key)?;
        Ok(Self(state))
    }

    /// The tag of `message`. Who needs a shorter one takes its first bytes.
    #[inline]
    pub fn tag(&self, message: &[u8]) -> [u8; BLOCK] {
        self.0.plan.kernel(message.len()).cmac(&self.0.key, message)
    }

    /// The tag of each message, `tags[i]` of `messages[i]`, side by side: much faster than one by one.
    ///
    /// [`Error::TagCount`]: `tags` is as it was.
    pub fn tags(&self, messages: &[&[u8]], tags: &mut [[u8; BLOCK]]) -> Result<(), Error> {
        if messages.len() != tags.len() {
            return Err(Error::TagCount {
                messages: messages.len(),
                tags: tags.len(),
            });
        }
        let len = messages.iter().map(|message| message.len()).sum();
        self.0.plan.kernel(len).cmac_many(&self.0.key, messages, tags);
        Ok(())
    }

    /// Checks the first bytes of the message's tag, 8 to 16 of them, in constant time.
    ///
    /// [`Error::CmacTagLength`], [`Error::WrongTag`].
    pub fn verify(&self, message: &[u8], tag: &[u8]) -> Result<(), Error> {
        if !(8..=BLOCK).contains(&tag.len()) {
            return Err(Error::CmacTagLength(tag.len()));
        }
        let right = self.tag(message);
        let differ = right.iter().zip(tag).fold(0, |differ, (a, b)| differ | (a ^ b));
        if std::hint::black_box(differ) == 0 {
            Ok(())
        } else {
            Err(Error::WrongTag)
        }
    }
}

/// The same key in a place of its own.
impl Clone for Cmac {
    fn clone(&self) -> Self {
        let mut state = Box::new(State {
            key: CmacKey::empty(),
            plan: self.0.plan,
        });
        state.key.copy_from(&self.0.key);
        Self(state)
    }
}

/// Shows no key.
impl fmt::Debug for Cmac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cmac").field(&self.0.plan).finish()
    }
}
