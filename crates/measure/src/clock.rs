use std::{thread, time::Duration};

use nix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

/// What quanta are timed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Clock {
    /// The time-stamp counter, read serialised.
    #[cfg(target_arch = "x86_64")]
    Tsc,
    /// CLOCK_MONOTONIC_RAW; a tick is a nanosecond.
    Raw,
}

impl Clock {
    /// The time-stamp counter where it ticks at one rate, the system's clock elsewhere. AArch64's counter, by which that
    /// clock goes there, is often too coarse to be worth reading itself.
    pub(crate) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if ciphertune_engine::probe::tsc::is_invariant() {
            return Self::Tsc;
        }
        Self::Raw
    }

    /// Whether its ticks are the time-stamp counter's.
    pub(crate) fn is_tsc(self) -> bool {
        self != Self::Raw
    }

    #[inline]
    pub(crate) fn now(self) -> u64 {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Tsc => ciphertune_engine::probe::tsc::read(),
            Self::Raw => raw_nanoseconds(),
        }
    }
}

fn raw_nanoseconds() -> u64 {
    clock_gettime(ClockId::CLOCK_MONOTONIC_RAW).map_or(0, |time| {
        time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64
    })
}

/// Finds a clock's frequency by CLOCK_MONOTONIC_RAW. The longer it runs, the better it knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Calibration {
    clock: Clock,
    begin: Pair,
}

impl Calibration {
    /// Begins, and waits until the frequency is known to about 1 in 100 000.
    pub(crate) fn begin(clock: Clock) -> Self {
        let begin = Pair::read(clock);
        thread::sleep(Duration::from_millis(10));
        Self { clock, begin }
    }

    /// Ticks since the beginning.
    pub(crate) fn ticks(&self) -> u64 {
        self.clock.now() - self.begin.ticks
    }

    /// Ticks per second, over all the time since the beginning.
    pub(crate) fn hz(&self) -> f64 {
        let now = Pair::read(self.clock);
        frequency(self.begin, now)
    }
}

/// Both clocks at one moment.
#[derive(Clone, Copy, Debug)]
struct Pair {
    ticks: u64,
    nanoseconds: u64,
}

impl Pair {
    /// The tightest of several readings: the system's clock between two readings of ours.
    fn read(clock: Clock) -> Self {
        (0..16)
            .map(|_| {
                let before = clock.now();
                let nanoseconds = raw_nanoseconds();
                let width = clock.now() - before;
                let ticks = before + width / 2;
                (width, Self { ticks, nanoseconds })
            })
            .min_by_key(|(width, _)| *width)
            .map_or(
                Self {
                    ticks: 0,
                    nanoseconds: 0,
                },
                |(_, pair)| pair,
            )
    }
}

fn frequency(begin: Pair, end: Pair) -> f64 {
    (end.ticks - begin.ticks) as f64 * 1e9 / (end.nanoseconds - begin.nanoseconds) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequency_is_ticks_a_second() {
        let begin = Pair {
            ticks: 1000,
            nanoseconds: 77,
        };
        let end = Pair {
            ticks: 27_000_000_000 + 1000,
            nanoseconds: 10_000_000_077,
        };
        assert_eq!(frequency(begin, end), 2.7e9);
    }

    #[test]
    fn a_tick_of_the_systems_clock_is_a_nanosecond() {
        let hz = Calibration::begin(Clock::Raw).hz();
        assert!((hz / 1e9 - 1.0).abs() < 1e-3, "{hz}");
    }

    #[test]
    fn two_calibrations_of_the_best_clock_agree() {
        let one = Calibration::begin(Clock::best()).hz();
        let two = Calibration::begin(Clock::best()).hz();
        assert!((one / two - 1.0).abs() < 0.01, "{one} {two}");
    }
}
