//! On a single processor there is nobody to help. A test alone, since a process counts its processors once.
#![cfg(target_os = "linux")]

use std::{fs, mem};

use ciphertune::{Ctr, Implementation, Threads};

#[test]
fn a_process_bound_to_one_processor_starts_no_thread() {
    // SAFETY: an empty set is valid, and the calls are given one and its size. Threads of this process that are there
    // already are not changed.
    unsafe {
        let mut one: libc::cpu_set_t = mem::zeroed();
        libc::CPU_SET(libc::sched_getcpu().try_into().unwrap(), &mut one);
        assert_eq!(libc::sched_setaffinity(0, size_of_val(&one), &one), 0);
    }
    let before = fs::read_dir("/proc/self/task").unwrap().count();
    let (mut data, mut expected) = (vec![0; 1_000_000], vec![0; 1_000_000]);
    for threads in [
        Threads::new(2).stream_after(0).bulk_from(usize::MAX),
        Threads::new(2).bulk_from(0),
        Threads::MEASURED,
    ] {
        let mut serial = Ctr::with_implementation(Implementation::PORTABLE, &[1; 16], &[1; 16]).unwrap();
        let mut threaded = serial.clone();
        threaded.set_threads(threads);
        for _ in 0..3 {
            serial.apply(&mut expected).unwrap();
            threaded.apply(&mut data).unwrap();
            assert!(data == expected);
        }
        assert_eq!(
            fs::read_dir("/proc/self/task").unwrap().count(),
            before,
            "{threads:?}"
        );
    }
    assert_eq!(Threads::available(), 0);
}
