//! `ciphertune provider`
mod files;
mod mark;
mod module;

use std::{
    fs,
    path::{self, Path, PathBuf},
    process::ExitCode,
};

use crate::{
    Result,
    args::{Provider, ProviderAction},
    openssl::{self, BEGIN, Folders, configuration, followed, keep_settings, settings},
    stdout,
};
use files::{Before, Staged, failed, remove, write};
use mark::{Since, copied, is_copied, is_ours, marked, says_copied};
pub use module::{BUILT, MODULE};

/// The file of the configuration beside the system's.
const CONFIGURATION: &str = "ciphertune.cnf";
/// What the system's own configuration is called while ours stands in its place.
const KEPT: &str = "openssl.cnf.before-ciphertune";

pub fn run(args: &Provider) -> Result<ExitCode> {
    let places = Places::find(args)?;
    match &args.action {
        ProviderAction::Install { module, system } => places.install(module.as_deref(), *system)?,
        ProviderAction::Uninstall => places.uninstall()?,
        ProviderAction::Status => return places.status(),
        ProviderAction::Config => {
            let text = configuration(places.base(), &places.module)?;
            stdout::print(|out| out.write_all(text.as_bytes()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

struct Places {
    module: PathBuf,
    configuration: PathBuf,
    system: PathBuf,
    kept: PathBuf,
}

impl Places {
    fn find(args: &Provider) -> Result<Self> {
        let (system, modules) = match (&args.openssl_cnf, &args.modules) {
            (Some(system), Some(modules)) => (system.clone(), modules.clone()),
            (system, modules) => {
                let found = Folders::find()?;
                (
                    system.clone().unwrap_or(found.configuration),
                    modules.clone().unwrap_or(found.modules),
                )
            }
        };
        if system.is_dir() {
            return Err(format!(
                "{} is a folder; name the configuration in it, as with --openssl-cnf {}",
                system.display(),
                system.join("openssl.cnf").display()
            )
            .into());
        }
        // Who reads what is written is elsewhere; and it is a file that is replaced, no link to it.
        let modules = path::absolute(modules)?;
        let system = followed(&system)?;
        Ok(Self {
            module: modules.join(MODULE),
            configuration: system.with_file_name(CONFIGURATION),
            kept: system.with_file_name(KEPT),
            system,
        })
    }

    /// The system's own configuration, wherever it is now.
    fn base(&self) -> &Path {
        if self.system.exists() && !is_ours(&self.system) {
            &self.system
        } else {
            &self.kept
        }
    }

    fn install(&self, module: Option<&Path>, system: bool) -> Result<()> {
        let is_there = is_ours(&self.system);
        // Before anything is written.
        if system && !is_there && self.system.exists() && self.kept.exists() && !self.is_kept_as_it_is() {
            return Err(format!(
                "{} is from an earlier install, and {} was replaced since: remove the former if you want nothing of it",
                self.kept.display(),
                self.system.display()
            )
            .into());
        }
        if self.configuration.exists() && !is_ours(&self.configuration) {
            return Err(format!(
                "{} was there before, and `ciphertune provider` has not written it, so it stays: give it another name first",
                self.configuration.display()
            )
            .into());
        }
        // What somebody set in it counts, and would be lost.
        let takes_place = system && (!is_there || since(&self.system)? == Since::AsWritten);
        let before = fs::read_to_string(&self.configuration).unwrap_or_default();
        let (module, copied) = self.module(module, &before)?;
        let text = configuration(self.base(), &self.module)? + &copied;
        // What somebody set is nothing that was written here, so that the mark tells of it.
        let text = keep_settings(&marked(text), &before);
        let files = Before::of([&self.module, &self.configuration])?;
        let put = self.put(module.as_deref(), &text);
        let put = put.and_then(|()| {
            if takes_place {
                self.take_place(&before)
            } else {
                Ok(())
            }
        });
        if put.is_err() {
            files.restore();
        }
        put?;
        self.tell_installed()
    }

    /// What is to be copied to the module's place, if something is, and the line of the configuration that says that it was
    /// copied by us. What somebody else put there stays.
    fn module(&self, named: Option<&Path>, before: &str) -> Result<(Option<Vec<u8>>, String)> {
        let there = files::read(&self.module)?;
        let is_copy = there.as_ref().is_some_and(|there| is_copied(before, there));
        let source = module::source(named, &self.module, !is_copy)?;
        let bytes = files::read_regular(&source)?;
        match there {
            Some(there) if there == bytes => Ok((None, if is_copy { copied(&bytes) } else { String::new() })),
            Some(_) if !is_copy => Err(format!(
                "{0} was there before, and `ciphertune provider` has not put it there, so it stays: take it as it is with \
                 --module {0}, or remove it first, or the package that brought it",
                self.module.display()
            )
            .into()),
            _ => {
                let copied = copied(&bytes);
                Ok((Some(bytes), copied))
            }
        }
    }

    /// Puts the configuration beside the system's, and the module there, if it is to be copied. Both are written before one
    /// takes its place, so that a full disk changes nothing; the configuration comes first, since it says whose the module
    /// is, should this be cut short.
    fn put(&self, module: Option<&[u8]>, text: &str) -> Result<()> {
        let module = module.map(|bytes| Staged::new(&self.module, bytes)).transpose()?;
        let configuration = Staged::new(&self.configuration, text.as_bytes())?;
        configuration.take_place()?;
        module.map_or(Ok(()), Staged::take_place)?;
        match refusal(&self.configuration) {
            None => Ok(()),
            Some(why) => Err(format!(
                "OpenSSL does not take the provider, so nothing was installed: {why}; name another with --module"
            )
            .into()),
        }
    }

    fn tell_installed(&self) -> Result<()> {
        stdout::print(|out| {
            writeln!(out, "provider       {}", self.module.display())?;
            writeln!(out, "configuration  {}", self.configuration.display())?;
            if is_ours(&self.system) {
                let undone = match self.kept.exists() {
                    true => format!(
                        "What was there is kept as {}; `ciphertune provider uninstall` puts it back.",
                        self.kept.display()
                    ),
                    false => "There was none; `ciphertune provider uninstall` removes it.".to_owned(),
                };
                writeln!(
                    out,
                    "\nAll programs that read {} use it from their next start on.\n{undone}",
                    self.system.display()
                )
            } else {
                writeln!(
                    out,
                    "\nA program uses it if it starts with\n\n  OPENSSL_CONF={}\n\nand a service of systemd with \
                     Environment= and the same.",
                    self.configuration.display()
                )
            }
        })?;
        Ok(())
    }

    /// Puts a configuration in the place of the system's, which is kept, with what somebody set for the provider in the one
    /// beside it. At no moment is there none.
    fn take_place(&self, beside: &str) -> Result<()> {
        // It is there after an install that was cut short.
        let keeps = self.system.exists() && !is_ours(&self.system) && !self.kept.exists();
        if keeps {
            fs::hard_link(&self.system, &self.kept).map_err(|why| failed("keep", &self.system, &why))?;
        }
        let text = configuration(&self.kept, &self.module);
        let written =
            text.and_then(|text| write(&self.system, marked(keep_settings(&text, beside)).as_bytes()));
        if written.is_err() && keeps {
            // The first error is the one to tell.
            let _ = fs::remove_file(&self.kept);
        }
        written
    }

    /// Undoes that.
    fn put_back(&self) -> Result<()> {
        let (is_there, is_kept) = (self.system.exists(), self.kept.exists());
        if is_there && !is_ours(&self.system) {
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
        let set = if is_there { self.set()? } else { Vec::new() };
        match is_kept {
            // There was none before.
            false => remove(&self.system)?,
            true => {
                fs::rename(&self.kept, &self.system).map_err(|why| failed("put back", &self.system, &why))?;
                say(&format!("put back  {}", self.system.display()))?;
            }
        }
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
            Since::Set => Ok(settings(&fs::read_to_string(&self.system)?)),
            Since::Changed => Err(self.was_changed(self.kept.exists()).into()),
        }
    }

    fn is_kept_as_it_is(&self) -> bool {
        let bytes = |path| fs::read(path).ok();
        bytes(&self.kept) == bytes(&self.system)
    }

    fn uninstall(&self) -> Result<()> {
        self.put_back()?;
        if !is_ours(&self.configuration) {
            return say(&format!(
                "There is no {} of Ciphertune's to remove.",
                self.configuration.display()
            ));
        }
        let text = fs::read_to_string(&self.configuration)?;
        // While the configuration is there, it is known whose the module is.
        self.remove_copy(&text)?;
        match Since::of(&text) {
            Since::AsWritten => remove(&self.configuration),
            _ => say(&format!(
                "kept      {}: something was set in it; `install` goes on with it, or remove it yourself",
                self.configuration.display()
            )),
        }
    }

    /// Removes the module if it was copied by us and nothing has replaced it since.
    fn remove_copy(&self, configuration: &str) -> Result<()> {
        match files::read(&self.module)? {
            Some(module) if is_copied(configuration, &module) => remove(&self.module),
            Some(_) if says_copied(configuration) => say(&format!(
                "kept      {}: it is another than was copied there; remove it yourself if it should go",
                self.module.display()
            )),
            _ => Ok(()),
        }
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

    fn status(&self) -> Result<ExitCode> {
        let yes = |there: bool| if there { "" } else { "  (not there)" };
        let used =
            |path: &Path| openssl::is_active(path) && openssl::prefers_ours(&openssl::read(path), BEGIN);
        let uses = |path: &Path, is_used: bool| match (is_used, refusal(path)) {
            (true, _) => "openssl uses the provider with it".to_owned(),
            (false, None) => "openssl does not use the provider with it".to_owned(),
            (false, Some(why)) => format!("openssl does not use the provider with it: {why}"),
        };
        let (beside, system) = (used(&self.configuration), used(&self.system));
        stdout::print(|out| {
            writeln!(
                out,
                "provider       {}{}",
                self.module.display(),
                yes(self.module.exists())
            )?;
            let there = self.configuration.exists();
            writeln!(
                out,
                "configuration  {}{}",
                self.configuration.display(),
                yes(there)
            )?;
            if there {
                writeln!(out, "               {}", uses(&self.configuration, beside))?;
            }
            writeln!(
                out,
                "system         {}{}",
                self.system.display(),
                yes(self.system.exists())
            )?;
            writeln!(out, "               {}", uses(&self.system, system))?;
            for why in [&self.configuration, &self.system].map(|path| openssl::meaningless(path)) {
                why.map_or(Ok(()), |why| writeln!(out, "\n{why}"))?;
            }
            Ok(())
        })?;
        Ok(if beside || system {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}

/// Why OpenSSL does not take the provider with this configuration; nothing where it does, or where nobody can be asked.
fn refusal(configuration: &Path) -> Option<String> {
    match openssl::is_active(configuration) {
        true => None,
        false => openssl::refusal(configuration),
    }
}

/// What has become of a configuration of ours.
fn since(path: &Path) -> Result<Since> {
    let text = fs::read_to_string(path).map_err(|why| failed("read", path, &why))?;
    Ok(Since::of(&text))
}

fn say(line: &str) -> Result<()> {
    stdout::print(|out| writeln!(out, "{line}"))?;
    Ok(())
}
