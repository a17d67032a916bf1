//! The tests of the library, and that the kernels of AArch64 are among what they run.
#![cfg(test)]
// Each of these tests is a program of its own elsewhere, and has what they share in it.
#![allow(clippy::duplicate_mod)]

#[path = "../../../crates/ciphertune/tests/aead.rs"]
mod aead;
#[path = "../../../crates/ciphertune/tests/ccm_stream.rs"]
mod ccm_stream;
#[path = "../../../crates/ciphertune/tests/ctr.rs"]
mod ctr;
#[path = "../../../crates/ciphertune/tests/gcm.rs"]
mod gcm;
#[path = "../../../crates/ciphertune/tests/gcm_stream.rs"]
mod gcm_stream;
#[path = "../../../crates/ciphertune/tests/modes.rs"]
mod modes;
#[path = "../../../crates/ciphertune/tests/ocb_stream.rs"]
mod ocb_stream;
#[path = "../../../crates/ciphertune/tests/published.rs"]
mod published;
#[path = "../../../crates/ciphertune/tests/rekey.rs"]
mod rekey;

mod chosen {
    use ciphertune::{Basis, Ctr, Gcm, Implementation, Mode, selection};

    #[test]
    fn every_kernel_is_there_and_runs() {
        let found: Vec<_> = Implementation::all()
            .iter()
            .map(|i| (i.name(), i.is_available(), i.gcm().is_some()))
            .collect();
        let expected = [
            ("portable", true, true),
            ("neon", true, true),
            ("neon-vp", true, true),
            ("armv8", true, true),
            ("armv8-r2", true, false),
        ];
        assert_eq!(found, expected);
    }

    /// Run alone, for the emulator to tell which instructions it meets.
    #[test]
    #[ignore = "it says more to who looks at the instructions: `run`"]
    fn by_what_the_processor_has() {
        let selection = selection().unwrap();
        assert!(
            matches!(selection.basis(), Basis::Estimate(_)),
            "nothing was measured"
        );
        let ctr = selection.plans(Mode::Ctr, 16).unwrap().forward();
        let gcm = selection.gcm(16).unwrap().forward();
        println!(
            "chosen: {} {}",
            ctr.implementation(1000).name(),
            gcm.implementation(1000).name()
        );

        let mut message = [0; 1000];
        Ctr::new(&[1; 16], &[2; 16]).unwrap().apply(&mut message).unwrap();
        Gcm::new(&[3; 16])
            .unwrap()
            .seal_in_place(&[4; 12], b"", &mut message)
            .unwrap();
    }
}
