//! Streams with threads through what programs do to themselves: forks, sandboxes, limits.
//!
//! Each case runs in a child, so that it can be killed, locked up or made to wait for ever without taking the tests
//! with it; a child that is not done after a minute is killed, and has failed. `CIPHERTUNE_ROUNDS` says how many random
//! lives there are (`make prove-threads`: thousands).
#![cfg(target_os = "linux")]

mod common;

use std::{
    env, fs,
    io::{self, Read, Write},
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    process, ptr,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
    time::Duration,
};

use ciphertune::{Ctr, Implementation, Threads};

use common::{Random, available};

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

/// A stream with threads and the same without. They must not differ.
struct Pair {
    threaded: Ctr,
    serial: Ctr,
}

impl Pair {
    /// As the program does whose stream is slow enough for threads to pay.
    fn new(seed: u8) -> Self {
        Self::by(Implementation::PORTABLE, seed)
    }

    fn by(implementation: Implementation, seed: u8) -> Self {
        // Its counter wraps within the first chunks.
        let iv = u128::MAX - 3000 * u128::from(seed);
        let serial = Ctr::with_implementation(implementation, &[seed; 16], &iv.to_be_bytes()).unwrap();
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
    ours("comm").filter(|name| name.starts_with("ciphertune")).count()
}

/// How many of them are asleep.
fn asleep() -> usize {
    ours("stat")
        .filter(|stat| stat.contains("(ciphertune") && stat.contains(") S "))
        .count()
}

/// What the system says in this file of each thread of this process.
fn ours(file: &str) -> impl Iterator<Item = String> {
    let threads = fs::read_dir("/proc/self/task").unwrap();
    threads.filter_map(move |thread| fs::read_to_string(thread.ok()?.path().join(file)).ok())
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

/// In namespaces one within the other both are process 1. Its alarm kills no such process, so that none waits here for ever.
#[test]
fn a_child_by_its_parents_number_has_threads_of_its_own() {
    fn as_first(life: impl FnOnce()) {
        // SAFETY: it is a number that is handed over.
        match unsafe { libc::unshare(libc::CLONE_NEWPID) } {
            0 => assert_eq!(in_child(life), End::Done),
            _ => eprintln!("left out: this process may make no namespaces"),
        }
    }
    fn with_workers(then: impl FnOnce()) {
        assert_eq!((process::id(), workers()), (1, 0));
        let mut pair = Pair::new(1);
        let mut soon = (0..1000).map(|_| {
            pair.apply_all([10_000; 30]);
            workers()
        });
        assert!(soon.any(|workers| workers == Threads::available().min(2)));
        then();
    }
    let life = || as_first(|| with_workers(|| as_first(|| with_workers(|| ()))));
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
fn a_stream_that_was_idle_has_workers_again() {
    let life = || {
        let mut pair = Pair::new(1);
        for _ in 0..2 {
            pair.apply_all([10_000; 30]);
            wait_for_workers();
            while workers() > 0 {
                thread::sleep(Duration::from_millis(20));
            }
        }
    };
    assert_eq!(in_child(life), End::Done);
}

/// The workers of the ring before have the process's share until they have made their chunks.
#[test]
fn a_stream_that_starts_again_has_workers_again() {
    let life = || {
        for seed in 0..20 {
            let mut pair = Pair::new(seed);
            pair.apply_all([10_000; 30]);
            pair.threaded.restart(&[seed; 16]).unwrap();
            pair.serial.restart(&[seed; 16]).unwrap();
            // What is made ahead is soon used up, and workers that have left are asked for again.
            while workers() < Threads::available().min(1) || pair.threaded.position() < 4_000_000 {
                pair.apply(50_000);
            }
        }
    };
    assert_eq!(in_child(life), End::Done);
}

/// Threads that a debugger holds would be waited for for ever by whoever joins them.
#[test]
fn a_program_ends_while_its_threads_sleep() {
    let life = || {
        let (mut ready, tell) = io::pipe().unwrap();
        let (hear, mut answer) = io::pipe().unwrap();
        // SAFETY: as in `in_child`.
        let program = unsafe { libc::fork() };
        if program == 0 {
            // SAFETY: it only asks for a signal.
            unsafe { libc::alarm(60) };
            ends_when_told(tell, hear);
        }
        loop {
            ready.read_exact(&mut [0]).unwrap();
            let Some(held) = hold_threads_of(program) else {
                // They have slept for a second meanwhile, and left.
                answer.write_all(&[0]).unwrap();
                continue;
            };
            answer.write_all(&[1]).unwrap();
            // A thread that is held is gone when its holder has been told so.
            for id in held.into_iter().chain([program]) {
                let mut status = 0;
                // SAFETY: it writes to `status` alone.
                assert_eq!(unsafe { libc::waitpid(id, &mut status, libc::__WALL) }, id);
                assert!(
                    libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 7,
                    "{status:x}"
                );
            }
            return;
        }
    };
    assert_eq!(in_child(life), End::Done);
}

fn ends_when_told(mut tell: io::PipeWriter, mut hear: io::PipeReader) -> ! {
    loop {
        let _pair = with_sleepers(|| Pair::new(1));
        let mut end = [0];
        tell.write_all(&[0]).unwrap();
        hear.read_exact(&mut end).unwrap();
        if end == [1] {
            process::exit(7);
        }
    }
}

/// Stops all threads of a child's but its first one. `None`: one of them has left.
fn hold_threads_of(program: i32) -> Option<Vec<i32>> {
    let tasks = fs::read_dir(format!("/proc/{program}/task")).unwrap();
    let ids = tasks.map(|task| task.unwrap().file_name().into_string().unwrap().parse().unwrap());
    let ids: Vec<i32> = ids.filter(|id| *id != program).collect();
    let all = |request: u32| {
        let none = ptr::null_mut::<libc::c_void>();
        // SAFETY: neither of the two requests below touches memory of this process.
        ids.iter()
            .all(|id| unsafe { libc::ptrace(request, *id, none, none) } == 0)
    };
    if !all(libc::PTRACE_SEIZE) || !all(libc::PTRACE_INTERRUPT) {
        let error = io::Error::last_os_error();
        assert_eq!(error.raw_os_error(), Some(libc::ESRCH), "{error}");
        return None;
    }
    let mut status = 0;
    // SAFETY: it writes to `status` alone.
    ids.iter()
        .for_each(|id| unsafe { assert_eq!(libc::waitpid(*id, &mut status, libc::__WALL), *id) });
    Some(ids)
}

/// By every implementation, optimised or not.
#[test]
fn threads_use_no_more_than_half_of_their_stacks() {
    for implementation in available() {
        let life = || {
            let serial = Ctr::with_implementation(implementation, &[1; 32], &[0; 16]).unwrap();
            let mut threaded = serial.clone();
            threaded.set_threads(Threads::new(2).stream_after(0).bulk_from(400_000));
            let _pair = with_sleepers(|| Pair {
                threaded: threaded.clone(),
                serial: serial.clone(),
            });
            let stacks = ours("syscall").filter_map(|call| Stack::of(&call));
            let stacks: Vec<_> = stacks.filter(|stack| stack.size == Stack::OURS).collect();
            println!("{}: {stacks:?}", implementation.name());
            assert_eq!(stacks.len(), asleep());
            assert!(stacks.iter().all(|stack| stack.used <= stack.size / 2));
        };
        assert_eq!(in_child(life), End::Done, "{implementation:?}");
    }
}

/// What the system knows of a thread's stack, in KiB.
#[derive(Debug)]
struct Stack {
    size: u64,
    used: u64,
}

impl Stack {
    /// What the library asks for.
    const OURS: u64 = if cfg!(debug_assertions) { 4096 } else { 256 };

    /// By the system call in which the thread sleeps: the last but one number is where its stack is.
    fn of(call: &str) -> Option<Self> {
        let hex = |number: &str| u64::from_str_radix(number.trim_start_matches("0x"), 16).ok();
        let at = hex(call.split(' ').rev().nth(1)?)?;
        let maps = fs::read_to_string("/proc/self/smaps").unwrap();
        let holds = |line: &str| {
            let range = line.split(' ').next()?.split_once('-')?;
            Some((hex(range.0)?..hex(range.1)?).contains(&at))
        };
        let mut mapping = maps.lines().skip_while(|line| holds(line) != Some(true));
        let mut kilobytes = |what: &str| {
            let line = mapping.find(|line| line.starts_with(what))?;
            line.split_whitespace().nth(1)?.parse().ok()
        };
        Some(Self {
            size: kilobytes("Size:")?,
            used: kilobytes("Rss:")?,
        })
    }
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
                drop(mem::replace(&mut inherited.threaded, Pair::new(9).threaded));
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
    // A grandchild forks no further, and may be where threads are refused.
    let refused = generation == 2 && [false, true][random.below(2)];
    if refused {
        [limit_on_threads, sandbox_for_threads][random.below(2)]();
    }
    let available: Vec<_> = available().collect();
    let some = |random: &mut Random, seed| Pair::by(available[random.below(available.len())], seed);
    let mut pairs: Vec<Pair> = (1..4).map(|seed| some(&mut random, seed)).collect();
    for _ in 0..[30, 6, 3][generation as usize] {
        let which = random.below(pairs.len());
        let pair = &mut pairs[which];
        match random.below(21) {
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
            15 => {
                let iv = [random.below(200) as u8; 16];
                pair.threaded.restart(&iv).unwrap();
                pair.serial.restart(&iv).unwrap();
            }
            16 => pair.threaded = pair.threaded.clone(),
            17 => {
                let seed = random.below(200) as u8;
                *pair = some(&mut random, seed);
            }
            18 if !refused => {
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

#[test]
fn threads_begin_after_a_mebibyte_of_one_context() {
    let life = || {
        let mut pair = Pair::new(1);
        pair.threaded.set_threads(Threads::new(1));
        pair.apply_all([32_768; 32]);
        let before = ours("comm").count();
        assert_eq!(before, 1);
        pair.apply(32_768);
        assert_eq!(ours("comm").count() - before, Threads::available().min(1));
    };
    assert_eq!(in_child(life), End::Done);
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
fn a_sandbox_that_comes_later_is_noticed_though_files_can_be_opened() {
    let in_sandbox = |life: fn(&mut Pair)| {
        in_child(|| {
            let mut pair = Pair::new(1);
            sandbox_for_threads();
            life(&mut pair);
        })
    };
    assert_eq!(
        in_sandbox(|pair| {
            pair.apply_all([32_768; 40]);
            pair.apply(1_000_000);
            assert_eq!(workers(), 0);
        }),
        End::Done
    );
    // What it would have met there.
    let thread = |_: &mut Pair| drop(thread::spawn(|| {}).join());
    assert_eq!(in_sandbox(thread), End::Killed(libc::SIGSYS));
}

#[test]
fn a_stream_that_has_threads_keeps_them_in_a_sandbox() {
    let life = || {
        // The standard library makes sure of a file before it closes it, which the sandbox kills for.
        let mut status = mem::ManuallyDrop::new(fs::File::open("/proc/self/status").unwrap());
        let mut pair = with_sleepers(|| Pair::new(1));
        let threads = 1 + asleep();
        sandbox();
        let mut now = [0; 4096];
        let len = status.read(&mut now).unwrap();
        let now = String::from_utf8_lossy(&now[..len]);
        assert!(now.contains(&format!("\nThreads:\t{threads}\n")), "{now}");
        pair.apply_all([32_768; 60]);
        // Its worker leaves, so that the helper may be at work.
        pair.threaded = pair.threaded.clone();
        pair.apply_all([1_000_000; 20]);
        pair.threaded.rekey(&[1; 16], &[1; 16]).unwrap();
        pair.serial.rekey(&[1; 16], &[1; 16]).unwrap();
        pair.apply_all([32_768; 60]);
    };
    assert_eq!(in_child(life), End::Done);
}

/// A pair whose stream has a worker, and a helper besides, if there may be any. All of them sleep, and none is only about
/// to begin or to leave.
fn with_sleepers(new: impl Fn() -> Pair) -> Pair {
    loop {
        let mut pair = new();
        pair.split();
        pair.apply_all([32_768; 20]);
        while asleep() + 1 < ours("comm").count() {
            thread::yield_now();
        }
        if asleep() >= 2 * Threads::available().min(1) {
            return pair;
        }
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
    let denied = [
        // Which newer architectures never had.
        #[cfg(target_arch = "x86_64")]
        libc::SYS_open,
        libc::SYS_openat,
    ];
    let answers = allowed
        .map(|call| (call, libc::SECCOMP_RET_ALLOW))
        .into_iter()
        .chain(denied.map(|call| (call, libc::SECCOMP_RET_ERRNO | libc::EACCES as u32)));
    filter(answers, libc::SECCOMP_RET_KILL_PROCESS);
}

/// Kills for a new thread, and lets all else be done.
fn sandbox_for_threads() {
    let kills = [libc::SYS_clone, libc::SYS_clone3].map(|call| (call, libc::SECCOMP_RET_KILL_PROCESS));
    filter(kills, libc::SECCOMP_RET_ALLOW);
}

/// Sets a filter for all threads: what the kernel answers to these system calls, and to any other.
fn filter(answers: impl IntoIterator<Item = (libc::c_long, u32)>, otherwise: u32) {
    let statement = |code: u32, k: u32| libc::sock_filter {
        code: code as u16,
        jt: 0,
        jf: 0,
        k,
    };
    let mut program = vec![statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0)];
    for (call, answer) in answers {
        program.push(libc::sock_filter {
            code: (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16,
            jt: 0,
            jf: 1,
            k: call as u32,
        });
        program.push(statement(libc::BPF_RET | libc::BPF_K, answer));
    }
    program.push(statement(libc::BPF_RET | libc::BPF_K, otherwise));
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

/// This process may have no more threads than it has.
fn limit_on_threads() {
    let none = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: these change limits and identity of this child alone. Root is not bound by the limit.
    unsafe {
        assert_eq!(libc::setrlimit(libc::RLIMIT_NPROC, &none), 0);
        if libc::getuid() == 0 {
            assert_eq!(libc::setgid(65_534), 0);
            assert_eq!(libc::setuid(65_534), 0);
        }
    }
}

#[test]
fn a_refused_thread_is_done_without() {
    let life = || {
        limit_on_threads();
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
