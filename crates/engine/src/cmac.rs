//! CMAC (SP 800-38B; RFC 4493), on CBC-MAC.

use core::fmt;

use zeroize::Zeroize;

use crate::{
    BLOCK, BlockKey, InvalidKeyLength, Kernel,
    copy::copy_one,
    gf128::double,
    part,
    tag::is_tag,
    wipe::{apart, overwrite},
};

/// An expanded AES key with the two subkeys of CMAC. It is made empty and filled in place, and wiped on drop.
#[derive(Default)]
pub struct CmacKey {
    pub(crate) key: BlockKey,
    /// Added to the last block where it is whole, as memory has blocks.
    whole: u128,
    /// Added to the last block where it was filled up.
    filled: u128,
}

impl CmacKey {
    /// No key yet: expand one with [`Kernel::expand_cmac`].
    #[inline(always)] // in a larger place nothing is then copied
    pub fn empty() -> Self {
        Self {
            key: BlockKey::empty(),
            whole: 0,
            filled: 0,
        }
    }

    /// Becomes the same key as `other`, in the same layout; what was there is wiped.
    pub fn copy_from(&mut self, other: &Self) {
        self.key.copy_from(&other.key);
        copy_one(&mut self.whole, &other.whole);
        copy_one(&mut self.filled, &other.filled);
    }

    /// The last block of a message as CBC-MAC is to take it, from what there is of it; its first byte the least
    /// significant. To be made where it is used: what waits in a register through a call is left on the stack.
    #[inline]
    pub(crate) fn last(&self, end: &[u8]) -> u128 {
        match end.try_into() {
            Ok(block) => u128::from_le_bytes(block) ^ self.whole,
            Err(_) => part::number(end) ^ 0x80 << (8 * end.len()) ^ self.filled,
        }
    }
}

/// What comes before the last block of `message`, and what there is of that.
#[inline]
pub(crate) fn split(message: &[u8]) -> (&[u8], &[u8]) {
    message.split_at(message.len().saturating_sub(1) / BLOCK * BLOCK)
}

/// Where a message stands of which CMAC is to make a tag. Dropping wipes it.
#[derive(Default)]
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

    /// Becomes another that stands where `other` does; what was there is gone.
    pub fn copy_from(&mut self, other: &Self) {
        copy_one(&mut self.value, &other.value);
        copy_one(&mut self.last, &other.last);
        self.len = other.len;
    }
}

impl Drop for CmacMessage {
    fn drop(&mut self) {
        overwrite(&mut self.value, [0; BLOCK]);
        overwrite(&mut self.last, [0; BLOCK]);
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
        let whole = double(self.encrypt_block(&key.key, 0).swap_bytes());
        key.whole = whole.swap_bytes();
        key.filled = double(whole).swap_bytes();
        Ok(())
    }

    /// The tag of `message`.
    ///
    /// # Panics
    /// If `key` was last expanded by a kernel with another layout, or never.
    #[inline]
    pub fn cmac(self, key: &CmacKey, message: &[u8]) -> [u8; BLOCK] {
        let (body, end) = split(message);
        let mut value = [0; BLOCK];
        if !body.is_empty() {
            self.cbc_mac(&key.key, &mut value, body);
        }
        let tag = self.last(key, &value, end);
        overwrite(&mut value, [0; BLOCK]);
        tag
    }

    /// Whether `tag` is the tag of `message`, or the first bytes of it; in constant time.
    ///
    /// # Panics
    /// As [`Kernel::cmac`], and if `tag` has less than one or more than 16 bytes.
    #[must_use]
    pub fn cmac_verify(self, key: &CmacKey, message: &[u8], tag: &[u8]) -> bool {
        is_tag(|| u128::from_le_bytes(self.cmac(key, message)), tag)
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
        self.last(key, &message.value, &message.last[..message.len])
    }

    /// Whether `tag` is the tag of a message as it stands, or the first bytes of it; in constant time.
    ///
    /// # Panics
    /// As [`Kernel::cmac_verify`].
    #[must_use]
    pub fn cmac_verify_message(self, key: &CmacKey, message: &CmacMessage, tag: &[u8]) -> bool {
        is_tag(|| u128::from_le_bytes(self.cmac_tag(key, message)), tag)
    }

    /// The tag where `value` is the MAC of what comes before the last block.
    #[inline]
    fn last(self, key: &CmacKey, value: &[u8; BLOCK], end: &[u8]) -> [u8; BLOCK] {
        let tag = self.encrypt_block(&key.key, u128::from_le_bytes(*value) ^ key.last(end));
        tag.to_le_bytes()
    }

    /// The tag of each message, side by side: `tags[i]` of `messages[i]`.
    ///
    /// # Panics
    /// As [`Kernel::cmac`], and if there are not as many tags as messages.
    pub fn cmac_many(self, key: &CmacKey, messages: &[&[u8]], tags: &mut [[u8; BLOCK]]) {
        assert_eq!(tags.len(), messages.len(), "a tag for each message");
        tags.fill([0; BLOCK]);
        self.cbc_mac_many(&key.key, tags, |i| split(messages[i]).0);
        apart::<128, _>(|| {
            for (message, tag) in messages.iter().zip(&mut *tags) {
                *tag = (u128::from_le_bytes(*tag) ^ key.last(split(message).1)).to_le_bytes();
            }
        });
        self.ecb_encrypt(&key.key, tags.as_flattened_mut().into());
    }
}
