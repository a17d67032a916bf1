//! What the system tells the program while it runs. Ctrl-C: once to stop in good order, twice to stop at once.
use std::{
    process,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use signal_hook::{
    consts::{SIGXFSZ, TERM_SIGNALS},
    flag,
    iterator::Signals,
};

use crate::Result;

/// What shells report of a program that Ctrl-C ended: 128 and the signal's number.
pub const STATUS: u8 = 130;

/// What is done about each Ctrl-C.
struct Answers {
    first: Box<dyn Fn() + Send>,
    /// Before the program ends.
    second: Box<dyn Fn() + Send>,
}

static STOP: AtomicBool = AtomicBool::new(false);

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

fn listen() -> Result<()> {
    let mut signals =
        Signals::new(TERM_SIGNALS).map_err(|error| format!("cannot listen for Ctrl-C: {error}"))?;
    thread::spawn(move || {
        for _ in &mut signals {
            let is_second = STOP.swap(true, Ordering::Relaxed);
            if let Some(answers) = &*ANSWERS.lock().unwrap_or_else(PoisonError::into_inner) {
                match is_second {
                    false => (answers.first)(),
                    true => (answers.second)(),
                }
            }
            if is_second {
                process::exit(STATUS.into());
            }
        }
    });
    Ok(())
}

/// Lets a write past the limit on files fail, so that it ends as any other failed write does: with an error and
/// nothing half-written. The system would end the program in its midst.
pub fn outlive_file_limit() {
    // Where that cannot be had the program ends, as said: no reason to end it now.
    let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}
