//! A machine that was suspended in the midst of a session.
mod common;

use std::{fs, process::Command};

use assert_cmd::assert::OutputAssertExt;
use ciphertune_results::Run;
use common::*;

/// The system's clock as it is behind a suspend: once, a tenth of a second is missing in it.
const SHIM: &str = r#"
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *time)
{
    static long long begin;
    int done = syscall(SYS_clock_gettime, clock, time);
    long long now = time->tv_sec * 1000000000LL + time->tv_nsec;
    if (done != 0 || clock != CLOCK_MONOTONIC_RAW)
        return done;
    if (begin == 0)
        begin = now;
    if (now - begin > 1000000000LL)
        now -= 100000000LL;
    time->tv_sec = now / 1000000000LL;
    time->tv_nsec = now % 1000000000LL;
    return 0;
}
"#;

#[test]
fn a_suspend_changes_no_rate_and_is_told() {
    let home = home();
    let [source, shim] = ["shim.c", "shim.so"].map(|name| home.path().join(name));
    fs::write(&source, SHIM).unwrap();
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-o"]).arg(&shim).arg(&source);
    match cc.status() {
        Ok(status) => assert!(status.success(), "{cc:?}"),
        Err(error) => return skip(format_args!("cc: {error}")),
    }
    let path = home.path().join("run.jsonl");
    let mut speed = ciphertune(&home);
    // Over a second from the first reading to the last, and less to the end of the calibration.
    speed.args(["speed", "AES-128-CTR", "--lengths", "16", "--seconds", "2"]);
    speed.args(["--implementations", "ciphertune/portable", "--output"]);
    let told = "note: The time-stamp counter and the system's clock lost step";
    let hz = || Run::read(&path).unwrap().machine.tsc_hz;

    let quiet = stderr(&speed.arg(&path).assert().success());
    assert!(!quiet.contains(told), "{quiet}");
    let Some(before) = hz() else {
        eprintln!("left out: here the system's clock is the only one");
        return;
    };
    line(&speed.env("LD_PRELOAD", &shim).assert().success(), told);
    let after = hz().unwrap();
    assert!((after / before - 1.0).abs() < 1e-3, "{before}, {after}");
}
