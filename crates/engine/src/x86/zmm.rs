//! VAES on AVX-512: four blocks a vector.

use core::arch::{asm, x86_64::*};

use crate::{
    BLOCK, GcmMessage, WATCHED,
    cfb8::vector::Windows,
    cpu,
    entry::{entries, gcm::gcm},
    few::Few,
    gcm::Vector,
    ghash::{Powers, Sum},
    key::RoundKeys,
    keystream::SPARE,
    lanes::{Lanes, Multiply},
    rounds::{Beside, Resident},
    span::Span,
    squares::{InSquares, Square},
    x86::{
        clear_high, clear_low, few,
        xmm::{ALPHA_128, HIGH, LOW, Xmm, half, prefetch, reflection, swap_counter, turn_nonce},
        ymm::{Ymm, one_block},
    },
    xts::InRegisters,
};

#[derive(Clone, Copy)]
pub(crate) struct Zmm(__m512i);

entries!(
    Zmm,
    "aes,vaes,avx512f,avx512bw,avx512vl,avx512vbmi,pclmulqdq,vpclmulqdq,bmi2",
    [
        cpu::AES,
        cpu::VAES,
        cpu::AVX512F,
        cpu::AVX512BW,
        cpu::AVX512VL,
        cpu::AVX512VBMI,
        cpu::PCLMULQDQ,
        cpu::VPCLMULQDQ,
        cpu::BMI2
    ],
    clear,
    VAES512 = "vaes512",
    VAES512_R2 = "vaes512-r2"
);

gcm!(
    Zmm,
    "aes,vaes,avx512f,avx512bw,avx512vl,avx512vbmi,pclmulqdq,vpclmulqdq,bmi2",
    clear,
    SPILLED,
    one_block
);

/// For [`gcm!`]: round keys are held in registers, as far as there are any. Builds for one processor schedule as it likes,
/// and spill where others do not.
const SPILLED: [usize; 2] = match cfg!(target_feature = "avx512vl") {
    true => [768, 1152],
    false => [0, 640],
};

/// Clears the vector registers.
#[inline(always)]
pub(super) unsafe fn clear() {
    // SAFETY: the caller has AVX-512VL.
    unsafe {
        clear_high();
        clear_low();
    }
}

/// Where the bytes of [`Lanes::join`] are, from that at its beginning on, as VPERMB takes it: modulo 64, in one vector or the
/// other. VPERMI2B would take both at once, but Intel's processors make three operations of it.
pub(super) static PLACES: [u8; 128] = {
    let mut places = [0; 128];
    let mut i = 0;
    while i < places.len() {
        places[i] = i as u8;
        i += 1;
    }
    places
};

/// The mask that selects the first `n` of 64 bytes; `n` ≤ 64.
#[inline(always)]
pub(super) unsafe fn first(n: usize) -> u64 {
    // SAFETY: the caller has BMI2.
    unsafe { _bzhi_u64(u64::MAX, n as u32) }
}

impl Lanes for Zmm {
    type Keys = Resident<Self>;
    type WideKeys = Beside;
    type Tweaks = InRegisters<Self>;
    type LongTweaks = InRegisters<Self>;
    type Many = InSquares;
    const BLOCKS: usize = 4;
    const WIDE: usize = 16;
    const FEW_REGISTERS: bool = false;

    #[inline(always)]
    unsafe fn splat(block: u128) -> Self {
        // SAFETY: the caller has AVX-512F.
        unsafe {
            let block = _mm_set_epi64x((block >> 64) as i64, block as i64);
            Self(_mm512_broadcast_i32x4(block))
        }
    }

    #[inline(always)]
    unsafe fn broadcast(from: *const u128) -> Self {
        // SAFETY: the caller has AVX-512F; `from` is valid.
        unsafe { Self(_mm512_broadcast_i32x4(_mm_load_si128(from.cast()))) }
    }

    /// By halves: Zen 5 broadcasts eight bytes on their way from memory, sixteen in a port that AES wants.
    #[inline(always)]
    unsafe fn broadcast_beside(from: *const u128) -> Self {
        // SAFETY: the caller has AVX-512F; `from` is valid.
        unsafe {
            let from = from.cast::<i64>();
            let low = Self(_mm512_set1_epi64(*from)).pin();
            let high = Self(_mm512_set1_epi64(*from.add(1))).pin();
            Self(_mm512_unpacklo_epi64(low.0, high.0))
        }
    }

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller's 64 bytes.
        unsafe { Self(_mm512_loadu_si512(from.cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller's 64 bytes.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn store_past_caches(self, to: *mut u8) {
        // SAFETY: the caller's 64 bytes, aligned; the caller fences.
        unsafe { _mm512_stream_si512(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn fence() {
        // SAFETY: SSE is part of x86-64.
        unsafe { _mm_sfence() }
    }

    #[inline(always)]
    fn prefetch(line: *const u8) {
        prefetch(line);
    }

    #[inline(always)]
    unsafe fn load_first(from: *const u8, n: usize) -> Self {
        // SAFETY: masked-out bytes are not touched; the rest are the caller's `n`.
        unsafe { Self(_mm512_maskz_loadu_epi8(first(n), from.cast())) }
    }

    /// What a masked store has written is late for whoever reads it next.
    #[inline(always)]
    unsafe fn store_first(self, to: *mut u8, n: usize) {
        if n == Self::BYTES {
            // SAFETY: the caller's `n`.
            return unsafe { self.store(to) };
        }
        // SAFETY: masked-out bytes are not touched; the rest are the caller's `n`.
        unsafe { _mm512_mask_storeu_epi8(to.cast(), first(n), self.0) }
    }

    const MASKS: bool = true;

    #[inline(always)]
    unsafe fn join(before: Self, next: Self, at: usize) -> Self {
        if cfg!(miri) {
            // SAFETY: `at` is at most 64: of what the two have from there on 64 bytes are left.
            return unsafe { Self::load([before, next].as_ptr().cast::<u8>().add(at)) };
        }
        // SAFETY: the caller has AVX-512VBMI; `at` is at most 64, where the last 64 places begin.
        unsafe {
            let places = _mm512_loadu_si512(PLACES.as_ptr().add(at).cast());
            let turned = |vector: Self| _mm512_permutexvar_epi8(places, vector.0);
            Self(_mm512_mask_blend_epi8(
                first(Self::BYTES - at),
                turned(next),
                turned(before),
            ))
        }
    }

    #[inline(always)]
    unsafe fn pin(self) -> Self {
        if WATCHED {
            return self;
        }
        /// Apart, because a zmm operand is accepted only in a function that names the feature.
        #[inline]
        #[target_feature(enable = "avx512f")]
        fn pin(mut vector: __m512i) -> __m512i {
            // SAFETY: the instruction sequence is empty.
            unsafe { asm!("/* {0} */", inout(zmm_reg) vector, options(nomem, nostack, preserves_flags)) };
            vector
        }
        // SAFETY: the caller has AVX-512F.
        unsafe { Self(pin(self.0)) }
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: the caller has AVX-512F.
        unsafe { Self(_mm512_xor_si512(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn round(self, key: Self) -> Self {
        // SAFETY: the caller has VAES.
        unsafe { Self(_mm512_aesenc_epi128(self.0, key.0)) }
    }

    #[inline(always)]
    unsafe fn last_round(self, key: Self) -> Self {
        // SAFETY: the caller has VAES.
        unsafe { Self(_mm512_aesenclast_epi128(self.0, key.0)) }
    }

    #[inline(always)]
    unsafe fn of_numbers(self) -> Self {
        // SAFETY: the caller has AVX-512BW.
        unsafe { Self(_mm512_shuffle_epi8(self.0, _mm512_broadcast_i32x4(turn_nonce()))) }
    }

    #[inline(always)]
    unsafe fn in_lanes(self) -> Self {
        // SAFETY: the caller has AVX-512F.
        unsafe {
            let lane = _mm512_set_epi32(3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0);
            Self(_mm512_add_epi32(self.0, lane))
        }
    }

    #[inline(always)]
    unsafe fn count(self, n: u32) -> Self {
        // SAFETY: the caller has AVX-512F.
        unsafe {
            let n = n as i32;
            Self(_mm512_add_epi32(self.0, _mm512_set4_epi32(n, 0, 0, 0)))
        }
    }

    #[inline(always)]
    unsafe fn to_blocks(self) -> Self {
        // SAFETY: the caller has AVX-512BW.
        unsafe {
            Self(_mm512_shuffle_epi8(
                self.0,
                _mm512_broadcast_i32x4(swap_counter()),
            ))
        }
    }

    #[inline(always)]
    unsafe fn inv_round(self, key: Self) -> Self {
        // SAFETY: the caller has VAES.
        unsafe { Self(_mm512_aesdec_epi128(self.0, key.0)) }
    }

    #[inline(always)]
    unsafe fn inv_last_round(self, key: Self) -> Self {
        // SAFETY: the caller has VAES.
        unsafe { Self(_mm512_aesdeclast_epi128(self.0, key.0)) }
    }

    #[inline(always)]
    unsafe fn after(self, previous: Self) -> Self {
        // SAFETY: the caller has AVX-512F.
        unsafe { Self(_mm512_alignr_epi64(self.0, previous.0, 6)) }
    }

    #[inline(always)]
    unsafe fn slide<const BYTES: i32>(self, next: Self) -> Self {
        // SAFETY: the caller has AVX-512BW.
        unsafe { Self(_mm512_alignr_epi8::<BYTES>(next.0, self.0)) }
    }

    #[inline(always)]
    unsafe fn alphas(self, i: usize) -> Self {
        // SAFETY: the caller has AVX-512BW and VPCLMULQDQ.
        unsafe {
            let n = 4 * i as i64;
            let by = _mm512_set_epi64(n + 3, n + 3, n + 2, n + 2, n + 1, n + 1, n, n);
            let shifted = _mm512_sllv_epi64(self.0, by);
            let carried = _mm512_srlv_epi64(self.0, _mm512_sub_epi64(_mm512_set1_epi64(64), by));
            let up = _mm512_bslli_epi128(carried, 8);
            let reduced = _mm512_clmulepi64_epi128(carried, _mm512_set1_epi64(ALPHA_128), 0x01);
            Self(shifted).xor3(Self(up), Self(reduced))
        }
    }

    /// By instructions that Intel's one AES port need not take, unlike shifts within quadwords. A rotation leaves the four
    /// bytes that it moved to the front there, and the product takes them off again. Of the masked shuffle the compiler
    /// makes a shift by bytes, which Zen 4 prefers and Zen 5 might not (docs/experiments/ctr.md).
    #[inline(always)]
    unsafe fn alpha_batch(self) -> Self {
        // SAFETY: the caller has VPCLMULQDQ.
        unsafe {
            let carried = _mm512_maskz_shuffle_epi32(0x1111, self.0, 0x93);
            let reduced = _mm512_clmulepi64_epi128(carried, _mm512_set1_epi64(ALPHA_128 ^ 1), 0x00);
            Self(_mm512_xor_si512(_mm512_shuffle_epi32(self.0, 0x93), reduced))
        }
    }
}

impl Few for Zmm {
    const MOST: usize = if WATCHED { 0 } else { few::MOST };

    #[inline(always)]
    unsafe fn xor_spare(spare: *const u8, text: Span) {
        // SAFETY: passed on, here and below.
        unsafe { few::xor_spare(spare, text) }
    }

    #[inline(always)]
    unsafe fn xor_fresh(keys: &RoundKeys, counter: u128, spare: &mut [u8; SPARE], unused: usize, text: Span) {
        // SAFETY: as above.
        unsafe { few::xor_fresh(keys, counter, spare, unused, text) }
    }

    #[inline(always)]
    unsafe fn ecb<const DECRYPT: bool>(keys: &RoundKeys, span: Span) {
        // SAFETY: as above.
        unsafe { few::ecb::<DECRYPT>(keys, span) }
    }

    #[inline(always)]
    unsafe fn cbc_decrypt(keys: &RoundKeys, iv: &mut [u8; BLOCK], span: Span) {
        // SAFETY: as above.
        unsafe { few::cbc_decrypt(keys, iv, span) }
    }

    #[inline(always)]
    unsafe fn cfb_decrypt(keys: &RoundKeys, iv: &mut [u8; BLOCK], span: Span) {
        // SAFETY: as above.
        unsafe { few::cfb_decrypt(keys, iv, span) }
    }

    #[inline(always)]
    unsafe fn xts<const DECRYPT: bool>(keys: &RoundKeys, tweak_keys: &RoundKeys, tweak: u128, span: Span) {
        // SAFETY: as above.
        unsafe { few::xts::<DECRYPT>(keys, tweak_keys, tweak, span) }
    }

    #[inline(always)]
    unsafe fn gcm_message<const SEAL: bool>(key: &Vector, nonce: &[u8; 12], aad: &[u8], text: Span) -> u128 {
        // SAFETY: as above.
        unsafe { few::gcm_message::<SEAL>(key, nonce, aad, text) }
    }

    #[inline(always)]
    unsafe fn gcm_part<const SEAL: bool>(key: &Vector, message: &mut GcmMessage, text: Span) {
        // SAFETY: as above.
        unsafe { few::gcm_part::<SEAL>(key, message, text) }
    }
}

impl Square for Zmm {
    /// Halves are put together on their way from memory: that takes no shuffle, of which there are as many to do as
    /// the ports beside AES can.
    #[inline(always)]
    unsafe fn load_square([a, b, c, d]: [*const u8; 4]) -> [Self; 4] {
        // SAFETY: the caller has AVX-512F, and 64 bytes at each address.
        unsafe {
            macro_rules! halves {
                ($low:expr, $high:expr, $at:literal) => {
                    _mm512_inserti64x4(
                        _mm512_castsi256_si512(_mm256_loadu_si256($low.add($at).cast())),
                        _mm256_loadu_si256($high.add($at).cast()),
                        1,
                    )
                };
            }
            let (ab, cd) = (halves!(a, b, 0), halves!(c, d, 0));
            let first = _mm512_shuffle_i64x2(ab, cd, 0x88);
            let second = _mm512_shuffle_i64x2(ab, cd, 0xdd);
            let (ab, cd) = (halves!(a, b, 32), halves!(c, d, 32));
            let third = _mm512_shuffle_i64x2(ab, cd, 0x88);
            let fourth = _mm512_shuffle_i64x2(ab, cd, 0xdd);
            [Self(first), Self(second), Self(third), Self(fourth)]
        }
    }
}

impl Windows for Zmm {
    type Half = Ymm;

    /// Without a mask where there are as many: a load that comes next would wait for all that a masked store before it could
    /// have written.
    #[inline(always)]
    unsafe fn load_text(from: *const u8, n: usize) -> Self {
        // SAFETY: the caller's `n` bytes.
        unsafe {
            if n == Self::TEXT {
                return Self(_mm512_zextsi256_si512(_mm256_loadu_si256(from.cast())));
            }
            Self::load_first(from, n)
        }
    }

    #[inline(always)]
    unsafe fn store_text(self, to: *mut u8, n: usize) {
        // SAFETY: the caller's `n` bytes.
        unsafe {
            if n == Self::TEXT {
                return _mm256_storeu_si256(to.cast(), _mm512_castsi512_si256(self.0));
            }
            self.store_first(to, n);
        }
    }

    #[inline(always)]
    unsafe fn zip<const UNIT: usize>(self, other: Self) -> Self {
        // SAFETY: the caller has AVX-512BW.
        unsafe {
            Self(match UNIT {
                1 => _mm512_unpacklo_epi8(self.0, other.0),
                2 => _mm512_unpacklo_epi16(self.0, other.0),
                _ => _mm512_unpacklo_epi32(self.0, other.0),
            })
        }
    }

    /// Indices of eight and more are of the text.
    #[inline(always)]
    unsafe fn spread(self, text: Self) -> [Self; 2] {
        // SAFETY: the caller has AVX-512F.
        unsafe {
            let first = _mm512_set_epi64(10, 9, 9, 8, 8, 1, 1, 0);
            let next = _mm512_set_epi64(3, 3, 2, 2, 1, 1, 0, 0);
            [
                Self(_mm512_permutex2var_epi64(self.0, first, text.0)),
                Self(_mm512_permutexvar_epi64(next, text.0)),
            ]
        }
    }

    #[inline(always)]
    unsafe fn last(self, text: Self) -> Self {
        // SAFETY: the caller has AVX-512F.
        unsafe { Self(_mm512_shuffle_i64x2(text.0, text.0, 1)) }
    }

    #[inline(always)]
    unsafe fn gather_halves(self) -> Self {
        // SAFETY: the caller has AVX-512F.
        unsafe {
            let halves = _mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0);
            Self(_mm512_permutexvar_epi64(halves, self.0))
        }
    }
}

impl Multiply for Zmm {
    const TINY: usize = 10;

    #[inline(always)]
    unsafe fn grow(powers: &mut Powers, blocks: usize) {
        // SAFETY: as the caller.
        unsafe { grow_powers(powers, blocks) }
    }

    #[inline(always)]
    unsafe fn mul_low(self, other: Self) -> Self {
        // SAFETY: the caller has VPCLMULQDQ.
        unsafe { Self(_mm512_clmulepi64_epi128(self.0, other.0, 0x00)) }
    }

    #[inline(always)]
    unsafe fn mul_high(self, other: Self) -> Self {
        // SAFETY: the caller has VPCLMULQDQ.
        unsafe { Self(_mm512_clmulepi64_epi128(self.0, other.0, 0x11)) }
    }

    #[inline(always)]
    unsafe fn low_halves(self, other: Self) -> Self {
        // SAFETY: the caller has AVX-512F.
        unsafe { Self(_mm512_unpacklo_epi64(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn high_halves(self, other: Self) -> Self {
        // SAFETY: the caller has AVX-512F.
        unsafe { Self(_mm512_unpackhi_epi64(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn swap_halves(self) -> Self {
        // SAFETY: the caller has AVX-512F.
        unsafe { Self(_mm512_shuffle_epi32(self.0, 0x4e)) }
    }

    #[inline(always)]
    unsafe fn reflect(self) -> Self {
        // SAFETY: the caller has AVX-512BW.
        unsafe { Self(_mm512_shuffle_epi8(self.0, _mm512_broadcast_i32x4(reflection()))) }
    }

    /// Packed and then reflected, four instructions. A permutation of the bytes of both vectors would be one for each half, but
    /// on Intel's processors it takes as long as three. Pinned, lest the compiler make that of it.
    #[inline(always)]
    unsafe fn halves(a: Self, b: Self) -> (Self, Self) {
        // SAFETY: the caller has AVX-512BW.
        unsafe {
            let by_half = _mm512_broadcast_i32x4(_mm_set_epi64x(LOW, HIGH));
            (
                Self(_mm512_shuffle_epi8(a.high_halves(b).pin().0, by_half)),
                Self(_mm512_shuffle_epi8(a.low_halves(b).pin().0, by_half)),
            )
        }
    }

    #[inline(always)]
    unsafe fn halves_of(self) -> (Self, Self) {
        // SAFETY: the caller has AVX-512BW.
        unsafe {
            (
                Self(_mm512_shuffle_epi8(self.0, _mm512_broadcast_i32x4(half(LOW)))),
                Self(_mm512_shuffle_epi8(self.0, _mm512_broadcast_i32x4(half(HIGH)))),
            )
        }
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: the caller has AVX-512F.
        unsafe { Self(_mm512_and_si512(self.0, other.0)) }
    }

    // Neither MemorySanitizer nor Miri knows this instruction of three operands.
    #[cfg(not(any(miri, msan)))]
    #[inline(always)]
    unsafe fn xor3(self, a: Self, b: Self) -> Self {
        // SAFETY: the caller has AVX-512F.
        unsafe { Self(_mm512_ternarylogic_epi64(self.0, a.0, b.0, 0x96)) }
    }

    #[inline(always)]
    unsafe fn fold(self) -> Self {
        // SAFETY: the caller has AVX-512VL.
        unsafe {
            let high = _mm512_extracti64x4_epi64(self.0, 1);
            let sum = _mm256_xor_si256(_mm512_castsi512_si256(self.0), high);
            let sum = _mm_xor_si128(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
            Self(_mm512_zextsi128_si512(sum))
        }
    }

    #[inline(always)]
    unsafe fn broadcast_block(block: Xmm) -> Self {
        // SAFETY: the caller has AVX-512F.
        unsafe { Self(_mm512_broadcast_i32x4(block.0)) }
    }

    #[inline(always)]
    unsafe fn first_block(self) -> Xmm {
        // SAFETY: the caller has AVX-512F.
        unsafe { Xmm(_mm512_castsi512_si128(self.0)) }
    }

    #[inline(always)]
    unsafe fn load_part(from: *const u8, n: usize) -> Self {
        // SAFETY: masked-out bytes are not touched; the rest are the caller's `n`.
        unsafe { Self(_mm512_maskz_loadu_epi8(first(n), from.cast())) }
    }

    /// Whole vectors by a mask too: GCM has enough to wait for, and asking took parts of 128 to 256 bytes 1 to 3 % longer.
    #[inline(always)]
    unsafe fn store_part(self, to: *mut u8, n: usize) {
        // SAFETY: masked-out bytes are not touched; the rest are the caller's `n`.
        unsafe { _mm512_mask_storeu_epi8(to.cast(), first(n), self.0) }
    }

    #[inline(always)]
    unsafe fn keep_first(self, n: usize) -> Self {
        // SAFETY: the caller has AVX-512BW.
        unsafe { Self(_mm512_maskz_mov_epi8(first(n), self.0)) }
    }

    #[inline(always)]
    unsafe fn pin_batch(
        states: &mut [Self; 8],
        sum: &mut Sum<Self>,
        page: &mut Self,
        reduced: Option<&mut Self>,
    ) {
        if WATCHED {
            return;
        }
        /// Apart, because a zmm operand is accepted only in a function that names the feature.
        #[inline]
        #[target_feature(enable = "avx512f")]
        fn pin_batch(states: &mut [Zmm; 8], sum: &mut Sum<Zmm>, page: &mut Zmm, reduced: Option<&mut Zmm>) {
            let [a, b, c, d, e, f, g, h] = states;
            if let Some(reduced) = reduced {
                // SAFETY: the instruction sequence is empty.
                unsafe {
                    asm!(
                        "/* {0} {1} {2} {3} {4} {5} {6} {7} {8} {9} {10} {11} {12} */",
                        inout(zmm_reg) a.0, inout(zmm_reg) b.0, inout(zmm_reg) c.0, inout(zmm_reg) d.0,
                        inout(zmm_reg) e.0, inout(zmm_reg) f.0, inout(zmm_reg) g.0, inout(zmm_reg) h.0,
                        inout(zmm_reg) sum.low.0, inout(zmm_reg) sum.both.0, inout(zmm_reg) sum.high.0,
                        inout(zmm_reg) page.0, inout(zmm_reg) reduced.0,
                        options(pure, nomem, nostack, preserves_flags),
                    );
                }
                return;
            }
            // SAFETY: the instruction sequence is empty.
            unsafe {
                asm!(
                    "/* {0} {1} {2} {3} {4} {5} {6} {7} {8} {9} {10} {11} */",
                    inout(zmm_reg) a.0, inout(zmm_reg) b.0, inout(zmm_reg) c.0, inout(zmm_reg) d.0,
                    inout(zmm_reg) e.0, inout(zmm_reg) f.0, inout(zmm_reg) g.0, inout(zmm_reg) h.0,
                    inout(zmm_reg) sum.low.0, inout(zmm_reg) sum.both.0, inout(zmm_reg) sum.high.0,
                    inout(zmm_reg) page.0,
                    options(pure, nomem, nostack, preserves_flags),
                );
            }
        }
        // SAFETY: the caller has AVX-512F.
        unsafe { pin_batch(states, sum, page, reduced) }
    }
}
