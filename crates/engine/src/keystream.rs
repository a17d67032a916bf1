use core::fmt;

use zeroize::Zeroize;

use crate::BLOCK;

/// Where a counter-mode stream stands: the next counter block, and keystream that was made and not used.
///
/// A kernel makes whole vectors. What the last one of a call holds beyond the call's end is kept for the next
/// call, so that small calls cost a fraction of a vector each. Dropping wipes it.
#[repr(align(64))]
pub struct Keystream {
    /// Unused bytes are the last ones of the first 64. The other 64 stay zero, so that a vector can be loaded
    /// from any of them.
    pub(crate) spare: [u8; 128],
    pub(crate) unused: usize,
    pub(crate) next: u128,
}

/// Bytes of the widest vector, and so the most that is ever spare.
pub(crate) const SPARE: usize = 64;

impl Keystream {
    /// A stream whose first block is made from `counter`.
    pub fn new(counter: u128) -> Self {
        Self {
            spare: [0; 128],
            unused: 0,
            next: counter,
        }
    }

    /// Starts afresh from `counter`; unused keystream is wiped.
    pub fn restart(&mut self, counter: u128) {
        self.spare.zeroize();
        self.unused = 0;
        self.next = counter;
    }

    /// Becomes another that stands where `other` does.
    pub fn copy_from(&mut self, other: &Self) {
        self.spare.copy_from_slice(&other.spare);
        self.unused = other.unused;
        self.next = other.next;
    }

    /// The counter of the next block to be made: 128 bits, wrapping.
    pub fn next_counter(&self) -> u128 {
        self.next
    }

    /// How many bytes before that block are made and not yet used, less than 64.
    pub fn unused(&self) -> usize {
        self.unused
    }
}

impl Keystream {
    /// Forgets the last `blocks` spare blocks, fewer than four.
    pub(crate) fn forget_blocks(&mut self, blocks: u32) {
        let forgotten = blocks as usize * BLOCK;
        let start = SPARE - self.unused;
        self.unused -= forgotten;
        self.next = self.next.wrapping_sub(u128::from(blocks));
        self.spare
            .copy_within(start..start + self.unused, SPARE - self.unused);
    }
}

impl Drop for Keystream {
    fn drop(&mut self) {
        self.spare.zeroize();
    }
}

/// Shows no keystream.
impl fmt::Debug for Keystream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keystream")
            .field("next", &self.next)
            .field("unused", &self.unused)
            .finish_non_exhaustive()
    }
}
