//! Threads of the library's own: how many there may be, and whether one may be started here and now.

use std::{
    fs::File,
    io::{self, Read},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    thread,
};

use ciphertune_system::{Here, Once, PerProcess, without_cancellation};

/// A thread's stack in bytes. Kernels touch up to 20 KiB of it, without optimisation up to 900: a test asks that it is
/// no more than half.
pub(super) const STACK: usize = if cfg!(debug_assertions) {
    4 << 20
} else {
    256 << 10
};

/// What there was when it was looked for, once.
struct Found {
    /// Processors besides the one that asked. A process that was not allowed to look, or is bound to one processor,
    /// has none.
    spare: usize,
    sandbox: Sandbox,
}

fn found() -> Option<&'static Found> {
    static FOUND: Once<Option<Found>> = Once::empty();
    let look = || {
        let sandbox = Status::here()?.sandbox;
        let processors = without_cancellation(thread::available_parallelism);
        let spare = processors.map_or(0, |processors| processors.get() - 1);
        Some(Found { spare, sandbox })
    };
    FOUND.get_or_make(look).as_ref()
}

pub(super) fn spare_processors() -> usize {
    found().map_or(0, |found| found.spare)
}

/// Whether a thread may be started, as far as can be told without risking it: a sandbox may answer by killing the
/// process. sshd's does, and kills who so much as asks for its processors; it denies opening files too, but that with
/// an error. Another kind lets files be opened, and is known by its having come since the processors were counted.
///
/// And whether it would do any good: a thread may run where the one that starts it may, so that one which is bound to a
/// processor would have its helper there too.
pub(super) fn may_start() -> bool {
    found().is_some_and(|found| {
        Status::here().is_some_and(|here| !here.is_bound && here.sandbox <= found.sandbox)
    })
}

/// What the kernel says of this thread: lines of proc_pid_status(5).
struct Status {
    sandbox: Sandbox,
    /// It may run on one processor alone.
    is_bound: bool,
}

/// Filters of system calls.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Sandbox {
    mode: u32,
    filters: u32,
}

impl Status {
    /// If it may know.
    fn here() -> Option<Self> {
        let status = without_cancellation(|| {
            let mut status = Vec::new();
            // Not read as a file, whose length would be asked for first: the fewer system calls, the better.
            let file = File::open("/proc/thread-self/status").ok()?;
            file.take(1 << 20).read_to_end(&mut status).ok()?;
            Some(status)
        })?;
        let status = String::from_utf8_lossy(&status);
        // A kernel that has no such line has no such filters.
        let value = |name| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.map_or(Some(0), |value| value.trim().parse().ok())
        };
        // As in `0-3,8`.
        let processors = status
            .lines()
            .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        Some(Self {
            sandbox: Sandbox {
                mode: value("Seccomp:")?,
                filters: value("Seccomp_filters:")?,
            },
            is_bound: processors.is_some_and(|list| !list.contains(['-', ','])),
        })
    }
}

/// The right to run one thread. All of a process's together are no more than it has spare processors.
pub(super) struct Permit(&'static Here<AtomicUsize>);

/// How many there are. A forked child has none of its parent's threads and counts anew, whatever its number: where it begins
/// a namespace, both may be process 1.
static TAKEN: PerProcess<AtomicUsize> = PerProcess::empty();

impl Permit {
    pub(super) fn take() -> Option<Self> {
        let more = |taken| (taken < spare_processors()).then_some(taken + 1);
        more(0)?;
        // First of all: to what comes next a sandbox may answer by killing the process.
        let make = || {
            may_start()
                .then(AtomicUsize::default)
                .ok_or(io::ErrorKind::PermissionDenied.into())
        };
        let taken = TAKEN.get_or_make(make).ok()?;
        let permit = taken.get()?.fetch_update(Relaxed, Relaxed, more);
        permit.ok().map(|_| Self(taken))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(taken) = self.0.get() {
            taken.fetch_sub(1, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_no_more_threads_than_spare_processors() {
        let permits: Vec<_> = (0..spare_processors()).map_while(|_| Permit::take()).collect();
        assert_eq!(permits.len(), spare_processors());
        assert!(Permit::take().is_none());
        drop(permits);
        assert_eq!(Permit::take().is_some(), spare_processors() > 0);
    }
}
