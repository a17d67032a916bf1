//! Which processors share a core, and how much of them the process may have.
use std::{collections::HashSet, fs, path::Path};

use crate::protocol::Team;

/// The processors in the order in which threads should take them: one of each core first. The first stays the first.
pub(crate) fn spread(processors: Vec<usize>) -> Vec<usize> {
    order(processors, siblings)
}

fn order(processors: Vec<usize>, siblings: impl Fn(usize) -> Option<String>) -> Vec<usize> {
    let mut cores = HashSet::new();
    let (mut first, later): (Vec<usize>, Vec<usize>) = processors
        .into_iter()
        .partition(|&cpu| siblings(cpu).is_none_or(|core| cores.insert(core)));
    first.extend(later);
    first
}

/// What to know of several threads at once: whether each had a core of its own, and whether the process may have so
/// much. Nothing where there is one thread at most.
pub(crate) fn sentence(processors: &[usize], teams: &[Team]) -> Option<String> {
    let threads = teams.iter().map(|team| team.threads()).max()?;
    (threads > 1).then(|| told(processors, threads, siblings, quota()))
}

fn told(
    processors: &[usize],
    threads: usize,
    siblings: impl Fn(usize) -> Option<String>,
    quota: Option<f64>,
) -> String {
    let taken = &processors[..threads.min(processors.len())];
    let cores: Option<HashSet<String>> = taken.iter().map(|&cpu| siblings(cpu)).collect();
    let mut told = match cores.map(|cores| cores.len()) {
        None => "The system does not say whether processors share a core.".to_owned(),
        Some(cores) if cores == threads => {
            format!("By what the system says, {threads} threads had a core each.")
        }
        Some(cores) => format!(
            "{threads} threads shared {cores} {}: what runs on one core shares its units, and does not add up.",
            if cores == 1 { "core" } else { "cores" }
        ),
    };
    if let Some(quota) = quota.filter(|&quota| quota < threads as f64) {
        told += &format!(
            " The process may use the time of {quota:.1} processors (its control group's limit), which is less."
        );
    }
    told
}

/// The processors that share a core, by one of them.
pub(crate) fn siblings(cpu: usize) -> Option<String> {
    let list = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
    Some(fs::read_to_string(list).ok()?.trim().to_owned())
}

/// How many processors' time this process's control groups allow, the strictest of them; `None` without a limit.
fn quota() -> Option<f64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    quota_of(&groups, Path::new("/sys/fs/cgroup"))
}

/// A process is in one group of version 2, whose line names no controllers, and in one of version 1 for each set of them.
fn quota_of(groups: &str, root: &Path) -> Option<f64> {
    let limits = |line: &str| -> Option<Vec<f64>> {
        let (_, line) = line.split_once(':')?;
        let (controllers, own) = line.split_once(":/")?;
        let folder = match controllers {
            "" => root.to_owned(),
            _ if controllers.split(',').any(|one| one == "cpu") => root.join("cpu"),
            _ => return None,
        };
        let limit = |group: &Path| {
            let read = |name| fs::read_to_string(folder.join(group).join(name)).ok();
            match controllers {
                "" => parse_quota(&read("cpu.max")?),
                _ => parse_quota(&format!(
                    "{} {}",
                    read("cpu.cfs_quota_us")?.trim(),
                    read("cpu.cfs_period_us")?.trim()
                )),
            }
        };
        Some(Path::new(own).ancestors().filter_map(limit).collect())
    };
    groups.lines().filter_map(limits).flatten().min_by(f64::total_cmp)
}

/// Microseconds of time in so many microseconds, or `max`, or -1 for as much.
fn parse_quota(text: &str) -> Option<f64> {
    let (time, period) = text.trim().split_once(' ')?;
    let (time, period): (f64, f64) = (time.parse().ok()?, period.parse().ok()?);
    (time > 0.0 && period > 0.0).then_some(time / period)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two threads a core: 0 and 4, 1 and 5, …
    fn pairs(cpu: usize) -> Option<String> {
        Some(format!("{},{}", cpu % 4, cpu % 4 + 4))
    }

    #[test]
    fn each_core_has_one_thread_before_any_has_two() {
        assert_eq!(
            order(vec![7, 0, 1, 2, 3, 4, 5, 6], pairs),
            [7, 0, 1, 2, 3, 4, 5, 6]
        );
        assert_eq!(order(vec![5, 4, 1, 0], pairs), [5, 4, 1, 0]);
        assert_eq!(order(vec![5, 1, 0, 4], pairs), [5, 0, 1, 4]);
        assert_eq!(order(vec![3, 2, 1], |_| None), [3, 2, 1]);
    }

    #[test]
    fn shared_cores_and_limits_are_told() {
        let each = |cpu: usize| Some(cpu.to_string());
        assert!(told(&[1, 0], 2, each, None).ends_with("2 threads had a core each."));
        assert!(told(&[0, 4], 2, pairs, None).starts_with("2 threads shared 1 core:"));
        assert!(told(&[0, 1, 2, 3, 4], 5, pairs, Some(8.0)).starts_with("5 threads shared 4 cores:"));
        assert!(told(&[0, 1], 2, |_| None, None).contains("does not say"));
        assert!(told(&[0, 1], 2, each, Some(1.5)).contains("1.5 processors"));
        assert_eq!(sentence(&[0, 1], &[Team::ALONE]), None);
    }

    #[test]
    fn a_limit_is_time_in_a_period() {
        assert_eq!(parse_quota("150000 100000\n"), Some(1.5));
        assert_eq!(parse_quota("max 100000\n"), None);
        assert_eq!(parse_quota("1 0\n"), None);
        assert_eq!(parse_quota("-1 100000"), None);
    }

    #[test]
    fn the_strictest_group_of_either_version_counts() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let quota = |groups: &str| quota_of(groups, root.path());
        let old = "4:memory:/a\n3:cpu,cpuacct:/a/b\n1:name=systemd:/x\n";
        assert_eq!(quota(old), None);
        write("cpu/a/b/cpu.cfs_quota_us", "-1\n");
        write("cpu/a/b/cpu.cfs_period_us", "100000\n");
        assert_eq!(quota(old), None);
        write("cpu/a/cpu.cfs_quota_us", "250000\n");
        write("cpu/a/cpu.cfs_period_us", "100000\n");
        assert_eq!(quota(old), Some(2.5));
        write("c/d/cpu.max", "max 100000\n");
        write("c/cpu.max", "150000 100000\n");
        assert_eq!(quota("0::/c/d\n"), Some(1.5));
        assert_eq!(quota(&format!("{old}0::/c/d\n")), Some(1.5));
        assert_eq!(quota("0::/\n"), None);
    }
}
