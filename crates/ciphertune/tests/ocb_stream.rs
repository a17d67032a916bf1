//! What a program relies on of [`OcbStream`], by every implementation that this processor can run: whatever the parts,
//! what the whole would give, which published answers prove.

mod common;

use ciphertune::{Error, Ocb, OcbStream};
use proptest::prelude::*;

use common::{available, bytes, hex, in_parts};

const BLOCK: usize = 16;

/// Seals and opens `text` in parts: what it becomes, and its tag.
fn sealed(
    stream: &mut OcbStream,
    nonce: &[u8],
    aad: &[u8],
    text: &[u8],
    cuts: &[usize],
) -> (Vec<u8>, Vec<u8>) {
    let (mut aad, mut data) = (aad.to_vec(), text.to_vec());
    stream.start_again(nonce).unwrap();
    in_parts(&mut aad, 1, cuts, |part| stream.aad(part).unwrap());
    in_parts(&mut data, BLOCK, cuts, |part| stream.encrypt(part).unwrap());
    let tag = stream.finish().unwrap().to_vec();

    // Additional data after the text are the same.
    let mut opened = data.clone();
    stream.start(nonce).unwrap();
    in_parts(&mut opened, BLOCK, cuts, |part| {
        let input = part.to_vec();
        stream.decrypt_unverified_to(&input, part).unwrap();
    });
    in_parts(&mut aad, 1, cuts, |part| stream.aad(part).unwrap());
    assert_eq!(stream.verify(&tag), Ok(()));
    assert!(opened == text);
    (data, tag)
}

proptest! {
    #[test]
    fn any_parts_give_what_the_whole_does(
        key in prop::sample::select(vec![16, 24, 32]).prop_flat_map(|len| prop::collection::vec(any::<u8>(), len)),
        nonce in prop::collection::vec(any::<u8>(), 1..=15),
        aad in prop::collection::vec(any::<u8>(), 0..1400),
        text in prop::collection::vec(any::<u8>(), 0..2600),
        tag_len in 4..=16_usize,
        cuts in prop::collection::vec(any::<usize>(), 0..8),
    ) {
        for implementation in available() {
            let ocb = Ocb::with_implementation(implementation, &key).unwrap().with_tag_len(tag_len).unwrap();
            let mut expected = text.clone();
            let tag = ocb.seal_in_place(&nonce, &aad, &mut expected).unwrap();

            let mut stream = OcbStream::new(ocb);
            // A message that nobody finishes leaves nothing behind.
            stream.start(&nonce).unwrap();
            stream.aad(b"abc").unwrap();
            stream.encrypt(&mut [1; 23]).unwrap();

            let (data, made) = sealed(&mut stream, &nonce, &aad, &text, &cuts);
            prop_assert_eq!(&*made, &*tag, "{:?}", implementation);
            prop_assert_eq!(&data, &expected, "{:?}", implementation);
        }
    }
}

/// From every block of a batch on, to every other and into the next batches.
#[test]
fn every_cut_in_the_widest_batch() {
    let text: Vec<u8> = (0..100 * BLOCK).map(|i| (i * 31) as u8).collect();
    for implementation in available() {
        let ocb = Ocb::with_implementation(implementation, &[9; 16]).unwrap();
        let mut expected = text.clone();
        let tag = ocb.seal_in_place(&[1; 12], &text, &mut expected).unwrap();
        let mut stream = OcbStream::new(ocb);
        for first in 0..34 {
            for second in first..=66 {
                let cuts = [first * BLOCK, second * BLOCK];
                let (data, made) = sealed(&mut stream, &[1; 12], &text, &text, &cuts);
                assert!(data == expected && made == *tag, "{implementation:?}, {cuts:?}");
            }
        }
    }
}

/// Block by block past the moves that a batch knows of.
#[test]
fn blocks_one_by_one() {
    let text = vec![5; 2100 * BLOCK + 7];
    let one_by_one: Vec<_> = (0..2100).map(|i| i * BLOCK).collect();
    for implementation in available() {
        let ocb = Ocb::with_implementation(implementation, &[9; 24]).unwrap();
        let mut expected = text.clone();
        let tag = ocb.seal_in_place(&[1; 12], b"", &mut expected).unwrap();
        let (data, made) = sealed(&mut OcbStream::new(ocb), &[1; 12], b"", &text, &one_by_one);
        assert!(data == expected && made == *tag, "{implementation:?}");
    }
}

/// Past 2^17 blocks: numbers that end in more zeros than a key keeps moves for, within a call and as a call's first.
#[test]
fn long_messages() {
    let text = bytes(3, ((1 << 17) + 70) * BLOCK + 7);
    let cuts = [
        ((1 << 16) - 1) * BLOCK,
        (1 << 16) * BLOCK,
        ((1 << 17) - 1) * BLOCK,
    ];
    let mut agreed = None;
    for implementation in available() {
        let ocb = Ocb::with_implementation(implementation, &[9; 16]).unwrap();
        let mut data = text.clone();
        let tag = ocb.seal_in_place(&[1; 12], b"", &mut data).unwrap().to_vec();
        let parts = sealed(&mut OcbStream::new(ocb), &[1; 12], b"", &text, &cuts);
        assert!(parts.0 == data && parts.1 == tag, "{implementation:?}");
        assert!(*agreed.get_or_insert((data, tag)) == parts, "{implementation:?}");
    }
}

/// RFC 7253, appendix A: the listed answers.
#[test]
fn rfc_7253() {
    let mut cases = 0;
    let file = include_str!("../../testkit/vectors/RFC7253.rsp");
    for record in file.split("\n\n").filter(|record| record.contains("KEY = ")) {
        let field = |name: &str| {
            let value = record
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(" ="));
            hex(value.unwrap_or_else(|| panic!("no {name} in {record}")).trim())
        };
        let (plain, expected) = (field("PLAINTEXT"), field("CIPHERTEXT"));
        for implementation in available() {
            let ocb = Ocb::with_implementation(implementation, &field("KEY")).unwrap();
            let ocb = ocb.with_tag_len(expected.len() - plain.len()).unwrap();
            let cuts = [1, 16, 17, 33];
            let (data, tag) = sealed(
                &mut OcbStream::new(ocb),
                &field("NONCE"),
                &field("AAD"),
                &plain,
                &cuts,
            );
            assert_eq!([data, tag].concat(), expected, "{implementation:?}: {record}");
        }
        cases += 1;
    }
    assert_eq!(cases, 16);
}

/// RFC 7253, appendix A: 384 messages, whose ciphertexts are then the additional data of another.
#[test]
fn rfc_7253_of_many_messages() {
    let cases = [
        (16, 16, "67e944d23256c5e0b6c61fa22fdf1ea2"),
        (24, 12, "05d56ead2752c86be6932c5e"),
        (32, 8, "7d4ea5d445501cbe"),
    ];
    for implementation in available() {
        for (key_len, tag_len, expected) in cases {
            let mut key = vec![0; key_len];
            key[key_len - 1] = 8 * tag_len as u8;
            let ocb = Ocb::with_implementation(implementation, &key).unwrap();
            let mut stream = OcbStream::new(ocb.with_tag_len(tag_len).unwrap());
            let mut seal = |n: u32, aad: &[u8], text: &[u8]| {
                let mut nonce = [0; 12];
                nonce[8..].copy_from_slice(&n.to_be_bytes());
                let (data, tag) = sealed(&mut stream, &nonce, aad, text, &[16, 33, 80]);
                [data, tag].concat()
            };
            let mut all = Vec::new();
            for i in 0..128 {
                let zeros = vec![0; i as usize];
                all.extend(seal(3 * i + 1, &zeros, &zeros));
                all.extend(seal(3 * i + 2, b"", &zeros));
                all.extend(seal(3 * i + 3, &zeros, b""));
            }
            assert_eq!(
                seal(385, &all, b""),
                hex(expected),
                "{implementation:?}, {key_len}, {tag_len}"
            );
        }
    }
}

#[test]
fn a_change_anywhere_is_seen() {
    let mut stream = OcbStream::new(Ocb::new(&[5; 32]).unwrap());
    let mut text = [7; 40];
    stream.start(&[1; 12]).unwrap();
    stream.aad(b"aad").unwrap();
    stream.encrypt(&mut text).unwrap();
    let tag = stream.finish().unwrap().to_vec();
    for changed in 0..4 {
        let (mut nonce, mut aad, mut text, mut tag) = ([1; 12], *b"aad", text, tag.clone());
        [&mut nonce[..], &mut aad, &mut text, &mut tag][changed][2] ^= 1;
        stream.start(&nonce).unwrap();
        stream.aad(&aad).unwrap();
        stream.decrypt_unverified(&mut text).unwrap();
        assert_eq!(stream.verify(&tag), Err(Error::NotAuthentic), "{changed}");
        assert_eq!(stream.verify(&tag), Err(Error::NoMessage));
    }
}

#[test]
fn a_clone_goes_on_by_itself() {
    let text = [3; 100];
    let ocb = Ocb::new(&[5; 16]).unwrap();
    let mut expected = text;
    let tag = ocb.seal_in_place(&[1; 12], b"additional", &mut expected).unwrap();
    let mut stream = OcbStream::new(ocb);
    let mut data = text;
    stream.start(&[1; 12]).unwrap();
    stream.aad(b"addi").unwrap();
    stream.encrypt(&mut data[..32]).unwrap();
    let mut clone = stream.clone();
    stream.start(&[2; 12]).unwrap();
    clone.aad(b"tional").unwrap();
    clone.encrypt(&mut data[32..]).unwrap();
    assert_eq!(&*clone.finish().unwrap(), &*tag);
    assert_eq!(data, expected);
}

#[test]
fn whole_messages_by_the_key_of_a_stream() {
    let mut stream = OcbStream::new(Ocb::new(&[5; 16]).unwrap());
    stream.start(&[1; 12]).unwrap();
    let (mut whole, mut data) = ([7; 20], [7; 20]);
    let tag = stream.key().seal_in_place(&[1; 12], b"", &mut whole).unwrap();
    assert_eq!(stream.encrypt(&mut data), Err(Error::NoMessage));
    stream.start(&[1; 12]).unwrap();
    stream.encrypt(&mut data).unwrap();
    assert_eq!((&*stream.finish().unwrap(), data), (&*tag, whole));
}

/// Bad input changes nothing: the message goes on and gets the tag that it would have had.
#[test]
fn order_and_lengths_are_kept() {
    let ocb = Ocb::new(&[5; 16]).unwrap().with_tag_len(8).unwrap();
    let mut expected = [7; 36];
    let tag = ocb.seal_in_place(&[1; 12], b"aad", &mut expected).unwrap();
    let mut stream = OcbStream::new(ocb);

    assert_eq!(stream.aad(b"aad"), Err(Error::NoMessage));
    assert_eq!(stream.encrypt(&mut []), Err(Error::NoMessage));
    assert_eq!(stream.finish().err(), Some(Error::NoMessage));
    assert_eq!(stream.verify(&tag), Err(Error::NoMessage));
    for len in [0, 16] {
        let nonce = Error::NonceLength {
            mode: "OCB",
            least: 1,
            most: 15,
            len,
        };
        assert_eq!(stream.start(&[1; 16][..len]), Err(nonce));
    }
    assert_eq!(stream.set_tag_len(3), Err(Error::TagLength(3)));
    assert_eq!(stream.set_tag_len(17), Err(Error::TagLength(17)));

    let mut data = [7; 36];
    stream.start(&[1; 12]).unwrap();
    stream.encrypt(&mut data[..16]).unwrap();
    assert_eq!(stream.decrypt_unverified(&mut data), Err(Error::Direction));
    assert_eq!(stream.verify(&tag), Err(Error::Direction));
    assert_eq!(
        stream.encrypt_to(&[0; 4], &mut data),
        Err(Error::OutputLength { input: 4, output: 36 })
    );
    stream.encrypt(&mut data[16..]).unwrap();
    assert_eq!(stream.encrypt(&mut [0; 16]), Err(Error::TextEnded));
    stream.encrypt(&mut []).unwrap();
    stream.aad(b"aad").unwrap();
    assert_eq!(&*stream.finish().unwrap(), &*tag);
    assert_eq!(data, expected);

    stream.start(&[1; 12]).unwrap();
    stream.decrypt_unverified(&mut data).unwrap();
    assert_eq!(stream.finish().err(), Some(Error::Direction));
    assert_eq!(
        stream.verify(&[0; 16]),
        Err(Error::OtherTagLength {
            own: tag.len(),
            given: 16
        })
    );
    stream.aad(b"aad").unwrap();
    assert_eq!(stream.verify(&tag), Ok(()));

    // Tags of another length belong to other messages.
    stream.start(&[1; 12]).unwrap();
    stream.set_tag_len(12).unwrap();
    assert_eq!(stream.encrypt(&mut data), Err(Error::NoMessage));
}

#[test]
fn a_nonce_seals_no_two_messages_in_a_row() {
    let mut stream = OcbStream::new(Ocb::new(&[5; 16]).unwrap());
    let mut data = [7; 20];
    stream.start(&[1; 12]).unwrap();
    stream.encrypt(&mut data).unwrap();
    let (tag, sealed, mut clone) = (stream.finish().unwrap(), data, stream.clone());
    for stream in [&mut stream, &mut clone] {
        stream.start(&[1; 12]).unwrap();
        assert_eq!(stream.encrypt(&mut data), Err(Error::NonceUsed));
        assert_eq!(data, sealed);
        stream.decrypt_unverified(&mut data).unwrap();
        assert_eq!(stream.verify(&tag), Ok(()));
        stream.start(&[1; 12]).unwrap();
        stream.aad(b"aad").unwrap();
        assert_eq!(stream.finish().err(), Some(Error::NonceUsed));
        stream.start_again(&[1; 12]).unwrap();
        stream.encrypt(&mut data).unwrap();
        assert_eq!((&*stream.finish().unwrap(), data), (&*tag, sealed));
        stream.start(&[1; 13]).unwrap();
        stream.finish().unwrap();
    }
}

#[test]
fn nothing_secret_is_shown() {
    let mut stream = OcbStream::new(Ocb::new(&[0xab; 16]).unwrap());
    stream.start(&[1; 12]).unwrap();
    stream.encrypt(&mut [0; 48]).unwrap();
    let shown = format!("{stream:?}");
    assert!(shown.contains("blocks: 3") && !shown.contains("171"), "{shown}");
}
