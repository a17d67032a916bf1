//! `ciphertune provider`
mod check;
mod files;
mod mark;
mod module;
mod status;
mod system;

use std::{
    path::{self, Path, PathBuf},
    process::ExitCode,
};

use crate::{
    Result,
    args::{Provider, ProviderAction},
    openssl::{Folders, configuration, followed, is_stream, keep_settings, settings},
    put_off::PutOff,
    remark, stdout,
};
use check::Untold;
use ciphertune::wisdom::word;
use files::{Before, Staged, remove};
use mark::{Since, copied, is_copied, is_ours, marks, says_copied, since};
pub use module::{BUILT, MODULE};

/// The file of the configuration beside the system's.
const CONFIGURATION: &str = "ciphertune.cnf";
/// What the system's own configuration is called while ours stands in its place.
const KEPT: &str = "openssl.cnf.before-ciphertune";

pub fn run(args: &Provider) -> Result<ExitCode> {
    let places = Places::find(args)?;
    let includes = match args.action {
        // In its place ours may stand where there was none.
        ProviderAction::Install { system, .. } => !system,
        ProviderAction::Config => true,
        ProviderAction::Uninstall | ProviderAction::Status => false,
    };
    if includes && args.openssl_cnf.is_some() {
        places.expect_base()?;
    }
    if !matches!(args.action, ProviderAction::Status) {
        places.expect_other()?;
    }
    match &args.action {
        ProviderAction::Install { module, system } => {
            places.install(module.as_deref(), *system)?;
        }
        ProviderAction::Uninstall => places.uninstall()?,
        ProviderAction::Status => return places.status(),
        ProviderAction::Config => {
            let text = configuration(places.base()?, &places.module)?;
            stdout::print(|out| out.write_all(text.as_bytes()))?;
            if !places.module.exists() {
                remark(&format!(
                    "{}, which it names, is not there",
                    places.module.display()
                ));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

struct Places {
    module: PathBuf,
    configuration: PathBuf,
    system: PathBuf,
    kept: PathBuf,
    /// What leads another command to the same places.
    options: String,
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
        if is_stream(&system) {
            return Err(format!(
                "cannot read {}: it is no regular file; name the system's configuration with --openssl-cnf",
                system.display()
            )
            .into());
        }
        // Who reads what is written is elsewhere; and it is a file that is replaced, no link to it.
        let modules = path::absolute(modules)?;
        let system = followed(&system)?;
        let named = [
            args.openssl_cnf.as_ref().map(|_| ("--openssl-cnf", &system)),
            args.modules.as_ref().map(|_| ("--modules", &modules)),
        ];
        let named = named.into_iter().flatten();
        Ok(Self {
            options: named
                .map(|(option, path)| format!(" {option} {}", word(path)))
                .collect(),
            module: modules.join(MODULE),
            configuration: system.with_file_name(CONFIGURATION),
            kept: system.with_file_name(KEPT),
            system,
        })
    }

    /// Fails where there is nothing to include: a name that is mistyped would cost programs what the system configures.
    fn expect_base(&self) -> Result<()> {
        if self.system.exists() || self.kept.exists() {
            return Ok(());
        }
        Err(format!(
            "{} is not there to be included; name the configuration that is with --openssl-cnf, or make an empty one",
            self.system.display()
        )
        .into())
    }

    /// Fails where both configurations would be one file: what is there, which may be all that somebody has, would be
    /// written over by what includes it.
    fn expect_other(&self) -> Result<()> {
        if self.system != self.configuration {
            return Ok(());
        }
        Err(format!(
            "{} has the name of what `ciphertune provider install` writes beside the system's configuration: name that one \
             with --openssl-cnf",
            self.system.display()
        )
        .into())
    }

    fn install(&self, module: Option<&Path>, system: bool) -> Result<()> {
        let is_there = self.is_in_place();
        // Before anything is written.
        if system && !is_there && self.system.exists() && self.kept.exists() && !self.is_kept_as_it_is() {
            return Err(format!(
                "{} is from an earlier install, and {} was replaced since: remove the former if you want nothing of it",
                self.kept.display(),
                self.system.display()
            )
            .into());
        }
        if self.configuration.exists() && !is_ours(&self.configuration)? {
            return Err(format!(
                "{} was there before, and `ciphertune provider` has not written it, so it stays: give it another name first",
                self.configuration.display()
            )
            .into());
        }
        // What somebody set in it counts, and would be lost.
        let takes_place = system && (!is_there || since(&self.system)? == Since::AsWritten);
        let before = mark::text(&self.configuration).unwrap_or_default();
        // It would be kept as something else, and that would not be told.
        if let Some(line) = settings(&before)
            .into_iter()
            .find(|line| line.contains(char::REPLACEMENT_CHARACTER))
        {
            return Err(format!(
                "{}: '{line}' is no UTF-8, as what is written to a configuration is: take the line out, and set that again \
                 after this",
                self.configuration.display()
            )
            .into());
        }
        let (module, copied) = self.module(module, &before)?;
        let text = configuration(self.base()?, &self.module)? + &copied;
        let marks = marks(text.as_bytes());
        // What somebody set is nothing that was written here, so that the mark tells of it.
        let text = keep_settings(&(text + &marks), &before);
        // Ctrl-C, which else would leave it half done: it has openssl, which takes longest, fail.
        let put_off = PutOff::new()?;
        let files = Before::of([&self.module, &self.configuration])?;
        let put = self.put(module.as_deref(), &text);
        let put = put.and_then(|untold| match (takes_place, is_there) {
            (true, _) => self.take_place(&before),
            (false, true) => self.check(&self.system, &self.system),
            (false, false) => Ok(untold),
        });
        if put.is_err() {
            files.restore();
        }
        drop(put_off);
        let untold = put?;
        if !before.is_empty() && Since::of(before.as_bytes()) == Since::Changed {
            remark(&format!(
                "{} was changed outside of the provider's section, and is written anew",
                self.configuration.display()
            ));
        }
        if let Some(why) = untold {
            remark(&format!("whether openssl uses the provider was not tried: {why}"));
        }
        self.tell_installed()
    }

    /// What is to be copied to the module's place, if something is, and the line of the configuration that says that it was
    /// copied by us. What somebody else put there stays.
    fn module(&self, named: Option<&Path>, before: &str) -> Result<(Option<Vec<u8>>, String)> {
        let there = files::read(&self.module)?;
        let is_copy = there.as_ref().is_some_and(|there| self.is_copy(before, there));
        let source = module::source(named, &self.module, !is_copy)?;
        let bytes = files::read_named(&source)?;
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

    /// Whether what is in the module's place was copied there by us, as this configuration says, and is no package's since.
    fn is_copy(&self, configuration: &str, module: &[u8]) -> bool {
        is_copied(configuration, module) && files::package_of(&self.module).is_none()
    }

    /// Puts the configuration beside the system's, and the module there, if it is to be copied. Both are written before one
    /// takes its place, so that a full disk changes nothing; the configuration comes first, since it says whose the module
    /// is, should this be cut short.
    fn put(&self, module: Option<&[u8]>, text: &str) -> Result<Untold> {
        let module = module.map(|bytes| Staged::new(&self.module, bytes)).transpose()?;
        let configuration = Staged::new(&self.configuration, text.as_bytes())?;
        configuration.take_place()?;
        module.map_or(Ok(()), Staged::take_place)?;
        self.check(&self.configuration, &self.configuration)
    }

    fn tell_installed(&self) -> Result<()> {
        stdout::print(|out| {
            writeln!(out, "provider       {}", self.module.display())?;
            writeln!(out, "configuration  {}", self.configuration.display())?;
            if self.is_in_place() {
                let uninstall = format!("`ciphertune provider uninstall{}`", self.options);
                let undone = match self.kept.exists() {
                    true => format!(
                        "What was there is kept as {}; {uninstall} puts it back.",
                        self.kept.display()
                    ),
                    false => format!("There was none; {uninstall} removes it."),
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
                    word(&self.configuration)
                )
            }
        })?;
        Ok(())
    }

    fn uninstall(&self) -> Result<()> {
        self.put_back()?;
        if !is_ours(&self.configuration)? {
            return say(&format!(
                "There is no {} of Ciphertune's to remove.",
                self.configuration.display()
            ));
        }
        let text = mark::text(&self.configuration)?;
        // While the configuration is there, it is known whose the module is.
        self.remove_copy(&text)?;
        match Since::of(text.as_bytes()) {
            Since::AsWritten => remove(&self.configuration),
            _ => say(&format!(
                "kept      {}: something was set in it; `install` goes on with it, or remove it yourself",
                self.configuration.display()
            )),
        }
    }

    /// Removes the module if it was copied by us and nothing has replaced it since, by the same bytes neither.
    fn remove_copy(&self, configuration: &str) -> Result<()> {
        match files::read(&self.module)? {
            Some(module) if is_copied(configuration, &module) => match files::package_of(&self.module) {
                None => remove(&self.module),
                Some(package) => say(&format!(
                    "kept      {}: it is of the package {package} now, and goes with that",
                    self.module.display()
                )),
            },
            Some(_) if says_copied(configuration) => say(&format!(
                "kept      {}: it is another than was copied there; remove it yourself if it should go",
                self.module.display()
            )),
            _ => Ok(()),
        }
    }
}

fn say(line: &str) -> Result<()> {
    stdout::print(|out| writeln!(out, "{line}"))?;
    Ok(())
}
