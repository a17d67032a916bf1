//! Every implementation that needs AVX-512 against the portable code, which published answers prove on any machine: each
//! mode, in one call and in parts, in place and apart, over the lengths that reach every path of a kernel.
//!
//! An emulator is slow: a length is worked on once, and the longer ones are a selection.
#[path = "../../../crates/ciphertune/tests/common/mod.rs"]
mod common;
mod work;

use std::{
    env, thread,
    time::{Duration, Instant},
};

use ciphertune::Implementation;

use common::bytes;
use work::{many, works};

/// Up to here each length is tried, unless the environment says otherwise: past four vectors with each of their ends.
const EVERY: usize = 272;

fn main() {
    let outcome = thread::spawn(check).join();
    // The machine ends with its first program, and not all that was said is out of it yet.
    thread::sleep(Duration::from_secs(1));
    assert!(outcome.is_ok());
}

fn check() {
    let every_up_to: usize = env::var("EVERY").map_or(EVERY, |length| length.parse().expect("a length"));
    let wide: Vec<_> = Implementation::all()
        .iter()
        .copied()
        .filter(|i| i.features().iter().any(|f| f.name() == "avx512f"))
        .collect();
    for i in &wide {
        let missing: Vec<_> = i
            .features()
            .iter()
            .filter(|f| !f.is_present())
            .map(|f| f.name())
            .collect();
        assert!(
            missing.is_empty(),
            "{}: this processor lacks {missing:?}",
            i.name()
        );
    }
    // The same code but for CTR, and without GCM.
    let ahead = |i: &Implementation| i.name().ends_with("-r2");

    let start = Instant::now();
    let input = bytes(1, 30_000);
    let mut checked = vec![0; wide.len()];
    for (key_len, every) in [(16, 1), (32, 11), (24, 23)] {
        let lengths: Vec<_> = (0..=every_up_to)
            .step_by(every)
            .chain((every_up_to..2200).step_by(37 * every))
            .chain([4096 + 15, 28_672 + 17])
            .collect();
        let portable = works(Implementation::PORTABLE, key_len);
        let others: Vec<_> = wide.iter().map(|&i| works(i, key_len)).collect();
        for (w, work) in portable.iter().enumerate() {
            for &len in lengths.iter().filter(|&&len| (work.takes)(len)) {
                let expected = (work.run)(&input[..len]);
                for (n, i) in wide
                    .iter()
                    .enumerate()
                    .filter(|(_, i)| work.name == "CTR" || !ahead(i))
                {
                    let made = (others[n][w].run)(&input[..len]);
                    let what = format!("{}, AES-{}-{}, {len} bytes", i.name(), 8 * key_len, work.name);
                    assert!(made == expected, "{what}: not what the portable code makes");
                    checked[n] += 1;
                }
            }
            println!(
                "avx512: AES-{}-{} after {} s",
                8 * key_len,
                work.name,
                start.elapsed().as_secs()
            );
        }
        for (n, &i) in wide.iter().enumerate().filter(|(_, i)| !ahead(i)) {
            checked[n] += many(i, key_len);
        }
    }
    for (i, checked) in wide.iter().zip(checked) {
        println!("avx512: {}: {checked} cases are right", i.name());
    }
}
