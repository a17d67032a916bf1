//! How fast the machine can read, change and write memory: what a cipher that cost nothing would reach.
use core::{
    arch::x86_64::{
        __m128i, __m256i, _MM_HINT_T0, _mm_loadu_si128, _mm_prefetch, _mm_set1_epi8, _mm_storeu_si128,
        _mm_xor_si128, _mm256_loadu_si256, _mm256_set1_epi8, _mm256_storeu_si256, _mm256_xor_si256,
        _mm512_loadu_si512, _mm512_mask_storeu_epi8, _mm512_maskz_loadu_epi8, _mm512_set1_epi8,
        _mm512_storeu_si512, _mm512_xor_si512,
    },
    hint::black_box,
};

use super::Width;
use crate::cpu;

/// Memory at the widest vectors that this processor has. Its existence proves that it has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory(Width);

impl Memory {
    /// The widest that there is.
    pub fn widest() -> Self {
        Self(if cpu::AVX512F.is_present() && cpu::AVX512BW.is_present() {
            Width::Zmm
        } else if cpu::AVX2.is_present() {
            Width::Ymm
        } else {
            Width::Xmm
        })
    }

    /// The width of its vectors.
    pub fn width(self) -> Width {
        self.0
    }

    /// Reads `data`, changes each bit pattern and writes it back, `times` times.
    pub fn read_xor_write(self, data: &mut [u8], times: u64) {
        for _ in 0..times {
            let data = black_box(&mut *data);
            let (start, len) = (data.as_mut_ptr(), data.len());
            // SAFETY: `data` is valid for reading and writing `len` bytes, and input and output may be the
            // same; `widest` saw the features.
            unsafe { self.pass(start, start, len) }
        }
    }

    /// Reads `from`, changes each bit pattern and writes it to `to`, `times` times, as far as the shorter of
    /// the two reaches. A plain copy would become a call of `memcpy`, which no cipher can be.
    pub fn copy(self, from: &[u8], to: &mut [u8], times: u64) {
        let len = from.len().min(to.len());
        for _ in 0..times {
            let (from, to) = (black_box(from), black_box(&mut *to));
            // SAFETY: both are valid for `len` bytes; `widest` saw the features.
            unsafe { self.pass(from.as_ptr(), to.as_mut_ptr(), len) }
        }
    }

    /// # Safety
    /// `from` is valid for reading and `to` for writing `len` bytes. They are the same or do not overlap.
    #[inline(always)]
    unsafe fn pass(self, from: *const u8, to: *mut u8, len: usize) {
        // SAFETY: the caller's promise is handed on; a `Memory` exists only where its features do.
        unsafe {
            match self.0 {
                Width::Xmm => xmm(from, to, len),
                Width::Ymm => ymm(from, to, len),
                Width::Zmm => zmm(from, to, len),
            }
        }
    }
}

const PATTERN: i8 = 0x5a;

/// Longer than this, in bytes, the data is asked for a page ahead, as kernels do: the processor's own prefetching
/// ends with the page, and a limit must not be slower than what it limits.
const CACHED: usize = 1 << 20;

const PAGE: usize = 4096;

#[inline(always)]
fn ask(line: *const u8) {
    // SAFETY: SSE is part of x86-64, and a prefetch of any address is sound.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(line.cast()) };
}

/// # Safety
/// As [`Memory::pass`].
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn zmm(from: *const u8, to: *mut u8, len: usize) {
    let pattern = _mm512_set1_epi8(PATTERN);
    let mut at = 0;
    while len - at >= 64 {
        // SAFETY: at + 64 ≤ len, so the load and the store stay within what the caller promised.
        unsafe {
            let block = _mm512_loadu_si512(from.add(at).cast());
            _mm512_storeu_si512(to.add(at).cast(), _mm512_xor_si512(block, pattern));
        }
        if len > CACHED {
            ask(from.wrapping_add(at + PAGE));
        }
        at += 64;
    }
    // A load through a mask does not get its bytes from the store before it: whole vectors as far as they go.
    let whole = (len - at) / 16 * 16;
    // SAFETY: at + whole ≤ len, and AVX-512 implies AVX2.
    unsafe { ymm(from.add(at), to.add(at), whole) };
    at += whole;
    if at < len {
        let mask = (1 << (len - at)) - 1;
        // SAFETY: the mask has one bit for each of the len - at < 16 bytes left, and masked bytes are not
        // touched.
        unsafe {
            let block = _mm512_maskz_loadu_epi8(mask, from.add(at).cast());
            _mm512_mask_storeu_epi8(to.add(at).cast(), mask, _mm512_xor_si512(block, pattern));
        }
    }
}

/// # Safety
/// As [`Memory::pass`].
#[target_feature(enable = "avx2")]
unsafe fn ymm(from: *const u8, to: *mut u8, len: usize) {
    let pattern = _mm256_set1_epi8(PATTERN);
    let wide = len - len % 32;
    let mut at = 0;
    while at < wide {
        // SAFETY: at + 32 ≤ wide ≤ len.
        unsafe {
            let block = _mm256_loadu_si256(from.add(at).cast::<__m256i>());
            _mm256_storeu_si256(to.add(at).cast::<__m256i>(), _mm256_xor_si256(block, pattern));
        }
        if len > CACHED {
            ask(from.wrapping_add(at + PAGE));
        }
        at += 32;
    }
    // SAFETY: what is left is len - wide bytes from `wide` on.
    unsafe { xmm(from.add(wide), to.add(wide), len - wide) }
}

/// # Safety
/// As [`Memory::pass`].
unsafe fn xmm(from: *const u8, to: *mut u8, len: usize) {
    let wide = len - len % 16;
    let mut at = 0;
    while at < wide {
        // SAFETY: at + 16 ≤ wide ≤ len; SSE2 is part of x86-64.
        unsafe {
            let block = _mm_loadu_si128(from.add(at).cast::<__m128i>());
            let changed = _mm_xor_si128(block, _mm_set1_epi8(PATTERN));
            _mm_storeu_si128(to.add(at).cast::<__m128i>(), changed);
        }
        at += 16;
    }
    while at < len {
        // SAFETY: at < len.
        unsafe { to.add(at).write(from.add(at).read() ^ PATTERN as u8) };
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widths() -> impl Iterator<Item = Memory> {
        Width::ALL
            .into_iter()
            .filter(|&width| width <= Memory::widest().width())
            .map(Memory)
    }

    #[test]
    fn each_byte_and_no_other_is_changed_at_every_length_and_width() {
        for memory in widths() {
            for len in 0..200 {
                let input: [u8; 256] = core::array::from_fn(|i| i as u8);
                let mut data = input;
                memory.read_xor_write(&mut data[7..7 + len], 3);
                let mut copied = input;
                memory.copy(&input[7..7 + len], &mut copied[7..7 + len], 3);
                for i in 0..256 {
                    let inside = (7..7 + len).contains(&i);
                    let expected = if inside { input[i] ^ 0x5a } else { input[i] };
                    assert_eq!(data[i], expected, "in place, {memory:?}, {len} bytes, at {i}");
                    assert_eq!(copied[i], expected, "copy, {memory:?}, {len} bytes, at {i}");
                }
            }
        }
    }

    #[test]
    fn a_copy_stops_where_the_shorter_slice_ends() {
        let mut to = [0; 8];
        Memory::widest().copy(&[0; 4], &mut to, 1);
        assert_eq!(to, [0x5a, 0x5a, 0x5a, 0x5a, 0, 0, 0, 0]);
    }
}
