//! From a call to batches of vectors, for every mode whose blocks do not wait for each other.
//!
//! The wide loop keeps eight vectors in flight, as [`crate::ctr`] does and for the same reason. What remains,
//! less than eight vectors, is one batch of exactly as many vectors as it needs, the last one loaded and stored
//! in part, so that no length falls off a cliff.

use crate::{
    key::RoundKeys,
    lanes::Lanes,
    rounds::{Keys, Stored},
    span::Span,
};

/// Vectors in flight.
pub(crate) const WIDE: usize = 8;

/// A body for each of less than nine, written out: as a loop the compiler would go through longer bodies with what they
/// index on the stack.
macro_rules! each {
    ($i:ident in 0..$n:ident => $body:block) => {
        each!(@ [0 1 2 3 4 5 6 7] $i $n $body)
    };
    (@ [$($at:literal)*] $i:ident $n:ident $body:block) => {
        $(
            if $at < $n {
                let $i: usize = $at;
                $body
            }
        )*
    };
}

pub(crate) use each;

/// What a mode does with a batch.
pub(crate) trait Mode<L: Lanes> {
    /// Where the wide loop takes its round keys from: a mode that keeps much in registers leaves the keys in memory.
    type Keys: Keys<L>;

    /// Takes the first `N` vectors of `span`, of the last one only the first `last` bytes.
    ///
    /// # Safety
    /// As [`Lanes`]; the bytes lie within the span.
    unsafe fn batch<K: Keys<L>, const N: usize>(&mut self, keys: K, span: Span, last: usize);

    /// Takes [`WIDE`] full vectors, after which there may be more.
    ///
    /// # Safety
    /// As [`Mode::batch`].
    #[inline(always)]
    unsafe fn full_batch<K: Keys<L>>(&mut self, keys: K, span: Span) {
        // SAFETY: as the caller.
        unsafe { self.batch::<K, WIDE>(keys, span, L::BYTES) }
    }
}

/// Bytes of vector `i` of `n`.
#[inline(always)]
pub(crate) fn bytes<L: Lanes>(i: usize, n: usize, last: usize) -> usize {
    if i + 1 == n { last } else { L::BYTES }
}

/// Takes the whole span through `mode`.
///
/// # Safety
/// As [`Lanes`]; `src` and `dst` are valid for `len` bytes.
#[inline(always)]
pub(crate) unsafe fn run<L: Lanes, M: Mode<L>>(mode: &mut M, keys: &RoundKeys, mut span: Span) {
    macro_rules! rest {
        ($($n:literal)*) => {
            match span.len.div_ceil(L::BYTES) {
                0 => {}
                $($n => mode.batch::<Stored, $n>(Stored::new(keys), span, span.len - ($n - 1) * L::BYTES),)*
                _ => unreachable!("less than eight vectors are left"),
            }
        };
    }
    // SAFETY: no batch is longer than what is left of the span, and the last vector has 1 to `BYTES` bytes.
    unsafe {
        if span.len >= WIDE * L::BYTES {
            let keys = M::Keys::of(keys);
            while span.len >= WIDE * L::BYTES {
                mode.full_batch(keys.anew(), span);
                span = span.after(WIDE * L::BYTES);
            }
        }
        rest!(1 2 3 4 5 6 7 8);
    }
}
