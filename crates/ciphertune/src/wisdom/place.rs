//! Where a wisdom file lies: read whole, and written beside what it is to replace.
#[cfg(unix)]
use std::os::unix::fs::{MetadataExt, fchown};
use std::{
    fs::{self, File},
    hash::{BuildHasher, RandomState},
    io::{self, ErrorKind, Read},
    iter,
    path::{Path, PathBuf},
};

use ciphertune_system::{open_regular, without_cancellation};

use super::{WisdomError, error::failed, file};

/// The bytes of a file, of one that is too long a few more than it may have: the path may lead anywhere.
pub(super) fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    // The system would say that it is not there, and no command can make it.
    if path.as_os_str().is_empty() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "the path is empty"));
    }
    without_cancellation(|| {
        let mut bytes = Vec::new();
        let file = open_regular(path)?;
        file.take(file::MOST as u64 + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    })
}

/// Where a file of this path really goes, and another one beside it to write to first: a renaming cannot cross file
/// systems.
pub(super) fn begin(path: &Path) -> Result<(PathBuf, PathBuf, File), WisdomError> {
    let place = place(path).map_err(failed("write", path))?;
    if let Some(folder) = place.parent() {
        fs::create_dir_all(folder).map_err(failed("make the folder for", path))?;
    }
    let names = iter::repeat_with(|| RandomState::new().hash_one(place.as_path())).take(8);
    let (partial, file) = begin_beside(&place, names).map_err(failed("write", path))?;
    // Whoever could read what was there can read what takes its place, as far as this user may see to that.
    if let Ok(old) = fs::metadata(&place) {
        #[cfg(unix)]
        let _ = fchown(&file, Some(old.uid()), Some(old.gid()));
        let _ = file.set_permissions(old.permissions());
    }
    Ok((place, partial, file))
}

/// A new file by the first of these names that is free. Where others may write too, a link may stand under a name
/// that can be guessed: it is never followed.
pub(super) fn begin_beside(
    place: &Path,
    names: impl IntoIterator<Item = u64>,
) -> io::Result<(PathBuf, File)> {
    let mut taken = ErrorKind::AlreadyExists.into();
    for name in names {
        let mut partial = place.to_owned().into_os_string();
        partial.push(format!(".{name:016x}.partial"));
        match File::create_new(&partial) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => taken = error,
            done => return done.map(|file| (partial.into(), file)),
        }
    }
    Err(taken)
}

/// Puts what was written beside a place there. The folder is synced too: it says which of both is there, so that a machine
/// that stops then has the new one afterwards.
pub(super) fn take(partial: &Path, place: &Path) -> io::Result<()> {
    fs::rename(partial, place)?;
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
    // Who may write to a folder may be forbidden to open it, and some systems open none: the file is there all the same.
    match File::open(folder.unwrap_or(Path::new("."))) {
        Ok(folder) => folder.sync_all(),
        Err(_) => Ok(()),
    }
}

fn place(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Ok(there) if there.is_file() => Ok(there),
        Ok(_) => Err(io::Error::other("it is not a regular file")),
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        Err(_) => match fs::read_link(path) {
            Ok(to) => Err(io::Error::other(format!(
                "it is a link to {}, which is not there",
                to.display()
            ))),
            Err(_) if path.file_name().is_none() => Err(io::Error::other("it names no file")),
            Err(_) => Ok(path.to_owned()),
        },
    }
}
