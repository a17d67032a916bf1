//! From C to Rust and back: contexts and panics. What a function reads and writes is in `buffers`.

use std::{
    ffi::c_int,
    panic::{AssertUnwindSafe, catch_unwind},
    ptr,
};

use crate::error::{Error, tell_panic};

/// Runs a function's body and answers its code. A panic ends here: it must not pass into C.
#[inline]
pub(crate) fn guard(body: impl FnOnce() -> Result<(), Error>) -> c_int {
    // An error is told in there: to bring it out takes longer than all the rest, even when there is none.
    let code = || match body() {
        Ok(()) => 0,
        Err(error) => error.tell(),
    };
    // What a panic leaves half-done is in the context alone, and the caller is told to free that.
    catch_unwind(AssertUnwindSafe(code)).unwrap_or_else(|_| tell_panic())
}

// The bounds on contexts prove what the header says of threads.

/// Makes a context and puts its address at `place`, NULL if there is none. Last of all: a key that lies there was read before.
///
/// # Safety
/// `place` is NULL or valid for writing a pointer.
pub(crate) unsafe fn create<T: Send>(place: *mut *mut T, new: impl FnOnce() -> Result<T, Error>) -> c_int {
    let mut context = ptr::null_mut();
    let code = guard(|| {
        if place.is_null() {
            return Err(Error::Null("ctx"));
        }
        context = Box::into_raw(Box::new(new()?));
        Ok(())
    });
    if !place.is_null() {
        // SAFETY: it is not NULL, so it is valid.
        unsafe { place.write(context) };
    }
    code
}

/// Ends a context, which wipes it.
///
/// # Safety
/// `context` is NULL, or came from [`create`] and is used no more.
pub(crate) unsafe fn destroy<T>(context: *mut T) {
    guard(|| {
        if !context.is_null() {
            // SAFETY: `create` made it of a box, and this is its only end.
            drop(unsafe { Box::from_raw(context) });
        }
        Ok(())
    });
}

/// A context that is only read.
///
/// # Safety
/// It is NULL, or came from [`create`], and nobody changes or frees it meanwhile.
#[inline]
pub(crate) unsafe fn shared<'a, T: Sync>(context: *const T) -> Result<&'a T, Error> {
    // SAFETY: what `create` made is valid, and the caller sees to the rest.
    unsafe { context.as_ref() }.ok_or(Error::Null("ctx"))
}

/// A context that changes.
///
/// # Safety
/// It is NULL, or came from [`create`], and nobody else uses it meanwhile.
#[inline]
pub(crate) unsafe fn exclusive<'a, T>(context: *mut T) -> Result<&'a mut T, Error> {
    // SAFETY: what `create` made is valid, and the caller sees to the rest.
    unsafe { context.as_mut() }.ok_or(Error::Null("ctx"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;

    #[test]
    fn a_panic_becomes_a_code() {
        assert_eq!(guard(|| panic!("a defect")), Code::Internal as c_int);
    }
}
