//! One long call, on one core and on two.

use std::{
    hint::spin_loop,
    sync::atomic::{
        AtomicUsize,
        Ordering::{Acquire, Release},
    },
    thread,
    time::Duration,
};

use ciphertune::{Ctr, Implementation, Threads};
use ciphertune_engine::probe::memory::Memory;

use crate::{lower_quartile, seconds};

const SIZES: [usize; 5] = [1 << 20, 4 << 20, 8 << 20, 16 << 20, 64 << 20];

/// A program does something else between two calls.
pub const PAUSE: Duration = Duration::from_millis(1);

pub fn table() {
    println!("GB/s, calls that follow each other at once, and the gain with 1 ms between them; the last");
    println!(
        "column is two threads that read, change and write that memory, or copy it, and do nothing else."
    );
    println!();
    println!("| implementation | MiB | | one thread | two | gain | after 1 ms | memory, two |");
    println!("|---|---|---|---|---|---|---|---|");
    let memory = Memory::widest();
    for name in ["portable", "ssse3", "aesni", "vaes512", "vaes512-r2"] {
        let Some(implementation) = Implementation::named(name).filter(|i| i.is_available()) else {
            continue;
        };
        let is_slow = ["portable", "ssse3"].contains(&name);
        for size in SIZES.into_iter().filter(|&size| !is_slow || size <= 4 << 20) {
            let mut serial = Ctr::with_implementation(implementation, &[1; 16], &[2; 16]).unwrap();
            let mut split = serial.clone();
            split.set_threads(Threads::new(1).bulk_from(1));
            let rounds = if is_slow {
                2
            } else {
                ((1 << 30) / size).clamp(4, 40)
            };
            let (mut input, mut output) = (vec![1; size], vec![1; size]);

            let mut at = |pause| {
                let one = |text: &mut [u8]| serial.apply(text).unwrap();
                let two = |text: &mut [u8]| split.apply(text).unwrap();
                in_rows(rounds, pause, &mut input, [&mut { one }, &mut { two }])
            };
            let (at_once, later) = (at(Duration::ZERO), at(PAUSE));
            let bound = both(&mut output, |half| memory.read_xor_write(half, 1));
            row(
                &format!("`{name}` | {} | in place", size >> 20),
                size,
                at_once,
                later,
                bound,
            );

            let mut at = |pause| {
                let one = |output: &mut [u8]| serial.apply_to(&input, output).unwrap();
                let two = |output: &mut [u8]| split.apply_to(&input, output).unwrap();
                in_rows(rounds, pause, &mut output, [&mut { one }, &mut { two }])
            };
            let (at_once, later) = (at(Duration::ZERO), at(PAUSE));
            let bound = both(&mut output, |half| memory.copy(&input[..half.len()], half, 1));
            row("| | apart", size, at_once, later, bound);
        }
    }
}

/// How much faster calls of 8 MiB are with a helper.
pub fn gain(implementation: Implementation, pause: Duration) -> f64 {
    let mut serial = Ctr::with_implementation(implementation, &[1; 16], &[2; 16]).unwrap();
    let mut split = serial.clone();
    split.set_threads(Threads::new(1).bulk_from(1));
    let one = |text: &mut [u8]| serial.apply(text).unwrap();
    let two = |text: &mut [u8]| split.apply(text).unwrap();
    let [one, two] = in_rows(3, pause, &mut vec![1; 8 << 20], [&mut { one }, &mut { two }]);
    one / two
}

fn row(what: &str, size: usize, at_once: [f64; 2], later: [f64; 2], bound: f64) {
    let rate = |seconds: f64| size as f64 / seconds / 1e9;
    let gain = |[one, two]: [f64; 2]| one / two;
    println!(
        "| {what} | {:.2} | {:.2} | {:.2} | {:.2} | {:.1} |",
        rate(at_once[0]),
        rate(at_once[1]),
        gain(at_once),
        gain(later),
        rate(bound)
    );
}

type Way<'a> = &'a mut dyn FnMut(&mut [u8]);

/// The seconds of a call each way, on the same text. Each has some in a row, of which the first does not count.
fn in_rows<const N: usize>(
    rounds: usize,
    pause: Duration,
    text: &mut [u8],
    mut ways: [Way<'_>; N],
) -> [f64; N] {
    let mut taken = [const { Vec::new() }; N];
    for _ in 0..rounds {
        for (way, taken) in ways.iter_mut().zip(&mut taken) {
            for n in 0..5 {
                thread::sleep(pause);
                let once = seconds(&mut || way(text));
                if n > 0 {
                    taken.push(once);
                }
            }
        }
    }
    taken.map(lower_quartile)
}

/// The seconds that two threads take, each for half of it. They spin until it begins.
fn both(text: &mut [u8], work: impl Fn(&mut [u8]) + Sync) -> f64 {
    const TIMES: usize = 20;
    let (go, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let wait = |of: &AtomicUsize, n| {
        while of.load(Acquire) < n {
            spin_loop();
        }
    };
    let middle = text.len() / 2;
    let (first, second) = text.split_at_mut(middle);
    thread::scope(|scope| {
        scope.spawn(|| {
            for n in 1..=TIMES {
                wait(&go, n);
                work(second);
                done.store(n, Release);
            }
        });
        let once = |n| {
            seconds(&mut || {
                go.store(n, Release);
                work(first);
                wait(&done, n);
            })
        };
        lower_quartile((1..=TIMES).map(once).collect())
    })
}
