//! Modes whose blocks do not wait for each other: ECB, and the decryption of CBC and CFB.

use core::arch::asm;

use super::{clear, lines, load, store, vectors, with_key};
use crate::{BLOCK, key::RoundKeys, span::Span, x86::rounds::rounds};

/// As [`crate::ecb::Ecb`].
///
/// # Safety
/// `span` is valid, of whole blocks, one at least, and no more than [`super::MOST`] bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,vaes")]
pub(in crate::x86) unsafe fn ecb<const DECRYPT: bool>(keys: &RoundKeys, span: Span) {
    macro_rules! ecb {
        ($round:literal $last:literal
         $([$at:literal $state:literal $_text:literal $_before:literal $size:ident])*) => {
            lines!(keys span: [
                $(load!($size $state, $at),)*
                rounds!(with_key, "{rounds}", "vpxord", $round, [$($state)*]),
                with_key!($last, 224, [$($state)*]),
                $(store!($size $state, $at),)*
                clear!($($state)*),
            ])
        };
    }
    // SAFETY: as the caller; of the last vector no more is touched than its blocks, and all is read before anything is written.
    unsafe {
        if DECRYPT {
            vectors!(span, ecb! "vaesdec" "vaesdeclast");
        } else {
            vectors!(span, ecb! "vaesenc" "vaesenclast");
        }
    }
}

/// Each block of ciphertext, and the one before it, `iv` before the first, in their registers.
macro_rules! texts {
    ($([$at:literal $state:literal $text:literal $before:literal $size:ident])*) => {
        concat!(
            $(load!($size $text, $at),)*
            "vbroadcasti32x4 zmm16, [{iv}]\n",
            $("valignq zmm", $state, ", zmm", $text, ", zmm", $before, ", 6\n",)*
        )
    };
}

/// The last round, to whose key `$added` is added for each vector, and its output.
macro_rules! outputs {
    ($last:literal; $([$at:literal $state:literal $added:literal $size:ident])*) => {
        concat!(
            "vbroadcasti32x4 zmm31, [{keys} + 224]\n",
            $(
                "vpxord zmm", $added, ", zmm", $added, ", zmm31\n",
                $last, " zmm", $state, ", zmm", $state, ", zmm", $added, "\n",
                store!($size $state, $at),
            )*
            clear!($($state $added)*),
        )
    };
}

/// As [`crate::cfb::CfbDecrypt`]. `iv` becomes the last block of ciphertext.
///
/// # Safety
/// As [`ecb`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,vaes")]
pub(in crate::x86) unsafe fn cfb_decrypt(keys: &RoundKeys, iv: &mut [u8; BLOCK], span: Span) {
    macro_rules! decrypt {
        ($([$at:literal $state:literal $text:literal $before:literal $size:ident])*) => {
            lines!(keys span: [
                texts!($([$at $state $text $before $size])*),
                rounds!(with_key, "{rounds}", "vpxord", "vaesenc", [$($state)*]),
                outputs!("vaesenclast"; $([$at $state $text $size])*),
            ] iv = in(reg) &raw const *iv,)
        };
    }
    // SAFETY: as the caller; of the last vector no more is touched than its blocks, and all is read before anything is written.
    unsafe {
        let next = span.last_block(iv);
        vectors!(span, decrypt!);
        *iv = next;
    }
}

/// As [`crate::cbc::CbcDecrypt`]. `iv` becomes the last block of ciphertext.
///
/// # Safety
/// As [`ecb`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,vaes")]
pub(in crate::x86) unsafe fn cbc_decrypt(keys: &RoundKeys, iv: &mut [u8; BLOCK], span: Span) {
    macro_rules! decrypt {
        // What changes places with its text is the block before, which the last round adds.
        ($([$at:literal $state:literal $text:literal $before:literal $size:ident])*) => {
            lines!(keys span: [
                texts!($([$at $state $text $before $size])*),
                rounds!(with_key, "{rounds}", "vpxord", "vaesdec", [$($text)*]),
                outputs!("vaesdeclast"; $([$at $text $state $size])*),
            ] iv = in(reg) &raw const *iv,)
        };
    }
    // SAFETY: as the caller; of the last vector no more is touched than its blocks, and all is read before anything is written.
    unsafe {
        let next = span.last_block(iv);
        vectors!(span, decrypt!);
        *iv = next;
    }
}
