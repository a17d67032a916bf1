use std::fmt;

use ciphertune_engine::{GcmKernel, GcmMessage};
use inout::InOutBuf;

use super::{Gcm, longest};
use crate::{
    Error, Tag,
    keyed::{apart, in_parts},
    progress::{Direction, Progress},
};

/// A message of AES-GCM in parts: nonce, additional data, text, tag; then the next message with the same key.
///
/// Parts are of any lengths and give what the whole would. Where a message is at hand in one piece, [`Gcm`] is the
/// better way: **decrypting in parts hands out text before the tag has been seen.** Until
/// [`GcmStream::verify`] has answered, that text may be anybody's: keep it, and forget it if the tag is wrong.
///
/// ```
/// use ciphertune::{Gcm, GcmStream};
///
/// let mut stream = GcmStream::new(Gcm::new(&[0x2b; 16])?);
/// let mut parts = [*b"attack at ", *b"dawn, bob "];
/// stream.start(&[0; 12])?;
/// stream.aad(b"orders")?;
/// for part in &mut parts {
///     stream.encrypt(part)?;
/// }
/// let tag = stream.finish()?;
///
/// stream.start(&[0; 12])?;
/// stream.aad(b"orders")?;
/// for part in &mut parts {
///     stream.decrypt_unverified(part)?;
/// }
/// stream.verify(&tag)?;
/// assert_eq!(parts.concat(), b"attack at dawn, bob ");
/// # Ok::<(), ciphertune::Error>(())
/// ```
///
/// Two messages in a row are not sealed with the same nonce: the second is [`Error::NonceUsed`], whether the first got
/// its tag or not. A nonce that served before that is the caller's to know.
///
/// A clone, or a forked child's copy, stands where the original does and goes on by itself. **Only one of the two may encrypt
/// anything further**: the same nonce would serve two messages. Key, hash and keystream are wiped on drop.
///
/// Nobody knows beforehand how long a message gets and which way it goes: what was chosen for sealing long messages serves all.
pub struct GcmStream(Box<State>);

/// On the heap, where it stays until it is wiped.
struct State {
    gcm: Gcm,
    message: GcmMessage,
    nonce_len: usize,
    progress: Progress,
}

impl GcmStream {
    /// Messages with the key and the length of tags of `gcm`.
    pub fn new(gcm: Gcm) -> Self {
        Self(Box::new(State {
            gcm,
            message: GcmMessage::empty(),
            nonce_len: 0,
            progress: Progress::default(),
        }))
    }

    /// Takes a new key, as [`Gcm::rekey`] does: a message in parts ends without a tag, and which nonce was the last is
    /// forgotten. On an error nothing has changed.
    pub fn rekey(&mut self, key: &[u8]) -> Result<(), Error> {
        self.0.gcm.rekey(key)?;
        self.0.forget();
        Ok(())
    }

    /// The key, for a message in one piece. A message in parts ends here without a tag, and which nonce was the last is
    /// forgotten.
    pub fn key(&mut self) -> &mut Gcm {
        self.0.forget();
        &mut self.0.gcm
    }

    /// Tags of `len` bytes from here on, 12 to 16, as [`Gcm::with_tag_len`] has it; a message that goes on goes on.
    ///
    /// [`Error::TagLength`]: nothing has changed.
    #[inline]
    pub fn set_tag_len(&mut self, len: usize) -> Result<(), Error> {
        self.0.gcm.set_tag_len(len, 12)
    }

    /// As [`GcmStream::set_tag_len`], and with tags from 4 bytes on: [`Gcm::with_short_tag_len`] says for whom.
    #[inline]
    pub fn set_short_tag_len(&mut self, len: usize) -> Result<(), Error> {
        self.0.gcm.set_tag_len(len, 4)
    }

    /// Starts a message; one that was not finished ends without a tag. The nonce has any length but none, best 12
    /// bytes, and **must never serve two messages that are encrypted**.
    ///
    /// [`Error::EmptyNonce`], [`Error::AadLength`]: nothing has changed.
    #[inline]
    pub fn start(&mut self, nonce: &[u8]) -> Result<(), Error> {
        self.0.start(nonce)?;
        self.0.progress.start(nonce);
        Ok(())
    }

    /// As [`GcmStream::start`], whatever the nonce has served: for a caller that keeps account of its nonces itself, or
    /// that seals the same message once more. Once it is sealed, later starts know neither its nonce nor those before.
    #[inline]
    pub fn start_again(&mut self, nonce: &[u8]) -> Result<(), Error> {
        self.0.start(nonce)?;
        self.0.progress.start_unguarded();
        Ok(())
    }

    /// Takes additional data, which come before the text.
    ///
    /// [`Error::NoMessage`], [`Error::AadAfterText`], [`Error::AadLength`]: nothing has changed.
    #[inline]
    pub fn aad(&mut self, data: &[u8]) -> Result<(), Error> {
        let State {
            gcm,
            message,
            progress,
            ..
        } = &mut *self.0;
        progress.allows_aad()?;
        let total = message.aad_len().saturating_add(data.len() as u64);
        if total > GcmKernel::LONGEST_AAD {
            return Err(Error::AadLength(longest(total)));
        }
        gcm.0.in_parts().aad(&mut gcm.0.key, message, data);
        Ok(())
    }

    in_parts!(
        encrypt: "[`Error::MessageLength`]",
        first: "[`Error::NonceUsed`] and [`Error::KeyExhausted`]",
        decrypt: "[`Error::MessageLength`]"
    );

    /// Ends a message that was encrypted, or one without text, and answers its tag.
    ///
    /// [`Error::NoMessage`]; [`Error::Direction`]: the message was decrypted, and who knows no key shall not learn
    /// its tag. Of a message without text [`Error::NonceUsed`] and [`Error::KeyExhausted`]. Nothing has changed.
    #[inline]
    pub fn finish(&mut self) -> Result<Tag, Error> {
        self.0.go_on(Direction::Encrypting)?;
        let State {
            gcm,
            message,
            progress,
            ..
        } = &mut *self.0;
        progress.end();
        let tag = gcm.0.in_parts().tag(&mut gcm.0.key, message);
        Ok(Tag::new(tag, gcm.0.tag_len))
    }

    /// Ends a message that was decrypted, or one without text, and answers whether `tag` is its tag.
    ///
    /// [`Error::NotAuthentic`]: it is not, and what was decrypted must not be used. [`Error::NoMessage`],
    /// [`Error::Direction`], [`Error::OtherTagLength`]: nothing has changed.
    #[inline]
    pub fn verify(&mut self, tag: &[u8]) -> Result<(), Error> {
        let State {
            gcm,
            message,
            progress,
            ..
        } = &mut *self.0;
        progress.allows(Direction::Decrypting)?;
        Tag::check_len(tag, gcm.0.tag_len)?;
        progress.end();
        if gcm.0.in_parts().verify(&mut gcm.0.key, message, tag) {
            Ok(())
        } else {
            Err(Error::NotAuthentic)
        }
    }

    /// As [`GcmStream::encrypt`], or [`GcmStream::encrypt_to`] where input and output are apart.
    // Always, since a part of 16 bytes is mostly calls.
    #[inline(always)]
    pub fn encrypt_inout(&mut self, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.0.enter(Direction::Encrypting, buffer.len())?;
        let State { gcm, message, .. } = &mut *self.0;
        gcm.0.in_parts().encrypt(&mut gcm.0.key, message, buffer);
        Ok(())
    }

    /// As [`GcmStream::decrypt_unverified`], or [`GcmStream::decrypt_unverified_to`] where input and output are apart.
    // Always, since a part of 16 bytes is mostly calls.
    #[inline(always)]
    pub fn decrypt_unverified_inout(&mut self, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.0.enter(Direction::Decrypting, buffer.len())?;
        let State { gcm, message, .. } = &mut *self.0;
        gcm.0.in_parts().decrypt(&mut gcm.0.key, message, buffer);
        Ok(())
    }
}

impl State {
    /// The message is gone, wiped, and so are nonces.
    fn forget(&mut self) {
        self.message = GcmMessage::empty();
        self.progress.forget();
    }

    #[inline]
    fn start(&mut self, nonce: &[u8]) -> Result<(), Error> {
        super::check(nonce.len(), 0, 0)?;
        let Self { gcm, message, .. } = self;
        gcm.0.in_parts().start(&mut gcm.0.key, message, nonce);
        self.nonce_len = nonce.len();
        Ok(())
    }

    /// Goes on in this direction with `len` bytes of text.
    #[inline]
    fn enter(&mut self, direction: Direction, len: usize) -> Result<(), Error> {
        self.progress.allows(direction)?;
        let total = self.message.text_len().saturating_add(len as u64);
        if total > GcmKernel::LONGEST_MESSAGE {
            return Err(Error::MessageLength(longest(total)));
        }
        self.go_on(direction)
    }

    /// Goes on in this direction. A message counts where it is first sealed.
    #[inline]
    fn go_on(&mut self, direction: Direction) -> Result<(), Error> {
        let Self { gcm, nonce_len, .. } = self;
        self.progress.go_on(direction, |begins| match begins {
            true => gcm.0.sealed.count(*nonce_len),
            false => Ok(()),
        })
    }
}

/// See [`GcmStream`]: only one of the two may encrypt anything further.
impl Clone for GcmStream {
    fn clone(&self) -> Self {
        let mut clone = Self::new(self.0.gcm.clone());
        clone.0.message.copy_from(&self.0.message);
        clone.0.nonce_len = self.0.nonce_len;
        clone.0.progress.clone_from(&self.0.progress);
        clone
    }
}

/// Shows nothing secret.
impl fmt::Debug for GcmStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GcmStream")
            .field("gcm", &self.0.gcm)
            .field("message", &self.0.message)
            .field("progress", &self.0.progress)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In either direction: what is refused changes nothing, and the tag can still be had.
    #[test]
    fn limits() {
        let mut stream = GcmStream::new(Gcm::new(&[1; 16]).unwrap());
        let mut data = [7; 17];

        stream.start(&[1; 12]).unwrap();
        stream.0.message.pretend(GcmKernel::LONGEST_AAD - 16, 0);
        let too_many = Error::AadLength(GcmKernel::LONGEST_AAD as usize + 1);
        assert_eq!(stream.aad(&data), Err(too_many));
        assert_eq!(stream.aad(&data[..16]), Ok(()));
        assert!(stream.aad(b"a").is_err());
        stream.finish().unwrap();

        for encrypts in [true, false] {
            let go_on = |stream: &mut GcmStream, data: &mut [u8]| match encrypts {
                true => stream.encrypt(data),
                false => stream.decrypt_unverified(data),
            };
            stream.start_again(&[1; 12]).unwrap();
            go_on(&mut stream, &mut [0; 16]).unwrap();
            stream.0.message.pretend(0, GcmKernel::LONGEST_MESSAGE - 16);
            let too_many = Error::MessageLength(GcmKernel::LONGEST_MESSAGE as usize + 1);
            assert_eq!(go_on(&mut stream, &mut data), Err(too_many));
            assert_eq!(data, [7; 17]);
            assert_eq!(go_on(&mut stream, &mut [0; 16]), Ok(()));
            assert!(go_on(&mut stream, &mut data[..1]).is_err());
            if encrypts {
                stream.finish().unwrap();
            } else {
                assert_eq!(stream.verify(&[0; 16]), Err(Error::NotAuthentic));
            }
        }
    }
}
