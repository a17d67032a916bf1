//! `ciphertune_ocb_stream`.

use std::ffi::{c_int, c_void};

use ciphertune::{Error as CipherError, Ocb, OcbStream};

use crate::{
    boundary::{create, destroy, exclusive, guard},
    buffers::{Data, Span, bytes, write_tag},
};

/// Messages of one key, and how long their tags are.
pub(crate) struct OcbStreamContext {
    ocb: OcbStream,
    tag_len: usize,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ocb_stream_new(
    ctx: *mut *mut OcbStreamContext,
    key: *const c_void,
    key_len: usize,
    tag_len: usize,
) -> c_int {
    let new = || {
        // SAFETY: the caller keeps to the header.
        let ocb = Ocb::new(unsafe { bytes("key", key, key_len) }?)?.with_tag_len(tag_len)?;
        let ocb = OcbStream::new(ocb);
        Ok(OcbStreamContext { ocb, tag_len })
    };
    // SAFETY: the caller keeps to the header.
    unsafe { create(ctx, new) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ocb_stream_free(ctx: *mut OcbStreamContext) {
    // SAFETY: the caller keeps to the header.
    unsafe { destroy(ctx) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ocb_stream_rekey(
    ctx: *mut OcbStreamContext,
    key: *const c_void,
    key_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    guard(|| unsafe { Ok(exclusive(ctx)?.ocb.rekey(bytes("key", key, key_len)?)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ocb_stream_start(
    ctx: *mut OcbStreamContext,
    nonce: *const c_void,
    nonce_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    guard(|| unsafe { Ok(exclusive(ctx)?.ocb.start(bytes("nonce", nonce, nonce_len)?)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ocb_stream_aad(
    ctx: *mut OcbStreamContext,
    aad: *const c_void,
    len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    guard(|| unsafe { Ok(exclusive(ctx)?.ocb.aad(bytes("aad", aad, len)?)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ocb_stream_encrypt(
    ctx: *mut OcbStreamContext,
    r#in: *const c_void,
    out: *mut c_void,
    len: usize,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps to the header.
        let ocb = unsafe { &mut exclusive(ctx)?.ocb };
        let data = Data::new(r#in, out, len, &[])?;
        // SAFETY: the caller keeps to the header.
        Ok(ocb.encrypt_inout(unsafe { data.in_out() })?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ocb_stream_decrypt_unverified(
    ctx: *mut OcbStreamContext,
    r#in: *const c_void,
    out: *mut c_void,
    len: usize,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps to the header.
        let ocb = unsafe { &mut exclusive(ctx)?.ocb };
        let data = Data::new(r#in, out, len, &[])?;
        // SAFETY: the caller keeps to the header.
        Ok(ocb.decrypt_unverified_inout(unsafe { data.in_out() })?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ocb_stream_finish(
    ctx: *mut OcbStreamContext,
    tag: *mut c_void,
    tag_len: usize,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps to the header.
        let ctx = unsafe { exclusive(ctx) }?;
        // Before the message ends, which it does once.
        Span::new("tag", tag.cast::<u8>(), tag_len)?;
        if tag_len != ctx.tag_len {
            return Err(CipherError::TagLength(tag_len).into());
        }
        // SAFETY: the caller keeps to the header; the tag has `tag_len` bytes.
        unsafe { write_tag(tag, &ctx.ocb.finish()?) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ocb_stream_verify(
    ctx: *mut OcbStreamContext,
    tag: *const c_void,
    tag_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    guard(|| unsafe { Ok(exclusive(ctx)?.ocb.verify(bytes("tag", tag, tag_len)?)?) })
}
