use std::mem;

use crate::Error;

/// The nonces of a stream, which seals no two messages in a row with one.
///
/// They have any length but none: an empty one is no nonce.
#[derive(Clone, Default)]
pub(crate) struct Nonces {
    /// Of the message in progress; none where its caller answers for it.
    current: Vec<u8>,
    /// Of the message sealed last.
    sealed: Vec<u8>,
}

impl Nonces {
    /// Goes on to a message with that nonce.
    pub(crate) fn start(&mut self, nonce: &[u8]) {
        self.current.clear();
        self.current.extend_from_slice(nonce);
    }

    /// Goes on to a message with a nonce that its caller answers for.
    pub(crate) fn start_unguarded(&mut self) {
        self.current.clear();
    }

    /// Whether the message in progress may be sealed.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if !self.current.is_empty() && self.current == self.sealed {
            return Err(Error::NonceUsed);
        }
        Ok(())
    }

    /// The message in progress is being sealed.
    pub(crate) fn spend(&mut self) {
        mem::swap(&mut self.current, &mut self.sealed);
    }
}
