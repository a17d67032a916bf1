//! Each mode by every implementation, briefly: so little that an interpreter comes to its end (`make prove-miri`), which sees
//! what a processor does not: memory read before it is written, pointers used where another's borrow or an object's end
//! forbids it. All implementations are to answer the same; that it is right, the other tests show.
//!
//! Interpreted, bitsliced code takes a second for a hundred blocks: there it has shorter texts and one size of key.

mod common;

use ciphertune::{
    Cbc, CbcMany, Ccm, CcmStream, Cfb, Cfb8, Cmac, CmacStream, Ctr, Ecb, Error, Feedback, Gcm, GcmStream,
    Implementation, InOutBuf, Message, Ocb, OcbStream, Ofb, Xts, cpu,
};

use common::bytes;

/// A block and less, vectors of each width with and without a rest, a batch and more of the widest; and what goes another way
/// for being long.
const LENGTHS: [usize; 10] = [0, 1, 16, 31, 48, 100, 275, 600, 1100, 9000];

/// The same with whole blocks alone.
const BLOCKS: [usize; 8] = [0, 16, 48, 112, 272, 608, 1104, 9008];

fn is_slow(by: Implementation) -> bool {
    cfg!(miri) && !by.features().contains(&cpu::AES)
}

fn lengths<const N: usize>(by: Implementation, all: &[usize; N]) -> &[usize] {
    if is_slow(by) { &all[..N - 2] } else { all }
}

/// Parts that begin and end within a block and on its edge.
const PARTS: &[usize] = &[3, 29, 48, 64, 70, 300, 1];

/// The same, but for the last, of whole blocks: of OCB's text and additional data.
const PARTS_OF_BLOCKS: &[usize] = &[16, 48, 64, 304, 3];

/// Each mode answers all that comes of a key, by one implementation as by the next.
macro_rules! tests {
    ($($mode:ident: $implementations:ident)*) => {
        mod answers_are_the_same {
            use super::{common::{available, bytes, with_gcm}, is_slow};

            $(
                #[test]
                fn $mode() {
                    for key_len in [16, 24, 32] {
                        let key = bytes(7, key_len);
                        let those = $implementations().filter(|by| key_len == 16 || !is_slow(*by));
                        let mut answers = those.map(|by| (by, super::$mode(by, &key)));
                        let Some((_, expected)) = answers.next() else {
                            continue;
                        };
                        // The first is the slowest.
                        for (by, answer) in answers {
                            assert!(answer.starts_with(&expected), "{key_len}, {by:?}");
                        }
                    }
                }
            )*
        }
    };
}

tests! {
    ctr: available
    ecb: available
    cbc: available
    cfb: available
    cfb8: available
    ofb: available
    xts: available
    cmac: available
    gcm: with_gcm
    ccm: available
    ocb: available
    many: available
}

/// What each length comes to in place, which it is to come to apart as well; and it is to come back, both ways.
fn both_ways(
    lengths: &[usize],
    mut there: impl FnMut(InOutBuf<u8>),
    mut back: impl FnMut(InOutBuf<u8>),
) -> Vec<u8> {
    let mut all = Vec::new();
    for &len in lengths {
        let text = bytes(len as u64, len);
        let (mut inside, mut apart) = (text.clone(), vec![0; len]);
        there(inside.as_mut_slice().into());
        there(InOutBuf::new(&text, &mut apart).unwrap());
        assert!(inside == apart, "{len}");
        all.extend(&inside);
        back(InOutBuf::new(&inside, &mut apart).unwrap());
        back(inside.as_mut_slice().into());
        assert!(inside == text && apart == text, "{len}");
    }
    all
}

/// What a text comes to in these parts.
fn in_parts(lengths: &[usize], mut each: impl FnMut(&mut [u8])) -> Vec<u8> {
    let mut all = bytes(9, lengths.iter().sum());
    let mut rest = all.as_mut_slice();
    for &len in lengths {
        let (part, after) = rest.split_at_mut(len);
        each(part);
        rest = after;
    }
    all
}

fn ctr(by: Implementation, key: &[u8]) -> Vec<u8> {
    // The counter carries into its first byte in each of them.
    let ctr = Ctr::with_implementation(by, key, &[0xff; 16]).unwrap();
    let mut stream = ctr.clone();
    let mut all = in_parts(PARTS, |part| stream.apply(part).unwrap());
    stream.seek(21);
    all.extend(in_parts(PARTS, |part| stream.apply(part).unwrap()));
    let apply = |buffer: InOutBuf<u8>| ctr.clone().apply_inout(buffer).unwrap();
    all.extend(both_ways(lengths(by, &LENGTHS), apply, apply));
    all
}

fn ecb(by: Implementation, key: &[u8]) -> Vec<u8> {
    let ecb = Ecb::with_implementation(by, key).unwrap();
    let encrypt = |buffer: InOutBuf<u8>| ecb.encrypt_inout(buffer).unwrap();
    both_ways(lengths(by, &BLOCKS), encrypt, |buffer| {
        ecb.decrypt_inout(buffer).unwrap()
    })
}

fn cbc(by: Implementation, key: &[u8]) -> Vec<u8> {
    let cbc = Cbc::with_implementation(by, key).unwrap();
    both_ways(
        lengths(by, &BLOCKS),
        |buffer| cbc.encrypt_inout(&mut [5; 16], buffer).unwrap(),
        |buffer| cbc.decrypt_inout(&mut [5; 16], buffer).unwrap(),
    )
}

fn cfb(by: Implementation, key: &[u8]) -> Vec<u8> {
    let cfb = Cfb::with_implementation(by, key).unwrap();
    let at = || Feedback::new([5; 16]);
    let (mut here, mut there) = (at(), at());
    let mut all = in_parts(PARTS, |part| cfb.encrypt(&mut here, part));
    all.extend(in_parts(PARTS, |part| cfb.decrypt(&mut there, part)));
    all.extend(both_ways(
        lengths(by, &LENGTHS),
        |buffer| cfb.encrypt_inout(&mut at(), buffer),
        |buffer| cfb.decrypt_inout(&mut at(), buffer),
    ));
    all
}

fn cfb8(by: Implementation, key: &[u8]) -> Vec<u8> {
    let cfb = Cfb8::with_implementation(by, key).unwrap();
    both_ways(
        &[0, 1, 16, 70],
        |buffer| cfb.encrypt_inout(&mut [5; 16], buffer),
        |buffer| cfb.decrypt_inout(&mut [5; 16], buffer),
    )
}

fn ofb(by: Implementation, key: &[u8]) -> Vec<u8> {
    let ofb = Ofb::with_implementation(by, key).unwrap();
    let apply = |buffer: InOutBuf<u8>| ofb.apply_inout(&mut Feedback::new([5; 16]), buffer);
    let mut at = Feedback::new([5; 16]);
    let mut all = in_parts(PARTS, |part| ofb.apply(&mut at, part));
    all.extend(both_ways(lengths(by, &LENGTHS), apply, apply));
    all
}

fn xts(by: Implementation, key: &[u8]) -> Vec<u8> {
    if key.len() == 24 {
        return Vec::new();
    }
    let key = [key, &bytes(8, key.len())].concat();
    let xts = Xts::with_implementation(by, &key).unwrap();
    both_ways(
        &lengths(by, &LENGTHS)[2..],
        |buffer| xts.encrypt_inout(5, buffer).unwrap(),
        |buffer| xts.decrypt_inout(5, buffer).unwrap(),
    )
}

fn cmac(by: Implementation, key: &[u8]) -> Vec<u8> {
    let cmac = Cmac::with_implementation(by, key).unwrap();
    let texts = lengths(by, &LENGTHS).iter().map(|&len| bytes(len as u64, len));
    let texts: Vec<_> = texts.collect();
    let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
    let mut tags = vec![[0; 16]; texts.len()];
    cmac.tags(&texts, &mut tags).unwrap();
    for (text, tag) in texts.iter().zip(&tags) {
        cmac.verify(text, tag).unwrap();
    }
    let mut stream = CmacStream::new(cmac);
    in_parts(PARTS, |part| stream.update(part));
    [&stream.clone().finish(), tags.as_flattened()].concat()
}

const NONCE: [u8; 12] = [5; 12];

/// Sealed and opened, with additional data as long as the text is; and nothing of it where the tag is another.
macro_rules! sealed {
    ($cipher:ident, $lengths:expr) => {{
        let aad = bytes(3, 600);
        let mut all = Vec::<u8>::new();
        for &len in $lengths {
            let (text, aad) = (bytes(len as u64, len), &aad[..len.min(600)]);
            let (mut inside, mut apart) = (text.clone(), vec![0; len]);
            let tag = $cipher.seal_in_place(&NONCE, aad, &mut inside).unwrap();
            let other = $cipher.seal_to(&NONCE, aad, &text, &mut apart).unwrap();
            assert!(inside == apart && tag[..] == other[..], "{len}");
            all.extend(&inside);
            all.extend(&tag[..]);
            $cipher.open_to(&NONCE, aad, &inside, &mut apart, &tag).unwrap();
            assert!(apart == text, "{len}");
            let mut refused = inside.clone();
            assert_eq!(
                $cipher.open_in_place(&NONCE, aad, &mut refused, &[0; 16]),
                Err(Error::NotAuthentic)
            );
            assert!(refused.iter().all(|byte| *byte == 0), "{len}");
            $cipher.open_in_place(&NONCE, aad, &mut inside, &tag).unwrap();
            assert!(inside == text, "{len}");
        }
        all
    }};
}

/// A message in parts, encrypted and decrypted.
macro_rules! in_stream {
    ($stream:ident, $parts:expr, $start:expr) => {{
        $start.unwrap();
        in_parts($parts, |part| $stream.aad(part).unwrap());
        let mut all = in_parts($parts, |part| $stream.encrypt(part).unwrap());
        let tag = $stream.clone().finish().unwrap();
        $start.unwrap();
        in_parts($parts, |part| $stream.aad(part).unwrap());
        let mut rest = all.as_mut_slice();
        for &len in $parts {
            let (part, after) = rest.split_at_mut(len);
            $stream.decrypt_unverified(part).unwrap();
            rest = after;
        }
        $stream.verify(&tag).unwrap();
        assert!(all == in_parts($parts, |_| ()));
        tag.to_vec()
    }};
}

fn gcm(by: Implementation, key: &[u8]) -> Vec<u8> {
    let mut gcm = Gcm::with_implementation(by, key).unwrap();
    let mut stream = GcmStream::new(gcm.clone());
    let mut all = in_stream!(stream, PARTS, stream.start_again(&[5; 61]));
    all.extend(sealed!(gcm, lengths(by, &LENGTHS)));
    all
}

fn ccm(by: Implementation, key: &[u8]) -> Vec<u8> {
    let ccm = Ccm::with_implementation(by, key).unwrap();
    let mut stream = CcmStream::new(ccm.clone());
    let len = PARTS.iter().sum::<usize>() as u64;
    let mut all = in_stream!(stream, PARTS, stream.start_again(&NONCE, len, len));
    all.extend(sealed!(ccm, lengths(by, &LENGTHS)));
    all
}

fn ocb(by: Implementation, key: &[u8]) -> Vec<u8> {
    let ocb = Ocb::with_implementation(by, key).unwrap();
    let mut stream = OcbStream::new(ocb.clone());
    let mut all = in_stream!(stream, PARTS_OF_BLOCKS, stream.start_again(&NONCE));
    all.extend(sealed!(ocb, lengths(by, &LENGTHS)));
    all
}

/// With one key, and with two by turns.
fn many(by: Implementation, key: &[u8]) -> Vec<u8> {
    let keys = [key, &bytes(8, key.len())].map(|key| CbcMany::with_implementation(by, key).unwrap());
    let mut texts: Vec<_> = (0..35).map(|i| bytes(i as u64, BLOCKS[i % 4])).collect();
    fn message(text: &mut Vec<u8>) -> Message<'_, '_> {
        let data = text.as_mut_slice().into();
        Message { iv: [5; 16], data }
    }
    let mut messages: Vec<_> = texts.iter_mut().map(message).collect();
    keys[0].encrypt(&mut messages).unwrap();
    let mut messages: Vec<_> = keys.iter().cycle().zip(texts.iter_mut().map(message)).collect();
    CbcMany::encrypt_each(&mut messages).unwrap();
    texts.concat()
}
