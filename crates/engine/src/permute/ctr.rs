//! Counter mode.
//!
//! Blocks whose counters have the same upper fifteen bytes differ after the first round in one column, each byte of which is
//! linear in what was substituted for the last one. Of sixteen blocks at once that is a substitution of sixteen bytes: the
//! first round of each is then a shuffle and an addition.

use super::{
    Keys, Permute,
    blocks::WIDE,
    rounds::{encrypt_from, inverse, key, last, look_up, map, round},
    tables,
};
use crate::BLOCK;

/// Whole batches of [`WIDE`] vectors, all of whose counters have the same upper fifteen bytes.
///
/// # Safety
/// The processor has the features of `V`; `src` and `dst` are valid for that many batches and either equal or apart.
#[inline(always)]
pub(crate) unsafe fn run<V: Permute>(
    keys: &Keys,
    counter: u128,
    mut src: *const u8,
    mut dst: *mut u8,
    mut batches: usize,
) {
    // SAFETY: as the caller.
    unsafe {
        let whitening: V = key(&keys.encrypt, 0);
        let start = map(&tables::DIGITS_OF, V::table(&counter.to_be_bytes())).add(whitening);
        let [start] = round(keys, [start], 1);
        // Without its own last byte's part all blocks begin from there.
        let [alike, ..] = columns(whitening, V::table(&[counter as u8; BLOCK]));
        let start = start.add(alike.look_up(V::table(&tables::COLUMN[0])));
        let mut first = counter as u8;
        loop {
            for columns in columns(whitening, last_bytes(first)) {
                let mut states = [columns; WIDE];
                for (state, column) in states.iter_mut().zip(&tables::COLUMN) {
                    *state = state.look_up(V::table(column)).add(start);
                }
                states = last(keys, encrypt_from(keys, states, 2));
                for state in states {
                    state.add(V::read(src)).write(dst);
                    (src, dst) = (src.add(size_of::<V>()), dst.add(size_of::<V>()));
                }
                batches -= 1;
                if batches == 0 {
                    return;
                }
            }
            first = first.wrapping_add(size_of::<V>() as u8);
        }
    }
}

/// The last bytes of the counters of sixteen vectors: in byte i of each block, the one that vector i has there.
///
/// # Safety
/// The processor has the features of `V`.
#[inline(always)]
unsafe fn last_bytes<V: Permute>(first: u8) -> V {
    let mut bytes = [0; 32];
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = first.wrapping_add((V::BLOCKS * (i % BLOCK) + i / BLOCK) as u8);
    }
    // SAFETY: as the caller; no vector has more than 32 bytes.
    unsafe { V::read(bytes.as_ptr()) }
}

/// What last bytes become in the first round, as [`tables::COLUMN`] has it: of vectors 0 to 3, and so on.
///
/// # Safety
/// The processor has the features of `V`.
#[inline(always)]
unsafe fn columns<V: Permute>(whitening: V, last_bytes: V) -> [V; 4] {
    // SAFETY: as the caller.
    unsafe {
        let whitening = whitening.look_up(V::table(&[BLOCK as u8 - 1; BLOCK]));
        let by = inverse(map(&tables::DIGITS_OF, last_bytes).add(whitening));
        let (once, twice) = (look_up(&tables::ONCE, by), look_up(&tables::TWICE, by));
        let [even, odd] = [twice.zip(once), once.add(twice).zip(once)];
        let ([a, b], [c, d]) = (even[0].zip(odd[0]), even[1].zip(odd[1]));
        [a, b, c, d]
    }
}
