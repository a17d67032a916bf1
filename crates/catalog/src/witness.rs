//! Whether the very context that was timed still does its work: in its own ring, on messages of the length that was timed.
//!
//! [`crate::gate`] makes contexts of its own. For one that has been busy, or has longer messages, a library may do
//! something else, or nothing, which is quickest.
use std::{array, collections::BTreeSet, ops::Range};

use ciphertune_testkit::{Context, Contract, Fault, Kind, Operation, Task, public_key};

use crate::{
    Implementation, Once, Ring, Timed,
    gate::{self, Failure},
};

/// What is known of a context that was timed.
#[derive(Clone, Copy)]
pub struct Witness<'a> {
    /// Whose it is.
    pub implementation: &'a dyn Implementation,
    /// What it does.
    pub task: Task,
    /// Its key.
    pub key: &'a [u8],
    /// Where its stream began.
    pub iv: &'a [u8],
    /// Bytes of its stream that have gone by.
    pub done: u64,
}

/// What is looked at, and where its messages lie.
pub struct Scene<'a, 'b> {
    /// The context.
    pub timed: &'a mut dyn Timed,
    /// As it was timed.
    pub ring: &'a mut Ring<'b>,
    /// What is read. Where a message was sealed, it stands there.
    pub input: &'a mut [u8],
    /// What is written; nothing, where that is in place.
    pub output: Option<&'a mut [u8]>,
}

impl Witness<'_> {
    /// Has it do a little more, and compares. The answer stands for what it made of its messages, which is the same for every
    /// context of the same task, key and ring: one that is `known` saves the reference's work, which takes long for long messages.
    pub fn look(&self, mut scene: Scene<'_, '_>, known: Option<u64>) -> Result<u64, Failure> {
        let outcome = match self.task.contract {
            _ if self.task.algorithm.is_public_key() => self.look_at_keys(scene.timed).map(|()| 0),
            Contract::Stream => self.look_at_stream(&mut scene).map(|()| 0),
            _ => self.look_at_messages(&mut scene, known),
        };
        outcome.map_err(|Fault(symptom)| Failure {
            implementation: self.implementation.description().id.clone(),
            case: format!("{}, {} bytes as they were timed", self.task, scene.ring.length),
            symptom,
        })
    }

    fn look_at_keys(&self, timed: &mut dyn Timed) -> Result<(), Fault> {
        let new = |task: Task, key: &[u8]| {
            let context = self.implementation.context(task, key, &[])?;
            Ok(Box::new(Once(context)) as Box<dyn Context>)
        };
        public_key::check_once(self.task, &mut Once(timed), &new).map_err(Fault)
    }

    fn look_at_messages(&self, scene: &mut Scene<'_, '_>, known: Option<u64>) -> Result<u64, Fault> {
        let is_given = self.task.operation.needs().is_some();
        if !is_given {
            fill(scene.input);
            scene.ring.take_tags();
        }
        // What was made before would be taken for what is made now.
        if let Some(output) = &mut scene.output {
            output.fill(0);
        }
        // Once round the ring: each message has an IV of its own.
        let last = scene.ring.count() - 1;
        let (calls, turns) = match self.task.contract {
            contract if contract.is_many() => (1, vec![0, last]),
            _ => (1 + last, (0..=last).collect()),
        };
        scene.calls(calls)?;
        let mut print = 0;
        for &turn in &turns {
            let (place, envelope) = scene.ring.message(turn);
            print = digest(print, envelope.tag);
            if self.task.operation.writes() {
                print = digest(
                    print,
                    &scene.output.as_deref().unwrap_or(scene.input)[place.clone()],
                );
            }
            if is_given {
                print = digest(print, &scene.input[place]);
            }
        }
        if known != Some(print) {
            for turn in turns {
                self.compare(scene, turn)?;
            }
        }
        if self.task.operation == Operation::Open {
            for turn in BTreeSet::from([0, last]) {
                scene.refuses(calls, turn)?;
            }
        }
        Ok(print)
    }

    fn compare(&self, scene: &mut Scene<'_, '_>, turn: usize) -> Result<(), Fault> {
        let operation = self.task.operation;
        let (place, envelope) = scene.ring.message(turn);
        let given = match operation.needs() {
            Some(_) => scene.input[place.clone()].to_vec(),
            None => pattern(place.clone()),
        };
        let made = match operation.writes() {
            true => &scene.output.as_deref().unwrap_or(scene.input)[place],
            false => &given,
        };
        let (message, expected) = match operation.is_backward() {
            true => (made, &*given),
            false => (&*given, made),
        };
        let forward = gate::forward(self.implementation, self.task);
        let key = self.task.contract.key(self.key, turn);
        let (text, tag) = forward(&key, envelope.iv, envelope.aad, message)?;
        same("", expected, &text)?;
        same("tag: ", envelope.tag, &tag)
    }

    /// Of a long message its begin, its middle and its end.
    fn look_at_stream(&self, scene: &mut Scene<'_, '_>) -> Result<(), Fault> {
        let length = scene.ring.length;
        let (begins, size, calls) = match length {
            0..=LONGEST_WHOLE => (vec![0], length, 1 + 64usize.div_ceil(length)),
            _ => {
                let middle = (length / 2).next_multiple_of(64);
                (vec![0, middle, length - PIECE], PIECE, 1)
            }
        };
        let mut pieces: Vec<Piece> = begins
            .into_iter()
            .map(|begin| Piece {
                at: self.done + begin as u64,
                place: begin..begin + size,
                input: Vec::new(),
                output: Vec::new(),
            })
            .collect();
        for _ in 0..calls {
            for piece in &mut pieces {
                piece.input.extend_from_slice(&scene.input[piece.place.clone()]);
                // In ECB what was right before is right again.
                if let Some(output) = &mut scene.output {
                    output[piece.place.clone()].fill(0);
                }
            }
            scene.calls(1)?;
            let made = scene.output.as_deref().unwrap_or(scene.input);
            for piece in &mut pieces {
                piece.output.extend_from_slice(&made[piece.place.clone()]);
            }
        }
        pieces.into_iter().try_for_each(|piece| self.compare_piece(piece))
    }

    fn compare_piece(&self, piece: Piece) -> Result<(), Fault> {
        let Piece {
            at, input, output, ..
        } = piece;
        let (plain, cipher) = match self.task.operation.is_backward() {
            true => (output, input),
            false => (input, output),
        };
        let Some((iv, from)) = self.state(at, &plain, &cipher) else {
            return self.moves(&plain, &cipher);
        };
        let forward = gate::forward(self.implementation, self.task);
        let (made, _) = forward(self.key, &iv, &[], &plain[from..])?;
        same("", &cipher[from..], &made)
    }

    /// From which byte of a piece on a fresh context makes the same, and by which IV: a counter by its number, and what feeds
    /// blocks back by the piece's first.
    fn state(&self, at: u64, plain: &[u8], cipher: &[u8]) -> Option<(Vec<u8>, usize)> {
        let block = self.iv.len();
        let to_block = |at: u64| (at.wrapping_neg() % block as u64) as usize;
        match self.task.algorithm.name().rsplit('-').next()? {
            "ECB" => Some((Vec::new(), 0)),
            _ if block == 0 => None,
            "CBC" | "CFB" | "CFB8" => Some((cipher[..block].to_vec(), block)),
            "OFB" => {
                let from = to_block(at);
                let keystream = plain.iter().zip(cipher).map(|(plain, cipher)| plain ^ cipher);
                Some((keystream.skip(from).take(block).collect(), from + block))
            }
            "CTR" => {
                let from = to_block(at);
                let first = u128::from_be_bytes(self.iv.try_into().ok()?);
                let counter = first.wrapping_add(u128::from((at + from as u64) / 16));
                Some((counter.to_be_bytes().to_vec(), from))
            }
            _ => None,
        }
    }

    /// Of a stream that only a walk over all of it would lead to, as RC4's: whether it does anything, and goes on.
    fn moves(&self, plain: &[u8], cipher: &[u8]) -> Result<(), Fault> {
        let keystream: Vec<u8> = plain
            .iter()
            .zip(cipher)
            .map(|(plain, cipher)| plain ^ cipher)
            .collect();
        let (one, other) = keystream.split_at(keystream.len() / 2);
        let stands = self.task.algorithm.kind() == Kind::Stream && other.starts_with(one);
        match stands || plain == cipher {
            true => Err(Fault("it does nothing, or always the same".to_owned())),
            false => Ok(()),
        }
    }
}

impl Scene<'_, '_> {
    fn calls(&mut self, calls: usize) -> Result<(), Fault> {
        match &mut self.output {
            None => self.timed.repeat(self.input, self.ring, calls as u64),
            Some(output) => self.timed.repeat_to(self.input, output, self.ring, calls as u64),
        }
    }

    /// Whether a message is refused, in so many calls, with a bit of its tag changed, which is put right again.
    fn refuses(&mut self, calls: usize, turn: usize) -> Result<(), Fault> {
        let flip = |ring: &mut Ring<'_>| ring.message(turn).1.tag[0] ^= 1;
        flip(self.ring);
        let opened = self.calls(calls);
        flip(self.ring);
        match opened {
            Ok(()) => Err(Fault(
                "was opened although a bit of its tag had been changed".to_owned(),
            )),
            Err(_) => Ok(()),
        }
    }
}

/// A part of a stream, over several calls where these are short.
struct Piece {
    /// Bytes of the stream before it.
    at: u64,
    /// Where it lies in each call's message.
    place: Range<usize>,
    input: Vec<u8>,
    output: Vec<u8>,
}

/// Bytes of a part of a long call.
const PIECE: usize = 1 << 14;

/// Bytes of a call that is looked at whole.
const LONGEST_WHOLE: usize = 3 * PIECE;

/// A word of a message that repeats nothing.
fn word(number: usize) -> [u8; 8] {
    let number = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (number ^ number >> 29).to_le_bytes()
}

fn fill(buffer: &mut [u8]) {
    let (words, rest) = buffer.as_chunks_mut::<8>();
    rest.copy_from_slice(&word(words.len())[..rest.len()]);
    for (number, it) in words.iter_mut().enumerate() {
        *it = word(number);
    }
}

/// What [`fill`] writes there.
fn pattern(place: Range<usize>) -> Vec<u8> {
    let mut all = vec![0; place.end];
    fill(&mut all);
    all.split_off(place.start)
}

/// What tells contents apart that nobody made to be mistaken for each other, at the speed of memory: in lanes, since a
/// product is waited for.
fn digest(before: u64, bytes: &[u8]) -> u64 {
    let mix = |sum: u64, word: u64| (sum.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let (lines, rest) = bytes.as_chunks::<64>();
    let mut last = [0; 64];
    last[..rest.len()].copy_from_slice(rest);
    let mut lanes: [u64; 8] = array::from_fn(|lane| lane as u64);
    for line in lines.iter().chain([&last]) {
        for (lane, word) in lanes.iter_mut().zip(line.as_chunks().0) {
            *lane = mix(*lane, u64::from_le_bytes(*word));
        }
    }
    lanes.into_iter().fold(mix(before, bytes.len() as u64), mix)
}

fn same(what: &str, found: &[u8], expected: &[u8]) -> Result<(), Fault> {
    match found
        .iter()
        .zip(expected)
        .position(|(found, expected)| found != expected)
    {
        Some(byte) => Err(Fault(format!(
            "{what}byte {byte} is {:02x}, should be {:02x}",
            found[byte], expected[byte]
        ))),
        None => Ok(()),
    }
}
