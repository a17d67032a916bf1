//! By what a configuration that was written here is known again, by any later version, and seen to be changed.
use std::{fs, path::Path};

use sha2::{Digest, Sha256};

use super::files::failed;
use crate::{
    Result,
    openssl::{HEADER, without_settings},
};

/// How the last line of a configuration begins.
const MARK: &str = "# SHA-256 of what `ciphertune provider` wrote above: ";
/// And the line before it: settings are for people to change.
const MARK_OF_REST: &str = "# SHA-256 of that without the provider's section: ";
/// A line of the configuration if the module was copied by us and is not a package's.
const COPIED: &str =
    "# `ciphertune provider uninstall` removes the module too, which was copied there: SHA-256 ";

/// A configuration, and by what it is known to be unchanged.
pub fn marked(mut text: String) -> String {
    text += &mark_of_rest(&text);
    text += &mark(&text);
    text
}

/// What has become of a configuration since it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// Nothing.
    AsWritten,
    /// Something was set for the provider, or set otherwise.
    Set,
    /// Something else was changed.
    Changed,
}

impl Since {
    pub fn of(text: &str) -> Self {
        let from = |text: &str, mark: &str| text.rfind(mark).unwrap_or(text.len());
        let (above, last) = text.split_at(from(text, MARK));
        if last == mark(above) {
            return Self::AsWritten;
        }
        let (rest, line) = above.split_at(from(above, MARK_OF_REST));
        match last.lines().count() == 1 && line == mark_of_rest(rest) {
            true => Self::Set,
            false => Self::Changed,
        }
    }
}

/// What has become of a configuration of ours in this file.
pub fn since(path: &Path) -> Result<Since> {
    Ok(Since::of(&text(path)?))
}

fn mark(text: &str) -> String {
    format!("{MARK}{}\n", sum(text.as_bytes()))
}

fn mark_of_rest(text: &str) -> String {
    format!("{MARK_OF_REST}{}\n", sum(without_settings(text).as_bytes()))
}

pub fn is_ours(path: &Path) -> bool {
    text(path).is_ok_and(|text| text.starts_with(HEADER))
}

/// What a configuration says. People write comments in whatever encoding they have.
pub fn text(path: &Path) -> Result<String> {
    let bytes = fs::read(path).map_err(|why| failed("read", path, &why))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The line that says of a module that it was copied by us.
pub fn copied(module: &[u8]) -> String {
    format!("{COPIED}{}\n", sum(module))
}

/// Whether a configuration says that a module was copied by us.
pub fn says_copied(configuration: &str) -> bool {
    configuration.lines().any(|line| line.starts_with(COPIED))
}

/// Whether it says so of this one, and not of what something has replaced since.
pub fn is_copied(configuration: &str, module: &[u8]) -> bool {
    configuration.contains(&copied(module))
}

fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
