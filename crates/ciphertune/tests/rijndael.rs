//! Rijndael's larger blocks: published answers, another implementation, and what a program relies on.

use ciphertune::{Error, InOutBuf, Rijndael, Rijndael192, Rijndael256};
use proptest::prelude::*;
use simple_rijndael::{impls::RijndaelCbc, paddings::ZeroPadding};

/// Brian Gladman's vectors for the block lengths that AES has not, as Bouncy Castle's `RijndaelTest` carries them: digits of e
/// are the key, digits of π the block. For keys of 16, 24 and 32 bytes.
const KEY: [u8; 32] = [
    0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c, 0x76,
    0x2e, 0x71, 0x60, 0xf3, 0x8b, 0x4d, 0xa5, 0x6a, 0x78, 0x4d, 0x90, 0x45, 0x19, 0x0c, 0xfe,
];
const BLOCK: [u8; 32] = [
    0x32, 0x43, 0xf6, 0xa8, 0x88, 0x5a, 0x30, 0x8d, 0x31, 0x31, 0x98, 0xa2, 0xe0, 0x37, 0x07, 0x34, 0x4a,
    0x40, 0x93, 0x82, 0x22, 0x99, 0xf3, 0x1d, 0x00, 0x82, 0xef, 0xa9, 0x8e, 0xc4, 0xe6, 0xc8,
];
const OF_24: [&str; 3] = [
    "b24d275489e82bb8f7375e0d5fcdb1f481757c538b65148a",
    "725ae43b5f3161de806a7c93e0bca93c967ec1ae1b71e1cf",
    "0ebacf199e3315c2e34b24fcc7c46ef4388aa475d66c194c",
];
const OF_32: [&str; 3] = [
    "7d15479076b69a46ffb3b3beae97ad8313f622f67fedb487de9f06b9ed9c8f19",
    "5d7101727bb25781bf6715b0e6955282b9610e23a43c2eb062699f0ebf5887b2",
    "a49406115dfb30a40418aafa4869b7c6a886ff31602a7dd19c889dc64f7e4e7a",
];

#[test]
fn published_answers() {
    fn check<const N: usize>(answers: [&str; 3]) {
        for (key_len, answer) in [16, 24, 32].into_iter().zip(answers) {
            let cipher = Rijndael::<N>::new(&KEY[..key_len]).unwrap();
            // In either place of a batch, and alone.
            for blocks in 1..=3 {
                let mut data = BLOCK[..N].repeat(blocks);
                cipher.ecb_encrypt(&mut data).unwrap();
                for block in data.chunks(N) {
                    let digits: String = block.iter().map(|byte| format!("{byte:02x}")).collect();
                    assert_eq!(digits, answer, "{N}, {key_len}");
                }
                cipher.ecb_decrypt(&mut data).unwrap();
                assert_eq!(data, BLOCK[..N].repeat(blocks));
            }
        }
    }
    check::<24>(OF_24);
    check::<32>(OF_32);
}

/// What libmcrypt 2.5.8 makes of two blocks of bytes 128, 129, … with a key of bytes 0, 1, … and an IV of bytes 64, 65, …:
/// its `cbc` with a key of 32 bytes, its `ncfb` (segments of a block) with one of 24, and its `cfb` (of a byte) with one of
/// 16.
#[test]
fn answers_of_mcrypt() {
    fn check<const N: usize>(answers: [&str; 3]) {
        let key: [u8; 32] = std::array::from_fn(|i| i as u8);
        let iv: [u8; N] = std::array::from_fn(|i| 64 + i as u8);
        for (key_len, answer) in [32, 24, 16].into_iter().zip(answers) {
            let cipher = Rijndael::<N>::new(&key[..key_len]).unwrap();
            let mut data: Vec<u8> = (128..).take(2 * N).collect();
            let mut iv = iv;
            match key_len {
                32 => cipher.cbc_encrypt(&mut iv, &mut data),
                24 => cipher.cfb_encrypt(&mut iv, N, &mut data),
                _ => cipher.cfb_encrypt(&mut iv, 1, &mut data),
            }
            .unwrap();
            let digits: String = data.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(digits, answer, "{N}, {key_len}");
        }
    }
    check::<24>([
        concat!(
            "157f9dae685fe51124719b0f260d12919bdf9f99923460c2",
            "a3af89feccb11156d77676e4233e9b5bb3bd278cc62bf1fb"
        ),
        concat!(
            "9cd91dd6421cdd5bc2960d0fc9ca1e08d3e11dfd34147790",
            "ee70790b1f3039b6720523c4eff3b9704b82d754364804f1"
        ),
        concat!(
            "fcc85cd20e569ba2f2d0e0f9c9d43fa6e7d1791c6538d83f",
            "3d1fe6df23e18f7b5ee9307ea007390840806aa330881eab"
        ),
    ]);
    check::<32>([
        concat!(
            "502be1083b4245018c2436f0a68175a997975caf0c1b7cfd5e5524ada5d59113",
            "a868c5e5d10c4f6c96c51ad1007c2f097ae2af07c76169e14c9d1dff39a1a6e5"
        ),
        concat!(
            "ba707d378aed648050ceec2d179c5ae9399d14ec8ae7875f57ad6e023fb2703d",
            "c84b2203fb0ef7df81681bc23e38b2caf7d2f65c722e9dbbdb358219ded1a517"
        ),
        concat!(
            "5bccface50ec5af3d68ff98e3a25f79edb53c611a2082f0e73829d1816429da5",
            "9976f61389ac05d9a8216782f826de0add2c61d70d776f4a62fb65891eee114d"
        ),
    ]);
}

/// CBC by another implementation. The other modes follow from it: ECB is CBC of one block with an IV of zeros, and
/// [`cfb_by_its_definition`] goes on from ECB.
fn check_cbc<const N: usize>(key: &[u8], iv: [u8; N], data: &[u8]) {
    let data = &data[..data.len() / N * N];
    let mut ours = data.to_vec();
    let cipher = Rijndael::<N>::new(key).unwrap();
    // In two calls; the second goes on by what became of the IV.
    let (first, second) = ours.split_at_mut(data.len() / N / 2 * N);
    let mut state = iv;
    cipher.cbc_encrypt(&mut state, first).unwrap();
    cipher.cbc_encrypt(&mut state, second).unwrap();
    let theirs = RijndaelCbc::<ZeroPadding>::new(key, N).unwrap();
    if !data.is_empty() {
        assert_eq!(ours, theirs.encrypt(&iv, data.to_vec()).unwrap());
        assert_eq!(state[..], ours[ours.len() - N..]);
    }

    let mut back = vec![0; data.len()];
    let mut state = iv;
    let split = data.len() / N / 3 * N;
    cipher
        .cbc_decrypt_to(&mut state, &ours[..split], &mut back[..split])
        .unwrap();
    cipher
        .cbc_decrypt_to(&mut state, &ours[split..], &mut back[split..])
        .unwrap();
    assert_eq!(back, data);
    cipher.clone().cbc_decrypt(&mut { iv }, &mut ours).unwrap();
    assert_eq!(ours, data);
}

/// CFB segment by segment, as SP 800-38A has it in section 6.3.
fn cfb_by_its_definition<const N: usize>(
    cipher: &Rijndael<N>,
    iv: [u8; N],
    segment: usize,
    data: &[u8],
) -> Vec<u8> {
    let mut fed = iv.to_vec();
    let mut output = Vec::new();
    for part in data.chunks(segment) {
        let mut keystream = fed[fed.len() - N..].to_vec();
        cipher.ecb_encrypt(&mut keystream).unwrap();
        output.extend(part.iter().zip(keystream).map(|(a, b)| a ^ b));
        fed.extend(&output[output.len() - part.len()..]);
    }
    output
}

fn check_cfb<const N: usize>(key: &[u8], iv: [u8; N], segment: usize, data: &[u8]) {
    let segment = 1 + segment % N;
    let data = &data[..data.len() / segment * segment];
    let cipher = Rijndael::<N>::new(key).unwrap();
    let mut ours = vec![0; data.len()];
    let split = data.len() / segment / 2 * segment;
    let mut state = iv;
    cipher
        .cfb_encrypt_to(&mut state, segment, &data[..split], &mut ours[..split])
        .unwrap();
    cipher
        .cfb_encrypt_to(&mut state, segment, &data[split..], &mut ours[split..])
        .unwrap();
    assert_eq!(ours, cfb_by_its_definition(&cipher, iv, segment, data));
    let mut state = iv;
    cipher
        .cfb_decrypt(&mut state, segment, &mut ours[..split])
        .unwrap();
    cipher
        .cfb_decrypt(&mut state, segment, &mut ours[split..])
        .unwrap();
    assert_eq!(ours, data);
}

proptest! {
    #[test]
    fn cbc_is_that_of_another_implementation(
        key in prop::sample::select(vec![16, 24, 32]).prop_flat_map(|len| prop::collection::vec(any::<u8>(), len)),
        iv: [u8; 32],
        data in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        check_cbc::<24>(&key, *iv.first_chunk().unwrap(), &data);
        check_cbc::<32>(&key, iv, &data);
    }

    #[test]
    fn cfb_is_what_it_is_defined_to_be(
        key: [u8; 24],
        iv: [u8; 32],
        segment in 0_usize..32,
        data in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        check_cfb::<24>(&key, *iv.first_chunk().unwrap(), segment, &data);
        check_cfb::<32>(&key, iv, segment, &data);
    }
}

/// Of any size; what is no key changes nothing, and a clone keeps the key that it was made with.
#[test]
fn a_new_key_takes_the_place_of_the_old_one() {
    fn check<const N: usize>() {
        let run = |cipher: &Rijndael<N>| {
            let mut both = [[0x5a; 96]; 2];
            cipher.ecb_encrypt(&mut both[0]).unwrap();
            cipher.ecb_decrypt(&mut both[1]).unwrap();
            both.concat()
        };
        let alone = |key: &[u8]| run(&Rijndael::new(key).unwrap());
        for (first, other) in [(16, 32), (32, 16), (24, 24)] {
            let mut cipher = Rijndael::<N>::new(&KEY[..first]).unwrap();
            let clone = cipher.clone();
            cipher.rekey(&BLOCK[..other]).unwrap();
            assert_eq!(cipher.rekey(&KEY[..20]), Err(Error::KeyLength(20)));
            assert_eq!(run(&cipher), alone(&BLOCK[..other]), "{N}, {first} to {other}");
            assert_eq!(run(&clone), alone(&KEY[..first]), "{N}, {first} to {other}");
        }
    }
    check::<24>();
    check::<32>();
}

#[test]
fn input_and_output_may_be_one_or_apart() {
    let cipher = Rijndael256::new(&KEY[..16]).unwrap();
    let (mut one, mut apart) = (BLOCK, [0; 32]);
    cipher.ecb_encrypt_inout(one.as_mut_slice().into()).unwrap();
    let buffer = InOutBuf::new(&BLOCK, &mut apart).unwrap();
    cipher.ecb_encrypt_inout(buffer).unwrap();
    let mut expected = BLOCK;
    cipher.ecb_encrypt(&mut expected).unwrap();
    assert_eq!((one, apart), (expected, expected));
    assert_eq!(
        cipher.cfb_decrypt_inout(&mut [7; 32], 3, one.as_mut_slice().into()),
        Err(Error::RijndaelLength { unit: 3, len: 32 })
    );
    assert_eq!(one, expected);
}

#[test]
fn bad_input_changes_nothing() {
    assert_eq!(Rijndael192::new(&[0; 20]).unwrap_err(), Error::KeyLength(20));
    let cipher = Rijndael256::new(&[1; 16]).unwrap();
    let (mut iv, mut data) = ([3; 32], [5; 48]);
    let length = Error::RijndaelLength { unit: 32, len: 48 };
    let segment = |len| Error::RijndaelSegment { block: 32, len };
    assert_eq!(cipher.ecb_encrypt(&mut data), Err(length.clone()));
    assert_eq!(cipher.cbc_decrypt(&mut iv, &mut data), Err(length));
    assert_eq!(cipher.cfb_encrypt(&mut iv, 0, &mut data), Err(segment(0)));
    assert_eq!(cipher.cfb_decrypt(&mut iv, 33, &mut data), Err(segment(33)));
    assert_eq!(
        cipher.cfb_encrypt(&mut iv, 5, &mut data),
        Err(Error::RijndaelLength { unit: 5, len: 48 })
    );
    assert_eq!(
        cipher.cbc_encrypt_to(&mut iv, &[0; 32], &mut data),
        Err(Error::OutputLength {
            input: 32,
            output: 48
        })
    );
    assert_eq!((iv, data), ([3; 32], [5; 48]));
}
