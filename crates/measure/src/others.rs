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
    /// that have not been waited for are others. `None` where the system does not tell, and with real-time priority:
    /// then others have what this program leaves.
    pub fn share(&self) -> Option<f64> {
        if is_real_time(&fs::read_to_string("/proc/self/stat").ok()?)? {
            return None;
        }
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

/// By the scheduling policy (proc(5), `/proc/pid/stat`): SCHED_FIFO or SCHED_RR.
fn is_real_time(stat: &str) -> Option<bool> {
    // The name in brackets may have anything in it; the policy is field 41, and the first behind the name is field 3.
    let (_, fields) = stat.rsplit_once(')')?;
    let policy = fields.split_whitespace().nth(41 - 3)?;
    Some(["1", "2"].contains(&policy))
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

    #[test]
    fn priority_is_behind_a_name_with_anything_in_it() {
        let stat = |policy| format!("7 (a) S (b) R 1{} {policy} 0 0", " 5".repeat(36));
        assert_eq!(is_real_time(&stat(0)), Some(false));
        assert_eq!(is_real_time(&stat(1)), Some(true));
        assert_eq!(is_real_time("7 (a) R 1 1"), None);
        let own = fs::read_to_string("/proc/self/stat").unwrap();
        assert!(is_real_time(&own).is_some());
    }

    /// What this program's own children do is not others'; what those do that are not waited for is.
    #[test]
    fn a_child_is_no_other_once_it_is_waited_for() {
        let processors = allowed();
        let drops = || {
            let mut child = Command::new("sh")
                .args(["-c", "while :; do :; done"])
                .spawn()
                .unwrap();
            let begun = Instant::now();
            let mut work = 0_u64;
            while begun.elapsed().as_secs_f64() < 0.4 {
                work = black_box(work + 1);
            }
            let during = others(&processors).unwrap();
            child.kill().unwrap();
            child.wait().unwrap();
            others(&processors).unwrap() < during
        };
        // On a busy machine others may work longer until it is waited for than it could before.
        assert!((0..10).any(|_| drops()), "never less than while a child ran");
    }
}
