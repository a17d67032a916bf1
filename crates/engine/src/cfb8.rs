//! Cipher feedback by bytes (SP 800-38A, section 6.3, s = 8): each byte is encrypted by the first byte of a block,
//! made from the sixteen ciphertext bytes before it.

use inout::InOutBuf;

use crate::{BLOCK, BlockKey, Kernel, span::Span, wipe::apart};

#[cfg(vectors)]
pub(crate) mod vector;

impl Kernel {
    /// Cipher feedback by bytes. `iv` becomes the last sixteen bytes of ciphertext, IV included, with which a
    /// message that goes on goes on.
    ///
    /// # Panics
    /// If `key` was last expanded by a kernel with another layout, or never.
    #[inline]
    pub fn cfb8_encrypt(self, key: &BlockKey, iv: &mut [u8; BLOCK], buffer: InOutBuf<'_, '_, u8>) {
        let Span { src, dst, len } = Span::new(buffer);
        // SAFETY: a kernel exists only where its features were found.
        let run = || unsafe { (self.modes().cfb8_encrypt)(key, iv, src, dst, len) };
        // One byte of what the last block made is text, and all of it has been where a byte can be written from.
        apart::<128, _>(run);
    }

    /// As [`Kernel::cfb8_encrypt`], backwards, and much faster: all ciphertext is known beforehand.
    #[inline]
    pub fn cfb8_decrypt(self, key: &BlockKey, iv: &mut [u8; BLOCK], buffer: InOutBuf<'_, '_, u8>) {
        let Span { src, dst, len } = Span::new(buffer);
        // SAFETY: as above.
        let run = || unsafe { (self.modes().cfb8_decrypt)(key, iv, src, dst, len) };
        // As above, of as many bytes as a part of a vector is written from.
        apart::<128, _>(run);
    }
}
