//! Everything that a cipher can be asked for: each function answers all that it made of key and data.

use std::{
    hint::black_box,
    sync::atomic::{AtomicUsize, Ordering},
};

use ciphertune::{
    Cbc, CbcMany, Ccm, CcmStream, Cfb, Cfb8, Cmac, CmacStream, Ctr, Ecb, Error, Feedback, Gcm, GcmStream,
    Implementation, Message, Ocb, OcbStream, Ofb, Rijndael, Xts,
};

use crate::secret;

/// A verdict, which the caller is told and which so is no secret: whether a tag is the right one, and whether the two
/// keys of XTS are the same. Two branches may depend on it, where the text is given out and where the caller is told;
/// they are counted, for `main` to leave out, and the verdict is known from here on.
pub fn told(run: impl FnOnce() -> Result<(), Error>) -> bool {
    let before = secret::reports();
    let mut verdict = [u8::from(run().is_ok())];
    TOLD.fetch_add((secret::reports() - before).min(2), Ordering::Relaxed);
    // From memory, of which the tool is told, and not from a register.
    let verdict = black_box(&mut verdict);
    secret::reveal(verdict);
    black_box(verdict)[0] == 1
}

/// Branches on verdicts so far.
pub static TOLD: AtomicUsize = AtomicUsize::new(0);

/// Texts and tags.
pub type Outputs = Vec<Vec<u8>>;

/// A mode under one key by one implementation.
pub type Run = fn(Implementation, &[u8], &[u8]) -> Result<Outputs, Error>;

/// Every mode. XTS makes its second key of the first.
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

/// Past two wide loops of `aesni` (128 bytes) and every tail of the others (512 at most, by steps of 64).
const EVERY_LENGTH: usize = 272;

/// Where kernels change from one way to another: tails, single batches, wide loops, and long messages.
const LENGTHS: [usize; 23] = [
    0, 1, 8, 15, 16, 17, 31, 33, 48, 64, 100, 127, 128, 144, 257, 272, 500, 512, 535, 777, 1040, 1350, 2500,
];

/// First counter blocks: any, and three that carry soon, out of 8, 32 and 128 bits.
const IVS: [u128; 4] = [
    0x243f_6a88_85a3_08d3_1319_8a2e_0370_7344,
    0xf5,
    0xffff_fff0,
    u128::MAX - 9,
];

fn ctr(implementation: Implementation, key: &[u8], data: &[u8]) -> Result<Outputs, Error> {
    let mut all = Outputs::new();
    for iv in IVS {
        let iv = iv.to_be_bytes();
        let mut cipher = Ctr::with_implementation(implementation, key, &iv)?;
        for length in 0..=EVERY_LENGTH {
            // From a block's start, then from wherever that ended.
            cipher.rekey(key, &iv)?;
            in_place(&mut all, &data[..length], |data| cipher.apply(data))?;
            apart(&mut all, &data[..length], |input, output| {
                cipher.apply_to(input, output)
            })?;
        }
        // Long enough for one round ahead, then for two, as `-r2` makes them; then short calls with each.
        for times in [1, 2] {
            for _ in 0..times {
                in_place(&mut all, data, |data| cipher.apply(data))?;
            }
            for length in 0..=EVERY_LENGTH {
                in_place(&mut all, &data[..length], |data| cipher.apply(data))?;
            }
        }
        for position in [0, 1, 15, 16, 4095, 1 << 40] {
            cipher.seek(position);
            apart(&mut all, data, |input, output| cipher.apply_to(input, output))?;
        }
        // Within a block.
        let mut copy = cipher.clone();
        apart(&mut all, data, |input, output| copy.apply_to(input, output))?;
    }
    // What caches cannot hold is written past them; by bitsliced code no other way, and for long.
    if key.len() == 16
        && implementation
            .features()
            .iter()
            .any(|feature| feature.name() == "aes")
    {
        let mut cipher = Ctr::with_implementation(implementation, key, &[9; 16])?;
        let far = data.repeat((9 << 20) / data.len());
        apart(&mut all, &far, |input, output| cipher.apply_to(input, output))?;
    }
    Ok(all)
}

/// Seals and opens messages of many lengths.
macro_rules! sealed {
    ($all:ident, $cipher:ident, $data:ident, $nonces:expr) => {
        for (nonce, length) in $nonces.into_iter().zip(LENGTHS.into_iter().cycle().take(40)) {
            let (aad, text) = (&$data[..length % 99], &$data[..length]);
            let mut sealed = text.to_vec();
            let tag = $cipher.seal_in_place(nonce, aad, &mut sealed)?;
            $all.push(tag.to_vec());
            $all.push(sealed.clone());
            apart(&mut $all, &sealed, |input, output| {
                assert!(told(|| $cipher.open_to(nonce, aad, input, output, &tag)));
                Ok(())
            })?;
            // A forgery, which leaves zeros.
            sealed.push(0);
            assert!(!told(|| $cipher.open_in_place(nonce, aad, &mut sealed, &tag)));
        }
    };
}

/// The same for messages in parts, of a multiple of so many bytes but for the last.
macro_rules! in_parts {
    ($all:ident, $stream:ident, $data:ident, $unit:literal, $start:expr) => {
        for length in [40, 300, 2100] {
            let (aad, text) = (&$data[..77], &$data[..length]);
            let mut sealed = text.to_vec();
            let start = $start;
            start(&mut $stream, length)?;
            for part in aad.chunks(33) {
                $stream.aad(part)?;
            }
            for part in sealed.chunks_mut((length / 3 + 1).next_multiple_of($unit)) {
                $stream.encrypt(part)?;
            }
            let tag = $stream.finish()?;
            $all.push(tag.to_vec());
            $all.push(sealed.clone());
            start(&mut $stream, length)?;
            $stream.aad(aad)?;
            for part in sealed.chunks_mut((length / 5 + 2).next_multiple_of($unit)) {
                $stream.decrypt_unverified(part)?;
            }
            assert!(told(|| $stream.verify(&tag)));
            $all.push(sealed);
        }
    };
}

fn gcm(implementation: Implementation, key: &[u8], data: &[u8]) -> Result<Outputs, Error> {
    let mut all = Outputs::new();
    let mut cipher = Gcm::with_implementation(implementation, key)?;
    // So much used that two rounds are made ahead, for nonces like this one; for others then the first again.
    for _ in 0..2 {
        let tag = cipher.seal_in_place(&[1; 12], b"", &mut vec![0; 70_000])?;
        all.push(tag.to_vec());
    }
    // Of a nonce of twelve bytes the counter is known; of any other it is a hash, as secret as the key.
    for nonces in [
        [&[1; 12][..]; 3],
        [&[2; 7], &[3; 16], &[4; 60]],
        [&[5; 12][..]; 3],
    ] {
        sealed!(all, cipher, data, nonces.into_iter().cycle());
    }
    let mut stream = GcmStream::new(cipher);
    for nonce in [&[7; 12][..], &[8; 13]] {
        in_parts!(all, stream, data, 1, |stream: &mut GcmStream, _| stream
            .start_again(nonce));
    }
    Ok(all)
}

fn ccm(implementation: Implementation, key: &[u8], data: &[u8]) -> Result<Outputs, Error> {
    let mut all = Outputs::new();
    let cipher = Ccm::with_implementation(implementation, key)?;
    sealed!(
        all,
        cipher,
        data,
        [&[1; 12][..], &[2; 7], &[3; 13]].into_iter().cycle()
    );
    let mut stream = CcmStream::new(cipher);
    in_parts!(all, stream, data, 1, |stream: &mut CcmStream, length| stream
        .start_again(&[7; 12], 77, length as u64));
    Ok(all)
}

fn ocb(implementation: Implementation, key: &[u8], data: &[u8]) -> Result<Outputs, Error> {
    let mut all = Outputs::new();
    let cipher = Ocb::with_implementation(implementation, key)?;
    sealed!(
        all,
        cipher,
        data,
        [&[1; 12][..], &[2; 7], &[3; 15]].into_iter().cycle()
    );
    let mut stream = OcbStream::new(cipher);
    in_parts!(all, stream, data, 16, |stream: &mut OcbStream, _| stream
        .start_again(&[7; 12]));
    Ok(all)
}

fn xts(implementation: Implementation, key: &[u8], data: &[u8]) -> Result<Outputs, Error> {
    let mut all = Outputs::new();
    let second: Vec<u8> = key.iter().map(|byte| byte ^ 0x5a).collect();
    let mut cipher = Err(Error::XtsKeyHalves);
    told(|| {
        cipher = Xts::with_implementation(implementation, &[key, &second].concat());
        Ok(())
    });
    let cipher = cipher?;
    for length in LENGTHS.into_iter().filter(|&length| length >= 16) {
        in_place(&mut all, &data[..length], |data| {
            cipher.encrypt(length as u128, data)
        })?;
        apart(&mut all, &data[..length], |input, output| {
            cipher.decrypt_to(length as u128, input, output)
        })?;
    }
    Ok(all)
}

fn cbc(implementation: Implementation, key: &[u8], data: &[u8]) -> Result<Outputs, Error> {
    let mut all = Outputs::new();
    let cipher = Cbc::with_implementation(implementation, key)?;
    let many = CbcMany::with_implementation(implementation, key)?;
    for length in LENGTHS.map(|length| length / 16 * 16) {
        in_place(&mut all, &data[..length], |data| {
            cipher.encrypt(&mut [1; 16], data)
        })?;
        apart(&mut all, &data[..length], |input, output| {
            cipher.decrypt_to(&mut [1; 16], input, output)
        })?;
        in_place(&mut all, &data[..length], |data| {
            let parts = data.chunks_mut(length / 160 * 16 + 16);
            let mut messages: Vec<_> = parts
                .map(|data| Message {
                    iv: [1; 16],
                    data: data.into(),
                })
                .collect();
            many.encrypt(&mut messages)?;
            let other = &many.clone();
            let messages = messages
                .into_iter()
                .zip([&many, other, other].into_iter().cycle());
            CbcMany::encrypt_each(&mut messages.map(|(message, key)| (key, message)).collect::<Vec<_>>())
        })?;
    }
    Ok(all)
}

fn feedback(implementation: Implementation, key: &[u8], data: &[u8]) -> Result<Outputs, Error> {
    let mut all = Outputs::new();
    let cfb = Cfb::with_implementation(implementation, key)?;
    let cfb8 = Cfb8::with_implementation(implementation, key)?;
    let ofb = Ofb::with_implementation(implementation, key)?;
    let mut at = [1, 2, 3].map(|iv| Feedback::new([iv; 16]));
    for length in LENGTHS {
        in_place(&mut all, &data[..length], |data| {
            cfb.encrypt(&mut at[0], data);
            Ok(())
        })?;
        apart(&mut all, &data[..length], |input, output| {
            cfb.decrypt_to(&mut at[1], input, output)
        })?;
        apart(&mut all, &data[..length], |input, output| {
            ofb.apply_to(&mut at[2], input, output)
        })?;
        let short = &data[..length.min(100)];
        in_place(&mut all, short, |data| {
            cfb8.encrypt(&mut [4; 16], data);
            Ok(())
        })?;
        in_place(&mut all, short, |data| {
            cfb8.decrypt(&mut [5; 16], data);
            Ok(())
        })?;
    }
    Ok(all)
}

fn ecb(implementation: Implementation, key: &[u8], data: &[u8]) -> Result<Outputs, Error> {
    let mut all = Outputs::new();
    let cipher = Ecb::with_implementation(implementation, key)?;
    for length in LENGTHS.map(|length| length / 16 * 16) {
        in_place(&mut all, &data[..length], |data| cipher.encrypt(data))?;
        apart(&mut all, &data[..length], |input, output| {
            cipher.decrypt_to(input, output)
        })?;
    }
    Ok(all)
}

fn cmac(implementation: Implementation, key: &[u8], data: &[u8]) -> Result<Outputs, Error> {
    let mut all = Outputs::new();
    let cipher = Cmac::with_implementation(implementation, key)?;
    let mut stream = CmacStream::new(cipher.clone());
    for length in LENGTHS {
        let tag = cipher.tag(&data[..length]);
        assert!(told(|| cipher.verify(&data[..length], &tag)));
        assert!(told(|| Cmac::compare(&tag, &tag[..11])));
        stream.update(&data[..length]);
        all.push(tag.to_vec());
    }
    all.push(stream.finish().to_vec());
    let messages = LENGTHS.map(|length| &data[..length]);
    let mut tags = [[0; 16]; LENGTHS.len()];
    cipher.tags(&messages, &mut tags)?;
    all.extend(tags.map(Vec::from));
    let other = cipher.clone();
    let messages = messages.map(|message| (if message.len() % 2 == 0 { &cipher } else { &other }, message));
    Cmac::tags_each(&messages, &mut tags)?;
    all.extend(tags.map(Vec::from));
    Ok(all)
}

/// Rijndael's larger blocks, of which there is one implementation.
pub fn rijndael<const BLOCK: usize>(key: &[u8], data: &[u8]) -> Result<Outputs, Error> {
    let mut all = Outputs::new();
    let cipher = Rijndael::<BLOCK>::new(key)?;
    for blocks in [1, 2, 5] {
        let data = &data[..blocks * BLOCK];
        in_place(&mut all, data, |data| cipher.cbc_encrypt(&mut [1; BLOCK], data))?;
        in_place(&mut all, data, |data| cipher.cbc_decrypt(&mut [1; BLOCK], data))?;
        in_place(&mut all, data, |data| {
            cipher.cfb_encrypt(&mut [1; BLOCK], 8, data)
        })?;
        in_place(&mut all, data, |data| {
            cipher.cfb_decrypt(&mut [1; BLOCK], 8, data)
        })?;
    }
    Ok(all)
}

fn in_place(
    all: &mut Outputs,
    data: &[u8],
    run: impl FnOnce(&mut [u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut output = data.to_vec();
    run(&mut output)?;
    all.push(output);
    Ok(())
}

fn apart(
    all: &mut Outputs,
    data: &[u8],
    run: impl FnOnce(&[u8], &mut [u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut output = vec![0; data.len()];
    run(data, &mut output)?;
    all.push(output);
    Ok(())
}
