//! Modes that authenticate nothing, but for CTR.

use ciphertune::{
    Cbc, CbcMany, Cfb, Cfb8, Ecb, Feedback, Implementation, Message, Ofb, Rijndael192, Rijndael256, Xts,
};

use crate::{LENGTHS, common::bytes, contexts, keyed, painted::Found};

pub fn look(found: &mut Found, implementation: Implementation) {
    let blocks = LENGTHS.map(|length| length / 16 * 16);
    contexts!(found, implementation; Ecb Cbc Cfb Cfb8 Ofb);
    let ecb = keyed!(Ecb, implementation);
    found.look("ECB, encrypted", &blocks, ecb, |ecb, data, _| {
        ecb.encrypt(data).unwrap()
    });
    found.look("ECB, decrypted", &blocks, ecb, |ecb, data, _| {
        ecb.decrypt(data).unwrap()
    });
    let cbc = keyed!(Cbc, implementation);
    found.look("CBC, encrypted", &blocks, cbc, |cbc, data, _| {
        cbc.encrypt(&mut [5; 16], data).unwrap()
    });
    found.look("CBC, decrypted", &blocks, cbc, |cbc, data, _| {
        cbc.decrypt(&mut [5; 16], data).unwrap()
    });
    let cfb = keyed!(Cfb, implementation);
    let at = || Feedback::new([5; 16]);
    found.look("CFB, encrypted", &LENGTHS, cfb, |cfb, data, _| {
        cfb.encrypt(&mut at(), data)
    });
    found.look("CFB, decrypted", &LENGTHS, cfb, |cfb, data, _| {
        cfb.decrypt(&mut at(), data)
    });
    let cfb8 = keyed!(Cfb8, implementation);
    found.look("CFB-8, encrypted", &LENGTHS[..9], cfb8, |cfb8, data, _| {
        cfb8.encrypt(&mut [5; 16], data)
    });
    found.look("CFB-8, decrypted", &LENGTHS[..9], cfb8, |cfb8, data, _| {
        cfb8.decrypt(&mut [5; 16], data)
    });
    found.look("CFB, encrypted in parts", &[6000], cfb, |cfb, data, _| {
        let mut at = at();
        data.chunks_mut(37).for_each(|part| cfb.encrypt(&mut at, part));
    });
    found.look("CFB, decrypted in parts", &[6000], cfb, |cfb, data, _| {
        let mut at = at();
        data.chunks_mut(37).for_each(|part| cfb.decrypt(&mut at, part));
    });
    let ofb = keyed!(Ofb, implementation);
    found.look("OFB in parts", &[6000], ofb, |ofb, data, _| {
        let mut at = at();
        data.chunks_mut(37).for_each(|part| ofb.apply(&mut at, part));
    });
    found.look("OFB", &LENGTHS, ofb, |ofb, data, _| ofb.apply(&mut at(), data));
    look_at_xts(found, implementation);
    look_at_many(found, implementation, &blocks);
}

fn look_at_xts(found: &mut Found, implementation: Implementation) {
    if found.key_len == 24 {
        return;
    }
    let units = LENGTHS.map(|length| length.max(16));
    let both = |key: &[u8]| [key.to_vec(), key.iter().rev().copied().collect()].concat();
    let xts = |key: &[u8]| Xts::with_implementation(implementation, &both(key)).unwrap();
    let key = |key: &[u8]| (both(key), None);
    found.look("XTS, made", &[0], key, |(both, place), _, _| {
        *place = Some(Xts::with_implementation(implementation, both).unwrap());
    });
    let other = |key: &[u8]| (both(key), xts(&bytes(9, key.len())));
    found.look("XTS, key", &[0], other, |(both, xts), _, _| {
        xts.rekey(both).unwrap()
    });
    found.look("XTS, encrypted", &units, xts, |xts, data, _| {
        xts.encrypt(3, data).unwrap()
    });
    found.look("XTS, decrypted", &units, xts, |xts, data, _| {
        xts.decrypt(3, data).unwrap()
    });
}

fn look_at_many(found: &mut Found, implementation: Implementation, blocks: &[usize]) {
    let many = keyed!(CbcMany, implementation);
    fn message(data: &mut [u8]) -> Message<'_, '_> {
        Message {
            iv: [5; 16],
            data: data.into(),
        }
    }
    found.look("CBC of many", blocks, many, |cbc, data, _| {
        let mut messages: Vec<_> = data.chunks_mut(160).map(message).collect();
        cbc.encrypt(&mut messages).unwrap();
    });
    found.look("CBC of many, a key each", blocks, many, |cbc, data, _| {
        let messages = data.chunks_mut(160).map(message);
        let mut messages: Vec<_> = messages.map(|message| (&*cbc, message)).collect();
        CbcMany::encrypt_each(&mut messages).unwrap();
    });
}

pub fn look_at_rijndael(found: &mut Found) {
    macro_rules! of {
        ($type:ident, $block:literal) => {
            let make = |key: &[u8]| $type::new(key).unwrap();
            let lengths = [$block, 10 * $block];
            let name = stringify!($type);
            found.look(
                format!("{name}, encrypted"),
                &lengths,
                make,
                |cipher, data, _| cipher.cbc_encrypt(&mut [5; $block], data).unwrap(),
            );
            found.look(
                format!("{name}, decrypted"),
                &lengths,
                make,
                |cipher, data, _| cipher.cbc_decrypt(&mut [5; $block], data).unwrap(),
            );
            for segment in [1, 3, $block] {
                let what = format!("{name}, CFB of {segment} bytes");
                found.look(
                    format!("{what} encrypted"),
                    &[6 * $block],
                    make,
                    |cipher, data, _| cipher.cfb_encrypt(&mut [5; $block], segment, data).unwrap(),
                );
                found.look(
                    format!("{what} decrypted"),
                    &[6 * $block],
                    make,
                    |cipher, data, _| cipher.cfb_decrypt(&mut [5; $block], segment, data).unwrap(),
                );
            }
            let key = |key: &[u8]| (key.to_vec(), None);
            found.look(format!("{name}, made"), &[0], key, |(key, place), _, _| {
                *place = Some(make(key))
            });
        };
    }
    of!(Rijndael192, 24);
    of!(Rijndael256, 32);
}
