//! What threads gain, and what bounds it: the tables of `docs/threads.md`.
//!
//! `cargo bench -p ciphertune --bench threads` prints them all; `-- stream`, or another name, prints that one alone.
//! With `CIPHERTUNE_CPU=-aes,-avx2` it prints them for a processor that lacks these.
//! Ways that are compared take turns. Of each the lower quartile counts, since what disturbs only ever slows.

// The library's own source: the size of chunks is no setting of it, and nobody but an experiment wants it to be.
#[path = "../../src/parallel/ring.rs"]
mod ring;
#[path = "../../src/parallel/window.rs"]
mod window;
/// What the ring is built on, as in the library.
mod sync {
    pub use std::sync::{Arc, Condvar, Mutex};

    pub use ciphertune_system::{Here, Secret};
}

mod bulk;
#[path = "../../tests/common/mod.rs"]
mod common;
mod cores;
mod cost;
mod stream;

use std::{env, time::Instant};

use ciphertune::{Ctr, Implementation, Threads};

use common::available;

fn main() {
    ciphertune::hide_features().expect("CIPHERTUNE_CPU names features");
    let wanted = env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let tables: [(&str, fn()); 7] = [
        ("stream", stream::implementations),
        ("chunks", stream::chunks),
        ("busy", stream::busy),
        ("bulk", bulk::table),
        ("cost", cost::table),
        ("helper", cost::helper),
        ("cores", cores::table),
    ];
    for (name, table) in tables {
        if wanted.as_ref().is_none_or(|wanted| wanted == name) {
            table();
            println!();
        }
    }
}

/// A stream with so many workers from its first byte on.
fn context(implementation: Implementation, workers: usize) -> Ctr {
    let mut ctr = Ctr::with_implementation(implementation, &[1; 16], &[2; 16]).unwrap();
    ctr.set_threads(Threads::new(workers).stream_after(0).bulk_from(usize::MAX));
    ctr
}

fn seconds(run: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}

/// The seconds that each way takes, in turns: the lower quartile of `times`.
fn in_turns<const N: usize>(times: usize, mut ways: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut taken = [const { Vec::new() }; N];
    for _ in 0..times {
        for (way, taken) in ways.iter_mut().zip(&mut taken) {
            taken.push(seconds(way));
        }
    }
    taken.map(lower_quartile)
}

fn lower_quartile(mut taken: Vec<f64>) -> f64 {
    taken.sort_by(f64::total_cmp);
    taken[taken.len() / 4]
}
