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

/// A help with the names of the algorithms that it is about.
pub fn with_names(help: &str, shown: fn(Algorithm) -> bool) -> String {
    let names = Algorithm::all().filter(|&algorithm| shown(algorithm));
    let names: Vec<&str> = names.map(|algorithm| algorithm.name()).collect();
    format!("{help}\n\n[names: {}]", names.join(", "))
}

/// The error of a name that nobody knows, with those that are near in the table and among these.
pub fn unknown(command: &Command, arg: Option<&Arg>, name: String, others: &[String]) -> Error {
    let mut error = Error::new(ErrorKind::InvalidValue).with_cmd(command);
    let arg = arg.map_or("ALGORITHM".to_owned(), ToString::to_string);
    let of_table = Algorithm::all().map(|algorithm| algorithm.name());
    let near = near(&name, others.iter().map(String::as_str).chain(of_table));
    let help = match name.contains(',') {
        // As lists are that options take.
        true => Some(format!(
            "write names with spaces between them: {}",
            name.replace(',', " ")
        )),
        false => near
            .is_empty()
            .then(|| format!("`ciphertune help {}` lists the names", command.get_name())),
    };
    error.insert(ContextKind::InvalidArg, ContextValue::String(arg));
    error.insert(ContextKind::InvalidValue, ContextValue::String(name));
    match help {
        Some(help) => error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![help.into()]),
        ),
        None => error.insert(ContextKind::SuggestedValue, ContextValue::Strings(near)),
    };
    error
}

/// What is to be measured.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// What the table of algorithms has by a name, or by a part of one.
    InTable(Vec<Algorithm>),
    /// A name that the table has not. A libcrypto may.
    Other(String),
}

/// As [`AlgorithmParser`], of any name that a libcrypto may have.
#[derive(Clone, Copy)]
pub struct WantedParser;

impl TypedValueParser for WantedParser {
    type Value = Wanted;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<Wanted, Error> {
        let name = value.to_string_lossy();
        let in_name = |letter: char| letter.is_ascii_alphanumeric() || "-_./".contains(letter);
        match Algorithm::matching(&name) {
            Ok(algorithms) => Ok(Wanted::InTable(algorithms)),
            Err(_) if !name.is_empty() && name.chars().all(in_name) => Ok(Wanted::Other(name.into_owned())),
            Err(UnknownAlgorithm(name)) => Err(unknown(command, arg, name, &[])),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue>>> {
        AlgorithmParser { shown: |_| true }.possible_values()
    }
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
        Algorithm::matching(&name).map_err(|UnknownAlgorithm(name)| unknown(command, arg, name, &[]))
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
