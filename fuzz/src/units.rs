use aes::{Aes128, Aes256};
use arbitrary::Arbitrary;
use cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit, consts::U16};
use ciphertune::Xts;
use xts_mode::Xts128;

use crate::{Choice, case, run};

#[derive(Arbitrary, Debug)]
struct Case<'a> {
    choice: Choice,
    keys: [[u8; 32]; 2],
    long: bool,
    apart: bool,
    sector: u128,
    text: &'a [u8],
}

/// XTS, with ciphertext stealing.
pub fn xts(data: &[u8]) {
    let Some(case) = case::<Case<'_>>(data) else {
        return;
    };
    let len = if case.long { 32 } else { 16 };
    let keys = case.keys.each_ref().map(|key| &key[..len]);
    if keys[0] == keys[1] || case.text.len() < 16 {
        return;
    }
    let expected = if case.long {
        encrypted::<Aes256>(keys, &case)
    } else {
        encrypted::<Aes128>(keys, &case)
    };
    let ours = Xts::with_implementation(case.choice.implementation(), &keys.concat()).unwrap();
    let mut text = case.text.to_vec();
    run(&mut text, case.apart, |input, output| match input {
        None => ours.encrypt(case.sector, output).unwrap(),
        Some(input) => ours.encrypt_to(case.sector, input, output).unwrap(),
    });
    assert!(text == expected, "{:?}", case.choice);
    run(&mut text, !case.apart, |input, output| match input {
        None => ours.decrypt(case.sector, output).unwrap(),
        Some(input) => ours.decrypt_to(case.sector, input, output).unwrap(),
    });
    assert!(text == case.text, "{:?}", case.choice);
}

fn encrypted<Aes: BlockCipherEncrypt<BlockSize = U16> + BlockCipherDecrypt<BlockSize = U16> + KeyInit>(
    keys: [&[u8]; 2],
    case: &Case<'_>,
) -> Vec<u8> {
    let [first, second] = keys.map(|key| Aes::new_from_slice(key).unwrap());
    let mut text = case.text.to_vec();
    Xts128::new(first, second).encrypt_sector(&mut text, case.sector.to_le_bytes().into());
    text
}
