//! A message of GCM in parts.

use core::fmt;

use inout::InOutBuf;
use zeroize::Zeroize;

use super::{GcmKernel, GcmKey};
use crate::{
    BLOCK,
    copy::copy_one,
    part::{self, number},
    tag::release,
    wipe::apart,
};

/// Where a message of GCM stands that comes in parts. It belongs to the key that its parts are given with.
///
/// As a key it is secret and filled in place; dropping wipes it.
#[derive(Default)]
pub struct GcmMessage {
    /// J₀, the counter block before the first one of the data, as a big-endian number.
    pub(crate) first: u128,
    /// Whether that is a hash under the key, and not the nonce itself.
    pub(crate) secret: bool,
    /// The hash so far, its first byte as the least significant.
    pub(crate) hash: u128,
    /// Whether a block was added to the hash and not yet multiplied: of the data as long as those end within a
    /// block, else of what came before.
    pub(crate) open: bool,
    /// The keystream of the block that the data end within, its first byte as the least significant.
    pub(crate) keystream: u128,
    pub(crate) aad_len: u64,
    pub(crate) text_len: u64,
}

impl GcmMessage {
    /// No message yet: start one with [`GcmKernel::start`].
    pub fn empty() -> Self {
        Self::default()
    }

    /// Bytes of additional data so far.
    pub fn aad_len(&self) -> u64 {
        self.aad_len
    }

    /// Bytes of the message so far.
    pub fn text_len(&self) -> u64 {
        self.text_len
    }

    /// For tests of limits that no test can reach: as if so many bytes had come.
    #[cfg(feature = "probe")]
    pub fn pretend(&mut self, aad_len: u64, text_len: u64) {
        (self.aad_len, self.text_len) = (aad_len, text_len);
    }

    /// Becomes another that stands where `other` does; what was there is gone.
    pub fn copy_from(&mut self, other: &Self) {
        copy_one(&mut self.first, &other.first);
        copy_one(&mut self.hash, &other.hash);
        copy_one(&mut self.keystream, &other.keystream);
        (self.open, self.secret) = (other.open, other.secret);
        self.aad_len = other.aad_len;
        self.text_len = other.text_len;
    }
}

/// A message in parts, by the key that it was started with.
///
/// # Panics
/// All of these: if `key` was last expanded by a kernel with another layout, or never.
impl GcmKernel {
    /// Starts a message: `message` is then at its beginning, whatever it was.
    ///
    /// # Panics
    /// If `nonce` is empty or passes [`GcmKernel::LONGEST_AAD`].
    #[inline]
    pub fn start(self, key: &mut GcmKey, message: &mut GcmMessage, nonce: &[u8]) {
        message.zeroize();
        match nonce.try_into() {
            Ok(nonce) => message.first = first_block(nonce),
            // Half of what it made is still in a register, which the next call would save on the stack.
            Err(_) => apart::<256, _>(|| self.start_by_hash(key, message, nonce)),
        }
    }

    /// J₀ is the hash of the nonce.
    #[inline(never)]
    fn start_by_hash(self, key: &mut GcmKey, message: &mut GcmMessage, nonce: &[u8]) {
        assert!(!nonce.is_empty(), "a nonce has at least one byte");
        self.aad(key, message, nonce);
        let bits = u128::from(message.aad_len * 8);
        self.absorb(key, message, &bits.to_be_bytes());
        let first = message.hash.swap_bytes();
        message.zeroize();
        (message.first, message.secret) = (first, true);
    }

    /// Takes additional data.
    ///
    /// # Panics
    /// If the message has data already, or with these more additional data than [`GcmKernel::LONGEST_AAD`].
    #[inline]
    pub fn aad(self, key: &mut GcmKey, message: &mut GcmMessage, data: &[u8]) {
        assert!(
            message.text_len == 0,
            "additional data come before the message's own"
        );
        let (at, len) = (message.aad_len % BLOCK as u64, data.len() as u64);
        let room = Self::LONGEST_AAD - message.aad_len;
        assert!(len <= room, "GCM's limits");
        message.aad_len += len;
        let (head, data) = data.split_at(within_block(at, data.len()));
        message.add(at, head);
        let (blocks, end) = data.split_at(data.len() / BLOCK * BLOCK);
        // Less than a block at the beginning waits for the text, and is multiplied with that.
        if !blocks.is_empty() || message.open && !end.is_empty() {
            self.absorb(key, message, blocks);
        }
        message.add(0, end);
    }

    /// Encrypts the next bytes of the message.
    ///
    /// # Panics
    /// If with these it is longer than [`GcmKernel::LONGEST_MESSAGE`].
    #[inline]
    pub fn encrypt(self, key: &mut GcmKey, message: &mut GcmMessage, buffer: InOutBuf<'_, '_, u8>) {
        self.update::<true>(key, message, buffer);
    }

    /// Decrypts the next bytes of the message. **Nothing says yet that they are genuine**: that does the tag, at the
    /// end.
    ///
    /// # Panics
    /// As [`GcmKernel::encrypt`].
    #[inline]
    pub fn decrypt(self, key: &mut GcmKey, message: &mut GcmMessage, buffer: InOutBuf<'_, '_, u8>) {
        self.update::<false>(key, message, buffer);
    }

    // Always, and what goes on within a block apart: a part of 16 bytes is mostly calls.
    #[inline(always)]
    fn update<const SEAL: bool>(
        self,
        key: &mut GcmKey,
        message: &mut GcmMessage,
        buffer: InOutBuf<'_, '_, u8>,
    ) {
        let room = Self::LONGEST_MESSAGE - message.text_len;
        assert!(buffer.len() as u64 <= room, "GCM's limits");
        if message.text_len.is_multiple_of(BLOCK as u64) {
            self.run::<SEAL>(key, message, buffer);
        } else {
            self.go_on::<SEAL>(key, message, buffer);
        }
    }

    /// From within a block.
    #[inline(never)]
    fn go_on<const SEAL: bool>(
        self,
        key: &mut GcmKey,
        message: &mut GcmMessage,
        buffer: InOutBuf<'_, '_, u8>,
    ) {
        let at = message.text_len % BLOCK as u64;
        let head = within_block(at, buffer.len());
        let (head, buffer) = buffer.split_at(head);
        if !head.is_empty() {
            message.go_on::<SEAL>(at, head);
        }
        self.run::<SEAL>(key, message, buffer);
    }

    /// From where a block begins.
    #[inline(always)]
    fn run<const SEAL: bool>(self, key: &mut GcmKey, message: &mut GcmMessage, buffer: InOutBuf<'_, '_, u8>) {
        if buffer.is_empty() {
            return;
        }
        let run = if SEAL {
            self.entry.encrypt
        } else {
            self.entry.decrypt
        };
        // SAFETY: a kernel exists only where its features were found; the part is not empty and begins where a block does.
        unsafe { run(key, message, buffer) };
    }

    /// The tag of the message as it stands.
    #[inline]
    pub fn tag(self, key: &mut GcmKey, message: &GcmMessage) -> [u8; BLOCK] {
        // SAFETY: as above.
        unsafe { (self.entry.end)(key, message) }.to_le_bytes()
    }

    /// Whether `tag` is the tag of the message as it stands, or the first bytes of it; in constant time.
    ///
    /// # Panics
    /// If `tag` has less than one or more than 16 bytes.
    #[inline]
    #[must_use]
    pub fn verify(self, key: &mut GcmKey, message: &GcmMessage, tag: &[u8]) -> bool {
        assert!((1..=BLOCK).contains(&tag.len()), "a tag has 1 to 16 bytes");
        // SAFETY: as above.
        let expected = unsafe { (self.entry.end)(key, message) };
        release(&mut [], expected, tag)
    }

    /// All of a message, by the parts of which it comes to its tag: with a nonce or additional data that few have.
    #[cold]
    #[inline(never)]
    pub(super) fn in_parts<const SEAL: bool>(
        self,
        key: &mut GcmKey,
        nonce: &[u8],
        aad: &[u8],
        buffer: &mut InOutBuf<'_, '_, u8>,
    ) -> u128 {
        apart::<512, _>(|| {
            let mut message = GcmMessage::empty();
            self.start(key, &mut message, nonce);
            self.aad(key, &mut message, aad);
            self.update::<SEAL>(key, &mut message, buffer.reborrow());
            // SAFETY: as above.
            unsafe { (self.entry.end)(key, &message) }
        })
    }

    /// Hashes whole blocks after what there is.
    fn absorb(self, key: &mut GcmKey, message: &mut GcmMessage, blocks: &[u8]) {
        // SAFETY: as above.
        unsafe { (self.entry.absorb)(key, message, blocks) }
    }
}

impl Zeroize for GcmMessage {
    #[inline]
    fn zeroize(&mut self) {
        self.first.zeroize();
        self.hash.zeroize();
        self.keystream.zeroize();
        (self.open, self.secret) = (false, false);
        (self.aad_len, self.text_len) = (0, 0);
    }
}

impl Drop for GcmMessage {
    fn drop(&mut self) {
        self.zeroize();
    }
}

/// J₀ of a nonce of 12 bytes, as a big-endian number.
#[inline]
pub(crate) fn first_block(nonce: &[u8; 12]) -> u128 {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = *nonce;
    u128::from_be_bytes([a, b, c, d, e, f, g, h, i, j, k, l, 0, 0, 0, 1])
}

/// How many of `len` bytes belong to a block that has `at` already.
#[inline]
fn within_block(at: u64, len: usize) -> usize {
    let missing = at.wrapping_neg() % BLOCK as u64;
    len.min(missing as usize)
}

impl GcmMessage {
    /// Adds bytes of additional data to a block, from its byte `at` on.
    #[inline]
    fn add(&mut self, at: u64, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.hash ^= number(bytes) << (8 * at);
            self.open = true;
        }
    }

    /// Encrypts or decrypts a part of a block, from byte `at` of one on that was begun.
    fn go_on<const SEAL: bool>(&mut self, at: u64, buffer: InOutBuf<'_, '_, u8>) {
        self.text_len += buffer.len() as u64;
        let [input, output] = part::add(self.keystream >> (8 * at), buffer);
        self.hash ^= if SEAL { output } else { input } << (8 * at);
    }
}

/// Shows nothing secret.
impl fmt::Debug for GcmMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GcmMessage")
            .field("aad_len", &self.aad_len)
            .field("text_len", &self.text_len)
            .finish_non_exhaustive()
    }
}
