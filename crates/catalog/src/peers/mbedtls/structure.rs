use std::ffi::c_void;

use ciphertune_testkit::Fault;

use crate::peers::memory::Memory;

pub(super) type OnStructure = unsafe extern "C" fn(*mut c_void);

/// Bytes for any of its structures. Options make them longer than Debian's headers have them, as large tables of GHASH's do
/// by 4 KiB, and the library does not say which it was built with.
pub(super) const ROOM: usize = 16_384;

/// Behind the room, what no structure writes to.
const GUARD: [u8; 64] = [0xa5; 64];

/// A structure of the library that its users place. It stays where it is, as some point into themselves.
pub(super) struct Structure {
    memory: Memory,
    room: usize,
    init: OnStructure,
    free: OnStructure,
}

impl Structure {
    /// # Safety
    /// `init` makes a structure for which there is room in as many bytes, or one that is longer by no more than the guard,
    /// and `free` is for it.
    pub(super) unsafe fn new(room: usize, init: OnStructure, free: OnStructure) -> Result<Self, Fault> {
        let mut memory = Memory::new(room + GUARD.len());
        // SAFETY: there are as many bytes behind the room, and they are ours alone.
        unsafe { memory.as_mut_ptr().add(room).cast::<[u8; 64]>().write(GUARD) };
        // SAFETY: the caller vouches for the function and the room.
        unsafe { init(memory.as_mut_ptr()) };
        let structure = Self {
            memory,
            room,
            init,
            free,
        };
        structure.check().map(|()| structure)
    }

    /// A new one in the place of this one.
    #[inline]
    pub(super) fn renew(&mut self) {
        // SAFETY: made for both functions; what is freed is made again.
        unsafe {
            (self.free)(self.memory.as_mut_ptr());
            (self.init)(self.memory.as_mut_ptr());
        }
    }

    /// Fails if the structure is longer than its room. Most `init` write all of one; what sets a key may write more.
    pub(super) fn check(&self) -> Result<(), Fault> {
        // SAFETY: `new` has made room for the guard and written it.
        let guard = unsafe { self.memory.as_ptr().add(self.room).cast::<[u8; 64]>().read() };
        match guard == GUARD {
            true => Ok(()),
            false => Err(Fault(format!(
                "Mbed TLS has a structure of more than {} bytes: it was built with other options than are known; \
                 install the system's package",
                self.room
            ))),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// # Safety
    /// There are so many bytes.
    unsafe extern "C" fn clear<const BYTES: usize>(structure: *mut c_void) {
        // SAFETY: the caller vouches for them.
        unsafe { structure.cast::<u8>().write_bytes(0, BYTES) }
    }

    unsafe extern "C" fn free(_: *mut c_void) {}

    #[test]
    fn a_structure_longer_than_its_room_is_refused() {
        // SAFETY: all write no more than the room and a byte of the guard.
        let (fits, does_not) = unsafe {
            (
                Structure::new(100, clear::<100>, free),
                Structure::new(100, clear::<101>, free),
            )
        };
        let mut fits = fits.unwrap();
        assert!(does_not.is_err());
        // SAFETY: as above.
        unsafe { clear::<101>(fits.as_mut_ptr()) };
        assert!(fits.check().is_err());
    }
}
