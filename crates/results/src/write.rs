use std::{
    fs,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use crate::{
    Line, Run,
    check::check,
    target::{Target, beside, stream, take_place},
};

impl Run {
    /// Writes the run file. A file that is there is replaced whole or, on any error, stays as it was: the
    /// lines go to a temporary file beside it, which is synced and then renamed, as its folder is synced. A device or pipe
    /// (`/dev/stdout`) is written through.
    pub fn write(&self, path: &Path) -> Result<(), WriteError> {
        self.check().map_err(|problem| WriteError {
            path: path.to_owned(),
            problem,
            remedy: "this is a defect in Ciphertune, please report it",
        })?;
        self.put(path).map_err(|error| WriteError::new(path, error))
    }

    /// Writes as much of a run as there is while the rest is measured, where the whole can take its place: to a file, and
    /// nothing to a device or pipe.
    pub fn write_so_far(&self, path: &Path) -> Result<(), WriteError> {
        match Target::of(path) {
            Ok(Target::File(_)) => self.write(path),
            _ => Ok(()),
        }
    }

    fn put(&self, path: &Path) -> io::Result<()> {
        match Target::of(path)? {
            Target::Stdout => self.lines_to(&mut io::stdout().lock()),
            Target::Stream(path) | Target::Pipe(path) => self.lines_to(&mut stream(&path)?),
            Target::File(path) => {
                let mut file = beside(&path)?;
                self.lines_to(&mut file)?;
                file.as_file().sync_all()?;
                take_place(file, &path)
            }
        }
    }

    fn lines_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::new(out);
        for line in self.lines() {
            serde_json::to_writer(&mut out, &line)?;
            out.write_all(b"\n")?;
        }
        out.flush()
    }

    fn check(&self) -> Result<(), String> {
        self.lines().try_for_each(|line| check(&line))
    }

    fn lines(&self) -> impl Iterator<Item = Line> {
        let machine = Line::Machine(self.machine.clone());
        let bounds = self.bounds.iter().cloned().map(Line::Bound);
        let cells = self.cells.iter().cloned().map(Line::Cell);
        std::iter::once(machine).chain(bounds).chain(cells)
    }
}

/// Whether [`Run::write`] could write there now: to be asked before minutes of measuring. Leaves nothing
/// behind. A device that is full, and a pipe that nobody reads, show themselves only when written to.
pub fn writable(path: &Path) -> Result<(), WriteError> {
    let attempt = || match Target::of(path)? {
        // Closing a pipe again would end the input of whoever reads it.
        Target::Stdout | Target::Pipe(_) => Ok(()),
        Target::Stream(path) => stream(&path).map(drop),
        Target::File(path) => beside(&path).map(drop),
    };
    attempt().map_err(|error| WriteError::new(path, error))
}

/// Whether [`Run::write`] there would put a run in the place of something else: a file that is there and not empty.
pub fn replaces(path: &Path) -> bool {
    match Target::of(path) {
        Ok(Target::File(path)) => fs::metadata(path).is_ok_and(|file| file.len() > 0),
        _ => false,
    }
}

/// Why a run could not be written. Nothing half-written is left.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the run to '{}': {problem}; {remedy}", path.display())]
pub struct WriteError {
    path: PathBuf,
    problem: String,
    remedy: &'static str,
}

impl WriteError {
    fn new(path: &Path, error: io::Error) -> Self {
        use io::ErrorKind::*;
        // Under /proc there are directories that take no file, and say that there is none.
        let has_directory = path.parent().is_some_and(Path::is_dir) && !path.is_symlink();
        let remedy = match error.kind() {
            NotFound | NotADirectory if !has_directory => {
                "create its directory first, or choose another path"
            }
            PermissionDenied | ReadOnlyFilesystem => "choose a directory that you may write to",
            StorageFull | QuotaExceeded | FileTooLarge => "free some space, or choose another file system",
            IsADirectory => "name a file inside it",
            BrokenPipe => "let the reader of the pipe read to the end",
            _ => "choose another path",
        };
        Self {
            path: path.to_owned(),
            problem: said(&error),
            remedy,
        }
    }
}

/// What the system said, without the name of a temporary file, which nobody has heard of.
pub fn said(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" at path \"").next().unwrap_or_default().to_owned()
}
