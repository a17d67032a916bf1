//! Many messages, each chained block by block, side by side: what one chain waits for, the others fill.
//!
//! A lane is a place for one message. As long as every lane has blocks left a kernel takes them on together; a
//! message that has ended leaves its lane to the next one.

use core::{
    mem::{self, MaybeUninit},
    ptr,
};

use inout::InOutBuf;

use crate::{BLOCK, key::RoundKeys, wipe::wipe};

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

impl Message<'_, '_> {
    /// As [`Queue::start`].
    pub(crate) fn start(&mut self) -> (*const u8, *mut u8, usize, [u8; BLOCK]) {
        let (src, dst) = self.data.reborrow().into_raw();
        (src, dst, self.data.len() / BLOCK, self.iv)
    }
}

/// Where each lane stands.
///
/// What is written at once stands at its beginning: the compiler would fill all before it with zeros. The room stands at its
/// end: where its stores go has not the last twelve bits of the lanes' addresses, which is as far as loads look.
#[repr(C)]
pub(crate) struct Chains {
    /// The first so many lanes have a message. The others do again what the first one does.
    pub(crate) active: usize,
    /// Whether a kernel has left text in its room that is not put out.
    pub(crate) has_text: bool,
    lanes: MaybeUninit<[Lane; LANES]>,
    values: MaybeUninit<Values>,
    /// What a kernel keeps there between its own steps.
    room: MaybeUninit<Room>,
    /// The key of each lane, where messages have keys of their own.
    keys: MaybeUninit<[*const RoundKeys; LANES]>,
}

/// The block before of each lane.
#[repr(align(64))]
struct Values([[u8; BLOCK]; LANES]);

/// Of the lanes that a kernel has, all are there when it is called. Nothing before was written: that takes as long as
/// a short message.
impl Chains {
    /// Where they stand, all at once: what borrows the chains again ends what an earlier borrow gave.
    #[inline(always)]
    pub(crate) fn places(&mut self) -> Places {
        Places {
            lanes: self.lanes.as_mut_ptr().cast(),
            // SAFETY: no more than an address, within what it lies in.
            values: unsafe { (&raw mut (*self.values.as_mut_ptr()).0).cast() },
            #[cfg(vectors)]
            room: self.room.as_mut_ptr().cast(),
            keys: self.keys.as_mut_ptr().cast(),
        }
    }
}

/// Addresses within [`Chains`].
#[derive(Clone, Copy)]
pub(crate) struct Places {
    /// The first of [`LANES`].
    pub(crate) lanes: *mut Lane,
    /// Of each lane the block before, which is added to the next.
    pub(crate) values: *mut [u8; BLOCK],
    /// The beginning of [`Room`].
    #[cfg(vectors)]
    pub(crate) room: *mut u8,
    /// The first of [`LANES`], where messages have keys of their own.
    pub(crate) keys: *mut *const RoundKeys,
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
        wipe(&mut self.values);
        if self.has_text {
            wipe(&mut self.room);
        }
    }
}

/// Messages in their order, as [`run`] asks for them.
pub(crate) trait Queue {
    /// Whether messages have keys of their own.
    const KEYS: bool = false;

    /// How many there are.
    fn len(&self) -> usize;
    /// Message `i`: from where to where, how many blocks, and the value that its first block is added to.
    fn start(&mut self, i: usize) -> (*const u8, *mut u8, usize, [u8; BLOCK]);
    /// Where there are [`Self::KEYS`], that of message `i`.
    fn key(&self, i: usize) -> *const RoundKeys {
        let _ = i;
        ptr::null()
    }
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
    let mut chains = Chains {
        active: 0,
        has_text: false,
        lanes: MaybeUninit::uninit(),
        values: MaybeUninit::uninit(),
        room: MaybeUninit::uninit(),
        keys: MaybeUninit::uninit(),
    };
    let lanes = lanes.min(LANES);
    let (mut next, mut active) = (0, 0);
    // What is left of the shortest.
    let mut blocks = usize::MAX;
    loop {
        let Places {
            lanes: lane,
            values: value,
            keys: key,
            ..
        } = chains.places();
        while active < lanes && next < queue.len() {
            let (src, dst, left, first) = queue.start(next);
            if left > 0 {
                // SAFETY: there are as many lanes.
                unsafe {
                    lane.add(active).write(Lane {
                        src,
                        dst,
                        blocks: left,
                        message: next,
                    });
                    value.add(active).write(first);
                    if Q::KEYS {
                        key.add(active).write(queue.key(next));
                    }
                }
                active += 1;
                blocks = blocks.min(left);
            }
            next += 1;
        }
        if active == 0 {
            return;
        }
        for i in active..lanes {
            // SAFETY: there are as many lanes, and the first one was written.
            unsafe {
                lane.add(i).copy_from_nonoverlapping(lane, 1);
                value.add(i).copy_from_nonoverlapping(value, 1);
                if Q::KEYS {
                    key.add(i).copy_from_nonoverlapping(key, 1);
                }
            }
        }

        chains.active = active;
        step(&mut chains, blocks);

        let done = mem::replace(&mut blocks, usize::MAX);
        let Places {
            lanes, values, keys, ..
        } = chains.places();
        for i in (0..active).rev() {
            // SAFETY: those lanes were written.
            unsafe {
                let lane = &mut *lanes.add(i);
                lane.blocks -= done;
                if lane.blocks > 0 {
                    lane.src = lane.src.wrapping_add(done * BLOCK);
                    lane.dst = lane.dst.wrapping_add(done * BLOCK);
                    blocks = blocks.min(lane.blocks);
                    continue;
                }
                queue.end(lane.message, *values.add(i));
                // The last lane takes its place.
                active -= 1;
                if i < active {
                    *lanes.add(i) = *lanes.add(active);
                    *values.add(i) = *values.add(active);
                    if Q::KEYS {
                        *keys.add(i) = *keys.add(active);
                    }
                }
            }
        }
    }
}
