use ciphertune_engine::cpu;

use super::workers::spare_processors;
use crate::{Mode, Plan, selection};

/// Which threads of its own a [`crate::Ctr`] may use, and from when on.
///
/// They never change what comes out. Where one cannot be had, since the process may not start it or has used up its
/// share, the caller's thread does the work alone. At work are at most as many as the process has
/// processors besides one; as many again may be asleep.
///
/// What is not said here is decided by what `docs/threads.md` shows. Code that does without AES instructions splits
/// calls from 256 KiB on, and has keystream made ahead after a stream's first MiB. AES instructions are as fast as
/// keystream comes from another core: they split calls from 8 MiB on, and have nothing made ahead.
///
/// Threads leave when they have had nothing to do for a second; a program that ends does not wait for them. A shared library
/// with this crate in it that may be unloaded is to be linked with `-z nodelete`, since they may sleep in its code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Threads {
    number: Number,
    stream_after: Option<u64>,
    bulk_from: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    /// Up to so many, by the rules above.
    UpTo(usize),
    /// By the wisdom of this process.
    Measured,
    /// By some wisdom.
    By { ahead: Steps, split: Steps },
}

impl Default for Number {
    fn default() -> Self {
        Self::UpTo(0)
    }
}

impl Threads {
    /// None: all work is done by whoever calls.
    pub const NONE: Self = Self::number(Number::UpTo(0));

    /// As many as `ciphertune tune` found to pay here, for calls of the lengths for which it did, and none where it
    /// found nothing out: without wisdom, with an implementation that is forced, or with a plan that is not wisdom's.
    ///
    /// Wisdom is that of [`crate::selection`]; [`crate::wisdom::Wisdom::threads`] asks any other.
    pub const MEASURED: Self = Self::number(Number::Measured);

    const fn number(number: Number) -> Self {
        Self {
            number,
            stream_after: None,
            bulk_from: None,
        }
    }

    /// Up to `workers` of them, besides the one that calls.
    pub fn new(workers: usize) -> Self {
        Self::number(Number::UpTo(workers))
    }

    /// As many as these say.
    pub(crate) fn by(ahead: Steps, split: Steps) -> Self {
        Self::number(Number::By { ahead, split })
    }

    /// Keystream is made ahead after so many bytes of a stream, whatever the implementation. A stream that ends before
    /// pays nothing for threads. With `u64::MAX` it is never made ahead.
    pub fn stream_after(self, bytes: u64) -> Self {
        Self {
            stream_after: Some(bytes),
            ..self
        }
    }

    /// Calls of so many bytes and more are split among threads, whatever the implementation.
    pub fn bulk_from(self, bytes: usize) -> Self {
        Self {
            bulk_from: Some(bytes),
            ..self
        }
    }

    /// How many can run beside the calling thread: the processors that the process may use, less one. It is found at
    /// the first call, or by the first context that is given threads, and then known: a sandbox that comes later changes
    /// nothing of it. Where `/proc` cannot be read at that first time it is none.
    ///
    /// Whether one can be started is another matter, which is looked at each time. None is where there are more filters of
    /// system calls (seccomp) than when this was found, whatever they allow, since a filter may kill for a new thread;
    /// nor where `/proc` cannot be read. Filters of before are taken for such as allow threads. So a program that enters a
    /// sandbox and wants threads there has its stream start them before; they go on, until they have had nothing to do for
    /// a second.
    pub fn available() -> usize {
        spare_processors()
    }
}

/// How many threads help calls of which length: for each shortest length in bytes, in ascending order, the workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Steps([(usize, usize); Self::MOST]);

impl Steps {
    /// More are not told apart.
    const MOST: usize = 6;

    const NONE: Self = Self([(usize::MAX, 0); Self::MOST]);

    /// So many, whatever the length.
    fn always(workers: usize) -> Self {
        Self::new([(0, workers)])
    }

    /// The first that there is room for.
    pub(crate) fn new(steps: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut all = Self::NONE;
        for (place, step) in all.0.iter_mut().zip(steps) {
            *place = step;
        }
        all
    }

    /// How many help a call of `len` bytes.
    fn workers(&self, len: usize) -> usize {
        let reached = self.0.iter().take_while(|(from, _)| *from <= len);
        reached.last().map_or(0, |(_, workers)| *workers)
    }

    fn most(&self) -> usize {
        self.0.iter().map(|(_, workers)| *workers).max().unwrap_or(0)
    }
}

/// [`Threads`] with everything decided.
#[derive(Clone, Copy)]
pub(crate) struct Rules {
    ahead: Steps,
    split: Steps,
    /// How many there may be at all.
    spare: usize,
    /// In bytes; `u64::MAX` for never.
    pub(crate) stream_after: u64,
    /// In bytes.
    bulk_from: usize,
}

impl Rules {
    /// None at all.
    pub(crate) const NONE: Self = Self {
        ahead: Steps::NONE,
        split: Steps::NONE,
        spare: 0,
        stream_after: u64::MAX,
        bulk_from: usize::MAX,
    };

    /// For a context of this plan with a key of that length in bytes.
    pub(crate) fn new(threads: Threads, plan: &Plan, key_len: usize) -> Self {
        let number = match threads.number {
            Number::Measured => measured(plan, key_len).number,
            other => other,
        };
        let (ahead, split, stream_after, bulk_from) = match number {
            Number::UpTo(workers) => {
                let (stream_after, bulk_from) = untold(plan);
                (
                    Steps::always(workers),
                    Steps::always(workers),
                    stream_after,
                    bulk_from,
                )
            }
            Number::By { ahead, split } => (ahead, split, AFTER, 0),
            Number::Measured => return Self::NONE,
        };
        if ahead.most().max(split.most()) == 0 {
            // Processors are not counted for those who want none of them: it is a system call or two.
            return Self::NONE;
        }
        Self {
            ahead,
            split,
            spare: spare_processors(),
            stream_after: threads.stream_after.unwrap_or(stream_after),
            bulk_from: threads.bulk_from.unwrap_or(bulk_from),
        }
    }

    /// Whether there may be any.
    #[inline]
    pub(crate) fn any(&self) -> bool {
        self.spare > 0
    }

    /// How many make keystream ahead for a stream with calls of `len` bytes.
    pub(crate) fn ahead(&self, len: usize) -> usize {
        self.ahead.workers(len).min(self.spare)
    }

    /// How many share in one call of `len` bytes.
    pub(crate) fn split(&self, len: usize) -> usize {
        match len >= self.bulk_from {
            true => self.split.workers(len).min(self.spare),
            false => 0,
        }
    }
}

/// Bytes of a stream after which keystream is made ahead: one that is over before pays nothing for it.
const AFTER: u64 = 1 << 20;

/// From when on threads are used where nobody says, by what was measured on the reference machine.
fn untold(plan: &Plan) -> (u64, usize) {
    let hardware = plan.implementation(1 << 20).features().contains(&cpu::AES);
    if hardware {
        (u64::MAX, 8 << 20)
    } else {
        (AFTER, 256 << 10)
    }
}

/// What this process's wisdom says of threads, if it is what the plan comes from.
fn measured(plan: &Plan, key_len: usize) -> Threads {
    let of_wisdom = || {
        let selection = selection().ok()?;
        (selection.plans(Mode::Ctr, key_len).ok()?.forward() == plan)
            .then(|| selection.threads(key_len).ok())?
    };
    of_wisdom().unwrap_or(Threads::NONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_helped_by_the_last_step_that_it_reaches() {
        let steps = Steps::new([(1000, 1), (5000, 0), (9000, 4)]);
        let workers = [0, 999, 1000, 4999, 5000, 9000, usize::MAX - 1].map(|len| steps.workers(len));
        assert_eq!(workers, [0, 0, 1, 1, 0, 4, 4]);
        assert_eq!((steps.most(), Steps::NONE.most()), (4, 0));
        assert_eq!(Steps::always(3).workers(0), 3);
    }

    #[test]
    fn what_is_said_restricts_what_was_measured() {
        let by = Threads::by(Steps::new([(1024, 1)]), Steps::new([(4096, 1)]));
        let rules = |threads| Rules {
            spare: 8,
            ..Rules::new(threads, &Plan::estimate(), 16)
        };
        let plain = rules(by);
        assert_eq!(plain.stream_after, AFTER);
        assert_eq!([1023, 1024].map(|len| plain.ahead(len)), [0, 1]);
        assert_eq!([4095, 4096].map(|len| plain.split(len)), [0, 1]);
        let less = rules(by.stream_after(7).bulk_from(9000));
        assert_eq!(less.stream_after, 7);
        assert_eq!([4096, 9000].map(|len| less.split(len)), [0, 1]);
        assert!(!Rules::new(Threads::by(Steps::NONE, Steps::NONE), &Plan::estimate(), 16).any());
        assert!(!Rules::new(Threads::NONE.stream_after(0), &Plan::estimate(), 16).any());
    }
}
