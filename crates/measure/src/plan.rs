use std::time::Duration;

use ciphertune_catalog::{Contract, Kind, Source, Task};
use ciphertune_results::{Run, few};

use crate::{
    Choice, Found,
    outcome::{Gain, bytes},
    protocol::{Message, Team},
};

/// What to measure.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What to do, in the order of the results.
    pub tasks: Vec<Task>,
    /// The message lengths in bytes, in the order of the results. A task passes over those that it does not take.
    pub lengths: Vec<usize>,
    /// Whether such a length is cut to the longest that the task takes instead: wisdom is to know of each class.
    pub cut: bool,
    /// Bytes of additional data with each message, where the task takes any; `None` for as many as ESP has with
    /// its packets, and TLS 1.2 with all else.
    pub aad: Option<usize>,
    /// Whether the thread that calls hashes each message with SHA-256 besides, as a program does that authenticates what
    /// it encrypts. Of streams alone.
    pub hashed: bool,
    /// By how many threads; each of these is one way to do it, and all take turns. Choices are made by the first. What
    /// has no threads of its own takes part without them alone.
    pub teams: Vec<Team>,
    /// Of which implementations.
    pub implementations: Which,
    /// Where implementations come from. Each source runs in worker processes of its own.
    pub sources: Vec<Source>,
    /// Timed seconds for each implementation in each cell, over all processes; by public keys three times as many. What is much
    /// slower than the best gets less, and long messages get a few calls however long they take.
    pub seconds: f64,
    /// Fresh worker processes for each source, one after the other. They are the replicates, so three or more
    /// say something about the spread.
    pub processes: u32,
    /// More processes after those, one after the other, until the rate of every implementation is known to one per cent
    /// at this confidence or this much time has passed since the session began; `None` for none.
    pub until_stable: Option<Duration>,
    /// The probability that an interval holds the truth, as 0.95.
    pub confidence: f64,
    /// Decides every order, key and offset.
    pub seed: u64,
    /// The id of the implementation that serves a task and length where nothing was measured: the one that a
    /// challenger has to beat.
    pub default_for: fn(Task, usize) -> String,
}

/// Which implementations of a plan's sources are measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// All that there are.
    All,
    /// Those with these ids, or with these as part of their ids: `openssl` is a part of `openssl@3.0.19/default`, and so
    /// are `openssl@3.0.19`, `openssl@3.0`, `openssl/default` and `default`. What cannot be loaded and may have one of them
    /// is passed over if others are there.
    Named(Vec<String>),
    /// Those that may be chosen, and to compare with, the libraries of the system and those named by their files.
    SelectableAndSystem,
}

impl Plan {
    /// Every cell.
    pub(crate) fn messages(&self) -> impl Iterator<Item = Message> {
        self.tasks.iter().flat_map(move |&task| {
            let lengths = match task.algorithm.is_public_key() {
                true => &ONE[..],
                false => &self.lengths,
            };
            lengths.iter().filter_map(move |&asked| {
                Some(Message {
                    task,
                    hashed: self.hashed,
                    aad: self.aad(task),
                    length: self.length(task, asked)?,
                })
            })
        })
    }

    /// The bytes of additional data that go with a task's messages.
    fn aad(&self, task: Task) -> usize {
        if !task.takes_aad() {
            return 0;
        }
        let usual = match task.algorithm.kind() {
            Kind::EncryptThenMac => OF_ESP,
            _ => OF_TLS,
        };
        self.aad.unwrap_or(usual)
    }

    /// The length of a task's messages where this one was asked for, if it takes any such.
    pub(crate) fn length(&self, task: Task, asked: usize) -> Option<usize> {
        let length = match self.cut {
            true => task.longest_up_to(asked),
            false => asked,
        };
        task.takes(length).then_some(length)
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let wrong = if self.tasks.is_empty() {
            "it names nothing to do"
        } else if self.lengths.is_empty() {
            "it names no message length"
        } else if self.lengths.contains(&0) {
            "a message of no bytes has no speed"
        } else if self.messages().next().is_none() {
            return Err(Error::Lengths(self.no_such_lengths()));
        } else if self.teams.is_empty() || self.teams.iter().any(|team| team.threads() == 0) {
            "it takes at least one thread"
        } else if self.hashed && self.tasks.iter().any(|task| task.contract != Contract::Stream) {
            "only streams are hashed besides"
        } else if self.sources.is_empty() {
            "it names no source of implementations"
        } else if self.processes == 0 {
            "it takes at least one process"
        } else if !(self.seconds > 0.0 && self.seconds.is_finite()) {
            "the seconds must be more than zero"
        } else if !(self.confidence > 0.0 && self.confidence < 1.0) {
            "the confidence must lie between 0 and 1"
        } else {
            return Ok(());
        };
        Err(Error::Plan(wrong))
    }
}

impl Plan {
    /// Which lengths the tasks take instead of those that were asked for.
    fn no_such_lengths(&self) -> String {
        let taken = takers(self.tasks.iter().map(|task| (*task, self.taken(*task))));
        let nearest = self.tasks.iter().map(|task| {
            let Taken { step, most, .. } = self.steps(*task);
            most * step
        });
        let such = nearest
            .min()
            .expect("a plan without tasks has no lengths to refuse");
        format!(
            "no message of {} can be had: {}; name such a length, as {such}",
            bytes(&self.lengths),
            taken.join("; ")
        )
    }

    fn steps(&self, task: Task) -> Taken {
        let block = task.algorithm.block_len().max(1);
        // Two bytes more than a block are whole blocks only where these are of one or two.
        let step = if task.takes(block + 2) { 1 } else { block };
        let asked = self.lengths.iter().map(|length| length / step).max().unwrap_or(1);
        // Every number of steps up to the longest message is taken, and none beyond.
        let (mut good, mut bad) = (block / step, asked + 1);
        while bad > good + 1 {
            let middle = good.midpoint(bad);
            *if task.takes(middle * step) {
                &mut good
            } else {
                &mut bad
            } = middle;
        }
        Taken {
            block,
            step,
            asked,
            most: good,
        }
    }

    /// The lengths that a task takes, in words.
    pub(crate) fn taken(&self, task: Task) -> String {
        let Taken {
            block,
            step,
            asked,
            most,
        } = self.steps(task);
        let up_to = match most < asked {
            true => format!(" up to {}", most * step),
            false => String::new(),
        };
        match step {
            1 if task.takes(1) => format!("up to {most} bytes"),
            1 if most < asked => format!("{} at least,{up_to}", bytes(&[block])),
            1 => format!("{} at least", bytes(&[block])),
            _ => format!("multiples of {step} bytes{up_to}"),
        }
    }
}

/// The lengths that a task takes: each number of steps from a block on.
struct Taken {
    /// In bytes.
    block: usize,
    /// In bytes.
    step: usize,
    /// Steps of the longest message that was asked for.
    asked: usize,
    /// Steps of the longest one of these that is taken; at least those of a block.
    most: usize,
}

/// Who takes what, those that take the same together: `AES-128-CBC, AES-256-CBC take multiples of 16 bytes`.
pub(crate) fn takers(each: impl Iterator<Item = (Task, String)>) -> Vec<String> {
    let mut all: Vec<(String, Vec<&str>)> = Vec::new();
    for (task, what) in each {
        let name = task.algorithm.name();
        match all.iter_mut().find(|(known, _)| *known == what) {
            Some((_, names)) if names.contains(&name) => {}
            Some((_, names)) => names.push(name),
            None => all.push((what, vec![name])),
        }
    }
    all.iter()
        .map(|(what, names)| {
            let take = if names.len() == 1 { "takes" } else { "take" };
            format!("{} {take} {what}", few(names))
        })
        .collect()
}

/// An SPI and a sequence number (RFC 4303, section 2).
const OF_ESP: usize = 8;

/// A sequence number, type, version and length (RFC 5246, section 6.2.3.3).
const OF_TLS: usize = 13;

/// An operation without a message of a length to speak of counts as one byte, so that rates are operations.
const ONE: [usize; 1] = [1];

/// Follows the progress of a session.
pub trait Observer {
    /// The session has so many steps of roughly equal length. Said again where it turns out to have more.
    fn planned(&mut self, steps: u64);

    /// So many more are done; `now` says what comes next or has just been done, as in
    /// `AES-128-CTR, 16384 bytes`.
    fn advanced(&mut self, steps: u64, now: &str);
}

/// What a session found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The machine, its limits and every cell.
    pub run: Run,
    /// For each task and length the implementation to use, where one may be chosen at all.
    pub choices: Vec<Choice>,
    /// What threads that help gained, for each task, length and implementation that they helped.
    pub gains: Vec<Gain>,
    /// What this run could not tell apart, as [`ciphertune_results::Machine::noise_floor`] has it; 0 where nothing was timed
    /// twice, and infinite where other work spoiled all that was.
    pub floor: f64,
    /// What each source of the plan gave of what was asked for, or why it gave nothing.
    pub found: Vec<Found>,
    /// What else the reader of the results should know, a sentence each.
    pub notes: Vec<String>,
    /// How quiet the machine was, and what to change, a sentence each; the first is a verdict.
    pub noise: Vec<String>,
}

/// Why there is no session.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// The plan cannot be carried out.
    #[error("cannot measure by this plan: {0}")]
    Plan(&'static str),
    /// Nothing that is to be done takes messages of these lengths; which it takes.
    #[error("{0}")]
    Lengths(String),
    /// None of the implementations that are named has anything to do; of each, why.
    #[error("there is nothing to measure: {}; `ciphertune list` shows what can run", .0.join("; "))]
    NothingNamed(Vec<String>),
    /// Workers are to help, and can help with nothing that the implementations that are named have to do; their ids.
    #[error("workers can help none of {}; name implementations of Ciphertune's own, which `ciphertune list` shows", few(.0))]
    NothingHelped(Vec<String>),
    /// The plan names implementations that no source has.
    #[error(
        "unknown implementation{} {}; {}`ciphertune list` shows all names",
        if .unknown.len() > 1 { "s" } else { "" },
        .unknown.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", "),
        match (.left_out.is_empty(), .near.is_empty()) {
            (false, _) => format!("cargo build --features {} makes a Ciphertune that has it; ", .left_out.join(",")),
            (true, false) if .near.len() == 1 => format!("near is {}; ", .near[0]),
            (true, false) => format!("near are {}; ", .near.join(", ")),
            (true, true) => String::new(),
        },
    )]
    UnknownImplementations {
        /// Those that no source has.
        unknown: Vec<String>,
        /// What is spelt nearly so.
        near: Vec<String>,
        /// Those among them that this program was built without, by their cargo features.
        left_out: Vec<&'static str>,
    },
    /// No source gave any implementation.
    #[error("there is nothing to measure: {}", .0.join("; "))]
    NothingLoaded(Vec<String>),
}
