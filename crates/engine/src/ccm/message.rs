//! A message of CCM in parts.

use core::fmt;

use inout::InOutBuf;

use super::{Start, encode_length};
use crate::{
    BLOCK, BlockKey, Kernel,
    copy::copy_one,
    part::number,
    tag::is_tag,
    wipe::{apart, overwrite},
};

/// Where a message of CCM stands that comes in parts. Dropping wipes it.
///
/// Blocks are numbers whose first byte is the least significant, but for counter blocks, which count the other way.
#[derive(Default)]
pub struct CcmMessage {
    /// Counter block 0.
    first: u128,
    /// The counter block of the next whole block of text.
    next: u128,
    /// CBC-MAC of what was taken. The bytes of a block that is not complete are added already.
    value: u128,
    /// How many those are.
    at: usize,
    /// Where the text stands within a block, the keystream of that block.
    keystream: u128,
    aad_left: u64,
    text_left: u64,
}

impl CcmMessage {
    /// No message yet: start one with [`Kernel::ccm_start`].
    pub fn empty() -> Self {
        Self::default()
    }

    /// How many bytes of additional data are still to come.
    pub fn aad_left(&self) -> u64 {
        self.aad_left
    }

    /// How many bytes of text are still to come.
    pub fn text_left(&self) -> u64 {
        self.text_left
    }

    /// Becomes another that stands where `other` does; what was there is gone.
    pub fn copy_from(&mut self, other: &Self) {
        copy_one(&mut self.value, &other.value);
        copy_one(&mut self.keystream, &other.keystream);
        (self.first, self.next, self.at) = (other.first, other.next, other.at);
        (self.aad_left, self.text_left) = (other.aad_left, other.text_left);
    }

    /// Adds less than a block to the MAC, which stays within the block that it stands in.
    fn add(&mut self, bytes: u128, len: usize) {
        self.value ^= bytes << (8 * self.at);
        self.at += len;
    }
}

impl Drop for CcmMessage {
    fn drop(&mut self) {
        overwrite(&mut self.value, 0);
        overwrite(&mut self.keystream, 0);
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
/// All of these: if `key` was last expanded by a kernel with another layout, or never; if what comes is not as long as the
/// message's start said.
impl Kernel {
    /// Starts a message in parts; what was there is forgotten. `lengths` are those of additional data and text, which
    /// the first block of the MAC holds.
    ///
    /// # Panics
    /// If the nonce has not 7 to 13 bytes, the tag not 4, 6, … 16; if the text is longer than [`Kernel::longest_ccm`].
    pub fn ccm_start(
        self,
        key: &BlockKey,
        message: &mut CcmMessage,
        nonce: &[u8],
        lengths: (u64, u64),
        tag_len: usize,
    ) {
        let start = Start::new(nonce, lengths, tag_len);
        message.first = start.counter;
        message.next = start.counter + 1;
        (message.aad_left, message.text_left) = lengths;
        // The value before any block is zero.
        message.value = self.encrypt_block(key, start.block);
        message.at = 0;
        let (length, len) = encode_length(lengths.0);
        message.add(length, len);
    }

    /// Takes additional data, before any text.
    pub fn ccm_aad(self, key: &BlockKey, message: &mut CcmMessage, data: &[u8]) {
        if data.is_empty() {
            // The last of them may have come, and text after it.
            return;
        }
        take(&mut message.aad_left, data.len());
        let (head, rest) = data.split_at(data.len().min((BLOCK - message.at) % BLOCK));
        message.add(number(head), head.len());
        if message.at == BLOCK {
            self.fill_up(key, message);
        }
        let (blocks, end) = rest.split_at(rest.len() / BLOCK * BLOCK);
        if !blocks.is_empty() {
            let mut value = message.value.to_le_bytes();
            self.cbc_mac(key, &mut value, blocks);
            message.value = u128::from_le_bytes(value);
            overwrite(&mut value, [0; BLOCK]);
        }
        message.add(number(end), end.len());
        if message.aad_left == 0 {
            self.fill_up(key, message);
        }
    }

    /// Encrypts the next part of the text, when all additional data were taken.
    pub fn ccm_encrypt(self, key: &BlockKey, message: &mut CcmMessage, buffer: InOutBuf<'_, '_, u8>) {
        apart::<256, _>(|| self.ccm_text::<true>(key, message, buffer));
    }

    /// Decrypts the next part of the text, when all additional data were taken.
    pub fn ccm_decrypt(self, key: &BlockKey, message: &mut CcmMessage, buffer: InOutBuf<'_, '_, u8>) {
        apart::<256, _>(|| self.ccm_text::<false>(key, message, buffer));
    }

    /// Ends a message and answers its tag, of which as many bytes count as it was started with.
    pub fn ccm_tag(self, key: &BlockKey, message: &mut CcmMessage) -> [u8; BLOCK] {
        apart::<256, _>(|| self.ccm_end(key, message)).to_le_bytes()
    }

    /// Ends a message and answers whether `tag` is its tag.
    ///
    /// # Panics
    /// If the tag is empty or longer than a block.
    #[must_use]
    pub fn ccm_verify(self, key: &BlockKey, message: &mut CcmMessage, tag: &[u8]) -> bool {
        is_tag(|| self.ccm_end(key, message), tag)
    }

    pub(super) fn ccm_text<const SEAL: bool>(
        self,
        key: &BlockKey,
        message: &mut CcmMessage,
        buffer: InOutBuf<'_, '_, u8>,
    ) {
        assert!(message.aad_left == 0, "additional data come first");
        take(&mut message.text_left, buffer.len());
        let head = buffer.len().min((BLOCK - message.at) % BLOCK);
        let (head, rest) = buffer.split_at(head);
        within::<SEAL>(message, head);
        if message.at == BLOCK {
            self.fill_up(key, message);
        }
        let whole = rest.len() / BLOCK * BLOCK;
        let (blocks, end) = rest.split_at(whole);
        self.ccm_blocks::<SEAL>(key, message, blocks);
        if !end.is_empty() {
            message.keystream = self.encrypt_block(key, message.next.swap_bytes());
            message.next += 1;
            within::<SEAL>(message, end);
        }
    }

    /// Whole blocks. Kernels count in the last four bytes of a block alone: what goes on after their carry is a call of its
    /// own.
    fn ccm_blocks<const SEAL: bool>(
        self,
        key: &BlockKey,
        message: &mut CcmMessage,
        mut buffer: InOutBuf<'_, '_, u8>,
    ) {
        let run = if SEAL {
            self.modes().ccm_encrypt
        } else {
            self.modes().ccm_decrypt
        };
        while !buffer.is_empty() {
            let before_carry = (1 << 32) - u64::from(message.next as u32);
            let blocks = before_carry.min((buffer.len() / BLOCK) as u64);
            let (now, rest) = buffer.split_at(blocks as usize * BLOCK);
            // SAFETY: a kernel exists only where its features were found; these blocks end before the carry.
            message.value = unsafe { run(key, message.value, message.next, now) };
            message.next += u128::from(blocks);
            buffer = rest;
        }
    }

    /// The tag, of a message that is complete.
    pub(super) fn ccm_end(self, key: &BlockKey, message: &mut CcmMessage) -> u128 {
        assert!(
            message.aad_left == 0 && message.text_left == 0,
            "the message is not complete"
        );
        self.fill_up(key, message);
        message.value ^ self.encrypt_block(key, message.first.swap_bytes())
    }

    /// Zeros to the end of a block.
    fn fill_up(self, key: &BlockKey, message: &mut CcmMessage) {
        if message.at > 0 {
            message.value = self.encrypt_block(key, message.value);
            message.at = 0;
        }
    }
}

/// Less than a block of text, within the one that it stands in. Through [`crate::part::add`] the keystream would be left on the
/// stack.
fn within<const SEAL: bool>(message: &mut CcmMessage, mut bytes: InOutBuf<'_, '_, u8>) {
    let len = bytes.len();
    let input = number(bytes.get_in());
    let output = (input ^ message.keystream >> (8 * message.at)) & !(u128::MAX << (8 * len));
    bytes.get_out().copy_from_slice(&output.to_le_bytes()[..len]);
    message.add(if SEAL { input } else { output }, len);
}

fn take(left: &mut u64, len: usize) {
    *left = left
        .checked_sub(len as u64)
        .expect("more than the message's start said");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Implementation;

    /// It takes 64 GiB of text to get there, so that a message is put where it would stand then.
    #[test]
    fn the_counter_carries_past_its_last_four_bytes() {
        const BLOCKS: usize = 12;
        for &implementation in Implementation::all() {
            let Some(kernel) = implementation.kernel() else {
                continue;
            };
            let mut key = BlockKey::empty();
            kernel.expand_block(&mut key, &[3; 24]).unwrap();
            for before in 0..=BLOCKS as u128 {
                let start = || {
                    let mut message = CcmMessage::empty();
                    let lengths = (0, (BLOCKS * BLOCK) as u64);
                    kernel.ccm_start(&key, &mut message, &[5; 7], lengths, 16);
                    message.next = (message.first | 0xffff_ffff) + 1 - before;
                    message
                };
                let (mut whole, mut message) = ([[0; BLOCK]; BLOCKS], start());
                let first = message.next;
                kernel.ccm_encrypt(&key, &mut message, whole.as_flattened_mut().into());
                let tag = kernel.ccm_tag(&key, &mut message);
                for (i, block) in (0..).zip(&whole) {
                    let keystream = kernel.encrypt_block(&key, (first + i).swap_bytes());
                    assert_eq!(
                        u128::from_le_bytes(*block),
                        keystream,
                        "{implementation:?}: {before}, {i}"
                    );
                }
                let (mut parts, mut message) = ([[0; BLOCK]; BLOCKS], start());
                for part in &mut parts {
                    kernel.ccm_encrypt(&key, &mut message, part.as_mut_slice().into());
                }
                assert_eq!(
                    (parts, kernel.ccm_tag(&key, &mut message)),
                    (whole, tag),
                    "{implementation:?}: {before}"
                );

                let mut message = start();
                kernel.ccm_decrypt(&key, &mut message, whole.as_flattened_mut().into());
                assert_eq!(whole, [[0; BLOCK]; BLOCKS], "{implementation:?}: {before}");
                assert!(
                    kernel.ccm_verify(&key, &mut message, &tag),
                    "{implementation:?}: {before}"
                );
            }
        }
    }
}
