//! Bit planes in vectors, for processors without AES instructions: the bits of eight blocks in each byte, as
//! `portable::places` orders them.
//!
//! SSE2 cannot shuffle bytes. There a move by rows is a shuffle of four-byte words, and one by columns a rotation of
//! each.
//!
//! Vectors of 32 bytes hold two of these, with blocks in turn: block 2i in the first half, 2i + 1 in the second.

use core::{
    arch::x86_64::*,
    ops::{BitAnd, BitXor},
};

use crate::{
    cpu,
    implementation::Entry,
    portable::{
        Bytes, Keys, Plane, Turn, compiled,
        places::{COLUMN, GATHER, SCATTER, kept, pulled},
    },
    x86::{xmm, ymm, zmm},
};

pub(crate) static SSE2: Entry = Entry::sliced::<Sse2>("sse2", &[]);
pub(crate) static SSSE3: Entry = Entry::sliced::<Ssse3>("ssse3", &[cpu::SSSE3]);
pub(crate) static AVX2: Entry = Entry::sliced::<Avx2>("avx2", &[cpu::AVX2]);
pub(crate) static AVX512: Entry =
    Entry::sliced::<Avx512>("avx512", &[cpu::AVX512F, cpu::AVX512BW, cpu::AVX512VL]);

/// A type of planes: what all of them have alike, and what is its own.
macro_rules! planes {
    ($name:ident($vector:ty),
     $xor:ident, $and:ident, $load:ident, $store:ident, $splat:ident, $broadcast:ident,
     $add:ident, $left:ident, $right:ident; $($moves:item)*) => {
        #[derive(Clone, Copy)]
        pub(crate) struct $name(pub(super) $vector);

        impl BitXor for $name {
            type Output = Self;

            #[inline(always)]
            fn bitxor(self, other: Self) -> Self {
                // SAFETY: a value proves that the processor has the features, here and below.
                unsafe { Self($xor(self.0, other.0)) }
            }
        }

        impl BitAnd for $name {
            type Output = Self;

            #[inline(always)]
            fn bitand(self, other: Self) -> Self {
                // SAFETY: as above.
                unsafe { Self($and(self.0, other.0)) }
            }
        }

        impl $name {
            /// Sixteen bytes, in both halves.
            #[inline(always)]
            unsafe fn twice(bytes: &[u8; 16]) -> Self {
                // SAFETY: the caller has the features.
                unsafe { Self($broadcast(_mm_loadu_si128(bytes.as_ptr().cast()))) }
            }
        }

        impl Plane for $name {
            const SIDE: usize = 2;

            #[inline(always)]
            unsafe fn key(keys: &Keys, round: usize, plane: usize) -> Self {
                let key: *const u128 = &keys.bytes[round][plane];
                // SAFETY: aligned as u128 is; the caller has the features.
                unsafe { Self($broadcast(_mm_load_si128(key.cast()))) }
            }

            #[inline(always)]
            unsafe fn load(from: *const u8, i: usize) -> Self {
                // SAFETY: within the caller's batch.
                unsafe { Self($load(from.add(i * size_of::<Self>()).cast())) }
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut u8, i: usize) {
                // SAFETY: within the caller's batch.
                unsafe { $store(to.add(i * size_of::<Self>()).cast(), self.0) }
            }

            #[inline(always)]
            unsafe fn last_bytes(first: u8, i: usize) -> Self {
                const HALVES: usize = size_of::<$name>() / 16;
                // Bit i of byte j belongs to block i of the batch that has place j.
                static STEPS: [[u8; size_of::<$name>()]; 8] = {
                    let mut steps = [[0; _]; 8];
                    let mut n = 0;
                    while n < 8 * size_of::<$name>() {
                        let (i, at) = (n % 8, n / 8);
                        steps[i][at] = (HALVES * (8 * (at % 16) + i) + at / 16) as u8;
                        n += 1;
                    }
                    steps
                };
                // SAFETY: the caller has the features.
                unsafe {
                    let steps = $load(STEPS[i].as_ptr().cast());
                    Self($add($splat(first as i8), steps))
                }
            }

            #[inline(always)]
            fn exchange<const SHIFT: u32>(a: &mut Self, b: &mut Self) {
                // SAFETY: as above.
                unsafe {
                    let difference = match SHIFT {
                        4 => $and($xor($right::<4>(a.0), b.0), $splat(0x0f)),
                        2 => $and($xor($right::<2>(a.0), b.0), $splat(0x33)),
                        _ => $and($xor($right::<1>(a.0), b.0), $splat(0x55)),
                    };
                    b.0 = $xor(b.0, difference);
                    let difference = match SHIFT {
                        4 => $left::<4>(difference),
                        2 => $left::<2>(difference),
                        _ => $left::<1>(difference),
                    };
                    a.0 = $xor(a.0, difference);
                }
            }

            #[inline(always)]
            fn keep<const PLACES: u16>(self) -> Self {
                // SAFETY: as above.
                self & unsafe { Self::twice(const { &kept(PLACES) }) }
            }

            $($moves)*
        }
    };
}

/// Moves by shuffles of bytes.
macro_rules! shuffled {
    ($name:ident($vector:ty), $features:literal, clear: $clear:path, $shuffle:ident,
     $zip_low:ident, $zip_high:ident, $align:ident, $right:ident, $($intrinsic:ident),*) => {
        compiled!($name, $features, $clear, hash);

        planes! {
            $name($vector), $($intrinsic),*, $right;

            #[inline(always)]
            fn gather(words: [Self; 8], turn: Turn) -> [Self; 8] {
                let from = match turn {
                    Turn::Right => &GATHER[0],
                    Turn::Left => &GATHER[1],
                };
                words.shuffle(from)
            }

            #[inline(always)]
            fn scatter(words: [Self; 8], turn: Turn) -> [Self; 8] {
                let from = match turn {
                    Turn::Right => &SCATTER[0],
                    Turn::Left => &SCATTER[1],
                };
                words.shuffle(from)
            }

            #[inline(always)]
            fn pull<const ROWS: u32, const COLUMNS: u32>(self) -> Self {
                self.shuffle(const { &pulled(ROWS, COLUMNS) })
            }

            #[inline(always)]
            fn first_row(self) -> Self {
                self.shuffle(&[0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3])
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

        impl $name {
            /// The bytes that stand at `from`, in each half, or zero.
            #[inline(always)]
            fn shuffle(self, from: &[u8; 16]) -> Self {
                // SAFETY: a value proves that the processor has the features.
                unsafe { Self($shuffle(self.0, Self::twice(from).0)) }
            }
        }

        impl Bytes for $name {
            type Narrow = Ssse3;

            #[inline(always)]
            unsafe fn read(from: *const u8) -> Self {
                // SAFETY: as the caller, here and below.
                unsafe { Self::load(from, 0) }
            }

            #[inline(always)]
            unsafe fn write(self, to: *mut u8) {
                // SAFETY: as above.
                unsafe { self.store(to, 0) }
            }

            #[inline(always)]
            unsafe fn table(table: &[u8; 16]) -> Self {
                // SAFETY: as above.
                unsafe { Self::twice(table) }
            }

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self ^ other
            }

            #[inline(always)]
            fn nibbles(self) -> [Self; 2] {
                // SAFETY: a value proves that the processor has the features, here and below.
                unsafe {
                    let digit = Self::twice(&[0x0f; 16]);
                    [Self($right::<4>(self.0)) & digit, self & digit]
                }
            }

            #[inline(always)]
            fn look_up(self, at: Self) -> Self {
                // SAFETY: as above.
                unsafe { Self($shuffle(self.0, at.0)) }
            }

            #[inline(always)]
            fn zip(self, other: Self) -> [Self; 2] {
                // SAFETY: as above.
                unsafe { [Self($zip_low(self.0, other.0)), Self($zip_high(self.0, other.0))] }
            }

            #[inline(always)]
            fn after<const PLACES: usize>(self, below: Self) -> Self {
                // SAFETY: as above.
                unsafe {
                    Self(match PLACES {
                        1 => $align::<15>(self.0, below.0),
                        15 => $align::<1>(self.0, below.0),
                        _ => $align::<8>(self.0, below.0),
                    })
                }
            }
        }

        impl Shuffle for [$name; 8] {
            #[inline(always)]
            fn shuffle(mut self, from: &[u8; 16]) -> Self {
                for word in &mut self {
                    *word = word.shuffle(from);
                }
                self
            }
        }
    };
}

trait Shuffle {
    fn shuffle(self, from: &[u8; 16]) -> Self;
}

shuffled! {
    Ssse3(__m128i), "ssse3", clear: xmm::clear, _mm_shuffle_epi8, _mm_unpacklo_epi8,
    _mm_unpackhi_epi8, _mm_alignr_epi8, _mm_srli_epi64,
    _mm_xor_si128, _mm_and_si128, _mm_loadu_si128, _mm_storeu_si128, _mm_set1_epi8, same,
    _mm_add_epi8, _mm_slli_epi64
}

shuffled! {
    Avx2(__m256i), "avx2", clear: ymm::clear, _mm256_shuffle_epi8,
    _mm256_unpacklo_epi8, _mm256_unpackhi_epi8, _mm256_alignr_epi8, _mm256_srli_epi64,
    _mm256_xor_si256, _mm256_and_si256, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_set1_epi8,
    _mm256_broadcastsi128_si256, _mm256_add_epi8, _mm256_slli_epi64
}

// The same, with the logical operations of three operands that the compiler finds in AVX-512.
shuffled! {
    Avx512(__m256i), "avx512f,avx512bw,avx512vl", clear: zmm::clear, _mm256_shuffle_epi8,
    _mm256_unpacklo_epi8, _mm256_unpackhi_epi8, _mm256_alignr_epi8, _mm256_srli_epi64,
    _mm256_xor_si256, _mm256_and_si256, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_set1_epi8,
    _mm256_broadcastsi128_si256, _mm256_add_epi8, _mm256_slli_epi64
}

compiled!(Sse2, "sse2", xmm::clear);

planes! {
    Sse2(__m128i),
    _mm_xor_si128, _mm_and_si128, _mm_loadu_si128, _mm_storeu_si128, _mm_set1_epi8, same,
    _mm_add_epi8, _mm_slli_epi64, _mm_srli_epi64;

    #[inline(always)]
    fn gather(mut words: [Self; 8], turn: Turn) -> [Self; 8] {
        for word in &mut words {
            *word = word.transposed().turned(turn);
        }
        words
    }

    #[inline(always)]
    fn scatter(mut words: [Self; 8], turn: Turn) -> [Self; 8] {
        let back = match turn {
            Turn::Right => Turn::Left,
            Turn::Left => Turn::Right,
        };
        for word in &mut words {
            *word = word.turned(back).transposed();
        }
        words
    }

    #[inline(always)]
    fn pull<const ROWS: u32, const COLUMNS: u32>(self) -> Self {
        self.rows::<ROWS>().columns::<COLUMNS>()
    }

    #[inline(always)]
    fn first_row(self) -> Self {
        // SAFETY: SSE2, here and below.
        unsafe { Self(_mm_shuffle_epi32::<0x00>(self.0)) }
    }

    #[inline(always)]
    fn first_place(self) -> Self {
        let Self(place) = self.keep::<0x1111>();
        // SAFETY: as above.
        unsafe {
            let places = _mm_or_si128(place, _mm_slli_epi32::<8>(place));
            Self(_mm_or_si128(places, _mm_slli_epi32::<16>(places)))
        }
    }

    #[inline(always)]
    fn column<const STEPS: u32>(self, place: u32) -> Self {
        // SAFETY: as above.
        let Self(column) = unsafe {
            let shift = _mm_cvtsi32_si128(8 * place as i32);
            Self(_mm_srl_epi32(self.0, shift)).keep::<0x1111>().rows::<STEPS>()
        };
        // SAFETY: as above.
        unsafe {
            Self(match STEPS {
                0 => column,
                1 => _mm_slli_epi32::<24>(column),
                2 => _mm_slli_epi32::<16>(column),
                _ => _mm_slli_epi32::<8>(column),
            })
        }
    }
}

impl Sse2 {
    #[inline(always)]
    fn rows<const ROWS: u32>(self) -> Self {
        // SAFETY: SSE2, here and below.
        unsafe {
            Self(match ROWS {
                0 => self.0,
                1 => _mm_shuffle_epi32::<0x39>(self.0),
                2 => _mm_shuffle_epi32::<0x4e>(self.0),
                _ => _mm_shuffle_epi32::<0x93>(self.0),
            })
        }
    }

    #[inline(always)]
    fn columns<const COLUMNS: u32>(self) -> Self {
        let Self(x) = self;
        // SAFETY: as above.
        unsafe {
            Self(match COLUMNS {
                0 => x,
                1 => _mm_or_si128(_mm_srli_epi32::<8>(x), _mm_slli_epi32::<24>(x)),
                2 => _mm_shufflehi_epi16::<0xb1>(_mm_shufflelo_epi16::<0xb1>(x)),
                _ => _mm_or_si128(_mm_srli_epi32::<24>(x), _mm_slli_epi32::<8>(x)),
            })
        }
    }

    /// Exchanges rows and columns.
    #[inline(always)]
    fn transposed(self) -> Self {
        let Self(x) = self;
        // SAFETY: as above.
        unsafe {
            let x = _mm_unpacklo_epi8(x, _mm_unpackhi_epi64(x, x));
            Self(_mm_unpacklo_epi8(x, _mm_unpackhi_epi64(x, x)))
        }
    }

    /// Row r turned by r places.
    #[inline(always)]
    fn turned(self, turn: Turn) -> Self {
        let by_one = match turn {
            Turn::Left => self.columns::<1>(),
            Turn::Right => self.columns::<3>(),
        };
        let odd = self ^ (self ^ by_one).keep::<0xf0f0>();
        // SAFETY: as above.
        unsafe { Self(_mm_shufflehi_epi16::<0xb1>(odd.0)) }
    }
}

/// Of half a vector: all of it.
#[inline(always)]
unsafe fn same(half: __m128i) -> __m128i {
    half
}
