use std::{fmt, ops::Deref};

use ciphertune_engine::BLOCK;

/// A message's tag: as many bytes as its key's tags have, 16 unless `with_tag_len` or its like says otherwise.
#[derive(Clone, Copy)]
pub struct Tag {
    bytes: [u8; BLOCK],
    len: usize,
}

impl Tag {
    #[inline]
    pub(crate) fn new(bytes: [u8; BLOCK], len: usize) -> Self {
        Self { bytes, len }
    }
}

impl Deref for Tag {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl AsRef<[u8]> for Tag {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tag(")?;
        self.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str(")")
    }
}
