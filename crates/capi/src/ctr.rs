//! `ciphertune_ctr`.

use std::ffi::{c_int, c_void};

use ciphertune::{Ctr, Threads};

use crate::{
    boundary::{create, destroy, exclusive, guard, shared},
    buffers::{Data, answer, bytes},
    error::Error,
};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ctr_new(
    ctx: *mut *mut Ctr,
    key: *const c_void,
    key_len: usize,
    iv: *const c_void,
    iv_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    unsafe {
        create(ctx, || {
            Ok(Ctr::new(bytes("key", key, key_len)?, bytes("iv", iv, iv_len)?)?)
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ctr_free(ctx: *mut Ctr) {
    // SAFETY: the caller keeps to the header.
    unsafe { destroy(ctx) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ctr_rekey(
    ctx: *mut Ctr,
    key: *const c_void,
    key_len: usize,
    iv: *const c_void,
    iv_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    guard(|| unsafe { Ok(exclusive(ctx)?.rekey(bytes("key", key, key_len)?, bytes("iv", iv, iv_len)?)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ctr_restart(ctx: *mut Ctr, iv: *const c_void, iv_len: usize) -> c_int {
    // SAFETY: the caller keeps to the header.
    guard(|| unsafe { Ok(exclusive(ctx)?.restart(bytes("iv", iv, iv_len)?)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ctr_apply(
    ctx: *mut Ctr,
    r#in: *const c_void,
    out: *mut c_void,
    len: usize,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps to the header.
        let ctx = unsafe { exclusive(ctx) }?;
        let data = Data::new(r#in, out, len, &[])?;
        // SAFETY: the caller keeps to the header.
        Ok(ctx.apply_inout(unsafe { data.in_out() })?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ctr_position(ctx: *const Ctr, position: *mut u64) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps to the header.
        let now = unsafe { shared(ctx) }?.position();
        let now = now.try_into().map_err(|_| Error::Position(now))?;
        // SAFETY: the caller keeps to the header.
        unsafe { answer("position", position, now) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ctr_seek(ctx: *mut Ctr, position: u64) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps to the header.
        unsafe { exclusive(ctx) }?.seek(position.into());
        Ok(())
    })
}

/// `CIPHERTUNE_THREADS_MEASURED`
pub(crate) const MEASURED: usize = usize::MAX;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ctr_set_threads(ctx: *mut Ctr, threads: usize) -> c_int {
    guard(|| {
        let threads = match threads {
            0 => Threads::NONE,
            MEASURED => Threads::MEASURED,
            some => Threads::new(some),
        };
        // SAFETY: the caller keeps to the header.
        unsafe { exclusive(ctx) }?.set_threads(threads);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn ciphertune_threads_available() -> usize {
    Threads::available()
}
