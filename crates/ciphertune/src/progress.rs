use std::{fmt, mem};

use crate::Error;

/// Where a stream is in a message in parts, what may come next, and with which nonce: it seals no two messages in a row
/// with one.
///
/// Nonces have any length but none: an empty one is no nonce.
#[derive(Clone, Default)]
pub(crate) struct Progress {
    stage: Stage,
    /// Of the message in progress; none where its caller answers for it.
    nonce: Vec<u8>,
    /// Of the message sealed last.
    sealed: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    NoMessage,
    /// It has no text yet, and may go either way.
    Started,
    Encrypting,
    Decrypting,
}

/// Which way a message goes, all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Encrypting,
    Decrypting,
}

impl Direction {
    #[inline]
    fn stage(self) -> Stage {
        match self {
            Self::Encrypting => Stage::Encrypting,
            Self::Decrypting => Stage::Decrypting,
        }
    }
}

impl Progress {
    /// Begins a message with that nonce.
    #[inline]
    pub(crate) fn start(&mut self, nonce: &[u8]) {
        self.start_unguarded();
        self.nonce.extend_from_slice(nonce);
    }

    /// Begins a message with a nonce that its caller answers for.
    #[inline]
    pub(crate) fn start_unguarded(&mut self) {
        self.stage = Stage::Started;
        self.nonce.clear();
    }

    /// Whether there is a message.
    #[inline]
    pub(crate) fn has_message(&self) -> Result<(), Error> {
        match self.stage {
            Stage::NoMessage => Err(Error::NoMessage),
            _ => Ok(()),
        }
    }

    /// Whether additional data may come, where they stand before the text.
    #[inline]
    pub(crate) fn allows_aad(&self) -> Result<(), Error> {
        match self.stage {
            Stage::NoMessage => Err(Error::NoMessage),
            Stage::Started => Ok(()),
            Stage::Encrypting | Stage::Decrypting => Err(Error::AadAfterText),
        }
    }

    /// Whether the message may go on, or end, in this direction.
    #[inline]
    pub(crate) fn allows(&self, direction: Direction) -> Result<(), Error> {
        // First what most parts find: no table of jumps is made then.
        if self.stage == direction.stage() {
            return Ok(());
        }
        match self.stage {
            Stage::NoMessage => Err(Error::NoMessage),
            Stage::Started => Ok(()),
            Stage::Encrypting | Stage::Decrypting => Err(Error::Direction),
        }
    }

    /// Goes on in this direction, for text or for the tag, if the message may. To encrypt, `count` must answer that the key
    /// still may: it is told whether the message begins to be sealed, and is not asked where the nonce forbids it.
    #[inline]
    pub(crate) fn go_on(
        &mut self,
        direction: Direction,
        count: impl FnOnce(bool) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.allows(direction)?;
        let begins = self.stage == Stage::Started;
        if direction == Direction::Encrypting {
            if begins {
                self.check_nonce()?;
            }
            count(begins)?;
            if begins {
                mem::swap(&mut self.nonce, &mut self.sealed);
            }
        }
        self.stage = direction.stage();
        Ok(())
    }

    /// Whether the message may be sealed with its nonce.
    fn check_nonce(&self) -> Result<(), Error> {
        if !self.nonce.is_empty() && self.nonce == self.sealed {
            return Err(Error::NonceUsed);
        }
        Ok(())
    }

    /// Ends the message, with a tag or without.
    #[inline]
    pub(crate) fn end(&mut self) {
        self.stage = Stage::NoMessage;
    }

    /// There is no message, and no nonce has served. Their memory stays, so that the next messages allocate nothing.
    pub(crate) fn forget(&mut self) {
        self.end();
        self.nonce.clear();
        self.sealed.clear();
    }
}

/// Shows no nonce.
impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stage.fmt(f)
    }
}
