//! A block by itself. After kernels that the compiler made, all vector registers are cleared, which takes as long as some of
//! the rounds; after this assembly, one.

use core::arch::asm;

use crate::{BLOCK, WATCHED, key::RoundKeys, span::Span};

/// A block to `span.dst`: what is `$before` the rounds, of which `xmm0` has the block, and what is `$after` them, with what
/// these take. It is cleared; they leave nothing that comes of a key, nor text, in another register.
macro_rules! block {
    ($round:literal, $last:literal, $keys:ident, $span:ident, [$($before:literal),*], [$($after:literal),*], $($taken:tt)*) => {
        asm!(
            $($before,)*
            "pxor xmm0, [{first}]",
            "cmp {rounds}, 12",
            "jb 4f",
            "je 3f",
            concat!($round, " xmm0, [{keys} + 16]"),
            concat!($round, " xmm0, [{keys} + 32]"),
            "3:",
            concat!($round, " xmm0, [{keys} + 48]"),
            concat!($round, " xmm0, [{keys} + 64]"),
            "4:",
            concat!($round, " xmm0, [{keys} + 80]"),
            concat!($round, " xmm0, [{keys} + 96]"),
            concat!($round, " xmm0, [{keys} + 112]"),
            concat!($round, " xmm0, [{keys} + 128]"),
            concat!($round, " xmm0, [{keys} + 144]"),
            concat!($round, " xmm0, [{keys} + 160]"),
            concat!($round, " xmm0, [{keys} + 176]"),
            concat!($round, " xmm0, [{keys} + 192]"),
            concat!($round, " xmm0, [{keys} + 208]"),
            concat!($last, " xmm0, [{keys} + 224]"),
            $($after,)*
            "movdqu [{to}], xmm0",
            "pxor xmm0, xmm0",
            to = in(reg) $span.dst,
            first = in(reg) $keys.blocks.as_ptr().wrapping_add($keys.start()),
            rounds = in(reg) $keys.rounds,
            keys = in(reg) &raw const $keys.blocks,
            out("xmm0") _,
            options(nostack),
            $($taken)*
        )
    };
}

/// Takes `span` if it is one block, and answers whether it was: in ECB; `keys` are those of the direction.
///
/// # Safety
/// The caller has AES; `src` and `dst` are valid for `len` bytes.
#[inline(always)]
pub(crate) unsafe fn ecb_block<const DECRYPT: bool>(keys: &RoundKeys, span: Span) -> bool {
    if WATCHED || span.len != BLOCK {
        return false;
    }
    // SAFETY: as the caller; keys are aligned.
    unsafe {
        if DECRYPT {
            block!(
                "aesdec", "aesdeclast", keys, span, ["movdqu xmm0, [{from}]"], [],
                from = in(reg) span.src,
            );
        } else {
            block!(
                "aesenc", "aesenclast", keys, span, ["movdqu xmm0, [{from}]"], [],
                from = in(reg) span.src,
            );
        }
    }
    true
}

/// As [`ecb_block`], in CBC. `iv` becomes the block of ciphertext.
///
/// # Safety
/// As [`ecb_block`].
#[inline(always)]
pub(crate) unsafe fn cbc_block<const DECRYPT: bool>(
    keys: &RoundKeys,
    iv: &mut [u8; BLOCK],
    span: Span,
) -> bool {
    if WATCHED || span.len != BLOCK {
        return false;
    }
    // SAFETY: as above. In place, the block is read before it is written.
    unsafe {
        if DECRYPT {
            block!(
                "aesdec", "aesdeclast", keys, span,
                ["movdqu xmm0, [{from}]", "movdqa xmm2, xmm0", "movdqu xmm1, [{iv}]"],
                ["pxor xmm0, xmm1", "movdqu [{iv}], xmm2"],
                from = in(reg) span.src, iv = in(reg) iv, out("xmm1") _, out("xmm2") _,
            );
        } else {
            block!(
                "aesenc", "aesenclast", keys, span,
                ["movdqu xmm0, [{from}]", "movdqu xmm1, [{iv}]", "pxor xmm0, xmm1"],
                ["movdqu [{iv}], xmm0"],
                from = in(reg) span.src, iv = in(reg) iv, out("xmm1") _,
            );
        }
    }
    true
}

/// As [`ecb_block`], in CTR, by keystream of `counter`.
///
/// # Safety
/// As [`ecb_block`].
#[inline(always)]
pub(crate) unsafe fn ctr_block(keys: &RoundKeys, counter: u128, span: Span) -> bool {
    if WATCHED || span.len != BLOCK {
        return false;
    }
    let counter = counter.swap_bytes();
    // SAFETY: as above.
    unsafe {
        block!(
            "aesenc", "aesenclast", keys, span,
            ["movq xmm0, {low}", "movq xmm1, {high}", "punpcklqdq xmm0, xmm1"],
            ["movdqu xmm1, [{from}]", "pxor xmm0, xmm1", "pxor xmm1, xmm1"],
            low = in(reg) counter as u64, high = in(reg) (counter >> 64) as u64, from = in(reg) span.src, out("xmm1") _,
        );
    }
    true
}
