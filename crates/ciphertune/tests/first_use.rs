//! The first use of the library in a process: what it believes of its environment, and that a child which is forked
//! meanwhile goes on.
//!
//! A process has one first use and one environment, so each case runs this test again in a process of its own.
#![cfg(target_os = "linux")]

use std::{
    env,
    fs::{self, Permissions},
    io::ErrorKind,
    os::unix::{
        fs::{PermissionsExt, chown},
        process::ExitStatusExt,
    },
    path::Path,
    process::{Command, Output, exit},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
    time::Duration,
};

use ciphertune::{
    Basis, Ctr, Implementation, LengthClass, Mode, Selection, cpu, hide_features, use_wisdom,
    wisdom::{Choice, Rates, Tuning, Wisdom, WisdomError},
};

const AGAIN: &str = "AGAIN";
/// The same, with a folder for what both read and write.
const AGAIN_IN: &str = "AGAIN_IN";

/// The test of this name, in a process of its own.
fn again(program: &Path, test: &str) -> Command {
    let mut command = Command::new(program);
    command.args(["--exact", test, "--nocapture"]).env(AGAIN, "1");
    command
}

fn this_program() -> std::path::PathBuf {
    env::current_exe().unwrap()
}

/// Wisdom of that many algorithms that nobody knows.
fn wisdom(algorithms: usize) -> Wisdom {
    let rates = Rates {
        low: 1.0,
        median: 2.0,
        high: 3.0,
    };
    let choice = |number| Choice {
        algorithm: format!("A{number}"),
        operation: "encrypt".to_owned(),
        contract: "stream/1".to_owned(),
        class: LengthClass::of(0),
        implementation: Implementation::PORTABLE,
        bytes_per_second: rates,
        runner_up: None,
    };
    let choices = (0..algorithms).map(choice).collect();
    Wisdom::new(vec![Tuning {
        made: "2026-11-25T00:00:00Z".to_owned(),
        patience: "measure".to_owned(),
        choices,
        help: Vec::new(),
    }])
}

/// The child has not the thread that was in its first use; it must not wait for it.
#[test]
fn a_child_that_is_forked_meanwhile_goes_on() {
    const MISSED: i32 = 75;
    if env::var_os(AGAIN).is_some() {
        static BEGUN: AtomicBool = AtomicBool::new(false);
        static DONE: AtomicBool = AtomicBool::new(false);
        let first = thread::spawn(|| {
            BEGUN.store(true, Relaxed);
            Ctr::new(&[1; 16], &[0; 16]).unwrap();
            DONE.store(true, Relaxed);
        });
        while !BEGUN.load(Relaxed) {
            thread::yield_now();
        }
        thread::sleep(Duration::from_millis(1));
        // SAFETY: the child leaves without running anything of the parent's, and takes no lock that another thread may
        // hold: glibc makes its allocator usable after a fork.
        let status = unsafe {
            match libc::fork() {
                -1 => panic!("no fork"),
                0 => {
                    let missed = DONE.load(Relaxed);
                    libc::alarm(60);
                    let failed = Ctr::new(&[1; 16], &[0; 16]).is_err();
                    libc::_exit(if missed { MISSED } else { i32::from(failed) })
                }
                child => {
                    let mut status = 0;
                    assert_eq!(libc::waitpid(child, &mut status, 0), child);
                    std::process::ExitStatus::from_raw(status)
                }
            }
        };
        first.join().unwrap();
        assert_eq!(status.signal(), None, "the child waited");
        exit(status.code().unwrap());
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wisdom");
    // As many as a file may have, which take a while to read.
    wisdom(16_000).write(&path).unwrap();
    assert!(Wisdom::read(&path).is_ok());
    // Where the thread was too fast or too slow once, it is not always.
    for _ in 0..50 {
        let ended = again(&this_program(), "a_child_that_is_forked_meanwhile_goes_on")
            .env("CIPHERTUNE_WISDOM", &path)
            .output()
            .unwrap();
        match ended.status.code() {
            Some(0) => return,
            Some(MISSED) => {}
            _ => panic!("{ended:?}"),
        }
    }
    panic!("no child was forked during the first use");
}

/// Also where a program names the file itself, before anything else has hidden what is to be hidden.
#[test]
fn wisdom_is_judged_on_what_is_left_of_the_processor() {
    let test = "wisdom_is_judged_on_what_is_left_of_the_processor";
    if let Some(folder) = env::var_os(AGAIN_IN) {
        let of = |name| Path::new(&folder).join(name);
        let whole = Wisdom::read(&of("whole"));
        assert!(matches!(whole, Err(WisdomError::Refused { .. })), "{whole:?}");
        wisdom(1).write(&of("lesser")).unwrap();
        use_wisdom(Wisdom::read(&of("lesser")).unwrap()).unwrap();
        return;
    }
    let Some(feature) = cpu::ALL.iter().rev().find(|feature| feature.is_present()) else {
        eprintln!("skipped: this processor has nothing that could be hidden");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    wisdom(1).write(&folder.path().join("whole")).unwrap();
    let ended = again(&this_program(), test)
        .env(AGAIN_IN, folder.path())
        .env("CIPHERTUNE_CPU", format!("-{}", feature.name()))
        .output()
        .unwrap();
    assert!(ended.status.success(), "{ended:?}");
    // And what was made there is nothing for the whole processor.
    let lesser = Wisdom::read(&folder.path().join("lesser"));
    assert!(matches!(lesser, Err(WisdomError::Refused { .. })), "{lesser:?}");
}

#[test]
fn a_relative_folder_for_settings_is_ignored() {
    if env::var_os(AGAIN).is_some() {
        assert_eq!(
            Wisdom::default_path().unwrap(),
            Path::new("/home/of/mine/.config/ciphertune/wisdom")
        );
        return;
    }
    let ended = again(&this_program(), "a_relative_folder_for_settings_is_ignored")
        .env_remove("CIPHERTUNE_WISDOM")
        .env("XDG_CONFIG_HOME", "config")
        .env("HOME", "/home/of/mine")
        .output()
        .unwrap();
    assert!(ended.status.success(), "{ended:?}");
}

/// Where each waits for the one before, whatever the length, they are for what takes a message of a block.
#[test]
fn without_aes_instructions_blocks_that_wait_are_for_what_takes_a_lone_one() {
    let test = "without_aes_instructions_blocks_that_wait_are_for_what_takes_a_lone_one";
    if env::var_os(AGAIN).is_none() {
        let ended = again(&this_program(), test)
            .env("CIPHERTUNE_CPU", "-aes")
            .env_remove("CIPHERTUNE_IMPLEMENTATION")
            .output()
            .unwrap();
        assert!(ended.status.success(), "{ended:?}");
        return;
    }
    hide_features().unwrap();
    let selection = Selection::estimated(WisdomError::OthersRights);
    let serves = |mode, operation, len| {
        let served = selection.implementation(&format!("AES-128-{mode}"), operation, len);
        served.unwrap()
    };
    let lone = serves("CTR", "encrypt", 16);
    for len in [16, 64, 4096, 1 << 20] {
        for (mode, operation) in [
            ("CBC", "encrypt"),
            ("CFB", "encrypt"),
            ("OFB", "encrypt"),
            ("OFB", "decrypt"),
            ("CMAC", "mac"),
            ("CCM", "seal"),
            ("CCM", "open"),
        ] {
            assert_eq!(serves(mode, operation, len), lone, "{mode}, {len}");
        }
        let wide = serves("ECB", "encrypt", len);
        for mode in ["CBC", "CFB"] {
            assert_eq!(serves(mode, "decrypt", len), wide, "{mode}, {len}");
        }
        for mode in [Mode::CbcMany, Mode::Cmac] {
            let many = selection.plans(mode, 16).unwrap().backward();
            assert_eq!(many.implementation(len), wide, "{mode:?}, {len}");
        }
    }
    assert_ne!(
        serves("CTR", "encrypt", 1 << 20),
        lone,
        "counters are for bitsliced code"
    );
}

/// A setuid program has rights that its caller has not, and its caller's environment.
#[test]
fn a_program_with_anothers_rights_does_not_believe_its_environment() {
    const ORDINARY: i32 = 75;
    const BELIEVED: i32 = 76;
    if env::var_os(AGAIN).is_some() {
        let believed = hide_features().is_err() && ciphertune::selection().is_err();
        // SAFETY: it has no preconditions.
        if unsafe { libc::getauxval(libc::AT_SECURE) } == 0 {
            exit(if believed { BELIEVED } else { ORDINARY });
        }
        assert_eq!(hide_features(), Ok(()));
        assert!(matches!(Wisdom::default_path(), Err(WisdomError::OthersRights)));
        let basis = ciphertune::selection().unwrap().basis();
        assert!(
            matches!(basis, Basis::Estimate(WisdomError::OthersRights)),
            "{basis:?}"
        );
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (program, file) = (folder.path().join("program"), folder.path().join("wisdom"));
    wisdom(1).write(&file).unwrap();
    // Not by this process: a child that another test starts meanwhile would have the file open for writing, and nobody may
    // run it then.
    let install = Command::new("install")
        .args(["-m", "755"])
        .arg(this_program())
        .arg(&program)
        .status();
    assert!(install.unwrap().success());
    let run = |settings: &[(&str, &str)]| -> Output {
        again(
            &program,
            "a_program_with_anothers_rights_does_not_believe_its_environment",
        )
        .env("CIPHERTUNE_WISDOM", &file)
        .envs(settings.iter().copied())
        .output()
        .unwrap()
    };
    let wrong = [
        ("CIPHERTUNE_CPU", "-rot13"),
        ("CIPHERTUNE_IMPLEMENTATION", "rot13"),
    ];
    let ordinary = run(&wrong);
    assert_eq!(ordinary.status.code(), Some(BELIEVED), "{ordinary:?}");

    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    match chown(&program, Some(65_534), Some(65_534)) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            eprintln!("skipped: only root makes a program setuid for somebody else");
            return;
        }
        done => done.unwrap(),
    }
    fs::set_permissions(&program, Permissions::from_mode(0o4755)).unwrap();
    for settings in [&wrong[..], &[]] {
        let ended = run(settings);
        if let Some(ORDINARY | BELIEVED) = ended.status.code() {
            eprintln!("skipped: here no program is setuid");
            return;
        }
        assert!(ended.status.success(), "{ended:?}");
    }
}
