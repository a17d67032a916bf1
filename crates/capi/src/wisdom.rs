//! What this process goes by.

use std::{
    ffi::{CStr, OsStr, c_char, c_int},
    os::unix::ffi::OsStrExt,
    path::Path,
    ptr,
};

use ciphertune::{
    Basis, Error as CipherError, Implementation, Selection, selection, use_wisdom, wisdom::Wisdom,
};

use crate::{
    boundary::guard,
    buffers::{Span, answer},
    error::{Error, keep},
    implementation::name,
};

/// `enum ciphertune_basis` of the header.
pub(crate) const FORCED: c_int = 1;
pub(crate) const WISDOM: c_int = 2;
pub(crate) const ESTIMATE: c_int = 3;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_basis(basis: *mut c_int) -> c_int {
    guard(|| {
        let found = match selection()?.basis() {
            Basis::Forced(_) => FORCED,
            Basis::Wisdom(_) => WISDOM,
            Basis::Estimate(why) => {
                keep(why);
                ESTIMATE
            }
            other => unreachable!("{other:?} is younger than this function"),
        };
        // SAFETY: the caller keeps to the header.
        unsafe { answer("basis", basis, found) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_use_wisdom(path: *const c_char) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps to the header.
        let path = OsStr::from_bytes(unsafe { text("path", path) }?.to_bytes());
        if path.is_empty() {
            return Err(Error::EmptyPath);
        }
        Ok(use_wisdom(Wisdom::read(Path::new(path))?)?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_wisdom_path(path: *mut c_char, size: usize) -> c_int {
    guard(|| {
        let place = Span::new("path", path, size)?;
        let found = Wisdom::default_path()?;
        let found = found.as_os_str().as_bytes();
        if place.len <= found.len() {
            return Err(Error::Room {
                needed: found.len() + 1,
                size,
            });
        }
        // SAFETY: the caller keeps to the header; both are apart, since nobody else knows of `found`.
        unsafe {
            path.cast::<u8>()
                .copy_from_nonoverlapping(found.as_ptr(), found.len());
            path.add(found.len()).write(0);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_chosen(
    algorithm: *const c_char,
    operation: *const c_char,
    len: usize,
) -> *const c_char {
    // SAFETY: the caller keeps to the header.
    unsafe { chosen(algorithm, operation, len, Selection::implementation) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_chosen_of_many(
    algorithm: *const c_char,
    operation: *const c_char,
    len: usize,
) -> *const c_char {
    // SAFETY: the caller keeps to the header.
    unsafe { chosen(algorithm, operation, len, Selection::implementation_of_many) }
}

/// The name of what `choice` answers, NULL if that is an error.
///
/// # Safety
/// As [`text`], of both.
unsafe fn chosen(
    algorithm: *const c_char,
    operation: *const c_char,
    len: usize,
    choice: fn(&Selection, &str, &str, usize) -> Result<Implementation, CipherError>,
) -> *const c_char {
    let mut chosen = ptr::null();
    guard(|| {
        // SAFETY: the caller sees to it.
        let (algorithm, operation) =
            unsafe { (text("algorithm", algorithm)?, text("operation", operation)?) };
        chosen = name(choice(
            selection()?,
            &algorithm.to_string_lossy(),
            &operation.to_string_lossy(),
            len,
        )?);
        Ok(())
    });
    chosen
}

/// A string of C.
///
/// # Safety
/// It is NULL, or ends with a NUL and does not change as long as the answer lives.
unsafe fn text<'a>(name: &'static str, start: *const c_char) -> Result<&'a CStr, Error> {
    if start.is_null() {
        return Err(Error::Null(name));
    }
    // SAFETY: it is not NULL, so the caller sees to it.
    Ok(unsafe { CStr::from_ptr(start) })
}
