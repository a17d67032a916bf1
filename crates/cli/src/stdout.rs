//! Standard output: tables and data, and nothing else.
use std::io::{self, ErrorKind, Write};

use ciphertune_report::Screen;

use crate::Result;

/// What standard output can show. `NO_COLOR`, `CLICOLOR_FORCE` and `TERM` are respected.
pub fn screen() -> Screen {
    let stdout = io::stdout();
    Screen {
        colour: anstream::AutoStream::choice(&stdout) != anstream::ColorChoice::Never,
        width: terminal_size::terminal_size_of(&stdout).map(|(width, _)| width.0.into()),
    }
}

/// Writes to standard output. A reader that has seen enough, as `head` has, is no error.
pub fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut text = Vec::new();
    let mut stdout = io::stdout().lock();
    match write(&mut text)
        .and_then(|()| stdout.write_all(&text))
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("cannot write to standard output: {error}").into())
        }
        _ => Ok(()),
    }
}
