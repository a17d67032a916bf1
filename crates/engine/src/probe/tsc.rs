//! The time-stamp counter.
use core::arch::x86_64::{__cpuid, _mm_lfence, _rdtsc};

/// Reads the counter after everything before it has completed and before anything after it begins.
///
/// LFENCE on both sides orders RDTSC (Intel SDM vol. 2, RDTSC; on AMD Linux makes LFENCE serialising). The
/// same sequence serves at the start and at the end of an interval, so that its cost is the same at both.
#[inline]
pub fn read() -> u64 {
    // SAFETY: LFENCE is SSE2, which every x86-64 processor has, and RDTSC works in user mode on every system
    // on which the vDSO's clock does; neither touches memory.
    unsafe {
        _mm_lfence();
        let ticks = _rdtsc();
        _mm_lfence();
        ticks
    }
}

/// Whether the counter ticks at one rate whatever the core does (CPUID 8000_0007H, EDX bit 8).
pub fn is_invariant() -> bool {
    __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx >> 8 & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counter_advances() {
        let first = read();
        assert!((0..1000).any(|_| read() > first));
    }
}
