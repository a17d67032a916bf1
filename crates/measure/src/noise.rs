//! How quiet the machine was, and what would make it quieter.
use std::fs;

use ciphertune::Processor;
use ciphertune_results::tenths;

use crate::topology;

/// Looks at the system when a session begins and when it ends.
pub(crate) struct Watch {
    /// The processor that is measured on.
    cpu: Option<usize>,
    times: Option<Times>,
    load: Option<f64>,
}

impl Watch {
    pub(crate) fn begin(cpu: Option<usize>) -> Self {
        Self {
            cpu,
            times: times(cpu),
            load: read("/proc/loadavg").and_then(|text| load(&text)),
        }
    }

    pub(crate) fn end(&self) -> Circumstances {
        let now = times(self.cpu);
        Circumstances {
            stolen: self
                .times
                .zip(now)
                .and_then(|(before, after)| after.stolen_since(before)),
            load: self.load,
            governor: self.cpu.and_then(|cpu| {
                read(&format!(
                    "/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor"
                ))
            }),
            siblings: self
                .cpu
                .and_then(topology::siblings)
                .filter(|list| list.contains([',', '-'])),
            is_virtual: Processor::current().hypervisor.is_some(),
        }
    }
}

/// What the system says of the time of a session. Absent is what it does not tell.
pub(crate) struct Circumstances {
    /// The share of the processor's time that the hypervisor gave to others.
    pub(crate) stolen: Option<f64>,
    /// Programs that wanted to run when the session began, on average over a minute.
    load: Option<f64>,
    /// What decides its frequency.
    governor: Option<String>,
    /// The processors that share its core, itself among them, if there are others.
    siblings: Option<String>,
    is_virtual: bool,
}

/// A floor of more than this is a noisy machine's.
const QUIET: f64 = 0.015;

/// More stolen time than this is worth a sentence, however quiet the rest is.
const STOLEN: f64 = 0.01;

/// As much load as this is another program that runs half of the time.
const LOADED: f64 = 0.5;

impl Circumstances {
    /// A verdict by what the run cannot tell apart and, where it is noisy, what to change.
    pub(crate) fn sentences(&self, floor: f64) -> Vec<String> {
        let percent = tenths(100.0 * floor);
        let stolen = self.stolen.filter(|&stolen| stolen > STOLEN).map(|stolen| {
            format!(
                "The hypervisor gave {:.1} % of the processor's time to others (steal time): measure when they are \
                 quiet, or on a machine of your own.",
                100.0 * stolen
            )
        });
        if floor <= QUIET {
            return stolen.into_iter().collect();
        }
        let verdict = match floor.is_finite() {
            true => format!("The machine is noisy: the same code may differ from itself by {percent} %."),
            false => {
                "The machine is too noisy to tell anything apart: other work spoiled what was timed twice."
                    .to_owned()
            }
        };
        let load = self
            .load
            .filter(|&load| load > LOADED)
            .map(|load| format!("The load was {load:.1} when the session began: stop other programs."));
        let governor = self.governor.as_deref().filter(|&governor| governor != "performance").map(|governor| {
            format!(
                "The governor '{governor}' changes the frequency: cpupower frequency-set --governor performance."
            )
        });
        let siblings = self.siblings.as_deref().map(|siblings| {
            format!("Processors {siblings} share a core: leave the others idle, or switch SMT off.")
        });
        let changes: Vec<String> = [stolen, load, governor, siblings].into_iter().flatten().collect();
        let last = match (changes.is_empty(), self.is_virtual) {
            (false, _) => None,
            (true, true) => Some(
                "Nothing on this virtual machine explains it, so its neighbours may: measure again, or longer \
                 (--until-stable)."
                    .to_owned(),
            ),
            (true, false) => Some("Nothing explains it: measure again, or longer (--until-stable).".to_owned()),
        };
        [verdict].into_iter().chain(changes).chain(last).collect()
    }
}

/// A processor's time since boot, in the kernel's ticks.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Times {
    total: u64,
    stolen: u64,
}

impl Times {
    fn stolen_since(self, before: Self) -> Option<f64> {
        let total = self.total.checked_sub(before.total).filter(|&total| total > 0)?;
        Some(self.stolen.saturating_sub(before.stolen) as f64 / total as f64)
    }
}

fn times(cpu: Option<usize>) -> Option<Times> {
    times_in(&read("/proc/stat")?, cpu)
}

/// Of one processor or, without, of all together (proc(5), `/proc/stat`).
fn times_in(stat: &str, cpu: Option<usize>) -> Option<Times> {
    let name = cpu.map_or("cpu".to_owned(), |cpu| format!("cpu{cpu}"));
    let line = stat
        .lines()
        .find(|line| line.split_whitespace().next() == Some(&name))?;
    let fields: Vec<u64> = line
        .split_whitespace()
        .skip(1)
        .map_while(|field| field.parse().ok())
        .collect();
    // user, nice, system, idle, iowait, irq, softirq, steal; what guests take behind it is part of user.
    Some(Times {
        total: fields.get(..8)?.iter().sum(),
        stolen: fields[7],
    })
}

fn load(loadavg: &str) -> Option<f64> {
    loadavg.split_whitespace().next()?.parse().ok()
}

fn read(path: &str) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str =
        "cpu  10 0 10 970 0 0 0 10 0 0\ncpu0 5 0 5 485 0 0 0 5 0 0\ncpu1 4 0 4 480 1 2 3 6 9 9\nintr 1\n";

    const QUIET_MACHINE: Circumstances = Circumstances {
        stolen: Some(0.0),
        load: Some(0.1),
        governor: None,
        siblings: None,
        is_virtual: false,
    };

    #[test]
    fn stolen_time_is_a_share_of_the_processors_own() {
        let before = times_in(STAT, Some(1)).unwrap();
        assert_eq!(
            before,
            Times {
                total: 500,
                stolen: 6
            }
        );
        assert_eq!(times_in(STAT, None).unwrap().total, 1000);
        assert_eq!(times_in(STAT, Some(2)), None);
        assert_eq!(times_in("cpu 1 2 3 4\n", None), None, "a kernel before 2.6.11");
        let after = Times {
            total: 700,
            stolen: 16,
        };
        assert_eq!(after.stolen_since(before), Some(0.05));
        assert_eq!(before.stolen_since(before), None);
    }

    #[test]
    fn a_quiet_machine_is_not_talked_about_unless_its_time_is_stolen() {
        assert!(QUIET_MACHINE.sentences(0.01).is_empty());
        let stolen = Circumstances {
            stolen: Some(0.032),
            ..QUIET_MACHINE
        };
        let sentences = stolen.sentences(0.01);
        assert_eq!(sentences.len(), 1);
        assert!(sentences[0].contains("gave 3.2 % of"), "{sentences:?}");
    }

    #[test]
    fn what_cannot_be_measured_is_not_taken_for_quiet() {
        let sentences = QUIET_MACHINE.sentences(f64::INFINITY);
        assert!(
            sentences[0].contains("too noisy to tell anything apart"),
            "{sentences:?}"
        );
    }

    #[test]
    fn a_noisy_one_hears_what_to_change() {
        let noisy = Circumstances {
            stolen: Some(0.02),
            load: Some(3.0),
            governor: Some("powersave".to_owned()),
            siblings: Some("1,3".to_owned()),
            is_virtual: true,
        };
        let sentences = noisy.sentences(0.034);
        for (sentence, part) in
            sentences
                .iter()
                .zip(["by 3.4 %", "2.0 %", "load was 3.0", "'powersave'", "1,3"])
        {
            assert!(sentence.contains(part), "{sentence}");
        }
        assert_eq!(sentences.len(), 5);
        let unexplained = QUIET_MACHINE.sentences(0.034);
        assert!(
            unexplained[1].starts_with("Nothing explains it"),
            "{unexplained:?}"
        );
    }

    #[test]
    fn this_system_answers() {
        let circumstances = Watch::begin(None).end();
        assert!(
            circumstances
                .stolen
                .is_none_or(|stolen| (0.0..=1.0).contains(&stolen))
        );
        assert_eq!(load("0.52 0.58 0.59 1/467 12345"), Some(0.52));
    }
}
