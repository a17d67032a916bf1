use std::{fmt, ops::Deref};

use ciphertune_engine::BLOCK;
use zeroize::zeroize_stack;

use crate::Error;

/// A message's tag: as many bytes as its key's tags have, 16 unless `with_tag_len` or its like says otherwise.
#[derive(Clone, Copy)]
pub struct Tag {
    bytes: [u8; BLOCK],
    len: usize,
}

impl Tag {
    /// Refuses a tag that has not the `own` bytes of its key's tags.
    #[inline(always)]
    pub(crate) fn check_len(tag: &[u8], own: usize) -> Result<(), Error> {
        match tag.len() == own {
            true => Ok(()),
            false => Err(Error::OtherTagLength {
                own,
                given: tag.len(),
            }),
        }
    }

    #[inline]
    pub(crate) fn new(bytes: [u8; BLOCK], len: usize) -> Self {
        let whole = u128::from_le_bytes(bytes);
        let bytes = if len != BLOCK {
            let given = cut(whole, len);
            // What made the tag has saved halves of it there.
            zeroize_stack::<256>();
            given.to_le_bytes()
        } else {
            bytes
        };
        Self { bytes, len }
    }

    /// Puts it into `place`, which has as many bytes as it. A whole tag, as nearly all are, is written from the two
    /// registers that it comes in: told to write 16 bytes, the compiler puts the two on the stack and reads them as one,
    /// for which the processor waits until both are in its cache.
    ///
    /// # Panics
    /// If `place` has more or fewer bytes.
    #[inline]
    pub fn copy_to(&self, place: &mut [u8]) {
        match place.as_mut_array::<BLOCK>() {
            Some(whole) if self.len == BLOCK => {
                let tag = u128::from_le_bytes(self.bytes);
                whole[..8].copy_from_slice(&(tag as u64).to_le_bytes());
                whole[8..].copy_from_slice(&((tag >> 64) as u64).to_le_bytes());
            }
            _ => copy_short(self.bytes, self.len, place),
        }
    }
}

/// Zeros for what is not given of a tag: only who knows the key may know it. Calls nothing, and so saves nothing.
#[cold]
#[inline(never)]
fn cut(whole: u128, len: usize) -> u128 {
    whole & !(u128::MAX << (8 * len))
}

/// A tag's first `len` bytes. Out of line, or the compiler makes one copy, of an unknown number of bytes, of whole tags
/// and these; and by value, or a whole one is in memory for the sake of this.
#[cold]
#[inline(never)]
fn copy_short(bytes: [u8; BLOCK], len: usize, place: &mut [u8]) {
    place.copy_from_slice(&bytes[..len]);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_where_as_many_bytes_are() {
        let bytes = std::array::from_fn(|i| i as u8);
        for len in [4, 15, BLOCK] {
            let mut place = vec![0; len];
            Tag::new(bytes, len).copy_to(&mut place);
            assert_eq!(place, bytes[..len]);
        }
    }

    #[test]
    #[should_panic]
    fn a_short_one_fills_no_whole_place() {
        Tag::new([1; BLOCK], 15).copy_to(&mut [0; BLOCK]);
    }
}
