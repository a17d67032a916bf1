//! What a run says about one library: how fast each algorithm is, which is faster than which, and whether a mask pays.
use std::collections::BTreeSet;

use ciphertune_catalog::Mask;
use ciphertune_report::{
    steerless,
    units::{length, rate, significant},
};
use ciphertune_results::{
    Cell, Figures, Interval, Run, Status,
    compare::{self, By, Change, Named, Terms, Verdict},
    lead,
};

use super::program::Program;
use crate::{Result, masks};

pub struct Evidence {
    /// The library's id, as it comes.
    pub library: String,
    pub fewer: Fewer,
    /// What failed under masks that are therefore none to advise, in any of the runs.
    pub failures: BTreeSet<String>,
    run: Run,
    confidence: f64,
}

/// Whether the library is faster with fewer instructions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fewer {
    /// That was not measured.
    Unknown,
    /// It is not.
    No,
    /// It was under this mask, in the only run of it that there is.
    Once(Mask),
    /// It is under this mask, in one run after another, and so much over all that the program does, by the last one's
    /// figures.
    Again(Mask, Interval),
}

impl Evidence {
    /// From one run or from several; of what the program does with its library.
    pub fn of(program: Program, runs: &[Run], confidence: f64) -> Result<Self> {
        let (first, _) = runs.split_first().ok_or("there is no run")?;
        let relevant = |run: &Run| Run {
            cells: run
                .cells
                .iter()
                .filter(|cell| program.concerns(cell))
                .cloned()
                .collect(),
            ..run.clone()
        };
        let run = relevant(first);
        let name = program.library();
        let is_it = |id: &&str| id.starts_with(&format!("{name}@")) && id.ends_with("/default");
        let known = || run.cells.iter().filter(|cell| cell.figures.is_some());
        let ids = known().map(|cell| &*cell.implementation).filter(is_it);
        let origin = |id| run.machine.library(id).map_or("", |library| &library.origin);
        let ids = ids.filter_map(|id| Some((program.rank(origin(id))?, id)));
        let library = { ids }.min_by_key(|&(rank, _)| rank);
        let library = library.map_or(String::new(), |(_, id)| id.to_owned());
        let missing: Vec<&str> = program
            .algorithms()
            .iter()
            .copied()
            .filter(|algorithm| {
                !known().any(|cell| cell.implementation == library && cell.algorithm == *algorithm)
            })
            .collect();
        if !missing.is_empty() {
            let of_library = first
                .cells
                .iter()
                .filter(|cell| cell.implementation.starts_with(&format!("{name}@")));
            let mut failures = of_library
                .filter(|cell| missing.contains(&&*cell.algorithm))
                .filter_map(failure);
            let why = failures
                .next()
                .unwrap_or_else(|| "ciphertune speed measures them".to_owned());
            return Err(format!(
                "there are no figures of {name}'s {} at {}; {why}",
                missing.join(", "),
                program.lengths()
            )
            .into());
        }
        let masked = runs.iter().map(relevant).filter(|_| program.has_masks());
        let masked: Vec<Run> = masked.collect();
        let failed = masked.iter().flat_map(|run| &run.cells).filter_map(|cell| {
            let (mask, base) = Mask::of_id(&cell.implementation)?;
            Some((mask, failure(cell).filter(|_| base == library)?))
        });
        let (failed, failures): (Vec<Mask>, BTreeSet<String>) = failed.unzip();
        let gains = masked
            .iter()
            .map(|run| gains(program, run, &library, &failed, confidence));
        let evidence = Self {
            fewer: fewer(gains.filter(|gains| !gains.is_empty()), confidence),
            failures,
            library,
            run,
            confidence,
        };
        match program.apart(&evidence) {
            None => Ok(evidence),
            Some(apart) => Err(format!(
                "there are no figures of {name}'s {apart}; ciphertune speed measures them"
            )
            .into()),
        }
    }

    /// The algorithms from the fastest to the slowest, of a list in the program's own order. What comes first there stays
    /// ahead of another that is not faster beyond doubt; and no shorter key overtakes a longer one, however fast.
    pub fn order<'a>(&self, algorithms: &[&'a str]) -> Vec<&'a str> {
        let (short, long): (Vec<&str>, Vec<&str>) = algorithms.iter().partition(|name| has_short_key(name));
        let mut order: Vec<&str> = Vec::new();
        for algorithm in long {
            let slower = order
                .iter()
                .rev()
                .take_while(|&&before| self.is_faster(algorithm, before))
                .count();
            order.insert(order.len() - slower, algorithm);
        }
        for algorithm in short {
            let is_ahead = |other: &&str| {
                !{ algorithms }
                    .iter()
                    .take_while(|name| **name != algorithm)
                    .any(|name| name == other)
            };
            let behind = order.iter().rev().take_while(|other| is_ahead(other)).count();
            order.insert(order.len() - behind, algorithm);
        }
        order
    }

    /// How many times as fast the one is as the other, over all lengths.
    pub fn times(&self, one: &str, other: &str) -> Option<Change> {
        self.between(|before, after| {
            (&*before.algorithm, &*after.algorithm) == (other, one) && before.length == after.length
        })
    }

    /// The mask that pays beyond doubt, and what it gains.
    pub fn mask(&self) -> Option<(Mask, Interval)> {
        match self.fewer {
            Fewer::Again(mask, times) => Some((mask, times)),
            _ => None,
        }
    }

    pub fn is_faster(&self, one: &str, other: &str) -> bool {
        self.times(one, other).is_some_and(|change| change.is_lead())
    }

    /// As [`Evidence::times`], of one algorithm's rates at two lengths.
    pub fn times_at(&self, one: u64, other: u64) -> Option<Change> {
        self.between(|before, after| {
            (before.length, after.length) == (other, one) && before.algorithm == after.algorithm
        })
    }

    /// `5.55 GB/s at 16 KiB, 2.67 GB/s at 1350 B`.
    pub fn figures(&self, algorithm: &str) -> String {
        let of_it = self.own().filter(|cell| cell.algorithm == algorithm);
        let figures = of_it.filter_map(|cell| {
            let rates = cell.figures.as_ref()?.bytes_per_second;
            Some(format!("{} at {}", rate(rates.median), length(cell.length)))
        });
        figures.collect::<Vec<_>>().join(", ")
    }

    /// Where and when it was measured.
    pub fn head(&self) -> String {
        let machine = &self.run.machine;
        // A file may have come from anywhere, and what is made of this a program reads line by line.
        steerless(&format!("{} on {}, {}", self.library, machine.cpu, machine.date))
    }

    /// What the run cannot tell apart, in per cent.
    pub fn least_difference(&self) -> String {
        significant(100.0 * lead::least(self.floor()))
    }

    fn floor(&self) -> f64 {
        self.run.machine.noise_floor.unwrap_or(0.0)
    }

    /// How many times as fast the second is as the first, over all of the library's own cells that are such a pair.
    fn between(&self, is_pair: impl Fn(&Cell, &Cell) -> bool) -> Option<Change> {
        let pairs: Vec<[&Figures; 2]> = self
            .own()
            .flat_map(|before| self.own().map(move |after| (before, after)))
            .filter(|(before, after)| is_same_call(before, after) && is_pair(before, after))
            .filter_map(|(before, after)| Some([before.figures.as_ref()?, after.figures.as_ref()?]))
            .collect();
        compare::within(&pairs, self.floor(), self.confidence)
    }

    fn own(&self) -> impl Iterator<Item = &Cell> {
        self.run
            .cells
            .iter()
            .filter(|cell| cell.implementation == self.library)
    }
}

/// How an implementation failed, if it did.
pub fn failure(cell: &Cell) -> Option<String> {
    let reason = cell.reason.as_deref().unwrap_or("nobody knows how");
    let Cell {
        implementation,
        algorithm,
        ..
    } = cell;
    (cell.status == Status::Failed)
        .then(|| steerless(&format!("{implementation} failed on {algorithm}: {reason}")))
}

/// Whether it has a key of 128 bits.
pub fn has_short_key(algorithm: &str) -> bool {
    algorithm.starts_with("AES-128-")
}

/// By what the masks do in one run after another.
fn fewer(mut runs: impl Iterator<Item = Vec<Gain>>, confidence: f64) -> Fewer {
    let Some(mut paying) = runs.next() else {
        return Fewer::Unknown;
    };
    paying.retain(|gain| gain.change.is_lead() && !gain.harms);
    let mut is_again = false;
    for mut again in runs {
        // By the new figures: the others are what it was picked by.
        again.retain(|one| paying.iter().any(|other| one.mask == other.mask));
        // A run without them agrees to nothing, and denies nothing.
        if again.is_empty() {
            continue;
        }
        paying = masks::certainly_faster(again, |gain| &gain.change, confidence);
        paying.retain(|gain| !gain.harms);
        is_again = true;
    }
    let times = |gain: &Gain| gain.change.ratio.median;
    match paying
        .into_iter()
        .max_by(|one, other| times(one).total_cmp(&times(other)))
    {
        None => Fewer::No,
        Some(gain) if is_again => Fewer::Again(gain.mask, gain.change.ratio),
        Some(gain) => Fewer::Once(gain.mask),
    }
}

/// What a mask does to all that concerns a program.
struct Gain {
    mask: Mask,
    change: Change,
    /// Whether anything is slower by it, or wrong, or what is left has tables that tell of keys.
    harms: bool,
}

/// Of each mask under which the library was timed at all that it does for the program as it comes: of anything less the mean
/// would speak for what nobody looked at.
/// Those that failed, in whichever run, do harm.
fn gains(program: Program, run: &Run, library: &str, failed: &[Mask], confidence: f64) -> Vec<Gain> {
    let compared = against(run.clone(), library, confidence).unwrap_or_default();
    let own = run.cells.iter();
    let own = own.filter(|cell| cell.implementation == library && cell.figures.is_some());
    let own: Vec<&str> = own.map(|cell| &*cell.algorithm).collect();
    let has_all = program.algorithms().iter().all(|name| own.contains(name));
    let gain = |compared: compare::Compared| {
        let (mask, base) = Mask::of_id(&compared.name)?;
        let cells = || compared.rows.iter().flat_map(|row| &row.cells);
        (base == library && has_all && cells().count() == own.len()).then_some(Gain {
            mask,
            harms: failed.contains(&mask)
                || !mask.is_constant_time()
                || cells().any(|cell| cell.change.verdict == Verdict::Slower),
            change: compared.mean?,
        })
    };
    compared.into_iter().filter_map(gain).collect()
}

/// Of whatever algorithm and length.
fn is_same_call(one: &Cell, other: &Cell) -> bool {
    (&one.operation, &one.contract, one.aad) == (&other.operation, &other.contract, other.aad)
        && (one.threads, one.workers) == (other.threads, other.workers)
}

fn against(run: Run, baseline: &str, confidence: f64) -> Option<Vec<compare::Compared>> {
    let terms = Terms {
        by: By::Implementation,
        baseline: Some(baseline.to_owned()),
        confidence,
        across_contracts: false,
        per_cycle: false,
    };
    let alone = Named {
        name: String::new(),
        runs: vec![run],
    };
    Some(compare::compare(&[alone], &terms).ok()?.compared)
}

#[cfg(test)]
mod tests {
    use ciphertune_results::Library;

    use super::*;
    use crate::fixture::{cell, run};

    const OPENSSL: &str = "openssl@3.0.19/default";

    /// OpenSSL's rates at 16 KiB of AES-256-GCM, ChaCha20-Poly1305 and AES-128-GCM.
    fn three(rates: [f64; 3]) -> Vec<Cell> {
        let names = ["AES-256-GCM", "ChaCha20-Poly1305", "AES-128-GCM"];
        names
            .iter()
            .zip(rates)
            .map(|(name, rate)| cell(OPENSSL, name, 16384, rate))
            .collect()
    }

    fn evidence(cells: &[&[Cell]]) -> Evidence {
        let runs: Vec<Run> = cells.iter().map(|cells| run(cells.to_vec())).collect();
        Evidence::of(Program::Openssl, &runs, 0.95).unwrap()
    }

    #[test]
    fn ciphers_are_ordered_by_their_figures_and_ties_stay() {
        let order = |rates| evidence(&[&three(rates)]).order(Program::Openssl.algorithms());
        let [aes, chacha, short] = ["AES-256-GCM", "ChaCha20-Poly1305", "AES-128-GCM"];
        assert_eq!(order([1e9, 3e9, 1e9]), [chacha, aes, short]);
        assert_eq!(order([3e9, 2e9, 1e9]), [aes, chacha, short]);
        // Within the noise floor.
        assert_eq!(order([2e9, 2.03e9, 1e9]), [aes, chacha, short]);
    }

    #[test]
    fn the_library_is_the_one_that_programs_are_linked_with() {
        let mut run = run(Vec::new());
        for (version, origin) in [
            ("4.0.3", "built in: crate openssl"),
            ("4.0.2", "/usr/lib/libcrypto.so.4"),
            ("3.0.18", "/opt/lib64/libcrypto.so"),
            ("3.0.19", "/usr/lib64/libcrypto.so.3.0.19"),
            ("1.1.1", "/usr/lib/libcrypto.so.1.1"),
        ] {
            let implementation = format!("openssl@{version}/default");
            run.cells.extend(three([1e9; 3]).into_iter().map(|cell| Cell {
                implementation: implementation.clone(),
                ..cell
            }));
            run.machine.libraries.push(Library {
                implementation,
                origin: origin.to_owned(),
                version: None,
                goes_by: None,
                build: None,
            });
        }
        let library = |run: &Run| {
            Evidence::of(Program::Openssl, std::slice::from_ref(run), 0.95).map(|evidence| evidence.library)
        };
        let mut without = |version: &str| {
            run.cells.retain(|cell| !cell.implementation.contains(version));
            library(&run)
        };
        assert_eq!(without("none").unwrap(), OPENSSL);
        assert_eq!(without("3.0.19").unwrap(), "openssl@4.0.2/default");
        assert_eq!(without("4.0.2").unwrap(), "openssl@1.1.1/default");
        assert_eq!(without("1.1.1").unwrap(), "openssl@3.0.18/default");
        assert!(without("3.0.18").is_err());
    }

    #[test]
    fn no_shorter_key_overtakes_a_longer_one() {
        let [aes, chacha, short] = ["AES-256-GCM", "ChaCha20-Poly1305", "AES-128-GCM"];
        let order = |program: Program, rates| evidence(&[&three(rates)]).order(program.algorithms());
        assert_eq!(order(Program::Openssl, [2e9, 1e9, 9e9]), [aes, chacha, short]);
        assert_eq!(order(Program::Openvpn, [2e9, 1e9, 9e9]), [aes, short, chacha]);
        assert_eq!(order(Program::Openvpn, [2e9, 3e9, 9e9]), [chacha, aes, short]);
        assert_eq!(order(Program::Ssh, [2e9, 1e9, 9e9]), [aes, chacha, short]);
        assert_eq!(order(Program::Ssh, [1e9, 2e9, 9e9]), [chacha, short, aes]);
    }

    #[test]
    fn a_mask_pays_in_both_runs_without_harm_and_without_tables() {
        let with = |mask: &str, rates: [f64; 3]| {
            let mut cells = three([1e9; 3]);
            let masked = three(rates).into_iter().map(|cell| Cell {
                implementation: format!("openssl@3.0.19/{mask}"),
                ..cell
            });
            cells.extend(masked);
            cells
        };
        let fewer = |runs: &[&[Cell]]| evidence(runs).fewer;
        let good = with("no-avx512", [1.1e9, 1e9, 1.2e9]);
        let unmasked = three([1e9; 3]);
        assert!(matches!(fewer(&[&good, &good]), Fewer::Again(Mask::NoAvx512, _)));
        assert_eq!(fewer(&[&good, &with("no-avx512", [1e9; 3])]), Fewer::No);
        let harms_one = with("no-avx512", [1.5e9, 0.9e9, 1.5e9]);
        // They tell of keys.
        let tables = with("no-aes", [2e9; 3]);
        assert_eq!(fewer(&[&harms_one, &harms_one]), Fewer::No);
        assert_eq!(fewer(&[&tables, &tables]), Fewer::No);
        assert_eq!(fewer(&[&good, &harms_one]), Fewer::No);
        assert_eq!(fewer(&[&unmasked]), Fewer::Unknown);
        // One that has none, or others, agrees to nothing.
        for once in [
            &[&good[..]][..],
            &[&good, &unmasked],
            &[&unmasked, &good],
            &[&good, &tables],
        ] {
            assert_eq!(fewer(once), Fewer::Once(Mask::NoAvx512));
        }
    }

    #[test]
    fn a_foreign_file_writes_no_line_of_a_configuration() {
        let mut foreign = run(three([1e9; 3]));
        foreign.machine.cpu = "X\nkeepalive_timeout 1;\r#".to_owned();
        let found = Evidence::of(Program::Openssl, &[foreign], 0.95).unwrap();
        assert!(!found.head().contains(char::is_control), "{:?}", found.head());
        let failed = Cell {
            status: Status::Failed,
            reason: Some("wrong\nrm -rf important".to_owned()),
            ..cell(OPENSSL, "AES-256-GCM", 16384, 1e9)
        };
        let told = failure(&failed).unwrap();
        assert!(!told.contains(char::is_control), "{told:?}");
    }

    #[test]
    fn a_mask_that_fails_or_was_not_measured_at_all_is_none_to_advise() {
        let with = |rates: [f64; 3]| {
            let masked = three(rates).into_iter().map(|cell| Cell {
                implementation: "openssl@3.0.19/no-avx512".to_owned(),
                ..cell
            });
            let mut cells = three([1e9; 3]);
            cells.extend(masked);
            cells
        };
        let good = with([1.1e9; 3]);
        let mut failed = good.clone();
        failed[3] = Cell {
            status: Status::Failed,
            reason: Some("wrong ciphertext".to_owned()),
            figures: None,
            ..failed[3].clone()
        };
        for runs in [[&failed[..], &failed], [&good, &failed], [&failed, &good]] {
            let found = evidence(&runs);
            assert_eq!(found.mask(), None);
            let told = "openssl@3.0.19/no-avx512 failed on AES-256-GCM: wrong ciphertext";
            assert_eq!(Vec::from_iter(&found.failures), [told]);
            let advice = Program::Openssl.advice(&found).unwrap();
            let why = format!("\n# {told}; that mask is not advised.\n");
            assert!(advice.text.contains(&why), "{}", advice.text);
            assert!(!advice.text.contains("faster"), "{}", advice.text);
        }
        // Of one algorithm alone, and of one at another length than as it comes.
        let part = &good[..4];
        let mut elsewhere = good.clone();
        elsewhere[5].length = 1350;
        // All that the library has there, and not all that the program does.
        let less: Vec<Cell> = [0, 3].map(|n| good[n].clone()).into();
        for incomplete in [part, &elsewhere, &less] {
            assert_eq!(evidence(&[&good, incomplete]).fewer, Fewer::Once(Mask::NoAvx512));
        }
        assert_eq!(evidence(&[part, part]).fewer, Fewer::Unknown);
    }

    #[test]
    fn what_a_mask_gains_is_what_it_gained_again() {
        let with = |gains: [f64; 2]| {
            let mut cells = three([1e9; 3]);
            for (mask, gain) in ["no-avx512", "no-vaes"].iter().zip(gains) {
                cells.extend(three([gain * 1e9; 3]).into_iter().map(|cell| Cell {
                    implementation: format!("openssl@3.0.19/{mask}"),
                    ..cell
                }));
            }
            cells
        };
        let (mask, times) = evidence(&[&with([1.2, 1.15]), &with([1.1, 1.12])])
            .mask()
            .unwrap();
        assert_eq!(
            (mask, significant(times.median)),
            (Mask::NoVaes, "1.12".to_owned())
        );
    }

    #[test]
    fn what_was_not_measured_is_named() {
        let cells = three([1e9; 3]);
        let error = Evidence::of(Program::Openssl, &[run(cells[..2].to_vec())], 0.95)
            .err()
            .unwrap();
        assert_eq!(
            error.to_string(),
            "there are no figures of openssl's AES-128-GCM at 1350 B to 32 KiB; ciphertune speed measures them"
        );
    }

    #[test]
    fn what_has_no_length_in_common_was_not_compared() {
        let error = |program, cells| {
            Evidence::of(program, &[run(cells)], 0.95)
                .err()
                .unwrap()
                .to_string()
        };
        let mut cells = three([1e9; 3]);
        cells[1].length = 1350;
        assert_eq!(
            error(Program::Openssl, cells),
            "there are no figures of openssl's AES-256-GCM and ChaCha20-Poly1305 at one length of 1350 B to 32 KiB; \
             ciphertune speed measures them"
        );
        let sector = Cell {
            operation: "encrypt".to_owned(),
            ..cell(OPENSSL, "AES-256-XTS", 512, 1e9)
        };
        assert_eq!(
            error(Program::Luks, vec![sector]),
            "there are no figures of openssl's AES-256-XTS at both 512 and 4096 B; ciphertune speed measures them"
        );
    }

    #[test]
    fn what_failed_is_no_reason_to_measure_again() {
        let mut cells = three([1e9; 3]);
        cells[2].status = Status::Failed;
        cells[2].figures = None;
        cells[2].reason = Some("byte 3 is 0x00, expected 0x01".to_owned());
        let error = Evidence::of(Program::Openssl, &[run(cells)], 0.95).err().unwrap();
        assert_eq!(
            error.to_string(),
            "there are no figures of openssl's AES-128-GCM at 1350 B to 32 KiB; openssl@3.0.19/default failed on \
             AES-128-GCM: byte 3 is 0x00, expected 0x01"
        );
    }
}
