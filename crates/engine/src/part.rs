//! Less than a block from and to memory, touching no other byte.
//!
//! At most two overlapping reads or writes, put together in general registers: a copy through memory would wait for its
//! stores.

use inout::InOutBuf;

use crate::BLOCK;

/// Adds keystream to a part of a block, 1 to 15 bytes. Answers what came in and what goes out; all are numbers whose first
/// byte is the least significant.
#[inline(always)]
pub(crate) fn add(keystream: u128, buffer: InOutBuf<'_, '_, u8>) -> [u128; 2] {
    let len = buffer.len();
    assert!((1..BLOCK).contains(&len), "a part of a block");
    let input = number(buffer.get_in());
    let output = input ^ keystream & !(u128::MAX << (8 * len));
    // SAFETY: the buffer is valid for as many bytes, 1 to 15.
    unsafe { store([output as u64, (output >> 64) as u64], buffer.into_raw().1, len) };
    [input, output]
}

/// Less than a block as a number, the first byte the least significant.
#[inline(always)]
pub(crate) fn number(bytes: &[u8]) -> u128 {
    assert!(bytes.len() < BLOCK, "less than a block");
    if bytes.is_empty() {
        return 0;
    }
    // SAFETY: there are that many, 1 to 15.
    let [low, high] = unsafe { load(bytes.as_ptr(), bytes.len()) };
    u128::from(high) << 64 | u128::from(low)
}

/// The `n` bytes at `from`, 1 to 15, the first one as the least significant and zeros above: low half, high half.
///
/// # Safety
/// `from` is valid for reading `n` bytes.
#[inline(always)]
pub(crate) unsafe fn load(from: *const u8, n: usize) -> [u64; 2] {
    // SAFETY: every read lies within the caller's `n` bytes.
    unsafe {
        match n {
            8.. => {
                let last = from.add(n - 8).cast::<u64>().read_unaligned();
                let high = last.checked_shr(128 - 8 * n as u32).unwrap_or(0);
                [from.cast::<u64>().read_unaligned(), high]
            }
            4.. => {
                let first = from.cast::<u32>().read_unaligned();
                let last = from.add(n - 4).cast::<u32>().read_unaligned();
                [u64::from(first) | u64::from(last) << (8 * (n - 4)), 0]
            }
            _ => {
                // 1, 2 or 3 bytes: the first, the middle and the last, which may be the same ones.
                let byte = |i: usize| u64::from(*from.add(i)) << (8 * i);
                [byte(0) | byte(n / 2) | byte(n - 1), 0]
            }
        }
    }
}

/// The first `n` bytes, 1 to 15, of a block in its two halves to `to`.
///
/// # Safety
/// `to` is valid for writing `n` bytes.
#[inline(always)]
pub(crate) unsafe fn store([low, high]: [u64; 2], to: *mut u8, n: usize) {
    // SAFETY: every write lies within the caller's `n` bytes.
    unsafe {
        match n {
            8.. => {
                to.cast::<u64>().write_unaligned(low);
                let last = (u128::from(high) << 64 | u128::from(low)) >> (8 * (n - 8));
                to.add(n - 8).cast::<u64>().write_unaligned(last as u64);
            }
            4.. => {
                to.cast::<u32>().write_unaligned(low as u32);
                to.add(n - 4)
                    .cast::<u32>()
                    .write_unaligned((low >> (8 * (n - 4))) as u32);
            }
            _ => {
                *to = low as u8;
                *to.add(n / 2) = (low >> (8 * (n / 2))) as u8;
                *to.add(n - 1) = (low >> (8 * (n - 1))) as u8;
            }
        }
    }
}
