use std::fmt;

use ciphertune_engine::OcbMessage;
use inout::InOutBuf;

use super::{Ocb, check};
use crate::{Error, Tag, keyed::apart, stage::Stage};

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
/// A clone stands where the original does and goes on by itself. **Only one of the two may encrypt anything
/// further**: the same nonce would serve two messages. Key, offsets and sums are wiped on drop.
pub struct OcbStream(Box<State>);

/// On the heap, where it stays until it is wiped.
struct State {
    ocb: Ocb,
    message: OcbMessage,
    stage: Stage,
}

impl OcbStream {
    /// Messages with the key and the length of tags of `ocb`.
    pub fn new(ocb: Ocb) -> Self {
        Self(Box::new(State {
            ocb,
            message: OcbMessage::empty(),
            stage: Stage::Start,
        }))
    }

    /// Tags of `len` bytes from the next message on, 4 to 16, as [`Ocb::with_tag_len`] has it. A message in parts ends here
    /// without a tag: its length goes into everything that it is made of.
    ///
    /// [`Error::TagLength`]: nothing has changed.
    pub fn set_tag_len(&mut self, len: usize) -> Result<(), Error> {
        self.0.ocb.set_tag_len(len)?;
        self.0.stage = Stage::Start;
        Ok(())
    }

    /// Starts a message; one that was not finished ends without a tag. The nonce has 1 to 15 bytes, best 12, and **must
    /// never serve two messages that are encrypted**.
    ///
    /// [`Error::NonceLength`]: nothing has changed.
    pub fn start(&mut self, nonce: &[u8]) -> Result<(), Error> {
        check(nonce)?;
        let State { ocb, message, stage } = &mut *self.0;
        let super::State { key, plans, tag_len } = &*ocb.0;
        plans.forward.kernel(0).ocb_start(key, message, nonce, *tag_len);
        *stage = Stage::Started;
        Ok(())
    }

    /// Takes additional data.
    ///
    /// [`Error::NoMessage`]: nothing has changed.
    pub fn aad(&mut self, data: &[u8]) -> Result<(), Error> {
        let State { ocb, message, stage } = &mut *self.0;
        if *stage == Stage::Start {
            return Err(Error::NoMessage);
        }
        let kernel = ocb.0.plans.forward.kernel(data.len());
        kernel.ocb_aad(&ocb.0.key, message, data);
        Ok(())
    }

    /// Encrypts the next part of the text in place: whole blocks, or the rest.
    ///
    /// [`Error::NoMessage`], [`Error::Direction`], [`Error::TextEnded`]: nothing has changed.
    #[inline]
    pub fn encrypt(&mut self, data: &mut [u8]) -> Result<(), Error> {
        self.run_encrypt(data.into())
    }

    /// As [`OcbStream::encrypt`], from `input` to `output`, which must have the same length.
    ///
    /// [`Error::OutputLength`]: nothing has changed.
    #[inline]
    pub fn encrypt_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        self.run_encrypt(apart(input, output)?)
    }

    /// Decrypts the next part of the text in place: whole blocks, or the rest. **It is not verified** before
    /// [`OcbStream::verify`] says so.
    ///
    /// [`Error::NoMessage`], [`Error::Direction`], [`Error::TextEnded`]: nothing has changed.
    #[inline]
    pub fn decrypt_unverified(&mut self, data: &mut [u8]) -> Result<(), Error> {
        self.run_decrypt(data.into())
    }

    /// As [`OcbStream::decrypt_unverified`], from `input` to `output`, which must have the same length.
    ///
    /// [`Error::OutputLength`]: nothing has changed.
    #[inline]
    pub fn decrypt_unverified_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        self.run_decrypt(apart(input, output)?)
    }

    /// Ends a message that was encrypted, or one without text, and answers its tag.
    ///
    /// [`Error::NoMessage`]; [`Error::Direction`]: the message was decrypted, and who knows no key shall not learn
    /// its tag. Nothing has changed.
    pub fn finish(&mut self) -> Result<Tag, Error> {
        let State { ocb, message, stage } = &mut *self.0;
        stage.allows(Stage::Encrypting)?;
        *stage = Stage::Start;
        let super::State { key, plans, tag_len } = &*ocb.0;
        Ok(Tag::new(plans.forward.kernel(0).ocb_tag(key, message), *tag_len))
    }

    /// Ends a message that was decrypted, or one without text, and answers whether `tag` is its tag.
    ///
    /// [`Error::NotAuthentic`]: it is not, and what was decrypted must not be used. [`Error::NoMessage`],
    /// [`Error::Direction`], [`Error::TagLength`]: nothing has changed.
    pub fn verify(&mut self, tag: &[u8]) -> Result<(), Error> {
        let State { ocb, message, stage } = &mut *self.0;
        stage.allows(Stage::Decrypting)?;
        let super::State { key, plans, tag_len } = &*ocb.0;
        if tag.len() != *tag_len {
            return Err(Error::TagLength(tag.len()));
        }
        *stage = Stage::Start;
        if plans.forward.kernel(0).ocb_verify(key, message, tag) {
            Ok(())
        } else {
            Err(Error::NotAuthentic)
        }
    }

    #[inline]
    fn run_encrypt(&mut self, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.0.enter(Stage::Encrypting, buffer.len())?;
        let State { ocb, message, .. } = &mut *self.0;
        let kernel = ocb.0.plans.forward.kernel(buffer.len());
        kernel.ocb_encrypt(&ocb.0.key, message, buffer);
        Ok(())
    }

    #[inline]
    fn run_decrypt(&mut self, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.0.enter(Stage::Decrypting, buffer.len())?;
        let State { ocb, message, .. } = &mut *self.0;
        let kernel = ocb.0.plans.backward.kernel(buffer.len());
        kernel.ocb_decrypt(&ocb.0.key, message, buffer);
        Ok(())
    }
}

impl State {
    /// Goes on to `stage`, where `len` bytes of text are to be taken.
    #[inline]
    fn enter(&mut self, stage: Stage, len: usize) -> Result<(), Error> {
        self.stage.allows(stage)?;
        if len > 0 && self.message.text_ended() {
            return Err(Error::TextEnded);
        }
        self.stage = stage;
        Ok(())
    }
}

/// See [`OcbStream`]: only one of the two may encrypt anything further.
impl Clone for OcbStream {
    fn clone(&self) -> Self {
        let mut clone = Self::new(self.0.ocb.clone());
        clone.0.message.copy_from(&self.0.message);
        clone.0.stage = self.0.stage;
        clone
    }
}

/// Shows nothing secret.
impl fmt::Debug for OcbStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OcbStream")
            .field("ocb", &self.0.ocb)
            .field("message", &self.0.message)
            .field("stage", &self.0.stage)
            .finish()
    }
}
