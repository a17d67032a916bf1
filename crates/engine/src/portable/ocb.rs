//! OCB (RFC 7253), and what of a message goes through AES together.

use inout::InOutBuf;
use zeroize::zeroize_stack;

use super::blocks::{Compiled, Room};
use super::modes::{between, encrypt_block, pieces, xor};
use crate::{
    BLOCK, OcbKey,
    ocb::{LONG_AAD, Moves, Start, State, first_offset, padded},
    part,
    wipe::apart,
};

/// The offsets of OCB from the next block on.
fn offsets<'a>(moves: &'a Moves, state: &'a mut State) -> impl FnMut() -> [u8; BLOCK] + 'a {
    move || {
        state.blocks += 1;
        state.offset ^= moves.to(state.blocks);
        state.offset.to_le_bytes()
    }
}

/// The sum of whole blocks.
fn sum_of(blocks: &[u8]) -> u128 {
    let blocks = blocks.as_chunks().0.iter();
    blocks.fold(0, |sum, block| sum ^ u128::from_le_bytes(*block))
}

/// The stack in bytes, with room to spare, that sums and offsets may lie on after the functions that are never inlined:
/// rooms are not among them.
const SPILLED: usize = 1024;

/// Whole blocks within a message.
///
/// # Safety
/// The processor has the features of `P`, here and below.
pub(super) unsafe fn blocks<P: Compiled, const DECRYPT: bool>(
    key: &OcbKey,
    state: &mut State,
    buffer: InOutBuf<'_, '_, u8>,
) {
    let mut room = Room::ZERO;
    // SAFETY: as the caller.
    unsafe { blocks_in::<P, DECRYPT>(&mut room, key, state, buffer) };
    zeroize_stack::<SPILLED>();
}

#[inline(never)]
unsafe fn blocks_in<P: Compiled, const DECRYPT: bool>(
    room: &mut Room,
    key: &OcbKey,
    state: &mut State,
    buffer: InOutBuf<'_, '_, u8>,
) {
    let keys = key.key.0.sliced();
    let mut sum = 0;
    let mut next = offsets(&key.moves, state);
    pieces(buffer, size_of::<Room>(), |mut blocks| {
        let added = &mut room.0[..blocks.len()];
        added.as_chunks_mut().0.fill_with(&mut next);
        if !DECRYPT {
            sum ^= sum_of(blocks.get_in());
        }
        // SAFETY: as the caller.
        unsafe { between::<P, DECRYPT>(keys, &mut blocks, added) };
        if DECRYPT {
            sum ^= sum_of(blocks.get_out());
        }
    });
    drop(next);
    state.sum ^= sum;
}

/// Whole blocks of additional data.
pub(super) unsafe fn hash<P: Compiled>(key: &OcbKey, state: &mut State, data: &[u8]) {
    let mut room = Room::ZERO;
    // SAFETY: as the caller.
    unsafe { hash_in::<P>(&mut room, key, state, data) };
    zeroize_stack::<SPILLED>();
}

#[inline(never)]
unsafe fn hash_in<P: Compiled>(room: &mut Room, key: &OcbKey, state: &mut State, data: &[u8]) {
    let keys = key.key.0.sliced();
    let mut sum = 0;
    let mut next = offsets(&key.moves, state);
    for blocks in data.chunks(P::WIDE) {
        let len = blocks.len();
        room.0[..len].as_chunks_mut().0.fill_with(&mut next);
        xor(&mut room.0[..len], blocks);
        // SAFETY: as the caller.
        unsafe { P::encrypt(keys, room, len) };
        sum ^= sum_of(&room.0[..len]);
    }
    drop(next);
    state.sum ^= sum;
}

/// Seals a message and answers its tag.
pub(super) unsafe fn seal<P: Compiled>(
    key: &OcbKey,
    start: Start,
    aad: &[u8],
    buffer: &mut InOutBuf<'_, '_, u8>,
) -> u128 {
    // What wipes the stack saves half of the tag first. Rooms in this frame would have it far down, where nobody wipes who
    // gives out a part of a tag.
    apart::<{ SPILLED + 3 * size_of::<Room>() }, _>(|| {
        let mut rooms = [Room::ZERO, Room::ZERO];
        // SAFETY: as the caller.
        unsafe { seal_in::<P>(&mut rooms, key, start, aad, buffer) }
    })
}

/// The sum of the text is known before: the tag's block goes with the last ones.
#[inline(never)]
unsafe fn seal_in<P: Compiled>(
    [room, added]: &mut [Room; 2],
    key: &OcbKey,
    start: Start,
    aad: &[u8],
    buffer: &mut InOutBuf<'_, '_, u8>,
) -> u128 {
    let whole = buffer.len() / BLOCK * BLOCK;
    let parts = usize::from(buffer.len() > whole);
    let mut last = whole % P::WIDE;
    if last + (parts + 1) * BLOCK > P::WIDE {
        last = 0;
    }
    let (first, rest) = buffer.reborrow().split_at(whole - last);
    let (mut text, end) = rest.split_at(last);
    let mut state = State::default();
    // SAFETY: as the caller.
    let hash = unsafe { begin::<P>(room, key, &mut state, start, aad) };
    if !first.is_empty() {
        // SAFETY: as the caller.
        unsafe { blocks_in::<P, false>(added, key, &mut state, first) };
    }

    let added = &mut added.0[..last];
    added.as_chunks_mut().0.fill_with(offsets(&key.moves, &mut state));
    state.sum ^= sum_of(text.get_in());
    let (blocks, others) = room.0.split_at_mut(last);
    blocks.copy_from_slice(text.get_in());
    xor(blocks, added);
    let others = &mut others.as_chunks_mut().0[..=parts];
    if parts > 0 {
        state.offset ^= key.moves.part;
        state.sum ^= padded(part::number(end.get_in()), end.len());
        others[0] = state.offset.to_le_bytes();
    }
    others[parts] = (state.sum ^ state.offset ^ key.moves.tag).to_le_bytes();
    let made = last + (parts + 1) * BLOCK;
    // SAFETY: as the caller.
    unsafe { P::ecb::<false>(key.key.0.sliced(), (&mut room.0[..made]).into()) };
    xor(&mut room.0[..last], added);
    text.get_out().copy_from_slice(&room.0[..last]);
    if parts > 0 {
        part::add(block(room, last), end);
    }
    block(room, made - BLOCK) ^ hash
}

/// Opens a message and answers the tag that it should have.
pub(super) unsafe fn open<P: Compiled>(
    key: &OcbKey,
    start: Start,
    aad: &[u8],
    buffer: &mut InOutBuf<'_, '_, u8>,
) -> u128 {
    // As for sealing.
    apart::<{ SPILLED + 2 * size_of::<Room>() }, _>(|| {
        let mut room = Room::ZERO;
        // SAFETY: as the caller.
        unsafe { open_in::<P>(&mut room, key, start, aad, buffer) }
    })
}

#[inline(never)]
unsafe fn open_in<P: Compiled>(
    room: &mut Room,
    key: &OcbKey,
    start: Start,
    aad: &[u8],
    buffer: &mut InOutBuf<'_, '_, u8>,
) -> u128 {
    let whole = buffer.len() / BLOCK * BLOCK;
    let (text, end) = buffer.reborrow().split_at(whole);
    let mut state = State::default();
    // SAFETY: as the caller.
    unsafe {
        let hash = begin::<P>(room, key, &mut state, start, aad);
        blocks_in::<P, true>(room, key, &mut state, text);
        if !end.is_empty() {
            let len = end.len();
            state.offset ^= key.moves.part;
            let [_, text] = part::add(encrypt_block::<P>(&key.key, state.offset), end);
            state.sum ^= padded(text, len);
        }
        encrypt_block::<P>(&key.key, state.sum ^ state.offset ^ key.moves.tag) ^ hash
    }
}

/// Goes to where the text begins, and answers the hash of additional data, whose blocks go with the nonce's.
unsafe fn begin<P: Compiled>(
    room: &mut Room,
    key: &OcbKey,
    text: &mut State,
    start: Start,
    aad: &[u8],
) -> u128 {
    const { assert!(LONG_AAD + BLOCK <= size_of::<Room>()) };
    let (whole, end) = aad.as_chunks::<BLOCK>();
    let mut state = State::default();
    let (top, places) = room.0.as_chunks_mut().0.split_at_mut(1);
    top[0] = start.top.to_le_bytes();
    places[..whole.len()].fill_with(offsets(&key.moves, &mut state));
    xor(places.as_flattened_mut(), whole.as_flattened());
    let mut hashed = whole.len();
    if !end.is_empty() {
        let offset = state.offset ^ key.moves.part;
        places[hashed] = (offset ^ padded(part::number(end), end.len())).to_le_bytes();
        hashed += 1;
    }
    let made = (1 + hashed) * BLOCK;
    // SAFETY: as the caller.
    unsafe { P::ecb::<false>(key.key.0.sliced(), (&mut room.0[..made]).into()) };
    text.offset = first_offset(block(room, 0), start.bottom);
    sum_of(&room.0[BLOCK..made])
}

/// The block from that byte on.
fn block(room: &Room, at: usize) -> u128 {
    sum_of(&room.0[at..at + BLOCK])
}
