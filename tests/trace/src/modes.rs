//! Each mode under one key by one implementation: whole and in parts, there and back, in place and apart.
use std::hint::black_box;

use ciphertune::{
    Cbc, CbcMany, Ccm, CcmStream, Cfb, Cfb8, Cmac, CmacStream, Ctr, Ecb, Error, Feedback, Gcm, GcmStream,
    Implementation, Message, Ocb, OcbStream, Ofb, Rijndael, Xts,
};

/// A mode under a key, on as many bytes as [`LONG`].
pub type Run = fn(Implementation, &[u8], &[u8]) -> Result<(), Error>;

/// Every one but Rijndael's larger blocks, which have one implementation. XTS makes its second key of the first.
pub const MODES: [(&str, Run); 9] = [
    ("CTR", ctr),
    ("GCM", gcm),
    ("CCM", ccm),
    ("OCB", ocb),
    ("XTS", xts),
    ("CBC", cbc),
    ("CFB, CFB-8, OFB", feedback),
    ("ECB", ecb),
    ("CMAC", cmac),
];

/// Bytes of a message: after 8 KiB of a stream one round is made ahead, after 16 KiB more the second.
pub const LONG: usize = 3 * 4096 + 77;

/// Tails, single batches, wide loops.
const LENGTHS: [usize; 9] = [1, 16, 33, 100, 144, 257, 512, 777, 1350];

/// First counter blocks: one that carries out of its low 32 bits within a message, and one out of all.
const IVS: [u128; 2] = [0xffff_fff0, u128::MAX - 9];

fn ctr(implementation: Implementation, key: &[u8], data: &[u8]) -> Result<(), Error> {
    for iv in IVS {
        let mut cipher = Ctr::with_implementation(implementation, key, &iv.to_be_bytes())?;
        for length in LENGTHS {
            let mut text = data[..length].to_vec();
            // From a block's start, then from wherever that ended.
            cipher.rekey(key, &iv.to_be_bytes())?;
            cipher.apply(&mut text)?;
            cipher.apply_to(&data[..length], &mut text)?;
        }
        // Far enough for one round ahead, then for two; then short calls with each.
        for times in [1, 2] {
            for _ in 0..times {
                cipher.apply(&mut data.to_vec())?;
            }
            for length in LENGTHS {
                cipher.apply(&mut data[..length].to_vec())?;
            }
        }
        cipher.seek(15);
        cipher.apply(&mut data[..1350].to_vec())?;
    }
    Ok(())
}

/// Seals, opens and forges.
macro_rules! sealed {
    ($cipher:ident, $data:ident, $nonces:expr) => {
        for (nonce, length) in $nonces
            .into_iter()
            .cycle()
            .zip(LENGTHS.into_iter().chain([0, 48, 60, 100]))
        {
            let (aad, mut text) = (&$data[..length % 99], $data[..length].to_vec());
            let tag = $cipher.seal_in_place(nonce, aad, &mut text)?;
            $cipher.open_to(nonce, aad, &text.clone(), &mut text, &tag)?;
            let forged = $cipher.open_in_place(nonce, aad, &mut text, &[0; 16]);
            assert_eq!(forged, Err(Error::NotAuthentic));
        }
    };
}

/// The same in parts, of a multiple of 16 bytes but for the last: long ones, and such as one vector or two are enough for.
macro_rules! in_parts {
    ($stream:ident, $data:ident, $start:expr) => {
        let (aad, mut text) = (&$data[..77], $data[..777].to_vec());
        $start?;
        aad.chunks(33).try_for_each(|part| $stream.aad(part))?;
        let (long, short) = text.split_at_mut(2 * 272);
        let mut parts = long.chunks_mut(272).chain(short.chunks_mut(48));
        parts.try_for_each(|part| $stream.encrypt(part))?;
        let tag = $stream.finish()?;
        $start?;
        $stream.aad(aad)?;
        let (short, long) = text.split_at_mut(320);
        let mut parts = short.chunks_mut(112).chain(long.chunks_mut(160));
        parts.try_for_each(|part| $stream.decrypt_unverified(part))?;
        $stream.verify(&tag)?;
    };
}

fn gcm(implementation: Implementation, key: &[u8], data: &[u8]) -> Result<(), Error> {
    let mut cipher = Gcm::with_implementation(implementation, key)?;
    // A nonce of twelve bytes is a counter that is known; of any other that is a hash, as secret as the key.
    let nonces = [&[1; 12][..], &[2; 12], &[3; 7], &[4; 60]];
    sealed!(cipher, data, nonces);
    // So much used that two rounds are made ahead, where there is such code; for the second nonce then the first again.
    if implementation
        .features()
        .iter()
        .any(|feature| feature.name() == "aes")
    {
        for _ in 0..2 {
            cipher.seal_in_place(&[1; 12], b"", &mut vec![0; 70_000])?;
        }
        sealed!(cipher, data, nonces);
    }
    let mut stream = GcmStream::new(cipher);
    for nonce in [&[7; 12][..], &[8; 13]] {
        in_parts!(stream, data, stream.start_again(nonce));
    }
    Ok(())
}

fn ccm(implementation: Implementation, key: &[u8], data: &[u8]) -> Result<(), Error> {
    let cipher = Ccm::with_implementation(implementation, key)?;
    sealed!(cipher, data, [&[1; 12][..], &[2; 7], &[3; 13]]);
    let mut stream = CcmStream::new(cipher);
    in_parts!(stream, data, stream.start_again(&[7; 12], 77, 777));
    Ok(())
}

fn ocb(implementation: Implementation, key: &[u8], data: &[u8]) -> Result<(), Error> {
    let cipher = Ocb::with_implementation(implementation, key)?;
    sealed!(cipher, data, [&[1; 12][..], &[2; 7], &[3; 15]]);
    let mut stream = OcbStream::new(cipher);
    in_parts!(stream, data, stream.start_again(&[7; 12]));
    Ok(())
}

fn xts(implementation: Implementation, key: &[u8], data: &[u8]) -> Result<(), Error> {
    let second: Vec<u8> = key.iter().map(|byte| byte ^ 0x5a).collect();
    let cipher = Xts::with_implementation(implementation, &[key, &second].concat())?;
    let lengths = LENGTHS.into_iter().chain([48, 128, 256]);
    for length in lengths.filter(|&length| length >= 16) {
        let mut text = data[..length].to_vec();
        cipher.encrypt(length as u128, &mut text)?;
        cipher.decrypt_to(length as u128, &text.clone(), &mut text)?;
    }
    Ok(())
}

fn cbc(implementation: Implementation, key: &[u8], data: &[u8]) -> Result<(), Error> {
    let cipher = Cbc::with_implementation(implementation, key)?;
    let many = CbcMany::with_implementation(implementation, key)?;
    for length in LENGTHS.map(|length| length / 16 * 16) {
        let mut text = data[..length].to_vec();
        cipher.encrypt(&mut [1; 16], &mut text)?;
        cipher.decrypt_to(&mut [1; 16], &text.clone(), &mut text)?;
        let parts = text.chunks_mut(length / 160 * 16 + 16);
        let messages = parts.map(|data| Message {
            iv: [1; 16],
            data: data.into(),
        });
        let mut messages: Vec<_> = messages.collect();
        many.encrypt(&mut messages)?;
        let other = &many.clone();
        let messages = messages
            .into_iter()
            .zip([&many, other, other].into_iter().cycle());
        CbcMany::encrypt_each(&mut messages.map(|(message, key)| (key, message)).collect::<Vec<_>>())?;
    }
    Ok(())
}

fn feedback(implementation: Implementation, key: &[u8], data: &[u8]) -> Result<(), Error> {
    let cfb = Cfb::with_implementation(implementation, key)?;
    let ofb = Ofb::with_implementation(implementation, key)?;
    let mut at = [1, 2, 3].map(|iv| Feedback::new([iv; 16]));
    for length in LENGTHS {
        let mut text = data[..length].to_vec();
        cfb.encrypt(&mut at[0], &mut text);
        cfb.decrypt_to(&mut at[1], &text.clone(), &mut text)?;
        ofb.apply(&mut at[2], &mut text);
    }
    let cfb = Cfb8::with_implementation(implementation, key)?;
    let mut text = data[..40].to_vec();
    cfb.encrypt(&mut [4; 16], &mut text);
    cfb.decrypt(&mut [5; 16], &mut text);
    Ok(())
}

fn ecb(implementation: Implementation, key: &[u8], data: &[u8]) -> Result<(), Error> {
    let cipher = Ecb::with_implementation(implementation, key)?;
    for length in LENGTHS.map(|length| length / 16 * 16) {
        let mut text = data[..length].to_vec();
        cipher.encrypt(&mut text)?;
        cipher.decrypt_to(&text.clone(), &mut text)?;
    }
    Ok(())
}

fn cmac(implementation: Implementation, key: &[u8], data: &[u8]) -> Result<(), Error> {
    let cipher = Cmac::with_implementation(implementation, key)?;
    let mut stream = CmacStream::new(cipher.clone());
    for length in LENGTHS {
        let tag = cipher.tag(&data[..length]);
        cipher.verify(&data[..length], &tag)?;
        stream.update(&data[..length]);
    }
    black_box(stream.finish());
    let messages = LENGTHS.map(|length| &data[..length]);
    let mut tags = [[0; 16]; LENGTHS.len()];
    cipher.tags(&messages, &mut tags)?;
    let other = cipher.clone();
    let messages = messages.map(|message| (if message.len() % 2 == 0 { &cipher } else { &other }, message));
    Cmac::tags_each(&messages, &mut tags)
}

/// Rijndael's larger blocks.
pub fn rijndael<const BLOCK: usize>(_: Implementation, key: &[u8], data: &[u8]) -> Result<(), Error> {
    let cipher = Rijndael::<BLOCK>::new(key)?;
    let mut text = data[..3 * BLOCK].to_vec();
    cipher.cbc_encrypt(&mut [1; BLOCK], &mut text)?;
    cipher.cbc_decrypt(&mut [1; BLOCK], &mut text)?;
    cipher.cfb_encrypt(&mut [1; BLOCK], 8, &mut text)?;
    cipher.cfb_decrypt(&mut [1; BLOCK], 8, &mut text)
}
