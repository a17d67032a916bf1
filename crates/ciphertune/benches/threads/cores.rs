//! More cores than this machine has, in virtual time.
//!
//! It is the library's own bookkeeping ([`Window`]), and the rules of `ring.rs` by which consumer and workers use it;
//! only time is not real. What each step takes is measured here and now. Locks take none and cores share neither
//! clock nor caches: what comes out is what the scheme allows, not what memory does.

use ciphertune::Implementation;

use crate::{
    stream::Parts,
    window::{Claim, Found, Window},
};

const CHUNK: f64 = 65_536.0;
const CHUNKS: usize = 8;

/// Nanoseconds from waking a worker until it works.
const WAKING: f64 = 30_000.0;

pub fn table() {
    println!("| implementation | measured, one worker | 1 | 2 | 3 | 4 workers, simulated | no AES at all |");
    println!("|---|---|---|---|---|---|---|");
    for name in ["portable", "aesni"] {
        let Some(implementation) = Implementation::named(name).filter(|i| i.is_available()) else {
            continue;
        };
        let parts = Parts::measure(implementation);
        let simulated = [1, 2, 3, 4].map(|workers| format!("{:.2}", gain(&parts, workers)));
        println!(
            "| `{name}` | {:.2} | {} | {:.2} |",
            parts.gain(),
            simulated.join(" | "),
            (parts.aes + parts.hash) / (parts.hash + parts.xor)
        );
    }
}

/// How much faster than alone a stream is with so many workers.
fn gain(parts: &Parts, workers: usize) -> f64 {
    const STEPS: u128 = 10_000;
    let mut simulation = Simulation {
        window: Window::new(0, vec![(); CHUNKS]),
        workers: vec![Worker::Asleep; workers],
        making: parts.aes * CHUNK,
        now: 0.0,
    };
    simulation.wake();
    let mut own = false;
    for chunk in 1..=STEPS {
        own = simulation.go_to(chunk, own);
        simulation.pass_time(if own { parts.xor } else { parts.aes } * CHUNK);
        simulation.pass_time(parts.hash * CHUNK);
    }
    STEPS as f64 * (parts.aes + parts.hash) * CHUNK / simulation.now
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
