//! Libraries under masks, each in a process of its own: they read their variables when they are loaded.
mod common;

use std::{collections::BTreeMap, env};

use ciphertune_catalog::{Algorithm, Mask, PeerLibrary, Source, Task, gate};

const SEED: u64 = 20_261_122;

/// Whether the child is to load the library as it comes beforehand, which settles what it goes by.
const SETTLED: &str = "CIPHERTUNE_TEST_SETTLED";

/// This test again, in a process that loads the source, with these variables; what it printed.
#[track_caller]
fn child(source: &Source, environment: &[(&str, String)]) -> String {
    let output = common::child(source)
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{source}: {printed}\n{errors}");
    assert!(
        !errors.contains("libnettle"),
        "what it says is for us alone: {errors}"
    );
    printed
}

/// What a child does; by itself, nothing.
#[test]
fn in_a_process_of_its_own() {
    let Some(source) = common::source() else {
        return;
    };
    let Source::Masked { mask, source: bare } = &source else {
        let loaded = source.load().unwrap_or_else(|error| panic!("{error}"));
        return loaded.implementations.iter().for_each(|_| println!("HERE"));
    };
    if env::var_os(SETTLED).is_some() {
        let _settled = bare.load().map(|loaded| loaded.implementations.len());
    }
    let implementations = match source.load() {
        Ok(loaded) => loaded.implementations,
        Err(error) => return println!("REFUSED {error}"),
    };
    // Each thread that measures loads it again; it is not told a second time what a library says once.
    let again = source.load().map(|loaded| loaded.implementations.len());
    assert_eq!(again.unwrap(), implementations.len());
    for implementation in &implementations {
        let description = implementation.description();
        let (_, variant) = description.id.split_once('/').unwrap();
        assert_eq!(variant, mask.name());
        assert!(!description.selectable);
        assert_eq!(description.constant_time, *mask != Mask::NoAes, "{description:?}");
        let named = |name| Task::usual(Algorithm::named(name).unwrap());
        // The last has a limit in ipsec-mb that a mask does not lift.
        for task in ["AES-256-GCM", "SHA2-256", "HMAC-SHA2-256"].map(named) {
            if implementation.tasks().contains(&task) {
                gate::check(&**implementation, task, SEED).unwrap_or_else(|failure| panic!("{failure}"));
                println!("RIGHT {task} {}", description.id);
            }
        }
    }
    if implementations.is_empty() {
        println!("ABSENT");
    }
}

/// What is here under each mask that says something to it; which libraries are not is told.
fn masked() -> Vec<Source> {
    let mut masked = Vec::new();
    let mut libraries = BTreeMap::new();
    for source in Source::defaults() {
        let masks = source.masked();
        let library = match &source {
            _ if masks.is_empty() => continue,
            Source::Peer { library, .. } => library.about().name,
            Source::Builtin => "what is built in",
            _ => "OpenSSL 3 or newer",
        };
        let is_here = child(&source, &[]).contains("HERE");
        *libraries.entry(library).or_insert(false) |= is_here;
        masked.extend(masks.into_iter().filter(|_| is_here));
    }
    for (library, _) in libraries.into_iter().filter(|(_, is_here)| !is_here) {
        common::skip(format_args!("{library} is not installed"));
    }
    masked
}

/// Whether older releases of the library have no code for what the mask hides: such a one is left out.
fn may_lack(source: &Source) -> bool {
    let is_libgcrypt = |bare: &Source| {
        matches!(
            bare,
            Source::Peer {
                library: PeerLibrary::Libgcrypt,
                ..
            }
        )
    };
    matches!(
        source,
        Source::Masked { mask: Mask::NoSha | Mask::NoVaes | Mask::NoAvx512, source: bare } if is_libgcrypt(bare)
    )
}

#[test]
fn each_library_does_without_what_it_is_told() {
    for source in masked() {
        let printed = child(&source, &source.environment());
        assert!(
            printed.contains("RIGHT") || printed.contains("ABSENT") && may_lack(&source),
            "{source}: {printed}"
        );
    }
}

/// The OpenSSL that is built in reads the variable that AWS-LC does, and says what it goes by.
#[cfg(feature = "openssl")]
#[test]
fn both_that_are_built_in_do_without_and_a_deaf_openssl_is_refused() {
    let mut masks = 0;
    for source in Source::Builtin.masked() {
        let printed = child(&source, &source.environment());
        for library in ["aws-lc-rs@", "openssl@4"] {
            assert!(printed.contains(&format!(" {library}")), "{source}: {printed}");
        }
        let deaf = child(&source, &[]);
        assert!(
            deaf.contains("REFUSED ") && deaf.contains("goes on using"),
            "{source}: {deaf}"
        );
        masks += 1;
    }
    assert!(masks > 0 || cfg!(not(target_arch = "x86_64")));
}

#[test]
fn a_mask_that_was_not_heeded_is_refused() {
    for source in masked() {
        let Source::Masked { mask, source: bare } = &source else {
            panic!("{source} is under no mask");
        };
        // What is set up anew each time, and asked each time.
        let is_anew = matches!(
            **bare,
            Source::Peer {
                library: PeerLibrary::IpsecMb,
                ..
            }
        );
        let is_absent = || may_lack(&source) && child(&source, &source.environment()).contains("ABSENT");
        if is_anew || **bare == Source::Builtin || is_absent() {
            continue;
        }
        let mut deaf = source.environment();
        if deaf.is_empty() {
            // It is told by a call, which comes too late.
            deaf.push((SETTLED, "1".to_owned()));
        }
        // It has the variables that make it talk, and says that it uses everything.
        deaf.retain(|(name, _)| {
            ["VERBOSE", "LEVEL", SETTLED]
                .iter()
                .any(|end| name.ends_with(end))
        });
        let printed = child(&source, &deaf);
        let refusal = printed.lines().find_map(|line| line.split_once("REFUSED "));
        let (_, reason) = refusal.unwrap_or_else(|| panic!("{source}: {printed}"));
        assert!(reason.starts_with(&source.to_string()), "{reason}");
        assert!(
            reason.contains(mask.name()) && reason.contains("false name"),
            "{reason}"
        );
    }
}
