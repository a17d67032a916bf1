//! Where a path leads, before anything is written there.
use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::{
        ffi::OsStrExt,
        fs::{FileTypeExt, PermissionsExt},
    },
    path::{Path, PathBuf},
};

use tempfile::{Builder, NamedTempFile};

/// What a path to write to leads to.
pub(crate) enum Target {
    /// A regular file, or a name that is still free: replaced whole, by renaming.
    File(PathBuf),
    /// The standard output of this process. Opening its path anew would write from the start of the file to
    /// which it is redirected, over what is there.
    Stdout,
    /// A device, a pipe or another descriptor: never renamed onto, but written through.
    Stream(PathBuf),
    /// A named pipe.
    Pipe(PathBuf),
}

impl Target {
    /// Follows symbolic links, so that the file is replaced and not the link to it.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let mut path = path.to_owned();
        for _ in 0..MAX_LINKS {
            let name = path.file_name().filter(|_| !is_folder(&path));
            let name = name.ok_or(io::ErrorKind::IsADirectory)?;
            let directory = fs::canonicalize(directory(&path))?;
            path = directory.join(name);
            // Where /dev/stdout and /dev/fd/3 lead: links that only opening follows rightly.
            if directory.starts_with("/proc") {
                let own = directory.ends_with(format!("{}/fd", std::process::id()));
                return Ok(if own && path.ends_with("1") {
                    Self::Stdout
                } else {
                    Self::Stream(path)
                });
            }
            match fs::read_link(&path) {
                Ok(link) => path = directory.join(link),
                Err(_) => return Self::of_resolved(path),
            }
        }
        Err(io::Error::other("too many symbolic links"))
    }

    fn of_resolved(path: PathBuf) -> io::Result<Self> {
        let kind = match fs::metadata(&path) {
            Ok(metadata) => metadata.file_type(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::File(path)),
            Err(error) => return Err(error),
        };
        if kind.is_file() {
            Ok(Self::File(path))
        } else if kind.is_char_device() {
            Ok(Self::Stream(path))
        } else if kind.is_fifo() {
            Ok(Self::Pipe(path))
        } else if kind.is_dir() {
            Err(io::ErrorKind::IsADirectory.into())
        } else {
            Err(io::Error::other("it is a socket or a disk"))
        }
    }
}

/// Whether a path says so itself, though nothing may be there: `folder/` and `folder/.`, whose last name would be the folder's.
fn is_folder(path: &Path) -> bool {
    let bytes = path.as_os_str().as_bytes();
    bytes.ends_with(b"/") || bytes.ends_with(b"/.")
}

/// Linux gives up after as many.
const MAX_LINKS: usize = 40;

/// A file beside `path`, with the permissions of the one that it will replace.
pub(crate) fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let file = Builder::new()
        .prefix(".ciphertune-")
        // As for any new file; the umask takes away from it.
        .permissions(fs::Permissions::from_mode(0o666))
        .tempfile_in(directory(path))?;
    if let Ok(replaced) = fs::metadata(path) {
        file.as_file().set_permissions(replaced.permissions())?;
    }
    Ok(file)
}

/// Puts a file that was written beside `path`, and synced, in its place. An error may come of the folder's sync, when the file
/// is there already.
pub fn take_place(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.persist(path)?;
    sync_folder(path)
}

/// Syncs the folder that `path` is in: it says what is there by that name, so that a machine that stops then has the same
/// afterwards.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    // Who may write to a folder may be forbidden to open it: what was done there is done all the same.
    match File::open(directory(path)) {
        Ok(folder) => folder.sync_all(),
        Err(_) => Ok(()),
    }
}

/// Appending: what else goes to a descriptor's file is kept.
pub(crate) fn stream(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).open(path)
}

fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Only asked, never written to: code that renames onto a device would destroy the machine's own.
    #[test]
    fn a_device_is_no_file_to_replace() {
        for device in ["/dev/null", "/dev/full"] {
            let target = Target::of(Path::new(device)).unwrap();
            assert!(matches!(target, Target::Stream(path) if path == Path::new(device)));
        }
        for stdout in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
            let target = Target::of(Path::new(stdout)).unwrap();
            assert!(matches!(target, Target::Stdout), "{stdout}");
        }
        let other = Target::of(Path::new("/dev/stderr")).unwrap();
        assert!(matches!(other, Target::Stream(path) if path.ends_with("fd/2")));
    }
}
