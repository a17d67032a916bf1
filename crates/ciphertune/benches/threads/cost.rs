//! What a ring costs besides: its start, its memory, and doing nothing.

use std::{fs, thread, time::Duration};

use ciphertune::Implementation;

use crate::{context, seconds};

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

    thread::sleep(Duration::from_millis(100));
    let before = processor_time();
    thread::sleep(Duration::from_millis(500));
    println!(
        "processor time of an idle stream in half a second: {} us",
        (processor_time() - before) / 1000
    );
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
    let main = std::process::id().to_string();
    let tasks = fs::read_dir("/proc/self/task").unwrap().map(Result::unwrap);
    tasks
        .filter(|task| *task.file_name() != *main)
        .map(|task| fs::read_to_string(task.path().join("schedstat")).unwrap())
        .map(|line| line.split(' ').next().unwrap().parse::<u64>().unwrap())
        .sum()
}
