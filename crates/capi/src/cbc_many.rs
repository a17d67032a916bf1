//! `ciphertune_cbc_many`: many messages side by side.

use std::ffi::{c_int, c_void};

use ciphertune::{CbcMany, Message};

use crate::{
    boundary::{create, destroy, exclusive, guard, shared},
    buffers::{BLOCK, Data, Span, bytes, room, things},
    error::Error,
    many::{Owners, Place, all_apart},
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
        let of = |_, message| Ok(message);
        // SAFETY: as above.
        unsafe {
            encrypt(
                messages,
                count,
                None,
                of,
                |ours| ctx.encrypt(ours),
                |ours| ours.iv,
            )
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cbc_many_encrypt_each(
    ctxs: *const *mut CbcMany,
    messages: *mut CMessage,
    count: usize,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps to the header.
        let owners = unsafe { Owners::new(ctxs, count) }?;
        let of = |i, message| Ok((owners.of(i)?, message));
        let iv = |(_, message): &(_, Message<'_, '_>)| message.iv;
        // SAFETY: as above.
        unsafe {
            encrypt(
                messages,
                count,
                Some(owners.place),
                of,
                |ours| CbcMany::encrypt_each(ours),
                iv,
            )
        }
    })
}

/// Has `run` encrypt messages, as what `of` makes of each, and puts the IVs in place that they have then.
///
/// # Safety
/// As the header says of `messages` and `count`.
unsafe fn encrypt<T>(
    messages: *mut CMessage,
    count: usize,
    owners: Option<Place>,
    of: impl Fn(usize, Message<'static, 'static>) -> Result<T, Error>,
    run: impl FnOnce(&mut [T]) -> Result<(), ciphertune::Error>,
    iv: impl Fn(&T) -> [u8; BLOCK],
) -> Result<(), Error> {
    let array = Span::new("messages", messages, count)?;
    let mut places = room(2 * count + 2, count)?;
    places.push(Place::written(array));
    places.extend(owners);
    let mut ours = room(count, count)?;
    // SAFETY: as the caller.
    let theirs = unsafe { things("messages", messages, count) }?;
    for (i, message) in theirs.iter().enumerate() {
        let data =
            Data::new(message.r#in, message.out, message.len, &[]).map_err(|error| error.of_message(i))?;
        places.extend(Place::of(&data));
        // SAFETY: as the caller; nothing is read or written before it is known that they are apart.
        let data = unsafe { data.in_out() };
        ours.push(of(i, Message { iv: message.iv, data })?);
    }
    all_apart(&mut places).map_err(|clash| clash.error(count, |i| spans(&theirs[i])))?;
    run(&mut ours).map_err(|error| which(error, theirs))?;
    for (i, message) in ours.iter().enumerate() {
        // SAFETY: as the caller; it is one of `count`, and no reference to it is left.
        unsafe { (*messages.add(i)).iv = iv(message) };
    }
    Ok(())
}

/// What a message reads and writes.
fn spans(message: &CMessage) -> [Span; 2] {
    let span = |name, start| Span {
        name,
        start,
        len: message.len,
    };
    [span("in", message.r#in.addr()), span("out", message.out.addr())]
}

/// The same error, with the message that it is about.
#[cold]
fn which(error: ciphertune::Error, messages: &[CMessage]) -> Error {
    match messages
        .iter()
        .position(|message| !message.len.is_multiple_of(BLOCK))
    {
        Some(index) => Error::from(error).of_message(index),
        None => error.into(),
    }
}
