use std::fmt;

use ciphertune_engine::CcmMessage;
use inout::InOutBuf;

use super::{Ccm, check};
use crate::{
    Error, Tag,
    keyed::{apart, in_parts},
    progress::{Direction, Progress},
};

/// A message of AES-CCM in parts: nonce and lengths, additional data, text, tag; then the next message with the same key.
///
/// The first thing that CCM authenticates are the lengths of additional data and text, so that they must be known at
/// the start. Parts are of any lengths and give what the whole would. **Decrypting in parts hands out text before the tag
/// has been seen.** Until [`CcmStream::verify`] has answered, that text may be anybody's: keep it, and forget it if the tag is
/// wrong. Where a message is at hand in one piece, [`Ccm`] is the better way.
///
/// ```
/// use ciphertune::{Ccm, CcmStream};
///
/// let mut stream = CcmStream::new(Ccm::new(&[0x2b; 16])?);
/// let mut parts = [*b"attack at ", *b"dawn, bob "];
/// stream.start(&[0; 12], 6, 20)?;
/// stream.aad(b"orders")?;
/// for part in &mut parts {
///     stream.encrypt(part)?;
/// }
/// let tag = stream.finish()?;
///
/// stream.start(&[0; 12], 6, 20)?;
/// stream.aad(b"orders")?;
/// for part in &mut parts {
///     stream.decrypt_unverified(part)?;
/// }
/// stream.verify(&tag)?;
/// assert_eq!(parts.concat(), b"attack at dawn, bob ");
/// # Ok::<(), ciphertune::Error>(())
/// ```
///
/// Two messages in a row are not sealed with the same nonce, as [`crate::GcmStream`] has it.
///
/// A clone, or a forked child's copy, stands where the original does and goes on by itself. **Only one of the two may encrypt
/// anything further**: the same nonce would serve two messages. Key, MAC and keystream are wiped on drop.
pub struct CcmStream(Box<State>);

/// On the heap, where it stays until it is wiped.
struct State {
    ccm: Ccm,
    message: CcmMessage,
    progress: Progress,
}

impl CcmStream {
    /// Messages with the key and the length of tags of `ccm`.
    pub fn new(ccm: Ccm) -> Self {
        Self(Box::new(State {
            ccm,
            message: CcmMessage::empty(),
            progress: Progress::default(),
        }))
    }

    /// Takes a new key, as [`Ccm::rekey`] does: a message in parts ends without a tag, and which nonce was the last is
    /// forgotten. On an error nothing has changed.
    pub fn rekey(&mut self, key: &[u8]) -> Result<(), Error> {
        self.0.ccm.rekey(key)?;
        self.0.forget();
        Ok(())
    }

    /// The key, for a message in one piece. A message in parts ends here without a tag, and which nonce was the last is
    /// forgotten.
    pub fn key(&mut self) -> &Ccm {
        self.0.forget();
        &self.0.ccm
    }

    /// Tags of `len` bytes from the next message on, as [`Ccm::with_tag_len`] has it. A message in parts ends here without a
    /// tag: its length goes into everything that it is made of.
    ///
    /// [`Error::TagLength`]: nothing has changed.
    pub fn set_tag_len(&mut self, len: usize) -> Result<(), Error> {
        self.0.ccm.set_tag_len(len)?;
        self.0.progress.end();
        Ok(())
    }

    /// Starts a message with `aad_len` bytes of additional data and `text_len` bytes of text; one that was not finished
    /// ends without a tag. The nonce has 7 to 13 bytes and **must never serve two messages that are encrypted**.
    ///
    /// [`Error::NonceLength`], [`Error::CcmMessageLength`]: nothing has changed.
    pub fn start(&mut self, nonce: &[u8], aad_len: u64, text_len: u64) -> Result<(), Error> {
        self.0.start(nonce, (aad_len, text_len))?;
        self.0.progress.start(nonce);
        Ok(())
    }

    /// As [`CcmStream::start`], whatever the nonce has served: for a caller that keeps account of its nonces itself, or
    /// that seals the same message once more. Once it is sealed, later starts know neither its nonce nor those before.
    pub fn start_again(&mut self, nonce: &[u8], aad_len: u64, text_len: u64) -> Result<(), Error> {
        self.0.start(nonce, (aad_len, text_len))?;
        self.0.progress.start_unguarded();
        Ok(())
    }

    /// Takes additional data, which come before the text.
    ///
    /// [`Error::NoMessage`], [`Error::AadAfterText`], [`Error::CcmPromise`]: nothing has changed.
    pub fn aad(&mut self, data: &[u8]) -> Result<(), Error> {
        let State {
            ccm,
            message,
            progress,
        } = &mut *self.0;
        progress.allows_aad()?;
        promised(AAD, message.aad_left(), data.len())?;
        let kernel = ccm.key.forward(data.len());
        kernel.ccm_aad(ccm.key.key(), message, data);
        Ok(())
    }

    in_parts!(
        encrypt: "[`Error::CcmPromise`]",
        first: "[`Error::NonceUsed`]",
        decrypt: "[`Error::CcmPromise`]"
    );

    /// Ends a message that was encrypted, or one without text, and answers its tag.
    ///
    /// [`Error::NoMessage`]; [`Error::CcmPromise`]: it is not complete; [`Error::Direction`]: it was decrypted, and who knows
    /// no key shall not learn its tag. Of a message without text [`Error::NonceUsed`]. Nothing has changed.
    pub fn finish(&mut self) -> Result<Tag, Error> {
        self.0.progress.allows(Direction::Encrypting)?;
        self.0.end(Direction::Encrypting)?;
        let State { ccm, message, .. } = &mut *self.0;
        let tag = ccm.key.forward(0).ccm_tag(ccm.key.key(), message);
        Ok(Tag::new(tag, ccm.tag_len))
    }

    /// Ends a message that was decrypted, or one without text, and answers whether `tag` is its tag.
    ///
    /// [`Error::NotAuthentic`]: it is not, and what was decrypted must not be used. [`Error::NoMessage`],
    /// [`Error::CcmPromise`], [`Error::Direction`], [`Error::OtherTagLength`]: nothing has changed.
    pub fn verify(&mut self, tag: &[u8]) -> Result<(), Error> {
        self.0.progress.allows(Direction::Decrypting)?;
        Tag::check_len(tag, self.0.ccm.tag_len)?;
        self.0.end(Direction::Decrypting)?;
        let State { ccm, message, .. } = &mut *self.0;
        if ccm.key.backward(0).ccm_verify(ccm.key.key(), message, tag) {
            Ok(())
        } else {
            Err(Error::NotAuthentic)
        }
    }

    /// As [`CcmStream::encrypt`], or [`CcmStream::encrypt_to`] where input and output are apart.
    pub fn encrypt_inout(&mut self, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.0.enter(Direction::Encrypting, buffer.len())?;
        let State { ccm, message, .. } = &mut *self.0;
        let kernel = ccm.key.forward(buffer.len());
        kernel.ccm_encrypt(ccm.key.key(), message, buffer);
        Ok(())
    }

    /// As [`CcmStream::decrypt_unverified`], or [`CcmStream::decrypt_unverified_to`] where input and output are apart.
    pub fn decrypt_unverified_inout(&mut self, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.0.enter(Direction::Decrypting, buffer.len())?;
        let State { ccm, message, .. } = &mut *self.0;
        let kernel = ccm.key.backward(buffer.len());
        kernel.ccm_decrypt(ccm.key.key(), message, buffer);
        Ok(())
    }
}

impl State {
    /// The message is gone, wiped, and so are nonces.
    fn forget(&mut self) {
        self.message = CcmMessage::empty();
        self.progress.forget();
    }

    fn start(&mut self, nonce: &[u8], lengths: (u64, u64)) -> Result<(), Error> {
        check(nonce, lengths.1)?;
        let Self { ccm, message, .. } = self;
        let kernel = ccm.key.forward(0);
        kernel.ccm_start(ccm.key.key(), message, nonce, lengths, ccm.tag_len);
        Ok(())
    }

    /// Goes on in this direction with `len` bytes of text.
    fn enter(&mut self, direction: Direction, len: usize) -> Result<(), Error> {
        self.progress.allows(direction)?;
        complete(AAD, self.message.aad_left())?;
        promised(TEXT, self.message.text_left(), len)?;
        self.go_on(direction)
    }

    /// Goes on in this direction. A key has no limit that can be reached.
    fn go_on(&mut self, direction: Direction) -> Result<(), Error> {
        self.progress.go_on(direction, |_| Ok(()))
    }

    /// Ends a message that may end in that direction.
    fn end(&mut self, direction: Direction) -> Result<(), Error> {
        complete(AAD, self.message.aad_left())?;
        complete(TEXT, self.message.text_left())?;
        self.go_on(direction)?;
        self.progress.end();
        Ok(())
    }
}

const AAD: &str = "additional data";
const TEXT: &str = "text";

/// Whether `len` bytes are not too many.
fn promised(what: &'static str, left: u64, len: usize) -> Result<(), Error> {
    if len as u64 <= left {
        Ok(())
    } else {
        Err(Error::CcmPromise { what, left, len })
    }
}

/// Whether nothing is missing.
fn complete(what: &'static str, left: u64) -> Result<(), Error> {
    if left == 0 {
        Ok(())
    } else {
        Err(Error::CcmPromise { what, left, len: 0 })
    }
}

/// See [`CcmStream`]: only one of the two may encrypt anything further.
impl Clone for CcmStream {
    fn clone(&self) -> Self {
        let mut clone = Self::new(self.0.ccm.clone());
        clone.0.message.copy_from(&self.0.message);
        clone.0.progress.clone_from(&self.0.progress);
        clone
    }
}

/// Shows nothing secret.
impl fmt::Debug for CcmStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CcmStream")
            .field("ccm", &self.0.ccm)
            .field("message", &self.0.message)
            .field("progress", &self.0.progress)
            .finish_non_exhaustive()
    }
}
