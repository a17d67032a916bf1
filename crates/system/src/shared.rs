use std::{
    fs::{File, OpenOptions},
    io::{self, ErrorKind},
    ops::{Deref, DerefMut},
    os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd},
    ptr::{self, NonNull},
    slice,
};

/// Memory for this process's children, one of which has it at a time; or several, each a part of it.
///
/// Children have it by its [number](Self::number), since they take it over open. What of it nobody has written takes no
/// memory. It goes when all are gone that have it.
pub struct Shared(OwnedFd);

impl Shared {
    /// `len` bytes of zero.
    pub fn new(len: usize) -> io::Result<Self> {
        let len = libc::off_t::try_from(len).map_err(|_| ErrorKind::OutOfMemory)?;
        // Linux before 6.3 does not know that nothing in it is to be run; later ones may be set to refuse what does not say so.
        let file = made(libc::MFD_ALLOW_SEALING | libc::MFD_NOEXEC_SEAL)
            .or_else(|_| made(libc::MFD_ALLOW_SEALING))?;
        // SAFETY: both change the length of a file and what may be done to it, and no memory.
        let done = unsafe {
            libc::ftruncate(file.as_raw_fd(), len) == 0
                && libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, SEALS) == 0
        };
        match done {
            true => Ok(Self(file)),
            false => Err(io::Error::last_os_error()),
        }
    }

    /// By which a child finds it.
    pub fn number(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

fn made(flags: libc::c_uint) -> io::Result<OwnedFd> {
    // SAFETY: the name is a C string; what is answered is a new descriptor, which nobody else owns, or negative.
    unsafe {
        match libc::memfd_create(c"ciphertune".as_ptr(), flags) {
            ..0 => Err(io::Error::last_os_error()),
            number => Ok(OwnedFd::from_raw_fd(number)),
        }
    }
}

/// Its length stays as it is: memory that is mapped cannot go away.
const SEALS: libc::c_int = libc::F_SEAL_GROW | libc::F_SEAL_SHRINK | libc::F_SEAL_SEAL;

/// A part of a parent's [`Shared`] memory, which this process sees while it [takes](Self::take) its turn.
pub struct Part {
    /// Opened for this part alone, so that its lock is this part's.
    file: File,
    begin: usize,
    mapping: NonNull<u8>,
    len: usize,
}

impl Part {
    /// `len` bytes from `begin` on, a multiple of the size of a page, of what the parent has under this number.
    pub fn of(number: RawFd, begin: usize, len: usize) -> io::Result<Self> {
        let path = format!("/proc/self/fd/{number}");
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        // SAFETY: a question to an open file, whatever it is.
        let seals = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GET_SEALS) };
        let end = begin.checked_add(len).ok_or(ErrorKind::InvalidInput)? as u64;
        if seals < 0 || seals & SEALS != SEALS || file.metadata()?.len() < end || len == 0 {
            return Err(ErrorKind::InvalidInput.into());
        }
        // SAFETY: a new mapping, which takes nobody's place.
        let mapping = unsafe {
            let access = libc::PROT_READ | libc::PROT_WRITE;
            libc::mmap(
                ptr::null_mut(),
                len,
                access,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                begin as libc::off_t,
            )
        };
        if mapping == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let mapping = NonNull::new(mapping.cast::<u8>()).ok_or(ErrorKind::OutOfMemory)?;
        Ok(Self {
            file,
            begin,
            mapping,
            len,
        })
    }

    /// The memory, until what is answered is dropped; what others have written there since, if it was their turn.
    ///
    /// # Errors
    /// [`ErrorKind::WouldBlock`] where another has it, or a part of it.
    pub fn take(&mut self) -> io::Result<Taken<'_>> {
        self.lock(libc::F_WRLCK)?;
        Ok(Taken(self))
    }

    fn lock(&self, kind: libc::c_int) -> io::Result<()> {
        let lock = libc::flock {
            l_type: kind as libc::c_short,
            l_whence: libc::SEEK_SET as libc::c_short,
            l_start: self.begin as libc::off_t,
            l_len: self.len as libc::off_t,
            l_pid: 0,
        };
        // SAFETY: a lock's description, which is read.
        match unsafe { libc::fcntl(self.file.as_raw_fd(), libc::F_OFD_SETLK, &lock) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // SAFETY: the mapping is this part's, and nothing borrows it any more.
        unsafe { libc::munmap(self.mapping.as_ptr().cast(), self.len) };
    }
}

// SAFETY: it owns its mapping as a `Box` does.
unsafe impl Send for Part {}

/// A turn with a [`Part`].
pub struct Taken<'a>(&'a mut Part);

impl Deref for Taken<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the mapping has `len` bytes as long as the part lives, since the file cannot become shorter. Nobody
        // writes them meanwhile: the part is borrowed exclusively, and every other part with any of these bytes, in
        // this process or another, fails to take the lock. All that open the file do it by `Part::of`: it has no name,
        // and its number is known to children of this program's alone.
        unsafe { slice::from_raw_parts(self.0.mapping.as_ptr(), self.0.len) }
    }
}

impl DerefMut for Taken<'_> {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and `self` is exclusive.
        unsafe { slice::from_raw_parts_mut(self.0.mapping.as_ptr(), self.0.len) }
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        // Gives back what is held: the system has no reason to refuse.
        let _ = self.0.lock(libc::F_UNLCK);
    }
}
