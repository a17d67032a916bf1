//! VAES on AVX2: two blocks a vector.

use core::arch::{asm, x86_64::*};

use crate::{
    WATCHED,
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
    rounds::Stored,
    x86::{
        clear_high, clear_low,
        xmm::{ALPHA_128, HIGH, LOW, Xmm, from_byte, half, prefetch, reflection, swap_counter, turn_nonce},
    },
    xts::{ByBytes, ByteShift, InMemory},
};

#[derive(Clone, Copy)]
pub(crate) struct Ymm(__m256i);

entries!(
    Ymm,
    "aes,vaes,avx2,pclmulqdq,vpclmulqdq",
    [cpu::AES, cpu::VAES, cpu::AVX2, cpu::PCLMULQDQ, cpu::VPCLMULQDQ],
    clear,
    VAES256 = "vaes256",
    VAES256_R2 = "vaes256-r2"
);

one_block!(Ymm, "aes,vaes,avx2,pclmulqdq,vpclmulqdq", clear);

gcm!(
    Ymm,
    "aes,vaes,avx2,pclmulqdq,vpclmulqdq",
    clear,
    [320, 576],
    one_block
);

/// Clears the vector registers that code without AVX-512 can reach, and the others where all code is with it.
#[inline(always)]
pub(super) unsafe fn clear() {
    // SAFETY: the caller has AVX, and AVX-512VL where all code is compiled with it.
    unsafe {
        if cfg!(target_feature = "avx512vl") {
            clear_high();
        }
        clear_low();
    }
}

impl Few for Ymm {}

impl Lanes for Ymm {
    type Keys = Stored;
    type WideKeys = Stored;
    type Tweaks = InMemory<Self>;
    type LongTweaks = ByBytes<Self>;
    type Many = OneByOne;
    const LONG_UNIT: usize = 1024;
    const BLOCKS: usize = 2;
    const WIDE: usize = 8;
    const FEW_REGISTERS: bool = true;

    #[inline(always)]
    unsafe fn splat(block: u128) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe {
            let block = _mm_set_epi64x((block >> 64) as i64, block as i64);
            Self(_mm256_broadcastsi128_si256(block))
        }
    }

    #[inline(always)]
    unsafe fn broadcast(from: *const u128) -> Self {
        // SAFETY: the caller has AVX2; `from` is valid.
        unsafe { Self(_mm256_broadcastsi128_si256(_mm_load_si128(from.cast()))) }
    }

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller's 32 bytes.
        unsafe { Self(_mm256_loadu_si256(from.cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller's 32 bytes.
        unsafe { _mm256_storeu_si256(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn store_past_caches(self, to: *mut u8) {
        // SAFETY: the caller's 32 bytes, aligned; the caller fences.
        unsafe { _mm256_stream_si256(to.cast(), self.0) }
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
            if n >= 32 {
                return Self::load(from);
            }
            if n <= 16 {
                return Self(_mm256_zextsi128_si256(Xmm::load_first(from, n).0));
            }
            let (low, high) = (Xmm::load(from), Xmm::load_first(from.add(16), n - 16));
            Self(_mm256_set_m128i(high.0, low.0))
        }
    }

    #[inline(always)]
    unsafe fn store_first(self, to: *mut u8, n: usize) {
        // SAFETY: every write lies within the caller's `n` bytes.
        unsafe {
            if n >= 32 {
                return self.store(to);
            }
            let low = Xmm(_mm256_castsi256_si128(self.0));
            if n <= 16 {
                return low.store_first(to, n);
            }
            low.store(to);
            Xmm(_mm256_extracti128_si256(self.0, 1)).store_first(to.add(16), n - 16);
        }
    }

    /// Of the three pairs of blocks that a pair can lie in, each gives the bytes that it has.
    #[inline(always)]
    unsafe fn join(first: Self, second: Self, at: usize) -> Self {
        // SAFETY: the caller has AVX2; `at` is at most 32.
        unsafe {
            let at = at as isize;
            let between = second.after(first);
            let first = _mm256_shuffle_epi8(first.0, in_both(from_byte(at)));
            let between = _mm256_shuffle_epi8(between.0, in_both(from_byte(at - 16)));
            let second = _mm256_shuffle_epi8(second.0, in_both(from_byte(at - 32)));
            Self(_mm256_or_si256(_mm256_or_si256(first, between), second))
        }
    }

    #[inline(always)]
    unsafe fn pin(self) -> Self {
        if WATCHED {
            return self;
        }
        /// Apart, because a ymm operand is accepted only in a function that names the feature.
        #[inline]
        #[target_feature(enable = "avx2")]
        fn pin(mut vector: __m256i) -> __m256i {
            // SAFETY: the instruction sequence is empty.
            unsafe { asm!("/* {0} */", inout(ymm_reg) vector, options(nomem, nostack, preserves_flags)) };
            vector
        }
        // SAFETY: the caller has AVX2.
        unsafe { Self(pin(self.0)) }
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe { Self(_mm256_xor_si256(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn round(self, key: Self) -> Self {
        // SAFETY: the caller has VAES.
        unsafe { Self(_mm256_aesenc_epi128(self.0, key.0)) }
    }

    #[inline(always)]
    unsafe fn last_round(self, key: Self) -> Self {
        // SAFETY: the caller has VAES.
        unsafe { Self(_mm256_aesenclast_epi128(self.0, key.0)) }
    }

    #[inline(always)]
    unsafe fn of_numbers(self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe {
            Self(_mm256_shuffle_epi8(
                self.0,
                _mm256_broadcastsi128_si256(turn_nonce()),
            ))
        }
    }

    #[inline(always)]
    unsafe fn in_lanes(self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe {
            let lane = _mm256_set_epi32(1, 0, 0, 0, 0, 0, 0, 0);
            Self(_mm256_add_epi32(self.0, lane))
        }
    }

    #[inline(always)]
    unsafe fn count(self, n: u32) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe {
            let n = n as i32;
            Self(_mm256_add_epi32(self.0, _mm256_set_epi32(n, 0, 0, 0, n, 0, 0, 0)))
        }
    }

    #[inline(always)]
    unsafe fn to_blocks(self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe {
            Self(_mm256_shuffle_epi8(
                self.0,
                _mm256_broadcastsi128_si256(swap_counter()),
            ))
        }
    }

    #[inline(always)]
    unsafe fn inv_round(self, key: Self) -> Self {
        // SAFETY: the caller has VAES.
        unsafe { Self(_mm256_aesdec_epi128(self.0, key.0)) }
    }

    #[inline(always)]
    unsafe fn inv_last_round(self, key: Self) -> Self {
        // SAFETY: the caller has VAES.
        unsafe { Self(_mm256_aesdeclast_epi128(self.0, key.0)) }
    }

    #[inline(always)]
    unsafe fn after(self, previous: Self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe { Self(_mm256_permute2x128_si256(previous.0, self.0, 0x21)) }
    }

    #[inline(always)]
    unsafe fn slide<const BYTES: i32>(self, next: Self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe { Self(_mm256_alignr_epi8::<BYTES>(next.0, self.0)) }
    }

    #[inline(always)]
    unsafe fn alphas(self, i: usize) -> Self {
        // SAFETY: the caller has AVX2 and VPCLMULQDQ.
        unsafe {
            let n = 2 * i as i64;
            let by = _mm256_set_epi64x(n + 1, n + 1, n, n);
            let shifted = _mm256_sllv_epi64(self.0, by);
            let carried = _mm256_srlv_epi64(self.0, _mm256_sub_epi64(_mm256_set1_epi64x(64), by));
            let up = _mm256_bslli_epi128(carried, 8);
            let reduced = _mm256_clmulepi64_epi128(carried, _mm256_set1_epi64x(ALPHA_128), 0x01);
            Self(_mm256_xor_si256(_mm256_xor_si256(shifted, up), reduced))
        }
    }

    #[inline(always)]
    unsafe fn alpha_batch(self) -> Self {
        // SAFETY: the caller has AVX2 and VPCLMULQDQ.
        unsafe {
            let carried = _mm256_bsrli_epi128(self.0, 14);
            let reduced = _mm256_clmulepi64_epi128(carried, _mm256_set1_epi64x(ALPHA_128), 0x00);
            Self(_mm256_xor_si256(_mm256_bslli_epi128(self.0, 2), reduced))
        }
    }
}

/// The 16 bytes at `from`, in both lanes.
#[inline(always)]
unsafe fn in_both(from: *const u8) -> __m256i {
    // SAFETY: the caller has AVX2; `from` is valid.
    unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(from.cast())) }
}

impl Gather for Ymm {
    #[inline(always)]
    unsafe fn gather([low, high]: [*const u8; 2]) -> Self {
        // SAFETY: the caller has AVX2, and 16 bytes at both addresses.
        unsafe {
            let low = _mm256_castsi128_si256(_mm_loadu_si128(low.cast()));
            // Pinned, or the compiler would insert it: one instruction fewer, on a port of AES.
            let high = Self(_mm256_broadcastsi128_si256(_mm_loadu_si128(high.cast()))).pin();
            Self(_mm256_blend_epi32(low, high.0, 0xf0))
        }
    }

    #[inline(always)]
    unsafe fn scatter(self, [low, high]: [*mut u8; 2]) {
        // SAFETY: the caller has AVX2, and 16 bytes at both addresses.
        unsafe {
            _mm_storeu_si128(low.cast(), _mm256_castsi256_si128(self.0));
            _mm_storeu_si128(high.cast(), _mm256_extracti128_si256::<1>(self.0));
        }
    }
}

impl ByteShift for Ymm {
    #[inline(always)]
    unsafe fn up_a_byte(self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe { Self(_mm256_bslli_epi128(self.0, 1)) }
    }
}

impl Windows for Ymm {
    type Half = Xmm;

    #[inline(always)]
    unsafe fn zip<const UNIT: usize>(self, other: Self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe {
            Self(match UNIT {
                1 => _mm256_unpacklo_epi8(self.0, other.0),
                2 => _mm256_unpacklo_epi16(self.0, other.0),
                _ => _mm256_unpacklo_epi32(self.0, other.0),
            })
        }
    }

    #[inline(always)]
    unsafe fn spread(self, text: Self) -> [Self; 2] {
        // SAFETY: the caller has AVX2.
        unsafe {
            let both = _mm256_permute2x128_si256(self.0, text.0, 0x20);
            [
                Self(_mm256_permute4x64_epi64(both, 0b10_01_01_00)),
                Self(_mm256_permute4x64_epi64(text.0, 0b01_01_00_00)),
            ]
        }
    }

    #[inline(always)]
    unsafe fn last(self, text: Self) -> Self {
        text
    }

    #[inline(always)]
    unsafe fn gather_halves(self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe { Self(_mm256_permute4x64_epi64(self.0, 0b10_00)) }
    }
}

/// Apart, for the reason that `pin` gives.
#[inline]
#[target_feature(enable = "avx2,vpclmulqdq")]
fn add_products_in_order(a: Ymm, b: Ymm, sum: &mut Ymm) {
    // SAFETY: the caller has the instructions; registers alone are touched.
    unsafe {
        asm!(
            "vpclmulqdq {low}, {a}, {b}, 0x00",
            "vpclmulqdq {b}, {a}, {b}, 0x11",
            "vpxor {sum}, {sum}, {low}",
            "vpxor {sum}, {sum}, {b}",
            a = in(ymm_reg) a.0,
            b = inout(ymm_reg) b.0 => _,
            low = out(ymm_reg) _,
            sum = inout(ymm_reg) sum.0,
            options(nomem, nostack, preserves_flags),
        );
    }
}

impl Multiply for Ymm {
    const TINY: usize = 6;

    #[inline(always)]
    unsafe fn grow(powers: &mut Powers, blocks: usize) {
        // SAFETY: as the caller.
        unsafe { grow_powers(powers, blocks) }
    }

    #[inline(always)]
    unsafe fn mul_low(self, other: Self) -> Self {
        // SAFETY: the caller has VPCLMULQDQ.
        unsafe { Self(_mm256_clmulepi64_epi128(self.0, other.0, 0x00)) }
    }

    #[inline(always)]
    unsafe fn mul_high(self, other: Self) -> Self {
        // SAFETY: the caller has VPCLMULQDQ.
        unsafe { Self(_mm256_clmulepi64_epi128(self.0, other.0, 0x11)) }
    }

    /// Written out, in the registers that there are: left to the compiler, powers are loaded ahead, and sums go to the
    /// stack for them.
    #[inline(always)]
    unsafe fn add_products_in_order(self, other: Self, sum: Self) -> Self {
        // SAFETY: the caller has VPCLMULQDQ; registers alone are touched.
        unsafe {
            if WATCHED {
                return self.add_products(other, sum);
            }
            let mut sum = sum;
            add_products_in_order(self, other, &mut sum);
            sum
        }
    }

    #[inline(always)]
    unsafe fn low_halves(self, other: Self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe { Self(_mm256_unpacklo_epi64(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn high_halves(self, other: Self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe { Self(_mm256_unpackhi_epi64(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn swap_halves(self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe { Self(_mm256_shuffle_epi32(self.0, 0x4e)) }
    }

    #[inline(always)]
    unsafe fn reflect(self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe {
            Self(_mm256_shuffle_epi8(
                self.0,
                _mm256_broadcastsi128_si256(reflection()),
            ))
        }
    }

    /// The halves exchange places as they are taken: in the other order the compiler makes six instructions of these four.
    #[inline(always)]
    unsafe fn halves(a: Self, b: Self) -> (Self, Self) {
        // SAFETY: the caller has AVX2.
        unsafe {
            let by_half = _mm256_set_epi64x(LOW, HIGH, LOW, HIGH);
            (
                Self(_mm256_shuffle_epi8(a.high_halves(b).pin().0, by_half)),
                Self(_mm256_shuffle_epi8(a.low_halves(b).pin().0, by_half)),
            )
        }
    }

    #[inline(always)]
    unsafe fn halves_of(self) -> (Self, Self) {
        // SAFETY: the caller has AVX2.
        unsafe {
            (
                Self(_mm256_shuffle_epi8(
                    self.0,
                    _mm256_broadcastsi128_si256(half(LOW)),
                )),
                Self(_mm256_shuffle_epi8(
                    self.0,
                    _mm256_broadcastsi128_si256(half(HIGH)),
                )),
            )
        }
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe { Self(_mm256_and_si256(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn fold(self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe {
            let high = _mm256_extracti128_si256(self.0, 1);
            let sum = _mm_xor_si128(_mm256_castsi256_si128(self.0), high);
            Self(_mm256_zextsi128_si256(sum))
        }
    }

    #[inline(always)]
    unsafe fn broadcast_block(block: Xmm) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe { Self(_mm256_broadcastsi128_si256(block.0)) }
    }

    #[inline(always)]
    unsafe fn first_block(self) -> Xmm {
        // SAFETY: the caller has AVX2.
        unsafe { Xmm(_mm256_castsi256_si128(self.0)) }
    }

    #[inline(always)]
    unsafe fn keep_first(self, n: usize) -> Self {
        // SAFETY: `n` is at most 32.
        unsafe { self.and(Self::load(FIRST_BYTES.as_ptr().add(32 - n))) }
    }

    #[inline(always)]
    unsafe fn pin_batch(states: &mut [Self; 8], sum: &mut Sum<Self>, _: &mut Self, _: Option<&mut Self>) {
        if WATCHED {
            return;
        }
        /// Apart, for the reason that `pin` gives.
        #[inline]
        #[target_feature(enable = "avx2")]
        fn pin_batch(states: &mut [Ymm; 8], sum: &mut Sum<Ymm>) {
            let [a, b, c, d, e, f, g, h] = states;
            // SAFETY: the instruction sequence is empty.
            unsafe {
                asm!(
                    "/* {0} {1} {2} {3} {4} {5} {6} {7} {8} {9} {10} */",
                    inout(ymm_reg) a.0, inout(ymm_reg) b.0, inout(ymm_reg) c.0, inout(ymm_reg) d.0,
                    inout(ymm_reg) e.0, inout(ymm_reg) f.0, inout(ymm_reg) g.0, inout(ymm_reg) h.0,
                    inout(ymm_reg) sum.low.0, inout(ymm_reg) sum.both.0, inout(ymm_reg) sum.high.0,
                    // Not pure: so loads stay on their side of it too, and need no registers before their time.
                    options(nomem, nostack, preserves_flags),
                );
            }
        }
        // SAFETY: the caller has AVX2.
        unsafe { pin_batch(states, sum) }
    }
}
