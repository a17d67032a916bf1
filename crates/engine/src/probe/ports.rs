//! How many AES rounds and how many carry-less multiplications the execution ports can start.
use core::arch::asm;

use super::Width;
use crate::cpu;

/// What the ports are asked to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// A round of AES.
    Round,
    /// A carry-less multiplication of 64 by 64 bits in each 128-bit lane.
    Multiplication,
}

/// One instruction on independent states that stay in registers: nothing but that, so that only the ports limit it.
///
/// Its existence proves that the processor has the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ports {
    instruction: Instruction,
    width: Width,
}

impl Ports {
    /// The instruction at `width`, where this processor has it.
    pub fn at(instruction: Instruction, width: Width) -> Option<Self> {
        use Instruction::{Multiplication, Round};

        let needed: &[cpu::Feature] = match (instruction, width) {
            (Round, Width::Xmm) => &[cpu::AES],
            (Round, Width::Ymm) => &[cpu::VAES, cpu::AVX2],
            (Round, Width::Zmm) => &[cpu::VAES, cpu::AVX512F],
            (Multiplication, Width::Xmm) => &[cpu::PCLMULQDQ],
            (Multiplication, Width::Ymm) => &[cpu::VPCLMULQDQ, cpu::AVX2],
            (Multiplication, Width::Zmm) => &[cpu::VPCLMULQDQ, cpu::AVX512F],
        };
        needed
            .iter()
            .all(|feature| feature.is_present())
            .then_some(Self { instruction, width })
    }

    /// The bytes of vector that one pass takes through one instruction.
    pub fn bytes_per_pass(self) -> u64 {
        (CHAINS * ROUNDS * self.width.bytes()) as u64
    }

    /// Runs `passes` passes, at least one.
    pub fn run(self, passes: u64) {
        let passes = passes.max(1);
        // SAFETY: `at` saw the features that each of them needs.
        unsafe {
            match (self.instruction, self.width) {
                (Instruction::Round, Width::Xmm) => rounds_xmm(passes),
                (Instruction::Round, Width::Ymm) => rounds_ymm(passes),
                (Instruction::Round, Width::Zmm) => rounds_zmm(passes),
                (Instruction::Multiplication, Width::Xmm) => multiplications_xmm(passes),
                (Instruction::Multiplication, Width::Ymm) => multiplications_ymm(passes),
                (Instruction::Multiplication, Width::Zmm) => multiplications_zmm(passes),
            }
        }
    }
}

/// Twelve states: with two instructions a cycle that covers a latency of six, and with the key it still fits
/// into sixteen registers.
const CHAINS: usize = 12;

/// Two rounds a pass hide the loop's own two instructions.
const ROUNDS: usize = 2;

macro_rules! ports_loop {
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

// The legacy encodings: a processor may have these instructions without AVX.
ports_loop!(
    rounds_xmm,
    "aes",
    "pxor xmm\\i, xmm\\i",
    "aesenc xmm\\i, xmm12",
    ""
);
ports_loop!(
    rounds_ymm,
    "avx2,vaes",
    "vpxor xmm\\i, xmm\\i, xmm\\i",
    "vaesenc ymm\\i, ymm\\i, ymm12",
    "vzeroupper"
);
ports_loop!(
    rounds_zmm,
    "avx512f,vaes",
    "vpxor xmm\\i, xmm\\i, xmm\\i",
    "vaesenc zmm\\i, zmm\\i, zmm12",
    "vzeroupper"
);
ports_loop!(
    multiplications_xmm,
    "pclmulqdq",
    "pxor xmm\\i, xmm\\i",
    "pclmulqdq xmm\\i, xmm12, 0",
    ""
);
ports_loop!(
    multiplications_ymm,
    "avx2,vpclmulqdq",
    "vpxor xmm\\i, xmm\\i, xmm\\i",
    "vpclmulqdq ymm\\i, ymm\\i, ymm12, 0",
    "vzeroupper"
);
ports_loop!(
    multiplications_zmm,
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
        for instruction in [Instruction::Round, Instruction::Multiplication] {
            for ports in Width::ALL
                .into_iter()
                .filter_map(|width| Ports::at(instruction, width))
            {
                ports.run(0);
                ports.run(1000);
                assert_eq!(ports.bytes_per_pass(), 24 * ports.width.bytes() as u64);
            }
        }
    }
}
