//! A disk that is full, or that is not to be written to: one clear line, what was there stays, nothing half-written.
mod common;

use std::process::Command;

use assert_cmd::assert::{Assert, OutputAssertExt};
use common::*;

const FULL: &str = "No space left on device (os error 28)";
const READ_ONLY: &str = "Read-only file system (os error 30)";
/// How a script fills the disk that it is in, to the last byte.
const FILL: &str = "cat /dev/zero >filler 2>/dev/null";
/// Mounts a disk of 64 KiB, which goes with the last process that sees it, puts files of old there and runs a command.
const SCRIPT: &str = "
    disk=$1 prepare=$2; shift 2
    mount -t tmpfs -o size=64k none \"$disk\" && cd \"$disk\" || exit 99
    echo old | tee run.jsonl ciphertune.so >openssl.cnf
    printf 'ciphertune-wisdom 1\\nof old' >wisdom
    before=$(md5sum run.jsonl ciphertune.so openssl.cnf wisdom)
    eval \"$prepare\"
    \"$@\"; status=$?
    echo \"$before\" | md5sum --quiet --check
    echo files: $(ls -A)
    exit $status";

/// What may mount a disk for itself: root, or else whoever may be root in a namespace of its own.
fn namespaces() -> Option<&'static [&'static str]> {
    let ways = [&["--mount"][..], &["--mount", "--map-root-user"]];
    let may = |way: &&[&str]| {
        let tried = Command::new("unshare").args(*way).arg("true").output();
        tried.is_ok_and(|output| output.status.success())
    };
    let way = ways.into_iter().find(may);
    if way.is_none() {
        eprintln!("left out: this system lets nobody mount a disk");
    }
    way
}

/// `ciphertune` in such a disk after a line of shell, with these words, of which `@` is the disk's folder.
fn on_disk(prepare: &str, words: &[&str]) -> Option<(Assert, String)> {
    let home = home();
    let disk = home.path().to_str().unwrap();
    let mut command = Command::new("unshare");
    command
        .args(namespaces()?)
        .args(["sh", "-c", SCRIPT, "sh", disk, prepare])
        .arg(env!("CARGO_BIN_EXE_ciphertune"))
        .args(words.iter().map(|word| word.replace('@', disk)))
        .env_clear()
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .env("HOME", disk);
    Some((command.assert(), disk.to_owned()))
}

#[track_caller]
fn ends_with(text: &str, end: &str) {
    assert!(text.ends_with(end), "no {end:?} at the end of\n{text}");
}

// Slow: as long as `tune` takes.
#[test]
fn a_full_one_costs_files_and_not_results() {
    let words = [
        "tune",
        "AES-128-CTR",
        "--wisdom",
        "@/wisdom",
        "--output",
        "@/run.jsonl",
    ];
    let Some((assert, disk)) = on_disk(FILL, &words) else {
        return;
    };
    let assert = assert.code(1);
    assert_eq!(
        line(&assert, "cannot write the run"),
        format!(
            "ciphertune: cannot write the run to '{disk}/run.jsonl': {FULL}; free some space, or choose another file system"
        )
    );
    assert_eq!(
        line(&assert, "cannot write the wisdom"),
        format!(
            "ciphertune: cannot write the wisdom at {disk}/wisdom: {FULL}; free some space, or name another place"
        )
    );
    let shown = stdout(&assert);
    assert!(shown.contains("\nAES-128-CTR encrypt: "), "{shown}");
    ends_with(
        &shown,
        "files: ciphertune.so filler openssl.cnf run.jsonl wisdom\n",
    );
}

#[test]
fn a_full_one_takes_no_part_of_a_provider() {
    let words = [
        "provider",
        "--openssl-cnf",
        "@/openssl.cnf",
        "--modules",
        "@",
        "install",
        "--module",
    ];
    let words = [&words[..], &[env!("CARGO_BIN_EXE_ciphertune")]].concat();
    // The old one was copied there, and may be replaced.
    let copied = "`ciphertune provider uninstall` removes the module too, which was copied there: SHA-256";
    let copied = format!(
        "{{ echo '# Made by `ciphertune provider`: AES by Ciphertune wherever OpenSSL reads this file.'; echo '# {copied}' \
         $(sha256sum <ciphertune.so | cut -d ' ' -f 1); }} >ciphertune.cnf; {FILL}"
    );
    let Some((assert, disk)) = on_disk(&copied, &words) else {
        return;
    };
    let assert = assert.code(1);
    assert_eq!(
        line(&assert, "ciphertune.so"),
        format!("ciphertune: cannot write {disk}/ciphertune.so: {FULL}")
    );
    assert_eq!(
        stdout(&assert),
        "files: ciphertune.cnf ciphertune.so filler openssl.cnf run.jsonl wisdom\n"
    );
}

#[test]
fn one_that_is_not_to_be_written_to_is_told_before_anything_is_measured() {
    for (words, told) in [
        (
            &["speed", "--output", "@/run.jsonl"][..],
            "cannot write the run to '@/run.jsonl': #; choose a directory that you may write to",
        ),
        (
            &["tune", "--wisdom", "@/wisdom"],
            "cannot write the wisdom at @/wisdom: #; name another place",
        ),
        (
            &["tune", "--wisdom", "@/new/wisdom"],
            "cannot make the folder for the wisdom at @/new/wisdom: #; name another place",
        ),
        (
            &["wisdom", "forget", "--wisdom", "@/wisdom"],
            "cannot delete the wisdom at @/wisdom: #",
        ),
    ] {
        let Some((assert, disk)) = on_disk("mount -o remount,ro \"$disk\"", words) else {
            return;
        };
        let assert = assert.code(1);
        let told = told.replace('@', &disk).replace('#', READ_ONLY);
        assert_eq!(stderr(&assert), format!("ciphertune: {told}\n"));
        assert_eq!(
            stdout(&assert),
            "files: ciphertune.so openssl.cnf run.jsonl wisdom\n"
        );
    }
}
