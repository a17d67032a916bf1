//! Blocks by themselves, and in chains.

use super::{
    Keys, Permute,
    rounds::{decrypt, encrypt, encrypt_from, inverse, key, last, look_up, map},
    tables,
};
use crate::{BLOCK, portable::Chain, wipe::overwrite};

/// Encrypts or decrypts whole blocks, from `src` to `dst`.
///
/// # Safety
/// The processor has the features of `V`; `src` and `dst` are valid for `len` bytes, a multiple of 16, and equal or apart.
#[inline(always)]
pub(crate) unsafe fn ecb<V: Permute, const DECRYPT: bool>(
    keys: &Keys,
    mut src: *const u8,
    mut dst: *mut u8,
    mut len: usize,
) {
    let batch = WIDE * size_of::<V>();
    // SAFETY: as the caller; no batch is longer than what is left.
    unsafe {
        while len > batch {
            few::<V, WIDE, DECRYPT>(keys, src, dst, batch);
            (src, dst, len) = (src.add(batch), dst.add(batch), len - batch);
        }
        match len.div_ceil(size_of::<V>()) {
            0 => {}
            1 => few::<V, 1, DECRYPT>(keys, src, dst, len),
            2 => few::<V, 2, DECRYPT>(keys, src, dst, len),
            3 => few::<V, 3, DECRYPT>(keys, src, dst, len),
            _ => few::<V, WIDE, DECRYPT>(keys, src, dst, len),
        }
    }
}

/// Vectors side by side: where one alone waits for its own shuffles, three or four leave none of their ports idle.
pub(crate) const WIDE: usize = 4;

/// As many blocks as `N` vectors have, or one less.
#[inline(always)]
unsafe fn few<V: Permute, const N: usize, const DECRYPT: bool>(
    keys: &Keys,
    src: *const u8,
    dst: *mut u8,
    len: usize,
) {
    let at = |i: usize| i * size_of::<V>();
    let whole = len / size_of::<V>();
    // SAFETY: as the caller; a vector that is not whole is one block.
    unsafe {
        let mut states = [block(src); N];
        for (i, state) in states.iter_mut().enumerate() {
            *state = if i < whole {
                V::read(src.add(at(i)))
            } else {
                block(src.add(at(i)))
            };
        }
        states = if DECRYPT {
            decrypt(keys, states)
        } else {
            encrypt(keys, states)
        };
        for (i, state) in states.into_iter().enumerate() {
            if i < whole {
                state.write(dst.add(at(i)));
            } else {
                state.write_block(dst.add(at(i)));
            }
        }
    }
}

/// Blocks each of which waits for the one before. Between the last round of one and the first of the next stand the last
/// key, text and the first key, of which all is known beforehand: in digits, one addition.
///
/// # Safety
/// The processor has the features of `V`, a vector of one block; `src` is valid for `len` bytes, a multiple of 16, and so is
/// `dst` where the chain has output; they are equal or apart.
#[inline(always)]
pub(crate) unsafe fn chain<V: Permute, C: Chain>(
    keys: &Keys,
    value: &mut [u8; BLOCK],
    src: *const u8,
    dst: *mut u8,
    len: usize,
) {
    if len == 0 {
        return;
    }
    // SAFETY: all blocks lie within `len` bytes; in place, each is read before it is written.
    unsafe {
        let rounds = keys.rounds;
        let first: V = key(&keys.encrypt, 0);
        let whitening = map(&tables::DIGITS_OF, key::<V>(&keys.encrypt, rounds)).add(first);
        let turn = V::table(&tables::TURN[rounds % 4]);
        let mut start = V::table(value);
        if C::TEXT_GOES_IN {
            start = start.add(block(src));
        }
        let mut state = map(&tables::DIGITS_OF, start).add(first);
        let mut at = 0;
        loop {
            [state] = encrypt_from(keys, [state], 1);
            let by = inverse(state);
            let [made] = last(keys, [state]);
            let out = if C::TEXT_GOES_IN {
                made
            } else {
                made.add(block(src.add(at)))
            };
            let mut next = whitening;
            if !C::TEXT_GOES_IN && C::OUTPUT_GOES_ON {
                next = next.add(map(&tables::DIGITS_OF, block(src.add(at))));
            }
            at += BLOCK;
            if C::TEXT_GOES_IN && at < len {
                next = next.add(map(&tables::DIGITS_OF, block(src.add(at))));
            }
            if C::HAS_OUTPUT {
                out.write_block(dst.add(at - BLOCK));
            }
            if at == len {
                let kept = if C::OUTPUT_GOES_ON { out } else { made };
                kept.write_block(value.as_mut_ptr());
                return;
            }
            state = look_up(&tables::ONCE, by).look_up(turn).add(next.pin());
        }
    }
}

/// CFB encryption by bytes (SP 800-38A, section 6.3, s = 8). `iv` becomes the last sixteen bytes of ciphertext.
///
/// # Safety
/// The processor has the features of `V`, a vector of one block; `src` and `dst` are valid for `len` bytes, and equal or
/// apart.
#[inline(always)]
pub(crate) unsafe fn cfb8_encrypt<V: Permute>(
    keys: &Keys,
    iv: &mut [u8; BLOCK],
    src: *const u8,
    dst: *mut u8,
    len: usize,
) {
    // Of both only the first byte counts. One place for both would have the text wait for the block before.
    let (mut text, mut out) = ([0; BLOCK], [0; BLOCK]);
    // SAFETY: as the caller.
    unsafe {
        let mut before = V::table(iv);
        for at in 0..len {
            text[0] = src.add(at).read();
            let [made] = encrypt(keys, [before]);
            let cipher = made.add(V::table(&text));
            cipher.write_block(out.as_mut_ptr());
            dst.add(at).write(out[0]);
            before = cipher.after::<15>(before);
        }
        before.write_block(iv.as_mut_ptr());
    }
    overwrite(&mut out, [0; BLOCK]);
}

/// The block at `from`, as often as a vector has room for it.
///
/// # Safety
/// The processor has the features of `V`; sixteen bytes can be read there.
#[inline(always)]
unsafe fn block<V: Permute>(from: *const u8) -> V {
    // SAFETY: as the caller.
    unsafe { V::table(&*from.cast()) }
}
