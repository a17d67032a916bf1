//! Cipher block chaining (SP 800-38A, section 6.2): decryption, whose blocks do not wait for each other.

use crate::{
    batch::{Mode, bytes, most},
    lanes::Lanes,
    rounds::{Keys, middle},
    span::Span,
};

/// Each block decrypted, and the ciphertext block before it added.
pub(crate) struct CbcDecrypt<L> {
    /// Its last block is the one before the span, or the IV.
    pub(crate) previous: L,
}

impl<L: Lanes> Mode<L> for CbcDecrypt<L> {
    const WIDE: usize = most::<L>();

    #[inline(always)]
    unsafe fn batch<K: Keys<L>, const N: usize>(&mut self, keys: K, span: Span, last: usize) {
        // SAFETY: as the caller; a vector that is not the first has a block before it.
        unsafe {
            let whitening = keys.front(0);
            let mut states = [whitening; N];
            let mut vector = self.previous;
            for (i, state) in states.iter_mut().enumerate() {
                vector = span.load(i, bytes::<L>(i, N, last));
                *state = vector.xor(whitening);
            }
            let before_first = span.load::<L>(0, bytes::<L>(0, N, last)).after(self.previous);
            self.previous = vector;

            let states = middle::<L, K, N, 0, 0, true>(keys, states, true, &mut ());
            let key = keys.place(14);
            // Backwards: in place, what is still to be read lies before what has been written. The last one apart,
            // so that the others are all alike.
            if N > 1 {
                let key = span.load_before::<L>(N - 1, last).xor(key);
                span.store(N - 1, last, states[N - 1].inv_last_round(key).pin());
            }
            for i in (1..N.max(2) - 1).rev() {
                let key = span.load_before::<L>(i, L::BYTES).xor(key);
                span.store(i, L::BYTES, states[i].inv_last_round(key).pin());
            }
            let key = before_first.xor(key);
            span.store(0, bytes::<L>(0, N, last), states[0].inv_last_round(key).pin());
        }
    }
}
