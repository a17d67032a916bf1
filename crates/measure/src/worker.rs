//! The worker's side: one process that loads one source, and gates, prepares and times what it is told to.
use std::io::{self, BufRead, Write};

use ciphertune_catalog::{Fault, Implementation, Operation, Ring, Source, Task, gate};
use nix::{
    sched::{CpuSet, sched_setaffinity},
    sys::{prctl::set_pdeathsig, signal::Signal},
    unistd::Pid,
};
use serde::Serialize;

use crate::{
    cycles,
    protocol::{Answer, Batch, Load, Message, Offer, Ready, Request, Subject},
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
    /// A key and an IV for all of them.
    key: [u8; LONGEST_KEY],
    iv: [u8; LONGEST_IV],
}

const LONGEST_KEY: usize = 64;
const LONGEST_IV: usize = 16;

struct Slot {
    work: Work,
    ring: Ring,
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
            key: random.bytes(),
            iv: random.bytes(),
        })
    }

    fn offers(&self) -> Vec<Offer> {
        self.implementations
            .iter()
            .map(|implementation| Offer {
                description: implementation.description().clone(),
                tasks: implementation.tasks().to_vec(),
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
                task,
                seed,
            } => verdict(gate::check(self.implementation(implementation)?, task, seed)),
            Request::Recheck {
                implementation,
                task,
                seed,
            } => verdict(gate::recheck(self.implementation(implementation)?, task, seed)),
            Request::Prepare {
                slot,
                subject,
                message,
            } => {
                self.slots.truncate(slot);
                Answer::Ready(self.prepare(subject, message)?)
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

    fn prepare(&mut self, subject: Subject, message: Message) -> Result<Ready, Fault> {
        let Message { task, aad, length } = message;
        let (mut work, width) = self.work(subject, task)?;

        // A long message is rehearsed by its beginning: one call of slow code on all of it takes longer than
        // everything else in its cell.
        let mut part = Ring::new(task, length.min(REHEARSED), aad);
        let mut ring = Ring::new(task, length, aad);
        let buffers = &mut self.buffers;
        work.provide(buffers, &mut part)?;
        let ticks = self
            .timer
            .warm_up(|calls| work.repeat(buffers, &mut part, calls))?;
        work.provide(buffers, &mut ring)?;
        let empty_loop = self
            .timer
            .empty_loop(|calls| work.repeat(buffers, &mut ring, calls))?;
        let bytes_per_call = work.bytes_per_call(&ring);
        let ready = Ready {
            in_place: !work.needs_output(),
            width,
            bytes_per_call,
            ticks_per_call: ticks * bytes_per_call as f64 / work.bytes_per_call(&part) as f64,
        };
        self.slots.push(Slot {
            work,
            ring,
            empty_loop,
        });
        Ok(ready)
    }

    /// The work and, for a probe, the width of its vectors.
    fn work(&self, subject: Subject, task: Task) -> Result<(Work, Option<u32>), Fault> {
        match subject {
            Subject::Implementation { index } => Ok((self.implemented(index, task)?, None)),
            #[cfg(target_arch = "x86_64")]
            probe => {
                use ciphertune_engine::probe::{
                    Width,
                    memory::Memory,
                    ports::{Instruction, Ports},
                };

                let ports = |instruction, width| {
                    let mut widths = Width::ALL.into_iter();
                    widths
                        .find(|w| w.bits() == width)
                        .and_then(|width| Ports::at(instruction, width))
                        .map(|ports| (Work::Ports(ports), Some(width)))
                        .ok_or_else(|| Fault(format!("no {instruction:?} of {width} bits")))
                };
                let memory = Memory::widest();
                let memory_width = Some(memory.width().bits());
                match probe {
                    Subject::ReadXorWrite => Ok((Work::ReadXorWrite(memory), memory_width)),
                    Subject::Copy => Ok((Work::Copy(memory), memory_width)),
                    Subject::AesRounds { width } => ports(Instruction::Round, width),
                    Subject::Multiplications { width } => ports(Instruction::Multiplication, width),
                    Subject::Implementation { .. } => unreachable!("matched above"),
                }
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => Err(Fault("no probe for this architecture".to_owned())),
        }
    }

    fn implemented(&self, index: usize, task: Task) -> Result<Work, Fault> {
        let implementation = self.implementation(index)?;
        let key = &self.key[..task.algorithm.key_len()];
        let iv = &self.iv[..task.algorithm.iv_len()];
        let context = implementation.context(task, key, iv)?;
        Ok(match task.operation {
            Operation::Open => {
                let operation = Operation::Seal;
                let seal = implementation.context(Task { operation, ..task }, key, iv)?;
                Work::Opening { open: context, seal }
            }
            _ if context.repeats_in_place() => Work::InPlace(context),
            _ => Work::BufferToBuffer(context),
        })
    }

    fn time(&mut self, batch: Batch) -> Answer {
        let Some(slot) = self.slots.get_mut(batch.slot) else {
            return Answer::Fault(format!("nothing is prepared as {}", batch.slot));
        };
        let buffers = &mut self.buffers;
        match self
            .timer
            .quantum(slot.empty_loop, batch.warm, batch.calls, |calls| {
                slot.work.repeat(buffers, &mut slot.ring, calls)
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
