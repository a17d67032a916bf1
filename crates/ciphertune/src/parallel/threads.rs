use super::workers::spare_processors;

/// Which threads of its own a [`crate::Ctr`] may use, and from when on.
///
/// They never change what comes out. Where one cannot be had, since the process may not start it or has used up its
/// share, the caller's thread does the work alone. A process has at most as many as it has processors besides one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads {
    pub(crate) workers: usize,
    pub(crate) stream_after: u64,
    pub(crate) bulk_from: usize,
}

impl Threads {
    /// None: all work is done by whoever calls.
    pub const NONE: Self = Self {
        workers: 0,
        stream_after: u64::MAX,
        bulk_from: usize::MAX,
    };

    /// Up to `workers` of them, besides the one that calls: for calls of a MiB and more, and for a stream of shorter
    /// ones after its first MiB.
    pub fn new(workers: usize) -> Self {
        Self {
            workers,
            stream_after: 1 << 20,
            bulk_from: 1 << 20,
        }
    }

    /// Keystream is made ahead after so many bytes of a stream. A stream that ends before pays nothing for threads.
    pub fn stream_after(self, bytes: u64) -> Self {
        Self {
            stream_after: bytes,
            ..self
        }
    }

    /// Calls of so many bytes and more are split among threads.
    pub fn bulk_from(self, bytes: usize) -> Self {
        Self {
            bulk_from: bytes,
            ..self
        }
    }

    /// How many can run beside the calling thread: the processors that the process may use, less one. It is found at
    /// the first call and then known. A program that enters a sandbox should ask before, since there it is none.
    pub fn available() -> usize {
        spare_processors()
    }
}

impl Default for Threads {
    fn default() -> Self {
        Self::NONE
    }
}
