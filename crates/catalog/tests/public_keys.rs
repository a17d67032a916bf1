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
    for library in ["libgcrypt", "nettle", "botan", "wolfssl", "openssl"] {
        let its = all
            .iter()
            .filter(|one| one.description().id.split('@').next() == Some(library));
        if its.clone().next().is_none() {
            common::skip(format_args!("{library} is not installed"));
        }
        for one in its {
            let id = &one.description().id;
            for algorithm in Algorithm::all().filter(|algorithm| algorithm.is_public_key()) {
                let expected = match algorithm.name() {
                    "DSA-2048" => library != "wolfssl",
                    "X25519" => library != "libgcrypt" || release(id) >= (1, 9),
                    name if name.starts_with("ML-") => library == "openssl" && release(id) >= (3, 5),
                    _ => true,
                };
                for &operation in algorithm.operations() {
                    let has = one
                        .tasks()
                        .iter()
                        .any(|task| (task.algorithm, task.operation) == (algorithm, operation));
                    assert_eq!(has, expected, "{id} {algorithm} {operation}");
                }
            }
        }
    }
}

/// `(3, 5)` of `openssl@3.5.1/default`.
fn release(id: &str) -> (u32, u32) {
    let (_, version) = id.split_once('@').expect(id);
    let mut numbers = version.split('.').map(|number| number.parse().expect(id));
    let mut next = || numbers.next().expect(id);
    (next(), next())
}
