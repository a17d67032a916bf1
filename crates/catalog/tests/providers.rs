//! Providers of the system's libcryptos: in a process of their own, since OpenSSL that was told to load one does not load
//! its default one any more.
mod common;

use ciphertune_catalog::{LoadError, Source, gate};
use common::skip;

const SEED: u64 = 1;

#[test]
fn the_legacy_provider_is_right() {
    for source in Source::provider("legacy", &Source::defaults()) {
        let implementations = match source.load() {
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
        for source in Source::provider(name, &Source::defaults()) {
            match source.load() {
                Ok(loaded) => assert!(loaded.implementations.is_empty(), "{source:?}"),
                Err(error) => {
                    let error = error.to_string();
                    let place = format!("{source}: OpenSSL ");
                    assert!(error.starts_with(&place), "{error}");
                    assert!(
                        error.contains(" cannot load a provider of this name; "),
                        "{error}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_provider_without_ciphers_is_to_be_left_out_and_its_libcrypto_is_not() {
    for source in Source::provider("base", &Source::defaults()) {
        match source.load() {
            // There is no such libcrypto, or it knows no providers.
            Ok(loaded) => assert!(loaded.implementations.is_empty(), "{source:?}"),
            Err(error) => {
                let error = error.to_string();
                let place = format!("{source}: this provider of OpenSSL ");
                assert!(error.starts_with(&place), "{error}");
                assert!(error.ends_with("; leave --provider base out"), "{error}");
            }
        }
    }
}
