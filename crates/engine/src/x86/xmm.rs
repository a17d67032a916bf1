//! AES-NI: one block a vector.

use core::arch::{asm, x86_64::*};

use crate::{
    BLOCK, WATCHED,
    cfb8::vector::Windows,
    cpu,
    entry::{
        entries,
        gcm::{gcm, one_block},
    },
    few::Few,
    gather::{Gather, OneByOne},
    ghash::{Powers, Sum},
    lanes::{FIRST_BYTES, Lanes, Multiply},
    part,
    rounds::Stored,
    x86::ymm,
    xts::{ByBytes, ByteShift, InMemory},
};

#[derive(Clone, Copy)]
pub(crate) struct Xmm(pub(super) __m128i);

entries!(
    Xmm,
    "aes,ssse3,pclmulqdq",
    [cpu::AES, cpu::SSSE3, cpu::PCLMULQDQ],
    clear,
    AESNI = "aesni",
    AESNI_R2 = "aesni-r2"
);

one_block!(Xmm, "aes,ssse3,pclmulqdq", clear);

gcm!(Xmm, "aes,ssse3,pclmulqdq", clear, [192, 448], one_block);

/// Clears the vector registers that code without AVX can reach, and the others where all code is with it.
#[inline(always)]
pub(super) unsafe fn clear() {
    if cfg!(miri) {
        return;
    }
    // SAFETY: SSE2 is part of x86-64, and the caller has AVX where all code is compiled with it; each register is
    // declared as clobbered.
    unsafe {
        if cfg!(target_feature = "avx") {
            return ymm::clear();
        }
        asm!(
            "pxor xmm0, xmm0", "pxor xmm1, xmm1", "pxor xmm2, xmm2", "pxor xmm3, xmm3",
            "pxor xmm4, xmm4", "pxor xmm5, xmm5", "pxor xmm6, xmm6", "pxor xmm7, xmm7",
            "pxor xmm8, xmm8", "pxor xmm9, xmm9", "pxor xmm10, xmm10", "pxor xmm11, xmm11",
            "pxor xmm12, xmm12", "pxor xmm13, xmm13", "pxor xmm14, xmm14", "pxor xmm15, xmm15",
            out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
            out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
            out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
            out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
            options(nostack, nomem, preserves_flags),
        );
    }
}

impl Few for Xmm {}

impl Lanes for Xmm {
    type Keys = Stored;
    type WideKeys = Stored;
    type Tweaks = InMemory<Self>;
    type LongTweaks = ByBytes<Self>;
    type Many = OneByOne;
    const LONG_UNIT: usize = 1024;
    const BLOCKS: usize = 1;
    const WIDE: usize = 8;
    const FEW_REGISTERS: bool = true;

    #[inline(always)]
    unsafe fn splat(block: u128) -> Self {
        // SAFETY: SSE2.
        unsafe { Self(_mm_set_epi64x((block >> 64) as i64, block as i64)) }
    }

    #[inline(always)]
    unsafe fn broadcast(from: *const u128) -> Self {
        // SAFETY: `from` is valid, and aligned as u128 is.
        unsafe { Self(_mm_load_si128(from.cast())) }
    }

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller's 16 bytes.
        unsafe { Self(_mm_loadu_si128(from.cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller's 16 bytes.
        unsafe { _mm_storeu_si128(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn store_past_caches(self, to: *mut u8) {
        // SAFETY: the caller's 16 bytes, aligned; the caller fences.
        unsafe { _mm_stream_si128(to.cast(), self.0) }
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
        // SAFETY: every read lies within the caller's `n` bytes.
        unsafe {
            if n >= 16 {
                return Self::load(from);
            }
            let [low, high] = part::load(from, n);
            Self(_mm_set_epi64x(high as i64, low as i64))
        }
    }

    #[inline(always)]
    unsafe fn store_first(self, to: *mut u8, n: usize) {
        // SAFETY: every write lies within the caller's `n` bytes.
        unsafe {
            if n >= 16 {
                return self.store(to);
            }
            part::store(self.words(), to, n);
        }
    }

    #[inline(always)]
    unsafe fn join(first: Self, second: Self, at: usize) -> Self {
        // SAFETY: the caller has SSSE3; `at` is at most 16.
        unsafe {
            let first = _mm_shuffle_epi8(first.0, Self::load(from_byte(at as isize)).0);
            let second = _mm_shuffle_epi8(second.0, Self::load(from_byte(at as isize - 16)).0);
            Self(_mm_or_si128(first, second))
        }
    }

    #[inline(always)]
    unsafe fn pin(mut self) -> Self {
        if WATCHED {
            return self;
        }
        // SAFETY: the instruction sequence is empty.
        unsafe { asm!("/* {0} */", inout(xmm_reg) self.0, options(nomem, nostack, preserves_flags)) };
        self
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: SSE2.
        unsafe { Self(_mm_xor_si128(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn round(self, key: Self) -> Self {
        // SAFETY: the caller has AES.
        unsafe { Self(_mm_aesenc_si128(self.0, key.0)) }
    }

    #[inline(always)]
    unsafe fn last_round(self, key: Self) -> Self {
        // SAFETY: the caller has AES.
        unsafe { Self(_mm_aesenclast_si128(self.0, key.0)) }
    }

    #[inline(always)]
    unsafe fn of_numbers(self) -> Self {
        // SAFETY: the caller has SSSE3.
        unsafe { Self(_mm_shuffle_epi8(self.0, turn_nonce())) }
    }

    #[inline(always)]
    unsafe fn in_lanes(self) -> Self {
        self
    }

    #[inline(always)]
    unsafe fn count(self, n: u32) -> Self {
        // SAFETY: SSE2.
        unsafe { Self(_mm_add_epi32(self.0, _mm_set_epi32(n as i32, 0, 0, 0))) }
    }

    #[inline(always)]
    unsafe fn to_blocks(self) -> Self {
        // SAFETY: the caller has SSSE3.
        unsafe { Self(_mm_shuffle_epi8(self.0, swap_counter())) }
    }

    #[inline(always)]
    unsafe fn inv_round(self, key: Self) -> Self {
        // SAFETY: the caller has AES.
        unsafe { Self(_mm_aesdec_si128(self.0, key.0)) }
    }

    #[inline(always)]
    unsafe fn inv_last_round(self, key: Self) -> Self {
        // SAFETY: the caller has AES.
        unsafe { Self(_mm_aesdeclast_si128(self.0, key.0)) }
    }

    #[inline(always)]
    unsafe fn after(self, previous: Self) -> Self {
        previous
    }

    #[inline(always)]
    unsafe fn slide<const BYTES: i32>(self, next: Self) -> Self {
        // SAFETY: the caller has SSSE3.
        unsafe { Self(_mm_alignr_epi8::<BYTES>(next.0, self.0)) }
    }

    #[inline(always)]
    unsafe fn alphas(self, i: usize) -> Self {
        // SAFETY: the caller has PCLMULQDQ.
        unsafe {
            let shifted = _mm_sll_epi64(self.0, _mm_cvtsi64_si128(i as i64));
            let carried = _mm_srl_epi64(self.0, _mm_cvtsi64_si128(64 - i as i64));
            let up = _mm_bslli_si128(carried, 8);
            let reduced = _mm_clmulepi64_si128(carried, _mm_set1_epi64x(ALPHA_128), 0x01);
            Self(_mm_xor_si128(_mm_xor_si128(shifted, up), reduced))
        }
    }

    #[inline(always)]
    unsafe fn alpha_batch(self) -> Self {
        // SAFETY: the caller has PCLMULQDQ.
        unsafe {
            let carried = _mm_bsrli_si128(self.0, 15);
            let reduced = _mm_clmulepi64_si128(carried, _mm_set1_epi64x(ALPHA_128), 0x00);
            Self(_mm_xor_si128(_mm_bslli_si128(self.0, 1), reduced))
        }
    }
}

/// α¹²⁸ = α⁷ + α² + α + 1 in GF(2¹²⁸) as XTS writes it.
pub(super) const ALPHA_128: i64 = 0x87;

/// Asks for a cache line early.
#[inline(always)]
pub(super) fn prefetch(line: *const u8) {
    // SAFETY: SSE is part of x86-64, and a prefetch of any address is sound.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(line.cast()) };
}

/// The byte shuffle that reverses the last four bytes of a block.
#[inline(always)]
pub(super) unsafe fn swap_counter() -> __m128i {
    // SAFETY: SSE2.
    unsafe { _mm_set_epi8(12, 13, 14, 15, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0) }
}

/// The byte shuffle that reverses a number's bytes but for the first four, its lowest, which come last as they are.
#[inline(always)]
pub(super) unsafe fn turn_nonce() -> __m128i {
    // SAFETY: SSE2.
    unsafe { _mm_set_epi8(3, 2, 1, 0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) }
}

/// The byte shuffle that reverses half a block and puts zeros above it.
#[inline(always)]
pub(super) unsafe fn half(bytes: i64) -> __m128i {
    // SAFETY: SSE2.
    unsafe { _mm_set_epi64x(-1, bytes) }
}

/// [`half`] of a block's bytes in reverse: the lower one, which are its last bytes.
pub(super) const LOW: i64 = 0x0809_0a0b_0c0d_0e0f;
pub(super) const HIGH: i64 = 0x0001_0203_0405_0607;

impl Gather for Xmm {
    #[inline(always)]
    unsafe fn gather([block, _]: [*const u8; 2]) -> Self {
        // SAFETY: the caller's 16 bytes.
        unsafe { Self::load(block) }
    }

    #[inline(always)]
    unsafe fn scatter(self, [to, _]: [*mut u8; 2]) {
        // SAFETY: the caller's 16 bytes.
        unsafe { self.store(to) }
    }
}

impl ByteShift for Xmm {
    #[inline(always)]
    unsafe fn up_a_byte(self) -> Self {
        // SAFETY: SSE2.
        unsafe { Self(_mm_bslli_si128(self.0, 1)) }
    }
}

impl Windows for Xmm {
    type Half = Self;

    #[inline(always)]
    unsafe fn zip<const UNIT: usize>(self, other: Self) -> Self {
        // SAFETY: SSE2.
        unsafe {
            Self(match UNIT {
                1 => _mm_unpacklo_epi8(self.0, other.0),
                2 => _mm_unpacklo_epi16(self.0, other.0),
                _ => _mm_unpacklo_epi32(self.0, other.0),
            })
        }
    }
}

impl Multiply for Xmm {
    const TINY: usize = 8;

    #[inline(always)]
    unsafe fn grow(powers: &mut Powers, blocks: usize) {
        // SAFETY: as the caller.
        unsafe { grow_powers(powers, blocks) }
    }

    #[inline(always)]
    unsafe fn mul_low(self, other: Self) -> Self {
        // SAFETY: the caller has PCLMULQDQ.
        unsafe { Self(_mm_clmulepi64_si128(self.0, other.0, 0x00)) }
    }

    #[inline(always)]
    unsafe fn mul_high(self, other: Self) -> Self {
        // SAFETY: the caller has PCLMULQDQ.
        unsafe { Self(_mm_clmulepi64_si128(self.0, other.0, 0x11)) }
    }

    /// As [`Ymm`](super::ymm::Ymm) has it.
    #[inline(always)]
    unsafe fn add_products_in_order(self, other: Self, mut sum: Self) -> Self {
        // SAFETY: the caller has PCLMULQDQ; registers alone are touched.
        unsafe {
            if WATCHED || cfg!(target_feature = "avx") {
                return self.add_products(other, sum);
            }
            asm!(
                "movdqa {low}, {a}",
                "pclmulqdq {low}, {b}, 0x00",
                "pclmulqdq {b}, {a}, 0x11",
                "pxor {sum}, {low}",
                "pxor {sum}, {b}",
                a = in(xmm_reg) self.0,
                b = inout(xmm_reg) other.0 => _,
                low = out(xmm_reg) _,
                sum = inout(xmm_reg) sum.0,
                options(nomem, nostack, preserves_flags),
            );
            sum
        }
    }

    #[inline(always)]
    unsafe fn low_halves(self, other: Self) -> Self {
        // SAFETY: SSE2.
        unsafe { Self(_mm_unpacklo_epi64(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn high_halves(self, other: Self) -> Self {
        // SAFETY: SSE2.
        unsafe { Self(_mm_unpackhi_epi64(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn swap_halves(self) -> Self {
        // SAFETY: SSE2.
        unsafe { Self(_mm_shuffle_epi32(self.0, 0x4e)) }
    }

    #[inline(always)]
    unsafe fn reflect(self) -> Self {
        // SAFETY: the caller has SSSE3.
        unsafe { Self(_mm_shuffle_epi8(self.0, reflection())) }
    }

    #[inline(always)]
    unsafe fn halves_of(self) -> (Self, Self) {
        // SAFETY: the caller has SSSE3.
        unsafe {
            (
                Self(_mm_shuffle_epi8(self.0, half(LOW))),
                Self(_mm_shuffle_epi8(self.0, half(HIGH))),
            )
        }
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: SSE2.
        unsafe { Self(_mm_and_si128(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn fold(self) -> Self {
        self
    }

    #[inline(always)]
    unsafe fn broadcast_block(block: Xmm) -> Self {
        block
    }

    #[inline(always)]
    unsafe fn first_block(self) -> Xmm {
        self
    }

    #[inline(always)]
    unsafe fn keep_first(self, n: usize) -> Self {
        // SAFETY: `n` is at most 16.
        unsafe { self.and(Self::load(FIRST_BYTES.as_ptr().add(32 - n))) }
    }

    #[inline(always)]
    unsafe fn pin_batch(states: &mut [Self; 8], sum: &mut Sum<Self>, _: &mut Self, _: Option<&mut Self>) {
        if WATCHED {
            return;
        }
        let [a, b, c, d, e, f, g, h] = states;
        // SAFETY: the instruction sequence is empty.
        unsafe {
            asm!(
                "/* {0} {1} {2} {3} {4} {5} {6} {7} {8} {9} {10} */",
                inout(xmm_reg) a.0, inout(xmm_reg) b.0, inout(xmm_reg) c.0, inout(xmm_reg) d.0,
                inout(xmm_reg) e.0, inout(xmm_reg) f.0, inout(xmm_reg) g.0, inout(xmm_reg) h.0,
                inout(xmm_reg) sum.low.0, inout(xmm_reg) sum.both.0, inout(xmm_reg) sum.high.0,
                // Not pure: so loads stay on their side of it too, and need no registers before their time.
                options(nomem, nostack, preserves_flags),
            );
        }
    }
}

impl Xmm {
    /// Its first eight bytes and the others, each with its first byte as the least significant.
    #[inline(always)]
    unsafe fn words(self) -> [u64; 2] {
        // SAFETY: SSE2.
        unsafe {
            let high = _mm_unpackhi_epi64(self.0, self.0);
            [_mm_cvtsi128_si64(self.0) as u64, _mm_cvtsi128_si64(high) as u64]
        }
    }

    /// Its first byte as the least significant.
    #[inline(always)]
    pub(crate) unsafe fn to_u128(self) -> u128 {
        // SAFETY: as the caller.
        let [low, high] = unsafe { self.words() };
        u128::from(low) | u128::from(high) << 64
    }

    /// InvMixColumns (FIPS 197, section 5.3.3).
    #[inline(always)]
    pub(crate) unsafe fn inv_mix_columns(self) -> Self {
        // SAFETY: the caller has AES.
        unsafe { Self(_mm_aesimc_si128(self.0)) }
    }

    /// A number of GHASH, its bytes reversed, times x.
    #[inline(always)]
    pub(crate) unsafe fn times_x(self) -> Self {
        // SAFETY: SSE2.
        unsafe {
            let carry = _mm_srai_epi32(_mm_shuffle_epi32(self.0, 0xff), 31);
            let polynomial = _mm_set_epi64x(0xc200_0000_0000_0000_u64 as i64, 1);
            let between = _mm_slli_si128(_mm_srli_epi64(self.0, 63), 8);
            let doubled = _mm_or_si128(_mm_slli_epi64(self.0, 1), between);
            Self(_mm_xor_si128(doubled, _mm_and_si128(carry, polynomial)))
        }
    }
}

/// Where the byte shuffle is that takes a block's bytes from byte `n` on, −32 ≤ `n` ≤ 32, and zeros where it has none.
#[inline(always)]
pub(super) fn from_byte(n: isize) -> *const u8 {
    static BYTES: [u8; 80] = {
        let mut bytes = [0x80; 80];
        let mut i = 0;
        while i < BLOCK {
            bytes[32 + i] = i as u8;
            i += 1;
        }
        bytes
    };
    BYTES.as_ptr().wrapping_offset(32 + n)
}

/// The byte shuffle that reverses a block.
#[inline(always)]
pub(super) unsafe fn reflection() -> __m128i {
    // SAFETY: SSE2.
    unsafe { _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) }
}
