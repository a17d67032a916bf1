//! Whether an implementation is right. One that is not is neither timed nor chosen.
//!
//! [`check`] before timing, [`recheck`] after it, in the process that timed: a library that changes its mind once
//! it is warm, or once its environment changed, is caught by the second. Both make fresh contexts;
//! [`crate::Witness`] looks at those that were timed.
use std::{collections::HashSet, fmt};

use ciphertune::LengthClass;
use ciphertune_testkit::{
    Algorithm, Context, Contract, Envelope, Fault, Task,
    differential::{self, Strength},
    known_answers,
    public_key::{self, NewKeyed},
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Implementation, Once, Ring, Timed};

/// Published answers, then the differential check against Ciphertune's portable code. The cases follow from the
/// seed. An implementation that is unavailable fails.
pub fn check(implementation: &dyn Implementation, task: Task, seed: u64) -> Result<(), Failure> {
    check_with(Strength::Quick, implementation, task, seed)
}

/// As [`check`], with each case at every offset from 0 to 63. For tests: it takes seconds.
pub fn check_exhaustively(implementation: &dyn Implementation, task: Task, seed: u64) -> Result<(), Failure> {
    check_with(Strength::Exhaustive, implementation, task, seed)
}

/// As [`check_exhaustively`], each length to 2100 bytes and a sample of longer ones. For a proof: it takes minutes.
pub fn prove(implementation: &dyn Implementation, task: Task, seed: u64) -> Result<(), Failure> {
    check_with(Strength::Proof, implementation, task, seed)
}

fn check_with(
    strength: Strength,
    implementation: &dyn Implementation,
    task: Task,
    seed: u64,
) -> Result<(), Failure> {
    if task.algorithm.is_public_key() {
        return check_public_key(public_key::check, implementation, task, seed);
    }
    let new = contexts(implementation, task);
    let (forward, longest) = (forward(implementation, task), implementation.longest(task));
    known_answers::check(task, &new)
        .and_then(|()| differential::check(&forward, task, longest, strength, seed, &new))
        .map_err(|failure| Failure::new(implementation, failure))?;
    check_described(implementation, task)?;
    check_many(implementation, task, seed)
}

/// After timing: published answers, then messages of each length that wisdom is measured at; by keys of two halves what
/// [`check`] sees, with fewer forgeries and messages.
pub fn recheck(implementation: &dyn Implementation, task: Task, seed: u64) -> Result<(), Failure> {
    if task.algorithm.is_public_key() {
        return check_public_key(public_key::recheck, implementation, task, seed);
    }
    let new = contexts(implementation, task);
    let forward = forward(implementation, task);
    known_answers::check(task, &new)
        .and_then(|()| {
            LengthClass::all()
                .map(LengthClass::measured)
                .filter(|&length| length <= implementation.longest(task))
                .try_for_each(|length| {
                    differential::check_length(&forward, task, length, Strength::Quick, seed, &new)
                })
        })
        .map_err(|failure| Failure::new(implementation, failure))?;
    check_described(implementation, task)?;
    check_many(implementation, task, seed)
}

/// Makes a message by key, IV, additional data and text.
pub(crate) type Forward<'a> = Box<dyn Fn(&[u8], &[u8], &[u8], &[u8]) -> differential::Made + 'a>;

/// What there is to compare with: Ciphertune's code or, where nobody else's has the algorithm, the implementation's own. What
/// undoes it then has to give the message back.
pub(crate) fn forward(implementation: &dyn Implementation, task: Task) -> Forward<'_> {
    match task.algorithm.description() {
        None => Box::new(differential::ours(task)),
        Some(_) => Box::new(itself(implementation, task)),
    }
}

/// What the implementation itself makes of a message, from buffer to buffer in one call of a new context.
fn itself(
    implementation: &dyn Implementation,
    task: Task,
) -> impl Fn(&[u8], &[u8], &[u8], &[u8]) -> differential::Made {
    let forward = Task {
        operation: task.algorithm.operations()[0],
        ..task
    };
    let new = contexts(implementation, forward);
    move |key, iv, aad, message| {
        let mut made = message.to_vec();
        let mut tag = vec![0; task.algorithm.tag_len()];
        let envelope = Envelope {
            iv,
            aad,
            tag: &mut tag,
        };
        new(key, iv)?.apply_to(envelope, message, &mut made)?;
        Ok((made, tag))
    }
}

/// A number for what an implementation makes of some messages, of each length that it takes: another one's is the same if it
/// computes the same. Fails where key, IV, message or additional data make no difference.
pub(crate) fn answer(implementation: &dyn Implementation, algorithm: Algorithm) -> Result<u64, Fault> {
    let task = Task::usual(algorithm);
    let forward = itself(implementation, task);
    let mut digest = Sha256::new();
    let mut met = HashSet::new();
    // One byte of each, by its number, is another one, by another bit: in CBC the same in IV and message cancels out.
    for changed in [None, Some(0), Some(1), Some(2), Some(3)] {
        for length in [0, 1, 15, 16, 17, 64, 272, 1040]
            .into_iter()
            .filter(|&length| task.takes(length))
        {
            let bytes = |which: u8, len: usize| {
                let mut bytes: Vec<u8> = (0..len).map(|i| (i * 7) as u8 ^ which << 6).collect();
                if let (true, Some(byte)) = (changed == Some(which), bytes.get_mut(len / 2)) {
                    *byte ^= 1 << (3 + which);
                }
                bytes
            };
            let (key, iv) = (bytes(0, algorithm.key_len()), bytes(1, algorithm.iv_len()));
            let aad = bytes(3, if task.takes_aad() { 13 } else { 0 });
            let (made, tag) = forward(&key, &iv, &aad, &bytes(2, length))?;
            digest.update(&made);
            digest.update(&tag);
            let is_there = match changed {
                Some(0) => !key.is_empty(),
                Some(1) => !iv.is_empty(),
                Some(3) => !aad.is_empty(),
                _ => true,
            };
            if length >= 16 && is_there && !met.insert((made, tag)) {
                return Err(Fault(format!(
                    "{algorithm}: key, IV, message or additional data make no difference"
                )));
            }
        }
    }
    let digest: [u8; 32] = digest.finalize().into();
    Ok(u64::from_le_bytes(*digest.first_chunk().expect("32 bytes")))
}

/// Of what a library describes, whether it still gives the answer that stands for it.
fn check_described(implementation: &dyn Implementation, task: Task) -> Result<(), Failure> {
    let Some(description) = task.algorithm.description() else {
        return Ok(());
    };
    let symptom = match answer(implementation, task.algorithm) {
        Ok(answer) if answer == description.answer => return Ok(()),
        Ok(_) => "computes something else than at first".to_owned(),
        Err(fault) => fault.0,
    };
    Err(Failure {
        implementation: implementation.description().id.clone(),
        case: task.to_string(),
        symptom,
    })
}

/// Of a task of many messages to a call, whether each becomes what Ciphertune's portable code makes of it alone, and nothing
/// between them is written to: by as many as are timed, and by fewer.
fn check_many(implementation: &dyn Implementation, task: Task, seed: u64) -> Result<(), Failure> {
    if !task.contract.is_many() {
        return Ok(());
    }
    let numbers: Vec<u8> = (1..=1 << 18)
        .map(|i: u64| (i.wrapping_mul(seed | 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8)
        .collect();
    let key = &numbers[..task.algorithm.key_len()];
    for count in [Contract::MANY, Contract::MANY - 1, 17, 2] {
        let step = if task.takes(1) { 5 } else { 16 };
        for length in (0..=528).step_by(step).chain([4096]) {
            let mut ring = Ring::of(task, length, length + 80, count, 0);
            let given = &numbers[..ring.span()];
            check_all_of(implementation, task, key, given, &mut ring).map_err(|fault| Failure {
                implementation: implementation.description().id.clone(),
                case: format!("{task}, {count} messages of {length} bytes"),
                symptom: fault.0,
            })?;
        }
    }
    Ok(())
}

fn check_all_of(
    implementation: &dyn Implementation,
    task: Task,
    key: &[u8],
    given: &[u8],
    ring: &mut Ring,
) -> Result<(), Fault> {
    let alone = differential::ours(task);
    let mut expected = given.to_vec();
    let mut expected_tags = Vec::new();
    for (i, (envelope, message)) in ring.all(expected.as_mut_slice().into()).enumerate() {
        let message = message.into_out();
        let (made, tag) = alone(&task.contract.key(key, i), envelope.iv, &[], message)?;
        message.copy_from_slice(&made);
        expected_tags.push(tag);
        envelope.tag.fill(0);
    }
    let mut context = implementation.context(task, key, &vec![0; task.algorithm.iv_len()])?;
    let mut made = given.to_vec();
    context.repeat_to(given, &mut made, ring, 1)?;
    let mut ways = vec![("apart", made, ring.take_tags())];
    if context.repeats_in_place() {
        let mut made = given.to_vec();
        context.repeat(&mut made, ring, 1)?;
        ways.push(("in place", made, ring.take_tags()));
    }
    for (way, made, tags) in ways {
        if let Some(message) = tags
            .iter()
            .zip(&expected_tags)
            .position(|(made, tag)| made != tag)
        {
            return Err(Fault(format!(
                "{way}, the tag of message {message} of all is wrong"
            )));
        }
        if let Some(byte) = made
            .iter()
            .zip(&expected)
            .position(|(made, expected)| made != expected)
        {
            let (made, expected) = (made[byte], expected[byte]);
            return Err(Fault(format!(
                "{way}, byte {byte} of all is {made:02x}, should be {expected:02x}"
            )));
        }
    }
    Ok(())
}

/// Whether a stream in calls of `length` bytes comes out the same with so many threads to help as without: a MiB of it,
/// or one call. For an implementation that passed [`check`].
pub fn check_helped(
    implementation: &dyn Implementation,
    task: Task,
    workers: usize,
    length: usize,
    seed: u64,
) -> Result<(), Failure> {
    let seed = seed.to_le_bytes().repeat(12);
    let (key, iv) = (
        &seed[..task.algorithm.key_len()],
        &seed[..task.algorithm.iv_len()],
    );
    let calls = ((1 << 20) / length.max(1)).max(1) as u64;
    let fails = |symptom: String| Failure {
        implementation: implementation.description().id.clone(),
        case: format!("{task}, {calls} calls of {length} B, {workers} threads to help"),
        symptom,
    };
    let outcome = |context: Result<Box<dyn Timed>, Fault>| {
        let mut data = vec![0; length.next_multiple_of(64).max(Ring::LONGEST_SPAN)];
        context?.repeat(&mut data, &mut Ring::new(task, length, 0), calls)?;
        Ok(data)
    };
    let alone =
        outcome(implementation.context(task, key, iv)).map_err(|fault: Fault| fails(fault.to_string()))?;
    let helped = outcome(implementation.helped(task, key, iv, workers))
        .map_err(|fault: Fault| fails(fault.to_string()))?;
    match alone
        .iter()
        .zip(&helped)
        .position(|(alone, helped)| alone != helped)
    {
        Some(byte) => Err(fails(format!(
            "byte {byte} is {:02x}, not {:02x} as without them",
            helped[byte], alone[byte]
        ))),
        None => Ok(()),
    }
}

/// What other libraries know, forgeries, and one operation against the other.
fn check_public_key(
    check: fn(Task, u64, NewKeyed<'_>) -> Result<(), ciphertune_testkit::Failure>,
    implementation: &dyn Implementation,
    task: Task,
    seed: u64,
) -> Result<(), Failure> {
    let new = |task: Task, key: &[u8]| {
        let context = implementation.context(task, key, &[])?;
        Ok(Box::new(Once(context)) as Box<dyn Context>)
    };
    check(task, seed, &new).map_err(|failure| Failure::new(implementation, failure))
}

/// The first case that an implementation got wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The implementation's id.
    pub implementation: String,
    /// Which case: where it comes from, task, length, offsets, updates, key and IV.
    pub case: String,
    /// What was wrong.
    pub symptom: String,
}

impl Failure {
    fn new(implementation: &dyn Implementation, failure: ciphertune_testkit::Failure) -> Self {
        Self {
            implementation: implementation.description().id.clone(),
            case: failure.case,
            symptom: failure.symptom,
        }
    }
}

/// One line.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.implementation, self.case, self.symptom)
    }
}

impl std::error::Error for Failure {}

fn contexts(
    implementation: &dyn Implementation,
    task: Task,
) -> impl Fn(&[u8], &[u8]) -> Result<Box<dyn Context>, Fault> {
    move |key, iv| {
        // What a message brings is no part of its context.
        let mut stream_iv = vec![0; task.algorithm.iv_len()];
        if task.contract == Contract::Stream {
            stream_iv.copy_from_slice(iv);
        }
        Ok(Box::new(Once(implementation.context(task, key, &stream_iv)?)) as Box<dyn Context>)
    }
}

#[cfg(test)]
mod tests {
    use inout::InOutBuf;

    use ciphertune_testkit::{Described, Envelope, Kind, Operation};

    use super::*;
    use crate::{
        Description,
        context::copying,
        implementation::Composed,
        many::{AtOnce, SideBySide},
    };

    #[test]
    fn a_counter_that_does_not_carry_is_caught_with_its_case() {
        let broken = crate::broken::implementation();
        assert!(
            broken.description().selectable,
            "or not choosing it would show nothing"
        );
        for &task in broken.tasks() {
            for checked in [check(&*broken, task, 1), recheck(&*broken, task, 1)] {
                let failure = checked.expect_err("it is broken");
                assert_eq!(failure.implementation, "ciphertune/broken");
                let line = failure.to_string();
                assert!(
                    line.starts_with(&format!("ciphertune/broken: {task}, ")),
                    "{line}"
                );
                assert!(line.contains(" is ") && !line.contains('\n'), "{line}");

                // From the IV that it names, the stream crosses a multiple of 2^32.
                let (_, iv) = failure.case.rsplit_once("IV ").expect("the IV");
                let low = u32::from_str_radix(&iv[24..], 16).expect("hexadecimal");
                assert!(low.wrapping_add(65_537 + 544) < 65_537 + 544, "{line}");
            }
        }
    }

    /// Ours, but what a thread helps begins at another counter.
    struct Astray(Box<dyn Implementation>);

    impl Implementation for Astray {
        fn description(&self) -> &Description {
            self.0.description()
        }

        fn tasks(&self) -> &[Task] {
            self.0.tasks()
        }

        fn context(&self, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
            self.0.context(task, key, iv)
        }

        fn helped(&self, task: Task, key: &[u8], iv: &[u8], workers: usize) -> Result<Box<dyn Timed>, Fault> {
            let mut astray = iv.to_vec();
            astray[15] ^= 1;
            self.0.helped(task, key, &astray, workers)
        }
    }

    #[test]
    fn a_stream_that_helpers_change_is_caught() {
        let task = Task::usual("AES-128-CTR".parse().unwrap());
        let ours = crate::Source::Builtin.load().unwrap().implementations;
        let mut ours = ours
            .into_iter()
            .filter(|i| i.description().id == "ciphertune/portable");
        let ours = ours.next().unwrap();
        for length in [16, 1350, 32 << 10, 1 << 20] {
            assert_eq!(check_helped(&*ours, task, 1, length, 1), Ok(()));
        }
        let failure = check_helped(&Astray(ours), task, 1, 1350, 1).unwrap_err();
        assert!(
            failure.case.ends_with("776 calls of 1350 B, 1 threads to help"),
            "{failure}"
        );
        assert!(failure.symptom.starts_with("byte 0 is "), "{failure}");
    }

    /// Does the first so many of many messages.
    struct Few<F>(F, usize);

    impl<F: FnMut(usize, Envelope<'_>, InOutBuf<'_, '_, u8>) -> Result<(), Fault>> SideBySide for Few<F> {
        fn run<'a>(
            &mut self,
            messages: impl Iterator<Item = (Envelope<'a>, InOutBuf<'a, 'a, u8>)>,
        ) -> Result<(), Fault> {
            for (i, (envelope, message)) in messages.take(self.1).enumerate() {
                (self.0)(i, envelope, message)?;
            }
            Ok(())
        }
    }

    #[test]
    fn each_of_many_messages_is_looked_at() {
        for task in ["AES-192-CBC", "AES-192-CMAC"]
            .into_iter()
            .flat_map(|name| Task::of_many(name.parse().unwrap()))
        {
            let takes = |few| Composed {
                description: Description::built_in("few@0/default".to_owned(), "this test", "0"),
                tasks: vec![task],
                context: move |task: Task, key: &[u8], _: &[u8]| {
                    let key = key.to_vec();
                    let one = move |i, envelope: Envelope<'_>, message: InOutBuf<'_, '_, u8>| {
                        let key = task.contract.key(&key, i);
                        let (made, tag) = differential::ours(task)(&key, envelope.iv, &[], message.get_in())?;
                        if task.operation.writes() {
                            message.into_out().copy_from_slice(&made);
                        }
                        envelope.tag.copy_from_slice(&tag);
                        Ok(())
                    };
                    Ok(Box::new(AtOnce(Few(one, few))) as Box<_>)
                },
            };
            for checked in [check, recheck] {
                assert_eq!(checked(&takes(32), task, 1), Ok(()));
                for few in [1, 16, 31] {
                    let failure = checked(&takes(few), task, 1).unwrap_err();
                    let case = format!("{task}, 32 messages of ");
                    assert!(failure.case.starts_with(&case), "{failure}");
                }
            }
        }
    }

    type New = Result<Box<dyn Timed>, Fault>;

    /// A cipher that nobody else has: each byte is changed by one of the key's and one of the IV's, and on the way back by
    /// another number besides.
    fn caesar(key_counts: bool, back: u8) -> Composed<impl Fn(Task, &[u8], &[u8]) -> New> {
        let algorithm = Algorithm::described(Described {
            name: "CAESAR".to_owned(),
            kind: Kind::Blocks,
            key_len: 16,
            block_len: 16,
            iv_len: 0,
            tag_len: 0,
            answer: 0,
        });
        Composed {
            description: Description::built_in("rome@0/default".to_owned(), "this test", "0"),
            tasks: Task::of(algorithm).collect(),
            context: move |task: Task, key: &[u8], _: &[u8]| {
                let key = if key_counts { key[8] } else { 0 };
                let shift = match task.operation.is_backward() {
                    true => 0u8.wrapping_sub(key).wrapping_add(back),
                    false => key,
                };
                Ok(copying(
                    task.contract,
                    shift,
                    |_| Ok(()),
                    |shift, _, data: &mut [u8]| {
                        data.iter_mut().for_each(|byte| *byte = byte.wrapping_add(*shift));
                        Ok(())
                    },
                ))
            },
        }
    }

    #[test]
    fn what_nobody_else_has_must_come_back_and_stay_the_same() {
        let right = caesar(true, 0);
        let algorithm = right.tasks[0].algorithm;
        let answer = answer(&right, algorithm).unwrap();
        let known = Algorithm::described(Described {
            answer,
            ..algorithm.description().unwrap().clone()
        });
        for (back, changed, operation, symptom) in [
            (0, known, "encrypt", None),
            (0, known, "decrypt", None),
            (1, known, "decrypt", Some("byte 0 is ")),
            // The answer that stands for it is another one.
            (
                0,
                algorithm,
                "encrypt",
                Some("computes something else than at first"),
            ),
        ] {
            let inner = caesar(true, back);
            let implementation = Composed {
                description: inner.description.clone(),
                tasks: Task::of(changed).collect(),
                context: inner.context,
            };
            let task = Task {
                operation: Operation::named(operation).unwrap(),
                ..Task::usual(changed)
            };
            for checked in [check, recheck] {
                let failure = checked(&implementation, task, 1).err();
                let found = failure.map(|failure| failure.symptom);
                match symptom {
                    None => assert_eq!(found, None),
                    Some(start) => assert!(found.unwrap().starts_with(start)),
                }
            }
        }
    }

    /// GCM that passes additional data by.
    struct Deaf(Once);

    impl Context for Deaf {
        fn apply(&mut self, envelope: Envelope<'_>, data: &mut [u8]) -> Result<(), Fault> {
            self.0.apply(Envelope { aad: &[], ..envelope }, data)
        }

        fn apply_to(&mut self, envelope: Envelope<'_>, input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
            self.0.apply_to(Envelope { aad: &[], ..envelope }, input, output)
        }
    }

    #[test]
    fn additional_data_that_make_no_difference_are_caught() {
        let ours = crate::Source::Builtin.load().unwrap().implementations;
        let real: Algorithm = "AES-128-GCM".parse().unwrap();
        let algorithm = Algorithm::described(Described {
            name: "ARIA-128-GCM".to_owned(),
            kind: Kind::Aead,
            key_len: 16,
            block_len: 1,
            iv_len: 12,
            tag_len: 16,
            answer: 0,
        });
        let caught = |is_deaf: bool| {
            let implementation = Composed {
                description: Description::built_in("deaf@0/default".to_owned(), "this test", "0"),
                tasks: Task::of(algorithm).collect(),
                context: |task: Task, key: &[u8], iv: &[u8]| {
                    let task = Task {
                        algorithm: real,
                        ..task
                    };
                    let inner = ours[0].context(task, key, iv)?;
                    Ok(match is_deaf {
                        true => Box::new(Deaf(Once(inner))) as Box<dyn Timed>,
                        false => inner,
                    })
                },
            };
            answer(&implementation, algorithm).err()
        };
        assert_eq!(caught(false), None);
        let Fault(why) = caught(true).expect("nothing else looks at them");
        assert!(why.contains("additional data make no difference"), "{why}");
    }

    #[test]
    fn a_key_that_makes_no_difference_is_caught() {
        let implementation = caesar(false, 0);
        let Fault(why) = answer(&implementation, implementation.tasks[0].algorithm).unwrap_err();
        assert!(why.contains("make no difference"), "{why}");
    }

    #[test]
    fn what_has_messages_alone_takes_many_in_turn() {
        let all = crate::Source::Builtin.load().unwrap().implementations;
        let aws_lc = all
            .iter()
            .find(|i| i.description().id.starts_with("aws-lc-rs@"))
            .unwrap();
        for task in Task::of_many("AES-256-CBC".parse().unwrap()) {
            assert!(aws_lc.tasks().contains(&task));
            assert_eq!(check(&**aws_lc, task, 1), Ok(()));
        }
    }
}
