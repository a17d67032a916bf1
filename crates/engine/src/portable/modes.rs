//! The block modes, plainly: what the vector kernels are checked against.

use core::ptr;

use inout::InOutBuf;
use zeroize::{Zeroize, zeroize_stack};

use super::Keys;
use super::blocks::{Cbc, CbcMac, Cfb, Chain, Compiled, Ofb, Room};
use super::ctr::{SHARED, few};
use super::ocb;
use crate::{
    BLOCK,
    block::{BlockKey, Modes, TweakKey},
    chains::{Chains, Places},
    gf128::{before_stealing, double},
    keystream::{self, SPARE},
    ocb::Whole,
    span::Span,
    wipe::{cleared, overwrite},
};

/// A function, and [`cleared`].
macro_rules! clear_after {
    ($run:path; $($argument:ident),*) => {
        // SAFETY: as the caller.
        |$($argument),*| cleared(|| unsafe { $run($($argument),*) })
    };
    // Of what comes as the parts of a span.
    ($run:path; $($argument:ident),*; buffer) => {
        // SAFETY: as above; its addresses are valid for its length.
        |$($argument,)* src, dst, len| cleared(|| unsafe { $run($($argument,)* Span { src, dst, len }.buffer()) })
    };
}

pub(crate) const fn modes<P: Compiled>() -> Modes {
    Modes {
        expand: |key, bytes| cleared(|| key.0.room_for_sliced().expand(bytes)),
        expand_tweak: |key, bytes| cleared(|| key.0.room_for_sliced().expand(bytes)),
        encrypt_block: clear_after!(encrypt_block::<P>; key, block),
        ecb_encrypt: clear_after!(ecb::<P, false>; key; buffer),
        ecb_decrypt: clear_after!(ecb::<P, true>; key; buffer),
        cbc_encrypt: clear_after!(chained::<P, Cbc>; key, iv; buffer),
        cbc_decrypt: clear_after!(cbc_decrypt::<P>; key, iv; buffer),
        cfb_encrypt: clear_after!(chained::<P, Cfb>; key, iv; buffer),
        cfb_decrypt: clear_after!(cfb_decrypt::<P>; key, iv; buffer),
        ofb: clear_after!(chained::<P, Ofb>; key, iv; buffer),
        cfb8_encrypt: clear_after!(cfb8_encrypt::<P>; key, iv; buffer),
        cfb8_decrypt: clear_after!(cfb8_decrypt::<P>; key, iv; buffer),
        xts_encrypt: clear_after!(xts::<P, false>; key, tweak_key, unit, buffer),
        xts_decrypt: clear_after!(xts::<P, true>; key, tweak_key, unit, buffer),
        cbc_mac: clear_after!(cbc_mac::<P>; key, value, data),
        ccm_encrypt: clear_after!(ccm::<P, true>; key, value, counter, buffer),
        ccm_decrypt: clear_after!(ccm::<P, false>; key, value, counter, buffer),
        ccm: P::CCM,
        ocb_encrypt: clear_after!(ocb::blocks::<P, false>; key, state, buffer),
        ocb_decrypt: clear_after!(ocb::blocks::<P, true>; key, state, buffer),
        ocb_hash: clear_after!(ocb::hash::<P>; key, state, data),
        ocb: Some(Whole {
            seal: clear_after!(ocb::seal::<P>; key, start, aad, buffer),
            open: clear_after!(ocb::open::<P>; key, start, aad, buffer),
        }),
        lanes: P::WIDE / BLOCK,
        cbc_many: clear_after!(chains::<P, true>; key, all, blocks),
        mac_many: clear_after!(chains::<P, false>; key, all, blocks),
        #[cfg(vectors)]
        each: None,
    }
}

/// Takes `buffer` through `each`, `most` bytes at a time.
#[inline(always)]
pub(super) fn pieces(
    mut buffer: InOutBuf<'_, '_, u8>,
    most: usize,
    mut each: impl FnMut(InOutBuf<'_, '_, u8>),
) {
    while !buffer.is_empty() {
        let len = buffer.len().min(most);
        let (now, rest) = buffer.split_at(len);
        each(now);
        buffer = rest;
    }
}

/// [`Compiled::ecb`], by way of a room; apart, so that the frames of those who call it are small and soon wiped.
///
/// # Safety
/// The processor has the features of `P`; so with all below.
#[inline(never)]
pub(super) unsafe fn in_room<P: Compiled, const DECRYPT: bool>(keys: &Keys, buffer: InOutBuf<'_, '_, u8>) {
    let mut room = Room::ZERO;
    pieces(buffer, P::WIDE, |mut piece| {
        let len = piece.len();
        room.0[..len].copy_from_slice(piece.get_in());
        // SAFETY: as the caller.
        unsafe {
            if DECRYPT {
                P::decrypt(keys, &mut room, len);
            } else {
                P::encrypt(keys, &mut room, len);
            }
        }
        piece.get_out().copy_from_slice(&room.0[..len]);
    });
}

/// Blocks between two additions of as many bytes: XTS, OCB.
#[inline(always)]
pub(super) unsafe fn between<P: Compiled, const DECRYPT: bool>(
    keys: &Keys,
    blocks: &mut InOutBuf<'_, '_, u8>,
    added: &[u8],
) {
    keystream::xor(added, blocks.reborrow());
    // SAFETY: as the caller.
    unsafe { P::ecb::<DECRYPT>(keys, blocks.get_out().into()) };
    xor(blocks.get_out(), added);
}

pub(super) unsafe fn encrypt_block<P: Compiled>(key: &BlockKey, block: u128) -> u128 {
    // SAFETY: as the caller.
    unsafe { encrypt_one::<P>(key.0.sliced(), block) }
}

unsafe fn encrypt_one<P: Compiled>(keys: &Keys, block: u128) -> u128 {
    let mut bytes = block.to_le_bytes();
    // SAFETY: as the caller.
    unsafe { P::ecb::<false>(keys, bytes.as_mut_slice().into()) };
    let block = u128::from_le_bytes(bytes);
    bytes.zeroize();
    block
}

unsafe fn ecb<P: Compiled, const DECRYPT: bool>(key: &BlockKey, buffer: InOutBuf<'_, '_, u8>) {
    // SAFETY: as the caller.
    unsafe { P::ecb::<DECRYPT>(key.0.sliced(), buffer) }
}

/// Encrypts one block in a room that is there.
#[inline(always)]
unsafe fn block_in_room<P: Compiled>(keys: &Keys, room: &mut Room, block: &mut [u8; BLOCK]) {
    room.0[..BLOCK].copy_from_slice(block);
    // SAFETY: as the caller.
    unsafe { P::encrypt(keys, room, BLOCK) };
    block.copy_from_slice(&room.0[..BLOCK]);
}

unsafe fn chained<P: Compiled, C: Chain>(
    key: &BlockKey,
    value: &mut [u8; BLOCK],
    buffer: InOutBuf<'_, '_, u8>,
) {
    let len = buffer.len();
    let (src, dst) = buffer.into_raw();
    // SAFETY: as the caller; the buffer's addresses are valid for its length, equal or apart.
    unsafe { P::chain::<C>(key.0.sliced(), value, src, dst, len) }
}

unsafe fn cbc_mac<P: Compiled>(key: &BlockKey, value: &mut [u8; BLOCK], data: &[u8]) {
    // SAFETY: as the caller; this chain has no output.
    unsafe { P::chain::<CbcMac>(key.0.sliced(), value, data.as_ptr(), ptr::null_mut(), data.len()) }
}

/// [`Compiled::chain`], a block at a time.
///
/// # Safety
/// As there.
pub(super) unsafe fn link<P: Compiled, C: Chain>(
    keys: &Keys,
    value: &mut [u8; BLOCK],
    src: *const u8,
    dst: *mut u8,
    len: usize,
) {
    let mut room = Room::ZERO;
    for at in (0..len).step_by(BLOCK) {
        // SAFETY: as the caller, here and below.
        let text = unsafe { src.add(at).cast::<[u8; BLOCK]>().read() };
        if C::TEXT_GOES_IN {
            xor(value, &text);
        }
        // SAFETY: as above.
        unsafe { block_in_room::<P>(keys, &mut room, value) };
        let mut out = *value;
        if !C::TEXT_GOES_IN {
            xor(&mut out, &text);
        }
        if C::HAS_OUTPUT {
            // SAFETY: as above.
            unsafe { dst.add(at).cast::<[u8; BLOCK]>().write(out) };
        }
        if C::OUTPUT_GOES_ON {
            *value = out;
        }
    }
}

unsafe fn ctr<P: Compiled>(key: &BlockKey, counter: u128, buffer: InOutBuf<'_, '_, u8>) {
    let keys = key.0.sliced();
    if buffer.len() < P::WIDE.min(SHARED * P::BATCH) {
        // SAFETY: as the caller.
        unsafe { few::<P>(keys, |i| counter.wrapping_add(i.into()), buffer, None) };
    } else {
        let mut spare = [0; SPARE];
        // SAFETY: as the caller.
        unsafe { super::ctr::<P>(keys, counter, buffer, &mut spare) };
        spare.zeroize();
    }
}

unsafe fn ccm<P: Compiled, const SEAL: bool>(
    key: &BlockKey,
    value: u128,
    counter: u128,
    mut buffer: InOutBuf<'_, '_, u8>,
) -> u128 {
    let mut value = value.to_le_bytes();
    // SAFETY: as the caller.
    unsafe {
        if SEAL {
            cbc_mac::<P>(key, &mut value, buffer.get_in());
            ctr::<P>(key, counter, buffer);
        } else {
            ctr::<P>(key, counter, buffer.reborrow());
            cbc_mac::<P>(key, &mut value, buffer.get_out());
        }
    }
    let made = u128::from_le_bytes(value);
    overwrite(&mut value, [0; BLOCK]);
    made
}

unsafe fn cbc_decrypt<P: Compiled>(key: &BlockKey, iv: &mut [u8; BLOCK], buffer: InOutBuf<'_, '_, u8>) {
    let keys = key.0.sliced();
    let mut before = Room::ZERO;
    pieces(buffer, size_of::<Room>(), |mut blocks| {
        let len = preceding(iv, &mut before, blocks.get_in());
        // SAFETY: as the caller.
        unsafe { P::ecb::<true>(keys, blocks.reborrow()) };
        xor(blocks.get_out(), &before.0[..len]);
    });
}

unsafe fn cfb_decrypt<P: Compiled>(key: &BlockKey, iv: &mut [u8; BLOCK], buffer: InOutBuf<'_, '_, u8>) {
    let keys = key.0.sliced();
    let mut made = Room::ZERO;
    pieces(buffer, P::WIDE, |blocks| {
        let len = preceding(iv, &mut made, blocks.get_in());
        // SAFETY: as the caller.
        unsafe { P::encrypt(keys, &mut made, len) };
        keystream::xor(&made.0[..len], blocks);
    });
}

unsafe fn cfb8_encrypt<P: Compiled>(key: &BlockKey, iv: &mut [u8; BLOCK], buffer: InOutBuf<'_, '_, u8>) {
    let len = buffer.len();
    let (src, dst) = buffer.into_raw();
    // SAFETY: as the caller; the buffer's addresses are valid for its length, equal or apart.
    unsafe { P::cfb8_encrypt(key.0.sliced(), iv, src, dst, len) }
}

/// [`Compiled::cfb8_encrypt`], a byte at a time.
///
/// # Safety
/// As there.
pub(super) unsafe fn link_bytes<P: Compiled>(
    keys: &Keys,
    iv: &mut [u8; BLOCK],
    src: *const u8,
    dst: *mut u8,
    len: usize,
) {
    let mut room = Room::ZERO;
    for at in 0..len {
        let mut keystream = *iv;
        // SAFETY: as the caller.
        unsafe {
            block_in_room::<P>(keys, &mut room, &mut keystream);
            let cipher = src.add(at).read() ^ keystream[0];
            dst.add(at).write(cipher);
            iv.copy_within(1.., 0);
            iv[BLOCK - 1] = cipher;
        }
        keystream.zeroize();
    }
}

/// Bytes of CFB8 decrypted at once, a block for each.
const FEW_BYTES: usize = 16;
const MANY_BYTES: usize = 64;

unsafe fn cfb8_decrypt<P: Compiled>(key: &BlockKey, iv: &mut [u8; BLOCK], buffer: InOutBuf<'_, '_, u8>) {
    let keys = key.0.sliced();
    // SAFETY: as the caller.
    unsafe {
        match buffer.len() {
            // A short message does not wait for room to be made and wiped that it has no use for.
            ..=FEW_BYTES => bytes_at_once::<P, FEW_BYTES>(keys, iv, buffer),
            _ => bytes_at_once::<P, MANY_BYTES>(keys, iv, buffer),
        }
    }
}

/// `N` bytes at once, each by a block of its own: the sixteen bytes of ciphertext before it.
unsafe fn bytes_at_once<P: Compiled, const N: usize>(
    keys: &Keys,
    iv: &mut [u8; BLOCK],
    buffer: InOutBuf<'_, '_, u8>,
) {
    let mut blocks = [[0; BLOCK]; N];
    // The ciphertext before the batch, and that of the batch.
    let mut bytes = [0; BLOCK + MANY_BYTES];
    bytes[..BLOCK].copy_from_slice(iv);
    pieces(buffer, N, |mut now| {
        let len = now.len();
        bytes[BLOCK..][..len].copy_from_slice(now.get_in());
        let blocks = &mut blocks[..len];
        for (block, before) in blocks.iter_mut().zip(bytes.windows(BLOCK)) {
            block.copy_from_slice(before);
        }
        // SAFETY: as the caller.
        unsafe { P::ecb::<false>(keys, blocks.as_flattened_mut().into()) };
        for ((plain, cipher), block) in now.get_out().iter_mut().zip(&bytes[BLOCK..]).zip(&*blocks) {
            *plain = cipher ^ block[0];
        }
        bytes.copy_within(len..len + BLOCK, 0);
    });
    iv.copy_from_slice(&bytes[..BLOCK]);
    overwrite(&mut blocks, [[0; BLOCK]; N]);
}

/// Fills the room with what precedes each of these blocks, `iv` the first. Their last becomes the next `iv`, and the answer
/// is how many bytes they have.
#[inline(always)]
fn preceding(iv: &mut [u8; BLOCK], room: &mut Room, blocks: &[u8]) -> usize {
    let (others, last) = blocks.split_last_chunk().expect("a piece has blocks");
    room.0[..BLOCK].copy_from_slice(iv);
    room.0[BLOCK..][..others.len()].copy_from_slice(others);
    *iv = *last;
    blocks.len()
}

unsafe fn xts<P: Compiled, const DECRYPT: bool>(
    key: &BlockKey,
    tweak_key: &TweakKey,
    unit: u128,
    buffer: InOutBuf<'_, '_, u8>,
) {
    // SAFETY: as the caller.
    unsafe { data_unit::<P, DECRYPT>(key, tweak_key, unit, buffer) };
    // Tweaks lie there, and in the registers that what is called saves.
    zeroize_stack::<2048>();
}

#[inline(never)]
unsafe fn data_unit<P: Compiled, const DECRYPT: bool>(
    key: &BlockKey,
    tweak_key: &TweakKey,
    unit: u128,
    buffer: InOutBuf<'_, '_, u8>,
) {
    let keys = key.0.sliced();
    // SAFETY: as the caller, here and below.
    let mut tweak = unsafe { encrypt_one::<P>(tweak_key.0.sliced(), unit) };

    // With a part of a block at the end, the last whole one waits for it.
    let before = before_stealing(buffer.len());
    let (blocks, end) = buffer.split_at(before);
    let mut room = Room::ZERO;
    pieces(blocks, size_of::<Room>(), |mut blocks| {
        let tweaks = &mut room.0[..blocks.len()];
        tweaks.as_chunks_mut().0.fill_with(|| {
            let now = tweak.to_le_bytes();
            tweak = double(tweak);
            now
        });
        // SAFETY: as above.
        unsafe { between::<P, DECRYPT>(keys, &mut blocks, tweaks) };
    });
    if !end.is_empty() {
        // SAFETY: as above.
        unsafe { steal::<P, DECRYPT>(keys, tweak, end) };
    }
}

/// The last whole block and the part of one behind it. The block takes its turn, gives its first bytes away as
/// the part's and takes the part's own in their place, then takes the other turn.
unsafe fn steal<P: Compiled, const DECRYPT: bool>(keys: &Keys, tweak: u128, mut end: InOutBuf<'_, '_, u8>) {
    let mut tweaks = [tweak, double(tweak)];
    if DECRYPT {
        tweaks.reverse();
    }
    let mut bytes = [0; 2 * BLOCK];
    let len = end.len();
    bytes[..len].copy_from_slice(end.get_in());
    let [block, part] = bytes.as_chunks_mut::<BLOCK>().0 else {
        unreachable!("two blocks")
    };
    for (turn, tweak) in tweaks.into_iter().enumerate() {
        if turn == 1 {
            block[..len - BLOCK].swap_with_slice(&mut part[..len - BLOCK]);
        }
        // SAFETY: as the caller.
        unsafe { between::<P, DECRYPT>(keys, &mut block.as_mut_slice().into(), &tweak.to_le_bytes()) };
    }
    end.get_out().copy_from_slice(&bytes[..len]);
    bytes.zeroize();
}

/// One chain in each place of the room.
unsafe fn chains<P: Compiled, const OUT: bool>(key: &BlockKey, chains: &mut Chains, blocks: usize) {
    let keys = key.0.sliced();
    let mut room = Room::ZERO;
    // Those that have no message are left out where that makes a batch less.
    let active = chains.active;
    let Places { lanes, values, .. } = chains.places();
    for at in (0..blocks).map(|i| BLOCK * i) {
        for (i, place) in room.0.as_chunks_mut().0[..active].iter_mut().enumerate() {
            // SAFETY: the caller's chains have that many blocks left.
            unsafe {
                *place = (*lanes.add(i)).src.add(at).cast::<[u8; BLOCK]>().read();
                xor(place, &*values.add(i));
            }
        }
        // SAFETY: as the caller.
        unsafe { P::encrypt(keys, &mut room, BLOCK * active) };
        for (i, place) in room.0.as_chunks().0[..active].iter().enumerate() {
            // SAFETY: as above, and where there is output, room for as many.
            unsafe {
                *values.add(i) = *place;
                if OUT {
                    (*lanes.add(i)).dst.add(at).cast::<[u8; BLOCK]>().write(*place);
                }
            }
        }
    }
}

/// Adds as many bytes as both have.
pub(crate) fn xor(to: &mut [u8], from: &[u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to ^= from;
    }
}
