//! Many messages, each chained block by block, side by side: what one chain waits for, the others fill.
//!
//! A lane is a place for one message. As long as every lane has blocks left a kernel takes them on together; a
//! message that has ended leaves its lane to the next one.

use core::{
    mem::{self, MaybeUninit},
    ptr,
};

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
    /// The block before, which is added to the next.
    pub(crate) values: [[u8; BLOCK]; LANES],
    /// What a kernel keeps there between its own steps. Where there is output it leaves nothing there but that.
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
        overwrite(&mut self.values, [[0; BLOCK]; LANES]);
    }
}

/// Messages in their order, as [`run`] asks for them.
pub(crate) trait Queue {
    /// Whether the blocks of a chain are put out.
    const OUT: bool;

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
pub(crate) unsafe fn run<Q: Queue>(queue: &mut Q, lanes: usize, mut step: impl FnMut(&mut Chains, usize)) {
    const IDLE: Lane = Lane {
        src: ptr::null(),
        dst: ptr::null_mut(),
        blocks: 0,
        message: 0,
    };
    let mut chains = Chains {
        values: [[0; BLOCK]; LANES],
        room: MaybeUninit::uninit(),
        lanes: [IDLE; LANES],
        active: 0,
    };
    let lanes = lanes.min(LANES);
    let (mut next, mut active) = (0, 0);
    // What is left of the shortest.
    let mut blocks = usize::MAX;
    loop {
        while active < lanes && next < queue.len() {
            let (src, dst, left, value) = queue.start(next);
            if left > 0 {
                chains.lanes[active] = Lane {
                    src,
                    dst,
                    blocks: left,
                    message: next,
                };
                chains.values[active] = value;
                active += 1;
                blocks = blocks.min(left);
            }
            next += 1;
        }
        if active == 0 {
            if !Q::OUT {
                wipe(&mut chains.room);
            }
            return;
        }
        for lane in active..lanes {
            chains.values[lane] = chains.values[0];
            chains.lanes[lane] = chains.lanes[0];
        }

        chains.active = active;
        step(&mut chains, blocks);

        let done = mem::replace(&mut blocks, usize::MAX);
        for i in (0..active).rev() {
            let lane = &mut chains.lanes[i];
            lane.blocks -= done;
            if lane.blocks > 0 {
                lane.src = lane.src.wrapping_add(done * BLOCK);
                lane.dst = lane.dst.wrapping_add(done * BLOCK);
                blocks = blocks.min(lane.blocks);
                continue;
            }
            queue.end(lane.message, chains.values[i]);
            // The last lane takes its place.
            active -= 1;
            if i < active {
                chains.lanes[i] = chains.lanes[active];
                chains.values[i] = chains.values[active];
            }
        }
    }
}
