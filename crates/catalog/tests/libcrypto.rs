//! Libcryptos that are wrong in one way each, compiled here from `fixtures/libcrypto.c`.
mod common;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use ciphertune_catalog::{
    Contract, Implementation, LoadError, Operation, Ring, Scene, Source, Task, Witness, gate,
};
use tempfile::TempDir;

const SEED: u64 = 1;

/// Compiles the fixture; `None`, with a line on stderr, where there is no C compiler.
fn compiled(dir: &TempDir, flags: &[&str]) -> Option<PathBuf> {
    let library = dir.path().join("libcrypto.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/libcrypto.c");
    let mut cc = Command::new("cc");
    cc.args(["-O2", "-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(source)
        .args(flags);
    match cc.status() {
        Ok(status) => assert!(status.success(), "{cc:?}"),
        Err(error) => {
            common::skip(format_args!("cc: {error}"));
            return None;
        }
    }
    Some(library)
}

fn ctr(bits: usize) -> Task {
    Task {
        algorithm: format!("AES-{bits}-CTR").parse().unwrap(),
        operation: Operation::Encrypt,
        contract: Contract::Stream,
    }
}

fn load(path: &Path) -> Result<Box<dyn Implementation>, LoadError> {
    let mut loaded = Source::Libcrypto(path.to_owned()).load()?.implementations;
    assert_eq!(loaded.len(), 1);
    Ok(loaded.remove(0))
}

/// The fixture with those flags, its path, and what became of loading it.
fn fixture(flags: &[&str], test: impl FnOnce(&Path, Result<Box<dyn Implementation>, LoadError>)) {
    let dir = tempfile::tempdir().unwrap();
    if let Some(path) = compiled(&dir, flags) {
        test(&path, load(&path));
    }
}

fn refusal(flags: &[&str], expected: impl FnOnce(&Path) -> String) {
    fixture(flags, |path, loaded| {
        let error = loaded.map(|_| ()).expect_err("the fixture is broken");
        assert_eq!(error.to_string(), expected(path));
    });
}

#[test]
fn the_fixture_itself_is_right() {
    fixture(&[], |path, loaded| {
        let library = loaded.unwrap();
        let description = library.description();
        assert_eq!(description.id, "openssl@3.0.99/default");
        assert_eq!(description.version, "OpenSSL 3.0.99 1 Jan 2030");
        assert_eq!(Path::new(&description.origin), fs::canonicalize(path).unwrap());
        assert!(!description.selectable);
        assert!(library.tasks().contains(&ctr(192)));
        for &task in library.tasks() {
            gate::check(&*library, task, SEED).unwrap();
            gate::recheck(&*library, task, SEED).unwrap();
        }
    });
}

#[test]
fn wrong_answers_to_long_messages_are_caught() {
    fixture(&["-DWRONG_FROM=60000"], |_, loaded| {
        let library = loaded.unwrap();
        let failure = gate::check(&*library, ctr(192), SEED).unwrap_err();
        assert_eq!(failure.implementation, "openssl@3.0.99/default");
        assert!(
            failure
                .case
                .starts_with("AES-192-CTR encrypt, stream/1, 65537 bytes from offset "),
            "{failure}"
        );
        assert!(failure.symptom.starts_with("byte 65536 is "), "{failure}");
        let again = gate::recheck(&*library, ctr(192), SEED).unwrap_err();
        assert!(
            again
                .case
                .starts_with("AES-192-CTR encrypt, stream/1, 1048576 bytes "),
            "{again}"
        );
    });
}

#[test]
fn an_update_that_fails_is_caught() {
    fixture(&["-DFAILS_FROM=60000"], |_, loaded| {
        let failure = gate::check(&*loaded.unwrap(), ctr(128), SEED).unwrap_err();
        assert!(
            failure
                .case
                .starts_with("AES-128-CTR encrypt, stream/1, 65537 bytes "),
            "{failure}"
        );
        assert_eq!(failure.symptom, "EVP_EncryptUpdate failed");
    });
}

#[test]
fn a_write_behind_the_buffer_is_caught() {
    fixture(&["-DSPILLS_FROM=100"], |_, loaded| {
        let failure = gate::check(&*loaded.unwrap(), ctr(256), SEED).unwrap_err();
        assert!(
            failure
                .case
                .starts_with("AES-256-CTR encrypt, stream/1, 100 bytes "),
            "{failure}"
        );
        assert_eq!(failure.symptom, "wrote at byte 100, behind the buffer");
    });
}

/// What a witness says of a context for AES-128-CTR after so many calls of so many bytes.
fn look(library: &dyn Implementation, length: usize, calls: u64) -> Result<u64, gate::Failure> {
    let task = ctr(128);
    let (key, iv) = ([7; 16], [0xff; 16]);
    let mut context = library.context(task, &key, &iv).unwrap();
    let mut ring = Ring::new(task, length, 0);
    let mut data = vec![0xa5; ring.span()];
    context.repeat(&mut data, &mut ring, calls).unwrap();
    let witness = Witness {
        implementation: library,
        task,
        key: &key,
        iv: &iv,
        done: calls * length as u64,
    };
    let scene = Scene {
        timed: &mut *context,
        ring: &mut ring,
        input: &mut data,
        output: None,
    };
    witness.look(scene, None)
}

#[test]
fn what_does_nothing_once_it_is_timed_passes_the_gate_and_no_witness() {
    fixture(&[], |_, loaded| {
        let library = loaded.unwrap();
        for length in [1, 16, 1350, 100_000] {
            assert_eq!(look(&*library, length, 10), Ok(0), "{length}");
        }
    });
    fixture(&["-DTIRES_AFTER=3000"], |_, loaded| {
        let library = loaded.unwrap();
        gate::check(&*library, ctr(128), SEED).unwrap();
        gate::recheck(&*library, ctr(128), SEED).unwrap();
        assert_eq!(look(&*library, 16, 2900), Ok(0));
        let failure = look(&*library, 16, 3000).unwrap_err();
        assert_eq!(
            failure.case,
            "AES-128-CTR encrypt, stream/1, 16 bytes as they were timed"
        );
        assert!(failure.symptom.starts_with("byte 0 is "), "{failure}");
    });
}

#[test]
fn lengths_that_are_timed_alone_are_looked_at() {
    fixture(&["-DWRONG_FROM=1100000"], |_, loaded| {
        let library = loaded.unwrap();
        gate::check(&*library, ctr(128), SEED).unwrap();
        gate::recheck(&*library, ctr(128), SEED).unwrap();
        let failure = look(&*library, 1_200_000, 1).unwrap_err();
        assert!(failure.case.contains(" 1200000 bytes "), "{failure}");
    });
}

#[test]
fn a_key_of_the_wrong_length_never_reaches_the_library() {
    fixture(&[], |_, loaded| {
        let fault = loaded.unwrap().context(ctr(256), &[0; 16], &[0; 16]).err();
        assert_eq!(
            fault.unwrap().to_string(),
            "the key of AES-256-CTR has 32 bytes, not 16"
        );
    });
}

#[test]
fn versions_out_of_range_are_refused() {
    let text = "-DVERSION_TEXT=\"OpenSSL 1.0.2u  20 Dec 2019\"";
    for flags in [&[text, "-DVERSION_NUMBER=0x1000215f"][..], &[text, "-DOLD_NAMES"]] {
        refusal(flags, |path| {
            let path = path.display();
            format!("{path}: OpenSSL 1.0.2u  20 Dec 2019 is too old; name OpenSSL 1.1.0 or later")
        });
    }
    let newer = ["-DVERSION_TEXT=\"OpenSSL 5.0.0\"", "-DVERSION_NUMBER=0x50000000"];
    refusal(&newer, |path| {
        format!(
            "{}: OpenSSL 5.0.0 is newer than this program knows (up to 4), and its functions may differ; \
             update Ciphertune or name OpenSSL 4 or earlier",
            path.display()
        )
    });
    refusal(&["-DVERSION_TEXT=\"FunSSL 3.0\""], |path| {
        format!(
            "{}: calls itself 'FunSSL 3.0', which is no libcrypto that this program knows; \
             name OpenSSL, LibreSSL, BoringSSL or AWS-LC",
            path.display()
        )
    });
    refusal(&["-DVERSION_TEXT=\"OpenSSL 9.0.99 1 Jan 2030\""], |path| {
        format!(
            "{}: calls itself 'OpenSSL 9.0.99 1 Jan 2030', but its number is that of 3.0.99; \
             name a libcrypto that is as it was built",
            path.display()
        )
    });
}

/// What a fork calls itself, and the number that it reports: LibreSSL's opensslv.h says of its that it will never change. Debian
/// has no LibreSSL, so the fixture stands in for it; the real BoringSSL is among the peers.
#[test]
fn forks_go_by_their_own_names() {
    for (text, number, id) in [
        ("LibreSSL 4.0.0", "0x20000000", "libressl@4.0.0/default"),
        ("BoringSSL", "0x1010107f", "boringssl@unversioned/default"),
    ] {
        let flags = [
            format!("-DVERSION_TEXT=\"{text}\""),
            format!("-DVERSION_NUMBER={number}UL"),
        ];
        fixture(&[&flags[0], &flags[1]], |path, loaded| {
            let library = loaded.unwrap();
            let description = library.description();
            assert_eq!((&*description.id, &*description.version), (id, text));
            assert_eq!((&description.goes_by, &description.build), (&None, &None));
            for &task in library.tasks() {
                gate::check(&*library, task, SEED).unwrap();
            }
            let provider = Source::Provider {
                name: "legacy".to_owned(),
                libcrypto: Box::new(Source::Libcrypto(path.to_owned())),
            };
            let refused = provider.load().err().map(|error| error.to_string());
            assert_eq!(
                refused.unwrap(),
                format!(
                    "{provider}: {text} has no providers; name OpenSSL 3.0 or later, or leave --provider legacy out"
                )
            );
        });
    }
}

#[test]
fn missing_functions_are_named() {
    refusal(&["-DNO_UPDATE"], |path| {
        format!(
            "{}: not a libcrypto: it has no EVP_EncryptUpdate; name the file libcrypto.so itself",
            path.display()
        )
    });
    refusal(&["-DNO_CIPHER"], |path| {
        format!(
            "{}: OpenSSL 3.0.99 1 Jan 2030 offers none of the algorithms that are measured; name a libcrypto built with them",
            path.display()
        )
    });
}

#[test]
fn a_library_linked_with_a_libcrypto_is_not_one() {
    let dir = tempfile::tempdir().unwrap();
    let Some(libcrypto) = compiled(&dir, &[]) else {
        return;
    };
    let path = dir.path().join("libssl.so");
    let status = Command::new("cc")
        .args([
            "-shared",
            "-Wl,--no-as-needed",
            "-x",
            "c",
            "/dev/null",
            "-x",
            "none",
            "-o",
        ])
        .args([&path, &libcrypto])
        .status()
        .unwrap();
    assert!(status.success());
    let found = fs::canonicalize(libcrypto).unwrap();
    assert_eq!(load(&path).err(), Some(LoadError::Elsewhere { path, found }));
}

#[test]
fn a_file_that_is_no_library_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("libcrypto.so");
    let error = || load(&path).map(|_| ()).expect_err("no library").to_string();
    let shown = path.display();

    assert_eq!(
        error(),
        format!("{shown}: no such file; name a libcrypto, as in /usr/lib/x86_64-linux-gnu/libcrypto.so.3")
    );
    fs::write(
        &path,
        "a text, and longer than the header of an ELF file is, which has sixty-four bytes",
    )
    .unwrap();
    let line = error();
    assert!(
        line.starts_with(&format!(
            "{shown}: not a shared library that this program can load ("
        )),
        "{line}"
    );
    assert!(
        line.ends_with("); name a libcrypto built for this system"),
        "{line}"
    );
    assert!(!line.contains('\n'), "{line}");
}
