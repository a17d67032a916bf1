use std::{
    io, ptr,
    sync::atomic::{
        AtomicPtr,
        Ordering::{AcqRel, Acquire},
    },
};

use crate::Secret;

/// A place for a value that each process makes for itself when it first needs it: a forked child does not see its
/// parent's, and makes another. For a `static`, in place of a lock that a child may find taken for ever.
///
/// The value stays until the process ends. In a child the parent's stays too, as address space without memory.
pub struct PerProcess<T: 'static>(AtomicPtr<Secret<T>>);

impl<T: Send + Sync> PerProcess<T> {
    /// Nothing made yet.
    pub const fn empty() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    /// This process's value, if it was not forked meanwhile; `make` makes it where there is none. Nobody waits for
    /// anybody: of two that are made at once, the second is dropped.
    pub fn get_or_make(&self, make: impl FnOnce() -> io::Result<T>) -> io::Result<&'static Secret<T>> {
        let before = self.0.load(Acquire);
        if let Some(there) = here(before) {
            return Ok(there);
        }
        let made = Box::into_raw(Box::new(Secret::new(make()?)?));
        match self.0.compare_exchange(before, made, AcqRel, Acquire) {
            // SAFETY: what stands here is never taken back nor changed, so that it is shared for ever.
            Ok(_) => Ok(unsafe { &*made }),
            Err(other) => {
                // SAFETY: it came out of a box, and did not get to where others see it.
                drop(unsafe { Box::from_raw(made) });
                here(other).ok_or_else(|| io::ErrorKind::WouldBlock.into())
            }
        }
    }
}

/// What is there, if it is this process's.
fn here<T>(place: *mut Secret<T>) -> Option<&'static Secret<T>> {
    // SAFETY: null, or what stands in a `PerProcess`, which is never taken back nor changed.
    let there = unsafe { place.as_ref() }?;
    there.get().is_some().then_some(there)
}
