use arbitrary::Arbitrary;
use cipher::{BlockModeEncrypt, KeyIvInit, StreamCipher, block_padding::NoPadding};
use ciphertune::{Cbc, CbcMany, Cfb, Cfb8, Ecb, Feedback, Implementation, InOutBuf, Message, Ofb};

use crate::{Choice, Cuts, Key, aws_lc, by_key, case};

#[derive(Arbitrary, Debug)]
struct Case<'a> {
    choice: Choice,
    key: Key,
    iv: [u8; 16],
    cuts: Cuts,
    text: &'a [u8],
}

impl Case<'_> {
    /// Whole blocks of the text.
    fn blocks(&self) -> &[u8] {
        &self.text[..self.text.len() / 16 * 16]
    }

    /// Encrypts and decrypts a text in parts that end at a multiple of `unit` bytes, each way from the same state on. What
    /// was encrypted must be AWS-LC's, and is answered; decrypted it must be the text again.
    fn there_and_back<S>(
        &self,
        (text, unit): (&[u8], usize),
        theirs: aws_lc::Mode,
        start: impl Fn() -> S,
        encrypt: impl Fn(&mut S, InOutBuf<'_, '_, u8>),
        decrypt: impl Fn(&mut S, InOutBuf<'_, '_, u8>),
    ) -> Vec<u8> {
        let mut buffer = text.to_vec();
        let mut state = start();
        self.cuts.run(&mut buffer, unit, |input, output| {
            encrypt(&mut state, in_out(input, output));
        });
        let encrypted = buffer.clone();
        assert!(
            encrypted == aws_lc::encrypted(theirs, &self.key, &self.iv, text),
            "{:?}",
            self.choice
        );
        state = start();
        self.cuts.run(&mut buffer, unit, |input, output| {
            decrypt(&mut state, in_out(input, output));
        });
        assert!(buffer == text, "{:?}", self.choice);
        encrypted
    }
}

fn in_out<'a>(input: Option<&'a [u8]>, output: &'a mut [u8]) -> InOutBuf<'a, 'a, u8> {
    match input {
        None => output.into(),
        Some(input) => InOutBuf::new(input, output).expect("one length"),
    }
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
    let ours = Ecb::with_implementation(case.choice.implementation(), case.key.bytes()).unwrap();
    case.there_and_back(
        (case.blocks(), 16),
        aws_lc::ECB,
        || (),
        |_, data| ours.encrypt_inout(data).unwrap(),
        |_, data| ours.decrypt_inout(data).unwrap(),
    );
}

fn cbc(case: &Case<'_>) {
    let text = case.blocks();
    let theirs = |text: &[u8]| {
        let mut buffer = text.to_vec();
        by_key!(&case.key, Aes => {
            let cbc = cbc::Encryptor::<Aes>::new_from_slices(case.key.bytes(), &case.iv).unwrap();
            cbc.encrypt_padded::<NoPadding>(&mut buffer, text.len()).unwrap();
        });
        buffer
    };
    let ours = Cbc::with_implementation(case.choice.implementation(), case.key.bytes()).unwrap();
    let encrypted = case.there_and_back(
        (text, 16),
        aws_lc::CBC,
        || case.iv,
        |iv, data| ours.encrypt_inout(iv, data).unwrap(),
        |iv, data| ours.decrypt_inout(iv, data).unwrap(),
    );
    assert!(encrypted == theirs(text), "{:?}", case.choice);

    // Each part as a message of its own, side by side.
    let many = CbcMany::with_implementation(case.choice.implementation(), case.key.bytes()).unwrap();
    let parts: Vec<_> = case
        .cuts
        .parts(text.len() / 16)
        .map(|part| &text[16 * part.start..16 * part.end])
        .collect();
    let mut outputs: Vec<_> = parts.iter().map(|part| part.to_vec()).collect();
    let mut messages: Vec<_> = (outputs.iter_mut())
        .map(|data| Message {
            iv: case.iv,
            data: data.as_mut_slice().into(),
        })
        .collect();
    many.encrypt(&mut messages).unwrap();
    assert!(
        parts
            .iter()
            .zip(&outputs)
            .all(|(part, output)| *output == theirs(part)),
        "{:?}",
        case.choice
    );

    // Every other one under another key, of another size; back by that alone.
    let other = [!case.key.bytes()[0]; 32];
    let other = &other[..40 - case.key.bytes().len().min(24)];
    let others = CbcMany::with_implementation(case.choice.implementation(), other).unwrap();
    let alone = Cbc::with_implementation(Implementation::PORTABLE, other).unwrap();
    let texts = outputs.clone();
    let messages = outputs.iter_mut().enumerate().map(|(i, data)| {
        let data = data.as_mut_slice().into();
        (
            if i % 2 == 0 { &many } else { &others },
            Message { iv: case.iv, data },
        )
    });
    CbcMany::encrypt_each(&mut messages.collect::<Vec<_>>()).unwrap();
    for (i, (text, mut output)) in texts.iter().zip(outputs).enumerate() {
        let cbc = if i % 2 == 0 { &ours } else { &alone };
        cbc.decrypt(&mut { case.iv }, &mut output).unwrap();
        assert!(
            output == *text,
            "message {i} under a key of its own, {:?}",
            case.choice
        );
    }
}

fn cfb(case: &Case<'_>) {
    let mut expected = case.text.to_vec();
    by_key!(&case.key, Aes => {
        let theirs = cfb_mode::BufEncryptor::<Aes>::new_from_slices(case.key.bytes(), &case.iv);
        theirs.unwrap().encrypt(&mut expected);
    });
    let ours = Cfb::with_implementation(case.choice.implementation(), case.key.bytes()).unwrap();
    let encrypted = case.there_and_back(
        (case.text, 1),
        aws_lc::CFB,
        || Feedback::new(case.iv),
        |at, data| ours.encrypt_inout(at, data),
        |at, data| ours.decrypt_inout(at, data),
    );
    assert!(encrypted == expected, "{:?}", case.choice);
}

fn cfb_8(case: &Case<'_>) {
    // A block for each byte: long texts only take long.
    let text = &case.text[..case.text.len().min(200)];
    let mut expected = text.to_vec();
    by_key!(&case.key, Aes => {
        let mut theirs = cfb8::Encryptor::<Aes>::new_from_slices(case.key.bytes(), &case.iv).unwrap();
        theirs.encrypt_blocks(cipher::Array::slice_as_chunks_mut(&mut expected).0);
    });
    let ours = Cfb8::with_implementation(case.choice.implementation(), case.key.bytes()).unwrap();
    let encrypted = case.there_and_back(
        (text, 1),
        aws_lc::CFB_8,
        || case.iv,
        |iv, data| ours.encrypt_inout(iv, data),
        |iv, data| ours.decrypt_inout(iv, data),
    );
    assert!(encrypted == expected, "{:?}", case.choice);
}

fn ofb(case: &Case<'_>) {
    let mut expected = case.text.to_vec();
    by_key!(&case.key, Aes => {
        let theirs = ofb::Ofb::<Aes>::new_from_slices(case.key.bytes(), &case.iv);
        theirs.unwrap().apply_keystream(&mut expected);
    });
    let ours = Ofb::with_implementation(case.choice.implementation(), case.key.bytes()).unwrap();
    let apply = |at: &mut Feedback, data: InOutBuf<'_, '_, u8>| ours.apply_inout(at, data);
    let start = || Feedback::new(case.iv);
    let encrypted = case.there_and_back((case.text, 1), aws_lc::OFB, start, apply, apply);
    assert!(encrypted == expected, "{:?}", case.choice);
}
