//! A context with a new key is as one made for it; with what is no key it stays as it was. So does a clone, whose key it
//! was before.

mod common;

use allocation_counter::measure;
use ciphertune::{
    Cbc, CbcMany, Ccm, CcmStream, Cfb, Cfb8, Cmac, CmacStream, Ecb, Error, Feedback, Gcm, GcmStream, Message,
    Ocb, OcbStream, Ofb, Xts,
};

use common::available;

/// `$run` says what the context makes of some text, by both directions where it has two.
macro_rules! rekeyed {
    ($test:ident, $type:ident, $keys:expr, $wrong:expr, $run:expr) => {
        #[test]
        fn $test() {
            let run: fn(&$type) -> Vec<u8> = $run;
            for implementation in available() {
                let new = |key: &[u8]| $type::with_implementation(implementation, key).unwrap();
                let [first, other] = $keys;
                let mut context = new(&first);
                run(&context);
                let clone = context.clone();
                context.rekey(&other).unwrap();
                assert_eq!(run(&context), run(&new(&other)), "{implementation:?}");
                assert_eq!(
                    run(&clone),
                    run(&new(&first)),
                    "{implementation:?}, a clone"
                );
                assert_ne!(run(&context), run(&new(&first)), "{implementation:?}");
                for wrong in $wrong {
                    let error: Error = context.rekey(&wrong).unwrap_err();
                    assert_eq!(
                        $type::with_implementation(implementation, &wrong).unwrap_err(),
                        error
                    );
                    assert_eq!(run(&context), run(&new(&other)), "{implementation:?}");
                }
            }
        }
    };
}

/// Of a size and of another.
fn keys() -> [Vec<u8>; 2] {
    [vec![1; 16], vec![2; 32]]
}

fn no_keys() -> [Vec<u8>; 3] {
    [vec![], vec![3; 17], vec![3; 33]]
}

const TEXT: [u8; 112] = [0x5a; 112];

rekeyed!(ecb, Ecb, keys(), no_keys(), |ecb| {
    let mut both = [TEXT; 2];
    ecb.encrypt(&mut both[0]).unwrap();
    ecb.decrypt(&mut both[1]).unwrap();
    both.concat()
});

rekeyed!(cbc, Cbc, keys(), no_keys(), |cbc| {
    let mut both = [TEXT; 2];
    cbc.encrypt(&mut [7; 16], &mut both[0]).unwrap();
    cbc.decrypt(&mut [7; 16], &mut both[1]).unwrap();
    both.concat()
});

rekeyed!(cbc_many, CbcMany, keys(), no_keys(), |cbc| {
    let mut texts = [TEXT; 5];
    let mut messages = texts.each_mut().map(|text| Message {
        iv: [7; 16],
        data: text.as_mut_slice().into(),
    });
    cbc.encrypt(&mut messages).unwrap();
    texts.concat()
});

rekeyed!(cfb, Cfb, keys(), no_keys(), |cfb| {
    let mut both = [TEXT; 2];
    cfb.encrypt(&mut Feedback::new([7; 16]), &mut both[0]);
    cfb.decrypt(&mut Feedback::new([7; 16]), &mut both[1]);
    both.concat()
});

rekeyed!(cfb8, Cfb8, keys(), no_keys(), |cfb| {
    let mut both = [TEXT; 2];
    cfb.encrypt(&mut [7; 16], &mut both[0]);
    cfb.decrypt(&mut [7; 16], &mut both[1]);
    both.concat()
});

rekeyed!(ofb, Ofb, keys(), no_keys(), |ofb| {
    let mut text = TEXT;
    ofb.apply(&mut Feedback::new([7; 16]), &mut text);
    text.to_vec()
});

rekeyed!(cmac, Cmac, keys(), no_keys(), |cmac| cmac.tag(&TEXT).to_vec());

rekeyed!(ccm, Ccm, keys(), no_keys(), |ccm| {
    let mut text = TEXT;
    let tag = ccm.seal_in_place(&[7; 12], b"aad", &mut text).unwrap();
    [&text[..], &tag].concat()
});

rekeyed!(ocb, Ocb, keys(), no_keys(), |ocb| {
    let mut text = TEXT;
    let tag = ocb.seal_in_place(&[7; 12], b"aad", &mut text).unwrap();
    [&text[..], &tag].concat()
});

rekeyed!(
    xts,
    Xts,
    [[[1; 16], [2; 16]].concat(), [[3; 32], [4; 32]].concat()],
    // The last of them is two equal keys.
    [vec![], vec![3; 31], vec![3; 32]],
    |xts| {
        let mut both = [TEXT; 2];
        xts.encrypt(7, &mut both[0]).unwrap();
        xts.decrypt(7, &mut both[1]).unwrap();
        both.concat()
    }
);

/// In the midst of a message: with a new key it ends, whose nonce is new then; with what is no key it goes on.
macro_rules! rekeyed_stream {
    ($test:ident, $stream:ident of $type:ident, |$ctx:ident| $start:expr) => {
        #[test]
        fn $test() {
            let [first, other] = keys();
            let mut whole = TEXT;
            let whole_tag = $type::new(&other)
                .unwrap()
                .seal_in_place(&[7; 12], b"", &mut whole)
                .unwrap();
            let start = |$ctx: &mut $stream| $start;
            let mut stream = $stream::new($type::new(&first).unwrap());
            start(&mut stream).unwrap();
            stream.encrypt(&mut [0; 16]).unwrap();

            stream.rekey(&other).unwrap();
            assert_eq!(stream.encrypt(&mut [0; 16]), Err(Error::NoMessage));
            start(&mut stream).unwrap();
            let mut text = TEXT;
            for part in text.chunks_mut(16) {
                stream.encrypt(part).unwrap();
                for wrong in no_keys() {
                    assert_eq!(stream.rekey(&wrong), Err(Error::KeyLength(wrong.len())));
                }
            }
            let tag = stream.finish().unwrap();
            assert_eq!((text, &*tag), (whole, &*whole_tag));
            // Neither is it forgotten which nonce served.
            stream.rekey(&[3; 17]).unwrap_err();
            start(&mut stream).unwrap();
            assert_eq!(stream.encrypt(&mut [0; 16]), Err(Error::NonceUsed));

            // There is room for two nonces, whatever the key.
            let more = measure(|| {
                for key in [&first, &other] {
                    stream.rekey(key).unwrap();
                    start(&mut stream).unwrap();
                    stream.encrypt(&mut [0; 16]).unwrap();
                }
            });
            assert_eq!(more.count_total, 0, "{more:?}");
        }
    };
}

rekeyed_stream!(gcm_stream, GcmStream of Gcm, |stream| stream.start(&[7; 12]));
rekeyed_stream!(ocb_stream, OcbStream of Ocb, |stream| stream.start(&[7; 12]));
rekeyed_stream!(ccm_stream, CcmStream of Ccm, |stream| stream.start(&[7; 12], 0, 112));

#[test]
fn cmac_stream() {
    let [first, other] = keys();
    let mut stream = CmacStream::new(Cmac::new(&first).unwrap());
    stream.update(&TEXT);
    stream.rekey(&other).unwrap();
    let (head, tail) = TEXT.split_at(50);
    stream.update(head);
    for wrong in no_keys() {
        assert_eq!(stream.rekey(&wrong), Err(Error::KeyLength(wrong.len())));
    }
    stream.update(tail);
    assert_eq!(stream.finish(), Cmac::new(&other).unwrap().tag(&TEXT));
}
