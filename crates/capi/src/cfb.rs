//! `ciphertune_cfb`, by blocks and by bytes.

use std::ffi::{c_int, c_void};

use ciphertune::Cfb;

use crate::{
    boundary::{create, destroy},
    buffers::bytes,
    chained::run,
};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cfb_new(ctx: *mut *mut Cfb, key: *const c_void, key_len: usize) -> c_int {
    // SAFETY: the caller keeps to the header.
    unsafe { create(ctx, || Ok(Cfb::new(bytes("key", key, key_len)?)?)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cfb_free(ctx: *mut Cfb) {
    // SAFETY: the caller keeps to the header.
    unsafe { destroy(ctx) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cfb_encrypt(
    ctx: *const Cfb,
    iv: *mut u8,
    r#in: *const c_void,
    out: *mut c_void,
    len: usize,
) -> c_int {
    let same = |ctx: &Cfb, iv: &mut _, data: &mut _| {
        ctx.encrypt(iv, data);
        Ok(())
    };
    // SAFETY: the caller keeps to the header.
    unsafe { run(ctx, iv, r#in, out, len, same, Cfb::encrypt_to) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cfb_decrypt(
    ctx: *const Cfb,
    iv: *mut u8,
    r#in: *const c_void,
    out: *mut c_void,
    len: usize,
) -> c_int {
    let same = |ctx: &Cfb, iv: &mut _, data: &mut _| {
        ctx.decrypt(iv, data);
        Ok(())
    };
    // SAFETY: the caller keeps to the header.
    unsafe { run(ctx, iv, r#in, out, len, same, Cfb::decrypt_to) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cfb8_encrypt(
    ctx: *const Cfb,
    iv: *mut u8,
    r#in: *const c_void,
    out: *mut c_void,
    len: usize,
) -> c_int {
    let same = |ctx: &Cfb, iv: &mut _, data: &mut _| {
        ctx.encrypt_bytes(iv, data);
        Ok(())
    };
    // SAFETY: the caller keeps to the header.
    unsafe { run(ctx, iv, r#in, out, len, same, Cfb::encrypt_bytes_to) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cfb8_decrypt(
    ctx: *const Cfb,
    iv: *mut u8,
    r#in: *const c_void,
    out: *mut c_void,
    len: usize,
) -> c_int {
    let same = |ctx: &Cfb, iv: &mut _, data: &mut _| {
        ctx.decrypt_bytes(iv, data);
        Ok(())
    };
    // SAFETY: the caller keeps to the header.
    unsafe { run(ctx, iv, r#in, out, len, same, Cfb::decrypt_bytes_to) }
}
