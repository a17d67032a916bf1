//! Wiping as a whole: byte by byte or word by word and volatile, as `zeroize` does it, takes a good part of a short
//! message's time.
//!
//! By `black_box`, which the compiler takes for something that may write there: with `zeroize::optimization_barrier`, which
//! only reads, a subkey of OCB that was made on the stack stayed there (`make wiped` finds it).

use core::{hint::black_box, mem::MaybeUninit, ptr};

use zeroize::zeroize_stack;

/// Does `work` in a frame of its own, and wipes as many `BYTES` of the stack from there on. What is in registers when
/// something is called, halves of a tag as much as any number, is saved there by whom it calls.
///
/// Where the wipe is the last that a function does, the compiler jumps to it: it then begins where that function's own frame
/// began, and reaches less deep by that frame. `BYTES` are to have room for it.
#[inline(always)]
pub(crate) fn apart<const BYTES: usize, T>(work: impl FnOnce() -> T) -> T {
    #[inline(never)]
    fn done<T>(work: impl FnOnce() -> T) -> T {
        work()
    }
    let answer = done(work);
    zeroize_stack::<BYTES>();
    answer
}

/// Clears the vector registers that a called function may change. Kernels have cleared those that they used when they are back; a
/// program may do so after it has copied or compared a key itself.
pub fn clear_registers() {
    // Miri knows no assembly.
    #[cfg(vectors)]
    if !cfg!(miri) {
        crate::native::clear();
    }
}

/// Does `work`, and clears the vector registers: around a kernel without AES instructions, which clears those that it took,
/// keystream, tweaks and hashes go by whatever others the compiler and `memcpy` take.
#[inline(always)]
pub(crate) fn cleared<T>(work: impl FnOnce() -> T) -> T {
    let answer = work();
    clear_registers();
    answer
}

/// Puts `zero` in place of what is there; the compiler cannot leave it out.
#[inline(always)]
pub(crate) fn overwrite<T>(place: &mut T, zero: T) {
    *place = zero;
    black_box(&*place);
}

/// Fills `memory` with zeros that the compiler cannot leave out.
#[inline(always)]
pub(crate) fn wipe<T>(memory: &mut MaybeUninit<T>) {
    // SAFETY: exclusively ours, and any bytes are valid for what may be uninitialised.
    unsafe { ptr::write_bytes(memory.as_mut_ptr(), 0, 1) };
    black_box(memory.as_mut_ptr());
}
