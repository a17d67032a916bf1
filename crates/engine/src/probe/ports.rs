//! How many AES rounds, and how many carry-less products, the execution ports can start.
use core::arch::asm;

use super::Width;
use crate::cpu;

/// AES rounds on independent states that stay in registers: nothing but AES instructions, so that only the
/// ports limit it.
///
/// Its existence proves that the processor has the instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounds(Width);

impl Rounds {
    /// Rounds at `width`, where this processor has AES instructions of that width.
    pub fn at(width: Width) -> Option<Self> {
        let needed: &[cpu::Feature] = match width {
            Width::Xmm => &[cpu::AES],
            Width::Ymm => &[cpu::VAES, cpu::AVX2],
            Width::Zmm => &[cpu::VAES, cpu::AVX512F],
        };
        needed
            .iter()
            .all(|feature| feature.is_present())
            .then_some(Self(width))
    }

    /// The bytes of state that one pass takes through one round.
    pub fn bytes_per_pass(self) -> u64 {
        (CHAINS * ROUNDS * self.0.bytes()) as u64
    }

    /// Runs `passes` passes, at least one.
    pub fn run(self, passes: u64) {
        let passes = passes.max(1);
        // SAFETY: `at` saw the features that each of them needs.
        unsafe {
            match self.0 {
                Width::Xmm => xmm(passes),
                Width::Ymm => ymm(passes),
                Width::Zmm => zmm(passes),
            }
        }
    }
}

/// Carry-less products on independent operands, as [`Rounds`] does rounds: three of them make GHASH of a vector by
/// Karatsuba.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Products(Width);

impl Products {
    /// Products at `width`, where this processor has the instruction at that width.
    pub fn at(width: Width) -> Option<Self> {
        let needed: &[cpu::Feature] = match width {
            Width::Xmm => &[cpu::PCLMULQDQ],
            Width::Ymm => &[cpu::VPCLMULQDQ, cpu::AVX2],
            Width::Zmm => &[cpu::VPCLMULQDQ, cpu::AVX512F],
        };
        needed
            .iter()
            .all(|feature| feature.is_present())
            .then_some(Self(width))
    }

    /// The bytes of vectors that one pass takes through one product.
    pub fn bytes_per_pass(self) -> u64 {
        (CHAINS * ROUNDS * self.0.bytes()) as u64
    }

    /// Runs `passes` passes, at least one.
    pub fn run(self, passes: u64) {
        let passes = passes.max(1);
        // SAFETY: `at` saw the features that each of them needs.
        unsafe {
            match self.0 {
                Width::Xmm => xmm_products(passes),
                Width::Ymm => ymm_products(passes),
                Width::Zmm => zmm_products(passes),
            }
        }
    }
}

/// Twelve states: with two instructions a cycle that covers a latency of six, and with the key it still fits
/// into sixteen registers.
const CHAINS: usize = 12;

/// Two rounds a pass hide the loop's own two instructions.
const ROUNDS: usize = 2;

macro_rules! rounds_loop {
    ($name:ident, $features:literal, $clear:literal, $round:literal, $leave:literal) => {
        #[target_feature(enable = $features)]
        fn $name(passes: u64) {
            // SAFETY: the caller has the features and passes ≥ 1; the asm works on registers alone, all of
            // them declared, and leaves the upper halves clear.
            unsafe {
                asm!(
                    ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12",
                    $clear,
                    ".endr",
                    ".p2align 6",
                    "2:",
                    ".rept 2",
                    ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11",
                    $round,
                    ".endr",
                    ".endr",
                    "dec {passes}",
                    "jnz 2b",
                    $leave,
                    passes = inout(reg) passes => _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                    out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                    out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                    out("xmm12") _,
                    options(nomem, nostack),
                );
            }
        }
    };
}

// The legacy encoding: a processor may have AES instructions without AVX.
rounds_loop!(xmm, "aes", "pxor xmm\\i, xmm\\i", "aesenc xmm\\i, xmm12", "");
rounds_loop!(
    ymm,
    "avx2,vaes",
    "vpxor xmm\\i, xmm\\i, xmm\\i",
    "vaesenc ymm\\i, ymm\\i, ymm12",
    "vzeroupper"
);
rounds_loop!(
    zmm,
    "avx512f,vaes",
    "vpxor xmm\\i, xmm\\i, xmm\\i",
    "vaesenc zmm\\i, zmm\\i, zmm12",
    "vzeroupper"
);

rounds_loop!(
    xmm_products,
    "pclmulqdq",
    "pxor xmm\\i, xmm\\i",
    "pclmulqdq xmm\\i, xmm12, 0",
    ""
);
rounds_loop!(
    ymm_products,
    "avx2,vpclmulqdq",
    "vpxor xmm\\i, xmm\\i, xmm\\i",
    "vpclmulqdq ymm\\i, ymm\\i, ymm12, 0",
    "vzeroupper"
);
rounds_loop!(
    zmm_products,
    "avx512f,vpclmulqdq",
    "vpxor xmm\\i, xmm\\i, xmm\\i",
    "vpclmulqdq zmm\\i, zmm\\i, zmm12, 0",
    "vzeroupper"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_that_exists_runs() {
        for rounds in Width::ALL.into_iter().filter_map(Rounds::at) {
            rounds.run(0);
            rounds.run(1000);
            assert_eq!(rounds.bytes_per_pass(), 24 * rounds.0.bytes() as u64);
        }
        for products in Width::ALL.into_iter().filter_map(Products::at) {
            products.run(0);
            products.run(1000);
            assert_eq!(products.bytes_per_pass(), 24 * products.0.bytes() as u64);
        }
    }
}
