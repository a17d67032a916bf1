//! A job: taken from the manager, filled in and done, before there is another.
use std::ptr::NonNull;

use ciphertune_testkit::Fault;
use inout::InOutBuf;

use super::header::{CIPHER_HASH, COMPLETED, HASH_CIPHER, Job, Manager, NO_CIPHER, NO_HASH};
use crate::library::check;

/// The most whole blocks that its CBC encryption takes at once, in bytes: it counts in 16 bits. What it hashes is padded
/// besides.
pub(super) const LONGEST_CHAIN: usize = 0xfff0;

/// A job to fill in: there is but this one until it is done.
#[inline]
pub(super) fn next_job<'a>(manager: NonNull<Manager>) -> &'a mut Job {
    let manager = manager.as_ptr();
    // SAFETY: the manager is valid for ever and set up. As no job is under way it has one to give, which is ours until it
    // is submitted.
    let job = unsafe { &mut *((*manager).next_job)(manager) };
    job.cipher_offset = 0;
    job
}

/// Says what a job that hashes nothing works on.
#[inline]
pub(super) fn cipher_only(job: &mut Job, iv: &[u8], buffer: InOutBuf<'_, '_, u8>) {
    job.cipher_len = buffer.len() as u64;
    (job.input, job.output) = buffer.into_raw();
    job.hash_len = 0;
    job.iv = iv.as_ptr();
    job.iv_len = iv.len() as u64;
    job.hash = NO_HASH;
    job.order = CIPHER_HASH;
}

/// Says what a job that ciphers nothing works on.
#[inline]
pub(super) fn hash_only(job: &mut Job, input: *const u8, len: usize) {
    job.input = input;
    job.cipher = NO_CIPHER;
    job.cipher_len = 0;
    job.order = HASH_CIPHER;
    job.hash_offset = 0;
    job.hash_len = len as u64;
}

/// Does the job that the manager has given last.
///
/// # Safety
/// It is filled in by the header's rules, which `submit_unchecked` leaves to its caller.
#[inline]
pub(super) unsafe fn submit(manager: NonNull<Manager>) -> Result<(), Fault> {
    let manager = manager.as_ptr();
    // SAFETY: valid for ever and set up; copied out are pointers to functions.
    let Manager {
        submit_unchecked,
        flush,
        ..
    } = unsafe { &*manager };
    // SAFETY: the caller vouches for the job, which is done when this returns. Both functions answer NULL or the oldest
    // job that is done, and there is but this one.
    let done = unsafe {
        let mut done = submit_unchecked(manager);
        if done.is_null() {
            done = flush(manager);
        }
        done.as_ref()
    };
    check(done.is_some_and(|job| job.status == COMPLETED), "submit_job")
}
