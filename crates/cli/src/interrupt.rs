//! Ctrl-C: once to stop in good order, twice to stop at once.
use std::{
    process,
    sync::atomic::{AtomicBool, Ordering},
};

use crate::Result;

/// What shells report of a program that Ctrl-C ended: 128 and the signal's number.
pub const STATUS: u8 = 130;

/// What becomes true when the user, or whoever ends the program, wants it to stop. `first` is called then.
pub fn flag(first: impl Fn() + Send + 'static) -> Result<&'static AtomicBool> {
    static STOP: AtomicBool = AtomicBool::new(false);
    ctrlc::set_handler(move || {
        if STOP.swap(true, Ordering::Relaxed) {
            process::exit(STATUS.into());
        }
        first();
    })
    .map_err(|error| format!("cannot listen for Ctrl-C: {error}"))?;
    Ok(&STOP)
}
