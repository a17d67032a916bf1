//! The OpenSSL of this system, and its configurations.
mod including;
mod reading;
#[cfg(test)]
#[path = "../../../tests/skip.rs"]
mod skip;
mod syntax;
mod using;
mod writing;

use std::{
    env,
    fs::{self, File},
    io,
    path::{self, Path, PathBuf},
    process::Command,
};

use ciphertune_results::said;

use crate::{Result, child};
pub use reading::{BEGIN, NODE_BEGIN, is_module, meaningless};
pub use using::{PREFERENCE, Use, is_of_loading, used};
pub use writing::{
    HEADER, TAKEN_IN, configuration, has_another, keep_settings, settings, with_ciphersuites, with_taken_in,
    without_settings,
};

/// Where the system's OpenSSL looks.
pub struct Folders {
    /// Its configuration, `openssl.cnf`, with all links followed.
    pub configuration: PathBuf,
    /// Its providers.
    pub modules: PathBuf,
}

impl Folders {
    /// Asks the command `openssl`.
    pub fn find() -> Result<Self> {
        let mut openssl = Command::new("openssl");
        // It reads one before it answers, and what the environment names has no say here.
        openssl.args(["version", "-d", "-m"]).env_remove("OPENSSL_CONF");
        let output = child::output(&mut openssl);
        let output = output.map_err(|why| match why.kind() {
            io::ErrorKind::NotFound => {
                "the command openssl, which knows where its configuration is, is not installed; on Debian it is the \
                 package openssl"
                    .to_owned()
            }
            _ => format!("cannot ask openssl where its configuration is: {why}"),
        })?;
        let text = String::from_utf8_lossy(&output.stdout);
        let named = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name))?;
            Some(PathBuf::from(
                line.trim_start_matches(':').trim().trim_matches('"'),
            ))
        };
        let said = String::from_utf8_lossy(&output.stderr);
        // Those without providers do not know -m, and end with an error for that.
        if !output.status.success() && !said.to_lowercase().contains("unknown option") {
            let said = said.lines().rev().find(|line| !line.trim().is_empty());
            return Err(format!(
                "`openssl version`, asked where its configuration is, ended with {}: {}",
                output.status,
                said.unwrap_or("it says nothing")
            )
            .into());
        }
        let (Some(folder), Some(modules)) = (named("OPENSSLDIR"), named("MODULESDIR")) else {
            return Err("this openssl knows no providers; version 3.0 or later is needed".into());
        };
        Ok(Self {
            configuration: followed(&folder.join("openssl.cnf"))?,
            modules,
        })
    }
}

/// Where a path leads, even if nothing is there.
pub fn followed(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path).or_else(|_| match fs::read_link(path) {
        Ok(target) => path::absolute(path.with_file_name(target)),
        Err(_) => path::absolute(path),
    })
}

/// The configuration that programs read in this environment.
pub fn in_force() -> Result<PathBuf> {
    match named()? {
        Some(path) => Ok(path),
        None => Ok(Folders::find()?.configuration),
    }
}

/// The one that the environment names. An error where programs would wait for it, and so would whoever looks at them.
pub fn named() -> Result<Option<PathBuf>> {
    match env::var_os("OPENSSL_CONF").map(PathBuf::from) {
        Some(path) if is_stream(&path) => Err(format!(
            "OPENSSL_CONF names '{}', which is no regular file: programs may wait for it without an end; name one that is, or \
             unset it",
            path.display()
        )
        .into()),
        path => Ok(path),
    }
}

/// Whether a path leads to what is not to be opened: a device may never end, and a pipe may never begin. OpenSSL reads both.
pub fn is_stream(path: &Path) -> bool {
    let is_stream = |about: fs::Metadata| !about.is_file() && !about.is_dir();
    path != Path::new("/dev/null") && fs::metadata(path).is_ok_and(is_stream)
}

/// That the configuration which the environment names is none, in a sentence: OpenSSL goes on without one, and says nothing.
pub fn named_in_vain() -> Option<String> {
    let named = match named() {
        Ok(named) => named?,
        Err(why) => return Some(why.to_string()),
    };
    Some(format!(
        "OPENSSL_CONF names '{}', which {}, so that programs have no configuration at all: name one that can be read, or \
         unset it",
        named.display(),
        unreadable(&named)?
    ))
}

/// Why OpenSSL can read no configuration there, as the end of a sentence.
pub fn unreadable(path: &Path) -> Option<String> {
    if is_stream(path) {
        return Some("is no regular file".to_owned());
    }
    match File::open(path) {
        Ok(file) if file.metadata().is_ok_and(|about| about.is_dir()) => Some("is a folder".to_owned()),
        Ok(_) => None,
        Err(why) if why.kind() == io::ErrorKind::NotFound => Some("is not there".to_owned()),
        Err(why) => Some(format!("cannot be read: {}", said(&why))),
    }
}

/// A configuration like Debian's.
#[cfg(test)]
const DEBIAN: &str = "HOME = .\nopenssl_conf = openssl_init # as shipped\n[openssl_init]\nproviders = provider_sect\n\
    [provider_sect]\ndefault = default_sect\n[default_sect]\n# activate = 1\n[other]\nalg_section = no\n";
