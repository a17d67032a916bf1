//! From a call to batches of vectors, for every mode whose blocks do not wait for each other.
//!
//! The wide loop keeps [`Mode::WIDE`] vectors in flight, as [`crate::ctr`] does and for the same reason. What remains is
//! a batch of eight if there are as many, and then one of exactly as many vectors as it needs, the last one loaded and
//! stored in part, so that no length falls off a cliff.

use crate::{
    key::RoundKeys,
    lanes::Lanes,
    rounds::{Keys, Schedule, Stored},
    span::Span,
};

/// A body for each of up to sixteen, written out: as a loop the compiler would go through longer bodies with what they
/// index on the stack.
macro_rules! each {
    ($i:ident in 0..$n:ident => $body:block) => {
        each!(@ [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15] $i $n $body)
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
    /// Vectors in flight.
    const WIDE: usize = L::WIDE;

    /// Takes the first `N` vectors of `span`, of the last one only the first `last` bytes.
    ///
    /// # Safety
    /// As [`Lanes`]; the bytes lie within the span.
    unsafe fn batch<K: Keys<L>, const N: usize>(&mut self, keys: K, span: Span, last: usize);

    /// Takes `N` full vectors, [`Self::WIDE`] of them, after which there may be more.
    ///
    /// # Safety
    /// As [`Mode::batch`].
    #[inline(always)]
    unsafe fn full_batch<K: Keys<L>, const N: usize>(&mut self, keys: K, span: Span) {
        // SAFETY: as the caller.
        unsafe { self.batch::<K, N>(keys, span, L::BYTES) }
    }
}

/// Vectors in flight for a mode that keeps little else in registers: eight just cover the latency of the rounds, and
/// whatever takes a port of AES delays one that no other can stand in for.
pub(crate) const fn most<L: Lanes>() -> usize {
    if L::FEW_REGISTERS { 12 } else { L::WIDE }
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
pub(crate) unsafe fn run<L: Lanes, M: Mode<L>>(mode: &mut M, keys: &RoundKeys, span: Span) {
    // SAFETY: as the caller.
    unsafe {
        let rest = full(mode, keys, span);
        last(mode, keys, rest);
    }
}

/// Takes batches of full vectors through `mode` and answers what is left, less than eight.
///
/// # Safety
/// As [`run`].
#[inline(always)]
pub(crate) unsafe fn full<L: Lanes, M: Mode<L>>(mode: &mut M, keys: &RoundKeys, mut span: Span) -> Span {
    // SAFETY: no batch is longer than what is left of the span. The keys are lent for as long as they are used.
    unsafe {
        // Two batches of eight are done sooner than twelve vectors and the few left over.
        let least = if M::WIDE == 12 { 17 } else { M::WIDE } * L::BYTES;
        if span.len >= least {
            let keys = L::WideKeys::of(keys);
            while span.len >= least {
                match M::WIDE {
                    16 => mode.full_batch::<_, 16>(keys.anew(), span),
                    12 => mode.full_batch::<_, 12>(keys.anew(), span),
                    _ => mode.full_batch::<_, 8>(keys.anew(), span),
                }
                span = span.after(M::WIDE * L::BYTES);
            }
        }
        while span.len >= 8 * L::BYTES {
            mode.batch::<_, 8>(Stored::new(keys), span, L::BYTES);
            span = span.after(8 * L::BYTES);
        }
        span
    }
}

/// A batch of exactly as many vectors as the span has, of those that are named, the last one in part.
macro_rules! rest {
    ($mode:ident $keys:ident $span:ident: $($n:literal)*) => {
        match $span.len.div_ceil(L::BYTES) {
            0 => {}
            $($n => $mode.batch::<Stored, $n>(Stored::new($keys), $span, $span.len - ($n - 1) * L::BYTES),)*
            _ => unreachable!("no more vectors than these are left"),
        }
    };
}

/// Takes up to eight vectors, the last one in part.
///
/// # Safety
/// As [`run`].
#[inline(always)]
pub(crate) unsafe fn last<L: Lanes, M: Mode<L>>(mode: &mut M, keys: &RoundKeys, span: Span) {
    // SAFETY: as the caller; the last vector has 1 to `BYTES` bytes, and the keys are lent for as long as they are used.
    unsafe { rest!(mode keys span: 1 2 3 4 5 6 7 8) }
}

/// As [`last`], up to [`SHORT`] vectors: so many are done in registers alone.
///
/// # Safety
/// As [`run`].
#[inline(always)]
pub(crate) unsafe fn last_short<L: Lanes, M: Mode<L>>(mode: &mut M, keys: &RoundKeys, span: Span) {
    // SAFETY: as above.
    unsafe { rest!(mode keys span: 1 2 3 4) }
}

/// See [`last_short`].
pub(crate) const SHORT: usize = 4;
