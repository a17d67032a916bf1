//! Many messages, each chained block by block, side by side: what one chain waits for, the others fill.
//!
//! A lane is a place for one message. As long as every lane has blocks left a kernel takes them on together; a
//! message that has ended leaves its lane to the next one.

use core::{mem::MaybeUninit, ptr};

use inout::InOutBuf;

use crate::{
    BLOCK,
    wipe::{overwrite, wipe},
};

/// Lanes of the widest kernel: eight vectors of four blocks.
pub(crate) const LANES: usize = 32;

/// Four blocks of every lane, twice.
pub(crate) type Room = [[[u128; LANES]; 4]; 2];

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
    /// What a kernel keeps there between its own steps.
    pub(crate) room: MaybeUninit<Room>,
    pub(crate) lanes: [Lane; LANES],
    /// The first so many lanes have a message. The others do again what the first one does.
    pub(crate) active: usize,
}

/// What is left of a lane's message.
#[derive(Clone, Copy)]
pub(crate) struct Lane {
    pub(crate) src: *const u8,
    pub(crate) dst: *mut u8,
    blocks: usize,
    message: usize,
}

impl Drop for Chains {
    fn drop(&mut self) {
        overwrite(&mut self.values, [0; LANES]);
        wipe(&mut self.room);
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
/// is told of each lane, and leaves their addresses as they are.
///
/// # Safety
/// The addresses that `queue` gives are valid for as many blocks as it says, and either equal or apart; those of
/// different messages are apart. The addresses that `step` gets are those.
pub(crate) unsafe fn run(queue: &mut impl Queue, lanes: usize, mut step: impl FnMut(&mut Chains, usize)) {
    const IDLE: Lane = Lane {
        src: ptr::null(),
        dst: ptr::null_mut(),
        blocks: 0,
        message: 0,
    };
    let mut chains = Chains {
        values: [0; LANES],
        room: MaybeUninit::uninit(),
        lanes: [IDLE; LANES],
        active: 0,
    };
    let mut next = 0;
    loop {
        while chains.active < lanes && next < queue.len() {
            let (src, dst, blocks, value) = queue.start(next);
            if blocks > 0 {
                let message = next;
                chains.lanes[chains.active] = Lane {
                    src,
                    dst,
                    blocks,
                    message,
                };
                chains.values[chains.active] = u128::from_le_bytes(value);
                chains.active += 1;
            }
            next += 1;
        }
        if chains.active == 0 {
            return;
        }
        for lane in chains.active..lanes {
            chains.values[lane] = chains.values[0];
            chains.lanes[lane] = chains.lanes[0];
        }

        let lanes = &chains.lanes[..chains.active];
        let blocks = lanes.iter().map(|lane| lane.blocks).min().unwrap_or(0);
        step(&mut chains, blocks);

        for i in (0..chains.active).rev() {
            let lane = &mut chains.lanes[i];
            lane.blocks -= blocks;
            if lane.blocks > 0 {
                lane.src = lane.src.wrapping_add(blocks * BLOCK);
                lane.dst = lane.dst.wrapping_add(blocks * BLOCK);
                continue;
            }
            queue.end(lane.message, chains.values[i].to_le_bytes());
            // The last lane takes its place.
            chains.active -= 1;
            if i < chains.active {
                chains.lanes[i] = chains.lanes[chains.active];
                chains.values[i] = chains.values[chains.active];
            }
        }
    }
}
