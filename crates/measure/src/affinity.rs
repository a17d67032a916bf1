//! One processor for the workers, the others for the session that waits for them.
use nix::{
    sched::{CpuSet, sched_getaffinity, sched_setaffinity},
    unistd::Pid,
};

/// The calling thread; also what a child inherits from it until it pins itself.
const THIS_THREAD: Pid = Pid::from_raw(0);

/// Keeps the calling thread off the processor that the workers are pinned to, until it is dropped. A session
/// that woke up on that processor would push a worker aside in the middle of a quantum.
pub(crate) struct Reserved {
    cpu: Option<usize>,
    allowed: Option<CpuSet>,
}

impl Reserved {
    /// Reserves the last processor that this thread may use, since the first handles most interrupts. Where
    /// the system does not say which it may use, nothing is pinned.
    pub(crate) fn last() -> Self {
        let Ok(allowed) = sched_getaffinity(THIS_THREAD) else {
            return Self {
                cpu: None,
                allowed: None,
            };
        };
        let cpu = (0..CpuSet::count())
            .rev()
            .find(|&cpu| allowed.is_set(cpu).unwrap_or(false));
        if let Some(cpu) = cpu {
            let mut others = allowed;
            // With a single processor the set would be empty, which the system refuses.
            let _ = others
                .unset(cpu)
                .and_then(|()| sched_setaffinity(THIS_THREAD, &others));
        }
        Self {
            cpu,
            allowed: Some(allowed),
        }
    }

    pub(crate) fn cpu(&self) -> Option<usize> {
        self.cpu
    }

    /// The processors that the thread may use when nothing is reserved, the reserved one first; none where the system does
    /// not say.
    pub(crate) fn processors(&self) -> Vec<usize> {
        let others = (0..CpuSet::count()).filter(|&cpu| Some(cpu) != self.cpu && self.allows(cpu));
        self.cpu.into_iter().chain(others).collect()
    }

    fn allows(&self, cpu: usize) -> bool {
        self.allowed
            .is_some_and(|allowed| allowed.is_set(cpu).unwrap_or(false))
    }

    /// How many processors the thread may use when nothing is reserved; at least one.
    pub(crate) fn allowed(&self) -> u32 {
        self.processors().len().max(1) as u32
    }
}

/// The processors that the calling thread may use; none where the system does not say.
pub(crate) fn allowed() -> Vec<usize> {
    let set = sched_getaffinity(THIS_THREAD).unwrap_or_default();
    (0..CpuSet::count())
        .filter(|&cpu| set.is_set(cpu).unwrap_or(false))
        .collect()
}

/// Keeps the calling thread on these processors.
pub(crate) fn stay_on(processors: &[usize]) -> nix::Result<()> {
    let mut set = CpuSet::new();
    for &cpu in processors {
        set.set(cpu)?;
    }
    sched_setaffinity(THIS_THREAD, &set)
}

impl Drop for Reserved {
    fn drop(&mut self) {
        if let Some(allowed) = &self.allowed {
            let _ = sched_setaffinity(THIS_THREAD, allowed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thread_keeps_off_the_reserved_processor_and_gets_it_back() {
        let before = sched_getaffinity(THIS_THREAD).unwrap();
        let reserved = Reserved::last();
        let cpu = reserved.cpu().unwrap();
        assert!(before.is_set(cpu).unwrap());
        let during = sched_getaffinity(THIS_THREAD).unwrap();
        assert!(reserved.allowed() == 1 || !during.is_set(cpu).unwrap());
        drop(reserved);
        assert_eq!(sched_getaffinity(THIS_THREAD).unwrap(), before);
    }
}
