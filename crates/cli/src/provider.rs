//! `ciphertune provider`
use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use tempfile::NamedTempFile;

use crate::{
    Result,
    args::{Provider, ProviderAction},
    openssl::{Folders, HEADER, configuration},
    stdout,
};

/// The provider's file, and that of the configuration beside the system's.
const MODULE: &str = "ciphertune.so";
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
        Ok(Self {
            module: modules.join(MODULE),
            configuration: system.with_file_name(CONFIGURATION),
            kept: system.with_file_name(KEPT),
            system,
        })
    }

    /// The system's own configuration, wherever it is now.
    fn base(&self) -> &Path {
        if self.kept.exists() {
            &self.kept
        } else {
            &self.system
        }
    }

    fn install(&self, module: Option<&Path>, system: bool) -> Result<()> {
        let module = match module {
            Some(module) => module.to_owned(),
            None => built()?,
        };
        // Before anything is written.
        let text = configuration(self.base(), &self.module)?;
        let bytes = fs::read(&module).map_err(|why| format!("cannot read {}: {why}", module.display()))?;
        write(&self.module, &bytes)?;
        write(&self.configuration, text.as_bytes())?;
        if system && !self.kept.exists() {
            if self.system.exists() {
                fs::rename(&self.system, &self.kept)
                    .map_err(|why| format!("cannot rename {}: {why}", self.system.display()))?;
            }
            let undone = |why| {
                // The first error is the one to tell.
                let _ = fs::rename(&self.kept, &self.system);
                why
            };
            let text = configuration(&self.kept, &self.module).map_err(undone)?;
            write(&self.system, text.as_bytes()).map_err(undone)?;
        }
        stdout::print(|out| {
            writeln!(out, "provider       {}", self.module.display())?;
            writeln!(out, "configuration  {}", self.configuration.display())?;
            if self.kept.exists() {
                writeln!(
                    out,
                    "\nAll programs that read {} use it from their next start on.\nWhat was there is kept as {}; \
                     `ciphertune provider uninstall` puts it back.",
                    self.system.display(),
                    self.kept.display()
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

    fn uninstall(&self) -> Result<()> {
        if self.kept.exists() {
            let now = fs::read_to_string(&self.system).unwrap_or_default();
            let ours = configuration(&self.kept, &self.module)?;
            if now != ours {
                return Err(format!(
                    "{} was changed after `ciphertune provider install` wrote it; bring what you want to keep into {} \
                     and rename that to {} yourself",
                    self.system.display(),
                    self.kept.display(),
                    self.system.display()
                )
                .into());
            }
            fs::rename(&self.kept, &self.system)
                .map_err(|why| format!("cannot put {} back: {why}", self.system.display()))?;
        } else if is_ours(&self.system) {
            // There was none before.
            remove(&self.system)?;
        }
        if is_ours(&self.configuration) {
            remove(&self.configuration)?;
        }
        remove(&self.module)
    }

    fn status(&self) -> Result<ExitCode> {
        let yes = |there: bool| if there { "" } else { "  (not there)" };
        let active = |configuration: &Path| {
            let output = Command::new("openssl")
                .args(["list", "-providers"])
                .env("OPENSSL_CONF", configuration)
                .output();
            output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("\n  ciphertune\n"))
        };
        let (beside, system) = (active(&self.configuration), active(&self.system));
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
                writeln!(
                    out,
                    "               openssl {} it",
                    if beside {
                        "uses the provider with"
                    } else {
                        "does not use the provider with"
                    }
                )?;
            }
            writeln!(out, "system         {}", self.system.display())?;
            writeln!(
                out,
                "               openssl {} it",
                if system {
                    "uses the provider with"
                } else {
                    "does not use the provider with"
                }
            )
        })?;
        Ok(if beside || system {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}

/// The provider that was built or packaged with this program.
fn built() -> Result<PathBuf> {
    let program = env::current_exe()?;
    let folder = program.parent().unwrap_or(Path::new("/"));
    ["libciphertune_provider.so", "../lib/ciphertune/ciphertune.so"]
        .iter()
        .map(|name| folder.join(name))
        .find(|path| path.exists())
        .ok_or_else(|| {
            "there is no provider beside this program; name the file with --module \
             (cargo build --release -p ciphertune-provider makes libciphertune_provider.so)"
                .into()
        })
}

/// Writes a file that everybody may read, whole or not at all.
fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let written = NamedTempFile::new_in(folder).and_then(|mut file| {
        file.write_all(bytes)?;
        let mut rights = file.as_file().metadata()?.permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut rights, 0o644);
        file.as_file().set_permissions(rights)?;
        file.persist(path).map_err(|why| why.error)
    });
    match written {
        Ok(_) => Ok(()),
        Err(why) => Err(format!("cannot write {}: {why}", path.display()).into()),
    }
}

fn is_ours(path: &Path) -> bool {
    fs::read_to_string(path).is_ok_and(|text| text.starts_with(HEADER))
}

/// Removes a file, if it is there.
fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(why) if why.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("cannot remove {}: {why}", path.display()).into())
        }
        _ => Ok(()),
    }
}
