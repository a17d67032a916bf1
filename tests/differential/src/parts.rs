//! What the catalog's contracts have no place for: messages of GCM, CCM, OCB, CFB and CMAC in parts of any lengths, and
//! many messages of unequal lengths. All against the portable code, which is given each message whole and alone.
mod case;

use std::iter;

use case::{Placed, cases, cuts, many};
use ciphertune::{
    Cbc, CbcMany, Ccm, CcmStream, Cfb, Cfb8, Cmac, CmacStream, Error, Feedback, Gcm, GcmStream,
    Implementation, Message, Ocb, OcbStream,
};
use ciphertune_testkit::Random;
use inout::InOutBuf;

/// A mode by one implementation, with keys of so many bytes.
type Check = fn(Implementation, usize, u64) -> Result<(), String>;

/// Every one, by name.
pub const MODES: [(&str, Check); 7] = [
    ("GCM in parts", gcm),
    ("CCM in parts", ccm),
    ("OCB in parts", ocb),
    ("CFB in parts", cfb),
    ("CMAC in parts", cmac),
    ("CBC of unequal messages", cbc_of_many),
    ("CMAC of unequal messages", cmac_of_many),
];

/// Whether the implementation has code of its own for it: `-r2` has another CTR alone.
pub fn has(implementation: Implementation, mode: &str) -> bool {
    match mode.starts_with("GCM") {
        true => implementation.gcm().is_some(),
        false => !implementation.name().ends_with("-r2"),
    }
}

const PORTABLE: Implementation = Implementation::PORTABLE;

/// Sealed messages: in place and apart, there and back, with nonces of these lengths.
macro_rules! sealed {
    ($name:ident, $cipher:ident, $stream:ident, $unit:literal, $nonces:expr, |$at:ident, $case:ident| $start:expr) => {
        fn $name(implementation: Implementation, key_len: usize, seed: u64) -> Result<(), String> {
            let mut random = Random::new(seed);
            let key = random.bytes(key_len);
            let portable = &mut $cipher::with_implementation(PORTABLE, &key).map_err(words)?;
            let ours = $cipher::with_implementation(implementation, &key).map_err(words)?;
            let mut $at = $stream::new(ours);
            for $case in cases(&mut random, $nonces) {
                let (text, mut sealed) = (&$case.text, $case.text.clone());
                let tag = portable
                    .seal_in_place(&$case.nonce, &$case.aad, &mut sealed)
                    .map_err(words)?;
                for backward in [false, true] {
                    let turned: [&[u8]; 2] = if backward {
                        [&sealed, text]
                    } else {
                        [text, &sealed]
                    };
                    $start.map_err(words)?;
                    for part in cuts(&mut random, $case.aad.len(), 1) {
                        $at.aad(&$case.aad[part]).map_err(words)?;
                    }
                    $case.run(&mut random, $unit, turned, |input, output| {
                        match (input, backward) {
                            (None, false) => $at.encrypt(output),
                            (None, true) => $at.decrypt_unverified(output),
                            (Some(input), false) => $at.encrypt_to(input, output),
                            (Some(input), true) => $at.decrypt_unverified_to(input, output),
                        }
                    })?;
                    let verdict = match backward {
                        false => $at.finish().map(|made| *made == *tag),
                        true => $at.verify(&tag).map(|()| true),
                    };
                    if verdict != Ok(true) {
                        return Err($case.failure(&format!("tag: {verdict:?}")));
                    }
                }
            }
            Ok(())
        }
    };
}

sealed!(gcm, Gcm, GcmStream, 1, 1..=60, |stream, case| stream
    .start_again(&case.nonce));
sealed!(ocb, Ocb, OcbStream, 16, 1..=15, |stream, case| stream
    .start_again(&case.nonce));
sealed!(ccm, Ccm, CcmStream, 1, 7..=13, |stream, case| stream.start_again(
    &case.nonce,
    case.aad.len() as u64,
    case.text.len() as u64
));

/// CFB by blocks and by bytes, the latter of short messages: each byte takes a block.
fn cfb(implementation: Implementation, key_len: usize, seed: u64) -> Result<(), String> {
    let mut random = Random::new(seed);
    let key = random.bytes(key_len);
    let portable = Cfb::with_implementation(PORTABLE, &key).map_err(words)?;
    let ours = Cfb::with_implementation(implementation, &key).map_err(words)?;
    let portable_bytes = Cfb8::with_implementation(PORTABLE, &key).map_err(words)?;
    let our_bytes = Cfb8::with_implementation(implementation, &key).map_err(words)?;
    for mut case in cases(&mut random, 16..=16) {
        let iv = *case.nonce.first_chunk().expect("sixteen bytes");
        let mut made = case.text.clone();
        portable.encrypt(&mut Feedback::new(iv), &mut made);
        let mut at = Feedback::new(iv);
        case.run(&mut random, 1, [&case.text, &made], |input, output| match input {
            None => {
                ours.encrypt(&mut at, output);
                Ok(())
            }
            Some(input) => ours.encrypt_to(&mut at, input, output),
        })?;
        at = Feedback::new(iv);
        case.run(&mut random, 1, [&made, &case.text], |input, output| match input {
            None => {
                ours.decrypt(&mut at, output);
                Ok(())
            }
            Some(input) => ours.decrypt_to(&mut at, input, output),
        })?;

        case.text.truncate(300);
        let mut made = case.text.clone();
        portable_bytes.encrypt(&mut iv.clone(), &mut made);
        let mut state = iv;
        case.run(&mut random, 1, [&case.text, &made], |input, output| match input {
            None => {
                our_bytes.encrypt(&mut state, output);
                Ok(())
            }
            Some(input) => our_bytes.encrypt_to(&mut state, input, output),
        })?;
        state = iv;
        case.run(&mut random, 1, [&made, &case.text], |input, output| match input {
            None => {
                our_bytes.decrypt(&mut state, output);
                Ok(())
            }
            Some(input) => our_bytes.decrypt_to(&mut state, input, output),
        })?;
    }
    Ok(())
}

fn cmac(implementation: Implementation, key_len: usize, seed: u64) -> Result<(), String> {
    let mut random = Random::new(seed);
    let key = random.bytes(key_len);
    let portable = Cmac::with_implementation(PORTABLE, &key).map_err(words)?;
    let mut stream = CmacStream::new(Cmac::with_implementation(implementation, &key).map_err(words)?);
    for case in cases(&mut random, 0..=0) {
        let placed = Placed::new(&mut random, &case.text);
        for part in cuts(&mut random, case.text.len(), 1) {
            stream.update(&placed.message()[part]);
        }
        if stream.finish() != portable.tag(&case.text) {
            return Err(case.failure("tag"));
        }
    }
    Ok(())
}

fn cmac_of_many(implementation: Implementation, key_len: usize, seed: u64) -> Result<(), String> {
    let mut random = Random::new(seed);
    let key = random.bytes(key_len);
    let portable = Cmac::with_implementation(PORTABLE, &key).map_err(words)?;
    let ours = Cmac::with_implementation(implementation, &key).map_err(words)?;
    let keys: Vec<_> = (0..OTHERS).map(|i| random.bytes(16 + 8 * (i % 3))).collect();
    let made = |with| {
        keys.iter()
            .map(move |key| Cmac::with_implementation(with, key).map_err(words))
    };
    let others = made(PORTABLE)
        .zip(made(implementation))
        .map(|(theirs, ours)| Ok((theirs?, ours?)));
    let others = others.collect::<Result<Vec<_>, String>>()?;
    for case in cases(&mut random, 0..=0) {
        let parts = many(&mut random, case.text.len(), 1);
        let messages: Vec<&[u8]> = parts.iter().map(|part| &case.text[part.clone()]).collect();
        let mut tags = vec![[0; 16]; messages.len()];
        ours.tags(&messages, &mut tags).map_err(words)?;
        let wrong = iter::zip(&messages, &tags).position(|(message, tag)| portable.tag(message) != *tag);
        if let Some(wrong) = wrong {
            return Err(case.failure(&format!("tag of message {wrong} of {parts:?}")));
        }
        let owners: Vec<_> = messages
            .iter()
            .map(|_| &others[random.up_to(OTHERS - 1)])
            .collect();
        let messages: Vec<_> = iter::zip(&owners, messages)
            .map(|((_, ours), message)| (ours, message))
            .collect();
        Cmac::tags_each(&messages, &mut tags).map_err(words)?;
        let right = iter::zip(&owners, &messages).map(|((theirs, _), (_, message))| theirs.tag(message));
        if let Some(wrong) = iter::zip(right, &tags).position(|(right, tag)| right != *tag) {
            return Err(case.failure(&format!(
                "tag of message {wrong} of {parts:?} under keys of their own"
            )));
        }
    }
    Ok(())
}

/// How many keys there are where messages have keys of their own.
const OTHERS: usize = 9;

fn cbc_of_many(implementation: Implementation, key_len: usize, seed: u64) -> Result<(), String> {
    let mut random = Random::new(seed);
    let key = random.bytes(key_len);
    let portable = Cbc::with_implementation(PORTABLE, &key).map_err(words)?;
    let ours = CbcMany::with_implementation(implementation, &key).map_err(words)?;
    let keys: Vec<_> = (0..OTHERS).map(|i| random.bytes(16 + 8 * (i % 3))).collect();
    let others = keys.iter().map(|key| {
        let theirs = Cbc::with_implementation(PORTABLE, key).map_err(words)?;
        Ok((
            theirs,
            CbcMany::with_implementation(implementation, key).map_err(words)?,
        ))
    });
    let others = others.collect::<Result<Vec<_>, String>>()?;
    for mut case in cases(&mut random, 16..=16) {
        case.text.truncate(case.text.len() / 16 * 16);
        let parts = many(&mut random, case.text.len(), 16);
        let ivs: Vec<[u8; 16]> = parts
            .iter()
            .map(|_| *random.bytes(16).first_chunk().expect("sixteen bytes"))
            .collect();
        let mut expected = case.text.clone();
        let mut expected_each = case.text.clone();
        let owners: Vec<_> = parts.iter().map(|_| &others[random.up_to(OTHERS - 1)]).collect();
        for ((part, iv), (other, _)) in parts.iter().zip(&ivs).zip(&owners) {
            portable
                .encrypt(&mut iv.clone(), &mut expected[part.clone()])
                .map_err(words)?;
            other
                .encrypt(&mut iv.clone(), &mut expected_each[part.clone()])
                .map_err(words)?;
        }
        for (apart, each) in [(false, false), (true, false), (false, true), (true, true)] {
            let input = Placed::new(&mut random, &case.text);
            let mut output = Placed::new(&mut random, &case.text);
            let mut rest = output.message_mut();
            let mut messages = Vec::new();
            for (part, &iv) in iter::zip(&parts, &ivs) {
                let (now, later) = rest.split_at_mut(part.len());
                let data = match apart {
                    false => now.into(),
                    true => InOutBuf::new(&input.message()[part.clone()], now).expect("as long"),
                };
                messages.push(Message { iv, data });
                rest = later;
            }
            if each {
                let messages = iter::zip(&owners, messages).map(|((_, ours), message)| (ours, message));
                CbcMany::encrypt_each(&mut messages.collect::<Vec<_>>()).map_err(words)?;
            } else {
                ours.encrypt(&mut messages).map_err(words)?;
            }
            output
                .check(if each { &expected_each } else { &expected })
                .map_err(|why| case.failure(&format!("{parts:?}: {why}")))?;
        }
    }
    Ok(())
}

fn words(error: Error) -> String {
    error.to_string()
}
