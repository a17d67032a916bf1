//! Threads that sleep until somebody has work for them: who is asked, and how many there should be.
//!
//! The work is the caller's, on loan. A helper that comes when it is over finds nothing to do, and the caller has not
//! waited for it; so nobody ever waits for a thread that got no processor before it began.
//!
//! [`super::sync`] stands between this file and the standard library, so that a model checker can stand there too.

use std::time::Duration;

use super::sync::{AtomicUsize, Condvar, Loan, Mutex, Ordering::Relaxed};

/// A helper that has had nothing to do for so long leaves.
const PATIENCE: Duration = Duration::from_secs(1);

/// All of a process's helpers.
#[derive(Default)]
pub(crate) struct Pool {
    pub(super) state: Mutex<State>,
    pub(super) wake: Condvar,
    /// As many offers as there are, for those who look out for one without the lock.
    offered: AtomicUsize,
}

#[derive(Default)]
pub(super) struct State {
    /// One for each helper that is still to come.
    pub(super) offers: Vec<Loan>,
    /// How many helpers have been asked for, by all loans that are not over.
    pub(super) asked: usize,
    /// How many there are.
    pub(super) helpers: usize,
}

impl Pool {
    /// Asks `helpers` to take up the loan, and answers how many are to be started for that. Each that could not be is
    /// to be [`Pool::left`].
    pub(crate) fn ask(&self, loan: &Loan, helpers: usize) -> usize {
        let missing = self.change(|state| {
            state.offers.extend((0..helpers).map(|_| loan.clone()));
            state.asked += helpers;
            // As many as are asked for: those that seem idle may be, and may have others' offers to come to first.
            let missing = state.asked.saturating_sub(state.helpers);
            state.helpers += missing;
            missing
        });
        for _ in 0..helpers {
            self.wake.notify_one();
        }
        missing.unwrap_or(0)
    }

    /// A loan is over for which so many were asked.
    pub(crate) fn over(&self, helpers: usize) {
        self.change(|state| {
            state.asked -= helpers;
            state.offers.retain(|loan| !loan.is_over());
        });
    }

    /// A helper's life. It ends when there has been nothing to do for a while. Before it goes to sleep it looks out
    /// while there is no offer, as long as `look_out` likes.
    pub(crate) fn help(&self, look_out: impl Fn(&dyn Fn() -> bool)) {
        while let Some(loan) = self.next() {
            loan.run();
            drop(loan);
            look_out(&|| self.offered.load(Relaxed) == 0);
        }
    }

    /// A helper has not come into being.
    pub(crate) fn left(&self) {
        self.change(|state| state.helpers -= 1);
    }

    fn next(&self) -> Option<Loan> {
        let mut state = self.state.lock().ok()?;
        let mut patient = true;
        loop {
            if let Some(loan) = state.offers.pop() {
                self.offered.store(state.offers.len(), Relaxed);
                return Some(loan);
            }
            if !patient {
                state.helpers -= 1;
                return None;
            }
            let (woken, waited) = self.wake.wait_timeout(state, PATIENCE).ok()?;
            state = woken;
            patient = !waited.timed_out();
        }
    }

    /// `None`: somebody panicked while changing it, and it is not to be relied on.
    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> Option<T> {
        let mut state = self.state.lock().ok()?;
        let answer = change(&mut state);
        self.offered.store(state.offers.len(), Relaxed);
        Some(answer)
    }
}
