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
    /// Ticks per second, to about 1 in 100 000.
    pub(crate) first_hz: f64,
}

impl Calibration {
    /// Begins, and waits until the frequency is known well enough.
    pub(crate) fn begin(clock: Clock) -> Self {
        loop {
            let begin = Pair::read(clock);
            thread::sleep(Duration::from_millis(10));
            // Again where one of the two began anew meanwhile.
            if let Some(first_hz) = frequency(begin, Pair::read(clock)) {
                return Self {
                    clock,
                    begin,
                    first_hz,
                };
            }
        }
    }

    /// Seconds since the beginning, without those in which the machine was suspended.
    pub(crate) fn seconds(&self) -> f64 {
        raw_nanoseconds().saturating_sub(self.begin.nanoseconds) as f64 / 1e9
    }

    /// Ticks per second, over all the time since the beginning. `None` where the two clocks have lost step: while a machine
    /// is suspended the system's stops, and the time-stamp counter goes on or begins anew.
    pub(crate) fn hz(&self) -> Option<f64> {
        in_step(self.first_hz, self.begin, Pair::read(self.clock))
    }
}

/// Clocks in step agree with what they were at first to this share. What little they drift apart is a hundredth of it.
const IN_STEP: f64 = 1e-3;

fn in_step(first_hz: f64, begin: Pair, end: Pair) -> Option<f64> {
    frequency(begin, end).filter(|hz| (hz / first_hz - 1.0).abs() < IN_STEP)
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
                let width = clock.now().saturating_sub(before);
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

/// `None` where one of the clocks began anew.
fn frequency(begin: Pair, end: Pair) -> Option<f64> {
    let ticks = end.ticks.checked_sub(begin.ticks)?;
    let nanoseconds = end.nanoseconds.checked_sub(begin.nanoseconds)?;
    Some(ticks as f64 * 1e9 / nanoseconds as f64)
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
        assert_eq!(frequency(begin, end), Some(2.7e9));
    }

    #[test]
    fn a_drift_is_no_loss_of_step_and_a_suspend_is_one() {
        let begin = Pair {
            ticks: 5_000_000_000,
            nanoseconds: 3_000_000_000,
        };
        let after = |ticks, nanoseconds| {
            let end = Pair {
                ticks: begin.ticks + ticks,
                nanoseconds: begin.nanoseconds + nanoseconds,
            };
            in_step(2.5e9, begin, end)
        };
        assert_eq!(after(25_000_250_000, 10_000_000_000), Some(2.500_025e9));
        // The system's clock stopped for a tenth of a second, while the counter went on.
        assert_eq!(after(25_250_000_000, 10_000_000_000), None);
        for anew in [
            Pair { ticks: 7, ..begin },
            Pair {
                nanoseconds: 7,
                ..begin
            },
        ] {
            assert_eq!(in_step(2.5e9, begin, anew), None, "{anew:?}");
        }
    }

    #[test]
    fn a_tick_of_the_systems_clock_is_a_nanosecond() {
        let hz = Calibration::begin(Clock::Raw).hz().unwrap();
        assert!((hz / 1e9 - 1.0).abs() < 1e-3, "{hz}");
    }

    #[test]
    fn two_calibrations_of_the_best_clock_agree() {
        let one = Calibration::begin(Clock::best()).first_hz;
        let two = Calibration::begin(Clock::best()).first_hz;
        assert!((one / two - 1.0).abs() < 0.01, "{one} {two}");
    }
}
