//! How many AES rounds and how many carry-less multiplications the execution ports can start, and how many of both beside
//! each other: on some processors they wait for the same port.
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
    /// All that a block takes in GCM by a key of 128 bits: ten rounds and, by Karatsuba, three multiplications.
    Gcm128,
    /// By a key of 192 bits: twelve rounds.
    Gcm192,
    /// By a key of 256 bits: fourteen rounds.
    Gcm256,
}

impl Instruction {
    /// That of GCM by a key of so many bits.
    pub fn gcm(key_bits: u32) -> Self {
        match key_bits {
            128 => Self::Gcm128,
            192 => Self::Gcm192,
            _ => Self::Gcm256,
        }
    }
}

/// Instructions on independent states that stay in registers: nothing but that, so that only the ports limit it.
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
        use Instruction::{Gcm128, Gcm192, Gcm256, Multiplication, Round};

        let needed: &[cpu::Feature] = match (instruction, width) {
            (Round, Width::Xmm) => &[cpu::AES],
            (Round, Width::Ymm) => &[cpu::VAES, cpu::AVX2],
            (Round, Width::Zmm) => &[cpu::VAES, cpu::AVX512F],
            (Multiplication, Width::Xmm) => &[cpu::PCLMULQDQ],
            (Multiplication, Width::Ymm) => &[cpu::VPCLMULQDQ, cpu::AVX2],
            (Multiplication, Width::Zmm) => &[cpu::VPCLMULQDQ, cpu::AVX512F],
            (Gcm128 | Gcm192 | Gcm256, Width::Xmm) => &[cpu::AES, cpu::PCLMULQDQ, cpu::AVX2],
            (Gcm128 | Gcm192 | Gcm256, Width::Ymm) => &[cpu::VAES, cpu::VPCLMULQDQ, cpu::AVX2],
            (Gcm128 | Gcm192 | Gcm256, Width::Zmm) => &[cpu::VAES, cpu::VPCLMULQDQ, cpu::AVX512F],
        };
        needed
            .iter()
            .all(|feature| feature.is_present())
            .then_some(Self { instruction, width })
    }

    /// The bytes of vector that one pass takes through the instruction, or through all that GCM has for them.
    pub fn bytes_per_pass(self) -> u64 {
        let times = match self.instruction {
            Instruction::Round | Instruction::Multiplication => ROUNDS,
            Instruction::Gcm128 | Instruction::Gcm192 | Instruction::Gcm256 => 1,
        };
        (CHAINS * times * self.width.bytes()) as u64
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
                (Instruction::Gcm128, Width::Xmm) => gcm_128_xmm(passes),
                (Instruction::Gcm128, Width::Ymm) => gcm_128_ymm(passes),
                (Instruction::Gcm128, Width::Zmm) => gcm_128_zmm(passes),
                (Instruction::Gcm192, Width::Xmm) => gcm_192_xmm(passes),
                (Instruction::Gcm192, Width::Ymm) => gcm_192_ymm(passes),
                (Instruction::Gcm192, Width::Zmm) => gcm_192_zmm(passes),
                (Instruction::Gcm256, Width::Xmm) => gcm_256_xmm(passes),
                (Instruction::Gcm256, Width::Ymm) => gcm_256_ymm(passes),
                (Instruction::Gcm256, Width::Zmm) => gcm_256_zmm(passes),
            }
        }
    }
}

/// Twelve states: with two instructions a cycle that covers a latency of six, and with the key it still fits
/// into sixteen registers.
const CHAINS: usize = 12;

/// Two rounds a pass hide the loop's own two instructions.
const ROUNDS: usize = 2;

/// What the body says in each pass, with the twelve states, a key in register 12, and register 13 to write to.
macro_rules! ports_loop {
    ($name:ident, $features:literal, $clear:literal, [$($body:expr),*], $leave:literal) => {
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
                    $($body,)*
                    "dec {passes}",
                    "jnz 2b",
                    $leave,
                    passes = inout(reg) passes => _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                    out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                    out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                    out("xmm12") _, out("xmm13") _,
                    options(nomem, nostack),
                );
            }
        }
    };
}

/// An instruction on each of the states.
macro_rules! each {
    ($instruction:literal) => {
        concat!(
            ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11\n",
            $instruction,
            "\n.endr\n"
        )
    };
}

// The legacy encodings: a processor may have these instructions without AVX.
ports_loop!(
    rounds_xmm,
    "aes",
    "pxor xmm\\i, xmm\\i",
    [each!("aesenc xmm\\i, xmm12"), each!("aesenc xmm\\i, xmm12")],
    ""
);
ports_loop!(
    multiplications_xmm,
    "pclmulqdq",
    "pxor xmm\\i, xmm\\i",
    [
        each!("pclmulqdq xmm\\i, xmm12, 0"),
        each!("pclmulqdq xmm\\i, xmm12, 0")
    ],
    ""
);

/// A loop of one instruction in VEX's or EVEX's encoding.
macro_rules! wide_loop {
    ($name:ident, $features:literal, $instruction:literal) => {
        ports_loop!(
            $name,
            $features,
            "vpxor xmm\\i, xmm\\i, xmm\\i",
            [each!($instruction), each!($instruction)],
            "vzeroupper"
        );
    };
}

wide_loop!(rounds_ymm, "avx2,vaes", "vaesenc ymm\\i, ymm\\i, ymm12");
wide_loop!(rounds_zmm, "avx512f,vaes", "vaesenc zmm\\i, zmm\\i, zmm12");
wide_loop!(
    multiplications_ymm,
    "avx2,vpclmulqdq",
    "vpclmulqdq ymm\\i, ymm\\i, ymm12, 0"
);
wide_loop!(
    multiplications_zmm,
    "avx512f,vpclmulqdq",
    "vpclmulqdq zmm\\i, zmm\\i, zmm12, 0"
);

/// GCM's loops of a width. Between rounds of the twelve states stand their thirty-six multiplications, as evenly as these
/// can be spread, which wait for nothing.
macro_rules! gcm_loops {
    ($reg:literal, $features:literal, $of_128:ident, $of_192:ident, $of_256:ident) => {
        gcm_loops!(@ $of_128, $reg, $features, ["4", "3", "4", "3", "4", "4", "3", "4", "3", "4"]);
        gcm_loops!(@ $of_192, $reg, $features, ["3", "3", "3", "3", "3", "3", "3", "3", "3", "3", "3", "3"]);
        gcm_loops!(
            @ $of_256, $reg, $features,
            ["3", "2", "3", "2", "3", "3", "2", "3", "2", "3", "3", "2", "3", "2"]
        );
    };
    (@ $name:ident, $reg:literal, $features:literal, [$($products:literal),*]) => {
        ports_loop!(
            $name,
            $features,
            "vpxor xmm\\i, xmm\\i, xmm\\i",
            [$(concat!(
                ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11\n",
                "vaesenc ", $reg, "\\i, ", $reg, "\\i, ", $reg, "12\n",
                ".endr\n",
                ".rept ", $products, "\n",
                "vpclmulqdq ", $reg, "13, ", $reg, "12, ", $reg, "12, 0\n",
                ".endr\n"
            )),*],
            "vzeroupper"
        );
    };
}

gcm_loops!("xmm", "avx2,aes,pclmulqdq", gcm_128_xmm, gcm_192_xmm, gcm_256_xmm);
gcm_loops!(
    "ymm",
    "avx2,vaes,vpclmulqdq",
    gcm_128_ymm,
    gcm_192_ymm,
    gcm_256_ymm
);
gcm_loops!(
    "zmm",
    "avx512f,vaes,vpclmulqdq",
    gcm_128_zmm,
    gcm_192_zmm,
    gcm_256_zmm
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_that_exists_runs() {
        use Instruction::{Gcm128, Gcm192, Gcm256, Multiplication, Round};

        for (instruction, times) in [
            (Round, 2),
            (Multiplication, 2),
            (Gcm128, 1),
            (Gcm192, 1),
            (Gcm256, 1),
        ] {
            for ports in Width::ALL
                .into_iter()
                .filter_map(|width| Ports::at(instruction, width))
            {
                ports.run(0);
                ports.run(1000);
                assert_eq!(ports.bytes_per_pass(), times * 12 * ports.width.bytes() as u64);
            }
        }
    }
}
