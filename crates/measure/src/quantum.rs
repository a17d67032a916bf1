//! Timing one batch of calls.
use nix::{
    sched::sched_getcpu,
    sys::resource::{UsageWho, getrusage},
};

use ciphertune_catalog::Fault;
use ciphertune_results::statistics::median;

use crate::{
    clock::Clock,
    protocol::Timed,
    team::{Heat, Run},
};

/// The timer: a clock, and what the two readings of it and an empty loop cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timer {
    clock: Clock,
    ticks_per_second: f64,
}

impl Timer {
    pub(crate) fn new(clock: Clock, ticks_per_second: f64) -> Self {
        Self {
            clock,
            ticks_per_second,
        }
    }

    /// Ticks that `work` takes, the timer's own included; none where the clock began anew meanwhile.
    #[inline]
    pub(crate) fn ticks<E>(&self, work: impl FnOnce() -> Result<(), E>) -> Result<u64, E> {
        let begin = self.clock.now();
        work()?;
        Ok(self.clock.now().saturating_sub(begin))
    }

    /// What the timer and a loop of no calls cost: `repeat` called for zero times.
    pub(crate) fn empty_loop<E>(&self, mut repeat: impl FnMut(u64) -> Result<(), E>) -> Result<u64, E> {
        let mut least = u64::MAX;
        for _ in 0..32 {
            least = least.min(self.ticks(|| repeat(0))?);
        }
        Ok(least)
    }

    /// Calls until the median batch stops falling: caches, page tables, branch history, clock frequency and
    /// the power of wide vector units have then settled. Answers the ticks that a call takes.
    ///
    /// A long call is warm by itself, but may be the one in which a library first makes its tables or seeds its
    /// generator, of a hundred times what the next takes: so it is one of two at least.
    ///
    /// Where it is known what a call took `before`, in another process, one that takes a good part of what is long, and no longer
    /// than then, is enough.
    pub(crate) fn warm_up<E>(
        &self,
        before: Option<f64>,
        mut repeat: impl FnMut(u64) -> Result<(), E>,
    ) -> Result<f64, E> {
        let long = LONG_CALL * self.ticks_per_second;
        let mut last = self.ticks(|| repeat(1))? as f64;
        if let Some(before) = before
            && last > long / 10.0
            && last <= before * AS_BEFORE
        {
            return Ok(last.min(before));
        }
        while last > long {
            let next = self.ticks(|| repeat(1))? as f64;
            if next >= last * STILL_FALLING {
                return Ok(last.min(next));
            }
            last = next;
        }
        let batch = SHORT_BATCH * self.ticks_per_second;
        let mut calls = 1;
        while last < batch && calls < 1 << 30 {
            calls *= 2;
            last = self.ticks(|| repeat(calls))? as f64;
        }
        let mut settled = last;
        for _ in 0..MOST_BATCHES {
            let mut batches = vec![0.0; 3];
            for ticks in &mut batches {
                *ticks = self.ticks(|| repeat(calls))? as f64;
            }
            let fallen = median(batches).unwrap_or(settled);
            let falling = fallen < settled * STILL_FALLING;
            settled = settled.min(fallen);
            if !falling {
                break;
            }
        }
        Ok(settled / calls as f64)
    }

    /// One quantum: `warm` calls that are not timed, then `calls` that are.
    pub(crate) fn quantum<E>(
        &self,
        empty_loop: u64,
        warm: u64,
        calls: u64,
        mut repeat: impl FnMut(u64) -> Result<(), E>,
    ) -> Result<Timed, E> {
        let before = Circumstances::now();
        repeat(warm)?;
        let ticks = self.ticks(|| repeat(calls))?;
        Ok(Timed {
            ticks: ticks.saturating_sub(empty_loop).max(1),
            wall: ticks,
            disturbed: ticks == 0 || before != Circumstances::now(),
        })
    }

    /// One thread's part of a quantum that several threads do at once.
    pub(crate) fn beside(
        &self,
        heat: &Heat,
        warm: u64,
        calls: u64,
        repeat: impl FnMut(u64) -> Result<(), Fault>,
    ) -> Result<Run, Fault> {
        let before = Circumstances::now();
        let marks = heat.run(warm, calls, || self.clock.now(), repeat)?;
        Ok(Run {
            marks,
            disturbed: before != Circumstances::now(),
        })
    }
}

/// Seconds of a call that is warm when it is through with a part of itself.
const LONG_CALL: f64 = 1e-3;

/// A call that takes no more than this share of what it took has made no tables: what these cost is many times that.
const AS_BEFORE: f64 = 1.25;

/// Seconds of a batch of the warm-up.
const SHORT_BATCH: f64 = 20e-6;

/// Groups of three batches after which the warm-up ends even if they still get faster.
const MOST_BATCHES: usize = 30;

/// A median below this share of the one before it is still falling.
const STILL_FALLING: f64 = 0.98;

/// What must be the same before and after a quantum.
#[derive(PartialEq)]
struct Circumstances {
    /// How often the kernel has taken the processor away for something else.
    preemptions: i64,
    processor: usize,
}

impl Circumstances {
    /// Where the system does not tell, nothing seems to change.
    fn now() -> Self {
        Self {
            preemptions: getrusage(UsageWho::RUSAGE_THREAD)
                .map_or(0, |usage| usage.involuntary_context_switches()),
            processor: sched_getcpu().unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn timer() -> Timer {
        Timer::new(Clock::Raw, 1e9)
    }

    #[test]
    fn a_quantum_times_its_calls_after_the_warm_ones() {
        let mut asked = Vec::new();
        let repeat = |calls| {
            asked.push(calls);
            Ok::<(), Infallible>(())
        };
        let Ok(timed) = timer().quantum(u64::MAX, 7, 100, repeat);
        assert_eq!(asked, [7, 100]);
        assert_eq!(
            timed.ticks, 1,
            "the empty loop is taken off, and no quantum takes no time"
        );
    }

    #[test]
    fn a_fault_ends_a_quantum_and_a_warm_up() {
        let mut calls = 0;
        let mut repeat = |_| {
            calls += 1;
            Err("broken")
        };
        assert_eq!(timer().quantum(0, 1, 1, &mut repeat), Err("broken"));
        assert_eq!(timer().warm_up(None, &mut repeat), Err("broken"));
        assert_eq!(timer().empty_loop(&mut repeat), Err("broken"));
        assert_eq!(calls, 3);
    }

    /// Work of which each call takes so many milliseconds, and those after as long as the last; with how many it was
    /// asked for each time.
    fn warm_up_of(before: Option<f64>, milliseconds: &[u64]) -> (f64, Vec<u64>) {
        let mut asked = Vec::new();
        let mut all = milliseconds.iter();
        let mut takes = 0;
        let repeat = |calls| {
            asked.push(calls);
            for _ in 0..calls {
                takes = *all.next().unwrap_or(&takes);
                std::thread::sleep(std::time::Duration::from_millis(takes));
            }
            Ok::<(), Infallible>(())
        };
        let Ok(ticks) = timer().warm_up(before, repeat);
        (ticks, asked)
    }

    #[test]
    fn a_long_call_is_warm_when_the_next_takes_as_long() {
        let (ticks, asked) = warm_up_of(None, &[2, 600]);
        assert_eq!(asked, [1, 1]);
        assert!((2e6..300e6).contains(&ticks), "{ticks}");
    }

    #[test]
    fn what_a_library_makes_in_its_first_calls_is_not_what_a_call_takes() {
        let (ticks, asked) = warm_up_of(None, &[800, 20, 0]);
        assert_eq!(asked[..3], [1, 1, 1]);
        assert!(ticks < 1e6, "{ticks}");
    }

    #[test]
    fn a_call_that_takes_what_it_took_before_is_warm() {
        for (before, asked) in [(1e9, 1), (1e6, 2)] {
            let (ticks, calls) = warm_up_of(Some(before), &[20, 600]);
            assert_eq!(calls.len(), asked, "{before}");
            assert!((20e6..300e6).contains(&ticks), "{ticks}");
        }
    }

    #[test]
    fn the_warm_up_ends_for_work_that_costs_nothing() {
        let Ok(ticks) = timer().warm_up(None, |_| Ok::<(), Infallible>(()));
        assert!(ticks < 1000.0);
    }
}
