//! Counter with CBC-MAC (SP 800-38C; RFC 3610).

use core::fmt;

use inout::InOutBuf;
use zeroize::Zeroize;

use crate::{
    BLOCK, BlockKey, Kernel,
    tag::{difference, release},
};

/// Where a message of CCM stands that comes in parts. Dropping wipes it.
pub struct CcmMessage {
    /// Counter block 0: one byte less than the length of the length, the nonce, zeros.
    first: u128,
    /// CBC-MAC of what was taken. The bytes of a block that is not complete are added already.
    value: [u8; BLOCK],
    /// How many those are.
    at: usize,
    /// Where the text stands within a block, the keystream of that block.
    keystream: [u8; BLOCK],
    aad_left: u64,
    text: u64,
    text_left: u64,
}

impl CcmMessage {
    /// No message yet: start one with [`Kernel::ccm_start`].
    pub fn empty() -> Self {
        Self {
            first: 0,
            value: [0; BLOCK],
            at: 0,
            keystream: [0; BLOCK],
            aad_left: 0,
            text: 0,
            text_left: 0,
        }
    }

    /// How many bytes of additional data are still to come.
    pub fn aad_left(&self) -> u64 {
        self.aad_left
    }

    /// How many bytes of text are still to come.
    pub fn text_left(&self) -> u64 {
        self.text_left
    }
}

impl Drop for CcmMessage {
    fn drop(&mut self) {
        self.value.zeroize();
        self.keystream.zeroize();
    }
}

/// Shows nothing secret.
impl fmt::Debug for CcmMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CcmMessage")
            .field("aad_left", &self.aad_left)
            .field("text_left", &self.text_left)
            .finish_non_exhaustive()
    }
}

/// # Panics
/// All of these: if `key` was last expanded by a kernel with another layout, or never; if the nonce has not 7 to 13
/// bytes, the tag not 4, 6, … 16; if the message is longer than [`Kernel::longest_ccm`]; if what comes in parts is not
/// as long as the message's start said.
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
        let mut message = CcmMessage::empty();
        let lengths = (aad.len() as u64, buffer.len() as u64);
        self.ccm_start(key, &mut message, nonce, lengths, tag_len);
        self.ccm_aad(key, &mut message, aad);
        self.ccm_encrypt(key, &mut message, buffer);
        self.ccm_tag(key, &mut message)
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
        let mut message = CcmMessage::empty();
        let lengths = (aad.len() as u64, buffer.len() as u64);
        self.ccm_start(key, &mut message, nonce, lengths, tag.len());
        self.ccm_aad(key, &mut message, aad);
        self.ccm_decrypt(key, &mut message, buffer.reborrow());
        let expected = self.ccm_tag(key, &mut message);
        release(buffer.get_out(), u128::from_le_bytes(expected), tag)
    }

    /// Starts a message in parts; what was there is forgotten. `lengths` are those of additional data and text, which
    /// the first block of the MAC holds.
    pub fn ccm_start(
        self,
        key: &BlockKey,
        message: &mut CcmMessage,
        nonce: &[u8],
        (aad_len, text_len): (u64, u64),
        tag_len: usize,
    ) {
        let nonce_len = nonce.len();
        assert!((7..=13).contains(&nonce_len), "a nonce has 7 to 13 bytes");
        assert!(
            (4..=BLOCK).contains(&tag_len) && tag_len.is_multiple_of(2),
            "a tag has 4, 6, … 16 bytes"
        );
        assert!(text_len <= Self::longest_ccm(nonce_len), "CCM's limit");
        let mut block = [0; BLOCK];
        block[0] = 14 - nonce_len as u8;
        block[1..=nonce_len].copy_from_slice(nonce);
        message.first = u128::from_be_bytes(block);
        message.aad_left = aad_len;
        message.text = 0;
        message.text_left = text_len;

        let flags = (u128::from(aad_len > 0) << 6) | ((tag_len as u128 - 2) / 2) << 3;
        // The value before any block is zero.
        message.value = (message.first | flags << 120 | u128::from(text_len)).to_be_bytes();
        self.ecb_encrypt(key, message.value.as_mut_slice().into());
        message.at = 0;
        if aad_len > 0 {
            let mut start = [0; BLOCK];
            let len = encode_length(aad_len, &mut start);
            self.absorb(key, message, &start[..len]);
        }
    }

    /// Takes additional data.
    pub fn ccm_aad(self, key: &BlockKey, message: &mut CcmMessage, data: &[u8]) {
        take(&mut message.aad_left, data.len());
        self.absorb(key, message, data);
        if message.aad_left == 0 {
            self.fill_up(key, message);
        }
    }

    /// Encrypts the next part of the text, when all additional data were taken.
    pub fn ccm_encrypt(self, key: &BlockKey, message: &mut CcmMessage, buffer: InOutBuf<'_, '_, u8>) {
        let at = message.at;
        self.absorb(key, message, buffer.get_in());
        self.crypt_part(key, message, at, buffer);
    }

    /// Decrypts the next part of the text, when all additional data were taken.
    pub fn ccm_decrypt(self, key: &BlockKey, message: &mut CcmMessage, mut buffer: InOutBuf<'_, '_, u8>) {
        self.crypt_part(key, message, message.at, buffer.reborrow());
        self.absorb(key, message, buffer.get_out());
    }

    /// Ends a message and answers its tag, of which as many bytes count as it was started with.
    pub fn ccm_tag(self, key: &BlockKey, message: &mut CcmMessage) -> [u8; BLOCK] {
        assert!(
            message.aad_left == 0 && message.text_left == 0,
            "the message is not complete"
        );
        self.fill_up(key, message);
        let mut tag = message.value;
        self.add_keystream(key, message.first, tag.as_mut_slice().into());
        tag
    }

    /// Ends a message and answers whether `tag` is its tag.
    #[must_use]
    pub fn ccm_verify(self, key: &BlockKey, message: &mut CcmMessage, tag: &[u8]) -> bool {
        let expected = self.ccm_tag(key, message);
        difference(u128::from_le_bytes(expected), tag) == 0
    }

    /// Takes data into the MAC.
    fn absorb(self, key: &BlockKey, message: &mut CcmMessage, data: &[u8]) {
        let CcmMessage { value, at, .. } = message;
        let (head, rest) = data.split_at(data.len().min((BLOCK - *at) % BLOCK));
        xor(&mut value[*at..], head);
        if !head.is_empty() && *at + head.len() == BLOCK {
            self.ecb_encrypt(key, value.as_mut_slice().into());
        }
        let (blocks, end) = rest.split_at(rest.len() / BLOCK * BLOCK);
        if !blocks.is_empty() {
            self.cbc_mac(key, value, blocks);
        }
        xor(value, end);
        *at = (*at + data.len()) % BLOCK;
    }

    /// Zeros to the end of a block.
    fn fill_up(self, key: &BlockKey, message: &mut CcmMessage) {
        if message.at > 0 {
            self.ecb_encrypt(key, message.value.as_mut_slice().into());
            message.at = 0;
        }
    }

    /// Adds keystream to the next part of the text, which begins at byte `at` of a block.
    fn crypt_part(self, key: &BlockKey, message: &mut CcmMessage, at: usize, buffer: InOutBuf<'_, '_, u8>) {
        assert!(message.aad_left == 0, "additional data come first");
        take(&mut message.text_left, buffer.len());
        let len = buffer.len();
        let (mut head, rest) = buffer.split_at(len.min((BLOCK - at) % BLOCK));
        let head_len = head.len();
        head.xor_in2out(&message.keystream[at..][..head_len]);

        // Nothing comes after the last part, so that its last block needs no keystream to be kept.
        let end = if message.text_left == 0 {
            0
        } else {
            rest.len() % BLOCK
        };
        let blocks = rest.len() - end;
        let (blocks, mut end) = rest.split_at(blocks);
        let counter = message.first + 1 + u128::from((message.text + head_len as u64) / BLOCK as u64);
        let after = counter + (blocks.len() / BLOCK) as u128;
        self.add_keystream(key, counter, blocks);
        if !end.is_empty() {
            message.keystream = [0; BLOCK];
            self.add_keystream(key, after, message.keystream.as_mut_slice().into());
            let len = end.len();
            end.xor_in2out(&message.keystream[..len]);
        }
        message.text += len as u64;
    }

    /// Adds the keystream from a counter block on. Kernels count in the last four bytes of a block alone: a call that
    /// goes on after their carry is made in pieces.
    fn add_keystream(self, key: &BlockKey, mut counter: u128, mut buffer: InOutBuf<'_, '_, u8>) {
        while !buffer.is_empty() {
            let blocks = (1 << 32) - u64::from(counter as u32);
            let len = (blocks * BLOCK as u64).min(buffer.len() as u64);
            let (now, rest) = buffer.split_at(len as usize);
            // SAFETY: a kernel exists only where its features were found; the piece ends before the carry.
            unsafe { (self.modes().ctr)(key, counter, now) };
            counter += u128::from(blocks);
            buffer = rest;
        }
    }
}

fn take(left: &mut u64, len: usize) {
    *left = left
        .checked_sub(len as u64)
        .expect("more than the message's start said");
}

fn xor(to: &mut [u8], from: &[u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to ^= from;
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
