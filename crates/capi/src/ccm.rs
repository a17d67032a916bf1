//! `ciphertune_ccm`.

use std::ffi::{c_int, c_void};

use ciphertune::Ccm;

use crate::{
    aead::{Arguments, Context},
    boundary::{create, destroy, exclusive, guard, shared},
    buffers::bytes,
};

type CcmContext = Context<Ccm>;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ccm_new(
    ctx: *mut *mut CcmContext,
    key: *const c_void,
    key_len: usize,
    tag_len: usize,
) -> c_int {
    let new = || {
        // SAFETY: the caller keeps to the header.
        let cipher = Ccm::new(unsafe { bytes("key", key, key_len) }?)?.with_tag_len(tag_len)?;
        Ok(Context { cipher, tag_len })
    };
    // SAFETY: the caller keeps to the header.
    unsafe { create(ctx, new) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ccm_free(ctx: *mut CcmContext) {
    // SAFETY: the caller keeps to the header.
    unsafe { destroy(ctx) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ccm_rekey(
    ctx: *mut CcmContext,
    key: *const c_void,
    key_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    guard(|| unsafe { Ok(exclusive(ctx)?.cipher.rekey(bytes("key", key, key_len)?)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ccm_seal(
    ctx: *const CcmContext,
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
    let arguments = Arguments {
        nonce,
        nonce_len,
        aad,
        aad_len,
        input: r#in,
        output: out,
        len,
        tag,
        tag_len,
    };
    // SAFETY: the caller keeps to the header.
    guard(|| unsafe {
        let ctx = shared(ctx)?;
        arguments.seal(ctx.tag_len, |nonce, aad, data| {
            ctx.cipher.seal_inout(nonce, aad, data)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ccm_open(
    ctx: *const CcmContext,
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
    let arguments = Arguments {
        nonce,
        nonce_len,
        aad,
        aad_len,
        input: r#in,
        output: out,
        len,
        tag: tag.cast_mut(),
        tag_len,
    };
    // SAFETY: the caller keeps to the header.
    guard(|| unsafe {
        let cipher = &shared(ctx)?.cipher;
        arguments.open(|nonce, aad, data, tag| cipher.open_inout(nonce, aad, data, tag))
    })
}
