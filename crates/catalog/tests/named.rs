//! What libcryptos have by names that the table of algorithms has not.
mod common;

use std::collections::HashMap;

use ciphertune_catalog::{Algorithm, Kind, Source, gate};

const SEED: u64 = 20_261_123;

const NAMES: [&str; 19] = [
    "ARIA-128-ECB",
    "aria-256-ecb",
    "ARIA-128-CTR",
    "ARIA-256-GCM",
    "ARIA-192-CCM",
    "ARIA-128-CFB8",
    "CHACHA20",
    "AES-256-CBC-CTS",
    "CAMELLIA-128-CBC-CTS",
    "SM4-ECB",
    "SM4-CBC",
    "SHAKE128",
    "SHAKE256",
    "SHA3-384",
    "HMAC-SHA3-256",
    "CAMELLIA-128-CMAC",
    "KMAC-128",
    "KMAC-256",
    "SIPHASH",
];

/// What no library has.
const NOWHERE: &str = "ROT13";

/// What none should offer: keys are wrapped, and records of TLS are another matter; and what has no key is no cipher.
const NOT: [&str; 4] = ["AES-128-WRAP", "AES-128-SIV", "NULL", "AES-128-CBC-HMAC-SHA1"];

#[test]
fn what_is_asked_for_by_name_is_right_and_the_same_everywhere() {
    let names = NAMES.iter().chain(&NOT).chain([&NOWHERE]);
    let names: Vec<String> = names.map(|&name| name.to_owned()).collect();
    let libcryptos = Source::defaults()
        .into_iter()
        .filter(|source| matches!(source, Source::System(_)));
    let mut met: HashMap<&str, Algorithm> = HashMap::new();
    for source in libcryptos.map(|source| source.with_names(&names)) {
        for implementation in source
            .load()
            .unwrap_or_else(|error| panic!("{error}"))
            .implementations
        {
            let id = implementation.description().id.clone();
            let names = implementation.names();
            for name in &names.measured {
                assert!(
                    Algorithm::matching(name).is_err(),
                    "{id}: {name} stands for others"
                );
            }
            let named = implementation
                .tasks()
                .iter()
                .filter(|task| task.algorithm.description().is_some());
            let (mut count, mut own) = (0, HashMap::new());
            for &task in named {
                gate::check(&*implementation, task, SEED).unwrap_or_else(|failure| panic!("{failure}"));
                gate::recheck(&*implementation, task, SEED).unwrap_or_else(|failure| panic!("{failure}"));
                own.insert(task.algorithm.name(), task.algorithm);
                let first = *met.entry(task.algorithm.name()).or_insert(task.algorithm);
                assert_eq!(first.description(), task.algorithm.description(), "{id}");
                count += 1;
            }
            assert!(count > 0, "{id} has none of them");
            eprintln!("right: {id}, {count} tasks by name");
            if id.starts_with("openssl@3.") {
                for name in NAMES {
                    assert!(
                        own.contains_key(&*name.to_ascii_uppercase()),
                        "{id} has no {name}"
                    );
                }
                let unmeasured = |name: &str| names.unmeasured.iter().any(|known| known == name);
                // Records of TLS are made where the processor has instructions for AES.
                let [always @ .., _] = NOT;
                assert!(always.into_iter().all(unmeasured) && !unmeasured(NOWHERE), "{id}");
                assert_eq!(own["SHAKE256"].tag_len(), 64);
                assert_eq!(own["CAMELLIA-128-CMAC"].kind(), Kind::Mac);
            }
            for name in NOT.into_iter().chain([NOWHERE]) {
                assert!(!own.contains_key(name), "{id} has {name}");
            }
        }
    }
    if met.is_empty() {
        common::skip("this system has no libcrypto");
    }
}
