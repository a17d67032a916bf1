use arbitrary::Arbitrary;
use ciphertune::{Cmac, CmacStream};
use cmac::{KeyInit, Mac};

use crate::{Choice, Cuts, Key, aws_lc, by_key, case};

#[derive(Arbitrary, Debug)]
struct Case<'a> {
    choice: Choice,
    key: Key,
    cuts: Cuts,
    text: &'a [u8],
}

/// CMAC: one message, one in parts, and many side by side.
pub fn cmac(data: &[u8]) {
    let Some(Case {
        choice,
        key,
        cuts,
        text,
    }) = case(data)
    else {
        return;
    };
    let theirs = |text: &[u8]| -> [u8; 16] {
        by_key!(key, Aes => {
            let mac = cmac::Cmac::<Aes>::new_from_slice(key.bytes()).unwrap();
            mac.chain_update(text).finalize().into_bytes().into()
        })
    };
    let ours = Cmac::with_implementation(choice.implementation(), key.bytes()).unwrap();
    let mut stream = CmacStream::new(ours.clone());
    let parts: Vec<_> = cuts.parts(text.len()).map(|part| &text[part]).collect();
    parts.iter().for_each(|part| stream.update(part));
    let tag = theirs(text);
    assert_eq!(ours.tag(text), tag, "{choice:?}");
    assert_eq!(aws_lc::tag(&key, text), tag, "{choice:?}");
    assert_eq!(stream.finish(), tag, "{choice:?}");
    ours.verify(text, &tag[..8]).unwrap();

    let mut tags = vec![[0; 16]; parts.len()];
    ours.tags(&parts, &mut tags).unwrap();
    assert!(
        tags.iter().zip(parts).all(|(tag, part)| *tag == theirs(part)),
        "{choice:?}"
    );
}
