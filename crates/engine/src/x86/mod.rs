//! x86-64: vectors of AES blocks, and of bit planes.

use crate::cpu;

/// Clears vector registers 0 to 15. Their xmm forms clear whole registers and are done away with at renaming, where
/// `vzeroall` takes longer than all of them.
///
/// No `vzeroupper` is needed, without which SSE code that comes after would run at a third of its speed: the compiler puts one
/// at the end of each function that has wider registers than xmm.
#[inline(always)]
unsafe fn clear_low() {
    if cfg!(miri) {
        return;
    }
    // SAFETY: the caller has AVX; each register is declared as clobbered, and with it the wider one that it is part of.
    unsafe {
        core::arch::asm!(
            "vpxor xmm0, xmm0, xmm0", "vpxor xmm1, xmm1, xmm1",
            "vpxor xmm2, xmm2, xmm2", "vpxor xmm3, xmm3, xmm3",
            "vpxor xmm4, xmm4, xmm4", "vpxor xmm5, xmm5, xmm5",
            "vpxor xmm6, xmm6, xmm6", "vpxor xmm7, xmm7, xmm7",
            "vpxor xmm8, xmm8, xmm8", "vpxor xmm9, xmm9, xmm9",
            "vpxor xmm10, xmm10, xmm10", "vpxor xmm11, xmm11, xmm11",
            "vpxor xmm12, xmm12, xmm12", "vpxor xmm13, xmm13, xmm13",
            "vpxor xmm14, xmm14, xmm14", "vpxor xmm15, xmm15, xmm15",
            out("ymm0") _, out("ymm1") _, out("ymm2") _, out("ymm3") _,
            out("ymm4") _, out("ymm5") _, out("ymm6") _, out("ymm7") _,
            out("ymm8") _, out("ymm9") _, out("ymm10") _, out("ymm11") _,
            out("ymm12") _, out("ymm13") _, out("ymm14") _, out("ymm15") _,
            options(nostack, nomem, preserves_flags),
        );
    }
}

/// Clears vector registers 16 to 31, which AVX-512 has. The compiler takes them in every kernel where the whole build is
/// for processors with AVX-512.
#[inline(always)]
unsafe fn clear_high() {
    if cfg!(miri) {
        return;
    }
    // SAFETY: the caller has AVX-512VL; each register is declared as clobbered.
    unsafe {
        core::arch::asm!(
            "vpxord xmm16, xmm16, xmm16", "vpxord xmm17, xmm17, xmm17",
            "vpxord xmm18, xmm18, xmm18", "vpxord xmm19, xmm19, xmm19",
            "vpxord xmm20, xmm20, xmm20", "vpxord xmm21, xmm21, xmm21",
            "vpxord xmm22, xmm22, xmm22", "vpxord xmm23, xmm23, xmm23",
            "vpxord xmm24, xmm24, xmm24", "vpxord xmm25, xmm25, xmm25",
            "vpxord xmm26, xmm26, xmm26", "vpxord xmm27, xmm27, xmm27",
            "vpxord xmm28, xmm28, xmm28", "vpxord xmm29, xmm29, xmm29",
            "vpxord xmm30, xmm30, xmm30", "vpxord xmm31, xmm31, xmm31",
            out("zmm16") _, out("zmm17") _, out("zmm18") _, out("zmm19") _,
            out("zmm20") _, out("zmm21") _, out("zmm22") _, out("zmm23") _,
            out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _,
            out("zmm28") _, out("zmm29") _, out("zmm30") _, out("zmm31") _,
            options(nostack, nomem, preserves_flags),
        );
    }
}

/// Clears all vector registers that this processor has, hidden or not.
pub(crate) fn clear() {
    #[target_feature(enable = "avx512vl")]
    fn thirty_two() {
        // SAFETY: as here.
        unsafe { zmm::clear() }
    }
    #[target_feature(enable = "avx")]
    fn wide() {
        // SAFETY: as here; where all code is with AVX-512VL, this is not called.
        unsafe { ymm::clear() }
    }
    // SAFETY: the features were found. Without AVX there is no code with it.
    unsafe {
        if cpu::AVX512VL.is_there() {
            thirty_two();
        } else if cpu::AVX.is_there() {
            wide();
        } else {
            xmm::clear();
        }
    }
}

// A line for each instruction.
#[rustfmt::skip]
mod few;
mod lone;
mod permute;
#[rustfmt::skip]
mod rounds;
pub(crate) mod schedule;
mod sliced;
mod xmm;
mod ymm;
mod zmm;

pub(crate) use lone::{cbc_block, cbc_chain, ctr_block, ecb_block, fed_back_block, xts_block};
pub(crate) use permute::{AVX2_VP, SSSE3_VP, expand as expand_permuting};
pub(crate) use sliced::{AVX2, AVX512, SSE2, SSSE3};
pub(crate) use xmm::{AESNI, AESNI_R2, Xmm as Block};
pub(crate) use ymm::{VAES256, VAES256_R2};
pub(crate) use zmm::{VAES512, VAES512_R2};
