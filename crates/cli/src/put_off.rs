//! Signals that are to end this program, put off until what it has begun is cleared away.
use std::{
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use signal_hook::{flag, low_level::emulate_default_handler};

use crate::interrupt;

/// As long as there is one, such a signal is kept; with the last it ends this program, by its own way.
pub struct PutOff(());

/// They are heard from the first on, as no signal that was ever heard can be left to the system again.
struct Heard {
    put_off: usize,
    /// Whether they end this program when they come.
    at_once: Arc<AtomicBool>,
    /// The last that came; 0 for none.
    came: Arc<AtomicUsize>,
}

static HEARD: Mutex<Option<Heard>> = Mutex::new(None);

fn heard() -> MutexGuard<'static, Option<Heard>> {
    HEARD.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Heard {
    fn begin() -> io::Result<Self> {
        let begun = Self {
            put_off: 0,
            at_once: Arc::new(AtomicBool::new(true)),
            came: Arc::default(),
        };
        for signal in interrupt::ending() {
            flag::register_usize(signal, begun.came.clone(), signal as usize)?;
            flag::register_conditional_default(signal, begun.at_once.clone())?;
        }
        Ok(begun)
    }
}

impl PutOff {
    pub fn new() -> io::Result<Self> {
        let mut heard = heard();
        let heard = match &mut *heard {
            Some(heard) => heard,
            none => none.insert(Heard::begin()?),
        };
        heard.put_off += 1;
        heard.at_once.store(false, Ordering::SeqCst);
        Ok(Self(()))
    }

    /// Whether there is a signal that is put off.
    pub fn has_come(&self) -> bool {
        heard()
            .as_ref()
            .is_some_and(|heard| heard.came.load(Ordering::SeqCst) != 0)
    }

    /// Forgets it, for who has answered it otherwise.
    pub fn forget(&self) {
        if let Some(heard) = &*heard() {
            heard.came.store(0, Ordering::SeqCst);
        }
    }
}

impl Drop for PutOff {
    fn drop(&mut self) {
        let mut heard = heard();
        let Some(heard) = &mut *heard else { return };
        heard.put_off -= 1;
        if heard.put_off > 0 {
            return;
        }
        // First, or else one that comes in between would be lost.
        heard.at_once.store(true, Ordering::SeqCst);
        let came = heard.came.swap(0, Ordering::SeqCst);
        if came != 0 {
            // It fails of signals that there are not.
            let _ = emulate_default_handler(came as i32);
        }
    }
}
