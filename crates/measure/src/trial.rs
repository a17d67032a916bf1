//! What was timed in one cell.
use ciphertune_catalog::Task;
use ciphertune_results::{
    Interval,
    statistics::{Rounds, median},
};

use crate::{
    protocol::{Message, Ready, Subject, Team, Timed},
    statistics::stabilised_quartiles,
};

/// One cell, over all processes.
#[derive(Debug)]
pub(crate) struct Trial {
    pub(crate) message: Message,
    pub(crate) tracks: Vec<Track>,
    /// What stands for what is right, once somebody was.
    pub(crate) print: Option<u64>,
    /// Whether the chains that estimate core cycles were timed, before it and after it.
    pub(crate) has_chains: bool,
    /// Ticks a core cycle, from each process in which the estimates agreed.
    pub(crate) ticks_per_cycle: Vec<f64>,
}

/// Who is timed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Candidate {
    /// An implementation, by its number in the crew, and how many threads do it.
    Entrant(usize, Team),
    /// The same once more: what the two differ by is noise.
    Control(usize, Team),
    /// The machine's own limit.
    Probe(Subject),
}

/// One candidate's quanta.
#[derive(Debug)]
pub(crate) struct Track {
    pub(crate) candidate: Candidate,
    /// Where its worker has it ready, in the present process.
    pub(crate) slot: Option<usize>,
    /// What its last warm-up said.
    pub(crate) ready: Option<Ready>,
    /// It has been timed in as many processes as it takes part in.
    pub(crate) is_over: bool,
    pub(crate) samples: Vec<Sample>,
    /// Quanta that the system disturbed. They count for nothing as long as there are others.
    pub(crate) disturbed: Vec<Sample>,
}

/// One quantum that counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sample {
    pub(crate) process: u32,
    pub(crate) round: u32,
    pub(crate) ticks_per_byte: f64,
}

/// A rate is steady when it is known to this share, either way.
const STEADY: f64 = 0.01;

/// Whether a rate is known to one per cent, which takes two processes: whether its interval, as it is shown, goes no
/// further from it.
pub(crate) fn is_steady(rate: &Interval) -> bool {
    let Interval { low, median, high } = *rate;
    !rate.is_point() && low >= (1.0 - STEADY) * median && high <= (1.0 + STEADY) * median
}

impl Trial {
    /// Whether anything has been.
    pub(crate) fn is_timed(&self) -> bool {
        self.tracks.iter().any(|track| !track.best_samples().is_empty())
    }

    /// Whether an implementation has been, at this task.
    pub(crate) fn has_timed(&self, entrant: usize, task: Task) -> bool {
        let own = |track: &&Track| matches!(track.candidate, Candidate::Entrant(n, _) if n == entrant);
        let mut tracks = self.tracks.iter().filter(own);
        self.message.task == task && tracks.any(|track| !track.best_samples().is_empty())
    }

    pub(crate) fn track(&self, candidate: Candidate) -> Option<&Track> {
        self.tracks.iter().find(|track| track.candidate == candidate)
    }

    /// Ticks a core cycle while this cell was timed; absent where the estimates agreed in fewer than half of
    /// the processes.
    pub(crate) fn ticks_per_cycle(&self) -> Option<f64> {
        let processes = self.tracks.iter().map(Track::processes).max()?;
        let agreed = self.ticks_per_cycle.len();
        (2 * agreed >= processes as usize)
            .then(|| median(self.ticks_per_cycle.clone()))
            .flatten()
    }
}

impl Track {
    pub(crate) fn new(candidate: Candidate) -> Self {
        Self {
            candidate,
            slot: None,
            ready: None,
            is_over: false,
            samples: Vec::new(),
            disturbed: Vec::new(),
        }
    }

    pub(crate) fn record(&mut self, process: u32, round: u32, calls: u64, timed: Timed) {
        let Some(ready) = self.ready else {
            return;
        };
        let samples = if timed.disturbed {
            &mut self.disturbed
        } else {
            &mut self.samples
        };
        samples.push(Sample {
            process,
            round,
            ticks_per_byte: timed.ticks as f64 / (calls * ready.bytes_per_call) as f64,
        });
    }

    /// The quanta for a figure: those that were not disturbed, or all where there are no others. Other work only
    /// takes time, so that such a figure is too low rather than too high.
    pub(crate) fn best_samples(&self) -> &[Sample] {
        if self.samples.is_empty() {
            &self.disturbed
        } else {
            &self.samples
        }
    }

    /// Its rate by all quanta, with the interval that its processes tell.
    pub(crate) fn rate(&self, ticks_per_second: f64, confidence: f64) -> Option<Interval> {
        let ticks = stabilised_quartiles(&self.ticks_per_byte())?;
        let replicates = self.replicates(ticks_per_second);
        Some(Interval::of_processes(
            ticks_per_second / ticks.median,
            &replicates,
            confidence,
        ))
    }

    /// The rate of each process.
    pub(crate) fn replicates(&self, ticks_per_second: f64) -> Vec<Option<f64>> {
        let medians = self.medians().into_iter();
        medians.map(|ticks| Some(ticks_per_second / ticks?)).collect()
    }

    pub(crate) fn ticks_per_byte(&self) -> Vec<f64> {
        let samples = self.best_samples().iter();
        samples.map(|sample| sample.ticks_per_byte).collect()
    }

    /// Whether its figure is one of disturbed quanta.
    pub(crate) fn is_disturbed(&self) -> bool {
        self.samples.is_empty() && !self.disturbed.is_empty()
    }

    /// The median of each process, in ticks per byte; `None` where all that it timed was disturbed.
    pub(crate) fn medians(&self) -> Vec<Option<f64>> {
        let all = self.samples.iter().chain(&self.disturbed);
        medians(
            &self.samples,
            all.map(|sample| sample.process + 1).max().unwrap_or(0),
        )
    }

    /// Each quantum's ticks per byte, by process and round; `None` where none counts.
    pub(crate) fn rounds(&self) -> Rounds {
        let mut processes = Rounds::new();
        for sample in &self.samples {
            let [process, round] = [sample.process, sample.round].map(|number| number as usize);
            processes.resize(processes.len().max(process + 1), Vec::new());
            let rounds = &mut processes[process];
            rounds.resize(rounds.len().max(round + 1), None);
            rounds[round] = Some(sample.ticks_per_byte);
        }
        processes
    }

    /// How many processes its quanta come from.
    pub(crate) fn processes(&self) -> u32 {
        let samples = self.best_samples();
        samples.chunk_by(|a, b| a.process == b.process).count() as u32
    }
}

/// The median of each of so many processes, in ticks per byte; `None` where none of these samples is its own.
pub(crate) fn medians(samples: &[Sample], processes: u32) -> Vec<Option<f64>> {
    let own = |process| samples.iter().filter(move |sample| sample.process == process);
    (0..processes)
        .map(|process| median(own(process).map(|sample| sample.ticks_per_byte).collect()))
        .collect()
}

#[cfg(test)]
mod tests {
    use ciphertune_catalog::Task;

    use super::*;

    fn sample(process: u32, round: u32, ticks_per_byte: f64) -> Sample {
        Sample {
            process,
            round,
            ticks_per_byte,
        }
    }

    #[test]
    fn disturbed_quanta_count_only_where_there_are_no_others() {
        let mut track = Track::new(Candidate::Entrant(0, Team::ALONE));
        track.ready = Some(Ready {
            in_place: true,
            copies: false,
            width: None,
            bytes_per_call: 10,
            ticks_per_call: 10.0,
        });
        let timed = |ticks, disturbed| Timed {
            ticks,
            wall: ticks,
            disturbed,
        };
        track.record(0, 0, 1, timed(50, true));
        assert!(track.is_disturbed());
        assert_eq!(track.best_samples(), [sample(0, 0, 5.0)]);
        track.record(1, 0, 1, timed(20, false));
        assert!(!track.is_disturbed());
        assert_eq!(track.best_samples(), [sample(1, 0, 2.0)]);
    }

    #[test]
    fn a_quantum_keeps_its_process_and_its_round() {
        let mut track = Track::new(Candidate::Entrant(0, Team::ALONE));
        track.samples = vec![sample(0, 1, 1.0), sample(2, 0, 2.0), sample(2, 2, 3.0)];
        track.disturbed = vec![sample(1, 0, 9.0)];
        let rounds = [vec![None, Some(1.0)], vec![], vec![Some(2.0), None, Some(3.0)]];
        assert_eq!(track.rounds(), rounds);
    }

    #[test]
    fn a_process_that_was_disturbed_all_the_time_keeps_its_number() {
        let mut track = Track::new(Candidate::Entrant(0, Team::ALONE));
        track.samples = vec![sample(1, 0, 1.0), sample(1, 1, 2.0), sample(3, 0, 4.0)];
        track.disturbed = vec![sample(0, 0, 9.0), sample(1, 2, 9.0), sample(4, 0, 9.0)];
        let medians = [None, Some(1.5), None, Some(4.0), None];
        assert_eq!(track.medians(), medians);
    }

    #[test]
    fn a_rate_is_steady_when_its_processes_agree_as_it_is_shown() {
        let is_known = |ticks: &[f64]| {
            let mut track = Track::new(Candidate::Entrant(0, Team::ALONE));
            track.samples = (0..)
                .zip(ticks)
                .map(|(process, &ticks)| sample(process, 0, ticks))
                .collect();
            is_steady(&track.rate(1e9, 0.95).unwrap())
        };
        assert!(is_known(&[1.0, 1.001, 0.999]));
        assert!(is_known(&[4.0, 4.004, 3.996]), "however slow");
        assert!(!is_known(&[2.0, 2.03, 1.97]));
        assert!(!is_known(&[1.0]), "one process says nothing of others");
        // The processes agree, and the median of all their quanta is further off.
        let mut track = Track::new(Candidate::Entrant(0, Team::ALONE));
        track.samples = vec![sample(0, 0, 1.0), sample(1, 0, 1.001)];
        track.samples.extend((0..5).map(|round| sample(2, round, 0.1)));
        track.samples.extend((5..11).map(|round| sample(2, round, 1.0)));
        assert!(!is_steady(&track.rate(1e9, 0.95).unwrap()));
    }

    #[test]
    fn cycles_are_told_only_when_half_of_the_processes_agreed() {
        let mut track = Track::new(Candidate::Entrant(0, Team::ALONE));
        track.samples = (0..3).map(|process| sample(process, 0, 1.0)).collect();
        assert_eq!(track.processes(), 3);
        let mut trial = Trial {
            message: Message {
                task: Task::usual("AES-128-CTR".parse().unwrap()),
                hashed: false,
                aad: 0,
                length: 16,
            },
            tracks: vec![track],
            print: None,
            has_chains: true,
            ticks_per_cycle: vec![0.6],
        };
        assert_eq!(trial.ticks_per_cycle(), None);
        trial.ticks_per_cycle.push(0.7);
        assert_eq!(trial.ticks_per_cycle(), Some(f64::midpoint(0.6, 0.7)));
    }
}
