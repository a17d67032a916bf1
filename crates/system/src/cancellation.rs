/// Runs `call`, in which this thread is not cancelled by pthread_cancel(3), but after it.
///
/// Opening and reading files are points at which it could be, and so is drawing random bytes. What unwinds its stack then
/// would meet functions that cannot be unwound, and leave undone what was begun.
#[cfg(target_os = "linux")]
pub fn without_cancellation<T>(call: impl FnOnce() -> T) -> T {
    use std::{ffi::c_int, ptr};

    /// `PTHREAD_CANCEL_DISABLE`, of glibc and musl.
    const DISABLE: c_int = 1;

    unsafe extern "C" {
        fn pthread_setcancelstate(state: c_int, before: *mut c_int) -> c_int;
    }

    /// Puts the state back, after a panic too.
    struct Before(c_int);

    impl Drop for Before {
        fn drop(&mut self) {
            // SAFETY: a state that `pthread_setcancelstate` wrote; what it was need not be written.
            unsafe { pthread_setcancelstate(self.0, ptr::null_mut()) };
        }
    }

    let mut before = 0;
    // SAFETY: as pthread_setcancelstate(3) has it; the thread is the one that runs.
    unsafe { pthread_setcancelstate(DISABLE, &raw mut before) };
    let _before = Before(before);
    call()
}

/// Runs `call`; there is no cancellation that it knows to put off.
#[cfg(not(target_os = "linux"))]
pub fn without_cancellation<T>(call: impl FnOnce() -> T) -> T {
    call()
}
