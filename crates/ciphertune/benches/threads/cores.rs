//! More cores than this machine has, in virtual time.
//!
//! It is the library's own bookkeeping ([`Window`]), and the rules of `ring.rs` by which consumer and workers use it;
//! only time is not real. What each step takes is measured here and now. Locks take none and cores share neither
//! clock nor caches: what comes out is what the scheme allows, not what memory does.

use crate::{
    stream::{Parts, slow_and_fast, with_chunks},
    window::{Claim, Found, Window},
};

const CHUNKS: usize = 8;

/// Nanoseconds from waking a worker until it works.
const WAKING: f64 = 30_000.0;

pub fn table() {
    println!(
        "| implementation | chunk | measured, one worker | 1 | 2 | 3 | 4 workers, simulated | no AES at all |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for implementation in slow_and_fast() {
        let parts = Parts::measure(implementation);
        for chunk in [16 << 10, 32 << 10, 64 << 10, 128 << 10] {
            let simulated = [1, 2, 3, 4].map(|workers| format!("{:.2}", gain(&parts, chunk as f64, workers)));
            println!(
                "| `{}` | {} KiB | {:.2} | {} | {:.2} |",
                implementation.name(),
                chunk >> 10,
                with_chunks(implementation, chunk, CHUNKS),
                simulated.join(" | "),
                (parts.aes + parts.hash) / (parts.hash + parts.xor)
            );
        }
    }
}

/// How much faster than alone a stream is with so many workers and chunks of `chunk` bytes.
fn gain(parts: &Parts, chunk: f64, workers: usize) -> f64 {
    const STEPS: u128 = 10_000;
    let mut simulation = Simulation {
        window: Window::new(0, vec![(); CHUNKS]),
        workers: vec![Worker::Asleep; workers],
        making: parts.aes * chunk,
        now: 0.0,
    };
    simulation.wake();
    let mut own = false;
    for number in 1..=STEPS {
        own = simulation.go_to(number, own);
        simulation.pass_time(if own { parts.xor } else { parts.aes } * chunk);
        simulation.pass_time(parts.hash * chunk);
    }
    STEPS as f64 * (parts.aes + parts.hash) * chunk / simulation.now
}

#[derive(Clone)]
enum Worker {
    Asleep,
    /// Until when it makes which chunk.
    Making(f64, u128),
}

struct Simulation {
    window: Window<()>,
    workers: Vec<Worker>,
    making: f64,
    now: f64,
}

impl Simulation {
    /// The consumer comes to a chunk; whether it was made ahead.
    fn go_to(&mut self, chunk: u128, own: bool) -> bool {
        if own {
            self.window.give_back(());
        }
        let mut found = self.window.go_to(chunk);
        if matches!(found, Found::Claimed) {
            if let Some(claim) = self.window.claim() {
                self.pass_time(self.making);
                self.window.finish(claim);
            }
            found = self.window.go_to(chunk);
        }
        if self.window.room() >= CHUNKS / 2 {
            self.wake();
        }
        matches!(found, Found::Made(()))
    }

    fn wake(&mut self) {
        for i in 0..self.workers.len() {
            if matches!(self.workers[i], Worker::Asleep) {
                self.claim(i, self.now + WAKING);
            }
        }
    }

    fn claim(&mut self, worker: usize, at: f64) {
        self.workers[worker] = match self.window.claim() {
            Some(Claim { chunk, .. }) => Worker::Making(at + self.making, chunk),
            None => Worker::Asleep,
        };
    }

    /// Lets everybody work for so long, in the order in which they are done.
    fn pass_time(&mut self, nanoseconds: f64) {
        self.now += nanoseconds;
        loop {
            let done = self
                .workers
                .iter()
                .enumerate()
                .filter_map(|(i, worker)| match *worker {
                    Worker::Making(until, chunk) if until <= self.now => Some((until, i, chunk)),
                    _ => None,
                });
            let Some((until, i, chunk)) = done.min_by(|a, b| a.0.total_cmp(&b.0)) else {
                return;
            };
            self.window.finish(Claim { chunk, buffer: () });
            self.claim(i, until);
        }
    }
}
