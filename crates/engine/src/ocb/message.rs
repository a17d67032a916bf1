//! A message of OCB in parts.

use core::fmt;

use inout::InOutBuf;

use super::{OcbKey, State};
use crate::{BLOCK, Kernel, tag::difference, wipe::overwrite};

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
        self.held = other.held;
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
    pub fn ocb_start(self, key: &OcbKey, message: &mut OcbMessage, nonce: &[u8], tag_len: usize) {
        *message = OcbMessage::empty();
        self.ocb_begin(key, message, nonce, tag_len);
    }

    /// As [`Kernel::ocb_start`], where there is no message yet.
    #[inline]
    pub(super) fn ocb_begin(self, key: &OcbKey, message: &mut OcbMessage, nonce: &[u8], tag_len: usize) {
        assert!((1..=15).contains(&nonce.len()), "a nonce has 1 to 15 bytes");
        assert!((1..=BLOCK).contains(&tag_len), "a tag has 1 to 16 bytes");
        let number = (8 * tag_len as u128 % 128) << 121 | 1 << (8 * nonce.len()) | big_endian(nonce);
        let bottom = (number % 64) as u32;
        let top = self.encrypt_block(&key.key, (number - u128::from(bottom)).swap_bytes());
        let top = top.swap_bytes();
        // 64 bits more, of which `bottom` move in.
        let more = (top ^ top << 8) >> 64;
        let offset = top << bottom | more >> (64 - bottom);
        message.text.offset = offset.swap_bytes();
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
                self.hash(key, aad, held);
                *held_len = 0;
            }
        }
        let (blocks, end) = data.split_at(data.len() / BLOCK * BLOCK);
        if !blocks.is_empty() {
            self.hash(key, aad, blocks);
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
    pub fn ocb_encrypt(self, key: &OcbKey, message: &mut OcbMessage, buffer: InOutBuf<'_, '_, u8>) {
        self.text::<true>(key, message, buffer);
    }

    /// Decrypts the next bytes of the message, as [`Kernel::ocb_encrypt`] encrypts them. **Nothing says yet that they are
    /// genuine**: that does the tag, at the end.
    ///
    /// # Panics
    /// As [`Kernel::ocb_encrypt`].
    pub fn ocb_decrypt(self, key: &OcbKey, message: &mut OcbMessage, buffer: InOutBuf<'_, '_, u8>) {
        self.text::<false>(key, message, buffer);
    }

    /// The tag of the message as it stands, of which as many bytes count as it was started with.
    pub fn ocb_tag(self, key: &OcbKey, message: &OcbMessage) -> [u8; BLOCK] {
        let OcbMessage { text, aad, held, .. } = message;
        let before_tag = text.sum ^ text.offset ^ key.moves.tag;
        let mut tag = self.encrypt_block(&key.key, before_tag) ^ aad.sum;
        if message.held_len > 0 {
            let end = &held[..message.held_len];
            let block = padded(number(end), end.len()) ^ aad.offset ^ key.moves.part;
            tag ^= self.encrypt_block(&key.key, block);
        }
        tag.to_le_bytes()
    }

    /// Whether `tag` is the tag of the message as it stands; in constant time.
    ///
    /// # Panics
    /// If `tag` has less than one or more than 16 bytes.
    #[must_use]
    pub fn ocb_verify(self, key: &OcbKey, message: &OcbMessage, tag: &[u8]) -> bool {
        assert!((1..=BLOCK).contains(&tag.len()), "a tag has 1 to 16 bytes");
        difference(u128::from_le_bytes(self.ocb_tag(key, message)), tag) == 0
    }

    fn text<const SEAL: bool>(self, key: &OcbKey, message: &mut OcbMessage, buffer: InOutBuf<'_, '_, u8>) {
        let OcbMessage { text, ended, .. } = message;
        assert!(!*ended || buffer.is_empty(), "the text has ended");
        let whole = buffer.len() / BLOCK * BLOCK;
        let (blocks, mut end) = buffer.split_at(whole);
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
            let pad = self.encrypt_block(&key.key, text.offset) & !(u128::MAX << (8 * len));
            let input = number(end.get_in());
            let output = input ^ pad;
            end.get_out().copy_from_slice(&output.to_le_bytes()[..len]);
            text.sum ^= padded(if SEAL { input } else { output }, len);
        }
    }

    /// Adds whole blocks to the hash of additional data.
    fn hash(self, key: &OcbKey, aad: &mut State, blocks: &[u8]) {
        // SAFETY: as above.
        unsafe { (self.modes().ocb_hash)(key, aad, blocks) };
    }
}

/// Up to a block as a big-endian number. Most nonces have twelve bytes: put together in a register they need not be
/// waited for on their way through memory.
#[inline]
fn big_endian(bytes: &[u8]) -> u128 {
    if let (words, []) = bytes.as_chunks::<4>() {
        return words.iter().fold(0, |number, word| {
            number << 32 | u128::from(u32::from_be_bytes(*word))
        });
    }
    bytes
        .iter()
        .fold(0, |number, byte| number << 8 | u128::from(*byte))
}

/// Less than a block as a number, the first byte the least significant.
fn number(bytes: &[u8]) -> u128 {
    let mut block = [0; BLOCK];
    block[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(block)
}

/// `len` bytes with a one after them.
fn padded(bytes: u128, len: usize) -> u128 {
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
