//! A block by itself, and a chain of some. After kernels that the compiler made, all vector registers are cleared, which takes
//! as long as some of the rounds; after this assembly, those that it took.

use core::arch::asm;

use super::rounds::rounds;
use crate::{BLOCK, WATCHED, feedback::Fed, key::RoundKeys, span::Span};

/// For [`rounds`] of `xmm0`: a key, and what is `$added` after the first one.
macro_rules! with_key {
    ("pxor", $at:literal, [$($added:literal)?]) => {
        concat!("pxor xmm0, [{keys} + ", $at, "]\n", $($added, "\n")?)
    };
    ($instruction:literal, $at:literal, $added:tt) => {
        concat!($instruction, " xmm0, [{keys} + ", $at, "]\n")
    };
}

/// A block to `span.dst`: what is `$before` the first key, of which `xmm0` has the block, what is `$added` then, and what is
/// `$after` the rounds, with what these take. It is cleared; they leave nothing that comes of a key, nor plaintext, in another register.
macro_rules! block {
    ($round:literal, $last:literal, $keys:ident, $span:ident, [$($before:expr),*], [$($added:literal)?],
     [$($after:literal),*], $($taken:tt)*) => {
        asm!(
            $($before,)*
            rounds!(with_key, "{rounds}", "pxor", $round, [$($added)?]),
            with_key!($last, 224, []),
            $($after,)*
            "movdqu [{to}], xmm0",
            "pxor xmm0, xmm0",
            to = in(reg) $span.dst,
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
                "aesdec", "aesdeclast", keys, span, ["movdqu xmm0, [{from}]"], [], [],
                from = in(reg) span.src,
            );
        } else {
            block!(
                "aesenc", "aesenclast", keys, span, ["movdqu xmm0, [{from}]"], [], [],
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
                ["movdqu xmm0, [{from}]", "movdqa xmm2, xmm0", "movdqu xmm1, [{iv}]"], [],
                ["pxor xmm0, xmm1", "movdqu [{iv}], xmm2"],
                from = in(reg) span.src, iv = in(reg) iv, out("xmm1") _, out("xmm2") _,
            );
        } else {
            block!(
                "aesenc", "aesenclast", keys, span,
                ["movdqu xmm0, [{from}]", "movdqu xmm1, [{iv}]"], ["pxor xmm0, xmm1"],
                ["movdqu [{iv}], xmm0"],
                from = in(reg) span.src, iv = in(reg) iv, out("xmm1") _,
            );
        }
    }
    true
}

/// Bytes up to which [`cbc_chain`] takes messages: the processor sees so far ahead that the next message's chain begins beside
/// this one's end.
const CHAIN: usize = 32 * BLOCK;

/// Takes `span` if it is of a few blocks, two or more, and answers whether it was: CBC encryption, by a loop for each size of
/// key.
///
/// The next block and its first key are added by the last round, on its way: an addition of its own costs a cycle, and on
/// Intel's processors two more, since what AES's unit makes reaches another and comes back late. What goes out has both taken
/// off again, for which nothing waits.
///
/// What bounds how many chains are under way at once are, with keys in memory, the loads that the processor keeps in mind, and
/// with keys `HELD` in registers, up to thirteen more of which are to be loaded and cleared, all its instructions.
///
/// # Safety
/// As [`ecb_block`]; whole blocks.
#[inline(always)]
pub(crate) unsafe fn cbc_chain<const HELD: bool>(keys: &RoundKeys, iv: &mut [u8; BLOCK], span: Span) -> bool {
    // Keys by their places, in memory or registers: the first, those that a key of this size has `$before` the others', and of
    // these the last apart.
    macro_rules! blocks {
        ($first:literal, [$($before:literal)*], [$($key:literal)*], $last:literal) => {
            concat!(
                "movdqu xmm0, [{from} + {at}]\n",
                "pxor xmm0, ", $first, "\n",
                "pxor xmm0, xmm1\n",
                "add {at}, 16\n",
                "2:\n",
                "movdqu xmm1, [{from} + {at}]\n",
                "pxor xmm1, ", $first, "\n",
                "movdqa xmm2, ", $last, "\n",
                "pxor xmm2, xmm1\n",
                $("aesenc xmm0, ", $before, "\n",)*
                $("aesenc xmm0, ", $key, "\n",)*
                "aesenclast xmm0, xmm2\n",
                "pxor xmm1, xmm0\n",
                "movdqu [{to} + {at} - 16], xmm1\n",
                "add {at}, 16\n",
                "jnz 2b\n",
                $("aesenc xmm0, ", $before, "\n",)*
                $("aesenc xmm0, ", $key, "\n",)*
            )
        };
    }
    macro_rules! chain {
        (
            [$($load:literal,)*]; $keys:tt, $last:literal;
            10: [$($load_10:literal),*], $first_10:literal, $before_10:tt;
            12: [$($load_12:literal),*], $first_12:literal, $before_12:tt;
            14: [$($load_14:literal),*], $first_14:literal, $before_14:tt;
            $($taken:tt)*
        ) => {
            asm!(
                $($load,)*
                "movdqu xmm1, [{iv}]",
                "cmp {rounds}, 12",
                "ja 4f",
                "je 3f",
                $($load_10,)*
                blocks!($first_10, $before_10, $keys, $last),
                "jmp 5f",
                "3:",
                $($load_12,)*
                blocks!($first_12, $before_12, $keys, $last),
                "jmp 5f",
                "4:",
                $($load_14,)*
                blocks!($first_14, $before_14, $keys, $last),
                "5:",
                concat!("aesenclast xmm0, ", $last),
                "movdqu [{to} - 16], xmm0",
                "movdqu [{iv}], xmm0",
                $(concat!("pxor ", $taken, ", ", $taken),)*
                iv = in(reg) iv,
                rounds = in(reg) keys.rounds,
                keys = in(reg) &raw const keys.blocks,
                from = in(reg) span.src.wrapping_add(span.len),
                to = in(reg) span.dst.wrapping_add(span.len),
                at = inout(reg) span.len.wrapping_neg() => _,
                $(out($taken) _,)*
                options(nostack),
            )
        };
    }
    if WATCHED || !(2 * BLOCK..=CHAIN).contains(&span.len) {
        return false;
    }
    // SAFETY: as the caller; keys are aligned. In place, a block is read before the one before it is written.
    unsafe {
        if HELD {
            chain!(
                [
                    "movdqa xmm5, [{keys} + 80]",
                    "movdqa xmm6, [{keys} + 96]",
                    "movdqa xmm7, [{keys} + 112]",
                    "movdqa xmm8, [{keys} + 128]",
                    "movdqa xmm9, [{keys} + 144]",
                    "movdqa xmm10, [{keys} + 160]",
                    "movdqa xmm11, [{keys} + 176]",
                    "movdqa xmm12, [{keys} + 192]",
                    "movdqa xmm13, [{keys} + 208]",
                    "movdqa xmm4, [{keys} + 224]",
                ];
                ["xmm5" "xmm6" "xmm7" "xmm8" "xmm9" "xmm10" "xmm11" "xmm12" "xmm13"], "xmm4";
                10: ["movdqa xmm3, [{keys} + 64]"], "xmm3", [];
                12: ["movdqa xmm3, [{keys} + 32]", "movdqa xmm14, [{keys} + 48]", "movdqa xmm15, [{keys} + 64]"],
                    "xmm3", ["xmm14" "xmm15"];
                14: ["movdqa xmm3, [{keys}]", "movdqa xmm14, [{keys} + 48]", "movdqa xmm15, [{keys} + 64]"],
                    "xmm3", ["[{keys} + 16]" "[{keys} + 32]" "xmm14" "xmm15"];
                "xmm0" "xmm1" "xmm2" "xmm3" "xmm4" "xmm5" "xmm6" "xmm7"
                "xmm8" "xmm9" "xmm10" "xmm11" "xmm12" "xmm13" "xmm14" "xmm15"
            );
        } else {
            chain!(
                [];
                ["[{keys} + 80]" "[{keys} + 96]" "[{keys} + 112]" "[{keys} + 128]" "[{keys} + 144]" "[{keys} + 160]"
                    "[{keys} + 176]" "[{keys} + 192]" "[{keys} + 208]"], "[{keys} + 224]";
                10: [], "[{keys} + 64]", [];
                12: [], "[{keys} + 32]", ["[{keys} + 48]" "[{keys} + 64]"];
                14: [], "[{keys}]", ["[{keys} + 16]" "[{keys} + 32]" "[{keys} + 48]" "[{keys} + 64]"];
                "xmm0" "xmm1" "xmm2"
            );
        }
    }
    true
}

/// As [`ecb_block`], in CFB or OFB. `iv`, which is what is encrypted, becomes what is fed back.
///
/// # Safety
/// As [`ecb_block`].
#[inline(always)]
pub(crate) unsafe fn fed_back_block(
    fed_back: Fed,
    keys: &RoundKeys,
    iv: &mut [u8; BLOCK],
    span: Span,
) -> bool {
    // Of two instructions, when `xmm0` has what was encrypted and `xmm1` the text.
    macro_rules! fed_back {
        ($first:literal, $second:literal) => {
            block!(
                "aesenc", "aesenclast", keys, span,
                ["movdqu xmm0, [{iv}]"], [],
                ["movdqu xmm1, [{from}]", $first, $second, "pxor xmm1, xmm1"],
                from = in(reg) span.src, iv = in(reg) iv, out("xmm1") _,
            )
        };
    }
    if WATCHED || span.len != BLOCK {
        return false;
    }
    // SAFETY: as above. In place, the block is read before it is written.
    unsafe {
        match fed_back {
            Fed::Output => fed_back!("pxor xmm0, xmm1", "movdqu [{iv}], xmm0"),
            Fed::Input => fed_back!("pxor xmm0, xmm1", "movdqu [{iv}], xmm1"),
            Fed::Keystream => fed_back!("movdqu [{iv}], xmm0", "pxor xmm0, xmm1"),
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
            ["movq xmm0, {low}", "movq xmm1, {high}", "punpcklqdq xmm0, xmm1"], [],
            ["movdqu xmm1, [{from}]", "pxor xmm0, xmm1", "pxor xmm1, xmm1"],
            low = in(reg) counter as u64, high = in(reg) (counter >> 64) as u64, from = in(reg) span.src, out("xmm1") _,
        );
    }
    true
}

/// As [`ecb_block`], in XTS; `keys` are those of the direction.
///
/// # Safety
/// As [`ecb_block`].
#[inline(always)]
pub(crate) unsafe fn xts_block<const DECRYPT: bool>(
    keys: &RoundKeys,
    tweak_keys: &RoundKeys,
    tweak: u128,
    span: Span,
) -> bool {
    macro_rules! with_tweak_key {
        ($instruction:literal, $at:literal, $state:literal) => {
            concat!($instruction, " ", $state, ", [{tweak_keys} + ", $at, "]\n")
        };
    }
    macro_rules! xts {
        ($round:literal, $last:literal) => {
            block!(
                $round, $last, keys, span,
                [
                    "movq xmm1, {low}",
                    "movq xmm0, {high}",
                    "punpcklqdq xmm1, xmm0",
                    rounds!(with_tweak_key, "{tweak_rounds}", "pxor", "aesenc", "xmm1"),
                    with_tweak_key!("aesenclast", 224, "xmm1"),
                    "movdqu xmm0, [{from}]"
                ],
                ["pxor xmm0, xmm1"],
                ["pxor xmm0, xmm1", "pxor xmm1, xmm1"],
                low = in(reg) tweak as u64, high = in(reg) (tweak >> 64) as u64, from = in(reg) span.src,
                tweak_keys = in(reg) &raw const tweak_keys.blocks, tweak_rounds = in(reg) tweak_keys.rounds,
                out("xmm1") _,
            )
        };
    }
    if WATCHED || span.len != BLOCK {
        return false;
    }
    // SAFETY: as above.
    unsafe {
        if DECRYPT {
            xts!("aesdec", "aesdeclast");
        } else {
            xts!("aesenc", "aesenclast");
        }
    }
    true
}
