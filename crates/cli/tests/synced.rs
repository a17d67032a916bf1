//! What takes a file's place is on the disk: a machine that stops meanwhile has none that is empty, and one that stops
//! afterwards has the new one.
mod common;

use std::{fs, process::Command};

use common::{
    ciphertune, home,
    provider::{TAKES_ANY, provider, system},
    skip,
};

#[test]
fn a_provider_is() {
    let system = system();
    let mut install = provider(&system, &["install", "--module", "built.so", "--system"]);
    install.env("PATH", format!("{TAKES_ANY}:/usr/bin:/bin"));
    are_synced(&install, 3);
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
    let mut traced = Command::new("strace");
    traced.args(["-f", "-e", "trace=fsync,rename,renameat,renameat2"]);
    traced.arg(command.get_program()).args(command.get_args());
    traced.env_clear();
    traced.envs(
        command
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    if let Some(folder) = command.get_current_dir() {
        traced.current_dir(folder);
    }
    let Ok(output) = traced.output() else {
        skip("no strace on this system (make test-packages)");
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("PTRACE_TRACEME") {
        eprintln!("left out: nobody may be traced here");
        return;
    }
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
