//! Counter mode.

use inout::InOutBuf;

use super::Keys;
use super::blocks::{Compiled, Room};
use super::plane::{Plane, each};
use super::planes::unpack;
use super::prefix::{LastBytes, Prefix};
use super::round::finish;
use crate::{
    BLOCK,
    keystream::{SPARE, xor},
};

/// From how many batches on the shared first rounds repay their preparation (measured on Zen 5: two lose a
/// tenth, three gain a tenth).
pub(super) const SHARED: usize = 3;

/// XORs the blocks E(`counter`), E(`counter` + 1) and so on, modulo 2¹²⁸, into `buffer`. Branches tell the counter's
/// last byte.
///
/// Where they are more than `buffer` takes, the rest, n bytes of it, stands then at the end of `spare`, and n is
/// returned, 0 to 63; the other bytes of `spare` are what `buffer` took.
///
/// # Safety
/// The processor has the features of `P`.
pub(crate) unsafe fn ctr<P: Compiled>(
    keys: &Keys,
    mut counter: u128,
    mut buffer: InOutBuf<'_, '_, u8>,
    spare: &mut [u8; SPARE],
) -> usize {
    let mut unused = 0;
    while !buffer.is_empty() {
        let to_carry = BLOCK * (256 - usize::from(counter as u8));
        let batches = buffer.len().min(to_carry) / P::BATCH;
        let odd = to_carry % P::BATCH;
        let now;
        if odd > 0 && buffer.len() >= to_carry + 256 * BLOCK {
            // From then on all carries stand between batches, which repays a call where there are several.
            (now, buffer) = buffer.split_at(odd);
            // SAFETY: as the caller.
            unsafe { few::<P>(keys, |i| counter.wrapping_add(i.into()), now, None) };
            counter = counter.wrapping_add((odd / BLOCK) as u128);
        } else if batches >= SHARED {
            (now, buffer) = buffer.split_at(P::BATCH * batches);
            let (src, dst) = now.into_raw();
            // SAFETY: as the caller; the buffer's addresses are valid for that many batches, none of which reaches
            // the carry.
            unsafe { P::ctr_run(keys, counter, src, dst, batches) };
            counter = counter.wrapping_add((batches * P::BATCH / BLOCK) as u128);
        } else {
            let len = buffer.len().min(P::WIDE);
            (now, buffer) = buffer.split_at(len);
            // SAFETY: as the caller.
            unused = unsafe { few::<P>(keys, |i| counter.wrapping_add(i.into()), now, Some(spare)) };
            counter = counter.wrapping_add((len + unused) as u128 / BLOCK as u128);
        }
    }
    unused
}

/// As [`ctr`], but only the counter's last four bytes count, modulo 2³², and the counter may be secret.
///
/// # Safety
/// The processor has the features of `P`.
pub(crate) unsafe fn ctr32<P: Compiled>(
    keys: &Keys,
    mut counter: u128,
    mut buffer: InOutBuf<'_, '_, u8>,
    spare: &mut [u8; SPARE],
) -> usize {
    let mut unused = 0;
    while !buffer.is_empty() {
        let len = buffer.len().min(P::WIDE);
        let now;
        (now, buffer) = buffer.split_at(len);
        // SAFETY: as the caller.
        unused = unsafe { few::<P>(keys, |i| plus32(counter, i), now, Some(spare)) };
        counter = plus32(counter, ((len + unused) / BLOCK) as u32);
    }
    unused
}

/// The counter block `n` after `counter`, of which only the last four bytes count.
pub(crate) fn plus32(counter: u128, n: u32) -> u128 {
    counter & !0xffff_ffff | u128::from((counter as u32).wrapping_add(n))
}

/// As [`ctr`], with all blocks at once: those of `counters` from 0 on, and no more than are needed where there is no room for
/// spare ones.
///
/// # Safety
/// The processor has the features of `P`.
pub(super) unsafe fn few<P: Compiled>(
    keys: &Keys,
    counters: impl Fn(u32) -> u128,
    buffer: InOutBuf<'_, '_, u8>,
    spare: Option<&mut [u8; SPARE]>,
) -> usize {
    let len = buffer.len();
    let made = len.next_multiple_of(if spare.is_some() { SPARE } else { BLOCK });
    let mut room = Room::ZERO;
    for (i, block) in room.0[..made].as_chunks_mut().0.iter_mut().enumerate() {
        *block = counters(i as u32).to_be_bytes();
    }
    // SAFETY: as the caller.
    unsafe { P::encrypt(keys, &mut room, made) };
    xor(&room.0[..len], buffer);
    if let Some(spare) = spare
        && made > len
    {
        spare.copy_from_slice(&room.0[made - SPARE..made]);
    }
    made - len
}

/// Whole batches, all of whose counters have the same upper 15 bytes.
///
/// # Safety
/// The processor has the features of `P`; `src` and `dst` are valid for that many batches and either equal or apart.
#[inline(always)]
pub(crate) unsafe fn run<P: Plane>(
    keys: &Keys,
    counter: u128,
    mut src: *const u8,
    mut dst: *mut u8,
    mut batches: usize,
) {
    // SAFETY: as the caller.
    unsafe {
        // As many as the widest batch has.
        let counters = [counter.to_be_bytes(); 16];
        let counters = counters.as_ptr().cast();
        let prefix = Prefix::<P>::new(keys, each!(i => P::load(counters, i)));
        let mut last = LastBytes::<P>::new(keys, counter as u8);
        let mut done = 0;
        loop {
            let column = prefix.column(&last);
            let mut place = 0;
            while place < 4 {
                let first = prefix.state(&column, place);
                if P::SIDE == 2 && batches > 1 {
                    let mut states = [first, prefix.state(&column, place + 1)];
                    finish(keys, &mut states);
                    let [first, second] = states;
                    xor_batch(unpack(first, keys.last_turn()), src, dst);
                    (src, dst) = (src.add(P::BATCH), dst.add(P::BATCH));
                    xor_batch(unpack(second, keys.last_turn()), src, dst);
                    batches -= 2;
                    place += 2;
                } else {
                    let mut states = [first];
                    finish(keys, &mut states);
                    let [first] = states;
                    xor_batch(unpack(first, keys.last_turn()), src, dst);
                    batches -= 1;
                    place += 1;
                }
                if batches == 0 {
                    return;
                }
                (src, dst) = (src.add(P::BATCH), dst.add(P::BATCH));
            }
            done += 4;
            last = if done % 16 == 0 {
                // Sixteen batches may be less than the 256 blocks of a prefix.
                LastBytes::new(
                    keys,
                    (counter as u8).wrapping_add((done * P::BATCH / BLOCK) as u8),
                )
            } else {
                last.after_four()
            };
        }
    }
}

/// # Safety
/// A batch can be read at `src` and written at `dst`.
#[inline(always)]
unsafe fn xor_batch<P: Plane>(keystream: [P; 8], src: *const u8, dst: *mut u8) {
    // SAFETY: as the caller.
    unsafe {
        for (i, word) in keystream.into_iter().enumerate() {
            (P::load(src, i) ^ word).store(dst, i);
        }
    }
}
