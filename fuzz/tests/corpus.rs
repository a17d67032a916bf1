//! Replays the corpus: what fuzzing found worth keeping, on stable and in seconds.

use std::{fs, path::Path, thread};

type Target = (&'static str, fn(&[u8]));

const TARGETS: [Target; 11] = [
    ("ctr", ciphertune_fuzz::ctr),
    ("gcm", ciphertune_fuzz::gcm),
    ("ccm", ciphertune_fuzz::ccm),
    ("ocb", ciphertune_fuzz::ocb),
    ("xts", ciphertune_fuzz::xts),
    ("chained", ciphertune_fuzz::chained),
    ("cmac", ciphertune_fuzz::cmac),
    ("rijndael", ciphertune_fuzz::rijndael),
    ("wisdom", ciphertune_fuzz::wisdom),
    ("runs", ciphertune_fuzz::runs),
    ("import", ciphertune_fuzz::import),
];

/// Those whose cases choose an implementation.
const CIPHERS: [&str; 7] = ["ctr", "gcm", "ccm", "ocb", "xts", "chained", "cmac"];

#[test]
fn the_corpus_is_replayed() {
    // Unoptimised, the kernels outgrow the stack that a test has.
    let roomy = thread::Builder::new().stack_size(64 << 20).spawn(replay);
    roomy.unwrap().join().unwrap();
}

fn replay() {
    for (name, target) in TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
        let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut inputs: Vec<_> = files
            .map(|file| fs::read(file.unwrap().path()).unwrap())
            .collect();
        assert!(!inputs.is_empty(), "{}", folder.display());
        inputs.sort();
        for mut input in inputs {
            target(&input);
            // A cipher's case names by its first byte one of those that the processor can run: all of them take it.
            if CIPHERS.contains(&name) && !input.is_empty() {
                for choice in 0..ciphertune::Implementation::all().len() {
                    input[0] = u8::try_from(choice).unwrap();
                    target(&input);
                }
            }
        }
    }
}
