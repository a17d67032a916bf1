//! `ciphertune_cmac_stream`.

use std::ffi::{c_int, c_void};

use ciphertune::{Cmac, CmacStream};

use crate::{
    boundary::{create, destroy, exclusive, guard},
    buffers::{Block, bytes},
};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cmac_stream_new(
    ctx: *mut *mut CmacStream,
    key: *const c_void,
    key_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    unsafe {
        create(ctx, || {
            Ok(CmacStream::new(Cmac::new(bytes("key", key, key_len)?)?))
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cmac_stream_free(ctx: *mut CmacStream) {
    // SAFETY: the caller keeps to the header.
    unsafe { destroy(ctx) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cmac_stream_rekey(
    ctx: *mut CmacStream,
    key: *const c_void,
    key_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    guard(|| unsafe { Ok(exclusive(ctx)?.rekey(bytes("key", key, key_len)?)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cmac_stream_update(
    ctx: *mut CmacStream,
    part: *const c_void,
    len: usize,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps to the header.
        unsafe { exclusive(ctx)?.update(bytes("part", part, len)?) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cmac_stream_finish(ctx: *mut CmacStream, tag: *mut u8) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps to the header.
        let ctx = unsafe { exclusive(ctx) }?;
        let place = Block::new("tag", tag)?;
        // SAFETY: the caller keeps to the header.
        unsafe { place.write(ctx.finish()) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cmac_stream_verify(
    ctx: *mut CmacStream,
    tag: *const c_void,
    tag_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    guard(|| unsafe { Ok(exclusive(ctx)?.verify(bytes("tag", tag, tag_len)?)?) })
}
