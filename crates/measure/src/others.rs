//! How much of the processors other programs had.
use std::{fs, time::Instant};

use nix::{
    sys::resource::{UsageWho, getrusage},
    unistd::{SysconfVar, sysconf},
};

use crate::affinity::allowed;

/// Looks at what this program and its children have of the processors that it may use, and at what all programs have.
pub struct Others {
    processors: Vec<usize>,
    /// Seconds that are not this program's.
    before: Option<f64>,
    begun: Instant,
}

impl Others {
    /// Looks from now on.
    pub fn watch() -> Self {
        let processors = allowed();
        Self {
            before: others(&processors),
            processors,
            begun: Instant::now(),
        }
    }

    /// The share of the processors' time until now that others had, the hypervisor's other guests among them. Children
    /// that have not been waited for are others. `None` where the system does not tell.
    pub fn share(&self) -> Option<f64> {
        let seconds = (others(&self.processors)? - self.before?).max(0.0);
        let all = self.begun.elapsed().as_secs_f64() * self.processors.len() as f64;
        Some((seconds / all).min(1.0))
    }
}

fn others(processors: &[usize]) -> Option<f64> {
    let ticks_per_second = sysconf(SysconfVar::CLK_TCK).ok()?? as f64;
    let busy = busy(&fs::read_to_string("/proc/stat").ok()?, processors)? as f64 / ticks_per_second;
    let ours = [UsageWho::RUSAGE_SELF, UsageWho::RUSAGE_CHILDREN].map(|who| {
        let usage = getrusage(who).ok()?;
        let times = [usage.user_time(), usage.system_time()];
        Some(
            times
                .map(|time| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6)
                .iter()
                .sum::<f64>(),
        )
    });
    Some(busy - ours[0]? - ours[1]?)
}

/// The kernel's ticks in which these processors were not idle (proc(5), `/proc/stat`).
fn busy(stat: &str, processors: &[usize]) -> Option<u64> {
    let one = |cpu: &usize| {
        let name = format!("cpu{cpu}");
        let mut lines = stat.lines().map(str::split_whitespace);
        let fields = lines.find_map(|mut line| (line.next() == Some(&name)).then_some(line))?;
        let fields: Vec<u64> = fields.map_while(|field| field.parse().ok()).collect();
        // user, nice, system, idle, iowait, irq, softirq, steal; what guests take behind it is part of user.
        Some(fields.get(..3)?.iter().chain(fields.get(5..8)?).sum::<u64>())
    };
    processors.iter().map(one).sum()
}

#[cfg(test)]
mod tests {
    use std::{hint::black_box, process::Command};

    use super::*;

    #[test]
    fn idle_time_and_other_processors_do_not_count() {
        let stat = "cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 1 2 4 900 900 8 16 32 900 900\ncpu1 100 0 0 5 5 0 0 0 0 0\nintr 7\n";
        assert_eq!(busy(stat, &[0]), Some(63));
        assert_eq!(busy(stat, &[1, 0]), Some(163));
        assert_eq!(busy(stat, &[2]), None);
        assert_eq!(busy("cpu0 1 2 3 4\n", &[0]), None, "a kernel before 2.6.11");
    }

    /// What this program's own children do is not others'; what those do that are not waited for is.
    #[test]
    fn a_child_is_no_other_once_it_is_waited_for() {
        let watch = Others::watch();
        let mut child = Command::new("sh")
            .args(["-c", "while :; do :; done"])
            .spawn()
            .unwrap();
        let begun = Instant::now();
        let mut work = 0_u64;
        while begun.elapsed().as_secs_f64() < 0.4 {
            work = black_box(work + 1);
        }
        let during = watch.share().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let after = watch.share().unwrap();
        assert!(during > after, "{during} while it ran, {after} after");
    }
}
