//! With threads or without, a [`Ctr`] does the same.

mod common;

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use ciphertune::{Ctr, Error, Implementation, Plan, Threads};
use proptest::prelude::*;

use common::available;

/// From the first byte on, so that nothing is too short to be done by threads.
fn eager() -> Threads {
    Threads::new(2).stream_after(0).bulk_from(300_000)
}

/// Long calls alone: where there are two processors, a stream's worker has the only thread that may be at work.
fn split() -> Threads {
    eager().stream_after(u64::MAX)
}

#[derive(Clone, Debug)]
enum Step {
    Apply(usize),
    ApplyTo(usize),
    Seek(usize),
    Clone,
    Rekey,
    Restart(u8),
    Threads(fn() -> Threads),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let length = || prop_oneof![0..80_usize, 0..40_000_usize, Just(32_768), 0..800_000_usize];
    let step = prop_oneof![
        12 => length().prop_map(Step::Apply),
        6 => length().prop_map(Step::ApplyTo),
        3 => (0..3_000_000_usize).prop_map(Step::Seek),
        1 => Just(Step::Clone),
        1 => Just(Step::Rekey),
        2 => any::<u8>().prop_map(Step::Restart),
        2 => threads().prop_map(Step::Threads),
    ];
    prop::collection::vec(step, 1..40)
}

fn threads() -> impl Strategy<Value = fn() -> Threads> {
    // Where every call is split, some are shorter than the keystream that is left over.
    let every = || Threads::new(2).bulk_from(1);
    prop::sample::select(vec![eager as fn() -> Threads, split, every, || Threads::NONE])
}

/// Counters that carry early, at 2^32 and 2^128, and any others.
fn counters() -> impl Strategy<Value = u128> {
    let carries = prop::sample::select(vec![32_u32, 128]);
    let near = (any::<u128>(), carries, 0..100_000_u128)
        .prop_map(|(base, bits, before)| base.checked_shl(bits).unwrap_or(0).wrapping_sub(before));
    prop_oneof![any::<u128>(), near]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn threads_change_nothing(iv in counters(), threads in threads(), steps in steps()) {
        for implementation in available() {
            let plan = Plan::forced(implementation).unwrap();
            let mut serial = Ctr::with_plan(&plan, &[7; 16], &iv.to_be_bytes()).unwrap();
            let mut threaded = serial.clone();
            threaded.set_threads(threads());
            for step in &steps {
                match *step {
                    Step::Apply(len) => {
                        let (mut expected, mut data) = (vec![0x5a; len], vec![0x5a; len]);
                        serial.apply(&mut expected).unwrap();
                        threaded.apply(&mut data).unwrap();
                        prop_assert!(data == expected, "{:?}: {:?}", implementation, step);
                    }
                    Step::ApplyTo(len) => {
                        let (mut expected, mut output) = (vec![0x5a; len], vec![0; len]);
                        threaded.apply_to(&expected, &mut output).unwrap();
                        serial.apply(&mut expected).unwrap();
                        prop_assert!(output == expected, "{:?}: {:?}", implementation, step);
                    }
                    Step::Seek(position) => {
                        serial.seek(position as u128);
                        threaded.seek(position as u128);
                    }
                    Step::Clone => threaded = threaded.clone(),
                    Step::Rekey => {
                        for ctr in [&mut serial, &mut threaded] {
                            ctr.rekey(&[9; 32], &iv.to_be_bytes()).unwrap();
                        }
                    }
                    Step::Restart(byte) => {
                        for ctr in [&mut serial, &mut threaded] {
                            ctr.restart(&[byte; 16]).unwrap();
                        }
                    }
                    Step::Threads(threads) => threaded.set_threads(threads()),
                }
                prop_assert_eq!(threaded.position(), serial.position());
            }
        }
    }
}

#[test]
fn the_stream_ends_where_it_ends_without_threads() {
    let end = u128::MAX - 999_999;
    let mut serial = Ctr::new(&[1; 16], &[0xff; 16]).unwrap();
    let mut threaded = serial.clone();
    threaded.set_threads(eager());
    for len in [10, 32_768, 400_000, 1] {
        serial.seek(end);
        threaded.seek(end);
        let (mut expected, mut data) = (vec![0; len], vec![0; len]);
        for _ in 0..3 {
            let answer = serial.apply(&mut expected);
            assert_eq!(threaded.apply(&mut data), answer);
            assert!(data == expected);
            assert_eq!(threaded.position(), serial.position());
        }
        assert_eq!(threaded.apply(&mut vec![0; 1_000_000]), Err(Error::Exhausted));
        assert_eq!(threaded.position(), serial.position(), "an error changes nothing");
    }
}

/// More streams than processors, on more threads than processors, dropped wherever they are.
#[test]
fn streams_do_not_disturb_each_other() {
    let work = |seed: u8| {
        let mut expected = vec![0; 1_500_000];
        let iv = [seed; 16];
        let mut serial = Ctr::with_implementation(Implementation::PORTABLE, &[seed; 16], &iv).unwrap();
        serial.apply(&mut expected).unwrap();
        for round in 1..8 {
            let mut ctr = Ctr::with_implementation(Implementation::PORTABLE, &[seed; 16], &iv).unwrap();
            ctr.set_threads(eager());
            let mut data = vec![0; expected.len() / 8 * round];
            for call in data.chunks_mut(7777 * round) {
                ctr.apply(call).unwrap();
            }
            assert!(data == expected[..data.len()]);
        }
    };
    thread::scope(|scope| {
        for seed in 0..5 {
            scope.spawn(move || work(seed));
        }
    });
}

/// Of this process's threads, those that the library started leave when nobody has anything for them to do: those of
/// streams, and those that help with long calls.
#[test]
#[cfg(target_os = "linux")]
fn an_idle_stream_keeps_no_thread_and_goes_on() {
    let ours = || {
        let names = fs::read_dir("/proc/self/task")
            .unwrap()
            .filter_map(|task| fs::read_to_string(task.ok()?.path().join("comm")).ok());
        names.filter(|name| name.starts_with("ciphertune")).count()
    };
    let mut serial = Ctr::with_implementation(Implementation::PORTABLE, &[3; 24], &[3; 16]).unwrap();
    let mut ctr = serial.clone();
    ctr.set_threads(eager());
    for _ in 0..3 {
        for _ in 0..40 {
            let (mut expected, mut data) = ([0; 10_000], [0; 10_000]);
            serial.apply(&mut expected).unwrap();
            ctr.apply(&mut data).unwrap();
            assert_eq!(data, expected);
        }
        let (mut expected, mut data) = (vec![0; 600_000], vec![0; 600_000]);
        serial.apply(&mut expected).unwrap();
        ctr.apply(&mut data).unwrap();
        assert!(data == expected);
        // Those of other tests end as well.
        let deadline = Instant::now() + Duration::from_secs(60);
        while ours() > 0 {
            assert!(Instant::now() < deadline, "{} threads have not left", ours());
            thread::sleep(Duration::from_millis(20));
        }
    }
}
