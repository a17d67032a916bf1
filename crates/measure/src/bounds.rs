//! The machine's own limits, measured as candidates among the others.
use std::collections::BTreeMap;

use ciphertune_catalog::{Algorithm, Operation, Task};
use ciphertune_results::{Bound, Interval, statistics::median};

use crate::{
    protocol::Subject,
    statistics::stabilised_quartiles,
    trial::{Candidate, Sample, Track, Trial, medians},
};

const WIDTHS: [u32; 3] = [128, 256, 512];

/// What a block of 16 bytes takes of the ports, at least.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// Rounds of AES.
    rounds: f64,
    /// Carry-less multiplications.
    multiplications: f64,
}

impl Demand {
    /// Of an algorithm in the direction in which its blocks do not wait for each other. Absent where it is not a mode of AES.
    pub fn of(algorithm: Algorithm) -> Option<Self> {
        Some(Self {
            rounds: (algorithm.slowed_by_bytes() * algorithm.aes_rounds()?) as f64,
            multiplications: match algorithm.aes_mode()? {
                // GHASH by Karatsuba, its reduction put off for so long that it does not count.
                "GCM" => 3.0,
                _ => 0.0,
            },
        })
    }

    /// Of a task whose blocks do not wait for each other. Of the others latency is the limit, which is not measured.
    fn in_parallel(task: Task) -> Option<Self> {
        let is_parallel = match task.algorithm.aes_mode()? {
            "CTR" | "ECB" | "XTS" | "OCB" | "GCM" => true,
            "CBC" | "CFB" | "CFB8" => task.operation == Operation::Decrypt || task.contract.is_many(),
            "CMAC" => task.contract.is_many(),
            _ => false,
        };
        Self::of(task.algorithm).filter(|_| is_parallel)
    }

    /// The most that ports allow which start so many rounds, and so many multiplications, of 16 bytes each: all three in
    /// bytes per second. Absent where multiplications are needed and not known.
    pub fn most(self, rounds: f64, multiplications: Option<f64>) -> Option<f64> {
        let most = rounds / self.rounds;
        match self.multiplications {
            0.0 => Some(most),
            needed => Some(most.min(multiplications? / needed)),
        }
    }
}

/// Every limit that this machine can be asked for and that says something about a task.
pub(crate) fn probes(task: Task) -> impl Iterator<Item = Subject> {
    let demand = Demand::in_parallel(task);
    #[cfg(target_arch = "x86_64")]
    {
        use ciphertune_engine::probe::{
            Width,
            ports::{Instruction, Ports},
        };

        fn at(instruction: Instruction, subject: impl Fn(u32) -> Subject) -> impl Iterator<Item = Subject> {
            let widths = Width::ALL.into_iter();
            let widths = widths.filter(move |&width| Ports::at(instruction, width).is_some());
            widths.map(move |width| subject(width.bits()))
        }
        let any = demand.map(|_| {
            at(Instruction::Round, |width| Subject::AesRounds { width })
                .chain([Subject::ReadXorWrite, Subject::Copy])
        });
        let hashed = demand.filter(|demand| demand.multiplications > 0.0).map(|_| {
            let bits = key_bits(task);
            at(Instruction::Multiplication, |width| Subject::Multiplications {
                width,
            })
            .chain(at(Instruction::gcm(bits), move |width| Subject::GcmBlocks {
                bits,
                width,
            }))
        });
        any.into_iter().flatten().chain(hashed.into_iter().flatten())
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::iter::empty()
}

fn key_bits(task: Task) -> u32 {
    8 * task.algorithm.key_len() as u32
}

/// The fewest ticks a byte that a cell allows: what the ports can start at the fastest width, or memory, whichever
/// takes longer. Absent where the processor lacks the instructions, since nobody knows the limit of code without.
pub(crate) fn least_ticks_per_byte(trial: &Trial, in_place: bool) -> Option<f64> {
    let demand = Demand::in_parallel(trial.message.task)?;
    let ticks = |subject| {
        let samples = trial.track(Candidate::Probe(subject))?.ticks_per_byte();
        Some(stabilised_quartiles(&samples)?.median)
    };
    let fastest = |subject: &dyn Fn(u32) -> Subject| {
        let each = WIDTHS.into_iter().filter_map(|width| ticks(subject(width)));
        each.min_by(f64::total_cmp)
    };
    let mut least = ticks(if in_place {
        Subject::ReadXorWrite
    } else {
        Subject::Copy
    })?;
    least = least.max(demand.rounds * fastest(&|width| Subject::AesRounds { width })?);
    if demand.multiplications > 0.0 {
        let bits = key_bits(trial.message.task);
        least = least.max(demand.multiplications * fastest(&|width| Subject::Multiplications { width })?);
        // Some ports are for both.
        least = least.max(fastest(&|width| Subject::GcmBlocks { bits, width }).unwrap_or(0.0));
    }
    Some(least)
}

/// The lines of the run file: what the ports can start at each width, over all cells; memory over each working set.
pub(crate) fn lines(trials: &[Trial], ticks_per_second: f64, confidence: f64) -> Vec<Bound> {
    let rate = &|samples: &[Sample]| rate(samples, ticks_per_second, confidence);
    let of_ports = WIDTHS.into_iter().flat_map(|width| {
        [
            ("aes-rounds", Subject::AesRounds { width }),
            ("carry-less-multiplications", Subject::Multiplications { width }),
            ("aes-128-gcm-blocks", Subject::GcmBlocks { bits: 128, width }),
            ("aes-192-gcm-blocks", Subject::GcmBlocks { bits: 192, width }),
            ("aes-256-gcm-blocks", Subject::GcmBlocks { bits: 256, width }),
        ]
        .map(|(name, subject)| (name, subject, width))
    });
    let mut lines: Vec<Bound> = of_ports
        .filter_map(|(name, subject, width)| ports(trials, name, subject, width, rate))
        .collect();
    lines.sort_by(|a, b| a.name.cmp(&b.name));
    let mut spans: BTreeMap<usize, Vec<&Trial>> = BTreeMap::new();
    for trial in trials {
        spans.entry(trial.message.span()).or_default().push(trial);
    }
    for (span, here) in spans {
        for (name, subject) in [("read-xor-write", Subject::ReadXorWrite), ("copy", Subject::Copy)] {
            let tracks = || {
                here.iter()
                    .filter_map(|trial| trial.track(Candidate::Probe(subject)))
            };
            let samples: Vec<Sample> = tracks().flat_map(Track::best_samples).copied().collect();
            let width = tracks().find_map(|track| track.ready?.width);
            if let (Some(bytes_per_second), Some(width)) = (rate(&samples), width) {
                lines.push(Bound {
                    name: name.to_owned(),
                    width,
                    length: Some(span as u64),
                    bytes_per_second,
                    per_cycle: None,
                });
            }
        }
    }
    lines
}

fn ports(
    trials: &[Trial],
    name: &str,
    subject: Subject,
    width: u32,
    rate: &dyn Fn(&[Sample]) -> Option<Interval>,
) -> Option<Bound> {
    let mut samples = Vec::new();
    let mut per_cycle = Vec::new();
    for trial in trials {
        let Some(track) = trial.track(Candidate::Probe(subject)) else {
            continue;
        };
        let here = track.ticks_per_byte();
        // Cell by cell: the frequency may change from one to the next.
        if let (Some(ticks), Some(cycle)) = (stabilised_quartiles(&here), trial.ticks_per_cycle()) {
            per_cycle.push(cycle / (ticks.median * BLOCK));
        }
        samples.extend_from_slice(track.best_samples());
    }
    Some(Bound {
        name: name.to_owned(),
        width,
        length: None,
        bytes_per_second: rate(&samples)?,
        per_cycle: median(per_cycle),
    })
}

const BLOCK: f64 = 16.0;

/// Bytes a second, over all cells in which it was timed: what a process does to one of them is its own.
fn rate(samples: &[Sample], ticks_per_second: f64, confidence: f64) -> Option<Interval> {
    let ticks: Vec<f64> = samples.iter().map(|sample| sample.ticks_per_byte).collect();
    let processes = samples.iter().map(|sample| sample.process + 1).max()?;
    let replicates: Vec<Option<f64>> = medians(samples, processes)
        .into_iter()
        .map(|ticks| Some(ticks_per_second / ticks?))
        .collect();
    let median = ticks_per_second / stabilised_quartiles(&ticks)?.median;
    Some(Interval::of_processes(median, &replicates, confidence))
}

#[cfg(test)]
mod tests {
    use ciphertune_catalog::Contract;

    use super::*;
    use crate::protocol::{Message, Ready};

    fn probe(subject: Subject, ticks_per_byte: f64) -> Track {
        let mut track = Track::new(Candidate::Probe(subject));
        track.ready = Some(Ready {
            in_place: true,
            copies: false,
            width: Some(512),
            bytes_per_call: 64,
            ticks_per_call: 64.0 * ticks_per_byte,
        });
        track.samples = (0..3)
            .map(|round| Sample {
                process: 0,
                round,
                ticks_per_byte,
            })
            .collect();
        track
    }

    fn usual(name: &str) -> Task {
        Task::usual(name.parse().unwrap())
    }

    fn trial(task: Task, length: usize, tracks: Vec<Track>) -> Trial {
        Trial {
            message: Message {
                task,
                hashed: false,
                aad: 0,
                length,
            },
            tracks,
            print: None,
            has_chains: true,
            ticks_per_cycle: vec![0.5],
        }
    }

    #[test]
    fn the_limit_is_the_slower_of_the_fastest_rounds_and_memory() {
        let cell = trial(
            usual("AES-256-CTR"),
            16384,
            vec![
                probe(Subject::AesRounds { width: 128 }, 0.016),
                probe(Subject::AesRounds { width: 512 }, 0.004),
                probe(Subject::ReadXorWrite, 0.01),
                probe(Subject::Copy, 0.2),
            ],
        );
        for (in_place, expected) in [(true, 14.0 * 0.004), (false, 0.2)] {
            let least = least_ticks_per_byte(&cell, in_place).unwrap();
            assert!((least - expected).abs() < 1e-12, "{least}");
        }
    }

    #[test]
    fn multiplications_limit_what_authenticates() {
        let tracks = |ticks| {
            vec![
                probe(Subject::AesRounds { width: 512 }, 0.004),
                probe(Subject::Multiplications { width: 256 }, 0.5),
                probe(Subject::Multiplications { width: 512 }, ticks),
                probe(Subject::ReadXorWrite, 0.01),
            ]
        };
        for (ticks, expected) in [(0.01, 14.0 * 0.004), (0.02, 3.0 * 0.02)] {
            let mut cell = trial(usual("AES-256-GCM"), 1350, tracks(ticks));
            let least = least_ticks_per_byte(&cell, true).unwrap();
            assert!((least - expected).abs() < 1e-12, "{least}");

            // What another key's takes beside each other is nothing to this one.
            for (bits, expected) in [(128, expected), (256, 0.07)] {
                cell.tracks
                    .push(probe(Subject::GcmBlocks { bits, width: 512 }, 0.07));
                let least = least_ticks_per_byte(&cell, true).unwrap();
                assert!((least - expected).abs() < 1e-12, "{least}");
            }
        }
    }

    #[test]
    fn a_byte_of_cfb8_takes_a_block() {
        let task = Task {
            operation: Operation::Decrypt,
            ..usual("AES-128-CFB8")
        };
        assert_eq!(Demand::in_parallel(task).unwrap().rounds, 160.0);
        assert_eq!(Demand::in_parallel(usual("AES-128-CFB8")), None);
    }

    #[test]
    fn what_waits_for_the_block_before_it_has_no_limit_here() {
        for (name, operation, limited) in [
            ("AES-128-CBC", Operation::Encrypt, false),
            ("AES-128-CBC", Operation::Decrypt, true),
            ("AES-128-CMAC", Operation::Mac, false),
            ("AES-128-OCB", Operation::Seal, true),
            ("AES-128-OCB", Operation::Open, true),
        ] {
            let task = Task {
                operation,
                contract: Contract::NewKey,
                ..usual(name)
            };
            assert_eq!(Demand::in_parallel(task).is_some(), limited, "{task}");
            assert!(limited || probes(task).next().is_none());
        }
    }

    #[test]
    fn the_most_is_what_the_scarcer_ports_allow() {
        let most = |name: &str, multiplications| {
            Demand::of(name.parse().unwrap())
                .unwrap()
                .most(140.0, multiplications)
        };
        assert_eq!(most("AES-256-OCB", None), Some(10.0));
        assert_eq!(most("AES-128-GCM", Some(60.0)), Some(14.0));
        assert_eq!(most("AES-128-GCM", Some(30.0)), Some(10.0));
        assert_eq!(most("AES-128-GCM", None), None);
        assert_eq!(Demand::of("SHA2-256".parse().unwrap()), None);
    }

    #[test]
    fn without_aes_instructions_there_is_no_limit() {
        let cell = trial(usual("AES-128-CTR"), 16, vec![probe(Subject::ReadXorWrite, 0.01)]);
        assert_eq!(least_ticks_per_byte(&cell, true), None);
    }

    #[test]
    fn the_lines_have_rates_lengths_and_blocks_a_cycle() {
        let tracks = || {
            vec![
                probe(Subject::AesRounds { width: 512 }, 0.5 / 128.0),
                probe(Subject::ReadXorWrite, 0.01),
            ]
        };
        let trials = [
            trial(usual("AES-128-CTR"), 16384, tracks()),
            trial(usual("AES-128-CTR"), 64, tracks()),
            trial(usual("AES-256-CTR"), 256, tracks()),
        ];
        let lines = lines(&trials, 2e9, 0.95);
        let found: Vec<_> = lines
            .iter()
            .map(|line| (line.name.as_str(), line.width, line.length, line.per_cycle))
            .collect();
        assert_eq!(
            found,
            [
                ("aes-rounds", 512, None, Some(8.0)),
                ("read-xor-write", 512, Some(8192), None),
                ("read-xor-write", 512, Some(16384), None),
            ]
        );
        assert_eq!(lines[0].bytes_per_second.median, 2e9 * 128.0 / 0.5);
    }

    #[test]
    fn messages_of_one_length_that_take_different_memory_have_lines_of_their_own() {
        let cell = |contract, ticks| {
            let task = Task {
                contract,
                operation: Operation::Encrypt,
                ..usual("AES-128-CBC")
            };
            trial(task, 1 << 20, vec![probe(Subject::ReadXorWrite, ticks)])
        };
        let lines = lines(
            &[cell(Contract::Many, 0.25), cell(Contract::NewIv, 0.125)],
            2e9,
            0.95,
        );
        let found: Vec<_> = lines
            .iter()
            .map(|line| (line.length, line.bytes_per_second.median))
            .collect();
        // A message, and thirty-two of them with a cache line after each but the last.
        let many = 32 * (1 << 20) + 31 * 64;
        assert_eq!(found, [(Some(1 << 20), 1.6e10), (Some(many), 8e9)]);
    }
}
