//! GCM, with a new key and with one for which powers and rounds were made ahead.

use ciphertune::{Gcm, GcmStream, Implementation};

use crate::{
    LENGTHS, SOME_LENGTHS, contexts, keyed,
    painted::{Found, text},
};

pub fn look(found: &mut Found, implementation: Implementation) {
    let gcm = keyed!(Gcm, implementation);
    let after = |key: &[u8], nonce| {
        let mut gcm = gcm(key);
        for _ in 0..3 {
            gcm.seal_in_place(nonce, b"", &mut vec![0; 70_000]).unwrap();
        }
        gcm
    };
    // The second round serves nonces that are alike in three bytes.
    let used = |key: &[u8]| after(key, &[4; 12]);
    let used_more = |key: &[u8]| after(key, &[1; 12]);
    contexts!(found, implementation; Gcm);
    look_at_short_tags(found, |key| gcm(key).with_short_tag_len(4).unwrap());
    found.look("GCM, cloned", &[100], used, |gcm, data, answer| {
        let tag = gcm.clone().seal_in_place(&[1; 12], b"", data).unwrap();
        tag.copy_to(&mut answer[..16]);
    });
    look_at_messages(found, "GCM", gcm);
    look_at_messages(found, "GCM, much used", used);
    look_at_messages(found, "GCM, with two rounds ahead", used_more);
}

fn look_at_messages(found: &mut Found, name: &str, make: impl Fn(&[u8]) -> Gcm + Copy) {
    for (nonce, aad) in [(&[1; 12][..], 0), (&[1; 12], 13), (&[1; 9], 700)] {
        let aad = &[6; 700][..aad];
        found.look(format!("{name}, sealed"), &LENGTHS, make, |gcm, data, answer| {
            let tag = gcm.seal_in_place(nonce, aad, data).unwrap();
            tag.copy_to(&mut answer[..16]);
        });
        found.look(format!("{name}, not opened"), &LENGTHS, make, |gcm, data, _| {
            gcm.open_in_place(nonce, aad, data, &[0; 16]).unwrap_err();
        });
        let begun = |key: &[u8]| {
            let mut stream = GcmStream::new(make(key));
            stream.start(nonce).unwrap();
            stream
        };
        for part in [48, 777] {
            let what = format!("{name}, sealed in parts");
            found.look(what, &[100, 6000], begun, |stream, data, answer| {
                stream.aad(aad).unwrap();
                data.chunks_mut(part)
                    .for_each(|part| stream.encrypt(part).unwrap());
                stream.finish().unwrap().copy_to(&mut answer[..16]);
            });
            let what = format!("{name}, decrypted in parts");
            found.look(what, &[100, 6000], begun, |stream, data, _| {
                stream.aad(aad).unwrap();
                data.chunks_mut(part)
                    .for_each(|part| stream.decrypt_unverified(part).unwrap());
                stream.verify(&[0; 16]).unwrap_err();
            });
        }
        // Each kind of call by itself.
        let fresh = |key: &[u8]| GcmStream::new(make(key));
        found.look(format!("{name}, started"), &[0], fresh, |stream, _, _| {
            stream.start(nonce).unwrap()
        });
        found.look(
            format!("{name}, a part sealed"),
            &LENGTHS,
            begun,
            |stream, data, _| stream.encrypt(data).unwrap(),
        );
        found.look(
            format!("{name}, a part decrypted"),
            &LENGTHS,
            begun,
            |stream, data, _| stream.decrypt_unverified(data).unwrap(),
        );
        found.look(
            format!("{name}, additional data"),
            &[16, 48, 700],
            begun,
            |stream, data, _| stream.aad(data).unwrap(),
        );
    }
}

fn look_at_short_tags(found: &mut Found, make: impl Fn(&[u8]) -> Gcm + Copy) {
    for (nonce, aad) in [(&[1; 12][..], &[][..]), (&[1; 9], &[6; 13])] {
        found.look(
            "GCM, short tag, sealed",
            &SOME_LENGTHS,
            make,
            |gcm, data, answer| {
                let tag = gcm.seal_in_place(nonce, aad, data).unwrap();
                tag.copy_to(&mut answer[..4]);
            },
        );
        found.look(
            "GCM, short tag, not opened",
            &SOME_LENGTHS,
            make,
            |gcm, data, _| {
                gcm.open_in_place(nonce, aad, data, &[0; 4]).unwrap_err();
            },
        );
        for length in SOME_LENGTHS {
            let sealed = |key: &[u8]| {
                let (mut gcm, mut data) = (make(key), text(length));
                let tag = gcm.seal_in_place(nonce, aad, &mut data).unwrap();
                (gcm, data, tag.to_vec())
            };
            found.look(
                "GCM, short tag, opened",
                &[length],
                sealed,
                |(gcm, sealed, tag), data, answer| {
                    answer[..4].copy_from_slice(tag);
                    data.copy_from_slice(sealed);
                    gcm.open_in_place(nonce, aad, data, tag).unwrap();
                    data.copy_from_slice(sealed);
                },
            );
        }
        let begun = |key: &[u8]| {
            let mut stream = GcmStream::new(make(key));
            stream.start(nonce).unwrap();
            stream.aad(aad).unwrap();
            stream
        };
        found.look(
            "GCM, short tag, sealed in parts",
            &[0, 100],
            begun,
            |stream, data, answer| {
                stream.encrypt(data).unwrap();
                stream.finish().unwrap().copy_to(&mut answer[..4]);
            },
        );
        found.look(
            "GCM, short tag, decrypted in parts",
            &[0, 100],
            begun,
            |stream, data, _| {
                stream.decrypt_unverified(data).unwrap();
                stream.verify(&[0; 4]).unwrap_err();
            },
        );
    }
}
