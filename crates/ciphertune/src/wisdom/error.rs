//! Why there is no wisdom, and what to do.
use std::{
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use super::{Wisdom, contract, file};
use crate::Processor;

/// Why there is no wisdom. Each is one line, and says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WisdomError {
    /// Nobody has measured yet.
    #[error("there is no wisdom at {}; {} makes it", path.display(), command("tune", path))]
    Absent {
        /// Where it would be.
        path: PathBuf,
    },
    /// The file is not to be believed.
    #[error("the wisdom at {} is refused: {why}; {}", path.display(), remedy(why, path))]
    Refused {
        /// Where it is.
        path: PathBuf,
        /// What is wrong with it.
        why: Refusal,
    },
    /// Whoever reads it would refuse it.
    #[error("the wisdom at {} stays as it was, since what was to take its place would be refused: {why}", path.display())]
    Useless {
        /// Where it would be.
        path: PathBuf,
        /// What is wrong with it.
        why: Refusal,
    },
    /// The system said no.
    #[error("cannot {doing} the wisdom at {}: {source}; {}", path.display(), elsewhere(source, path))]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On which file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// Neither a setting nor a home says where it belongs.
    #[error("there is no place for wisdom: set CIPHERTUNE_WISDOM to a file, or HOME to a folder")]
    NoPlace,
    /// The program has another's rights than its caller's, whose environment says where it would be.
    #[error(
        "this program runs with other rights than its caller's, so that no wisdom is gone by which its environment names"
    )]
    OthersRights,
}

/// What is wrong with a wisdom file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It does not begin as wisdom does.
    #[error("it is not a wisdom file")]
    NotWisdom,
    /// An earlier Ciphertune made it.
    #[error("its format {0} is earlier than this version's, {format}", format = file::FORMAT)]
    Earlier(u32),
    /// A later Ciphertune made it.
    #[error("its format {0} is later than this version's, {format}", format = file::FORMAT)]
    Later(u32),
    /// It is longer than any that this crate writes.
    #[error("it is longer than {} KiB", file::MOST >> 10)]
    TooLong,
    /// Its end is missing.
    #[error("it is truncated: its checksum is missing")]
    Truncated,
    /// It is not what was written.
    #[error("it was edited or damaged: its checksum does not fit")]
    Checksum,
    /// A line that cannot be.
    #[error("line {line} cannot be read: {problem}")]
    Line {
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// It was made on another processor, or this one has changed.
    #[error("it was made on {made}, and this is {here}")]
    Processor {
        /// Where it was made.
        made: String,
        /// Where it is read.
        here: String,
    },
    /// It was made on this processor with all that it has, and a part of that is hidden.
    #[error("it was made on the whole processor, of which CIPHERTUNE_CPU hides a part")]
    Hidden,
    /// It was made with another build of the kernels.
    #[error(
        "it was made with another build of Ciphertune: other source, compiler or settings, and so other speeds"
    )]
    Build,
    /// It was made under another contract.
    #[error(
        "it measured {algorithm} under the contract '{found}', and this version goes by '{}'",
        contract(algorithm)
    )]
    Contract {
        /// Of which algorithm.
        algorithm: String,
        /// Under which contract.
        found: String,
    },
    /// Its choices cannot serve one plan.
    #[error("{0}")]
    Plan(String),
    /// One key serves two tasks, and what it has for the second cannot take that as what serves the first does.
    #[error(
        "it has '{backward}' for {task}, where '{forward}' serves with the same key, and they keep keys in different layouts"
    )]
    Directions {
        /// The second: algorithm, operation and contract.
        task: String,
        /// What it has for that.
        backward: &'static str,
        /// What serves the first, by its choices or, where it has none, by what CPUID suggests.
        forward: &'static str,
    },
    /// It names what cannot run here.
    #[error("it names '{0}', which needs CPU features that this processor lacks")]
    Unavailable(&'static str),
}

/// How a command of Ciphertune's about the wisdom in a file is written: with its name, where the command would take
/// another without.
pub fn command(words: &str, path: &Path) -> String {
    match Wisdom::default_path() {
        Ok(default) if default == path => format!("`ciphertune {words}`"),
        _ => format!("`ciphertune {words} --wisdom {}`", word(path)),
    }
}

/// A path as a shell takes it for one word.
pub fn word(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |it: char| it.is_alphanumeric() || "/._-+@%,:=".contains(it);
    // Nothing at all is no word: what is behind it would be taken for it.
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// What to do about wisdom that is refused.
fn remedy(why: &Refusal, path: &Path) -> String {
    let tune = command("tune", path);
    match why {
        Refusal::NotWisdom => format!("name another, or delete it, and {tune} makes it anew"),
        Refusal::Later(_) => format!(
            "use the later Ciphertune that made it, or {} and {tune} make it anew",
            command("wisdom forget", path)
        ),
        Refusal::Hidden => {
            "unset that, or let CIPHERTUNE_WISDOM name another file for `ciphertune tune` to make".to_owned()
        }
        _ => format!("{tune} makes it anew"),
    }
}

/// What to do where the system said no. Programs tell of it that have no command's options.
fn elsewhere(why: &io::Error, path: &Path) -> String {
    let room = match why.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => "free some space, or ",
        _ => "",
    };
    let other = match Wisdom::default_path() {
        Ok(default) if default == path => "have CIPHERTUNE_WISDOM name another place",
        _ => "name another place",
    };
    format!("{room}{other}")
}

pub(super) fn describe(processor: &Processor) -> String {
    let microcode = processor.microcode.as_deref().unwrap_or("unknown");
    let hypervisor = processor
        .hypervisor
        .as_deref()
        .map_or(String::new(), |name| format!(" under {name}"));
    format!(
        "{} ({}, microcode {microcode}{hypervisor})",
        processor.signature, processor.brand
    )
}

pub(super) fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> WisdomError {
    move |source| WisdomError::Io {
        doing,
        path: path.to_owned(),
        source,
    }
}
