//! Names of algorithms on the command line.
use std::ffi::OsStr;

use ciphertune_catalog::{Algorithm, UnknownAlgorithm};
use clap::{
    Arg, Command, Error,
    builder::{PossibleValue, TypedValueParser},
    error::{ContextKind, ContextValue, ErrorKind},
};

/// An algorithm's name, or a part that several share.
#[derive(Clone, Copy)]
pub struct AlgorithmParser;

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
            let known = Algorithm::all().map(|algorithm| algorithm.name().to_owned());
            error.insert(ContextKind::InvalidArg, ContextValue::String(arg));
            error.insert(ContextKind::InvalidValue, ContextValue::String(name));
            error.insert(ContextKind::ValidValue, ContextValue::Strings(known.collect()));
            error
        })
    }

    /// So that shells complete them.
    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue>>> {
        Some(Box::new(
            Algorithm::all().map(|algorithm| PossibleValue::new(algorithm.name())),
        ))
    }
}
