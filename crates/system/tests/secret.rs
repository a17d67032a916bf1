//! Secrets, and what is this process's alone, in the process that made them and in its children.
#![cfg(target_os = "linux")]

use std::{
    fs,
    io::ErrorKind,
    process::abort,
    sync::{
        Barrier, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use ciphertune_system::{Here, PerProcess, Secret, without_signals};

/// Runs `child` in a forked child and answers whether it came to its end.
fn succeeds_in_child(child: impl FnOnce()) -> bool {
    // SAFETY: the child runs `child` alone, which allocates and takes no lock that another thread may hold (glibc
    // makes its allocator usable after a fork), and leaves without running anything of the parent's.
    unsafe {
        match libc::fork() {
            -1 => panic!("no fork"),
            0 => {
                let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(child)).is_ok();
                libc::_exit(i32::from(!ended))
            }
            pid => {
                let mut status = 0;
                assert_eq!(libc::waitpid(pid, &mut status, 0), pid);
                libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
            }
        }
    }
}

#[test]
fn a_child_does_not_see_it() {
    let mut bytes = Secret::zeroed(100_000).unwrap();
    assert!(bytes.get().unwrap().iter().all(|&byte| byte == 0));
    bytes.get_mut().unwrap().fill(7);
    assert!(succeeds_in_child(|| {
        assert!(bytes.get().is_none() && bytes.get_mut().is_none());
        let own = Secret::new(5_u64).unwrap();
        assert_eq!(own.get(), Some(&5));
        let grandchild = || assert!(bytes.get().is_none() && own.get().is_none());
        assert!(succeeds_in_child(grandchild));
        assert_eq!(own.get(), Some(&5));
    }));
    assert!(bytes.get().unwrap().iter().all(|&byte| byte == 7));
}

#[test]
fn its_value_is_dropped_where_it_is_and_nowhere_else() {
    static DROPPED: AtomicUsize = AtomicUsize::new(0);
    struct Counted;
    impl Drop for Counted {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, Ordering::Relaxed);
        }
    }

    let (mut secret, mut here) = (
        Some(Secret::new(Counted).unwrap()),
        Some(Here::new(Counted).unwrap()),
    );
    let before = DROPPED.load(Ordering::Relaxed);
    assert!(succeeds_in_child(|| {
        drop((secret.take(), here.take()));
        assert_eq!(DROPPED.load(Ordering::Relaxed), before);
    }));
    drop(secret);
    assert_eq!(DROPPED.load(Ordering::Relaxed), before + 1);
    drop(here);
    assert_eq!(DROPPED.load(Ordering::Relaxed), before + 2);
}

/// A child forked while another thread has the lock neither waits for it nor comes to what it guards.
#[test]
fn a_child_waits_for_no_lock_that_is_here() {
    let lock = Here::new(Mutex::new(7)).unwrap();
    let held = lock.get().unwrap().lock().unwrap();
    assert!(succeeds_in_child(|| assert!(lock.get().is_none())));
    drop(held);
    assert_eq!(*lock.get().unwrap().lock().unwrap(), 7);
}

#[test]
fn the_system_keeps_it_out_of_children_and_dumps() {
    let secret = Secret::zeroed(3 * 4096).unwrap();
    let address = secret.get().unwrap().as_ptr() as usize;
    let maps = fs::read_to_string("/proc/self/smaps").unwrap();
    let mapping = maps.lines().skip_while(|line| {
        let range = line.split_once(' ').and_then(|(range, _)| range.split_once('-'));
        !range.is_some_and(|(start, end)| {
            let number = |hex| usize::from_str_radix(hex, 16).unwrap_or(0);
            (number(start)..number(end)).contains(&address)
        })
    });
    let flags = mapping
        .skip(1)
        .find(|line| line.starts_with("VmFlags:"))
        .expect("the mapping has flags");
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the call is given a structure to fill.
    assert_eq!(unsafe { libc::getrlimit(libc::RLIMIT_MEMLOCK, &mut limit) }, 0);
    // What the other tests here lock at the same time is less.
    let locked = (limit.rlim_cur >= 1 << 20).then_some(" lo");
    for flag in [" wf", " dd"].into_iter().chain(locked) {
        assert!(flags.contains(flag), "no{flag} in {flags}");
    }
}

#[test]
fn a_thread_started_without_signals_has_them_all_blocked() {
    let blocked = || {
        let status = fs::read_to_string("/proc/thread-self/status").unwrap();
        let mask = status
            .lines()
            .find_map(|line| line.strip_prefix("SigBlk:"))
            .unwrap();
        u64::from_str_radix(mask.trim(), 16).unwrap()
    };
    let before = blocked();
    let (here, there) = without_signals(|| {
        let there = thread::spawn(blocked);
        (blocked(), there.join().unwrap_or_else(|_| abort()))
    });
    for mask in [here, there] {
        for signal in [
            libc::SIGHUP,
            libc::SIGINT,
            libc::SIGTERM,
            libc::SIGCHLD,
            libc::SIGALRM,
            libc::SIGUSR1,
        ] {
            assert_ne!(mask >> (signal - 1) & 1, 0, "signal {signal} in {mask:x}");
        }
    }
    assert_eq!(blocked(), before, "the mask is put back");
}

/// Made when it is first asked for, by whoever asks; a child makes its own and leaves its parent's alone.
#[test]
fn each_process_has_one_of_its_own() {
    static PLACE: PerProcess<u64> = PerProcess::empty();
    let here = |made| *PLACE.get_or_make(|| Ok(made)).unwrap().get().unwrap();
    let refused = PLACE.get_or_make(|| Err(ErrorKind::PermissionDenied.into()));
    assert_eq!(
        refused.err().map(|error| error.kind()),
        Some(ErrorKind::PermissionDenied)
    );
    assert_eq!((here(1), here(2)), (1, 1));
    let there = PLACE.get_or_make(|| Ok(3)).unwrap();
    assert!(succeeds_in_child(|| {
        assert!(there.get().is_none());
        assert_eq!((here(4), here(5)), (4, 4));
        assert!(succeeds_in_child(|| assert_eq!(here(6), 6)));
        assert_eq!(here(7), 4);
    }));
    assert_eq!(here(8), 1);
}

/// Of many that are made at once one stays, and everybody gets that.
#[test]
fn threads_of_a_process_share_it() {
    for _ in 0..100 {
        let place = PerProcess::empty();
        let first = Barrier::new(4);
        let got = |made: u64| {
            first.wait();
            *place.get_or_make(|| Ok(made)).unwrap().get().unwrap()
        };
        thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|made| {
                    scope.spawn({
                        let got = &got;
                        move || got(made)
                    })
                })
                .collect();
            let got: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
            assert!(got.iter().all(|value| *value == got[0]), "{got:?}");
        });
    }
}
