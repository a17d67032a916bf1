//! How long a core cycle is, without performance counters.
//!
//! The time-stamp counter ticks at a rate of its own. A chain of dependent instructions of known latency
//! takes a known number of core cycles, so its time says how long one is. Two different chains must agree,
//! and the estimate before a block of timing must agree with the one after it; otherwise there is none.
use crate::{protocol::Cycles, quantum::Timer};

/// Two estimates agree when they differ by less than this.
const AGREEMENT: f64 = 0.01;

/// Ticks a cycle by either chain; `None` on a processor for which there are no chains.
pub(crate) fn estimate(timer: &Timer) -> Option<Cycles> {
    #[cfg(target_arch = "x86_64")]
    {
        use ciphertune_engine::probe::chain;

        let ticks_per_cycle = |chain: fn(u64) -> u64| {
            // The least of several: whatever interferes only adds.
            (0..5)
                .filter_map(|_| {
                    let mut cycles = 0;
                    let ticks = timer
                        .ticks(|| {
                            cycles = chain(CHAIN);
                            Ok::<(), std::convert::Infallible>(())
                        })
                        .ok()?;
                    Some(ticks as f64 / cycles as f64)
                })
                .min_by(f64::total_cmp)
        };
        Some(Cycles {
            additions: ticks_per_cycle(chain::additions)?,
            multiplications: ticks_per_cycle(chain::multiplications)?,
        })
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = timer;
        None
    }
}

/// Cycles of a chain: some 15 µs, against which the timer's own 30 ns are 0.2 %.
#[cfg(target_arch = "x86_64")]
const CHAIN: u64 = 60_000;

/// Ticks a cycle around a block, where all four estimates agree.
pub(crate) fn bracket(before: Option<Cycles>, after: Option<Cycles>) -> Option<f64> {
    let (before, after) = (before?, after?);
    let estimates = [
        before.additions,
        before.multiplications,
        after.additions,
        after.multiplications,
    ];
    let least = estimates.into_iter().fold(f64::INFINITY, f64::min);
    let most = estimates.into_iter().fold(0.0, f64::max);
    (least > 0.0 && most <= least * (1.0 + AGREEMENT))
        .then(|| estimates.iter().sum::<f64>() / estimates.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycles(additions: f64, multiplications: f64) -> Option<Cycles> {
        Some(Cycles {
            additions,
            multiplications,
        })
    }

    #[test]
    fn a_bracket_holds_when_chains_and_ends_agree() {
        let mean = bracket(cycles(0.600, 0.602), cycles(0.601, 0.601)).unwrap();
        assert!((mean - 0.601).abs() < 1e-12);
    }

    #[test]
    fn it_does_not_when_the_chains_or_the_ends_disagree_or_one_is_missing() {
        assert_eq!(bracket(cycles(0.6, 0.8), cycles(0.6, 0.8)), None);
        assert_eq!(bracket(cycles(0.6, 0.6), cycles(0.61, 0.61)), None);
        assert_eq!(bracket(None, cycles(0.6, 0.6)), None);
        assert_eq!(bracket(cycles(0.0, 0.0), cycles(0.0, 0.0)), None);
    }
}
