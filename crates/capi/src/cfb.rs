//! `ciphertune_cfb`, by blocks.

use std::ffi::{c_int, c_void};

use ciphertune::{Cfb, Feedback};

use crate::{
    boundary::{create, destroy, exclusive, guard},
    buffers::{BLOCK, bytes},
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
pub unsafe extern "C" fn ciphertune_cfb_rekey(ctx: *mut Cfb, key: *const c_void, key_len: usize) -> c_int {
    // SAFETY: the caller keeps to the header.
    guard(|| unsafe { Ok(exclusive(ctx)?.rekey(bytes("key", key, key_len)?)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cfb_encrypt(
    ctx: *const Cfb,
    iv: *mut u8,
    r#in: *const c_void,
    out: *mut c_void,
    len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    unsafe {
        run(ctx, iv, r#in, out, len, |ctx: &Cfb, iv, data| {
            from(iv, |at| ctx.encrypt_inout(at, data));
            Ok(())
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cfb_decrypt(
    ctx: *const Cfb,
    iv: *mut u8,
    r#in: *const c_void,
    out: *mut c_void,
    len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    unsafe {
        run(ctx, iv, r#in, out, len, |ctx: &Cfb, iv, data| {
            from(iv, |at| ctx.decrypt_inout(at, data));
            Ok(())
        })
    }
}

/// Runs a part of a message that begins at a whole block; `iv` takes what the next one needs. Where this one ends within
/// a block it is the last, and the rest of that block's keystream stays here.
fn from(iv: &mut [u8; BLOCK], run: impl FnOnce(&mut Feedback)) {
    let mut at = Feedback::new(*iv);
    run(&mut at);
    if at.used() == 0 {
        *iv = *at.block();
    }
}
