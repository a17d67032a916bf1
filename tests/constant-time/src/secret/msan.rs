//! LLVM's MemorySanitizer: secrets are poisoned memory. The compiler puts what follows them into the code of every
//! crate but the standard library's, after it has optimised it.

use std::{
    ffi::{c_char, c_void},
    sync::atomic::{AtomicUsize, Ordering},
};

use super::Secret;

pub const NAME: &str = "MemorySanitizer";

/// Each alone, too: what loses sight of one may go unseen while it is mixed with the other.
pub const SECRETS: &[Secret] = &[
    Secret {
        key: true,
        data: true,
    },
    Secret {
        key: true,
        data: false,
    },
    Secret {
        key: false,
        data: true,
    },
];

unsafe extern "C" {
    fn __msan_poison(from: *const c_void, len: usize);
    fn __msan_unpoison(from: *const c_void, len: usize);
    /// Where the first poisoned byte is; -1 if none is.
    fn __msan_test_shadow(from: *const c_void, len: usize) -> isize;
}

pub fn is_watching() -> bool {
    true
}

pub fn hide(bytes: &[u8]) {
    // SAFETY: only the shadow of these bytes changes, here and below.
    unsafe { __msan_poison(bytes.as_ptr().cast(), bytes.len()) }
}

pub fn reveal(bytes: &[u8]) {
    // SAFETY: as above.
    unsafe { __msan_unpoison(bytes.as_ptr().cast(), bytes.len()) }
}

/// Of each byte, whether none of it is secret.
pub fn known(bytes: &[u8]) -> Vec<bool> {
    // SAFETY: as above.
    let is_known = |byte: &u8| unsafe { __msan_test_shadow((&raw const *byte).cast(), 1) < 0 };
    bytes.iter().map(is_known).collect()
}

/// Branches and addresses so far that depended on secrets.
pub fn reports() -> usize {
    REPORTS.load(Ordering::Relaxed)
}

static REPORTS: AtomicUsize = AtomicUsize::new(0);

/// What the sanitizer calls at the end of each report, for whoever wants to know.
// SAFETY: it has the signature that the sanitizer declares, and takes the place of one that does nothing.
#[unsafe(no_mangle)]
extern "C" fn __sanitizer_report_error_summary(_: *const c_char) {
    REPORTS.fetch_add(1, Ordering::Relaxed);
}
