//! Other threads' help with a call, while it lasts.

use std::{
    hint::spin_loop,
    io, thread,
    time::{Duration, Instant},
};

use ciphertune_system::{Here, Loan, PerProcess, lend, without_signals};

use super::{
    pool::Pool,
    workers::{Permit, STACK, may_start},
};

/// Does `own`, while up to `helpers` more threads do `work`. Where none can be had there is `own` alone, so that it must
/// do whatever they leave.
pub(super) fn share(helpers: usize, work: impl Fn() + Sync, own: impl FnOnce()) {
    let Some(asked) = Asked::new(helpers) else {
        return own();
    };
    lend(&work, |loan| {
        asked.take_up(loan);
        own();
        look_out(|| loan.is_running());
    });
}

/// Those that sleep between calls. A forked child has none of them, and makes a pool of its own.
static POOL: PerProcess<Pool> = PerProcess::empty();

/// What one call asks of the pool.
struct Asked {
    pool: &'static Here<Pool>,
    /// For helpers at work. Those that sleep keep nobody from having threads.
    permits: Vec<Permit>,
}

impl Asked {
    fn new(helpers: usize) -> Option<Self> {
        let permits: Vec<_> = (0..helpers).map_while(|_| Permit::take()).collect();
        if permits.is_empty() {
            return None;
        }
        // First of all: to what comes next a sandbox may answer by killing the process.
        let make = || {
            may_start()
                .then(Pool::default)
                .ok_or(io::ErrorKind::PermissionDenied.into())
        };
        let pool = POOL.get_or_make(make).ok()?;
        Some(Self { pool, permits })
    }

    fn take_up(&self, loan: &Loan) {
        let Some(pool) = self.pool.get() else { return };
        let missing = pool.ask(loan, self.permits.len());
        if missing > 0 {
            let started = if may_start() { start(pool, missing) } else { 0 };
            (started..missing).for_each(|_| pool.left());
        }
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.get() {
            pool.over(self.permits.len());
        }
    }
}

/// Starts so many, or as many of them as can be had, and answers how many.
fn start(pool: &'static Pool, helpers: usize) -> usize {
    without_signals(|| {
        let start = |_: &usize| {
            thread::Builder::new()
                .name("ciphertune-pool".to_owned())
                .stack_size(STACK)
                .spawn(|| pool.help(|waits| look_out(waits)))
                .is_ok()
        };
        (0..helpers).take_while(start).count()
    })
}

/// How long a thread that waits for another one spins before it sleeps: the caller until helpers are done with their last
/// pieces, a helper until there is another call. To be woken takes as long as several pieces of fast code, and a good
/// part of what a helper gains (`docs/threads.md`).
const LOOKOUT: Duration = Duration::from_micros(50);

fn look_out(waits: impl Fn() -> bool) {
    let begun = Instant::now();
    while waits() && begun.elapsed() < LOOKOUT {
        spin_loop();
    }
}
