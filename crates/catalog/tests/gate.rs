//! Everything that is built in, and the system's libcryptos, through the gate.
mod common;

use std::collections::BTreeSet;

use ciphertune_catalog::{
    Algorithm, Context, Contract, Envelope, Implementation, Once, Operation, Source, Task, gate,
};
use common::skip;

const SEED: u64 = 20_260_707;

fn loaded(source: &Source) -> Vec<Box<dyn Implementation>> {
    source
        .load()
        .unwrap_or_else(|error| panic!("{error}"))
        .implementations
}

fn ctr(bits: usize) -> Task {
    Task {
        algorithm: format!("AES-{bits}-CTR").parse().unwrap(),
        operation: Operation::Encrypt,
        contract: Contract::Stream,
    }
}

/// One task after the other: what all of them are compared with is made once.
fn pass(implementations: &[Box<dyn Implementation>]) {
    pass_in(implementations, |_, _| true);
}

/// Of the tasks of each implementation those that `asked` has, by its number.
fn pass_in(implementations: &[Box<dyn Implementation>], asked: impl Fn(usize, Task) -> bool) {
    let mut able = Vec::new();
    for implementation in implementations {
        let description = implementation.description();
        match &description.unavailable {
            Some(why) => eprintln!("skipped: {}: {why}", description.id),
            None => able.push(implementation),
        }
    }
    let tasks: BTreeSet<Task> = able.iter().flat_map(|i| i.tasks()).copied().collect();
    for task in tasks {
        for (number, implementation) in able.iter().enumerate() {
            if !implementation.tasks().contains(&task) || !asked(number, task) {
                continue;
            }
            gate::check(&***implementation, task, SEED).unwrap_or_else(|failure| panic!("{failure}"));
            common::does_its_work(&***implementation, task);
            if task.contract == Task::usual(task.algorithm).contract {
                gate::recheck(&***implementation, task, SEED).unwrap_or_else(|failure| panic!("{failure}"));
            }
        }
    }
    for implementation in able {
        eprintln!("right: {}", implementation.description().id);
    }
}

fn built_in(selectable: bool) -> Vec<Box<dyn Implementation>> {
    let mut all = loaded(&Source::Builtin);
    all.retain(|i| i.description().selectable == selectable);
    all
}

/// Under the contract that is usual for an algorithm each with every size of key. The others differ in what is done with a
/// context, whatever its key's size: there each is asked with one, by turns.
#[test]
fn ours_are_right() {
    pass_in(&built_in(true), |number, task| {
        let size = ["-128-", "-192-", "-256-"][number % 3];
        task.contract == Task::usual(task.algorithm).contract || task.algorithm.to_string().contains(size)
    });
}

#[test]
fn built_in_peers_are_right() {
    pass(&built_in(false));
}

#[test]
fn ours_are_right_at_every_offset() {
    let ours = built_in(true).into_iter();
    let tasks: Vec<Task> = Algorithm::all()
        .filter(|algorithm| algorithm.aes_mode() == Some("CTR"))
        .map(Task::usual)
        .collect();
    for (implementation, &task) in ours.zip(tasks.iter().cycle()) {
        if implementation.description().unavailable.is_none() {
            gate::check_exhaustively(&*implementation, task, SEED)
                .unwrap_or_else(|failure| panic!("{failure}"));
        }
    }
}

#[test]
fn the_systems_libcryptos_are_right() {
    let is_libcrypto = |source: &&Source| matches!(source, Source::System(_));
    let sources = Source::defaults();
    let implementations: Vec<_> = sources.iter().filter(is_libcrypto).flat_map(loaded).collect();
    if implementations.is_empty() {
        skip("no libcrypto");
    }
    for implementation in &implementations {
        common::has_kept_its_names(&**implementation);
    }
    pass(&implementations);
}

#[test]
fn what_may_be_selected_is_constant_time_and_ours() {
    for implementation in loaded(&Source::Builtin) {
        let description = implementation.description();
        assert_eq!(
            description.selectable,
            description.id.starts_with("ciphertune/"),
            "{description:?}"
        );
        let by_tables = [
            "tor2007/",
            "rustcrypto-camellia@",
            "rustcrypto-des@",
            "rustcrypto-rc2@",
            "rustcrypto-rc4@",
            "rustcrypto-idea@",
            "rustcrypto-blowfish@",
            "rustcrypto-cast5@",
            "rustcrypto-md2@",
            "rustcrypto-whirlpool@",
        ];
        assert_eq!(
            description.constant_time,
            !by_tables.iter().any(|name| description.id.starts_with(name)),
            "{description:?}"
        );
    }
}

#[test]
fn ids_name_the_versions_that_are_built_in() {
    let ids: Vec<_> = loaded(&Source::Builtin)
        .iter()
        .map(|i| i.description().id.clone())
        .collect();
    for name in ["rustcrypto@", "aws-lc-rs@"] {
        let id = ids.iter().find(|id| id.starts_with(name)).expect(name);
        let version = id[name.len()..].strip_suffix("/default").expect(id);
        assert_eq!(version.split('.').count(), 3, "{id}");
        assert!(version.split('.').all(|part| part.parse::<u32>().is_ok()), "{id}");
    }
    assert!(ids.iter().any(|id| id == "ciphertune/portable"));
    let mut unique = ids.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), ids.len());
}

#[test]
fn a_wrong_key_length_is_a_fault() {
    let mut refused = 0;
    for implementation in loaded(&Source::Builtin) {
        let description = implementation.description();
        if description.unavailable.is_some() || !implementation.tasks().contains(&ctr(256)) {
            continue;
        }
        let fault = implementation.context(ctr(256), &[0; 24], &[0; 16]).err();
        let why = fault.map(|fault| fault.0);
        let expected = "the key of AES-256-CTR has 32 bytes, not 24";
        assert_eq!(why.as_deref(), Some(expected), "{}", description.id);
        refused += 1;
    }
    assert!(refused > 0);
}

/// Under each contract, though it is [`Once`] that says so for all of them.
#[test]
fn different_lengths_are_a_fault() {
    for implementation in loaded(&Source::Builtin) {
        if implementation.description().unavailable.is_some() {
            continue;
        }
        let mut contracts = BTreeSet::new();
        for &task in implementation.tasks() {
            if task.algorithm.is_public_key() || !contracts.insert(task.contract) {
                continue;
            }
            let (key, iv) = (
                vec![0; task.algorithm.key_len()],
                vec![0; task.algorithm.iv_len()],
            );
            let mut context = Once(implementation.context(task, &key, &iv).unwrap());
            let id = &implementation.description().id;
            let bare = || Envelope {
                iv: &[],
                aad: &[],
                tag: &mut [],
            };
            assert!(
                context.apply_to(bare(), &[0; 16], &mut [0; 17]).is_err(),
                "{id}, {task}"
            );
            assert!(
                context.apply_to(bare(), &[0; 17], &mut [0; 16]).is_err(),
                "{id}, {task}"
            );
        }
    }
}

#[test]
fn a_source_travels_between_processes() {
    for source in Source::defaults() {
        let line = serde_json::to_string(&source).unwrap();
        assert_eq!(serde_json::from_str::<Source>(&line).unwrap(), source);
    }
    assert_eq!(
        serde_json::to_string(&Source::System("libcrypto.so.3".to_owned())).unwrap(),
        r#"{"system":"libcrypto.so.3"}"#
    );
}

#[cfg(feature = "openssl")]
#[test]
fn openssl_is_built_in_with_all_that_it_can_do() {
    let all = loaded(&Source::Builtin);
    let openssl = all.iter().find(|i| i.description().id.starts_with("openssl@4."));
    let tasks = openssl.expect("the feature is on").tasks();
    // One of each kind of function that is looked up by name: what is missing there is silently left out.
    for name in [
        "AES-128-GCM",
        "CAMELLIA-128-CBC",
        "SHA2-256",
        "HMAC-SHA2-256",
        "Poly1305",
        "RSA-2048",
        "DSA-2048",
        "ECDSA-P-256",
        "Ed25519",
        "X25519",
        "ML-KEM-768",
        "ML-DSA-65",
    ] {
        assert!(tasks.iter().any(|task| task.algorithm.name() == name), "{name}");
    }
}
