//! Counter mode of one vector, which leaves what it makes too much of to the next call.

use core::arch::asm;

use super::{REVERSED, clear, with_key};
use crate::{
    key::RoundKeys,
    keystream::SPARE,
    span::Span,
    x86::{
        rounds::rounds,
        zmm::{PLACES, first},
    },
};

/// What counter blocks are made by.
#[repr(C, align(64))]
struct Tables {
    /// What is added to a block, as the number that it is, in each lane.
    lanes: [u128; 4],
    /// How a number becomes the bytes of a block.
    blocks: [u128; 4],
}

static TABLES: Tables = Tables {
    lanes: [0, 1, 2, 3],
    blocks: REVERSED,
};

/// Adds to `text`, less than a vector, the keystream that begins at `spare`.
///
/// # Safety
/// `text` is valid for its length, and `spare` for 64 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
pub(in crate::x86) unsafe fn xor_spare(spare: *const u8, text: Span) {
    // SAFETY: as the caller; bytes that a mask leaves out are not touched.
    unsafe {
        asm!(
            "vmovdqu8 zmm16 {{{mask}}} {{z}}, [{from}]",
            "vpxord zmm16, zmm16, [{spare}]",
            "vmovdqu8 [{to}] {{{mask}}}, zmm16",
            "vpxord xmm16, xmm16, xmm16",
            mask = in(kreg) first(text.len),
            from = in(reg) text.src,
            to = in(reg) text.dst,
            spare = in(reg) spare,
            out("zmm16") _,
            options(nostack),
        );
    }
}

/// Adds keystream to `text`, no more than a vector: the last `unused` bytes of `spare`, and after them what is made from `counter`
/// on, a vector, which all goes to `spare`.
///
/// # Safety
/// `text` is valid for its length, which is more than `unused`; the counter's last four bytes do not carry before its last block.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,vaes,bmi2")]
pub(in crate::x86) unsafe fn xor_fresh(
    keys: &RoundKeys,
    counter: u128,
    spare: &mut [u8; SPARE],
    unused: usize,
    text: Span,
) {
    // `zmm16` becomes keystream, all of which goes to `spare` once `$before` has taken from there what is still wanted. Then the text
    // takes its keystream, of one register, by way of the other. Masks are made here, in registers that are free by then: of those that
    // the compiler makes, two more of the caller's would be saved and restored.
    macro_rules! vector {
        ([$($before:literal),*], $keystream:literal $text:literal, $($taken:tt)*) => {
            asm!(
                "vmovq xmm16, {low}",
                "vmovq xmm31, {high}",
                "vpunpcklqdq xmm16, xmm16, xmm31",
                "vshufi32x4 zmm16, zmm16, zmm16, 0",
                "vpaddd zmm16, zmm16, [{tables}]",
                "vpshufb zmm16, zmm16, [{tables} + 64]",
                rounds!(with_key, "{rounds}", "vpxord", "vaesenc", [16]),
                with_key!("vaesenclast", 224, [16]),
                $($before,)*
                "vmovdqu64 [{spare}], zmm16",
                "cmp {len}, 64",
                "jne 6f",
                // By no mask: what that has written is late for whoever reads it next.
                concat!("vpxord zmm", $text, ", zmm", $keystream, ", [{from}]"),
                concat!("vmovdqu64 [{to}], zmm", $text),
                "jmp 7f",
                "6:",
                "mov {rounds}, -1",
                "bzhi {rounds}, {rounds}, {len}",
                "kmovq k1, {rounds}",
                concat!("vmovdqu8 zmm", $text, " {{k1}} {{z}}, [{from}]"),
                concat!("vpxord zmm", $text, ", zmm", $text, ", zmm", $keystream),
                concat!("vmovdqu8 [{to}] {{k1}}, zmm", $text),
                "7:",
                clear!(16),
                low = in(reg) counter as u64,
                high = in(reg) (counter >> 64) as u64,
                tables = in(reg) &raw const TABLES,
                keys = in(reg) &raw const keys.blocks,
                rounds = inout(reg) keys.rounds => _,
                spare = in(reg) spare,
                len = in(reg) text.len,
                from = in(reg) text.src,
                to = in(reg) text.dst,
                out("zmm16") _, out("zmm31") _, out("k1") _,
                options(nostack),
                $($taken)*
            )
        };
    }
    // SAFETY: as the caller; `unused` is less than a vector, and bytes that a mask leaves out are not touched.
    unsafe {
        if unused == 0 {
            vector!([], 16 31,);
        } else {
            vector!(
                [
                    "mov {rounds}, -1",
                    "bzhi {unused}, {rounds}, {unused}",
                    "kmovq k1, {unused}",
                    "vmovdqu64 zmm18, [{places}]",
                    "vpermb zmm31, zmm18, zmm16",
                    "vpermb zmm31 {{k1}}, zmm18, [{spare}]"
                ],
                31 16,
                unused = inout(reg) unused => _,
                places = in(reg) PLACES.as_ptr().add(SPARE - unused),
                out("zmm18") _,
            );
        }
    }
}
