//! Many messages in one call ([`Contract::is_many`]): by code that is made for it, or else one after the other.
use std::array;

use ciphertune_testkit::{Algorithm, Contract, Envelope, Fault, Task};
use inout::InOutBuf;

use crate::{Description, Implementation, Names, Ring, Timed, context::buffers};

/// Code that takes many messages side by side, at most [`Contract::MANY`] at once.
pub(crate) trait SideBySide {
    /// Each message with what goes with it.
    fn run<'a>(
        &mut self,
        messages: impl Iterator<Item = (Envelope<'a>, InOutBuf<'a, 'a, u8>)>,
    ) -> Result<(), Fault>;
}

/// Messages that are only read, and where their tags go.
pub(crate) struct ToTag<'a> {
    messages: [InOutBuf<'a, 'a, u8>; Contract::MANY],
    tags: [&'a mut [u8]; Contract::MANY],
    count: usize,
}

impl<'a> ToTag<'a> {
    #[inline]
    pub(crate) fn new(messages: impl Iterator<Item = (Envelope<'a>, InOutBuf<'a, 'a, u8>)>) -> Self {
        let mut all = Self {
            messages: array::from_fn(|_| InOutBuf::from(&mut [][..])),
            tags: array::from_fn(|_| &mut [][..]),
            count: 0,
        };
        for ((message, tag), (envelope, buffer)) in all.messages.iter_mut().zip(&mut all.tags).zip(messages) {
            (*message, *tag) = (buffer, envelope.tag);
            all.count += 1;
        }
        all
    }

    /// `work` gets as many messages as places.
    #[inline]
    pub(crate) fn with<T>(&mut self, work: impl FnOnce(&[&[u8]], &mut [&mut [u8]]) -> T) -> T {
        let messages = self.messages.each_ref().map(InOutBuf::get_in);
        work(&messages[..self.count], &mut self.tags[..self.count])
    }
}

/// What is timed of it: a call takes all messages of a ring.
pub(crate) struct AtOnce<S>(pub(crate) S);

impl<S: SideBySide> Timed for AtOnce<S> {
    fn repeat(&mut self, data: &mut [u8], ring: &mut Ring, calls: u64) -> Result<(), Fault> {
        (0..calls).try_for_each(|_| self.0.run(ring.all(InOutBuf::from(&mut *data))))
    }

    fn repeat_to(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        ring: &mut Ring,
        calls: u64,
    ) -> Result<(), Fault> {
        (0..calls).try_for_each(|_| self.0.run(ring.all(buffers(input, output)?)))
    }

    fn repeats_in_place(&self) -> bool {
        true
    }

    fn repeats_with_copies(&self, _: bool) -> bool {
        false
    }
}

/// An implementation that has messages alone, and takes many of them one after the other.
pub(crate) struct InTurn {
    implementation: Box<dyn Implementation>,
    tasks: Vec<Task>,
}

impl InTurn {
    /// With whatever of many messages the implementation lacks and can do so.
    pub(crate) fn of(implementation: Box<dyn Implementation>) -> Box<dyn Implementation> {
        let mut tasks = implementation.tasks().to_vec();
        let many = Algorithm::all().flat_map(Task::of_many);
        tasks.extend(many.filter(|&task| {
            let has = |task| implementation.tasks().contains(&task);
            has(alone(task)) && !has(task)
        }));
        if tasks.len() == implementation.tasks().len() {
            return implementation;
        }
        Box::new(Self {
            implementation,
            tasks,
        })
    }
}

/// What is done with each of the messages.
fn alone(task: Task) -> Task {
    let contract = match task.algorithm.iv_len() {
        0 => Contract::OneShot,
        _ => Contract::NewIv,
    };
    Task { contract, ..task }
}

impl Implementation for InTurn {
    fn description(&self) -> &Description {
        self.implementation.description()
    }

    fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    fn names(&self) -> Names {
        self.implementation.names()
    }

    fn context(&self, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        if self.implementation.tasks().contains(&task) || !self.tasks.contains(&task) {
            return self.implementation.context(task, key, iv);
        }
        let context = |key: &[u8]| self.implementation.context(alone(task), key, iv);
        if task.contract == Contract::ManyKeys {
            let keys = (0..Contract::MANY).map(|message| task.contract.key(key, message));
            let contexts = keys.map(|key| context(&key)).collect::<Result<_, Fault>>()?;
            return Ok(Box::new(EachByItsOwn(contexts)));
        }
        Ok(Box::new(EachOf(context(key)?)))
    }

    fn longest(&self, task: Task) -> usize {
        self.implementation.longest(task)
    }

    fn has_workers(&self, task: Task) -> bool {
        self.implementation.has_workers(task)
    }

    fn helped(&self, task: Task, key: &[u8], iv: &[u8], workers: usize) -> Result<Box<dyn Timed>, Fault> {
        self.implementation.helped(task, key, iv, workers)
    }
}

/// A call on each message of a ring.
struct EachOf(Box<dyn Timed>);

impl Timed for EachOf {
    fn repeat(&mut self, data: &mut [u8], ring: &mut Ring, calls: u64) -> Result<(), Fault> {
        let calls = calls * ring.count() as u64;
        self.0.repeat(data, ring, calls)
    }

    fn repeat_to(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        ring: &mut Ring,
        calls: u64,
    ) -> Result<(), Fault> {
        let calls = calls * ring.count() as u64;
        self.0.repeat_to(input, output, ring, calls)
    }

    fn repeats_in_place(&self) -> bool {
        self.0.repeats_in_place()
    }

    fn repeats_with_copies(&self, in_place: bool) -> bool {
        self.0.repeats_with_copies(in_place)
    }
}

/// A call on each message of a ring, by a context for each.
struct EachByItsOwn(Vec<Box<dyn Timed>>);

impl EachByItsOwn {
    fn each(
        &mut self,
        ring: &mut Ring,
        calls: u64,
        mut call: impl FnMut(&mut dyn Timed, &mut Ring) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let count = ring.count();
        let done = (0..calls).try_for_each(|_| {
            self.0[..count]
                .iter_mut()
                .enumerate()
                .try_for_each(|(message, context)| {
                    ring.first = message;
                    call(&mut **context, ring)
                })
        });
        ring.first = 0;
        done
    }
}

impl Timed for EachByItsOwn {
    fn repeat(&mut self, data: &mut [u8], ring: &mut Ring, calls: u64) -> Result<(), Fault> {
        self.each(ring, calls, |context, ring| context.repeat(data, ring, 1))
    }

    fn repeat_to(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        ring: &mut Ring,
        calls: u64,
    ) -> Result<(), Fault> {
        self.each(ring, calls, |context, ring| {
            context.repeat_to(input, output, ring, 1)
        })
    }

    fn repeats_in_place(&self) -> bool {
        self.0.iter().all(|context| context.repeats_in_place())
    }

    fn repeats_with_copies(&self, in_place: bool) -> bool {
        self.0.iter().any(|context| context.repeats_with_copies(in_place))
    }
}
