//! Vectors that are permuted, for processors without AES instructions.

use core::arch::{asm, x86_64::*};

use zeroize::zeroize_stack;

use super::sliced::{Avx2, Ssse3};
use crate::{
    WATCHED, cpu,
    implementation::Entry,
    permute::{self, Permute, Permuted, compiled},
    portable::{Bytes, Keys, Words},
    x86::{
        schedule::{self, Substitute},
        xmm, ymm,
    },
};

pub(crate) static SSSE3_VP: Entry = Entry::sliced::<Permuted<Ssse3>>("ssse3-vp", &[cpu::SSSE3]);
// A key is expanded by SSSE3, and not at all without.
pub(crate) static AVX2_VP: Entry = Entry::sliced::<Permuted<Avx2>>("avx2-vp", &[cpu::AVX2, cpu::SSSE3]);

compiled!(Ssse3, "ssse3", xmm::clear);
compiled!(Avx2, "avx2", ymm::clear);

impl Permute for Ssse3 {
    #[inline(always)]
    unsafe fn write_block(self, to: *mut u8) {
        // SAFETY: the caller's sixteen bytes.
        unsafe { _mm_storeu_si128(to.cast(), self.0) }
    }

    #[inline(always)]
    fn pin(mut self) -> Self {
        if !WATCHED {
            // SAFETY: the instruction sequence is empty.
            unsafe { asm!("/* {0} */", inout(xmm_reg) self.0, options(nomem, nostack, preserves_flags)) };
        }
        self
    }
}

impl Permute for Avx2 {
    #[inline(always)]
    unsafe fn write_block(self, to: *mut u8) {
        // SAFETY: a value proves that the processor has AVX2; the caller's sixteen bytes.
        unsafe { _mm_storeu_si128(to.cast(), _mm256_castsi256_si128(self.0)) }
    }

    #[inline(always)]
    fn pin(self) -> Self {
        /// Apart, because a ymm operand is accepted only in a function that names the feature.
        #[inline]
        #[target_feature(enable = "avx2")]
        fn pin(mut vector: __m256i) -> __m256i {
            // SAFETY: the instruction sequence is empty.
            unsafe { asm!("/* {0} */", inout(ymm_reg) vector, options(nomem, nostack, preserves_flags)) };
            vector
        }
        if WATCHED {
            return self;
        }
        // SAFETY: a value proves that the processor has AVX2.
        unsafe { Self(pin(self.0)) }
    }
}

/// Expands a key, but for its planes in 64 bits, where the processor can: whoever is to use it may be another kernel than
/// the one that is asked to expand it. Answers whether it can.
pub(crate) fn expand(keys: &mut Keys, key: &[u8], words: &mut Words) -> bool {
    #[inline(never)]
    #[target_feature(enable = "ssse3")]
    unsafe fn run(keys: &mut Keys, key: &[u8], words: &mut Words) {
        // SAFETY: the caller has SSSE3, and a key of 16, 24 or 32 bytes; there is room for 15 round keys, aligned as vectors are.
        unsafe {
            schedule::expand_to::<Ssse3>(words.0.as_mut_ptr().cast(), key);
            permute::expand::<Ssse3>(keys, words);
            xmm::clear();
        }
    }
    let can = cpu::SSSE3.is_there();
    if can {
        // SAFETY: it is there.
        unsafe { run(keys, key, words) };
        zeroize_stack::<{ Permuted::<Ssse3>::SPILLED }>();
    }
    can
}

impl Substitute for Ssse3 {
    #[inline(always)]
    unsafe fn substituted(words: __m128i, constant: __m128i) -> __m128i {
        // SAFETY: the caller has SSSE3.
        unsafe { permute::substituted(Self(words)).add(Self(constant)).0 }
    }
}
