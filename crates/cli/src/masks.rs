//! Where fewer instructions are faster: libraries under masks against themselves as they come, and Ciphertune's own
//! implementations for fewer instructions against the one that CPUID suggests.
use ciphertune::Implementation;
use ciphertune_catalog::{Mask, Source, Task, mask};
use ciphertune_report::{
    is_without_message,
    units::{counted, length, significant},
};
use ciphertune_results::{
    Interval, Run,
    compare::{self, By, Change, Named, Terms},
    statistics::holm,
};

use crate::{Result, choices::ours};

/// These sources, and after each the same under its masks: none, where the processor has nothing to do without.
pub fn with(sources: Vec<Source>) -> Result<Vec<Source>> {
    if let Some(name) = mask::preset() {
        return Err(format!("{name} is set, so no library would be measured as it comes; unset it").into());
    }
    let both = |source: Source| {
        let masked = source.masked();
        std::iter::once(source).chain(masked)
    };
    Ok(sources.into_iter().flat_map(both).collect())
}

/// That libraries are not as they come.
pub fn preset() -> Option<String> {
    let name = mask::preset()?;
    Some(format!(
        "{name} is set: libraries that read it are measured as it leaves them, and not as they come."
    ))
}

/// Whether a name, as of `--implementations`, is that of something under a mask: `openssl@3.0.19/no-avx512`, `openssl/no-avx512`
/// or `no-avx512`.
pub fn is_named_in(name: &str) -> bool {
    let (_, variant) = name.rsplit_once('/').unwrap_or(("", name));
    let (variant, _) = variant.split_once('#').unwrap_or((variant, ""));
    Mask::ALL
        .iter()
        .any(|mask| mask.name().eq_ignore_ascii_case(variant))
}

/// Whether any were measured.
pub fn are_in(run: &Run) -> bool {
    let mut ids = run.cells.iter().map(|cell| &cell.implementation);
    ids.any(|id| Mask::of_id(id).is_some())
}

/// Something with fewer instructions against what it may be faster than.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    pub algorithm: String,
    pub operation: String,
    pub contract: String,
    pub length: u64,
    threads: (u32, u32),
    /// What has fewer.
    pub fewer: String,
    /// What it is compared with.
    pub base: String,
    /// How much faster it is.
    change: Change,
}

impl Case {
    /// By the rule of `compare` and a lead of at least one per cent.
    pub fn is_faster(&self) -> bool {
        self.change.is_lead()
    }

    fn is_same(&self, other: &Self) -> bool {
        self.length == other.length && self.row() == other.row()
    }

    /// What those have in common that differ in their lengths alone.
    fn row(&self) -> impl PartialEq {
        (
            (&self.algorithm, &self.operation, &self.contract, self.threads),
            (&self.fewer, &self.base),
        )
    }
}

/// Every case of a run.
pub fn cases(run: &Run, confidence: f64, default_for: fn(Task, usize) -> String) -> Vec<Case> {
    let mut bases: Vec<String> = Vec::new();
    let ids = run.cells.iter().map(|cell| &*cell.implementation);
    for id in ids {
        let base = match Mask::of_id(id) {
            Some((_, base)) => base,
            None if ours(id).is_some() => id.to_owned(),
            None => continue,
        };
        if !bases.contains(&base) {
            bases.push(base);
        }
    }
    let runs = [Named {
        name: String::new(),
        runs: vec![run.clone()],
    }];
    let mut cases = Vec::new();
    for base in bases {
        let terms = Terms {
            by: By::Implementation,
            baseline: Some(base.clone()),
            confidence,
            across_contracts: false,
            per_cycle: false,
        };
        // Without figures of the library as it comes there is nothing to compare with.
        let Ok(comparison) = compare::compare(&runs, &terms) else {
            continue;
        };
        for other in comparison
            .compared
            .iter()
            .filter(|other| has_fewer(&other.name, &base))
        {
            for row in &other.rows {
                for entry in &row.cells {
                    if ours(&base).is_some() && !is_default(&base, row, entry.length, default_for) {
                        continue;
                    }
                    cases.push(Case {
                        algorithm: row.algorithm.clone(),
                        operation: row.operation.clone(),
                        contract: row.contract.clone(),
                        length: entry.length,
                        threads: (row.threads, row.workers),
                        fewer: other.name.clone(),
                        base: base.clone(),
                        change: entry.change.clone(),
                    });
                }
            }
        }
    }
    cases
}

/// Whether the one is the other under a mask or, of Ciphertune's own, one that stands before it in the list, which goes
/// from the plainest to the widest.
fn has_fewer(one: &str, other: &str) -> bool {
    let place = |own: Implementation| Implementation::all().iter().position(|known| *known == own);
    match (Mask::of_id(one), ours(one), ours(other)) {
        (Some((_, base)), ..) => base == other,
        (None, Some(few), Some(many)) => few.features() != many.features() && place(few) < place(many),
        _ => false,
    }
}

/// Whether CPUID suggests this one of Ciphertune's own.
fn is_default(id: &str, row: &compare::Row, length: u64, default_for: fn(Task, usize) -> String) -> bool {
    let Ok(algorithm) = row.algorithm.parse() else {
        return false;
    };
    let is_it =
        |task: &Task| (task.operation.name(), task.contract.name()) == (&*row.operation, &*row.contract);
    let (task, length) = (Task::all(algorithm).find(is_it), usize::try_from(length).ok());
    task.zip(length)
        .is_some_and(|(task, length)| default_for(task, length) == id)
}

/// Those of a second run that were faster in the first one and are so again. Among hundreds of cases some look faster by
/// chance, and hardly one of them twice; and how much faster, the second run alone can say, since nothing was picked by its
/// figures.
pub fn confirmed(first: &[Case], mut second: Vec<Case>, confidence: f64) -> Vec<Case> {
    second.retain(|one| first.iter().any(|other| one.is_same(other)));
    certainly_faster(second, |case| &case.change, confidence)
}

/// Those that are faster beyond doubt, though so many were looked at. A library that was slow for a while makes all its masks
/// look faster together: the probability that any of those named is not faster is what the confidence leaves, however
/// they depend on each other.
pub fn certainly_faster<T>(all: Vec<T>, change: fn(&T) -> &Change, confidence: f64) -> Vec<T> {
    let chances: Vec<f64> = { all.iter() }
        .map(|one| change(one).chance.unwrap_or(1.0))
        .collect();
    let judged = all.into_iter().zip(holm(&chances));
    judged
        .filter(|(one, chance)| change(one).is_lead() && *chance <= 1.0 - confidence)
        .map(|(one, _)| one)
        .collect()
}

/// What there is to say, a line for each algorithm and pair.
pub fn sentences(found: &[Case], cases: usize) -> Vec<String> {
    if found.is_empty() {
        return vec![match cases {
            0 => "Nothing could be compared with itself for fewer instructions.".to_owned(),
            1 => "Nothing is faster here with fewer instructions, in the one case that was compared."
                .to_owned(),
            _ => format!(
                "Nothing is faster here with fewer instructions, in any of {cases} cases that were compared."
            ),
        }];
    }
    let mut lines = vec![format!(
        "Fewer instructions are faster here in {} of {}, each found in two runs; by the second's figures:",
        found.len(),
        counted(cases, "case")
    )];
    let mut rows: Vec<Vec<&Case>> = Vec::new();
    for one in found {
        match rows.iter_mut().find(|row| row[0].row() == one.row()) {
            Some(row) => row.push(one),
            None => rows.push(vec![one]),
        }
    }
    for row in rows {
        let Case {
            algorithm,
            operation,
            fewer,
            base,
            threads,
            ..
        } = row[0];
        let at: Vec<String> = row
            .iter()
            .map(|one| {
                let Interval { low, median, high } = one.change.ratio;
                let [low, median, high] = [low, median, high].map(significant);
                let times = format!("{median} times as fast ({low} to {high})");
                match is_without_message(algorithm, operation) {
                    true => times,
                    false => format!("{times} at {}", length(one.length)),
                }
            })
            .collect();
        let by = match threads {
            (1, _) => String::new(),
            (threads, 0) => format!(" by {threads} threads"),
            (threads, workers) => format!(
                " by {} and {}",
                counted((threads - workers) as usize, "thread"),
                counted(*workers as usize, "worker")
            ),
        };
        lines.push(format!(
            "  {algorithm} {operation}{by}: {fewer} against {base}: {}",
            at.join(", ")
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use ciphertune_results::Cell;

    use super::*;
    use crate::fixture::{self, run};

    fn cell(implementation: &str, length: u64, rate: f64) -> Cell {
        fixture::cell(implementation, "AES-256-GCM", length, rate)
    }

    /// Those that are faster, and of how many.
    fn faster(run: &Run, default_for: fn(Task, usize) -> String) -> (Vec<Case>, usize) {
        let all = cases(run, 0.95, default_for);
        let count = all.len();
        (all.into_iter().filter(Case::is_faster).collect(), count)
    }

    fn widest(_: Task, _: usize) -> String {
        "ciphertune/vaes512".to_owned()
    }

    #[test]
    fn a_mask_pays_against_its_own_library_beyond_the_noise() {
        let run = run(vec![
            cell("openssl@3.0.19/default", 16, 1e9),
            cell("openssl@3.0.19/no-avx512", 16, 1.2e9),
            // Within the noise floor.
            cell("openssl@3.0.19/no-vaes", 16, 1.015e9),
            cell("openssl@3.0.19/no-aes", 16, 0.1e9),
            // Faster than another library is nothing.
            cell("libgcrypt@1.10.1/default", 16, 3e9),
            cell("libgcrypt@1.10.1/no-avx2", 16, 3e9),
            // What was not measured as it comes is compared with nothing.
            cell("nettle@3.8/no-aes", 16, 9e9),
        ]);
        let (found, cases) = faster(&run, widest);
        assert_eq!(cases, 4);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].fewer, "openssl@3.0.19/no-avx512");
        assert_eq!(
            sentences(&found, cases),
            [
                "Fewer instructions are faster here in 1 of 4 cases, each found in two runs; by the second's figures:",
                "  AES-256-GCM seal: openssl@3.0.19/no-avx512 against openssl@3.0.19/default: 1.20 times as fast (1.20 \
                 to 1.20) at 16 B",
            ]
        );
        assert!(confirmed(&found, Vec::new(), 0.95).is_empty());
        let mut elsewhere = found.clone();
        elsewhere[0].length = 64;
        assert!(confirmed(&found, elsewhere, 0.95).is_empty());
        let mut again = found.clone();
        again[0].change.ratio = Interval::point(1.1);
        assert_eq!(confirmed(&found, again.clone(), 0.95), again);
    }

    /// As they do together where the library itself was slow for a while.
    #[test]
    fn one_of_many_that_are_looked_at_again_has_to_be_surer() {
        let named = |masks: &[&str]| {
            let mut cells = vec![cell("openssl@3.0.19/default", 16, 1e9)];
            cells.extend(masks.iter().map(|mask| {
                let mut cell = cell(&format!("openssl@3.0.19/{mask}"), 16, 1e9);
                for (rate, factor) in { &mut cell.figures.as_mut().unwrap().replicates }
                    .iter_mut()
                    .flatten()
                    .zip([1.02, 1.05, 1.09, 1.11, 1.14])
                {
                    *rate *= factor;
                }
                cell
            }));
            let (found, count) = faster(&run(cells), widest);
            assert_eq!((found.len(), count), (masks.len(), masks.len()));
            confirmed(&found, found.clone(), 0.95).len()
        };
        assert_eq!(named(&["no-avx"]), 1);
        assert_eq!(named(&["no-avx512", "no-vaes", "no-avx2", "no-avx"]), 0);
    }

    #[test]
    fn ours_are_compared_with_what_cpuid_suggests() {
        let run = run(vec![
            cell("ciphertune/vaes512", 16, 1e9),
            cell("ciphertune/aesni", 16, 1.5e9),
            cell("ciphertune/vaes512-r2", 16, 1.5e9),
            cell("ciphertune/portable", 16, 0.1e9),
        ]);
        let (found, cases) = faster(&run, widest);
        let names: Vec<&str> = found.iter().map(|one| &*one.fewer).collect();
        assert_eq!((names, cases), (vec!["ciphertune/aesni"], 2));
    }

    #[test]
    fn cpuid_suggests_by_the_operation_and_the_contract() {
        let default_for = |task: Task, _: usize| {
            let is_it = (task.operation.name(), task.contract.name()) == ("open", "new-key/1");
            let name = if is_it { "vaes512" } else { "vaes256" };
            format!("ciphertune/{name}")
        };
        let mut cells = vec![
            cell("ciphertune/vaes512", 64, 1e9),
            cell("ciphertune/vaes256", 64, 1.5e9),
        ];
        for cell in &mut cells {
            cell.operation = "open".to_owned();
            cell.contract = "new-key/1".to_owned();
        }
        let (found, cases) = faster(&run(cells), default_for);
        assert_eq!((found.len(), cases), (1, 1));
    }

    #[test]
    fn a_message_of_one_byte_has_its_length() {
        let of = |operation: &str| {
            let mut cells = vec![
                cell("openssl@3.0.19/default", 1, 1e9),
                cell("openssl@3.0.19/no-avx2", 1, 2e9),
            ];
            cells
                .iter_mut()
                .for_each(|cell| cell.operation = operation.to_owned());
            let (found, cases) = faster(&run(cells), widest);
            sentences(&found, cases).pop().unwrap()
        };
        assert!(of("seal").ends_with(" (2.00 to 2.00) at 1 B"), "{}", of("seal"));
        assert!(of("sign").ends_with(" (2.00 to 2.00)"), "{}", of("sign"));
    }

    #[test]
    fn that_nothing_is_faster_is_said() {
        let run = run(vec![
            cell("openssl@3.0.19/default", 16, 1e9),
            cell("openssl@3.0.19/no-aes", 16, 1e9),
        ]);
        let (found, cases) = faster(&run, widest);
        assert_eq!(
            sentences(&found, cases),
            ["Nothing is faster here with fewer instructions, in the one case that was compared."]
        );
    }
}
