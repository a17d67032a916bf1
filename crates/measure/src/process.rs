//! The session's side of a worker: starting it, asking it, and finding out what became of it.
use std::{
    ffi::OsString,
    io::{self, Read, Write},
    os::{
        fd::AsFd,
        unix::process::{CommandExt, ExitStatusExt},
    },
    path::{Path, PathBuf},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use nix::{
    errno::Errno,
    poll::{PollFd, PollFlags, PollTimeout, poll},
    sys::signal::Signal,
};

use crate::{
    patience::Had,
    protocol::{Answer, Request},
};

/// How to start a worker: a program that calls [`crate::worker::serve`] when it gets these arguments.
#[derive(Clone, Debug)]
pub struct Launcher {
    /// The program, as a rule this one again.
    pub program: PathBuf,
    /// What makes it a worker.
    pub args: Vec<OsString>,
    /// How long a worker may run or sleep over one answer before it is given up. That it waits for a processor does not
    /// count.
    pub patience: Duration,
}

impl Launcher {
    /// A launcher with twenty seconds of patience.
    pub fn new(program: impl Into<PathBuf>, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        Self {
            program: program.into(),
            args: args.into_iter().map(Into::into).collect(),
            patience: Duration::from_secs(20),
        }
    }
}

/// A worker process.
pub(crate) struct Worker {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    /// Its standard error, until that ends. It is read whenever an answer is waited for: who logs a lot would fill a file.
    errors: Option<ChildStderr>,
    /// The end of what was read there.
    words: Vec<u8>,
    /// Output that has been read but not yet answered with.
    unread: Vec<u8>,
    patience: Duration,
}

/// Why a worker is lost.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lost(pub(crate) String);

impl Worker {
    /// Starts one with these variables and `padding` more bytes of environment: where the environment ends the stack
    /// begins, and where the stack lies can change the speed of what runs on it.
    pub(crate) fn start(
        launcher: &Launcher,
        environment: &[(&'static str, String)],
        padding: usize,
    ) -> Result<Self, Lost> {
        let not_started = |error: io::Error| {
            let remedy = remedy(&error, &launcher.program);
            Lost(format!(
                "cannot start {}: {error}{remedy}",
                launcher.program.display()
            ))
        };
        let mut child = Command::new(&launcher.program)
            .args(&launcher.args)
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .env("CIPHERTUNE_PADDING", "x".repeat(padding))
            // Its last line is then what it panicked with.
            .env("RUST_BACKTRACE", "0")
            // A group of its own: the terminal's Ctrl-C is for the session, which then stops in good order.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(not_started)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(not_started(io::Error::other("it has no pipes")));
        };
        Ok(Self {
            input,
            output,
            errors: child.stderr.take(),
            child,
            words: Vec::new(),
            unread: Vec::new(),
            patience: launcher.patience,
        })
    }

    /// Is more patient by the seconds that slow code takes for as many messages of `length` bytes as one answer may
    /// need: twenty at 50 MB/s.
    pub(crate) fn allow_for(&mut self, length: usize) {
        self.patience += Duration::from_secs(length as u64 * 20 / 50_000_000);
    }

    /// One request, one answer.
    pub(crate) fn ask(&mut self, request: &Request) -> Result<Answer, Lost> {
        self.tell(request)?;
        self.hear()
    }

    /// As [`Worker::ask`], of what may take long: the worker is lost as soon as nobody waits any more.
    pub(crate) fn ask_unless(&mut self, stop: &AtomicBool, request: &Request) -> Result<Answer, Lost> {
        self.tell(request)?;
        self.hear_unless(stop)
    }

    /// Sends a request.
    pub(crate) fn tell(&mut self, request: &Request) -> Result<(), Lost> {
        let mut line =
            serde_json::to_vec(request).map_err(|error| Lost(format!("cannot be asked: {error}")))?;
        line.push(b'\n');
        self.input.write_all(&line).map_err(|_| self.obituary())
    }

    /// Waits for the next answer.
    pub(crate) fn hear(&mut self) -> Result<Answer, Lost> {
        self.hear_unless(&AtomicBool::new(false))
    }

    fn hear_unless(&mut self, stop: &AtomicBool) -> Result<Answer, Lost> {
        let mut had = None;
        let look = (self.patience / LOOKS).min(LONGEST_LOOK);
        let mut searched = 0;
        loop {
            if let Some(end) = self.unread[searched..].iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.unread.drain(..=searched + end).collect();
                // It goes to sleep first: else it would be in the way of whoever is asked next, on the same processor.
                thread::yield_now();
                return serde_json::from_slice(&line).map_err(|_| Lost(garbage(&line)));
            }
            if self.unread.len() > LONGEST_ANSWER {
                return Err(Lost(garbage(&self.unread)));
            }
            searched = self.unread.len();
            while !self.is_readable_within(look) {
                if stop.load(Ordering::Relaxed) {
                    return Err(Lost("was not waited for".to_owned()));
                }
                // From the first look on: most answers come before it, and looking takes as long as handing over.
                let had = had.get_or_insert_with(|| Had::since_now(self.child.id()));
                if had.pass(look) >= self.patience {
                    return Err(Lost(format!("no answer in {:?}", self.patience)));
                }
            }
            let mut chunk = [0; 4096];
            match self.output.read(&mut chunk) {
                Ok(0) => return Err(self.obituary()),
                Ok(read) => self.unread.extend_from_slice(&chunk[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Lost(format!("its answer cannot be read: {error}"))),
            }
        }
    }

    /// Whether there is output within this time, in which standard error is read.
    fn is_readable_within(&mut self, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let output = PollFd::new(self.output.as_fd(), PollFlags::POLLIN);
            let errors = self.errors.as_ref();
            let errors = errors.map(|errors| PollFd::new(errors.as_fd(), PollFlags::POLLIN));
            let mut fds: Vec<PollFd<'_>> = [output].into_iter().chain(errors).collect();
            // Any event, or an error of `poll`'s: what it is shows in the read that follows.
            let (is_ready, has_words) = match poll(&mut fds, up_to(left)) {
                Err(Errno::EINTR) => (false, false),
                Err(_) => (true, false),
                Ok(_) => {
                    let happened = |fd: &PollFd<'_>| fd.any().unwrap_or(true);
                    (happened(&fds[0]), fds.get(1).is_some_and(happened))
                }
            };
            if has_words {
                self.read_words();
            }
            if is_ready {
                return true;
            }
            if left.is_zero() {
                return false;
            }
        }
    }

    /// Reads what is there of standard error, or waits for it.
    fn read_words(&mut self) {
        let mut chunk = [0; LAST_WORDS];
        let read = self.errors.as_mut().map(|errors| errors.read(&mut chunk));
        match read {
            Some(Ok(read @ 1..)) => {
                self.words.extend_from_slice(&chunk[..read]);
                let too_old = self.words.len().saturating_sub(LAST_WORDS);
                self.words.drain(..too_old);
            }
            Some(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
            _ => self.errors = None,
        }
    }

    /// What became of a worker that does not talk any more.
    fn obituary(&mut self) -> Lost {
        let deadline = Instant::now() + Duration::from_secs(1);
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Lost(self.ended(status)),
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(1)),
                _ => return Lost("closed its output without exiting".to_owned()),
            }
        }
    }

    fn ended(&mut self, status: ExitStatus) -> String {
        let how = match (status.signal(), status.code()) {
            (Some(signal), _) => Signal::try_from(signal).map_or_else(
                |_| format!("crashed (signal {signal})"),
                |signal| format!("crashed ({signal})"),
            ),
            (None, Some(code)) => format!("exited with status {code}"),
            (None, None) => "ended".to_owned(),
        };
        match self.last_words() {
            Some(words) => format!("{how}: {words}"),
            None => how,
        }
    }

    /// The last line that it wrote to standard error.
    fn last_words(&mut self) -> Option<String> {
        // Not to its end: what the worker has started may hold it open.
        while let Some(errors) = &self.errors {
            let mut fds = [PollFd::new(errors.as_fd(), PollFlags::POLLIN)];
            match poll(&mut fds, PollTimeout::ZERO) {
                Ok(1) => self.read_words(),
                _ => break,
            }
        }
        String::from_utf8_lossy(&self.words)
            .lines()
            .map(str::trim)
            .rfind(|line| !line.is_empty() && !line.starts_with("note: "))
            .map(str::to_owned)
    }
}

/// A worker has nothing to save, and one that hangs would not go by itself.
impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What to do about a program that cannot be started.
fn remedy(error: &io::Error, program: &Path) -> &'static str {
    match error.raw_os_error().map(Errno::from_raw) {
        Some(Errno::EMFILE) => "; allow this program more open files, as by ulimit -n 1024",
        Some(Errno::ENOENT) if program.starts_with("/proc") => {
            "; mount /proc, as by mount -t proc proc /proc"
        }
        _ => "",
    }
}

/// Rounded up: a wait of zero would be no wait.
fn up_to(time: Duration) -> PollTimeout {
    let milliseconds = time.as_nanos().div_ceil(1_000_000);
    PollTimeout::try_from(milliseconds).unwrap_or(PollTimeout::MAX)
}

/// Bytes of standard error that are kept.
const LAST_WORDS: usize = 4096;

/// How often a worker's state is looked at before it is given up.
const LOOKS: u32 = 20;

/// For messages of a gibibyte patience is minutes; whoever stops a session waits for a look.
const LONGEST_LOOK: Duration = Duration::from_secs(1);

/// Bytes of output without the end of a line at which it can be no answer.
const LONGEST_ANSWER: usize = 1 << 20;

fn garbage(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let start: String = text.trim().chars().take(60).collect();
    format!("wrote '{start}' where an answer was expected")
}

#[cfg(test)]
mod tests {
    use std::hint::spin_loop;

    use super::*;
    use crate::affinity::{allowed, stay_on};

    fn patient(script: &str, milliseconds: u64) -> Worker {
        let mut launcher = Launcher::new("/bin/sh", ["-c", script]);
        launcher.patience = Duration::from_millis(milliseconds);
        Worker::start(&launcher, &[("MASK", "~0x0".to_owned())], 100).unwrap()
    }

    /// One that is waited for, as what it starts may have to wait for a processor.
    fn shell(script: &str) -> Worker {
        patient(script, 2000)
    }

    fn reason(script: &str) -> String {
        shell(script).ask(&Request::Cycles).unwrap_err().0
    }

    #[track_caller]
    fn hangs(script: &str) {
        let answer = patient(script, 300).ask(&Request::Cycles);
        assert_eq!(answer.unwrap_err().0, "no answer in 300ms", "{script}");
    }

    #[test]
    fn answers_are_read_line_by_line_and_piece_by_piece() {
        let mut worker = shell(r#"read x; printf '"Right"\n"Ri'; sleep 0.05; printf 'ght"\n'; cat"#);
        assert_eq!(worker.ask(&Request::Cycles), Ok(Answer::Right));
        assert_eq!(worker.hear(), Ok(Answer::Right));
    }

    #[test]
    fn the_environment_is_padded() {
        let mut worker = shell(r#"printf '{"Wrong":"%s"}\n' "$CIPHERTUNE_PADDING""#);
        assert_eq!(worker.hear(), Ok(Answer::Wrong("x".repeat(100))));
    }

    #[test]
    fn the_environment_has_what_the_source_needs() {
        let mut worker = shell(r#"printf '{"Wrong":"%s"}\n' "$MASK""#);
        assert_eq!(worker.hear(), Ok(Answer::Wrong("~0x0".to_owned())));
    }

    #[test]
    fn what_a_worker_logs_is_kept_nowhere_but_for_its_end() {
        let logs = "head -c 300000 /dev/zero >&2; ";
        let script = format!(r#"{logs} printf '{{"Wrong":"%s"}}\n' $(stat -L -c %s /proc/self/fd/2); cat"#);
        assert_eq!(shell(&script).hear(), Ok(Answer::Wrong("0".to_owned())));
        let script = format!("{logs} echo >&2; echo no more >&2; exit 1");
        assert_eq!(reason(&script), "exited with status 1: no more");
    }

    #[test]
    fn a_worker_that_logs_without_end_hangs() {
        hangs("cat /dev/zero >&2");
    }

    #[test]
    fn a_lost_worker_says_why() {
        assert_eq!(reason("kill -SEGV $$"), "crashed (SIGSEGV)");
        assert_eq!(reason("exit 3"), "exited with status 3");
        assert_eq!(
            reason("echo loading >&2; echo undefined symbol: frob >&2; exit 127"),
            "exited with status 127: undefined symbol: frob"
        );
        hangs("sleep 60");
        hangs("kill -STOP $$");
        hangs("while :; do :; done");
        assert_eq!(
            reason("read x; echo 'Hello, world'; cat"),
            "wrote 'Hello, world' where an answer was expected"
        );
        assert!(reason("head -c 2000000 /dev/zero; cat").starts_with("wrote '"));
    }

    /// It shares its processor with someone who counts for seventy times as much, and so gets it for a small part of the time.
    #[test]
    fn a_worker_that_gets_no_processor_is_waited_for() {
        // For this thread, and for what it starts.
        stay_on(&allowed()[..1]).unwrap();
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            let mut worker = patient(
                r#"renice -n 19 $$ >/dev/null; read x; i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; echo '"Right"'"#,
                1000,
            );
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    spin_loop();
                }
            });
            let answer = worker.ask(&Request::Cycles);
            is_over.store(true, Ordering::Relaxed);
            assert_eq!(answer, Ok(Answer::Right));
        });
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let Err(Lost(reason)) = Worker::start(&Launcher::new("/no/such", ["worker"]), &[], 0) else {
            panic!("it started");
        };
        assert!(
            reason.starts_with("cannot start /no/such: ") && !reason.contains(';'),
            "{reason}"
        );
    }

    #[test]
    fn what_keeps_every_program_away_has_a_remedy() {
        let this = Path::new("/proc/self/exe");
        let of = |errno: Errno, program| remedy(&errno.into(), program);
        assert!(of(Errno::EMFILE, this).contains("ulimit -n"));
        assert!(of(Errno::ENOENT, this).contains("mount /proc"));
        assert_eq!(of(Errno::ENOENT, Path::new("/no/such")), "");
        assert_eq!(of(Errno::EACCES, this), "");
    }
}
