//! A block by itself, and a chain of some. After kernels that the compiler made, all vector registers are cleared, which takes
//! as long as some of the rounds; after this assembly, up to three.

use core::arch::asm;

use crate::{BLOCK, WATCHED, feedback::Fed, key::RoundKeys, span::Span};

/// A block to `span.dst`: what is `$before` the rounds, of which `xmm0` has the block, and what is `$after` them, with what
/// these take. It is cleared; they leave nothing that comes of a key, nor text, in another register.
macro_rules! block {
    ($round:literal, $last:literal, $keys:ident, $span:ident, [$($before:literal),*], [$($after:literal),*], $($taken:tt)*) => {
        asm!(
            $($before,)*
            "cmp {rounds}, 12",
            "ja 2f",
            "je 3f",
            "pxor xmm0, [{keys} + 64]",
            "jmp 5f",
            "2:",
            "pxor xmm0, [{keys}]",
            concat!($round, " xmm0, [{keys} + 16]"),
            concat!($round, " xmm0, [{keys} + 32]"),
            "jmp 4f",
            "3:",
            "pxor xmm0, [{keys} + 32]",
            "4:",
            concat!($round, " xmm0, [{keys} + 48]"),
            concat!($round, " xmm0, [{keys} + 64]"),
            "5:",
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

/// As [`ecb_block`], in CBC. `iv` becomes the last block of ciphertext. Encryption takes some blocks so, each of which
/// waits for the one before it in any case.
///
/// # Safety
/// As [`ecb_block`]; whole blocks.
#[inline(always)]
pub(crate) unsafe fn cbc_block<const DECRYPT: bool>(
    keys: &RoundKeys,
    iv: &mut [u8; BLOCK],
    span: Span,
) -> bool {
    let is_taken = if DECRYPT {
        span.len == BLOCK
    } else {
        (1..=CHAIN).contains(&span.len)
    };
    if WATCHED || !is_taken {
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
            cbc_chain(keys, iv, span);
        }
    }
    true
}

/// Bytes up to which the instructions that [`cbc_chain`] saves count: the processor sees so far ahead that the next message's
/// chain begins beside this one's end.
const CHAIN: usize = 32 * BLOCK;

/// CBC encryption, by a loop for each size of key: with the keys in memory, three registers are to be cleared.
///
/// The next block and its first key are added by the last round, on its way: an addition of its own costs a cycle, and on
/// Intel's processors two more, since what AES's unit makes reaches another and comes back late. What goes out has both taken
/// off again, for which nothing waits.
///
/// # Safety
/// The caller has AES; `src` and `dst` are valid for `len` bytes, whole blocks and at least one.
#[inline(always)]
unsafe fn cbc_chain(keys: &RoundKeys, iv: &mut [u8; BLOCK], span: Span) {
    // `first` and on: how far in the schedule the keys are of a key with so many rounds.
    macro_rules! blocks {
        ($block:literal, $last:literal, $first:literal, $($key:literal)*) => {
            concat!(
                "movdqu xmm0, [{from} + {at}]\n",
                "pxor xmm0, [{keys} + ", $first, "]\n",
                "pxor xmm0, xmm1\n",
                "add {at}, 16\n",
                "jz ", $last, "f\n",
                $block, ":\n",
                "movdqu xmm1, [{from} + {at}]\n",
                "pxor xmm1, [{keys} + ", $first, "]\n",
                "movdqa xmm2, [{keys} + 224]\n",
                "pxor xmm2, xmm1\n",
                $("aesenc xmm0, [{keys} + ", $key, "]\n",)*
                "aesenclast xmm0, xmm2\n",
                "pxor xmm1, xmm0\n",
                "movdqu [{to} + {at} - 16], xmm1\n",
                "add {at}, 16\n",
                "jnz ", $block, "b\n",
                $last, ":\n",
                $("aesenc xmm0, [{keys} + ", $key, "]\n",)*
            )
        };
    }
    // SAFETY: as the caller; keys are aligned. In place, a block is read before the one before it is written.
    unsafe {
        asm!(
            "movdqu xmm1, [{iv}]",
            "cmp {rounds}, 12",
            "ja 4f",
            "je 3f",
            blocks!("2", "6", 64, 80 96 112 128 144 160 176 192 208),
            "jmp 5f",
            "3:",
            blocks!("7", "8", 32, 48 64 80 96 112 128 144 160 176 192 208),
            "jmp 5f",
            "4:",
            blocks!("9", "20", 0, 16 32 48 64 80 96 112 128 144 160 176 192 208),
            "5:",
            "aesenclast xmm0, [{keys} + 224]",
            "movdqu [{to} - 16], xmm0",
            "movdqu [{iv}], xmm0",
            "pxor xmm0, xmm0",
            "pxor xmm1, xmm1",
            "pxor xmm2, xmm2",
            iv = in(reg) iv,
            rounds = in(reg) keys.rounds,
            keys = in(reg) &raw const keys.blocks,
            from = in(reg) span.src.wrapping_add(span.len),
            to = in(reg) span.dst.wrapping_add(span.len),
            at = inout(reg) span.len.wrapping_neg() => _,
            out("xmm0") _,
            out("xmm1") _,
            out("xmm2") _,
            options(nostack),
        );
    }
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
                ["movdqu xmm0, [{iv}]"],
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
            ["movq xmm0, {low}", "movq xmm1, {high}", "punpcklqdq xmm0, xmm1"],
            ["movdqu xmm1, [{from}]", "pxor xmm0, xmm1", "pxor xmm1, xmm1"],
            low = in(reg) counter as u64, high = in(reg) (counter >> 64) as u64, from = in(reg) span.src, out("xmm1") _,
        );
    }
    true
}
