use std::io;

use crate::{Here, Once};

/// A place for a value that each process makes for itself when it first needs it: a forked child does not see its
/// parent's, and makes another. For a `static`, in place of a lock that a child may find taken for ever.
///
/// The value stays until the process ends. In a child the parent's stays too, of no use.
pub struct PerProcess<T: 'static>(Once<Here<T>>);

impl<T: Send + Sync> PerProcess<T> {
    /// Nothing made yet.
    pub const fn empty() -> Self {
        Self(Once::empty())
    }

    /// This process's value, if it was not forked meanwhile; `make` makes it where there is none. Nobody waits for
    /// anybody: of two that are made at once, the second is dropped.
    pub fn get_or_make(&self, make: impl FnOnce() -> io::Result<T>) -> io::Result<&'static Here<T>> {
        let is_here = |there: &&Here<T>| there.get().is_some();
        let before = self.0.get();
        if let Some(there) = before.filter(is_here) {
            return Ok(there);
        }
        let made = Here::new(make()?)?;
        let other = match self.0.put(made, before) {
            Ok(made) => return Ok(made),
            Err(other) => other,
        };
        Some(other)
            .filter(is_here)
            .ok_or_else(|| io::ErrorKind::WouldBlock.into())
    }
}
