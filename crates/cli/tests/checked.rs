//! That `ciphertune provider` installs nothing that does not work, and does not say that it works.
mod common;

use std::{fs, os::unix::fs::MetadataExt, path::PathBuf, process::Command};

use assert_cmd::assert::OutputAssertExt;
use common::{
    line,
    provider::{names, provider, system},
    put_program, stderr, stdout,
};
use tempfile::TempDir;

/// How openssl lists the provider where it is active.
const LISTED: &str = "printf 'Providers:\\n  ciphertune\\n    name: Ciphertune\\n'";

const INSTALL: [&str; 4] = ["install", "--module", "built.so", "--system"];

/// `ciphertune provider` where openssl takes any provider but in a configuration with this text in it, of which it says this.
fn picky(system: &TempDir, words: &[&str], refused: &str, why: &str) -> Command {
    put_program(
        &system.path().join("openssl"),
        format!(
            "#!/bin/sh\nif grep -q '{refused}' \"$OPENSSL_CONF\"; then echo '4:error:4:lib::reason:ciphertune:0:{why}' >&2\n\
             else {LISTED}; fi\n"
        ),
    );
    let path = std::env::var("PATH").unwrap();
    let mut command = provider(system, words);
    command.env("PATH", format!("{}:{path}", system.path().display()));
    command
}

fn set(file: &PathBuf, from: &str, to: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(file, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn a_setting_that_is_refused_is_named_with_its_file() {
    const WHY: &str = "threads: 100 is not a number from 0 to 64";
    for (place, words) in [
        ("ciphertune.cnf", &INSTALL[..3]),
        ("ciphertune.cnf", &INSTALL),
        ("openssl.cnf", &INSTALL),
        ("openssl.cnf", &INSTALL[..3]),
    ] {
        let system = system();
        let file = system.path().join(place);
        let provider = |words: &[&str]| picky(&system, words, "^threads = 100", WHY).assert();
        let first = if place == "openssl.cnf" {
            &INSTALL[..]
        } else {
            &INSTALL[..3]
        };
        provider(first).success();
        set(&file, "# wisdom", "threads = 100\n# wisdom");
        let before = fs::read_to_string(&file).unwrap();
        let told = stderr(&provider(words).failure().code(1));
        assert_eq!(
            told,
            format!(
                "ciphertune: openssl does not use the provider with {}, so nothing was changed: {WHY}\n",
                file.display()
            )
        );
        assert_eq!(fs::read_to_string(&file).unwrap(), before);
        let status = stdout(&provider(&["status"]).failure().code(1));
        assert!(
            status.contains(&format!("openssl does not use the provider with it: {WHY}\n")),
            "{status}"
        );
    }
}

/// What openssl lists is not yet what programs take their AES from.
#[test]
fn a_provider_that_is_passed_by_is_no_success() {
    let system = system();
    let conf = system.path().join("openssl.cnf");
    provider(&system, &INSTALL).assert().success();
    set(&conf, "alg_section = ", "# ");
    let told = "it has no alg_section with default_properties = ?provider=ciphertune";
    line(&provider(&system, &INSTALL).assert().failure().code(1), told);
    let status = stdout(&provider(&system, &["status"]).assert().failure().code(1));
    assert!(status.contains(told), "{status}");
}

/// Another file would not help that.
#[test]
fn a_provider_that_nothing_activates_is_told() {
    let system = system();
    let conf = system.path().join("openssl.cnf");
    provider(&system, &INSTALL).assert().success();
    set(&conf, "activate = 1\n# wisdom", "# wisdom");
    // As openssl does, which loads it for whoever asks for it by name.
    put_program(
        &system.path().join("openssl"),
        format!(
            "#!/bin/sh\nif [ $# = 4 ] || ! [ \"$OPENSSL_CONF\" = '{}' ]; then {LISTED}; fi\n",
            conf.display()
        ),
    );
    let mut install = provider(&system, &INSTALL);
    let install = install.env("PATH", system.path()).assert().failure().code(1);
    let told = line(&install, "openssl.cnf, so nothing was changed: ");
    assert!(told.ends_with(": nothing activates it"), "{told}");
}

/// The file that stands there is not touched before openssl has taken the one that is to come.
#[test]
fn the_systems_configuration_gives_way_to_what_works_alone() {
    let system = system();
    let conf = system.path().join("openssl.cnf");
    let before = fs::metadata(&conf).unwrap().ino();
    put_program(
        &system.path().join("openssl"),
        format!("#!/bin/sh\ncase \"$OPENSSL_CONF\" in */ciphertune.cnf) {LISTED};; esac\n"),
    );
    let mut install = provider(&system, &INSTALL);
    let install = install.env("PATH", system.path()).assert();
    let told = line(
        &install.failure().code(1),
        "openssl.cnf, so nothing was changed: ",
    );
    assert!(told.contains("as Ciphertune, and says no more"), "{told}");
    assert_eq!(fs::metadata(&conf).unwrap().ino(), before);
    assert_eq!(
        names(system.path()),
        ["built.so", "modules", "openssl", "openssl.cnf"]
    );
    assert_eq!(names(&system.path().join("modules")), [""; 0]);
}

#[test]
fn without_openssl_a_provider_is_known_by_its_look() {
    let system = system();
    let provider = |words: &[&str]| provider(&system, words).env("PATH", "/nonexistent").assert();
    for other in ["root:x:0:0\n", "\x7fELF", "\0OSSL_provider_init\0"] {
        fs::write(system.path().join("built.so"), other).unwrap();
        let told = line(
            &provider(&INSTALL).failure().code(1),
            "would be no provider of OpenSSL's",
        );
        assert!(told.ends_with("; name another with --module"), "{told}");
        assert_eq!(names(system.path()), ["built.so", "modules", "openssl.cnf"]);
        assert_eq!(names(&system.path().join("modules")), [""; 0]);
    }
    fs::write(system.path().join("built.so"), "\x7fELF…\0OSSL_provider_init\0").unwrap();
    const UNTOLD: &str = "the command openssl, which could tell, is not installed";
    line(
        &provider(&INSTALL).success(),
        &format!("note: whether openssl uses the provider was not tried: {UNTOLD}"),
    );
    let status = stdout(&provider(&["status"]).failure().code(1));
    assert!(
        status.contains(&format!("uses the provider with it is not known: {UNTOLD}\n")),
        "{status}"
    );
}

#[test]
fn openssl_is_asked_once_of_each_configuration() {
    for (words, configurations) in [(&INSTALL[..3], 1), (&INSTALL, 2)] {
        let system = system();
        let asked = system.path().join("asked");
        put_program(
            &system.path().join("openssl"),
            format!("#!/bin/sh\necho \"$@\" >> {}\n{LISTED}\n", asked.display()),
        );
        let mut install = provider(&system, words);
        install.env("PATH", system.path()).assert().success();
        let asked = fs::read_to_string(asked).unwrap();
        assert_eq!(asked, "list -providers -verbose\n".repeat(configurations));
    }
}

/// By an openssl that is one.
#[test]
fn a_configuration_that_cannot_be_parsed_is_told() {
    let system = system();
    fs::write(system.path().join("openssl.cnf"), "[a\n").unwrap();
    let mut install = provider(&system, &INSTALL);
    line(
        &install.env_remove("PATH").assert().failure().code(1),
        "ciphertune.cnf, so nothing was changed: OpenSSL cannot parse it, or what it includes",
    );
    assert_eq!(names(system.path()), ["built.so", "modules", "openssl.cnf"]);
}
