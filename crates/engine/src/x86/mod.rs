//! x86-64: vectors of AES blocks, and of bit planes.

/// As text for `asm!`: clears vector registers 0 to 15. Their xmm forms clear whole registers and are done away with at
/// renaming, where `vzeroall` takes longer than all of them.
macro_rules! clear_low {
    () => {
        concat!(
            "vpxor xmm0, xmm0, xmm0\nvpxor xmm1, xmm1, xmm1\n",
            "vpxor xmm2, xmm2, xmm2\nvpxor xmm3, xmm3, xmm3\n",
            "vpxor xmm4, xmm4, xmm4\nvpxor xmm5, xmm5, xmm5\n",
            "vpxor xmm6, xmm6, xmm6\nvpxor xmm7, xmm7, xmm7\n",
            "vpxor xmm8, xmm8, xmm8\nvpxor xmm9, xmm9, xmm9\n",
            "vpxor xmm10, xmm10, xmm10\nvpxor xmm11, xmm11, xmm11\n",
            "vpxor xmm12, xmm12, xmm12\nvpxor xmm13, xmm13, xmm13\n",
            "vpxor xmm14, xmm14, xmm14\nvpxor xmm15, xmm15, xmm15\n",
        )
    };
}

pub(crate) mod schedule;
mod sliced;
mod xmm;
mod ymm;
mod zmm;

pub(crate) use sliced::{AVX2, AVX512, SSE2, SSSE3};
pub(crate) use xmm::{AESNI, AESNI_R2, Xmm as Block};
pub(crate) use ymm::{VAES256, VAES256_R2};
pub(crate) use zmm::{VAES512, VAES512_R2};
