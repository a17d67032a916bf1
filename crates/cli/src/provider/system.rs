//! The system's own configuration, and ours in its place.
use std::{fs, path::Path};

use ciphertune_results::sync_folder;

use super::{
    Places,
    check::Untold,
    files::{Before, Staged, failed, read, remove, whole},
    mark::{Since, is_installed, marks, since, text},
    say,
};
use crate::{
    Result,
    openssl::{configuration, has_another, keep_settings, settings, with_taken_in},
};

impl Places {
    /// Whether ours stands in the place of the system's own configuration.
    pub(super) fn is_in_place(&self) -> bool {
        self.system != self.configuration && is_installed(&self.system)
    }

    /// The system's own configuration, wherever it is now.
    pub(super) fn base(&self) -> Result<&Path> {
        if self.system.exists() && !self.is_in_place() {
            return Ok(&self.system);
        }
        self.lost().map_or(Ok(&self.kept), |why| Err(why.into()))
    }

    /// That it is nowhere, though ours was put in its place: it can neither be put back nor included.
    pub(super) fn lost(&self) -> Option<String> {
        let is_lost = self.is_in_place()
            && !self.kept.exists()
            && text(&self.system).is_ok_and(|text| has_another(&text));
        is_lost.then(|| {
            format!(
                "{} is gone, the system's own configuration, which `ciphertune provider install` has kept there: bring it \
                 back there or as {}",
                self.kept.display(),
                self.system.display()
            )
        })
    }

    /// Puts a configuration in the place of the system's, which is kept, with what somebody set for the provider in the one
    /// beside it. At no moment is there none.
    pub(super) fn take_place(&self, beside: &str) -> Result<Untold> {
        let before = Before::of([&self.system])?;
        // It is there after an install that was cut short.
        let keeps = self.system.exists() && !self.is_in_place() && !self.kept.exists();
        if keeps {
            fs::hard_link(&self.system, &self.kept).map_err(|why| failed("keep", &self.system, &why))?;
        }
        let taken = self.replace(beside);
        if taken.is_err() {
            // Ours may be there already, and only the folder's sync have failed. The first error is the one to tell.
            match (keeps, self.is_in_place()) {
                (true, true) => drop(fs::rename(&self.kept, &self.system)),
                (true, false) => drop(fs::remove_file(&self.kept)),
                (false, true) => before.restore(),
                (false, false) => (),
            }
        }
        taken
    }

    /// Does that once what is kept is there.
    fn replace(&self, beside: &str) -> Result<Untold> {
        let text = configuration(&self.kept, &self.module)?;
        let text = keep_settings(&text, beside);
        let base = read(&self.kept)?;
        let mut text = with_taken_in(&text, base.as_deref().unwrap_or_default());
        text.extend(marks(&text).into_bytes());
        let staged = match base {
            // What it says may not be for everybody.
            Some(_) => Staged::like(&self.kept, &self.system, &text),
            None => Staged::new(&self.system, &text),
        }?;
        // No program is to find one that does not work.
        let untold = self.check(staged.now(), &self.system)?;
        staged.take_place()?;
        Ok(untold)
    }

    /// Undoes that.
    pub(super) fn put_back(&self) -> Result<()> {
        let (is_there, is_kept) = (self.system.exists(), self.kept.exists());
        if is_there && !self.is_in_place() {
            return match is_kept {
                true if self.is_kept_as_it_is() => remove(&self.kept),
                true => say(&format!(
                    "kept      {}: {} was replaced since; remove it yourself",
                    self.kept.display(),
                    self.system.display()
                )),
                false => Ok(()),
            };
        }
        if let Some(why) = self.lost() {
            return Err(why.into());
        }
        let set = if is_there { self.set()? } else { Vec::new() };
        match is_kept {
            // There was none before.
            false => remove(&self.system)?,
            true => {
                fs::rename(&self.kept, &self.system).map_err(|why| failed("put back", &self.system, &why))?;
                say(&format!("put back  {}", self.system.display()))?;
            }
        }
        // Or else a machine that stops might have ours again, and no more the module that it names.
        sync_folder(&self.system).map_err(|why| {
            failed("sync the folder of", &self.system, &why) + "; `uninstall` once more does the rest"
        })?;
        match set.is_empty() {
            true => Ok(()),
            false => say(&format!(
                "          with it went what was set for the provider: {}",
                set.join(", ")
            )),
        }
    }

    /// What somebody set for the provider in the system's configuration since it was written, and nothing else there.
    fn set(&self) -> Result<Vec<String>> {
        match since(&self.system)? {
            Since::AsWritten => Ok(Vec::new()),
            Since::Set => Ok(settings(&text(&self.system)?)),
            Since::Changed => Err(self.was_changed(self.kept.exists()).into()),
        }
    }

    pub(super) fn is_kept_as_it_is(&self) -> bool {
        let bytes = |path| whole(path).ok();
        bytes(&self.kept) == bytes(&self.system)
    }

    /// Why the system's configuration stays, and what to do.
    fn was_changed(&self, is_kept: bool) -> String {
        let (system, kept) = (self.system.display(), self.kept.display());
        let remedy = match is_kept {
            true => format!("bring what you want to keep into {kept} and rename that to {system} yourself"),
            false => "there was none before: remove it yourself".to_owned(),
        };
        format!(
            "{system} was changed after `ciphertune provider install` wrote it, and not in the provider's section alone; \
             {remedy}"
        )
    }
}
