//! Cipher feedback by bytes (SP 800-38A, section 6.3, s = 8): each byte is encrypted by the first byte of a block,
//! made from the sixteen ciphertext bytes before it.

use inout::InOutBuf;

use crate::{
    BLOCK, BlockKey, Kernel,
    span::Span,
    wipe::{apart, overwrite},
};

/// Bytes decrypted at once.
const FEW: usize = 16;
const MANY: usize = 64;

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
    pub fn cfb8_decrypt(self, key: &BlockKey, iv: &mut [u8; BLOCK], buffer: InOutBuf<'_, '_, u8>) {
        match buffer.len() {
            // A short message does not wait for room to be made and wiped that it has no use for.
            ..=FEW => self.cfb8_batches::<FEW>(key, iv, buffer),
            _ => self.cfb8_batches::<MANY>(key, iv, buffer),
        }
    }

    /// `N` bytes at once, each by a block of its own.
    fn cfb8_batches<const N: usize>(
        self,
        key: &BlockKey,
        iv: &mut [u8; BLOCK],
        mut buffer: InOutBuf<'_, '_, u8>,
    ) {
        let mut blocks = [[0; BLOCK]; N];
        // The ciphertext before the batch, and that of the batch.
        let mut bytes = [0; BLOCK + MANY];
        bytes[..BLOCK].copy_from_slice(iv);
        while !buffer.is_empty() {
            let len = buffer.len().min(N);
            let (mut now, rest) = buffer.split_at(len);
            bytes[BLOCK..][..len].copy_from_slice(now.get_in());
            let blocks = &mut blocks[..len];
            for (block, before) in blocks.iter_mut().zip(bytes.windows(BLOCK)) {
                block.copy_from_slice(before);
            }
            self.ecb_encrypt(key, blocks.as_flattened_mut().into());
            for ((plain, cipher), block) in now.get_out().iter_mut().zip(&bytes[BLOCK..]).zip(&*blocks) {
                *plain = cipher ^ block[0];
            }
            bytes.copy_within(len..len + BLOCK, 0);
            buffer = rest;
        }
        iv.copy_from_slice(&bytes[..BLOCK]);
        overwrite(&mut blocks, [[0; BLOCK]; N]);
    }
}
