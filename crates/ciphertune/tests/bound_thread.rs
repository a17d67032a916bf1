//! A thread that is bound to one processor, in a process that is not. A test alone, since other threads' helpers would help it.
#![cfg(target_os = "linux")]

#[path = "common/processors.rs"]
mod processors;

use ciphertune::{Ctr, Implementation, Threads};

use processors::{stay_here, threads};

/// Its helper would be bound to the same.
#[test]
fn a_thread_bound_to_one_processor_starts_no_other() {
    if Threads::available() == 0 {
        eprintln!("skipped: the process has one processor");
        return;
    }
    let apply = |rules| {
        let mut ctr = Ctr::with_implementation(Implementation::PORTABLE, &[1; 16], &[1; 16]).unwrap();
        ctr.set_threads(rules);
        ctr.apply(&mut vec![0; 4_000_000]).unwrap();
        threads()
    };
    let (stream, bulk) = (
        Threads::new(2).stream_after(0).bulk_from(usize::MAX),
        Threads::new(2).bulk_from(0),
    );
    let before = threads();
    std::thread::scope(|scope| {
        let bound = scope.spawn(|| {
            stay_here();
            [stream, bulk].map(apply)
        });
        assert_eq!(bound.join().unwrap(), [before + 1; 2]);
    });
    assert!(
        apply(bulk) > before,
        "nobody helps a thread that may run anywhere"
    );
}
