//! Streams with threads through what programs do to themselves: forks, sandboxes, limits.
//!
//! Each case runs in a child, so that it can be killed, locked up or made to wait for ever without taking the tests
//! with it; a child that is not done after a minute is killed, and has failed. `CIPHERTUNE_ROUNDS` says how many random
//! lives there are (`make prove-threads`: thousands).
#![cfg(target_os = "linux")]

use std::{
    env, fs, mem,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
    time::Duration,
};

use ciphertune::{Ctr, Implementation, Threads};

/// How a child ended.
#[derive(Debug, PartialEq)]
enum End {
    Done,
    Failed,
    Killed(i32),
}

/// Runs `life` in a forked child.
fn in_child(life: impl FnOnce()) -> End {
    // SAFETY: glibc's allocator works in a forked child, and the child takes no other lock that a thread of its
    // parent's may have held: it runs `life` and leaves by `_exit`.
    unsafe {
        match libc::fork() {
            -1 => panic!("no fork"),
            0 => {
                libc::alarm(60);
                let done = catch_unwind(AssertUnwindSafe(life)).is_ok();
                libc::_exit(i32::from(!done))
            }
            pid => {
                let mut status = 0;
                assert_eq!(libc::waitpid(pid, &mut status, 0), pid);
                if libc::WIFSIGNALED(status) {
                    End::Killed(libc::WTERMSIG(status))
                } else if libc::WEXITSTATUS(status) == 0 {
                    End::Done
                } else {
                    End::Failed
                }
            }
        }
    }
}

/// As the program does whose stream is slow enough for threads to pay.
fn portable(seed: u8) -> Ctr {
    // Its counter wraps within the first chunks.
    let iv = u128::MAX - 3000 * u128::from(seed);
    Ctr::with_implementation(Implementation::PORTABLE, &[seed; 16], &iv.to_be_bytes()).unwrap()
}

/// A stream with threads and the same without. They must not differ.
struct Pair {
    threaded: Ctr,
    serial: Ctr,
}

impl Pair {
    fn new(seed: u8) -> Self {
        let serial = portable(seed);
        let mut threaded = serial.clone();
        threaded.set_threads(Threads::new(2).stream_after(0).bulk_from(400_000));
        Self { threaded, serial }
    }

    fn apply(&mut self, len: usize) {
        let (mut data, mut expected) = (vec![0; len], vec![0; len]);
        self.threaded.apply(&mut data).unwrap();
        self.serial.apply(&mut expected).unwrap();
        assert!(data == expected);
        assert_eq!(self.threaded.position(), self.serial.position());
    }

    fn seek(&mut self, position: u128) {
        self.threaded.seek(position);
        self.serial.seek(position);
    }

    /// Calls that are split, until there is a thread that helps, if there may be one.
    fn split(&mut self) {
        loop {
            self.apply(1_000_000);
            if workers() >= Threads::available().min(1) {
                return;
            }
        }
    }

    fn apply_all(&mut self, lens: impl IntoIterator<Item = usize>) {
        lens.into_iter().for_each(|len| self.apply(len));
    }
}

/// How many threads of this process are the library's.
fn workers() -> usize {
    let names = fs::read_dir("/proc/self/task")
        .unwrap()
        .filter_map(|task| fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names.filter(|name| name.starts_with("ciphertune")).count()
}

/// Waits until there are as many as there should be: a thread has no name at first. Where there is no processor for
/// any, these tests are of streams without.
fn wait_for_workers() {
    while workers() != Threads::available().min(2) {
        thread::yield_now();
    }
}

#[test]
fn a_child_goes_on_without_its_parents_threads_and_with_its_own() {
    let life = || {
        let mut pair = Pair::new(1);
        pair.apply_all([10_000; 30]);
        wait_for_workers();
        let mut idle = Pair::new(2);
        idle.apply(1);
        let child = || {
            assert_eq!(workers(), 0);
            // What it has inherited it goes on with, and has threads of its own for it after a while.
            pair.apply_all([10_000; 30]);
            wait_for_workers();
            drop(Pair {
                threaded: pair.threaded.clone(),
                serial: pair.serial.clone(),
            });
            assert_eq!(in_child(|| pair.apply_all([10_000; 30])), End::Done);
            pair.apply(1);
            idle.apply_all([10_000; 30]);
        };
        assert_eq!(in_child(child), End::Done);
        pair.apply_all([10_000; 30]);
        wait_for_workers();
    };
    assert_eq!(in_child(life), End::Done);
}

#[test]
fn a_child_has_helpers_of_its_own() {
    let life = || {
        let mut pair = Pair::new(1);
        // Its parent's sleep, and never come to it.
        pair.split();
        let child = || {
            assert_eq!(workers(), 0);
            pair.split();
            assert_eq!(in_child(|| pair.split()), End::Done);
            pair.split();
        };
        assert_eq!(in_child(child), End::Done);
        pair.split();
    };
    assert_eq!(in_child(life), End::Done);
}

#[test]
fn a_child_of_a_process_in_the_middle_of_a_split_call_has_helpers_of_its_own() {
    let life = || {
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut pair = Pair::new(1);
                while !stop.load(Relaxed) {
                    pair.split();
                }
            });
            for seed in 0..50 {
                assert_eq!(in_child(|| Pair::new(seed).split()), End::Done);
            }
            stop.store(true, Relaxed);
        });
    };
    assert_eq!(in_child(life), End::Done);
}

#[test]
fn helpers_that_sleep_take_no_thread_from_a_stream() {
    let life = || {
        let mut split = Pair::new(1);
        loop {
            split.split();
            let mut stream = Pair::new(2);
            stream.apply_all([10_000; 30]);
            if workers() >= 2 * Threads::available().min(1) {
                return;
            }
        }
    };
    assert_eq!(in_child(life), End::Done);
}

#[test]
fn a_child_that_only_drops_what_it_inherited_ends() {
    let life = || {
        let mut pair = Pair::new(1);
        for len in 1..200 {
            pair.apply(100 * len);
            let mut inherited = Some(&mut pair);
            let drop_it = || {
                let inherited = inherited.take().unwrap();
                drop(mem::replace(&mut inherited.threaded, portable(9)));
            };
            assert_eq!(in_child(drop_it), End::Done);
        }
    };
    assert_eq!(in_child(life), End::Done);
}

#[test]
fn random_lives() {
    let rounds = env::var("CIPHERTUNE_ROUNDS").map_or(40, |rounds| rounds.parse().unwrap());
    for round in 0..rounds {
        assert_eq!(in_child(|| random_life(round, 0)), End::Done, "round {round}");
    }
}

/// Whatever a program may do with a few streams, in an order that `seed` decides.
fn random_life(seed: u64, generation: u32) {
    let mut random = Random(seed << 8 | u64::from(generation));
    let mut pairs: Vec<Pair> = (1..4).map(Pair::new).collect();
    for _ in 0..[30, 6, 3][generation as usize] {
        let which = random.below(pairs.len());
        let pair = &mut pairs[which];
        match random.below(20) {
            0..10 => {
                let most = [100, 5_000, 32_768, 100_000, 600_000][random.below(5)];
                pair.apply(random.below(most));
            }
            10..12 => pair.apply_all([32_768; 12]),
            12 => pair.seek(random.below(2_000_000) as u128),
            13 => pair.seek(pair.serial.position() + random.below(150_000) as u128),
            14 => {
                let iv = (random.below(1 << 30) as u128).to_be_bytes();
                pair.threaded.rekey(&[7; 32], &iv).unwrap();
                pair.serial.rekey(&[7; 32], &iv).unwrap();
            }
            15 => pair.threaded = pair.threaded.clone(),
            16 => *pair = Pair::new(random.below(200) as u8),
            17 => {
                let moved = mem::replace(pair, Pair::new(5));
                let mut moved = thread::spawn(move || {
                    let mut moved = moved;
                    moved.apply(77_777);
                    moved
                })
                .join()
                .unwrap();
                moved.apply(1);
            }
            _ if generation < 2 => {
                let child = || {
                    random.0 ^= 1;
                    pairs[which].apply_all([random.below(90_000), 4096]);
                    random_life(seed, generation + 1);
                    pairs.truncate(1);
                    pairs[0].apply(200_000);
                };
                assert_eq!(in_child(child), End::Done);
            }
            _ => {}
        }
    }
    pairs.iter_mut().for_each(|pair| pair.apply(33_000));
}

/// SplitMix64 (Steele, Lea, Flood, 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % limit as u64) as usize
    }
}

#[test]
fn a_sandbox_that_kills_for_a_thread_is_not_tried() {
    let in_sandbox = |life: fn(&mut Pair)| {
        in_child(|| {
            let mut pair = Pair::new(1);
            sandbox();
            life(&mut pair);
        })
    };
    assert_eq!(
        in_sandbox(|pair| {
            pair.apply_all([32_768; 40]);
            pair.apply(1_000_000);
            pair.threaded = pair.threaded.clone();
            pair.apply_all([32_768; 40]);
        }),
        End::Done
    );
    // What it would have met there.
    let thread = |_: &mut Pair| drop(thread::spawn(|| {}).join());
    assert_eq!(in_sandbox(thread), End::Killed(libc::SIGSYS));
    let count = |_: &mut Pair| drop(thread::available_parallelism());
    assert_eq!(in_sandbox(count), End::Killed(libc::SIGSYS));
}

#[test]
fn a_stream_that_has_threads_keeps_them_in_a_sandbox() {
    let life = || {
        let mut pair = Pair::new(1);
        pair.split();
        pair.apply_all([32_768; 20]);
        until_workers_sleep();
        sandbox();
        pair.apply_all([32_768; 60]);
        pair.apply_all([1_000_000; 3]);
        pair.threaded.rekey(&[1; 16], &[1; 16]).unwrap();
        pair.serial.rekey(&[1; 16], &[1; 16]).unwrap();
        pair.apply_all([32_768; 60]);
    };
    assert_eq!(in_child(life), End::Done);
}

/// A thread that has just been started calls the system for itself, which the sandbox kills for.
fn until_workers_sleep() {
    let asleep = |thread: &fs::DirEntry| {
        fs::read_to_string(thread.path().join("stat")).is_ok_and(|stat| stat.contains("(ciphertune) S"))
    };
    let threads = || fs::read_dir("/proc/self/task").unwrap().map(Result::unwrap);
    while threads().filter(asleep).count() + 1 < threads().count() {
        thread::sleep(Duration::from_millis(1));
    }
}

/// As sshd's before authentication: what is not on the list kills, and opening a file is an error.
fn sandbox() {
    let allowed = [
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_close,
        libc::SYS_brk,
        libc::SYS_mmap,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_mprotect,
        libc::SYS_madvise,
        libc::SYS_futex,
        libc::SYS_getpid,
        libc::SYS_gettid,
        libc::SYS_clock_gettime,
        libc::SYS_exit,
        libc::SYS_exit_group,
        libc::SYS_getrandom,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sched_yield,
        // What glibc and the kernel do where a thread of before the sandbox ends.
        libc::SYS_set_robust_list,
        libc::SYS_rseq,
        libc::SYS_sigaltstack,
        libc::SYS_restart_syscall,
    ];
    let denied = [libc::SYS_open, libc::SYS_openat];
    let statement = |code: u32, k: u32| libc::sock_filter {
        code: code as u16,
        jt: 0,
        jf: 0,
        k,
    };
    let mut program = vec![statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0)];
    let answers = allowed
        .map(|call| (call, libc::SECCOMP_RET_ALLOW))
        .into_iter()
        .chain(denied.map(|call| (call, libc::SECCOMP_RET_ERRNO | libc::EACCES as u32)));
    for (call, answer) in answers {
        program.push(libc::sock_filter {
            code: (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16,
            jt: 0,
            jf: 1,
            k: call as u32,
        });
        program.push(statement(libc::BPF_RET | libc::BPF_K, answer));
    }
    program.push(statement(
        libc::BPF_RET | libc::BPF_K,
        libc::SECCOMP_RET_KILL_PROCESS,
    ));
    let filter = libc::sock_fprog {
        len: program.len() as u16,
        filter: program.as_mut_ptr(),
    };
    // SAFETY: the program and what points to it live through the calls, which copy it.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        let all_threads = libc::SECCOMP_FILTER_FLAG_TSYNC;
        let set = libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            all_threads,
            &filter,
        );
        assert_eq!(set, 0);
    }
}

#[test]
fn a_refused_thread_is_done_without() {
    let life = || {
        // SAFETY: these change limits and identity of this child alone. Root is not bound by the limit.
        unsafe {
            let none = libc::rlimit {
                rlim_cur: 0,
                rlim_max: 0,
            };
            assert_eq!(libc::setrlimit(libc::RLIMIT_NPROC, &none), 0);
            if libc::getuid() == 0 {
                assert_eq!(libc::setgid(65_534), 0);
                assert_eq!(libc::setuid(65_534), 0);
            }
        }
        assert!(thread::Builder::new().spawn(|| {}).is_err(), "the limit binds");
        let mut pair = Pair::new(1);
        pair.apply_all([32_768; 40]);
        pair.apply_all([1_000_000; 3]);
        assert_eq!(workers(), 0);
    };
    assert_eq!(in_child(life), End::Done);
}

#[test]
fn refused_memory_is_done_without() {
    let life = || {
        let mut pair = Pair::new(1);
        let (mut data, mut expected) = (vec![0; 500_000], vec![0; 500_000]);
        // SAFETY: this changes a limit of this child alone. Memory that it has is not taken away.
        unsafe {
            let now = libc::rlimit {
                rlim_cur: 1 << 20,
                rlim_max: 1 << 20,
            };
            assert_eq!(libc::setrlimit(libc::RLIMIT_AS, &now), 0);
        }
        for (data, expected) in data.chunks_mut(32_768).zip(expected.chunks_mut(32_768)) {
            pair.threaded.apply(data).unwrap();
            pair.serial.apply(expected).unwrap();
            assert!(data == expected);
        }
        pair.threaded.apply(&mut data).unwrap();
        pair.serial.apply(&mut expected).unwrap();
        assert!(data == expected);
    };
    assert_eq!(in_child(life), End::Done);
}
