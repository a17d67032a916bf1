//! `ciphertune_gcm_stream`.

use std::ffi::{c_int, c_void};

use ciphertune::{Error as CipherError, Gcm, GcmStream};

use crate::{
    boundary::{create, destroy, exclusive, guard},
    buffers::{Data, Span, bytes, write_tag},
};

/// Messages of one key, and how long their tags are.
pub(crate) struct Stream {
    gcm: GcmStream,
    tag_len: usize,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_gcm_stream_new(
    ctx: *mut *mut Stream,
    key: *const c_void,
    key_len: usize,
    tag_len: usize,
) -> c_int {
    let new = || {
        // SAFETY: the caller keeps to the header.
        let gcm = Gcm::new(unsafe { bytes("key", key, key_len) }?)?.with_short_tag_len(tag_len)?;
        let gcm = GcmStream::new(gcm);
        Ok(Stream { gcm, tag_len })
    };
    // SAFETY: the caller keeps to the header.
    unsafe { create(ctx, new) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_gcm_stream_free(ctx: *mut Stream) {
    // SAFETY: the caller keeps to the header.
    unsafe { destroy(ctx) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_gcm_stream_rekey(
    ctx: *mut Stream,
    key: *const c_void,
    key_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    guard(|| unsafe { Ok(exclusive(ctx)?.gcm.rekey(bytes("key", key, key_len)?)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_gcm_stream_start(
    ctx: *mut Stream,
    nonce: *const c_void,
    nonce_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    guard(|| unsafe { Ok(exclusive(ctx)?.gcm.start(bytes("nonce", nonce, nonce_len)?)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_gcm_stream_aad(
    ctx: *mut Stream,
    aad: *const c_void,
    len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    guard(|| unsafe { Ok(exclusive(ctx)?.gcm.aad(bytes("aad", aad, len)?)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_gcm_stream_encrypt(
    ctx: *mut Stream,
    r#in: *const c_void,
    out: *mut c_void,
    len: usize,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps to the header.
        let gcm = unsafe { &mut exclusive(ctx)?.gcm };
        let data = Data::new(r#in, out, len, &[])?;
        // SAFETY: the caller keeps to the header.
        Ok(gcm.encrypt_inout(unsafe { data.in_out() })?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_gcm_stream_decrypt_unverified(
    ctx: *mut Stream,
    r#in: *const c_void,
    out: *mut c_void,
    len: usize,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps to the header.
        let gcm = unsafe { &mut exclusive(ctx)?.gcm };
        let data = Data::new(r#in, out, len, &[])?;
        // SAFETY: the caller keeps to the header.
        Ok(gcm.decrypt_unverified_inout(unsafe { data.in_out() })?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_gcm_stream_finish(
    ctx: *mut Stream,
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
        unsafe { write_tag(tag, &ctx.gcm.finish()?) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_gcm_stream_verify(
    ctx: *mut Stream,
    tag: *const c_void,
    tag_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    guard(|| unsafe { Ok(exclusive(ctx)?.gcm.verify(bytes("tag", tag, tag_len)?)?) })
}
