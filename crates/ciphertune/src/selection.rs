use std::{env, sync::OnceLock};

use ciphertune_engine::Implementation;

use crate::{
    Error, GcmPlan, Plan, Plans, Threads, hide_features,
    wisdom::{Wisdom, WisdomError},
};

/// What every `new` of a cipher goes by in this process. Found out at its first use and never again: after that a
/// new context reads no file and takes no lock.
#[derive(Debug)]
pub struct Selection {
    /// For each mode, in the order of [`Mode`], and keys of 16, 24 and 32 bytes.
    plans: [[Plans; 3]; Mode::NAMES.len()],
    /// For the same keys.
    gcm: Result<[Plans<GcmPlan>; 3], Error>,
    /// Of counter mode, for the same keys.
    threads: [Threads; 3],
    basis: Basis,
}

/// A mode of AES that goes by a [`Plan`] of its own; GCM goes by a [`GcmPlan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mode {
    /// [`crate::Ecb`]
    Ecb,
    /// [`crate::Cbc`]
    Cbc,
    /// [`crate::Cfb`]
    Cfb,
    /// [`crate::Ctr`]
    Ctr,
    /// [`crate::Xts`]
    Xts,
    /// [`crate::Cmac`]
    Cmac,
    /// Any other, of which nothing is measured.
    Other,
}

impl Mode {
    /// As algorithms are named for them, in the order above.
    const NAMES: [&str; 7] = ["ECB", "CBC", "CFB", "CTR", "XTS", "CMAC", "OTHER"];
}

/// Where a selection comes from.
#[derive(Debug)]
#[non_exhaustive]
pub enum Basis {
    /// `CIPHERTUNE_IMPLEMENTATION` forces one implementation.
    Forced(Implementation),
    /// What was measured on this machine.
    Wisdom(Wisdom),
    /// What CPUID suggests, since wisdom is absent or was refused.
    Estimate(WisdomError),
}

static SELECTION: OnceLock<Result<Selection, Error>> = OnceLock::new();

/// The selection of this process: forced by `CIPHERTUNE_IMPLEMENTATION`, else from the wisdom that [`use_wisdom`]
/// was given, else from the wisdom file ([`Wisdom::default_path`]), else [`Plan::estimate`].
///
/// Before all that it hides what `CIPHERTUNE_CPU` lists ([`hide_features`]).
///
/// [`Error::UnknownFeature`], [`Error::UnknownImplementation`], [`Error::Unavailable`]: what is hidden or forced cannot
/// be. It is an error rather than ignored, since whoever forces an implementation relies on it.
pub fn selection() -> Result<&'static Selection, Error> {
    let selection = SELECTION.get_or_init(|| {
        Selection::forced().unwrap_or_else(|| {
            Ok(
                match Wisdom::default_path().and_then(|path| Wisdom::read(&path)) {
                    Ok(wisdom) => Selection::by(wisdom),
                    Err(why) => Selection::estimate(why),
                },
            )
        })
    });
    selection.as_ref().map_err(Clone::clone)
}

/// Makes this process go by `wisdom` and not by the file that its environment names: for a program with settings of
/// its own. `CIPHERTUNE_IMPLEMENTATION` goes before it all the same.
///
/// [`TooLate`]: a context was made or [`selection`] called before.
pub fn use_wisdom(wisdom: Wisdom) -> Result<(), TooLate> {
    let selection = Selection::forced().unwrap_or_else(|| Ok(Selection::by(wisdom)));
    SELECTION.set(selection).map_err(|_| TooLate)
}

/// The process's selection is made, and stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("what this process goes by is settled: a context was made, or it was asked for, before")]
pub struct TooLate;

impl Selection {
    /// What `CIPHERTUNE_IMPLEMENTATION` forces, if it is set; before that, what `CIPHERTUNE_CPU` hides is hidden.
    fn forced() -> Option<Result<Self, Error>> {
        if let Err(error) = hide_features() {
            return Some(Err(error));
        }
        let name = env::var_os("CIPHERTUNE_IMPLEMENTATION").filter(|name| !name.is_empty())?;
        let name = name.to_string_lossy();
        let forced = || {
            let forced = Implementation::named(&name)
                .ok_or_else(|| Error::UnknownImplementation(name.clone().into_owned()))?;
            Ok(Self {
                plans: [[Plans::both(Plan::forced(forced)?); 3]; Mode::NAMES.len()],
                gcm: GcmPlan::forced(forced).map(|plan| [Plans::both(plan); 3]),
                threads: [Threads::NONE; 3],
                basis: Basis::Forced(forced),
            })
        };
        Some(forced())
    }

    fn by(wisdom: Wisdom) -> Self {
        let plans = |name: &str, bits: usize| {
            let algorithm = format!("AES-{bits}-{name}");
            let forward = if name == "CMAC" { "mac" } else { "encrypt" };
            Plans::of(
                wisdom.plan(&algorithm, forward),
                wisdom.plan(&algorithm, "decrypt"),
            )
        };
        let gcm = |bits: usize| {
            let algorithm = format!("AES-{bits}-GCM");
            Plans::of(wisdom.plan(&algorithm, "seal"), wisdom.plan(&algorithm, "open"))
        };
        Self {
            plans: Mode::NAMES.map(|name| BITS.map(|bits| plans(name, bits))),
            gcm: Ok(BITS.map(gcm)),
            threads: BITS.map(|bits| wisdom.threads(&format!("AES-{bits}-CTR"))),
            basis: Basis::Wisdom(wisdom),
        }
    }

    fn estimate(why: WisdomError) -> Self {
        Self {
            plans: [[Plans::estimate(); 3]; Mode::NAMES.len()],
            gcm: Ok([Plans::estimate(); 3]),
            threads: [Threads::NONE; 3],
            basis: Basis::Estimate(why),
        }
    }

    /// Where it comes from.
    pub fn basis(&self) -> &Basis {
        &self.basis
    }

    /// The plan for AES-CTR with a key of `key_len` bytes.
    pub fn ctr(&self, key_len: usize) -> Result<&Plan, Error> {
        Ok(self.plans(Mode::Ctr, key_len)?.forward())
    }

    /// The threads that wisdom says pay for AES-CTR with a key of `key_len` bytes and the plan above; none where it
    /// says nothing.
    pub fn threads(&self, key_len: usize) -> Result<Threads, Error> {
        Ok(self.threads[size(key_len)?])
    }

    /// The plans for a mode with a key of `key_len` bytes, of which XTS has two.
    pub fn plans(&self, mode: Mode, key_len: usize) -> Result<&Plans, Error> {
        Ok(&self.plans[mode as usize][size(key_len)?])
    }

    /// The plans for AES-GCM with a key of `key_len` bytes.
    ///
    /// [`Error::GcmUnavailable`]: what is forced has none.
    pub fn gcm(&self, key_len: usize) -> Result<&Plans<GcmPlan>, Error> {
        let gcm = self.gcm.as_ref().map_err(Clone::clone)?;
        Ok(&gcm[size(key_len)?])
    }
}

const BITS: [usize; 3] = [128, 192, 256];

/// Which of the three sizes a key has.
fn size(key_len: usize) -> Result<usize, Error> {
    BITS.iter()
        .position(|bits| bits / 8 == key_len)
        .ok_or(Error::KeyLength(key_len))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        LengthClass,
        wisdom::{Choice, Rates, contract},
    };

    fn wisdom(tasks: &[(&str, &str)]) -> Wisdom {
        let choices = tasks.iter().flat_map(|&(algorithm, operation)| {
            LengthClass::all().map(move |class| Choice {
                algorithm: algorithm.to_owned(),
                operation: operation.to_owned(),
                contract: contract(algorithm).to_owned(),
                class,
                implementation: Implementation::PORTABLE,
                bytes_per_second: Rates {
                    low: 1.0,
                    median: 2.0,
                    high: 3.0,
                },
                runner_up: None,
            })
        });
        Wisdom::new(
            "2026-11-22T00:00:00Z".to_owned(),
            "measure".to_owned(),
            choices.collect(),
        )
    }

    #[test]
    fn each_mode_size_and_direction_goes_by_its_own_choices() {
        let selection = Selection::by(wisdom(&[
            ("AES-128-CBC", "encrypt"),
            ("AES-128-CBC", "decrypt"),
            ("AES-192-CMAC", "mac"),
            ("AES-256-GCM", "seal"),
            ("AES-256-GCM", "open"),
        ]));
        let portable = Plan::forced(Implementation::PORTABLE).unwrap();
        for (position, name) in Mode::NAMES.iter().enumerate() {
            for (size, bits) in BITS.into_iter().enumerate() {
                let chosen = [("CBC", 128), ("CMAC", 192)].contains(&(*name, bits));
                let expected = if chosen { portable } else { Plan::estimate() };
                let found = selection.plans[position][size];
                assert_eq!(*found.forward(), expected, "{name} {bits}");
            }
        }
        for key_len in [16, 24, 32] {
            let found = selection.gcm(key_len).unwrap().backward().implementation(1000);
            assert_eq!(
                found == Implementation::PORTABLE,
                key_len == 32 || !has_gcm(),
                "{key_len}"
            );
        }
        assert_eq!(selection.gcm(17).err(), Some(Error::KeyLength(17)));
    }

    fn has_gcm() -> bool {
        GcmPlan::estimate().implementation(0) != Implementation::PORTABLE
    }

    #[test]
    fn a_key_serves_both_directions() {
        let selection = Selection::by(wisdom(&[("AES-128-XTS", "decrypt")]));
        let plans = selection.plans(Mode::Xts, 16).unwrap();
        assert!(plans.forward().shares_layout(plans.backward()));
        assert_eq!(*plans.forward(), Plan::estimate());
    }
}
