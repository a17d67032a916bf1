//! CMAC.

use std::array;

use ciphertune::{Cmac, CmacStream, Implementation};

use crate::{
    LENGTHS, SOME_LENGTHS, contexts, keyed,
    painted::{Found, text},
};

pub fn look(found: &mut Found, implementation: Implementation) {
    contexts!(found, implementation; Cmac);
    let cmac = keyed!(Cmac, implementation);
    found.look("CMAC", &LENGTHS, cmac, |cmac, data, answer| {
        answer[..16].copy_from_slice(&cmac.tag(data))
    });
    let stream = |key: &[u8]| CmacStream::new(cmac(key));
    found.look("CMAC in parts", &LENGTHS, stream, |cmac, data, answer| {
        data.chunks(777).for_each(|part| cmac.update(part));
        answer[..16].copy_from_slice(&cmac.finish());
    });
    found.look("CMAC, a part", &SOME_LENGTHS, stream, |cmac, data, _| {
        data.chunks(37).for_each(|part| cmac.update(part))
    });
    found.look("CMAC of many", &LENGTHS, cmac, |cmac, data, answer| {
        let messages: [_; 32] = array::from_fn(|_| &*data);
        cmac.tags(&messages, answer.as_chunks_mut().0).unwrap();
    });
    found.look(
        "CMAC of many, unequal",
        &SOME_LENGTHS,
        cmac,
        |cmac, data, answer| {
            let messages: [_; 32] = array::from_fn(|i| &data[..data.len() * i / 32]);
            cmac.tags(&messages, answer.as_chunks_mut().0).unwrap();
        },
    );
    found.look(
        "CMAC of many, a key each",
        &SOME_LENGTHS,
        cmac,
        |cmac, data, answer| {
            let messages: [_; 32] = array::from_fn(|i| (&*cmac, &data[..data.len() * (i + 1) / 32]));
            Cmac::tags_each(&messages, answer.as_chunks_mut().0).unwrap();
        },
    );
    for len in [16, 8] {
        found.look(
            format!("CMAC, wrong tag of {len} bytes"),
            &SOME_LENGTHS,
            cmac,
            |cmac, data, _| cmac.verify(data, &[0; 16][..len]).unwrap_err(),
        );
        found.look(
            format!("CMAC in parts, wrong tag of {len} bytes"),
            &SOME_LENGTHS,
            stream,
            |cmac, data, _| {
                cmac.update(data);
                cmac.verify(&[0; 16][..len]).unwrap_err()
            },
        );
        for length in SOME_LENGTHS {
            let known = |key: &[u8]| (cmac(key), cmac(key).tag(&text(length)));
            found.look(
                format!("CMAC, right tag of {len} bytes"),
                &[length],
                known,
                |(cmac, tag), data, answer| {
                    answer[..len].copy_from_slice(&tag[..len]);
                    cmac.verify(data, &tag[..len]).unwrap()
                },
            );
        }
    }
}
