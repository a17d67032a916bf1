//! The machine's own limits, measured as candidates among the others.
use ciphertune_catalog::Algorithm;
use ciphertune_results::{Bound, Interval};

use crate::{
    protocol::Subject,
    statistics::{median, stabilised_quartiles},
    trial::{Candidate, Trial},
};

const WIDTHS: [u32; 3] = [128, 256, 512];

/// Every limit that this machine can be asked for.
pub(crate) fn probes() -> impl Iterator<Item = Subject> {
    #[cfg(target_arch = "x86_64")]
    {
        use ciphertune_engine::probe::{Width, ports::Rounds};

        Width::ALL
            .into_iter()
            .filter(|&width| Rounds::at(width).is_some())
            .map(|width| Subject::AesRounds { width: width.bits() })
            .chain([Subject::ReadXorWrite, Subject::Copy])
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::iter::empty()
}

/// The fewest ticks a byte that a cell allows: AES rounds at the fastest width, or memory, whichever takes
/// longer. Absent where the processor has no AES instructions, since nobody knows the limit of code without.
pub(crate) fn least_ticks_per_byte(trial: &Trial, in_place: bool) -> Option<f64> {
    let ticks = |subject| {
        let samples = trial.track(Candidate::Probe(subject))?.ticks_per_byte();
        Some(stabilised_quartiles(&samples)?.median)
    };
    let round = WIDTHS
        .into_iter()
        .filter_map(|width| ticks(Subject::AesRounds { width }))
        .min_by(f64::total_cmp)?;
    let memory = ticks(if in_place {
        Subject::ReadXorWrite
    } else {
        Subject::Copy
    })?;
    Some(memory.max(round * rounds(trial.algorithm)))
}

/// Rounds of AES by its key (FIPS 197, table 3).
fn rounds(algorithm: Algorithm) -> f64 {
    (algorithm.key_len() / 4 + 6) as f64
}

/// The lines of the run file: AES rounds at each width, over all cells; memory at each length.
pub(crate) fn lines(trials: &[Trial], ticks_per_second: f64) -> Vec<Bound> {
    let mut lines: Vec<Bound> = WIDTHS
        .into_iter()
        .filter_map(|width| aes_rounds(trials, width, ticks_per_second))
        .collect();
    let mut lengths: Vec<usize> = trials.iter().map(|trial| trial.length).collect();
    lengths.sort_unstable();
    lengths.dedup();
    for length in lengths {
        let here: Vec<&Trial> = trials.iter().filter(|t| t.length == length).collect();
        for (name, subject) in [("read-xor-write", Subject::ReadXorWrite), ("copy", Subject::Copy)] {
            let tracks = || {
                here.iter()
                    .filter_map(|trial| trial.track(Candidate::Probe(subject)))
            };
            let samples: Vec<f64> = tracks().flat_map(|track| track.ticks_per_byte()).collect();
            let width = tracks().find_map(|track| track.ready?.width);
            if let (Some(ticks), Some(width)) = (stabilised_quartiles(&samples), width) {
                lines.push(Bound {
                    name: name.to_owned(),
                    width,
                    length: Some(length as u64),
                    bytes_per_second: rate(ticks, ticks_per_second),
                    per_cycle: None,
                });
            }
        }
    }
    lines
}

fn aes_rounds(trials: &[Trial], width: u32, ticks_per_second: f64) -> Option<Bound> {
    let mut samples = Vec::new();
    let mut per_cycle = Vec::new();
    for trial in trials {
        let Some(track) = trial.track(Candidate::Probe(Subject::AesRounds { width })) else {
            continue;
        };
        let here = track.ticks_per_byte();
        // Cell by cell: the frequency may change from one to the next.
        if let (Some(ticks), Some(cycle)) = (stabilised_quartiles(&here), trial.ticks_per_cycle()) {
            per_cycle.push(cycle / (ticks.median * AES_BLOCK));
        }
        samples.extend(here);
    }
    Some(Bound {
        name: "aes-rounds".to_owned(),
        width,
        length: None,
        bytes_per_second: rate(stabilised_quartiles(&samples)?, ticks_per_second),
        per_cycle: median(&mut per_cycle),
    })
}

const AES_BLOCK: f64 = 16.0;

/// Bytes a second from ticks a byte: the ends change places.
pub(crate) fn rate(ticks_per_byte: Interval, ticks_per_second: f64) -> Interval {
    Interval {
        low: ticks_per_second / ticks_per_byte.high,
        median: ticks_per_second / ticks_per_byte.median,
        high: ticks_per_second / ticks_per_byte.low,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        protocol::Ready,
        trial::{Sample, Track},
    };

    fn probe(subject: Subject, ticks_per_byte: f64) -> Track {
        let mut track = Track::new(Candidate::Probe(subject));
        track.ready = Some(Ready {
            in_place: true,
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

    fn trial(algorithm: Algorithm, length: usize, tracks: Vec<Track>) -> Trial {
        Trial {
            algorithm,
            length,
            tracks,
            ticks_per_cycle: vec![0.5],
        }
    }

    #[test]
    fn the_limit_is_the_slower_of_the_fastest_rounds_and_memory() {
        let cell = trial(
            Algorithm::Aes256Ctr,
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
    fn rounds_follow_the_key() {
        let counts: Vec<f64> = Algorithm::ALL.iter().map(|&a| rounds(a)).collect();
        assert_eq!(counts, [10.0, 12.0, 14.0]);
    }

    #[test]
    fn without_aes_instructions_there_is_no_limit() {
        let cell = trial(Algorithm::Aes128Ctr, 16, vec![probe(Subject::ReadXorWrite, 0.01)]);
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
            trial(Algorithm::Aes128Ctr, 64, tracks()),
            trial(Algorithm::Aes128Ctr, 16, tracks()),
            trial(Algorithm::Aes256Ctr, 16, tracks()),
        ];
        let lines = lines(&trials, 2e9);
        let found: Vec<_> = lines
            .iter()
            .map(|line| (line.name.as_str(), line.width, line.length, line.per_cycle))
            .collect();
        assert_eq!(
            found,
            [
                ("aes-rounds", 512, None, Some(8.0)),
                ("read-xor-write", 512, Some(16), None),
                ("read-xor-write", 512, Some(64), None),
            ]
        );
        assert_eq!(lines[0].bytes_per_second.median, 2e9 * 128.0 / 0.5);
    }

    #[test]
    fn the_ends_of_a_rate_are_in_order() {
        let ticks = Interval {
            low: 1.0,
            median: 2.0,
            high: 4.0,
        };
        let rate = rate(ticks, 8.0);
        assert_eq!((rate.low, rate.median, rate.high), (2.0, 4.0, 8.0));
    }
}
