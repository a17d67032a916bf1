use std::{
    fs::{File, OpenOptions},
    io,
    path::Path,
};

/// Opens a regular file to read it, and nothing else: a FIFO would have its opener wait for somebody who writes, a
/// terminal become this process's own, and a device go on for ever. None of them is waited for.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK | libc::O_NOCTTY);
    let file = options.open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is not a regular file")),
    }
}
