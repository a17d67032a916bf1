//! CCM and OCB, which have the same calls.

use ciphertune::{Ccm, CcmStream, Implementation, Ocb, OcbStream};

use crate::{
    LENGTHS, SOME_LENGTHS, contexts, keyed,
    painted::{Found, text},
};

/// Of CCM a part may end within a block, and a part that follows begins there.
const CCM_PARTS: [usize; 4] = [5, 48, 777, 784];
const OCB_PARTS: [usize; 3] = [16, 48, 784];

macro_rules! look {
    ($found:expr, $implementation:expr, $type:ident, $stream:ident, $start:expr, $parts:expr) => {
        let (found, name): (&mut Found, _) = ($found, stringify!($type));
        contexts!(found, $implementation; $type);
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
        let short = |key: &[u8]| make(key).with_tag_len(4).unwrap();
        found.look(format!("{name}, short tag, sealed"), &SOME_LENGTHS, short, |aead, data, answer| {
            let tag = aead.seal_in_place(&[1; 12], &[6; 40], data).unwrap();
            tag.copy_to(&mut answer[..4]);
        });
        found.look(format!("{name}, short tag, not opened"), &SOME_LENGTHS, short, |aead, data, _| {
            aead.open_in_place(&[1; 12], &[6; 40], data, &[0; 4]).unwrap_err();
        });
        for length in SOME_LENGTHS {
            let sealed = |key: &[u8]| {
                let (aead, mut data) = (short(key), text(length));
                let tag = aead.seal_in_place(&[1; 12], &[6; 40], &mut data).unwrap();
                (aead, data, tag.to_vec())
            };
            found.look(format!("{name}, short tag, opened"), &[length], sealed, |(aead, sealed, tag), data, answer| {
                answer[..4].copy_from_slice(tag);
                data.copy_from_slice(sealed);
                aead.open_in_place(&[1; 12], &[6; 40], data, tag).unwrap();
                data.copy_from_slice(sealed);
            });
        }
        let begun = |key: &[u8]| {
            let mut stream = $stream::new(make(key));
            $start(&mut stream);
            stream.aad(&[6; 40]).unwrap();
            stream
        };
        for part in $parts {
            found.look(format!("{name}, sealed in parts"), &[6000], begun, |stream, data, answer| {
                data.chunks_mut(part).for_each(|part| stream.encrypt(part).unwrap());
                stream.finish().unwrap().copy_to(&mut answer[..16]);
            });
            found.look(format!("{name}, decrypted in parts"), &[6000], begun, |stream, data, _| {
                data.chunks_mut(part).for_each(|part| stream.decrypt_unverified(part).unwrap());
                stream.verify(&[0; 16]).unwrap_err();
            });
        }
        // Each kind of call by itself.
        let fresh = |key: &[u8]| $stream::new(make(key));
        found.look(format!("{name}, started"), &[0], fresh, |stream, _, _| $start(stream));
        found.look(format!("{name}, additional data"), &[40], fresh, |stream, data, _| {
            $start(stream);
            stream.aad(&data[..13]).unwrap();
            stream.aad(&data[13..]).unwrap();
        });
        found.look(format!("{name}, a part sealed"), &SOME_LENGTHS, begun, |stream, data, _| {
            stream.encrypt(data).unwrap()
        });
        found.look(format!("{name}, a part decrypted"), &SOME_LENGTHS, begun, |stream, data, _| {
            stream.decrypt_unverified(data).unwrap()
        });
    };
}

pub fn look(found: &mut Found, implementation: Implementation) {
    let start = |stream: &mut CcmStream| stream.start(&[2; 12], 40, 6000).unwrap();
    look!(found, implementation, Ccm, CcmStream, start, CCM_PARTS);
    let start = |stream: &mut OcbStream| stream.start(&[2; 12]).unwrap();
    look!(found, implementation, Ocb, OcbStream, start, OCB_PARTS);
}
