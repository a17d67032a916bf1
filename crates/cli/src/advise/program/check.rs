//! Whether the program itself accepts a snippet.
use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use crate::{Result, child, doctor};

/// By whom a snippet is checked.
pub struct Check {
    /// The command.
    pub name: &'static str,
    /// What it is asked: the snippet is the file of that name in the folder, and its last line is the setting.
    pub ask: fn(&mut Command, folder: &Path, setting: &str) -> io::Result<()>,
    /// Whether what it said holds the setting, where it says so at all.
    pub accepts: fn(said: &str, setting: &str) -> bool,
}

impl Check {
    /// Whether the program is here; if so it has accepted the snippet, or it is an error.
    pub fn run(&self, snippet: &str) -> Result<bool> {
        let Some(program) = doctor::find(&PathBuf::from(self.name)) else {
            return Ok(false);
        };
        let setting = snippet
            .lines()
            .rfind(|line| !line.starts_with('#'))
            .unwrap_or_default();
        let mut command = Command::new(&program);
        let _folder = self
            .prepare(&mut command, snippet, setting)
            .map_err(|error| format!("cannot check the snippet: {error}"))?;
        let output = child::output(&mut command).map_err(|error| {
            format!(
                "cannot have {} check the snippet: {error}; nothing is advised",
                program.display()
            )
        })?;
        let said = String::from_utf8_lossy(&output.stdout);
        if output.status.success() && (self.accepts)(&said, setting) {
            return Ok(true);
        }
        let errors = String::from_utf8_lossy(&output.stderr);
        let words = last_words(&errors)
            .or(last_words(&said))
            .unwrap_or("it knows not all of it");
        Err(format!(
            "{} does not accept '{setting}': {words}; nothing is advised",
            program.display()
        )
        .into())
    }

    /// The folder that the snippet is in, for as long as the command needs it.
    fn prepare(&self, command: &mut Command, snippet: &str, setting: &str) -> io::Result<TempDir> {
        let folder = tempfile::tempdir()?;
        fs::write(folder.path().join("snippet"), snippet)?;
        (self.ask)(command, folder.path(), setting)?;
        Ok(folder)
    }
}

/// The last line, but for one that points elsewhere.
fn last_words(said: &str) -> Option<&str> {
    { said.lines().map(str::trim) }.rfind(|line| !line.is_empty() && !line.starts_with("Use --help"))
}
