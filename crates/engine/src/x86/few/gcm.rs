//! GCM: a message, or a part of one. As [`crate::gcm::vector`], in two vectors at most.

use core::{arch::asm, mem::offset_of};

use super::{REVERSED, clear, with_key};
use crate::{
    BLOCK, GcmMessage,
    gcm::{Vector, vector::blocks},
    ghash::{POLYNOMIAL, Powers},
    span::Span,
    x86::{
        rounds::rounds,
        xmm::{HIGH, LOW},
        zmm::first,
    },
};

/// What both take besides counters, next to those, so that one register has the address of all.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Hash {
    /// How the lower and the upper half of a block become numbers, with zeros above.
    low: [[i64; 2]; 4],
    high: [[i64; 2]; 4],
    polynomial: [u128; 4],
    /// How a number becomes the bytes of a block, and a hash those that GCM has.
    reversed: [u128; 4],
}

const HASH: Hash = Hash {
    low: [[LOW, -1]; 4],
    high: [[HIGH, -1]; 4],
    polynomial: [POLYNOMIAL; 4],
    reversed: REVERSED,
};

/// For a message whose text has a certain number of blocks: counter blocks without their nonce, those of the text and J₀ behind them.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Message {
    hash: Hash,
    /// The first vector, where there is another one, and the last.
    counters: [[u128; 4]; 2],
    /// Which halves of the last vector are J₀'s block.
    first: [u64; 2],
    /// A mask that has the first of these alone.
    lengths: u16,
}

static MESSAGES: [Message; 8] = {
    let mut messages = [Message {
        hash: HASH,
        counters: [[counter(2), counter(3), counter(4), counter(5)], [0; 4]],
        first: [0; 2],
        lengths: 0,
    }; 8];
    let mut blocks = 0;
    while blocks < 8 {
        let message = &mut messages[blocks];
        let (before, place) = (blocks / 4 * 4, blocks % 4);
        let mut i = 0;
        while i < place {
            message.counters[1][i] = counter((2 + before + i) as u128);
            i += 1;
        }
        message.counters[1][place] = counter(1);
        message.first = halves(place);
        message.lengths = 1 << (2 * place);
        blocks += 1;
    }
    messages
};

/// For a part with so many blocks in its last vector, modulo four.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Part {
    hash: Hash,
    /// What is added to a block, as the number that it is, in each lane.
    lanes: [u128; 8],
    /// Which halves of the last vector are the block that it begins.
    begun: [u64; 2],
}

static PARTS: [Part; 4] = {
    let mut parts = [Part {
        hash: HASH,
        lanes: [0, 1, 2, 3, 4, 5, 6, 7],
        begun: [0; 2],
    }; 4];
    let mut place = 0;
    while place < 4 {
        parts[place].begun = halves(place);
        place += 1;
    }
    parts
};

/// Which halves of a vector are its block of that number.
const fn halves(block: usize) -> [u64; 2] {
    [2 * block as u64, 2 * block as u64 + 1]
}

/// The last byte of a counter block, which has its bytes in the order of memory.
const fn counter(n: u128) -> u128 {
    n << 120
}

/// The products of a vector's blocks with the powers from `$powers` on, counted from their end, and `$at` bytes behind, in registers
/// of these numbers: of the lower halves, of the upper ones, and of their sums. Between, what `$fills` halves that are zero.
macro_rules! products {
    ($vector:literal, $powers:literal, $at:literal, $low:literal $high:literal $both:literal $(, $fills:expr)?) => {
        concat!(
            "vpshufb zmm", $low, ", zmm", $vector, ", [{tables} + {low}]\n",
            "vpshufb zmm", $high, ", zmm", $vector, ", [{tables} + {high}]\n",
            $($fills,)?
            "vpxord zmm", $both, ", zmm", $low, ", zmm", $high, "\n",
            "vpclmulqdq zmm", $low, ", zmm", $low, ", [{keys} + ", $powers, " + {powers} + ", $at, "], 0x00\n",
            "vpclmulqdq zmm", $high, ", zmm", $high, ", [{keys} + ", $powers, " + {powers} + {slots} + ", $at, "], 0x00\n",
            "vpclmulqdq zmm", $both, ", zmm", $both, ", [{keys} + ", $powers, " + {powers} + 2 * {slots} + ", $at, "], 0x00\n",
        )
    };
}

/// [`products`] of a vector of the text, added to those in `zmm24` to `zmm26`.
macro_rules! absorbed {
    ($vector:literal, $at:literal $(, $fills:expr)?) => {
        concat!(
            products!($vector, "{at}", $at, 27 28 31 $(, $fills)?),
            "vpxord zmm24, zmm24, zmm27\n",
            "vpxord zmm25, zmm25, zmm28\n",
            "vpxord zmm26, zmm26, zmm31\n",
        )
    };
}

/// The hash that the sums of products in `zmm24` to `zmm26` are, in `xmm24`.
macro_rules! reduced {
    () => {
        concat!(
            "vpternlogq zmm26, zmm24, zmm25, 0x96\n",
            "vpclmulqdq zmm27, zmm24, [{tables} + {polynomial}], 0x00\n",
            "vpshufd zmm24, zmm24, 0x4e\n",
            "vpternlogq zmm26, zmm24, zmm27, 0x96\n",
            "vpclmulqdq zmm27, zmm26, [{tables} + {polynomial}], 0x00\n",
            "vpshufd zmm26, zmm26, 0x4e\n",
            "vpternlogq zmm25, zmm26, zmm27, 0x96\n",
            "vextracti64x4 ymm24, zmm25, 1\n",
            "vpxord ymm24, ymm24, ymm25\n",
            "vextracti32x4 xmm25, ymm24, 1\n",
            "vpxord xmm24, xmm24, xmm25\n",
            "vpshufb xmm24, xmm24, [{tables} + {reversed}]\n",
        )
    };
}

/// Adds keystream to a vector of the text, and leaves the ciphertext in its register: of the last one the bytes that `{mask}` has;
/// where there are `none`, zeros.
macro_rules! text {
    (SEAL whole $state:literal $text:literal $at:literal) => {
        concat!(
            "vpxord zmm", $text, ", zmm", $state, ", [{from} + ", $at, "]\n",
            "vmovdqu64 [{to} + ", $at, "], zmm", $text, "\n",
        )
    };
    (SEAL last $state:literal $text:literal $at:literal) => {
        concat!(
            "vmovdqu8 zmm", $text, " {{{mask}}} {{z}}, [{from} + ", $at, "]\n",
            "vpxord zmm", $text, ", zmm", $text, ", zmm", $state, "\n",
            "vmovdqu8 [{to} + ", $at, "] {{{mask}}}, zmm", $text, "\n",
            "vmovdqu8 zmm", $text, " {{{mask}}} {{z}}, zmm", $text, "\n",
        )
    };
    ($way:ident none $state:literal $text:literal $at:literal) => {
        concat!("vpxord xmm", $text, ", xmm", $text, ", xmm", $text, "\n")
    };
    (OPEN whole $state:literal $text:literal $at:literal) => {
        concat!(
            "vmovdqu64 zmm", $text, ", [{from} + ", $at, "]\n",
            "vpxord zmm31, zmm", $text, ", zmm", $state, "\n",
            "vmovdqu64 [{to} + ", $at, "], zmm31\n",
        )
    };
    (OPEN last $state:literal $text:literal $at:literal) => {
        concat!(
            "vmovdqu8 zmm", $text, " {{{mask}}} {{z}}, [{from} + ", $at, "]\n",
            "vpxord zmm31, zmm", $text, ", zmm", $state, "\n",
            "vmovdqu8 [{to} + ", $at, "] {{{mask}}}, zmm31\n",
        )
    };
}

/// [`with_key`] takes the address of the whole key for that of its round keys.
const _: () = assert!(offset_of!(Vector, keys.blocks) == 0);

/// For both: the tables' parts, where powers are, and what registers it takes besides its own.
macro_rules! assembly {
    ([$($line:expr,)*] $($taken:tt)*) => {
        asm!(
            $($line,)*
            low = const offset_of!(Hash, low),
            high = const offset_of!(Hash, high),
            polynomial = const offset_of!(Hash, polynomial),
            reversed = const offset_of!(Hash, reversed),
            rounds = const offset_of!(Vector, keys.rounds),
            powers = const offset_of!(Vector, powers) + Powers::END,
            slots = const Powers::PART,
            out("zmm16") _, out("zmm17") _, out("zmm20") _, out("zmm21") _, out("zmm24") _, out("zmm25") _, out("zmm26") _,
            out("zmm27") _, out("zmm28") _, out("zmm31") _,
            options(nostack),
            $($taken)*
        )
    };
}

/// Seals or opens a message, as [`crate::gcm::vector::short`], and answers the tag that belongs to it.
///
/// # Safety
/// `text` is valid, and not empty; with the tag's block it fits two vectors, and `aad` fits one; the key has powers for all of it.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,vaes,vpclmulqdq,bmi2")]
pub(in crate::x86) unsafe fn gcm_message<const SEAL: bool>(
    key: &Vector,
    nonce: &[u8; 12],
    aad: &[u8],
    text: Span,
) -> u128 {
    let blocks = blocks(text.len);
    let at = (BLOCK * (blocks + 1)).wrapping_neg();
    let (low, high): (u64, u64);
    macro_rules! message {
        // A vector before the last one, if there is one; the last one, which has the lengths; and where the one begins that the text
        // ends in.
        ($way:ident $([$kind:ident $before:literal $before_text:literal])? $end:ident $last:literal $text:literal $at:literal, $part:literal) => {
            assembly!(
                [
                    // By words: its last ones are often written just before.
                    "vmovd xmm16, [{nonce}]",
                    "vmovd xmm24, [{nonce} + 4]",
                    "vmovd xmm25, [{nonce} + 8]",
                    "vpunpckldq xmm16, xmm16, xmm24",
                    "vpunpcklqdq xmm16, xmm16, xmm25",
                    "vshufi32x4 zmm16, zmm16, zmm16, 0",
                    // The last one's register is what both are made of.
                    $(concat!("vpxord zmm", $before, ", zmm16, [{tables} + {counters}]"),)?
                    concat!("vpxord zmm", $last, ", zmm16, [{tables} + {counters} + 64]"),
                    rounds!(with_key, "qword ptr [{keys} + {rounds}]", "vpxord", "vaesenc", [$($before)? $last]),
                    with_key!("vaesenclast", 224, [$($before)? $last]),
                    "test {aad_len}, {aad_len}",
                    "jz 6f",
                    "lea {nonce}, [{aad_len} + 15]",
                    "and {nonce}, -16",
                    "neg {nonce}",
                    "add {nonce}, {at}",
                    "vmovdqu8 zmm27 {{{aad_mask}}} {{z}}, [{aad}]",
                    products!(27, "{nonce}", 0, 24 25 26),
                    "jmp 7f",
                    "6:",
                    "vpxord xmm24, xmm24, xmm24",
                    "vpxord xmm25, xmm25, xmm25",
                    "vpxord xmm26, xmm26, xmm26",
                    "7:",
                    $(
                        text!($way $kind $before $before_text 0),
                        absorbed!($before_text, 0),
                    )?
                    text!($way $end $last $text $at),
                    // Behind the text comes the block of lengths, in bits.
                    "shl {len}, 3",
                    "shl {aad_len}, 3",
                    "kmovw k1, [{tables} + {lengths}]",
                    absorbed!($text, $at, concat!(
                        "vpbroadcastq zmm27 {{k1}}, {len}\n",
                        "vpbroadcastq zmm28 {{k1}}, {aad_len}\n",
                    )),
                    reduced!(),
                    "vmovdqu64 xmm27, [{tables} + {first}]",
                    concat!("vpermq zmm27, zmm27, zmm", $last),
                    "vpxord xmm24, xmm24, xmm27",
                    "vmovq {len}, xmm24",
                    "vpunpckhqdq xmm24, xmm24, xmm24",
                    "vmovq {aad_len}, xmm24",
                    clear!($($before)? $last 24 25 26 27 28),
                ]
                keys = in(reg) key,
                nonce = inout(reg) nonce => _,
                aad = in(reg) aad.as_ptr(),
                aad_mask = in(kreg) first(aad.len()),
                aad_len = inout(reg) aad.len() => high,
                from = in(reg) text.src,
                to = in(reg) text.dst,
                mask = in(kreg) first(text.len - $part),
                len = inout(reg) text.len => low,
                at = in(reg) at,
                tables = in(reg) &raw const MESSAGES[blocks],
                counters = const offset_of!(Message, counters),
                first = const offset_of!(Message, first),
                lengths = const offset_of!(Message, lengths),
                out("k1") _,
            )
        };
    }
    // SAFETY: as the caller; powers have zeros behind them, and bytes that a mask leaves out are not touched.
    unsafe {
        match (SEAL, text.len) {
            (true, ..=48) => message!(SEAL last 16 20 0, 0),
            (true, ..=64) => message!(SEAL [last 17 20] none 16 21 64, 0),
            (true, _) => message!(SEAL [whole 17 20] last 16 21 64, 64),
            (false, ..=48) => message!(OPEN last 16 20 0, 0),
            (false, ..=64) => message!(OPEN [last 17 20] none 16 21 64, 0),
            (false, _) => message!(OPEN [whole 17 20] last 16 21 64, 64),
        }
    }
    u128::from(low) | u128::from(high) << 64
}

/// Encrypts or decrypts a part of a message, as [`crate::gcm::vector::part`].
///
/// # Safety
/// `text` is valid, and has a block at least and no more than two vectors; the key has powers for its blocks, and one more where a
/// block is open.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,vaes,vpclmulqdq,bmi2")]
pub(in crate::x86) unsafe fn gcm_part<const SEAL: bool>(key: &Vector, message: &mut GcmMessage, text: Span) {
    let blocks = text.len / BLOCK;
    let at = (BLOCK * blocks).wrapping_neg();
    // What the hash so far is multiplied by: what the first block is, to which it is added, or one more.
    let hash_at = at.wrapping_sub(BLOCK * usize::from(message.open));
    let counter = 1 + (message.text_len / BLOCK as u64) as u32;
    macro_rules! part {
        ($way:ident $([$whole:literal $whole_text:literal])? $last:literal $text:literal $at:literal) => {
            assembly!(
                [
                    // By halves, as they may just have been written.
                    "vmovq xmm16, [{message} + {first}]",
                    "vmovq xmm24, [{message} + {first} + 8]",
                    "vpunpcklqdq xmm16, xmm16, xmm24",
                    "vmovd xmm24, {counter:e}",
                    "vpaddd xmm16, xmm16, xmm24",
                    "vshufi32x4 zmm16, zmm16, zmm16, 0",
                    $(
                        concat!("vpaddd zmm", $whole, ", zmm16, [{tables} + {lanes}]"),
                        concat!("vpshufb zmm", $whole, ", zmm", $whole, ", [{tables} + {reversed}]"),
                    )?
                    concat!("vpaddd zmm", $last, ", zmm16, [{tables} + {lanes} + ", $at, "]"),
                    concat!("vpshufb zmm", $last, ", zmm", $last, ", [{tables} + {reversed}]"),
                    rounds!(with_key, "qword ptr [{keys} + {rounds}]", "vpxord", "vaesenc", [$($whole)? $last]),
                    with_key!("vaesenclast", 224, [$($whole)? $last]),
                    "vmovq xmm27, [{message} + {hash}]",
                    "vmovq xmm24, [{message} + {hash} + 8]",
                    "vpunpcklqdq xmm27, xmm27, xmm24",
                    products!(27, "{hash_at}", 0, 24 25 26),
                    $(
                        text!($way whole $whole $whole_text 0),
                        absorbed!($whole_text, 0),
                    )?
                    text!($way last $last $text $at),
                    absorbed!($text, $at),
                    reduced!(),
                    "vpxord xmm28, xmm28, xmm28",
                    "test {len:e}, 15",
                    "jz 6f",
                    // The block that was begun is not multiplied yet, and has keystream left.
                    "vmovdqu64 xmm27, [{tables} + {begun}]",
                    concat!("vpermq zmm28, zmm27, zmm", $text),
                    "vpxord xmm24, xmm24, xmm28",
                    concat!("vpermq zmm28, zmm27, zmm", $last),
                    "6:",
                    "vmovdqu64 [{message} + {hash}], xmm24",
                    "vmovdqu64 [{message} + {keystream}], xmm28",
                    clear!($($whole)? $last 24 25 26 27 28),
                ]
                keys = in(reg) key,
                message = in(reg) &raw mut *message,
                first = const offset_of!(GcmMessage, first),
                hash = const offset_of!(GcmMessage, hash),
                keystream = const offset_of!(GcmMessage, keystream),
                counter = in(reg) counter,
                hash_at = in(reg) hash_at,
                from = in(reg) text.src,
                to = in(reg) text.dst,
                len = in(reg) text.len,
                mask = in(kreg) first(text.len - $at),
                at = in(reg) at,
                tables = in(reg) &raw const PARTS[blocks % 4],
                lanes = const offset_of!(Part, lanes),
                begun = const offset_of!(Part, begun),
            )
        };
    }
    // SAFETY: as above.
    unsafe {
        match (SEAL, text.len <= 64) {
            (true, true) => part!(SEAL 16 20 0),
            (true, false) => part!(SEAL [17 20] 16 21 64),
            (false, true) => part!(OPEN 16 20 0),
            (false, false) => part!(OPEN [17 20] 16 21 64),
        }
    }
    message.open = !text.len.is_multiple_of(BLOCK);
    message.text_len += text.len as u64;
}
