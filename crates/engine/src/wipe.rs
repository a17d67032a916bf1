//! Wiping as a whole: word by word and volatile, as `zeroize` does it, a kilobyte takes longer than a short message.

use core::{hint::black_box, mem::MaybeUninit, ptr};

/// Fills `memory` with zeros that the compiler cannot leave out.
#[inline(always)]
pub(crate) fn wipe<T>(memory: &mut MaybeUninit<T>) {
    // SAFETY: exclusively ours, and any bytes are valid for what may be uninitialised.
    unsafe { ptr::write_bytes(memory.as_mut_ptr(), 0, 1) };
    black_box(memory.as_mut_ptr());
}
