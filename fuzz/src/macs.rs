use arbitrary::Arbitrary;
use ciphertune::{Cmac, CmacStream, Implementation};
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
        tags.iter().zip(&parts).all(|(tag, part)| *tag == theirs(part)),
        "{choice:?}"
    );

    // Every other one under another key, of another size.
    let other = [!key.bytes()[0]; 32];
    let other = &other[..40 - key.bytes().len().min(24)];
    let others = Cmac::with_implementation(choice.implementation(), other).unwrap();
    let alone = Cmac::with_implementation(Implementation::PORTABLE, other).unwrap();
    let messages = parts.iter().enumerate();
    let messages = messages.map(|(i, &part)| (if i % 2 == 0 { &ours } else { &others }, part));
    Cmac::tags_each(&messages.collect::<Vec<_>>(), &mut tags).unwrap();
    for (i, (tag, part)) in tags.iter().zip(parts).enumerate() {
        let expected = if i % 2 == 0 { theirs(part) } else { alone.tag(part) };
        assert_eq!(*tag, expected, "message {i} under a key of its own, {choice:?}");
    }
}
