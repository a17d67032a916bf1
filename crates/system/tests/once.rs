//! What is made once, by threads that race and across forks.

use std::{
    sync::{Barrier, mpsc},
    thread,
};

use ciphertune_system::Once;

#[test]
fn the_first_value_stays() {
    let place = Once::empty();
    assert_eq!(place.get(), None);
    assert_eq!(place.get_or_make(|| 1), &1);
    assert_eq!(place.get_or_make(|| unreachable!()), &1);
    assert_eq!(place.set(2), Err(&1));
    assert_eq!(Once::empty().set(3), Ok(&3));
}

/// Of many that are made at once one stays, and everybody gets that.
#[test]
fn threads_share_it() {
    for _ in 0..100 {
        let (place, first) = (Once::empty(), Barrier::new(4));
        let got = |made: u64| {
            first.wait();
            *place.get_or_make(|| made)
        };
        thread::scope(|scope| {
            let got = &got;
            let threads = [0, 1, 2, 3].map(|made| scope.spawn(move || got(made)));
            let got = threads.map(|thread| thread.join().unwrap());
            assert_eq!(got, [*place.get().unwrap(); 4]);
        });
    }
}

/// The thread that makes it is not there in the child, which must not wait for it.
#[cfg(target_os = "linux")]
#[test]
fn a_child_that_was_forked_while_it_was_made_makes_its_own() {
    static PLACE: Once<u64> = Once::empty();
    let (begun, wait_for_begun) = mpsc::channel();
    let (go_on, wait_to_go_on) = mpsc::channel::<()>();
    let maker = thread::spawn(move || {
        *PLACE.get_or_make(|| {
            begun.send(()).unwrap();
            wait_to_go_on.recv().unwrap();
            1
        })
    });
    wait_for_begun.recv().unwrap();
    // SAFETY: the child makes a number and leaves without running anything of the parent's. It takes no lock that
    // another thread may hold: glibc makes its allocator usable after a fork.
    let status = unsafe {
        match libc::fork() {
            -1 => panic!("no fork"),
            0 => {
                libc::alarm(20);
                libc::_exit(i32::from(*PLACE.get_or_make(|| 2) != 2))
            }
            child => {
                let mut status = 0;
                assert_eq!(libc::waitpid(child, &mut status, 0), child);
                status
            }
        }
    };
    go_on.send(()).unwrap();
    assert_eq!(maker.join().unwrap(), 1);
    assert_eq!(status, 0, "how the child ended");
}
