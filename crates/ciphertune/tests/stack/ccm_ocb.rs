//! CCM and OCB, which have the same calls.

use ciphertune::{Ccm, CcmStream, Implementation, Ocb, OcbStream};

use crate::{LENGTHS, SOME_LENGTHS, keyed, painted::Found, rekeyed};

macro_rules! look {
    ($found:expr, $implementation:expr, $type:ident, $stream:ident, $start:expr) => {
        let (found, name): (&mut Found, _) = ($found, stringify!($type));
        rekeyed!(found, $implementation; $type);
        let make = keyed!($type, $implementation);
        for (aad, lengths) in [(0, &SOME_LENGTHS[..]), (40, &LENGTHS), (300, &SOME_LENGTHS)] {
            let given = &[6; 300][..aad];
            found.look(format!("{name}, {aad} bytes and a text sealed"), lengths, make, |aead, data, answer| {
                let tag = aead.seal_in_place(&[1; 12], given, data).unwrap();
                tag.copy_to(&mut answer[..16]);
            });
            found.look(format!("{name}, {aad} bytes and a text not opened"), lengths, make, |aead, data, _| {
                aead.open_in_place(&[1; 12], given, data, &[0; 16]).unwrap_err();
            });
        }
        let begun = |key: &[u8]| {
            let mut stream = $stream::new(make(key));
            $start(&mut stream);
            stream.aad(&[6; 40]).unwrap();
            stream
        };
        for part in [784] {
            found.look(format!("{name}, sealed in parts"), &[6000], begun, |stream, data, answer| {
                data.chunks_mut(part).for_each(|part| stream.encrypt(part).unwrap());
                stream.finish().unwrap().copy_to(&mut answer[..16]);
            });
            found.look(format!("{name}, decrypted in parts"), &[6000], begun, |stream, data, _| {
                data.chunks_mut(part).for_each(|part| stream.decrypt_unverified(part).unwrap());
                stream.verify(&[0; 16]).unwrap_err();
            });
        }
    };
}

pub fn look(found: &mut Found, implementation: Implementation) {
    let start = |stream: &mut CcmStream| stream.start(&[2; 12], 40, 6000).unwrap();
    look!(found, implementation, Ccm, CcmStream, start);
    let start = |stream: &mut OcbStream| stream.start(&[2; 12]).unwrap();
    look!(found, implementation, Ocb, OcbStream, start);
}
