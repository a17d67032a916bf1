//! Names of algorithms on the command line.
use std::ffi::OsStr;

use ciphertune_catalog::{self as catalog, Algorithm, Task, UnknownAlgorithm};
use ciphertune_measure::near;
use clap::{
    Arg, Command, Error,
    builder::{PossibleValue, TypedValueParser},
    error::{ContextKind, ContextValue, ErrorKind},
};

/// Whether the library has it, so that there is something to choose.
pub fn is_ours(algorithm: Algorithm) -> bool {
    catalog::is_ours(Task::usual(algorithm))
}

/// An algorithm's name, or a part that several share.
#[derive(Clone, Copy)]
pub struct AlgorithmParser {
    /// Those that the help shows.
    pub shown: fn(Algorithm) -> bool,
}

impl TypedValueParser for AlgorithmParser {
    type Value = Vec<Algorithm>;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Vec<Algorithm>, Error> {
        let name = value.to_string_lossy();
        Algorithm::matching(&name).map_err(|UnknownAlgorithm(name)| {
            let mut error = Error::new(ErrorKind::InvalidValue).with_cmd(command);
            let arg = arg.map_or("ALGORITHM".to_owned(), ToString::to_string);
            let near = near(&name, Algorithm::all().map(Algorithm::name));
            error.insert(ContextKind::InvalidArg, ContextValue::String(arg));
            error.insert(ContextKind::InvalidValue, ContextValue::String(name));
            if near.is_empty() {
                let help = format!("`ciphertune help {}` lists the names", command.get_name());
                error.insert(
                    ContextKind::Suggested,
                    ContextValue::StyledStrs(vec![help.into()]),
                );
            } else {
                error.insert(ContextKind::SuggestedValue, ContextValue::Strings(near));
            }
            error
        })
    }

    /// So that shells complete them, too.
    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue>>> {
        let shown = self.shown;
        let names = Algorithm::all().filter(move |&algorithm| shown(algorithm));
        Some(Box::new(
            names.map(|algorithm| PossibleValue::new(algorithm.name())),
        ))
    }
}
