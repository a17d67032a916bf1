//! Decryption in vectors.
//!
//! The block of each byte is a *window* on IV and ciphertext, the sixteen bytes before it. Windows by way of memory would
//! wait for it: a vector of them lies across stores of single ones, which no processor forwards. So a batch is made and
//! taken apart in registers: of its eight vectors, lane l of vector j has the window of byte 8·l + j, which is that of byte
//! 8·l slid by j. What they are encrypted to counts by the first byte of each lane, and three steps of a tree bring those of
//! eight vectors together in eight bytes a lane, in the order of the text.
//!
//! A batch takes half as many bytes as a vector has, so it fills all lanes with 32 bytes of text, 16 or 8. Text is loaded
//! before anything of its batch is stored, and what the batch after it begins with stays in a register: in place that is gone
//! by then.

use crate::{
    BLOCK,
    key::RoundKeys,
    lanes::{Lanes, Multiply},
    native::Block,
    rounds::{Keys, Schedule, Stored, encrypt},
    span::Span,
};

/// Lanes that windows can be made in. What is not said otherwise is that of a vector with one lane.
///
/// # Safety
/// As [`Lanes`].
pub(crate) trait Windows: Multiply {
    /// The vector half as wide, or one block.
    type Half: Windows;
    /// Bytes of text that a batch takes: eight a lane.
    const TEXT: usize = Self::BYTES / 2;

    /// The first `n` bytes from `from`, zero above; 1 ≤ `n` ≤ [`Self::TEXT`], and no other byte is touched.
    #[inline(always)]
    unsafe fn load_text(from: *const u8, n: usize) -> Self {
        // SAFETY: as the caller.
        unsafe { Self::load_first(from, n) }
    }
    /// The first `n` bytes to `to`, as many as above.
    #[inline(always)]
    unsafe fn store_text(self, to: *mut u8, n: usize) {
        // SAFETY: as the caller.
        unsafe { self.store_first(to, n) }
    }

    /// In each lane the first half of both, `UNIT` bytes of one and of the other in turn: 1, 2 or 4.
    unsafe fn zip<const UNIT: usize>(self, other: Self) -> Self;
    /// Of the block in the first lane and [`Self::TEXT`] bytes of text behind it: in lane l the sixteen bytes from byte 8·l
    /// on; and the eight after these in its first half, and anything in the other.
    #[inline(always)]
    unsafe fn spread(self, text: Self) -> [Self; 2] {
        [self, text]
    }
    /// The last sixteen of those bytes, in the first lane.
    #[inline(always)]
    unsafe fn last(self, text: Self) -> Self {
        // SAFETY: as the caller.
        unsafe { self.slide::<8>(text) }
    }
    /// The first eight bytes of each lane, one after the other.
    #[inline(always)]
    unsafe fn gather_halves(self) -> Self {
        self
    }
}

/// `iv` becomes the last sixteen bytes of ciphertext.
///
/// # Safety
/// As [`Lanes`]; `src` and `dst` are valid for `len` bytes.
#[inline(always)]
pub(crate) unsafe fn decrypt<L: Windows>(keys: &RoundKeys, iv: &mut [u8; BLOCK], mut span: Span) {
    if span.len == 0 {
        return;
    }
    // SAFETY: as the caller; no batch is longer than what is left of the span. The keys are lent for as long as they are
    // used. The first lane of `before` has the sixteen bytes before the span.
    unsafe {
        let first = Block::load(iv.as_ptr());
        if span.len < BLOCK {
            let text = Block::load_first(span.src, span.len);
            Block::join(first, text, span.len).store(iv.as_mut_ptr());
        } else {
            *iv = span.last_block(iv);
        }
        let mut before = L::broadcast_block(first);
        if span.len >= L::TEXT {
            let keys = L::Keys::of(keys);
            while span.len >= L::TEXT {
                before = batch::<L, _, 8>(keys.anew(), before, span, L::TEXT);
                span = span.after(L::TEXT);
            }
        }
        // What is left takes no wider vectors, and no more of them, than it fills.
        let keys = Stored::new(keys);
        let first = before.first_block();
        match span.len {
            0 => {}
            len if len > L::TEXT / 2 && len > 4 => {
                batch::<L, _, 8>(keys, before, span, len);
            }
            len @ 9.. => {
                batch::<L::Half, _, 8>(keys, L::Half::broadcast_block(first), span, len);
            }
            1 => {
                batch::<Block, _, 1>(keys, first, span, 1);
            }
            len @ ..=4 => {
                batch::<Block, _, 4>(keys, first, span, len);
            }
            len => {
                batch::<Block, _, 8>(keys, first, span, len);
            }
        }
    }
}

/// Takes the first `len` bytes of the span, at most [`Windows::TEXT`], and at most `N` if that is less than eight. Answers
/// what stands before the bytes after them, if the batch was full.
///
/// # Safety
/// As [`Lanes`]; there are that many bytes.
#[inline(always)]
unsafe fn batch<L: Windows, K: Keys<L>, const N: usize>(keys: K, before: L, span: Span, len: usize) -> L {
    // SAFETY: as the caller.
    unsafe {
        let text = L::load_text(span.src, len);
        let [first, next] = before.spread(text);
        let whitening = keys.front(0);
        let mut states = [whitening; N];
        macro_rules! windows {
            ($($i:literal)*) => {
                $(if $i < N {
                    states[$i] = first.slide::<$i>(next).xor(whitening);
                })*
            };
        }
        windows!(0 1 2 3 4 5 6 7);
        let mut states = encrypt::<L, K, N, 0>(keys, states);
        macro_rules! merge {
            ($unit:literal: $($i:literal)*) => {
                $(if $i + $unit < N {
                    states[$i] = states[$i].zip::<$unit>(states[$i + $unit]);
                })*
            };
        }
        merge!(1: 0 2 4 6);
        merge!(2: 0 4);
        merge!(4: 0);
        let plain = states[0].gather_halves().xor(L::load_text(span.src, len));
        plain.store_text(span.dst, len);
        before.last(text)
    }
}
