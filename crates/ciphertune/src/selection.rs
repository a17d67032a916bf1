use std::{env, sync::OnceLock};

use ciphertune_engine::Implementation;

use crate::{
    Error, Plan, hide_features,
    wisdom::{Wisdom, WisdomError},
};

/// What [`crate::Ctr::new`] goes by in this process. Found out at its first use and never again: after that a
/// new context reads no file and takes no lock.
#[derive(Debug)]
pub struct Selection {
    /// For keys of 16, 24 and 32 bytes.
    plans: [Plan; 3],
    /// For every mode that nothing has been measured of.
    blocks: Plan,
    basis: Basis,
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
                plans: [Plan::forced(forced)?; 3],
                blocks: Plan::forced(forced)?,
                basis: Basis::Forced(forced),
            })
        };
        Some(forced())
    }

    fn by(wisdom: Wisdom) -> Self {
        let plan = |algorithm| wisdom.plan(algorithm).unwrap_or_else(Plan::estimate);
        Self {
            plans: ["AES-128-CTR", "AES-192-CTR", "AES-256-CTR"].map(plan),
            blocks: Plan::estimate(),
            basis: Basis::Wisdom(wisdom),
        }
    }

    fn estimate(why: WisdomError) -> Self {
        Self {
            plans: [Plan::estimate(); 3],
            blocks: Plan::estimate(),
            basis: Basis::Estimate(why),
        }
    }

    /// Where it comes from.
    pub fn basis(&self) -> &Basis {
        &self.basis
    }

    /// The plan for AES-CTR with a key of `key_len` bytes.
    pub fn ctr(&self, key_len: usize) -> Result<&Plan, Error> {
        match key_len {
            16 => Ok(&self.plans[0]),
            24 => Ok(&self.plans[1]),
            32 => Ok(&self.plans[2]),
            _ => Err(Error::KeyLength(key_len)),
        }
    }

    /// The plan for the modes that nothing is measured of yet: all but CTR.
    pub fn blocks(&self) -> &Plan {
        &self.blocks
    }
}
