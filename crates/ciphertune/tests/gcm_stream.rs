//! What a program relies on of [`GcmStream`], by every implementation that this processor can run: whatever the parts,
//! what the whole would give.

mod common;

use ciphertune::{Error, Gcm, GcmStream, Implementation};

use common::{Random, bytes, with_gcm};

/// A message's parts, of lengths around `about`, some of them empty.
fn parts(len: usize, about: usize, random: &mut Random) -> Vec<usize> {
    let mut left = len;
    let mut parts = Vec::new();
    while left > 0 {
        let part = random.below(2 * about + 1).min(left);
        parts.push(part);
        left -= part;
    }
    parts
}

struct Case {
    nonce: Vec<u8>,
    aad: Vec<u8>,
    plain: Vec<u8>,
    cipher: Vec<u8>,
    tag: Vec<u8>,
}

impl Case {
    fn new(portable: &mut Gcm, len: usize, aad_len: usize, nonce_len: usize) -> Self {
        let seed = (len * 31 + aad_len) as u64;
        let (nonce, aad, plain) = (
            bytes(seed, nonce_len),
            bytes(!seed, aad_len),
            bytes(seed + 1, len),
        );
        let mut cipher = plain.clone();
        let tag = portable.seal_in_place(&nonce, &aad, &mut cipher).unwrap();
        Self {
            nonce,
            aad,
            plain,
            cipher,
            tag: tag.to_vec(),
        }
    }

    /// Both directions, in place and apart, in parts of lengths around `about`.
    fn check(&self, stream: &mut GcmStream, about: usize, random: &mut Random, what: &str) {
        let len = self.plain.len();
        let aad_parts = parts(self.aad.len(), about, random);
        let parts = parts(len, about, random);
        let what = || format!("{what}, {len} bytes in {parts:?}, aad in {aad_parts:?}");
        for apart in [false, true] {
            for decrypt in [false, true] {
                let (from, to) = if decrypt {
                    (&self.cipher, &self.plain)
                } else {
                    (&self.plain, &self.cipher)
                };
                stream.start_again(&self.nonce).unwrap();
                let mut at = 0;
                for part in &aad_parts {
                    stream.aad(&self.aad[at..at + part]).unwrap();
                    at += part;
                }
                // Guard bytes on both sides.
                let before = len % 64;
                let mut data = vec![0xa5; before + len + 64];
                let mut at = 0;
                for part in &parts {
                    let (input, output) = (&from[at..at + part], &mut data[before + at..before + at + part]);
                    match (decrypt, apart) {
                        (false, true) => stream.encrypt_to(input, output).unwrap(),
                        (true, true) => stream.decrypt_unverified_to(input, output).unwrap(),
                        (false, false) => {
                            output.copy_from_slice(input);
                            stream.encrypt(output).unwrap();
                        }
                        (true, false) => {
                            output.copy_from_slice(input);
                            stream.decrypt_unverified(output).unwrap();
                        }
                    }
                    at += part;
                }
                assert!(data[before..before + len] == **to, "text: {}", what());
                let around = data[..before].iter().chain(&data[before + len..]);
                assert!(around.into_iter().all(|&byte| byte == 0xa5), "{}", what());
                if decrypt {
                    assert_eq!(stream.verify(&self.tag), Ok(()), "{}", what());
                } else {
                    assert_eq!(stream.finish().unwrap().to_vec(), self.tag, "{}", what());
                }
            }
        }
    }
}

#[test]
fn any_parts_give_what_the_whole_does() {
    for key_len in [16, 24, 32] {
        let key = bytes(1, key_len);
        let mut portable = Gcm::with_implementation(Implementation::PORTABLE, &key).unwrap();
        let mut streams: Vec<_> = with_gcm()
            .map(|i| (i, GcmStream::new(Gcm::with_implementation(i, &key).unwrap())))
            .collect();
        let mut random = Random(key_len as u64);
        let lengths = (0..=600)
            .chain((601..2100).step_by(13))
            .chain([16_384, 65_536 + 17]);
        for len in lengths {
            let aad_len = if len % 3 == 0 { 0 } else { len * 7 % 301 };
            let nonce_len = if len % 5 == 0 { 1 + len * 3 % 600 } else { 12 };
            let case = Case::new(&mut portable, len, aad_len, nonce_len);
            for (implementation, stream) in &mut streams {
                for about in [3, 16, 40, 300, 1000, 5000] {
                    if about * 100 > len && about / 8 < len.max(aad_len) {
                        case.check(
                            stream,
                            about,
                            &mut random,
                            &format!("{implementation:?}, AES-{}", 8 * key_len),
                        );
                    }
                }
            }
        }
    }
}

/// Every place to divide a message in two, and with it where the wide loop begins.
#[test]
fn every_division_in_two() {
    let mut portable = Gcm::with_implementation(Implementation::PORTABLE, &[3; 16]).unwrap();
    let len = 1200;
    let case = Case::new(&mut portable, len, 33, 12);
    for implementation in with_gcm() {
        let mut stream = GcmStream::new(Gcm::with_implementation(implementation, &[3; 16]).unwrap());
        for first in 0..=len {
            for decrypt in [false, true] {
                let mut data = if decrypt {
                    case.cipher.clone()
                } else {
                    case.plain.clone()
                };
                let (a, b) = data.split_at_mut(first);
                stream.start_again(&case.nonce).unwrap();
                stream.aad(&case.aad[..first % 34]).unwrap();
                stream.aad(&case.aad[first % 34..]).unwrap();
                for part in [a, b] {
                    if decrypt {
                        stream.decrypt_unverified(part).unwrap();
                    } else {
                        stream.encrypt(part).unwrap();
                    }
                }
                if decrypt {
                    assert!(data == case.plain, "{implementation:?}, {first}");
                    assert_eq!(stream.verify(&case.tag), Ok(()), "{implementation:?}, {first}");
                } else {
                    assert!(data == case.cipher, "{implementation:?}, {first}");
                    let tag = stream.finish().unwrap();
                    assert_eq!(tag.to_vec(), case.tag, "{implementation:?}, {first}");
                }
            }
        }
    }
}

/// Parts up to the last counter of a page of 256, and across it, of a key that is much used: those that are packets, and those
/// that are too long for it, behind whole blocks and behind a part of one.
#[test]
fn parts_at_the_end_of_a_page_of_counters() {
    let key = [5; 16];
    let plain = bytes(13, 16 * 256 + 1600);
    let mut cipher = plain.clone();
    let mut portable = Gcm::with_implementation(Implementation::PORTABLE, &key).unwrap();
    portable.seal_in_place(&[4; 12], b"", &mut cipher).unwrap();
    for implementation in with_gcm() {
        let mut gcm = Gcm::with_implementation(implementation, &key).unwrap();
        gcm.seal_in_place(&[4; 12], b"", &mut vec![0; 5000]).unwrap();
        let mut stream = GcmStream::new(gcm.clone());
        for second in [512, 1024, 1350, 1520, 1535, 1536] {
            // The first counter is 2. So the last blocks of the part, or those of its whole batches, pass the end.
            for (blocks, more) in (254 - second / 16 - 32..256).flat_map(|blocks| [(blocks, 0), (blocks, 5)])
            {
                let (begin, end) = (16 * blocks, 16 * blocks + second + more);
                let mut data = plain[..end].to_vec();
                stream.start_again(&[4; 12]).unwrap();
                let (first, rest) = data.split_at_mut(begin + more);
                stream.encrypt(first).unwrap();
                stream.encrypt(rest).unwrap();
                assert!(
                    data == cipher[..end],
                    "{implementation:?}, {blocks}, {more}, {second}"
                );
                let mut data = plain[..end].to_vec();
                let tag = gcm.seal_in_place(&[4; 12], b"", &mut data).unwrap();
                assert_eq!(
                    *stream.finish().unwrap(),
                    *tag,
                    "{implementation:?}, {blocks}, {more}, {second}"
                );
            }
        }
    }
}

/// The counter is the block's last 32 bits. The hash of this nonce ends in fffffe4d.
#[test]
fn the_counter_wraps() {
    let nonce = 6_341_171_u64.to_le_bytes();
    let mut portable = Gcm::with_implementation(Implementation::PORTABLE, &[7; 16]).unwrap();
    let plain = bytes(12, 16_389);
    let mut cipher = plain.clone();
    let tag = portable.seal_in_place(&nonce, b"", &mut cipher).unwrap();
    for implementation in with_gcm() {
        let mut stream = GcmStream::new(Gcm::with_implementation(implementation, &[7; 16]).unwrap());
        for first in (6900..7000).chain([0, 5000, 16_000]) {
            let mut data = plain.clone();
            let (a, b) = data.split_at_mut(first);
            stream.start_again(&nonce).unwrap();
            stream.encrypt(a).unwrap();
            stream.encrypt(b).unwrap();
            assert!(data == cipher, "{implementation:?}, {first}");
            assert_eq!(*stream.finish().unwrap(), *tag, "{implementation:?}, {first}");
        }
    }
}

#[test]
fn clones_go_on_by_themselves() {
    for implementation in with_gcm() {
        let mut gcm = Gcm::with_implementation(implementation, &[9; 32]).unwrap();
        let (nonce, plain) = ([4; 12], bytes(5, 20_000));
        let mut cipher = plain.clone();
        let tag = gcm.seal_in_place(&nonce, b"aad", &mut cipher).unwrap();
        for first in [0, 1, 15, 16, 77, 512, 1300, 20_000] {
            let mut stream = GcmStream::new(gcm.clone());
            let mut data = plain.clone();
            stream.start(&nonce).unwrap();
            stream.aad(b"a").unwrap();
            let mut early = stream.clone();
            stream.aad(b"ad").unwrap();
            stream.encrypt(&mut data[..first]).unwrap();
            let mut late = stream.clone();
            drop(stream);

            let mut again = data.clone();
            late.encrypt(&mut data[first..]).unwrap();
            assert!(data == cipher, "{implementation:?}, {first}");
            assert_eq!(*late.finish().unwrap(), *tag, "{implementation:?}, {first}");

            again[..first].copy_from_slice(&plain[..first]);
            early.aad(b"ad").unwrap();
            early.encrypt(&mut again).unwrap();
            assert!(again == cipher, "{implementation:?}, {first}");
            assert_eq!(*early.finish().unwrap(), *tag, "{implementation:?}, {first}");
        }
    }
}

#[test]
fn a_wrong_tag_is_refused() {
    for implementation in with_gcm() {
        for tag_len in [4, 12, 13, 16] {
            let gcm = Gcm::with_implementation(implementation, &[7; 16]).unwrap();
            let mut stream = GcmStream::new(gcm.with_short_tag_len(tag_len).unwrap());
            let mut data = [1; 100];
            stream.start(&[1; 12]).unwrap();
            stream.encrypt(&mut data).unwrap();
            let tag = stream.finish().unwrap();
            assert_eq!(tag.len(), tag_len);
            for bit in 0..8 * tag_len {
                let mut wrong = tag.to_vec();
                wrong[bit / 8] ^= 1 << (bit % 8);
                stream.start(&[1; 12]).unwrap();
                stream.decrypt_unverified_to(&data, &mut [0; 100]).unwrap();
                assert_eq!(stream.verify(&wrong), Err(Error::NotAuthentic), "bit {bit}");
                // It cannot be tried again on the same message.
                assert_eq!(stream.verify(&tag), Err(Error::NoMessage));
            }
        }
    }
}

#[test]
fn what_comes_out_of_turn_is_an_error_and_changes_nothing() {
    for implementation in with_gcm() {
        let mut gcm = Gcm::with_implementation(implementation, &[0; 16]).unwrap();
        let mut stream = GcmStream::new(gcm.clone());
        let mut data = [7; 20];
        assert_eq!(stream.aad(b"a"), Err(Error::NoMessage));
        assert_eq!(stream.encrypt(&mut data), Err(Error::NoMessage));
        assert_eq!(stream.decrypt_unverified(&mut data), Err(Error::NoMessage));
        assert_eq!(stream.finish().err(), Some(Error::NoMessage));
        assert_eq!(stream.verify(&[0; 16]), Err(Error::NoMessage));
        assert_eq!(stream.start(b""), Err(Error::EmptyNonce));
        assert_eq!(data, [7; 20]);

        let mut expected = data;
        let tag = gcm.seal_in_place(&[0; 12], b"a", &mut expected).unwrap();

        stream.start(&[0; 12]).unwrap();
        stream.aad(b"a").unwrap();
        stream.encrypt(&mut data[..5]).unwrap();
        assert_eq!(stream.aad(b"b"), Err(Error::AadAfterText));
        assert_eq!(stream.decrypt_unverified(&mut data[5..]), Err(Error::Direction));
        assert_eq!(stream.verify(&tag), Err(Error::Direction));
        assert_eq!(
            stream.encrypt_to(&[0; 3], &mut data[5..]),
            Err(Error::OutputLength { input: 3, output: 15 })
        );
        stream.encrypt(&mut data[5..]).unwrap();
        assert_eq!(*stream.finish().unwrap(), *tag);
        assert_eq!(data, expected);
        assert_eq!(stream.encrypt(&mut data), Err(Error::NoMessage));

        stream.start(&[0; 12]).unwrap();
        stream.aad(b"a").unwrap();
        stream.decrypt_unverified(&mut data).unwrap();
        assert_eq!(stream.encrypt(&mut data), Err(Error::Direction));
        assert_eq!(stream.finish().err(), Some(Error::Direction));
        assert_eq!(
            stream.verify(&tag[..15]),
            Err(Error::OtherTagLength { own: 16, given: 15 })
        );
        assert_eq!(stream.verify(&tag), Ok(()));
        assert_eq!(data, [7; 20]);

        // The key in between ends the message.
        stream.start(&[0; 12]).unwrap();
        let mut whole = data;
        assert_eq!(
            *stream.key().seal_in_place(&[0; 12], b"a", &mut whole).unwrap(),
            *tag
        );
        assert_eq!(stream.encrypt(&mut data), Err(Error::NoMessage));
    }
}

#[test]
fn a_nonce_seals_no_two_messages_in_a_row() {
    for implementation in with_gcm() {
        let gcm = Gcm::with_implementation(implementation, &[0; 16]).unwrap();
        let mut stream = GcmStream::new(gcm);
        for nonce in [&[1; 12][..], &[2; 1], &[2; 2], &[3; 300]] {
            stream.start(nonce).unwrap();
            let mut data = [7; 20];
            stream.encrypt(&mut data[..5]).unwrap();
            stream.encrypt(&mut data[5..]).unwrap();
            let tag = stream.finish().unwrap();
            let (sealed, mut clone) = (data, stream.clone());
            for stream in [&mut stream, &mut clone] {
                stream.start(nonce).unwrap();
                stream.aad(b"a").unwrap();
                assert_eq!(stream.encrypt(&mut data), Err(Error::NonceUsed));
                assert_eq!(stream.finish().err(), Some(Error::NonceUsed));
                assert_eq!(data, sealed);
                // It serves what is opened, and after that still no message that is sealed.
                stream.start(nonce).unwrap();
                stream.decrypt_unverified(&mut data).unwrap();
                assert_eq!(stream.verify(&tag), Ok(()));
                stream.start(nonce).unwrap();
                assert_eq!(stream.finish().err(), Some(Error::NonceUsed));
                // Where it is asked for, it does.
                data = [7; 20];
                stream.start_again(nonce).unwrap();
                stream.encrypt(&mut data).unwrap();
                assert_eq!((&*stream.finish().unwrap(), data), (&*tag, sealed));
            }
        }
        // A tag alone is enough, and so is text without a tag.
        stream.start(&[4; 12]).unwrap();
        stream.finish().unwrap();
        stream.start(&[4; 12]).unwrap();
        assert_eq!(stream.finish().err(), Some(Error::NonceUsed));
        stream.start(&[5; 12]).unwrap();
        stream.encrypt(&mut [7]).unwrap();
        stream.start(&[5; 12]).unwrap();
        assert_eq!(stream.encrypt(&mut [8]), Err(Error::NonceUsed));
        // A message that never was sealed left its nonce unused, and another key has nonces of its own.
        stream.start(&[6; 12]).unwrap();
        stream.start(&[6; 12]).unwrap();
        stream.encrypt(&mut [7]).unwrap();
        stream.rekey(&[1; 16]).unwrap();
        stream.start(&[6; 12]).unwrap();
        stream.encrypt(&mut [7]).unwrap();
    }
}

#[test]
fn nothing_secret_is_shown() {
    let gcm = Gcm::with_implementation(Implementation::PORTABLE, &[1; 16]).unwrap();
    let mut stream = GcmStream::new(gcm);
    stream.start(&[1; 12]).unwrap();
    stream.encrypt(&mut [0; 20]).unwrap();
    let shown = format!("{stream:?}");
    let (gcm, rest) = shown
        .split_once(" }, tag_len: ")
        .expect("the plans and what follows them");
    assert!(gcm.starts_with("GcmStream { gcm: Gcm { plans: Plans { forward: {16: \"portable\", "));
    assert_eq!(
        rest,
        "16, .. }, message: GcmMessage { aad_len: 0, text_len: 20, .. }, progress: Encrypting, .. }"
    );
}
