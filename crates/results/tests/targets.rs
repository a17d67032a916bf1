//! Where a run can be written to, and what is left when it cannot.
mod common;

use std::{
    env,
    fs::{self, File, Permissions},
    io::Write,
    os::unix::fs::{FileTypeExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Command, Output},
};

use ciphertune_results::{Cell, Run, writable};
use tempfile::TempDir;

fn names(directory: &TempDir) -> Vec<PathBuf> {
    fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect()
}

/// The error of both the early check and the writing.
#[track_caller]
fn refused(path: &Path) -> String {
    let late = common::run().write(path).unwrap_err().to_string();
    assert_eq!(writable(path).unwrap_err().to_string(), late);
    assert!(late.contains(&format!("'{}'", path.display())), "{late}");
    late
}

#[test]
fn a_file_is_replaced_whole_and_keeps_its_permissions() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.jsonl");
    fs::write(&path, "old".repeat(100_000)).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();

    common::run().write(&path).unwrap();
    assert_eq!(Run::read(&path).unwrap(), common::run());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(names(&directory), [path]);
}

/// The whole takes the place of a file, and would follow what a device or pipe has already.
#[test]
fn what_there_is_so_far_goes_to_files_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.jsonl");
    common::run().write_so_far(&path).unwrap();
    assert_eq!(Run::read(&path).unwrap(), common::run());
    for stream in ["/dev/full", "/dev/stdout", "/proc/self/fd/1"] {
        common::run().write_so_far(Path::new(stream)).unwrap();
    }
}

#[test]
fn a_new_file_has_the_permissions_of_any_new_file() {
    let directory = tempfile::tempdir().unwrap();
    let (run, other) = (directory.path().join("run.jsonl"), directory.path().join("other"));
    common::run().write(&run).unwrap();
    File::create(&other).unwrap();
    let mode = |path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&run), mode(&other));
}

#[test]
fn the_early_check_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    writable(&directory.path().join("run.jsonl")).unwrap();
    assert!(names(&directory).is_empty());

    let path = directory.path().join("old");
    fs::write(&path, "old").unwrap();
    writable(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(&directory), [path]);
}

#[test]
fn a_link_stays_a_link() {
    let directory = tempfile::tempdir().unwrap();
    let (link, path) = (directory.path().join("link"), directory.path().join("run.jsonl"));
    symlink("run.jsonl", &link).unwrap();
    common::run().write(&link).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(Run::read(&path).unwrap(), common::run());

    let circle = directory.path().join("circle");
    symlink("circle", &circle).unwrap();
    assert!(refused(&circle).contains("symbolic links"));
}

#[test]
fn a_place_that_takes_no_file_is_refused_with_a_remedy() {
    let directory = tempfile::tempdir().unwrap();
    let missing = refused(&directory.path().join("missing/run.jsonl"));
    assert!(missing.contains("create its directory first"), "{missing}");
    let itself = refused(directory.path());
    assert!(itself.contains("name a file inside it"), "{itself}");
    // Where there is none yet, a file would take its name.
    for folder in ["new/", "new/."] {
        let told = refused(&directory.path().join(folder));
        assert!(told.contains("name a file inside it"), "{told}");
        assert!(names(&directory).is_empty());
    }
    refused(Path::new("/proc/run.jsonl"));
    refused(Path::new(""));
}

#[test]
fn a_run_that_could_not_be_read_is_not_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.jsonl");
    fs::write(&path, "old").unwrap();
    let mut run = common::run();
    run.bounds[0].bytes_per_second.median = f64::NAN;
    let error = run.write(&path).unwrap_err().to_string();
    assert!(
        error.contains("must be a positive number, from 1e-30 to 1e30, not NaN"),
        "{error}"
    );
    assert_eq!(fs::read(&path).unwrap(), b"old");
}

#[test]
fn a_pipe_gets_the_run_and_the_early_check_does_not_end_it() {
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // Opening it would wait for a reader for ever.
    writable(&pipe).unwrap();
    let reader = Command::new("cat")
        .arg(&pipe)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    common::run().write(&pipe).unwrap();

    let got = directory.path().join("got");
    fs::write(&got, reader.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(Run::read(&got).unwrap(), common::run());
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
}

/// Runs the test `child` in a process of its own with a target, by a shell script in which it is `"$@"`.
fn run_child(script: &str, target: &Path, stdout: File) -> Output {
    Command::new("sh")
        .args(["-c", script, "sh"])
        .arg(env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .env("TARGET", target)
        .stdout(stdout)
        .output()
        .unwrap()
}

#[test]
fn child() {
    let Some(target) = env::var_os("TARGET") else {
        return;
    };
    let mut run = common::run();
    run.cells = (1..=100)
        .map(|length| Cell {
            length,
            ..common::ok()
        })
        .collect();
    run.write(Path::new(&target)).unwrap();
}

/// A link of the test's own stands for `/dev/stdout`, which code that renames onto it would destroy.
#[test]
fn standard_output_redirected_to_a_file_is_written_in_order() {
    for through in ["/dev/fd/1", "/proc/self/fd/1"] {
        let directory = tempfile::tempdir().unwrap();
        let (link, path) = (directory.path().join("stdout"), directory.path().join("log"));
        symlink(through, &link).unwrap();
        let mut log = File::create(&path).unwrap();
        log.write_all(b"before\n").unwrap();
        assert!(run_child("exec \"$@\"", &link, log).status.success());
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(names(&directory).len(), 2);

        // The test harness writes to the same file before and after.
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("before\n") && text.ends_with('\n'), "{text}");
        let (start, end) = (text.find('{').unwrap(), text.rfind('}').unwrap());
        fs::write(&path, &text[start..=end]).unwrap();
        assert_eq!(Run::read(&path).unwrap().cells.len(), 100);
    }
}

#[test]
fn a_full_device_is_an_error() {
    let output = run_child(
        "exec \"$@\" 3>/dev/full",
        Path::new("/dev/fd/3"),
        File::create("/dev/null").unwrap(),
    );
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("free some space"), "{error}");
}

#[test]
fn a_disk_that_fills_leaves_the_old_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.jsonl");
    fs::write(&path, "old").unwrap();
    // A limit on the size of files stands in for the full disk: the lines go over it half way.
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$@\"";
    let output = run_child(script, &path, File::create("/dev/null").unwrap());
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("free some space"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(&directory), [path]);
}
