//! Chains of dependent instructions, by whose time the core's frequency is estimated.
//!
//! Each instruction waits for the one before it, so a chain takes its length times the latency, however wide
//! the core is. There are two, because either alone can mislead: where a core fuses the additions or
//! multiplies at another latency the two disagree, and the estimate is worth nothing.
use core::arch::asm;

/// Runs a chain of additions and exclusive-ors, of one cycle each, for at least `cycles`; returns the cycles
/// that it takes.
///
/// Both operands are registers: some cores add constants while they rename registers, at no cost.
pub fn additions(cycles: u64) -> u64 {
    let turns = cycles.div_ceil(16).max(1);
    // SAFETY: the asm works on registers alone, all of them declared, and its loop ends after `turns` ≥ 1.
    unsafe {
        asm!(
            "2:",
            "add {x}, {y}", "xor {x}, {z}", "add {x}, {y}", "xor {x}, {z}",
            "add {x}, {y}", "xor {x}, {z}", "add {x}, {y}", "xor {x}, {z}",
            "add {x}, {y}", "xor {x}, {z}", "add {x}, {y}", "xor {x}, {z}",
            "add {x}, {y}", "xor {x}, {z}", "add {x}, {y}", "xor {x}, {z}",
            "dec {turns}",
            "jnz 2b",
            x = inout(reg) 1u64 => _,
            y = in(reg) 0x9e37_79b9u64,
            z = in(reg) 0x7f4a_7c15u64,
            turns = inout(reg) turns => _,
            options(nomem, nostack),
        );
    }
    16 * turns
}

/// Runs a chain of 32-bit multiplications, of three cycles each on every x86-64 core of the last fifteen
/// years but Bulldozer's and the early Atoms', for at least `cycles`; returns the cycles that it takes.
pub fn multiplications(cycles: u64) -> u64 {
    let turns = cycles.div_ceil(24).max(1);
    // SAFETY: as in `additions`.
    unsafe {
        asm!(
            "2:",
            "imul {x:e}, {y:e}", "imul {x:e}, {y:e}", "imul {x:e}, {y:e}", "imul {x:e}, {y:e}",
            "imul {x:e}, {y:e}", "imul {x:e}, {y:e}", "imul {x:e}, {y:e}", "imul {x:e}, {y:e}",
            "dec {turns}",
            "jnz 2b",
            x = inout(reg) 3u32 => _,
            y = in(reg) 0x9e37_79b9u32,
            turns = inout(reg) turns => _,
            options(nomem, nostack),
        );
    }
    24 * turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_at_least_as_long_as_asked_and_ends_at_zero() {
        for chain in [additions, multiplications] {
            for cycles in [0, 1, 16, 17, 24, 1000] {
                let ran = chain(cycles);
                assert!(ran > 0 && ran >= cycles && ran < cycles + 25);
            }
        }
    }
}
