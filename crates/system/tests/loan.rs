//! Work that is lent to other threads.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Barrier, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
};

use ciphertune_system::{Loan, lend};

/// A thread that runs what it is sent, and is there before and after.
fn lasting() -> (mpsc::Sender<Loan>, thread::JoinHandle<()>) {
    let (sender, loans) = mpsc::channel::<Loan>();
    let run = move || {
        for loan in loans {
            let _ = catch_unwind(AssertUnwindSafe(|| loan.run()));
        }
    };
    (sender, thread::spawn(run))
}

#[test]
fn threads_that_outlive_it_do_work_that_borrows() {
    const PIECES: usize = 100;
    let threads: Vec<_> = (0..3).map(|_| lasting()).collect();
    for round in 0..20 {
        let mut text = vec![0_u8; PIECES];
        let pieces = Mutex::new(text.chunks_mut(1));
        let work = || {
            while let Some(piece) = { pieces.lock().unwrap().next() } {
                piece[0] += 1;
                thread::yield_now();
            }
        };
        let answer = lend(&work, |loan| {
            threads
                .iter()
                .for_each(|(thread, _)| thread.send(loan.clone()).unwrap());
            work();
            round
        });
        assert_eq!(answer, round);
        // All are done, whoever has done them, and nobody has the text any more.
        assert_eq!(text, [1; PIECES]);
    }
    for (sender, thread) in threads {
        drop(sender);
        thread.join().unwrap();
    }
}

#[test]
fn who_comes_too_late_finds_nothing() {
    let runs = AtomicUsize::new(0);
    let work = || {
        runs.fetch_add(1, SeqCst);
    };
    let loan = lend(&work, |loan| {
        assert!(!loan.is_over() && !loan.is_running());
        loan.run();
        loan.run();
        loan.clone()
    });
    assert!(loan.is_over());
    loan.run();
    thread::spawn(move || loan.run()).join().unwrap();
    assert_eq!(runs.into_inner(), 2);
}

#[test]
fn who_has_begun_is_waited_for() {
    for panics in [false, true] {
        let (begun, ended) = (Barrier::new(2), AtomicUsize::new(0));
        let is_seen = AtomicBool::new(false);
        let work = || {
            begun.wait();
            while !is_seen.load(SeqCst) {
                thread::yield_now();
            }
            (0..100).for_each(|_| thread::yield_now());
            ended.store(1, SeqCst);
        };
        let (sender, thread) = lasting();
        let lent = catch_unwind(AssertUnwindSafe(|| {
            lend(&work, |loan| {
                sender.send(loan.clone()).unwrap();
                begun.wait();
                let is_running = loan.is_running();
                is_seen.store(true, SeqCst);
                assert!(is_running);
                assert!(!panics, "the owner's own");
            });
        }));
        assert_eq!((lent.is_err(), ended.load(SeqCst)), (panics, 1));
        drop(sender);
        thread.join().unwrap();
    }
}

#[test]
fn a_helper_that_panics_is_the_owners_matter() {
    let begun = Barrier::new(2);
    let work = || {
        begun.wait();
        panic!("a helper's");
    };
    let (sender, thread) = lasting();
    let lent = catch_unwind(AssertUnwindSafe(|| {
        lend(&work, |loan| {
            sender.send(loan.clone()).unwrap();
            begun.wait();
        });
    }));
    let message = lent.unwrap_err();
    assert_eq!(message.downcast_ref(), Some(&"a thread that helped has panicked"));
    drop(sender);
    thread.join().unwrap();
}
