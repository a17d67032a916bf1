use arbitrary::Arbitrary;
use cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use ciphertune::Ctr;

use crate::{Choice, Cuts, Key, aws_lc, by_key, case};

#[derive(Arbitrary, Debug)]
struct Case<'a> {
    choice: Choice,
    key: Key,
    iv: [u8; 16],
    seek: Option<u32>,
    cuts: Cuts,
    text: &'a [u8],
}

/// Counter mode in parts and from any position.
pub fn ctr(data: &[u8]) {
    let Some(Case {
        choice,
        key,
        iv,
        seek,
        cuts,
        text,
    }) = case(data)
    else {
        return;
    };
    let mut ours = Ctr::with_implementation(choice.implementation(), key.bytes(), &iv).unwrap();
    let mut expected = text.to_vec();
    by_key!(key, Aes => {
        let mut theirs = ctr::Ctr128BE::<Aes>::new_from_slices(key.bytes(), &iv).unwrap();
        if let Some(position) = seek {
            // Far enough for what `-r2` makes ahead: one round, or two.
            ours.apply(&mut vec![0; 9000]).unwrap();
            ours.apply(&mut vec![0; if position % 2 == 0 { 17_000 } else { 77 }]).unwrap();
            ours.seek(position.into());
            theirs.seek(position);
        }
        theirs.apply_keystream(&mut expected);
    });
    if seek.is_none() {
        assert_eq!(expected, aws_lc::encrypted(aws_lc::CTR, &key, &iv, text));
    }
    let mut output = text.to_vec();
    cuts.run(&mut output, 1, |input, output| match input {
        None => ours.apply(output).unwrap(),
        Some(input) => ours.apply_to(input, output).unwrap(),
    });
    assert!(output == expected, "{choice:?}");
    assert_eq!(
        ours.position(),
        u128::from(seek.unwrap_or(0)) + text.len() as u128
    );
}
