//! Cipher feedback by blocks and output feedback (SP 800-38A, sections 6.3 and 6.4), of messages in parts.

use core::fmt;

use inout::InOutBuf;
use zeroize::ZeroizeOnDrop;

use crate::{BLOCK, BlockKey, Kernel, block::Chained, copy::copy_one, part, span::Span, wipe::overwrite};

/// Where a message of CFB or OFB stands.
///
/// A block and how many of its bytes are used. With none used it is what AES is to encrypt next: the IV or, of CFB, the
/// last block of ciphertext, of OFB, of keystream. With some used, these are ciphertext of CFB or keystream of OFB, and
/// the others are keystream. That is how OpenSSL keeps its `iv` and `num`. Dropping wipes it.
#[repr(C, align(16))] // or else the block may lie across a page's end, and the next call waits for it
pub struct Feedback {
    block: [u8; BLOCK],
    used: usize,
}

impl Feedback {
    /// The beginning of a message.
    pub fn new(iv: [u8; BLOCK]) -> Self {
        Self { block: iv, used: 0 }
    }

    /// Where another stood of which `block` and `used` were taken; `used` counts modulo 16.
    pub fn resume(block: [u8; BLOCK], used: usize) -> Self {
        let used = used % BLOCK;
        Self { block, used }
    }

    /// Stands elsewhere in its block; `used` counts modulo 16.
    pub fn set_used(&mut self, used: usize) {
        self.used = used % BLOCK;
    }

    /// Becomes another that stands where `other` does; what was there is gone.
    pub fn copy_from(&mut self, other: &Self) {
        copy_one(&mut self.block, &other.block);
        self.used = other.used;
    }

    /// The block. Where some of it are used, the other bytes are secret.
    pub fn block(&self) -> &[u8; BLOCK] {
        &self.block
    }

    /// How many bytes of the block are used, less than 16.
    pub fn used(&self) -> usize {
        self.used
    }

    /// Adds bytes of the block, which must have as many, to `buffer`; where ciphertext is fed back, it takes their
    /// place.
    fn add(&mut self, mut buffer: InOutBuf<'_, '_, u8>, fed_back: Fed) {
        let bytes = &mut self.block[self.used..][..buffer.len()];
        for (byte, mut text) in bytes.iter_mut().zip(buffer.reborrow()) {
            let input = *text.get_in();
            let output = input ^ *byte;
            match fed_back {
                Fed::Output => *byte = output,
                Fed::Input => *byte = input,
                Fed::Keystream => {}
            }
            *text.get_out() = output;
        }
        self.used = (self.used + buffer.len()) % BLOCK;
    }

    /// As [`Feedback::add`], with less than a block of keystream that was just made; its first byte is the least
    /// significant. A function of its own would push the register that this comes in, to align its stack.
    #[inline(always)]
    fn begin(&mut self, made: u128, end: InOutBuf<'_, '_, u8>, fed_back: Fed) {
        let used = end.len();
        let input = part::number(end.get_in());
        let output = input ^ made;
        let fed = match fed_back {
            Fed::Output => output,
            Fed::Input => input,
            Fed::Keystream => made,
        };
        let first = (1 << (8 * used)) - 1;
        self.block = (fed & first | made & !first).to_le_bytes();
        self.used = used;
        // SAFETY: the buffer is valid for as many bytes; `number` has seen to it that they are less than a block, and the
        // caller that there are some.
        unsafe { part::store([output as u64, (output >> 64) as u64], end.into_raw().1, used) };
    }
}

/// What becomes the next block.
#[derive(Clone, Copy)]
pub(crate) enum Fed {
    /// CFB, encryption.
    Output,
    /// CFB, decryption.
    Input,
    /// OFB.
    Keystream,
}

/// # Panics
/// All of these: if `key` was last expanded by a kernel with another layout, or never.
impl Kernel {
    /// Cipher feedback by blocks (SP 800-38A, section 6.3), of any length.
    #[inline]
    pub fn cfb_encrypt(self, key: &BlockKey, at: &mut Feedback, buffer: InOutBuf<'_, '_, u8>) {
        self.feed_back(key, at, buffer, Fed::Output, self.modes().cfb_encrypt);
    }

    /// As [`Kernel::cfb_encrypt`], backwards.
    #[inline]
    pub fn cfb_decrypt(self, key: &BlockKey, at: &mut Feedback, buffer: InOutBuf<'_, '_, u8>) {
        self.feed_back(key, at, buffer, Fed::Input, self.modes().cfb_decrypt);
    }

    /// Output feedback (SP 800-38A, section 6.4), of any length; encrypting and decrypting are the same.
    #[inline]
    pub fn ofb(self, key: &BlockKey, at: &mut Feedback, buffer: InOutBuf<'_, '_, u8>) {
        self.feed_back(key, at, buffer, Fed::Keystream, self.modes().ofb);
    }

    /// By `blocks`, the kernel's of the mode. Most calls have whole blocks alone, of which nothing is to be split off.
    #[inline]
    fn feed_back(
        self,
        key: &BlockKey,
        at: &mut Feedback,
        buffer: InOutBuf<'_, '_, u8>,
        fed_back: Fed,
        blocks: Chained,
    ) {
        if at.used != 0 || !buffer.len().is_multiple_of(BLOCK) {
            return self.feed_back_parts(key, at, buffer, fed_back, blocks);
        }
        let Span { src, dst, len } = Span::new(buffer);
        if len > 0 {
            // SAFETY: a kernel exists only where its features were found; the span is a buffer's, of whole blocks.
            unsafe { blocks(key, &mut at.block, src, dst, len) }
        }
    }

    /// What is left of the block, whole blocks, and the beginning of another.
    #[inline(never)]
    fn feed_back_parts(
        self,
        key: &BlockKey,
        at: &mut Feedback,
        buffer: InOutBuf<'_, '_, u8>,
        fed_back: Fed,
        blocks: Chained,
    ) {
        let head = ((BLOCK - at.used) % BLOCK).min(buffer.len());
        let whole = (buffer.len() - head) / BLOCK * BLOCK;
        let (head, buffer) = buffer.split_at(head);
        at.add(head, fed_back);
        let (whole, end) = buffer.split_at(whole);
        let Span { src, dst, len } = Span::new(whole);
        if len > 0 {
            // SAFETY: as above.
            unsafe { blocks(key, &mut at.block, src, dst, len) }
        }
        if !end.is_empty() {
            at.begin(
                self.encrypt_block(key, u128::from_le_bytes(at.block)),
                end,
                fed_back,
            );
        }
    }
}

/// Another that stands there and goes on by itself. As a value it leaves a copy behind wherever it is moved from, which nobody
/// wipes: `clone_from`, into one that is in its place, leaves none.
impl Clone for Feedback {
    #[inline(always)] // in a larger place nothing is then copied
    fn clone(&self) -> Self {
        let mut clone = Self::new([0; BLOCK]);
        clone.copy_from(self);
        clone
    }

    fn clone_from(&mut self, other: &Self) {
        self.copy_from(other);
    }
}

impl Drop for Feedback {
    fn drop(&mut self) {
        overwrite(&mut self.block, [0; BLOCK]);
    }
}

impl ZeroizeOnDrop for Feedback {}

/// Shows no keystream.
impl fmt::Debug for Feedback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Feedback")
            .field("used", &self.used)
            .finish_non_exhaustive()
    }
}
