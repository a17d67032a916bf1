//! What an implementation makes of a text: the output, and whatever else comes of it.
use std::cell::RefCell;

use ciphertune::{
    Cbc, CbcMany, Ccm, CcmStream, Cfb, Cfb8, Cmac, CmacStream, Ctr, Ecb, Error, Feedback, Gcm, GcmStream,
    Implementation, Message, Ocb, OcbStream, Ofb, Xts,
};

use crate::common::bytes;

/// From a text to all that is made of it.
type Run = Box<dyn Fn(&[u8]) -> Vec<u8>>;

/// A mode under one key.
pub struct Work {
    pub name: &'static str,
    pub takes: fn(usize) -> bool,
    pub run: Run,
}

/// Begins a message in parts: from its nonce, and the lengths of its additional data and its text.
type Start<Stream> = fn(&mut Stream, &[u8], usize, usize) -> Result<(), Error>;

const IV: [u8; 16] = [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf5];

/// Lengths of the parts of a text, over and over: within a block, within a vector, past a batch of them.
const PARTS: [usize; 9] = [1, 16, 70, 0, 300, 15, 64, 513, 128];

/// Additional data for a text of so many bytes: none, short, and past what is hashed at once.
fn aad(len: usize) -> Vec<u8> {
    let aad_len = match len % 4 {
        0 => 0,
        1 => 13,
        2 => len * 7 % 301,
        _ => len * 31 % 900,
    };
    bytes(len as u64, aad_len)
}

/// Where each part of a text of so many bytes begins and ends, but for the last one in multiples of `unit`.
fn parts(len: usize, unit: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    let mut at = 0;
    PARTS
        .into_iter()
        .cycle()
        .skip(len % PARTS.len())
        .map_while(move |part| {
            let begin = at;
            at = len.min(at + part.next_multiple_of(unit));
            (begin < len).then_some(begin..at)
        })
}

/// Works in place at an odd offset, and sees that nothing beside the text was written to.
fn inside(input: &[u8], work: impl FnOnce(&mut [u8])) -> Vec<u8> {
    const MARGIN: usize = 64;
    let begin = MARGIN + input.len() % 61;
    let mut room = vec![0xa5; begin + input.len() + MARGIN];
    let text = begin..begin + input.len();
    room[text.clone()].copy_from_slice(input);
    work(&mut room[text.clone()]);
    let around = room[..begin].iter().chain(&room[text.end..]);
    assert!(
        around.copied().all(|byte| byte == 0xa5),
        "{} bytes: wrote beside them",
        input.len()
    );
    room[text].to_vec()
}

/// Works from buffer to buffer.
fn apart(input: &[u8], work: impl FnOnce(&[u8], &mut [u8])) -> Vec<u8> {
    let mut output = vec![0; input.len()];
    work(input, &mut output);
    output
}

fn any(_: usize) -> bool {
    true
}

fn whole_blocks(len: usize) -> bool {
    len.is_multiple_of(16)
}

/// Modes whose blocks wait for each other take as long as it takes; few lengths say all about them.
fn short(len: usize) -> bool {
    len <= 200
}

pub fn works(i: Implementation, key_len: usize) -> Vec<Work> {
    let key = &bytes(key_len as u64, key_len)[..];
    let mut works = vec![
        ctr(i, key),
        ecb(i, key),
        cbc(i, key),
        cfb(i, key),
        cfb8(i, key),
        ofb(i, key),
        cmac(i, key),
        ocb(i, key),
        ccm(i, key),
    ];
    if key_len != 24 {
        works.push(xts(i, &bytes(key_len as u64, 2 * key_len)));
    }
    if i.gcm().is_some() {
        works.push(gcm(i, key));
    }
    works
}

fn work(name: &'static str, takes: fn(usize) -> bool, run: impl Fn(&[u8]) -> Vec<u8> + 'static) -> Work {
    let run = Box::new(run);
    Work { name, takes, run }
}

fn ctr(i: Implementation, key: &[u8]) -> Work {
    let key = key.to_vec();
    work("CTR", any, move |input| {
        let ctr = || Ctr::with_implementation(i, &key, &IV).unwrap();
        let mut out = inside(input, |data| ctr().apply(data).unwrap());
        let mut stream = ctr();
        out.extend(apart(input, |input, output| {
            for part in parts(input.len(), 1) {
                stream.apply_to(&input[part.clone()], &mut output[part]).unwrap();
            }
        }));
        out
    })
}

fn ecb(i: Implementation, key: &[u8]) -> Work {
    let ecb = Ecb::with_implementation(i, key).unwrap();
    work("ECB", whole_blocks, move |input| {
        let mut out = inside(input, |data| ecb.encrypt(data).unwrap());
        out.extend(apart(input, |from, to| ecb.decrypt_to(from, to).unwrap()));
        out
    })
}

fn cbc(i: Implementation, key: &[u8]) -> Work {
    let cbc = Cbc::with_implementation(i, key).unwrap();
    work("CBC", whole_blocks, move |input| {
        let (mut iv, mut back) = (IV, IV);
        let mut out = inside(input, |data| cbc.decrypt(&mut back, data).unwrap());
        if short(input.len()) {
            out.extend(apart(input, |from, to| {
                cbc.encrypt_to(&mut iv, from, to).unwrap()
            }));
        }
        [out, iv.to_vec(), back.to_vec()].concat()
    })
}

fn cfb(i: Implementation, key: &[u8]) -> Work {
    let cfb = Cfb::with_implementation(i, key).unwrap();
    work("CFB", any, move |input| {
        let mut out = inside(input, |data| cfb.decrypt(&mut Feedback::new(IV), data));
        let mut at = Feedback::new(IV);
        out.extend(inside(input, |data| {
            parts(data.len(), 1).for_each(|part| cfb.decrypt(&mut at, &mut data[part]))
        }));
        if short(input.len()) {
            let to = |from: &[u8], to: &mut [u8]| cfb.encrypt_to(&mut Feedback::new(IV), from, to).unwrap();
            out.extend(apart(input, to));
        }
        out
    })
}

fn cfb8(i: Implementation, key: &[u8]) -> Work {
    let cfb8 = Cfb8::with_implementation(i, key).unwrap();
    work("CFB-8", short, move |input| {
        let (mut iv, mut back) = (IV, IV);
        let mut out = inside(input, |data| cfb8.encrypt(&mut iv, data));
        out.extend(inside(input, |data| cfb8.decrypt(&mut back, data)));
        [out, iv.to_vec(), back.to_vec()].concat()
    })
}

fn ofb(i: Implementation, key: &[u8]) -> Work {
    let ofb = Ofb::with_implementation(i, key).unwrap();
    work("OFB", short, move |input| {
        inside(input, |data| ofb.apply(&mut Feedback::new(IV), data))
    })
}

fn xts(i: Implementation, key: &[u8]) -> Work {
    let xts = Xts::with_implementation(i, key).unwrap();
    work(
        "XTS",
        |len| len >= 16,
        move |input| {
            let unit = u128::from_be_bytes(IV) + input.len() as u128;
            let mut out = inside(input, |data| xts.encrypt(unit, data).unwrap());
            out.extend(apart(input, |from, to| xts.decrypt_to(unit, from, to).unwrap()));
            out
        },
    )
}

fn cmac(i: Implementation, key: &[u8]) -> Work {
    let cmac = Cmac::with_implementation(i, key).unwrap();
    work("CMAC", short, move |input| {
        let mut stream = CmacStream::new(cmac.clone());
        parts(input.len(), 1).for_each(|part| stream.update(&input[part]));
        [cmac.tag(input), stream.finish()].concat()
    })
}

/// A message sealed, opened, refused with a bit changed, and sealed and opened once more in parts.
macro_rules! aead {
    ($i:ident, $key:ident, $name:literal, $takes:expr, $type:ident, $stream:ident, $nonce_len:expr, $unit:expr, $start:expr) => {{
        let aead = RefCell::new($type::with_implementation($i, $key).unwrap());
        let stream = RefCell::new($stream::new($type::with_implementation($i, $key).unwrap()));
        work($name, $takes, move |input| {
            let aead = &mut *aead.borrow_mut();
            let nonce_len: fn(usize) -> usize = $nonce_len;
            let start: Start<$stream> = $start;
            let (nonce, aad) = (bytes(7, nonce_len(input.len())), aad(input.len()));
            let mut tag = None;
            let sealed = inside(input, |data| {
                tag = Some(aead.seal_in_place(&nonce, &aad, data).unwrap());
            });
            let tag = tag.unwrap().to_vec();
            let opened = apart(&sealed, |from, to| {
                aead.open_to(&nonce, &aad, from, to, &tag).unwrap()
            });
            assert!(opened == input, "{}, {} bytes: not undone", $name, input.len());
            let mut forged = tag.clone();
            forged[input.len() % 16] ^= 0x10;
            let zeros = inside(&sealed, |data| {
                assert_eq!(
                    aead.open_in_place(&nonce, &aad, data, &forged),
                    Err(Error::NotAuthentic)
                );
            });
            assert!(
                zeros.iter().all(|&byte| byte == 0),
                "{}, {} bytes: not cleared",
                $name,
                input.len()
            );

            let mut stream = stream.borrow_mut();
            start(&mut stream, &nonce, aad.len(), input.len()).unwrap();
            parts(aad.len(), $unit).for_each(|part| stream.aad(&aad[part]).unwrap());
            let in_parts = inside(input, |data| {
                parts(data.len(), $unit).for_each(|part| stream.encrypt(&mut data[part]).unwrap());
            });
            assert!(
                in_parts == sealed,
                "{}, {} bytes: other in parts",
                $name,
                input.len()
            );
            assert_eq!(
                stream.finish().unwrap().to_vec(),
                tag,
                "{}, {} bytes",
                $name,
                input.len()
            );
            start(&mut stream, &nonce, aad.len(), input.len()).unwrap();
            parts(aad.len(), $unit).for_each(|part| stream.aad(&aad[part]).unwrap());
            let in_parts = apart(&sealed, |from, to| {
                for part in parts(from.len(), $unit) {
                    stream
                        .decrypt_unverified_to(&from[part.clone()], &mut to[part])
                        .unwrap();
                }
            });
            assert!(
                in_parts == input,
                "{}, {} bytes: not undone in parts",
                $name,
                input.len()
            );
            assert_eq!(stream.verify(&tag), Ok(()), "{}, {} bytes", $name, input.len());
            [sealed, tag].concat()
        })
    }};
}

fn gcm(i: Implementation, key: &[u8]) -> Work {
    let nonce_len = |len| if len % 5 == 0 { 1 + len * 3 % 100 } else { 12 };
    let start: Start<GcmStream> = |s, nonce, _, _| s.start_again(nonce);
    aead!(i, key, "GCM", any, Gcm, GcmStream, nonce_len, 1, start)
}

fn ccm(i: Implementation, key: &[u8]) -> Work {
    let start: Start<CcmStream> = |s, nonce, aad, text| s.start_again(nonce, aad as u64, text as u64);
    aead!(
        i,
        key,
        "CCM",
        |len| len <= 300,
        Ccm,
        CcmStream,
        |len| 7 + len % 7,
        1,
        start
    )
}

/// A part of it that is no whole blocks is the last one.
fn ocb(i: Implementation, key: &[u8]) -> Work {
    let start: Start<OcbStream> = |s, nonce, _, _| s.start_again(nonce);
    aead!(i, key, "OCB", any, Ocb, OcbStream, |len| 1 + len % 15, 16, start)
}

/// Many messages at once against one by one by the portable code; answers how many were right.
pub fn many(i: Implementation, key_len: usize) -> usize {
    let key = &bytes(6, key_len)[..];
    let one = Cbc::with_implementation(Implementation::PORTABLE, key).unwrap();
    let one_tag = Cmac::with_implementation(Implementation::PORTABLE, key).unwrap();
    let many = CbcMany::with_implementation(i, key).unwrap();
    let many_tags = Cmac::with_implementation(i, key).unwrap();
    // A key of their own for every third, of another size.
    let key = &bytes(7, 40 - key_len.min(24))[..];
    let other = Cbc::with_implementation(Implementation::PORTABLE, key).unwrap();
    let other_tag = Cmac::with_implementation(Implementation::PORTABLE, key).unwrap();
    let others = CbcMany::with_implementation(i, key).unwrap();
    let other_tags = Cmac::with_implementation(i, key).unwrap();
    let lengths: [fn(usize) -> usize; 4] = [
        |_| 256,
        |n| 16 * n,
        |n| 16 * (n * 7919 % 23),
        |n| if n % 31 == 0 { 800 } else { 48 },
    ];
    let mut right = 0;
    for count in [1, 2, 4, 7, 16, 31, 33] {
        for length in lengths {
            let texts: Vec<_> = (0..count).map(|n| bytes(n as u64, length(n))).collect();
            let mut made = texts.clone();
            let mut messages: Vec<_> = made
                .iter_mut()
                .map(|text| Message {
                    iv: IV,
                    data: text.as_mut_slice().into(),
                })
                .collect();
            many.encrypt(&mut messages).unwrap();
            let ivs: Vec<_> = messages.iter().map(|message| message.iv).collect();
            let mut each = texts.clone();
            let messages = each.iter_mut().enumerate().map(|(n, text)| {
                let data = text.as_mut_slice().into();
                (if n % 3 == 0 { &others } else { &many }, Message { iv: IV, data })
            });
            CbcMany::encrypt_each(&mut messages.collect::<Vec<_>>()).unwrap();
            let odd: Vec<_> = (texts.iter().zip(0..))
                .map(|(t, n)| &t[..t.len().saturating_sub(n % 17)])
                .collect();
            let mut tags = vec![[0; 16]; count];
            many_tags.tags(&odd, &mut tags).unwrap();
            let messages = odd.iter().enumerate();
            let messages =
                messages.map(|(n, &text)| (if n % 3 == 0 { &other_tags } else { &many_tags }, text));
            let mut tags_each = vec![[0; 16]; count];
            Cmac::tags_each(&messages.collect::<Vec<_>>(), &mut tags_each).unwrap();
            for (n, text) in texts.iter().enumerate() {
                let (mut iv, mut expected) = (IV, text.clone());
                one.encrypt(&mut iv, &mut expected).unwrap();
                let what = || format!("{}, {n} of {count} messages, key {key_len}", i.name());
                assert!(made[n] == expected && ivs[n] == iv, "CBC: {}", what());
                assert!(tags[n] == one_tag.tag(odd[n]), "CMAC: {}", what());
                let (each_tag, mut expected_each) =
                    (if n % 3 == 0 { &other_tag } else { &one_tag }, text.clone());
                let each_cbc = if n % 3 == 0 { &other } else { &one };
                each_cbc.encrypt(&mut { IV }, &mut expected_each).unwrap();
                assert!(each[n] == expected_each, "CBC under a key each: {}", what());
                assert!(
                    tags_each[n] == each_tag.tag(odd[n]),
                    "CMAC under a key each: {}",
                    what()
                );
                right += 1;
            }
        }
    }
    right
}
