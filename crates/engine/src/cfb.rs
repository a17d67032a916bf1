//! Cipher feedback by whole blocks (SP 800-38A, section 6.3): decryption, whose blocks do not wait for each other.

use crate::{
    BLOCK,
    batch::{Mode, bytes, most},
    lanes::Lanes,
    rounds::{Keys, middle},
    span::Span,
};

/// The ciphertext block before each block encrypted, and added to it.
pub(crate) struct CfbDecrypt<L> {
    /// Its last block is the one before the span, or the IV.
    pub(crate) previous: L,
}

impl<L: Lanes> Mode<L> for CfbDecrypt<L> {
    const WIDE: usize = most::<L>();

    #[inline(always)]
    #[expect(
        clippy::needless_range_loop,
        reason = "what indexes a vector also says where it lies"
    )]
    unsafe fn batch<K: Keys<L>, const N: usize>(&mut self, keys: K, span: Span, last: usize) {
        // SAFETY: as the caller; a vector that is not the first has a block before it, and up to there the last
        // vector's blocks are whole.
        unsafe {
            let whitening = keys.front(0);
            let mut states = [whitening; N];
            let first = span.load::<L>(0, bytes::<L>(0, N, last));
            let before = if N == 1 && L::FEW_REGISTERS && last <= BLOCK {
                // One block alone does not wait for its text. Where registers are few, a length is a branch anyway.
                self.previous.after(self.previous)
            } else {
                first.after(self.previous)
            };
            states[0] = before.xor(whitening);
            for i in 1..N.max(2) - 1 {
                states[i] = span.load_before::<L>(i, L::BYTES).xor(whitening);
            }
            if N > 1 {
                let n = last.next_multiple_of(16);
                states[N - 1] = span.load_before::<L>(N - 1, n).xor(whitening);
            }
            self.previous = span.load(N - 1, last);

            let states = middle::<L, K, N, 0, 0, false>(keys, states, true, &mut ());
            let key = keys.place(14);
            for i in 0..N - 1 {
                let key = span.load::<L>(i, L::BYTES).xor(key);
                span.store(i, L::BYTES, states[i].last_round(key).pin());
            }
            let key = span.load::<L>(N - 1, last).xor(key);
            span.store(N - 1, last, states[N - 1].last_round(key).pin());
        }
    }
}
