//! The ring of keystream chunks in every order in which its threads can run.
//!
//! It is the library's own source, on the model checker's locks. A model has as many threads and chunks as can be gone
//! through, and the checker tries all interleavings (up to three preemptions of a thread that could have gone on). It
//! finds a thread that sleeps for ever, since then the model does not end; each source checks that no chunk is made
//! twice and each consumer that it gets the chunk that it asked for.

#[path = "../../../crates/ciphertune/src/parallel/ring.rs"]
mod ring;
#[path = "../../../crates/ciphertune/src/parallel/window.rs"]
mod window;

/// What the ring is built on, of the checker's kind.
mod sync {
    pub use loom::sync::{Arc, Condvar, Mutex};

    /// Nothing forks in a model.
    pub struct Secret<T: ?Sized>(Box<T>);

    impl<T> Secret<T> {
        pub fn new(value: T) -> std::io::Result<Self> {
            Ok(Self(Box::new(value)))
        }
    }

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

use loom::{
    sync::{Arc, Condvar, Mutex},
    thread,
};
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
}
