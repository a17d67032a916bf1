//! Files that are replaced whole, removed, and put back.
use std::{
    fs::{self, File},
    io::{self, ErrorKind, Write},
    os::unix::fs::{MetadataExt, PermissionsExt, fchown},
    path::{Path, PathBuf},
    process::Command,
};

use ciphertune_results::{said, take_place};
use tempfile::NamedTempFile;

use super::say;
use crate::{Result, complain};

/// A file, written whole, that has not taken its place yet.
pub struct Staged {
    file: NamedTempFile,
    path: PathBuf,
}

impl Staged {
    /// One that everybody may read.
    pub fn new(path: &Path, bytes: &[u8]) -> Result<Self> {
        Self::with(path, bytes, |file| {
            let mut rights = file.metadata()?.permissions();
            rights.set_mode(0o644);
            file.set_permissions(rights)
        })
    }

    /// One that those may read and write who may another.
    pub fn like(other: &Path, path: &Path, bytes: &[u8]) -> Result<Self> {
        Self::with(path, bytes, |file| {
            let about = fs::metadata(other)?;
            fchown(file, Some(about.uid()), Some(about.gid()))?;
            file.set_permissions(about.permissions())
        })
    }

    /// Until `give_rights` its owner alone may read it.
    fn with(path: &Path, bytes: &[u8], give_rights: impl FnOnce(&File) -> io::Result<()>) -> Result<Self> {
        let folder = path.parent().unwrap_or(Path::new("."));
        if !folder.is_dir() {
            return Err(format!("cannot write {}: there is no such folder", path.display()).into());
        }
        let written = NamedTempFile::new_in(folder).and_then(|mut file| {
            file.write_all(bytes)?;
            give_rights(file.as_file())?;
            // So that a machine that stops has the old file then or this one, and no empty one.
            file.as_file().sync_all()?;
            Ok(file)
        });
        Ok(Self {
            file: written.map_err(|why| failed("write", path, &why))?,
            path: path.to_owned(),
        })
    }

    /// Where it is until then.
    pub fn now(&self) -> &Path {
        self.file.path()
    }

    pub fn take_place(self) -> Result<()> {
        let taken = take_place(self.file, &self.path);
        Ok(taken.map_err(|why| failed("write", &self.path, &why))?)
    }
}

/// What a file says; `None` where there is none.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    match whole(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(why) if why.kind() == ErrorKind::NotFound => Ok(None),
        Err(why) => {
            let remedy = match why.kind() {
                ErrorKind::InvalidInput => "; remove it first",
                _ => "",
            };
            Err((failed("read", path, &why) + remedy).into())
        }
    }
}

/// What a provider's file says that somebody named.
pub fn read_named(path: &Path) -> Result<Vec<u8>> {
    whole(path).map_err(|why| {
        let remedy = match why.kind() {
            ErrorKind::NotFound => "; name a file that is there",
            ErrorKind::InvalidInput => "; name the provider's own",
            _ => "",
        };
        (failed("read", path, &why) + remedy).into()
    })
}

/// All of a file. A device may never end, and a pipe may never begin.
pub fn whole(path: &Path) -> io::Result<Vec<u8>> {
    /// Longer than any provider with all that tells of it to debuggers.
    const MOST: u64 = 256 << 20;
    let refused = |why| Err(io::Error::new(ErrorKind::InvalidInput, why));
    let about = fs::metadata(path)?;
    if !about.is_file() {
        return refused("it is no regular file");
    }
    if about.len() > MOST {
        return refused("it is longer than 256 MiB");
    }
    fs::read(path)
}

/// Removes a file, if it is there, and says so.
pub fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Ok(()) => say(&format!("removed   {}", path.display())),
        Err(why) if why.kind() == ErrorKind::NotFound => Ok(()),
        Err(why) => Err(failed("remove", path, &why).into()),
    }
}

/// The package of Debian's that a file is of.
pub fn package_of(path: &Path) -> Option<String> {
    let told = Command::new("dpkg-query")
        .arg("--search")
        .arg(path)
        .output()
        .ok()?;
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    // As in "openssl-provider-ciphertune: /usr/lib/…".
    Some(told.split_once(": ")?.0.to_owned())
}

/// What could not be done to a file, and who can.
pub fn failed(doing: &str, path: &Path, why: &io::Error) -> String {
    let why = match why.kind() {
        ErrorKind::PermissionDenied => "root may, as with sudo".to_owned(),
        // As a container has a file that was given to it alone.
        ErrorKind::CrossesDevices | ErrorKind::ResourceBusy => {
            "it is a mount of its own: do this where it comes from, or unmount it first".to_owned()
        }
        _ => said(why),
    };
    format!("cannot {doing} {}: {why}", path.display())
}

/// Files as they are, to be so again where something fails.
pub struct Before<'a>(Vec<(&'a Path, Option<Vec<u8>>)>);

impl<'a> Before<'a> {
    pub fn of<const N: usize>(paths: [&'a Path; N]) -> Result<Self> {
        let files = paths.into_iter().map(|path| Ok((path, read(path)?)));
        Ok(Self(files.collect::<Result<_>>()?))
    }

    /// What goes wrong here is told and no more: the error that led here is the one to answer. What took a file's place had its
    /// rights.
    pub fn restore(self) {
        for (path, bytes) in self.0 {
            let done = match (bytes, fs::read(path).ok()) {
                (bytes, now) if bytes == now => Ok(()),
                (Some(bytes), Some(_)) => Staged::like(path, path, &bytes).and_then(Staged::take_place),
                (Some(bytes), None) => Staged::new(path, &bytes).and_then(Staged::take_place),
                (None, _) => fs::remove_file(path).map_err(|why| failed("remove", path, &why).into()),
            };
            if let Err(why) = done {
                complain(&why.to_string());
            }
        }
    }
}
