//! XTS of whole blocks.

use core::arch::asm;

use super::{clear, lines, load, store, vectors};
use crate::{
    key::RoundKeys,
    span::Span,
    x86::{rounds::rounds, xmm::ALPHA_128},
};

/// How the tweak of block i comes of the first one's: a shift by i bits, of what each half loses by it the other's beginning, and
/// the product of what the block loses.
#[repr(C, align(64))]
struct Tables {
    /// Bits by which each half is shifted up.
    up: [u64; 32],
    /// Bits by which it is shifted down to what it loses.
    down: [u64; 32],
    reduction: [u64; 8],
}

static TABLES: Tables = {
    let mut tables = Tables {
        up: [0; 32],
        down: [0; 32],
        reduction: [ALPHA_128 as u64; 8],
    };
    let mut half = 0;
    while half < 32 {
        tables.up[half] = half as u64 / 2;
        tables.down[half] = 64 - half as u64 / 2;
        half += 1;
    }
    tables
};

/// As [`with_key`](super), for keys of `{tweak_keys}` and one vector. In all its lanes, since to spread a block takes three cycles, for
/// which everything waits.
macro_rules! with_tweak_key {
    ($instruction:literal, $at:literal, $state:literal) => {
        concat!(
            "vbroadcasti32x4 zmm31, [{tweak_keys} + ", $at, "]\n",
            $instruction, " zmm", $state, ", zmm", $state, ", zmm31\n",
        )
    };
}

/// As [`with_key`](super), for states and their tweaks, which are added with the first key.
macro_rules! with_key {
    ("vpxord", $at:literal, [$([$state:literal $tweak:literal])*]) => {
        concat!(
            "vbroadcasti32x4 zmm31, [{keys} + ", $at, "]\n",
            $("vpternlogd zmm", $state, ", zmm", $tweak, ", zmm31, 0x96\n",)*
        )
    };
    ($instruction:literal, $at:literal, [$([$state:literal $tweak:literal])*]) => {
        super::with_key!($instruction, $at, [$($state)*])
    };
}

/// As [`crate::xts::short`]; `keys` are those of the direction.
///
/// # Safety
/// `span` is valid, of whole blocks, one at least, and no more than [`super::MOST`] bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,vaes,vpclmulqdq")]
pub(in crate::x86) unsafe fn xts<const DECRYPT: bool>(
    keys: &RoundKeys,
    tweak_keys: &RoundKeys,
    tweak: u128,
    span: Span,
) {
    macro_rules! xts {
        ($round:literal $last:literal
         $([$at:literal $state:literal $tweak:literal $_before:literal $size:ident])*) => {
            lines!(keys span: [
                "vmovq xmm24, {low}",
                "vmovq xmm31, {high}",
                "vpunpcklqdq xmm24, xmm24, xmm31",
                "vshufi32x4 zmm24, zmm24, zmm24, 0",
                rounds!(with_tweak_key, "{tweak_rounds}", "vpxord", "vaesenc", 24),
                with_tweak_key!("vaesenclast", 224, 24),
                $(concat!(
                    "vpsrlvq zmm31, zmm24, [{tables} + 256 + ", $at, "]\n",
                    "vpsllvq zmm", $tweak, ", zmm24, [{tables} + ", $at, "]\n",
                    "vpclmulqdq zmm", $state, ", zmm31, [{tables} + 512], 0x01\n",
                    "vpslldq zmm31, zmm31, 8\n",
                    "vpternlogq zmm", $tweak, ", zmm", $state, ", zmm31, 0x96\n",
                    load!($size $state, $at),
                ),)*
                rounds!(with_key, "{rounds}", "vpxord", $round, [$([$state $tweak])*]),
                "vbroadcasti32x4 zmm31, [{keys} + 224]",
                $(concat!(
                    "vpxord zmm", $tweak, ", zmm", $tweak, ", zmm31\n",
                    $last, " zmm", $state, ", zmm", $state, ", zmm", $tweak, "\n",
                    store!($size $state, $at),
                ),)*
                clear!(24 $($state $tweak)*),
            ]
                tweak_keys = in(reg) &raw const tweak_keys.blocks,
                tweak_rounds = in(reg) tweak_keys.rounds,
                low = in(reg) tweak as u64,
                high = in(reg) (tweak >> 64) as u64,
                tables = in(reg) &raw const TABLES,
                out("zmm24") _,
            )
        };
    }
    // SAFETY: as the caller; of the last vector no more is touched than its blocks, and all is read before anything is written.
    unsafe {
        if DECRYPT {
            vectors!(span, xts! "vaesdec" "vaesdeclast");
        } else {
            vectors!(span, xts! "vaesenc" "vaesenclast");
        }
    }
}
