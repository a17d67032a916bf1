//! Modes in which each block waits for the one before it, for a message alone: bound by latency, not by width.
//!
//! Between two blocks stand the addition of the last round key, of the next plaintext and of the first round key.
//! All three are one addition of what is known beforehand, which AESENCLAST does on its way: a block costs the
//! latency of its rounds and nothing else.

use crate::{
    BLOCK,
    key::RoundKeys,
    lanes::Lanes,
    rounds::{Schedule, Stored, middle},
    span::Span,
};

/// Encrypts `state`, to which the first round key was added, and adds `next`.
#[inline(always)]
unsafe fn link<L: Lanes>(keys: Stored, state: L, next: L) -> L {
    // SAFETY: as the caller.
    unsafe {
        let keys = Schedule::<L>::anew(keys);
        let last = Schedule::<L>::place(&keys, 14).xor(next);
        let [state] = middle::<L, _, 1, 0, 0, false>(keys, [state], true, &mut ());
        state.last_round(last)
    }
}

/// CBC encryption (SP 800-38A, section 6.2) and, without output, CBC-MAC. `value` is the IV and becomes the last
/// block.
///
/// # Safety
/// As [`Lanes`]; `src` is valid for `len` bytes, a multiple of 16, and so is `dst` where there is output.
#[inline(always)]
pub(crate) unsafe fn cbc<L: Lanes, const OUT: bool>(keys: &RoundKeys, value: &mut [u8; BLOCK], span: Span) {
    if span.len == 0 {
        return;
    }
    // SAFETY: all blocks lie within the span. In place, each is read before the one before it is written. The keys are lent
    // for as long as they are used, here and below.
    unsafe {
        let keys = Stored::new(keys);
        let whitening: L = keys.front(0);
        let iv = L::load_first(value.as_ptr(), BLOCK);
        // Pinned: the IV is what comes last, and only one addition is to wait for it.
        let mut state = L::load_first(span.src, BLOCK).xor(whitening).pin().xor(iv);
        let mut at = BLOCK;
        while at < span.len {
            let next = L::load_first(span.src.add(at), BLOCK).xor(whitening);
            state = link(keys, state, next);
            if OUT {
                state.xor(next).store_first(span.dst.add(at - BLOCK), BLOCK);
            }
            at += BLOCK;
        }
        let block = link(keys, state, L::splat(0));
        if OUT {
            block.store_first(span.dst.add(at - BLOCK), BLOCK);
        }
        block.store_first(value.as_mut_ptr(), BLOCK);
    }
}

/// CFB encryption by blocks (SP 800-38A, section 6.3). `iv` becomes the last block.
///
/// # Safety
/// As [`Lanes`]; `src` and `dst` are valid for `len` bytes, a multiple of 16.
#[inline(always)]
pub(crate) unsafe fn cfb_encrypt<L: Lanes>(keys: &RoundKeys, iv: &mut [u8; BLOCK], span: Span) {
    // SAFETY: all blocks lie within the span.
    unsafe {
        let keys = Stored::new(keys);
        let whitening: L = keys.front(0);
        let mut state = L::load_first(iv.as_ptr(), BLOCK).xor(whitening);
        let mut at = 0;
        while at < span.len {
            let next = L::load_first(span.src.add(at), BLOCK).xor(whitening);
            state = link(keys, state, next);
            state.xor(whitening).store_first(span.dst.add(at), BLOCK);
            at += BLOCK;
        }
        state.xor(whitening).store_first(iv.as_mut_ptr(), BLOCK);
    }
}

/// OFB (SP 800-38A, section 6.4). `iv` becomes the last block of keystream.
///
/// # Safety
/// As [`Lanes`]; `src` and `dst` are valid for `len` bytes, a multiple of 16.
#[inline(always)]
pub(crate) unsafe fn ofb<L: Lanes>(keys: &RoundKeys, iv: &mut [u8; BLOCK], span: Span) {
    if span.len == 0 {
        return;
    }
    // SAFETY: all blocks lie within the span.
    unsafe {
        let keys = Stored::new(keys);
        let whitening: L = keys.front(0);
        let mut state = L::load_first(iv.as_ptr(), BLOCK).xor(whitening);
        let mut at = 0;
        while at + BLOCK < span.len {
            state = link(keys, state, whitening);
            let text = L::load_first(span.src.add(at), BLOCK).xor(whitening);
            state.xor(text).store_first(span.dst.add(at), BLOCK);
            at += BLOCK;
        }
        let block = link(keys, state, L::splat(0));
        let text = L::load_first(span.src.add(at), BLOCK);
        block.xor(text).store_first(span.dst.add(at), BLOCK);
        block.store_first(iv.as_mut_ptr(), BLOCK);
    }
}

/// CFB encryption by bytes (SP 800-38A, section 6.3, s = 8). `iv` becomes the last sixteen bytes of ciphertext.
///
/// # Safety
/// As [`Lanes`]; `src` and `dst` are valid for `len` bytes.
#[inline(always)]
pub(crate) unsafe fn cfb8_encrypt<L: Lanes>(keys: &RoundKeys, iv: &mut [u8; BLOCK], span: Span) {
    // SAFETY: all bytes lie within the span.
    unsafe {
        let keys = Stored::new(keys);
        let mut before = L::load_first(iv.as_ptr(), BLOCK);
        for at in 0..span.len {
            let byte = L::load_first(span.src.add(at), 1);
            let cipher = link(keys, before.xor(keys.front(0)), byte);
            cipher.store_first(span.dst.add(at), 1);
            before = before.slide::<1>(cipher);
        }
        before.store_first(iv.as_mut_ptr(), BLOCK);
    }
}
