//! CCM and OCB, which have the same calls.

use ciphertune::{Ccm, CcmStream, Implementation, Ocb, OcbStream};

use crate::{LENGTHS, keyed, painted::Found, rekeyed};

macro_rules! look {
    ($found:expr, $implementation:expr, $type:ident, $stream:ident, $start:expr) => {
        let (found, name): (&mut Found, _) = ($found, stringify!($type));
        rekeyed!(found, $implementation; $type);
        let make = keyed!($type, $implementation);
        found.look(format!("{name}, sealed"), &LENGTHS, make, |aead, data, answer| {
            let tag = aead.seal_in_place(&[1; 12], &[6; 40], data).unwrap();
            tag.copy_to(&mut answer[..16]);
        });
        found.look(format!("{name}, not opened"), &LENGTHS, make, |aead, data, _| {
            aead.open_in_place(&[1; 12], &[6; 40], data, &[0; 16]).unwrap_err();
        });
        let begun = |key: &[u8]| {
            let mut stream = $stream::new(make(key));
            $start(&mut stream);
            stream.aad(&[6; 40]).unwrap();
            stream
        };
        found.look(format!("{name}, sealed in parts"), &[6000], begun, |stream, data, answer| {
            data.chunks_mut(784).for_each(|part| stream.encrypt(part).unwrap());
            stream.finish().unwrap().copy_to(&mut answer[..16]);
        });
        found.look(format!("{name}, decrypted in parts"), &[6000], begun, |stream, data, _| {
            data.chunks_mut(784).for_each(|part| stream.decrypt_unverified(part).unwrap());
            stream.verify(&[0; 16]).unwrap_err();
        });
    };
}

pub fn look(found: &mut Found, implementation: Implementation) {
    look!(found, implementation, Ccm, CcmStream, |stream: &mut CcmStream| {
        stream.start(&[2; 12], 40, 6000).unwrap()
    });
    look!(found, implementation, Ocb, OcbStream, |stream: &mut OcbStream| {
        stream.start(&[2; 12]).unwrap()
    });
}
