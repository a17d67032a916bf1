//! Where this process's threads run, and how many there are.
#![allow(dead_code, reason = "no test needs all of it")]

/// Keeps the calling thread on the processor that it is on.
pub fn stay_here() {
    // SAFETY: an empty set is valid, and the calls are given one and its size. Threads of this process that are there
    // already are not changed.
    unsafe {
        let mut one: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(libc::sched_getcpu().try_into().unwrap(), &mut one);
        assert_eq!(libc::sched_setaffinity(0, size_of_val(&one), &one), 0);
    }
}

/// How many threads this process has.
pub fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}
