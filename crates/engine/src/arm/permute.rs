//! Vectors that are permuted, for processors without AES instructions.

use core::arch::{aarch64::vst1q_u8, asm};

use zeroize::zeroize_stack;

use super::sliced::Neon;
use crate::{
    WATCHED,
    arm::q,
    implementation::Entry,
    permute::{self, Permute, Permuted, compiled},
    portable::{Keys, Words, expand_words},
};

pub(crate) static NEON_VP: Entry = Entry::sliced::<Permuted<Neon>>("neon-vp", &[]);

compiled!(Neon, "neon", q::clear);

impl Permute for Neon {
    #[inline(always)]
    unsafe fn write_block(self, to: *mut u8) {
        // SAFETY: the caller's sixteen bytes.
        unsafe { vst1q_u8(to, self.0) }
    }

    #[inline(always)]
    fn pin(mut self) -> Self {
        if !WATCHED {
            // SAFETY: the instruction sequence is empty.
            unsafe { asm!("/* {0:v} */", inout(vreg) self.0, options(nomem, nostack, preserves_flags)) };
        }
        self
    }
}

/// Expands a key, but for its planes in 64 bits: every processor can that this is compiled for, and the answer is true.
pub(crate) fn expand(keys: &mut Keys, key: &[u8], words: &mut Words) -> bool {
    #[inline(never)]
    fn run(keys: &mut Keys, words: &Words) {
        // SAFETY: NEON, which every processor has that this is compiled for.
        unsafe {
            permute::expand::<Neon>(keys, words);
            q::clear();
        }
    }
    expand_words(key, &mut words.0[..4 * (keys.rounds() + 1)]);
    run(keys, words);
    zeroize_stack::<{ Permuted::<Neon>::SPILLED }>();
    true
}
