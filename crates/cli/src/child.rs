//! Other programs that are asked for something harmless, and stopped where they go astray.
use std::{
    io::{self, Error, ErrorKind, Read},
    os::{fd::AsFd, unix::process::CommandExt},
    process::{Child, Command, ExitStatus, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use nix::{
    poll::{PollFd, PollFlags, PollTimeout, poll},
    sys::signal::{Signal, killpg},
    unistd::Pid,
};

use crate::{interrupt, put_off::PutOff};

/// A program that needs longer than this for something harmless has gone astray.
const PATIENCE: Duration = Duration::from_secs(10);

/// So has one that says more than this, in bytes: what a linker tells of hundreds of libraries is a hundredth of it.
pub const MOST_SAID: u64 = 16 << 20;

/// How long to wait before each look at a program.
const LOOK: Duration = Duration::from_millis(10);

/// How a program has gone astray that was begun then and said so many bytes, if it has.
fn astray(begun: Instant, said: u64) -> Option<&'static str> {
    match (begun.elapsed() > PATIENCE, said > MOST_SAID) {
        (true, _) => Some("it did not end within 10 s"),
        (_, true) => Some("it said more than 16 MiB"),
        _ => None,
    }
}

/// As [`Command::output`] of a program that reads nothing; an error, too, where it has gone astray.
pub fn output(command: &mut Command) -> io::Result<Output> {
    command.stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    interrupt::whole(|| {
        let put_off = PutOff::new()?;
        let mut child = start(command)?;
        let (mut out, mut errors) = (Said::new(child.stdout.take()), Said::new(child.stderr.take()));
        let end = finish(child, &put_off, || {
            out.hear()?;
            errors.hear()?;
            Ok(out.bytes.len().max(errors.bytes.len()) as u64)
        })?;
        let status =
            end.map_err(|how| Error::new(ErrorKind::TimedOut, format!("{how}, so it was stopped")))?;
        Ok(Output {
            status,
            stdout: out.bytes,
            stderr: errors.bytes,
        })
    })
}

/// Starts a program in a group of its own, so that what it starts can be ended with it. What the terminal sends does not reach
/// it there, so signals are to be put off before.
pub fn start(command: &mut Command) -> io::Result<Child> {
    command.process_group(0).spawn()
}

/// Waits for the end of a program that was started so; where it has gone astray, brings that about and answers how. An error
/// where this program was told to end, and that one has been ended for it.
pub fn finish(
    mut child: Child,
    put_off: &PutOff,
    mut said: impl FnMut() -> io::Result<u64>,
) -> io::Result<Result<ExitStatus, &'static str>> {
    let begun = Instant::now();
    loop {
        // Before what it said is heard, or else its last words could be missed.
        let end = child.try_wait()?;
        let said = said()?;
        if let Some(status) = end {
            return Ok(Ok(status));
        }
        let (astray, is_told) = (astray(begun, said), put_off.has_come());
        if astray.is_some() || is_told {
            killpg(Pid::from_raw(child.id() as i32), Signal::SIGKILL)?;
            child.wait()?;
        }
        if is_told {
            return Err(Error::new(
                ErrorKind::Interrupted,
                "Ciphertune was told to end meanwhile",
            ));
        }
        if let Some(how) = astray {
            return Ok(Err(how));
        }
        thread::sleep(LOOK);
    }
}

/// What a program says by a pipe. It is not read to its end, which comes only when all have ended that the program started.
struct Said<P> {
    pipe: Option<P>,
    bytes: Vec<u8>,
}

impl<P: Read + AsFd> Said<P> {
    fn new(pipe: Option<P>) -> Self {
        Self {
            pipe,
            bytes: Vec::new(),
        }
    }

    /// Reads what is there by now.
    fn hear(&mut self) -> io::Result<()> {
        let mut chunk = [0; 1 << 16];
        while let Some(pipe) = self.pipe.as_mut().filter(is_readable)
            && self.bytes.len() as u64 <= MOST_SAID
        {
            match pipe.read(&mut chunk)? {
                0 => self.pipe = None,
                read => self.bytes.extend_from_slice(&chunk[..read]),
            }
        }
        Ok(())
    }
}

/// Whether a read would not wait.
fn is_readable(pipe: &impl AsFd) -> bool {
    let mut fds = [PollFd::new(pipe.as_fd(), PollFlags::POLLIN)];
    poll(&mut fds, PollTimeout::ZERO) == Ok(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> io::Result<Output> {
        output(Command::new("sh").args(["-c", script]))
    }

    #[test]
    fn what_a_program_says_is_heard() {
        let output = shell("cat; echo out; echo error >&2; exit 3").unwrap();
        assert_eq!(output.status.code(), Some(3));
        assert_eq!(
            (&*output.stdout, &*output.stderr),
            (&b"out\n"[..], &b"error\n"[..])
        );
        // More than a pipe holds.
        let output = shell("head -c 1000000 /dev/zero").unwrap();
        assert_eq!(output.stdout.len(), 1_000_000);
    }

    #[test]
    fn a_program_that_says_too_much_is_stopped() {
        for script in ["exec yes", "exec yes >&2"] {
            let why = shell(script).unwrap_err();
            assert_eq!(why.to_string(), "it said more than 16 MiB, so it was stopped");
        }
    }

    /// It holds on to the pipe, and no write to that succeeds any more.
    #[test]
    fn what_a_program_leaves_behind_is_not_waited_for() {
        let output = shell("sleep 60 & echo $!").unwrap();
        let pid = String::from_utf8(output.stdout).unwrap();
        assert!(Command::new("kill").arg(pid.trim()).status().unwrap().success());
        assert!(shell("yes & exec true").unwrap().status.success());
        assert!(shell("yes").is_err());
    }
}
