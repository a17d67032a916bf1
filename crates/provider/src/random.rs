use std::ffi::c_int;

/// Random bytes of the kernel's. libc's call of it is a point at which a thread can be cancelled, and none of ours may be:
/// what unwinds the thread's stack would meet functions of libcrypto's and ours that cannot be unwound.
pub(crate) fn fill(bytes: &mut [u8]) -> Result<(), getrandom::Error> {
    let before = set_cancellable(NOT_CANCELLABLE);
    let outcome = getrandom::fill(bytes);
    set_cancellable(before);
    outcome
}

/// `PTHREAD_CANCEL_DISABLE`, of glibc and musl.
const NOT_CANCELLABLE: c_int = 1;

/// Answers what it was before.
#[cfg(target_os = "linux")]
fn set_cancellable(state: c_int) -> c_int {
    unsafe extern "C" {
        fn pthread_setcancelstate(state: c_int, before: *mut c_int) -> c_int;
    }
    let mut before = 0;
    // SAFETY: as pthread_setcancelstate(3) has it; the thread is the one that runs.
    unsafe { pthread_setcancelstate(state, &raw mut before) };
    before
}

#[cfg(not(target_os = "linux"))]
fn set_cancellable(state: c_int) -> c_int {
    state
}
