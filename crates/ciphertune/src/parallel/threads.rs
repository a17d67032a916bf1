use ciphertune_engine::cpu;

use super::workers::spare_processors;
use crate::Plan;

/// Which threads of its own a [`crate::Ctr`] may use, and from when on.
///
/// They never change what comes out. Where one cannot be had, since the process may not start it or has used up its
/// share, the caller's thread does the work alone. A process has at most as many as it has processors besides one.
///
/// What is not said here is decided by what `docs/threads.md` shows. Code that does without AES instructions splits
/// calls from 256 KiB on, and has keystream made ahead after a stream's first MiB. AES instructions are as fast as
/// keystream comes from another core: they split calls from 32 MiB on, and have nothing made ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Threads {
    workers: usize,
    stream_after: Option<u64>,
    bulk_from: Option<usize>,
}

impl Threads {
    /// None: all work is done by whoever calls.
    pub const NONE: Self = Self {
        workers: 0,
        stream_after: None,
        bulk_from: None,
    };

    /// Up to `workers` of them, besides the one that calls.
    pub fn new(workers: usize) -> Self {
        Self {
            workers,
            ..Self::NONE
        }
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
    /// the first call, or by the first context that is given threads, and then known. A program that enters a sandbox
    /// should ask before, since there it is none.
    pub fn available() -> usize {
        spare_processors()
    }
}

/// [`Threads`] with everything decided.
#[derive(Clone, Copy)]
pub(crate) struct Rules {
    pub(crate) workers: usize,
    /// In bytes; `u64::MAX` for never.
    pub(crate) stream_after: u64,
    /// In bytes.
    pub(crate) bulk_from: usize,
}

impl Rules {
    pub(crate) fn new(threads: Threads, plan: &Plan) -> Self {
        let hardware = plan.implementation(1 << 20).features().contains(&cpu::AES);
        let (stream_after, bulk_from) = if hardware {
            (u64::MAX, 32 << 20)
        } else {
            (1 << 20, 256 << 10)
        };
        Self {
            // Not asked for those who want none: it is a system call or two.
            workers: match threads.workers {
                0 => 0,
                workers => workers.min(spare_processors()),
            },
            stream_after: threads.stream_after.unwrap_or(stream_after),
            bulk_from: threads.bulk_from.unwrap_or(bulk_from),
        }
    }
}
