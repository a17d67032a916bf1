//! Bit planes in vectors, for processors without AES instructions, which many small ones are: the bits of eight blocks
//! in each byte, as `portable::places` orders them.

use core::{
    arch::aarch64::*,
    ops::{BitAnd, BitXor},
};

use crate::{
    arm::q,
    implementation::Entry,
    portable::{
        Bytes, Keys, Plane, Turn, compiled,
        places::{COLUMN, GATHER, SCATTER, kept, pulled},
    },
};

pub(crate) static NEON: Entry = Entry::sliced::<Neon>("neon", &[]);

#[derive(Clone, Copy)]
pub(crate) struct Neon(pub(super) uint8x16_t);

compiled!(Neon, "neon", q::clear, hash);

impl BitXor for Neon {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        // SAFETY: NEON, which every processor has that this is compiled for, here and below.
        unsafe { Self(veorq_u8(self.0, other.0)) }
    }
}

impl BitAnd for Neon {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(vandq_u8(self.0, other.0)) }
    }
}

impl Plane for Neon {
    const SIDE: usize = 2;

    #[inline(always)]
    unsafe fn key(keys: &Keys, round: usize, plane: usize) -> Self {
        let key: *const u128 = &keys.bytes[round][plane];
        // SAFETY: as above; a key has 16 bytes.
        unsafe { Self(vld1q_u8(key.cast())) }
    }

    #[inline(always)]
    unsafe fn load(from: *const u8, i: usize) -> Self {
        // SAFETY: within the caller's batch.
        unsafe { Self(vld1q_u8(from.add(16 * i))) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8, i: usize) {
        // SAFETY: within the caller's batch.
        unsafe { vst1q_u8(to.add(16 * i), self.0) }
    }

    #[inline(always)]
    unsafe fn last_bytes(first: u8, i: usize) -> Self {
        // Bit i of byte j belongs to block i of the eight that have place j.
        static STEPS: [u8; 16] = [0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120];
        // SAFETY: as above.
        unsafe {
            let first = vdupq_n_u8(first.wrapping_add(i as u8));
            Self(vaddq_u8(first, vld1q_u8(STEPS.as_ptr())))
        }
    }

    #[inline(always)]
    fn exchange<const SHIFT: u32>(a: &mut Self, b: &mut Self) {
        let (x, y) = (a.0, b.0);
        // SAFETY: as above.
        unsafe {
            (a.0, b.0) = match SHIFT {
                4 => (vsliq_n_u8::<4>(x, y), vsriq_n_u8::<4>(y, x)),
                2 => {
                    let low = vdupq_n_u8(0x33);
                    (
                        vbslq_u8(low, x, vshlq_n_u8::<2>(y)),
                        vbslq_u8(low, vshrq_n_u8::<2>(x), y),
                    )
                }
                _ => {
                    let low = vdupq_n_u8(0x55);
                    (
                        vbslq_u8(low, x, vshlq_n_u8::<1>(y)),
                        vbslq_u8(low, vshrq_n_u8::<1>(x), y),
                    )
                }
            };
        }
    }

    #[inline(always)]
    fn gather(words: [Self; 8], turn: Turn) -> [Self; 8] {
        match turn {
            Turn::Right => shuffled(words, &GATHER[0]),
            Turn::Left => shuffled(words, &GATHER[1]),
        }
    }

    #[inline(always)]
    fn scatter(words: [Self; 8], turn: Turn) -> [Self; 8] {
        match turn {
            Turn::Right => shuffled(words, &SCATTER[0]),
            Turn::Left => shuffled(words, &SCATTER[1]),
        }
    }

    #[inline(always)]
    fn pull<const ROWS: u32, const COLUMNS: u32>(self) -> Self {
        self.shuffle(const { &pulled(ROWS, COLUMNS) })
    }

    #[inline(always)]
    fn keep<const PLACES: u16>(self) -> Self {
        self & Self::bytes(const { &kept(PLACES) })
    }

    #[inline(always)]
    fn first_row(self) -> Self {
        // SAFETY: as above.
        unsafe {
            Self(vreinterpretq_u8_u32(vdupq_laneq_u32::<0>(vreinterpretq_u32_u8(
                self.0,
            ))))
        }
    }

    #[inline(always)]
    fn first_place(self) -> Self {
        self.shuffle(&[0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12])
    }

    #[inline(always)]
    fn column<const STEPS: u32>(self, place: u32) -> Self {
        self.shuffle(&COLUMN[STEPS as usize][place as usize])
    }
}

#[inline(always)]
fn shuffled(mut words: [Neon; 8], from: &[u8; 16]) -> [Neon; 8] {
    for word in &mut words {
        *word = word.shuffle(from);
    }
    words
}

impl Neon {
    #[inline(always)]
    fn bytes(bytes: &[u8; 16]) -> Self {
        // SAFETY: as above.
        unsafe { Self(vld1q_u8(bytes.as_ptr())) }
    }

    /// The bytes that stand at `from`, or zero.
    #[inline(always)]
    fn shuffle(self, from: &[u8; 16]) -> Self {
        self.look_up(Self::bytes(from))
    }
}

impl Bytes for Neon {
    type Narrow = Self;

    #[inline(always)]
    unsafe fn read(from: *const u8) -> Self {
        // SAFETY: as the caller, here and below.
        unsafe { Self(vld1q_u8(from)) }
    }

    #[inline(always)]
    unsafe fn write(self, to: *mut u8) {
        // SAFETY: as above.
        unsafe { vst1q_u8(to, self.0) }
    }

    #[inline(always)]
    unsafe fn table(table: &[u8; 16]) -> Self {
        Self::bytes(table)
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self ^ other
    }

    #[inline(always)]
    fn nibbles(self) -> [Self; 2] {
        // SAFETY: NEON, here and below.
        unsafe {
            [
                Self(vshrq_n_u8::<4>(self.0)),
                Self(vandq_u8(self.0, vdupq_n_u8(0x0f))),
            ]
        }
    }

    #[inline(always)]
    fn look_up(self, at: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(vqtbl1q_u8(self.0, at.0)) }
    }

    #[inline(always)]
    fn zip(self, other: Self) -> [Self; 2] {
        // SAFETY: as above.
        unsafe { [Self(vzip1q_u8(self.0, other.0)), Self(vzip2q_u8(self.0, other.0))] }
    }

    #[inline(always)]
    fn after<const PLACES: usize>(self, below: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            Self(match PLACES {
                1 => vextq_u8::<15>(below.0, self.0),
                15 => vextq_u8::<1>(below.0, self.0),
                _ => vextq_u8::<8>(below.0, self.0),
            })
        }
    }
}
