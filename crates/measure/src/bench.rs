//! What a worker has loaded, and what of it is ready to be timed.
use std::collections::BTreeMap;

use ciphertune::Threads;
use ciphertune_catalog::{Fault, Implementation, Names, Ring, Source, Task, Witness, gate};
use ciphertune_testkit::Random;

use crate::{
    affinity::stay_on,
    buffers::Buffers,
    guests::Guests,
    protocol::{Batch, Load, Message, Offer, Ready, Subject, Team, Timed},
    quantum::Timer,
    team::{Heat, Run},
    work::{Counted, Hashed, Made, Work},
};

/// Loads a source, or answers why it cannot be used.
pub(crate) trait Loader: Fn(&Source) -> Result<Vec<Box<dyn Implementation>>, String> + Sync {}

impl<F: Fn(&Source) -> Result<Vec<Box<dyn Implementation>>, String> + Sync> Loader for F {}

/// A source's implementations, and those of them that are ready to be timed.
pub(crate) struct Bench {
    loaded: Loaded,
    slots: BTreeMap<usize, Slot>,
    buffers: Buffers,
    timer: Timer,
    processors: Vec<usize>,
}

/// What a source has, and a key and an IV for all of it.
struct Loaded {
    implementations: Vec<Box<dyn Implementation>>,
    key: Vec<u8>,
    iv: Vec<u8>,
}

/// Of the key with which helped streams are compared with serial ones.
const GATE_SEED: u64 = 2008;

const LONGEST_KEY: usize = 96;
const LONGEST_IV: usize = 16;

struct Slot {
    /// With threads that help, nothing: they come for each quantum, and leave the processors to others after it.
    work: Option<Work>,
    subject: Subject,
    message: Message,
    ring: Ring<'static>,
    empty_loop: u64,
}

impl Bench {
    /// The bench with this number among those of its worker.
    pub(crate) fn new(request: &Load, number: usize, load: &impl Loader) -> Result<Self, String> {
        if let Some(cpu) = request.processors.first() {
            let stay = |processors| {
                stay_on(processors)
                    .map_err(|error| format!("the worker cannot stay on processor {cpu}: {error}"))
            };
            // Threads that help are as many as there are processors when they are first asked for.
            stay(&request.processors)?;
            let _ = Threads::available();
            stay(&[*cpu])?;
        }
        let mut keys = Random::new(request.key_seed);
        let mut random = Random::new(request.seed);
        let implementations = match &request.source {
            Some(source) => load(source)?,
            None => Vec::new(),
        };
        Ok(Self {
            loaded: Loaded {
                implementations,
                key: keys.bytes(LONGEST_KEY),
                iv: keys.bytes(LONGEST_IV),
            },
            slots: BTreeMap::new(),
            buffers: Buffers::new(&request.room, number, Random::new(random.word()))
                .map_err(|fault| fault.to_string())?,
            timer: Timer::new(request.clock, request.ticks_per_second),
            processors: request.processors.clone(),
        })
    }

    pub(crate) fn offers(&self) -> Vec<Offer> {
        self.loaded
            .implementations
            .iter()
            .map(|implementation| {
                let tasks = implementation.tasks().iter().copied();
                let helped = tasks.clone().filter(|&task| implementation.has_workers(task));
                Offer {
                    description: implementation.description().clone(),
                    helped: helped.collect(),
                    tasks: tasks.map(|task| (task, implementation.longest(task))).collect(),
                }
            })
            .collect()
    }

    pub(crate) fn names(&self) -> Names {
        let implementations = self.loaded.implementations.iter();
        Names::of_all(implementations.map(|implementation| implementation.names()))
    }

    pub(crate) fn timer(&self) -> &Timer {
        &self.timer
    }

    /// Has an implementation checked, on the processor of this number: other workers check theirs on others.
    pub(crate) fn check(
        &self,
        index: usize,
        place: usize,
        check: impl FnOnce(&dyn Implementation) -> Result<(), gate::Failure>,
    ) -> Result<Result<(), gate::Failure>, Fault> {
        let implementation = self.implementation(index)?;
        // Where it may not go there, it stays, which only takes longer.
        let go = |place: usize| self.processors.get(place).map(|&cpu| stay_on(&[cpu]));
        let _ = go(place);
        let checked = check(implementation);
        let _ = go(0);
        Ok(checked)
    }

    fn implementation(&self, index: usize) -> Result<&dyn Implementation, Fault> {
        self.loaded.implementation(index)
    }

    /// Makes the subject ready under this number; whatever had it or a higher one goes. `before` are the ticks that a byte
    /// took in another process.
    pub(crate) fn prepare(
        &mut self,
        slot: usize,
        subject: Subject,
        message: Message,
        before: Option<f64>,
    ) -> Result<Ready, Fault> {
        self.slots.split_off(&slot);
        let Message {
            task, aad, length, ..
        } = message;
        if let Subject::Implementation { index, team } = subject
            && let workers @ 1.. = team.workers()
        {
            let guests = Guests::admit(&self.processors)?;
            gate::check_helped(self.implementation(index)?, task, workers, length, GATE_SEED)
                .map_err(|failure| Fault(format!("{}: {}", failure.case, failure.symptom)))?;
            guests.leave()?;
        }
        let (mut work, width) = self.work(subject, message)?;

        // A long message is rehearsed by its beginning: one call of slow code on all of it takes longer than
        // everything else in its cell.
        let mut ring = Ring::new(task, length.min(REHEARSED), aad);
        let guests = admit(subject, &self.processors)?;
        let mut buffers = self.buffers.take()?;
        work.provide(&mut buffers, &mut ring)?;
        let bytes = work.bytes_per_call(&ring) as f64;
        let ticks = self
            .timer
            .warm_up(before.map(|per_byte| per_byte * bytes), |calls| {
                work.repeat(&mut buffers, &mut ring, calls)
            })?;
        let ticks_per_byte = ticks / bytes;
        if length > REHEARSED {
            ring = Ring::new(task, length, aad);
            work.provide(&mut buffers, &mut ring)?;
        }
        let empty_loop = self
            .timer
            .empty_loop(|calls| work.repeat(&mut buffers, &mut ring, calls))?;
        let bytes_per_call = work.bytes_per_call(&ring);
        let ready = Ready {
            in_place: !work.needs_output(),
            copies: work.copies(),
            width,
            bytes_per_call,
            ticks_per_call: ticks_per_byte * bytes_per_call as f64,
        };
        let work = match guests {
            None => Some(work),
            Some(guests) => {
                drop(work);
                guests.leave()?;
                None
            }
        };
        let prepared = Slot {
            work,
            subject,
            message,
            ring,
            empty_loop,
        };
        self.slots.insert(slot, prepared);
        Ok(ready)
    }

    /// The work and, for a probe, the width of its vectors.
    fn work(&self, subject: Subject, message: Message) -> Result<(Work, Option<u32>), Fault> {
        match subject {
            Subject::Implementation { index, team } => Ok((self.implemented(index, team, message)?, None)),
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
                    Subject::GcmBlocks { bits, width } => ports(Instruction::gcm(bits), width),
                    Subject::Implementation { .. } => unreachable!("matched above"),
                }
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => Err(Fault("no probe for this architecture".to_owned())),
        }
    }

    fn implemented(&self, index: usize, team: Team, message: Message) -> Result<Work, Fault> {
        let Message { task, hashed, .. } = message;
        let Witness {
            implementation,
            key,
            iv,
            ..
        } = self.loaded.witness(index, task)?;
        let mut context = match team.workers() {
            0 => implementation.context(task, key, iv)?,
            workers => implementation.helped(task, key, iv, workers)?,
        };
        if hashed {
            context = Box::new(Hashed(context));
        }
        Ok(match task.operation.needs() {
            Some(operation) => Work::Undoing {
                undo: context,
                made: match task.known_input() {
                    Some((message, tag)) => Made::Known { message, tag },
                    None => Made::Here(implementation.context(Task { operation, ..task }, key, iv)?),
                },
                in_place: !task.operation.writes(),
            },
            _ if context.repeats_in_place() => Work::InPlace(Counted::new(context)),
            _ => Work::BufferToBuffer(Counted::new(context)),
        })
    }

    /// Whether what was timed under this number still does its work; as [`Witness::look`]. Whoever helps is compared with
    /// whoever does without when it is made ready.
    pub(crate) fn look(&mut self, slot: usize, known: Option<u64>) -> Result<u64, Fault> {
        let mut slot = self.take(slot)?;
        let (Subject::Implementation { index, .. }, Some(work)) = (slot.subject, &mut slot.work) else {
            return Ok(0);
        };
        let mut buffers = self.buffers.take()?;
        let witness = self.loaded.witness(index, slot.message.task)?;
        work.look(&mut buffers, &mut slot.ring, witness, known)
            .map_err(|failure| Fault(failure.to_string()))
    }

    /// Times one quantum.
    pub(crate) fn time(&mut self, batch: Batch) -> Result<Timed, Fault> {
        let mut slot = self.take(batch.slot)?;
        let timed = self.time_slot(&mut slot, batch);
        self.slots.insert(batch.slot, slot);
        timed
    }

    fn time_slot(&mut self, slot: &mut Slot, batch: Batch) -> Result<Timed, Fault> {
        let mut helped = match slot.work {
            Some(_) => None,
            None => Some(self.work(slot.subject, slot.message)?.0),
        };
        let guests = admit(slot.subject, &self.processors)?;
        let work = helped.as_mut().or(slot.work.as_mut());
        let work = work.ok_or_else(|| Fault("there is nothing to time".to_owned()))?;
        let mut buffers = self.buffers.take()?;
        let timed = self
            .timer
            .quantum(slot.empty_loop, batch.warm, batch.calls, |calls| {
                work.repeat(&mut buffers, &mut slot.ring, calls)
            });
        drop(helped);
        guests.map_or(Ok(()), Guests::leave)?;
        timed
    }

    /// One thread's part of a quantum that several threads do at once.
    pub(crate) fn run(&mut self, batch: Batch, heat: &Heat) -> Result<Run, Fault> {
        let slot = self.slots.get_mut(&batch.slot);
        let mut ready = slot.and_then(|slot| Some((slot.work.as_mut()?, &mut slot.ring)));
        // A fault is one of the calls', too: the others wait until this thread has begun.
        let mut buffers = self.buffers.take();
        let repeat = |calls| match (&mut buffers, &mut ready) {
            (Ok(buffers), Some((work, ring))) => work.repeat(buffers, ring, calls),
            (Ok(_), None) => Err(absent()),
            (Err(fault), _) => Err(fault.clone()),
        };
        self.timer.beside(heat, batch.warm, batch.calls, repeat)
    }

    /// How many benches a slot takes.
    pub(crate) fn benches(&self, slot: usize) -> Result<usize, Fault> {
        let slot = self.slots.get(&slot);
        slot.map(|slot| slot.subject.benches()).ok_or_else(absent)
    }

    fn take(&mut self, slot: usize) -> Result<Slot, Fault> {
        self.slots.remove(&slot).ok_or_else(absent)
    }
}

impl Loaded {
    fn implementation(&self, index: usize) -> Result<&dyn Implementation, Fault> {
        self.implementations
            .get(index)
            .map(|implementation| &**implementation)
            .ok_or_else(|| Fault(format!("there is no implementation {index}")))
    }

    /// What is known of contexts for this task.
    fn witness(&self, index: usize, task: Task) -> Result<Witness<'_>, Fault> {
        let known = task.algorithm.known_key();
        Ok(Witness {
            implementation: self.implementation(index)?,
            task,
            key: known.unwrap_or(&self.key[..task.algorithm.key_len()]),
            iv: &self.iv[..task.algorithm.iv_len()],
            done: 0,
        })
    }
}

/// Lets threads that help run on all processors.
fn admit(subject: Subject, processors: &[usize]) -> Result<Option<Guests<'_>>, Fault> {
    let helped = subject.team().workers() > 0;
    helped.then(|| Guests::admit(processors)).transpose()
}

fn absent() -> Fault {
    Fault("nothing is prepared under this number".to_owned())
}

/// The part of a message that is enough to warm up by: as much as a second-level cache holds.
const REHEARSED: usize = 1 << 16;

#[cfg(test)]
mod tests {
    use std::{
        sync::{Arc, mpsc},
        thread,
        time::Duration,
    };

    use ciphertune_system::Shared;

    use super::*;
    use crate::{clock::Clock, protocol::Room};

    #[test]
    fn a_thread_without_its_memory_keeps_nobody_waiting() {
        let bytes_each = Buffers::size(1).unwrap();
        let shared = Shared::new(bytes_each).unwrap();
        let room = Room {
            number: shared.number(),
            bytes_each,
        };
        let request = Load {
            source: None,
            processors: Vec::new(),
            clock: Clock::Raw,
            ticks_per_second: 1e9,
            seed: 1,
            key_seed: 1,
            room,
        };
        let mut bench = Bench::new(&request, 0, &|_: &Source| Ok(Vec::new())).unwrap();
        let mut other = Buffers::new(&room, 0, Random::new(2)).unwrap();
        let _taken = other.take().unwrap();

        let heat = Arc::new(Heat::new(2));
        let (done, is_done) = mpsc::channel();
        let mate = heat.clone();
        thread::spawn(move || done.send(mate.run(1, 1, || 0, |_| Ok(())).is_ok()));
        let batch = Batch {
            slot: 0,
            calls: 1,
            warm: 1,
        };
        let fault = bench.run(batch, &heat).err().unwrap();
        assert!(
            fault.0.starts_with("the memory for messages is not to be had"),
            "{fault}"
        );
        assert_eq!(is_done.recv_timeout(Duration::from_secs(60)), Ok(true));
    }
}
