//! Counter with CBC-MAC (SP 800-38C; RFC 3610).

use inout::InOutBuf;
use zeroize::Zeroize;

use crate::{BLOCK, BlockKey, Kernel, tag::release};

/// # Panics
/// All of these: if `key` was last expanded by a kernel with another layout, or never; if the nonce has not 7 to 13
/// bytes, the tag not 4, 6, … 16; if the message is longer than [`Kernel::longest_ccm`].
impl Kernel {
    /// The longest message with a nonce of `nonce_len` bytes: its length must fit in the 15 bytes that the nonce leaves.
    pub fn longest_ccm(nonce_len: usize) -> u64 {
        let bits = 8 * 15_u32.saturating_sub(nonce_len as u32);
        u64::MAX.checked_shr(64_u32.saturating_sub(bits)).unwrap_or(0)
    }

    /// Encrypts `buffer` and answers its tag, of which the first `tag_len` bytes count.
    pub fn ccm_seal(
        self,
        key: &BlockKey,
        nonce: &[u8],
        aad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag_len: usize,
    ) -> [u8; BLOCK] {
        let message = Ccm::new(self, key, nonce);
        let mut tag = message.mac(aad, buffer.get_in(), tag_len);
        message.crypt(1, buffer);
        message.crypt(0, tag.as_mut_slice().into());
        tag
    }

    /// Decrypts `buffer` and answers whether `tag` is its tag. If it is not, the output is zeros: decrypted text stands
    /// there only while this runs.
    #[must_use]
    pub fn ccm_open(
        self,
        key: &BlockKey,
        nonce: &[u8],
        aad: &[u8],
        mut buffer: InOutBuf<'_, '_, u8>,
        tag: &[u8],
    ) -> bool {
        let message = Ccm::new(self, key, nonce);
        message.crypt(1, buffer.reborrow());
        let mut expected = message.mac(aad, buffer.get_out(), tag.len());
        message.crypt(0, expected.as_mut_slice().into());
        release(buffer.get_out(), u128::from_le_bytes(expected), tag)
    }
}

/// One message.
struct Ccm<'a> {
    kernel: Kernel,
    key: &'a BlockKey,
    /// Counter block 0: one byte less than the length of the length, the nonce, zeros.
    first: u128,
    nonce_len: usize,
}

impl<'a> Ccm<'a> {
    fn new(kernel: Kernel, key: &'a BlockKey, nonce: &[u8]) -> Self {
        let nonce_len = nonce.len();
        assert!((7..=13).contains(&nonce_len), "a nonce has 7 to 13 bytes");
        let mut block = [0; BLOCK];
        block[0] = 14 - nonce_len as u8;
        block[1..=nonce_len].copy_from_slice(nonce);
        Self {
            kernel,
            key,
            first: u128::from_be_bytes(block),
            nonce_len,
        }
    }

    /// Adds the keystream from block `n` on. Kernels count in the last four bytes of a block alone: a call that goes on
    /// after their carry is made in pieces.
    fn crypt(&self, n: u64, mut buffer: InOutBuf<'_, '_, u8>) {
        let mut counter = self.first + u128::from(n);
        while !buffer.is_empty() {
            let blocks = (1 << 32) - u64::from(counter as u32);
            let len = (blocks * BLOCK as u64).min(buffer.len() as u64);
            let (now, rest) = buffer.split_at(len as usize);
            // SAFETY: a kernel exists only where its features were found; the piece ends before the carry.
            unsafe { (self.kernel.modes().ctr)(self.key, counter, now) };
            counter += u128::from(blocks);
            buffer = rest;
        }
    }

    /// CBC-MAC of lengths, nonce, additional data and text.
    fn mac(&self, aad: &[u8], text: &[u8], tag_len: usize) -> [u8; BLOCK] {
        assert!(
            (4..=BLOCK).contains(&tag_len) && tag_len.is_multiple_of(2),
            "a tag has 4, 6, … 16 bytes"
        );
        let len = text.len() as u64;
        assert!(len <= Kernel::longest_ccm(self.nonce_len), "CCM's limit");
        let flags = (u128::from(!aad.is_empty()) << 6) | ((tag_len as u128 - 2) / 2) << 3;
        // The value before any block is zero.
        let mut value = (self.first | flags << 120 | u128::from(len)).to_be_bytes();
        self.kernel.ecb_encrypt(self.key, value.as_mut_slice().into());
        if !aad.is_empty() {
            let mut start = [0; BLOCK];
            let at = encode_length(aad.len() as u64, &mut start);
            let (head, rest) = aad.split_at(aad.len().min(BLOCK - at));
            start[at..][..head.len()].copy_from_slice(head);
            self.kernel.cbc_mac(self.key, &mut value, &start);
            self.chain(&mut value, rest);
        }
        self.chain(&mut value, text);
        value
    }

    /// Chains `data` into `value`, the last block filled up with zeros.
    fn chain(&self, value: &mut [u8; BLOCK], data: &[u8]) {
        let (blocks, end) = data.split_at(data.len() / BLOCK * BLOCK);
        if !blocks.is_empty() {
            self.kernel.cbc_mac(self.key, value, blocks);
        }
        if !end.is_empty() {
            let mut block = [0; BLOCK];
            block[..end.len()].copy_from_slice(end);
            self.kernel.cbc_mac(self.key, value, &block);
            block.zeroize();
        }
    }
}

/// The length of additional data as it stands before them (SP 800-38C, A.2.2); answers how many bytes that takes.
fn encode_length(len: u64, to: &mut [u8; BLOCK]) -> usize {
    let bytes = len.to_be_bytes();
    if len < 0xff00 {
        to[..2].copy_from_slice(&bytes[6..]);
        2
    } else if len < 1 << 32 {
        to[..2].copy_from_slice(&[0xff, 0xfe]);
        to[2..6].copy_from_slice(&bytes[4..]);
        6
    } else {
        to[..2].copy_from_slice(&[0xff, 0xff]);
        to[2..10].copy_from_slice(&bytes);
        10
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits() {
        assert_eq!(Kernel::longest_ccm(13), 0xffff);
        assert_eq!(Kernel::longest_ccm(12), 0xff_ffff);
        assert_eq!(Kernel::longest_ccm(7), u64::MAX);
    }

    /// SP 800-38C, A.2.2; messages of that length are not made here.
    #[test]
    fn lengths_of_additional_data() {
        for (len, expected) in [
            (1, &[0, 1][..]),
            (0xfeff, &[0xfe, 0xff]),
            (0xff00, &[0xff, 0xfe, 0, 0, 0xff, 0]),
            (0xffff_ffff, &[0xff, 0xfe, 0xff, 0xff, 0xff, 0xff]),
            (1 << 32, &[0xff, 0xff, 0, 0, 0, 1, 0, 0, 0, 0]),
        ] {
            let mut to = [0; BLOCK];
            let n = encode_length(len, &mut to);
            assert_eq!(&to[..n], expected);
        }
    }
}
