//! Electronic codebook (SP 800-38A, section 6.1).

use crate::{
    batch::{Mode, bytes, most},
    lanes::Lanes,
    rounds::{Keys, last_round, middle},
    span::Span,
};

/// Each block on its own.
pub(crate) struct Ecb<const DECRYPT: bool>;

impl<L: Lanes, const DECRYPT: bool> Mode<L> for Ecb<DECRYPT> {
    const WIDE: usize = most::<L>();

    #[inline(always)]
    unsafe fn batch<K: Keys<L>, const N: usize>(&mut self, keys: K, span: Span, last: usize) {
        // SAFETY: as the caller.
        unsafe {
            let mut states = [keys.front(0); N];
            for (i, state) in states.iter_mut().enumerate() {
                *state = state.xor(span.load(i, bytes::<L>(i, N, last)));
            }
            let states = middle::<L, K, N, 0, 0, DECRYPT>(keys, states, true, &mut ());
            let key = keys.place(14);
            for (i, state) in states.into_iter().enumerate() {
                let output = last_round::<L, DECRYPT>(state, key).pin();
                span.store(i, bytes::<L>(i, N, last), output);
            }
        }
    }
}
