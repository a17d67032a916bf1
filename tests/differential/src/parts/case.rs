use std::ops::{Range, RangeInclusive};

use ciphertune::Error;
use ciphertune_testkit::Random;

/// Every length up to the first is tried, and a sample up to the second.
const EVERY_LENGTH: usize = 2100;
const LONGEST: usize = 65_536 + 17;

/// A message and what goes with it.
pub struct Case {
    pub nonce: Vec<u8>,
    pub aad: Vec<u8>,
    pub text: Vec<u8>,
}

/// One of each length, and longer ones; additional data of each length to 300 bytes, with other texts for each seed.
pub fn cases(random: &mut Random, nonces: RangeInclusive<usize>) -> Vec<Case> {
    let longer: Vec<usize> = (0..64).map(|_| random.up_to(LONGEST)).collect();
    let turn = random.up_to(300);
    let case = |length: usize| Case {
        nonce: random.bytes(nonces.start() + length % nonces.clone().count()),
        aad: random.bytes((length + turn) % 301),
        text: random.bytes(length),
    };
    (0..=EVERY_LENGTH).chain(longer).map(case).collect()
}

impl Case {
    /// Gives `run` the input in parts, multiples of `unit` bytes but for the last: in place, where it has no input of
    /// its own, or apart, at offsets of any kind.
    pub fn run(
        &self,
        random: &mut Random,
        unit: usize,
        [input, expected]: [&[u8]; 2],
        mut run: impl FnMut(Option<&[u8]>, &mut [u8]) -> Result<(), Error>,
    ) -> Result<(), String> {
        let given = Placed::new(random, input);
        let mut made = Placed::new(random, input);
        let apart = random.up_to(1) == 1;
        let cuts = cuts(random, input.len(), unit);
        for part in &cuts {
            let input = apart.then_some(&given.message()[part.clone()]);
            run(input, &mut made.message_mut()[part.clone()]).map_err(|error| error.to_string())?;
        }
        given
            .check(input)
            .and_then(|()| made.check(expected))
            .map_err(|why| {
                let way = if apart { "apart" } else { "in place" };
                self.failure(&format!("{way}, in parts {cuts:?}: {why}"))
            })
    }

    pub fn failure(&self, what: &str) -> String {
        let [nonce, aad, text] = [&self.nonce, &self.aad, &self.text].map(Vec::len);
        format!("{text} bytes, {aad} of additional data, a nonce of {nonce}: {what}")
    }
}

/// A message at an offset of up to 63 bytes from a cache line, and canaries around it.
pub struct Placed {
    memory: Vec<u8>,
    at: Range<usize>,
}

const CANARY: u8 = 0xa5;
const MARGIN: usize = 128;

impl Placed {
    pub fn new(random: &mut Random, message: &[u8]) -> Self {
        let mut memory = vec![CANARY; MARGIN + 128 + message.len() + MARGIN];
        let start = MARGIN + memory[MARGIN..].as_ptr().align_offset(64) + random.up_to(63);
        let at = start..start + message.len();
        memory[at.clone()].copy_from_slice(message);
        Self { memory, at }
    }

    pub fn message(&self) -> &[u8] {
        &self.memory[self.at.clone()]
    }

    pub fn message_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.at.clone()]
    }

    /// Whether it has become this, and nothing else was written to.
    pub fn check(&self, expected: &[u8]) -> Result<(), String> {
        if let Some(byte) = (self.message().iter().zip(expected)).position(|(made, right)| made != right) {
            return Err(format!("byte {byte} is wrong"));
        }
        let around = [&self.memory[..self.at.start], &self.memory[self.at.end..]].concat();
        match around.iter().all(|&byte| byte == CANARY) {
            true => Ok(()),
            false => Err("wrote outside the message".to_owned()),
        }
    }
}

/// One to six parts that make up a message, multiples of `unit` but for the last; some may be empty.
pub fn cuts(random: &mut Random, len: usize, unit: usize) -> Vec<Range<usize>> {
    let mut at = 0;
    let mut parts = Vec::new();
    for _ in 0..random.up_to(5) {
        let end = at + unit * random.up_to((len - at) / unit);
        parts.push(at..end);
        at = end;
    }
    parts.push(at..len);
    parts
}

/// Up to forty messages that lie side by side, of all of the units between them.
pub fn many(random: &mut Random, len: usize, unit: usize) -> Vec<Range<usize>> {
    let mut ends: Vec<usize> = (0..random.up_to(39))
        .map(|_| unit * random.up_to(len / unit))
        .collect();
    ends.sort_unstable();
    ends.push(len);
    let starts = [0].into_iter().chain(ends.clone());
    starts.zip(ends).map(|(start, end)| start..end).collect()
}
