//! What is installed, and what openssl makes of it.
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use super::{Places, files::read, mark::text, module};
use crate::{
    Result,
    openssl::{self, BEGIN, PREFERENCE, Use},
    stdout,
};

impl Places {
    pub(super) fn status(&self) -> Result<ExitCode> {
        let uses = |used: &Use, path: &Path| match used {
            Use::Used(None) => "openssl uses the provider with it".to_owned(),
            Use::Used(Some(basis)) => format!("openssl uses the provider with it, {basis}"),
            Use::Passed => format!("openssl does not use the provider with it: it has no {PREFERENCE}"),
            Use::Refused(None) => {
                // That it is not there is said beside its name.
                let why = openssl::unreadable(path).filter(|_| path.exists());
                let why = why.map_or_else(String::new, |why| format!(": it {why}"));
                format!("openssl does not use the provider with it{why}")
            }
            Use::Refused(Some(why)) => format!("openssl does not use the provider with it: {why}"),
            Use::Untold(why) | Use::Unanswered(why) => {
                format!("whether openssl uses the provider with it is not known: {why}")
            }
        };
        let [beside, system] = [&self.configuration, &self.system].map(|path| openssl::used(path, BEGIN));
        let (lost, other) = (self.lost(), self.other_build());
        stdout::print(|out| {
            place(out, "provider", &self.module)?;
            if let Some(other) = &other {
                writeln!(
                    out,
                    "               another build than {}: `ciphertune provider install{}` renews it",
                    other.display(),
                    self.options
                )?;
            }
            place(out, "configuration", &self.configuration)?;
            if self.configuration.exists() {
                writeln!(out, "               {}", uses(&beside, &self.configuration))?;
            }
            place(out, "system", &self.system)?;
            writeln!(out, "               {}", uses(&system, &self.system))?;
            if let Some(why) = &lost {
                writeln!(out, "               {why}")?;
            }
            let meaningless = [&self.configuration, &self.system].map(|path| openssl::meaningless(path));
            let mut notes = meaningless
                .into_iter()
                .chain([openssl::named_in_vain()])
                .flatten();
            notes.try_for_each(|why| writeln!(out, "\n{why}"))
        })?;
        let [beside, system] = [beside, system].map(|used| matches!(used, Use::Used(_)));
        // Where ours stands in the system's place it is what programs read, whatever is beside it.
        let works = match self.is_in_place() {
            true => system && lost.is_none(),
            false => beside || system,
        };
        Ok(if works {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }

    /// What `install` would copy now, where our copy is of something else, as after this program's update.
    fn other_build(&self) -> Option<PathBuf> {
        let copy = read(&self.module).ok()??;
        let source = module::source(None, &self.module, false).ok()?;
        let is_other = self.is_copy(&text(&self.configuration).ok()?, &copy) && read(&source).ok()?? != copy;
        is_other.then_some(source)
    }
}

/// Where something is to be, and whether it is.
fn place(out: &mut dyn Write, what: &str, path: &Path) -> io::Result<()> {
    let there = if path.exists() { "" } else { "  (not there)" };
    writeln!(out, "{what:<13}  {}{there}", path.display())
}
