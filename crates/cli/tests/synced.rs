//! What takes a file's place is on the disk: a machine that stops meanwhile has none that is empty, and one that stops
//! afterwards has the new one.
mod common;

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use common::{
    ciphertune, home,
    provider::{TAKES_ANY, names, provider, system},
    skip, through,
};
use tempfile::TempDir;

#[test]
fn a_provider_is() {
    let system = system();
    are_synced(&install(&system), 3);
}

fn install(system: &TempDir) -> Command {
    let mut install = provider(system, &["install", "--module", "built.so", "--system"]);
    install.env("PATH", format!("{TAKES_ANY}:/usr/bin:/bin"));
    install
}

/// The last sync is of the folder, when ours has taken the place of somebody's own, of none, or of ours.
#[test]
fn an_install_that_cannot_be_synced_leaves_all_as_it_was() {
    let system = system();
    let folder = system.path();
    let place = |name: &str| folder.join(name);
    let fails = |sync: usize| {
        let before = contents(folder);
        let inject = format!("inject=fsync:error=EIO:when={sync}");
        if let Some(output) = traced(&install(&system), &["-e", &inject]) {
            assert_eq!(output.status.code(), Some(1), "{sync}: {output:?}");
            assert_eq!(contents(folder), before, "{sync}: {output:?}");
        }
    };
    (1..=6).for_each(fails);
    fs::rename(place("openssl.cnf"), place("away")).unwrap();
    (1..=6).for_each(fails);
    fs::rename(place("away"), place("openssl.cnf")).unwrap();
    assert!(install(&system).output().unwrap().status.success());
    let beside = place("ciphertune.cnf");
    let set = fs::read_to_string(&beside)
        .unwrap()
        .replace("# wisdom", "threads = 2\n# wisdom");
    fs::write(&beside, set).unwrap();
    // The module is there already.
    (1..=4).for_each(fails);
}

/// Ours, if it came back when a machine stops, would name a module that is gone.
#[test]
fn what_uninstall_puts_back_is_before_the_module_goes() {
    for (is_there, first) in [(true, "rename"), (false, "unlink")] {
        let system = system();
        if !is_there {
            fs::remove_file(system.path().join("openssl.cnf")).unwrap();
        }
        assert!(install(&system).output().unwrap().status.success());
        let mut uninstall = provider(&system, &["uninstall"]);
        uninstall.env("PATH", "/usr/bin:/bin");
        let calls = ["fsync", "rename", "unlink"];
        let words = ["-e", "trace=/^(fsync|rename|unlink)"];
        let Some(output) = traced(&uninstall, &words) else {
            return;
        };
        let said = String::from_utf8_lossy(&output.stderr);
        let said: Vec<_> = said.lines().filter(|line| line.ends_with(" = 0")).collect();
        let made = said
            .iter()
            .filter_map(|line| calls.into_iter().find(|call| line.contains(call)));
        let made: Vec<_> = made.collect();
        assert_eq!(made, [first, "fsync", "unlink", "unlink"], "{said:?}");
    }
}

/// What each file says in a folder and in those in it.
fn contents(folder: &Path) -> Vec<(String, String)> {
    let said = |name: String| {
        let path = folder.join(&name);
        match path.is_dir() {
            true => contents(&path),
            false => vec![(name, fs::read_to_string(path).unwrap())],
        }
    };
    names(folder).into_iter().flat_map(said).collect()
}

#[test]
fn a_run_is() {
    let home = home();
    let (table, run) = (home.path().join("table"), home.path().join("run.jsonl"));
    fs::write(&table, "type 16 bytes\naes-128-cbc 40746.12k\n").unwrap();
    let mut import = ciphertune(&home);
    import.arg("import").arg(table).arg("--output").arg(run);
    are_synced(&import, 1);
}

/// That there are so many renamings, the file is synced before each, and the folder after it.
#[track_caller]
fn are_synced(command: &Command, count: usize) {
    let Some(output) = traced(command, &["-e", "trace=fsync,rename,renameat,renameat2"]) else {
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    let calls: Vec<_> = said.lines().filter(|line| line.ends_with(" = 0")).collect();
    let renames: Vec<_> = (0..calls.len())
        .filter(|&at| calls[at].contains("rename"))
        .collect();
    assert_eq!(renames.len(), count, "{said}");
    for at in renames {
        for other in [calls[..at].last(), calls.get(at + 1)] {
            assert!(other.is_some_and(|call| call.contains("fsync(")), "{said}");
        }
    }
}

/// What comes of a command under strace, which is given these words. `None`, with a line on standard error, where that cannot
/// be.
fn traced(command: &Command, words: &[&str]) -> Option<Output> {
    let mut strace = Command::new("strace");
    strace.arg("-f").args(words);
    let Ok(output) = through(strace, command).output() else {
        skip("no strace on this system (make test-packages)");
        return None;
    };
    if String::from_utf8_lossy(&output.stderr).contains("PTRACE_TRACEME") {
        eprintln!("left out: nobody may be traced here");
        return None;
    }
    Some(output)
}
