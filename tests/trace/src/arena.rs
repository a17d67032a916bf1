//! Memory that comes in the same order from the same place in each run: what is freed does not come back until all is.
use std::{
    alloc::{GlobalAlloc, Layout},
    cell::UnsafeCell,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

pub struct Arena {
    room: UnsafeCell<[u8; ROOM]>,
    used: AtomicUsize,
}

const ROOM: usize = 512 << 20;

// SAFETY: each byte of the room is given to one owner, since `used` moves on atomically.
unsafe impl Sync for Arena {}

// SAFETY: what is given out lies within the room, is aligned as asked for, and overlaps nothing else that is in use.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let room = self.room.get().cast::<u8>();
        let place = |used: usize| {
            let start = (room.addr() + used).next_multiple_of(layout.align()) - room.addr();
            (start, start + layout.size())
        };
        match self
            .used
            .fetch_update(Relaxed, Relaxed, |used| Some(place(used).1))
        {
            // SAFETY: it is within the room.
            Ok(used) if place(used).1 <= ROOM => unsafe { room.add(place(used).0) },
            _ => std::ptr::null_mut(),
        }
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

impl Arena {
    pub const fn new() -> Self {
        Self {
            room: UnsafeCell::new([0; ROOM]),
            used: AtomicUsize::new(0),
        }
    }

    /// Runs it, and takes back all that it was given.
    ///
    /// # Safety
    /// Nothing that was allocated in `run` is used after it.
    pub unsafe fn lend(&self, run: impl FnOnce()) {
        let used = self.used.load(Relaxed);
        run();
        self.used.store(used, Relaxed);
    }
}
