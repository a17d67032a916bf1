//! What the tests of the catalog share. Not every test needs all of it.
#![allow(dead_code, unused_imports)]
use std::{
    env,
    ffi::OsStr,
    fs,
    os::unix::ffi::OsStrExt,
    process::{Command, Stdio},
};

use ciphertune_catalog::Source;

mod names;
#[path = "../../../../tests/skip.rs"]
mod skip;
mod timed;

pub use names::has_kept_its_names;
pub use skip::skip;
pub use timed::does_its_work;

/// The source that a child is to load, as JSON.
const SOURCE: &str = "CIPHERTUNE_TEST_SOURCE";

/// In a child, what it is to load.
pub fn source() -> Option<Source> {
    let source = env::var(SOURCE).ok()?;
    Some(serde_json::from_str(&source).unwrap())
}

/// One test of this program again, `in_a_process_of_its_own`, which loads this source. By the same dynamic linker: where
/// one was named, it is part of the command that started this program.
pub fn child(source: &Source) -> Command {
    let started = fs::read("/proc/self/cmdline").unwrap();
    let name = env::args_os().next().unwrap();
    let before = started
        .split(|&byte| byte == 0)
        .take_while(|word| *word != name.as_bytes());
    let mut words = before.chain([name.as_bytes()]).map(OsStr::from_bytes);
    let mut command = Command::new(words.next().unwrap());
    command
        .args(words)
        .args(["--exact", "in_a_process_of_its_own", "--nocapture"])
        .env(SOURCE, serde_json::to_string(source).unwrap())
        .stdin(Stdio::null());
    command
}
