//! What a program relies on of [`Ctr`], by every implementation that this processor can run.

mod common;

use ciphertune::{Ctr, Error, Implementation, LengthClass, Plan};
use proptest::prelude::*;

use common::available;

/// SP 800-38A, F.5.1: AES-128-CTR.
const KEY: [u8; 16] = 0x2b7e1516_28aed2a6_abf71588_09cf4f3c_u128.to_be_bytes();
const IV: [u8; 16] = 0xf0f1f2f3_f4f5f6f7_f8f9fafb_fcfdfeff_u128.to_be_bytes();
const PLAIN: [u8; 16] = 0x6bc1bee2_2e409f96_e93d7e11_7393172a_u128.to_be_bytes();
const CIPHER: [u8; 16] = 0x874d6191_b620e326_1bef6864_990db6ce_u128.to_be_bytes();

/// All that take their keys alike, in turn, one for each length class: with AES instructions, and without.
fn mixed() -> Vec<Plan> {
    let (bitsliced, hardware): (Vec<_>, Vec<_>) = available().partition(|i| is_bitsliced(*i));
    let mut plans = Vec::new();
    for alike in [bitsliced, hardware] {
        let mut next = alike.into_iter().cycle();
        if let Some(first) = next.next() {
            let implementations = [(); LengthClass::COUNT].map(|()| next.next().unwrap_or(first));
            plans.push(Plan::measured(implementations).expect("they take the key in the same layout"));
        }
    }
    plans
}

fn is_bitsliced(implementation: Implementation) -> bool {
    !implementation
        .features()
        .iter()
        .any(|feature| feature.name() == "aes")
}

#[test]
fn the_published_answer() {
    for implementation in available() {
        let mut data = PLAIN;
        Ctr::with_implementation(implementation, &KEY, &IV)
            .unwrap()
            .apply(&mut data)
            .unwrap();
        assert_eq!(data, CIPHER, "{implementation:?}");
    }
    let mut output = [0; 16];
    Ctr::new(&KEY, &IV)
        .unwrap()
        .apply_to(&PLAIN, &mut output)
        .unwrap();
    assert_eq!(output, CIPHER);
}

/// Of calls whose keystream a vector holds, or two, what is left of the first comes before what the second makes, a third finds
/// what that leaves; and nothing beside the text is written.
#[test]
fn what_is_spare_comes_first_at_every_place() {
    const AROUND: u8 = 0x5a;
    let portable = Plan::forced(Implementation::PORTABLE).unwrap();
    for (key_len, longest) in [(16, 200), (24, 70), (32, 70)] {
        let key: Vec<u8> = (0..key_len).collect();
        let expected = keystream(&portable, &key, u128::from_be_bytes(IV), 400);
        for implementation in available() {
            for first in 0..64 {
                for len in 0..=longest {
                    let mut ctr = Ctr::with_implementation(implementation, &key, &IV).unwrap();
                    ctr.apply(&mut vec![0; first]).unwrap();
                    let mut place = [AROUND; 16 + 200 + 64];
                    let (text, after) = place[16..].split_at_mut(len);
                    text.fill(0);
                    if (first + len).is_multiple_of(2) {
                        ctr.apply(text).unwrap();
                    } else {
                        ctr.apply_to(&vec![0; len], text).unwrap();
                    }
                    assert!(
                        *text == expected[first..][..len],
                        "{implementation:?} {first} {len}"
                    );
                    assert!(
                        after.iter().all(|&byte| byte == AROUND),
                        "{implementation:?} {first} {len}"
                    );
                    assert_eq!(place[..16], [AROUND; 16], "{implementation:?} {first} {len}");
                    let mut next = [0; 33];
                    ctr.apply(&mut next).unwrap();
                    assert_eq!(
                        next,
                        expected[first + len..][..33],
                        "{implementation:?} {first} {len}"
                    );
                }
            }
        }
    }
}

fn keystream(plan: &Plan, key: &[u8], iv: u128, len: usize) -> Vec<u8> {
    let mut keystream = vec![0; len];
    Ctr::with_plan(plan, key, &iv.to_be_bytes())
        .unwrap()
        .apply(&mut keystream)
        .unwrap();
    keystream
}

fn keys() -> impl Strategy<Value = Vec<u8>> {
    prop::sample::select(vec![16, 24, 32]).prop_flat_map(|len| prop::collection::vec(any::<u8>(), len))
}

/// Counters near their carries, and any others.
fn counters() -> impl Strategy<Value = u128> {
    let carries = prop::sample::select(vec![8_u32, 16, 32, 64, 128]);
    let near = (any::<u128>(), carries, 0..600_u128)
        .prop_map(|(base, bits, before)| base.checked_shl(bits).unwrap_or(0).wrapping_sub(before));
    prop_oneof![any::<u128>(), near]
}

/// Lengths of updates, some of them after a seek.
fn steps() -> impl Strategy<Value = Vec<(usize, Option<usize>)>> {
    let length = prop_oneof![0..80_usize, 0..3000_usize];
    prop::collection::vec((length, prop::option::weighted(0.2, 0..9000_usize)), 1..24)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// However a message is cut, and wherever a stream goes in between, byte `p` meets keystream byte `p`; and
    /// implementations may take turns.
    #[test]
    fn position_alone_decides(key in keys(), iv in counters(), steps in steps()) {
        let expected = keystream(&Plan::forced(Implementation::PORTABLE).unwrap(), &key, iv, 100_000);
        let plans = available().map(|i| Plan::forced(i).unwrap()).chain(mixed()).chain([Plan::estimate()]);
        for plan in plans {
            let mut ctr = Ctr::with_plan(&plan, &key, &iv.to_be_bytes()).unwrap();
            let mut position = 0;
            for (len, seek) in &steps {
                if let Some(target) = seek {
                    ctr.seek(*target as u128);
                    position = *target;
                }
                prop_assert_eq!(ctr.position(), position as u128);
                let mut data = vec![0; *len];
                ctr.apply(&mut data).unwrap();
                prop_assert!(data == expected[position..position + len], "{:?} at {}", plan, position);
                position += len;
            }
        }
    }
}

#[test]
fn the_last_byte_of_the_stream_is_the_last() {
    for implementation in available() {
        let mut ctr = Ctr::with_implementation(implementation, &KEY, &IV).unwrap();
        // The stream's last block, by a stream that starts there: 2^124 - 1 blocks on.
        let last = u128::from_be_bytes(IV).wrapping_add((1 << 124) - 1);
        let expected = keystream(&Plan::forced(implementation).unwrap(), &KEY, last, 16);

        ctr.seek(u128::MAX - 15);
        let mut data = [0; 17];
        assert_eq!(ctr.apply(&mut data), Err(Error::Exhausted));
        assert_eq!(data, [0; 17], "nothing is encrypted on an error");
        assert_eq!(ctr.position(), u128::MAX - 15);
        ctr.apply(&mut data[..15]).unwrap();
        assert_eq!(data[..15], expected[..15]);
        assert_eq!(ctr.position(), u128::MAX);
        assert_eq!(ctr.apply(&mut data[..1]), Err(Error::Exhausted));
        ctr.apply(&mut []).unwrap();

        ctr.seek(u128::MAX);
        assert_eq!(ctr.position(), u128::MAX);
        assert_eq!(ctr.apply(&mut data[..1]), Err(Error::Exhausted));
    }
}

#[test]
fn a_new_key_forgets_the_old_one() {
    let long = [0x77; 32];
    for implementation in available() {
        let plan = Plan::forced(implementation).unwrap();
        let mut ctr = Ctr::with_plan(&plan, &long, &IV).unwrap();
        // Far enough for one round to be made ahead, then for two; and to stop within a block.
        for _ in 0..2 {
            ctr.apply(&mut vec![0; 20_005]).unwrap();
        }
        ctr.rekey(&KEY, &IV).unwrap();
        assert_eq!(ctr.position(), 0);
        let mut data = vec![0; 30_000];
        ctr.apply(&mut data).unwrap();
        assert_eq!(
            data,
            keystream(&plan, &KEY, u128::from_be_bytes(IV), 30_000),
            "{implementation:?}"
        );

        assert_eq!(ctr.rekey(&[0; 17], &IV), Err(Error::KeyLength(17)));
        assert_eq!(ctr.rekey(&long, &[0; 12]), Err(Error::IvLength(12)));
        assert_eq!(ctr.position(), 30_000, "an error changes nothing");
    }
}

#[test]
fn what_is_made_ahead_serves_no_other_iv() {
    for implementation in available() {
        let plan = Plan::forced(implementation).unwrap();
        let mut ctr = Ctr::with_plan(&plan, &KEY, &IV).unwrap();
        for changed in 0..16 {
            // Far enough for two rounds ahead.
            ctr.restart(&IV).unwrap();
            for _ in 0..3 {
                ctr.apply(&mut vec![0; 10_000]).unwrap();
            }
            let mut iv = IV;
            iv[changed] ^= 0x81;
            // Nor does a clone take it for what an IV of zeros has.
            let mut clone = ctr.clone();
            for (ctr, iv) in [(&mut ctr, iv), (&mut clone, [0; 16])] {
                ctr.restart(&iv).unwrap();
                let mut data = vec![0; 5000];
                ctr.apply(&mut data).unwrap();
                assert_eq!(
                    data,
                    keystream(&plan, &KEY, u128::from_be_bytes(iv), 5000),
                    "{implementation:?}, byte {changed}, {iv:?}"
                );
            }
        }
    }
}

#[test]
fn wrong_lengths_are_errors() {
    for len in (0..70).filter(|len| ![16, 24, 32].contains(len)) {
        assert_eq!(Ctr::new(&vec![0; len], &IV).err(), Some(Error::KeyLength(len)));
        let estimate = Plan::estimate();
        assert_eq!(
            Ctr::with_plan(&estimate, &vec![0; len], &IV).err(),
            Some(Error::KeyLength(len))
        );
    }
    for len in (0..40).filter(|&len| len != 16) {
        assert_eq!(Ctr::new(&KEY, &vec![0; len]).err(), Some(Error::IvLength(len)));
    }
    let mut output = [7; 5];
    let error = Ctr::new(&KEY, &IV).unwrap().apply_to(&[0; 4], &mut output);
    assert_eq!(error, Err(Error::OutputLength { input: 4, output: 5 }));
    assert_eq!(output, [7; 5]);
}

#[test]
fn keys_in_different_layouts_serve_no_plan() {
    let Some(hardware) = available().find(|i| !is_bitsliced(*i)) else {
        eprintln!("skipped: this processor has no AES instructions");
        return;
    };
    let mut implementations = [hardware; LengthClass::COUNT];
    implementations[0] = Implementation::PORTABLE;
    let expected = Error::Mixed(Implementation::PORTABLE, hardware);
    assert_eq!(Plan::measured(implementations), Err(expected));
}

#[test]
fn nothing_secret_is_shown() {
    let shown = format!("{:?}", Ctr::new(&KEY, &IV).unwrap());
    assert!(shown.starts_with("Ctr { plan: "), "{shown}");
    assert!(!shown.contains("key") && !shown.contains("spare"), "{shown}");
}
