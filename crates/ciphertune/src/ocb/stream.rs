use std::fmt;

use ciphertune_engine::{BLOCK, OcbMessage};
use inout::InOutBuf;

use super::{Ocb, check};
use crate::{
    Error, Tag,
    keyed::{apart, in_parts},
    progress::{Direction, Progress},
};

/// A message of AES-OCB in parts: nonce, additional data and text, tag; then the next message with the same key.
///
/// **Each part of the text but the last has whole blocks of 16 bytes**: what becomes of less than a block depends on
/// whether more follows. So many give what the whole would. Additional data come in parts of any lengths, before the text
/// or beside it. Where a message is at hand in one piece, [`Ocb`] is the better way: **decrypting in parts hands out
/// text before the tag has been seen.** Until [`OcbStream::verify`] has answered, that text may be anybody's: keep it,
/// and forget it if the tag is wrong.
///
/// ```
/// use ciphertune::{Ocb, OcbStream};
///
/// let mut stream = OcbStream::new(Ocb::new(&[0x2b; 16])?);
/// let mut text = *b"attack at dawn, and tell bob";
/// stream.start(&[0; 12])?;
/// stream.aad(b"orders")?;
/// for part in text.chunks_mut(16) {
///     stream.encrypt(part)?;
/// }
/// let tag = stream.finish()?;
///
/// stream.start(&[0; 12])?;
/// stream.aad(b"orders")?;
/// for part in text.chunks_mut(16) {
///     stream.decrypt_unverified(part)?;
/// }
/// stream.verify(&tag)?;
/// assert_eq!(&text, b"attack at dawn, and tell bob");
/// # Ok::<(), ciphertune::Error>(())
/// ```
///
/// Two messages in a row are not sealed with the same nonce, as [`crate::GcmStream`] has it. A stream encrypts no more
/// than 2^48 blocks (RFC 7253, section 5), additional data among them; what else is done with the key it cannot count.
///
/// A clone, or a forked child's copy, stands where the original does and goes on by itself. **Only one of the two may encrypt
/// anything further**: the same nonce would serve two messages. Key, offsets and sums are wiped on drop.
pub struct OcbStream(Box<State>);

/// On the heap, where it stays until it is wiped.
struct State {
    ocb: Ocb,
    message: OcbMessage,
    /// Encrypted so far, and those of additional data.
    blocks: u64,
    progress: Progress,
}

/// A key's limit.
const MOST_BLOCKS: u64 = 1 << 48;

impl OcbStream {
    /// Messages with the key and the length of tags of `ocb`.
    pub fn new(ocb: Ocb) -> Self {
        Self(Box::new(State {
            ocb,
            message: OcbMessage::empty(),
            blocks: 0,
            progress: Progress::default(),
        }))
    }

    /// Takes a new key, as [`Ocb::rekey`] does: a message in parts ends without a tag, and what was encrypted and which
    /// nonce was the last is forgotten. On an error nothing has changed.
    pub fn rekey(&mut self, key: &[u8]) -> Result<(), Error> {
        self.0.ocb.rekey(key)?;
        self.0.forget();
        self.0.blocks = 0;
        Ok(())
    }

    /// The key, for a message in one piece, whose blocks the stream does not count. A message in parts ends here without a
    /// tag, and which nonce was the last is forgotten.
    pub fn key(&mut self) -> &Ocb {
        self.0.forget();
        &self.0.ocb
    }

    /// Tags of `len` bytes from the next message on, 4 to 16, as [`Ocb::with_tag_len`] has it. A message in parts ends here
    /// without a tag: its length goes into everything that it is made of.
    ///
    /// [`Error::TagLength`]: nothing has changed.
    #[inline]
    pub fn set_tag_len(&mut self, len: usize) -> Result<(), Error> {
        self.0.ocb.set_tag_len(len)?;
        self.0.progress.end();
        Ok(())
    }

    /// Starts a message; one that was not finished ends without a tag. The nonce has 1 to 15 bytes, best 12, and **must
    /// never serve two messages that are encrypted**.
    ///
    /// [`Error::NonceLength`]: nothing has changed.
    #[inline]
    pub fn start(&mut self, nonce: &[u8]) -> Result<(), Error> {
        self.0.start(nonce)?;
        self.0.progress.start(nonce);
        Ok(())
    }

    /// As [`OcbStream::start`], whatever the nonce has served: for a caller that keeps account of its nonces itself, or
    /// that seals the same message once more. Once it is sealed, later starts know neither its nonce nor those before.
    #[inline]
    pub fn start_again(&mut self, nonce: &[u8]) -> Result<(), Error> {
        self.0.start(nonce)?;
        self.0.progress.start_unguarded();
        Ok(())
    }

    /// Takes additional data.
    ///
    /// [`Error::NoMessage`], [`Error::KeyExhausted`]: nothing has changed.
    pub fn aad(&mut self, data: &[u8]) -> Result<(), Error> {
        self.0.progress.has_message()?;
        // In either direction, which may not be known yet.
        count(&mut self.0.blocks, data.len())?;
        let State { ocb, message, .. } = &mut *self.0;
        let kernel = ocb.0.plans.forward.kernel(data.len());
        kernel.ocb_aad(&ocb.0.key, message, data);
        Ok(())
    }

    in_parts!(
        encrypt: "[`Error::KeyExhausted`], and [`Error::TextEnded`] behind a part that has not whole blocks",
        first: "[`Error::NonceUsed`]",
        decrypt: "and [`Error::TextEnded`] behind a part that has not whole blocks"
    );

    /// Ends a message that was encrypted, or one without text, and answers its tag.
    ///
    /// [`Error::NoMessage`]; [`Error::Direction`]: the message was decrypted, and who knows no key shall not learn
    /// its tag. Of a message without text [`Error::NonceUsed`]. Nothing has changed.
    #[inline]
    pub fn finish(&mut self) -> Result<Tag, Error> {
        self.0.go_on(Direction::Encrypting, 0)?;
        let State {
            ocb,
            message,
            progress,
            ..
        } = &mut *self.0;
        progress.end();
        let super::State { key, plans, tag_len } = &*ocb.0;
        Ok(Tag::new(plans.forward.kernel(0).ocb_tag(key, message), *tag_len))
    }

    /// Ends a message that was decrypted, or one without text, and answers whether `tag` is its tag.
    ///
    /// [`Error::NotAuthentic`]: it is not, and what was decrypted must not be used. [`Error::NoMessage`],
    /// [`Error::Direction`], [`Error::OtherTagLength`]: nothing has changed.
    #[inline]
    pub fn verify(&mut self, tag: &[u8]) -> Result<(), Error> {
        let State {
            ocb,
            message,
            progress,
            ..
        } = &mut *self.0;
        progress.allows(Direction::Decrypting)?;
        let super::State { key, plans, tag_len } = &*ocb.0;
        Tag::check_len(tag, *tag_len)?;
        progress.end();
        if plans.forward.kernel(0).ocb_verify(key, message, tag) {
            Ok(())
        } else {
            Err(Error::NotAuthentic)
        }
    }

    /// As [`OcbStream::encrypt`], or [`OcbStream::encrypt_to`] where input and output are apart.
    #[inline(always)]
    pub fn encrypt_inout(&mut self, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.0.enter(Direction::Encrypting, buffer.len())?;
        let State { ocb, message, .. } = &mut *self.0;
        let kernel = ocb.0.plans.forward.kernel(buffer.len());
        kernel.ocb_encrypt(&ocb.0.key, message, buffer);
        Ok(())
    }

    /// As [`OcbStream::decrypt_unverified`], or [`OcbStream::decrypt_unverified_to`] where input and output are apart.
    #[inline(always)]
    pub fn decrypt_unverified_inout(&mut self, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.0.enter(Direction::Decrypting, buffer.len())?;
        let State { ocb, message, .. } = &mut *self.0;
        let kernel = ocb.0.plans.backward.kernel(buffer.len());
        kernel.ocb_decrypt(&ocb.0.key, message, buffer);
        Ok(())
    }
}

impl State {
    /// The message is gone, wiped, and so are nonces.
    fn forget(&mut self) {
        self.message = OcbMessage::empty();
        self.progress.forget();
    }

    #[inline]
    fn start(&mut self, nonce: &[u8]) -> Result<(), Error> {
        check(nonce)?;
        let super::State { key, plans, tag_len } = &*self.ocb.0;
        let kernel = plans.forward.kernel(0);
        kernel.ocb_start(key, &mut self.message, nonce, *tag_len);
        Ok(())
    }

    /// Goes on in this direction with `len` bytes of text.
    #[inline]
    fn enter(&mut self, direction: Direction, len: usize) -> Result<(), Error> {
        self.progress.allows(direction)?;
        if len > 0 && self.message.text_ended() {
            return Err(Error::TextEnded);
        }
        self.go_on(direction, len)
    }

    /// Goes on in this direction, for `len` bytes of text. What is encrypted counts.
    #[inline]
    fn go_on(&mut self, direction: Direction, len: usize) -> Result<(), Error> {
        let Self { blocks, .. } = self;
        self.progress.go_on(direction, |_| count(blocks, len))
    }
}

/// Counts the blocks of `len` bytes.
#[inline]
fn count(blocks: &mut u64, len: usize) -> Result<(), Error> {
    let all = *blocks + len.div_ceil(BLOCK) as u64;
    if all > MOST_BLOCKS {
        return Err(Error::KeyExhausted("2^48 blocks of OCB"));
    }
    *blocks = all;
    Ok(())
}

/// See [`OcbStream`]: only one of the two may encrypt anything further.
impl Clone for OcbStream {
    fn clone(&self) -> Self {
        let mut clone = Self::new(self.0.ocb.clone());
        clone.0.message.copy_from(&self.0.message);
        clone.0.blocks = self.0.blocks;
        clone.0.progress.clone_from(&self.0.progress);
        clone
    }
}

/// Shows nothing secret.
impl fmt::Debug for OcbStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OcbStream")
            .field("ocb", &self.0.ocb)
            .field("message", &self.0.message)
            .field("progress", &self.0.progress)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_encrypts_no_more_blocks_than_it_may() {
        let mut stream = OcbStream::new(Ocb::new(&[1; 16]).unwrap());
        let too_many = |made| matches!(made, Err(Error::KeyExhausted(_)));
        stream.0.blocks = MOST_BLOCKS - 3;
        stream.start(&[1; 12]).unwrap();
        stream.aad(&[0; 17]).unwrap();
        let mut data = [7; 32];
        assert!(too_many(stream.aad(&[0; 17])));
        assert!(too_many(stream.encrypt(&mut data)));
        assert_eq!(data, [7; 32]);
        let mut clone = stream.clone();
        for stream in [&mut stream, &mut clone] {
            stream.encrypt(&mut data[..16]).unwrap();
            assert!(too_many(stream.encrypt(&mut [7])));
            stream.finish().unwrap();
            // A message can be opened.
            stream.start(&[2; 12]).unwrap();
            assert!(too_many(stream.aad(b"a")));
            stream.decrypt_unverified(&mut data).unwrap();
            // Another key has a limit of its own.
            stream.rekey(&[2; 16]).unwrap();
            stream.start(&[2; 12]).unwrap();
            stream.encrypt(&mut data).unwrap();
        }
    }

    #[test]
    fn what_a_nonce_refuses_does_not_count() {
        let mut stream = OcbStream::new(Ocb::new(&[1; 16]).unwrap());
        for _ in 0..2 {
            stream.start(&[1; 12]).unwrap();
            let _ = stream.encrypt(&mut [0; 16]);
        }
        assert_eq!(stream.encrypt(&mut [0; 160]), Err(Error::NonceUsed));
        assert_eq!(stream.0.blocks, 1);
    }
}
