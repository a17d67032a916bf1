//! CMAC.

use std::array;

use ciphertune::{Cmac, CmacStream, Implementation};

use crate::{LENGTHS, keyed, painted::Found, rekeyed};

pub fn look(found: &mut Found, implementation: Implementation) {
    rekeyed!(found, implementation; Cmac);
    let cmac = keyed!(Cmac, implementation);
    found.look("CMAC", &LENGTHS, cmac, |cmac, data, answer| {
        answer[..16].copy_from_slice(&cmac.tag(data))
    });
    let stream = |key: &[u8]| CmacStream::new(cmac(key));
    found.look("CMAC in parts", &LENGTHS, stream, |cmac, data, answer| {
        data.chunks(777).for_each(|part| cmac.update(part));
        answer[..16].copy_from_slice(&cmac.finish());
    });
    found.look("CMAC of many", &LENGTHS, cmac, |cmac, data, answer| {
        let messages: [_; 32] = array::from_fn(|_| &*data);
        cmac.tags(&messages, answer.as_chunks_mut().0).unwrap();
    });
}
