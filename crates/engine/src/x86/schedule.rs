//! Key expansion (FIPS 197, §5.2) in vectors.

use core::arch::x86_64::*;

use crate::key::RoundKeys;

/// How SubWord comes about.
pub(super) trait Substitute {
    /// SubBytes of four equal words, and the addition of a round constant.
    ///
    /// # Safety
    /// The caller has the features that it needs.
    unsafe fn substituted(words: __m128i, constant: __m128i) -> __m128i;
}

/// By AESENCLAST: with the same word in all four columns ShiftRows changes nothing, so that one instruction gives
/// SubWord(w) ⊕ round constant in every column, a cycle or more ahead of AESKEYGENASSIST and the shuffle it needs.
struct ByAes;

impl Substitute for ByAes {
    #[inline(always)]
    unsafe fn substituted(words: __m128i, constant: __m128i) -> __m128i {
        // SAFETY: the caller has AES.
        unsafe { _mm_aesenclast_si128(words, constant) }
    }
}

/// Expands a key of 16, 24 or 32 bytes.
///
/// # Safety
/// The caller has AES and SSSE3.
#[inline(always)]
pub(crate) unsafe fn expand(into: &mut RoundKeys, key: &[u8]) {
    into.begin(key.len() / 4 + 6);
    let start = into.start();
    // SAFETY: `blocks` has 15 places, aligned as __m128i is, of which each size of key fills the last ones.
    unsafe { expand_to::<ByAes>(into.blocks.as_mut_ptr().add(start).cast(), key) }
}

/// The round keys of a key of 16, 24 or 32 bytes, one after the other.
///
/// # Safety
/// The caller has SSSE3, and what `S` needs; there is room for 11, 13 or 15 round keys.
#[inline(always)]
pub(super) unsafe fn expand_to<S: Substitute>(out: *mut __m128i, key: &[u8]) {
    // SAFETY: as the caller; `key` is as long as the arm that reads it says.
    unsafe {
        match key.len() {
            16 => expand_128::<S>(out, _mm_loadu_si128(key.as_ptr().cast())),
            24 => expand_192::<S>(
                out,
                _mm_loadu_si128(key.as_ptr().cast()),
                _mm_loadl_epi64(key.as_ptr().add(16).cast()),
            ),
            _ => expand_256::<S>(
                out,
                _mm_loadu_si128(key.as_ptr().cast()),
                _mm_loadu_si128(key.as_ptr().add(16).cast()),
            ),
        }
    }
}

/// Round constants (FIPS 197, table 5).
const RCON: [i32; 10] = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36];

#[inline(always)]
unsafe fn expand_128<S: Substitute>(out: *mut __m128i, mut key: __m128i) {
    // SAFETY: eleven places.
    unsafe {
        _mm_store_si128(out, key);
        for (i, rcon) in RCON.into_iter().enumerate() {
            key = _mm_xor_si128(running(key), rotated::<S>(key, rcon));
            _mm_store_si128(out.add(i + 1), key);
        }
    }
}

#[inline(always)]
unsafe fn expand_192<S: Substitute>(out: *mut __m128i, mut low: __m128i, mut high: __m128i) {
    // SAFETY: thirteen places. Each turn makes six words: one and a half round keys, the first
    // half of which completes the turn before. The eighth turn's last two words are not needed.
    unsafe {
        _mm_store_si128(out, low);
        let words = out.cast::<u8>();
        _mm_storel_epi64(words.add(16).cast(), high);
        for (i, rcon) in RCON.into_iter().take(8).enumerate() {
            // SubWord takes the last of the six words: the second of `high`.
            let last = _mm_shuffle_epi32(high, 0x55);
            low = _mm_xor_si128(running(low), rotated::<S>(last, rcon));
            let carried = _mm_shuffle_epi32(low, 0xff);
            high = _mm_xor_si128(_mm_xor_si128(high, _mm_slli_si128(high, 4)), carried);
            _mm_storeu_si128(words.add(24 * (i + 1)).cast(), low);
            if i < 7 {
                _mm_storel_epi64(words.add(24 * (i + 1) + 16).cast(), high);
            }
        }
    }
}

#[inline(always)]
unsafe fn expand_256<S: Substitute>(out: *mut __m128i, mut low: __m128i, mut high: __m128i) {
    // SAFETY: fifteen places.
    unsafe {
        _mm_store_si128(out, low);
        _mm_store_si128(out.add(1), high);
        for (i, rcon) in RCON.into_iter().take(7).enumerate() {
            low = _mm_xor_si128(running(low), rotated::<S>(high, rcon));
            _mm_store_si128(out.add(2 * i + 2), low);
            if i < 6 {
                let substituted = S::substituted(_mm_shuffle_epi32(low, 0xff), _mm_setzero_si128());
                high = _mm_xor_si128(running(high), substituted);
                _mm_store_si128(out.add(2 * i + 3), high);
            }
        }
    }
}

/// In each column the xor of it and all before it.
#[inline(always)]
unsafe fn running(words: __m128i) -> __m128i {
    // SAFETY: SSE2.
    unsafe {
        let pairs = _mm_xor_si128(words, _mm_slli_si128(words, 4));
        _mm_xor_si128(pairs, _mm_slli_si128(pairs, 8))
    }
}

/// SubWord(RotWord(last column)) ⊕ `rcon`, in every column.
#[inline(always)]
unsafe fn rotated<S: Substitute>(words: __m128i, rcon: i32) -> __m128i {
    // SAFETY: the caller has SSSE3, and what `S` needs.
    unsafe {
        let rotate = _mm_set1_epi32(0x0c0f_0e0d);
        S::substituted(_mm_shuffle_epi8(words, rotate), _mm_set1_epi32(rcon))
    }
}
