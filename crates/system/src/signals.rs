/// Runs `start` with all signals blocked on this thread.
///
/// A new thread takes the mask over: what is started by `start` never runs a handler of the program's, which may need
/// more stack than it has or expect to be on a thread that the program knows.
#[cfg(target_os = "linux")]
pub fn without_signals<T>(start: impl FnOnce() -> T) -> T {
    use std::{mem::MaybeUninit, ptr};

    /// Puts the mask back, after a panic too.
    struct Before(libc::sigset_t);

    impl Drop for Before {
        fn drop(&mut self) {
            // SAFETY: a mask that `pthread_sigmask` wrote.
            unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.0, ptr::null_mut()) };
        }
    }

    let (mut all, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    // SAFETY: `sigfillset` writes the whole of `all`, and `pthread_sigmask` with valid arguments, as here, cannot
    // fail and writes the whole of `before`.
    let _before = unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
        Before(before.assume_init())
    };
    start()
}

/// Runs `start`; there are no signals that it knows to block.
#[cfg(not(target_os = "linux"))]
pub fn without_signals<T>(start: impl FnOnce() -> T) -> T {
    start()
}
