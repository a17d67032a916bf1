//! Calls that one to four vectors of 512 bits are enough for. Such a call takes as long as its instructions do. A kernel that the
//! compiler made is followed by 33 of these that clear all registers; this assembly clears those that had secrets. It takes the last
//! sixteen, which make no older instruction slow (and so need no VZEROUPPER), `zmm31` for round keys.

mod block;
mod ctr;
mod gcm;
mod xts;

pub(super) use block::{cbc_decrypt, cfb_decrypt, ecb};
pub(super) use ctr::{xor_fresh, xor_spare};
pub(super) use gcm::{gcm_message, gcm_part};
pub(super) use xts::xts;

/// The bytes that these take of ECB, CBC, CFB and XTS.
pub(super) const MOST: usize = 256;

/// The places of a block's bytes in reverse: how a number becomes the bytes of a block, in each lane.
const REVERSED: [u128; 4] = [0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f; 4];

/// For [`rounds`]: a key of `{keys}`, in every lane, and vectors by the numbers of their registers.
macro_rules! with_key {
    ($instruction:literal, $at:literal, [$($state:literal)*]) => {
        concat!(
            "vbroadcasti32x4 zmm31, [{keys} + ", $at, "]\n",
            $($instruction, " zmm", $state, ", zmm", $state, ", zmm31\n",)*
        )
    };
}

/// Lines that clear registers, and `zmm31`.
macro_rules! clear {
    ($($register:literal)*) => {
        concat!(
            $("vpxord xmm", $register, ", xmm", $register, ", xmm", $register, "\n",)*
            "vpxord xmm31, xmm31, xmm31",
        )
    };
}

/// `$call`, with `$argument` first, for the vectors that `$span` has, each by
/// - its place in the text,
/// - the registers of its state, of its text or what else belongs to it, and of the text before it (the first: its state's), and
/// - whether it is whole.
macro_rules! vectors {
    ($span:ident, $call:ident! $($argument:literal)*) => {
        match $span.len {
            ..64 => $call!($($argument)* [0 16 20 16 part]),
            64 => $call!($($argument)* [0 16 20 16 whole]),
            ..128 => $call!($($argument)* [0 16 20 16 whole] [64 17 21 20 part]),
            128 => $call!($($argument)* [0 16 20 16 whole] [64 17 21 20 whole]),
            ..192 => $call!($($argument)* [0 16 20 16 whole] [64 17 21 20 whole] [128 18 22 21 part]),
            192 => $call!($($argument)* [0 16 20 16 whole] [64 17 21 20 whole] [128 18 22 21 whole]),
            ..256 => $call!($($argument)* [0 16 20 16 whole] [64 17 21 20 whole] [128 18 22 21 whole] [192 19 23 22 part]),
            _ => $call!($($argument)* [0 16 20 16 whole] [64 17 21 20 whole] [128 18 22 21 whole] [192 19 23 22 whole]),
        }
    };
}

/// Lines that load a vector, or the blocks that there are of it: not by a mask, since then what others have stored is late, and
/// what a mask has stored is late for whoever reads it next.
macro_rules! load {
    (whole $register:literal, $at:literal) => {
        concat!("vmovdqu64 zmm", $register, ", [{from} + ", $at, "]\n")
    };
    (part $register:literal, $at:literal) => {
        concat!(
            "test {len:l}, 32\n",
            "jz 6f\n",
            "vmovdqu64 ymm", $register, ", [{from} + ", $at, "]\n",
            "test {len:l}, 16\n",
            "jz 7f\n",
            "vinserti32x4 zmm", $register, ", zmm", $register, ", [{from} + 32 + ", $at, "], 2\n",
            "jmp 7f\n",
            "6:\n",
            "vmovdqu64 xmm", $register, ", [{from} + ", $at, "]\n",
            "7:\n",
        )
    };
}

/// Lines that store a vector, or the blocks that there are of it.
macro_rules! store {
    (whole $register:literal, $at:literal) => {
        concat!("vmovdqu64 [{to} + ", $at, "], zmm", $register, "\n")
    };
    (part $register:literal, $at:literal) => {
        concat!(
            "test {len:l}, 32\n",
            "jz 6f\n",
            "vmovdqu64 [{to} + ", $at, "], ymm", $register, "\n",
            "test {len:l}, 16\n",
            "jz 7f\n",
            "vextracti32x4 [{to} + 32 + ", $at, "], zmm", $register, ", 2\n",
            "jmp 7f\n",
            "6:\n",
            "vmovdqu64 [{to} + ", $at, "], xmm", $register, "\n",
            "7:\n",
        )
    };
}

/// Assembly with what all of it takes.
macro_rules! lines {
    ($keys:ident $span:ident: [$($line:expr,)*] $($taken:tt)*) => {
        asm!(
            $($line,)*
            "/* {len} */",
            keys = in(reg) &raw const $keys.blocks,
            rounds = in(reg) $keys.rounds,
            from = in(reg) $span.src,
            to = in(reg) $span.dst,
            len = in(reg) $span.len,
            out("zmm16") _, out("zmm17") _, out("zmm18") _, out("zmm19") _,
            out("zmm20") _, out("zmm21") _, out("zmm22") _, out("zmm23") _, out("zmm31") _,
            options(nostack),
            $($taken)*
        )
    };
}

use {clear, lines, load, store, vectors, with_key};
