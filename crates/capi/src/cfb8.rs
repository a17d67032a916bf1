//! `ciphertune_cfb8`, by bytes.

use std::ffi::{c_int, c_void};

use ciphertune::Cfb8;

use crate::{
    boundary::{create, destroy, exclusive, guard},
    buffers::bytes,
    chained::run,
};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cfb8_new(
    ctx: *mut *mut Cfb8,
    key: *const c_void,
    key_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    unsafe { create(ctx, || Ok(Cfb8::new(bytes("key", key, key_len)?)?)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cfb8_free(ctx: *mut Cfb8) {
    // SAFETY: the caller keeps to the header.
    unsafe { destroy(ctx) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cfb8_rekey(ctx: *mut Cfb8, key: *const c_void, key_len: usize) -> c_int {
    // SAFETY: the caller keeps to the header.
    guard(|| unsafe { Ok(exclusive(ctx)?.rekey(bytes("key", key, key_len)?)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cfb8_encrypt(
    ctx: *const Cfb8,
    iv: *mut u8,
    r#in: *const c_void,
    out: *mut c_void,
    len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    unsafe {
        run(ctx, iv, r#in, out, len, |ctx: &Cfb8, iv, data| {
            ctx.encrypt_inout(iv, data);
            Ok(())
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cfb8_decrypt(
    ctx: *const Cfb8,
    iv: *mut u8,
    r#in: *const c_void,
    out: *mut c_void,
    len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    unsafe {
        run(ctx, iv, r#in, out, len, |ctx: &Cfb8, iv, data| {
            ctx.decrypt_inout(iv, data);
            Ok(())
        })
    }
}
