//! A message of OCB in parts.

use core::fmt;

use inout::InOutBuf;

use super::{OcbKey, Start, State, first_offset};
use crate::{
    BLOCK, Kernel,
    copy::copy_one,
    part::{self, number},
    tag::is_tag,
    wipe::{apart, overwrite},
};

/// Where a message of OCB stands that comes in parts. It belongs to the key that its parts are given with.
///
/// It is secret and filled in place; dropping wipes it.
#[derive(Default)]
pub struct OcbMessage {
    text: State,
    /// Whether the text ended within a block.
    ended: bool,
    aad: State,
    /// Additional data that wait for the rest of their block: what becomes of them depends on whether it comes.
    held: [u8; BLOCK],
    held_len: usize,
}

impl OcbMessage {
    /// No message yet: start one with [`Kernel::ocb_start`].
    pub fn empty() -> Self {
        Self::default()
    }

    /// Whether the text ended within a block, so that nothing can follow.
    pub fn text_ended(&self) -> bool {
        self.ended
    }

    /// Becomes another that stands where `other` does; what was there is wiped.
    pub fn copy_from(&mut self, other: &Self) {
        self.text.copy_from(&other.text);
        self.ended = other.ended;
        self.aad.copy_from(&other.aad);
        copy_one(&mut self.held, &other.held);
        self.held_len = other.held_len;
    }
}

/// A message in parts, by the key that it was started with.
///
/// # Panics
/// All of these: if `key` was last expanded by a kernel with another layout, or never.
impl Kernel {
    /// Starts a message: `message` is then at its beginning, whatever it was.
    ///
    /// # Panics
    /// If the nonce has not 1 to 15 bytes, the tag not 1 to 16.
    #[inline]
    pub fn ocb_start(self, key: &OcbKey, message: &mut OcbMessage, nonce: &[u8], tag_len: usize) {
        *message = OcbMessage::empty();
        self.ocb_begin(key, message, Start::new(nonce, tag_len));
    }

    /// As [`Kernel::ocb_start`], where there is no message yet.
    #[inline]
    pub(super) fn ocb_begin(self, key: &OcbKey, message: &mut OcbMessage, start: Start) {
        let top = self.encrypt_block(&key.key, start.top);
        message.text.offset = first_offset(top, start.bottom);
    }

    /// Takes additional data, before the text, after it or between its parts.
    pub fn ocb_aad(self, key: &OcbKey, message: &mut OcbMessage, mut data: &[u8]) {
        let OcbMessage {
            aad, held, held_len, ..
        } = message;
        if *held_len > 0 {
            let (head, rest) = data.split_at(data.len().min(BLOCK - *held_len));
            held[*held_len..][..head.len()].copy_from_slice(head);
            *held_len += head.len();
            data = rest;
            if *held_len == BLOCK {
                self.ocb_hash(key, aad, held);
                *held_len = 0;
            }
        }
        let (blocks, end) = data.split_at(data.len() / BLOCK * BLOCK);
        if !blocks.is_empty() {
            self.ocb_hash(key, aad, blocks);
        }
        if !end.is_empty() {
            held[..end.len()].copy_from_slice(end);
            *held_len = end.len();
        }
    }

    /// Encrypts the next bytes of the message. Only the last part may end within a block: what becomes of a part of one
    /// depends on whether more follows.
    ///
    /// # Panics
    /// If the text has ended.
    #[inline]
    pub fn ocb_encrypt(self, key: &OcbKey, message: &mut OcbMessage, buffer: InOutBuf<'_, '_, u8>) {
        self.ocb_text::<true>(key, message, buffer);
    }

    /// Decrypts the next bytes of the message, as [`Kernel::ocb_encrypt`] encrypts them. **Nothing says yet that they are
    /// genuine**: that does the tag, at the end.
    ///
    /// # Panics
    /// As [`Kernel::ocb_encrypt`].
    #[inline]
    pub fn ocb_decrypt(self, key: &OcbKey, message: &mut OcbMessage, buffer: InOutBuf<'_, '_, u8>) {
        self.ocb_text::<false>(key, message, buffer);
    }

    /// The tag of the message as it stands, of which as many bytes count as it was started with.
    #[inline]
    pub fn ocb_tag(self, key: &OcbKey, message: &OcbMessage) -> [u8; BLOCK] {
        apart::<256, _>(|| self.ocb_end(key, message)).to_le_bytes()
    }

    #[inline]
    pub(super) fn ocb_end(self, key: &OcbKey, message: &OcbMessage) -> u128 {
        let OcbMessage { text, aad, held, .. } = message;
        let before_tag = text.sum ^ text.offset ^ key.moves.tag;
        self.encrypt_block(&key.key, before_tag) ^ self.hash_end(key, aad, &held[..message.held_len])
    }

    /// The hash of additional data that end so, less than a block after others.
    #[inline]
    fn hash_end(self, key: &OcbKey, aad: &State, end: &[u8]) -> u128 {
        if end.is_empty() {
            return aad.sum;
        }
        let block = padded(number(end), end.len()) ^ aad.offset ^ key.moves.part;
        aad.sum ^ self.encrypt_block(&key.key, block)
    }

    /// Whether `tag` is the tag of the message as it stands; in constant time. It is to have as many bytes as the message
    /// was started with: of a shorter one those alone are looked at.
    ///
    /// # Panics
    /// If `tag` has less than one or more than 16 bytes.
    #[inline]
    #[must_use]
    pub fn ocb_verify(self, key: &OcbKey, message: &OcbMessage, tag: &[u8]) -> bool {
        is_tag(|| self.ocb_end(key, message), tag)
    }

    #[inline]
    pub(super) fn ocb_text<const SEAL: bool>(
        self,
        key: &OcbKey,
        message: &mut OcbMessage,
        buffer: InOutBuf<'_, '_, u8>,
    ) {
        let OcbMessage { text, ended, .. } = message;
        assert!(!*ended || buffer.is_empty(), "the text has ended");
        let whole = buffer.len() / BLOCK * BLOCK;
        let (blocks, end) = buffer.split_at(whole);
        let run = if SEAL {
            self.modes().ocb_encrypt
        } else {
            self.modes().ocb_decrypt
        };
        if whole > 0 {
            // SAFETY: a kernel exists only where its features were found.
            unsafe { run(key, text, blocks) };
        }
        if !end.is_empty() {
            let len = end.len();
            *ended = true;
            text.offset ^= key.moves.part;
            let [input, output] = part::add(self.encrypt_block(&key.key, text.offset), end);
            text.sum ^= padded(if SEAL { input } else { output }, len);
        }
    }

    /// Adds whole blocks to the hash of additional data.
    pub(super) fn ocb_hash(self, key: &OcbKey, aad: &mut State, blocks: &[u8]) {
        // SAFETY: as above.
        unsafe { (self.modes().ocb_hash)(key, aad, blocks) };
    }
}

/// `len` bytes with a one after them.
pub(crate) fn padded(bytes: u128, len: usize) -> u128 {
    bytes | 0x80 << (8 * len)
}

impl Drop for OcbMessage {
    fn drop(&mut self) {
        overwrite(&mut self.held, [0; BLOCK]);
    }
}

/// Shows nothing secret.
impl fmt::Debug for OcbMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OcbMessage")
            .field("blocks", &self.text.blocks)
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}
