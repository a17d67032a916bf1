//! Key expansion (FIPS 197, §5.2) with AES instructions.
//!
//! SubWord comes from AESE: with the same word in all four columns ShiftRows changes nothing.

use core::arch::aarch64::*;

use crate::key::RoundKeys;

/// Expands a key of 16, 24 or 32 bytes.
///
/// # Safety
/// The caller has AES.
#[inline(always)]
pub(crate) unsafe fn expand(into: &mut RoundKeys, key: &[u8]) {
    into.begin(key.len() / 4 + 6);
    let start = into.start();
    // SAFETY: `blocks` has 15 places, of which each size of key fills the last ones; `key` is as long as the arm that
    // reads it says.
    unsafe {
        let out = into.blocks.as_mut_ptr().add(start).cast::<u32>();
        match key.len() {
            16 => expand_128(out, load(key)),
            24 => expand_192(out, load(key), vld1_u32(key.as_ptr().add(16).cast())),
            _ => expand_256(out, load(key), load(&key[16..])),
        }
    }
}

/// Round constants (FIPS 197, table 5).
const RCON: [u32; 10] = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36];

#[inline(always)]
unsafe fn load(key: &[u8]) -> uint32x4_t {
    // SAFETY: the caller's key has 16 bytes left.
    unsafe { vreinterpretq_u32_u8(vld1q_u8(key.as_ptr())) }
}

#[inline(always)]
unsafe fn expand_128(out: *mut u32, mut key: uint32x4_t) {
    // SAFETY: eleven places.
    unsafe {
        vst1q_u32(out, key);
        for (i, rcon) in RCON.into_iter().enumerate() {
            key = veorq_u32(running(key), rotated(key, rcon));
            vst1q_u32(out.add(4 * (i + 1)), key);
        }
    }
}

#[inline(always)]
unsafe fn expand_192(out: *mut u32, mut low: uint32x4_t, mut high: uint32x2_t) {
    // SAFETY: thirteen places. Each turn makes six words: one and a half round keys, the first half of which completes
    // the turn before. The eighth turn's last two words are not needed.
    unsafe {
        vst1q_u32(out, low);
        vst1_u32(out.add(4), high);
        for (i, rcon) in RCON.into_iter().take(8).enumerate() {
            // SubWord takes the last of the six words: the second of `high`.
            let last = vdupq_lane_u32::<1>(high);
            low = veorq_u32(running(low), rotated(last, rcon));
            let carried = vdup_laneq_u32::<3>(low);
            let shifted = vext_u32::<1>(vdup_n_u32(0), high);
            high = veor_u32(veor_u32(high, shifted), carried);
            vst1q_u32(out.add(6 * (i + 1)), low);
            if i < 7 {
                vst1_u32(out.add(6 * (i + 1) + 4), high);
            }
        }
    }
}

#[inline(always)]
unsafe fn expand_256(out: *mut u32, mut low: uint32x4_t, mut high: uint32x4_t) {
    // SAFETY: fifteen places.
    unsafe {
        vst1q_u32(out, low);
        vst1q_u32(out.add(4), high);
        for (i, rcon) in RCON.into_iter().take(7).enumerate() {
            low = veorq_u32(running(low), rotated(high, rcon));
            vst1q_u32(out.add(8 * i + 8), low);
            if i < 6 {
                let last = vdupq_laneq_u32::<3>(low);
                high = veorq_u32(running(high), substituted(vreinterpretq_u8_u32(last)));
                vst1q_u32(out.add(8 * i + 12), high);
            }
        }
    }
}

/// In each column the xor of it and all before it.
#[inline(always)]
unsafe fn running(words: uint32x4_t) -> uint32x4_t {
    // SAFETY: NEON, here and below where no other feature is named.
    unsafe {
        let zero = vdupq_n_u32(0);
        let pairs = veorq_u32(words, vextq_u32::<3>(zero, words));
        veorq_u32(pairs, vextq_u32::<2>(zero, pairs))
    }
}

/// SubWord(RotWord(last column)) ⊕ `rcon`, in every column.
#[inline(always)]
unsafe fn rotated(words: uint32x4_t, rcon: u32) -> uint32x4_t {
    // SAFETY: the caller has AES.
    unsafe {
        let rotate = vreinterpretq_u8_u32(vdupq_n_u32(0x0c0f_0e0d));
        let last = vqtbl1q_u8(vreinterpretq_u8_u32(words), rotate);
        veorq_u32(substituted(last), vdupq_n_u32(rcon))
    }
}

/// SubWord of a word that stands in every column.
#[inline(always)]
unsafe fn substituted(word: uint8x16_t) -> uint32x4_t {
    // SAFETY: the caller has AES.
    unsafe { vreinterpretq_u32_u8(vaeseq_u8(word, vdupq_n_u8(0))) }
}
