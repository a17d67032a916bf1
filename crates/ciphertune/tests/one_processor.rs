//! On a single processor there is nobody to help. A test alone, since a process counts its processors once.
#![cfg(target_os = "linux")]

#[path = "common/processors.rs"]
mod processors;

use ciphertune::{Ctr, Implementation, Threads};

use processors::{stay_here, threads};

#[test]
fn a_process_bound_to_one_processor_starts_no_thread() {
    stay_here();
    let before = threads();
    let (mut data, mut expected) = (vec![0; 1_000_000], vec![0; 1_000_000]);
    for rules in [
        Threads::new(2).stream_after(0).bulk_from(usize::MAX),
        Threads::new(2).bulk_from(0),
        Threads::MEASURED,
    ] {
        let mut serial = Ctr::with_implementation(Implementation::PORTABLE, &[1; 16], &[1; 16]).unwrap();
        let mut threaded = serial.clone();
        threaded.set_threads(rules);
        for _ in 0..3 {
            serial.apply(&mut expected).unwrap();
            threaded.apply(&mut data).unwrap();
            assert!(data == expected);
        }
        assert_eq!(threads(), before, "{rules:?}");
    }
    assert_eq!(Threads::available(), 0);
}
