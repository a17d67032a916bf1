//! What a program relies on of [`CcmStream`], by every implementation that this processor can run: whatever the parts,
//! what the whole would give, which published answers prove.

mod common;

use ciphertune::{Ccm, CcmStream, Error};
use proptest::prelude::*;

use common::{available, in_parts};

proptest! {
    #[test]
    fn any_parts_give_what_the_whole_does(
        key in prop::sample::select(vec![16, 24, 32]).prop_flat_map(|len| prop::collection::vec(any::<u8>(), len)),
        nonce in prop::collection::vec(any::<u8>(), 7..=13),
        mut aad in prop::collection::vec(any::<u8>(), 0..70),
        text in prop::collection::vec(any::<u8>(), 0..900),
        tag_len in prop::sample::select(vec![4, 6, 8, 10, 12, 14, 16]),
        cuts in prop::collection::vec(any::<usize>(), 0..6),
    ) {
        for implementation in available() {
            let ccm = Ccm::with_implementation(implementation, &key).unwrap().with_tag_len(tag_len).unwrap();
            let mut expected = text.clone();
            let tag = ccm.seal_in_place(&nonce, &aad, &mut expected).unwrap();

            let mut stream = CcmStream::new(ccm);
            // A message that nobody finishes leaves nothing behind.
            stream.start(&nonce, 3, 100).unwrap();
            stream.aad(b"abc").unwrap();
            stream.encrypt(&mut [1; 23]).unwrap();

            let mut data = text.clone();
            stream.start_again(&nonce, aad.len() as u64, text.len() as u64).unwrap();
            in_parts(&mut aad, 1, &cuts, |part| stream.aad(part).unwrap());
            in_parts(&mut data, 1, &cuts, |part| stream.encrypt(part).unwrap());
            prop_assert_eq!(&*stream.finish().unwrap(), &*tag, "{:?}", implementation);
            prop_assert_eq!(&data, &expected, "{:?}", implementation);

            stream.start(&nonce, aad.len() as u64, text.len() as u64).unwrap();
            in_parts(&mut aad, 1, &cuts, |part| stream.aad(part).unwrap());
            in_parts(&mut data, 1, &cuts, |part| {
                let input = part.to_vec();
                stream.decrypt_unverified_to(&input, part).unwrap();
            });
            prop_assert_eq!(stream.verify(&tag), Ok(()), "{:?}", implementation);
            prop_assert_eq!(&data, &text, "{:?}", implementation);
        }
    }
}

#[test]
fn a_change_anywhere_is_seen() {
    let mut stream = CcmStream::new(Ccm::new(&[5; 32]).unwrap());
    let mut text = [7; 40];
    stream.start(&[1; 13], 3, 40).unwrap();
    stream.aad(b"aad").unwrap();
    stream.encrypt(&mut text).unwrap();
    let tag = stream.finish().unwrap().to_vec();
    for changed in 0..3 {
        let (mut aad, mut text, mut tag) = (*b"aad", text, tag.clone());
        [&mut aad[..], &mut text, &mut tag][changed][2] ^= 1;
        stream.start(&[1; 13], 3, 40).unwrap();
        stream.aad(&aad).unwrap();
        stream.decrypt_unverified(&mut text).unwrap();
        assert_eq!(stream.verify(&tag), Err(Error::NotAuthentic), "{changed}");
        assert_eq!(stream.verify(&tag), Err(Error::NoMessage));
    }
}

#[test]
fn a_clone_goes_on_by_itself() {
    let text = [3; 100];
    for implementation in available() {
        let ccm = Ccm::with_implementation(implementation, &[5; 16]).unwrap();
        let mut expected = text;
        let tag = ccm.seal_in_place(&[1; 12], b"aad", &mut expected).unwrap();
        let mut stream = CcmStream::new(ccm);
        let mut data = text;
        stream.start(&[1; 12], 3, 100).unwrap();
        stream.aad(b"aad").unwrap();
        stream.encrypt(&mut data[..37]).unwrap();
        let mut clone = stream.clone();
        stream.start(&[2; 12], 0, 0).unwrap();
        clone.encrypt(&mut data[37..]).unwrap();
        assert_eq!(&*clone.finish().unwrap(), &*tag, "{implementation:?}");
        assert_eq!(data, expected, "{implementation:?}");
        // Which nonce was the last it knows by itself too.
        clone.start(&[1; 12], 0, 0).unwrap();
        assert_eq!(clone.clone().finish().err(), Some(Error::NonceUsed));
    }
}

#[test]
fn tags_and_whole_messages_by_the_key_of_a_stream() {
    let mut stream = CcmStream::new(Ccm::new(&[5; 16]).unwrap());
    let mut sealed = |tag_len| {
        let ccm = Ccm::new(&[5; 16]).unwrap().with_tag_len(tag_len).unwrap();
        let mut data = [7; 20];
        let tag = ccm.seal_in_place(&[1; 12], b"", &mut data).unwrap();

        stream.start(&[2; 12], 3, 20).unwrap();
        assert_eq!(stream.set_tag_len(5), Err(Error::TagLength(5)));
        stream.aad(b"aad").unwrap();
        // The message ends here, without a tag.
        stream.set_tag_len(tag_len).unwrap();
        assert_eq!(stream.encrypt(&mut []), Err(Error::NoMessage));
        stream.start_again(&[1; 12], 0, 20).unwrap();
        let mut text = [7; 20];
        stream.encrypt(&mut text).unwrap();
        assert_eq!((&*stream.finish().unwrap(), text), (&*tag, data));

        let mut text = [7; 20];
        let whole = stream.key().seal_in_place(&[1; 12], b"", &mut text).unwrap();
        assert_eq!((&*whole, text), (&*tag, data));
        assert_eq!(stream.encrypt(&mut []), Err(Error::NoMessage));
    };
    sealed(4);
    sealed(16);
}

/// Bad input changes nothing: the message goes on and gets the tag that it would have had.
#[test]
fn order_and_lengths_are_kept() {
    let ccm = Ccm::new(&[5; 16]).unwrap().with_tag_len(8).unwrap();
    let mut expected = [7; 20];
    let tag = ccm.seal_in_place(&[1; 13], b"aad", &mut expected).unwrap();
    let mut stream = CcmStream::new(ccm);
    let promise = |what, left, len| Err(Error::CcmPromise { what, left, len });

    assert_eq!(stream.aad(b"aad"), Err(Error::NoMessage));
    assert_eq!(stream.encrypt(&mut []), Err(Error::NoMessage));
    assert_eq!(stream.finish().err(), Some(Error::NoMessage));
    let nonce = Error::NonceLength {
        mode: "CCM",
        least: 7,
        most: 13,
        len: 6,
    };
    assert_eq!(stream.start(&[1; 6], 0, 0), Err(nonce));
    let longest = Error::CcmMessageLength {
        nonce: 13,
        longest: 65_535,
        len: 65_536,
    };
    assert_eq!(stream.start(&[1; 13], 0, 65_536), Err(longest));

    let mut data = [7; 20];
    stream.start(&[1; 13], 3, 20).unwrap();
    assert_eq!(stream.encrypt(&mut data), promise("additional data", 3, 0));
    assert_eq!(stream.aad(b"aad!"), promise("additional data", 3, 4));
    stream.aad(b"aa").unwrap();
    assert_eq!(stream.finish().err(), promise("additional data", 1, 0).err());
    stream.aad(b"d").unwrap();
    assert_eq!(stream.encrypt(&mut [0; 21]), promise("text", 20, 21));
    stream.encrypt(&mut data[..15]).unwrap();
    for late in [&b"d"[..], b""] {
        assert_eq!(stream.aad(late), Err(Error::AadAfterText));
    }
    assert_eq!(stream.decrypt_unverified(&mut data), Err(Error::Direction));
    assert_eq!(stream.verify(&tag), Err(Error::Direction));
    assert_eq!(
        stream.encrypt_to(&[0; 4], &mut data),
        Err(Error::OutputLength { input: 4, output: 20 })
    );
    assert_eq!(stream.finish().err(), promise("text", 5, 0).err());
    stream.encrypt(&mut data[15..]).unwrap();
    assert_eq!(&*stream.finish().unwrap(), &*tag);
    assert_eq!(data, expected);

    stream.start(&[1; 13], 3, 20).unwrap();
    stream.aad(b"aad").unwrap();
    stream.decrypt_unverified(&mut data).unwrap();
    assert_eq!(
        stream.verify(&[0; 16]),
        Err(Error::OtherTagLength {
            own: tag.len(),
            given: 16
        })
    );
    assert_eq!(stream.verify(&tag), Ok(()));
}

#[test]
fn a_nonce_seals_no_two_messages_in_a_row() {
    let mut stream = CcmStream::new(Ccm::new(&[5; 16]).unwrap());
    let mut data = [7; 20];
    stream.start(&[1; 12], 0, 20).unwrap();
    stream.encrypt(&mut data).unwrap();
    let (tag, sealed) = (stream.finish().unwrap(), data);
    stream.start(&[1; 12], 0, 20).unwrap();
    assert_eq!(stream.encrypt(&mut data), Err(Error::NonceUsed));
    assert_eq!(data, sealed);
    stream.decrypt_unverified(&mut data).unwrap();
    assert_eq!(stream.verify(&tag), Ok(()));
    stream.start(&[1; 12], 0, 0).unwrap();
    assert_eq!(stream.finish().err(), Some(Error::NonceUsed));
    stream.start_again(&[1; 12], 0, 20).unwrap();
    stream.encrypt(&mut data).unwrap();
    assert_eq!((&*stream.finish().unwrap(), data), (&*tag, sealed));
    stream.start(&[1; 13], 0, 0).unwrap();
    stream.finish().unwrap();
}

#[test]
fn nothing_secret_is_shown() {
    let mut stream = CcmStream::new(Ccm::new(&[0xab; 16]).unwrap());
    stream.start(&[1; 12], 0, 9).unwrap();
    stream.encrypt(&mut [0; 5]).unwrap();
    let shown = format!("{stream:?}");
    assert!(
        shown.contains("text_left: 4") && !shown.contains("171"),
        "{shown}"
    );
}
