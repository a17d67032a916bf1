//! The AES and PMULL instructions of ARMv8: one block a vector.
//!
//! **Rounds.** AESE adds the round key before SubBytes and ShiftRows, where [`Lanes::round`] adds the next one after
//! MixColumns. So a round here is AESE with a key of zeros, AESMC, and an addition, and LLVM, to which AESE is no black
//! box, makes the addition part of the AESE that follows: a round costs one AESE and one AESMC, side by side as
//! processors fuse them, and a block one addition in the end. `make test-aarch64` counts.
//!
//! **Order.** What is pinned ([`Lanes::pin`]) would part the addition from its AESE, so it is the rounds themselves that
//! stay in the order in which they are written, before that addition.

use core::{
    arch::{aarch64::*, asm},
    mem::transmute,
};

use crate::{
    cfb8::vector::Windows,
    cpu,
    entry::{
        entries,
        gcm::{gcm, one_block},
    },
    few::Few,
    ghash::{Powers, Sum},
    lanes::{FIRST_BYTES, Lanes, Multiply},
    part,
    rounds::Stored,
    squares::{InSquares, Square},
    xts::InMemory,
};

#[derive(Clone, Copy)]
pub(crate) struct Q(uint8x16_t);

entries!(
    Q,
    "aes",
    [cpu::AES, cpu::PMULL],
    clear,
    ARMV8 = "armv8",
    ARMV8_R2 = "armv8-r2"
);

one_block!(Q, "aes", clear);

gcm!(Q, "aes", clear, [0, 320], one_block);

/// Clears the vector registers but for v8 to v15. Of those the lower halves belong to the caller: a function that uses
/// one loads its lower half again at its end, and that clears the upper one.
#[inline(always)]
pub(super) unsafe fn clear() {
    // SAFETY: each register is declared as clobbered.
    unsafe {
        asm!(
            "movi v0.2d, #0", "movi v1.2d, #0", "movi v2.2d, #0", "movi v3.2d, #0",
            "movi v4.2d, #0", "movi v5.2d, #0", "movi v6.2d, #0", "movi v7.2d, #0",
            "movi v16.2d, #0", "movi v17.2d, #0", "movi v18.2d, #0", "movi v19.2d, #0",
            "movi v20.2d, #0", "movi v21.2d, #0", "movi v22.2d, #0", "movi v23.2d, #0",
            "movi v24.2d, #0", "movi v25.2d, #0", "movi v26.2d, #0", "movi v27.2d, #0",
            "movi v28.2d, #0", "movi v29.2d, #0", "movi v30.2d, #0", "movi v31.2d, #0",
            out("v0") _, out("v1") _, out("v2") _, out("v3") _,
            out("v4") _, out("v5") _, out("v6") _, out("v7") _,
            out("v16") _, out("v17") _, out("v18") _, out("v19") _,
            out("v20") _, out("v21") _, out("v22") _, out("v23") _,
            out("v24") _, out("v25") _, out("v26") _, out("v27") _,
            out("v28") _, out("v29") _, out("v30") _, out("v31") _,
            options(nostack, nomem, preserves_flags),
        );
    }
}

impl Few for Q {}

impl Lanes for Q {
    type Keys = Stored;
    type WideKeys = Stored;
    type Tweaks = InMemory<Self>;
    type LongTweaks = InMemory<Self>;
    type Many = InSquares;
    const BLOCKS: usize = 1;
    const WIDE: usize = 8;
    const FEW_REGISTERS: bool = false;

    #[inline(always)]
    unsafe fn splat(block: u128) -> Self {
        // SAFETY: both are 16 bytes of any value, the first one the least significant.
        unsafe { Self(transmute::<u128, uint8x16_t>(block)) }
    }

    #[inline(always)]
    unsafe fn broadcast(from: *const u128) -> Self {
        // SAFETY: `from` is valid.
        unsafe { Self::load(from.cast()) }
    }

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller's 16 bytes.
        unsafe { Self(vld1q_u8(from)) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller's 16 bytes.
        unsafe { vst1q_u8(to, self.0) }
    }

    /// Through the caches: what AArch64 has is a hint, for pairs of registers.
    #[inline(always)]
    unsafe fn store_past_caches(self, to: *mut u8) {
        // SAFETY: as the caller.
        unsafe { self.store(to) }
    }

    #[inline(always)]
    unsafe fn fence() {}

    #[inline(always)]
    fn prefetch(line: *const u8) {
        // SAFETY: a prefetch of any address is sound.
        unsafe {
            asm!("prfm pldl1keep, [{}]", in(reg) line, options(nostack, readonly, preserves_flags));
        }
    }

    #[inline(always)]
    unsafe fn load_first(from: *const u8, n: usize) -> Self {
        // SAFETY: every read lies within the caller's `n` bytes.
        unsafe {
            if n >= 16 {
                return Self::load(from);
            }
            let [low, high] = part::load(from, n);
            Self::splat(u128::from(low) | u128::from(high) << 64)
        }
    }

    #[inline(always)]
    unsafe fn store_first(self, to: *mut u8, n: usize) {
        // SAFETY: every write lies within the caller's `n` bytes.
        unsafe {
            if n >= 16 {
                return self.store(to);
            }
            let block = self.to_u128();
            part::store([block as u64, (block >> 64) as u64], to, n);
        }
    }

    #[inline(always)]
    unsafe fn join(first: Self, second: Self, at: usize) -> Self {
        static BYTES: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
        // SAFETY: the caller has NEON. An index is below 32, and tells a byte of either.
        unsafe {
            let index = vaddq_u8(vld1q_u8(BYTES.as_ptr()), vdupq_n_u8(at as u8));
            Self(vqtbl2q_u8(uint8x16x2_t(first.0, second.0), index))
        }
    }

    /// The rounds are pinned already.
    #[inline(always)]
    unsafe fn pin(self) -> Self {
        self
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: NEON, here and below where no other feature is named.
        unsafe { Self(veorq_u8(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn round(self, key: Self) -> Self {
        // SAFETY: the caller has AES.
        unsafe { in_place(vaesmcq_u8(vaeseq_u8(self.0, zero()))).xor(key) }
    }

    #[inline(always)]
    unsafe fn last_round(self, key: Self) -> Self {
        // SAFETY: the caller has AES.
        unsafe { Self(vaeseq_u8(self.0, zero())).xor(key) }
    }

    #[inline(always)]
    unsafe fn of_numbers(self) -> Self {
        static TURN_NONCE: [u8; 16] = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 0, 1, 2, 3];
        // SAFETY: as above.
        unsafe { Self(vqtbl1q_u8(self.0, vld1q_u8(TURN_NONCE.as_ptr()))) }
    }

    #[inline(always)]
    unsafe fn in_lanes(self) -> Self {
        self
    }

    #[inline(always)]
    unsafe fn count(self, n: u32) -> Self {
        // SAFETY: as above.
        unsafe {
            let Self(n) = Self::splat(u128::from(n) << 96);
            let sum = vaddq_u32(vreinterpretq_u32_u8(self.0), vreinterpretq_u32_u8(n));
            Self(vreinterpretq_u8_u32(sum))
        }
    }

    #[inline(always)]
    unsafe fn to_blocks(self) -> Self {
        static SWAP_COUNTER: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15, 14, 13, 12];
        // SAFETY: as above.
        unsafe { Self(vqtbl1q_u8(self.0, vld1q_u8(SWAP_COUNTER.as_ptr()))) }
    }

    #[inline(always)]
    unsafe fn inv_round(self, key: Self) -> Self {
        // SAFETY: the caller has AES.
        unsafe { in_place(vaesimcq_u8(vaesdq_u8(self.0, zero()))).xor(key) }
    }

    #[inline(always)]
    unsafe fn inv_last_round(self, key: Self) -> Self {
        // SAFETY: the caller has AES.
        unsafe { Self(vaesdq_u8(self.0, zero())).xor(key) }
    }

    #[inline(always)]
    unsafe fn after(self, previous: Self) -> Self {
        previous
    }

    #[inline(always)]
    unsafe fn slide<const BYTES: i32>(self, next: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(vextq_u8::<BYTES>(self.0, next.0)) }
    }

    #[inline(always)]
    unsafe fn alphas(self, i: usize) -> Self {
        // SAFETY: the caller has PMULL.
        unsafe {
            let halves = vreinterpretq_u64_u8(self.0);
            let shifted = vshlq_u64(halves, vdupq_n_s64(i as i64));
            // To the left by a negative number: to the right.
            let carried = Self(vreinterpretq_u8_u64(vshlq_u64(
                halves,
                vdupq_n_s64(i as i64 - 64),
            )));
            let up = Self(vextq_u8::<8>(zero(), carried.0));
            let reduced = carried.mul_high(Self::splat(ALPHA_128 << 64));
            Self(vreinterpretq_u8_u64(shifted)).xor3(up, reduced)
        }
    }

    #[inline(always)]
    unsafe fn alpha_batch(self) -> Self {
        // SAFETY: the caller has PMULL.
        unsafe {
            let carried = Self(vextq_u8::<15>(self.0, zero()));
            let reduced = carried.mul_low(Self::splat(ALPHA_128));
            Self(vextq_u8::<15>(zero(), self.0)).xor(reduced)
        }
    }
}

/// α¹²⁸ = α⁷ + α² + α + 1 in GF(2¹²⁸) as XTS writes it.
const ALPHA_128: u128 = 0x87;

/// The same vector, at this point of the program among all others that this is said of.
#[inline(always)]
unsafe fn in_place(mut vector: uint8x16_t) -> Q {
    // SAFETY: the instruction sequence is empty.
    unsafe { asm!("/* {0:q} */", inout(vreg) vector, options(nomem, nostack, preserves_flags)) };
    Q(vector)
}

#[inline(always)]
unsafe fn zero() -> uint8x16_t {
    // SAFETY: NEON.
    unsafe { vdupq_n_u8(0) }
}

impl Square for Q {
    #[inline(always)]
    unsafe fn load_square([block, ..]: [*const u8; 4]) -> [Self; 4] {
        // SAFETY: the caller's 16 bytes.
        unsafe { [Self::load(block); 4] }
    }
}

impl Windows for Q {
    type Half = Self;

    #[inline(always)]
    unsafe fn zip<const UNIT: usize>(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            Self(match UNIT {
                1 => vzip1q_u8(self.0, other.0),
                2 => vreinterpretq_u8_u16(vzip1q_u16(
                    vreinterpretq_u16_u8(self.0),
                    vreinterpretq_u16_u8(other.0),
                )),
                _ => vreinterpretq_u8_u32(vzip1q_u32(
                    vreinterpretq_u32_u8(self.0),
                    vreinterpretq_u32_u8(other.0),
                )),
            })
        }
    }
}

impl Multiply for Q {
    const TINY: usize = 9;

    #[inline(always)]
    unsafe fn grow(powers: &mut Powers, blocks: usize) {
        // SAFETY: as the caller.
        unsafe { grow_powers(powers, blocks) }
    }

    #[inline(always)]
    unsafe fn mul_low(self, other: Self) -> Self {
        // SAFETY: the caller has PMULL.
        unsafe {
            let (a, b) = (vreinterpretq_p64_u8(self.0), vreinterpretq_p64_u8(other.0));
            Self::splat(vmull_p64(vgetq_lane_p64::<0>(a), vgetq_lane_p64::<0>(b)))
        }
    }

    #[inline(always)]
    unsafe fn mul_high(self, other: Self) -> Self {
        // SAFETY: the caller has PMULL.
        unsafe {
            let (a, b) = (vreinterpretq_p64_u8(self.0), vreinterpretq_p64_u8(other.0));
            Self::splat(vmull_high_p64(a, b))
        }
    }

    #[inline(always)]
    unsafe fn low_halves(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            let (a, b) = (vreinterpretq_u64_u8(self.0), vreinterpretq_u64_u8(other.0));
            Self(vreinterpretq_u8_u64(vzip1q_u64(a, b)))
        }
    }

    #[inline(always)]
    unsafe fn high_halves(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            let (a, b) = (vreinterpretq_u64_u8(self.0), vreinterpretq_u64_u8(other.0));
            Self(vreinterpretq_u8_u64(vzip2q_u64(a, b)))
        }
    }

    #[inline(always)]
    unsafe fn swap_halves(self) -> Self {
        // SAFETY: as above.
        unsafe { Self(vextq_u8::<8>(self.0, self.0)) }
    }

    #[inline(always)]
    unsafe fn reflect(self) -> Self {
        // SAFETY: as above.
        unsafe { Self(vrev64q_u8(self.0)).swap_halves() }
    }

    /// The halves exchange places as they are taken.
    #[inline(always)]
    unsafe fn halves(a: Self, b: Self) -> (Self, Self) {
        // SAFETY: as above.
        unsafe {
            let (a, b) = (Self(vrev64q_u8(a.0)), Self(vrev64q_u8(b.0)));
            (a.high_halves(b), a.low_halves(b))
        }
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(vandq_u8(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn fold(self) -> Self {
        self
    }

    #[inline(always)]
    unsafe fn broadcast_block(block: Self) -> Self {
        block
    }

    #[inline(always)]
    unsafe fn first_block(self) -> Self {
        self
    }

    #[inline(always)]
    unsafe fn keep_first(self, n: usize) -> Self {
        // SAFETY: `n` is at most 16.
        unsafe { self.and(Self::load(FIRST_BYTES.as_ptr().add(32 - n))) }
    }

    #[inline(always)]
    unsafe fn pin_sum(sum: Sum<Self>) -> Sum<Self> {
        // SAFETY: as above.
        unsafe {
            Sum {
                low: in_place(sum.low.0),
                both: in_place(sum.both.0),
                high: in_place(sum.high.0),
            }
        }
    }

    /// The hash among the rounds, which are pinned already.
    #[inline(always)]
    unsafe fn pin_batch(_: &mut [Self; 8], sum: &mut Sum<Self>, _: &mut Self, reduced: Option<&mut Self>) {
        // SAFETY: as above.
        unsafe {
            *sum = Self::pin_sum(*sum);
            if let Some(reduced) = reduced {
                *reduced = in_place(reduced.0);
            }
        }
    }
}

impl Q {
    /// Its first byte as the least significant.
    #[inline(always)]
    pub(crate) unsafe fn to_u128(self) -> u128 {
        // SAFETY: both are 16 bytes of any value.
        unsafe { transmute::<uint8x16_t, u128>(self.0) }
    }

    /// InvMixColumns (FIPS 197, section 5.3.3).
    #[inline(always)]
    pub(crate) unsafe fn inv_mix_columns(self) -> Self {
        // SAFETY: the caller has AES.
        unsafe { Self(vaesimcq_u8(self.0)) }
    }

    /// A number of GHASH, its bytes reversed, times x.
    #[inline(always)]
    pub(crate) unsafe fn times_x(self) -> Self {
        const POLYNOMIAL: u128 = 0xc200_0000_0000_0000_0000_0000_0000_0001;
        // SAFETY: as above.
        unsafe {
            let halves = vreinterpretq_u64_u8(self.0);
            let carry = vshrq_n_s8::<7>(vdupq_laneq_s8::<15>(vreinterpretq_s8_u8(self.0)));
            let above = Self(vreinterpretq_u8_u64(vshrq_n_u64::<63>(halves)));
            let between = Self(vextq_u8::<8>(zero(), above.0));
            let doubled = Self(vreinterpretq_u8_u64(vshlq_n_u64::<1>(halves))).xor(between);
            doubled.xor(Self(vreinterpretq_u8_s8(carry)).and(Self::splat(POLYNOMIAL)))
        }
    }
}
