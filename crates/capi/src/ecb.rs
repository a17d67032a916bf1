//! `ciphertune_ecb`.

use std::ffi::{c_int, c_void};

use ciphertune::{Ecb, Error as CipherError, InOutBuf};

use crate::{
    boundary::{create, destroy, exclusive, guard, shared},
    buffers::{Data, bytes},
};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ecb_new(ctx: *mut *mut Ecb, key: *const c_void, key_len: usize) -> c_int {
    // SAFETY: the caller keeps to the header.
    unsafe { create(ctx, || Ok(Ecb::new(bytes("key", key, key_len)?)?)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ecb_free(ctx: *mut Ecb) {
    // SAFETY: the caller keeps to the header.
    unsafe { destroy(ctx) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ecb_rekey(ctx: *mut Ecb, key: *const c_void, key_len: usize) -> c_int {
    // SAFETY: the caller keeps to the header.
    guard(|| unsafe { Ok(exclusive(ctx)?.rekey(bytes("key", key, key_len)?)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ecb_encrypt(
    ctx: *const Ecb,
    r#in: *const c_void,
    out: *mut c_void,
    len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    unsafe { run(ctx, r#in, out, len, Ecb::encrypt_inout) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ecb_decrypt(
    ctx: *const Ecb,
    r#in: *const c_void,
    out: *mut c_void,
    len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    unsafe { run(ctx, r#in, out, len, Ecb::decrypt_inout) }
}

/// # Safety
/// That of the functions above.
#[inline]
unsafe fn run(
    ctx: *const Ecb,
    input: *const c_void,
    output: *mut c_void,
    len: usize,
    run: impl FnOnce(&Ecb, InOutBuf<'_, '_, u8>) -> Result<(), CipherError>,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps to the header.
        let ctx = unsafe { shared(ctx) }?;
        let data = Data::new(input, output, len, &[])?;
        // SAFETY: the caller keeps to the header.
        Ok(run(ctx, unsafe { data.in_out() })?)
    })
}
