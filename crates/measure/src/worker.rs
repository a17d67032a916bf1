//! The worker's side: one process that loads one source, and gates, prepares and times what it is told to.
use std::io::{self, BufRead, Write};

use ciphertune_catalog::{Fault, Implementation, Source, gate};
use nix::{
    sched::{CpuSet, sched_setaffinity},
    sys::{prctl::set_pdeathsig, signal::Signal},
    unistd::Pid,
};
use serde::Serialize;

use crate::{
    cycles,
    protocol::{Answer, Batch, Load, Offer, Ready, Request, Subject},
    quantum::Timer,
    random::Random,
    work::{Buffers, Work},
};

/// The body of a worker process: answers requests from standard input on standard output until the input
/// ends.
///
/// # Errors
/// Input that is not the protocol, or output that cannot be written.
pub fn serve() -> io::Result<()> {
    serve_with(|source| {
        source
            .load()
            .map(|loaded| loaded.implementations)
            .map_err(|error| error.to_string())
    })
}

/// As [`serve`], with implementations from somewhere else than the catalog; `load` answers why a source
/// cannot be used where it cannot.
///
/// # Errors
/// As [`serve`].
pub fn serve_with(load: impl Fn(&Source) -> Result<Vec<Box<dyn Implementation>>, String>) -> io::Result<()> {
    // A worker that hangs in a library does not see its input end; it goes when the session goes.
    let _ = set_pdeathsig(Signal::SIGKILL);

    let mut input = io::stdin().lock();
    let mut line = String::new();
    let mut bench: Option<Bench> = None;
    while input.read_line(&mut line)? > 0 {
        match (serde_json::from_str(&line)?, &mut bench) {
            (Request::Load(request), _) => match Bench::new(&request, &load) {
                Ok(loaded) => {
                    answer(&Answer::Loaded(loaded.offers()))?;
                    bench = Some(loaded);
                }
                Err(reason) => answer(&Answer::Refused(reason))?,
            },
            (Request::Time(batches), Some(bench)) => {
                for batch in batches {
                    answer(&bench.time(batch))?;
                }
            }
            (request, Some(bench)) => answer(&bench.handle(request))?,
            (_, None) => answer(&Answer::Fault("nothing is loaded yet".to_owned()))?,
        }
        line.clear();
    }
    Ok(())
}

fn answer(answer: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(answer)?;
    line.push(b'\n');
    let mut output = io::stdout().lock();
    output.write_all(&line)?;
    output.flush()
}

/// A source's implementations, and those of them that are ready to be timed.
struct Bench {
    implementations: Vec<Box<dyn Implementation>>,
    slots: Vec<Slot>,
    buffers: Buffers,
    timer: Timer,
    random: Random,
}

struct Slot {
    work: Work,
    length: usize,
    empty_loop: u64,
}

impl Bench {
    fn new(
        request: &Load,
        load: impl Fn(&Source) -> Result<Vec<Box<dyn Implementation>>, String>,
    ) -> Result<Self, String> {
        if let Some(cpu) = request.cpu {
            pin(cpu).map_err(|error| format!("the worker cannot stay on processor {cpu}: {error}"))?;
        }
        let mut random = Random::new(request.seed);
        let implementations = match &request.source {
            Some(source) => load(source)?,
            None => Vec::new(),
        };
        Ok(Self {
            implementations,
            slots: Vec::new(),
            buffers: Buffers::new(request.longest, Random::new(random.word()))
                .map_err(|fault| fault.to_string())?,
            timer: Timer::new(request.clock, request.ticks_per_second),
            random,
        })
    }

    fn offers(&self) -> Vec<Offer> {
        self.implementations
            .iter()
            .map(|implementation| Offer {
                description: implementation.description().clone(),
                algorithms: implementation.algorithms().to_vec(),
            })
            .collect()
    }

    fn handle(&mut self, request: Request) -> Answer {
        self.try_to(request)
            .unwrap_or_else(|fault| Answer::Fault(fault.0))
    }

    fn try_to(&mut self, request: Request) -> Result<Answer, Fault> {
        Ok(match request {
            Request::Gate {
                implementation,
                algorithm,
                seed,
            } => verdict(gate::check(self.implementation(implementation)?, algorithm, seed)),
            Request::Recheck {
                implementation,
                algorithm,
                seed,
            } => verdict(gate::recheck(
                self.implementation(implementation)?,
                algorithm,
                seed,
            )),
            Request::Prepare {
                slot,
                subject,
                length,
            } => {
                self.slots.truncate(slot);
                Answer::Ready(self.prepare(subject, length)?)
            }
            Request::Cycles => Answer::Cycles(cycles::estimate(&self.timer)),
            Request::Load(_) | Request::Time(_) => unreachable!("answered by serve_with"),
        })
    }

    fn implementation(&self, index: usize) -> Result<&dyn Implementation, Fault> {
        self.implementations
            .get(index)
            .map(|implementation| &**implementation)
            .ok_or_else(|| Fault(format!("there is no implementation {index}")))
    }

    fn prepare(&mut self, subject: Subject, length: usize) -> Result<Ready, Fault> {
        let (mut work, width) = self.work(subject)?;
        if work.needs_output() {
            self.buffers.provide_output()?;
        }
        let in_place = !work.needs_output();

        // A long message is rehearsed by its beginning: one call of slow code on all of it takes longer than
        // everything else in its cell.
        let part = length.min(REHEARSED);
        let buffers = &mut self.buffers;
        let ticks = self.timer.warm_up(|calls| work.repeat(buffers, part, calls))?;
        let empty_loop = self
            .timer
            .empty_loop(|calls| work.repeat(buffers, length, calls))?;
        let bytes_per_call = work.bytes_per_call(length);
        let ready = Ready {
            in_place,
            width,
            bytes_per_call,
            ticks_per_call: ticks * bytes_per_call as f64 / work.bytes_per_call(part) as f64,
        };
        self.slots.push(Slot {
            work,
            length,
            empty_loop,
        });
        Ok(ready)
    }

    /// The work and, for a probe, the width of its vectors.
    fn work(&mut self, subject: Subject) -> Result<(Work, Option<u32>), Fault> {
        match subject {
            Subject::Implementation { index, algorithm } => {
                let key: [u8; 32] = self.random.bytes();
                let iv: [u8; 16] = self.random.bytes();
                let context =
                    self.implementation(index)?
                        .context(algorithm, &key[..algorithm.key_len()], &iv)?;
                Ok((
                    if context.in_place() {
                        Work::InPlace(context)
                    } else {
                        Work::BufferToBuffer(context)
                    },
                    None,
                ))
            }
            #[cfg(target_arch = "x86_64")]
            probe => {
                use ciphertune_engine::probe::{Width, memory::Memory, ports::Rounds};

                let memory = Memory::widest();
                let memory_width = Some(memory.width().bits());
                Ok(match probe {
                    Subject::ReadXorWrite => (Work::ReadXorWrite(memory), memory_width),
                    Subject::Copy => (Work::Copy(memory), memory_width),
                    Subject::AesRounds { width } => {
                        let rounds = Width::ALL
                            .into_iter()
                            .find(|w| w.bits() == width)
                            .and_then(Rounds::at)
                            .ok_or_else(|| Fault(format!("no AES instructions of {width} bits")))?;
                        (Work::AesRounds(rounds), Some(width))
                    }
                    Subject::Implementation { .. } => unreachable!("matched above"),
                })
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => Err(Fault("no probe for this architecture".to_owned())),
        }
    }

    fn time(&mut self, batch: Batch) -> Answer {
        let Some(slot) = self.slots.get_mut(batch.slot) else {
            return Answer::Fault(format!("nothing is prepared as {}", batch.slot));
        };
        let buffers = &mut self.buffers;
        match self
            .timer
            .quantum(slot.empty_loop, batch.warm, batch.calls, |calls| {
                slot.work.repeat(buffers, slot.length, calls)
            }) {
            Ok(timed) => Answer::Timed(timed),
            Err(fault) => Answer::Fault(fault.0),
        }
    }
}

/// The part of a message that is enough to warm up by: as much as a second-level cache holds.
const REHEARSED: usize = 1 << 16;

fn verdict(checked: Result<(), gate::Failure>) -> Answer {
    match checked {
        Ok(()) => Answer::Right,
        Err(failure) => Answer::Wrong(failure.to_string()),
    }
}

fn pin(cpu: usize) -> nix::Result<()> {
    let mut set = CpuSet::new();
    set.set(cpu)?;
    sched_setaffinity(Pid::from_raw(0), &set)
}
