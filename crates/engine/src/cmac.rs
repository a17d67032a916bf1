//! CMAC (SP 800-38B; RFC 4493), on CBC-MAC.

use core::fmt;

use zeroize::Zeroize;

use crate::{BLOCK, BlockKey, InvalidKeyLength, Kernel, chains::LANES, gf128::double};

/// An expanded AES key with the two subkeys of CMAC. It is made empty and filled in place, and wiped on drop.
#[derive(Default)]
pub struct CmacKey {
    key: BlockKey,
    /// Added to the last block where it is whole.
    whole: u128,
    /// Added to the last block where it was filled up.
    filled: u128,
}

impl CmacKey {
    /// No key yet: expand one with [`Kernel::expand_cmac`].
    pub fn empty() -> Self {
        Self::default()
    }

    /// Becomes the same key as `other`, in the same layout; what was there is wiped.
    pub fn copy_from(&mut self, other: &Self) {
        self.key.copy_from(&other.key);
        self.whole = other.whole;
        self.filled = other.filled;
    }

    /// What comes before the last block of `message`, and that block, as CBC-MAC is to take it.
    fn split<'a>(&self, message: &'a [u8]) -> (&'a [u8], [u8; BLOCK]) {
        let (body, end) = message.split_at(message.len().saturating_sub(1) / BLOCK * BLOCK);
        let mut last = [0; BLOCK];
        last[..end.len()].copy_from_slice(end);
        let subkey = if end.len() == BLOCK {
            self.whole
        } else {
            last[end.len()] = 0x80;
            self.filled
        };
        (body, (u128::from_be_bytes(last) ^ subkey).to_be_bytes())
    }
}

/// Where a message stands of which CMAC is to make a tag. Dropping wipes it.
#[derive(Clone, Default)]
pub struct CmacMessage {
    /// CBC-MAC of the blocks before the last one.
    value: [u8; BLOCK],
    /// What there is of the last block, `len` bytes. A whole one waits here, since it may not be the last.
    last: [u8; BLOCK],
    len: usize,
}

impl CmacMessage {
    /// A message without a byte.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Drop for CmacMessage {
    fn drop(&mut self) {
        self.value.zeroize();
        self.last.zeroize();
    }
}

impl Drop for CmacKey {
    fn drop(&mut self) {
        self.whole.zeroize();
        self.filled.zeroize();
    }
}

/// Shows no key.
impl fmt::Debug for CmacKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CmacKey(..)")
    }
}

/// Shows nothing of it.
impl fmt::Debug for CmacMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CmacMessage(..)")
    }
}

impl Kernel {
    /// Expands `bytes` (16, 24 or 32 of them) into `key`, in place.
    pub fn expand_cmac(self, key: &mut CmacKey, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        self.expand_block(&mut key.key, bytes)?;
        let mut zero = [0; BLOCK];
        self.ecb_encrypt(&key.key, zero.as_mut_slice().into());
        key.whole = double(u128::from_be_bytes(zero));
        key.filled = double(key.whole);
        zero.zeroize();
        Ok(())
    }

    /// The tag of `message`.
    ///
    /// # Panics
    /// If `key` was last expanded by a kernel with another layout, or never.
    pub fn cmac(self, key: &CmacKey, message: &[u8]) -> [u8; BLOCK] {
        let (body, mut last) = key.split(message);
        let mut tag = [0; BLOCK];
        if !body.is_empty() {
            self.cbc_mac(&key.key, &mut tag, body);
        }
        self.cbc_mac(&key.key, &mut tag, &last);
        last.zeroize();
        tag
    }

    /// Takes the next bytes of a message.
    ///
    /// # Panics
    /// As [`Kernel::cmac`].
    pub fn cmac_update(self, key: &CmacKey, message: &mut CmacMessage, data: &[u8]) {
        let (head, data) = data.split_at(data.len().min(BLOCK - message.len));
        message.last[message.len..][..head.len()].copy_from_slice(head);
        message.len += head.len();
        if !data.is_empty() {
            self.cbc_mac(&key.key, &mut message.value, &message.last);
            let (body, end) = data.split_at((data.len() - 1) / BLOCK * BLOCK);
            if !body.is_empty() {
                self.cbc_mac(&key.key, &mut message.value, body);
            }
            message.last[..end.len()].copy_from_slice(end);
            message.len = end.len();
        }
    }

    /// The tag of a message as it stands.
    ///
    /// # Panics
    /// As [`Kernel::cmac`].
    pub fn cmac_tag(self, key: &CmacKey, message: &CmacMessage) -> [u8; BLOCK] {
        let (_, mut last) = key.split(&message.last[..message.len]);
        let mut tag = message.value;
        self.cbc_mac(&key.key, &mut tag, &last);
        last.zeroize();
        tag
    }

    /// The tag of each message, side by side: `tags[i]` of `messages[i]`.
    ///
    /// # Panics
    /// As [`Kernel::cmac`], and if there are not as many tags as messages.
    pub fn cmac_many(self, key: &CmacKey, messages: &[&[u8]], tags: &mut [[u8; BLOCK]]) {
        assert_eq!(tags.len(), messages.len(), "a tag for each message");
        tags.fill([0; BLOCK]);
        self.cbc_mac_many(&key.key, tags, |i| key.split(messages[i]).0);
        let mut last_blocks = [[0; BLOCK]; LANES];
        for (messages, tags) in messages.chunks(LANES).zip(tags.chunks_mut(LANES)) {
            for (message, last) in messages.iter().zip(&mut last_blocks) {
                *last = key.split(message).1;
            }
            self.cbc_mac_many(&key.key, tags, |i| &last_blocks[i]);
        }
        last_blocks.as_flattened_mut().zeroize();
    }
}
