//! The driver against broken ciphers: each fault must be found and named. The ciphers are RustCrypto's with
//! one thing wrong.
use ciphertune_testkit::{Failure, Stream, differential, differential::Strength, known_answers};
use ctr::cipher::{KeyIvInit, StreamCipher};

type Aes128Ctr = ctr::Ctr128BE<aes::Aes128>;

const SEED: u64 = 1;

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// Fails in a call of a length that is no multiple of 16, from 500 bytes on.
    LongTails,
    /// Begins a new block with every call.
    Updates,
    /// Ignores the last byte of longer messages in place.
    InPlace,
    /// Answers an error.
    Refuses,
}

struct Broken {
    cipher: Aes128Ctr,
    fault: Fault,
}

impl Broken {
    fn encrypt(&mut self, data: &mut [u8]) -> Result<(), String> {
        let len = data.len();
        if self.fault == Fault::Refuses && len == 333 {
            return Err("out of sorts".to_owned());
        }
        self.cipher.apply_keystream(data);
        if self.fault == Fault::LongTails && len >= 500 && !len.is_multiple_of(16) {
            data[len - 1] ^= 1;
        }
        if self.fault == Fault::Updates {
            self.cipher.apply_keystream(&mut vec![0; (16 - len % 16) % 16]);
        }
        Ok(())
    }
}

impl Stream for Broken {
    fn apply(&mut self, data: &mut [u8]) -> Result<(), String> {
        if self.fault == Fault::InPlace && data.len() > 100 {
            let end = data.len() - 1;
            return self.encrypt(&mut data[..end]);
        }
        self.encrypt(data)
    }

    fn apply_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), String> {
        output.copy_from_slice(input);
        self.encrypt(output)
    }

    fn in_place(&self) -> bool {
        true
    }
}

fn new(fault: Fault) -> impl Fn(&[u8], &[u8; 16]) -> Result<Broken, String> {
    move |key, iv| {
        let cipher = Aes128Ctr::new_from_slices(key, iv).map_err(|e| e.to_string())?;
        Ok(Broken { cipher, fault })
    }
}

fn caught(fault: Fault) -> Failure {
    known_answers::check(16, new(fault)).expect("no published vector is long or in updates");
    differential::check(16, Strength::Quick, SEED, new(fault)).expect_err("a fault")
}

#[test]
fn a_right_cipher_passes() {
    known_answers::check(16, new(Fault::None)).unwrap();
    differential::check(16, Strength::Exhaustive, SEED, new(Fault::None)).unwrap();
    differential::check_length(16, 100_000, SEED, new(Fault::None)).unwrap();
}

#[test]
fn faults_are_found_and_named() {
    let failure = caught(Fault::LongTails);
    assert!(failure.case.starts_with("AES-128-CTR, 500 bytes"), "{failure}");
    assert!(failure.symptom.starts_with("byte 499 is "), "{failure}");

    let failure = caught(Fault::Updates);
    assert!(failure.case.contains(" in updates of ["), "{failure}");

    let failure = caught(Fault::InPlace);
    assert!(failure.case.contains("101 bytes in place at offset"), "{failure}");
    assert!(failure.symptom.starts_with("byte 100 is"), "{failure}");

    let failure = caught(Fault::Refuses);
    assert!(failure.case.contains(" 333 bytes"), "{failure}");
    assert_eq!(failure.symptom, "out of sorts");
}

#[test]
fn the_seed_decides_the_case() {
    let again = |seed| differential::check(16, Strength::Quick, seed, new(Fault::LongTails));
    assert_eq!(again(7), again(7));
    assert_ne!(again(7), again(8));
}

#[test]
fn the_case_can_be_repeated_by_hand() {
    let failure = caught(Fault::Refuses);
    let line = failure.to_string();
    assert!(!line.contains('\n'));
    let (_, key) = line.split_once("key ").expect("the key");
    let (key, iv) = key.split_once(", IV ").expect("the IV");
    assert_eq!((key.len(), iv.split_once(':').unwrap().0.len()), (32, 32));
}

#[test]
fn a_wrong_key_length_is_no_context() {
    let failure = known_answers::check(24, new(Fault::None)).expect_err("no AES-192 here");
    assert!(failure.case.starts_with("SP800-38A 3: AES-192-CTR"), "{failure}");
    assert!(failure.symptom.starts_with("no context: "), "{failure}");
}
