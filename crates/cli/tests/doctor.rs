//! `ciphertune doctor` of programs that are made for it.
mod common;

use std::{
    env, fs,
    os::unix::{
        fs::{PermissionsExt, symlink},
        process::ExitStatusExt,
    },
    path::{Path, PathBuf},
    process::Command,
};

use assert_cmd::assert::OutputAssertExt;
use common::{
    bound, ciphertune, ends_with_what_it_started, home, line, provider, put_program, skip, stdout,
    until_it_ended, waiting,
};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use tempfile::TempDir;

#[test]
fn the_doctor_says_why_not() {
    let home = home();
    let script = home.path().join("script");
    fs::write(&script, "#!/bin/true\n").unwrap();
    let assert = ciphertune(&home)
        .args(["doctor", "/no/such/program", "/tmp", "such\n\u{1b}[31m"])
        .arg(&script)
        .assert()
        .failure()
        .code(1);
    let text = stdout(&assert);
    assert!(
        text.contains("no   /no/such/program: there is no such program\n"),
        "{text}"
    );
    assert!(text.contains("no   /tmp: it is a directory\n"), "{text}");
    assert!(
        text.contains("no   such  [31m: there is no such program\n"),
        "{text}"
    );
    // It cannot be started by anybody.
    assert!(text.contains("script: it is not executable\n"), "{text}");
}

/// A program that says what the linker says of one that loads these files.
fn that_loads(home: &TempDir, files: &[&str]) -> PathBuf {
    let program = home.path().join("loads");
    let told: String = files
        .iter()
        .map(|file| format!("echo 'calling init: {file}' >&2\n"))
        .collect();
    put_program(&program, format!("#!/bin/sh\n{told}"));
    program
}

/// What is not known is no "no".
#[test]
fn the_doctor_says_what_it_cannot_tell() {
    let home = home();
    fs::create_dir(home.path().join("empty")).unwrap();
    for (files, told) in [
        (
            &["/m/ciphertune.so"][..],
            "it loads /m/ciphertune.so, and whether it takes AES from there is not known: the command openssl, which",
        ),
        (
            &["/lib/libcrypto.so.3"],
            "it loads OpenSSL, and whether a configuration that it reads loads the provider is not known: the command \
             openssl, which",
        ),
    ] {
        let program = that_loads(&home, files);
        for configuration in [None, Some("/nonexistent.cnf")] {
            let mut command = ciphertune(&home);
            command
                .arg("doctor")
                .arg(&program)
                .env("PATH", home.path().join("empty"));
            command.envs(configuration.map(|it| ("OPENSSL_CONF", it)));
            let said = stdout(&command.assert().failure().code(1));
            assert!(
                said.starts_with(&format!("?    {}: {told}", program.display())),
                "{said}"
            );
        }
    }
}

/// OpenSSL then goes on without any, and tells nobody.
#[test]
fn an_environment_that_names_no_configuration_is_told() {
    let home = home();
    let (none, file) = (home.path().join("none.cnf"), home.path().join("some.cnf"));
    fs::write(&file, "").unwrap();
    let program = that_loads(&home, &["/lib/libcrypto.so.3"]);
    let shown = |words: &[&str], named: &Path| {
        let mut command = ciphertune(&home);
        command.args(words).env("OPENSSL_CONF", named);
        command.env("PATH", provider::TAKES_ANY);
        stdout(&command.assert())
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let status = [
        "provider",
        "--openssl-cnf",
        file.to_str().unwrap(),
        "--modules",
        "/m",
        "status",
    ];
    for words in [&["doctor", program.to_str().unwrap()][..], &status] {
        for (named, told) in [
            (&*none, "is not there"),
            (home.path(), "is a folder"),
            (Path::new(""), "is not there"),
        ] {
            let told = format!("OPENSSL_CONF names '{}', which {told}, so that", named.display());
            let shown = shown(words, named);
            assert!(shown.contains(&told), "{shown}");
        }
        let shown = shown(words, &file);
        assert!(!shown.contains("names"), "{shown}");
    }
}

/// OpenSSL would wait for the pipe, in each program that is started.
#[test]
fn an_environment_that_names_a_device_or_a_pipe_is_told_at_once() {
    let home = home();
    let (pipe, file) = (home.path().join("pipe"), home.path().join("some.cnf"));
    Command::new("mkfifo").arg(&pipe).assert().success();
    fs::write(&file, "").unwrap();
    for named in [Path::new("/dev/zero"), &pipe] {
        let told = format!(
            "OPENSSL_CONF names '{}', which is no regular file: programs may wait for it without an end; name one that is, or \
             unset it",
            named.display()
        );
        let mut doctor = ciphertune(&home);
        doctor.arg("doctor").env("OPENSSL_CONF", named);
        let refused = doctor.assert().failure().code(1);
        assert_eq!(line(&refused, "OPENSSL_CONF"), format!("ciphertune: {told}"));
        assert_eq!(stdout(&refused), "");
        let mut status = ciphertune(&home);
        status
            .args(["provider", "--modules", "/m", "--openssl-cnf"])
            .arg(&file);
        status.arg("status").env("OPENSSL_CONF", named);
        let shown = stdout(&status.assert().failure().code(1));
        assert!(shown.ends_with(&format!("\n\n{told}\n")), "{shown}");
    }
    let mut doctor = ciphertune(&home);
    doctor
        .args(["doctor", "/no/such"])
        .env("OPENSSL_CONF", "/dev/null");
    let shown = stdout(&doctor.assert().failure().code(1));
    assert!(!shown.contains("names"), "{shown}");
}

#[test]
fn the_doctor_goes_on_after_a_program_that_cannot_be_started() {
    let home = home();
    let program = home.path().join("interpreted");
    put_program(&program, "#!/nonexistent\n");
    let mut command = ciphertune(&home);
    command.arg("doctor").arg(&program).arg("/no/such/program");
    let said = stdout(&command.assert().failure().code(1));
    let told = format!("no   {}: cannot be started: No such file", program.display());
    assert!(said.starts_with(&told), "{said}");
    assert!(
        said.contains("no   /no/such/program: there is no such program\n"),
        "{said}"
    );
}

/// Where it goes is the doctor's matter, whatever the linker is told elsewhere.
#[test]
fn the_doctor_hears_what_the_linker_says() {
    let home = home();
    let other = home.path().join("linker");
    let mut command = ciphertune(&home);
    command
        .args(["doctor", "/bin/true"])
        .env("LD_DEBUG_OUTPUT", &other);
    let said = stdout(&command.assert().failure().code(1));
    assert!(said.contains("it loads no libcrypto"), "{said}");
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);

    let mut command = ciphertune(&home);
    command
        .args(["doctor", "/bin/true"])
        .env("TMPDIR", "/nonexistent");
    let told = line(&command.assert().failure().code(1), "ciphertune: ");
    assert_eq!(
        told,
        "ciphertune: cannot make a temporary file in /nonexistent, as TMPDIR can say where: No such file or directory (os \
         error 2)"
    );
}

#[test]
fn what_the_doctor_stops_leaves_nothing_behind() {
    let home = home();
    let (script, pid) = (home.path().join("script"), home.path().join("pid"));
    let text = format!(
        "#!/bin/sh\nsleep 1000 &\necho $! > {}\nexec yes >&2\n",
        pid.display()
    );
    put_program(&script, text);
    let told = doctor(&home, &script);
    let expected = "it said more than 16 MiB, so it was stopped; until then: it loads no libcrypto: ";
    assert!(told.contains(expected), "{told}");
    until_it_ended(&fs::read_to_string(pid).unwrap());
}

/// As the terminal's end, of which a program in another group hears nothing.
#[test]
fn what_ends_the_doctor_ends_what_it_has_started() {
    for signal in [SIGINT, SIGHUP] {
        let home = home();
        let (script, pid) = (home.path().join("script"), home.path().join("pid"));
        put_program(&script, waiting(&pid));
        let mut command = ciphertune(&home);
        ends_with_what_it_started(command.arg("doctor").arg(script), signal, &pid);
    }
}

/// The command openssl, which is asked when a program was started, is sure to have sent the signal before it ends.
#[test]
fn the_doctor_hears_a_signal_between_its_programs() {
    let home = home();
    put_program(&home.path().join("openssl"), "#!/bin/sh\nkill -TERM $PPID\n");
    let mut command = ciphertune(&home);
    command.args(["doctor", "/bin/sh"]).env("PATH", home.path());
    let output = command.output().unwrap();
    assert_eq!(output.status.signal(), Some(SIGTERM), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
}

/// What `ciphertune doctor` says of a program, not being told that its AES goes through the provider.
fn doctor(home: &TempDir, program: &Path) -> String {
    let mut command = ciphertune(home);
    command
        .arg("doctor")
        .arg(program)
        .env("PATH", env::var("PATH").unwrap());
    stdout(&command.assert().failure().code(1))
}

#[test]
fn the_doctor_knows_node_by_any_name() {
    let home = home();
    let node = home.path().join("node");
    put_program(&node, "#!/bin/sh\n");
    symlink(&node, home.path().join("nodejs")).unwrap();
    put_program(&home.path().join("v20"), "#!/bin/sh\n# _ZN4node5StartEiPPc\n");
    for name in ["node", "nodejs", "v20"] {
        let said = doctor(&home, &home.path().join(name));
        assert!(said.contains("Node brings its own OpenSSL"), "{said}");
    }
}

/// A copy of a program of this system, by another name and with these rights.
fn with_rights(home: &TempDir, program: &str, mode: u32) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let Some(found) = env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|it| it.exists())
    else {
        skip(format_args!("{program} is not installed"));
        return None;
    };
    let copy = home.path().join(format!("{program}-{mode:o}"));
    put_program(&copy, fs::read(found).unwrap());
    fs::set_permissions(&copy, fs::Permissions::from_mode(mode)).unwrap();
    Some(copy)
}

#[test]
fn the_doctor_says_what_reaches_a_program_with_other_rights() {
    let home = home();
    for mode in [0o4755, 0o2755] {
        let (Some(openssl), Some(other)) = (
            with_rights(&home, "openssl", mode),
            with_rights(&home, "true", mode),
        ) else {
            return;
        };
        let rights = match mode {
            0o4755 => "it runs with the rights of its owner, and OpenSSL then believes no environment",
            _ => "it runs with the rights of its group, and OpenSSL then believes no environment",
        };
        let said = doctor(&home, &openssl);
        let told = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            told.ends_with(&format!("{rights}; `provider install --system` reaches it")),
            "{told}"
        );
        let said = doctor(&home, &other);
        assert!(
            said.contains("it loads no libcrypto") && !said.contains("--system"),
            "{said}"
        );

        // Whoever may run it may be nobody to read it.
        fs::set_permissions(&other, fs::Permissions::from_mode(mode & 0o7000 | 0o311)).unwrap();
        if let Some(mut asked) = bound(ciphertune(&home).arg("doctor").arg(&other)) {
            let said = stdout(&asked.assert().failure().code(1));
            assert!(
                said.contains("what it loads cannot be seen: Permission denied"),
                "{said}"
            );
        }

        // Where the system's configuration has the provider.
        let fake = home.path().join("openssl");
        put_program(
            &fake,
            format!(
                "#!/bin/sh\nprintf 'OPENSSLDIR: \"{0}\"\\nMODULESDIR: \"{0}\"\\n    name: Ciphertune\\n'\n",
                home.path().display()
            ),
        );
        let mut command = ciphertune(&home);
        command.arg("doctor").arg(&openssl).env("PATH", home.path());
        let said = stdout(&command.assert().failure().code(1));
        let told = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            told.contains(&format!("{rights}; it loads OpenSSL, and ends before it reads")),
            "{told}"
        );
    }
}

/// By somebody who has not these capabilities, as root has.
#[test]
fn the_doctor_sees_that_capabilities_hide_the_environment() {
    let home = home();
    let Some(program) = with_rights(&home, "openssl", 0o755) else {
        return;
    };
    let doctor = home.path().join("doctor");
    put_program(&doctor, fs::read(env!("CARGO_BIN_EXE_ciphertune")).unwrap());
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let mut asked = Command::new("setpriv");
    asked.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]);
    asked.arg(&doctor).arg("doctor").arg(&program);
    let given = Command::new("sh")
        .arg("-c")
        .arg("PATH=$PATH:/usr/sbin:/sbin setcap cap_net_raw+ep \"$0\" && setpriv --reuid 65534 --clear-groups true")
        .arg(&program)
        .output();
    if !given.is_ok_and(|given| given.status.success()) {
        eprintln!("left out: no file can be given capabilities here");
        return;
    }
    let said = stdout(&asked.assert().failure().code(1));
    let told = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.ends_with(
            "its loader ignores the environment, as for a file with capabilities (getcap shows them), and OpenSSL then \
             believes no environment; `provider install --system` reaches it"
        ),
        "{told}"
    );
}

/// In a folder that others may write to, as by root.
#[test]
fn the_doctor_runs_nothing_of_the_current_folder() {
    let home = home();
    let ran = home.path().join("ran");
    let hostile = format!("open({:?}, 'w')\n", ran.display().to_string());
    for module in ["ssl", "sys", "_ssl"] {
        fs::write(home.path().join(module).with_extension("py"), &hostile).unwrap();
    }
    let mut command = ciphertune(&home);
    command
        .args(["doctor", "python3"])
        .env("PATH", format!("/usr/bin:{}", env::var("PATH").unwrap()))
        .current_dir(&home);
    let assert = command.assert().failure().code(1);
    let said = stdout(&assert);
    if said.contains("there is no such program") {
        return skip("python3 is not installed");
    }
    assert!(!ran.exists(), "{said}");
    // Its own `ssl` is what was asked.
    assert!(said.contains("OpenSSL"), "{said}");
}
