//! What CBC, CFB and CFB-8 have in common: an IV that a message leaves changed.

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
        // SAFETY: the caller keeps to the header; IV and data are apart. The library writes the IV where it succeeds alone.
        let (iv, data) = unsafe { (place.lent(), data.in_out()) };
        Ok(run(ctx, iv, data)?)
    })
}

/// The functions of one type of the header, by their names, and what two of them run.
macro_rules! chained {
    (
        $cipher:ident;
        $new:ident;
        $free:ident;
        $rekey:ident;
        $encrypt:ident($run_encrypt:expr);
        $decrypt:ident($run_decrypt:expr);
    ) => {
        use std::ffi::{c_int, c_void};

        use crate::{
            boundary::{create, destroy, exclusive, guard},
            buffers::bytes,
            chained::run,
            exported::exported,
        };

        exported! {
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $new(
                ctx: *mut *mut $cipher,
                key: *const c_void,
                key_len: usize,
            ) -> c_int {
                // SAFETY: the caller keeps to the header.
                unsafe { create(ctx, || Ok($cipher::new(bytes("key", key, key_len)?)?)) }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $free(ctx: *mut $cipher) {
                // SAFETY: the caller keeps to the header.
                unsafe { destroy(ctx) }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $rekey(ctx: *mut $cipher, key: *const c_void, key_len: usize) -> c_int {
                // SAFETY: the caller keeps to the header.
                guard(|| unsafe { Ok(exclusive(ctx)?.rekey(bytes("key", key, key_len)?)?) })
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $encrypt(
                ctx: *const $cipher,
                iv: *mut u8,
                r#in: *const c_void,
                out: *mut c_void,
                len: usize,
            ) -> c_int {
                // SAFETY: the caller keeps to the header.
                unsafe { run(ctx, iv, r#in, out, len, $run_encrypt) }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $decrypt(
                ctx: *const $cipher,
                iv: *mut u8,
                r#in: *const c_void,
                out: *mut c_void,
                len: usize,
            ) -> c_int {
                // SAFETY: the caller keeps to the header.
                unsafe { run(ctx, iv, r#in, out, len, $run_decrypt) }
            }
        }
    };
}
pub(crate) use chained;
