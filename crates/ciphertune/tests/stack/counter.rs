//! CTR.

use ciphertune::{Ctr, Implementation};

use crate::{LENGTHS, painted::Found};

pub fn look(found: &mut Found, implementation: Implementation) {
    let ctr = |key: &[u8]| Ctr::with_implementation(implementation, key, &[7; 16]).unwrap();
    let used = |key: &[u8]| used(ctr(key));
    found.look("CTR", &LENGTHS, ctr, |ctr, data, _| ctr.apply(data).unwrap());
    found.look("CTR, much used", &LENGTHS, used, |ctr, data, _| {
        ctr.apply(data).unwrap()
    });
    found.look("CTR, much used, in parts", &[6000], used, |ctr, data, _| {
        data.chunks_mut(37).for_each(|part| ctr.apply(part).unwrap());
    });
    found.look("CTR, seek", &[0], ctr, |ctr, _, _| ctr.seek(777));
    found.look("CTR, much used, seek", &[100, 700], used, |ctr, data, _| {
        ctr.seek(70_003);
        ctr.apply(data).unwrap();
    });
    found.look("CTR, again", &[0], ctr, |ctr, _, _| {
        ctr.restart(&[3; 16]).unwrap()
    });
    found.look(
        "CTR, key",
        &[0],
        |key| (key.to_vec(), ctr(&[9; 16])),
        |(key, ctr), _, _| ctr.rekey(key, &[8; 16]).unwrap(),
    );
    found.look(
        "CTR, dropped",
        &[100],
        |key| Some(ctr(key)),
        |ctr, data, _| {
            ctr.as_mut().unwrap().apply(data).unwrap();
            *ctr = None;
        },
    );
}

/// A stream that has rounds ahead where there are any.
fn used(mut ctr: Ctr) -> Ctr {
    ctr.apply(&mut vec![0; 200_000]).unwrap();
    ctr
}
