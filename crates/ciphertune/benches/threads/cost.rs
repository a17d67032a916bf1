//! What ring and helpers cost besides: their start, their memory, and doing nothing.

use std::{
    fs,
    hint::spin_loop,
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

use ciphertune::{Ctr, Implementation, Threads};

use crate::{context, in_turns, seconds};

pub fn table() {
    // The call that starts the ring: 16 bytes, which by themselves are nothing to it.
    let mut starts = Vec::new();
    for _ in 0..50 {
        let mut ctr = context(Implementation::PORTABLE, 1);
        starts.push(seconds(&mut || ctr.apply(&mut [0; 16]).unwrap()));
        drop(ctr);
        // The worker's end, so that the next one is not one too many.
        thread::sleep(Duration::from_millis(5));
    }
    starts.sort_by(f64::total_cmp);
    println!(
        "start of the ring: median {:.0} us, worst {:.0} us",
        starts[25] * 1e6,
        starts[49] * 1e6
    );

    let before = mapped();
    let mut ctr = context(Implementation::PORTABLE, 1);
    for _ in 0..100 {
        ctr.apply(&mut [0; 32 << 10]).unwrap();
    }
    println!(
        "memory of a ring: {} KiB, its threads' stacks included",
        mapped() - before
    );

    println!("processor time of an idle stream in half a second: {} us", idle());
    drop(ctr);
    thread::sleep(Duration::from_millis(5));

    let mut ctr = Ctr::with_implementation(Implementation::PORTABLE, &[1; 16], &[2; 16]).unwrap();
    ctr.set_threads(Threads::new(1));
    ctr.apply(&mut vec![0; 1 << 20]).unwrap();
    println!(
        "processor time of a helper that sleeps in half a second: {} us",
        idle()
    );
    thread::sleep(Duration::from_secs(1));
    println!(
        "threads besides the main one after a second: {}",
        others().count()
    );
}

/// Processor time of all threads but the one that asks, in microseconds.
fn idle() -> u64 {
    thread::sleep(Duration::from_millis(100));
    let before = processor_time();
    thread::sleep(Duration::from_millis(500));
    (processor_time() - before) / 1000
}

/// What it would cost to start a thread for a call: pieces of work that are nothing but time.
pub fn helper() {
    const PIECES: usize = 64;
    let pieces = AtomicUsize::new(0);
    let work = || {
        while pieces.fetch_add(1, Relaxed) < PIECES {
            pass(Duration::from_micros(6));
        }
    };
    let helped = |looks_out: bool| {
        pieces.store(0, Relaxed);
        thread::scope(|scope| {
            let helper = scope.spawn(work);
            work();
            while looks_out && !helper.is_finished() {
                spin_loop();
            }
        });
    };
    let taken = in_turns(
        400,
        [
            &mut || {
                pieces.store(0, Relaxed);
                work();
            },
            &mut || helped(false),
            &mut || helped(true),
        ],
    );
    let [alone, sleeping, looking] = taken.map(|seconds| seconds * 1e6);
    println!(
        "work of {alone:.0} us with a helper: {sleeping:.0} us if the caller sleeps, {looking:.0} us if it looks out"
    );

    let mut starts = Vec::new();
    for _ in 0..400 {
        let begin = Instant::now();
        let (mut cost, mut delay) = (Duration::ZERO, Duration::ZERO);
        thread::scope(|scope| {
            scope.spawn(|| delay = begin.elapsed());
            cost = begin.elapsed();
            pass(Duration::from_micros(300));
        });
        starts.push((cost, delay));
        thread::sleep(Duration::from_micros(200));
    }
    let median = |part: fn(&(Duration, Duration)) -> Duration| {
        let mut parts: Vec<_> = starts.iter().map(part).collect();
        parts.sort();
        parts[parts.len() / 2].as_micros()
    };
    println!(
        "a thread's start: {} us of the caller's, and it works after {} us",
        median(|start| start.0),
        median(|start| start.1)
    );
}

fn pass(time: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < time {
        spin_loop();
    }
}

/// Address space in KiB.
fn mapped() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmSize:"))
        .unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Of all threads but the one that asks, in nanoseconds.
fn processor_time() -> u64 {
    others()
        .map(|task| fs::read_to_string(task.join("schedstat")).unwrap())
        .map(|line| line.split(' ').next().unwrap().parse::<u64>().unwrap())
        .sum()
}

fn others() -> impl Iterator<Item = PathBuf> {
    let main = std::process::id().to_string();
    let tasks = fs::read_dir("/proc/self/task").unwrap().map(Result::unwrap);
    tasks
        .filter(move |task| *task.file_name() != *main)
        .map(|task| task.path())
}
