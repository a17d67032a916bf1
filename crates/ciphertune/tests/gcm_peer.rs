//! GCM beside another library's. Apart from the other tests, which need no C compiler for the machine that they run on.

mod common;

use aws_lc_rs::aead::{AES_128_GCM, AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ciphertune::Gcm;

use common::{bytes, with_gcm};

#[test]
fn another_library_agrees() {
    for implementation in with_gcm() {
        for (algorithm, key_len) in [(&AES_128_GCM, 16), (&AES_256_GCM, 32)] {
            let key = bytes(7, key_len);
            let theirs = LessSafeKey::new(UnboundKey::new(algorithm, &key).unwrap());
            let mut ours = Gcm::with_implementation(implementation, &key).unwrap();
            for len in (0..1200).step_by(7).chain([16_384, 1 << 20]) {
                let (aad, nonce) = (bytes(8, len % 97), bytes(9, 12));
                let (mut data, mut expected) = (bytes(10, len), bytes(10, len));
                let nonce_theirs = Nonce::try_assume_unique_for_key(&nonce).unwrap();
                let tag = theirs
                    .seal_in_place_separate_tag(nonce_theirs, Aad::from(&aad), &mut expected)
                    .unwrap();
                let made = ours.seal_in_place(&nonce, &aad, &mut data).unwrap();
                assert!(
                    data == expected && *made == *tag.as_ref(),
                    "{implementation:?} {len}"
                );
            }
        }
    }
}
