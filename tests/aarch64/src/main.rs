//! Seals a message and encrypts another by whatever this processor is found to be best at. Its tests are those of the
//! library, and that the kernels of AArch64 are among what they run.

use ciphertune::{Basis, Ctr, Gcm, Mode, selection};

fn main() -> Result<(), ciphertune::Error> {
    let selection = selection()?;
    assert!(matches!(selection.basis(), Basis::Estimate(_)), "nothing was measured");
    let ctr = selection.plans(Mode::Ctr, 16)?.forward().implementation(1000).name();
    let gcm = selection.gcm(16)?.forward().implementation(1000).name();

    let mut message = [0; 1000];
    Ctr::new(&[1; 16], &[2; 16])?.apply(&mut message)?;
    Gcm::new(&[3; 16])?.seal_in_place(&[4; 12], b"", &mut message)?;
    println!("{ctr} {gcm}");
    Ok(())
}

#[cfg(test)]
#[path = "../../../crates/ciphertune/tests/aead.rs"]
mod aead;
#[cfg(test)]
#[path = "../../../crates/ciphertune/tests/ctr.rs"]
mod ctr;
#[cfg(test)]
#[path = "../../../crates/ciphertune/tests/gcm.rs"]
mod gcm;
#[cfg(test)]
#[path = "../../../crates/ciphertune/tests/gcm_stream.rs"]
mod gcm_stream;
#[cfg(test)]
#[path = "../../../crates/ciphertune/tests/modes.rs"]
mod modes;
#[cfg(test)]
#[path = "../../../crates/ciphertune/tests/published.rs"]
mod published;

#[cfg(test)]
mod tests {
    use ciphertune::Implementation;

    #[test]
    fn every_kernel_is_there_and_runs() {
        let found: Vec<_> = Implementation::all()
            .iter()
            .map(|i| (i.name(), i.is_available(), i.gcm().is_some()))
            .collect();
        let expected = [
            ("portable", true, true),
            ("neon", true, true),
            ("armv8", true, true),
            ("armv8-r1", true, false),
        ];
        assert_eq!(found, expected);
    }
}
