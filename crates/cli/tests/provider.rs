//! `ciphertune provider` in folders of its own. That the configuration works is for tests/provider to show.
mod common;

use std::{
    ffi::OsString,
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use assert_cmd::assert::{Assert, OutputAssertExt};
use common::{
    bound, ciphertune, ends_with_what_it_started, home, line,
    provider::{SYSTEM, TAKES_ANY, names, provider, system},
    put_program, skip, stderr, stdout, until_it_ended, waiting,
};
use sha2::{Digest, Sha256};
use signal_hook::consts::{SIGINT, SIGTERM};
use tempfile::TempDir;

#[test]
fn installing_leaves_the_systems_configuration_alone() {
    let system = system();
    install_built(&system);
    let file = |name: &str| fs::read_to_string(system.path().join(name)).unwrap();
    assert_eq!(file("openssl.cnf"), SYSTEM);
    assert_eq!(file("modules/ciphertune.so"), "code");
    let config = provider(&system, &["config"]).assert().success();
    assert!(file("ciphertune.cnf").starts_with(&stdout(&config)));
    assert_eq!(stderr(&config), "");
    let removed = stdout(&provider(&system, &["uninstall"]).assert().success());
    assert_eq!(removed.matches("removed   ").count(), 2, "{removed}");
    assert_eq!(names(system.path()), ["built.so", "modules", "openssl.cnf"]);
    assert!(names(&system.path().join("modules")).is_empty());
    // Once more is no error.
    let none = stdout(&provider(&system, &["uninstall"]).assert().success());
    assert!(none.starts_with("There is no "), "{none}");
}

#[test]
fn what_was_set_stays_when_it_is_installed_again() {
    let system = system();
    let install = || {
        install_built(&system);
        fs::read_to_string(system.path().join("ciphertune.cnf")).unwrap()
    };
    let text = install();
    let set = text.replace(
        "# implementation",
        "implementation = aesni\n  threads=2\n# implementation",
    );
    fs::write(
        system.path().join("ciphertune.cnf"),
        set.replace("activate = 1", "activate = 0"),
    )
    .unwrap();
    let again = provider(&system, &["install", "--module", "built.so"]).assert();
    line(
        &again.success(),
        "ciphertune.cnf was changed outside of the provider's section, and is written anew",
    );
    for _ in 0..2 {
        let again = install();
        assert_eq!(
            again,
            text.replace("# wisdom", "implementation = aesni\n  threads=2\n# wisdom")
        );
    }
    let said = stdout(&provider(&system, &["uninstall"]).assert().success());
    assert!(said.contains("\nkept      "), "{said}");
    assert_eq!(
        names(system.path()),
        ["built.so", "ciphertune.cnf", "modules", "openssl.cnf"]
    );
    assert!(names(&system.path().join("modules")).is_empty());
}

/// A path in Latin-1, which would be kept as another.
#[test]
fn what_was_set_and_cannot_be_kept_is_not_thrown_away() {
    let system = system();
    let beside = system.path().join("ciphertune.cnf");
    let install = || provider(&system, &["install", "--module", "built.so"]).assert();
    install().success();
    let written = fs::read_to_string(&beside).unwrap();
    let (before, after) = written.split_once("# wisdom").unwrap();
    let text = [before.as_bytes(), b"wisdom = /f\xfcr\n# wisdom", after.as_bytes()].concat();
    fs::write(&beside, &text).unwrap();
    line(
        &install().failure().code(1),
        "ciphertune.cnf: 'wisdom = /f\u{fffd}r' is no UTF-8",
    );
    assert_eq!(fs::read(&beside).unwrap(), text);
}

/// The settings of what was there are those of what takes the system's place.
#[test]
fn what_was_set_reaches_all_programs() {
    let system = system();
    let [conf, beside] = ["openssl.cnf", "ciphertune.cnf"].map(|name| system.path().join(name));
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    let install = |words: &[&str]| {
        let words = [&["install", "--module", "built.so"], words].concat();
        provider(&system, &words).assert().success();
    };
    install(&[]);
    let set = |line: &str| {
        let text = read(&beside).replace("# wisdom", &format!("{line}\n# wisdom"));
        fs::write(&beside, text).unwrap();
    };
    set("threads = 2");
    install(&["--system"]);
    assert!(
        read(&conf).contains("\nactivate = 1\nthreads = 2\n# wisdom"),
        "{}",
        read(&conf)
    );
    // And once more, with what was set since.
    set("threads-after = 65536");
    install(&["--system"]);
    assert!(
        read(&conf).contains("\nthreads = 2\nthreads-after = 65536\n# wisdom"),
        "{}",
        read(&conf)
    );
    provider(&system, &["uninstall"]).assert().success();
    assert_eq!(read(&conf), SYSTEM);
}

/// The hints ask for it.
#[test]
fn what_is_set_in_the_systems_place_goes_with_it() {
    let system = system();
    let conf = system.path().join("openssl.cnf");
    let install = || provider(&system, &["install", "--module", "built.so", "--system"]).assert();
    install().success();
    let written = fs::read_to_string(&conf).unwrap();
    for hint in ["wisdom", "implementation", "threads", "threads-after"] {
        assert!(written.contains(&format!("\n# {hint} = ")), "{written}");
    }
    let (before, hint) = written.split_once("# implementation = ").unwrap();
    let (_, after) = hint.split_once('\n').unwrap();
    let set = format!("{before}implementation = portable\n{after}").replace("activate = 1\n# w", "# w");
    fs::write(&conf, &set).unwrap();
    // What was set there is not written over.
    install().success();
    assert_eq!(fs::read_to_string(&conf).unwrap(), set);
    let said = stdout(&provider(&system, &["uninstall"]).assert().success());
    assert!(
        said.contains("\n          with it went what was set for the provider: implementation = portable\n"),
        "{said}"
    );
    assert_eq!(fs::read_to_string(&conf).unwrap(), SYSTEM);
    assert_eq!(names(system.path()), ["built.so", "modules", "openssl.cnf"]);

    for elsewhere in [
        set.replace("\n[ciphertune_alg", "\n[mine]\na = b\n\n[ciphertune_alg"),
        set.replace("?provider=ciphertune", "provider=ciphertune"),
        format!("# mine\n{set}"),
        format!("{set}# mine\n"),
    ] {
        install().success();
        fs::write(&conf, &elsewhere).unwrap();
        let assert = provider(&system, &["uninstall"]).assert();
        if elsewhere.starts_with("# mine") {
            // It is not known to be ours, and stays as what replaced it.
            assert.success();
        } else {
            let assert = assert.failure().code(1);
            line(
                &assert,
                "was changed after `ciphertune provider install` wrote it, and not in the provider's section alone; ",
            );
        }
        assert_eq!(fs::read_to_string(&conf).unwrap(), elsewhere);
        fs::rename(system.path().join("openssl.cnf.before-ciphertune"), &conf).unwrap();
    }
}

/// As from a package, or from `make install`.
#[test]
fn a_module_of_somebody_elses_is_not_replaced() {
    let system = system();
    let module = system.path().join("modules/ciphertune.so");
    let read = || fs::read_to_string(&module).unwrap();
    fs::write(&module, "packaged").unwrap();
    let assert = provider(&system, &["install", "--module", "built.so"]).assert();
    let error = line(&assert.failure().code(1), "was there before");
    let shown = module.display();
    assert!(
        error.ends_with(&format!(
            "so it stays: take it as it is with --module {shown}, or remove it first, or the package that brought it"
        )),
        "{error}"
    );
    assert_eq!(
        (read().as_str(), names(system.path())),
        (
            "packaged",
            vec!["built.so".into(), "modules".into(), "openssl.cnf".into()]
        )
    );
    // As it is, it is taken, and not ours to remove.
    provider(&system, &["install", "--module", module.to_str().unwrap()])
        .assert()
        .success();
    provider(&system, &["uninstall"]).assert().success();
    assert_eq!(read(), "packaged");

    // Nor one that came to replace our copy.
    fs::remove_file(&module).unwrap();
    install_built(&system);
    fs::write(&module, "packaged later").unwrap();
    let again = provider(&system, &["install", "--module", "built.so"]).assert();
    line(&again.failure().code(1), "was there before");
    let said = stdout(&provider(&system, &["uninstall"]).assert().success());
    assert!(said.contains("it is another than was copied there"), "{said}");
    assert_eq!(read(), "packaged later");
}

/// Which has brought what we had copied there, byte for byte.
#[test]
fn a_copy_that_a_package_took_over_is_the_packages() {
    let system = system();
    let module = system.path().join("modules/ciphertune.so");
    install_built(&system);
    let dpkg = system.path().join("bin/dpkg-query");
    fs::create_dir(system.path().join("bin")).unwrap();
    put_program(
        &dpkg,
        "#!/bin/sh\n[ \"$1\" = --search ] && echo \"a-package: $2\"\n",
    );
    let by_a_package = |words: &[&str]| {
        let mut command = provider(&system, words);
        let path = format!("{}:{TAKES_ANY}", dpkg.parent().unwrap().display());
        command.env("PATH", path).assert()
    };
    fs::write(system.path().join("newer.so"), "newer code").unwrap();
    line(
        &by_a_package(&["install", "--module", "newer.so"])
            .failure()
            .code(1),
        "was there before, and `ciphertune provider` has not put it there",
    );
    let said = stdout(&by_a_package(&["uninstall"]).success());
    let told = format!(
        "kept      {}: it is of the package a-package now, and goes with that\n",
        module.display()
    );
    assert!(said.starts_with(&told), "{said}");
    assert_eq!(fs::read_to_string(&module).unwrap(), "code");
    assert!(!system.path().join("ciphertune.cnf").exists());
}

#[test]
fn a_configuration_of_somebody_elses_is_not_replaced() {
    let system = system();
    let conf = system.path().join("ciphertune.cnf");
    fs::write(&conf, "# mine\n").unwrap();
    let assert = provider(&system, &["install", "--module", "built.so"]).assert();
    let error = line(&assert.failure().code(1), conf.to_str().unwrap());
    assert!(
        error.ends_with("has not written it, so it stays: give it another name first"),
        "{error}"
    );
    assert_eq!(fs::read_to_string(&conf).unwrap(), "# mine\n");
    assert!(names(&system.path().join("modules")).is_empty());
}

/// Whose it is nobody knows then.
#[test]
fn a_configuration_that_cannot_be_read_is_not_called_somebody_elses() {
    let system = system();
    let conf = system.path().join("ciphertune.cnf");
    let commands = [&["install", "--module", "built.so"][..], &["uninstall"]];
    let cannot = format!("cannot read {}: ", conf.display());
    fs::create_dir(&conf).unwrap();
    for words in commands {
        let assert = provider(&system, words).assert();
        let error = line(&assert.failure().code(1), &cannot);
        assert!(
            error.ends_with("it is no regular file; remove it first"),
            "{error}"
        );
    }
    fs::remove_dir(&conf).unwrap();
    install_built(&system);
    fs::set_permissions(&conf, fs::Permissions::from_mode(0o000)).unwrap();
    for words in commands {
        if let Some(mut command) = bound(&provider(&system, words)) {
            let error = line(&command.assert().failure().code(1), &cannot);
            assert!(error.ends_with("root may, as with sudo"), "{error}");
        }
    }
}

/// Installs what [`system`] has built.
fn install_built(system: &TempDir) {
    provider(system, &["install", "--module", "built.so"])
        .assert()
        .success();
}

/// This program, where no provider was built beside it, with these words.
fn elsewhere(program: &Path, system: &TempDir, words: &[&str]) -> Assert {
    if !program.exists() {
        put_program(program, fs::read(env!("CARGO_BIN_EXE_ciphertune")).unwrap());
    }
    let words: Vec<_> = provider(system, words).get_args().map(OsString::from).collect();
    let mut command = Command::new(program);
    command.env_clear().env("PATH", TAKES_ANY).args(words).assert()
}

/// `make install` with this prefix, and a link to the program as somebody may have in his PATH.
#[test]
fn what_make_installed_is_found() {
    let system = system();
    let prefix = home();
    let module = system.path().join("modules/ciphertune.so");
    fs::create_dir(prefix.path().join("bin")).unwrap();
    let (program, link) = (prefix.path().join("bin/ciphertune"), system.path().join("linked"));
    symlink(&program, &link).unwrap();
    for folder in [
        "lib/ossl-modules".to_owned(),
        "lib64/ossl-modules".to_owned(),
        format!("lib/{}-linux-gnu/ossl-modules", std::env::consts::ARCH),
    ] {
        let assert = elsewhere(&program, &system, &["install"]).failure().code(1);
        line(
            &assert,
            "where `make install` puts it with this program; name another file with --module",
        );
        let modules = prefix.path().join(folder);
        fs::create_dir_all(&modules).unwrap();
        fs::write(modules.join("ciphertune.so"), "installed").unwrap();
        elsewhere(&link, &system, &["install"]).success();
        assert_eq!(fs::read_to_string(&module).unwrap(), "installed");
        fs::remove_dir_all(&modules).unwrap();
        // Its copy can be had from itself.
        elsewhere(&program, &system, &["install", "--system"]).success();
        elsewhere(&program, &system, &["uninstall"]).success();
        assert!(!module.exists());
    }
}

/// The copy is not renewed by itself.
#[test]
fn a_copy_of_another_build_is_told() {
    let (system, prefix) = (system(), home());
    let modules = prefix.path().join("lib/ossl-modules");
    let program = prefix.path().join("bin/ciphertune");
    fs::create_dir_all(&modules).unwrap();
    fs::create_dir(prefix.path().join("bin")).unwrap();
    fs::write(modules.join("ciphertune.so"), "installed").unwrap();
    elsewhere(&program, &system, &["install"]).success();
    let told = format!(
        "\n               another build than {}/ciphertune.so: `ciphertune provider install --openssl-cnf ",
        modules.canonicalize().unwrap().display()
    );
    let status = || stdout(&elsewhere(&program, &system, &["status"]).success());
    assert!(!status().contains(&told), "{}", status());
    fs::write(modules.join("ciphertune.so"), "installed later").unwrap();
    assert!(status().contains(&told), "{}", status());
    elsewhere(&program, &system, &["install"]).success();
    assert!(!status().contains(&told), "{}", status());
    // A package renews its own.
    fs::write(system.path().join("modules/ciphertune.so"), "packaged").unwrap();
    assert!(!status().contains(&told), "{}", status());
}

#[test]
fn a_packages_provider_stays_where_it_is() {
    let system = system();
    let module = system.path().join("modules/ciphertune.so");
    fs::write(&module, "packaged").unwrap();
    let program = system.path().join("modules/ciphertune");
    let install = || elsewhere(&program, &system, &["install"]);
    install().success();
    provider(&system, &["uninstall"]).assert().success();
    assert_eq!(fs::read_to_string(&module).unwrap(), "packaged");
    fs::remove_file(&module).unwrap();
    line(
        &install().failure().code(1),
        "which Debian's package openssl-provider-ciphertune brings",
    );
    assert_eq!(names(system.path()), ["built.so", "modules", "openssl.cnf"]);
}

#[test]
fn the_system_is_put_back_as_it_was() {
    let system = system();
    let conf = system.path().join("openssl.cnf");
    for _ in 0..2 {
        provider(&system, &["install", "--module", "built.so", "--system"])
            .assert()
            .success();
        let text = fs::read_to_string(&conf).unwrap();
        assert!(
            text.contains(&format!("openssl.cnf.before-ciphertune:\n{SYSTEM}\n[")),
            "{text}"
        );
        assert!(
            text.contains("[provider_sect]\ndefault = default_sect\nciphertune = "),
            "{text}"
        );
    }
    provider(&system, &["uninstall"]).assert().success();
    assert_eq!(fs::read_to_string(&conf).unwrap(), SYSTEM);
    assert_eq!(names(system.path()), ["built.so", "modules", "openssl.cnf"]);
}

#[test]
fn what_was_changed_meanwhile_is_not_thrown_away() {
    let system = system();
    let conf = system.path().join("openssl.cnf");
    provider(&system, &["install", "--module", "built.so", "--system"])
        .assert()
        .success();
    let written = fs::read(&conf).unwrap();
    // By UTF-8, and by Latin-1.
    for comment in [&b"# mine\n"[..], b"# f\xfcr uns\n"] {
        let text = [&written[..], comment].concat();
        fs::write(&conf, &text).unwrap();
        let assert = provider(&system, &["uninstall"]).assert().failure().code(1);
        line(&assert, "was changed after");
        assert_eq!(fs::read(&conf).unwrap(), text);
        assert!(system.path().join("modules/ciphertune.so").exists());
    }
    // Nor where there was nothing before it.
    fs::remove_file(system.path().join("openssl.cnf.before-ciphertune")).unwrap();
    fs::remove_file(&conf).unwrap();
    provider(&system, &["install", "--module", "built.so", "--system"])
        .assert()
        .success();
    let text = fs::read_to_string(&conf).unwrap() + "# mine\n";
    fs::write(&conf, &text).unwrap();
    let assert = provider(&system, &["uninstall"]).assert().failure().code(1);
    line(&assert, "there was none before: remove it yourself");
    assert_eq!(fs::read_to_string(&conf).unwrap(), text);
}

/// What was there before is gone, which is another thing than that there was none.
#[test]
fn what_was_kept_and_is_lost_is_told() {
    let system = system();
    let [conf, kept] = ["openssl.cnf", "openssl.cnf.before-ciphertune"].map(|name| system.path().join(name));
    let install = ["install", "--module", "built.so", "--system"];
    provider(&system, &install).assert().success();
    let written = fs::read_to_string(&conf).unwrap();
    fs::remove_file(&kept).unwrap();
    let told = format!(
        "{} is gone, the system's own configuration, which `ciphertune provider install` has kept there",
        kept.display()
    );
    for words in [&install[..], &install[..3], &["uninstall"], &["config"]] {
        line(&provider(&system, words).assert().failure().code(1), &told);
        assert_eq!(fs::read_to_string(&conf).unwrap(), written);
        assert!(system.path().join("modules/ciphertune.so").exists());
    }
    let status = stdout(&provider(&system, &["status"]).assert().failure().code(1));
    assert!(status.contains(&told), "{status}");
    // It can be brought back by either name.
    for back in [&conf, &kept] {
        fs::write(back, "# brought back\n").unwrap();
        provider(&system, &["uninstall"]).assert().success();
        assert_eq!(fs::read_to_string(&conf).unwrap(), "# brought back\n");
        assert_eq!(names(system.path()), ["built.so", "modules", "openssl.cnf"]);
        provider(&system, &install).assert().success();
        fs::remove_file(&kept).unwrap();
    }
}

/// It is in nobody's place, and nothing was kept of what it includes.
#[test]
fn what_config_printed_is_a_configuration_as_any() {
    let system = system();
    let printed = stdout(&provider(&system, &["config"]).assert().success());
    let by = |conf: &str, words: &[&str]| {
        fs::write(system.path().join(conf), &printed).unwrap();
        let mut command = ciphertune(&system);
        command.current_dir(system.path()).env("PATH", TAKES_ANY);
        command.args(["provider", "--modules", "modules", "--openssl-cnf", conf]);
        let assert = command.args(words).assert();
        let read = |name: &str| fs::read_to_string(system.path().join(name)).ok();
        (assert, read(conf).unwrap(), read("ciphertune.cnf"))
    };
    let is_used = "openssl uses the provider with it\n";
    let (status, ..) = by("x.cnf", &["status"]);
    let status = stdout(&status.success());
    assert!(status.ends_with(is_used), "{status}");
    let (uninstall, conf, _) = by("x.cnf", &["uninstall"]);
    let said = stdout(&uninstall.success());
    assert!(said.starts_with("There is no "), "{said}");
    assert_eq!(conf, printed);
    let (install, conf, beside) = by("x.cnf", &["install", "--module", "built.so"]);
    install.success();
    assert_eq!(conf, printed);
    assert!(beside.unwrap().contains("/x.cnf\n"));
    let (install, conf, _) = by("x.cnf", &["install", "--module", "built.so", "--system"]);
    install.success();
    assert!(
        conf.contains(&format!("openssl.cnf.before-ciphertune:\n{printed}")),
        "{conf}"
    );
    let uninstall = ["uninstall", "--openssl-cnf", "x.cnf", "--modules", "modules"];
    let mut command = ciphertune(&system);
    command.current_dir(system.path()).arg("provider").args(uninstall);
    command.assert().success();
    assert_eq!(fs::read_to_string(system.path().join("x.cnf")).unwrap(), printed);
    assert_eq!(
        names(system.path()),
        ["built.so", "modules", "openssl.cnf", "x.cnf"]
    );

    // Under the name of what is written beside another, it would be written over by what includes it.
    let (status, ..) = by("ciphertune.cnf", &["status"]);
    let status = stdout(&status.success());
    assert!(status.ends_with(is_used), "{status}");
    for words in [
        &["install", "--module", "built.so"][..],
        &["install", "--module", "built.so", "--system"],
        &["uninstall"],
        &["config"],
    ] {
        let (refused, conf, _) = by("ciphertune.cnf", words);
        line(
            &refused.failure().code(1),
            "ciphertune.cnf has the name of what `ciphertune provider install` writes beside the system's configuration: \
             name that one with --openssl-cnf",
        );
        assert_eq!(conf, printed);
    }
    assert!(names(&system.path().join("modules")).is_empty());
}

/// By a package's update, or by hand.
#[test]
fn what_replaced_it_meanwhile_stays() {
    let system = system();
    let conf = system.path().join("openssl.cnf");
    let kept = system.path().join("openssl.cnf.before-ciphertune");
    let install = || provider(&system, &["install", "--module", "built.so", "--system"]).assert();
    install().success();
    fs::write(&conf, "# newer\n").unwrap();
    line(
        &install().failure().code(1),
        "before-ciphertune is from an earlier install",
    );
    let said = stdout(&provider(&system, &["uninstall"]).assert().success());
    assert!(said.starts_with("kept      "), "{said}");
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    assert_eq!((read(&conf), read(&kept)), ("# newer\n".into(), SYSTEM.into()));
    fs::remove_file(&kept).unwrap();
    install().success();
    assert_eq!(read(&kept), "# newer\n");
    assert!(read(&conf).contains("before-ciphertune:\n# newer\n"));
}

/// Whatever a step leaves behind that the next one did not follow.
#[test]
fn an_install_that_was_cut_short_can_be_ended_or_undone() {
    let system = system();
    let conf = system.path().join("openssl.cnf");
    let kept = system.path().join("openssl.cnf.before-ciphertune");
    let cut_short: [&dyn Fn(); 2] = [&|| fs::hard_link(&conf, &kept).unwrap(), &|| {
        fs::rename(&conf, &kept).unwrap();
    }];
    for cut_short in cut_short {
        cut_short();
        provider(&system, &["uninstall"]).assert().success();
        assert_eq!(fs::read_to_string(&conf).unwrap(), SYSTEM);
        cut_short();
        let installed = provider(&system, &["install", "--module", "built.so", "--system"]).assert();
        assert!(stdout(&installed.success()).contains("is kept as"));
        let text = fs::read_to_string(&conf).unwrap();
        assert!(
            text.contains("ciphertune = ") && text.contains("before-ciphertune:\n"),
            "{text}"
        );
        provider(&system, &["uninstall"]).assert().success();
        assert_eq!(fs::read_to_string(&conf).unwrap(), SYSTEM);
        assert_eq!(names(system.path()), ["built.so", "modules", "openssl.cnf"]);
    }
}

/// No name is missing at any moment: what a program opens while it is installed or undone is the old file or the new.
#[test]
fn there_is_a_configuration_at_every_moment() {
    let system = system();
    let conf = system.path().join("openssl.cnf");
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let watch = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                fs::metadata(&conf).expect("it is there");
            }
        });
        for _ in 0..20 {
            for words in [
                &["install", "--module", "built.so", "--system"][..],
                &["uninstall"],
            ] {
                provider(&system, words).assert().success();
            }
        }
        done.store(true, Ordering::Relaxed);
        watch.join().unwrap();
    });
}

#[test]
fn relative_paths_are_written_whole() {
    let system = system();
    let mut command = ciphertune(&system);
    command
        .current_dir(system.path())
        .args(["provider", "--openssl-cnf"]);
    command.args(["openssl.cnf", "--modules", "modules", "config"]);
    let config = command.assert().success();
    line(&config, "modules/ciphertune.so, which it names, is not there");
    let printed = stdout(&config);
    for path in ["modules/ciphertune.so", "openssl.cnf"] {
        let whole = format!(
            " {}\n",
            system.path().canonicalize().unwrap().join(path).display()
        );
        assert!(printed.contains(&whole), "{printed}");
    }
}

/// As programs with this environment read it.
#[test]
fn relative_includes_begin_where_openssl_has_them_begin() {
    let system = system();
    fs::write(system.path().join("openssl.cnf"), ".include more.cnf\n").unwrap();
    fs::create_dir(system.path().join("folder")).unwrap();
    for (place, section) in [("more.cnf", "here"), ("folder/more.cnf", "there")] {
        fs::write(system.path().join(place), format!("openssl_conf = {section}\n")).unwrap();
    }
    let says = |folder: Option<&str>, section: &str| {
        let mut config = provider(&system, &["config"]);
        config.envs(folder.map(|folder| ("OPENSSL_CONF_INCLUDE", folder)));
        let printed = stdout(&config.assert().success());
        assert!(
            printed.contains(&format!("\nopenssl_conf = {section}\n")),
            "{printed}"
        );
    };
    says(None, "here");
    says(Some("folder"), "there");
    says(Some("folder/"), "there");
}

/// As Debian's /usr/lib/ssl/openssl.cnf is one.
#[test]
fn a_link_stays_one() {
    let system = system();
    let link = home();
    let path = link.path().join("openssl.cnf");
    symlink(system.path().join("openssl.cnf"), &path).unwrap();
    let provider = |words: &[&str]| {
        let mut command = ciphertune(&system);
        command
            .current_dir(system.path())
            .env("PATH", TAKES_ANY)
            .arg("provider");
        command.arg("--openssl-cnf").arg(&path);
        command.args(["--modules", "modules"]).args(words).assert()
    };
    for _ in 0..2 {
        provider(&["install", "--module", "built.so", "--system"]).success();
        assert!(path.is_symlink());
        provider(&["uninstall"]).success();
        assert_eq!(names(system.path()), ["built.so", "modules", "openssl.cnf"]);
        let conf = system.path().join("openssl.cnf");
        assert_eq!(fs::read_to_string(&conf).unwrap(), SYSTEM);
        // As an older version left it that was cut short.
        fs::rename(conf, system.path().join("openssl.cnf.before-ciphertune")).unwrap();
    }
}

/// By a shell, whatever a folder is called.
#[test]
fn what_is_printed_can_be_pasted() {
    let system = system();
    let folder = system.path().join("it's a folder");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("openssl.cnf"), SYSTEM).unwrap();
    let install = |words: &[&str]| {
        let mut install = ciphertune(&system);
        install
            .arg("provider")
            .arg("--openssl-cnf")
            .arg(folder.join("openssl.cnf"));
        install.arg("--modules").arg(&folder).args(words);
        install.current_dir(system.path()).env("PATH", TAKES_ANY);
        stdout(&install.assert().success())
    };
    let pasted = |line: &str| {
        let mut shell = Command::new("sh");
        shell.args([
            "-c",
            &format!("ciphertune() {{ printf '%s\\n' \"$@\"; }}; {line}"),
        ]);
        let said = stdout(&shell.assert().success());
        said.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let said = install(&["install", "--module", "built.so"]);
    let line = said.lines().find(|line| line.contains("OPENSSL_CONF=")).unwrap();
    let place = |name: &str| folder.join(name).display().to_string();
    assert_eq!(
        pasted(&format!("{line}; echo \"$OPENSSL_CONF\"")),
        [place("ciphertune.cnf")]
    );
    let said = install(&["install", "--module", "built.so", "--system"]);
    let undo = said.rsplit_once("; `").unwrap().1.split('`').next().unwrap();
    assert_eq!(
        pasted(undo),
        [
            "provider",
            "uninstall",
            "--openssl-cnf",
            &place("openssl.cnf"),
            "--modules",
            &folder.display().to_string()
        ]
    );
}

#[test]
fn what_was_not_there_before_is_removed() {
    let system = system();
    let conf = system.path().join("openssl.cnf");
    fs::remove_file(&conf).unwrap();
    for _ in 0..2 {
        let installed = provider(&system, &["install", "--module", "built.so", "--system"]).assert();
        let undone = format!(
            "There was none; `ciphertune provider uninstall --openssl-cnf {} --modules {}` removes it.\n",
            conf.display(),
            system.path().join("modules").display()
        );
        assert!(stdout(&installed.success()).ends_with(&undone), "{undone}");
    }
    provider(&system, &["uninstall"]).assert().success();
    assert_eq!(names(system.path()), ["built.so", "modules"]);
}

/// Whom AppArmor lets read openssl.cnf and not what it includes, OpenSSL would not tell of that.
#[test]
fn what_the_system_decided_is_in_the_file_that_replaces_it() {
    let system = system();
    let [conf, kept] = ["openssl.cnf", "openssl.cnf.before-ciphertune"].map(|name| system.path().join(name));
    // With a comment in Latin-1, an end of DOS's and no end of its last line.
    let own =
        b"# f\xfcr uns\r\nopenssl_conf = i\n[i]\nssl_conf = s\n[s]\nsystem_default = t\n[t]\nCiphersuites = \
        TLS_CHACHA20_POLY1305_SHA256";
    fs::write(&conf, own).unwrap();
    fs::set_permissions(&conf, fs::Permissions::from_mode(0o640)).unwrap();
    let install = || {
        let mut install = provider(&system, &["install", "--module", "built.so", "--system"]);
        install.assert().success();
    };
    install();
    let written = fs::read(&conf).unwrap();
    assert!(written.windows(own.len()).any(|it| it == own));
    // Who may not read the one, for what is in it, may not read the other.
    assert_eq!(fs::metadata(&conf).unwrap().permissions().mode() & 0o777, 0o640);
    let elsewhere = system.path().join("elsewhere");
    fs::rename(&kept, &elsewhere).unwrap();
    let mut openssl = Command::new("openssl");
    openssl
        .args(["ciphers", "-s", "-tls1_3"])
        .env("OPENSSL_CONF", &conf);
    match openssl.output() {
        Err(why) => skip(format_args!("openssl: {why}")),
        Ok(said) => assert_eq!(
            String::from_utf8_lossy(&said.stdout),
            "TLS_CHACHA20_POLY1305_SHA256\n"
        ),
    }
    fs::rename(&elsewhere, &kept).unwrap();
    // It is as it was written, and taken for that.
    install();
    provider(&system, &["uninstall"]).assert().success();
    assert_eq!(fs::read(&conf).unwrap(), own);
    assert_eq!(names(system.path()), ["built.so", "modules", "openssl.cnf"]);
}

/// As an older version might have written it, and with another text of the system's: what it goes by is the mark.
#[test]
fn what_another_version_wrote_is_known_again() {
    let system = system();
    let (conf, kept) = (
        system.path().join("openssl.cnf"),
        system.path().join("openssl.cnf.before-ciphertune"),
    );
    provider(&system, &["install", "--module", "built.so", "--system"])
        .assert()
        .success();
    let text = fs::read_to_string(&conf).unwrap();
    let (written, _) = text.split_once("# SHA-256").unwrap();
    // It included what is taken in now.
    let (before, after) = written.split_once(SYSTEM).unwrap();
    let (before, _) = before.rsplit_once("\n# ").unwrap();
    let older =
        format!("{before}\n.include {}\n{after}", kept.display()).replace("# threads = ", "# strands = ");
    let sum: String = Sha256::digest(&older)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let mark = text.lines().last().unwrap().rsplit_once(' ').unwrap().0;
    fs::write(&conf, format!("{older}{mark} {sum}\n")).unwrap();
    fs::write(&kept, "# the system's own, by a later package\n").unwrap();
    provider(&system, &["uninstall"]).assert().success();
    assert_eq!(
        fs::read_to_string(&conf).unwrap(),
        "# the system's own, by a later package\n"
    );
    assert_eq!(names(system.path()), ["built.so", "modules", "openssl.cnf"]);
}

#[test]
fn nothing_is_half_written() {
    let system = system();
    let assert = provider(&system, &["install", "--module", "absent.so"])
        .assert()
        .failure()
        .code(1);
    line(
        &assert,
        "cannot read absent.so: No such file or directory (os error 2); name a file that is there",
    );
    assert_eq!(names(system.path()), ["built.so", "modules", "openssl.cnf"]);
    fs::write(
        system.path().join("openssl.cnf"),
        "openssl_conf = i\n[i]\nalg_section = a\n[a]\ndefault_properties = fips=yes\n",
    )
    .unwrap();
    let assert = provider(&system, &["install", "--module", "built.so"])
        .assert()
        .failure()
        .code(1);
    line(&assert, "default_properties = fips=yes");
    assert!(names(&system.path().join("modules")).is_empty());
    fs::write(system.path().join("openssl.cnf"), SYSTEM).unwrap();
    fs::remove_dir(system.path().join("modules")).unwrap();
    let assert = provider(&system, &["install", "--module", "built.so"])
        .assert()
        .failure()
        .code(1);
    line(&assert, "modules/ciphertune.so: there is no such folder");
    assert_eq!(names(system.path()), ["built.so", "openssl.cnf"]);

    // Nor is the module, where the configuration cannot be.
    fs::create_dir(system.path().join("modules")).unwrap();
    let mut command = ciphertune(&system);
    command.current_dir(system.path()).env("PATH", TAKES_ANY).args([
        "provider",
        "--openssl-cnf",
        "absent/openssl.cnf",
        "--modules",
        "modules",
        "install",
        "--module",
        "built.so",
    ]);
    line(
        &command.assert().failure().code(1),
        "absent/openssl.cnf is not there to be included; name the configuration that is with --openssl-cnf",
    );
    assert!(names(&system.path().join("modules")).is_empty());
    // Nor either of them, where the system's configuration cannot be kept.
    let kept = system.path().join("openssl.cnf.before-ciphertune");
    symlink("nowhere", &kept).unwrap();
    let assert = provider(&system, &["install", "--module", "built.so", "--system"]).assert();
    line(&assert.failure().code(1), "cannot keep ");
    assert!(names(&system.path().join("modules")).is_empty());
    assert_eq!(
        names(system.path()),
        [
            "built.so",
            "modules",
            "openssl.cnf",
            "openssl.cnf.before-ciphertune"
        ]
    );
    assert_eq!(
        fs::read_to_string(system.path().join("openssl.cnf")).unwrap(),
        SYSTEM
    );
}

/// Who may not is told who may, whatever it is about.
#[test]
fn rights_that_are_missing_are_told() {
    let system = system();
    let install = ["install", "--module", "built.so", "--system"];
    let rights = |mode| fs::set_permissions(system.path(), fs::Permissions::from_mode(mode)).unwrap();
    let refused = |words: &[&str], what: &str| {
        let Some(mut command) = bound(&provider(&system, words)) else {
            return;
        };
        rights(0o555);
        let assert = command.assert();
        rights(0o755);
        let error = stderr(&assert.failure().code(1));
        assert_eq!(
            error,
            format!("ciphertune: cannot {what}: root may, as with sudo\n",)
        );
    };
    let place = |name: &str| system.path().join(name).display().to_string();
    refused(&install, &format!("write {}", place("ciphertune.cnf")));
    assert!(names(&system.path().join("modules")).is_empty());
    provider(&system, &install).assert().success();
    refused(&["uninstall"], &format!("put back {}", place("openssl.cnf")));
    provider(&system, &["uninstall"]).assert().success();
    provider(&system, &install[..3]).assert().success();
    fs::remove_file(system.path().join("modules/ciphertune.so")).unwrap();
    refused(&["uninstall"], &format!("remove {}", place("ciphertune.cnf")));
}

/// As in a container to which openssl.cnf was given alone.
#[test]
fn a_file_that_is_mounted_is_told() {
    let system = system();
    let conf = system.path().join("openssl.cnf");
    let install = provider(&system, &["install", "--module", "built.so", "--system"]);
    let mut mounted = Command::new("unshare");
    mounted.args(["--mount", "sh", "-c"]);
    mounted.arg("mount --bind \"$0\" \"$0\" || exit 99; PATH=$1; shift; exec \"$@\"");
    mounted.arg(&conf).arg(TAKES_ANY);
    mounted.arg(install.get_program()).args(install.get_args());
    mounted.env("HOME", system.path()).current_dir(system.path());
    let assert = mounted.assert().failure();
    if assert.get_output().status.code() != Some(1) || stderr(&assert).contains("unshare") {
        eprintln!("left out: this system lets nobody mount a file");
        return;
    }
    assert_eq!(
        stderr(&assert),
        format!(
            "ciphertune: cannot keep {}: it is a mount of its own: do this where it comes from, or unmount it first\n",
            conf.display()
        )
    );
    assert_eq!(names(system.path()), ["built.so", "modules", "openssl.cnf"]);
}

/// By an openssl that is one.
#[test]
fn what_openssl_does_not_take_is_not_installed() {
    let system = system();
    let place = |name: &str| system.path().join(name);
    let install = |words: &[&str]| {
        let mut install = provider(&system, words);
        install.env_remove("PATH").assert().failure().code(1)
    };
    let junk = ["install", "--module", "built.so", "--system"];
    let said = line(&install(&junk), "openssl does not use the provider with ");
    assert!(
        said.contains("ciphertune.cnf, so nothing was changed: filename(")
            && said.ends_with("; name another with --module"),
        "{said}"
    );
    assert_eq!(names(system.path()), ["built.so", "modules", "openssl.cnf"]);
    assert!(names(&place("modules")).is_empty());
    assert_eq!(fs::read_to_string(place("openssl.cnf")).unwrap(), SYSTEM);

    // What was there before is there again.
    provider(&system, &junk[..3]).assert().success();
    let written = fs::read_to_string(place("ciphertune.cnf")).unwrap();
    fs::write(place("worse.so"), "worse").unwrap();
    install(&["install", "--module", "worse.so"]);
    assert_eq!(
        fs::read_to_string(place("modules/ciphertune.so")).unwrap(),
        "code"
    );
    assert_eq!(fs::read_to_string(place("ciphertune.cnf")).unwrap(), written);
    let status = stdout(&install(&["status"]));
    assert!(status.contains("does not use the provider with it: "), "{status}");
}

/// A provider that hangs while it is loaded would have all programs hang. One that says too much is stopped sooner.
#[test]
fn what_openssl_does_not_answer_for_is_not_installed() {
    let system = system();
    fs::write(system.path().join("built.so"), "\x7fELF\0OSSL_provider_init\0").unwrap();
    let folder = home();
    put_program(&folder.path().join("openssl"), "#!/bin/sh\nexec /usr/bin/yes\n");
    let mut install = provider(&system, &["install", "--module", "built.so", "--system"]);
    let assert = install.env("PATH", folder.path()).assert();
    let said = line(
        &assert.failure().code(1),
        "ciphertune.cnf is not known, so nothing was changed: ",
    );
    assert!(
        said.ends_with("it said more than 16 MiB, so it was stopped; name another with --module"),
        "{said}"
    );
    assert_eq!(names(system.path()), ["built.so", "modules", "openssl.cnf"]);
    assert!(names(&system.path().join("modules")).is_empty());
    assert_eq!(
        fs::read_to_string(system.path().join("openssl.cnf")).unwrap(),
        SYSTEM
    );
}

/// Of a configuration that can be parsed, and of one that cannot.
#[test]
fn where_openssl_gives_up_is_told() {
    let system = system();
    install_built(&system);
    let status = || {
        let mut status = provider(&system, &["status"]);
        stdout(&status.env_remove("PATH").assert().failure().code(1))
    };
    for (lines, told) in [
        (
            "engines = e\n[e]\nfoo = f\n[f]\nengine_id = foo\ninit = 1\n",
            "with it: OpenSSL gives up at module=engines",
        ),
        (
            "providers = p\n[p\n",
            "with it: OpenSSL cannot parse it, or what it includes",
        ),
    ] {
        let text = format!("openssl_conf = openssl_init\n[openssl_init]\n{lines}");
        fs::write(system.path().join("openssl.cnf"), text).unwrap();
        assert!(status().contains(told), "{}", status());
    }
}

#[test]
fn a_folder_is_no_configuration() {
    let system = system();
    let mut command = ciphertune(&system);
    command.args(["provider", "--openssl-cnf"]).arg(system.path());
    command
        .args(["--modules", "modules", "config"])
        .current_dir(system.path());
    line(
        &command.assert().failure().code(1),
        "is a folder; name the configuration in it",
    );
}

#[test]
fn a_device_is_no_configuration() {
    let system = system();
    for what in ["config", "status", "install", "uninstall"] {
        let mut command = ciphertune(&system);
        command.args([
            "provider",
            "--openssl-cnf",
            "/dev/zero",
            "--modules",
            "modules",
            what,
        ]);
        command.current_dir(system.path());
        line(
            &command.assert().failure().code(1),
            "cannot read /dev/zero: it is no regular file",
        );
    }
}

#[test]
fn a_configuration_that_is_not_there_is_not_included() {
    let system = system();
    let conf = system.path().join("openssl.cnf");
    fs::remove_file(&conf).unwrap();
    for words in [&["install", "--module", "built.so"][..], &["config"]] {
        let refused = provider(&system, words).assert().code(1);
        assert_eq!(
            stderr(&refused),
            format!(
                "ciphertune: {} is not there to be included; name the configuration that is with --openssl-cnf, or make an \
                 empty one\n",
                conf.display()
            )
        );
        assert_eq!(stdout(&refused), "");
    }
    assert_eq!(names(system.path()), ["built.so", "modules"]);
    assert!(names(&system.path().join("modules")).is_empty());
}

#[test]
fn settings_that_mean_nothing_are_named() {
    let system = system();
    let conf = system.path().join("ciphertune.cnf");
    install_built(&system);
    let status = || {
        let mut status = provider(&system, &["status"]);
        stdout(&status.env_remove("PATH").assert().failure().code(1))
    };
    let set = |lines: &str| {
        let text = fs::read_to_string(&conf).unwrap();
        fs::write(&conf, text.replace("# wisdom", &format!("{lines}# wisdom"))).unwrap();
    };
    set("wisdom = /w\nimplementation = aesni\nthreads = 2\nthreads-after = 1\n");
    assert!(!status().contains("sets"), "{}", status());
    set("implementaton = aesni\nthread = 2\n");
    let said = format!("{} sets implementaton, thread for the provider", conf.display());
    assert!(status().contains(&said), "{}", status());
    // And where OpenSSL finds the module by the provider's name.
    let text = fs::read_to_string(&conf).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with("module = "));
    fs::write(&conf, lines.flat_map(|line| [line, "\n"]).collect::<String>()).unwrap();
    assert!(status().contains(&said), "{}", status());
}

/// Whatever it is called there.
#[test]
fn a_provider_of_another_name_is_seen() {
    let system = system();
    let conf = system.path().join("ciphertune.cnf");
    install_built(&system);
    let text = fs::read_to_string(&conf).unwrap();
    fs::write(&conf, text.replace("\nciphertune = ", "\nct = ")).unwrap();
    let fake = system.path().join("openssl");
    put_program(
        &fake,
        "#!/bin/sh\nprintf 'Providers:\\n  ct\\n    name: Ciphertune\\n    status: active\\n    build info: 0.1.0, by what \
         CPUID suggests: so it is\\n  default\\n    name: Other\\n    build info: 3.0.0\\n'\n",
    );
    let mut status = provider(&system, &["status"]);
    let shown = stdout(&status.env("PATH", system.path()).assert().success());
    let said = "openssl uses the provider with it, by what CPUID suggests: so it is\n";
    assert!(shown.contains(said), "{shown}");
}

/// OpenSSL goes on without, and says nothing.
#[test]
fn a_status_says_what_cannot_be_read() {
    let system = system();
    let beside = system.path().join("ciphertune.cnf");
    let says = |status: &mut Command, told: &str| {
        let shown = stdout(&status.assert().failure().code(1));
        let told = format!(
            "{}\n               openssl does not use the provider with it: {told}\n",
            beside.display()
        );
        assert!(shown.contains(&told), "{shown}");
    };
    let mut status = provider(&system, &["status"]);
    status.env_remove("PATH");
    fs::create_dir(&beside).unwrap();
    says(&mut status, "it is a folder");
    fs::remove_dir(&beside).unwrap();
    install_built(&system);
    fs::set_permissions(&beside, fs::Permissions::from_mode(0o000)).unwrap();
    if let Some(mut status) = bound(&status) {
        says(&mut status, "it cannot be read: Permission denied (os error 13)");
    }
}

#[test]
fn a_status_says_what_is_not_there() {
    let system = system();
    fs::remove_file(system.path().join("openssl.cnf")).unwrap();
    let shown = stdout(&provider(&system, &["status"]).assert().code(1));
    for absent in ["provider ", "configuration ", "system "] {
        let mut lines = shown.lines().filter(|line| line.starts_with(absent));
        assert!(
            lines.next().is_some_and(|line| line.ends_with("  (not there)")),
            "{absent}: {shown}"
        );
    }
}

/// What is said where the command openssl is this script.
#[track_caller]
fn said_of(script: &str) -> String {
    let system = home();
    put_program(&system.path().join("openssl"), format!("#!/bin/sh\n{script}\n"));
    let mut command = ciphertune(&system);
    let assert = command.args(["provider", "status"]).env("PATH", system.path());
    line(&assert.assert().failure().code(1), "openssl")
}

#[test]
fn an_openssl_without_providers_is_told() {
    for script in [
        "echo 'OPENSSLDIR: \"/usr/lib/ssl\"'",
        // As 1.1.1 does.
        "echo 'version: Option unknown option -m' >&2; echo 'version: Use -help for summary.' >&2; exit 1",
    ] {
        let said = said_of(script);
        assert!(
            said.ends_with("this openssl knows no providers; version 3.0 or later is needed"),
            "{said}"
        );
    }
}

#[test]
fn an_openssl_that_fails_is_told_with_its_own_words() {
    let said = said_of("echo 'libssl.so.3: cannot open shared object file' >&2; exit 127");
    assert!(
        said.ends_with("ended with exit status: 127: libssl.so.3: cannot open shared object file"),
        "{said}"
    );
    let said = said_of("kill -9 $$");
    assert!(
        said.contains("signal: 9") && said.ends_with("it says nothing"),
        "{said}"
    );
}

#[test]
fn an_openssl_that_hangs_is_stopped() {
    let said = said_of("exec /bin/sleep 1000");
    assert!(
        said.ends_with("where its configuration is: it did not end within 10 s, so it was stopped"),
        "{said}"
    );
}

/// As where the command openssl is a script that starts another.
#[test]
fn what_openssl_has_started_ends_with_it() {
    let system = system();
    let (folder, pid) = (home(), system.path().join("pid"));
    let openssl = folder.path().join("openssl");
    let mut status = provider(&system, &["status"]);
    status.env("PATH", folder.path());
    put_program(&openssl, waiting(&pid).replace("wait\n", "exec /usr/bin/yes\n"));
    let said = stdout(&status.assert().failure().code(1));
    assert!(said.contains("so it was stopped"), "{said}");
    until_it_ended(&fs::read_to_string(&pid).unwrap());
    fs::remove_file(&pid).unwrap();
    put_program(&openssl, waiting(&pid));
    for signal in [SIGINT, SIGTERM] {
        ends_with_what_it_started(&status, signal, &pid);
        fs::remove_file(&pid).unwrap();
    }
}

/// While openssl is asked what it makes of what is to take the place of the system's configuration.
#[test]
fn an_install_that_is_told_to_end_leaves_all_as_it_was() {
    let system = system();
    let folder = home();
    let pid = folder.path().join("pid");
    let takes = fs::read_to_string(Path::new(TAKES_ANY).join("openssl")).unwrap();
    let waits = waiting(&pid);
    put_program(
        &folder.path().join("openssl"),
        format!("{takes}case $OPENSSL_CONF in */ciphertune.cnf) exit;; esac\n{waits}"),
    );
    let mut install = provider(&system, &["install", "--module", "built.so", "--system"]);
    install.env("PATH", folder.path());
    ends_with_what_it_started(&install, SIGINT, &pid);
    assert_eq!(names(system.path()), ["built.so", "modules", "openssl.cnf"]);
    assert!(names(&system.path().join("modules")).is_empty());
    let conf = fs::read_to_string(system.path().join("openssl.cnf")).unwrap();
    assert_eq!(conf, SYSTEM);
}

#[test]
fn a_module_that_is_no_file_is_refused() {
    let system = system();
    for no_file in ["/dev/zero", "."] {
        let mut install = provider(&system, &["install", "--module", no_file]);
        let said = line(&install.assert().failure().code(1), "cannot read");
        assert!(
            said.ends_with("it is no regular file; name the provider's own"),
            "{said}"
        );
    }
    assert_eq!(names(&system.path().join("modules")), [""; 0]);
}

/// It would be read whole.
#[test]
fn what_is_longer_than_any_module_is_refused() {
    let system = system();
    let long = fs::File::create(system.path().join("long.so")).unwrap();
    long.set_len((256 << 20) + 1).unwrap();
    let mut install = provider(&system, &["install", "--module", "long.so"]);
    line(
        &install.assert().failure().code(1),
        "cannot read long.so: it is longer than 256 MiB; name the provider's own",
    );
    assert_eq!(names(&system.path().join("modules")), [""; 0]);
    // Nor is a device read that is there already.
    let module = system.path().join("modules/ciphertune.so");
    symlink("/dev/zero", &module).unwrap();
    provider(&system, &["status"]).assert().code(1);
    let mut install = provider(&system, &["install", "--module", "built.so"]);
    line(
        &install.assert().failure().code(1),
        "modules/ciphertune.so: it is no regular file; remove it first",
    );
}

#[test]
fn without_openssl_it_says_what_to_install() {
    let system = home();
    let mut command = ciphertune(&system);
    let assert = command
        .args(["provider", "status"])
        .env("PATH", system.path())
        .assert()
        .failure();
    let said = line(&assert, "openssl");
    assert!(said.ends_with("on Debian it is the package openssl"), "{said}");
}
