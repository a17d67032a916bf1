//! `ciphertune_gcm`.

use std::ffi::{c_int, c_void};

use ciphertune::{Error as CipherError, Gcm};

use crate::{
    boundary::{create, destroy, exclusive, guard},
    buffers::{Data, Slices, Span, bytes, write_tag},
    error::Error,
};

/// A key, and how long its tags are.
pub(crate) struct Context {
    gcm: Gcm,
    tag_len: usize,
}

impl Context {
    /// That a tag of `len` bytes is one of this key.
    #[inline]
    fn check(&self, len: usize) -> Result<(), Error> {
        if len == self.tag_len {
            Ok(())
        } else {
            Err(CipherError::TagLength(len).into())
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_gcm_new(
    ctx: *mut *mut Context,
    key: *const c_void,
    key_len: usize,
    tag_len: usize,
) -> c_int {
    let new = || {
        // SAFETY: the caller keeps to the header.
        let gcm = Gcm::new(unsafe { bytes("key", key, key_len) }?)?.with_tag_len(tag_len)?;
        Ok(Context { gcm, tag_len })
    };
    // SAFETY: the caller keeps to the header.
    unsafe { create(ctx, new) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_gcm_free(ctx: *mut Context) {
    // SAFETY: the caller keeps to the header.
    unsafe { destroy(ctx) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_gcm_rekey(
    ctx: *mut Context,
    key: *const c_void,
    key_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    guard(|| unsafe { Ok(exclusive(ctx)?.gcm.rekey(bytes("key", key, key_len)?)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_gcm_seal(
    ctx: *mut Context,
    nonce: *const c_void,
    nonce_len: usize,
    aad: *const c_void,
    aad_len: usize,
    r#in: *const c_void,
    out: *mut c_void,
    len: usize,
    tag: *mut c_void,
    tag_len: usize,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps to the header.
        let ctx = unsafe { exclusive(ctx) }?;
        ctx.check(tag_len)?;
        let beside = [
            Span::new("nonce", nonce.cast::<u8>(), nonce_len)?,
            Span::new("aad", aad.cast::<u8>(), aad_len)?,
        ];
        let data = Data::new(r#in, out, len, &beside)?;
        let place = Span::new("tag", tag.cast::<u8>(), tag_len)?;
        place.apart_from(&beside)?;
        place.apart_from(&data.spans())?;
        // SAFETY: the caller keeps to the header.
        let (nonce, aad) = unsafe { (bytes("nonce", nonce, nonce_len)?, bytes("aad", aad, aad_len)?) };
        // SAFETY: the caller keeps to the header.
        let made = match unsafe { data.slices() } {
            Slices::Same(data) => ctx.gcm.seal_in_place(nonce, aad, data)?,
            Slices::Apart(input, output) => ctx.gcm.seal_to(nonce, aad, input, output)?,
        };
        // SAFETY: the caller keeps to the header; `made` has `tag_len` bytes.
        unsafe { write_tag(tag, &made) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_gcm_open(
    ctx: *mut Context,
    nonce: *const c_void,
    nonce_len: usize,
    aad: *const c_void,
    aad_len: usize,
    r#in: *const c_void,
    out: *mut c_void,
    len: usize,
    tag: *const c_void,
    tag_len: usize,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps to the header.
        let ctx = unsafe { exclusive(ctx) }?;
        let beside = [
            Span::new("nonce", nonce.cast::<u8>(), nonce_len)?,
            Span::new("aad", aad.cast::<u8>(), aad_len)?,
            Span::new("tag", tag.cast::<u8>(), tag_len)?,
        ];
        let data = Data::new(r#in, out, len, &beside)?;
        // SAFETY: the caller keeps to the header.
        let (nonce, aad, tag) = unsafe {
            (
                bytes("nonce", nonce, nonce_len)?,
                bytes("aad", aad, aad_len)?,
                bytes("tag", tag, tag_len)?,
            )
        };
        // SAFETY: the caller keeps to the header.
        match unsafe { data.slices() } {
            Slices::Same(data) => ctx.gcm.open_in_place(nonce, aad, data, tag)?,
            Slices::Apart(input, output) => ctx.gcm.open_to(nonce, aad, input, output, tag)?,
        }
        Ok(())
    })
}
