use aead::{AeadInOut, KeyInit, consts};
use arbitrary::Arbitrary;
use ciphertune::{Ccm, CcmStream, Error, Gcm, GcmStream, Ocb, OcbStream};

use crate::{Choice, Cuts, Key, aws_lc, by_key, case};

#[derive(Arbitrary, Debug)]
struct Case<'a> {
    choice: Choice,
    key: Key,
    nonce: [u8; 16],
    /// Which of the lengths of nonce and tag that the peer's types were made for.
    lengths: u8,
    /// A bit of text, additional data or tag that is changed.
    forged: u16,
    cuts: Cuts,
    aad_len: u8,
    rest: &'a [u8],
}

impl Case<'_> {
    fn aad(&self) -> &[u8] {
        &self.rest[..self.rest.len().min(self.aad_len.into())]
    }

    fn text(&self) -> &[u8] {
        &self.rest[self.aad().len()..]
    }

    /// What was sealed, with a bit changed somewhere.
    fn forge(&self, cipher: &[u8], tag: &[u8]) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
        let mut parts = (self.aad().to_vec(), cipher.to_vec(), tag.to_vec());
        let all = [&mut parts.0, &mut parts.1, &mut parts.2];
        let len = all.iter().map(|part| part.len()).sum::<usize>();
        let mut at = usize::from(self.forged) % len;
        for part in all {
            if at < part.len() {
                part[at] ^= 1 << (self.forged % 8);
                break;
            }
            at -= part.len();
        }
        parts
    }
}

/// What RustCrypto's `Theirs` seals: ciphertext and tag.
fn sealed<Theirs: AeadInOut + KeyInit>(case: &Case<'_>, nonce: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let theirs = Theirs::new_from_slice(case.key.bytes()).unwrap();
    let mut text = case.text().to_vec();
    let nonce = nonce.try_into().expect("as long as its nonces");
    let tag = theirs
        .encrypt_inout_detached(nonce, case.aad(), text.as_mut_slice().into())
        .unwrap();
    (text, tag.to_vec())
}

/// One message sealed, opened and forged.
macro_rules! whole {
    ($case:ident, $ours:expr, $nonce:expr, $cipher:expr, $tag:expr) => {{
        let (cipher, tag) = (&$cipher, &$tag);
        let mut text = $case.text().to_vec();
        let ours_tag = $ours.seal_in_place($nonce, $case.aad(), &mut text).unwrap();
        assert!(text == *cipher && *ours_tag == **tag, "{:?}", $case.choice);
        let mut opened = vec![0xa5; text.len()];
        $ours
            .open_to($nonce, $case.aad(), cipher, &mut opened, tag)
            .unwrap();
        assert!(opened == $case.text(), "{:?}", $case.choice);

        let (aad, mut text, tag) = $case.forge(cipher, tag);
        let refused = $ours.open_in_place($nonce, &aad, &mut text, &tag);
        assert_eq!(refused, Err(Error::NotAuthentic));
        assert!(
            text.iter().all(|&byte| byte == 0),
            "unauthentic text was given out"
        );
    }};
}

/// The same message in parts, of a multiple of `unit` bytes but for the last.
macro_rules! in_parts {
    ($case:ident, $unit:literal, $stream:expr, $start:expr, $cipher:expr, $tag:expr) => {{
        let (stream, cipher, tag) = (&mut $stream, &$cipher, &$tag);
        for decrypt in [false, true] {
            let start: fn(&mut _, &Case<'_>) = $start;
            start(stream, &$case);
            for part in $case.cuts.parts($case.aad().len()) {
                stream.aad(&$case.aad()[part]).unwrap();
            }
            let mut text = if decrypt {
                cipher.clone()
            } else {
                $case.text().to_vec()
            };
            let mut part = |input: Option<&[u8]>, output: &mut [u8]| match (input, decrypt) {
                (None, false) => stream.encrypt(output).unwrap(),
                (None, true) => stream.decrypt_unverified(output).unwrap(),
                (Some(input), false) => stream.encrypt_to(input, output).unwrap(),
                (Some(input), true) => stream.decrypt_unverified_to(input, output).unwrap(),
            };
            $case.cuts.run(&mut text, $unit, &mut part);
            let whole = text.len() / $unit * $unit;
            part(None, &mut text[whole..]);
            if decrypt {
                stream.verify(tag).unwrap();
                assert!(text == $case.text(), "{:?}", $case.choice);
            } else {
                assert_eq!(*stream.finish().unwrap(), **tag);
                assert!(text == *cipher, "{:?}", $case.choice);
            }
        }
    }};
}

/// GCM, in one piece and in parts.
pub fn gcm(data: &[u8]) {
    let Some(case) = case::<Case<'_>>(data) else {
        return;
    };
    let (nonce, (cipher, mut tag)) = by_key!(case.key, Aes => match case.lengths % 3 {
        0 => (&case.nonce[..1], sealed::<aes_gcm::AesGcm<Aes, consts::U1>>(&case, &case.nonce[..1])),
        1 => (&case.nonce[..16], sealed::<aes_gcm::AesGcm<Aes, consts::U16>>(&case, &case.nonce)),
        _ => (&case.nonce[..12], sealed::<aes_gcm::AesGcm<Aes, consts::U12>>(&case, &case.nonce[..12])),
    });
    if let Ok(nonce) = nonce.try_into() {
        let theirs = aws_lc::sealed(&case.key, nonce, case.aad(), case.text());
        assert_eq!(theirs, (cipher.clone(), tag.clone()));
    }
    tag.truncate([16, 12, 13, 4][usize::from(case.lengths / 3 % 4)]);
    let ours = Gcm::with_implementation(case.choice.with_gcm(), case.key.bytes()).unwrap();
    let mut ours = ours.with_short_tag_len(tag.len()).unwrap();
    if case.lengths >= 128 {
        // Far enough for rounds ahead, of this nonce's counters.
        for _ in 0..2 {
            let lead = &mut [0; Gcm::BUSY_AFTER + 500];
            ours.seal_in_place(nonce, &[], lead).unwrap();
        }
    }
    whole!(case, ours, nonce, cipher, tag);
    let start = |stream: &mut GcmStream, case: &Case<'_>| {
        let len = [1, 16, 12][usize::from(case.lengths % 3)];
        stream.start(&case.nonce[..len]).unwrap();
    };
    in_parts!(case, 1, GcmStream::new(ours), start, cipher, tag);
}

/// CCM, in one piece and in parts.
pub fn ccm(data: &[u8]) {
    let Some(case) = case::<Case<'_>>(data) else {
        return;
    };
    let (nonce, (cipher, tag)) = by_key!(case.key, Aes => match case.lengths % 3 {
        0 => (&case.nonce[..7], sealed::<ccm::Ccm<Aes, consts::U4, consts::U7>>(&case, &case.nonce[..7])),
        1 => (&case.nonce[..13], sealed::<ccm::Ccm<Aes, consts::U10, consts::U13>>(&case, &case.nonce[..13])),
        _ => (&case.nonce[..12], sealed::<ccm::Ccm<Aes, consts::U16, consts::U12>>(&case, &case.nonce[..12])),
    });
    let ours = Ccm::with_implementation(case.choice.implementation(), case.key.bytes()).unwrap();
    let ours = ours.with_tag_len(tag.len()).unwrap();
    // A tag of four bytes can be found by trying.
    if tag.len() > 4 {
        whole!(case, ours, nonce, cipher, tag);
    }
    let start = |stream: &mut CcmStream, case: &Case<'_>| {
        let len = [7, 13, 12][usize::from(case.lengths % 3)];
        let lengths = (case.aad().len() as u64, case.text().len() as u64);
        stream.start(&case.nonce[..len], lengths.0, lengths.1).unwrap();
    };
    in_parts!(case, 1, CcmStream::new(ours), start, cipher, tag);
}

/// OCB, in one piece and in parts.
pub fn ocb(data: &[u8]) {
    let Some(case) = case::<Case<'_>>(data) else {
        return;
    };
    let (nonce, (cipher, tag)) = by_key!(case.key, Aes => match case.lengths % 3 {
        0 => (&case.nonce[..6], sealed::<ocb3::Ocb3<Aes, consts::U6, consts::U12>>(&case, &case.nonce[..6])),
        1 => (&case.nonce[..15], sealed::<ocb3::Ocb3<Aes, consts::U15, consts::U16>>(&case, &case.nonce[..15])),
        _ => (&case.nonce[..12], sealed::<ocb3::Ocb3<Aes, consts::U12, consts::U16>>(&case, &case.nonce[..12])),
    });
    let ours = Ocb::with_implementation(case.choice.implementation(), case.key.bytes()).unwrap();
    let ours = ours.with_tag_len(tag.len()).unwrap();
    whole!(case, ours, nonce, cipher, tag);
    let start = |stream: &mut OcbStream, case: &Case<'_>| {
        let len = [6, 15, 12][usize::from(case.lengths % 3)];
        stream.start(&case.nonce[..len]).unwrap();
    };
    in_parts!(case, 16, OcbStream::new(ours), start, cipher, tag);
}
