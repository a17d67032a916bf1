//! `ciphertune_cbc_many`: many messages side by side.

use std::ffi::{c_int, c_void};

use ciphertune::{CbcMany, Message};

use crate::{
    boundary::{create, destroy, exclusive, guard, shared},
    buffers::{BLOCK, Data, Span, bytes, room, things},
    many::{Place, all_apart},
};

/// `ciphertune_cbc_message` of the header.
#[repr(C)]
pub(crate) struct CMessage {
    pub(crate) iv: [u8; BLOCK],
    pub(crate) r#in: *const c_void,
    pub(crate) out: *mut c_void,
    pub(crate) len: usize,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cbc_many_new(
    ctx: *mut *mut CbcMany,
    key: *const c_void,
    key_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    unsafe { create(ctx, || Ok(CbcMany::new(bytes("key", key, key_len)?)?)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cbc_many_free(ctx: *mut CbcMany) {
    // SAFETY: the caller keeps to the header.
    unsafe { destroy(ctx) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cbc_many_rekey(
    ctx: *mut CbcMany,
    key: *const c_void,
    key_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    guard(|| unsafe { Ok(exclusive(ctx)?.rekey(bytes("key", key, key_len)?)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cbc_many_encrypt(
    ctx: *const CbcMany,
    messages: *mut CMessage,
    count: usize,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps to the header.
        let ctx = unsafe { shared(ctx) }?;
        let array = Span::new("messages", messages, count)?;
        let mut places = room(2 * count + 1)?;
        places.push(Place::written(array));
        let mut ours = room(count)?;
        // SAFETY: the caller keeps to the header.
        for message in unsafe { things("messages", messages, count) }? {
            let data = Data::new(message.r#in, message.out, message.len, &[])?;
            places.extend(Place::of(&data));
            // SAFETY: the caller keeps to the header; nothing is read or written before it is known that they are apart.
            let data = unsafe { data.in_out() };
            ours.push(Message { iv: message.iv, data });
        }
        all_apart(&mut places)?;
        ctx.encrypt(&mut ours)?;
        for (i, message) in ours.iter().enumerate() {
            // SAFETY: the caller keeps to the header; it is one of `count`, and no reference to it is left.
            unsafe { (*messages.add(i)).iv = message.iv };
        }
        Ok(())
    })
}
