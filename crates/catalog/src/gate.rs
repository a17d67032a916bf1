//! Whether an implementation is right. One that is not is neither timed nor chosen.
//!
//! [`check`] before timing, [`recheck`] after it, in the process that timed: a library that changes its mind once
//! it is warm, or once its environment changed, is caught by the second. Both make fresh contexts.
use std::fmt;

use ciphertune::LengthClass;
use ciphertune_testkit::{
    Stream,
    differential::{self, Strength},
    known_answers,
};
use serde::{Deserialize, Serialize};

use crate::{Algorithm, Context, Fault, Implementation};

/// Published answers, then the differential check against Ciphertune's portable code. The cases follow from the
/// seed. An implementation that is unavailable fails.
pub fn check(implementation: &dyn Implementation, algorithm: Algorithm, seed: u64) -> Result<(), Failure> {
    check_with(Strength::Quick, implementation, algorithm, seed)
}

/// As [`check`], with each case at every offset from 0 to 63. For tests: it takes seconds.
pub fn check_exhaustively(
    implementation: &dyn Implementation,
    algorithm: Algorithm,
    seed: u64,
) -> Result<(), Failure> {
    check_with(Strength::Exhaustive, implementation, algorithm, seed)
}

fn check_with(
    strength: Strength,
    implementation: &dyn Implementation,
    algorithm: Algorithm,
    seed: u64,
) -> Result<(), Failure> {
    let new = contexts(implementation, algorithm);
    known_answers::check(algorithm.key_len(), &new)
        .and_then(|()| differential::check(algorithm.key_len(), strength, seed, &new))
        .map_err(|failure| Failure::new(implementation, algorithm, failure))
}

/// Published answers, then messages of each length that wisdom is measured at.
pub fn recheck(implementation: &dyn Implementation, algorithm: Algorithm, seed: u64) -> Result<(), Failure> {
    let new = contexts(implementation, algorithm);
    known_answers::check(algorithm.key_len(), &new)
        .and_then(|()| {
            LengthClass::all().try_for_each(|class| {
                differential::check_length(algorithm.key_len(), class.measured(), seed, &new)
            })
        })
        .map_err(|failure| Failure::new(implementation, algorithm, failure))
}

/// The first case that an implementation got wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The implementation's id.
    pub implementation: String,
    /// Of what.
    pub algorithm: Algorithm,
    /// Which case: where it comes from, length, offsets, updates, key and IV.
    pub case: String,
    /// What was wrong.
    pub symptom: String,
}

impl Failure {
    fn new(
        implementation: &dyn Implementation,
        algorithm: Algorithm,
        failure: ciphertune_testkit::Failure,
    ) -> Self {
        Self {
            implementation: implementation.description().id.clone(),
            algorithm,
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
    algorithm: Algorithm,
) -> impl Fn(&[u8], &[u8; 16]) -> Result<Box<dyn Context>, String> {
    move |key, iv| implementation.context(algorithm, key, iv).map_err(words)
}

impl Stream for Box<dyn Context> {
    fn apply(&mut self, data: &mut [u8]) -> Result<(), String> {
        self.as_mut().apply(data).map_err(words)
    }

    fn apply_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), String> {
        self.as_mut().apply_to(input, output).map_err(words)
    }

    fn in_place(&self) -> bool {
        self.as_ref().in_place()
    }
}

fn words(Fault(words): Fault) -> String {
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_that_does_not_carry_is_caught_with_its_case() {
        let broken = crate::broken::implementation();
        for &algorithm in Algorithm::ALL {
            for checked in [check(&*broken, algorithm, 1), recheck(&*broken, algorithm, 1)] {
                let failure = checked.expect_err("it is broken");
                assert_eq!(failure.implementation, "ciphertune/broken");
                assert_eq!(failure.algorithm, algorithm);
                let line = failure.to_string();
                assert!(
                    line.starts_with(&format!("ciphertune/broken: {algorithm}, ")),
                    "{line}"
                );
                assert!(line.contains(" is ") && !line.contains('\n'), "{line}");

                // The IV that it names: the message, or what the stream encrypted before it, crosses a multiple of 2^32.
                let (_, iv) = failure.case.rsplit_once("IV ").expect("the IV");
                let low = u32::from_str_radix(&iv[24..], 16).expect("hexadecimal");
                assert!(low.wrapping_add(65_537) < 2 * 65_537, "{line}");
            }
        }
    }
}
