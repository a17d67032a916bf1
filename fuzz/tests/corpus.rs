//! Replays the corpus: what fuzzing found worth keeping, on stable and in seconds.

use std::{fs, path::Path, thread};

use ciphertune::Implementation;

type Target = (&'static str, fn(&[u8]));

/// By its first byte a case of theirs chooses one of the implementations that the processor can run.
const CHOOSING: [Target; 7] = [
    ("ctr", ciphertune_fuzz::ctr),
    ("gcm", ciphertune_fuzz::gcm),
    ("ccm", ciphertune_fuzz::ccm),
    ("ocb", ciphertune_fuzz::ocb),
    ("xts", ciphertune_fuzz::xts),
    ("chained", ciphertune_fuzz::chained),
    ("cmac", ciphertune_fuzz::cmac),
];

const OTHERS: [Target; 4] = [
    ("rijndael", ciphertune_fuzz::rijndael),
    ("wisdom", ciphertune_fuzz::wisdom),
    ("runs", ciphertune_fuzz::runs),
    ("import", ciphertune_fuzz::import),
];

#[test]
fn the_corpus_is_replayed() {
    // Unoptimised, the kernels outgrow the stack that a test has.
    let roomy = thread::Builder::new().stack_size(64 << 20).spawn(replay);
    roomy.unwrap().join().unwrap();
}

fn replay() {
    let all = Implementation::all().iter();
    let choices = u8::try_from(all.filter(|i| i.is_available()).count()).unwrap();
    for (name, target) in CHOOSING {
        for mut case in kept(name) {
            for choice in 0..choices {
                case[0] = choice;
                target(&case);
            }
        }
    }
    for (name, target) in OTHERS {
        kept(name).iter().for_each(|case| target(case));
    }
}

fn kept(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut cases: Vec<_> = files
        .map(|file| fs::read(file.unwrap().path()).unwrap())
        .collect();
    assert!(!cases.is_empty(), "{}", folder.display());
    cases.sort();
    cases
}
