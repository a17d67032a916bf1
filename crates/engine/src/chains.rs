//! Many messages, each chained block by block, side by side: what one chain waits for, the others fill.
//!
//! A lane is a place for one message. As long as every lane has blocks left a kernel takes them on together; a
//! message that has ended leaves its lane to the next one.

use core::{hint::black_box, ptr};

use inout::InOutBuf;
use zeroize::Zeroize;

use crate::BLOCK;

/// Lanes of the widest kernel: eight vectors of four blocks.
pub(crate) const LANES: usize = 32;

/// A message for CBC encryption among others.
pub struct Message<'inp, 'out> {
    /// The IV; afterwards the last ciphertext block, with which a message that goes on goes on.
    pub iv: [u8; BLOCK],
    /// The text, whole blocks.
    pub data: InOutBuf<'inp, 'out, u8>,
}

/// Where each lane stands.
#[repr(C, align(64))]
pub(crate) struct Chains {
    /// The block before, which is added to the next: little-endian.
    pub(crate) values: [u128; LANES],
    /// What a kernel keeps there between its own steps. Wiped with the rest, in the end.
    pub(crate) room: [u128; 2 * 4 * LANES],
    pub(crate) src: [*const u8; LANES],
    pub(crate) dst: [*mut u8; LANES],
    /// The first so many lanes have a message. The others do again what the first one does.
    pub(crate) active: usize,
}

impl Chains {
    /// The next block of a lane.
    ///
    /// # Safety
    /// It has one.
    pub(crate) unsafe fn take(&mut self, lane: usize) -> u128 {
        // SAFETY: the caller's block.
        unsafe {
            let block = self.src[lane].cast::<[u8; BLOCK]>().read();
            self.src[lane] = self.src[lane].add(BLOCK);
            u128::from_le_bytes(block)
        }
    }

    /// Writes a lane's value to where its message goes.
    ///
    /// # Safety
    /// As [`Chains::take`]; there is room for a block.
    pub(crate) unsafe fn give(&mut self, lane: usize) {
        // SAFETY: the caller's block.
        unsafe {
            let block = self.values[lane].to_le_bytes();
            self.dst[lane].cast::<[u8; BLOCK]>().write(block);
            self.dst[lane] = self.dst[lane].add(BLOCK);
        }
    }
}

impl Drop for Chains {
    fn drop(&mut self) {
        self.values.zeroize();
        // As a whole: one by one and volatile it would take longer than a short message.
        self.room = [0; 2 * 4 * LANES];
        black_box(&self.room);
    }
}

/// Messages in their order, as [`run`] asks for them.
pub(crate) trait Queue {
    /// How many there are.
    fn len(&self) -> usize;
    /// Message `i`: from where to where, how many blocks, and the value that its first block is added to.
    fn start(&mut self, i: usize) -> (*const u8, *mut u8, usize, [u8; BLOCK]);
    /// Takes the value of message `i` at its end.
    fn end(&mut self, i: usize, value: [u8; BLOCK]);
}

/// Takes every message of `queue` through its chain, up to `lanes` at a time. `step` takes as many blocks as it
/// is told of each lane.
///
/// # Safety
/// The addresses that `queue` gives are valid for as many blocks as it says, and either equal or apart; those of
/// different messages are apart. The addresses that `step` gets are those.
pub(crate) unsafe fn run(queue: &mut impl Queue, lanes: usize, mut step: impl FnMut(&mut Chains, usize)) {
    let mut chains = Chains {
        values: [0; LANES],
        room: [0; 2 * 4 * LANES],
        src: [ptr::null(); LANES],
        dst: [ptr::null_mut(); LANES],
        active: 0,
    };
    // Of each lane, which message it has and how many of its blocks are left.
    let mut message = [0; LANES];
    let mut left = [usize::MAX; LANES];
    let mut next = 0;
    loop {
        while chains.active < lanes && next < queue.len() {
            let (src, dst, blocks, value) = queue.start(next);
            if blocks > 0 {
                let lane = chains.active;
                (chains.src[lane], chains.dst[lane]) = (src, dst);
                chains.values[lane] = u128::from_le_bytes(value);
                (message[lane], left[lane]) = (next, blocks);
                chains.active += 1;
            }
            next += 1;
        }
        if chains.active == 0 {
            return;
        }
        for lane in chains.active..lanes {
            chains.values[lane] = chains.values[0];
            (chains.src[lane], chains.dst[lane]) = (chains.src[0], chains.dst[0]);
        }

        let blocks = left[..chains.active].iter().copied().min().unwrap_or(0);
        step(&mut chains, blocks);

        for lane in (0..chains.active).rev() {
            left[lane] -= blocks;
            if left[lane] == 0 {
                queue.end(message[lane], chains.values[lane].to_le_bytes());
                // The last lane takes its place.
                let last = chains.active - 1;
                chains.active = last;
                chains.values[lane] = chains.values[last];
                (chains.src[lane], chains.dst[lane]) = (chains.src[last], chains.dst[last]);
                (message[lane], left[lane]) = (message[last], left[last]);
            }
        }
    }
}
