//! What GCM and OCB have in common of messages in parts.

/// The functions of one type of the header, by their names. What two of them repeat would take a few instructions more of a
/// short part in a function of its own.
macro_rules! in_parts {
    (
        $cipher:ident, $stream:ident, $context:ident;
        $new:ident($with_tag_len:ident);
        $free:ident;
        $rekey:ident;
        $start:ident;
        $aad:ident;
        $encrypt:ident;
        $decrypt_unverified:ident;
        $finish:ident;
        $verify:ident;
    ) => {
        use std::ffi::{c_int, c_void};

        use crate::{
            aead::check_tag_len,
            boundary::{create, destroy, exclusive, guard},
            buffers::{Data, Span, bytes, write_tag},
            exported::exported,
        };

        exported! {
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $new(
                ctx: *mut *mut $context,
                key: *const c_void,
                key_len: usize,
                tag_len: usize,
            ) -> c_int {
                let new = || {
                    // SAFETY: the caller keeps to the header.
                    let cipher = $cipher::new(unsafe { bytes("key", key, key_len) }?)?.$with_tag_len(tag_len)?;
                    let cipher = $stream::new(cipher);
                    Ok(Context { cipher, tag_len })
                };
                // SAFETY: the caller keeps to the header.
                unsafe { create(ctx, new) }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $free(ctx: *mut $context) {
                // SAFETY: the caller keeps to the header.
                unsafe { destroy(ctx) }
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $rekey(
                ctx: *mut $context,
                key: *const c_void,
                key_len: usize,
            ) -> c_int {
                // SAFETY: the caller keeps to the header.
                guard(|| unsafe { Ok(exclusive(ctx)?.cipher.rekey(bytes("key", key, key_len)?)?) })
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $start(
                ctx: *mut $context,
                nonce: *const c_void,
                nonce_len: usize,
            ) -> c_int {
                // SAFETY: the caller keeps to the header.
                guard(|| unsafe { Ok(exclusive(ctx)?.cipher.start(bytes("nonce", nonce, nonce_len)?)?) })
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $aad(
                ctx: *mut $context,
                aad: *const c_void,
                len: usize,
            ) -> c_int {
                // SAFETY: the caller keeps to the header.
                guard(|| unsafe { Ok(exclusive(ctx)?.cipher.aad(bytes("aad", aad, len)?)?) })
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $encrypt(
                ctx: *mut $context,
                r#in: *const c_void,
                out: *mut c_void,
                len: usize,
            ) -> c_int {
                guard(|| {
                    // SAFETY: the caller keeps to the header.
                    let cipher = unsafe { &mut exclusive(ctx)?.cipher };
                    let data = Data::new(r#in, out, len, &[])?;
                    // SAFETY: the caller keeps to the header.
                    Ok(cipher.encrypt_inout(unsafe { data.in_out() })?)
                })
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $decrypt_unverified(
                ctx: *mut $context,
                r#in: *const c_void,
                out: *mut c_void,
                len: usize,
            ) -> c_int {
                guard(|| {
                    // SAFETY: the caller keeps to the header.
                    let cipher = unsafe { &mut exclusive(ctx)?.cipher };
                    let data = Data::new(r#in, out, len, &[])?;
                    // SAFETY: the caller keeps to the header.
                    Ok(cipher.decrypt_unverified_inout(unsafe { data.in_out() })?)
                })
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $finish(
                ctx: *mut $context,
                tag: *mut c_void,
                tag_len: usize,
            ) -> c_int {
                guard(|| {
                    // SAFETY: the caller keeps to the header.
                    let ctx = unsafe { exclusive(ctx) }?;
                    // Before the message ends, which it does once.
                    Span::new("tag", tag.cast::<u8>(), tag_len)?;
                    check_tag_len(tag_len, ctx.tag_len)?;
                    // SAFETY: the caller keeps to the header; the tag has `tag_len` bytes.
                    unsafe { write_tag(tag, &ctx.cipher.finish()?) }
                })
            }

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $verify(
                ctx: *mut $context,
                tag: *const c_void,
                tag_len: usize,
            ) -> c_int {
                // SAFETY: the caller keeps to the header.
                guard(|| unsafe { Ok(exclusive(ctx)?.cipher.verify(bytes("tag", tag, tag_len)?)?) })
            }
        }
    };
}
pub(crate) use in_parts;
