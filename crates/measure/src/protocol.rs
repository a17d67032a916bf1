//! What the session and its workers say to each other: one JSON value a line, one answer to each request.
use ciphertune_catalog::{Description, Names, Ring, Source, Task};
use serde::{Deserialize, Serialize};

use crate::{clock::Clock, outcome::bytes};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Request {
    Load(Load),
    /// Checks an implementation, on the processor of that number.
    Check {
        implementation: usize,
        task: Task,
        check: Check,
        seed: u64,
        place: usize,
    },
    /// Makes the subject ready to be timed, under a number. Whatever had that number or a higher one goes.
    Prepare {
        slot: usize,
        subject: Subject,
        message: Message,
        /// Ticks that a byte took in the process before.
        before: Option<f64>,
    },
    /// Times what was prepared.
    Time(Batch),
    /// Looks whether what was timed under this number still does its work, and forgets it.
    Look {
        slot: usize,
        known: Option<u64>,
    },
    /// Estimates how long a core cycle is.
    Cycles,
    /// By which names there is more to be had of the source.
    Names,
}

/// What a gate asks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Check {
    /// Known answers and the differential check.
    BeforeTiming,
    /// The same in short.
    AfterTiming,
}

/// The first request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Load {
    /// Nothing for the worker that times the machine's own limits.
    pub(crate) source: Option<Source>,
    /// The processors to use, the first of them for whatever one thread does; none, where the system does not say
    /// which there are.
    pub(crate) processors: Vec<usize>,
    pub(crate) clock: Clock,
    pub(crate) ticks_per_second: f64,
    /// For where the buffers begin.
    pub(crate) seed: u64,
    /// For the key and the IV, which all workers share: what comes of a message is the same then.
    pub(crate) key_seed: u64,
    /// Where messages lie.
    pub(crate) room: Room,
}

/// Memory that the session shares among its workers, of which one is at work at a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Room {
    /// The open file that workers take over.
    pub(crate) number: i32,
    /// What each bench of a worker has of it.
    pub(crate) bytes_each: usize,
}

/// What can be timed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Subject {
    Implementation {
        index: usize,
        team: Team,
    },
    AesRounds {
        width: u32,
    },
    Multiplications {
        width: u32,
    },
    /// Both as GCM takes them for a block, by a key of so many bits.
    GcmBlocks {
        bits: u32,
        width: u32,
    },
    ReadXorWrite,
    Copy,
}

impl Subject {
    /// Who does it.
    pub(crate) fn team(self) -> Team {
        match self {
            Self::Implementation { team, .. } => team,
            _ => Team::ALONE,
        }
    }

    /// How many benches it takes.
    pub(crate) fn benches(self) -> usize {
        self.team().benches()
    }
}

/// What is done to a message, and how long it is, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Message {
    pub(crate) task: Task,
    /// Whether the thread that calls hashes it afterwards.
    pub(crate) hashed: bool,
    pub(crate) aad: usize,
    pub(crate) length: usize,
}

impl Message {
    /// The contract's name in results.
    pub(crate) fn contract(&self) -> &'static str {
        if self.hashed {
            HASHED
        } else {
            self.task.contract.name()
        }
    }

    /// Bytes of the memory that a cell takes: of all messages that take turns, with what lies between them.
    pub(crate) fn span(&self) -> usize {
        Ring::new(self.task, self.length, self.aad).span()
    }

    /// Its length in words behind some others; nothing of an operation that has no message to speak of.
    pub(crate) fn size(&self, before: &str) -> String {
        match self.task.algorithm.is_public_key() {
            true => String::new(),
            false => format!("{before}{}", bytes(&[self.length])),
        }
    }
}

/// The contract `stream/1` with a hash of each message.
const HASHED: &str = "stream-sha256/1";

/// How many threads take part in a quantum, and in what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Team {
    /// So many threads at once, each with a context and messages of its own.
    Each(usize),
    /// One context, and besides the thread that calls so many of the implementation's own that help it.
    Helped(usize),
}

impl Team {
    /// One thread.
    pub const ALONE: Self = Self::Each(1);

    /// The threads that take part.
    pub fn threads(self) -> usize {
        match self {
            Self::Each(threads) => threads,
            Self::Helped(workers) => workers + 1,
        }
    }

    /// Those of them that help another.
    pub fn workers(self) -> usize {
        match self {
            Self::Each(_) => 0,
            Self::Helped(workers) => workers,
        }
    }

    /// The benches that it takes: a thread that only helps has none.
    pub(crate) fn benches(self) -> usize {
        self.threads() - self.workers()
    }
}

/// One quantum to time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Batch {
    pub(crate) slot: usize,
    /// Calls that are timed.
    pub(crate) calls: u64,
    /// Calls before them that are not.
    pub(crate) warm: u64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Answer {
    Loaded(Vec<Offer>),
    /// Why the source cannot be used.
    Refused(String),
    /// The implementation computes what it should.
    Right,
    /// The case that it fails.
    Wrong(String),
    Ready(Ready),
    Timed(Timed),
    /// What stands for what it made: the same for all that are right.
    Looked(u64),
    /// Why a call failed.
    Fault(String),
    Cycles(Option<Cycles>),
    Names(Names),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Offer {
    pub(crate) description: Description,
    /// Each with the bytes of the longest message that it takes there.
    pub(crate) tasks: Vec<(Task, usize)>,
    /// Those with which threads of its own can help.
    pub(crate) helped: Vec<Task>,
}

/// A subject after its warm-up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ready {
    pub(crate) in_place: bool,
    /// Whether each message is copied besides.
    pub(crate) copies: bool,
    /// The width of the vectors that a probe works with, in bits.
    pub(crate) width: Option<u32>,
    pub(crate) bytes_per_call: u64,
    pub(crate) ticks_per_call: f64,
}

/// One quantum.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Timed {
    /// What the calls take; with one thread, less what an empty loop takes; of several threads, what all of them together
    /// take for so many calls.
    pub(crate) ticks: u64,
    /// How long it was that they were timed.
    pub(crate) wall: u64,
    /// Whether another process ran in between, or the processor changed.
    pub(crate) disturbed: bool,
}

/// Ticks of the clock that one core cycle takes, by either chain.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Cycles {
    pub(crate) additions: f64,
    pub(crate) multiplications: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip<T>(value: &T)
    where
        T: PartialEq + std::fmt::Debug + Serialize + for<'a> Deserialize<'a>,
    {
        let line = serde_json::to_string(value).unwrap();
        assert!(!line.contains('\n'), "{line}");
        assert_eq!(&serde_json::from_str::<T>(&line).unwrap(), value);
    }

    #[test]
    fn what_has_no_message_has_no_size() {
        let size = |name: &str, length| {
            let message = Message {
                task: Task::usual(name.parse().unwrap()),
                hashed: false,
                aad: 0,
                length,
            };
            message.size(" on ")
        };
        assert_eq!(size("AES-128-CTR", 16), " on 16 bytes");
        assert_eq!(size("AES-128-CTR", 1), " on 1 byte");
        assert_eq!(size("Ed25519", 1), "");
    }

    #[test]
    fn every_message_survives_its_line() {
        let task = Task::usual("AES-192-GCM".parse().unwrap());
        for request in [
            Request::Load(Load {
                source: Some(Source::Libcrypto("/a\n\"b\".so".into())),
                processors: vec![3, 0],
                clock: Clock::Raw,
                ticks_per_second: 2.6e9 + 0.1,
                seed: u64::MAX,
                key_seed: 5,
                room: Room {
                    number: 3,
                    bytes_each: 1 << 25,
                },
            }),
            Request::Check {
                implementation: 1,
                task,
                check: Check::BeforeTiming,
                seed: 2,
                place: 3,
            },
            Request::Check {
                implementation: 1,
                task,
                check: Check::AfterTiming,
                seed: 2,
                place: 3,
            },
            Request::Prepare {
                slot: 0,
                subject: Subject::Implementation {
                    index: 4,
                    team: Team::Helped(1),
                },
                message: Message {
                    task,
                    hashed: false,
                    aad: 13,
                    length: 1350,
                },
                before: Some(0.1 + 0.2),
            },
            Request::Time(Batch {
                slot: 2,
                calls: 1000,
                warm: 10,
            }),
            Request::Look {
                slot: 2,
                known: Some(u64::MAX),
            },
            Request::Cycles,
            Request::Names,
        ] {
            round_trip(&request);
        }
        for answer in [
            Answer::Refused("no such file\nat all".into()),
            Answer::Wrong("case 7".into()),
            Answer::Ready(Ready {
                in_place: false,
                copies: true,
                width: Some(512),
                bytes_per_call: 16,
                ticks_per_call: 0.1 + 0.2,
            }),
            Answer::Timed(Timed {
                ticks: 1,
                wall: 2,
                disturbed: true,
            }),
            Answer::Cycles(Some(Cycles {
                additions: 0.6,
                multiplications: 0.7,
            })),
            Answer::Cycles(None),
            Answer::Names(Names {
                measured: vec!["ARIA-128-CTR".into()],
                unmeasured: vec!["AES-128-SIV".into()],
            }),
        ] {
            round_trip(&answer);
        }
    }
}
