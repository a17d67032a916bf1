use arbitrary::Arbitrary;
use ciphertune::Rijndael;
use simple_rijndael::{impls::RijndaelCbc, paddings::ZeroPadding};

use crate::{Cuts, Key, case};

#[derive(Arbitrary, Debug)]
struct Case<'a> {
    key: Key,
    iv: [u8; 32],
    segment: u8,
    cuts: Cuts,
    text: &'a [u8],
}

/// Rijndael's larger blocks: CBC against another implementation, CFB there and back.
pub fn rijndael(data: &[u8]) {
    if let Some(case) = case(data) {
        check::<24>(&case);
        check::<32>(&case);
    }
}

fn check<const BLOCK: usize>(
    Case {
        key,
        iv,
        segment,
        cuts,
        text,
    }: &Case<'_>,
) {
    let ours = Rijndael::<BLOCK>::new(key.bytes()).unwrap();
    let iv: [u8; BLOCK] = *iv.first_chunk().expect("at least as many");
    let blocks = &text[..text.len() / BLOCK * BLOCK];
    let mut output = blocks.to_vec();
    let mut state = iv;
    cuts.run(&mut output, BLOCK, |input, output| match input {
        None => ours.cbc_encrypt(&mut state, output).unwrap(),
        Some(input) => ours.cbc_encrypt_to(&mut state, input, output).unwrap(),
    });
    if !blocks.is_empty() {
        let theirs = RijndaelCbc::<ZeroPadding>::new(key.bytes(), BLOCK).unwrap();
        assert!(output == theirs.encrypt(&iv, blocks.to_vec()).unwrap());
    }
    state = iv;
    cuts.run(&mut output, BLOCK, |input, output| match input {
        None => ours.cbc_decrypt(&mut state, output).unwrap(),
        Some(input) => ours.cbc_decrypt_to(&mut state, input, output).unwrap(),
    });
    assert!(output == blocks);

    let segment = 1 + usize::from(*segment) % BLOCK;
    let segments = &text[..text.len() / segment * segment];
    let mut output = segments.to_vec();
    state = iv;
    ours.cfb_encrypt(&mut state, segment, &mut output).unwrap();
    state = iv;
    cuts.run(&mut output, segment, |input, output| match input {
        None => ours.cfb_decrypt(&mut state, segment, output).unwrap(),
        Some(input) => ours.cfb_decrypt_to(&mut state, segment, input, output).unwrap(),
    });
    assert!(output == segments);
}
