//! What a context costs once the selection is made: one allocation, one more for some keys, and no look at any file.
//! A busy key of GCM has one more, once.
mod common;

use std::{env, fs, process::Command};

use allocation_counter::measure;
use ciphertune::{Basis, Cbc, Ctr, Gcm, Implementation, Xts, wisdom::Wisdom};

#[path = "../../../tests/tuned.rs"]
mod tuned;

use common::available;
use tuned::tuned;

/// The selection goes by the environment that a process begins with, so this test runs itself again in one.
#[test]
fn a_context_is_one_allocation_and_reads_no_file() {
    const PATH: &str = "CIPHERTUNE_WISDOM";
    const AGAIN: &str = "AGAIN";
    if env::var_os(AGAIN).is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wisdom");
        let tasks = ["AES-128-CTR", "AES-256-CTR"].map(|algorithm| [algorithm, "encrypt", "stream/1"]);
        let wisdom = Wisdom::new(vec![tuned(&tasks, Implementation::PORTABLE)]);
        wisdom.write(&path).unwrap();
        let again = Command::new(env::current_exe().unwrap())
            .env(PATH, &path)
            .env(AGAIN, "1")
            .output()
            .unwrap();
        assert!(again.status.success(), "{again:?}");
        return;
    }
    let selection = ciphertune::selection().unwrap();
    assert!(matches!(selection.basis(), Basis::Wisdom(_)), "{selection:?}");

    let before = reads();
    let by_asking = reads() - before;
    for key in [&[1; 16][..], &[2; 32]] {
        let mut data = [0; 100];
        let before = reads();
        let made = measure(|| {
            let mut ctr = Ctr::new(key, &[0; 16]).unwrap();
            ctr.apply(&mut data).unwrap();
            ctr.rekey(key, &[1; 16]).unwrap();
            ctr.apply(&mut data[..7]).unwrap();
        });
        assert_eq!(reads() - before, by_asking, "it reads nothing");
        assert_eq!(made.count_total, 1, "{made:?}");
        assert_eq!(made.count_current, 0, "{made:?}");
    }
    for implementation in available() {
        each_key_of_a_block_mode_is_one_more_without_aes_instructions(implementation);
        rounds_ahead_of_gcm_are_one_more_once(implementation);
    }
}

/// Kernels with AES instructions make them.
fn rounds_ahead_of_gcm_are_one_more_once(implementation: Implementation) {
    let Ok(mut gcm) = Gcm::with_implementation(implementation, &[1; 16]) else {
        return;
    };
    let mut data = vec![0; 70_000];
    let mut seal = |gcm: &mut Gcm, nonce: u8, len: usize| {
        gcm.seal_in_place(&[nonce; 12], b"", &mut data[..len]).unwrap();
    };
    let short = measure(|| (0..20).for_each(|nonce| seal(&mut gcm, nonce, 3000)));
    assert_eq!(short.count_total, 0, "{implementation:?}: {short:?}");
    let long = measure(|| (20..40).for_each(|nonce| seal(&mut gcm, nonce, 70_000)));
    assert_eq!(
        long.count_total,
        u64::from(has_aes(implementation)),
        "{implementation:?}: {long:?}"
    );
    // The next key takes the same place, and a clone has one of its own.
    let more = measure(|| {
        gcm.rekey(&[2; 16]).unwrap();
        (0..20).for_each(|nonce| seal(&mut gcm, nonce, 70_000));
        let mut clone = gcm.clone();
        (20..40).for_each(|nonce| seal(&mut clone, nonce, 70_000));
    });
    assert_eq!(
        more.count_total,
        1 + long.count_total,
        "{implementation:?}: {more:?}"
    );
    assert_eq!(more.count_current, 0, "{implementation:?}: {more:?}");
    let ended = measure(|| drop(gcm));
    assert_eq!(
        ended.count_current,
        -1 - long.count_total as i64,
        "{implementation:?}: {ended:?}"
    );
}

fn each_key_of_a_block_mode_is_one_more_without_aes_instructions(implementation: Implementation) {
    const KEYS: [[u8; 32]; 2] = [
        *b"a key for the data and one for t",
        *b"he tweak, and so the two again, ",
    ];
    let name = implementation.name();
    let more = |keys| if has_aes(implementation) { 0 } else { keys };
    let contexts: [(&str, u64, &dyn Fn()); _] = [
        ("CTR", 0, &|| {
            let mut ctr = Ctr::with_implementation(implementation, &KEYS[0], &[0; 16]).unwrap();
            ctr.rekey(&KEYS[1], &[0; 16]).unwrap();
        }),
        ("CBC", more(1), &|| {
            let mut cbc = Cbc::with_implementation(implementation, &KEYS[0]).unwrap();
            cbc.rekey(&KEYS[1]).unwrap();
        }),
        ("XTS", more(2), &|| {
            let mut xts = Xts::with_implementation(implementation, KEYS.as_flattened()).unwrap();
            xts.rekey(&KEYS[0]).unwrap();
        }),
    ];
    for (mode, more, context) in contexts {
        let made = measure(context);
        let case = format!("{name}, {mode}: {made:?}");
        assert_eq!((made.count_total, made.count_current), (1 + more, 0), "{case}");
    }
}

fn has_aes(implementation: Implementation) -> bool {
    let mut features = implementation.features().iter();
    features.any(|feature| feature.name() == "aes")
}

/// How often this process has read from any file.
fn reads() -> u64 {
    let text = fs::read_to_string("/proc/self/io").unwrap();
    let count = text.lines().find_map(|line| line.strip_prefix("syscr: "));
    count.unwrap().parse().unwrap()
}
