//! `ciphertune_ecb`.

use std::ffi::{c_int, c_void};

use ciphertune::{Ecb, Error as CipherError};

use crate::{
    boundary::{create, destroy, exclusive, guard, shared},
    buffers::{Data, Slices, bytes},
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
    unsafe { run(ctx, r#in, out, len, Ecb::encrypt, Ecb::encrypt_to) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_ecb_decrypt(
    ctx: *const Ecb,
    r#in: *const c_void,
    out: *mut c_void,
    len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    unsafe { run(ctx, r#in, out, len, Ecb::decrypt, Ecb::decrypt_to) }
}

/// # Safety
/// That of the functions above.
#[inline]
unsafe fn run(
    ctx: *const Ecb,
    input: *const c_void,
    output: *mut c_void,
    len: usize,
    same: impl FnOnce(&Ecb, &mut [u8]) -> Result<(), CipherError>,
    apart: impl FnOnce(&Ecb, &[u8], &mut [u8]) -> Result<(), CipherError>,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps to the header.
        let ctx = unsafe { shared(ctx) }?;
        // SAFETY: the caller keeps to the header.
        match unsafe { Data::new(input, output, len, &[])?.slices() } {
            Slices::Same(data) => same(ctx, data)?,
            Slices::Apart(input, output) => apart(ctx, input, output)?,
        }
        Ok(())
    })
}
