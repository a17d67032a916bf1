//! Work that threads may help with which outlive it.
//!
//! The work borrows what its owner has: a text, a key. A thread that was there before and stays there after cannot be
//! given that by the language's own rules, since it might go on with it. So it is lent: whoever has a [`Loan`] may run
//! the work while [`lend`] lasts, and `lend` does not return while anybody does. Who comes too late finds nothing, and
//! is not waited for.

use std::mem;

use super::sync::{
    Arc, AtomicBool, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
    Thread, current, park,
};

/// The right to run some work, as often as one likes, until its owner calls it back. Any thread may have one, for as
/// long as it likes.
#[derive(Clone)]
pub struct Loan(Arc<Shared>);

struct Shared {
    /// [`OVER`], and [`HELPER`] for each that runs it now.
    state: AtomicUsize,
    /// Whether one that ran it panicked.
    failed: AtomicBool,
    lender: Thread,
    /// A `W`.
    work: *const (),
    /// Runs a `W`.
    run: unsafe fn(*const ()),
}

/// Nobody may begin any more.
const OVER: usize = 1;
const HELPER: usize = 2;

// SAFETY: all but `work` can be sent and shared. `work` is only ever made a `&W` again, and `lend` asks that a `W` can
// be shared.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

/// Runs `own` with a loan of `work`, which is over when `own` ends: then nobody begins with it any more, and whoever is
/// running it is waited for.
///
/// # Panics
/// If the work did on another thread: it is not done.
pub fn lend<W: Fn() + Sync, T>(work: &W, own: impl FnOnce(&Loan) -> T) -> T {
    let loan = Loan(Arc::new(Shared {
        state: AtomicUsize::new(0),
        failed: AtomicBool::new(false),
        lender: current(),
        work: (&raw const *work).cast(),
        run: run::<W>,
    }));
    let back = CallBack(&loan.0);
    let answer = own(&loan);
    drop(back);
    assert!(!loan.0.failed.load(Relaxed), "a thread that helped has panicked");
    answer
}

/// # Safety
/// `work` points to a `W` that lives, and is not changed, until this returns.
unsafe fn run<W: Fn()>(work: *const ()) {
    // SAFETY: the caller's.
    let work = unsafe { &*work.cast::<W>() };
    work();
}

impl Loan {
    /// Runs the work, unless it has been called back.
    pub fn run(&self) {
        let shared = &*self.0;
        let begin = |state| (state & OVER == 0).then_some(state + HELPER);
        if shared.state.fetch_update(Relaxed, Relaxed, begin).is_err() {
            return;
        }
        let running = Running(shared);
        // SAFETY: `lend` made `work` of a reference to a `W`, and `run` is the one for that type. `lend` has not
        // returned, and does not, by a panic of its own neither, until its `CallBack` has seen that nobody is counted
        // any more; this thread is until `running` ends, and was before the loan was over. Ending releases what was
        // done here, and `CallBack` acquires it.
        unsafe { (shared.run)(shared.work) };
        running.well();
    }

    /// Whether the work has been called back.
    pub fn is_over(&self) -> bool {
        self.0.state.load(Relaxed) & OVER != 0
    }

    /// Whether anybody is running it now.
    pub fn is_running(&self) -> bool {
        self.0.state.load(Relaxed) >= HELPER
    }
}

/// Ends the loan when it is dropped.
struct CallBack<'a>(&'a Shared);

impl Drop for CallBack<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state.fetch_or(OVER, Acquire) | OVER;
        while state != OVER {
            park();
            state = self.0.state.load(Acquire);
        }
    }
}

/// One who runs the work. Dropped, by a panic, it has failed.
struct Running<'a>(&'a Shared);

impl Running<'_> {
    fn well(self) {
        self.end();
        mem::forget(self);
    }

    fn end(&self) {
        // The last one wakes an owner that waits, by a handle which is the loan's: the owner may be gone by then.
        if self.0.state.fetch_sub(HELPER, Release) == OVER + HELPER {
            self.0.lender.unpark();
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.failed.store(true, Relaxed);
        self.end();
    }
}
