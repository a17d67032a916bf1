use std::{io, mem::ManuallyDrop};

use crate::Secret;

/// A value that this process alone has, for what threads share: in a forked child it is gone, and [`Here::get`] answers
/// `None`. So no child waits for a lock that was taken when it was forked, by a thread that it does not have.
///
/// It is no secret. It lies in ordinary memory, so that whoever looks for leaks finds what it owns: LeakSanitizer does
/// not look into mappings, and would report all that hangs on a [`Secret`] alone.
///
/// A child that drops it does not drop the value, which a thread of its parent's may have been changing.
pub struct Here<T> {
    /// Gone in a child.
    mark: Secret<()>,
    value: ManuallyDrop<T>,
}

impl<T> Here<T> {
    /// This process's.
    pub fn new(value: T) -> io::Result<Self> {
        Ok(Self {
            mark: Secret::new(())?,
            value: ManuallyDrop::new(value),
        })
    }

    /// The value, except in a child that was forked since it was made.
    #[inline]
    pub fn get(&self) -> Option<&T> {
        self.mark.get().map(|()| &*self.value)
    }
}

impl<T> Drop for Here<T> {
    fn drop(&mut self) {
        if self.mark.get().is_some() {
            // SAFETY: dropped once, and not used again.
            unsafe { ManuallyDrop::drop(&mut self.value) };
        }
    }
}
