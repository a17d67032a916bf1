//! Operations by keys of two halves: signatures, key agreement, encapsulation. They have no message of a length to
//! speak of, so each comes as bytes of one length in a call's data and tag.
//!
//! | operation | data | tag |
//! |---|---|---|
//! | sign | the message | becomes the signature, with zeros behind a short one |
//! | verify | the message | the signature to be checked |
//! | derive | the other's public key | becomes the secret |
//! | generate | becomes the private key | |
//! | encapsulate | becomes the ciphertext | becomes the secret |
//! | decapsulate | the ciphertext | becomes the secret |
//!
//! Contexts are made by the private key, also where the public one serves: PKCS #8, or the bytes of FIPS 203 and 204.
//! RSA is PKCS #1 v1.5; it, DSA and ECDSA sign the message's SHA-256, or SHA-384 with P-384; a signature of the latter
//! two is DER.
//!
//! [`check`] believes nothing that an implementation says of itself: what verifies must first accept what other
//! libraries signed and refuse what nobody did, and only then vouches for what signs. So with what decapsulates.
use std::sync::LazyLock;

use crate::{Algorithm, Context, Envelope, Failure, Fault, Kind, Operation, Task, random::Random, rsp};

/// Makes a context for a task from a key.
pub type NewKeyed<'a> = &'a dyn Fn(Task, &[u8]) -> Result<Box<dyn Context>, Fault>;

impl Algorithm {
    /// Whether its keys have two halves.
    pub fn is_public_key(self) -> bool {
        matches!(
            self.kind(),
            Kind::Signature | Kind::Agreement | Kind::Encapsulation
        )
    }

    /// A private key of it that everyone knows: what is timed, and never used.
    pub fn known_key(self) -> Option<&'static [u8]> {
        let mut known = KNOWN.iter().filter(|known| known.algorithm == self);
        Some(&known.next()?.key)
    }

    /// A signature without what is behind it in a tag of the algorithm's length.
    pub fn signature(self, tag: &[u8]) -> &[u8] {
        match (self.name().split_once('-'), tag) {
            // A SEQUENCE of less than 128 bytes, as all of these have it.
            (Some(("DSA" | "ECDSA", _)), [0x30, len @ ..0x80, ..]) => {
                &tag[..tag.len().min(2 + usize::from(*len))]
            }
            _ => tag,
        }
    }
}

impl Task {
    /// Bytes of what comes in a call's data, where that has always the same length.
    pub fn fixed_len(self) -> Option<usize> {
        Some(match (self.algorithm.kind(), self.operation) {
            (Kind::Signature | Kind::Agreement, _) => 32,
            (Kind::Encapsulation, Operation::Generate) => ML_KEM_768_PRIVATE,
            (Kind::Encapsulation, _) => ML_KEM_768_CIPHERTEXT,
            _ => return None,
        })
    }

    /// What others signed or encapsulated by the [known key](Algorithm::known_key), for what undoes that: a call's data, and
    /// what its tag begins with.
    pub fn known_input(self) -> Option<(&'static [u8], &'static [u8])> {
        let known = KNOWN.iter().find(|known| known.algorithm == self.algorithm)?;
        let mut answers = known.answers.iter();
        let (data, tag) = answers.find(|(data, _)| Some(data.len()) == self.fixed_len())?;
        self.operation.needs().map(|_| (&**data, &**tag))
    }
}

const ML_KEM_768_PRIVATE: usize = 2400;
const ML_KEM_768_CIPHERTEXT: usize = 1088;

/// Known answers of other libraries, forgeries, and whether two operations undo each other.
pub fn check(task: Task, seed: u64, new: NewKeyed<'_>) -> Result<(), Failure> {
    check_with(task, Strength::Full, &mut Random::new(seed), new)
}

/// The same once more, of what passed [`check`], with fewer forgeries and messages.
pub fn recheck(task: Task, seed: u64, new: NewKeyed<'_>) -> Result<(), Failure> {
    check_with(task, Strength::Little, &mut Random::new(seed), new)
}

fn check_with(task: Task, strength: Strength, random: &mut Random, new: NewKeyed<'_>) -> Result<(), Failure> {
    for known in KNOWN.iter().filter(|known| known.algorithm == task.algorithm) {
        let trial = Trial { task, known, new };
        match task.operation {
            Operation::Sign => trial.sign(strength, random),
            Operation::Verify => trial.verify(strength),
            Operation::Derive | Operation::Decapsulate => trial.answers(task.operation),
            Operation::Encapsulate => trial.encapsulate(),
            Operation::Generate => trial.generate(),
            operation => Err(format!("there is no {operation} by a public key")),
        }
        .map_err(|symptom| Failure {
            case: format!("{}: {task}", known.name),
            symptom,
        })?;
    }
    Ok(())
}

/// Whether a context by the [known key](Algorithm::known_key) does its task once more, by what contexts of an implementation
/// that passed [`check`] say.
pub fn check_once(task: Task, context: &mut dyn Context, new: NewKeyed<'_>) -> Result<(), String> {
    let Some(known) = KNOWN.iter().find(|known| known.algorithm == task.algorithm) else {
        return Ok(());
    };
    Trial { task, known, new }.once(context)
}

/// How closely what signs and what verifies is looked at.
#[derive(Clone, Copy, PartialEq)]
enum Strength {
    /// With known messages and one of its own, and forgeries that have a bit changed here and there in the signature: some leave
    /// one half of it unread.
    Full,
    /// With either, and one forgery of the message and one of the signature: enough for what only vouches, or was looked at before.
    Little,
}

struct Trial<'a> {
    task: Task,
    known: &'static Known,
    new: NewKeyed<'a>,
}

impl Trial<'_> {
    fn context(&self, operation: Operation, key: &[u8]) -> Result<Box<dyn Context>, String> {
        let task = Task {
            operation,
            ..self.task
        };
        (self.new)(task, key).map_err(|Fault(words)| format!("no context to {operation}: {words}"))
    }

    fn once(&self, context: &mut dyn Context) -> Result<(), String> {
        let length = self.task.fixed_len().unwrap_or_default();
        let mut answers = self.known.answers.iter();
        let Some((input, output)) = answers.find(|(input, _)| input.len() == length) else {
            return Ok(());
        };
        let mut data = vec![0; length];
        let mut tag = vec![0; self.task.algorithm.tag_len()];
        match self.task.operation {
            Operation::Generate | Operation::Encapsulate => {}
            _ => data.copy_from_slice(input),
        }
        if self.task.operation == Operation::Verify {
            tag[..output.len()].copy_from_slice(output);
        }
        apply(context, &mut data, &mut tag).map_err(|Fault(words)| words)?;
        match self.task.operation {
            Operation::Sign => {
                let mut verify = self.context(Operation::Verify, &self.known.key)?;
                apply(&mut *verify, &mut data, &mut tag)
                    .map_err(|Fault(words)| format!("what it signed does not verify: {words}"))
            }
            Operation::Verify => {
                tag[output.len() / 2] ^= 0x10;
                match apply(context, &mut data, &mut tag) {
                    Ok(()) => Err("a forged signature was accepted".to_owned()),
                    Err(_) => Ok(()),
                }
            }
            Operation::Derive | Operation::Decapsulate if tag == *output => Ok(()),
            Operation::Derive | Operation::Decapsulate => {
                Err("the secret is another than everyone's".to_owned())
            }
            Operation::Encapsulate => {
                let mut decapsulate = self.context(Operation::Decapsulate, &self.known.key)?;
                let mut found = vec![0; tag.len()];
                apply(&mut *decapsulate, &mut data, &mut found).map_err(|Fault(words)| words)?;
                match found == tag {
                    true => Ok(()),
                    false => Err("what it encapsulated decapsulates to another secret".to_owned()),
                }
            }
            // Keys that are no keys do not serve.
            _ => self.round_trip(&data),
        }
    }

    /// Accepts what others signed, in either order, and nothing else.
    fn verify(&self, strength: Strength) -> Result<(), String> {
        let mut context = self.context(Operation::Verify, &self.known.key)?;
        let verifies = |context: &mut dyn Context, message: &[u8], signature: &[u8]| {
            let mut tag = signature.to_vec();
            tag.resize(self.task.algorithm.tag_len(), 0);
            let verdict = apply(context, &mut message.to_vec(), &mut tag);
            verdict.map_err(|Fault(words)| words)
        };
        for (message, signature) in &self.known.answers {
            verifies(&mut *context, message, signature)
                .map_err(|words| format!("a right signature was refused: {words}"))?;
            let mut forged = vec![("another message", flipped(message, 0), signature.clone())];
            // From end to end, or where the second of two numbers is: of a changed last byte a signature may not even be read.
            let places = match strength {
                Strength::Full => 0..8,
                Strength::Little => 5..6,
            };
            for eighth in places {
                let at = (signature.len() - 1) * eighth / 7;
                forged.push((
                    "a bit of the signature changed",
                    message.clone(),
                    flipped(signature, at),
                ));
            }
            if strength == Strength::Full {
                let longer = [&message[..], &[0]].concat();
                forged.push(("a longer message", longer, signature.clone()));
                forged.push(("zeros for a signature", message.clone(), vec![0; signature.len()]));
            }
            for (what, message, signature) in forged {
                if verifies(&mut *context, &message, &signature).is_ok() {
                    return Err(format!("a forged signature was accepted: {what}"));
                }
            }
        }
        Ok(())
    }

    /// What it signs, it verifies too, once that has proved itself. Where one message has one signature, it is known.
    fn sign(&self, strength: Strength, random: &mut Random) -> Result<(), String> {
        self.verify(Strength::Little)?;
        let mut sign = self.context(Operation::Sign, &self.known.key)?;
        let mut verify = self.context(Operation::Verify, &self.known.key)?;
        let is_known = strength == Strength::Full || self.is_deterministic();
        let known = self.known.answers.iter().filter(|_| is_known);
        let known = known.map(|(message, _)| message.clone());
        let fresh = (strength == Strength::Full || !is_known).then(|| random.bytes(32));
        let messages: Vec<_> = known.chain(fresh).collect();
        for message in &messages {
            let mut tag = vec![0; self.task.algorithm.tag_len()];
            apply(&mut *sign, &mut message.clone(), &mut tag).map_err(|Fault(words)| words)?;
            if self.is_deterministic() {
                let mut known = self.known.answers.iter();
                let known = known.find(|(other, _)| other == message);
                if known.is_some_and(|(_, signature)| *signature != tag) {
                    return Err("the signature is another than everyone's".to_owned());
                }
            }
            apply(&mut *verify, &mut message.clone(), &mut tag)
                .map_err(|Fault(words)| format!("what it signed does not verify: {words}"))?;
        }
        Ok(())
    }

    fn is_deterministic(&self) -> bool {
        let name = self.task.algorithm.name();
        name.starts_with("RSA-") || name == "Ed25519"
    }

    /// Makes the secrets that others do.
    fn answers(&self, operation: Operation) -> Result<(), String> {
        let mut context = self.context(operation, &self.known.key)?;
        // Twice: a call must not feel the one before it.
        for (input, output) in self.known.answers.iter().chain(&self.known.answers) {
            let mut secret = vec![0; output.len()];
            apply(&mut *context, &mut input.clone(), &mut secret).map_err(|Fault(words)| words)?;
            if secret != *output {
                return Err("the secret is another than everyone's".to_owned());
            }
        }
        Ok(())
    }

    /// Decapsulates what it encapsulated, once that has proved itself.
    fn encapsulate(&self) -> Result<(), String> {
        self.answers(Operation::Decapsulate)?;
        self.round_trip(&self.known.key)
    }

    /// Makes keys that work, another one each time.
    fn generate(&self) -> Result<(), String> {
        let mut context = self.context(Operation::Generate, &self.known.key)?;
        let [one, other] = [(); 2].map(|()| {
            let mut key = vec![0; ML_KEM_768_PRIVATE];
            apply(&mut *context, &mut key, &mut [0; 32]).map(|()| key)
        });
        let (one, other) = (one.map_err(|fault| fault.0)?, other.map_err(|fault| fault.0)?);
        if one == other {
            return Err("the same key came twice".to_owned());
        }
        self.answers(Operation::Decapsulate)?;
        self.round_trip(&one)
    }

    fn round_trip(&self, key: &[u8]) -> Result<(), String> {
        let mut encapsulate = self.context(Operation::Encapsulate, key)?;
        let mut decapsulate = self.context(Operation::Decapsulate, key)?;
        let mut before = Vec::new();
        for _ in 0..2 {
            let mut ciphertext = vec![0; ML_KEM_768_CIPHERTEXT];
            let [mut made, mut found] = [[0; 32]; 2];
            apply(&mut *encapsulate, &mut ciphertext, &mut made).map_err(|Fault(words)| words)?;
            apply(&mut *decapsulate, &mut ciphertext.clone(), &mut found).map_err(|Fault(words)| words)?;
            if made != found || made == [0; 32] {
                return Err("what it encapsulated decapsulates to another secret".to_owned());
            }
            if ciphertext == before {
                return Err("the same ciphertext came twice".to_owned());
            }
            before = ciphertext;
        }
        Ok(())
    }
}

fn apply(context: &mut dyn Context, data: &mut [u8], tag: &mut [u8]) -> Result<(), Fault> {
    let envelope = Envelope {
        iv: &[],
        aad: &[],
        tag,
    };
    context.apply(envelope, data)
}

/// With a bit of a byte changed; nothing has a byte put there.
fn flipped(bytes: &[u8], at: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    match bytes.get_mut(at) {
        Some(byte) => *byte ^= 0x10,
        None => bytes.push(0),
    }
    bytes
}

/// A key, and what goes in and comes out by it.
struct Known {
    /// The file and the number in it.
    name: String,
    algorithm: Algorithm,
    key: Vec<u8>,
    /// Message and signature; public key and secret; ciphertext and secret.
    answers: Vec<(Vec<u8>, Vec<u8>)>,
}

macro_rules! files {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../vectors/keys/", $name, ".txt")))),*]
    };
}

static FILES: &[(&str, &str)] = files! {
    "RSA-1024" "RSA-2048" "RSA-3072" "RSA-4096" "DSA-2048" "ECDSA-P-256" "ECDSA-P-384" "Ed25519" "X25519" "ML-KEM-768"
    "ML-DSA-65"
};

static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let of_file = |&(name, text): &(&str, &str)| {
        parse(name, text).unwrap_or_else(|line| panic!("vectors/keys/{name}.txt: what is '{line:.40}'?"))
    };
    FILES.iter().flat_map(of_file).collect()
});

/// A file's keys, or the line that is none of it.
fn parse<'a>(name: &str, text: &'a str) -> Result<Vec<Known>, &'a str> {
    let mut keys: Vec<Known> = Vec::new();
    for line in text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let (what, digits) = line.split_once(" =").ok_or(line)?;
        let bytes = rsp::hex(digits.trim()).ok_or(line)?;
        match (what, keys.last_mut()) {
            ("KEY", _) => keys.push(Known {
                name: format!("{name} {}", keys.len() + 1),
                algorithm: Algorithm::named(name).ok_or(line)?,
                key: bytes,
                answers: Vec::new(),
            }),
            ("INPUT", Some(known)) => known.answers.push((bytes, Vec::new())),
            ("OUTPUT", Some(known)) => known.answers.last_mut().ok_or(line)?.1 = bytes,
            _ => return Err(line),
        }
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_has_a_key_and_answers() {
        for algorithm in Algorithm::all().filter(|algorithm| algorithm.is_public_key()) {
            assert!(algorithm.known_key().is_some(), "{algorithm}");
            for task in Task::of(algorithm) {
                let undoes = task.operation.needs().is_some();
                assert_eq!(task.known_input().is_some(), undoes, "{task}");
            }
            for known in KNOWN.iter().filter(|known| known.algorithm == algorithm) {
                assert!(!known.answers.is_empty(), "{}", known.name);
                for (_, output) in &known.answers {
                    assert!(
                        !output.is_empty() && output.len() <= algorithm.tag_len(),
                        "{}",
                        known.name
                    );
                }
            }
        }
    }

    #[test]
    fn a_signature_ends_where_its_der_does() {
        let algorithm = Algorithm::named("ECDSA-P-256").unwrap();
        let mut tag = [0x30, 3, 2, 1, 7, 0, 0, 0];
        assert_eq!(algorithm.signature(&tag), &[0x30, 3, 2, 1, 7]);
        tag[1] = 200;
        assert_eq!(algorithm.signature(&tag), &tag);
        assert_eq!(Algorithm::named("Ed25519").unwrap().signature(&tag), &tag);
    }
}
