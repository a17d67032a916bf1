//! Providers of the system's libcryptos: in a process of their own, since OpenSSL that was told to load one does not load
//! its default one any more.
mod common;

use ciphertune_catalog::{LoadError, Loaded, Source, gate};
use common::skip;

const SEED: u64 = 1;

/// What became of this provider with each libcrypto that is here and knows providers.
fn load(name: &str) -> Vec<(Source, Result<Loaded, LoadError>)> {
    let sources = Source::provider(name, &Source::defaults()).into_iter();
    let mut all: Vec<_> = sources.map(|source| (source.clone(), source.load())).collect();
    all.retain(|(_, loaded)| !matches!(loaded, Ok(loaded) if loaded.implementations.is_empty()));
    if all.is_empty() {
        skip("no libcrypto with providers");
    }
    all
}

#[test]
fn the_legacy_provider_is_right() {
    for (_, loaded) in load("legacy") {
        let implementations = match loaded {
            Ok(loaded) => loaded.implementations,
            Err(lacking @ LoadError::NoProvider { .. }) => {
                skip(lacking);
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        for implementation in implementations {
            let description = implementation.description();
            assert!(
                description.id.ends_with("/legacy") && !description.constant_time,
                "{description:?}"
            );
            common::has_kept_its_names(&*implementation);
            let tasks = implementation.tasks();
            let has = |name| tasks.iter().any(|task| task.algorithm.name() == name);
            assert!(has("DES-CBC") && !has("AES-128-CBC"), "{description:?}");
            for &task in tasks {
                gate::check(&*implementation, task, SEED).unwrap_or_else(|failure| panic!("{failure}"));
            }
        }
    }
}

#[test]
fn a_provider_that_is_not_there_is_named() {
    for name in ["no-such", "default,fips=yes"] {
        for (source, loaded) in load(name) {
            let error = loaded.err().expect("there is no such provider").to_string();
            let place = format!("{source}: OpenSSL ");
            assert!(error.starts_with(&place), "{error}");
            assert!(
                error.contains(" cannot load a provider of this name; "),
                "{error}"
            );
        }
    }
}

#[test]
fn a_provider_without_ciphers_is_to_be_left_out_and_its_libcrypto_is_not() {
    for (source, loaded) in load("base") {
        let error = loaded.err().expect("it has no ciphers").to_string();
        let place = format!("{source}: this provider of OpenSSL ");
        assert!(error.starts_with(&place), "{error}");
        assert!(error.ends_with("; leave --provider base out"), "{error}");
    }
}
