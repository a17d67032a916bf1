//! Several threads of one worker at once: they begin together, and what counts is what all of them do while all work.
use std::{
    sync::{
        Arc, Barrier,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{self, Receiver, Sender},
    },
    thread::{self, Scope},
};

use ciphertune_catalog::Fault;

use crate::{
    bench::{Bench, Loader},
    protocol::{Batch, Load, Message, Ready, Subject, Timed},
};

/// A bench, and other threads with benches of their own.
pub(crate) struct Team<'scope, 'env, L> {
    pub(crate) own: Bench,
    mates: Vec<Mate>,
    scope: &'scope Scope<'scope, 'env>,
    load: &'scope L,
    request: Load,
}

impl<'scope, 'env, L: Loader> Team<'scope, 'env, L> {
    pub(crate) fn new(
        scope: &'scope Scope<'scope, 'env>,
        load: &'scope L,
        request: Load,
    ) -> Result<Self, String> {
        Ok(Self {
            own: Bench::new(&request, 0, load)?,
            mates: Vec::new(),
            scope,
            load,
            request,
        })
    }

    /// As [`Bench::prepare`], on as many threads as it takes.
    pub(crate) fn prepare(
        &mut self,
        slot: usize,
        subject: Subject,
        message: Message,
        before: Option<f64>,
    ) -> Result<Ready, Fault> {
        let mates = subject.benches() - 1;
        while self.mates.len() < mates {
            let mate = Mate::new(self.scope, self.load, self.mate_request(), self.mates.len() + 1)?;
            self.mates.push(mate);
        }
        let answers: Vec<_> = self.mates[..mates]
            .iter()
            .map(|mate| mate.ask(|reply| Order::Prepare(slot, subject, message, before, reply)))
            .collect();
        let ready = self.own.prepare(slot, subject, message, before);
        for answer in answers {
            hear(&answer)?;
        }
        ready
    }

    /// As [`Bench::look`], on all benches that a slot takes: what they made is the same.
    pub(crate) fn look(&mut self, slot: usize, known: Option<u64>) -> Result<u64, Fault> {
        let mates = self.own.benches(slot)? - 1;
        let print = self.own.look(slot, known)?;
        for mate in &self.mates[..mates] {
            hear(&mate.ask(|reply| Order::Look(slot, Some(print), reply)))?;
        }
        Ok(print)
    }

    /// What the next mate loads: the same, on the next processor, with places of its own.
    fn mate_request(&self) -> Load {
        let number = self.mates.len() + 1;
        let processors = &self.request.processors;
        Load {
            processors: processors
                .get(number % processors.len().max(1))
                .copied()
                .into_iter()
                .collect(),
            seed: self.request.seed.wrapping_add(number as u64),
            ..self.request.clone()
        }
    }

    /// Times one quantum.
    pub(crate) fn time(&mut self, batch: Batch) -> Result<Timed, Fault> {
        let mates = self.own.benches(batch.slot)? - 1;
        if mates == 0 {
            return self.own.time(batch);
        }
        let heat = Arc::new(Heat::new(mates + 1));
        let answers: Vec<_> = self.mates[..mates]
            .iter()
            .map(|mate| mate.ask(|reply| Order::Run(batch, heat.clone(), reply)))
            .collect();
        let own = self.own.run(batch, &heat);
        let others: Result<Vec<Run>, Fault> = answers.iter().map(hear).collect();
        let runs: Vec<Run> = [own?].into_iter().chain(others?).collect();
        together(&runs, batch.calls)
            .ok_or_else(|| Fault("the threads did not work at the same time".to_owned()))
    }
}

/// A thread with a bench of its own. It ends when nobody can order it any more.
struct Mate(Sender<Order>);

enum Order {
    Prepare(usize, Subject, Message, Option<f64>, Sender<Result<Ready, Fault>>),
    Run(Batch, Arc<Heat>, Sender<Result<Run, Fault>>),
    Look(usize, Option<u64>, Sender<Result<u64, Fault>>),
}

impl Mate {
    fn new<'scope, L: Loader>(
        scope: &'scope Scope<'scope, '_>,
        load: &'scope L,
        request: Load,
        number: usize,
    ) -> Result<Self, Fault> {
        let (orders, ordered) = mpsc::channel();
        let (reply, answer) = mpsc::channel();
        scope.spawn(move || {
            let mut bench = match Bench::new(&request, number, load) {
                Ok(bench) => bench,
                Err(why) => return reply.send(Err(Fault(why))).unwrap_or(()),
            };
            let _ = reply.send(Ok(()));
            for order in ordered {
                // Whoever does not listen any more has failed otherwise.
                match order {
                    Order::Prepare(slot, subject, message, before, reply) => {
                        let _ = reply.send(bench.prepare(slot, subject, message, before));
                    }
                    Order::Run(batch, heat, reply) => {
                        let _ = reply.send(bench.run(batch, &heat));
                    }
                    Order::Look(slot, known, reply) => {
                        let _ = reply.send(bench.look(slot, known));
                    }
                }
            }
        });
        hear(&answer).map(|()| Self(orders))
    }

    fn ask<T>(&self, order: impl FnOnce(Sender<T>) -> Order) -> Receiver<T> {
        let (reply, answer) = mpsc::channel();
        // If it is gone, there will be no answer, which says so.
        let _ = self.0.send(order(reply));
        answer
    }
}

fn hear<T>(answer: &Receiver<Result<T, Fault>>) -> Result<T, Fault> {
    let gone = |_| Err(Fault("one of the threads ended".to_owned()));
    answer.recv().unwrap_or_else(gone)
}

/// One quantum of several threads.
pub(crate) struct Heat {
    threads: usize,
    start: Barrier,
    /// How many have begun. Where threads outnumber processors, some begin long after others.
    begun: AtomicUsize,
    /// All have begun, and somebody has done all its calls, so that the others may stop; or somebody failed.
    over: AtomicBool,
}

impl Heat {
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            threads,
            start: Barrier::new(threads),
            begun: AtomicUsize::new(0),
            over: AtomicBool::new(false),
        }
    }

    /// Runs `calls` calls in parts, each of which ends with a look at the clock, `now`; or fewer, where another thread
    /// was done before, or more, until every thread has begun. All begin when everyone has done the `warm` calls, also
    /// when those failed.
    pub(crate) fn run(
        &self,
        warm: u64,
        calls: u64,
        now: impl Fn() -> u64,
        mut repeat: impl FnMut(u64) -> Result<(), Fault>,
    ) -> Result<Vec<Mark>, Fault> {
        let warmed = repeat(warm);
        self.start.wait();
        let mut marks = vec![Mark {
            ticks: now(),
            calls: 0,
        }];
        self.begun.fetch_add(1, Ordering::SeqCst);
        let run = || {
            warmed?;
            let part = (calls / PARTS).max(1);
            for done in (part..).step_by(part as usize) {
                // Asked before the part whose end may be the last mark: so that lies behind every beginning.
                let all_work = self.begun.load(Ordering::SeqCst) == self.threads;
                let over = self.over.load(Ordering::SeqCst);
                repeat(part)?;
                marks.push(Mark {
                    ticks: now(),
                    calls: done,
                });
                if over || all_work && done >= calls {
                    break;
                }
                // Who has not begun may wait for this processor, which a thread of real-time priority gives up only so.
                if done >= calls {
                    thread::yield_now();
                }
            }
            Ok(())
        };
        let done = run();
        self.over.store(true, Ordering::SeqCst);
        done.map(|()| marks)
    }
}

/// Parts of a quantum. What a thread has done when another is done is known to a part, and the middle of it is assumed.
const PARTS: u64 = 16;

/// How far a thread was at some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mark {
    ticks: u64,
    calls: u64,
}

/// What one thread did in a quantum.
pub(crate) struct Run {
    pub(crate) marks: Vec<Mark>,
    pub(crate) disturbed: bool,
}

/// The time that all together take for `calls` calls, by what they did from the moment when the last had begun until the
/// first was done. `None` where there was no such time.
fn together(runs: &[Run], calls: u64) -> Option<Timed> {
    let begin = runs.iter().map(|run| run.marks[0].ticks).max()?;
    let end = runs
        .iter()
        .filter_map(|run| run.marks.last())
        .map(|mark| mark.ticks)
        .min()?;
    let window = end.checked_sub(begin).filter(|&window| window > 0)?;
    let done: f64 = runs
        .iter()
        .map(|run| calls_at(&run.marks, end) - calls_at(&run.marks, begin))
        .sum();
    Some(Timed {
        ticks: (window as f64 * calls as f64 / done).round().max(1.0) as u64,
        wall: window,
        disturbed: runs.iter().any(|run| run.disturbed),
    })
}

/// How many calls were done at some time, between two marks in proportion.
fn calls_at(marks: &[Mark], ticks: u64) -> f64 {
    let after = marks.partition_point(|mark| mark.ticks <= ticks);
    let (Some(before), Some(next)) = (after.checked_sub(1).map(|n| marks[n]), marks.get(after)) else {
        return marks
            .last()
            .map_or(0.0, |last| if after == 0 { 0.0 } else { last.calls as f64 });
    };
    let share = (ticks - before.ticks) as f64 / (next.ticks - before.ticks) as f64;
    before.calls as f64 + share * (next.calls - before.calls) as f64
}

#[cfg(test)]
mod tests {
    use std::{
        process::Command,
        sync::atomic::AtomicU64,
        time::{Duration, Instant},
    };

    use nix::unistd::gettid;

    use super::*;
    use crate::affinity::{allowed, stay_on};

    fn run(marks: &[(u64, u64)]) -> Run {
        Run {
            marks: marks
                .iter()
                .map(|&(ticks, calls)| Mark { ticks, calls })
                .collect(),
            disturbed: false,
        }
    }

    #[test]
    fn what_counts_is_what_all_do_while_all_work() {
        // The second begins late and is half as fast.
        let runs = [run(&[(0, 0), (100, 10), (200, 20)]), run(&[(100, 0), (300, 10)])];
        // In the common hundred ticks: 10 and 5.
        let timed = together(&runs, 30).unwrap();
        assert_eq!((timed.ticks, timed.wall, timed.disturbed), (200, 100, false));
        assert!(together(&[run(&[(0, 0), (10, 1)]), run(&[(10, 0), (20, 1)])], 1).is_none());
    }

    #[test]
    fn a_thread_is_done_or_stops_when_another_is() {
        let clock = AtomicU64::new(0);
        let now = || clock.fetch_add(1, Ordering::Relaxed);
        let heat = Heat::new(2);
        let (few, many) = (AtomicU64::new(0), AtomicU64::new(0));
        let do_few = |part| {
            few.fetch_add(part, Ordering::Relaxed);
            Ok(())
        };
        // Has done nothing yet when the few are done.
        let do_many = |part| {
            while part > 0 && few.load(Ordering::Relaxed) < 32 {
                thread::yield_now();
            }
            many.fetch_add(part, Ordering::Relaxed);
            Ok(())
        };
        thread::scope(|scope| {
            let other = scope.spawn(|| heat.run(0, u64::MAX / 2, now, do_many).unwrap());
            let own = heat.run(0, 32, now, do_few).unwrap();
            // More than its share, if the other began so late.
            assert!(own.len() >= 17);
            let calls = |marks: &[Mark]| marks.last().map(|mark| mark.calls);
            assert_eq!(calls(&own), Some(few.load(Ordering::Relaxed)));
            let other = other.join().unwrap();
            assert_eq!(calls(&other), Some(many.load(Ordering::Relaxed)));
        });
    }

    #[test]
    fn a_fault_keeps_nobody_waiting() {
        let heat = Heat::new(2);
        thread::scope(|scope| {
            let fails = scope.spawn(|| heat.run(1, 1, || 0, |_| Err(Fault("no".to_owned()))));
            assert!(heat.run(1, 1 << 40, || 0, |_| Ok(())).is_ok());
            assert!(fails.join().unwrap().is_err());
        });
    }

    /// Gives the calling thread real-time priority, if this system grants that; says whether it does.
    fn in_real_time() -> bool {
        let thread = gettid().to_string();
        let chrt = Command::new("chrt")
            .args(["--fifo", "--pid", "1", &thread])
            .output();
        chrt.is_ok_and(|output| output.status.success())
    }

    #[test]
    fn two_in_real_time_on_one_processor_both_begin() {
        if !thread::scope(|scope| scope.spawn(in_real_time).join().unwrap()) {
            eprintln!("left out: this system grants nobody real-time priority");
            return;
        }
        let heat = Heat::new(2);
        let patience = Instant::now() + Duration::from_secs(20);
        let run = || {
            stay_on(&allowed()[..1]).unwrap();
            in_real_time();
            heat.run(
                1,
                100,
                || 0,
                |_| match Instant::now() < patience {
                    true => Ok(()),
                    false => Err(Fault("the other never began".to_owned())),
                },
            )
        };
        thread::scope(|scope| {
            let other = scope.spawn(run);
            scope.spawn(run).join().unwrap().unwrap();
            other.join().unwrap().unwrap();
        });
    }
}
