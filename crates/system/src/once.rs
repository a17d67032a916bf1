use std::{
    ptr,
    sync::atomic::{
        AtomicPtr,
        Ordering::{AcqRel, Acquire},
    },
};

/// A place for a value that is made when it is first needed and stays until the process ends: for a `static`, in place
/// of `OnceLock`. That one is a lock: a child that was forked while another thread made the value would wait for a
/// thread that it does not have.
///
/// Here nobody waits for anybody. Several may make a value at once; one of them stays and the others are dropped.
pub struct Once<T: 'static>(AtomicPtr<T>);

impl<T: Send + Sync> Once<T> {
    /// Nothing made yet.
    pub const fn empty() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    /// The value, if it is made.
    pub fn get(&self) -> Option<&'static T> {
        // SAFETY: null, or out of a box; what stands here is never taken back nor changed, so that it is shared for ever.
        unsafe { self.0.load(Acquire).as_ref() }
    }

    /// The value; `make` makes it where there is none.
    pub fn get_or_make(&self, make: impl FnOnce() -> T) -> &'static T {
        let made = || self.put(make(), None).unwrap_or_else(|there| there);
        self.get().unwrap_or_else(made)
    }

    /// Makes it this value; an error is what stands there already, and stays.
    pub fn set(&self, value: T) -> Result<&'static T, &'static T> {
        self.put(value, None)
    }

    /// Puts the value in the place of `before`; an error is what stands there instead, and stays.
    pub(crate) fn put(&self, value: T, before: Option<&'static T>) -> Result<&'static T, &'static T> {
        let before = before.map_or(ptr::null_mut(), |before| ptr::from_ref(before).cast_mut());
        let made = Box::into_raw(Box::new(value));
        match self.0.compare_exchange(before, made, AcqRel, Acquire) {
            // SAFETY: as in `get`.
            Ok(_) => Ok(unsafe { &*made }),
            Err(other) => {
                // SAFETY: `made` came out of a box, and did not get to where others see it. `other` is not `before`:
                // not null, since a place that has a value never loses it; the rest as in `get`.
                unsafe {
                    drop(Box::from_raw(made));
                    Err(&*other)
                }
            }
        }
    }
}
