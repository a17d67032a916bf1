//! One processor for the workers, and for the session, which sleeps while they work.
use std::{fs, path::Path};

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
    /// Takes the last of the fastest processors that this thread may use, since the first handles most interrupts. Where
    /// the system does not say which it may use, nothing is pinned.
    pub(crate) fn last() -> Self {
        let Ok(allowed) = sched_getaffinity(THIS_THREAD) else {
            return Self {
                cpu: None,
                allowed: None,
            };
        };
        let cpu = last_of_fastest(&processors(&allowed), Path::new("/sys/devices/system/cpu"));
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
        let allowed = self.allowed.as_ref().map_or_else(Vec::new, processors);
        let others = allowed.into_iter().filter(|&cpu| Some(cpu) != self.cpu);
        self.cpu.into_iter().chain(others).collect()
    }

    /// How many processors the thread may use when it is not pinned; at least one.
    pub(crate) fn allowed(&self) -> u32 {
        self.processors().len().max(1) as u32
    }
}

/// The processors that the calling thread may use; none where the system does not say.
pub(crate) fn allowed() -> Vec<usize> {
    processors(&sched_getaffinity(THIS_THREAD).unwrap_or_default())
}

fn processors(set: &CpuSet) -> Vec<usize> {
    (0..CpuSet::count())
        .filter(|&cpu| set.is_set(cpu).unwrap_or(false))
        .collect()
}

/// Where some are slower, as the efficient cores of a hybrid processor, which Linux counts last on Intel's, what is chosen is
/// for the others.
fn last_of_fastest(processors: &[usize], told: &Path) -> Option<usize> {
    let number = |path: String| {
        fs::read_to_string(told.join(path))
            .ok()?
            .trim()
            .parse::<u64>()
            .ok()
    };
    let speed = |cpu| {
        let capacity = number(format!("cpu{cpu}/cpu_capacity"));
        capacity.or_else(|| number(format!("cpu{cpu}/cpufreq/cpuinfo_max_freq")))
    };
    processors.iter().copied().max_by_key(|&cpu| speed(cpu))
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
    fn of_fast_and_slow_processors_a_fast_one_is_taken_and_of_equals_the_last() {
        let folder = tempfile::tempdir().unwrap();
        let says = |cpu: usize, name: &str, text: &str| {
            let file = folder.path().join(format!("cpu{cpu}/{name}"));
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        let taken = |processors: &[usize]| last_of_fastest(processors, folder.path());
        assert_eq!(taken(&[0, 2, 3]), Some(3), "nothing is told");
        assert_eq!(taken(&[]), None);
        for (cpu, hertz) in [
            (0, "5200000\n"),
            (1, "5200000\n"),
            (2, "3900000\n"),
            (3, "3900000\n"),
        ] {
            says(cpu, "cpufreq/cpuinfo_max_freq", hertz);
        }
        assert_eq!(taken(&[0, 1, 2, 3]), Some(1));
        assert_eq!(taken(&[2, 3]), Some(3));
        for (cpu, capacity) in [(0, "512\n"), (1, "512\n"), (2, "1024\n"), (3, "512\n")] {
            says(cpu, "cpu_capacity", capacity);
        }
        assert_eq!(taken(&[0, 1, 2, 3]), Some(2));
    }

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
