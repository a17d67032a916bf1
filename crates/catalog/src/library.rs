//! Libraries of functions in C: shared ones that are loaded while the program runs, and one that may be linked with it.
//!
//! A shared library cannot be proved to be what it says: loading one runs its code, and its functions are believed to
//! have the signatures that its headers document. That trust is the user's who installed or named the library, as with
//! `LD_PRELOAD`; what calls itself by another version than the headers were read of is refused. What is proved at each
//! call is our side: that every pointer handed over is valid for what the function is documented to do with it.
use std::{
    error::Error,
    ffi::{CStr, OsStr, OsString, c_char, c_void},
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    os::{
        fd::{AsRawFd, FromRawFd, OwnedFd},
        unix::ffi::OsStringExt,
    },
    path::PathBuf,
    ptr,
};

use ciphertune_testkit::Fault;
use libloading::os::unix::{Library as Handle, RTLD_LOCAL, RTLD_NOW};

/// A library. It stays for ever: libraries register functions to run at exit, and contexts hold pointers into them.
#[derive(Clone, Copy)]
pub(crate) enum Library {
    Loaded(&'static Handle),
    /// A part of this program. Answers the address of the function that C knows by a name.
    #[cfg(feature = "openssl")]
    Linked(fn(&str) -> Option<*const c_void>),
}

/// The name of a function that a library lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Missing(pub(crate) &'static str);

impl Library {
    /// Loads a library by file name or, where `name` has no slash, by the dynamic linker's search.
    ///
    /// # Errors
    /// The dynamic linker's words.
    pub(crate) fn load(name: &OsStr) -> Result<Self, String> {
        // SAFETY: runs the library's constructors; see the head of this file for whose trust that is. `RTLD_LOCAL`
        // keeps its symbols from everything else that this process links.
        let handle = unsafe { Handle::open(Some(name), RTLD_NOW | RTLD_LOCAL) }.map_err(|error| {
            let reason = error.source().map(ToString::to_string);
            reason.unwrap_or_else(|| error.to_string())
        })?;
        Ok(Self::Loaded(Box::leak(Box::new(handle))))
    }

    /// The system's library of this soname, if there is one.
    ///
    /// # Errors
    /// The dynamic linker's words.
    pub(crate) fn of_system(soname: &str) -> Result<Option<Self>, String> {
        match Self::load(soname.as_ref()) {
            // The linker's words, not its translation: this program sets no locale.
            Err(reason) if reason.contains(soname) && reason.contains("No such file or directory") => {
                Ok(None)
            }
            loaded => loaded.map(Some),
        }
    }

    /// The function of that name, as a pointer of type `T`.
    ///
    /// # Safety
    /// `T` is a pointer to a function or to data, and of the type that the library's headers give this name.
    pub(crate) unsafe fn symbol<T: Copy>(self, name: &'static str) -> Result<T, Missing> {
        // SAFETY: the caller vouches for it.
        unsafe { self.symbol_named(name) }.ok_or(Missing(name))
    }

    /// As [`Library::symbol`], of a name that is made up at run time; `None` where the library lacks it.
    ///
    /// # Safety
    /// As [`Library::symbol`].
    pub(crate) unsafe fn symbol_named<T: Copy>(self, name: &str) -> Option<T> {
        match self {
            // SAFETY: the caller vouches for the type; what is copied out stays valid, as the library stays loaded.
            Self::Loaded(handle) => unsafe { handle.get::<T>(name) }.ok().map(|symbol| *symbol),
            #[cfg(feature = "openssl")]
            Self::Linked(address) => {
                const { assert!(size_of::<T>() == size_of::<*const c_void>()) };
                // SAFETY: as long as a pointer, which it is, and one to what has this name: the caller vouches for the
                // type.
                address(name).map(|address| unsafe { std::mem::transmute_copy(&address) })
            }
        }
    }
}

/// The file that code was really loaded from, by the address of a function in it.
pub(crate) fn origin(function: *const c_void) -> Option<PathBuf> {
    let mut info = libc::Dl_info {
        dli_fname: ptr::null(),
        dli_fbase: ptr::null_mut(),
        dli_sname: ptr::null(),
        dli_saddr: ptr::null_mut(),
    };
    // SAFETY: any address may be asked for, and `info` is there to be written. The name that it answers belongs
    // to the dynamic linker for as long as the library is loaded, which is for ever.
    let name = unsafe {
        if libc::dladdr(function, &mut info) == 0 || info.dli_fname.is_null() {
            return None;
        }
        CStr::from_ptr(info.dli_fname)
    };
    Some(PathBuf::from(OsString::from_vec(name.to_bytes().to_vec())))
}

/// What a C string says; nothing where there is none.
///
/// # Safety
/// `text` is NULL or ends in NUL, and is not written to meanwhile.
pub(crate) unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller vouches for it.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Does something, and answers what anyone wrote to standard error meanwhile, which nobody else sees.
///
/// # Errors
/// Where the system has no file to spare.
pub(crate) fn overheard<T>(work: impl FnOnce() -> T) -> io::Result<(T, String)> {
    /// Standard error as it was before.
    struct Restored(OwnedFd);
    impl Drop for Restored {
        fn drop(&mut self) {
            // SAFETY: both are open; nothing but the number is handed over.
            unsafe { libc::dup2(self.0.as_raw_fd(), libc::STDERR_FILENO) };
        }
    }

    let owned = |fd| match fd {
        // SAFETY: the call before has just made it, and nobody else knows of it.
        0.. => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
        _ => Err(io::Error::last_os_error()),
    };
    // SAFETY: the name ends in NUL.
    let mut file = File::from(owned(unsafe {
        libc::memfd_create(c"stderr".as_ptr(), libc::MFD_CLOEXEC)
    })?);
    // SAFETY: takes a number, and makes another.
    let before = Restored(owned(unsafe {
        libc::fcntl(libc::STDERR_FILENO, libc::F_DUPFD_CLOEXEC, 3)
    })?);
    // SAFETY: both are open, and Rust holds no buffer for standard error.
    if unsafe { libc::dup2(file.as_raw_fd(), libc::STDERR_FILENO) } < 0 {
        return Err(io::Error::last_os_error());
    }
    let done = work();
    drop(before);
    let mut said = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut said)?;
    Ok((done, String::from_utf8_lossy(&said).into_owned()))
}

/// Whether a function did what it was asked.
#[inline]
pub(crate) fn check(done: bool, function: &str) -> Result<(), Fault> {
    if done { Ok(()) } else { Err(failed(function)) }
}

#[cold]
fn failed(function: &str) -> Fault {
    Fault(format!("{function} failed"))
}

/// A table of a library's functions, each by its name in C and with the signature of the header that `find` is
/// told. All are found at once, or the first that is missing is named.
macro_rules! functions {
    ($(#[$doc:meta])* $table:ident { $($name:ident: fn($($arg:ty),* $(,)?) $(-> $ret:ty)?;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[allow(non_snake_case, reason = "the names are C's")]
        struct $table {
            $($name: unsafe extern "C" fn($($arg),*) $(-> $ret)?,)*
        }

        impl $table {
            fn find(library: $crate::library::Library) -> Result<Self, $crate::library::Missing> {
                // SAFETY: the table gives each name the type that the header has it with. Nothing is called here, and
                // to call one of these pointers is unsafe again.
                unsafe { Ok(Self { $($name: library.symbol(stringify!($name))?),* }) }
            }
        }
    };
}
pub(crate) use functions;
