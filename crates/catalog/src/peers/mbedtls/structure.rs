use std::ffi::c_void;

use crate::peers::memory::Memory;

pub(super) type OnStructure = unsafe extern "C" fn(*mut c_void);

/// A structure of the library that its users place. It stays where it is, as some point into themselves.
pub(super) struct Structure {
    memory: Memory,
    free: OnStructure,
}

impl Structure {
    /// # Safety
    /// `init` makes a structure for which there is room in as many bytes, and `free` is for it.
    pub(super) unsafe fn new(room: usize, init: OnStructure, free: OnStructure) -> Self {
        let mut memory = Memory::new(room);
        // SAFETY: the caller vouches for the function and the room.
        unsafe { init(memory.as_mut_ptr()) };
        Self { memory, free }
    }

    #[inline]
    pub(super) fn as_mut_ptr(&mut self) -> *mut c_void {
        self.memory.as_mut_ptr()
    }
}

impl Drop for Structure {
    fn drop(&mut self) {
        // SAFETY: made for this function, and freed once.
        unsafe { (self.free)(self.memory.as_mut_ptr()) }
    }
}
