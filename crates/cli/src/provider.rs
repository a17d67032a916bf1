//! `ciphertune provider`
use std::{
    env, fs,
    io::{ErrorKind, Write},
    path::{self, Path, PathBuf},
    process::ExitCode,
};

use ciphertune_results::said;
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::{
    Result,
    args::{Provider, ProviderAction},
    openssl::{self, BEGIN, Folders, HEADER, configuration, followed, keep_settings},
    stdout,
};

/// The provider's file, and that of the configuration beside the system's.
const MODULE: &str = "ciphertune.so";
/// What cargo calls it.
const BUILT: &str = "libciphertune_provider.so";
const CONFIGURATION: &str = "ciphertune.cnf";
/// A line of that file if the module was copied by us and is not a package's.
const COPIED: &str = "# `ciphertune provider uninstall` removes the module too: it was copied there.\n";
/// How the last line of a configuration begins, by which any later version sees whether somebody changed it.
const MARK: &str = "# SHA-256 of what `ciphertune provider` wrote above: ";
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
        let takes_place = system && !is_ours(&self.system);
        // Before anything is written.
        if takes_place && self.system.exists() && self.kept.exists() && !self.is_kept_as_it_is() {
            return Err(format!(
                "{} is from an earlier install, and {} was replaced since: remove the former if you want nothing of it",
                self.kept.display(),
                self.system.display()
            )
            .into());
        }
        let before = fs::read_to_string(&self.configuration).unwrap_or_default();
        let there = [&self.module, &self.configuration].map(|path| (path, fs::read(path).ok()));
        let mut text = configuration(self.base(), &self.module)?;
        if let Some(module) = self.to_be_copied(module)? {
            let bytes =
                fs::read(&module).map_err(|why| format!("cannot read {}: {why}", module.display()))?;
            write(&self.module, &bytes)?;
            text += COPIED;
        }
        // What somebody set is nothing that was written here, so that the mark tells of it.
        let text = keep_settings(&marked(text), &before);
        write(&self.configuration, text.as_bytes())?;
        if let Some(why) = refusal(&self.configuration) {
            for (path, there) in there {
                match there {
                    Some(bytes) if fs::read(path)? == bytes => {}
                    Some(bytes) => write(path, &bytes)?,
                    None => fs::remove_file(path)?,
                }
            }
            return Err(format!(
                "OpenSSL does not take the provider, so nothing was installed: {why}; name another with --module"
            )
            .into());
        }
        if takes_place {
            self.take_place()?;
        }
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

    /// Puts a configuration in the place of the system's, which is kept. At no moment is there none.
    fn take_place(&self) -> Result<()> {
        // It is there after an install that was cut short.
        if self.system.exists() && !self.kept.exists() {
            fs::hard_link(&self.system, &self.kept)
                .map_err(|why| format!("cannot keep {}: {why}", self.system.display()))?;
        }
        let text = configuration(&self.kept, &self.module)?;
        write(&self.system, marked(text).as_bytes())
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
        if is_there && !is_as_written(&fs::read_to_string(&self.system)?) {
            return Err(self.was_changed(is_kept).into());
        }
        if !is_kept {
            // There was none before.
            return remove(&self.system);
        }
        fs::rename(&self.kept, &self.system)
            .map_err(|why| format!("cannot put {} back: {why}", self.system.display()))?;
        say(&format!("put back  {}", self.system.display()))
    }

    fn is_kept_as_it_is(&self) -> bool {
        let bytes = |path| fs::read(path).ok();
        bytes(&self.kept) == bytes(&self.system)
    }

    /// The file that is named, or the one that was built with this program; none if a package has put it there.
    fn to_be_copied(&self, named: Option<&Path>) -> Result<Option<PathBuf>> {
        if let Some(module) = named {
            return Ok(Some(module.to_owned()));
        }
        let built = env::current_exe()?.with_file_name(BUILT);
        if built.exists() {
            return Ok(Some(built));
        }
        let is_copy = fs::read_to_string(&self.configuration).is_ok_and(|text| text.contains(COPIED));
        if self.module.exists() && !is_copy {
            return Ok(None);
        }
        Err(format!(
            "there is no provider: neither {}, which Debian's package openssl-provider-ciphertune brings, nor \
             {BUILT} beside this program (cargo build --release -p ciphertune-provider makes it); \
             name another file with --module",
            self.module.display()
        )
        .into())
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
        if is_as_written(&text) {
            remove(&self.configuration)?;
        } else {
            say(&format!(
                "kept      {}: something was set in it; `install` goes on with it, or remove it yourself",
                self.configuration.display()
            ))?;
        }
        if text.contains(COPIED) {
            remove(&self.module)
        } else {
            Ok(())
        }
    }

    /// Why the system's configuration stays, and what to do.
    fn was_changed(&self, is_kept: bool) -> String {
        let (system, kept) = (self.system.display(), self.kept.display());
        let remedy = match is_kept {
            true => format!("bring what you want to keep into {kept} and rename that to {system} yourself"),
            false => "there was none before: remove it yourself".to_owned(),
        };
        format!("{system} was changed after `ciphertune provider install` wrote it; {remedy}")
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
            writeln!(out, "system         {}", self.system.display())?;
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

/// Writes a file that everybody may read, whole or not at all.
fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(format!("cannot write {}: there is no such folder", path.display()).into());
    }
    let written = NamedTempFile::new_in(folder).and_then(|mut file| {
        file.write_all(bytes)?;
        let mut rights = file.as_file().metadata()?.permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut rights, 0o644);
        file.as_file().set_permissions(rights)?;
        file.persist(path).map_err(|why| why.error)
    });
    match written {
        Ok(_) => Ok(()),
        Err(why) if why.kind() == ErrorKind::PermissionDenied => {
            Err(format!("cannot write {}: root may, as with sudo", path.display()).into())
        }
        Err(why) => Err(format!("cannot write {}: {}", path.display(), said(&why)).into()),
    }
}

/// A configuration, and by what it is known to be unchanged.
fn marked(text: String) -> String {
    let mark = mark(&text);
    text + &mark
}

fn is_as_written(text: &str) -> bool {
    let end = text.rfind(MARK);
    end.is_some_and(|end| text[end..] == mark(&text[..end]))
}

fn mark(text: &str) -> String {
    let sum: String = Sha256::digest(text)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{MARK}{sum}\n")
}

fn is_ours(path: &Path) -> bool {
    fs::read_to_string(path).is_ok_and(|text| text.starts_with(HEADER))
}

/// Removes a file, if it is there, and says so.
fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Ok(()) => say(&format!("removed   {}", path.display())),
        Err(why) if why.kind() == ErrorKind::NotFound => Ok(()),
        Err(why) => Err(format!("cannot remove {}: {why}", path.display()).into()),
    }
}

fn say(line: &str) -> Result<()> {
    stdout::print(|out| writeln!(out, "{line}"))?;
    Ok(())
}
