//! Threads of the library's own: how many there may be, and whether one may be started here and now.

use std::{
    fs::File,
    process,
    sync::{
        LazyLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread,
};

/// A thread's stack in bytes. Kernels touch up to 20 KiB of it, without optimisation up to 900: a test asks that it is
/// no more than half.
pub(super) const STACK: usize = if cfg!(debug_assertions) {
    4 << 20
} else {
    256 << 10
};

/// How many processors there are besides the one that asks, found once. A process that was not allowed to look, or
/// is bound to one processor, has none.
pub(super) fn spare_processors() -> usize {
    static SPARE: LazyLock<usize> = LazyLock::new(|| {
        if !may_start() {
            return 0;
        }
        thread::available_parallelism().map_or(0, |processors| processors.get() - 1)
    });
    *SPARE
}

/// Whether the process may start threads, as far as can be told without risking it.
///
/// sshd's sandbox kills a process that starts a thread or so much as asks for its processors. It denies opening
/// files too, but that with an error. Whoever may not open this file is in a sandbox of that kind.
pub(super) fn may_start() -> bool {
    File::open("/proc/self/status").is_ok()
}

/// The right to run one thread. All of a process's together are no more than it has spare processors.
pub(super) struct Permit(());

/// Process and number of its permits: a forked child has none of its parent's threads.
static PERMITS: AtomicU64 = AtomicU64::new(0);

impl Permit {
    pub(super) fn take() -> Option<Self> {
        let here = u64::from(process::id()) << 32;
        let more = |taken: u64| {
            let ours = if taken >> 32 == here >> 32 { taken } else { here };
            ((ours as u32 as usize) < spare_processors()).then_some(ours + 1)
        };
        PERMITS
            .fetch_update(Relaxed, Relaxed, more)
            .ok()
            .map(|_| Self(()))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        PERMITS.fetch_sub(1, Relaxed);
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
