use arbitrary::Arbitrary;
use cipher::{BlockModeEncrypt, KeyIvInit, StreamCipher, block_padding::NoPadding};
use ciphertune::{Cbc, CbcMany, Cfb, Cfb8, Ecb, Feedback, Message, Ofb};

use crate::{Choice, Cuts, Key, aws_lc, by_key, case};

#[derive(Arbitrary, Debug)]
struct Case<'a> {
    choice: Choice,
    key: Key,
    iv: [u8; 16],
    cuts: Cuts,
    text: &'a [u8],
}

/// CBC, CFB by blocks and by bytes, and OFB; and ECB, whose blocks have no chain.
pub fn chained(data: &[u8]) {
    if let Some(case) = case(data) {
        ecb(&case);
        cbc(&case);
        cfb(&case);
        cfb_8(&case);
        ofb(&case);
    }
}

fn ecb(case: &Case<'_>) {
    let Case {
        choice,
        key,
        iv,
        cuts,
        text,
    } = case;
    let text = &text[..text.len() / 16 * 16];
    let ours = Ecb::with_implementation(choice.implementation(), key.bytes()).unwrap();
    let mut output = text.to_vec();
    cuts.run(&mut output, 16, |input, output| match input {
        None => ours.encrypt(output).unwrap(),
        Some(input) => ours.encrypt_to(input, output).unwrap(),
    });
    assert!(
        output == aws_lc::encrypted(aws_lc::ECB, key, iv, text),
        "{choice:?}"
    );
    cuts.run(&mut output, 16, |input, output| match input {
        None => ours.decrypt(output).unwrap(),
        Some(input) => ours.decrypt_to(input, output).unwrap(),
    });
    assert!(output == text, "{choice:?}");
}

fn cbc(case: &Case<'_>) {
    let Case {
        choice,
        key,
        iv,
        cuts,
        text,
    } = case;
    let text = &text[..text.len() / 16 * 16];
    let theirs = |text: &[u8]| {
        let mut buffer = text.to_vec();
        by_key!(key, Aes => {
            let cbc = cbc::Encryptor::<Aes>::new_from_slices(key.bytes(), iv).unwrap();
            cbc.encrypt_padded::<NoPadding>(&mut buffer, text.len()).unwrap();
        });
        buffer
    };
    let ours = Cbc::with_implementation(choice.implementation(), key.bytes()).unwrap();
    let mut output = text.to_vec();
    let mut state = *iv;
    cuts.run(&mut output, 16, |input, output| match input {
        None => ours.encrypt(&mut state, output).unwrap(),
        Some(input) => ours.encrypt_to(&mut state, input, output).unwrap(),
    });
    assert!(output == theirs(text), "{choice:?}");
    assert!(
        output == aws_lc::encrypted(aws_lc::CBC, key, iv, text),
        "{choice:?}"
    );
    state = *iv;
    cuts.run(&mut output, 16, |input, output| match input {
        None => ours.decrypt(&mut state, output).unwrap(),
        Some(input) => ours.decrypt_to(&mut state, input, output).unwrap(),
    });
    assert!(output == text, "{choice:?}");

    // Each part as a message of its own, side by side.
    let many = CbcMany::with_implementation(choice.implementation(), key.bytes()).unwrap();
    let parts: Vec<_> = cuts
        .parts(text.len() / 16)
        .map(|part| &text[16 * part.start..16 * part.end])
        .collect();
    let mut outputs: Vec<_> = parts.iter().map(|part| part.to_vec()).collect();
    let mut messages: Vec<_> = (outputs.iter_mut())
        .map(|data| Message {
            iv: *iv,
            data: data.as_mut_slice().into(),
        })
        .collect();
    many.encrypt(&mut messages).unwrap();
    assert!(
        parts
            .iter()
            .zip(outputs)
            .all(|(part, output)| output == theirs(part)),
        "{choice:?}"
    );
}

fn cfb(case: &Case<'_>) {
    let Case {
        choice,
        key,
        iv,
        cuts,
        text,
    } = case;
    let mut expected = text.to_vec();
    by_key!(key, Aes => {
        cfb_mode::BufEncryptor::<Aes>::new_from_slices(key.bytes(), iv).unwrap().encrypt(&mut expected);
    });
    let ours = Cfb::with_implementation(choice.implementation(), key.bytes()).unwrap();
    let mut output = text.to_vec();
    let mut at = Feedback::new(*iv);
    cuts.run(&mut output, 1, |input, output| match input {
        None => ours.encrypt(&mut at, output),
        Some(input) => ours.encrypt_to(&mut at, input, output).unwrap(),
    });
    assert!(output == expected, "{choice:?}");
    assert!(
        output == aws_lc::encrypted(aws_lc::CFB, key, iv, text),
        "{choice:?}"
    );
    at = Feedback::new(*iv);
    cuts.run(&mut output, 1, |input, output| match input {
        None => ours.decrypt(&mut at, output),
        Some(input) => ours.decrypt_to(&mut at, input, output).unwrap(),
    });
    assert!(output == *text, "{choice:?}");
}

fn cfb_8(case: &Case<'_>) {
    let Case {
        choice,
        key,
        iv,
        cuts,
        text,
    } = case;
    // A block for each byte: long texts only take long.
    let text = &text[..text.len().min(200)];
    let mut expected = text.to_vec();
    by_key!(key, Aes => {
        let mut theirs = cfb8::Encryptor::<Aes>::new_from_slices(key.bytes(), iv).unwrap();
        theirs.encrypt_blocks(cipher::Array::slice_as_chunks_mut(&mut expected).0);
    });
    let ours = Cfb8::with_implementation(choice.implementation(), key.bytes()).unwrap();
    let mut output = text.to_vec();
    let mut state = *iv;
    cuts.run(&mut output, 1, |input, output| match input {
        None => ours.encrypt(&mut state, output),
        Some(input) => ours.encrypt_to(&mut state, input, output).unwrap(),
    });
    assert!(output == expected, "{choice:?}");
    assert!(
        output == aws_lc::encrypted(aws_lc::CFB_8, key, iv, text),
        "{choice:?}"
    );
    state = *iv;
    cuts.run(&mut output, 1, |input, output| match input {
        None => ours.decrypt(&mut state, output),
        Some(input) => ours.decrypt_to(&mut state, input, output).unwrap(),
    });
    assert!(output == text, "{choice:?}");
}

fn ofb(case: &Case<'_>) {
    let Case {
        choice,
        key,
        iv,
        cuts,
        text,
    } = case;
    let mut expected = text.to_vec();
    by_key!(key, Aes => {
        ofb::Ofb::<Aes>::new_from_slices(key.bytes(), iv).unwrap().apply_keystream(&mut expected);
    });
    let ours = Ofb::with_implementation(choice.implementation(), key.bytes()).unwrap();
    let mut output = text.to_vec();
    let mut at = Feedback::new(*iv);
    cuts.run(&mut output, 1, |input, output| match input {
        None => ours.apply(&mut at, output),
        Some(input) => ours.apply_to(&mut at, input, output).unwrap(),
    });
    assert!(output == expected, "{choice:?}");
    assert!(
        output == aws_lc::encrypted(aws_lc::OFB, key, iv, text),
        "{choice:?}"
    );
}
