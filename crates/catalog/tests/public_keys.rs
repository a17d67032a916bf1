//! Libraries against each other: what one signs, all verify; secrets are the same for both sides.
mod common;

use std::collections::HashSet;

use ciphertune_catalog::{
    Algorithm, Context, Contract, Envelope, Implementation, Once, Operation, Source, Task,
};

/// Everything that works by public keys, in one process; of each other library the newest version, as two may disturb each
/// other there.
fn implementations() -> Vec<Box<dyn Implementation>> {
    let mut all = Vec::new();
    let mut met = HashSet::new();
    for source in Source::defaults() {
        let library = match source {
            Source::Peer { library, .. } => Some(library),
            _ => None,
        };
        if library.is_some_and(|library| met.contains(&library)) {
            continue;
        }
        let loaded = source.load().unwrap_or_else(|error| panic!("{error}"));
        met.extend(library.filter(|_| !loaded.implementations.is_empty()));
        all.extend(loaded.implementations);
    }
    all
}

/// Those that have an operation of an algorithm.
fn having(
    all: &[Box<dyn Implementation>],
    algorithm: Algorithm,
    operation: Operation,
) -> Vec<(Task, &dyn Implementation)> {
    let task = Task {
        algorithm,
        operation,
        contract: Contract::OneShot,
    };
    let having = all.iter().filter(|one| one.tasks().contains(&task));
    having.map(|one| (task, &**one)).collect()
}

fn run(
    (task, implementation): (Task, &dyn Implementation),
    data: &mut [u8],
    tag: &mut [u8],
) -> Result<(), String> {
    let key = task.algorithm.known_key().expect("a key");
    let context = implementation.context(task, key, &[]).map_err(|fault| fault.0)?;
    let envelope = Envelope {
        iv: &[],
        aad: &[],
        tag,
    };
    Once(context).apply(envelope, data).map_err(|fault| fault.0)
}

#[test]
fn what_one_library_makes_all_others_understand() {
    let all = implementations();
    let mut met = 0;
    for algorithm in Algorithm::all().filter(|algorithm| algorithm.is_public_key()) {
        let [makes, takes] = match algorithm.operations() {
            [sign, verify] => [*sign, *verify],
            [derive] => [*derive; 2],
            [_, encapsulate, decapsulate] => [*encapsulate, *decapsulate],
            other => panic!("{algorithm}: {other:?}"),
        };
        for maker in having(&all, algorithm, makes) {
            let mut data = vec![9; maker.0.fixed_len().unwrap()];
            let mut tag = vec![0; algorithm.tag_len()];
            let who = &maker.1.description().id;
            run(maker, &mut data, &mut tag).unwrap_or_else(|fault| panic!("{algorithm}: {who}: {fault}"));
            for taker in having(&all, algorithm, takes) {
                let whom = &taker.1.description().id;
                let mut found = match takes {
                    Operation::Verify => tag.clone(),
                    _ => vec![0; tag.len()],
                };
                run(taker, &mut data.clone(), &mut found)
                    .unwrap_or_else(|fault| panic!("{algorithm}: {whom} of {who}: {fault}"));
                assert_eq!(found, tag, "{algorithm}: {whom} of {who}");
                met += usize::from(who != whom);
            }
        }
    }
    assert!(
        met > 0
            || all
                .iter()
                .all(|one| one.description().id.starts_with("aws-lc-rs"))
    );
}

#[test]
fn every_library_that_is_installed_has_them() {
    let all = implementations();
    for (library, dsa, lattices) in [
        ("libgcrypt@", true, false),
        ("nettle@", true, false),
        ("botan@", true, false),
        ("wolfssl@", false, false),
        ("openssl@3.0.", true, false),
        ("openssl@3.5.", true, true),
        ("openssl@4.", true, true),
    ] {
        let Some(one) = all.iter().find(|one| one.description().id.starts_with(library)) else {
            // A system has one OpenSSL, whichever that is.
            if !library.starts_with("openssl@") {
                common::skip(format_args!("{library} is not installed"));
            }
            continue;
        };
        for algorithm in Algorithm::all().filter(|algorithm| algorithm.is_public_key()) {
            let expected = match algorithm.name() {
                "DSA-2048" => dsa,
                // Since 1.9.
                "X25519" if one.description().id.starts_with("libgcrypt@1.8.") => false,
                name => lattices || !name.starts_with("ML-"),
            };
            for &operation in algorithm.operations() {
                let has = one
                    .tasks()
                    .iter()
                    .any(|task| (task.algorithm, task.operation) == (algorithm, operation));
                assert_eq!(has, expected, "{library} {algorithm} {operation}");
            }
        }
    }
}
