//! The block modes, plainly: what the vector kernels are checked against.

use inout::InOutBuf;
use zeroize::Zeroize;

use super::Keys;
use super::blocks::{BATCH, crypt};
use crate::{
    BLOCK, OcbKey,
    block::{BlockKey, Modes},
    chains::Chains,
    gf128::{before_stealing, double},
    ocb::{Moves, State},
};

pub(crate) const MODES: Modes = Modes {
    expand: |key, bytes| key.0.room_for_sliced().expand(bytes),
    ecb_encrypt: ecb::<false>,
    ecb_decrypt: ecb::<true>,
    cbc_encrypt,
    cbc_decrypt,
    cfb_encrypt,
    cfb_decrypt,
    cfb8_encrypt,
    xts_encrypt: xts::<false>,
    xts_decrypt: xts::<true>,
    cbc_mac,
    ctr,
    ocb_encrypt: ocb::<false>,
    ocb_decrypt: ocb::<true>,
    ocb_hash,
    lanes: LANES,
    cbc_many: chains::<true>,
    mac_many: chains::<false>,
};

/// Messages of a batch.
const LANES: usize = BATCH / BLOCK;

/// Takes `buffer` through `each`, a batch at a time, with the number of its bytes that count: in the last batch
/// there may be less than all.
#[inline(always)]
fn batches(mut buffer: InOutBuf<'_, '_, u8>, mut each: impl FnMut(&mut [u8; BATCH], usize)) {
    let mut batch = [0; BATCH];
    while !buffer.is_empty() {
        let len = buffer.len().min(BATCH);
        let (mut now, rest) = buffer.split_at(len);
        batch[..len].copy_from_slice(now.get_in());
        each(&mut batch, len);
        now.get_out().copy_from_slice(&batch[..len]);
        buffer = rest;
    }
    batch.zeroize();
}

fn ecb<const DECRYPT: bool>(key: &BlockKey, buffer: InOutBuf<'_, '_, u8>) {
    let keys = key.0.sliced();
    batches(buffer, |batch, _| crypt::<DECRYPT>(keys, batch));
}

/// Encrypts one block.
fn encrypt_block(keys: &Keys, block: &mut [u8; BLOCK]) {
    let mut batch = [0; BATCH];
    batch[..BLOCK].copy_from_slice(block);
    crypt::<false>(keys, &mut batch);
    block.copy_from_slice(&batch[..BLOCK]);
    batch.zeroize();
}

fn cbc_encrypt(key: &BlockKey, iv: &mut [u8; BLOCK], mut buffer: InOutBuf<'_, '_, u8>) {
    let keys = key.0.sliced();
    while !buffer.is_empty() {
        let (mut block, rest) = buffer.split_at(BLOCK);
        xor(iv, block.get_in());
        encrypt_block(keys, iv);
        block.get_out().copy_from_slice(iv);
        buffer = rest;
    }
}

fn cbc_mac(key: &BlockKey, value: &mut [u8; BLOCK], data: &[u8]) {
    let keys = key.0.sliced();
    for block in data.chunks_exact(BLOCK) {
        xor(value, block);
        encrypt_block(keys, value);
    }
}

fn ctr(key: &BlockKey, counter: u128, buffer: InOutBuf<'_, '_, u8>) {
    let mut spare = [0; BATCH];
    super::ctr(key.0.sliced(), counter, buffer, &mut spare);
    spare.zeroize();
}

/// The offsets of OCB from the first block on.
fn offsets<'a>(moves: &'a Moves, state: &'a mut State) -> impl FnMut() -> [u8; BLOCK] + 'a {
    let mut block = 0_u64;
    move || {
        block += 1;
        state.offset ^= moves.l(block.trailing_zeros()).swap_bytes();
        state.offset.to_le_bytes()
    }
}

fn ocb<const DECRYPT: bool>(key: &OcbKey, state: &mut State, buffer: InOutBuf<'_, '_, u8>) {
    let keys = key.key.0.sliced();
    let mut sum = 0;
    let mut next = offsets(&key.moves, state);
    batches(buffer, |batch, len| {
        let mut add = |batch: &[u8; BATCH]| {
            for block in batch[..len].as_chunks().0 {
                sum ^= u128::from_le_bytes(*block);
            }
        };
        if !DECRYPT {
            add(batch);
        }
        let mut offsets = [0; BATCH];
        offsets[..len].as_chunks_mut().0.fill_with(&mut next);
        xor(batch, &offsets);
        crypt::<DECRYPT>(keys, batch);
        xor(batch, &offsets);
        if DECRYPT {
            add(batch);
        }
        offsets.zeroize();
    });
    drop(next);
    state.sum ^= sum;
}

fn ocb_hash(key: &OcbKey, state: &mut State, data: &[u8]) {
    let keys = key.key.0.sliced();
    let mut sum = 0;
    let mut next = offsets(&key.moves, state);
    for block in data.as_chunks().0 {
        let mut block: [u8; BLOCK] = *block;
        xor(&mut block, &next());
        encrypt_block(keys, &mut block);
        sum ^= u128::from_le_bytes(block);
        block.zeroize();
    }
    drop(next);
    state.sum ^= sum;
}

fn cbc_decrypt(key: &BlockKey, iv: &mut [u8; BLOCK], buffer: InOutBuf<'_, '_, u8>) {
    let keys = key.0.sliced();
    let next = last_block(buffer.get_in(), iv);
    let mut previous = *iv;
    batches(buffer, |batch, _| {
        let mut before = preceding(&previous, batch);
        previous.copy_from_slice(&batch[BATCH - BLOCK..]);
        crypt::<true>(keys, batch);
        xor(batch, &before);
        before.zeroize();
    });
    *iv = next;
}

fn cfb_encrypt(key: &BlockKey, iv: &mut [u8; BLOCK], mut buffer: InOutBuf<'_, '_, u8>) {
    let keys = key.0.sliced();
    while !buffer.is_empty() {
        let (mut block, rest) = buffer.split_at(BLOCK);
        encrypt_block(keys, iv);
        xor(iv, block.get_in());
        block.get_out().copy_from_slice(iv);
        buffer = rest;
    }
}

fn cfb_decrypt(key: &BlockKey, iv: &mut [u8; BLOCK], buffer: InOutBuf<'_, '_, u8>) {
    let keys = key.0.sliced();
    let next = last_block(buffer.get_in(), iv);
    let mut previous = *iv;
    batches(buffer, |batch, _| {
        let mut keystream = preceding(&previous, batch);
        previous.copy_from_slice(&batch[BATCH - BLOCK..]);
        crypt::<false>(keys, &mut keystream);
        xor(batch, &keystream);
        keystream.zeroize();
    });
    *iv = next;
}

fn cfb8_encrypt(key: &BlockKey, iv: &mut [u8; BLOCK], buffer: InOutBuf<'_, '_, u8>) {
    let keys = key.0.sliced();
    for mut byte in buffer {
        let mut keystream = *iv;
        encrypt_block(keys, &mut keystream);
        let cipher = *byte.get_in() ^ keystream[0];
        *byte.get_out() = cipher;
        iv.copy_within(1.., 0);
        iv[BLOCK - 1] = cipher;
        keystream.zeroize();
    }
}

/// The blocks one place on: `previous`, then all but the last of `batch`.
fn preceding(previous: &[u8; BLOCK], batch: &[u8; BATCH]) -> [u8; BATCH] {
    let mut blocks = [0; BATCH];
    blocks[..BLOCK].copy_from_slice(previous);
    blocks[BLOCK..].copy_from_slice(&batch[..BATCH - BLOCK]);
    blocks
}

/// The last whole block of `data`, `none` where there is none.
fn last_block(data: &[u8], none: &[u8; BLOCK]) -> [u8; BLOCK] {
    data.as_chunks().0.last().copied().unwrap_or(*none)
}

fn xts<const DECRYPT: bool>(
    key: &BlockKey,
    tweak_key: &BlockKey,
    mut tweak: [u8; BLOCK],
    buffer: InOutBuf<'_, '_, u8>,
) {
    let keys = key.0.sliced();
    encrypt_block(tweak_key.0.sliced(), &mut tweak);
    let mut tweak = u128::from_le_bytes(tweak);

    // With a part of a block at the end, the last whole one waits for it.
    let before = before_stealing(buffer.len());
    let (blocks, end) = buffer.split_at(before);
    batches(blocks, |batch, len| {
        let mut tweaks = [0; BATCH];
        for bytes in tweaks[..len].chunks_exact_mut(BLOCK) {
            bytes.copy_from_slice(&tweak.to_le_bytes());
            tweak = double(tweak);
        }
        xor(batch, &tweaks);
        crypt::<DECRYPT>(keys, batch);
        xor(batch, &tweaks);
        tweaks.zeroize();
    });
    if !end.is_empty() {
        steal::<DECRYPT>(keys, tweak, end);
    }
}

/// The last whole block and the part of one behind it. The block takes its turn, gives its first bytes away as
/// the part's and takes the part's own in their place, then takes the other turn.
fn steal<const DECRYPT: bool>(keys: &Keys, tweak: u128, mut end: InOutBuf<'_, '_, u8>) {
    let mut tweaks = [tweak, double(tweak)];
    if DECRYPT {
        tweaks.reverse();
    }
    let mut bytes = [0; 2 * BLOCK];
    let len = end.len();
    bytes[..len].copy_from_slice(end.get_in());
    let (block, part) = bytes.split_at_mut(BLOCK);
    for (turn, tweak) in tweaks.into_iter().enumerate() {
        if turn == 1 {
            block[..len - BLOCK].swap_with_slice(&mut part[..len - BLOCK]);
        }
        let mut batch = [0; BATCH];
        batch[..BLOCK].copy_from_slice(block);
        xor(&mut batch[..BLOCK], &tweak.to_le_bytes());
        crypt::<DECRYPT>(keys, &mut batch);
        xor(&mut batch[..BLOCK], &tweak.to_le_bytes());
        block.copy_from_slice(&batch[..BLOCK]);
        batch.zeroize();
    }
    end.get_out().copy_from_slice(&bytes[..len]);
    bytes.zeroize();
}

/// One chain in each place of a batch.
fn chains<const OUT: bool>(key: &BlockKey, chains: &mut Chains, blocks: usize) {
    let keys = key.0.sliced();
    let mut batch = [0; BATCH];
    for at in (0..blocks).map(|i| BLOCK * i) {
        for (i, place) in batch.as_chunks_mut().0.iter_mut().enumerate() {
            // SAFETY: the caller's chains have that many blocks left.
            *place = unsafe { chains.lanes[i].src.add(at).cast::<[u8; BLOCK]>().read() };
            xor(place, &chains.values[i].to_le_bytes());
        }
        crypt::<false>(keys, &mut batch);
        for (i, place) in batch.as_chunks().0.iter().enumerate() {
            chains.values[i] = u128::from_le_bytes(*place);
            if OUT {
                // SAFETY: as above, and there is room for as many.
                unsafe { chains.lanes[i].dst.add(at).cast::<[u8; BLOCK]>().write(*place) };
            }
        }
    }
    batch.zeroize();
}

/// Adds as many bytes as both have.
fn xor(to: &mut [u8], from: &[u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to ^= from;
    }
}
