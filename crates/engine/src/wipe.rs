//! Wiping as a whole: byte by byte or word by word and volatile, as `zeroize` does it, takes a good part of a short
//! message's time.

use core::{mem::MaybeUninit, ptr};

use zeroize::optimization_barrier;

/// Puts `zero` in place of what is there; the compiler cannot leave it out.
#[inline(always)]
pub(crate) fn overwrite<T>(place: &mut T, zero: T) {
    *place = zero;
    optimization_barrier(&*place);
}

/// Fills `memory` with zeros that the compiler cannot leave out.
#[inline(always)]
pub(crate) fn wipe<T>(memory: &mut MaybeUninit<T>) {
    // SAFETY: exclusively ours, and any bytes are valid for what may be uninitialised.
    unsafe { ptr::write_bytes(memory.as_mut_ptr(), 0, 1) };
    optimization_barrier(&*memory);
}
