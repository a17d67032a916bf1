use ciphertune::{Ctr, Implementation};

/// `blocks` blocks of keystream from the counter block `first`, by Ciphertune's portable code. The published
/// vectors vouch for that code; [`crate::known_answers`] runs on it as on any other.
pub(crate) fn keystream(key: &[u8], first: u128, blocks: usize) -> Vec<u8> {
    let mut keystream = vec![0; 16 * blocks];
    Ctr::with_implementation(Implementation::PORTABLE, key, &first.to_be_bytes())
        .and_then(|mut ctr| ctr.apply(&mut keystream))
        .expect("the portable code runs on every processor, and the key has one of AES's lengths");
    keystream
}
