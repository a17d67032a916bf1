//! The ring of keystream chunks, and the pool of helpers with the work that is lent to them, in every order in which their
//! threads can run.
//!
//! It is the library's own source, on the model checker's locks. A model has as many threads and chunks as can be gone
//! through, and the checker tries all interleavings (up to three preemptions of a thread that could have gone on). It
//! finds a thread that sleeps for ever, since then the model does not end; each source checks that no chunk is made
//! twice and each consumer that it gets the chunk that it asked for. Work that is lent touches what the checker watches:
//! whoever does so once it is over, or beside the owner, is found.

#[path = "../../../crates/system/src/loan.rs"]
mod loan;
#[path = "../../../crates/ciphertune/src/parallel/pool.rs"]
mod pool;
#[path = "../../../crates/ciphertune/src/parallel/ring.rs"]
mod ring;
#[path = "../../../crates/ciphertune/src/parallel/window.rs"]
mod window;

/// What these are built on, of the checker's kind.
mod sync {
    use std::{cell::Cell, sync::LockResult, time::Duration};

    pub use loom::{
        sync::{
            Arc, Mutex, MutexGuard,
            atomic::{AtomicBool, AtomicUsize, Ordering},
        },
        thread::{Thread, current, park},
    };

    pub use crate::loan::Loan;

    /// The checker's never wakes by itself. This one does from when on it is told.
    #[derive(Default)]
    pub struct Condvar {
        inner: loom::sync::Condvar,
        late: Cell<bool>,
    }

    pub struct Waited {
        late: bool,
    }

    impl Waited {
        pub fn timed_out(&self) -> bool {
            self.late
        }
    }

    impl Condvar {
        pub fn new() -> Self {
            Self::default()
        }

        pub fn wait_timeout<'a, T>(
            &self,
            mut guard: MutexGuard<'a, T>,
            _patience: Duration,
        ) -> LockResult<(MutexGuard<'a, T>, Waited)> {
            if !self.late.get() {
                guard = self.inner.wait(guard).unwrap();
            }
            let late = self.late.get();
            Ok((guard, Waited { late }))
        }

        pub fn notify_one(&self) {
            self.inner.notify_one();
        }

        pub fn notify_all(&self) {
            self.inner.notify_all();
        }

        /// Everybody's patience is over. The guard is that of what they wait for.
        pub fn time_out<T>(&self, _guard: &MutexGuard<'_, T>) {
            self.late.set(true);
            self.inner.notify_all();
        }
    }

    /// Nothing forks in a model.
    pub struct Here<T>(T);

    impl<T> Here<T> {
        pub fn new(value: T) -> std::io::Result<Self> {
            Ok(Self(value))
        }

        pub fn get(&self) -> Option<&T> {
            Some(&self.0)
        }
    }

    /// Nor does it here.
    pub struct Secret<T: ?Sized>(Box<T>);

    impl Secret<[u8]> {
        pub fn zeroed(len: usize) -> Self {
            Self(vec![0; len].into())
        }
    }

    impl<T: ?Sized> Secret<T> {
        pub fn get(&self) -> Option<&T> {
            Some(&self.0)
        }

        pub fn get_mut(&mut self) -> Option<&mut T> {
            Some(&mut self.0)
        }
    }
}

use std::time::Instant;

use loan::{Loan, lend};
use loom::{
    cell::UnsafeCell,
    sync::{Arc, Condvar, Mutex},
    thread,
};
use pool::Pool;
use ring::{Ahead, Ring, Source};
use sync::Secret;

/// The chunks that were made, in the order in which they were begun, and a bell for whoever waits for one.
#[derive(Default)]
struct Made {
    chunks: Mutex<Vec<u128>>,
    bell: Condvar,
}

/// Says what it makes. Between two jumps of the consumer no chunk may be made twice.
#[derive(Clone)]
struct Maker {
    made: Arc<Made>,
    twice: bool,
}

impl Source for Maker {
    fn make(&mut self, chunk: u128, bytes: &mut [u8]) {
        bytes.fill(chunk as u8);
        let mut chunks = self.made.chunks.lock().unwrap();
        assert!(
            self.twice || !chunks.contains(&chunk),
            "chunk {chunk} is made twice"
        );
        chunks.push(chunk);
        self.made.bell.notify_all();
    }
}

impl Maker {
    fn wait_for(&self, chunk: u128) {
        let mut chunks = self.made.chunks.lock().unwrap();
        while !chunks.contains(&chunk) {
            chunks = self.made.bell.wait(chunks).unwrap();
        }
    }
}

/// A ring in chunk 0 of so many chunks, and its workers.
fn ring(chunks: usize, workers: usize, twice: bool) -> (Ring, Maker, Vec<thread::JoinHandle<()>>) {
    let buffers = (0..chunks).map(|_| Secret::zeroed(1)).collect();
    let ring = Ring::new(0, buffers).unwrap();
    let maker = Maker {
        made: Arc::new(Made::default()),
        twice,
    };
    let threads = (0..workers).map(|_| {
        let (worker, maker) = (ring.worker(), maker.clone());
        thread::spawn(move || worker.run(maker))
    });
    let threads = threads.collect();
    (ring, maker, threads)
}

/// The consumer comes to a chunk, and what it gets is that chunk.
fn go_to(ring: &mut Ring, maker: &mut Maker, chunk: u128) {
    match ring.ahead(chunk, maker) {
        Ahead::Made(bytes) => assert_eq!(bytes, [chunk as u8]),
        Ahead::Nothing => {}
        Ahead::Over => panic!("nobody has ended it"),
    }
}

/// A consumer that goes on, and stops: whatever the order, the workers go on making what there is room for. That they
/// end with the ring is shown by the end of the model.
fn goes_on(chunks: usize, workers: usize, steps: u128) {
    let (mut ring, mut maker, threads) = ring(chunks, workers, false);
    for chunk in 1..=steps {
        go_to(&mut ring, &mut maker, chunk);
    }
    // One of the buffers may be the consumer's. Another one is free or made ahead.
    maker.wait_for(steps + 1);
    drop(ring);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// A consumer that jumps while chunks are being made which it does not want any more.
fn jumps(chunks: usize, workers: usize, to: &[u128]) {
    let (mut ring, mut maker, threads) = ring(chunks, workers, true);
    for &chunk in to {
        go_to(&mut ring, &mut maker, chunk);
    }
    maker.wait_for(to[to.len() - 1] + 1);
    drop(ring);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// A ring that is dropped at any time, and workers that hear of it wherever they are.
fn is_dropped(chunks: usize, workers: usize) {
    let (mut ring, mut maker, threads) = ring(chunks, workers, false);
    go_to(&mut ring, &mut maker, 1);
    drop(ring);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// Workers that leave for want of work while the consumer goes on: it gets what it asks for, or hears that the ring is
/// over, as it is when all have left. That they do, though nobody drops the ring, is shown by the end of the model.
fn is_left(chunks: usize, workers: usize, steps: u128) {
    let (mut ring, mut maker, threads) = ring(chunks, workers, false);
    let leaving = {
        let shared = ring.shared.clone();
        thread::spawn(move || {
            let shared = shared.get().unwrap();
            shared.wake.time_out(&shared.ring.lock().unwrap());
        })
    };
    for chunk in 1..=steps {
        match ring.ahead(chunk, &mut maker) {
            Ahead::Made(bytes) => assert_eq!(bytes, [chunk as u8]),
            Ahead::Nothing => {}
            Ahead::Over => break,
        }
    }
    leaving.join().unwrap();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert!(matches!(ring.ahead(steps + 1, &mut maker), Ahead::Over));
}

/// Work in pieces which the checker watches, and a bell for whoever waits until somebody has done one.
struct Work {
    left: Mutex<usize>,
    bell: Condvar,
    pieces: Vec<UnsafeCell<usize>>,
}

// SAFETY: a piece is touched by whoever took it, or else by the owner alone; that it is so is what is to be shown.
unsafe impl Sync for Work {}

impl Work {
    fn new(pieces: usize) -> Self {
        Self {
            left: Mutex::new(pieces),
            bell: Condvar::new(),
            pieces: (0..pieces).map(|_| UnsafeCell::new(0)).collect(),
        }
    }

    /// Does what is left, or one piece of it.
    fn run(&self, most: usize) {
        for _ in 0..most {
            let mut left = self.left.lock().unwrap();
            if *left == 0 {
                return;
            }
            *left -= 1;
            let piece = *left;
            drop(left);
            // SAFETY: nobody else has got this number.
            self.pieces[piece].with_mut(|piece| unsafe { *piece += 1 });
            self.bell.notify_all();
        }
    }

    /// Waits until no more than so many are left.
    fn wait_for(&self, most: usize) {
        let mut left = self.left.lock().unwrap();
        while *left > most {
            left = self.bell.wait(left).unwrap();
        }
    }

    /// The owner has it back: what was begun is done, and nobody touches it any more.
    fn end(self, done: usize) {
        for (number, piece) in self.pieces.iter().enumerate() {
            let was_begun = number >= self.pieces.len() - done;
            // SAFETY: it is the owner's.
            piece.with_mut(|piece| assert_eq!(unsafe { *piece }, usize::from(was_begun)));
        }
    }
}

/// Work of two pieces that is lent to so many threads, of which each comes whenever it likes, and as often. The owner does
/// what is left, or nothing.
fn is_lent(helpers: usize, own: usize) {
    let work = Work::new(2);
    let help = |loan: Loan| move || loan.run();
    let (loan, threads) = lend(&|| work.run(1), |loan| {
        let threads = (0..helpers).map(|_| thread::spawn(help(loan.clone())));
        let threads: Vec<_> = threads.collect();
        work.run(own);
        (loan.clone(), threads)
    });
    assert!(loan.is_over() && !loan.is_running());
    let done = 2 - *work.left.lock().unwrap();
    work.end(done);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// One call that asks the pool for helpers, and starts those that are missing. It waits until they have come, which they
/// do even if the owner never gets to anything itself.
fn call(pool: &Arc<Pool>, helpers: usize) -> Vec<thread::JoinHandle<()>> {
    let work = Work::new(helpers);
    let started = lend(&|| work.run(1), |loan| {
        let missing = pool.ask(loan, helpers);
        let helper = |pool: Arc<Pool>| move || pool.help(|_| {});
        let started = (0..missing)
            .map(|_| thread::spawn(helper(pool.clone())))
            .collect();
        work.wait_for(0);
        started
    });
    pool.over(helpers);
    work.end(helpers);
    started
}

/// Helpers leave that have nothing to do; and then nothing is left of them in the books.
fn leave(pool: &Pool) {
    let state = pool.state.lock().unwrap();
    pool.wake.time_out(&state);
}

fn nobody_is_left(pool: &Pool, helpers: Vec<thread::JoinHandle<()>>) {
    helpers.into_iter().for_each(|thread| thread.join().unwrap());
    let state = pool.state.lock().unwrap();
    assert_eq!((state.offers.len(), state.asked, state.helpers), (0, 0, 0));
}

/// Calls in a row, of so many helpers.
fn calls(helpers: &[usize]) {
    let pool = Arc::new(Pool::default());
    let threads = helpers.iter().flat_map(|&helpers| call(&pool, helpers)).collect();
    leave(&pool);
    nobody_is_left(&pool, threads);
}

/// Two calls at once.
fn calls_at_once() {
    let pool = Arc::new(Pool::default());
    let other = {
        let pool = pool.clone();
        thread::spawn(move || call(&pool, 1))
    };
    let mut threads = call(&pool, 1);
    threads.extend(other.join().unwrap());
    leave(&pool);
    nobody_is_left(&pool, threads);
}

/// A call while those leave who helped with the one before.
fn call_when_helpers_leave() {
    let pool = Arc::new(Pool::default());
    let mut threads = call(&pool, 1);
    let leaving = {
        let pool = pool.clone();
        thread::spawn(move || leave(&pool))
    };
    threads.extend(call(&pool, 1));
    leaving.join().unwrap();
    nobody_is_left(&pool, threads);
}

/// A call whose owner does it all, by helpers that come in time or do not. More cannot be had.
fn call_alone(pool: &Pool, helpers: usize) {
    let work = Work::new(1);
    lend(&|| work.run(1), |loan| {
        let missing = pool.ask(loan, helpers);
        work.run(1);
        (0..missing).for_each(|_| pool.left());
    });
    pool.over(helpers);
    work.end(1);
}

fn calls_that_nobody_waits_for() {
    let pool = Arc::new(Pool::default());
    let mut threads = call(&pool, 1);
    call_alone(&pool, 1);
    call_alone(&pool, 2);
    threads.extend(call(&pool, 1));
    leave(&pool);
    nobody_is_left(&pool, threads);
}

fn calls_without_a_thread() {
    let pool = Pool::default();
    call_alone(&pool, 1);
    call_alone(&pool, 2);
    nobody_is_left(&pool, Vec::new());
}

fn check(name: &str, model: impl Fn() + Sync + Send + 'static) {
    let start = Instant::now();
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
    println!("loom: passed: {name}, {:.1} s", start.elapsed().as_secs_f64());
}

fn main() {
    check("one worker, two chunks, going on", || goes_on(2, 1, 3));
    check("one worker, three chunks, going on", || goes_on(3, 1, 4));
    check("two workers, four chunks, going on", || goes_on(4, 2, 2));
    check("one worker, two chunks, jumping", || jumps(2, 1, &[1, 5, 2]));
    check("two workers, four chunks, jumping", || jumps(4, 2, &[7, 3]));
    check("one worker, two chunks, dropped", || is_dropped(2, 1));
    check("two workers, four chunks, dropped", || is_dropped(4, 2));
    check("one worker, two chunks, left", || is_left(2, 1, 2));
    check("two workers, four chunks, left", || is_left(4, 2, 1));
    check("one helper, on loan", || is_lent(1, 2));
    check("two helpers, on loan", || is_lent(2, 2));
    check("two helpers, on loan, the owner does nothing", || is_lent(2, 0));
    check("one helper, three calls in a row", || calls(&[1, 1, 1]));
    check("two helpers, then one", || calls(&[2, 1]));
    check("one helper, then two", || calls(&[1, 2]));
    check("two helpers, twice", || calls(&[2, 2]));
    check("two calls at once", calls_at_once);
    check("a call when helpers leave", call_when_helpers_leave);
    check("calls that nobody waits for", calls_that_nobody_waits_for);
    check("calls without a thread", calls_without_a_thread);
}
