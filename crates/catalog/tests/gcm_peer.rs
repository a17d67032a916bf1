//! The library's own GCM, by every implementation of it, beside another library's.

use aws_lc_rs::aead::{AES_128_GCM, AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ciphertune::{Gcm, Implementation};
use ciphertune_testkit::Random;

#[test]
fn another_library_agrees() {
    let random = &mut Random::new(7);
    let available = Implementation::all().iter().copied().filter(|i| i.is_available());
    for implementation in available.filter(|i| i.gcm().is_some()) {
        for (algorithm, key_len) in [(&AES_128_GCM, 16), (&AES_256_GCM, 32)] {
            let key = random.bytes(key_len);
            let theirs = LessSafeKey::new(UnboundKey::new(algorithm, &key).unwrap());
            let mut ours = Gcm::with_implementation(implementation, &key).unwrap();
            for len in (0..1200).step_by(7).chain([16_384, 1 << 20]) {
                let (aad, nonce) = (random.bytes(len % 97), random.bytes(12));
                let mut data = random.bytes(len);
                let mut expected = data.clone();
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
