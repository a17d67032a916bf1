//! Contexts of GCM are as right when there are many of them, of which each then has less in its tables.

mod common;

use ciphertune::{Gcm, Implementation};

use common::{Random, with_gcm};

/// Each number of contexts takes other tables; what was made when there were fewer lies there unused, and is used again.
#[test]
fn however_many_there_are() {
    let mut random = Random(1);
    let text: Vec<u8> = (0..70_000).map(|_| random.word() as u8).collect();
    let sealed = |gcm: &mut Gcm, len: usize| {
        let mut data = text[..len].to_vec();
        let tag = gcm.seal_in_place(&[1; 12], b"additional", &mut data).unwrap();
        (data, tag.to_vec())
    };
    let lengths = [16, 300, 1350, 1500, 4096, 20_000, 70_000, 70_000, 1350, 4096];
    let mut portable = Gcm::with_implementation(Implementation::PORTABLE, &[7; 16]).unwrap();
    let expected = lengths.map(|len| sealed(&mut portable, len));
    for implementation in with_gcm() {
        let new = || Gcm::with_implementation(implementation, &[7; 16]).unwrap();
        let mut always = new();
        for others in [0, 100, 1100, 100, 0] {
            let _others: Vec<Gcm> = (0..others).map(|_| new()).collect();
            for mut gcm in [always.clone(), new()] {
                for (len, expected) in lengths.iter().zip(&expected) {
                    let what = format!("{implementation:?}, {len} bytes beside {others}");
                    assert!(sealed(&mut gcm, *len) == *expected, "{what}");
                    let (mut data, tag) = expected.clone();
                    gcm.open_in_place(&[1; 12], b"additional", &mut data, &tag)
                        .unwrap();
                    assert!(data == text[..*len], "{what}");
                }
                always = gcm;
            }
            // One of these makes the first round ahead, and has few batches.
            let mut gcm = new();
            for _ in 0..60 {
                assert!(
                    sealed(&mut gcm, lengths[2]) == expected[2],
                    "{implementation:?} beside {others}"
                );
            }
        }
    }
}
