//! A ring of keystream chunks between one consumer and its workers.
//!
//! ```text
//!   consumer ──► chunk 7       8        9       10       11
//!                encrypts    made     made    worker   free
//!                directly                     makes it
//! ```
//!
//! Workers make the chunks to come, in order, and sleep when all memory is full. **The consumer never waits for a
//! chunk**: what is made it takes, what nobody has claimed it encrypts directly, and while somebody is still making
//! what it needs it makes a later one itself, once; is the chunk still not there, its maker has probably lost its
//! processor, and the consumer encrypts directly what is made in vain. Nor does it wait for a worker to end: whoever
//! is last wipes. The lock is held for bookkeeping alone, some twenty times for each MiB.
//!
//! All that is shared, the lock included, is [`Here`] alone, and keystream lies in [`Secret`]s: a forked child can
//! neither wait for a lock that nobody will release nor read keystream.
//!
//! [`super::sync`] stands between this file and the standard library, so that a model checker can stand there too.

use std::{io, time::Duration};

use super::{
    sync::{Arc, Condvar, Here, Mutex, Secret},
    window::{Claim, Found, Window},
};

/// Makes keystream.
pub(crate) trait Source {
    /// Fills `bytes` with all of the keystream of `chunk`.
    fn make(&mut self, chunk: u128, bytes: &mut [u8]);
}

/// A chunk's memory.
pub(crate) type Buffer = Secret<[u8]>;

/// A worker that has had nothing to do for so long leaves. When the last one does, the ring is over: an idle stream
/// holds no thread, and of the ring's memory no more than the chunk that it stands in.
const PATIENCE: Duration = Duration::from_secs(1);

/// The consumer's end of a ring. Dropping it ends the ring.
pub(crate) struct Ring {
    pub(super) shared: Arc<Here<Shared>>,
    /// Where the consumer is.
    chunk: u128,
    /// The keystream of `chunk`, if it was made ahead.
    made: Option<Buffer>,
}

pub(super) struct Shared {
    pub(super) ring: Mutex<State>,
    pub(super) wake: Condvar,
}

pub(super) struct State {
    /// `None` when the ring is over.
    window: Option<Window<Buffer>>,
    /// Sleeping workers are woken when there is room for so many chunks, so that a consumer which is the slower one
    /// does not have to wake a worker for each chunk.
    enough_room: usize,
    workers: usize,
    asleep: usize,
}

/// What there is for the consumer in a chunk.
pub(crate) enum Ahead<'a> {
    /// All of its keystream.
    Made(&'a [u8]),
    /// Nothing: it is to be encrypted directly.
    Nothing,
    /// Nothing more ever: workers have left for want of work, or are not in this process.
    Over,
}

impl Ring {
    /// A ring of these buffers, all of the length of a chunk, for a consumer in `chunk`. There should be at least two
    /// for each worker.
    pub(crate) fn new(chunk: u128, buffers: Vec<Buffer>) -> io::Result<Self> {
        let shared = Shared {
            ring: Mutex::new(State {
                enough_room: buffers.len().div_ceil(2),
                window: Some(Window::new(chunk, buffers)),
                workers: 0,
                asleep: 0,
            }),
            wake: Condvar::new(),
        };
        Ok(Self {
            shared: Arc::new(Here::new(shared)?),
            chunk,
            made: None,
        })
    }

    /// One more worker, to be run on a thread of its own.
    pub(crate) fn worker(&self) -> Worker {
        if let Some(shared) = self.shared.get() {
            shared.change(|state| state.workers += 1);
        }
        Worker(self.shared.clone())
    }

    /// What there is in `chunk`, where the consumer is now. `source` makes the same keystream as the workers'.
    #[inline]
    pub(crate) fn ahead(&mut self, chunk: u128, source: &mut impl Source) -> Ahead<'_> {
        if chunk != self.chunk && self.go_to(chunk, source).is_none() {
            return Ahead::Over;
        }
        match &self.made {
            None => Ahead::Nothing,
            Some(buffer) => buffer.get().map_or(Ahead::Over, Ahead::Made),
        }
    }

    /// `None`: the ring is over.
    fn go_to(&mut self, chunk: u128, source: &mut impl Source) -> Option<()> {
        let shared = self.shared.get()?;
        let mut left = self.made.take();
        // Used keystream would tell what it was added to. The buffer is read again elsewhere, so nothing is left out.
        if let Some(used) = left.as_mut().and_then(Buffer::get_mut) {
            used.fill(0);
        }
        self.chunk = chunk;
        let (found, helping) = shared.change(|state| {
            let window = state.window.as_mut()?;
            left.into_iter().for_each(|buffer| window.give_back(buffer));
            let found = window.go_to(chunk);
            let helping = matches!(found, Found::Claimed).then(|| window.claim());
            Some((found, helping))
        })??;
        self.made = match (found, helping) {
            (Found::Made(buffer), _) => Some(buffer),
            (Found::Unclaimed, _) => None,
            (Found::Claimed, helping) => {
                let helped = helping.flatten().map(|claim| make(claim, source));
                shared.change(|state| {
                    let window = state.window.as_mut()?;
                    helped.into_iter().for_each(|claim| window.finish(claim));
                    Some(match window.go_to(chunk) {
                        Found::Made(buffer) => Some(buffer),
                        Found::Unclaimed | Found::Claimed => None,
                    })
                })??
            }
        };
        Some(())
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.get() {
            shared.end();
        }
    }
}

/// One of those who make keystream ahead.
pub(crate) struct Worker(Arc<Here<Shared>>);

impl Worker {
    /// Works until the ring is over.
    pub(crate) fn run(self, mut source: impl Source) {
        let Some(shared) = self.0.get() else { return };
        let mut made = None;
        while let Some(claim) = shared.next(made) {
            made = Some(make(claim, &mut source));
        }
    }
}

/// Without workers a ring is over.
impl Drop for Worker {
    fn drop(&mut self) {
        let Some(shared) = self.0.get() else { return };
        let left = shared.change(|state| {
            state.workers -= 1;
            state.workers
        });
        if left == Some(0) {
            shared.end();
        }
    }
}

fn make(mut claim: Claim<Buffer>, source: &mut impl Source) -> Claim<Buffer> {
    if let Some(bytes) = claim.buffer.get_mut() {
        source.make(claim.chunk, bytes);
    }
    claim
}

impl Shared {
    /// Changes the bookkeeping, and wakes whoever has something to do then. `None`: somebody panicked while changing
    /// it, and it is not to be relied on.
    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> Option<T> {
        let mut state = self.ring.lock().ok()?;
        let answer = change(&mut state);
        let room = state.window.as_ref().map(Window::room);
        let wake = state.asleep > 0 && room.is_none_or(|room| room >= state.enough_room);
        drop(state);
        if wake {
            self.wake.notify_all();
        }
        Some(answer)
    }

    /// A worker's next claim, once it has `made` its last one. `None`: there is nothing more to do.
    fn next(&self, made: Option<Claim<Buffer>>) -> Option<Claim<Buffer>> {
        let mut state = self.ring.lock().ok()?;
        if let Some(claim) = made {
            state.window.as_mut()?.finish(claim);
        }
        loop {
            if let Some(claim) = state.window.as_mut()?.claim() {
                return Some(claim);
            }
            state.asleep += 1;
            let (woken, waited) = self.wake.wait_timeout(state, PATIENCE).ok()?;
            state = woken;
            state.asleep -= 1;
            if waited.timed_out() && state.window.as_ref()?.room() == 0 {
                return None;
            }
        }
    }

    /// The ring is over. Memory that nobody is working in is wiped and given back.
    fn end(&self) {
        let window = self.change(|state| state.window.take());
        // Not under the lock.
        drop(window);
    }
}
