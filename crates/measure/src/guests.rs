//! Threads of an implementation's own, which come for one quantum.
use std::{
    fs, thread,
    time::{Duration, Instant},
};

use ciphertune_catalog::Fault;

use crate::affinity::stay_on;

/// Room for them: as long as it lives, this thread and those that it starts may run on all processors. Otherwise they
/// would share this thread's.
pub(crate) struct Guests<'a> {
    processors: &'a [usize],
    before: Option<usize>,
}

impl<'a> Guests<'a> {
    pub(crate) fn admit(processors: &'a [usize]) -> Result<Self, Fault> {
        let before = awake();
        move_to(processors)?;
        Ok(Self { processors, before })
    }

    /// Waits until they have left or sleep, so that they neither disturb the next quantum nor keep its threads from being
    /// started: a process has a share of them. They leave when nobody has work for them any more.
    pub(crate) fn leave(self) -> Result<(), Fault> {
        let patience = Instant::now() + Duration::from_secs(2);
        while awake() > self.before {
            if Instant::now() > patience {
                return Err(Fault("threads that helped did not end".to_owned()));
            }
            thread::sleep(Duration::from_micros(50));
        }
        Ok(())
    }
}

impl Drop for Guests<'_> {
    fn drop(&mut self) {
        // It was there before, so it can go back.
        let _ = move_to(&self.processors[..self.processors.len().min(1)]);
    }
}

fn move_to(processors: &[usize]) -> Result<(), Fault> {
    if processors.is_empty() {
        return Ok(());
    }
    stay_on(processors).map_err(|error| Fault(format!("cannot change processors: {error}")))
}

/// This process's threads, where the system tells, but for those of the library's pool that sleep: they have no share in
/// anything until there is another call for them.
fn awake() -> Option<usize> {
    let stats = fs::read_dir("/proc/self/task").ok()?;
    // One that is gone before it is read does not count.
    let stats = stats.filter_map(|task| fs::read_to_string(task.ok()?.path().join("stat")).ok());
    Some(
        stats
            .filter(|stat| !stat.contains(" (ciphertune-pool) S "))
            .count(),
    )
}
