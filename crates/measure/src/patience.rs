//! How much time a process has had for an answer. That it waits for a processor, on a machine where others have them all,
//! is not its doing.
use std::{fs, time::Duration};

use nix::unistd::{SysconfVar, sysconf};

/// What a process has had since this began: all time but that in which it could run and did not.
pub(crate) struct Had {
    process: u32,
    ran: Option<Duration>,
    all: Duration,
}

impl Had {
    pub(crate) fn since_now(process: u32) -> Self {
        Self {
            process,
            ran: State::of(process).map(|state| state.ran),
            all: Duration::ZERO,
        }
    }

    /// So much time has passed; how much of all is the process's own.
    pub(crate) fn pass(&mut self, time: Duration) -> Duration {
        let now = State::of(self.process);
        self.all += match (self.ran, &now) {
            (Some(before), Some(now)) if now.is_runnable => now.ran.saturating_sub(before).min(time),
            _ => time,
        };
        self.ran = now.map(|now| now.ran);
        self.all
    }
}

/// What the system says of a process.
struct State {
    /// The processor's time that it has taken, in all threads.
    ran: Duration,
    /// Whether a thread of it runs or would.
    is_runnable: bool,
}

impl State {
    fn of(process: u32) -> Option<Self> {
        let (_, ran) = stat(&format!("/proc/{process}/stat"))?;
        let mut threads = fs::read_dir(format!("/proc/{process}/task")).ok()?.flatten();
        let is_runnable = |thread: fs::DirEntry| {
            stat(&format!("{}/stat", thread.path().display())).is_some_and(|(state, _)| state == "R")
        };
        Some(Self {
            ran,
            is_runnable: threads.any(is_runnable),
        })
    }
}

/// The state in such a file, and the time that was taken.
fn stat(path: &str) -> Option<(String, Duration)> {
    let line = fs::read_to_string(path).ok()?;
    // A name may hold anything, and ends with the last parenthesis; state, and eleven fields on, ticks as a user and as the
    // system (proc(5)).
    let (_, fields) = line.rsplit_once(") ")?;
    let mut fields = fields.split(' ');
    let state = fields.next()?.to_owned();
    let ticks: u64 = fields
        .skip(10)
        .take(2)
        .map_while(|ticks| ticks.parse::<u64>().ok())
        .sum();
    let per_second = sysconf(SysconfVar::CLK_TCK).ok()??.try_into().ok()?;
    Some((state, Duration::from_secs(ticks) / per_second))
}
