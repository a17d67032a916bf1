//! What the system tells the program while it runs. Ctrl-C: once to stop in good order, twice to stop at once.
use std::{
    fs, io, process,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicI32, Ordering},
    },
    thread,
    time::Duration,
};

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGXFSZ, TERM_SIGNALS},
    flag,
    iterator::Signals,
};

use crate::{Result, put_off::PutOff};

/// What is done about each Ctrl-C.
struct Answers {
    first: Box<dyn Fn() + Send>,
    /// Before the program ends.
    second: Box<dyn Fn() + Send>,
}

static STOP: AtomicBool = AtomicBool::new(false);

/// The first that there was.
static SIGNAL: AtomicI32 = AtomicI32::new(SIGINT);

/// What shells report of a program that a signal ended: 128 and its number, as 130 for Ctrl-C.
pub fn status() -> u8 {
    128 | SIGNAL.load(Ordering::Relaxed) as u8
}

/// Nothing until somebody listens.
static ANSWERS: Mutex<Option<Answers>> = Mutex::new(None);

/// What becomes true when the user, or whoever ends the program, wants it to stop. `first` is called then, in place of
/// what earlier sessions gave: all have one listener, or else one Ctrl-C would count as many times. `second` is called
/// where the user does not wait for that.
pub fn flag(
    first: impl Fn() + Send + 'static,
    second: impl Fn() + Send + 'static,
) -> Result<&'static AtomicBool> {
    let mut current = ANSWERS.lock().unwrap_or_else(PoisonError::into_inner);
    if current.is_none() {
        listen()?;
    }
    *current = Some(Answers {
        first: Box::new(first),
        second: Box::new(second),
    });
    Ok(&STOP)
}

/// Held while a file is written, or a program is waited for.
static WRITING: Mutex<()> = Mutex::new(());

/// Does what a second Ctrl-C leaves time to end: writes a file, as else what was written beside it would be left there, or
/// waits for a program, which would be left too.
pub fn whole<T>(work: impl FnOnce() -> T) -> T {
    let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    work()
}

/// Waits for a file to be whole, and lets no other begin. A second is enough for one, and a pipe that nobody reads is not
/// waited for.
fn until_whole() -> Option<MutexGuard<'static, ()>> {
    (0..100).find_map(|_| {
        let writing = WRITING.try_lock().ok();
        if writing.is_none() {
            thread::sleep(Duration::from_millis(10));
        }
        writing
    })
}

fn listen() -> Result<()> {
    let begin = || Ok((PutOff::new()?, Signals::new(ending())?));
    let (put_off, mut signals) =
        begin().map_err(|error: io::Error| format!("cannot listen for Ctrl-C: {error}"))?;
    thread::spawn(move || {
        for signal in &mut signals {
            let is_second = STOP.load(Ordering::Relaxed);
            if !is_second {
                // The second is kept, so that a program that is waited for is ended too.
                put_off.forget();
                SIGNAL.store(signal, Ordering::Relaxed);
                STOP.store(true, Ordering::Relaxed);
            }
            if let Some(answers) = &*ANSWERS.lock().unwrap_or_else(PoisonError::into_inner) {
                match is_second {
                    false => (answers.first)(),
                    true => (answers.second)(),
                }
            }
            if is_second {
                let _whole = until_whole();
                process::exit(status().into());
            }
        }
    });
    Ok(())
}

/// The signals that are to end this program.
pub fn ending() -> impl Iterator<Item = i32> {
    let hangup = (!ignores_hangup()).then_some(SIGHUP);
    TERM_SIGNALS.iter().copied().chain(hangup)
}

/// Whether the end of its terminal, as of a connection by ssh, is nothing to this program: so `nohup` starts it.
fn ignores_hangup() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & 1 << (SIGHUP - 1) != 0)
}

/// Lets a write past the limit on files fail, so that it ends as any other failed write does: with an error and
/// nothing half-written. The system would end the program in its midst.
pub fn outlive_file_limit() {
    // Where that cannot be had the program ends, as said: no reason to end it now.
    let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn a_file_is_waited_for_and_a_pipe_that_nobody_reads_is_not() {
        let (begun, has_begun) = mpsc::channel();
        let (go_on, may_go_on) = mpsc::channel();
        let written = Arc::new(AtomicBool::new(false));
        let is_written = written.clone();
        let writer = thread::spawn(move || {
            whole(|| {
                begun.send(()).unwrap();
                may_go_on.recv().unwrap();
                written.store(true, Ordering::Relaxed);
            });
        });
        has_begun.recv().unwrap();
        assert!(until_whole().is_none());
        go_on.send(()).unwrap();
        while until_whole().is_none() {}
        assert!(is_written.load(Ordering::Relaxed));
        writer.join().unwrap();
    }
}
