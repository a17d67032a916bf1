//! What a program relies on of the block modes, by every implementation that this processor can run: the same
//! answer as the portable code for every length, in place and apart, and nothing written elsewhere.

mod common;

use ciphertune::{
    Cbc, CbcMany, Cfb, Cfb8, Cmac, CmacStream, Ctr, Ecb, Error, Feedback, Implementation, Message, Ofb, Xts,
};

use common::{available, bytes};

type Iv = [u8; 16];
type Apart = Box<dyn Fn(&mut Iv, &[u8], &mut [u8])>;
type Inside = Box<dyn Fn(&mut Iv, &mut [u8])>;

/// A mode under one key; XTS takes the IV for the number of its data unit.
struct Mode {
    name: &'static str,
    allowed: fn(usize) -> bool,
    encrypt: Inside,
    encrypt_to: Apart,
    decrypt: Inside,
    decrypt_to: Apart,
}

macro_rules! mode {
    ($name:literal, $allowed:expr, $make:expr, |$cipher:ident, $iv:ident, $data:ident, $output:ident|
     $encrypt:expr, $encrypt_to:expr, $decrypt:expr, $decrypt_to:expr) => {
        Mode {
            name: $name,
            allowed: $allowed,
            encrypt: {
                let $cipher = $make.unwrap();
                Box::new(move |$iv, $data| $encrypt)
            },
            encrypt_to: {
                let $cipher = $make.unwrap();
                Box::new(move |$iv, $data, $output| $encrypt_to)
            },
            decrypt: {
                let $cipher = $make.unwrap();
                Box::new(move |$iv, $data| $decrypt)
            },
            decrypt_to: {
                let $cipher = $make.unwrap();
                Box::new(move |$iv, $data, $output| $decrypt_to)
            },
        }
    };
}

/// Runs a part of a message from `iv` on, which becomes the block where it stands.
fn from(iv: &mut Iv, run: impl FnOnce(&mut Feedback)) {
    let mut at = Feedback::new(*iv);
    run(&mut at);
    *iv = *at.block();
}

fn modes(implementation: Implementation, key_len: usize) -> Vec<Mode> {
    let key = &bytes(key_len as u64, key_len)[..];
    let mut modes = vec![
        mode!(
            "ECB",
            |n| n % 16 == 0,
            Ecb::with_implementation(implementation, key),
            |c, _iv, i, o| c.encrypt(i).unwrap(),
            c.encrypt_to(i, o).unwrap(),
            c.decrypt(i).unwrap(),
            c.decrypt_to(i, o).unwrap()
        ),
        mode!(
            "CBC",
            |n| n % 16 == 0,
            Cbc::with_implementation(implementation, key),
            |c, iv, i, o| c.encrypt(iv, i).unwrap(),
            c.encrypt_to(iv, i, o).unwrap(),
            c.decrypt(iv, i).unwrap(),
            c.decrypt_to(iv, i, o).unwrap()
        ),
        mode!(
            "CFB",
            |_| true,
            Cfb::with_implementation(implementation, key),
            |c, iv, i, o| from(iv, |at| c.encrypt(at, i)),
            from(iv, |at| c.encrypt_to(at, i, o).unwrap()),
            from(iv, |at| c.decrypt(at, i)),
            from(iv, |at| c.decrypt_to(at, i, o).unwrap())
        ),
        mode!(
            "OFB",
            |n| n <= 400,
            Ofb::with_implementation(implementation, key),
            |c, iv, i, o| from(iv, |at| c.apply(at, i)),
            from(iv, |at| c.apply_to(at, i, o).unwrap()),
            from(iv, |at| c.apply(at, i)),
            from(iv, |at| c.apply_to(at, i, o).unwrap())
        ),
        mode!(
            "CFB-8",
            |n| n <= 200,
            Cfb8::with_implementation(implementation, key),
            |c, iv, i, o| c.encrypt(iv, i),
            c.encrypt_to(iv, i, o).unwrap(),
            c.decrypt(iv, i),
            c.decrypt_to(iv, i, o).unwrap()
        ),
    ];
    if key_len != 24 {
        let keys = &bytes(key_len as u64, 2 * key_len)[..];
        modes.push(mode!(
            "XTS",
            |n| n >= 16,
            Xts::with_implementation(implementation, keys),
            |c, iv, i, o| c.encrypt(u128::from_le_bytes(*iv), i).unwrap(),
            c.encrypt_to(u128::from_le_bytes(*iv), i, o).unwrap(),
            c.decrypt(u128::from_le_bytes(*iv), i).unwrap(),
            c.decrypt_to(u128::from_le_bytes(*iv), i, o).unwrap()
        ));
    }
    modes
}

/// Bytes around each buffer that must stay as they are.
const MARGIN: usize = 64;

/// Runs one direction in place and apart and answers what both give, output and IV.
fn both(inside: &Inside, apart: &Apart, iv: Iv, input: &[u8], offset: usize) -> (Vec<u8>, Iv) {
    let room = |fill: &[u8]| {
        let mut room = vec![0xa5; MARGIN + offset];
        room.extend_from_slice(fill);
        room.extend_from_slice(&[0xa5; MARGIN]);
        room
    };
    let span = MARGIN + offset..MARGIN + offset + input.len();
    let check = |room: &[u8]| {
        let margins = room[..span.start].iter().chain(&room[span.end..]);
        assert!(
            margins.copied().all(|byte| byte == 0xa5),
            "wrote outside, {} bytes",
            input.len()
        );
    };

    let mut data = room(input);
    let mut iv_inside = iv;
    inside(&mut iv_inside, &mut data[span.clone()]);
    check(&data);

    let from = room(input);
    let mut to = room(&vec![0; input.len()]);
    let mut iv_apart = iv;
    apart(&mut iv_apart, &from[span.clone()], &mut to[span.clone()]);
    check(&to);
    assert_eq!(from, room(input), "the input was written to");
    assert!(to == data, "in place differs from apart, {} bytes", input.len());
    assert_eq!(iv_inside, iv_apart);
    (data[span].to_vec(), iv_inside)
}

#[test]
fn every_length_as_the_portable_code() {
    let longest = 2100;
    let input = bytes(1, longest);
    let iv: Iv = bytes(2, 16).try_into().unwrap();
    for key_len in [16, 24, 32] {
        let others: Vec<_> = available()
            .filter(|i| *i != Implementation::PORTABLE)
            .map(|i| (i, modes(i, key_len)))
            .collect();
        for (m, portable) in modes(Implementation::PORTABLE, key_len).iter().enumerate() {
            for len in (0..=longest).filter(|&len| (portable.allowed)(len)) {
                let input = &input[..len];
                let (cipher, after) = both(&portable.encrypt, &portable.encrypt_to, iv, input, 0);
                let (plain, after_plain) = both(&portable.decrypt, &portable.decrypt_to, iv, &cipher, 0);
                assert!(plain == input, "{}, {len} bytes: not undone", portable.name);
                assert_eq!(after, after_plain, "{}, {len} bytes", portable.name);
                for (implementation, modes) in &others {
                    let what = format!(
                        "{} of {key_len}-byte keys, {len} bytes, {implementation:?}",
                        portable.name
                    );
                    let mode = &modes[m];
                    let found = both(&mode.encrypt, &mode.encrypt_to, iv, input, len % 63);
                    assert!(found == (cipher.clone(), after), "encrypt: {what}");
                    let found = both(&mode.decrypt, &mode.decrypt_to, iv, &cipher, len % 61);
                    assert!(found == (plain.clone(), after), "decrypt: {what}");
                }
            }
        }
    }
}

#[test]
fn long_messages_as_the_portable_code() {
    let iv: Iv = bytes(3, 16).try_into().unwrap();
    for key_len in [16, 24, 32] {
        for len in [4096, 16_384 - 16, 65_536 + 16, 65_536 + 17] {
            let input = bytes(len as u64, len);
            for implementation in available() {
                for (portable, mode) in modes(Implementation::PORTABLE, key_len)
                    .iter()
                    .zip(modes(implementation, key_len))
                    .filter(|(portable, _)| (portable.allowed)(len))
                {
                    let cipher = both(&portable.encrypt, &portable.encrypt_to, iv, &input, 0);
                    let found = both(&mode.encrypt, &mode.encrypt_to, iv, &input, 5);
                    assert!(found == cipher, "{} {len} {implementation:?}", mode.name);
                    let found = both(&mode.decrypt, &mode.decrypt_to, iv, &cipher.0, 5);
                    assert!(found.0 == input, "{} {len} {implementation:?}", mode.name);
                }
            }
        }
    }
}

#[test]
fn a_message_goes_on() {
    let input = bytes(4, 1600);
    let first: Iv = bytes(5, 16).try_into().unwrap();
    for implementation in available() {
        for mode in modes(implementation, 16).iter().filter(|mode| mode.name != "XTS") {
            let (mut whole, mut iv) = (input.clone(), first);
            (mode.encrypt)(&mut iv, &mut whole);
            let (mut pieces, mut iv) = (input.clone(), first);
            let mut rest = &mut pieces[..];
            for len in [16, 0, 32, 528, 1024] {
                let (now, later) = rest.split_at_mut(len);
                (mode.encrypt)(&mut iv, now);
                rest = later;
            }
            assert!(pieces == whole, "{} {implementation:?}", mode.name);
            let mut iv = first;
            let (start, end) = pieces.split_at_mut(784);
            (mode.decrypt)(&mut iv, start);
            (mode.decrypt)(&mut iv, end);
            assert!(pieces == input, "{} {implementation:?}", mode.name);
        }
    }
}

/// CFB and OFB in parts of any lengths; a message goes on from the block and the number that another kept of it.
#[test]
fn feedback_in_any_parts() {
    let input = bytes(9, 1200);
    for implementation in available() {
        let key = bytes(10, 24);
        let cfb = Cfb::with_implementation(implementation, &key).unwrap();
        let ofb = Ofb::with_implementation(implementation, &key).unwrap();
        type Run<'a> = &'a dyn Fn(&mut Feedback, &mut [u8]);
        let runs: [(&str, Run<'_>); 3] = [
            ("CFB", &|at, data| cfb.encrypt(at, data)),
            ("CFB back", &|at, data| cfb.decrypt(at, data)),
            ("OFB", &|at, data| ofb.apply(at, data)),
        ];
        for (name, run) in runs {
            let mut whole = input.clone();
            run(&mut Feedback::new([3; 16]), &mut whole);
            for step in (1..70).chain([100, 128, 257, 600]) {
                let (mut parts, mut at) = (input.clone(), Feedback::new([3; 16]));
                for (i, part) in parts.chunks_mut(step).enumerate() {
                    assert_eq!(at.used(), i * step % 16);
                    run(&mut at, part);
                    run(&mut at, &mut []);
                    at = Feedback::resume(*at.block(), at.used());
                }
                assert!(parts == whole, "{name} in steps of {step}, {implementation:?}");
            }
        }
    }
}

/// Decryption by bytes takes each length by vectors of its own, and its batches hand on what precedes them. What is
/// decrypted was encrypted a byte at a time.
#[test]
fn cfb_by_bytes_of_any_length_in_any_parts() {
    let (input, first) = (bytes(13, 300), [7; 16]);
    let by_bytes = |implementation| {
        let mode = modes(implementation, 24)
            .into_iter()
            .find(|mode| mode.name == "CFB-8");
        mode.expect("a mode of all implementations")
    };
    let (mut cipher, mut iv) = (input.clone(), first);
    let portable = by_bytes(Implementation::PORTABLE);
    for byte in cipher.chunks_mut(1) {
        (portable.encrypt)(&mut iv, byte);
    }
    let known = [&first[..], &cipher].concat();
    for implementation in available() {
        let cfb = by_bytes(implementation);
        for len in 0..=input.len() {
            for offset in [0, 1, 13, 32] {
                let (plain, iv) = both(&cfb.decrypt, &cfb.decrypt_to, first, &cipher[..len], offset);
                assert!(plain == input[..len], "{len} bytes, {implementation:?}");
                assert!(
                    iv == known[len..][..16],
                    "IV after {len} bytes, {implementation:?}"
                );
            }
        }
        // Parts of one length, and parts of two in turn.
        for (step, other) in (1..=70).flat_map(|step| [(step, step), (step, 33)]) {
            let (mut parts, mut iv) = (cipher.clone(), first);
            let mut rest = &mut parts[..];
            for len in [step, other].into_iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (now, later) = rest.split_at_mut(len.min(rest.len()));
                (cfb.decrypt)(&mut iv, now);
                rest = later;
            }
            assert!(
                parts == input && iv == known[300..],
                "in steps of {step} and {other}, {implementation:?}"
            );
        }
    }
}

#[test]
fn cmac_in_any_parts() {
    let message = bytes(11, 700);
    for implementation in available() {
        let cmac = Cmac::with_implementation(implementation, &bytes(12, 16)).unwrap();
        let mut stream = CmacStream::new(cmac.clone());
        for len in (0..100).chain([256, 699]) {
            let (message, tag) = (&message[..len], cmac.tag(&message[..len]));
            for step in [1, 3, 15, 16, 17, 32, 40, 64, 500] {
                let what = || format!("{len} bytes in steps of {step}, {implementation:?}");
                for part in message.chunks(step) {
                    stream.update(part);
                    stream.update(&[]);
                }
                let mut clone = stream.clone();
                assert_eq!(stream.finish(), tag, "{}", what());
                assert_eq!(clone.verify(&tag[..7]), Err(Error::CmacTagLength(7)));
                assert_eq!(clone.verify(&tag[..8]), Ok(()), "{}", what());
                clone.update(b"other");
                assert_eq!(clone.verify(&tag), Err(Error::WrongTag));
            }
        }
    }
}

/// Numbers of messages around every number of lanes, and lengths that end in every order.
#[test]
fn many_messages_as_one_by_one() {
    for implementation in available() {
        for key_len in [16, 24, 32] {
            let key = bytes(6, key_len);
            let one = Cbc::with_implementation(implementation, &key).unwrap();
            let many = CbcMany::with_implementation(implementation, &key).unwrap();
            let cmac = Cmac::with_implementation(implementation, &key).unwrap();
            let lengths: [fn(usize) -> usize; 9] = [
                |_| 1024,
                |_| 16,
                |i| 16 * (i * 5 % 2),
                |i| 16 * (i * 5 % 3),
                |i| 16 * i,
                |i| 16 * (100 - i),
                |i| 16 * (i * 7919 % 23),
                |i| 16 * (i % 9 + 1),
                |i| if i % 31 == 0 { 3200 } else { 48 },
            ];
            for count in [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 18, 31, 32, 33, 70] {
                for (l, length) in lengths.iter().enumerate() {
                    let what =
                        format!("{count} messages of lengths {l}, {key_len}-byte key, {implementation:?}");
                    let texts: Vec<_> = (0..count).map(|i| bytes(i as u64, length(i))).collect();
                    let ivs: Vec<Iv> = (0..count)
                        .map(|i| bytes(!i as u64, 16).try_into().unwrap())
                        .collect();
                    let mut expected = texts.clone();
                    let mut after = ivs.clone();
                    for (text, iv) in expected.iter_mut().zip(&mut after) {
                        one.encrypt(iv, text).unwrap();
                    }

                    let mut inside = texts.clone();
                    let messages = inside.iter_mut().zip(&ivs);
                    let mut messages: Vec<_> = messages
                        .map(|(text, &iv)| Message {
                            iv,
                            data: text.as_mut_slice().into(),
                        })
                        .collect();
                    many.encrypt(&mut messages).unwrap();
                    let found: Vec<_> = messages.iter().map(|message| message.iv).collect();
                    assert!(found == after && inside == expected, "in place: {what}");

                    let mut apart: Vec<_> = texts.iter().map(|text| vec![0; text.len()]).collect();
                    let mut messages: Vec<_> = (texts.iter().zip(&mut apart).zip(&ivs))
                        .map(|((text, to), &iv)| Message {
                            iv,
                            data: inout::InOutBuf::new(text, to).unwrap(),
                        })
                        .collect();
                    many.encrypt(&mut messages).unwrap();
                    assert!(apart == expected, "apart: {what}");

                    // Of lengths that are no whole blocks as well.
                    let texts: Vec<_> = texts
                        .iter()
                        .zip(0..)
                        .map(|(t, i)| &t[..t.len().saturating_sub(i % 17)])
                        .collect();
                    let mut tags = vec![[7; 16]; count];
                    cmac.tags(&texts, &mut tags).unwrap();
                    let expected: Vec<_> = texts.iter().map(|text| cmac.tag(text)).collect();
                    assert!(tags == expected, "CMAC: {what}");
                }
            }
        }
    }
}

/// As above, and keys of every size: one for all, a few, one for each, and one that comes back.
#[test]
fn many_messages_with_keys_of_their_own_as_one_by_one() {
    let lengths: [fn(usize) -> usize; 6] = [
        |_| 1024,
        |_| 16,
        |i| 16 * (i % 2),
        |i| 16 * (i * 5 % 4),
        |i| 16 * (i * 7919 % 23),
        |i| if i % 31 == 0 { 3200 } else { 48 },
    ];
    let owners: [fn(usize) -> usize; 5] = [|_| 1, |i| i % 2 * 3, |i| i, |i| i / 5 * 3, |i| i * 7919 % 5];
    let keys: Vec<_> = (0..70).map(|i| bytes(i, 16 + i as usize % 3 * 8)).collect();
    for implementation in available() {
        let single = keys
            .iter()
            .map(|key| Cbc::with_implementation(implementation, key));
        let single: Vec<_> = single.map(Result::unwrap).collect();
        let cbcs = keys
            .iter()
            .map(|key| CbcMany::with_implementation(implementation, key));
        let cbcs: Vec<_> = cbcs.map(Result::unwrap).collect();
        let cmacs = keys
            .iter()
            .map(|key| Cmac::with_implementation(implementation, key));
        let cmacs: Vec<_> = cmacs.map(Result::unwrap).collect();
        for count in [0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 32, 33, 70] {
            for (l, length) in lengths.iter().enumerate() {
                for (o, owner) in owners.iter().enumerate() {
                    let what = format!("{count} messages of lengths {l} under keys {o}, {implementation:?}");
                    let texts: Vec<_> = (0..count).map(|i| bytes(i as u64, length(i))).collect();
                    let mut expected = texts.clone();
                    let mut after: Vec<Iv> = (0..count).map(|i| [i as u8; 16]).collect();
                    for (i, (text, iv)) in expected.iter_mut().zip(&mut after).enumerate() {
                        single[owner(i)].encrypt(iv, text).unwrap();
                    }
                    let mut inside = texts.clone();
                    let messages = inside.iter_mut().enumerate().map(|(i, text)| {
                        let (iv, data) = ([i as u8; 16], text.as_mut_slice().into());
                        (&cbcs[owner(i)], Message { iv, data })
                    });
                    let mut messages: Vec<_> = messages.collect();
                    CbcMany::encrypt_each(&mut messages).unwrap();
                    let found: Vec<_> = messages.iter().map(|(_, message)| message.iv).collect();
                    assert!(found == after && inside == expected, "{what}");

                    let texts = (0..).zip(&texts).map(|(i, text)| {
                        let len = text.len().saturating_sub(i % 17);
                        (&cmacs[owner(i)], &text[..len])
                    });
                    let texts: Vec<_> = texts.collect();
                    let mut tags = vec![[7; 16]; count];
                    Cmac::tags_each(&texts, &mut tags).unwrap();
                    let expected: Vec<_> = texts.iter().map(|(cmac, text)| cmac.tag(text)).collect();
                    assert!(tags == expected, "CMAC: {what}");
                }
            }
        }
    }
}

/// Each goes by its own implementation, of either layout.
#[test]
fn keys_of_their_own_by_implementations_of_their_own() {
    let implementations: Vec<_> = available().collect();
    let of = |i: usize| implementations[i % implementations.len()];
    let key = |i: usize| bytes(i as u64, 16 + i % 3 * 8);
    let mut texts: Vec<_> = (0..50).map(|i| bytes(i as u64, 16 * (i % 7))).collect();
    let mut expected = texts.clone();
    let cmacs: Vec<_> = (0..50)
        .map(|i| Cmac::with_implementation(of(i), &key(i)).unwrap())
        .collect();
    let messages: Vec<_> = cmacs.iter().zip(texts.iter().map(Vec::as_slice)).collect();
    let mut tags = vec![[7; 16]; 50];
    Cmac::tags_each(&messages, &mut tags).unwrap();
    for (i, text) in expected.iter_mut().enumerate() {
        assert_eq!(tags[i], Cmac::new(&key(i)).unwrap().tag(text));
        Cbc::new(&key(i)).unwrap().encrypt(&mut [3; 16], text).unwrap();
    }
    let cbcs: Vec<_> = (0..50)
        .map(|i| CbcMany::with_implementation(of(i), &key(i)).unwrap())
        .collect();
    let messages = cbcs.iter().zip(&mut texts).map(|(cbc, text)| {
        let data = text.as_mut_slice().into();
        (cbc, Message { iv: [3; 16], data })
    });
    CbcMany::encrypt_each(&mut messages.collect::<Vec<_>>()).unwrap();
    assert!(texts == expected);
}

#[test]
fn every_length_of_cmac_as_the_portable_code() {
    let message = bytes(7, 2100);
    for key_len in [16, 24, 32] {
        let key = bytes(8, key_len);
        let portable = Cmac::with_implementation(Implementation::PORTABLE, &key).unwrap();
        let others: Vec<_> = available()
            .map(|i| Cmac::with_implementation(i, &key).unwrap())
            .collect();
        for len in 0..message.len() {
            let tag = portable.tag(&message[..len]);
            for cmac in &others {
                assert_eq!(cmac.tag(&message[..len]), tag, "{len} bytes, {cmac:?}");
            }
        }
    }
}

#[test]
fn wrong_lengths_are_errors_and_change_nothing() {
    let (key, iv) = ([1; 16], [9; 16]);
    let (ecb, cbc) = (Ecb::new(&key).unwrap(), Cbc::new(&key).unwrap());
    for len in (0..100).filter(|len| len % 16 > 0) {
        let mut data = vec![3; len];
        let mut at = iv;
        assert_eq!(ecb.encrypt(&mut data), Err(Error::WholeBlocks(len)));
        assert_eq!(ecb.decrypt(&mut data), Err(Error::WholeBlocks(len)));
        assert_eq!(cbc.encrypt(&mut at, &mut data), Err(Error::WholeBlocks(len)));
        assert_eq!(cbc.decrypt(&mut at, &mut data), Err(Error::WholeBlocks(len)));
        let mut whole = [3; 16];
        let mut messages = [
            Message {
                iv,
                data: whole.as_mut_slice().into(),
            },
            Message {
                iv,
                data: data.as_mut_slice().into(),
            },
        ];
        let many = CbcMany::new(&key).unwrap();
        assert_eq!(many.encrypt(&mut messages), Err(Error::WholeBlocks(len)));
        let mut messages = messages.map(|message| (&many, message));
        assert_eq!(CbcMany::encrypt_each(&mut messages), Err(Error::WholeBlocks(len)));
        let messages = messages.map(|(_, message)| message);
        assert_eq!(messages[0].iv, iv);
        assert!(data.iter().chain(&whole).all(|&byte| byte == 3));
        assert_eq!(at, iv);
    }
    let mut output = [3; 32];
    let error = Err(Error::OutputLength {
        input: 16,
        output: 32,
    });
    assert_eq!(ecb.encrypt_to(&[0; 16], &mut output), error);
    assert_eq!(cbc.decrypt_to(&mut [0; 16], &[0; 16], &mut output), error);
    assert_eq!(
        Cfb::new(&key)
            .unwrap()
            .encrypt_to(&mut Feedback::new([0; 16]), &[0; 16], &mut output),
        error
    );
    let mut iv = [7; 16];
    let cfb8 = Cfb8::new(&key).unwrap();
    assert_eq!(cfb8.encrypt_to(&mut iv, &[0; 16], &mut output), error);
    assert_eq!(cfb8.decrypt_to(&mut iv, &[0; 16], &mut output), error);
    assert_eq!((iv, output), ([7; 16], [3; 32]));
    for len in (0..70).filter(|len| ![16, 24, 32].contains(len)) {
        assert_eq!(Cbc::new(&vec![0; len]).err(), Some(Error::KeyLength(len)));
        assert_eq!(Cmac::new(&vec![0; len]).err(), Some(Error::KeyLength(len)));
    }
}

#[test]
fn xts_guards_its_keys_and_units() {
    for len in (0..100).filter(|len| ![32, 64].contains(len)) {
        assert_eq!(Xts::new(&vec![0; len]).err(), Some(Error::XtsKeyLength(len)));
    }
    assert_eq!(Xts::new(&[5; 32]).err(), Some(Error::XtsKeyHalves));
    assert_eq!(Xts::new(&[5; 64]).err(), Some(Error::XtsKeyHalves));
    let mut key = [5; 64];
    key[63] = 4;
    let xts = Xts::new(&key).unwrap();
    for len in (0..16).chain([Xts::LONGEST + 1]) {
        let mut data = vec![3; len];
        assert_eq!(xts.encrypt(0, &mut data), Err(Error::XtsUnitLength(len)));
        assert_eq!(xts.decrypt(0, &mut data), Err(Error::XtsUnitLength(len)));
        assert!(data.iter().all(|&byte| byte == 3));
    }
    let mut longest = vec![3; Xts::LONGEST];
    xts.encrypt(1, &mut longest).unwrap();
    xts.decrypt(1, &mut longest).unwrap();
    assert!(longest.iter().all(|&byte| byte == 3));
}

#[test]
fn tags_are_checked() {
    let cmac = Cmac::new(&[1; 16]).unwrap();
    let tag = cmac.tag(b"message");
    for len in 0..=20 {
        let mut given = tag.to_vec();
        given.resize(len, 0);
        let expected = if (8..=16).contains(&len) {
            Ok(())
        } else {
            Err(Error::CmacTagLength(len))
        };
        assert_eq!(cmac.verify(b"message", &given), expected);
        for bit in (0..8 * len).filter(|_| expected.is_ok()) {
            given[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(cmac.verify(b"message", &given), Err(Error::WrongTag));
            given[bit / 8] ^= 1 << (bit % 8);
        }
    }
    let error = Err(Error::TagCount { messages: 1, tags: 0 });
    assert_eq!(cmac.tags(&[b"message"], &mut []), error);
}

/// A clone has the key and the place of the original, and neither needs the other afterwards.
#[test]
fn clones_stand_by_themselves() {
    let (key, double_key) = (bytes(1, 32), bytes(2, 64));
    for implementation in available() {
        let what = || format!("{implementation:?}");
        let data = bytes(3, 1600);

        let ctr = Ctr::with_implementation(implementation, &key, &[5; 16]).unwrap();
        let mut expected = data.clone();
        ctr.clone().apply(&mut expected).unwrap();
        for first in [0, 1, 30, 64, 1000] {
            let (mut original, mut cloned) = (data.clone(), data.clone());
            let mut ctr = ctr.clone();
            ctr.apply(&mut original[..first]).unwrap();
            let mut clone = ctr.clone();
            ctr.apply(&mut original[first..]).unwrap();
            drop(ctr);
            clone.apply(&mut cloned[first..]).unwrap();
            assert!(original == expected, "{}", what());
            assert!(cloned[first..] == expected[first..], "{}", what());
            assert_eq!(clone.position(), 1600);
        }
        // Long enough for what `-r2` makes ahead: first one round, then two.
        let mut ctr = ctr.clone();
        for _ in 0..2 {
            ctr.apply(&mut bytes(4, 20_000)).unwrap();
            let mut clone = ctr.clone();
            let (mut original, mut cloned) = (data.clone(), data.clone());
            ctr.apply(&mut original).unwrap();
            clone.apply(&mut cloned).unwrap();
            assert!(original == cloned, "{}", what());
        }

        macro_rules! check {
            ($cipher:expr, |$one:ident, $data:ident| $run:expr) => {{
                let cipher = $cipher.unwrap();
                let clone = cipher.clone();
                let (mut original, mut cloned) = (data.clone(), data.clone());
                let ($one, $data) = (&cipher, &mut original);
                $run;
                drop(cipher);
                let ($one, $data) = (&clone, &mut cloned);
                $run;
                assert!(original == cloned && original != data, "{}", what());
            }};
        }
        check!(Ecb::with_implementation(implementation, &key), |ecb, data| ecb
            .encrypt(data)
            .unwrap());
        check!(Cbc::with_implementation(implementation, &key), |cbc, data| cbc
            .decrypt(&mut [1; 16], data)
            .unwrap());
        check!(Cfb::with_implementation(implementation, &key), |cfb, data| cfb
            .encrypt(&mut Feedback::new([1; 16]), data));
        check!(Cfb8::with_implementation(implementation, &key), |cfb, data| cfb
            .decrypt(&mut [1; 16], data));
        check!(
            Xts::with_implementation(implementation, &double_key),
            |xts, data| xts.encrypt(9, data).unwrap()
        );
        check!(Cmac::with_implementation(implementation, &key), |cmac, data| {
            let tag = cmac.tag(data);
            data[..16].copy_from_slice(&tag);
        });
    }
}

#[test]
fn nothing_secret_is_shown() {
    let key = [0xab; 16];
    let mut halves = [0xab; 32];
    halves[0] = 0;
    for shown in [
        format!("{:?}", Ecb::new(&key).unwrap()),
        format!("{:?}", Cbc::new(&key).unwrap()),
        format!("{:?}", Cfb::new(&key).unwrap()),
        format!("{:?}", Cfb8::new(&key).unwrap()),
        format!("{:?}", Cmac::new(&key).unwrap()),
        format!("{:?}", Xts::new(&halves).unwrap()),
    ] {
        // The one name that has those letters.
        let shown = shown.replace("portable", "");
        assert!(!shown.contains("171") && !shown.contains("ab"), "{shown}");
    }
}

#[test]
fn tags_are_compared_whole() {
    let made: [u8; 16] = std::array::from_fn(|i| i as u8);
    for len in 8..=16 {
        assert_eq!(Cmac::compare(&made, &made[..len]), Ok(()));
        for bit in 0..8 * len {
            let mut wrong = made;
            wrong[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(
                Cmac::compare(&made, &wrong[..len]),
                Err(Error::WrongTag),
                "{len}, {bit}"
            );
        }
    }
    for len in [0, 7, 17] {
        assert_eq!(
            Cmac::compare(&made, &vec![0; len]),
            Err(Error::CmacTagLength(len))
        );
    }
}
