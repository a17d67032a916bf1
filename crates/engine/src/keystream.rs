use core::fmt;

use inout::InOutBuf;

use crate::{BLOCK, copy::copy_one, part, wipe::overwrite};

/// Where a counter-mode stream stands: the next counter block, and keystream that was made and not used.
///
/// A kernel makes whole vectors. What the last one of a call holds beyond the call's end is kept for the next
/// call, so that small calls cost a fraction of a vector each. Dropping wipes it.
#[repr(C, align(64))] // `spare` first, in lines of its own
pub struct Keystream {
    /// Unused bytes are the last ones of the first line. The other one stays zero, so that a vector can be loaded from any
    /// of them.
    pub(crate) spare: [[u8; SPARE]; 2],
    pub(crate) unused: usize,
    pub(crate) next: u128,
}

/// Bytes of the widest vector, and so the most that is ever spare.
pub(crate) const SPARE: usize = 64;

impl Keystream {
    /// A stream whose first block is made from `counter`.
    #[inline(always)] // as `Key::empty`
    pub fn new(counter: u128) -> Self {
        Self {
            spare: [[0; SPARE]; 2],
            unused: 0,
            next: counter,
        }
    }

    /// Starts afresh from `counter`; unused keystream is wiped.
    pub fn restart(&mut self, counter: u128) {
        overwrite(&mut self.spare[0], [0; SPARE]);
        self.unused = 0;
        self.next = counter;
    }

    /// Xors the next bytes of the keystream into `buffer` where they were made already: in `made`, which begins with
    /// the next byte and ends with a block, no sooner than the one in which `buffer` ends.
    ///
    /// # Panics
    /// If `made` ends before that.
    pub fn xor_made(&mut self, made: &[u8], buffer: InOutBuf<'_, '_, u8>) {
        let len = buffer.len();
        let beyond = len.saturating_sub(self.unused);
        let blocks = beyond.div_ceil(BLOCK);
        let left = blocks * BLOCK - beyond;
        xor(&made[..len], buffer);
        if blocks == 0 {
            self.unused -= len;
        } else {
            self.spare[0][SPARE - left..].copy_from_slice(&made[len..len + left]);
            self.unused = left;
            self.next = self.next.wrapping_add(blocks as u128);
        }
    }

    /// Becomes another that stands where `other` does.
    pub fn copy_from(&mut self, other: &Self) {
        copy_one(&mut self.spare[0], &other.spare[0]);
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
        self.spare[0].copy_within(start..start + self.unused, SPARE - self.unused);
    }
}

/// Adds as many bytes of keystream to what comes in.
pub(crate) fn xor(made: &[u8], mut buffer: InOutBuf<'_, '_, u8>) {
    let (lines, rest) = made.as_chunks::<SPARE>();
    let (blocks, end) = rest.as_chunks::<BLOCK>();
    let mut now;
    for line in lines {
        (now, buffer) = buffer.split_at(SPARE);
        xor_at_once(line, now);
    }
    for block in blocks {
        (now, buffer) = buffer.split_at(BLOCK);
        xor_at_once(block, now);
    }
    if !end.is_empty() {
        part::add(part::number(end), buffer);
    }
}

/// By way of an array: that is what the compiler makes vectors of, in place as well.
#[inline(always)]
fn xor_at_once<const N: usize>(made: &[u8; N], mut buffer: InOutBuf<'_, '_, u8>) {
    let mut line: [u8; N] = buffer.get_in().try_into().expect("as long");
    for (byte, made) in line.iter_mut().zip(made) {
        *byte ^= made;
    }
    buffer.get_out().copy_from_slice(&line);
}

impl Drop for Keystream {
    fn drop(&mut self) {
        overwrite(&mut self.spare[0], [0; SPARE]);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Implementation, Key};

    /// However two calls are cut and whichever of them takes keystream made before, the stream goes on alike.
    #[test]
    fn keystream_made_before_is_as_good() {
        let iv = u128::MAX - 2;
        for &implementation in Implementation::all() {
            let Some(kernel) = implementation.kernel() else {
                continue;
            };
            let mut key = Key::empty();
            kernel.expand(&mut key, &[3; 16]).unwrap();
            let mut made = [0; 320];
            kernel.ctr(&mut key, &mut Keystream::new(iv), made.as_mut_slice().into());

            for first in 0..150 {
                for second in [0, 1, 5, 16, 17, 47, 64, 65, 130] {
                    let mut stream = Keystream::new(iv);
                    let mut data = [0x5a; 320];
                    let (a, rest) = data.split_at_mut(first);
                    let (b, c) = rest.split_at_mut(second);
                    kernel.ctr(&mut key, &mut stream, a.into());
                    stream.xor_made(&made[first..], b.into());
                    let blocks = stream.next_counter().wrapping_sub(iv) as usize;
                    assert_eq!(BLOCK * blocks - stream.unused(), first + second);
                    kernel.ctr(&mut key, &mut stream, c.into());
                    let mut expected = made;
                    expected.iter_mut().for_each(|byte| *byte ^= 0x5a);
                    assert_eq!(data, expected, "{implementation:?}: {first}, {second}");
                }
            }
        }
    }

    #[test]
    #[should_panic]
    fn keystream_that_was_not_made_is_not_used() {
        Keystream::new(0).xor_made(&[0; 32], [0; 33].as_mut_slice().into());
    }
}
