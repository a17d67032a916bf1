//! By what a configuration that was written here is known again, by any later version, and seen to be changed.
use std::path::Path;

use sha2::{Digest, Sha256};

use super::files::{failed, read, whole};
use crate::{
    Result,
    openssl::{HEADER, TAKEN_IN, without_settings},
};

/// How the last line of a configuration begins.
const MARK: &str = "# SHA-256 of what `ciphertune provider` wrote above: ";
/// And the line before it: settings are for people to change.
const MARK_OF_REST: &str = "# SHA-256 of that without the provider's section: ";
/// A line of the configuration if the module was copied by us and is not a package's.
const COPIED: &str =
    "# `ciphertune provider uninstall` removes the module too, which was copied there: SHA-256 ";

/// The lines at the end of a configuration by which it is known to be unchanged. They go by its bytes: what is taken into one
/// may be in any encoding.
pub fn marks(text: &[u8]) -> String {
    let of_rest = mark_of_rest(text);
    let of_all = mark(&[text, of_rest.as_bytes()].concat());
    of_rest + &of_all
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
    pub fn of(text: &[u8]) -> Self {
        let from = |text: &[u8], mark: &str| {
            let mut places = text.windows(mark.len());
            places.rposition(|it| it == mark.as_bytes()).unwrap_or(text.len())
        };
        let (above, last) = text.split_at(from(text, MARK));
        if last == mark(above).as_bytes() {
            return Self::AsWritten;
        }
        let (rest, line) = above.split_at(from(above, MARK_OF_REST));
        let is_line = last.split_inclusive(|byte| *byte == b'\n').count() == 1;
        match is_line && line == mark_of_rest(rest).as_bytes() {
            true => Self::Set,
            false => Self::Changed,
        }
    }
}

/// What has become of a configuration of ours in this file.
pub fn since(path: &Path) -> Result<Since> {
    Ok(Since::of(&bytes(path)?))
}

fn mark(text: &[u8]) -> String {
    format!("{MARK}{}\n", sum(text))
}

fn mark_of_rest(text: &[u8]) -> String {
    format!("{MARK_OF_REST}{}\n", sum(&without_settings(text)))
}

/// Whether a file is there that `ciphertune provider` has written. An error where nobody knows, since it cannot be read.
pub fn is_ours(path: &Path) -> Result<bool> {
    Ok(read(path)?.is_some_and(|text| text.starts_with(HEADER.as_bytes())))
}

/// Whether it is more than what `config` prints, which has no marks and takes nothing in: `install` has written it, though
/// somebody may have changed it since.
pub fn is_installed(path: &Path) -> bool {
    let is_installs = |line: &str| line == TAKEN_IN || line.starts_with(MARK);
    text(path).is_ok_and(|text| text.starts_with(HEADER) && text.lines().any(is_installs))
}

/// What a configuration says. People write comments in whatever encoding they have.
pub fn text(path: &Path) -> Result<String> {
    Ok(String::from_utf8_lossy(&bytes(path)?).into_owned())
}

fn bytes(path: &Path) -> Result<Vec<u8>> {
    Ok(whole(path).map_err(|why| failed("read", path, &why))?)
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
