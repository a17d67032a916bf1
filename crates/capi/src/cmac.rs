//! `ciphertune_cmac`, of one message and of many side by side.

use std::{
    ffi::{c_int, c_void},
    slice::from_raw_parts_mut,
};

use ciphertune::Cmac;

use crate::{
    boundary::{create, destroy, exclusive, guard, shared},
    buffers::{BLOCK, Block, Span, bytes, room, slice, things},
    error::Error,
    many::{Owners, Place, all_apart},
};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cmac_new(
    ctx: *mut *mut Cmac,
    key: *const c_void,
    key_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    unsafe { create(ctx, || Ok(Cmac::new(bytes("key", key, key_len)?)?)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cmac_free(ctx: *mut Cmac) {
    // SAFETY: the caller keeps to the header.
    unsafe { destroy(ctx) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cmac_rekey(ctx: *mut Cmac, key: *const c_void, key_len: usize) -> c_int {
    // SAFETY: the caller keeps to the header.
    guard(|| unsafe { Ok(exclusive(ctx)?.rekey(bytes("key", key, key_len)?)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cmac_tag(
    ctx: *const Cmac,
    message: *const c_void,
    len: usize,
    tag: *mut u8,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps to the header.
        let ctx = unsafe { shared(ctx) }?;
        let place = Block::new("tag", tag)?;
        place.span.apart_from(&[Span::new("message", message, len)?])?;
        // SAFETY: the caller keeps to the header.
        unsafe { place.write(ctx.tag(bytes("message", message, len)?)) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cmac_verify(
    ctx: *const Cmac,
    message: *const c_void,
    len: usize,
    tag: *const c_void,
    tag_len: usize,
) -> c_int {
    // SAFETY: the caller keeps to the header.
    guard(|| unsafe {
        Ok(shared(ctx)?.verify(bytes("message", message, len)?, bytes("tag", tag, tag_len)?)?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cmac_compare(
    made: *const u8,
    tag: *const c_void,
    tag_len: usize,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps to the header; bytes need no alignment.
        let made = unsafe { made.cast::<[u8; BLOCK]>().as_ref() }.ok_or(Error::Null("made"))?;
        // SAFETY: as above.
        Ok(Cmac::compare(made, unsafe { bytes("tag", tag, tag_len) }?)?)
    })
}

/// `ciphertune_bytes` of the header.
#[repr(C)]
pub(crate) struct CBytes {
    pub(crate) data: *const c_void,
    pub(crate) len: usize,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cmac_tags(
    ctx: *const Cmac,
    messages: *const CBytes,
    tags: *mut u8,
    count: usize,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps to the header.
        let ctx = unsafe { shared(ctx) }?;
        let of = |_, message| Ok(message);
        // SAFETY: as above.
        unsafe { tag_all(messages, tags, count, None, of, |ours, tags| ctx.tags(ours, tags)) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphertune_cmac_tags_each(
    ctxs: *const *mut Cmac,
    messages: *const CBytes,
    tags: *mut u8,
    count: usize,
) -> c_int {
    guard(|| {
        // SAFETY: the caller keeps to the header.
        let owners = unsafe { Owners::new(ctxs, count) }?;
        let of = |i, message| Ok((owners.of(i)?, message));
        // SAFETY: as above.
        unsafe { tag_all(messages, tags, count, Some(owners.place), of, Cmac::tags_each) }
    })
}

/// Has `run` make the tags of messages, as what `of` makes of each.
///
/// # Safety
/// As the header says of `messages`, `tags` and `count`.
unsafe fn tag_all<T>(
    messages: *const CBytes,
    tags: *mut u8,
    count: usize,
    owners: Option<Place>,
    of: impl Fn(usize, &'static [u8]) -> Result<T, Error>,
    run: impl FnOnce(&[T], &mut [[u8; BLOCK]]) -> Result<(), ciphertune::Error>,
) -> Result<(), Error> {
    let tags: *mut [u8; BLOCK] = tags.cast();
    // SAFETY: as the caller.
    let theirs = unsafe { things("messages", messages, count) }?;
    let mut places = room(count.saturating_add(3), count)?;
    places.push(Place::read(Span::new("messages", messages, count)?));
    places.push(Place::written(Span::new("tags", tags, count)?));
    places.extend(owners);
    let mut ours = room(count, count)?;
    for (i, message) in theirs.iter().enumerate() {
        let span =
            Span::new("data", message.data.cast::<u8>(), message.len).map_err(|error| error.of_message(i))?;
        places.push(Place::read(span));
        // SAFETY: as the caller; it was checked.
        ours.push(of(i, unsafe { slice(message.data, message.len) })?);
    }
    let data = |i: usize| {
        let CBytes { data, len } = theirs[i];
        [Span {
            name: "data",
            start: data.addr(),
            len,
        }]
    };
    all_apart(&mut places).map_err(|clash| clash.error(count, data))?;
    if count > 0 {
        // SAFETY: as the caller; `tags` is not NULL and shares no byte with what is read.
        run(&ours, unsafe { from_raw_parts_mut(tags, count) })?;
    }
    Ok(())
}
