use std::{
    fmt,
    io::{self, ErrorKind},
    ptr::{self, NonNull},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

/// A value that this process alone can see, in a mapping of its own.
///
/// In a forked child the mapping is full of zeros (`MADV_WIPEONFORK`) and the value is gone: [`Secret::get`] answers
/// `None` there. It is kept out of core dumps, out of swap where `RLIMIT_MEMLOCK` allows, and wiped when dropped.
///
/// A child that drops it gives back the mapping and does not drop the value: there is none. So the value has to be all in the
/// mapping: what it points to on the heap the child sees, and nobody wipes.
pub struct Secret<T: ?Sized> {
    value: NonNull<T>,
    mapping: NonNull<u8>,
    len: usize,
}

/// The value stands this far behind the beginning of the mapping: a cache line.
const VALUE: usize = 64;

impl<T> Secret<T> {
    /// Moves `value` there. A move leaves a copy behind: put nothing secret in before.
    pub fn new(value: T) -> io::Result<Self> {
        const {
            assert!(
                align_of::<T>() <= VALUE,
                "a mapping is aligned to pages, the value to a line"
            )
        };
        let (mapping, len) = map(size_of::<T>())?;
        // SAFETY: the mapping has room for a `T` at `VALUE`, aligned to 64 bytes, and is exclusively ours.
        let value = unsafe {
            let at = mapping.add(VALUE).cast::<T>();
            at.write(value);
            at
        };
        Ok(Self { value, mapping, len })
    }
}

impl Secret<[u8]> {
    /// `len` bytes of zero.
    pub fn zeroed(len: usize) -> io::Result<Self> {
        let (mapping, mapped) = map(len)?;
        // SAFETY: the mapping has `len` bytes from `VALUE` on, which the system has made zero.
        let bytes = unsafe { mapping.add(VALUE) };
        Ok(Self {
            value: NonNull::slice_from_raw_parts(bytes, len),
            mapping,
            len: mapped,
        })
    }
}

impl<T: ?Sized> Secret<T> {
    /// The value, except in a child that was forked since it was made.
    #[inline]
    pub fn get(&self) -> Option<&T> {
        if !self.is_here() {
            return None;
        }
        // SAFETY: the value was made with the mapping, which lives as long as `self`.
        Some(unsafe { self.value.as_ref() })
    }

    /// As [`Secret::get`], to change it.
    #[inline]
    pub fn get_mut(&mut self) -> Option<&mut T> {
        if !self.is_here() {
            return None;
        }
        // SAFETY: as above, and `self` is exclusive.
        Some(unsafe { self.value.as_mut() })
    }

    /// Whether the mark is there that wiping takes with the value.
    #[inline]
    fn is_here(&self) -> bool {
        // SAFETY: the first byte of the mapping, zero or one, and only ever touched as this atomic.
        unsafe { self.mapping.cast::<AtomicBool>().as_ref() }.load(Relaxed)
    }
}

impl<T: ?Sized> Drop for Secret<T> {
    fn drop(&mut self) {
        // SAFETY: the value is dropped once and not used again, the mapping is ours until it is given back. Its
        // address goes to the system, so that the compiler cannot leave the wiping out.
        unsafe {
            if self.is_here() {
                self.value.drop_in_place();
                ptr::write_bytes(self.mapping.as_ptr(), 0, self.len);
            }
            unmap(self.mapping, self.len);
        }
    }
}

// SAFETY: it owns its value as a `Box` does; the mark is written before anybody else can see it.
unsafe impl<T: ?Sized + Send> Send for Secret<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Sync> Sync for Secret<T> {}

/// Shows nothing of the value.
impl<T: ?Sized> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// A mapping with the mark set and `len` bytes after it, all zero, and how long it is.
#[cfg(target_os = "linux")]
fn map(len: usize) -> io::Result<(NonNull<u8>, usize)> {
    let len = len.checked_add(VALUE).ok_or(ErrorKind::OutOfMemory)?;
    // SAFETY: a new anonymous mapping touches no memory that there is.
    let mapping = unsafe {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        libc::mmap(ptr::null_mut(), len, access, kind, -1, 0)
    };
    if mapping == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the mapping just made, of which nobody else knows; advice and locking change none of its bytes here.
    // Its first byte becomes the mark.
    unsafe {
        let mapped = NonNull::new(mapping.cast::<u8>()).ok_or(ErrorKind::OutOfMemory)?;
        if libc::madvise(mapping, len, libc::MADV_WIPEONFORK) != 0 {
            let error = io::Error::last_os_error();
            unmap(mapped, len);
            return Err(error);
        }
        // Both are more than is needed: without them it is a secret like any other on the heap.
        libc::madvise(mapping, len, libc::MADV_DONTDUMP);
        libc::mlock(mapping, len);
        mapped.cast::<AtomicBool>().write(AtomicBool::new(true));
        Ok((mapped, len))
    }
}

/// # Safety
/// `mapping` is one of `len` bytes, and is not used again.
#[cfg(target_os = "linux")]
unsafe fn unmap(mapping: NonNull<u8>, len: usize) {
    // SAFETY: the caller's.
    unsafe { libc::munmap(mapping.as_ptr().cast(), len) };
}

#[cfg(not(target_os = "linux"))]
fn map(_len: usize) -> io::Result<(NonNull<u8>, usize)> {
    Err(ErrorKind::Unsupported.into())
}

/// # Safety
/// There is no mapping to call it with.
#[cfg(not(target_os = "linux"))]
unsafe fn unmap(_mapping: NonNull<u8>, _len: usize) {}
