//! One processor for the workers, and for the session, which sleeps while they work.
use nix::{
    sched::{CpuSet, sched_getaffinity, sched_setaffinity},
    unistd::Pid,
};

/// The calling thread; also what a child inherits from it until it pins itself.
const THIS_THREAD: Pid = Pid::from_raw(0);

/// Keeps the calling thread on the processor that the workers are pinned to, until it is dropped. To hand over to a process
/// on another processor takes an interrupt there, as a rule out of a halt: on virtual machines as long as a quarter of a
/// quantum.
pub(crate) struct Pinned {
    cpu: Option<usize>,
    allowed: Option<CpuSet>,
}

impl Pinned {
    /// Takes the last processor that this thread may use, since the first handles most interrupts. Where
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
            let _ = stay_on(&[cpu]);
        }
        Self {
            cpu,
            allowed: Some(allowed),
        }
    }

    pub(crate) fn cpu(&self) -> Option<usize> {
        self.cpu
    }

    /// The processors that the thread may use when it is not pinned, that one first; none where the system does not say.
    pub(crate) fn processors(&self) -> Vec<usize> {
        let others = (0..CpuSet::count()).filter(|&cpu| Some(cpu) != self.cpu && self.allows(cpu));
        self.cpu.into_iter().chain(others).collect()
    }

    fn allows(&self, cpu: usize) -> bool {
        self.allowed
            .is_some_and(|allowed| allowed.is_set(cpu).unwrap_or(false))
    }

    /// How many processors the thread may use when it is not pinned; at least one.
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

impl Drop for Pinned {
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
    fn the_thread_stays_on_one_processor_and_gets_the_others_back() {
        let before = allowed();
        let pinned = Pinned::last();
        assert_eq!(allowed(), [pinned.cpu().unwrap()]);
        assert_eq!(pinned.allowed() as usize, before.len());
        drop(pinned);
        assert_eq!(allowed(), before);
    }
}
