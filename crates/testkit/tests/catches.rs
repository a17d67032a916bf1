//! The driver against broken ciphers and digests: each fault must be found and named. They are RustCrypto's and
//! Ciphertune's portable ones, with one thing wrong.
use ciphertune::{Cbc, Gcm, Implementation};
use ciphertune_testkit::{
    Algorithm, Context, Contract, Envelope, Failure, Fault, New, Operation, Task, differential,
    differential::Strength, known_answers, public_key,
};
use ctr::cipher::{KeyIvInit, StreamCipher};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

type Aes128Ctr = ctr::Ctr128BE<aes::Aes128>;

const SEED: u64 = 1;

#[derive(Clone, Copy, PartialEq)]
enum Flaw {
    None,
    /// Fails in a call of a length that is no multiple of 16, from 500 bytes on.
    LongTails,
    /// Begins a new block with every call.
    Updates,
    /// Ignores the last byte of longer messages in place.
    InPlace,
    /// Answers an error.
    Refuses,
    /// Answers an error just past the lengths of which [`Strength::Quick`] tries each.
    RefusesFar,
}

struct Broken {
    cipher: Aes128Ctr,
    flaw: Flaw,
}

impl Broken {
    fn encrypt(&mut self, data: &mut [u8]) -> Result<(), Fault> {
        let len = data.len();
        if self.flaw == Flaw::Refuses && len == 333 {
            return Err(Fault("out of sorts".to_owned()));
        }
        if self.flaw == Flaw::RefusesFar && len == 1041 {
            return Err(Fault("out of sorts, far out".to_owned()));
        }
        self.cipher.apply_keystream(data);
        if self.flaw == Flaw::LongTails && len >= 500 && !len.is_multiple_of(16) {
            data[len - 1] ^= 1;
        }
        if self.flaw == Flaw::Updates {
            self.cipher.apply_keystream(&mut vec![0; (16 - len % 16) % 16]);
        }
        Ok(())
    }
}

impl Context for Broken {
    fn apply(&mut self, _: Envelope<'_>, data: &mut [u8]) -> Result<(), Fault> {
        if self.flaw == Flaw::InPlace && data.len() > 100 {
            let end = data.len() - 1;
            return self.encrypt(&mut data[..end]);
        }
        self.encrypt(data)
    }

    fn apply_to(&mut self, _: Envelope<'_>, input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
        output.copy_from_slice(input);
        self.encrypt(output)
    }
}

fn new(flaw: Flaw) -> impl Fn(&[u8], &[u8]) -> Result<Box<dyn Context>, Fault> {
    move |key, iv| {
        let cipher = Aes128Ctr::new_from_slices(key, iv).map_err(|e| Fault(e.to_string()))?;
        Ok(Box::new(Broken { cipher, flaw }))
    }
}

fn task(name: &str, operation: Operation, contract: Contract) -> Task {
    Task {
        algorithm: Algorithm::named(name).unwrap(),
        operation,
        contract,
    }
}

fn ctr(bits: usize) -> Task {
    task(&format!("AES-{bits}-CTR"), Operation::Encrypt, Contract::Stream)
}

fn compare(task: Task, strength: Strength, seed: u64, new: New<'_>) -> Result<(), Failure> {
    differential::check(&differential::ours(task), task, usize::MAX, strength, seed, new)
}

fn caught(flaw: Flaw) -> Failure {
    known_answers::check(ctr(128), &new(flaw)).expect("no published vector is long or in updates");
    compare(ctr(128), Strength::Quick, SEED, &new(flaw)).expect_err("a fault")
}

#[test]
fn a_right_cipher_passes() {
    known_answers::check(ctr(128), &new(Flaw::None)).unwrap();
    compare(ctr(128), Strength::Exhaustive, SEED, &new(Flaw::None)).unwrap();
    differential::check_length(
        &differential::ours(ctr(128)),
        ctr(128),
        100_000,
        Strength::Quick,
        SEED,
        &new(Flaw::None),
    )
    .unwrap();
}

#[test]
fn faults_are_found_and_named() {
    let failure = caught(Flaw::LongTails);
    assert!(
        failure
            .case
            .starts_with("AES-128-CTR encrypt, stream/1, 500 bytes"),
        "{failure}"
    );
    assert!(failure.symptom.starts_with("byte 499 is "), "{failure}");

    let failure = caught(Flaw::Updates);
    assert!(failure.case.contains(" in updates of ["), "{failure}");

    let failure = caught(Flaw::InPlace);
    assert!(failure.case.contains("101 bytes in place at offset"), "{failure}");
    assert!(failure.symptom.starts_with("byte 100 is"), "{failure}");

    let failure = caught(Flaw::Refuses);
    assert!(failure.case.contains(" 333 bytes"), "{failure}");
    assert_eq!(failure.symptom, "out of sorts");
}

#[test]
fn a_proof_goes_further() {
    let check = |strength| compare(ctr(128), strength, SEED, &new(Flaw::RefusesFar));
    assert_eq!(check(Strength::Quick), Ok(()));
    let failure = check(Strength::Proof).unwrap_err();
    assert!(failure.case.contains(" 1041 bytes"), "{failure}");
}

#[test]
fn the_seed_decides_the_case() {
    let again = |seed| compare(ctr(128), Strength::Quick, seed, &new(Flaw::LongTails));
    assert_eq!(again(7), again(7));
    assert_ne!(again(7), again(8));
}

#[test]
fn the_case_can_be_repeated_by_hand() {
    let failure = caught(Flaw::Refuses);
    let line = failure.to_string();
    assert!(!line.contains('\n'));
    let (_, key) = line.split_once("key ").expect("the key");
    let (key, iv) = key.split_once(", IV ").expect("the IV");
    assert_eq!((key.len(), iv.split_once(':').unwrap().0.len()), (32, 32));
}

#[test]
fn a_wrong_key_length_is_no_context() {
    let failure = known_answers::check(ctr(192), &new(Flaw::None)).expect_err("no AES-192 here");
    assert!(failure.case.starts_with("SP800-38A 3: AES-192-CTR"), "{failure}");
    assert!(failure.symptom.starts_with("no context: "), "{failure}");
}

/// A counter of 32 bits where one of a block's length is wanted.
struct Narrow<C> {
    key: Vec<u8>,
    /// That a stream goes on by.
    stream: Option<C>,
}

impl<C: KeyIvInit + StreamCipher> Narrow<C> {
    fn begun(key: &[u8], iv: &[u8]) -> C {
        C::new_from_slices(key, iv).expect("key and IV have the right lengths")
    }
}

impl<C: KeyIvInit + StreamCipher> Context for Narrow<C> {
    fn apply(&mut self, envelope: Envelope<'_>, data: &mut [u8]) -> Result<(), Fault> {
        match &mut self.stream {
            Some(stream) => stream.apply_keystream(data),
            None => Self::begun(&self.key, envelope.iv).apply_keystream(data),
        }
        Ok(())
    }

    fn apply_to(&mut self, envelope: Envelope<'_>, input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
        output.copy_from_slice(input);
        self.apply(envelope, output)
    }
}

fn by_counter<C: KeyIvInit + StreamCipher + 'static>(name: &str, contract: Contract) -> Result<(), Failure> {
    let task = task(name, Operation::Encrypt, contract);
    let new = |key: &[u8], iv: &[u8]| {
        Ok(Box::new(Narrow::<C> {
            key: key.to_vec(),
            stream: (contract == Contract::Stream).then(|| Narrow::begun(key, iv)),
        }) as Box<dyn Context>)
    };
    known_answers::check(task, &new)?;
    compare(task, Strength::Quick, SEED, &new)?;
    differential::check_length(
        &differential::ours(task),
        task,
        1 << 10,
        Strength::Quick,
        SEED,
        &new,
    )
}

#[test]
fn counters_carry_in_every_cipher_and_under_every_contract() {
    for contract in [Contract::Stream, Contract::NewIv, Contract::NewKey] {
        by_counter::<Aes128Ctr>("AES-128-CTR", contract).unwrap();
        by_counter::<ctr::Ctr128BE<camellia::Camellia128>>("CAMELLIA-128-CTR", contract).unwrap();
        for failure in [
            by_counter::<ctr::Ctr32BE<aes::Aes128>>("AES-128-CTR", contract).unwrap_err(),
            by_counter::<ctr::Ctr32BE<camellia::Camellia128>>("CAMELLIA-128-CTR", contract).unwrap_err(),
            by_counter::<ctr::Ctr64BE<camellia::Camellia128>>("CAMELLIA-128-CTR", contract).unwrap_err(),
        ] {
            assert!(failure.symptom.starts_with("byte "), "{failure}");
        }
    }
}

/// GCM with one thing wrong.
struct Careless {
    gcm: Gcm,
    flaw: GcmFlaw,
}

#[derive(Clone, Copy, PartialEq)]
enum GcmFlaw {
    None,
    /// Does not look at the tag.
    AnyTag,
    /// Looks at the first half of the tag.
    HalfTag,
    /// Leaves out the additional data beyond the first 512 bytes.
    LongAad,
    /// Uses the nonce of its first message for all.
    Nonce,
    /// Makes a longer tag than there is a place for.
    TagSpills,
    /// Counts in its caller's nonce.
    NonceCounts,
    /// Clears a vector behind what it refuses to open.
    RefusalSpills,
    /// Turns the ciphertext that it refuses to open into zeros.
    RefusalClears,
}

/// What a library can do that has a pointer: bytes become this, of which the first is `at` behind a part's begin.
fn scribble(part: &[u8], at: usize, count: usize) {
    let first = part.as_ptr().cast_mut();
    for i in at..at + count {
        // SAFETY: the driver keeps two vectors of canaries of its own behind each part, and looks at them when nobody else
        // writes.
        unsafe { first.add(i).write_volatile(0) };
    }
}

impl Careless {
    fn seal(&mut self, envelope: Envelope<'_>, data: &mut [u8]) -> Result<(), Fault> {
        let aad = match self.flaw {
            GcmFlaw::LongAad => &envelope.aad[..envelope.aad.len().min(512)],
            _ => envelope.aad,
        };
        let tag = self.gcm.seal_in_place(envelope.iv, aad, data)?;
        envelope.tag.copy_from_slice(&tag);
        if self.flaw == GcmFlaw::TagSpills {
            scribble(envelope.tag, 16, 4);
        }
        Ok(())
    }

    fn open(&mut self, envelope: &Envelope<'_>, data: &mut [u8]) -> Result<(), Fault> {
        // By way of the plaintext, whatever the tag, and the tag that this has.
        let mut plain = data.to_vec();
        self.gcm.seal_in_place(envelope.iv, envelope.aad, &mut plain)?;
        let tag = self
            .gcm
            .seal_in_place(envelope.iv, envelope.aad, &mut plain.clone())?;
        data.copy_from_slice(&plain);
        let looked_at = match self.flaw {
            GcmFlaw::AnyTag => 0,
            GcmFlaw::HalfTag => 8,
            _ => 16,
        };
        if tag[..looked_at] == envelope.tag[..looked_at] {
            Ok(())
        } else {
            if self.flaw == GcmFlaw::RefusalSpills {
                scribble(data, data.len(), 64);
            }
            Err(Fault("not authentic".to_owned()))
        }
    }
}

struct Opening(Careless);
struct Sealing(Careless, Vec<u8>);

impl Context for Opening {
    fn apply(&mut self, envelope: Envelope<'_>, data: &mut [u8]) -> Result<(), Fault> {
        self.0.open(&envelope, data)
    }

    fn apply_to(&mut self, envelope: Envelope<'_>, input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
        output.copy_from_slice(input);
        let opened = self.0.open(&envelope, output);
        if opened.is_err() && self.0.flaw == GcmFlaw::RefusalClears {
            scribble(input, 0, input.len());
        }
        opened
    }
}

impl Context for Sealing {
    fn apply(&mut self, envelope: Envelope<'_>, data: &mut [u8]) -> Result<(), Fault> {
        if self.0.flaw != GcmFlaw::Nonce || self.1.is_empty() {
            self.1 = envelope.iv.to_vec();
        }
        if self.0.flaw == GcmFlaw::NonceCounts {
            scribble(envelope.iv, 11, 1);
        }
        let Envelope { aad, tag, .. } = envelope;
        let iv = &self.1;
        self.0.seal(Envelope { iv, aad, tag }, data)
    }

    fn apply_to(&mut self, envelope: Envelope<'_>, input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
        output.copy_from_slice(input);
        self.apply(envelope, output)
    }
}

fn gcm(flaw: GcmFlaw, operation: Operation) -> Result<(), Failure> {
    let task = task("AES-256-GCM", operation, Contract::NewIv);
    let new = |key: &[u8], _: &[u8]| -> Result<Box<dyn Context>, Fault> {
        let gcm = Gcm::with_implementation(Implementation::PORTABLE, key)?;
        let careless = Careless { gcm, flaw };
        Ok(match operation {
            Operation::Open => Box::new(Opening(careless)),
            _ => Box::new(Sealing(careless, Vec::new())),
        })
    };
    known_answers::check(task, &new)?;
    compare(task, Strength::Quick, SEED, &new)
}

#[test]
fn tags_are_really_looked_at() {
    for operation in [Operation::Seal, Operation::Open] {
        gcm(GcmFlaw::None, operation).unwrap();
    }
    for flaw in [GcmFlaw::AnyTag, GcmFlaw::HalfTag] {
        let failure = gcm(flaw, Operation::Open).unwrap_err();
        assert_eq!(
            failure.symptom, "was opened although a bit of its tag had been changed",
            "{failure}"
        );
    }
    let failure = gcm(GcmFlaw::LongAad, Operation::Seal).unwrap_err();
    assert!(failure.symptom.starts_with("tag: byte 0 is "), "{failure}");
}

#[test]
fn what_lies_beside_a_message_stays_as_it_was() {
    for (flaw, operation, symptom) in [
        (
            GcmFlaw::TagSpills,
            Operation::Seal,
            "wrote at byte 16, behind the tag",
        ),
        (GcmFlaw::NonceCounts, Operation::Seal, "the IV was written to"),
        (
            GcmFlaw::RefusalSpills,
            Operation::Open,
            "behind the buffer as it refused a message with a changed tag",
        ),
        (
            GcmFlaw::RefusalClears,
            Operation::Open,
            "the input was written to as it refused a message with a changed tag",
        ),
    ] {
        let failure = gcm(flaw, operation).unwrap_err();
        assert!(failure.symptom.ends_with(symptom), "{failure}");
    }
}

#[test]
fn a_message_that_feels_the_one_before_it_is_caught() {
    let failure = gcm(GcmFlaw::Nonce, Operation::Seal).unwrap_err();
    assert!(failure.case.contains("AES-256-GCM seal, new-iv/1, "), "{failure}");
}

/// SHA-256 with one thing wrong.
struct Sloppy(DigestFlaw);

#[derive(Clone, Copy, PartialEq)]
enum DigestFlaw {
    None,
    /// Leaves out the last byte of messages of more than 600 bytes.
    LongMessages,
    /// Takes the output for a place to work in.
    Scribbles,
    /// Makes half a digest.
    Half,
}

impl Context for Sloppy {
    fn apply(&mut self, envelope: Envelope<'_>, data: &mut [u8]) -> Result<(), Fault> {
        let cut = usize::from(self.0 == DigestFlaw::LongMessages && data.len() > 600);
        let digest = Sha256::digest(&data[..data.len() - cut]);
        let made = if self.0 == DigestFlaw::Half { 16 } else { 32 };
        envelope.tag[..made].copy_from_slice(&digest[..made]);
        Ok(())
    }

    fn apply_to(&mut self, envelope: Envelope<'_>, input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
        if self.0 == DigestFlaw::Scribbles {
            output.fill(0);
        }
        self.apply(envelope, &mut input.to_vec())
    }
}

#[test]
fn wrong_digests_are_caught() {
    let task = task("SHA2-256", Operation::Digest, Contract::OneShot);
    let check = |flaw| {
        let new = |_: &[u8], _: &[u8]| Ok(Box::new(Sloppy(flaw)) as Box<dyn Context>);
        known_answers::check(task, &new)?;
        compare(task, Strength::Quick, SEED, &new)
    };
    check(DigestFlaw::None).unwrap();
    let failure = check(DigestFlaw::LongMessages).unwrap_err();
    assert!(
        failure
            .case
            .starts_with("SHA2-256 digest, one-shot/1, 601 bytes "),
        "{failure}"
    );
    assert!(failure.symptom.starts_with("digest: byte 0 is "), "{failure}");
    let failure = check(DigestFlaw::Scribbles).unwrap_err();
    assert!(
        failure.symptom.starts_with("byte 0 is 00, should be a5"),
        "{failure}"
    );
    let failure = check(DigestFlaw::Half).unwrap_err();
    assert!(failure.symptom.starts_with("digest: byte 16 is "), "{failure}");
}

/// AES-128-CBC and HMAC-SHA-256 as ESP has them, with one thing wrong.
struct Tunnel {
    cbc: Cbc,
    mac: Hmac<Sha256>,
    flaw: TunnelFlaw,
    open: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum TunnelFlaw {
    None,
    /// Makes the tag of the plaintext.
    MacThenEncrypt,
    /// Leaves the IV out of the tag.
    WithoutIv,
    /// Does not look at the tag.
    AnyTag,
    /// Looks at its first twelve bytes, as of HMAC-SHA1.
    ShortTag,
}

impl Context for Tunnel {
    fn apply(&mut self, envelope: Envelope<'_>, data: &mut [u8]) -> Result<(), Fault> {
        let mut iv: [u8; 16] = envelope.iv.try_into().expect("sixteen bytes");
        let (open, flaw) = (self.open, self.flaw);
        let tag_of = |message: &[u8]| {
            let iv = if flaw == TunnelFlaw::WithoutIv {
                &[]
            } else {
                envelope.iv
            };
            let mac = self.mac.clone().chain_update(envelope.aad).chain_update(iv);
            mac.chain_update(message).finalize().into_bytes()
        };
        let before = tag_of(data);
        let cbc = &self.cbc;
        match open {
            true => cbc.decrypt(&mut iv, data)?,
            false => cbc.encrypt(&mut iv, data)?,
        }
        let after = tag_of(data);
        let tag = match flaw == TunnelFlaw::MacThenEncrypt {
            true if open => after,
            true => before,
            false if open => before,
            false => after,
        };
        let looked_at = match flaw {
            TunnelFlaw::AnyTag => 0,
            TunnelFlaw::ShortTag => 12,
            _ => 16,
        };
        if !open {
            envelope.tag.copy_from_slice(&tag[..16]);
        } else if tag[..looked_at] != envelope.tag[..looked_at] {
            return Err(Fault("not authentic".to_owned()));
        }
        Ok(())
    }

    fn apply_to(&mut self, envelope: Envelope<'_>, input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
        output.copy_from_slice(input);
        self.apply(envelope, output)
    }
}

#[test]
fn what_goes_through_a_tunnel_is_authenticated_whole() {
    let check = |flaw, operation| {
        let task = task("AES-128-CBC-HMAC-SHA256-ESP", operation, Contract::NewIv);
        let new = |key: &[u8], _: &[u8]| -> Result<Box<dyn Context>, Fault> {
            let (cipher_key, mac_key) = key.split_at(16);
            Ok(Box::new(Tunnel {
                cbc: Cbc::with_implementation(Implementation::PORTABLE, cipher_key)?,
                mac: Hmac::new_from_slice(mac_key).expect("a key of any length"),
                flaw,
                open: operation == Operation::Open,
            }))
        };
        known_answers::check(task, &new)?;
        compare(task, Strength::Quick, SEED, &new)
    };
    for operation in [Operation::Seal, Operation::Open] {
        check(TunnelFlaw::None, operation).unwrap();
    }
    for flaw in [TunnelFlaw::MacThenEncrypt, TunnelFlaw::WithoutIv] {
        let failure = check(flaw, Operation::Seal).unwrap_err();
        assert!(failure.symptom.starts_with("tag: byte "), "{failure}");
        let failure = check(flaw, Operation::Open).unwrap_err();
        assert_eq!(failure.symptom, "not authentic", "{failure}");
    }
    for flaw in [TunnelFlaw::AnyTag, TunnelFlaw::ShortTag] {
        let failure = check(flaw, Operation::Open).unwrap_err();
        assert_eq!(
            failure.symptom, "was opened although a bit of its tag had been changed",
            "{failure}"
        );
    }
}

/// Ed25519 that knows the published signatures by heart, with one thing wrong.
#[derive(Clone, Copy, PartialEq)]
enum KeyFlaw {
    None,
    /// Accepts everything.
    AnySignature,
    /// Accepts a known signature, of whichever message.
    AnyMessage,
    /// Looks at the first half of a signature.
    HalfSignature,
    /// Refuses what is right.
    Refuses,
    /// Signs something else.
    WrongSignature,
}

struct ByHeart(KeyFlaw, Operation);

/// The message and the signature of `vectors/keys/Ed25519.txt`, for each of its keys.
fn by_heart() -> Vec<(Vec<u8>, Vec<u8>)> {
    let hex = |line: &str| {
        let digits = line.split_once('=').expect("a value").1.trim();
        let byte = |i: usize| u8::from_str_radix(&digits[i..i + 2], 16).expect("hexadecimal");
        (0..digits.len()).step_by(2).map(byte).collect::<Vec<u8>>()
    };
    let text = include_str!("../vectors/keys/Ed25519.txt");
    let of = |what: &'static str| text.lines().filter(move |line| line.starts_with(what)).map(hex);
    of("INPUT").zip(of("OUTPUT")).collect()
}

impl Context for ByHeart {
    fn apply(&mut self, envelope: Envelope<'_>, data: &mut [u8]) -> Result<(), Fault> {
        let known = by_heart();
        let of_message = known.iter().find(|(message, _)| message == data);
        if self.1 == Operation::Sign {
            // What it does not know it makes up, and then knows again.
            let mut signature =
                of_message.map_or_else(|| vec![data[0]; 64], |(_, signature)| signature.clone());
            signature[63] ^= u8::from(self.0 == KeyFlaw::WrongSignature);
            envelope.tag.copy_from_slice(&signature);
            return Ok(());
        }
        let looked_at = if self.0 == KeyFlaw::HalfSignature { 32 } else { 64 };
        let same = |signature: &[u8]| signature[..looked_at] == envelope.tag[..looked_at];
        let right = match self.0 {
            KeyFlaw::AnySignature => true,
            KeyFlaw::Refuses => false,
            KeyFlaw::AnyMessage => known.iter().any(|(_, signature)| same(signature)),
            _ => match of_message {
                Some((_, signature)) => same(signature),
                None => data.len() == 32 && *envelope.tag == [data[0]; 64],
            },
        };
        right.then_some(()).ok_or_else(|| Fault("no".to_owned()))
    }

    fn apply_to(&mut self, envelope: Envelope<'_>, input: &[u8], _: &mut [u8]) -> Result<(), Fault> {
        self.apply(envelope, &mut input.to_vec())
    }
}

#[test]
fn signatures_are_really_made_and_looked_at() {
    let check = |flaw, operation| {
        let task = task("Ed25519", operation, Contract::OneShot);
        let new = |task: Task, _: &[u8]| Ok(Box::new(ByHeart(flaw, task.operation)) as Box<dyn Context>);
        public_key::check(task, SEED, &new).map_err(|failure| failure.symptom)
    };
    for operation in [Operation::Sign, Operation::Verify] {
        check(KeyFlaw::None, operation).unwrap();
    }
    for (flaw, symptom) in [
        (
            KeyFlaw::AnySignature,
            "a forged signature was accepted: another message",
        ),
        (
            KeyFlaw::AnyMessage,
            "a forged signature was accepted: another message",
        ),
        (
            KeyFlaw::HalfSignature,
            "a forged signature was accepted: a bit of the signature changed",
        ),
        (KeyFlaw::Refuses, "a right signature was refused: no"),
    ] {
        // Whoever cannot verify is not believed to sign.
        for operation in [Operation::Sign, Operation::Verify] {
            assert_eq!(check(flaw, operation).unwrap_err(), symptom);
        }
    }
    assert_eq!(
        check(KeyFlaw::WrongSignature, Operation::Sign).unwrap_err(),
        "the signature is another than everyone's"
    );
}

#[test]
fn who_was_right_at_first_must_still_sign_and_look() {
    let once = |flaw, operation| {
        let task = task("Ed25519", operation, Contract::OneShot);
        let new =
            |task: Task, _: &[u8]| Ok(Box::new(ByHeart(KeyFlaw::None, task.operation)) as Box<dyn Context>);
        public_key::check_once(task, &mut ByHeart(flaw, operation), &new)
    };
    for operation in [Operation::Sign, Operation::Verify] {
        once(KeyFlaw::None, operation).unwrap();
    }
    for (flaw, operation, symptom) in [
        (
            KeyFlaw::WrongSignature,
            Operation::Sign,
            "what it signed does not verify: no",
        ),
        (
            KeyFlaw::AnySignature,
            Operation::Verify,
            "a forged signature was accepted",
        ),
        (KeyFlaw::Refuses, Operation::Verify, "no"),
    ] {
        assert_eq!(once(flaw, operation).unwrap_err(), symptom);
    }
}

/// A key agreement and an encapsulation that do nothing: each secret is the same, and so is each key.
struct Idle;

impl Context for Idle {
    fn apply(&mut self, envelope: Envelope<'_>, _: &mut [u8]) -> Result<(), Fault> {
        envelope.tag.fill(1);
        Ok(())
    }

    fn apply_to(&mut self, envelope: Envelope<'_>, _: &[u8], _: &mut [u8]) -> Result<(), Fault> {
        envelope.tag.fill(1);
        Ok(())
    }
}

#[test]
fn secrets_are_really_made() {
    for (name, operation, symptom) in [
        (
            "X25519",
            Operation::Derive,
            "the secret is another than everyone's",
        ),
        (
            "ML-KEM-768",
            Operation::Decapsulate,
            "the secret is another than everyone's",
        ),
        (
            "ML-KEM-768",
            Operation::Encapsulate,
            "the secret is another than everyone's",
        ),
        ("ML-KEM-768", Operation::Generate, "the same key came twice"),
    ] {
        let task = task(name, operation, Contract::OneShot);
        let new = |_: Task, _: &[u8]| Ok(Box::new(Idle) as Box<dyn Context>);
        // Whoever does nothing on either side agrees with itself.
        let agrees = matches!(operation, Operation::Encapsulate | Operation::Generate);
        assert_eq!(public_key::check_once(task, &mut Idle, &new).is_ok(), agrees);
        let failure = public_key::check(task, SEED, &new).unwrap_err();
        assert_eq!(failure.symptom, symptom, "{failure}");
        assert!(
            failure
                .case
                .starts_with(&format!("{name} 1: {name} {operation}, one-shot/1")),
            "{failure}"
        );
    }
}
