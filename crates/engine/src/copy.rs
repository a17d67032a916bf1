//! Copying secrets from memory to memory.

use core::slice;

/// [`copy`] of one thing.
#[inline(always)]
pub(crate) fn copy_one<T: Copy>(to: &mut T, from: &T) {
    copy(slice::from_mut(to), slice::from_ref(from));
}

/// As `copy_from_slice`, but not by way of vector registers: `memcpy` leaves in them what it copied last, and whoever
/// saves them next, as the dynamic linker does when it looks a function up, puts that on the stack.
#[inline(always)]
pub(crate) fn copy<T: Copy>(to: &mut [T], from: &[T]) {
    assert_eq!(to.len(), from.len(), "a copy is as long as the original");
    #[cfg(all(target_arch = "x86_64", not(any(miri, msan))))]
    // SAFETY: `from` is valid for reading and `to` for writing so many bytes, and they do not overlap; any `T` is as
    // good as its copy. The direction flag is clear on entry to inline assembly.
    unsafe {
        core::arch::asm!(
            "rep movsb",
            inout("rcx") size_of_val(from) => _,
            inout("rdi") to.as_mut_ptr() => _,
            inout("rsi") from.as_ptr() => _,
            options(nostack, preserves_flags),
        );
    }
    #[cfg(all(target_arch = "aarch64", not(any(miri, msan))))]
    {
        let bytes = size_of_val(from);
        assert!(bytes.is_multiple_of(8), "what is copied are words");
        // SAFETY: as above; the loop takes eight bytes a turn, and none where there are none.
        unsafe {
            core::arch::asm!(
                "cbz {bytes}, 3f",
                "2:",
                "ldr {word}, [{from}], #8",
                "str {word}, [{to}], #8",
                "subs {bytes}, {bytes}, #8",
                "b.ne 2b",
                "mov {word}, xzr",
                "3:",
                bytes = inout(reg) bytes => _,
                from = inout(reg) from.as_ptr() => _,
                to = inout(reg) to.as_mut_ptr() => _,
                word = out(reg) _,
                options(nostack),
            );
        }
    }
    #[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(any(miri, msan)))))]
    to.copy_from_slice(from);
}
