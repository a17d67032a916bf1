//! Counter mode.

use inout::InOutBuf;
use zeroize::zeroize_stack;

use super::planes::Words;
use super::prefix::{LastBytes, Prefix, halves};
use super::round::finish;
use super::{Keys, encrypt, unpack};

/// Bytes of a batch.
const BATCH: usize = 64;

/// From how many batches on the shared first rounds repay their preparation (measured on Zen 5: two lose a
/// tenth, three gain a tenth).
const SHARED: usize = 3;

/// XORs the blocks E(`counter`), E(`counter` + 1) and so on, modulo 2¹²⁸, into `buffer`.
///
/// The last batch may make more than `buffer` takes. The rest of it, n bytes, stands then at the end of
/// `spare`, and n is returned, 0 to 63; the other bytes of `spare` are what `buffer` took.
pub(crate) fn ctr(
    keys: &Keys,
    mut counter: u128,
    mut buffer: InOutBuf<'_, '_, u8>,
    spare: &mut [u8; BATCH],
) -> usize {
    while buffer.len() >= BATCH {
        let before_carry = (256 - usize::from(counter as u8)) / 4;
        let batches = (buffer.len() / BATCH).min(before_carry);
        let now;
        if batches >= SHARED {
            (now, buffer) = buffer.split_at(BATCH * batches);
            ctr_shared(keys, counter, now);
            // Its last round keys are copied to the stack, once for all batches.
            zeroize_stack::<1024>();
            counter = counter.wrapping_add(4 * batches as u128);
        } else {
            (now, buffer) = buffer.split_at(BATCH);
            xor(now, &batch(keys, counter));
            counter = counter.wrapping_add(4);
        }
    }
    if buffer.is_empty() {
        return 0;
    }

    let words = batch(keys, counter);
    for (bytes, word) in spare.chunks_exact_mut(8).zip(in_memory_order(&words)) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    let used = buffer.len();
    buffer.xor_in2out(&spare[..used]);
    BATCH - used
}

/// The keystream of four counters.
#[inline(never)]
fn batch(keys: &Keys, counter: u128) -> Words {
    let mut words = [0; 8];
    for block in 0..4 {
        [words[block], words[4 + block]] = halves(counter.wrapping_add(block as u128));
    }
    encrypt(keys, words)
}

/// Whole batches, all of whose counters have the same upper 15 bytes.
#[inline(never)]
fn ctr_shared(keys: &Keys, counter: u128, mut buffer: InOutBuf<'_, '_, u8>) {
    let prefix = Prefix::new(keys, counter);
    let mut last_byte = counter as u8;
    loop {
        let last_bytes = LastBytes::new(keys, last_byte);
        for quarter in 0..4 {
            let column = prefix.column(&last_bytes, quarter);
            for batch in 0..4 {
                let now;
                (now, buffer) = buffer.split_at(BATCH);
                let state = finish(keys, prefix.state(&column, batch));
                xor(now, &unpack(state, keys.rounds));
                if buffer.is_empty() {
                    return;
                }
            }
        }
        last_byte = last_byte.wrapping_add(64);
    }
}

#[inline(always)]
fn xor(mut batch: InOutBuf<'_, '_, u8>, keystream: &Words) {
    assert_eq!(batch.len(), BATCH);
    for (i, word) in in_memory_order(keystream).into_iter().enumerate() {
        let bytes = 8 * i..8 * i + 8;
        let input = batch.get_in()[bytes.clone()].try_into().expect("eight bytes");
        let output = u64::from_le_bytes(input) ^ word;
        batch.get_out()[bytes].copy_from_slice(&output.to_le_bytes());
    }
}

#[inline(always)]
fn in_memory_order(words: &Words) -> [u64; 8] {
    let [a, b, c, d, e, f, g, h] = *words;
    [a, e, b, f, c, g, d, h]
}
