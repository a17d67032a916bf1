//! What CBC and CFB have in common: an IV that a message leaves changed.

use std::ffi::{c_int, c_void};

use ciphertune::{Error as CipherError, InOutBuf};

use crate::{
    boundary::{guard, shared},
    buffers::{BLOCK, Block, Data},
};

/// Runs a function of the library's.
///
/// # Safety
/// As the header asks of the functions of CBC and CFB.
#[inline]
pub(crate) unsafe fn run<T: Sync>(
    ctx: *const T,
    iv: *mut u8,
    input: *const c_void,
    output: *mut c_void,
    len: usize,
    run: impl FnOnce(&T, &mut [u8; BLOCK], InOutBuf<'_, '_, u8>) -> Result<(), CipherError>,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps to the header.
        let ctx = unsafe { shared(ctx) }?;
        let place = Block::new("iv", iv)?;
        let data = Data::new(input, output, len, &[])?;
        place.span.apart_from(&data.spans())?;
        // SAFETY: the caller keeps to the header.
        let mut iv = unsafe { place.read() };
        // SAFETY: the caller keeps to the header.
        run(ctx, &mut iv, unsafe { data.in_out() })?;
        // SAFETY: the caller keeps to the header.
        unsafe { place.write(iv) };
        Ok(())
    })
}
