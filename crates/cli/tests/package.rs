//! What Debian's package of the provider does when it is removed, in folders of its own; tests/deb installs and removes it.
mod common;

use std::{fs, os::unix::fs::symlink, process::Command};

use assert_cmd::assert::OutputAssertExt;
use common::{
    ciphertune, home,
    provider::{SYSTEM, TAKES_ANY, names},
    stdout,
};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// Where the package has its module.
const MODULES: &str = "/usr/lib/ossl-modules";

/// A root with OpenSSL's folder, and with the package's provider in the place of its configuration.
fn installed(own: Option<&[u8]>, name: &str) -> TempDir {
    installed_from(MODULES, own, name)
}

/// The same with the module of that folder.
fn installed_from(modules: &str, own: Option<&[u8]>, name: &str) -> TempDir {
    let root = home();
    let modules = root.path().join(&modules[1..]);
    let module = modules.join("ciphertune.so");
    let place = |name: &str| root.path().join("etc/ssl").join(name);
    fs::create_dir_all(place("")).unwrap();
    if name != "openssl.cnf" {
        symlink(name, place("openssl.cnf")).unwrap();
    }
    if let Some(text) = own {
        fs::write(place(name), text).unwrap();
    }
    fs::create_dir_all(&modules).unwrap();
    fs::write(&module, "code").unwrap();
    let mut install = ciphertune(&root);
    install
        .args(["provider", "--openssl-cnf"])
        .arg(place("openssl.cnf"));
    install.arg("--modules").arg(&modules);
    install.args(["install", "--system", "--module"]).arg(&module);
    install.env("PATH", TAKES_ANY).assert().success();
    root
}

/// Removes the package, and answers what that says and which files are left.
fn remove(root: &TempDir) -> (String, Vec<String>) {
    let script = include_str!("../../../packaging/provider.postrm").replace("@MODULESDIR@", MODULES);
    let mut remove = Command::new("sh");
    remove.args(["-c", &script, "postrm", "remove"]);
    remove.env("DPKG_ROOT", root.path());
    let said = stdout(&remove.assert().success());
    (said, names(&root.path().join("etc/ssl")))
}

#[test]
fn a_removed_package_puts_back_what_a_link_leads_to() {
    for name in ["openssl.cnf", "site.cnf"] {
        let root = installed(Some(SYSTEM.as_bytes()), name);
        let (said, left) = remove(&root);
        assert_eq!(said, "");
        let expected = if name == "openssl.cnf" {
            vec![name]
        } else {
            vec!["openssl.cnf", name]
        };
        assert_eq!(left, expected);
        let conf = root.path().join("etc/ssl/openssl.cnf");
        assert_eq!(fs::read_to_string(conf).unwrap(), SYSTEM);
    }
}

#[test]
fn a_removed_package_leaves_nothing_where_there_was_none() {
    let root = installed(None, "openssl.cnf");
    assert_eq!(remove(&root), (String::new(), Vec::new()));
}

/// As of a build that was put elsewhere, which stays when the package goes.
#[test]
fn a_removed_package_leaves_what_names_another_module() {
    let root = installed_from("/opt/modules", Some(SYSTEM.as_bytes()), "openssl.cnf");
    let read = |name: &str| fs::read_to_string(root.path().join("etc/ssl").join(name)).unwrap();
    let all = ["ciphertune.cnf", "openssl.cnf", "openssl.cnf.before-ciphertune"];
    let before = all.map(read);
    let (said, left) = remove(&root);
    assert_eq!(said, "");
    assert_eq!(left, all);
    assert_eq!(all.map(read), before);
}

/// As an install within the root has written it, for which there is no folder around it.
#[test]
fn a_removed_package_knows_its_module_from_within_the_root() {
    let root = installed(None, "openssl.cnf");
    fs::remove_file(root.path().join("etc/ssl/ciphertune.cnf")).unwrap();
    let conf = root.path().join("etc/ssl/openssl.cnf");
    let text = fs::read_to_string(&conf).unwrap();
    let outside = root.path().join(&MODULES[1..]);
    fs::write(conf, text.replace(outside.to_str().unwrap(), MODULES)).unwrap();
    assert_eq!(remove(&root), (String::new(), Vec::new()));
}

#[test]
fn a_removed_package_deletes_nothing_that_cannot_be_put_back() {
    let root = installed(Some(SYSTEM.as_bytes()), "openssl.cnf");
    fs::remove_file(root.path().join("etc/ssl/openssl.cnf.before-ciphertune")).unwrap();
    let (said, left) = remove(&root);
    assert!(
        said.contains("openssl.cnf stays, since what was there before is gone"),
        "{said}"
    );
    assert_eq!(left, ["openssl.cnf"]);
}

#[test]
fn a_removed_package_says_what_to_do_with_what_was_changed() {
    for (own, remedy) in [
        (Some(SYSTEM.as_bytes()), "before-ciphertune and rename that to "),
        (None, "there was none before: remove it yourself\n"),
    ] {
        let root = installed(own, "openssl.cnf");
        let conf = root.path().join("etc/ssl/openssl.cnf");
        let text = fs::read_to_string(&conf).unwrap() + "# mine\n";
        fs::write(&conf, &text).unwrap();
        let (said, _) = remove(&root);
        assert!(
            said.contains("openssl.cnf stays, since it was changed") && said.contains(remedy),
            "{said}"
        );
        assert_eq!(fs::read_to_string(&conf).unwrap(), text);
    }
}

/// Which included what is taken in now, and goes by its mark as well.
#[test]
fn a_removed_package_undoes_what_an_older_version_wrote() {
    for kept in [true, false] {
        let root = installed(Some(SYSTEM.as_bytes()), "openssl.cnf");
        let conf = root.path().join("etc/ssl/openssl.cnf");
        let before = root.path().join("etc/ssl/openssl.cnf.before-ciphertune");
        let text = fs::read_to_string(&conf).unwrap();
        let (header, after) = text.split_once(SYSTEM).unwrap();
        let (header, _) = header.rsplit_once("\n# ").unwrap();
        let older = format!("{header}\n.include {}\n{after}", before.display());
        let (older, last) = older.rsplit_once("\n# SHA-256 ").unwrap();
        let sum: String = Sha256::digest(format!("{older}\n"))
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let (mark, _) = last.rsplit_once(' ').unwrap();
        fs::write(&conf, format!("{older}\n# SHA-256 {mark} {sum}\n")).unwrap();
        if !kept {
            fs::remove_file(&before).unwrap();
        }
        let (said, left) = remove(&root);
        assert_eq!(said.contains("what was there before is gone"), !kept, "{said}");
        assert_eq!(left, ["openssl.cnf"]);
        assert_eq!(fs::read_to_string(&conf).unwrap() == SYSTEM, kept);
    }
}

/// In Latin-1, and with DOS's ends of lines.
#[test]
fn a_removed_package_knows_what_was_taken_in_whatever_it_is() {
    const OWN: &[u8] = b"# f\xfcr uns\r\n[a]\r\nb = c\r\n";
    let root = installed(Some(OWN), "openssl.cnf");
    let conf = root.path().join("etc/ssl/openssl.cnf");
    let mut text = fs::read(&conf).unwrap();
    let hint = text.windows(8).position(|it| it == b"# wisdom").unwrap();
    text.splice(hint..hint, *b"threads = 1\n");
    fs::write(&conf, text).unwrap();
    assert_eq!(remove(&root), (String::new(), vec!["openssl.cnf".to_owned()]));
    assert_eq!(fs::read(conf).unwrap(), OWN);
}
