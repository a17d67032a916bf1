//! Whether an implementation is right. One that is not is neither timed nor chosen.
//!
//! [`check`] before timing, [`recheck`] after it, in the process that timed: a library that changes its mind once
//! it is warm, or once its environment changed, is caught by the second. Both make fresh contexts.
use std::fmt;

use ciphertune::LengthClass;
use ciphertune_testkit::{
    Context, Contract, Fault, Task,
    differential::{self, Strength},
    known_answers, public_key,
};
use serde::{Deserialize, Serialize};

use crate::{Implementation, Once};

/// Published answers, then the differential check against Ciphertune's portable code. The cases follow from the
/// seed. An implementation that is unavailable fails.
pub fn check(implementation: &dyn Implementation, task: Task, seed: u64) -> Result<(), Failure> {
    check_with(Strength::Quick, implementation, task, seed)
}

/// As [`check`], with each case at every offset from 0 to 63. For tests: it takes seconds.
pub fn check_exhaustively(implementation: &dyn Implementation, task: Task, seed: u64) -> Result<(), Failure> {
    check_with(Strength::Exhaustive, implementation, task, seed)
}

fn check_with(
    strength: Strength,
    implementation: &dyn Implementation,
    task: Task,
    seed: u64,
) -> Result<(), Failure> {
    if task.algorithm.is_public_key() {
        return check_public_key(implementation, task, seed);
    }
    let new = contexts(implementation, task);
    known_answers::check(task, &new)
        .and_then(|()| differential::check(task, strength, seed, &new))
        .map_err(|failure| Failure::new(implementation, failure))
}

/// Published answers, then messages of each length that wisdom is measured at.
pub fn recheck(implementation: &dyn Implementation, task: Task, seed: u64) -> Result<(), Failure> {
    if task.algorithm.is_public_key() {
        return check_public_key(implementation, task, seed);
    }
    let new = contexts(implementation, task);
    known_answers::check(task, &new)
        .and_then(|()| {
            LengthClass::all()
                .try_for_each(|class| differential::check_length(task, class.measured(), seed, &new))
        })
        .map_err(|failure| Failure::new(implementation, failure))
}

/// What other libraries know, forgeries, and one operation against the other: before timing and after it.
fn check_public_key(implementation: &dyn Implementation, task: Task, seed: u64) -> Result<(), Failure> {
    let new = |task: Task, key: &[u8]| {
        let context = implementation.context(task, key, &[])?;
        Ok(Box::new(Once(context)) as Box<dyn Context>)
    };
    public_key::check(task, seed, &new).map_err(|failure| Failure::new(implementation, failure))
}

/// The first case that an implementation got wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The implementation's id.
    pub implementation: String,
    /// Which case: where it comes from, task, length, offsets, updates, key and IV.
    pub case: String,
    /// What was wrong.
    pub symptom: String,
}

impl Failure {
    fn new(implementation: &dyn Implementation, failure: ciphertune_testkit::Failure) -> Self {
        Self {
            implementation: implementation.description().id.clone(),
            case: failure.case,
            symptom: failure.symptom,
        }
    }
}

/// One line.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.implementation, self.case, self.symptom)
    }
}

impl std::error::Error for Failure {}

fn contexts(
    implementation: &dyn Implementation,
    task: Task,
) -> impl Fn(&[u8], &[u8]) -> Result<Box<dyn Context>, Fault> {
    move |key, iv| {
        // What a message brings is no part of its context.
        let mut stream_iv = vec![0; task.algorithm.iv_len()];
        if task.contract == Contract::Stream {
            stream_iv.copy_from_slice(iv);
        }
        Ok(Box::new(Once(implementation.context(task, key, &stream_iv)?)) as Box<dyn Context>)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_that_does_not_carry_is_caught_with_its_case() {
        let broken = crate::broken::implementation();
        for &task in broken.tasks() {
            for checked in [check(&*broken, task, 1), recheck(&*broken, task, 1)] {
                let failure = checked.expect_err("it is broken");
                assert_eq!(failure.implementation, "ciphertune/broken");
                let line = failure.to_string();
                assert!(
                    line.starts_with(&format!("ciphertune/broken: {task}, ")),
                    "{line}"
                );
                assert!(line.contains(" is ") && !line.contains('\n'), "{line}");

                // From the IV that it names, the stream crosses a multiple of 2^32.
                let (_, iv) = failure.case.rsplit_once("IV ").expect("the IV");
                let low = u32::from_str_radix(&iv[24..], 16).expect("hexadecimal");
                assert!(low.wrapping_add(65_537 + 544) < 65_537 + 544, "{line}");
            }
        }
    }
}
