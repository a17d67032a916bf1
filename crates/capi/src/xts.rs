//! `ciphertune_xts`.

use std::ffi::{c_int, c_void};

use ciphertune::{Error as CipherError, InOutBuf, Xts};

use crate::{
    boundary::{create, destroy, exclusive, guard, shared},
    buffers::{Block, Data, bytes},
};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_xts_new(ctx: *mut *mut Xts, key: *const c_void, key_len: usize) -> c_int {
    // SAFETY: the caller keeps to the header.
    unsafe { create(ctx, || Ok(Xts::new(bytes("key", key, key_len)?)?)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_xts_free(ctx: *mut Xts) {
    // SAFETY: the caller keeps to the header.
    unsafe { destroy(ctx) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_xts_rekey(ctx: *mut Xts, key: *const c_void, key_len: usize) -> c_int {
    // SAFETY: the caller keeps to the header.
    guard(|| unsafe { Ok(exclusive(ctx)?.rekey(bytes("key", key, key_len)?)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_xts_encrypt(
    ctx: *const Xts,
    unit: *const u8,
    r#in: *const c_void,
    out: *mut c_void,
    len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    unsafe { run(ctx, unit, r#in, out, len, Xts::encrypt_inout) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_xts_decrypt(
    ctx: *const Xts,
    unit: *const u8,
    r#in: *const c_void,
    out: *mut c_void,
    len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    unsafe { run(ctx, unit, r#in, out, len, Xts::decrypt_inout) }
}

/// # Safety
/// That of the functions above.
#[inline]
unsafe fn run(
    ctx: *const Xts,
    unit: *const u8,
    input: *const c_void,
    output: *mut c_void,
    len: usize,
    run: impl FnOnce(&Xts, u128, InOutBuf<'_, '_, u8>) -> Result<(), CipherError>,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps to the header.
        let ctx = unsafe { shared(ctx) }?;
        let unit = Block::new("unit", unit.cast_mut())?;
        let data = Data::new(input, output, len, &[unit.span])?;
        // SAFETY: the caller keeps to the header.
        let unit = u128::from_le_bytes(unsafe { unit.read() });
        // SAFETY: the caller keeps to the header.
        Ok(run(ctx, unit, unsafe { data.in_out() })?)
    })
}
